/* Out of memory: the one way this program ends when the system has no more.
 *
 * Nobody above can do better than say so: what a scenario may use is limited and reported long before (kind limit).
 */
#ifndef BASE_OOM_H
#define BASE_OOM_H

#include <stddef.h>

#define OOM_OF_SCENARIO 6 /* the exit code of a process that works for one scenario alone */

/* From here on oom_stop ends this process with OOM_OF_SCENARIO. */
void oom_blame_scenario(void);

/* Says what asked for how many bytes and ends the process with exit code 70. */
_Noreturn void oom_stop(const char *asker, size_t bytes);

#endif

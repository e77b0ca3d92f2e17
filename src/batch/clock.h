/* Clock: real time, for deadlines alone; nothing a report says comes from it. */
#ifndef BATCH_CLOCK_H
#define BATCH_CLOCK_H

#include <stdint.h>

/* Microseconds of a clock that never goes back. */
int64_t clock_now_us(void);

#endif

/* The door: every entry into Lua goes through here, and nothing raised inside gets past it.
 *
 * The only file that calls lua_pcallk and lua_resume on behalf of the engine.  A door checks that the stack is as high
 * after as before (plus the results), adds a traceback, and turns what was raised into a struct err: the sticky failure
 * of the state if there is one, else ERR_LIMIT for Lua's own out of memory, else ERR_SCENARIO with file and line.
 */
#ifndef SCRIPT_CALL_H
#define SCRIPT_CALL_H

#include <lua.h>

#include "base/err.h"
#include "script/state.h"

/* Runs `body(L)` protected with one light userdata argument, `argument`.  Leaves nothing on the stack. */
MUST_USE bool call_body(struct script_state *state, lua_CFunction body, void *argument, struct err *err);

/* Calls the function below `arguments` values on the main thread's stack; on success leaves exactly `results` values,
 * on failure none. */
MUST_USE bool call_function(struct script_state *state, int arguments, int results, struct err *err);

enum call_resumed { CALL_FAILED, CALL_YIELDED, CALL_RETURNED };

/* Resumes a thread with `arguments` values on its stack; `*results` values are then on top of the thread's stack. */
enum call_resumed call_resume(struct script_state *state, lua_State *thread, int arguments, int *results,
                              struct err *err);

#endif

/* The sandbox's own library functions: what replaces stock Lua where that differs from run to run or asks the system.
 *
 * sandbox.c puts them into its allow list.  Each is called like the function of stock Lua that it replaces and raises
 * the same errors for the same mistakes; what it does differently is said here.  Upvalue 1 is the stock function.
 * Private to the sandbox: nobody else includes this.
 */
#ifndef SCRIPT_SANDBOX_OWN_H
#define SCRIPT_SANDBOX_OWN_H

#include <lua.h>

/* sandbox_table.c: order by key (numbers, strings bytewise, false, true); keys of other types are refused. */
int sandbox_table_pairs(lua_State *L);
int sandbox_table_next(lua_State *L); /* next(t) only: the first pair of that order */
int sandbox_table_sort(lua_State *L); /* stable; terminates for any comparator; the table is changed at the end */
int sandbox_table_setmetatable(lua_State *L); /* refuses __gc and __mode */

/* sandbox_text.c: no addresses, and NaN without a sign. */
int sandbox_text_tostring(lua_State *L);
int sandbox_text_format(lua_State *L); /* refuses %p */
int sandbox_text_print(lua_State *L);  /* to stderr, at most 64 KiB per state */
int sandbox_text_load(lua_State *L);   /* text only, strings only, at most SANDBOX_SOURCE_MAX bytes */

/* sandbox_thread.c: coroutines whose every change of thread the state knows of (script/state.h I3). */
int sandbox_thread_create(lua_State *L);
int sandbox_thread_wrap(lua_State *L);
int sandbox_thread_resume(lua_State *L);
int sandbox_thread_yield(lua_State *L);
int sandbox_thread_status(lua_State *L);
int sandbox_thread_isyieldable(lua_State *L);
int sandbox_thread_running(lua_State *L);
int sandbox_thread_close(lua_State *L); /* calls inside one another are bounded: each starts a new count of C levels */
int sandbox_thread_xpcall(lua_State *L); /* its message handler does not run once the script must stop */

/* sandbox_math.c: the run's own random stream, correctly rounded functions, virtual time. */
int sandbox_math_random(lua_State *L);
int sandbox_math_randomseed(lua_State *L); /* refuses */
int sandbox_math_exp(lua_State *L);
int sandbox_math_log(lua_State *L);
int sandbox_math_sin(lua_State *L);
int sandbox_math_cos(lua_State *L);
int sandbox_math_tan(lua_State *L);
int sandbox_math_asin(lua_State *L);
int sandbox_math_acos(lua_State *L);
int sandbox_math_atan(lua_State *L);
int sandbox_math_time(lua_State *L); /* os.time, without a table */
int sandbox_math_clock(lua_State *L);
int sandbox_math_difftime(lua_State *L);

#endif

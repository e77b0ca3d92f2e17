/* The sandbox: the globals a scenario finds, from one allow list, with what differs from run to run replaced.
 *
 * Real libraries are never reachable: the table is filled from the list in sandbox.c, where every omission has its
 * reason.  The reason is shown when a script trips over a missing name.
 */
#ifndef SCRIPT_SANDBOX_H
#define SCRIPT_SANDBOX_H

#include <stdbool.h>

#include <lua.h>

#include "base/str.h"

/* Fills the state's (empty) globals.  Runs inside a protected call.  `require` is not among them: the scenario's loader
 * adds it. */
void sandbox_install(lua_State *L);

/* Why a global name (`io`) or a field (`os.getenv`) is not there, or NULL if the sandbox has no word on it. */
const char *sandbox_reason(const char *dotted_name);

/* The same for the name that an error message of Lua shows: a global, or the last part of any dotted name. */
const char *sandbox_reason_of_part(const char *name, bool is_global);

/* Compiles text only (never bytecode), at most SANDBOX_SOURCE_MAX bytes, with the sandbox as its environment; pushes
 * the function or raises a syntax error. */
#define SANDBOX_SOURCE_MAX ((size_t)1 << 20)
void sandbox_compile(lua_State *L, struct str source, const char *chunk_name);

/* A value as text without addresses: what `tostring` and `print` show.  Pushes a string; may call __tostring. */
void sandbox_push_text(lua_State *L, int index);

#endif

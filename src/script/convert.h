/* Convert: Lua values to base values and back.
 *
 * Only plain data crosses: nil, boolean, integer, float, string, table.  A table is an array when it is marked by
 * sim.array or when its keys are exactly 1..n (n > 0); an object when all its keys are strings; an empty table is an
 * object.  Depth is capped at 64 and a value at 1,000,000 parts, so that a table that holds itself is an error.
 * All of it raises, so it runs inside a protected call.
 */
#ifndef SCRIPT_CONVERT_H
#define SCRIPT_CONVERT_H

#include <lua.h>

#include "base/value.h"
#include "script/shape.h"

/* The value at `index`, in the arena. */
struct value convert_to_value(lua_State *L, int index, const struct place *place, struct arena *arena);

/* Pushes a fresh Lua value.  Arrays come marked, so that they go back as arrays. */
void convert_push(lua_State *L, const struct value *value);

/* sim.array and sim.null. */
void convert_push_null(lua_State *L);
void convert_push_array_mark(lua_State *L); /* the metatable of a marked table */

#endif

/* Turns as a scenario writes them: `{ text =, tool_calls = { { name =, arguments = {} } }, stop = false }`. */
#ifndef SCRIPT_TURN_READ_H
#define SCRIPT_TURN_READ_H

#include <lua.h>

#include "engine/scripted.h"
#include "script/shape.h"

extern const struct shape shape_turn;
extern const struct shape shape_tool_call;

/* Reads the table at `index` into a turn.  Text and result go to `keep`, the rest to `scratch`; with both the same the
 * turn lives as long.  Raises for anything that is not a turn, with nothing left in `keep` and `turn` as it was. */
void turn_from_lua(lua_State *L, int index, const struct place *place, struct arena *keep, struct arena *scratch,
                   struct turn *turn);

/* A call from its parts: the string at `name_index`, the table (or nil) at `arguments_index`. */
void turn_call_from_lua(lua_State *L, int name_index, int arguments_index, const struct place *place,
                        struct arena *scratch, struct tool_call *call);

/* Compiles the list of turns at `index`. */
struct scripted *turn_list_from_lua(lua_State *L, int index, const struct place *place, struct arena *keep);

#endif

/* Names: tables of ours in which a wrong name is answered with the nearest good one. */
#ifndef SCRIPT_NAMES_H
#define SCRIPT_NAMES_H

#include <lua.h>

/* From now on to read a field that the table on top does not have, or to add one, is an error.  `what` is what messages
 * call it ("sim.models", "a workspace"); static. */
void names_seal(lua_State *L, const char *what);

#endif

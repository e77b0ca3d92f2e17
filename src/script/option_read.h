/* sim.options: reads the declaration, takes what the command line gave, returns the values. */
#ifndef SCRIPT_OPTION_READ_H
#define SCRIPT_OPTION_READ_H

#include <lua.h>

#include "script/shape.h"

extern const struct shape shape_option;

int option_read(lua_State *L); /* the function behind sim.options */

#endif

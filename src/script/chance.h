/* Chance as a scenario sees it: sim.faults and sim.random. */
#ifndef SCRIPT_CHANCE_H
#define SCRIPT_CHANCE_H

#include <lauxlib.h>
#include <lua.h>

#include "script/shape.h"

extern const struct shape shape_faults;
extern const luaL_Reg random_methods[]; /* real, integer, chance, pick */

int chance_faults(lua_State *L); /* sim.faults { tool =, every = | rate =, text = } */
int chance_random(lua_State *L); /* sim.random(run, name) */

#endif

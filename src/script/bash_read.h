/* Bash as a scenario scripts it: a function(command, context), or a table of exact commands to outputs. */
#ifndef SCRIPT_BASH_READ_H
#define SCRIPT_BASH_READ_H

#include <lua.h>

#include "engine/shell.h"
#include "script/shape.h"

/* The field bash of the table at `index`; NULL if it is not there. */
const struct shell *bash_from_lua(lua_State *L, int index, const struct place *place);

#endif

/* Hooks as a scenario writes them: `hooks = { PreToolUse = f | { f, g }, … }`, each a function(event) or a command. */
#ifndef SCRIPT_HOOK_READ_H
#define SCRIPT_HOOK_READ_H

#include <lua.h>

#include "engine/hook.h"
#include "script/shape.h"

extern const struct shape shape_hooks;

/* Reads the field hooks of the table at `index`; without it, or with an empty one, the result has no hooks. */
struct hooks hooks_from_lua(lua_State *L, int index, const struct place *place);

#endif

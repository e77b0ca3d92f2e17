/* The API: what `require "simagent"` gives a scenario. */
#ifndef SCRIPT_API_H
#define SCRIPT_API_H

#include <lua.h>

#include "script/shape.h"

/* Pushes the module's table.  Needs handle_install and the session as the state's user. */
void api_push(lua_State *L);

/* All tables of the vocabulary and all functions, for the test that keeps the annotations in step; each list ends with
 * NULL. */
extern const struct shape *const api_shapes[];
extern const char *const api_functions[]; /* "options", "models.scan", … */

#endif

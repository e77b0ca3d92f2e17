/* Workspaces as a scenario sees them: `{ path = body }`, sim.workspace.demo(), sim.workspace.dir(path, options). */
#ifndef SCRIPT_WORKSPACE_API_H
#define SCRIPT_WORKSPACE_API_H

#include <lauxlib.h>
#include <lua.h>

#include "script/shape.h"

struct workspace;

extern const luaL_Reg workspace_methods[]; /* paths, read, size */
extern const luaL_Reg tree_methods[];      /* the same, of the files as a run has changed them */
extern const luaL_Reg workspace_functions[]; /* sim.workspace: demo, dir */
extern const struct shape shape_dir_options;

/* Pushes a handle on the workspace, or nil for NULL. */
void workspace_push(lua_State *L, struct workspace *workspace);

/* The workspace at `index`: a handle, or a table of bodies by path.  Raises for anything else. */
struct workspace *workspace_from_lua(lua_State *L, int index, const struct place *place);

#endif

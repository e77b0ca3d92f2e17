/* Agents as a scenario writes them: variants, and what subagent factories return. */
#ifndef SCRIPT_AGENT_READ_H
#define SCRIPT_AGENT_READ_H

#include <lua.h>

#include "engine/agent.h"
#include "script/shape.h"

extern const struct shape shape_agent;
extern const struct shape shape_variant; /* an agent with name and task */
extern const struct shape shape_subagent;

/* The tool at `index`: a built-in one by its name, or a sim.tool. */
const struct tool *tool_from_lua(lua_State *L, int index, const struct place *place);

/* Reads the table at `index`, whose keys were not checked yet, against a shape; the name is the caller's. */
struct agent_spec *agent_from_lua(lua_State *L, int index, const struct place *place, const struct shape *shape,
                                  struct str name);

#endif

/* Scenarios as a file writes them: the table given to sim.scenario, read and checked as a whole. */
#ifndef SCRIPT_SCENARIO_READ_H
#define SCRIPT_SCENARIO_READ_H

#include <lua.h>

#include "script/shape.h"

struct session;

extern const struct shape shape_scenario;
extern const struct shape shape_thresholds;
extern const struct shape shape_tokens;

/* Reads the table at `index` into the session's scenario.  Raises for anything wrong. */
void scenario_from_lua(lua_State *L, int index, const struct place *place, struct session *session);

/* sim.scenario: reads its argument, returns a handle. */
int scenario_read(lua_State *L);

#endif

/* Economics as a scenario writes them: price, cache, latency, budget and returns, of the scenario or of an agent. */
#ifndef SCRIPT_ECONOMY_READ_H
#define SCRIPT_ECONOMY_READ_H

#include <lua.h>

#include "engine/agent.h"
#include "script/shape.h"

struct session;

extern const struct shape shape_price;
extern const struct shape shape_price_above;
extern const struct shape shape_cache;
extern const struct shape shape_latency;
extern const struct shape shape_budget;
extern const struct shape shape_returns;
extern const struct shape shape_coverage;

/* Reads the fields price, cache and latency of the table at `index`; what is not there stays NULL. */
void economy_from_lua(lua_State *L, int index, const struct place *place, struct economy *economy);

/* A field in milliseconds, as microseconds; -1 if it is not there. */
int64_t duration_from_lua(lua_State *L, int index, const struct place *place, const char *key);

/* The field budget: a number of tokens, or a table; NULL if it is not there. */
const struct budget *budget_from_lua(lua_State *L, int index, const struct place *place);

/* The field returns; NULL if it is not there. */
const struct contract *contract_from_lua(lua_State *L, int index, const struct place *place);

#endif

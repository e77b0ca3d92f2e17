/* Cases as a scenario writes them: `cases = { { name = "big", options = { limit = 5 } }, … }`.
 *
 * A case is the scenario under other options, tested against a golden of its own.  The names become names of files, so
 * they are narrow; the options are judged when the case runs, by the same code as a command line's.
 */
#ifndef SCRIPT_CASE_READ_H
#define SCRIPT_CASE_READ_H

#include <lua.h>

#include "script/shape.h"

struct session;

#define CASE_NAME_MAX 64

extern const struct shape shape_case;

/* Reads the field cases of the table at `index` into the session's scenario. */
void cases_from_lua(lua_State *L, int index, const struct place *place, struct session *session);

#endif

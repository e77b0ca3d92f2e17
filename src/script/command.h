/* Command: a hook that is a program of the user's, spoken to as Claude Code speaks to its hooks.
 *
 * JSON on its stdin (hook_event_name, tool_name, tool_input, tool_response, prompt, and what a real session would
 * have); exit code 2, or a JSON decision on its stdout, blocks; so people can try their hooks without a session.  Runs
 * only when the user allows it, and makes a run that cannot be repeated.
 */
#ifndef SCRIPT_COMMAND_H
#define SCRIPT_COMMAND_H

#include <lua.h>

#include "engine/hook.h"
#include "script/shape.h"

int command_read(lua_State *L); /* sim.command { "program", "argument", … } */

/* The hook that runs the command behind a handle. */
struct hook command_hook(const void *command);

#endif

/* Views: what scenario code reads of a run while it goes: requests, transcripts, entries, the context of a tool call.
 *
 * A view is made once per run and looks things up when they are asked for, so that a turn costs no table.  It is good
 * only while the engine is asking (a request, a tool's context) or while its run lives (the view of a coroutine's
 * agent); afterwards every access is an error that says so.
 */
#ifndef SCRIPT_VIEW_H
#define SCRIPT_VIEW_H

#include <lua.h>

#include "base/str.h"

struct record;
struct request;
struct table;
struct tool_invocation;

/* What views look at.  Lives in the session's memory; `request`, `call` and `record` are set while they are good. */
struct view {
    const struct request *request;
    const struct tool_invocation *call;
    const struct record *record;
    const struct table *names;
};

void view_push_request(lua_State *L, struct view *view);
void view_push_transcript(lua_State *L, struct view *view);
void view_push_context(lua_State *L, struct view *view);

/* Pushes the results of the last turn's calls as a list of {name, content, is_error}. */
void view_push_results(lua_State *L, const struct view *view, const struct request *request);

/* Method tables, for handle_install. */
int view_request_index(lua_State *L);
int view_transcript_index(lua_State *L);
int view_transcript_length(lua_State *L);
int view_context_index(lua_State *L);

#endif

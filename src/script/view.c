#include "script/view.h"

#include <lauxlib.h>
#include <string.h>

#include "base/table.h"
#include "core/record.h"
#include "engine/model.h"
#include "engine/tool.h"
#include "script/handle.h"
#include "script/workspace_api.h"

static void push_str(lua_State *L, struct str text)
{
    lua_pushlstring(L, text.data ? text.data : "", text.len);
}

static void push_name(lua_State *L, const struct view *view, const struct entry *entry)
{
    if (entry->name == NAME_NONE)
        lua_pushnil(L);
    else
        push_str(L, table_key(view->names, entry->name));
}

void view_push_request(lua_State *L, struct view *view)
{
    handle_push(L, HANDLE_REQUEST, view);
}

void view_push_context(lua_State *L, struct view *view)
{
    handle_push(L, HANDLE_CONTEXT, view);
}

void view_push_transcript(lua_State *L, struct view *view)
{
    handle_push(L, HANDLE_TRANSCRIPT, view);
}

void view_push_results(lua_State *L, const struct view *view, const struct request *request)
{
    const struct transcript *transcript = &view->record->transcript;
    lua_createtable(L, (int)(request->result_count < 1 << 20 ? request->result_count : 0), 0);
    for (uint32_t i = 0; i < request->result_count; i++) {
        const struct entry *entry = transcript_entry(transcript, request->first_result + i);
        lua_createtable(L, 0, 3);
        push_name(L, view, entry);
        lua_setfield(L, -2, "name");
        push_str(L, entry_content(entry));
        lua_setfield(L, -2, "content");
        lua_pushboolean(L, (entry->flags & ENTRY_FAILED) != 0);
        lua_setfield(L, -2, "is_error");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static int unknown_field(lua_State *L, const char *what, const char *fields)
{
    return luaL_error(L, "%s has no field \"%s\"; it has %s", what, luaL_tolstring(L, 2, NULL), fields);
}

int view_request_index(lua_State *L)
{
    struct view *view = handle_check(L, 1, HANDLE_REQUEST)->pointer;
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    if (!view->request)
        return luaL_error(L, "a request is good only until the model returns: copy what you need");
    if (strcmp(key, "turn") == 0)
        lua_pushinteger(L, view->request->turn);
    else if (strcmp(key, "run") == 0)
        push_str(L, view->record->run);
    else if (strcmp(key, "prompt") == 0)
        push_str(L, view->request->prompt);
    else if (strcmp(key, "results") == 0)
        view_push_results(L, view, view->request);
    else if (strcmp(key, "transcript") == 0)
        view_push_transcript(L, view);
    else
        return unknown_field(L, "a request", "run, turn, prompt, results, transcript");
    return 1;
}

static const struct record *live_record(lua_State *L)
{
    const struct view *view = handle_check(L, 1, HANDLE_TRANSCRIPT)->pointer;
    if (!view->record)
        luaL_error(L, "the run of this transcript has ended: copy what you need while it runs");
    return view->record;
}

int view_transcript_length(lua_State *L)
{
    lua_pushinteger(L, transcript_entries(&live_record(L)->transcript));
    return 1;
}

int view_transcript_index(lua_State *L)
{
    const struct record *record = live_record(L);
    int whole;
    lua_Integer position = lua_tointegerx(L, 2, &whole);
    if (!whole || lua_type(L, 2) != LUA_TNUMBER)
        return luaL_error(L, "a transcript is a list: its keys are 1 to #transcript, got %s", luaL_typename(L, 2));
    if (position < 1 || position > transcript_entries(&record->transcript)) {
        lua_pushnil(L);
        return 1;
    }
    const struct view *view = handle_check(L, 1, HANDLE_TRANSCRIPT)->pointer;
    const struct entry *entry = transcript_entry(&record->transcript, (uint32_t)(position - 1));
    lua_createtable(L, 0, 5);
    lua_pushstring(L, role_name(entry->role));
    lua_setfield(L, -2, "role");
    push_name(L, view, entry);
    lua_setfield(L, -2, "name");
    push_str(L, entry_content(entry));
    lua_setfield(L, -2, "content");
    lua_pushinteger(L, entry->size);
    lua_setfield(L, -2, "size");
    lua_pushinteger(L, position - 1);
    lua_setfield(L, -2, "entry");
    return 1;
}

int view_context_index(lua_State *L)
{
    struct view *view = handle_check(L, 1, HANDLE_CONTEXT)->pointer;
    const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    const struct tool_invocation *call = view->call;
    if (!call)
        return luaL_error(L, "a tool's context is good only until the tool returns: copy what you need");
    if (strcmp(key, "run") == 0)
        push_str(L, call->record->run);
    else if (strcmp(key, "agent") == 0)
        push_str(L, call->record->name);
    else if (strcmp(key, "depth") == 0)
        lua_pushinteger(L, call->record->depth);
    else if (strcmp(key, "turn") == 0)
        lua_pushinteger(L, call->turn);
    else if (strcmp(key, "workspace") == 0)
        handle_push(L, HANDLE_TREE, call->tree);
    else
        return unknown_field(L, "a tool's context", "run, agent, depth, turn, workspace");
    return 1;
}

/* Runs a piece of Lua in a fresh sandbox and keeps what it returned, as text, or its error. */
#ifndef TESTS_UNIT_SCRIPT_SNIPPET_H
#define TESTS_UNIT_SCRIPT_SNIPPET_H

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/check.h"
#include "base/err.h"
#include "base/str.h"
#include "script/call.h"
#include "script/sandbox.h"
#include "script/state.h"

struct snippet {
    const char *source;
    char result[8192]; /* the first returned value */
    bool ok;
    struct err err;
};

static int snippet_body(lua_State *L)
{
    struct snippet *snippet = lua_touserdata(L, 1);
    sandbox_compile(L, str_of(snippet->source), "@x.lua");
    lua_call(L, 0, 1);
    sandbox_push_text(L, -1);
    snprintf(snippet->result, sizeof snippet->result, "%s", lua_tostring(L, -1));
    return 0;
}

/* Runs in an open state. */
static inline void snippet_call(struct script_state *state, struct snippet *snippet, const char *source)
{
    snippet->source = source;
    snippet->result[0] = '\0';
    snippet->err = (struct err){.kind = ERR_NONE};
    int height = lua_gettop(state->L);
    snippet->ok = call_body(state, snippet_body, snippet, &snippet->err);
    CHECK(lua_gettop(state->L) == height);
}

/* Runs in a state of its own, with seed 7. */
static inline void snippet_run(const struct script_limits *limits, struct snippet *snippet, const char *source)
{
    struct script_state state;
    struct err err = {.kind = ERR_NONE};
    if (!state_open(&state, limits, 7, &err))
        CHECK(!"state_open");
    snippet_call(&state, snippet, source);
    state_close(&state);
}

#endif

#include "script/call.h"

#include <stdio.h>
#include <string.h>

#include <lauxlib.h>

#include "base/str.h"
#include "base/utf8.h"
#include "script/sandbox.h"

#define TEXT_MAX 2048  /* bytes of the raised text that are shown */
#define TRACE_LINES 12 /* lines of traceback that are shown */
#define REASON_NAME_MAX 64
#define DOOR_SLOTS 4 /* the message handler, the function, and room to convert an error object */

/* Text under construction in a buffer of fixed size: the door must work when Lua's memory is used up. */
struct message {
    char text[TEXT_MAX * 2 - 64];
    size_t len;
};

PRINTF_LIKE(2, 3) static void message_add(struct message *message, const char *format, ...)
{
    size_t room = sizeof message->text - message->len;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(message->text + message->len, room, format, arguments);
    va_end(arguments);
    if (wanted > 0)
        message->len += (size_t)wanted < room ? (size_t)wanted : room - 1;
}

/* Adds at most TEXT_MAX bytes, cut at a code point.  A NUL would end the message, so it is shown as two characters. */
static void message_add_text(struct message *message, struct str text)
{
    size_t at = 0;
    while (at < text.len && message->len < TEXT_MAX) {
        struct str rest = str_slice(text, at, text.len);
        size_t length = utf8_sequence(rest);
        length = length ? length : 1;
        if (message->len + length > TEXT_MAX)
            break;
        if (text.data[at] == '\0')
            message_add(message, "\\0");
        else
            message_add(message, "%.*s", (int)length, text.data + at);
        at += length;
    }
    if (at < text.len)
        message_add(message, "…");
}

/* Lua says "(global 'io')" or "(field 'getenv')" when a missing name is called or indexed. */
static const char *reason_after(struct str text, const char *kind)
{
    char name[REASON_NAME_MAX];
    const char *at = memmem(text.data, text.len, kind, strlen(kind));
    if (at == NULL)
        return NULL;
    at += strlen(kind);
    size_t left = (size_t)(text.data + text.len - at);
    const char *end = memchr(at, '\'', left);
    if (end == NULL || (size_t)(end - at) >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
    return sandbox_reason_of_part(name, kind[1] == 'g');
}

static void message_add_reason(struct message *message, struct str text)
{
    static const char *const kinds[] = {"(global '", "(field '", "(method '"};
    struct str head = str_slice(text, 0, text.len < TEXT_MAX ? text.len : TEXT_MAX);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const char *reason = head.len > 0 ? reason_after(head, kinds[i]) : NULL;
        if (reason != NULL) {
            message_add(message, " (%s)", reason);
            return;
        }
    }
}

static void message_add_frame(struct message *message, lua_State *thread, lua_Debug *activation)
{
    lua_getinfo(thread, "nS", activation);
    message_add(message, "\n\t%s:%d: in ", activation->short_src, activation->currentline);
    if (*activation->namewhat != '\0')
        message_add(message, "%s '%.64s'", activation->namewhat, activation->name);
    else if (*activation->what == 'm')
        message_add(message, "main chunk");
    else
        message_add(message, "function <line %d>", activation->linedefined);
}

/* Only frames with a line: the scenario's author has no use for C functions. */
static void message_add_trace(struct message *message, lua_State *thread)
{
    lua_Debug activation;
    int lines = 0;
    for (int level = 0; lua_getstack(thread, level, &activation); level++) {
        lua_getinfo(thread, "Sl", &activation);
        if (activation.currentline <= 0)
            continue;
        if (lines == 0)
            message_add(message, "\nstack traceback:");
        if (lines++ == TRACE_LINES) {
            message_add(message, "\n\t...");
            return;
        }
        message_add_frame(message, thread, &activation);
    }
}

static int body_tostring(lua_State *L)
{
    sandbox_push_text(L, 1);
    return 1;
}

/* Replaces the error object at the top by a text of it.  __tostring is the script's own code, so it may fail or be
 * stopped; and a text that cannot be made must not hide that there was an error. */
static void object_to_text(lua_State *L)
{
    if (luaL_getmetafield(L, -1, "__tostring") == LUA_TNIL)
        return;
    lua_pop(L, 1);
    lua_pushcfunction(L, body_tostring);
    lua_pushvalue(L, -2);
    if (lua_pcallk(L, 1, 1, 0, 0, NULL) == LUA_OK)
        lua_replace(L, -2);
    else
        lua_pop(L, 1);
}

static void message_add_object(struct message *message, lua_State *L)
{
    size_t len = 0;
    const char *data = NULL;
    if (lua_type(L, -1) == LUA_TSTRING || lua_type(L, -1) == LUA_TNUMBER)
        data = lua_tolstring(L, -1, &len);
    if (data != NULL) {
        struct str text = {.data = data, .len = len};
        message_add_text(message, text);
        message_add_reason(message, text);
    } else if (lua_isnil(L, -1)) {
        message_add(message, "error object is nil");
    } else {
        message_add(message, "(error object is a %s value)", luaL_typename(L, -1));
    }
}

/* Writes what was raised (on top of L) and where (the stack of `thread`) to state->raised. */
static void raised_write(lua_State *L, lua_State *thread)
{
    struct script_state *state = state_of(L);
    struct message message = {.len = 0};
    message_add_object(&message, L);
    message_add_trace(&message, thread);
    state->raised.kind = ERR_NONE;
    (void)err_set(&state->raised, ERR_SCENARIO, "%s", message.text);
}

/* lua_pcallk runs it before the stack is unwound.  It may run for an error that never arrives: the parser calls it for
 * an overflow that `load` then catches; so a later error replaces an earlier one.  But errors in here come back to
 * here, and those must not replace their cause. */
static int message_handler(lua_State *L)
{
    struct script_state *state = state_of(L);
    if (state->describing)
        return 1;
    state->describing = true;
    lua_settop(L, 1);
    raised_write(L, L);
    object_to_text(L);
    raised_write(L, L);
    state->describing = false;
    return 1;
}

/* The error object of a coroutine (at 1), which no handler has seen, and the coroutine (at 2). */
static int body_describe(lua_State *L)
{
    lua_State *thread = lua_tothread(L, 2);
    lua_settop(L, 1);
    raised_write(L, thread);
    object_to_text(L);
    raised_write(L, thread);
    return 0;
}

/* The reason of a failure, most binding first. */
static bool door_err(struct script_state *state, int status, struct err *err)
{
    if (state->failure.kind != ERR_NONE)
        return err_set(err, state->failure.kind, "%s", state->failure.message);
    if (status == LUA_ERRMEM)
        return state_memory_err(state, state->refused_at, err);
    if (state->raised.kind != ERR_NONE)
        return err_set(err, state->raised.kind, "%s", state->raised.message);
    return err_set(err, ERR_SCENARIO, "an error %s",
                   status == LUA_ERRERR ? "while an error was handled" : "that could not be described");
}

/* The call itself: the message handler stands at `handler`, function and arguments above it.  Only results remain. */
static bool call_handled(struct script_state *state, int handler, int arguments, int results, struct err *err)
{
    lua_State *L = state->L;
    state->raised.kind = ERR_NONE;
    state->describing = false;
    int status = lua_pcallk(L, arguments, results, handler, 0, NULL);
    if (status == LUA_OK && state->failure.kind == ERR_NONE) {
        if (results > 0)
            lua_remove(L, handler);
        else
            lua_settop(L, handler - 1);
        CHECK(lua_gettop(L) == handler - 1 + results);
        return true;
    }
    lua_settop(L, handler - 1);
    return door_err(state, status, err);
}

bool call_function(struct script_state *state, int arguments, int results, struct err *err)
{
    lua_State *L = state->L;
    int function = lua_gettop(L) - arguments;
    CHECK(function >= 1 && results >= 0);
    if (!lua_checkstack(L, results + DOOR_SLOTS)) {
        lua_settop(L, function - 1);
        return err_set(err, ERR_LIMIT, "the script's stack is full");
    }
    lua_pushcfunction(L, message_handler);
    lua_insert(L, function);
    return call_handled(state, function, arguments, results, err);
}

/* As call_function does, but with everything pushed in its place: this is the way of every turn and every tool. */
bool call_body(struct script_state *state, lua_CFunction body, void *argument, struct err *err)
{
    lua_State *L = state->L;
    if (!lua_checkstack(L, DOOR_SLOTS))
        return err_set(err, ERR_LIMIT, "the script's stack is full");
    lua_pushcfunction(L, message_handler);
    lua_pushcfunction(L, body);
    lua_pushlightuserdata(L, argument);
    return call_handled(state, lua_gettop(L) - 2, 1, 0, err);
}

/* Says what ended the coroutine while its stack still stands, then runs the pending __close of that stack. */
static bool thread_failed(struct script_state *state, lua_State *thread, int status, struct err *err)
{
    lua_State *L = state->L;
    int height = lua_gettop(L);
    state->raised.kind = ERR_NONE;
    if (status > LUA_YIELD && status != LUA_ERRMEM && lua_checkstack(L, DOOR_SLOTS)) {
        lua_pushcfunction(L, body_describe);
        lua_xmove(thread, L, 1);
        lua_pushthread(thread);
        lua_xmove(thread, L, 1);
        if (lua_pcallk(L, 2, 0, 0, 0, NULL) != LUA_OK)
            lua_pop(L, 1);
    }
    if (state->failure.kind == ERR_NONE) { /* else nothing of the script may run, nor could a hook stop it */
        lua_State *previous = state_enter_thread(thread);
        lua_resetthread(thread);
        state_leave_thread(previous);
        lua_settop(thread, 0);
    }
    CHECK(lua_gettop(L) == height);
    return door_err(state, status, err);
}

enum call_resumed call_resume(struct script_state *state, lua_State *thread, int arguments, int *results,
                              struct err *err)
{
    lua_State *L = state->L;
    int height = lua_gettop(L);
    lua_State *previous = state_enter_thread(thread);
    int status = lua_resume(thread, L, arguments, results);
    state_leave_thread(previous);
    CHECK(lua_gettop(L) == height);
    bool ended = status == LUA_OK || status == LUA_YIELD;
    if (!ended || state->failure.kind != ERR_NONE) {
        (void)thread_failed(state, thread, status, err);
        *results = 0;
        return CALL_FAILED;
    }
    return status == LUA_OK ? CALL_RETURNED : CALL_YIELDED;
}

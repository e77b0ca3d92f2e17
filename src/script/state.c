#include "script/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>

#include "script/call.h"
#include "script/sandbox.h"

#define PLACE_MAX (LUA_IDSIZE + 32)
#define FAIL_TEXT_MAX 1024

/* The thread that runs now (I3).  A signal handler has no argument of its own, so this is the one mutable variable of
 * the program at file scope. */
static lua_State *volatile running;

static void hook_check(lua_State *L, lua_Debug *activation);

static bool memory_is_over(const struct script_state *state)
{
    return state->used > state->soft_limit && !state->collecting;
}

static bool must_check(const struct script_state *state)
{
    return state->failure.kind != ERR_NONE || state->interrupted || memory_is_over(state) ||
           (state->limits.max_steps > 0 && state->steps_left <= 0);
}

static int64_t step_quantum(const struct script_state *state)
{
    return state->limits.max_steps < STEP_QUANTUM ? state->limits.max_steps : STEP_QUANTUM;
}

static void arm_now(lua_State *thread)
{
    lua_sethook(thread, hook_check, LUA_MASKCOUNT, 1);
}

/* Gives a thread the hook it needs.  The question whether it must stop comes last: a signal that arrives before it is
 * seen by it, and one that arrives later finds nothing here that would undo its hook. */
static void arm(const struct script_state *state, lua_State *thread)
{
    if (state->limits.max_steps > 0) {
        int64_t quantum = step_quantum(state);
        int64_t count = state->steps_left < quantum ? state->steps_left : quantum;
        lua_sethook(thread, hook_check, LUA_MASKCOUNT, count > 0 ? (int)count : 1);
    } else {
        lua_sethook(thread, NULL, 0, 0);
    }
    if (must_check(state))
        arm_now(thread);
}

/* "file:line: " of the innermost Lua function that runs, or nothing. */
static void place_write(lua_State *L, char *place, size_t size)
{
    lua_Debug activation;
    place[0] = '\0';
    for (int level = 0; lua_getstack(L, level, &activation); level++) {
        lua_getinfo(L, "Sl", &activation);
        if (activation.currentline > 0) {
            snprintf(place, size, "%s:%d: ", activation.short_src, activation.currentline);
            return;
        }
    }
}

static _Noreturn void raise_failure(lua_State *L)
{
    arm_now(L);
    lua_pushstring(L, state_of(L)->failure.message);
    lua_error(L);
    UNREACHABLE();
}

static void size_write(char *text, size_t size, size_t bytes)
{
    static const struct {
        char unit;
        int shift;
    } units[] = {{'G', 30}, {'M', 20}, {'K', 10}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (bytes >> units[i].shift << units[i].shift == bytes && bytes > 0) {
            snprintf(text, size, "%zu%c", bytes >> units[i].shift, units[i].unit);
            return;
        }
    snprintf(text, size, "%zu", bytes);
}

bool state_memory_err(const struct script_state *state, const char *place, struct err *err)
{
    char value[32] = "";
    if (state->limits.max_memory == 0)
        return err_set(err, ERR_LIMIT, "%sthe script ran out of memory: the system has no more to give", place);
    size_write(value, sizeof value, state->limits.max_memory);
    return err_set(err, ERR_LIMIT,
                   "%sthe script ran out of memory: --max-memory %s is reached (raise it with --max-memory SIZE)",
                   place, value);
}

/* I2.  A heap that a full collection cannot bring below seven eighths of the ceiling would be collected again at once,
 * and again: it counts as too large. */
static void collect_or_fail(lua_State *L)
{
    struct script_state *state = state_of(L);
    state->collecting = true;
    lua_gc(L, LUA_GCCOLLECT);
    state->collecting = false;
    if (state->used <= state->limits.max_memory - state->limits.max_memory / 8)
        return;
    char place[PLACE_MAX];
    place_write(L, place, sizeof place);
    (void)state_memory_err(state, place, &state->failure);
    raise_failure(L);
}

static void charge_steps(lua_State *L)
{
    struct script_state *state = state_of(L);
    state->steps_left -= step_quantum(state);
    if (state->steps_left <= 0)
        state_fail(L, ERR_LIMIT, "the script used up --max-steps %lld (raise it with --max-steps N)",
                   (long long)state->limits.max_steps);
}

static void stop_if_told(lua_State *L)
{
    const struct script_state *state = state_of(L);
    if (state->failure.kind != ERR_NONE)
        raise_failure(L);
    if (state->interrupted)
        state_fail(L, ERR_LIMIT, "the script used up --max-seconds %lld (raise it with --max-seconds N)",
                   (long long)state->limits.max_seconds);
}

static void hook_check(lua_State *L, lua_Debug *activation)
{
    struct script_state *state = state_of(L);
    (void)activation;
    stop_if_told(L);
    if (memory_is_over(state))
        collect_or_fail(L);
    if (state->limits.max_steps > 0)
        charge_steps(L);
    arm(state, L);
}

/* Notes where the script asked for what it does not get, since Lua's own error has no place.  Only for a new block:
 * while Lua moves an old one, which may be its stack, its call list cannot be read. */
static void *refuse(struct script_state *state, const void *block)
{
    state->refused_at[0] = '\0';
    if (block == NULL && state->L != NULL)
        place_write(running, state->refused_at, sizeof state->refused_at);
    return NULL;
}

static void release(struct script_state *state, void *block, size_t size)
{
    if (recycler_fits(size))
        recycler_give(&state->recycler, block, size);
    else
        free(block);
}

/* A block of `size` with what stood in the old one, which is given back.  NULL, and the old one stands, when the system
 * has no more: Lua copes with that also where it shrinks. */
static void *resize(struct script_state *state, void *block, size_t old, size_t size)
{
    bool small = recycler_fits(size);
    if (block && !small && !recycler_fits(old))
        return realloc(block, size);
    if (block && recycler_same(old, size))
        return block;
    void *moved = small ? recycler_take(&state->recycler, size) : malloc(size);
    if (block && moved) {
        memcpy(moved, block, old < size ? old : size);
        release(state, block, old);
    }
    return moved;
}

/* The heap would grow past --max-memory: stops at the next instruction, and gives nothing past the slack. */
static bool may_grow(const struct script_state *state, size_t used)
{
    if (used > state->limits.max_memory + MEMORY_SLACK)
        return false;
    if (!state->collecting && state->L != NULL && lua_gethookcount(running) != 1)
        arm_now(running);
    return true;
}

static void *change(struct script_state *state, void *block, size_t old, size_t size)
{
    size_t used = state->used - old + size;
    bool over = used > state->soft_limit && size > old;
    if (size > PTRDIFF_MAX || (over && !may_grow(state, used)))
        return refuse(state, block);
    void *moved = resize(state, block, old, size);
    if (moved == NULL)
        return refuse(state, block);
    state->used = used;
    return moved;
}

/* What nearly every call asks for stands here: a new small block, or an old one to be freed.  For a new block
 * `old_size` is a type, not a size; counting it would let `used` drift. */
static void *allocate(void *user, void *block, size_t old_size, size_t size)
{
    struct script_state *state = user;
    if (size == 0) {
        if (block) {
            state->used -= old_size;
            release(state, block, old_size);
        }
        return NULL;
    }
    if (block)
        return change(state, block, old_size, size);
    void *fresh = NULL;
    if (recycler_fits(size) && state->used + size <= state->soft_limit)
        fresh = recycler_take(&state->recycler, size);
    if (!fresh)
        return change(state, NULL, 0, size);
    state->used += size;
    return fresh;
}

static int panic(lua_State *L)
{
    static const char text[] = "simagent: a Lua error outside of every protected call\n";
    (void)L;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(70);
}

static int body_install(lua_State *L)
{
    sandbox_install(L);
    return 0;
}

bool state_open(struct script_state *state, const struct script_limits *limits, uint64_t seed, struct err *err)
{
    *state = (struct script_state){.limits = *limits, .steps_left = limits->max_steps};
    state->soft_limit = limits->max_memory > 0 ? limits->max_memory : SIZE_MAX;
    rng_init(&state->random, seed, STR("math.random"));
    lua_State *L = lua_newstate(allocate, state);
    if (L == NULL) {
        recycler_empty(&state->recycler);
        return state_memory_err(state, "", err);
    }
    *(struct script_state **)lua_getextraspace(L) = state;
    lua_atpanic(L, panic);
    running = L;
    state->L = L;
    arm(state, L);
    if (call_body(state, body_install, NULL, err))
        return true;
    state_close(state);
    return false;
}

void state_close(struct script_state *state)
{
    lua_State *L = state->L;
    if (L == NULL)
        return;
    running = NULL;
    state->L = NULL;
    lua_close(L);
    CHECK(state->used == 0); /* I2 */
    recycler_empty(&state->recycler);
}

struct script_state *state_of(lua_State *L)
{
    return *(struct script_state **)lua_getextraspace(L);
}

void state_fail(lua_State *L, enum err_kind kind, const char *format, ...)
{
    char place[PLACE_MAX];
    char text[FAIL_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    place_write(L, place, sizeof place);
    (void)err_set(&state_of(L)->failure, kind, "%s%s", place, text);
    raise_failure(L);
}

void state_poll(lua_State *L)
{
    if (must_check(state_of(L)))
        stop_if_told(L);
}

void state_interrupt(int signal_number)
{
    lua_State *thread = running;
    (void)signal_number;
    if (thread == NULL)
        return;
    state_of(thread)->interrupted = 1;
    arm_now(thread);
}

lua_State *state_enter_thread(lua_State *thread)
{
    struct script_state *state = state_of(thread);
    lua_State *previous = running;
    running = thread;
    if (state->limits.max_steps > 0)
        state->steps_left -= step_quantum(state);
    arm(state, thread);
    return previous;
}

void state_leave_thread(lua_State *previous)
{
    running = previous;
    if (must_check(state_of(previous)))
        arm_now(previous);
}

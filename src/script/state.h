/* Lua state: opened with its limits, closed with everything in it; knows why a script had to stop.
 *
 * A script may catch ordinary errors, but never the reason why it must stop (memory, steps, time, or a failure that is
 * not its to handle): the first such reason is *sticky*.  Once it is set, a hook raises again at every further VM
 * instruction of every thread, so neither pcall nor coroutines nor message handlers can outlive it.
 *
 *  I1  `failure.kind` is set once and never cleared; from then on every door (script/call.h) returns it.
 *  I2  `used` is the exact sum of live Lua blocks.  It passes `max_memory` only by MEMORY_SLACK and only until the next
 *      instruction: there the hook runs a full collection and stops the script if the heap is still too large.  So the
 *      collector hardly ever runs in the middle of an instruction, where 5.4.4 has memory errors.
 *  I3  The running thread is known at any time (state_enter_thread), because a signal handler must set its hook on the
 *      thread that runs, and because a new thread inherits only its creator's hook.
 *
 * Exactly one state exists in a process that may be interrupted; unit tests may open several, one after the other.
 * This header needs no Lua header, so that other layers can hold a state.
 */
#ifndef SCRIPT_STATE_H
#define SCRIPT_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/recycler.h"
#include "base/rng.h"

struct lua_State;

#define MEMORY_SLACK ((size_t)64 << 20)
#define STEP_QUANTUM 1000 /* instructions between two firings of the counting hook */

struct script_limits {
    size_t max_memory;   /* bytes of the Lua heap; 0 = no limit */
    int64_t max_steps;   /* VM instructions; 0 = no limit */
    int64_t max_seconds; /* only named in the message: the clock is the parent's */
};

struct script_state {
    struct lua_State *L; /* the main thread */
    struct script_limits limits;
    size_t used;
    size_t soft_limit; /* of `used`: max_memory, or SIZE_MAX */
    struct recycler recycler; /* of small blocks of the heap */
    int64_t steps_left;
    bool collecting;    /* inside the hook's own full collection */
    int closing;        /* coroutine.close calls inside one another (script/sandbox_thread.c) */
    volatile sig_atomic_t interrupted; /* set by state_interrupt; so no change of thread or hook can lose a signal */
    struct err failure; /* sticky */
    struct err raised;  /* what the door's message handler saw last; only good inside one door */
    bool describing;    /* inside that handler */
    struct rng random;  /* behind math.random */
    int64_t clock_us;   /* virtual time, behind os.time and os.clock */
    bool silent;        /* print says nothing */
    size_t printed;     /* bytes given to print so far */
    char refused_at[128]; /* "file:line: " where the last new block was refused, or empty */
    int handle_references[16]; /* in the registry, of the metatable of each kind (script/handle.h) */
    void *user;         /* what the API functions need: struct session (script/session.h) */
};

/* Opens a state whose globals are exactly the sandbox (script/sandbox.h).  `seed` feeds math.random. */
MUST_USE bool state_open(struct script_state *state, const struct script_limits *limits, uint64_t seed,
                         struct err *err);
void state_close(struct script_state *state);

/* The state a thread belongs to: one load from the extra space. */
struct script_state *state_of(struct lua_State *L);

/* Sets the sticky failure, arms the hook on the running thread and raises.  The message gets the place of the Lua code
 * that is running ("file:line: ") in front. */
_Noreturn void state_fail(struct lua_State *L, enum err_kind kind, const char *format, ...) PRINTF_LIKE(3, 4);

/* Async-signal-safe: makes the running thread fail at its next instruction for having used up --max-seconds. */
void state_interrupt(int signal_number);

/* Raises if the script must stop.  For loops in C that may run long without an instruction in between. */
void state_poll(struct lua_State *L);

/* Sets `err` to the message for --max-memory, after `place` ("file:line: ", or empty where it is not known). */
bool state_memory_err(const struct script_state *state, const char *place, struct err *err);

/* Around every resume: tells which thread runs now, charges one quantum of steps, and re-arms the hook on the thread
 * that is returned to if the script must stop.  Returns the thread that ran before. */
struct lua_State *state_enter_thread(struct lua_State *thread);
void state_leave_thread(struct lua_State *previous);

#endif

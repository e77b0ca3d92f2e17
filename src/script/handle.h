/* Handle: what a scenario holds of an engine object: an opaque userdata of one of a few kinds.
 *
 * A handle has no public fields but its methods, cannot be forged or changed, and its metatable is sealed.  Kinds are
 * told apart by a mark inside, which no script can write, never by a name that one could copy.
 */
#ifndef SCRIPT_HANDLE_H
#define SCRIPT_HANDLE_H

#include <lua.h>

#include "base/err.h"

enum handle_kind {
    HANDLE_SCENARIO,  /* pointer: the session */
    HANDLE_WORKSPACE, /* pointer: struct workspace */
    HANDLE_TREE,      /* pointer: struct worktree */
    HANDLE_TOOL,      /* pointer: struct tool */
    HANDLE_MODEL,     /* pointer: struct model */
    HANDLE_FAILURE,   /* user value: the text */
    HANDLE_SIZED,     /* number: the size */
    HANDLE_REQUEST,   /* pointer: struct view; good while the model is being asked */
    HANDLE_TRANSCRIPT, /* pointer: struct view; good while its run lives */
    HANDLE_CONTEXT,   /* of a tool call */
    HANDLE_COMMAND,   /* pointer: what command_hook wants */
    HANDLE_RANDOM,    /* pointer: struct rng */
    HANDLE_AGENT,     /* of a coroutine model */
    HANDLE_KINDS
};

struct handle {
    const char *mark; /* of its kind */
    union {
        void *pointer;
        int64_t number;
    };
};

/* Makes all metatables.  Called once per state. */
void handle_install(lua_State *L);

/* Pushes a new handle; a failure has room for one user value, its text. */
struct handle *handle_push(lua_State *L, enum handle_kind kind, void *pointer);

/* The handle at `index` if it is one of this kind, else NULL. */
struct handle *handle_test(lua_State *L, int index, enum handle_kind kind);

/* The same, or an argument error that names the kind. */
struct handle *handle_check(lua_State *L, int argument, enum handle_kind kind);

/* What a kind is called in messages: "a workspace". */
const char *handle_noun(enum handle_kind kind);

#endif

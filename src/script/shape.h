/* Shape: reads a table that a scenario's author wrote, and says exactly what is wrong with it and where.
 *
 * One row per key, in one table per kind of thing, is all there is to know about the vocabulary: the reader checks
 * against the rows, the annotations for editors are tested against them, and a wrong key is answered with the nearest
 * good one.
 *
 * Everything here raises Lua errors (`FILE:LINE: PLACE: what is wrong`), so it runs inside a protected call.
 */
#ifndef SCRIPT_SHAPE_H
#define SCRIPT_SHAPE_H

#include <lua.h>

#include "base/str.h"

/* `type` is the LuaLS type of the annotation; an `unbuilt` key has its name, but no meaning in this version. */
struct field {
    const char *name;
    const char *type;
    bool unbuilt;
};

/* The name of the row that allows a first positional value: `{ "limit", default = 0 }`. */
#define FIELD_FIRST "[1]"

/* A table of the vocabulary: `class` is its name in the annotations. */
struct shape {
    const char *class;
    const struct field *fields; /* ended by a row whose name is NULL */
};

/* Where in the author's table we are: a chain of keys, the innermost last, below the call that was given the table. */
struct place {
    const struct place *outer;
    const char *where; /* outermost only: "FILE:LINE", of the sim.* call */
    int function;      /* outermost only, when `where` is NULL: a registry reference to the function whose line it is;
                        * 0: the line that called the running C function */
    struct str key;    /* of a named part */
    int64_t index;     /* of a list's part, from 1, when key.data is NULL */
};

/* The outermost place: the line that called the running C function. */
struct place place_of_caller(lua_State *L);
/* The same, looked up only for a message: for what runs at every turn. */
struct place place_of_running_call(void);
/* The outermost place of what a Lua function returned: the function's own line, looked up only for a message. */
struct place place_of_function(int reference);

/* Inline, so that the length of a literal is not counted when the program runs. */
static inline struct place place_key(const struct place *outer, const char *key)
{
    return (struct place){.outer = outer, .key = str_of(key)};
}

struct place place_str(const struct place *outer, struct str key);
struct place place_index(const struct place *outer, int64_t index);

_Noreturn void shape_fail(lua_State *L, const struct place *place, const char *format, ...) PRINTF_LIKE(3, 4);

/* Raises unless the value at `index` is a table. */
void shape_table(lua_State *L, int index, const struct place *place, const char *what);

/* Raises unless every key of the table at `index` is one of the shape's. */
void shape_check_keys(lua_State *L, int index, const struct place *place, const struct shape *shape);

/* Pushes the fields of the table at `index` (from the bottom of the stack), one per row of the shape and in its order,
 * nil where the table has none; returns the stack index of the first.  Raises as shape_check_keys does, in one pass. */
int shape_push_fields(lua_State *L, int index, const struct place *place, const struct shape *shape);

/* The same message for a wrong name anywhere: "unknown WHAT NAME; did you mean BEST?" */
_Noreturn void shape_fail_unknown(lua_State *L, const struct place *place, const char *what, struct str name,
                                  struct str best);

/* Typed readers of one field of the table at `index`.  Each returns false when the field is nil, and raises when it is
 * of another type.  Strings are copied into the arena. */
bool shape_string(lua_State *L, int index, const struct place *place, const char *key, struct arena *arena,
                  struct str *out);
bool shape_integer(lua_State *L, int index, const struct place *place, const char *key, int64_t low, int64_t high,
                   int64_t *out);
bool shape_number(lua_State *L, int index, const struct place *place, const char *key, double *out);
bool shape_boolean(lua_State *L, int index, const struct place *place, const char *key, bool *out);

/* Raises unless the table at `index` is a list 1..n without other keys; returns n. */
int64_t shape_list(lua_State *L, int index, const struct place *place, const char *what);

/* A name as a message shows it, written to `room`: at most 60 code points; a NUL, a line feed or what else cannot be
 * seen as its escape. */
struct str shape_escaped(struct str name, char *room, size_t size);

/* What a value is called in a message: "a table", "the string \"abc\"", "nil". */
const char *shape_describe(lua_State *L, int index);

/* The string at `index` as bytes that live in the arena. */
struct str shape_copy_string(lua_State *L, int index, struct arena *arena);

#endif

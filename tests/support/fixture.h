/* Fixture: what nearly every test needs: an arena, a table of names, an error, and run options over them.
 *
 * Opened and closed for each test, so that the sanitizer sees what a test leaks.  Include after cmocka.h.
 */
#ifndef SUPPORT_FIXTURE_H
#define SUPPORT_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "core/demo.h"
#include "core/sizing.h"
#include "core/workspace.h"

struct fixture {
    struct arena arena;
    struct table names;
    struct err err;
    struct sizing sizing;
};

static inline int fixture_open(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    CHECK(f);
    arena_init(&f->arena);
    table_init(&f->names, &f->arena);
    f->sizing = (struct sizing){UNIT_CHARS, SIZING_DEFAULT_RATE};
    *state = f;
    return 0;
}

static inline int fixture_close(void **state)
{
    struct fixture *f = *state;
    arena_close(&f->arena);
    free(f);
    return 0;
}

/* Forgets everything, for tests that make thousands of worlds. */
static inline void fixture_renew(struct fixture *f)
{
    arena_reset(&f->arena);
    table_init(&f->names, &f->arena);
    f->err = (struct err){0};
}

static inline struct workspace *fixture_workspace(struct fixture *f)
{
    return workspace_new(&f->arena);
}

/* The demo project, sealed. */
static inline struct workspace *fixture_demo(struct fixture *f)
{
    struct workspace *workspace = fixture_workspace(f);
    demo_fill(workspace);
    workspace_seal(workspace);
    return workspace;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, fixture_open, fixture_close)

/* Both strings are shown when they differ. */
#define assert_str(got, want) assert_str_at((got), (want), __FILE__, __LINE__)

static inline void assert_str_at(struct str got, struct str want, const char *file, int line)
{
    if (str_eq(got, want))
        return;
    print_error("got  \"%.*s\"\nwant \"%.*s\"\n", STR_ARG(got), STR_ARG(want));
    _fail(file, line);
}

static inline bool str_holds(struct str hay, struct str needle)
{
    return needle.len == 0 || (hay.len && memmem(hay.data, hay.len, needle.data, needle.len));
}

#endif

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/workspace.h"
#include "support/fixture.h"

static void files_stand_in_byte_order_and_are_found(void **state)
{
    struct fixture *f = *state;
    static const char *const added[] = {"src/b.c", "a", "src/a.c", "src-x", "Z", "a/b", "\xC3\xA9", "src"};
    static const char *const sorted[] = {"Z", "a", "a/b", "src", "src-x", "src/a.c", "src/b.c", "\xC3\xA9"};
    struct workspace *w = fixture_workspace(f);
    for (size_t i = 0; i < ARRAY_LEN(added); i++)
        workspace_add(w, str_of(added[i]), str_of(added[i]));
    workspace_seal(w);
    assert_int_equal(w->count, ARRAY_LEN(sorted));
    for (size_t i = 0; i < ARRAY_LEN(sorted); i++) {
        assert_str(w->files[i].path, str_of(sorted[i]));
        assert_ptr_equal(workspace_find(w, str_of(sorted[i])), &w->files[i]);
        assert_str(w->files[i].body, str_of(sorted[i]));
    }
    assert_null(workspace_find(w, STR("src/")));
    assert_null(workspace_find(w, STR("")));
    assert_null(workspace_find(w, STR("z")));
}

static void an_empty_workspace_has_nothing(void **state)
{
    struct fixture *f = *state;
    struct workspace *w = fixture_workspace(f);
    workspace_seal(w);
    assert_int_equal(w->count, 0);
    assert_int_equal(w->bytes, 0);
    assert_null(workspace_find(w, STR("a")));
}

static void many_files_are_found_whatever_the_order_of_adding(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 8, STR("workspace"));
    struct workspace *w = fixture_workspace(f);
    int64_t bytes = 0;
    for (int i = 0; i < 3000; i++) {
        struct str path = str_printf(&f->arena, "%03d/%d", (int)rng_between(&rng, 0, 99), i);
        workspace_add_listed(w, path, i);
        bytes += i;
    }
    workspace_seal(w);
    assert_int_equal(w->bytes, bytes);
    for (uint32_t i = 0; i < w->count; i++) {
        assert_ptr_equal(workspace_find(w, w->files[i].path), &w->files[i]);
        assert_true(i == 0 || str_cmp(w->files[i - 1].path, w->files[i].path) < 0);
    }
}

struct fake_source {
    uint32_t reads;
    bool broken;
};

static bool fake_read(void *self, const struct workspace_file *file, struct arena *arena, struct str *body,
                      struct err *err)
{
    struct fake_source *source = self;
    source->reads++;
    if (source->broken)
        return err_set(err, ERR_IO, "disk gone");
    *body = str_printf(arena, "body of %.*s", STR_ARG(file->path));
    return true;
}

static void a_listed_body_is_read_once_when_asked_for(void **state)
{
    struct fixture *f = *state;
    struct fake_source source = {0};
    struct workspace *w = fixture_workspace(f);
    w->source = (struct workspace_source){fake_read, &source};
    workspace_add_listed(w, STR("x"), 9);
    workspace_add(w, STR("y"), STR("here"));
    workspace_seal(w);
    assert_int_equal(source.reads, 0);
    struct workspace_file *x = workspace_find(w, STR("x"));
    assert_true(workspace_read(w, x, &f->err));
    const char *bytes = x->body.data;
    assert_str(x->body, STR("body of x"));
    assert_true(workspace_read(w, x, &f->err));
    assert_ptr_equal(bytes, x->body.data); /* I2 */
    assert_true(workspace_read(w, workspace_find(w, STR("y")), &f->err));
    assert_int_equal(source.reads, 1);
}

static void a_failed_read_may_be_tried_again(void **state)
{
    struct fixture *f = *state;
    struct fake_source source = {.broken = true};
    struct workspace *w = fixture_workspace(f);
    w->source = (struct workspace_source){fake_read, &source};
    workspace_add_listed(w, STR("x"), 9);
    workspace_seal(w);
    struct workspace_file *x = workspace_find(w, STR("x"));
    assert_false(workspace_read(w, x, &f->err));
    assert_string_equal(f->err.message, "disk gone");
    assert_false(x->has_body);
    source.broken = false;
    f->err = (struct err){0};
    assert_true(workspace_read(w, x, &f->err));
}

static void the_demo_has_its_six_files(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *path;
        int64_t bytes;
    } rows[] = {
        {"README.md", 733},      {"pyproject.toml", 382},  {"src/loader.py", 1027},
        {"src/parser.py", 1532}, {"src/pipeline.py", 976}, {"tests/test_pipeline.py", 990},
    };
    struct workspace *w = fixture_demo(f);
    assert_int_equal(w->count, ARRAY_LEN(rows));
    assert_int_equal(w->bytes, 5640);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct workspace_file *file = &w->files[i];
        assert_str(file->path, str_of(rows[i].path));
        assert_int_equal(file->bytes, rows[i].bytes);
        assert_int_equal(file->body.len, rows[i].bytes);
        assert_int_equal(file->body.data[file->body.len - 1], '\n');
        assert_int_equal(sizing_of(&f->sizing, file->body), rows[i].bytes); /* ASCII */
        assert_null(memchr(file->body.data, '\0', file->body.len));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(files_stand_in_byte_order_and_are_found),
        TEST(an_empty_workspace_has_nothing),
        TEST(many_files_are_found_whatever_the_order_of_adding),
        TEST(a_listed_body_is_read_once_when_asked_for),
        TEST(a_failed_read_may_be_tried_again),
        TEST(the_demo_has_its_six_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "core/record.h"
#include "core/worktree.h"
#include "support/fixture.h"

static const struct record parent, child;

static struct workspace *three_files(struct fixture *f)
{
    struct workspace *workspace = fixture_workspace(f);
    workspace_add(workspace, STR("b"), STR("bee"));
    workspace_add(workspace, STR("a"), STR("h\xC3\xA9"));
    workspace_add(workspace, STR("c/d"), STR(""));
    workspace_seal(workspace);
    return workspace;
}

/* The body at a step, or "(none)". */
static struct str body_at(struct fixture *f, struct worktree *tree, const char *path, uint32_t step)
{
    struct version version;
    bool failed;
    bool found = worktree_read_at(tree, str_of(path), step, &version, &failed, &f->err);
    assert_false(failed);
    return found ? version.body : STR("(none)");
}

static struct str body_now(struct fixture *f, struct worktree *tree, const char *path)
{
    struct version version;
    bool failed;
    bool found = worktree_read(tree, str_of(path), NULL, &version, &failed, &f->err);
    assert_false(failed);
    return found ? version.body : STR("(none)");
}

static void assert_listing(struct worktree *tree, const char *const *want, size_t count)
{
    uint32_t listed;
    const struct str *paths = worktree_list(tree, &listed);
    assert_int_equal(listed, count);
    for (size_t i = 0; i < count; i++)
        assert_str(paths[i], str_of(want[i]));
}

static void a_tree_begins_as_its_workspace(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, three_files(f));
    assert_listing(tree, (const char *const[]){"a", "b", "c/d"}, 3);
    assert_str(body_now(f, tree, "b"), STR("bee"));
    assert_str(body_now(f, tree, "c"), STR("(none)"));
    assert_int_equal(worktree_bytes(tree, STR("a")), 3);
    assert_int_equal(worktree_bytes(tree, STR("c/d")), 0);
    assert_int_equal(worktree_bytes(tree, STR("x")), -1);
    struct worktree *empty = worktree_new(&f->arena, NULL);
    assert_listing(empty, NULL, 0);
    assert_str(body_now(f, empty, "a"), STR("(none)"));
    assert_int_equal(worktree_bytes(empty, STR("a")), -1);
    uint32_t count;
    worktree_changes(tree, &parent, &f->arena, &count);
    assert_int_equal(count, 0);
}

static void past_states_stay(void **state)
{
    struct fixture *f = *state;
    struct workspace *workspace = three_files(f);
    struct worktree *tree = worktree_new(&f->arena, workspace);
    worktree_write(tree, STR("b"), STR("1"), &parent);   /* step 1 */
    worktree_write(tree, STR("new"), STR("2"), &child);  /* 2 */
    worktree_remove(tree, STR("b"), &parent);            /* 3 */
    worktree_write(tree, STR("b"), STR("4"), &child);    /* 4 */
    worktree_remove(tree, STR("a"), &child);             /* 5 */
    assert_int_equal(tree->step, 5);
    static const struct {
        const char *path;
        const char *bodies[6];
    } rows[] = {
        {"a", {"h\xC3\xA9", "h\xC3\xA9", "h\xC3\xA9", "h\xC3\xA9", "h\xC3\xA9", "(none)"}},
        {"b", {"bee", "1", "1", "(none)", "4", "4"}},
        {"new", {"(none)", "(none)", "2", "2", "2", "2"}},
        {"c/d", {"", "", "", "", "", ""}},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (uint32_t step = 0; step <= 5; step++)
            assert_str(body_at(f, tree, rows[i].path, step), str_of(rows[i].bodies[step]));
        assert_str(body_now(f, tree, rows[i].path), str_of(rows[i].bodies[5]));
    }
    assert_listing(tree, (const char *const[]){"b", "c/d", "new"}, 3);
    assert_str(workspace_find(workspace, STR("b"))->body, STR("bee")); /* nobody's to write to */
    assert_int_equal(workspace->count, 3);
    assert_str(body_now(f, worktree_new(&f->arena, workspace), "a"), STR("h\xC3\xA9"));
}

static void changes_are_known_by_run(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, three_files(f));
    worktree_write(tree, STR("z"), STR("12"), &parent);     /* step 1 */
    worktree_write(tree, STR("b"), STR("child"), &child);   /* 2 */
    worktree_write(tree, STR("z"), STR("123456"), &child);  /* 3 */
    worktree_write(tree, STR("z"), STR("1234"), &parent);   /* 4 */
    worktree_remove(tree, STR("a"), &parent);               /* 5 */
    static const struct {
        const struct record *run;
        struct change change;
    } rows[] = {
        {&parent, {{"a", 1}, 1, 3, -1, 4, 5}},
        {&parent, {{"z", 1}, 2, -1, 4, 0, 4}}, /* over the child's version between its own */
        {&child, {{"b", 1}, 1, 3, 5, 1, 2}},
        {&child, {{"z", 1}, 1, 2, 6, 2, 3}},
    };
    uint32_t counts[2], next = 0;
    struct change *changes[] = {worktree_changes(tree, &parent, &f->arena, &counts[0]),
                                worktree_changes(tree, &child, &f->arena, &counts[1])};
    for (size_t run = 0; run < 2; run++) {
        assert_int_equal(counts[run], 2);
        for (uint32_t i = 0; i < counts[run]; i++, next++) {
            const struct change *got = &changes[run][i], *want = &rows[next].change;
            assert_str(got->path, want->path);
            assert_int_equal(got->versions, want->versions);
            assert_int_equal(got->bytes_before, want->bytes_before);
            assert_int_equal(got->bytes_after, want->bytes_after);
            assert_int_equal(got->step_before, want->step_before);
            assert_int_equal(got->step_after, want->step_after);
        }
    }
}

static void a_version_is_measured_once(void **state)
{
    struct fixture *f = *state;
    struct worktree *tree = worktree_new(&f->arena, three_files(f));
    struct version version;
    bool failed;
    worktree_write(tree, STR("b"), STR("\xC3\xA9\xC3\xA9"), &parent);
    static const char *const paths[] = {"a", "b"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(worktree_read(tree, str_of(paths[i % 2]), &f->sizing, &version, &failed, &f->err));
        assert_int_equal(version.size, 2);
    }
    assert_true(worktree_read(tree, STR("c/d"), NULL, &version, &failed, &f->err));
    assert_int_equal(version.size, -1);
}

/* --- a listed file whose body comes from elsewhere --- */

struct source {
    uint32_t reads;
    bool broken;
};

static bool read_source(void *self, const struct workspace_file *file, struct arena *arena, struct str *body,
                        struct err *err)
{
    struct source *source = self;
    source->reads++;
    *body = str_printf(arena, "of %.*s", STR_ARG(file->path));
    return source->broken ? err_set(err, ERR_IO, "no disk") : true;
}

static void bodies_are_read_only_when_asked_for(void **state)
{
    struct fixture *f = *state;
    struct source source = {0};
    struct workspace *workspace = fixture_workspace(f);
    workspace->source = (struct workspace_source){read_source, &source};
    workspace_add_listed(workspace, STR("a"), 4);
    workspace_add_listed(workspace, STR("b"), 4);
    workspace_seal(workspace);
    struct worktree *tree = worktree_new(&f->arena, workspace);
    uint32_t count;
    worktree_write(tree, STR("a"), STR("new body"), &parent);
    worktree_remove(tree, STR("b"), &parent);
    assert_int_equal(worktree_bytes(tree, STR("a")), 8);
    const struct change *changes = worktree_changes(tree, &parent, &f->arena, &count);
    assert_int_equal(changes[0].bytes_before, 4);
    assert_listing(tree, (const char *const[]){"a"}, 1);
    assert_int_equal(source.reads, 0);
    assert_str(body_at(f, tree, "b", 1), STR("of b"));
    assert_str(body_at(f, tree, "b", 0), STR("of b"));
    assert_int_equal(source.reads, 1);
    source.broken = true;
    struct version version;
    bool failed;
    assert_false(worktree_read_at(tree, STR("a"), 0, &version, &failed, &f->err));
    assert_true(failed);
    assert_string_equal(f->err.message, "no disk");
    assert_false(worktree_read(tree, STR("gone"), NULL, &version, &failed, &f->err));
    assert_false(failed); /* no file is no failure */
}

/* --- the model: all states of all files, kept one by one --- */

#define NAMES 8
#define STEPS 60

struct model {
    struct str body[STEPS + 1][NAMES]; /* without data: not there */
    const struct record *writer[STEPS + 1];
    size_t written[STEPS + 1];
    uint32_t step;
};

static const char *const names[NAMES] = {"a", "a/b", "a-b", "b", "B", "c/d/e", "z", "\xC3\xA9"};

static void model_take_step(struct model *model, size_t name, struct str body, const struct record *writer)
{
    memcpy(model->body[model->step + 1], model->body[model->step], sizeof model->body[0]);
    model->step++;
    model->body[model->step][name] = body;
    model->writer[model->step] = writer;
    model->written[model->step] = name;
}

static void random_step(struct fixture *f, struct rng *rng, struct model *model, struct worktree *tree)
{
    size_t name = (size_t)rng_between(rng, 0, NAMES - 1);
    const struct record *writer = rng_between(rng, 0, 1) ? &parent : &child;
    if (model->body[model->step][name].data && rng_between(rng, 0, 2) == 0) {
        worktree_remove(tree, str_of(names[name]), writer);
        model_take_step(model, name, (struct str){0}, writer);
        return;
    }
    struct str body = str_printf(&f->arena, "%*d", (int)rng_between(rng, 0, 9), (int)model->step);
    worktree_write(tree, str_of(names[name]), body, writer);
    model_take_step(model, name, body, writer);
}

static void assert_states(struct fixture *f, const struct model *model, struct worktree *tree)
{
    for (uint32_t step = 0; step <= model->step; step++) {
        for (size_t name = 0; name < NAMES; name++) {
            struct str want = model->body[step][name];
            assert_str(body_at(f, tree, names[name], step), want.data ? want : STR("(none)"));
        }
    }
    size_t there = 0;
    for (size_t name = 0; name < NAMES; name++) {
        struct str want = model->body[model->step][name];
        there += want.data != NULL;
        assert_str(body_now(f, tree, names[name]), want.data ? want : STR("(none)"));
        assert_int_equal(worktree_bytes(tree, str_of(names[name])), want.data ? (int64_t)want.len : -1);
    }
    uint32_t listed;
    const struct str *paths = worktree_list(tree, &listed);
    assert_int_equal(listed, there);
    for (uint32_t i = 0; i < listed; i++) {
        assert_true(i == 0 || str_cmp(paths[i - 1], paths[i]) < 0);
        assert_true(worktree_bytes(tree, paths[i]) >= 0);
    }
}

static int64_t bytes_of(struct str body)
{
    return body.data ? (int64_t)body.len : -1;
}

static void assert_change(const struct model *model, const struct change *change, const struct record *run)
{
    uint32_t first = 0, last = 0, versions = 0;
    size_t name = 0;
    while (!str_eq(change->path, str_of(names[name])))
        name++;
    for (uint32_t step = 1; step <= model->step; step++) {
        if (model->written[step] != name || model->writer[step] != run)
            continue;
        first = first ? first : step;
        last = step;
        versions++;
    }
    assert_true(versions > 0);
    assert_int_equal(change->versions, versions);
    assert_int_equal(change->bytes_before, bytes_of(model->body[first - 1][name]));
    assert_int_equal(change->bytes_after, bytes_of(model->body[last][name]));
    assert_int_equal(bytes_of(model->body[change->step_before][name]), change->bytes_before);
    assert_int_equal(bytes_of(model->body[change->step_after][name]), change->bytes_after);
}

static void assert_changes(struct fixture *f, const struct model *model, struct worktree *tree,
                           const struct record *run)
{
    bool wrote[NAMES] = {false};
    uint32_t want = 0, count;
    for (uint32_t step = 1; step <= model->step; step++) {
        want += model->writer[step] == run && !wrote[model->written[step]];
        wrote[model->written[step]] |= model->writer[step] == run;
    }
    const struct change *changes = worktree_changes(tree, run, &f->arena, &count);
    assert_int_equal(count, want);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || str_cmp(changes[i - 1].path, changes[i].path) < 0);
        assert_change(model, &changes[i], run);
    }
}

static void random_steps_agree_with_the_model(void **state)
{
    struct fixture *f = *state;
    struct rng rng;
    rng_init(&rng, 9, STR("worktree"));
    for (int round = 0; round < 60; round++) {
        fixture_renew(f);
        struct model *model = arena_new(&f->arena, struct model);
        struct workspace *workspace = fixture_workspace(f);
        for (size_t name = 0; name < NAMES; name++) {
            if (rng_between(&rng, 0, 1) == 0)
                continue;
            model->body[0][name] = str_of(names[name]);
            workspace_add(workspace, str_of(names[name]), str_of(names[name]));
        }
        workspace_seal(workspace);
        struct worktree *tree = worktree_new(&f->arena, workspace);
        while (model->step < STEPS) {
            random_step(f, &rng, model, tree);
            if (rng_between(&rng, 0, 4) == 0)
                assert_states(f, model, tree);
        }
        assert_states(f, model, tree);
        assert_changes(f, model, tree, &parent);
        assert_changes(f, model, tree, &child);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tree_begins_as_its_workspace),
        TEST(past_states_stay),
        TEST(changes_are_known_by_run),
        TEST(a_version_is_measured_once),
        TEST(bodies_are_read_only_when_asked_for),
        TEST(random_steps_agree_with_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

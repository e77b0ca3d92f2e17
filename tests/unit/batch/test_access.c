/* Access: the table of what may be read and what not, over a folder made for each test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/value.h"
#include "batch/access.h"

/* The world of each test, below a fresh folder that becomes the current one. */
static const char *const made_folders[] = {"scenarios",      "scenarios/data",  "scenarios/data/deep", "scenarios/lib",
                                           "scenarios/pack", "repo",            "repo/sub",            "repo-evil",
                                           "allowed",        "allowed/below",   "secret",              "path1",
                                           "path2"};
static const char *const made_files[] = {"scenarios/x.lua",        "scenarios/util.lua", "scenarios/lib/a-b_1.lua",
                                         "scenarios/pack/init.lua", "scenarios/data/a.txt",
                                         "scenarios/data/deep/b.txt", "repo/r.txt",       "repo/sub/s.txt",
                                         "repo-evil/e.txt",        "allowed/below/f.txt", "secret/key.lua",
                                         "path1/util.lua",         "path1/one.lua",      "path2/one.lua",
                                         "path2/two.lua"};
static const char *const made_links[][2] = {
    {"../secret", "scenarios/data/out"},         {"../nothing", "scenarios/dangling"},
    {"../secret", "scenarios/secret"},           {"data", "scenarios/data_link"},
    {"../secret/key.lua", "scenarios/stolen.lua"}, {"../../secret/key.lua", "scenarios/data/key.txt"},
};

struct world {
    char start[4096];
    char folder[64];
    struct arena arena;
    struct access access;
    struct value_builder declared;
};

static int open_world(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    assert_non_null(getcwd(w->start, sizeof w->start));
    strcpy(w->folder, "/tmp/simagent_access_XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    assert_int_equal(chdir(w->folder), 0);
    for (size_t i = 0; i < ARRAY_LEN(made_folders); i++) {
        assert_int_equal(mkdir(made_folders[i], 0700), 0);
    }
    for (size_t i = 0; i < ARRAY_LEN(made_files); i++) {
        FILE *file = fopen(made_files[i], "w");
        fprintf(file, "return \"%s\"", made_files[i]);
        fclose(file);
    }
    for (size_t i = 0; i < ARRAY_LEN(made_links); i++) {
        assert_int_equal(symlink(made_links[i][0], made_links[i][1]), 0);
    }
    arena_init(&w->arena);
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    char command[128];
    access_close(&w->access);
    arena_close(&w->arena);
    assert_int_equal(chdir(w->start), 0);
    snprintf(command, sizeof command, "rm -rf %s", w->folder);
    assert_int_equal(system(command), 0);
    free(w);
    return 0;
}

/* [{"name":"repo","type":"dir"},{"name":"other_dir","type":"dir"},{"name":"text","type":"string"}] */
static void declare(struct world *w)
{
    static const char *const rows[][2] = {{"repo", "dir"}, {"other_dir", "dir"}, {"text", "string"}};
    value_builder_init(&w->declared, &w->arena, NULL);
    struct feed *f = &w->declared.feed;
    feed_begin_array(f);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        feed_begin_object(f);
        feed_put_str(f, STR("name"), str_of(rows[i][0]));
        feed_put_str(f, STR("type"), str_of(rows[i][1]));
        feed_end(f);
    }
    feed_end(f);
    access_declare(&w->access, &w->declared.result);
}

static void open_access(struct world *w, const char *scenario, const struct access_given *given, size_t given_count,
                        const struct str *allow, size_t allow_count)
{
    struct access_setup setup = {
        .scenario = str_of(scenario),
        .given = given,
        .given_count = given_count,
        .allow_read = allow,
        .allow_read_count = allow_count,
    };
    access_close(&w->access);
    access_init(&w->access, &setup);
    declare(w);
}

enum verdict { READS, REFUSED, FAILS };

/* path, what is given on the command line, the verdict; for READS the number of files, for FAILS part of the
 * message. */
static const struct rule_row {
    const char *path;
    const char *given_name; /* NULL: nothing */
    const char *given_value;
    const char *allow; /* NULL: nothing */
    enum verdict verdict;
    size_t files;
    const char *message;
} rule_rows[] = {
    /* the scenario's own folder, from which relative paths count */
    {"data", NULL, NULL, NULL, READS, 2, NULL},
    {"data/deep", NULL, NULL, NULL, READS, 1, NULL},
    {"data/", NULL, NULL, NULL, READS, 2, NULL},
    {"./data", NULL, NULL, NULL, READS, 2, NULL},
    {"data/../data", NULL, NULL, NULL, READS, 2, NULL},
    {".", NULL, NULL, NULL, READS, 6, NULL}, /* links are not followed, and counted */
    {"data_link", NULL, NULL, NULL, READS, 2, NULL}, /* a link that stays inside is fine */
    {"../scenarios/data", NULL, NULL, NULL, READS, 2, NULL},
    /* out of it */
    {"..", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"../secret", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"data/../../secret", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"secret", NULL, NULL, NULL, REFUSED, 0, NULL},   /* a link to the outside */
    {"data/out", NULL, NULL, NULL, REFUSED, 0, NULL}, /* a link to that link */
    {"dangling", NULL, NULL, NULL, FAILS, 0, "No such file"},
    {"/", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"/etc", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"/proc/self", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"/tmp", NULL, NULL, NULL, REFUSED, 0, NULL},
    /* whether a folder outside is there cannot be found out */
    {"/no/such/folder", NULL, NULL, NULL, REFUSED, 0, NULL},
    {"../no_such_folder", NULL, NULL, NULL, REFUSED, 0, NULL},
    /* inside, it is told */
    {"missing", NULL, NULL, NULL, FAILS, 0, "cannot read the folder scenarios/missing: No such file"},
    {"x.lua", NULL, NULL, NULL, FAILS, 0, "is not a folder"},
    {"", NULL, NULL, NULL, FAILS, 0, "1 to 4096 bytes"},
    /* a dir option counts from the current folder */
    {"repo", "repo", "repo", NULL, READS, 2, NULL},
    {"repo", "repo", "repo/", NULL, READS, 2, NULL},
    {"repo/sub", "repo", "repo", NULL, READS, 1, NULL},
    {"repo/sub/..", "repo", "repo", NULL, READS, 2, NULL},
    {"./repo", "repo", "./repo", NULL, READS, 2, NULL},
    {"repo", "other-dir", "repo", NULL, READS, 2, NULL}, /* `-` is `_` */
    {"repo", NULL, NULL, NULL, FAILS, 0, "cannot read the folder scenarios/repo"},
    {"repo-evil", "repo", "repo", NULL, FAILS, 0, "the folder scenarios/repo-evil"}, /* only a prefix */
    {"../repo-evil", "repo", "repo", NULL, REFUSED, 0, NULL},
    {"repo/../repo-evil", "repo", "repo", NULL, REFUSED, 0, NULL},
    {"repo/../secret", "repo", "repo", NULL, REFUSED, 0, NULL},
    {"repo", "text", "repo", NULL, FAILS, 0, "cannot read the folder scenarios/repo"}, /* of another type */
    {"repo", "unknown", "repo", NULL, FAILS, 0, "cannot read the folder scenarios/repo"},
    {"nowhere", "repo", "nowhere", NULL, FAILS, 0, "cannot read the folder nowhere: No such file"},
    {"../repo/sub", "repo", "repo", NULL, READS, 1, NULL}, /* by another name, but inside a root */
    /* --allow-read */
    {"../allowed", NULL, NULL, "allowed", READS, 1, NULL},
    {"../allowed/below", NULL, NULL, "allowed", READS, 1, NULL},
    {"../allowed", NULL, NULL, "allowed/below", REFUSED, 0, NULL},
    {"../secret", NULL, NULL, "allowed", REFUSED, 0, NULL},
    {"secret", NULL, NULL, "secret", READS, 1, NULL}, /* the link leads to what is allowed */
    {"../allowed", NULL, NULL, "", REFUSED, 0, NULL}, /* an empty one allows nothing */
};

static void check_rule(struct world *w, const struct rule_row *row)
{
    struct access_given given = {str_of(row->given_name ? row->given_name : ""),
                                 str_of(row->given_value ? row->given_value : "")};
    struct str allow = str_of(row->allow ? row->allow : "");
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    uint64_t handle;
    open_access(w, "scenarios/x.lua", &given, row->given_name ? 1 : 0, &allow, row->allow ? 1 : 0);
    bool good = access_list(&w->access, str_of(row->path), &options, &w->arena, &handle, &listing, &err);
    char refusal[256];
    snprintf(refusal, sizeof refusal,
             "may not read %s: it is outside the scenario's own folder (allow it with --allow-read DIR)", row->path);
    bool as_wanted = row->verdict == READS     ? good && listing.count == row->files
                     : row->verdict == REFUSED ? !good && err.kind == ERR_SCENARIO && !strcmp(err.message, refusal)
                                               : !good && strstr(err.message, row->message);
    if (!as_wanted) {
        fail_msg("'%s' given '%s' allowed '%s': %s, %zu files, '%s'", row->path, given.value.data, allow.data,
                 good ? "reads" : "fails", good ? listing.count : 0, err.message);
    }
}

static void test_rules(void **state)
{
    for (size_t i = 0; i < ARRAY_LEN(rule_rows); i++) {
        check_rule(*state, &rule_rows[i]);
    }
}

/* The same with every path absolute, as a user may write it. */
static void test_absolute(void **state)
{
    struct world *w = *state;
    char scenario[128];
    char inside[128];
    char outside[128];
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    uint64_t handle;
    snprintf(scenario, sizeof scenario, "%s/scenarios/x.lua", w->folder);
    snprintf(inside, sizeof inside, "%s/scenarios/data", w->folder);
    snprintf(outside, sizeof outside, "%s/scenarios-evil", w->folder);
    assert_int_equal(mkdir("scenarios-evil", 0700), 0);
    open_access(w, scenario, NULL, 0, NULL, 0);
    assert_true(access_list(&w->access, str_of(inside), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(listing.count, 2);
    assert_true(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(handle, 1);
    assert_false(access_list(&w->access, str_of(outside), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(err.kind, ERR_SCENARIO);
}

/* A bundled scenario has no folder: only what the user gave can be read. */
static void test_bundled(void **state)
{
    struct world *w = *state;
    struct access_given given = {STR("repo"), STR("repo")};
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    uint64_t handle;
    open_access(w, "", &given, 1, NULL, 0);
    assert_true(access_list(&w->access, STR("repo"), &options, &w->arena, &handle, &listing, &err));
    assert_false(access_list(&w->access, STR("scenarios"), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(err.kind, ERR_SCENARIO);
    err.kind = ERR_NONE;
    assert_false(access_list(&w->access, STR("."), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(err.kind, ERR_SCENARIO);
}

/* Bodies come from the folder that was listed, whatever its name leads to by now, and through no link. */
static void test_bodies(void **state)
{
    struct world *w = *state;
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    struct str body;
    uint64_t handle;
    open_access(w, "scenarios/x.lua", NULL, 0, NULL, 0);
    assert_true(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(listing.skipped_link, 2);
    assert_true(str_eq(listing.files[0].path, STR("a.txt")));
    int64_t bytes = listing.files[0].bytes;
    assert_int_equal(rename("scenarios/data", "scenarios/moved"), 0);
    assert_int_equal(symlink("../secret", "scenarios/data"), 0);
    assert_true(access_body(&w->access, handle, STR("a.txt"), bytes, &w->arena, &body, &err));
    assert_true(str_eq(body, STR("return \"scenarios/data/a.txt\"")));

    assert_true(access_body(&w->access, handle, STR("a.txt"), 6, &w->arena, &body, &err));
    assert_true(str_eq(body, STR("return"))); /* it has grown since: what was listed */

    static const struct {
        uint64_t handle;
        const char *path;
        int64_t bytes;
        enum err_kind kind;
    } rows[] = {
        {0, "a.txt", 99, ERR_IO},                 /* it has become shorter */
        {0, "../x.lua", 10, ERR_IO},              /* out of the folder */
        {0, "key.txt", 25, ERR_IO},               /* a link */
        {0, "out/key.lua", 25, ERR_IO},           /* below a link */
        {0, "/etc/passwd", 10, ERR_IO},
        {0, "none.txt", 10, ERR_IO},
        {0, "", 10, ERR_IO},
        {0, "a.txt", -1, ERR_INTERNAL},
        {1, "a.txt", 28, ERR_INTERNAL},           /* no such listing */
        {UINT64_MAX, "a.txt", 28, ERR_INTERNAL},
        {0, "a.txt", INT64_MAX, ERR_LIMIT},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        err.kind = ERR_NONE;
        struct str path = str_of(rows[i].path);
        assert_false(access_body(&w->access, rows[i].handle, path, rows[i].bytes, &w->arena, &body, &err));
        assert_int_equal(err.kind, rows[i].kind);
    }
}

/* name, scenario as given, SIMAGENT_PATH, the path shown or NULL, the file that is read or part of the message */
static const struct module_row {
    const char *name;
    const char *scenario;
    const char *search_path;
    const char *shown;
    const char *read;
} module_rows[] = {
    {"util", "scenarios/x.lua", "", "scenarios/util.lua", "scenarios/util.lua"},
    {"util", "scenarios/x.lua", "path1", "scenarios/util.lua", "scenarios/util.lua"}, /* the own folder first */
    {"util", "./scenarios/x.lua", "", "./scenarios/util.lua", "scenarios/util.lua"},
    {"lib.a-b_1", "scenarios/x.lua", "", "scenarios/lib/a-b_1.lua", "scenarios/lib/a-b_1.lua"},
    {"pack", "scenarios/x.lua", "", "scenarios/pack/init.lua", "scenarios/pack/init.lua"},
    {"one", "scenarios/x.lua", "path1:path2", "path1/one.lua", "path1/one.lua"},
    {"one", "scenarios/x.lua", ":path2::path1:", "path2/one.lua", "path2/one.lua"},
    {"two", "scenarios/x.lua", "nowhere:path1:path2", "path2/two.lua", "path2/two.lua"},
    {"util", "", "path1", "path1/util.lua", "path1/util.lua"}, /* bundled */
    {"scenarios.util", "x.lua", "", "scenarios/util.lua", "scenarios/util.lua"},
    {"none", "scenarios/x.lua", "", NULL,
     "module 'none' not found: looked for none.lua and none/init.lua in the scenario's folder"},
    {"a.b", "scenarios/x.lua", "path1", NULL,
     "looked for a/b.lua and a/b/init.lua in the scenario's folder and those of SIMAGENT_PATH"},
    {"util", "", "", NULL, "in the folders of SIMAGENT_PATH"},
    {"stolen", "scenarios/x.lua", "", NULL, "symbolic link"}, /* a link to the outside */
    {"secret.key", "scenarios/x.lua", "", NULL, "symbolic link"},
    {"../secret/key", "scenarios/x.lua", "", NULL, "bad module name '../secret/key'"},
    {"..secret.key", "scenarios/x.lua", "", NULL, "bad module name"},
    {"/etc/passwd", "scenarios/x.lua", "", NULL, "bad module name"},
    {"", "scenarios/x.lua", "", NULL, "bad module name"},
    {".", "scenarios/x.lua", "", NULL, "bad module name"},
    {"util.", "scenarios/x.lua", "", NULL, "bad module name"},
    {".util", "scenarios/x.lua", "", NULL, "bad module name"},
    {"lib..x", "scenarios/x.lua", "", NULL, "bad module name"},
    {"ut il", "scenarios/x.lua", "", NULL, "bad module name"},
    {"\xc3\xbctil", "scenarios/x.lua", "", NULL, "bad module name"},
};

static void test_modules(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < ARRAY_LEN(module_rows); i++) {
        const struct module_row *row = &module_rows[i];
        struct err err = {.kind = ERR_NONE};
        struct access_setup setup = {.scenario = str_of(row->scenario), .search_path = str_of(row->search_path)};
        struct str shown = STR("");
        struct str source = STR("");
        char body[128];
        access_init(&w->access, &setup);
        bool good = access_module(&w->access, str_of(row->name), &w->arena, &shown, &source, &err);
        snprintf(body, sizeof body, "return \"%s\"", row->read);
        bool as_wanted = row->shown ? good && str_eq(shown, str_of(row->shown)) && str_eq(source, str_of(body))
                                    : !good && strstr(err.message, row->read) && !strstr(err.message, w->folder);
        if (!as_wanted) {
            fail_msg("row %zu (%s): shown '%.*s', message '%s'", i, row->name, STR_ARG(shown), err.message);
        }
    }
}

/* An absolute folder of SIMAGENT_PATH is not shown: messages must be the same on every machine. */
static void test_module_absolute_path(void **state)
{
    struct world *w = *state;
    char path[128];
    struct err err = {.kind = ERR_NONE};
    struct str shown;
    struct str source;
    snprintf(path, sizeof path, "%s/path2", w->folder);
    struct access_setup setup = {.scenario = STR("scenarios/x.lua"), .search_path = str_of(path)};
    access_init(&w->access, &setup);
    assert_true(access_module(&w->access, STR("two"), &w->arena, &shown, &source, &err));
    assert_true(str_eq(shown, STR("two.lua")));
    char name[300];
    memset(name, 'a', sizeof name);
    assert_false(access_module(&w->access, (struct str){name, sizeof name}, &w->arena, &shown, &source, &err));
}

static void test_module_size(void **state)
{
    struct world *w = *state;
    struct access_setup setup = {.scenario = STR("scenarios/x.lua")};
    access_init(&w->access, &setup);
    for (int extra = 0; extra <= 1; extra++) {
        struct err err = {.kind = ERR_NONE};
        struct str shown;
        struct str source;
        assert_int_equal(truncate("scenarios/util.lua", (off_t)ACCESS_MODULE_BYTES + extra), 0);
        assert_int_equal(access_module(&w->access, STR("util"), &w->arena, &shown, &source, &err), extra == 0);
    }
}

static void test_limits(void **state)
{
    struct world *w = *state;
    struct str bad = STR("[");
    struct dirwalk_options options = {.include = &bad, .include_count = 1};
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    uint64_t handle;
    open_access(w, "scenarios/x.lua", NULL, 0, NULL, 0);
    assert_false(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
    options = (struct dirwalk_options){.max_file_bytes = -1};
    err.kind = ERR_NONE;
    assert_false(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
    options.max_file_bytes = 0;
    for (uint64_t i = 0; i < ACCESS_FOLDERS; i++) {
        err.kind = ERR_NONE;
        assert_true(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
        assert_int_equal(handle, i);
    }
    assert_false(access_list(&w->access, STR("data"), &options, &w->arena, &handle, &listing, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
}

#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_rules),   WORLD_TEST(test_absolute),             WORLD_TEST(test_bundled),
        WORLD_TEST(test_bodies),  WORLD_TEST(test_modules),              WORLD_TEST(test_module_absolute_path),
        WORLD_TEST(test_module_size), WORLD_TEST(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Describe and locate: what a scenario takes, and what a word means. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/utf8.h"
#include "cli/describe.h"
#include "cli/locate.h"
#include "report/page.h"
#include "support/rendered.h"
#include "support/tell_json.h"

struct row {
    const char *description;
    const char *want;
};

static const struct row rows[] = {
    {"{\"name\":\"repo_scan\",\"description\":\"Read every file.\",\"options\":["
     "{\"name\":\"repo\",\"type\":\"dir\",\"help\":\"a directory\",\"default\":null},"
     "{\"name\":\"limit\",\"type\":\"integer\",\"help\":\"only the first N files\",\"default\":0,\"min\":0,\"max\":9},"
     "{\"name\":\"mode\",\"type\":\"enum\",\"default\":\"fast\",\"values\":[\"fast\",\"slow\"]}],"
     "\"variants\":[\"one\",\"two\"]}",
     "repo_scan\nRead every file.\n\nUsage\nsimagent 'my scan.lua' [--OPTION VALUE]...\n\n"
     "Options ('simagent --help' has those that every scenario takes)\n"
     "--repo   a directory [dir]\n"
     "--limit  only the first N files [integer from 0 to 9, default 0]\n"
     "--mode   [one of fast, slow, default fast]\n\n"
     "Variants (the first is the baseline unless the scenario says otherwise)\none\ntwo\n"},
    /* nothing is taken for granted */
    {"{\"name\":7,\"options\":\"none\",\"variants\":[1,\"a\\nb\"]}",
     "my scan.lua\n\nUsage\nsimagent 'my scan.lua'\n\n"
     "Options ('simagent --help' has those that every scenario takes)\nIt declares no options.\n\n"
     "Variants (the first is the baseline unless the scenario says otherwise)\na\\nb\n"},
    {"[]",
     "my scan.lua\n\nUsage\nsimagent 'my scan.lua'\n\n"
     "Options ('simagent --help' has those that every scenario takes)\nIt declares no options.\n\n"
     "Variants (the first is the baseline unless the scenario says otherwise)\n"},
    {"{\"name\":\"\\u001b[1m\",\"options\":[{\"name\":\"a\\rb\",\"type\":{},\"help\":\"\xFF\",\"default\":[1]},7]}",
     "\\x1B[1m\n\nUsage\nsimagent 'my scan.lua' [--OPTION VALUE]...\n\n"
     "Options ('simagent --help' has those that every scenario takes)\n"
     "--a\\x0Db  \\xFF [, default [1]]\n--        []\n\n"
     "Variants (the first is the baseline unless the scenario says otherwise)\n"},
};

static void test_describe(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct sink sink;
        struct value_builder builder;
        int fd = memfd_create("describe", MFD_CLOEXEC);
        arena_init(&arena);
        sink_open(&sink, fd);
        value_builder_init(&builder, &arena, NULL);
        tell_json(rows[i].description, &builder.feed);
        struct page page = {.sink = &sink, .arena = &arena, .columns = 80};
        describe_print(&page, &builder.result, STR("my scan.lua"));
        assert_true(sink_close(&sink));
        struct str got = rendered_bytes(&arena, fd);
        if (!str_eq(got, str_of(rows[i].want))) {
            fail_msg("%.*s\nis not\n%s", (int)got.len, got.data, rows[i].want);
        }
        close(fd);
        arena_close(&arena);
    }
}

struct word_row {
    const char *word;
    bool is_file;
};

static const struct word_row word_rows[] = {
    {"s.lua", true}, {".lua", true},  {"a/b", true},     {"./run", true}, {"/", true},
    {"run", false},  {"", false},     {"s.luac", false}, {"lua", false},  {"s.LUA", false},
};

static void test_is_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(word_rows); i++) {
        assert_int_equal(locate_is_file(str_of(word_rows[i].word)), word_rows[i].is_file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_describe), cmocka_unit_test(test_is_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reproduce: the command, read back, means the same. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "cli/opt.h"
#include "cli/reproduce.h"

struct row {
    const char *words[10]; /* the scenario first */
    const char *want;
};

static const struct row rows[] = {
    {{"repo_scan"}, "simagent repo_scan --seed 0"},
    {{"a b.lua", "--limit", "5"}, "simagent 'a b.lua' --limit 5 --seed 0"},
    {{"s.lua", "--limit", "-5"}, "simagent s.lua --limit=-5 --seed 0"},
    {{"s.lua", "--limit", ""}, "simagent s.lua --limit '' --seed 0"},
    {{"s.lua", "--fast", "--seed", "-7"}, "simagent s.lua --fast --seed -7"},
    {{"s.lua", "--set", "who=it's me"}, "simagent s.lua --who 'it'\\''s me' --seed 0"},
    {{"s.lua", "--unit", "tokens", "--allow-read", "/x y"},
     "simagent s.lua --allow-read '/x y' --unit tokens --seed 0"},
    /* what does not change the report is left out */
    {{"s.lua", "--json", "-o", "f", "--quiet", "--max-seconds", "9"}, "simagent s.lua --seed 0"},
    {{"s.lua", "--x", "a\033[1mb"}, "simagent s.lua --x $'a\\033[1mb' --seed 0"},
    {{"--", "-s.lua"}, "simagent ./-s.lua --seed 0"},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct arena arena;
        struct opt_values values;
        struct err err = {0};
        int count = 0;
        char *words[ARRAY_LEN(rows[i].words)] = {0};
        arena_init(&arena);
        for (; rows[i].words[count] != NULL; count++) {
            words[count] = (char *)(uintptr_t)rows[i].words[count];
        }
        assert_true(opt_parse(&arena, count, words, &values, &err));
        struct str got = reproduce_command(&arena, &values, values.words.items[0]);
        if (!str_eq(got, str_of(rows[i].want))) {
            fail_msg("'%.*s' is not '%s'", (int)got.len, got.data, rows[i].want);
        }
        arena_close(&arena);
    }
}

/* Asks a shell what the quoted word is. */
static size_t read_back(struct arena *arena, struct str quoted, char *out, size_t size)
{
    char path[] = "/tmp/simagent-test-XXXXXX";
    int fd = mkstemp(path);
    struct str script = str_printf(arena, "printf %%s %.*s", (int)quoted.len, quoted.data);
    assert_true(fd >= 0 && write(fd, script.data, script.len) == (ssize_t)script.len);
    close(fd);
    FILE *shell = popen(str_z(arena, str_printf(arena, "LC_ALL=C bash %s", path)), "r");
    assert_non_null(shell);
    size_t length = fread(out, 1, size, shell);
    pclose(shell);
    unlink(path);
    return length;
}

static const struct str quoted_words[] = {
    {"", 0},
    {"plain", 5},
    {"$HOME `id` \"x\" \\ !*?", 20},
    {"it's", 4},
    {"tab\tlf\ncr\r", 10},
    {"\x01\x1F\x7F\xC2\x80\xFF\xE2\x80\xAE'\\7", 12}, /* an octal escape before a digit */
    {"日本語 ü", 12},
    {"~a", 2},
};

static void test_shell(void **state)
{
    (void)state;
    if (access("/bin/bash", X_OK) != 0) {
        skip();
    }
    for (size_t i = 0; i < ARRAY_LEN(quoted_words); i++) {
        struct arena arena;
        struct strbuf quoted;
        char back[256];
        arena_init(&arena);
        strbuf_init(&quoted, &arena, 4096);
        reproduce_quote(&quoted, quoted_words[i]);
        size_t length = read_back(&arena, strbuf_str(&quoted), back, sizeof back);
        if (!str_eq(quoted_words[i], (struct str){.data = back, .len = length})) {
            fail_msg("%.*s was read as '%.*s'", (int)quoted.len, quoted.data, (int)length, back);
        }
        struct strbuf safe;
        strbuf_init(&safe, &arena, 4096);
        utf8_escape(&safe, strbuf_str(&quoted), true);
        assert_true(str_eq(strbuf_str(&safe), strbuf_str(&quoted)));
        arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_shell)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

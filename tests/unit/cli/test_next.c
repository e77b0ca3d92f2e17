/* Next: which command goes on from a run. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/next.h"
#include "cli/opt.h"

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void leads_on(void **state)
{
    static const struct {
        const char *scenario;
        bool ok;
        const char *command; /* how it begins; "": there is none */
        size_t options;
        const char *unit;
        int64_t seed;
    } rows[] = {
        {"repo_scan", true, "simagent init ", 0, "", 0}, /* a bundled one needs no golden of yours */
        {"a.lua", true, "simagent test a.lua    ", 0, "", 0},
        {"./a.lua", true, "simagent test ./a.lua    ", 0, "", 0},
        {"b.lua", true, "simagent test b.lua --update    ", 0, "", 0}, /* it has none yet */
        {"sub/c.lua", true, "simagent test sub/c.lua    ", 0, "", 0},
        {"it's.lua", true, "simagent test 'it'\\''s.lua' --update    ", 0, "", 0},
        {"a.lua", false, "simagent a.lua --log    ", 0, "", 0},
        /* the test would run the scenario's own options, unit and seed */
        {"a.lua", true, "", 1, "", 0},
        {"a.lua", true, "", 0, "bytes", 0},
        {"b.lua", true, "", 0, "", 7},
        {"a.lua", false, "simagent a.lua --children 9 --unit bytes --seed 7 --log    ", 1, "bytes", 7},
        {"repo_scan", true, "simagent init ", 1, "", 7},
    };
    struct arena arena;
    char folder[] = "/tmp/simagent-next-XXXXXX";
    (void)state;
    arena_init(&arena);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("golden", 0755) | mkdir("sub", 0755) | mkdir("sub/golden", 0755), 0);
    make_file("golden/a.json");
    make_file("sub/golden/c.json");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct job_option option = {.name = STR("children"), .value = STR("9")};
        struct opt_values values = {
            .options = &option, .option_count = rows[i].options, .unit = str_of(rows[i].unit), .seed = rows[i].seed};
        struct str command = next_command(&arena, &values, str_of(rows[i].scenario), rows[i].ok);
        if (!str_starts(command, str_of(rows[i].command)) || (command.len > 0) != (rows[i].command[0] != '\0')) {
            fail_msg("%s: %.*s", rows[i].scenario, STR_ARG(command));
        }
    }
    arena_close(&arena);
    assert_int_equal(unlink("golden/a.json") | unlink("sub/golden/c.json") | rmdir("sub/golden") | rmdir("sub") |
                         rmdir("golden") | rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leads_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

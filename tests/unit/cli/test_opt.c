/* Options: what each command line means, and why the wrong ones are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "cli/opt.h"
#include "cli/opt_table.h"

#define WORDS_MAX 32

/* Splits at spaces; `_` alone stands for an empty word. */
static int split(char *line, char *argv[WORDS_MAX])
{
    int argc = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = strcmp(word, "_") == 0 ? word + 1 : word;
    }
    return argc;
}

static bool parse(struct arena *arena, const char *line, struct opt_values *values, struct err *err)
{
    char *argv[WORDS_MAX];
    int argc = split((char *)(uintptr_t)str_z(arena, str_of(line)), argv);
    return opt_parse(arena, argc, argv, values, err);
}

static void add_text(struct strbuf *out, const char *name, struct str value)
{
    if (value.data != NULL && value.len > 0) {
        strbuf_addf(out, " %s=%.*s", name, STR_ARG(value));
    }
}

/* Everything that is not at its default, in a fixed order. */
static struct str dump(struct arena *arena, const struct opt_values *v)
{
    struct strbuf out;
    strbuf_init(&out, arena, 65536);
    for (size_t i = 0; i < v->words.count; i++) {
        strbuf_addf(&out, " %.*s", STR_ARG(v->words.items[i]));
    }
    for (size_t i = 0; i < v->option_count; i++) {
        struct str value = v->options[i].value;
        strbuf_addf(&out, " [%.*s%s%.*s]", STR_ARG(v->options[i].name), value.data != NULL ? "=" : "", STR_ARG(value));
    }
    if (!str_eq(v->format, STR("text"))) {
        add_text(&out, "format", v->format);
    }
    add_text(&out, "output", v->output);
    add_text(&out, "trace", v->trace);
    add_text(&out, "unit", v->unit);
    for (size_t i = 0; i < v->allow_read.count; i++) {
        add_text(&out, "allow_read", v->allow_read.items[i]);
    }
    const struct {
        const char *name;
        const struct str_list *list;
    } lists[] = {{"update", &v->update.names}, {"tolerance", &v->tolerances}, {"ratchet", &v->ratchets},
                 {"report", &v->reports}};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        for (size_t k = 0; k < lists[i].list->count; k++) {
            add_text(&out, lists[i].name, lists[i].list->items[k]);
        }
    }
    const struct {
        const char *name;
        int64_t value;
        int64_t preset;
    } numbers[] = {
        {"seed", v->seed, 0},
        {"seconds", v->max_seconds, 60},
        {"memory", v->max_memory, 268435456},
        {"steps", v->max_steps, 0},
        {"jobs", v->jobs, 0},
        {"update_given", v->update.given, 0},
        {"review", v->review, 0},
        {"require_sandbox", v->require_sandbox, 0},
        {"log", v->log, 0},
        {"quiet", v->quiet, 0},
        {"no_color", v->no_color, 0},
        {"help", v->help, 0},
        {"version", v->version, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        if (numbers[i].value != numbers[i].preset) {
            strbuf_addf(&out, " %s=%" PRId64, numbers[i].name, numbers[i].value);
        }
    }
    struct str text = strbuf_str(&out);
    return text.len > 0 ? str_slice(text, 1, text.len) : text;
}

struct good_row {
    const char *line;
    const char *want;
};

static const struct good_row good_rows[] = {
    {"", ""},
    {"s.lua", "s.lua"},
    {"run s.lua", "run s.lua"},
    {"s.lua --limit 5", "s.lua [limit=5]"},
    {"s.lua --limit=5", "s.lua [limit=5]"},
    {"s.lua --limit=", "s.lua [limit=]"},
    {"s.lua --limit _", "s.lua [limit=]"},              /* an empty word is a value */
    {"s.lua --limit -5", "s.lua [limit=-5]"},           /* a number, not a flag */
    {"s.lua --ratio -.5", "s.lua [ratio=-.5]"},
    {"s.lua --file -", "s.lua [file=-]"},
    {"s.lua --fast", "s.lua [fast]"},                   /* alone */
    {"s.lua --fast --limit 5", "s.lua [fast] [limit=5]"},
    {"s.lua --fast -q", "s.lua [fast] quiet=1"},        /* a flag is no value */
    {"s.lua --a=b=c", "s.lua [a=b=c]"},
    {"s.lua --set limit=5 --set a=b=c", "s.lua [limit=5] [a=b=c]"},
    {"s.lua --set=limit=", "s.lua [limit=]"},
    {"s.lua --b 1 --set a=2 --b 3", "s.lua [b=1] [a=2] [b=3]"}, /* order and repetition are kept */
    {"--limit 5 s.lua", "s.lua [limit=5]"},
    {"s.lua --see 5", "s.lua [see=5]"},                 /* no abbreviations: not --seed */
    {"s.lua --JSON", "s.lua [JSON]"},                   /* names are exact */
    {"s.lua --json", "s.lua format=json"},
    {"s.lua --format json", "s.lua format=json"},
    {"s.lua --json --format text", "s.lua"},            /* the last one wins */
    {"s.lua -o out", "s.lua output=out"},
    {"s.lua -oout", "s.lua output=out"},
    {"s.lua --output=out --output other", "s.lua output=other"},
    {"s.lua -o -", "s.lua output=-"},
    {"s.lua --trace t.jsonl", "s.lua trace=t.jsonl"},
    {"s.lua --seed -3", "s.lua seed=-3"},
    {"s.lua --seed 9223372036854775807", "s.lua seed=9223372036854775807"},
    {"s.lua --unit tokens", "s.lua unit=tokens"},
    {"s.lua --max-seconds 2 --max-steps 1000", "s.lua seconds=2 steps=1000"},
    {"s.lua --max-memory 512M", "s.lua memory=536870912"},
    {"s.lua --max-memory 4g", "s.lua memory=4294967296"},
    {"s.lua --max-memory=1", "s.lua memory=1"},
    {"s.lua --allow-read a --allow-read=b", "s.lua allow_read=a allow_read=b"},
    {"s.lua --require-sandbox --log --quiet --no-color", "s.lua require_sandbox=1 log=1 quiet=1 no_color=1"},
    {"-h", "help=1"},
    {"--help --version", "help=1 version=1"},
    {"-- -s.lua --json", "-s.lua --json"},              /* after -- all are words */
    {"-", "-"},
    /* flags of one command: known after its name, and options of scenarios anywhere else */
    {"test --jobs 4", "test jobs=4"},
    {"test -j8 s", "test s jobs=8"},
    {"test --update s", "test s update_given=1"},       /* takes no word */
    {"test --update=a --update=b", "test update=a update=b update_given=1"},
    {"test --review --tolerance p=1% --tolerance=q=2", "test tolerance=p=1% tolerance=q=2 review=1"},
    {"test --ratchet p --report junit=f", "test ratchet=p report=junit=f"},
    {"s.lua --jobs 4", "s.lua [jobs=4]"},
    {"run s.lua --update x", "run s.lua [update=x]"},
    {"--jobs 4 test", "test [jobs=4]"},
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good_rows); i++) {
        struct arena arena;
        struct opt_values values;
        struct err err = {0};
        arena_init(&arena);
        if (!parse(&arena, good_rows[i].line, &values, &err)) {
            fail_msg("'%s': %s", good_rows[i].line, err.message);
        }
        struct str got = dump(&arena, &values);
        if (!str_eq(got, str_of(good_rows[i].want))) {
            fail_msg("'%s' means '%.*s', not '%s'", good_rows[i].line, (int)got.len, got.data, good_rows[i].want);
        }
        arena_close(&arena);
    }
}

struct bad_row {
    const char *line;
    const char *message;
};

static const struct bad_row bad_rows[] = {
    {"-x s.lua", "unknown flag '-x'"},
    {"-json s.lua", "unknown flag '-json' (did you mean --json?)"},
    {"-qx", "unknown flag '-qx'"},
    {"--", NULL},
    {"--=5", "'--=5' names no option"},
    {"s.lua --seed", "--seed needs a value: --seed N"},
    {"s.lua -o", "--output needs a value: --output FILE"},
    {"s.lua --seed --json", "--seed needs a value: --seed N"},
    {"s.lua --seed 1x", "--seed: '1x' is not a whole number"},
    {"s.lua --seed 9223372036854775808", "--seed: 9223372036854775808 is out of range"},
    {"s.lua --seed 1.0", "--seed: '1.0' is not a whole number"},
    {"s.lua --seed _", "--seed: '' is not a whole number"},
    {"s.lua --max-seconds 0", "--max-seconds: '0' is not a whole number from 1"},
    {"s.lua --max-seconds -1", "--max-seconds: '-1' is not a whole number from 1"},
    {"s.lua --max-steps 0", "--max-steps: '0' is not a whole number from 1"},
    {"s.lua --max-memory 0K", "--max-memory: '0K' is not a size such as 512M or 4G"},
    {"s.lua --max-memory 4T", "--max-memory: '4T' is not a size such as 512M or 4G"},
    {"s.lua --max-memory G", "--max-memory: 'G' is not a size such as 512M or 4G"},
    {"s.lua --max-memory 9999999999G", "--max-memory: '9999999999G' is not a size such as 512M or 4G"},
    {"s.lua --format yaml", "--format: unknown format 'yaml' (there are text, json, md, csv)"},
    {"s.lua --format jsn", "--format: unknown format 'jsn' (did you mean json?)"},
    {"s.lua --format _", "--format: unknown format '' (there are text, json, md, csv)"},
    {"s.lua --unit words", "--unit: unknown unit 'words' (chars, bytes or tokens)"},
    {"s.lua --json=1", "--json takes no value"},
    {"s.lua --quiet=", "--quiet takes no value"},
    {"s.lua --max-seconds=-99999999999999999999", "--max-seconds: -99999999999999999999 is out of range"},
    {"s.lua --set json=1", "--set: --json is a flag of its own and cannot be set; give --json"},
    {"s.lua --set max_seconds=1", "--set: --max-seconds is a flag of its own and cannot be set; give --max-seconds N"},
    {"s.lua --output=", "--output: the path is empty"},
    {"s.lua --allow-read _", "--allow-read: the path is empty"},
    {"s.lua --set limit", "--set: 'limit' is not NAME=VALUE"},
    {"s.lua --set =5", "--set: '=5' is not NAME=VALUE"},
    {"s.lua --trace -", "--trace: stdout carries the report; give a file"},
    {"s.lua --trace a -o a", "--output and --trace name the same file 'a'"},
    {"s.lua --allow-exec=1", "--allow-exec takes no value"},
};

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad_rows); i++) {
        struct arena arena;
        struct opt_values values;
        struct err err = {0};
        arena_init(&arena);
        bool fine = parse(&arena, bad_rows[i].line, &values, &err);
        if (fine != (bad_rows[i].message == NULL)) {
            fail_msg("'%s' was %s", bad_rows[i].line, fine ? "taken" : err.message);
        }
        if (!fine) {
            assert_int_equal(err.kind, ERR_USAGE);
            assert_string_equal(err.message, bad_rows[i].message);
        }
        arena_close(&arena);
    }
}

/* A scenario option before the scenario may have taken it for its value; then it is known which did. */
static void test_swallowed(void **state)
{
    (void)state;
    struct arena arena;
    struct opt_values values;
    struct err err = {0};
    arena_init(&arena);
    assert_true(parse(&arena, "--fast s.lua", &values, &err));
    assert_int_equal(values.words.count, 0);
    assert_true(str_eq(values.swallower, STR("fast")));
    assert_true(str_eq(values.swallowed, STR("s.lua")));
    arena_close(&arena);
}

/* Every row of the table but the refused ones stands in the help, and no line is wider than a terminal. */
static void test_help(void **state)
{
    (void)state;
    struct arena arena;
    struct strbuf help;
    arena_init(&arena);
    strbuf_init(&help, &arena, 65536);
    opt_help(&help);
    strbuf_addc(&help, '\0');
    for (const struct opt_row *row = opt_rows; row->name != NULL; row++) {
        const char *flag = str_z(&arena, str_printf(&arena, "--%s%s%s", row->name, row->word != NULL ? " " : "",
                                                    row->word != NULL ? row->word : ""));
        const char *at = strstr(help.data, flag);
        assert_non_null(at);
        assert_non_null(row->help);
    }
    size_t from = 0;
    for (size_t i = 0; i < help.len; i++) {
        if (help.data[i] == '\n') {
            assert_true(i - from <= 80);
            from = i + 1;
        }
    }
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_swallowed),
        cmocka_unit_test(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

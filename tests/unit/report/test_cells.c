/* Cells: numbers and names as people read them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "report/cells.h"

static void check(struct str got, const char *want)
{
    if (!str_eq(got, str_of(want))) {
        fail_msg("'%.*s' is not '%s'", (int)got.len, got.data, want);
    }
}

struct integer_row {
    int64_t number;
    const char *text;
    const char *count;
};

static const struct integer_row integer_rows[] = {
    {0, "0", "0 turns"},
    {1, "1", "1 turn"},
    {-1, "−1", "−1 turns"},
    {999, "999", "999 turns"},
    {1000, "1,000", "1,000 turns"},
    {-123456, "−123,456", "−123,456 turns"},
    {1234567, "1,234,567", "1,234,567 turns"},
    {INT64_MAX, "9,223,372,036,854,775,807", "9,223,372,036,854,775,807 turns"},
    {INT64_MIN, "−9,223,372,036,854,775,808", "−9,223,372,036,854,775,808 turns"},
};

static void test_integers(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < ARRAY_LEN(integer_rows); i++) {
        check(cells_integer(arena, integer_rows[i].number), integer_rows[i].text);
        check(cells_count(arena, integer_rows[i].number, "turn"), integer_rows[i].count);
    }
}

struct real_row {
    double number;
    const char *percent;
    const char *change; /* of a saving */
    const char *decimal;
};

static const struct real_row real_rows[] = {
    {0, "0.0 %", "0.0 %", "0.00"},
    {-0.0, "0.0 %", "0.0 %", "0.00"},
    {0.9303385416666666, "93.0 %", "−93.0 %", "0.93"},
    {1.020718302011043, "102.1 %", "−102.1 %", "1.02"},
    {-0.25, "−25.0 %", "+25.0 %", "−0.25"},
    {0.0001, "< 0.1 %", "> −0.1 %", "0.00"}, /* neither nothing nor all is said of what is not quite that */
    {-0.0001, "> −0.1 %", "< +0.1 %", "0.00"},
    {0.0006, "0.1 %", "−0.1 %", "0.00"},
    {0.9994, "99.9 %", "−99.9 %", "1.00"},
    {0.9997, "> 99.9 %", "< −99.9 %", "1.00"},
    {-0.9997, "< −99.9 %", "> +99.9 %", "−1.00"},
    {1, "100.0 %", "−100.0 %", "1.00"},
    {1.0003, "> 100.0 %", "< −100.0 %", "1.00"},
    {3.2130533854166665, "321.3 %", "−321.3 %", "3.21"},
    {12345.678, "1,234,567.8 %", "−1,234,567.8 %", "12,345.68"},
    {-1e300, "−1e+302 %", "+1e+302 %", "−1e+300"},
    {1.7976931348623157e308, "1.8e+310 %", "−1.8e+310 %", "1.8e+308"},
};

static void test_reals(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < ARRAY_LEN(real_rows); i++) {
        check(cells_percent(arena, real_rows[i].number), real_rows[i].percent);
        check(cells_change(arena, real_rows[i].number), real_rows[i].change);
        check(cells_decimal(arena, real_rows[i].number, 2, ""), real_rows[i].decimal);
    }
    check(cells_decimal(arena, 2500, 2, "×"), "2,500.00×");
}

struct amount_row {
    int64_t amount; /* picodollars or microseconds */
    const char *text;
};

static const struct amount_row usd_rows[] = {
    {0, "$0"},
    {1, "$0.000000000001"},
    {-1234, "−$0.000000001234"},
    {12345, "$0.00000001235"},             /* half a unit is rounded up */
    {27281250000, "$0.02728"},
    {99999999999, "$0.10000"},               /* rounding may add a digit */
    {585900000000, "$0.5859"},
    {1000000000000, "$1.000"},
    {1234567000000, "$1.235"},
    {12345678000000, "$12.35"},
    {1234567890000000, "$1,234.57"},
    {INT64_MAX, "$9,223,372.04"},
    {INT64_MIN, "−$9,223,372.04"},
};

static void test_usd(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < ARRAY_LEN(usd_rows); i++) {
        check(cells_usd(arena, usd_rows[i].amount), usd_rows[i].text);
    }
}

static const struct amount_row duration_rows[] = {
    {0, "0 s"},
    {1, "1 µs"},
    {999, "999 µs"},
    {1000, "1 ms"},
    {1234, "1.23 ms"},
    {12340, "12.3 ms"},
    {800000, "800 ms"},
    {999499, "999 ms"},
    {999500, "1 s"},                         /* not 1000 ms */
    {-14200000, "−14.2 s"},
    {48000000, "48 s"},
    {59949999, "59.9 s"},
    {59950000, "1m 0s"},                     /* not 60 s */
    {70000000, "1m 10s"},
    {3599500000, "1h 0m 0s"},
    {100000000000, "27h 46m 40s"},
    {INT64_MAX, "2,562,047,788h 0m 55s"},
    {INT64_MIN, "−2,562,047,788h 0m 55s"},
};

static void test_durations(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < ARRAY_LEN(duration_rows); i++) {
        check(cells_duration(arena, duration_rows[i].amount), duration_rows[i].text);
    }
}

struct text_row {
    const char *raw;
    size_t columns;
    const char *text;
    const char *name;
};

static const struct text_row text_rows[] = {
    {"monolithic", 10, "monolithic", "monolithic"}, /* just fits */
    {"monolithic", 9, "monolith…", "mono…thic"},
    {"monolithic", 5, "mono…", "mo…ic"},
    {"monolithic", 3, "mo…", "mo…"},
    {"a\nb", 8, "a\\nb", "a\\nb"}, /* one line */
    {"a\033[1m", 20, "a\\x1B[1m", "a\\x1B[1m"},
    {"日本語の名前", 7, "日本語…", "日…前"}, /* two columns each: never half of one */
    {"", 5, "", ""},
};

static void test_texts(void **state)
{
    struct arena *arena = *state;
    for (size_t i = 0; i < ARRAY_LEN(text_rows); i++) {
        struct str raw = str_of(text_rows[i].raw);
        check(cells_text(arena, raw, text_rows[i].columns), text_rows[i].text);
        check(cells_name(arena, raw, text_rows[i].columns), text_rows[i].name);
    }
}

/* For any bytes: never wider than asked, and the same when it fits. */
static void test_widths(void **state)
{
    struct arena *arena = *state;
    static const char pieces[][5] = {"a", "é", "日", "\xFF", "\033", "e\xCC\x81", "-", "\xE2\x80\xAE"};
    for (size_t seed = 0; seed < 2000; seed++) {
        char raw[128] = "";
        size_t noise = seed * 2654435761u + 12345;
        for (size_t i = 0; i < seed % 20; i++, noise = noise * 1103515245u + 12345) {
            strcat(raw, pieces[(noise >> 16) % ARRAY_LEN(pieces)]);
        }
        size_t columns = 1 + seed % 23;
        struct str text = cells_text(arena, str_of(raw), columns);
        struct str name = cells_name(arena, str_of(raw), columns);
        struct str whole = cells_text(arena, str_of(raw), 1000);
        assert_true(utf8_columns(text) <= columns);
        assert_true(utf8_columns(name) <= columns);
        if (utf8_columns(whole) <= columns) {
            assert_true(str_eq(text, whole));
            assert_true(str_eq(name, whole));
        }
    }
}

static int set_up(void **state)
{
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int tear_down(void **state)
{
    arena_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_integers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_usd, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_durations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_widths, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/price_table.h"

#define NONE PRICE_MISSING
#define USD(millionths) INT64_C(millionths) /* of a USD per million tokens = picodollars a token */

static void usd_is_accepted_when_it_is_whole_picodollars(void **state)
{
    (void)state;
    static const struct {
        double usd;
        int64_t picodollars; /* NONE = refused */
    } rows[] = {
        {0, 0},
        {-0.0, 0},
        {0.1, 100000},           /* no double is a tenth, but the nearest one is told so */
        {0.30, 300000},
        {3.75, 3750000},
        {0.003625, 3625},
        {0.000001, 1},           /* the smallest price */
        {0.0000005, NONE},       /* half of it: rounds to one, which is another price */
        {0.0000015, NONE},
        {1e-7, NONE},            /* rounds to nothing */
        {5e-324, NONE},
        {0.1 + 0.2, NONE},       /* not 0.3 */
        {1.0 / 3, NONE},
        {999999.999999, INT64_C(999999999999)},
        {1e6, INT64_C(1000000000000)}, /* the largest price */
        {1e6 + 1, NONE},
        {1e300, NONE},
        {-0.000001, NONE},
        {-3, NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t found = -7;
        bool accepted = price_from_usd(rows[i].usd, &found);
        assert_int_equal(accepted, rows[i].picodollars != NONE);
        assert_int_equal(found, accepted ? rows[i].picodollars : -7);
    }
    int64_t kept = -7;
    assert_false(price_from_usd((double)NAN, &kept));
    assert_false(price_from_usd((double)INFINITY, &kept));
    assert_false(price_from_usd(-(double)INFINITY, &kept));
    assert_false(price_from_usd(nextafter(1e6, 2e6), &kept));
    assert_false(price_from_usd(nextafter(3.75, 4), &kept));
    assert_int_equal(kept, -7);
}

/* Law: every number of picodollars is told by exactly the double nearest to its decimals. */
static void every_decimal_of_six_places_is_exact(void **state)
{
    (void)state;
    for (int64_t picodollars = 0; picodollars <= INT64_C(1000000000000); picodollars += picodollars / 997 + 1) {
        char text[40];
        snprintf(text, sizeof text, "%lld.%06lld", (long long)(picodollars / 1000000),
                 (long long)(picodollars % 1000000));
        int64_t found = NONE;
        assert_true(price_from_usd(strtod(text, NULL), &found));
        assert_int_equal(found, picodollars);
    }
}

static void assert_rates(struct rates found, struct rates expected)
{
    assert_int_equal(found.input, expected.input);
    assert_int_equal(found.output, expected.output);
    assert_int_equal(found.cache_read, expected.cache_read);
    assert_int_equal(found.cache_write_5m, expected.cache_write_5m);
    assert_int_equal(found.cache_write_1h, expected.cache_write_1h);
}

static void a_large_context_is_priced_whole_by_the_upper_rates(void **state)
{
    (void)state;
    struct price price = {{3, 15, NONE, 4, 6}, 200, {6, NONE, 1, NONE, NONE}, NONE};
    struct rates above = {6, 15, 1, 4, 6}; /* what is missing above is the base's */
    assert_rates(price_rates(&price, 0), price.base);
    assert_rates(price_rates(&price, 200), price.base); /* met, not passed */
    assert_rates(price_rates(&price, 201), above);
    price.above_tokens = NONE;
    assert_rates(price_rates(&price, INT64_MAX), price.base);
    price.above_tokens = 0;
    assert_rates(price_rates(&price, 0), price.base);
    assert_rates(price_rates(&price, 1), above);
}

/* Figures copied by hand from the sources that src/core/prices.tsv names. */
static void known_models_have_their_list_prices(void **state)
{
    (void)state;
    static const struct {
        const char *model, *date;
        int64_t context;
        struct rates rates;
        int64_t cache_min_tokens;
    } rows[] = {
        {"claude-sonnet-4-5", "", 200000, {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, 1024},
        {"claude-sonnet-4-5", "", 200001,
         {USD(6000000), USD(22500000), USD(600000), USD(7500000), USD(12000000)}, 1024},
        /* the name with its version's date, and the one with a dot */
        {"claude-sonnet-4-5-20250929", "2026-01-01", 1,
         {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, 1024},
        {"claude-sonnet-4.5", "", 1, {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, 1024},
        /* the long-context tier ended on a day */
        {"claude-opus-4-6", "2026-03-12", 200001,
         {USD(10000000), USD(37500000), USD(1000000), USD(12500000), USD(20000000)}, 4096},
        {"claude-opus-4-6", "2026-03-13", 200001,
         {USD(5000000), USD(25000000), USD(500000), USD(6250000), USD(10000000)}, 4096},
        {"claude-sonnet-4-6", "2026-03-12", 900000,
         {USD(6000000), USD(22500000), USD(600000), USD(7500000), USD(12000000)}, 1024},
        {"claude-sonnet-4-6", "2026-03-13", 900000,
         {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, 1024},
        {"claude-sonnet-4-6", "", 900000, {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, 1024},
        /* the price fell, the price of cache reads did not */
        {"o3", "2025-06-09", 1, {USD(10000000), USD(40000000), USD(500000), NONE, NONE}, 1024},
        {"o3", "2025-06-10", 1, {USD(2000000), USD(8000000), USD(500000), NONE, NONE}, 1024},
        {"o3-2025-04-16", "2025-06-09", 1, {USD(10000000), USD(40000000), USD(500000), NONE, NONE}, 1024},
        /* a write of 3.75, not the 0.3 of another table */
        {"claude-3-sonnet", "", 1, {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, NONE},
        {"claude-3-sonnet-20240229", "", 1,
         {USD(3000000), USD(15000000), USD(300000), USD(3750000), USD(6000000)}, NONE},
        /* reads that are no tenth of the input */
        {"claude-fable-5-1", "", 1, {USD(10000000), USD(50000000), USD(250000), USD(12500000), USD(20000000)}, NONE},
        {"claude-opus-5-5", "", 1, {USD(4000000), USD(20000000), USD(200000), USD(5000000), USD(8000000)}, NONE},
        {"gpt-4o", "", 1, {USD(2500000), USD(10000000), USD(1250000), NONE, NONE}, 1024},
        /* the tier begins at exactly 272000, so it is above 271999; no one-hour writes */
        {"gpt-5.6-terra", "2026-07-29", 271999, {USD(2500000), USD(15000000), USD(250000), USD(3125000), NONE}, 1024},
        {"gpt-5.6-terra", "2026-07-30", 272000, {USD(4000000), USD(18000000), USD(400000), USD(5000000), NONE}, 1024},
        {"gemini-2.5-pro", "", 200001, {USD(2500000), USD(15000000), USD(250000), NONE, NONE}, 4096},
        {"gemini-1.5-flash-8b", "", 1, {USD(37500), USD(150000), USD(10000), NONE, NONE}, NONE},
        {"deepseek-chat", "", 1, {USD(270000), USD(1100000), USD(70000), NONE, NONE}, NONE},
        {"deepseek-v4-pro", "2026-08-16", 1, {USD(435000), USD(870000), USD(3625), NONE, NONE}, NONE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct price price;
        struct err err = {0};
        if (!price_find(str_of(rows[i].model), str_of(rows[i].date), &price, &err)) {
            fail_msg("%s: %s", rows[i].model, err.message);
        }
        assert_rates(price_rates(&price, rows[i].context), rows[i].rates);
        assert_int_equal(price.cache_min_tokens, rows[i].cache_min_tokens);
    }
}

static void assert_refused(struct price_table table, struct str model, struct str date, const char *message)
{
    struct price price = {.cache_min_tokens = 77};
    struct err err = {0};
    assert_false(price_table_find(table, model, date, &price, &err));
    assert_int_equal(err.kind, ERR_SCENARIO);
    assert_string_equal(err.message, message);
    assert_int_equal(price.cache_min_tokens, 77);
}

static void what_cannot_be_priced_is_told(void **state)
{
    (void)state;
    struct price_table table = {price_table, price_table_count};
    assert_refused(table, STR("claude-sonet-4-5"), STR(""),
                   "no price is known for the model 'claude-sonet-4-5' (did you mean 'claude-sonnet-4-5'?)");
    assert_refused(table, STR("Claude_Sonnet_4_5"), STR("2026-01-01"),
                   "no price is known for the model 'Claude_Sonnet_4_5' (did you mean 'claude-sonnet-4-5'?)");
    assert_refused(table, STR("!!!!!!!!!!!!"), STR(""), "no price is known for the model '!!!!!!!!!!!!'");
    assert_refused(table, STR(""), STR(""), "no price is known for the model ''");
    assert_refused(table, STR("claude-sonnet-4-5\0"), STR(""),
                   "no price is known for the model 'claude-sonnet-4-5' (did you mean 'claude-sonnet-4-5'?)");
    assert_refused((struct price_table){NULL, 0}, STR("o3"), STR(""), "no price is known for the model 'o3'");
    /* from that day on the price depends on the time of day */
    assert_refused(table, STR("deepseek-v4-pro"), STR("2026-08-17"),
                   "no price of 'deepseek-v4-pro' is known from 2026-08-17 on: give an earlier date, or the prices");
    assert_refused(table, STR("deepseek-v4-pro"), STR(""),
                   "no price of 'deepseek-v4-pro' is known from 2026-08-17 on: give an earlier date, or the prices");
    assert_refused(table, STR("o3"), STR("June"), "'June' is not a date like 2026-05-01");
}

static const struct price_table_row small_rows[] = {
    {"a", "2025-01-01", {.base = {1, 1, 1, 1, 1}}}, {"a", "2025-02-01", {.base = {2, 1, 1, 1, 1}}},
    {"a-b", "", {.base = {3, 1, 1, 1, 1}}},         {"a-b", "2024-02-29", {.base = {4, 1, 1, 1, 1}}},
    {"b", "2025-01-01", {.base = {5, 1, 1, 1, 1}}},
};
static const struct price_table small = {small_rows, ARRAY_LEN(small_rows)};

static void a_date_before_the_first_price_is_told(void **state)
{
    (void)state;
    assert_refused(small, STR("a"), STR("2024-12-31"),
                   "no price of 'a' is known on 2024-12-31: the first one is of 2025-01-01");
    assert_refused(small, STR("b"), STR("0001-01-01"),
                   "no price of 'b' is known on 0001-01-01: the first one is of 2025-01-01");
    assert_refused(small, STR("c"), STR("2024-12-31"), "no price is known for the model 'c' (did you mean 'a'?)");
}

/* The slow way: the last row of the model that is not after the date. */
static const struct price_table_row *reference(struct str model, struct str date)
{
    const struct price_table_row *found = NULL;
    for (size_t i = 0; i < small.count; i++) {
        const struct price_table_row *row = &small.rows[i];
        if (str_eq(str_of(row->model), model) && (date.len == 0 || strcmp(row->from, date.data) <= 0)) {
            found = row;
        }
    }
    return found;
}

static void the_newest_row_that_is_not_after_the_date_holds(void **state)
{
    (void)state;
    static const char *const models[] = {"", "a", "a-", "a-b", "a-c", "b", "c"};
    static const char *const dates[] = {"",           "2024-02-28", "2024-02-29", "2024-03-01", "2024-12-31",
                                        "2025-01-01", "2025-01-02", "2025-01-31", "2025-02-01", "9999-12-31"};
    for (size_t m = 0; m < ARRAY_LEN(models); m++) {
        for (size_t d = 0; d < ARRAY_LEN(dates); d++) {
            struct str model = str_of(models[m]), date = str_of(dates[d]);
            const struct price_table_row *expected = reference(model, date);
            struct price price = {0};
            struct err err = {0};
            assert_int_equal(price_table_find(small, model, date, &price, &err), expected != NULL);
            assert_int_equal(price.base.input, expected ? expected->price.base.input : 0);
        }
    }
}

static void only_days_of_the_calendar_are_dates(void **state)
{
    (void)state;
    static const struct {
        struct str date;
        bool valid;
    } rows[] = {
        {{"2026-01-31", 10}, true},  {{"2026-12-31", 10}, true},  {{"2026-04-30", 10}, true},
        {{"2024-02-29", 10}, true},  {{"2000-02-29", 10}, true},  {{"9999-12-31", 10}, true},
        {{"2026-02-29", 10}, false}, {{"1900-02-29", 10}, false}, {{"2024-02-30", 10}, false},
        {{"2026-04-31", 10}, false}, {{"2026-00-10", 10}, false}, {{"2026-13-01", 10}, false},
        {{"2026-01-00", 10}, false}, {{"2026-01-32", 10}, false}, {{"0000-01-01", 10}, false},
        {{"2026-1-01", 9}, false},   {{"2026/01/01", 10}, false}, {{"2026-01-01T", 11}, false},
        {{"2026-01-0a", 10}, false}, {{" 026-01-01", 10}, false}, {{"-026-01-01", 10}, false},
        {{"2026-01", 7}, false},     {{"20260101", 8}, false},    {{"2026-01-0\0", 10}, false},
        {{" ", 1}, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct price price;
        struct err err = {0};
        assert_int_equal(price_find(STR("gpt-4o"), rows[i].date, &price, &err), rows[i].valid);
    }
}

static bool rate_is_sane(int64_t rate)
{
    return rate == PRICE_MISSING || (rate >= 0 && rate <= INT64_C(1000000000000));
}

static bool rates_are_sane(const struct rates *rates)
{
    return rate_is_sane(rates->input) && rate_is_sane(rates->output) && rate_is_sane(rates->cache_read) &&
           rate_is_sane(rates->cache_write_5m) && rate_is_sane(rates->cache_write_1h);
}

static void the_table_is_sorted_and_sane(void **state)
{
    (void)state;
    assert_true(price_table_count >= 300);
    for (size_t i = 0; i < price_table_count; i++) {
        const struct price_table_row *row = &price_table[i];
        assert_true(rates_are_sane(&row->price.base) && rates_are_sane(&row->price.above));
        assert_true((row->price.base.input == NONE) == (row->price.base.output == NONE));
        assert_true(row->price.above_tokens == NONE || row->price.above_tokens > 0);
        assert_true(row->price.cache_min_tokens == NONE || row->price.cache_min_tokens > 0);
        assert_true(row->price.above_tokens != NONE || row->price.above.input == NONE);
        struct price found;
        struct err err = {0}; /* the row is found under its own name and date */
        bool priced = price_find(str_of(row->model), str_of(row->from[0] ? row->from : "0001-01-01"), &found, &err);
        assert_int_equal(priced, row->price.base.input != NONE);
        assert_true(!priced || memcmp(&found, &row->price, sizeof found) == 0);
        if (i > 0) {
            int order = str_cmp(str_of(row[-1].model), str_of(row->model));
            assert_true(order < 0 || (order == 0 && strcmp(row[-1].from, row->from) < 0));
        }
    }
}

enum {
    COLUMN_FROM = 1,
    COLUMN_BASE = 2,
    COLUMN_ABOVE_TOKENS = 7,
    COLUMN_ABOVE = 8,
    COLUMN_MIN = 13,
    COLUMN_NAMES = 16,
    COLUMNS = 17
};

/* Cuts a line at its tabs; the cells end with NUL. */
static void cut(char *line, char *cells[COLUMNS])
{
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *cell = line; cell; count++) {
        assert_true(count < COLUMNS);
        cells[count] = cell;
        cell = strchr(cell, '\t');
        if (cell) {
            *cell++ = '\0';
        }
    }
    assert_int_equal(count, COLUMNS);
}

static int64_t cell_price(const char *cell)
{
    int64_t picodollars = NONE;
    assert_true(cell[0] == '\0' || price_from_usd(strtod(cell, NULL), &picodollars));
    return picodollars;
}

static int64_t cell_tokens(const char *cell)
{
    return cell[0] ? strtoll(cell, NULL, 10) : NONE;
}

static struct rates cell_rates(char *const cells[])
{
    return (struct rates){cell_price(cells[0]), cell_price(cells[1]), cell_price(cells[2]), cell_price(cells[3]),
                          cell_price(cells[4])};
}

static void assert_row(const char *model, char *const cells[COLUMNS])
{
    const struct price_table_row *row = NULL;
    for (size_t i = 0; i < price_table_count && !row; i++) {
        if (strcmp(price_table[i].model, model) == 0 && strcmp(price_table[i].from, cells[COLUMN_FROM]) == 0) {
            row = &price_table[i];
        }
    }
    assert_non_null(row);
    assert_rates(row->price.base, cell_rates(cells + COLUMN_BASE));
    assert_rates(row->price.above, cell_rates(cells + COLUMN_ABOVE));
    assert_int_equal(row->price.above_tokens, cell_tokens(cells[COLUMN_ABOVE_TOKENS]));
    assert_int_equal(row->price.cache_min_tokens, cell_tokens(cells[COLUMN_MIN]));
}

/* The build moves the point in text; strtod and the acceptance rule must come to the same integers. */
static void the_table_is_what_the_file_says(void **state)
{
    (void)state;
    FILE *file = fopen("src/core/prices.tsv", "r");
    assert_non_null(file);
    char line[4096], *cells[COLUMNS];
    size_t rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') {
            continue;
        }
        cut(line, cells);
        assert_row(cells[0], cells);
        rows++;
        char *rest = cells[COLUMN_NAMES];
        for (char *name = strtok_r(rest, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
            assert_row(name, cells);
            rows++;
        }
    }
    fclose(file);
    assert_int_equal(rows, price_table_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usd_is_accepted_when_it_is_whole_picodollars),
        cmocka_unit_test(every_decimal_of_six_places_is_exact),
        cmocka_unit_test(a_large_context_is_priced_whole_by_the_upper_rates),
        cmocka_unit_test(known_models_have_their_list_prices),
        cmocka_unit_test(what_cannot_be_priced_is_told),
        cmocka_unit_test(a_date_before_the_first_price_is_told),
        cmocka_unit_test(the_newest_row_that_is_not_after_the_date_holds),
        cmocka_unit_test(only_days_of_the_calendar_are_dates),
        cmocka_unit_test(the_table_is_sorted_and_sane),
        cmocka_unit_test(the_table_is_what_the_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

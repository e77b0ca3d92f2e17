/* What runs were bound to: their budgets and return contracts, and how they kept them. */
#include "base/arena.h"
#include "base/sort.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/sections.h"
#include "report/sheet.h"

#define ROWS_MAX 12
#define POOL_COLUMNS 12
#define STATUS_COLUMNS 16
#define INTEGER_MAX 9.2e18 /* what a real number may be to fit an integer */

enum pool_format { IN_NUMBERS, IN_USD, IN_TIME };

struct known_pool {
    const char *name;
    const char *words;
    enum pool_format format;
    double unit; /* what cells_usd and cells_duration count in */
};

static const struct known_pool known_pools[] = {
    {"tokens", "tokens", IN_NUMBERS, 1},
    {"usd", "money", IN_USD, 1e12},
    {"turns", "turns", IN_NUMBERS, 1},
    {"ms", "time", IN_TIME, 1e3},
};

static const struct known_pool unknown_pool = {"", "", IN_NUMBERS, 1};

/* One pool of one run. */
struct pool {
    struct str run;
    struct str name;
    const struct known_pool *known;
    const struct value *amounts;
    bool passed; /* used more than the limit */
};

static const struct known_pool *known_pool(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(known_pools); i++) {
        if (str_eq(name, str_of(known_pools[i].name))) {
            return &known_pools[i];
        }
    }
    return &unknown_pool;
}

static struct str amount_text(struct arena *arena, const struct pool *pool, const char *key)
{
    const struct value *number = sheet_number(pool->amounts, key);
    if (number == NULL) {
        return CELLS_NONE;
    }
    double scaled = sheet_real(number) * pool->known->unit;
    bool plain = pool->known->format == IN_NUMBERS || !(scaled > -INTEGER_MAX && scaled < INTEGER_MAX);
    if (plain && number->kind == VALUE_INT) {
        return cells_integer(arena, number->integer);
    }
    if (plain) {
        return cells_decimal(arena, number->real, 2, "");
    }
    int64_t whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    return pool->known->format == IN_USD ? cells_usd(arena, whole) : cells_duration(arena, whole);
}

/* How much of the limit was used. */
static struct str share_text(struct arena *arena, const struct pool *pool)
{
    const struct value *used = sheet_number(pool->amounts, "used");
    const struct value *limit = sheet_number(pool->amounts, "limit");
    bool has_share = used != NULL && limit != NULL && sheet_real(limit) > 0;
    return has_share ? cells_percent(arena, sheet_real(used) / sheet_real(limit)) : CELLS_NONE;
}

static int by_passed(const void *a, const void *b)
{
    const struct pool *x = a;
    const struct pool *y = b;
    return (int)y->passed - (int)x->passed;
}

static size_t collect_pools(const struct sheet *sheet, const struct runs *runs, struct pool *pools)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct value *budget = runs->rows[i].part;
        for (size_t j = 0; j < budget->count; j++) {
            const struct member *member = &budget->members[j];
            const struct known_pool *known = known_pool(member->key);
            if (member->value.kind != VALUE_OBJECT) {
                continue;
            }
            pools[count++] = (struct pool){
                .run = runs_name(sheet, &runs->rows[i]),
                .name = known == &unknown_pool ? cells_name(sheet->arena, member->key, POOL_COLUMNS)
                                               : str_of(known->words),
                .known = known,
                .amounts = &member->value,
                .passed = value_real_at(&member->value, "overshoot", 0) > 0,
            };
        }
    }
    return count;
}

static size_t count_pools(const struct runs *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        count += runs->rows[i].part->count;
    }
    return count;
}

static struct grid *new_grid(struct arena *arena, size_t rows, const char *const *headings, size_t columns)
{
    struct grid *grid = grid_new(arena, rows + 1, columns);
    for (size_t i = 0; i < columns; i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
    }
    grid_align_left(grid, 0);
    grid_align_left(grid, 1);
    return grid;
}

/* When there are too many, those that were passed come first. */
static void print_budgets(struct page *page, const struct sheet *sheet)
{
    static const char *const headings[] = {"run", "budget of", "limit", "used", "share", "overshoot"};
    struct runs runs = runs_with(sheet, "budget", VALUE_OBJECT);
    struct pool *pools = arena_array(page->arena, struct pool, count_pools(&runs) + 1);
    size_t count = collect_pools(sheet, &runs, pools);
    size_t shown = count < ROWS_MAX ? count : ROWS_MAX;
    if (count == 0) {
        return;
    }
    if (count > shown) {
        sort_stable(page->arena, pools, count, sizeof *pools, by_passed);
    }
    page_heading(page, STR("Budgets"), STR("checked after each model call, so the last one may pass the limit"));
    struct grid *grid = new_grid(page->arena, shown, headings, ARRAY_LEN(headings));
    for (size_t i = 0; i < shown; i++) {
        grid_set(grid, i + 1, 0, pools[i].run);
        grid_set(grid, i + 1, 1, pools[i].name);
        grid_set(grid, i + 1, 2, amount_text(page->arena, &pools[i], "limit"));
        grid_set(grid, i + 1, 3, amount_text(page->arena, &pools[i], "used"));
        grid_set(grid, i + 1, 4, share_text(page->arena, &pools[i]));
        grid_set(grid, i + 1, 5, pools[i].passed ? amount_text(page->arena, &pools[i], "overshoot") : STR("none"));
    }
    grid_print(page, grid, 0);
    runs_print_rest(page, count - shown, "more budget", runs.left_out);
}

static struct str count_text(struct arena *arena, const struct value *contract, const char *key)
{
    const struct value *number = value_find(contract, str_of(key));
    return number != NULL && number->kind == VALUE_INT ? cells_integer(arena, number->integer) : CELLS_NONE;
}

static void print_contracts(struct page *page, const struct sheet *sheet)
{
    static const char *const headings[] = {"run", "status", "violations", "retries", "truncated"};
    struct runs runs = runs_with(sheet, "contract", VALUE_OBJECT);
    size_t shown = runs.count < ROWS_MAX ? runs.count : ROWS_MAX;
    if (runs.count == 0) {
        return;
    }
    page_heading(page, STR("Return contracts"), STR(""));
    struct grid *grid = new_grid(page->arena, shown, headings, ARRAY_LEN(headings));
    for (size_t i = 0; i < shown; i++) {
        const struct run_row *row = &runs.rows[i];
        grid_set(grid, i + 1, 0, runs_name(sheet, row));
        grid_set(grid, i + 1, 1, sheet_text(sheet, row->run, "status", STATUS_COLUMNS));
        for (size_t j = 2; j < ARRAY_LEN(headings); j++) {
            grid_set(grid, i + 1, j, count_text(page->arena, row->part, headings[j]));
        }
    }
    grid_print(page, grid, 0);
    runs_print_rest(page, runs.count - shown, "more contract", runs.left_out);
}

void section_terms(struct page *page, const struct sheet *sheet)
{
    print_budgets(page, sheet);
    print_contracts(page, sheet);
}

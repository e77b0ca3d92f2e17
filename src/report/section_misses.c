/* What had to be paid again because it was not in the cache any more, by run and cause. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/runs.h"
#include "report/sections.h"
#include "report/sheet.h"

#define ROWS_MAX 16
#define CAUSES_MAX 8 /* of one run; the simulator knows five */
#define CAUSE_COLUMNS 16
#define TURNS_MAX 4

enum { RUN, CAUSE, COUNT, SIZE, BILL, TURNS, COLUMN_COUNT };

struct known_cause {
    const char *name;
    const char *words;
};

static const struct known_cause known_causes[] = {
    {"model_switch", "other model"},     {"prefix_changed", "prefix changed"}, {"below_minimum", "below minimum"},
    {"lookback", "beyond the lookback"}, {"ttl", "expired (ttl)"},
};

struct miss {
    int64_t turn;
    int64_t size;
    int64_t picodollars;
};

/* All misses of one run for one reason, with the dearest of them. */
struct cause {
    size_t run;
    struct str name; /* raw */
    int64_t count;
    struct miss sum; /* its turn means nothing */
    struct miss dearest[TURNS_MAX];
};

struct misses {
    const struct sheet *sheet;
    struct runs runs;
    struct cause *causes;
    size_t cause_count;
    size_t uncounted; /* left out by a limit of the builder */
    bool any;
    bool priced;
};

/* Sums of a report that may lie: they stop at the largest number. */
static int64_t add_capped(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Beyond CAUSES_MAX the last one takes the rest. */
static struct cause *cause_of(struct misses *misses, size_t first, size_t run, struct str name)
{
    for (size_t i = first; i < misses->cause_count; i++) {
        if (str_eq(misses->causes[i].name, name)) {
            return &misses->causes[i];
        }
    }
    if (misses->cause_count - first == CAUSES_MAX) {
        return &misses->causes[misses->cause_count - 1];
    }
    misses->causes[misses->cause_count] = (struct cause){.run = run, .name = name};
    return &misses->causes[misses->cause_count++];
}

static bool is_dearer(const struct miss *a, const struct miss *b)
{
    return a->picodollars != b->picodollars ? a->picodollars > b->picodollars : a->size > b->size;
}

/* Keeps the dearest in order, equal ones as they came. */
static void add_miss(struct cause *cause, struct miss miss)
{
    size_t kept = cause->count < TURNS_MAX ? (size_t)cause->count : TURNS_MAX;
    cause->count++;
    cause->sum.size = add_capped(cause->sum.size, miss.size);
    cause->sum.picodollars = add_capped(cause->sum.picodollars, miss.picodollars);
    for (size_t i = 0; i < TURNS_MAX && i <= kept; i++) {
        if (i == kept || is_dearer(&miss, &cause->dearest[i])) {
            struct miss pushed = cause->dearest[i];
            cause->dearest[i] = miss;
            miss = pushed;
        }
    }
}

static void add_run(struct misses *misses, size_t run)
{
    const struct value *list = misses->runs.rows[run].part;
    size_t first = misses->cause_count;
    misses->uncounted += list->dropped;
    for (size_t i = 0; i < list->count; i++) {
        const struct value *row = &list->items[i];
        struct miss miss = {
            .turn = value_int_at(row, "turn", 0),
            .size = value_int_at(row, "size", 0),
            .picodollars = value_int_at(row, "picodollars", 0),
        };
        add_miss(cause_of(misses, first, run, value_str_at(row, "cause", STR(""))), miss);
        misses->any = true;
        misses->priced |= miss.picodollars != 0;
    }
    if (list->count == 0 && misses->runs.rows[run].variant != RUNS_SUBAGENT) {
        misses->causes[misses->cause_count++] = (struct cause){.run = run};
    }
}

static struct str cause_text(struct arena *arena, struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(known_causes); i++) {
        if (str_eq(name, str_of(known_causes[i].name))) {
            return str_of(known_causes[i].words);
        }
    }
    return name.len > 0 ? cells_name(arena, name, CAUSE_COLUMNS) : CELLS_NONE;
}

/* "9, 4, 12, …" */
static struct str turns_text(struct arena *arena, const struct cause *cause)
{
    struct strbuf out;
    strbuf_init(&out, arena, 256);
    for (int64_t i = 0; i < cause->count && i < TURNS_MAX; i++) {
        struct str turn = cells_integer(arena, cause->dearest[i].turn);
        strbuf_addf(&out, "%s%.*s", i > 0 ? ", " : "", STR_ARG(turn));
    }
    strbuf_add(&out, cause->count > TURNS_MAX ? STR(", …") : STR(""));
    return strbuf_str(&out);
}

static void set_row(struct grid *grid, size_t row, const struct misses *misses, const struct cause *cause)
{
    struct arena *arena = misses->sheet->arena;
    grid_set(grid, row, RUN, runs_name(misses->sheet, &misses->runs.rows[cause->run]));
    grid_set(grid, row, COUNT, cells_integer(arena, cause->count));
    if (cause->count == 0) {
        return;
    }
    grid_set(grid, row, CAUSE, cause_text(arena, cause->name));
    grid_set(grid, row, SIZE, cells_integer(arena, cause->sum.size));
    grid_set(grid, row, BILL, misses->priced ? cells_usd(arena, cause->sum.picodollars) : CELLS_NONE);
    grid_set(grid, row, TURNS, turns_text(arena, cause));
}

static void print_causes(struct page *page, const struct misses *misses)
{
    static const char *const headings[COLUMN_COUNT] = {"run", "cause", "misses", "tokens lost", "bill", "at turns"};
    size_t shown = misses->cause_count < ROWS_MAX ? misses->cause_count : ROWS_MAX;
    struct grid *grid = grid_new(page->arena, shown + 1, COLUMN_COUNT);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
    }
    grid_align_left(grid, RUN);
    grid_align_left(grid, CAUSE);
    grid_align_left(grid, TURNS);
    for (size_t i = 0; i < shown; i++) {
        set_row(grid, i + 1, misses, &misses->causes[i]);
    }
    grid_print(page, grid, 0);
    runs_print_rest(page, misses->cause_count - shown, "more row", misses->runs.left_out);
}

void section_misses(struct page *page, const struct sheet *sheet)
{
    struct misses misses = {.sheet = sheet, .runs = runs_with(sheet, "cache_misses", VALUE_ARRAY)};
    if (misses.runs.count == 0) {
        return;
    }
    misses.causes = arena_array(page->arena, struct cause, misses.runs.count * CAUSES_MAX);
    for (size_t i = 0; i < misses.runs.count; i++) {
        add_run(&misses, i);
    }
    if (!misses.any) {
        page_heading(page, STR("Cache misses"), STR(""));
        page_paragraph(page, 0, PAGE_PLAIN,
                       STR("None: no request paid again for what an earlier one had put into the cache."));
        return;
    }
    page_heading(page, STR("Cache misses"), STR("paid again though it was read before; dearest turns first"));
    print_causes(page, &misses);
    if (misses.uncounted > 0) {
        struct str text = cells_integer(page->arena, (int64_t)misses.uncounted);
        page_paragraph(page, 0, PAGE_PLAIN,
                       str_printf(page->arena, "Of long runs the last %.*s are not counted.", STR_ARG(text)));
    }
}

/* The recommendation with its gates, and what the boundary would save. */
#include <math.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "report/cells.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define RULES_MAX 6    /* distinct gates that get a column */
#define BOUNDARIES_MAX 4

enum number_style { PLAIN_NUMBER, MULTIPLIER, RATIO };

struct known_rule {
    const char *rule;
    const char *heading;
    enum number_style style;
};

static const struct known_rule known_rules[] = {
    {"min_cumulative", "cumulative", PLAIN_NUMBER},
    {"min_reread_multiplier", "re-read", MULTIPLIER},
    {"min_boundary_savings_ratio", "boundary saves", RATIO},
};

/* The rules of all variants, in the order of their first mention. */
struct gates {
    const struct sheet *sheet;
    struct str rules[RULES_MAX];
    size_t count;
};

static const struct known_rule *known_rule(struct str rule)
{
    for (size_t i = 0; i < ARRAY_LEN(known_rules); i++) {
        if (str_eq(rule, str_of(known_rules[i].rule))) {
            return &known_rules[i];
        }
    }
    return NULL;
}

static size_t rule_place(const struct gates *gates, struct str rule)
{
    size_t place = 0;
    while (place < gates->count && !str_eq(gates->rules[place], rule)) {
        place++;
    }
    return place;
}

static void add_rule(struct gates *gates, struct str rule)
{
    if (rule.len > 0 && gates->count < RULES_MAX && rule_place(gates, rule) == gates->count) {
        gates->rules[gates->count++] = rule;
    }
}

static void collect_from(struct gates *gates, const struct value *variant, const char *path)
{
    const struct value *list = sheet_list(variant, path);
    for (size_t i = 0; i < list->count; i++) {
        add_rule(gates, value_str_at(&list->items[i], "rule", STR("")));
    }
}

static bool has_recommendation(const struct value *variant)
{
    const struct value *delegate = value_path(variant, "recommendation.delegate");
    return delegate != NULL && delegate->kind == VALUE_BOOL;
}

/* The known gates first, in their own order, whichever of them failed. */
static void order_rules(struct gates *gates)
{
    struct gates found = *gates;
    gates->count = 0;
    for (size_t i = 0; i < ARRAY_LEN(known_rules); i++) {
        struct str rule = str_of(known_rules[i].rule);
        if (rule_place(&found, rule) < found.count) {
            add_rule(gates, rule);
        }
    }
    for (size_t i = 0; i < found.count; i++) {
        add_rule(gates, found.rules[i]);
    }
}

static void collect(struct gates *gates)
{
    for (size_t i = 0; i < gates->sheet->count; i++) {
        collect_from(gates, gates->sheet->variants[i], "recommendation.triggered_rules");
        collect_from(gates, gates->sheet->variants[i], "recommendation.failed_rules");
    }
    order_rules(gates);
}

static struct str exact_number(struct arena *arena, const struct value *number)
{
    char text[32];
    if (number->kind == VALUE_INT) {
        return cells_integer(arena, number->integer);
    }
    size_t length = json_format_real(text, number->real);
    return str_copy(arena, (struct str){.data = text, .len = length});
}

/* A threshold of 2000 may come as a real number, and is 2,000 all the same. */
static struct str plain_number(struct arena *arena, const struct value *number)
{
    double real = number->real;
    bool whole = number->kind == VALUE_REAL && fabs(real) < 1e12 && real == (double)(int64_t)real;
    return whole ? cells_decimal(arena, number->real, 0, "") : exact_number(arena, number);
}

static struct str number_text(struct arena *arena, const struct value *number, enum number_style style)
{
    double real = number->kind == VALUE_INT ? (double)number->integer : number->real;
    switch (style) {
    case PLAIN_NUMBER: return plain_number(arena, number);
    case MULTIPLIER: return cells_decimal(arena, real, 2, "");
    case RATIO: return cells_percent(arena, real);
    }
    UNREACHABLE();
}

static bool is_number(const struct value *value)
{
    return value != NULL && (value->kind == VALUE_INT || value->kind == VALUE_REAL);
}

/* "19,741 ≥ 2,000": the sign says whether the gate passed.  1.4996 is not shown as 1.50 < 1.50. */
static struct str gate_text(struct arena *arena, const struct value *row, bool passed)
{
    const struct value *value = value_find(row, STR("value"));
    const struct value *threshold = value_find(row, STR("threshold"));
    if (!is_number(value) || !is_number(threshold)) {
        return passed ? STR("passed") : STR("failed");
    }
    const struct known_rule *known = known_rule(value_str_at(row, "rule", STR("")));
    enum number_style style = known != NULL ? known->style : PLAIN_NUMBER;
    struct str left = number_text(arena, value, style);
    struct str right = number_text(arena, threshold, style);
    if (!passed && str_eq(left, right)) {
        left = exact_number(arena, value);
        right = exact_number(arena, threshold);
    }
    return str_printf(arena, "%.*s %s %.*s", STR_ARG(left), passed ? "≥" : "<", STR_ARG(right));
}

static void set_gates(struct grid *grid, size_t row, const struct gates *gates, const char *path, bool passed)
{
    const struct value *list = sheet_list(gates->sheet->variants[row - 1], path);
    for (size_t i = 0; i < list->count; i++) {
        size_t place = rule_place(gates, value_str_at(&list->items[i], "rule", STR("")));
        if (place == gates->count) {
            continue;
        }
        grid_set(grid, row, place + 2, gate_text(gates->sheet->arena, &list->items[i], passed));
    }
}

static struct str rule_heading(const struct gates *gates, size_t place)
{
    const struct known_rule *known = known_rule(gates->rules[place]);
    return known != NULL ? str_of(known->heading) : cells_name(gates->sheet->arena, gates->rules[place], 24);
}

static struct str verdict_text(const struct value *variant)
{
    if (!has_recommendation(variant)) {
        return CELLS_NONE;
    }
    return value_bool_at(variant, "recommendation.delegate", false) ? STR("yes") : STR("no");
}

static void print_gates(struct page *page, const struct gates *gates)
{
    const struct sheet *sheet = gates->sheet;
    struct grid *grid = grid_new(page->arena, sheet->count + 1, gates->count + 2);
    grid_align_left(grid, 0);
    grid_align_left(grid, 1);
    grid_set(grid, 0, 0, STR("variant"));
    grid_set(grid, 0, 1, STR("delegate"));
    for (size_t i = 0; i < gates->count; i++) {
        grid_set(grid, 0, i + 2, rule_heading(gates, i));
    }
    for (size_t i = 0; i < sheet->count; i++) {
        grid_set(grid, i + 1, 0, sheet->names[i]);
        grid_set(grid, i + 1, 1, verdict_text(sheet->variants[i]));
        set_gates(grid, i + 1, gates, "recommendation.triggered_rules", true);
        set_gates(grid, i + 1, gates, "recommendation.failed_rules", false);
    }
    grid_print(page, grid, 0);
}

/* What taking the first candidates out of the context would save. */
static void print_boundary(struct page *page, const struct sheet *sheet, size_t variant)
{
    const struct value *run = sheet->variants[variant];
    int64_t moved = sheet_list_total(sheet_list(run, "boundary.entries"));
    if (moved == 0) {
        return;
    }
    double ratio = value_real_at(run, "boundary.achieved_savings_ratio", 0);
    double target = value_real_at(run, "boundary.target_savings_ratio", 0);
    struct str results = cells_count(page->arena, moved, "tool result");
    struct str saved = cells_integer(page->arena, value_int_at(run, "boundary.achieved_savings", 0));
    struct str whole = cells_integer(page->arena, value_int_at(run, "measurement.cumulative", 0));
    struct str share = cells_percent(page->arena, ratio);
    struct str aim = cells_percent(page->arena, target);
    const char *verdict = ratio >= target ? "target" : "short of the target";
    struct str line = str_printf(
        page->arena, "%.*s: a boundary around its top %.*s saves %.*s of %.*s %.*s (%.*s, %s %.*s).",
        STR_ARG(sheet->names[variant]), STR_ARG(results), STR_ARG(saved), STR_ARG(whole), STR_ARG(sheet->unit),
        STR_ARG(share), verdict, STR_ARG(aim));
    page_paragraph(page, 0, PAGE_PLAIN, line);
}

/* The baseline's boundary, and those of other variants that should delegate further. */
static void print_boundaries(struct page *page, const struct sheet *sheet)
{
    size_t printed = 0;
    for (size_t i = 0; i < sheet->count && printed < BOUNDARIES_MAX; i++) {
        if (i != sheet->baseline && !value_bool_at(sheet->variants[i], "recommendation.delegate", false)) {
            continue;
        }
        print_boundary(page, sheet, i);
        printed++;
    }
}

void section_gates(struct page *page, const struct sheet *sheet)
{
    struct gates gates = {.sheet = sheet};
    bool any = false;
    for (size_t i = 0; i < sheet->count; i++) {
        any |= has_recommendation(sheet->variants[i]);
    }
    if (!any) {
        return;
    }
    collect(&gates);
    page_heading(page, STR("Worth delegating?"), STR("yes when every gate passes"));
    print_gates(page, &gates);
    print_boundaries(page, sheet);
}

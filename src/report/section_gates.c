/* The recommendation with its gates, and what the boundary would save. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/gate.h"
#include "report/grid.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define BOUNDARIES_MAX 4

static bool has_recommendation(const struct value *variant)
{
    const struct value *delegate = value_path(variant, "recommendation.delegate");
    return delegate != NULL && delegate->kind == VALUE_BOOL;
}

/* The rules of all variants. */
static struct gate_rules collect(const struct sheet *sheet)
{
    struct gate_rules rules = {.count = 0};
    for (size_t i = 0; i < sheet->count; i++) {
        gate_rules_add(&rules, value_find(sheet->variants[i], STR("recommendation")));
    }
    gate_rules_order(&rules);
    return rules;
}

static void set_gates(struct grid *grid, size_t row, const struct sheet *sheet, const struct gate_rules *rules,
                      bool passed)
{
    const char *path = passed ? "recommendation.triggered_rules" : "recommendation.failed_rules";
    const struct value *list = sheet_list(sheet->variants[row - 1], path);
    for (size_t i = 0; i < list->count; i++) {
        size_t place = gate_rules_place(rules, value_str_at(&list->items[i], "rule", STR("")));
        if (place < rules->count) {
            grid_set(grid, row, place + 2, gate_text(sheet->arena, &list->items[i], passed));
        }
    }
}

static struct str verdict_text(const struct value *variant)
{
    if (!has_recommendation(variant)) {
        return CELLS_NONE;
    }
    return value_bool_at(variant, "recommendation.delegate", false) ? STR("yes") : STR("no");
}

static void print_gates(struct page *page, const struct sheet *sheet, const struct gate_rules *rules)
{
    struct grid *grid = grid_new(page->arena, sheet->count + 1, rules->count + 2);
    grid_align_left(grid, 0);
    grid_align_left(grid, 1);
    grid_set(grid, 0, 0, STR("variant"));
    grid_set(grid, 0, 1, STR("delegate"));
    for (size_t i = 0; i < rules->count; i++) {
        grid_set(grid, 0, i + 2, gate_heading(page->arena, rules->rules[i]));
    }
    for (size_t i = 0; i < sheet->count; i++) {
        grid_set(grid, i + 1, 0, sheet->names[i]);
        grid_set(grid, i + 1, 1, verdict_text(sheet->variants[i]));
        set_gates(grid, i + 1, sheet, rules, true);
        set_gates(grid, i + 1, sheet, rules, false);
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

/* One gate is enough for a checklist; the other profiles want all of theirs. */
static struct str note_of(const struct gate_rules *rules)
{
    bool any = gate_rules_place(rules, STR("min_tool_calls")) < rules->count ||
               gate_rules_place(rules, STR("min_result_tokens")) < rules->count;
    return any ? STR("yes when one gate passes") : STR("yes when every gate passes");
}

void section_gates(struct page *page, const struct sheet *sheet)
{
    enum profiles_shown shown = section_profiles(page, sheet);
    struct gate_rules rules = collect(sheet);
    bool any = false;
    for (size_t i = 0; i < sheet->count; i++) {
        any |= has_recommendation(sheet->variants[i]);
    }
    if (any && shown != PROFILES_WITH_GATES) {
        page_heading(page, shown == PROFILES_NONE ? STR("Worth delegating?") : STR("The recommendation"),
                     note_of(&rules));
        print_gates(page, sheet, &rules);
    }
    if (any) {
        print_boundaries(page, sheet);
    }
}

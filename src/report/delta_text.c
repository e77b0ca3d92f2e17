/* A comparison as text: what changed, variant by variant, and the rules that were given. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/delta_own.h"
#include "report/fail_on.h"
#include "report/grid.h"
#include "report/page.h"

#define NAME_COLUMNS 40
#define RULE_COLUMNS 60

static const char *const headings[] = {"metric", "old", "new", "difference", "percent"};

static void set_row(struct grid *grid, size_t at, struct arena *arena, const struct delta_row *row)
{
    grid_set(grid, at, 0, cells_name(arena, row->metric, NAME_COLUMNS));
    grid_set(grid, at, 1, delta_cell_number(arena, row->metric, row->old));
    grid_set(grid, at, 2, delta_cell_number(arena, row->metric, row->now));
    grid_set(grid, at, 3, delta_cell_difference(arena, row));
    grid_set(grid, at, 4, delta_cell_percent(arena, row));
}

static void print_rows(struct page *page, const struct delta_variant *variant)
{
    struct grid *grid = grid_new(page->arena, variant->changed + 1, ARRAY_LEN(headings));
    size_t at = 1;
    grid_align_left(grid, 0);
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        grid_set(grid, 0, i, str_of(headings[i]));
    }
    for (size_t i = 0; i < variant->count; i++) {
        if (variant->rows[i].changed) {
            set_row(grid, at++, page->arena, &variant->rows[i]);
        }
    }
    grid_print(page, grid, 0);
}

static void print_notes(struct page *page, const struct delta_variant *variant)
{
    for (size_t i = 0; i < variant->note_count; i++) {
        const struct delta_note *note = &variant->notes[i];
        struct str old = cells_text(page->arena, note->old, NAME_COLUMNS);
        struct str now = cells_text(page->arena, note->now, NAME_COLUMNS);
        struct str text = str_printf(page->arena, "%s: %.*s → %.*s", note->what, STR_ARG(old), STR_ARG(now));
        page_paragraph(page, 0, PAGE_STRONG, text);
    }
}

/* Variants that are on one side only are told in a word: a table of numbers against nothing says no more. */
static void print_variant(struct page *page, const struct delta *delta, const struct delta_variant *variant)
{
    struct str name = cells_name(page->arena, variant->name, NAME_COLUMNS);
    const struct delta_input *only = variant->side == DELTA_OLD_ONLY ? delta->old : delta->now;
    if (variant->side != DELTA_BOTH) {
        struct str input = cells_name(page->arena, only->name, NAME_COLUMNS);
        page_heading(page, name, str_printf(page->arena, "only in %.*s", STR_ARG(input)));
        return;
    }
    page_heading(page, name, delta_count_text(page->arena, variant->changed, variant->count - variant->changed));
    print_notes(page, variant);
    if (variant->changed > 0) {
        print_rows(page, variant);
    }
}

static void print_delta(struct page *page, const struct delta *delta)
{
    struct str now = cells_name(page->arena, delta->now->name, NAME_COLUMNS);
    struct str old = cells_name(page->arena, delta->old->name, NAME_COLUMNS);
    struct str counts = delta_count_text(page->arena, delta->changed, delta->unchanged);
    page_paragraph(page, 0, PAGE_STRONG, str_printf(page->arena, "%.*s against %.*s: %.*s", STR_ARG(now), STR_ARG(old),
                                                    STR_ARG(counts)));
    for (size_t i = 0; i < delta->unlike_count; i++) {
        page_paragraph(page, 2, PAGE_PLAIN, str_printf(page->arena, "unlike: %.*s", STR_ARG(delta->unlike[i])));
    }
    for (size_t i = 0; i < delta->count; i++) {
        print_variant(page, delta, &delta->variants[i]);
    }
}

/* What held needs one line; what failed one for each number. */
static size_t print_rule(struct page *page, const struct delta_summary *summary, size_t at)
{
    struct arena *arena = page->arena;
    const struct fail_on_finding *findings = &summary->findings[at];
    size_t failed;
    size_t count = delta_findings_of_rule(summary, at, &failed);
    struct str rule = cells_text(arena, findings->rule->text, RULE_COLUMNS);
    page_paragraph(page, 0, failed > 0 ? PAGE_BAD : PAGE_GOOD,
                   str_printf(arena, "%s  %.*s", failed > 0 ? "FAILED" : "held  ", STR_ARG(rule)));
    for (size_t i = 0; i < count; i++) {
        if (!findings[i].failed) {
            continue;
        }
        struct str variant = cells_name(arena, findings[i].variant, NAME_COLUMNS);
        struct str input = cells_name(arena, findings[i].delta->now->name, NAME_COLUMNS);
        struct str text = delta_finding_text(arena, &findings[i]);
        page_paragraph(page, 8, PAGE_PLAIN, str_printf(arena, "%.*s in %.*s: %.*s", STR_ARG(variant), STR_ARG(input),
                                                       STR_ARG(text)));
    }
    return count;
}

static void print(struct page *page, const struct delta_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (i > 0) {
            page_blank(page);
        }
        print_delta(page, &summary->deltas[i]);
    }
    if (summary->finding_count > 0) {
        page_heading(page, STR("Fail on"), STR(""));
    }
    for (size_t i = 0; i < summary->finding_count;) {
        i += print_rule(page, summary, i);
    }
}

const struct delta_format delta_format_text = {.name = "text", .print = print};

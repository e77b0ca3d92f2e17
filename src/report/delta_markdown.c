/* A comparison as Markdown, for a comment of a code review: what changed, and how much did not. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/delta_own.h"
#include "report/fail_on.h"
#include "report/markdown_text.h"
#include "report/page.h"

#define NAME_COLUMNS 80

static struct str name_text(struct page *page, struct str raw)
{
    return markdown_text(page->arena, raw, NAME_COLUMNS);
}

static void print_line(struct page *page, struct str text)
{
    sink_write(page->sink, text);
    sink_write(page->sink, STR("\n"));
}

static void print_rows(struct page *page, const struct delta_variant *variant)
{
    struct str name = name_text(page, variant->name);
    for (size_t i = 0; i < variant->count; i++) {
        const struct delta_row *row = &variant->rows[i];
        const struct str cells[] = {
            name,
            name_text(page, row->metric),
            delta_cell_number(page->arena, row->metric, row->old),
            delta_cell_number(page->arena, row->metric, row->now),
            delta_cell_difference(page->arena, row),
            delta_cell_percent(page->arena, row),
        };
        if (row->changed) {
            markdown_row(page->sink, cells, ARRAY_LEN(cells));
        }
    }
}

static void print_table(struct page *page, const struct delta *delta)
{
    static const char *const headings[] = {"variant", "metric", "old", "new", "difference", "percent"};
    struct str cells[ARRAY_LEN(headings)];
    for (size_t i = 0; i < ARRAY_LEN(headings); i++) {
        cells[i] = str_of(headings[i]);
    }
    markdown_row(page->sink, cells, ARRAY_LEN(cells));
    markdown_rule(page->sink, ARRAY_LEN(cells), 2);
    for (size_t i = 0; i < delta->count; i++) {
        print_rows(page, &delta->variants[i]);
    }
    print_line(page, STR(""));
}

/* Differences that no number of the table shows. */
static void print_notes(struct page *page, const struct delta *delta)
{
    for (size_t i = 0; i < delta->unlike_count; i++) {
        struct str text = name_text(page, delta->unlike[i]);
        print_line(page, str_printf(page->arena, "- unlike: %.*s", STR_ARG(text)));
    }
    for (size_t v = 0; v < delta->count; v++) {
        const struct delta_variant *variant = &delta->variants[v];
        struct str name = name_text(page, variant->name);
        if (variant->side != DELTA_BOTH) {
            struct str only = name_text(page, (variant->side == DELTA_OLD_ONLY ? delta->old : delta->now)->name);
            print_line(page, str_printf(page->arena, "- %.*s: only in %.*s", STR_ARG(name), STR_ARG(only)));
        }
        for (size_t i = 0; i < variant->note_count; i++) {
            const struct delta_note *note = &variant->notes[i];
            struct str old = name_text(page, note->old);
            struct str now = name_text(page, note->now);
            print_line(page, str_printf(page->arena, "- %.*s: %s: %.*s → %.*s", STR_ARG(name), note->what, STR_ARG(old),
                                        STR_ARG(now)));
        }
    }
}

static void print_delta(struct page *page, const struct delta *delta)
{
    struct str now = name_text(page, delta->now->name);
    struct str old = name_text(page, delta->old->name);
    struct str rest = cells_count(page->arena, (int64_t)delta->unchanged, "metric");
    print_line(page, str_printf(page->arena, "### %.*s against %.*s\n", STR_ARG(now), STR_ARG(old)));
    if (delta->changed > 0) {
        print_table(page, delta);
    }
    print_notes(page, delta);
    print_line(page, str_printf(page->arena, "- %.*s unchanged", STR_ARG(rest)));
}

static size_t print_rule(struct page *page, const struct delta_summary *summary, size_t at)
{
    const struct fail_on_finding *findings = &summary->findings[at];
    size_t failed;
    size_t count = delta_findings_of_rule(summary, at, &failed);
    struct str rule = name_text(page, findings->rule->text);
    print_line(page, str_printf(page->arena, "- %s: %.*s", failed > 0 ? "**failed**" : "held", STR_ARG(rule)));
    for (size_t i = 0; i < count; i++) {
        if (!findings[i].failed) {
            continue;
        }
        struct str variant = name_text(page, findings[i].variant);
        struct str input = name_text(page, findings[i].delta->now->name);
        struct str text = delta_finding_text(page->arena, &findings[i]);
        print_line(page, str_printf(page->arena, "  - %.*s in %.*s: %.*s", STR_ARG(variant), STR_ARG(input),
                                    STR_ARG(text)));
    }
    return count;
}

static void print(struct page *page, const struct delta_summary *summary)
{
    for (size_t i = 0; i < summary->count; i++) {
        if (i > 0) {
            print_line(page, STR(""));
        }
        print_delta(page, &summary->deltas[i]);
    }
    if (summary->finding_count > 0) {
        print_line(page, STR("\n#### Fail on\n"));
    }
    for (size_t i = 0; i < summary->finding_count;) {
        i += print_rule(page, summary, i);
    }
}

const struct delta_format delta_format_markdown = {.name = "md", .print = print};

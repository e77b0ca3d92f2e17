#include "report/text.h"

#include "base/arena.h"
#include "base/utf8.h"
#include "base/value.h"
#include "report/insight.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

/* What the text shows is bounded, so what is kept of a large report is too.  The numbers of turns are kept in full:
 * the sparkline needs each of them. */
static const struct value_limit kept[] = {
    {"variants", 200}, {"comparisons", 200},     {"candidates", 8},    {"entries", 8}, {"subagents", 40},
    {"verdicts", 8},   {"cache_misses", 4096},   {"composition", 400}, {NULL, 0},
};

struct text_rendering {
    struct rendering rendering;
    struct value_builder builder;
    struct page page;
    struct str reproduce;
};

static void print_insight(struct page *page, const struct sheet *sheet)
{
    struct str sentence = insight_sentence(page->arena, sheet);
    if (sentence.len == 0) {
        return;
    }
    page_heading(page, STR("In short"), STR(""));
    page_paragraph(page, 0, PAGE_PLAIN, sentence);
}

/* On one line, however long: it is there to be copied. */
static void print_reproduce(struct page *page, struct str command)
{
    if (command.len == 0) {
        return;
    }
    struct strbuf safe;
    strbuf_init(&safe, page->arena, command.len * 8 + 1);
    utf8_escape(&safe, command, true);
    page_heading(page, STR("Reproduce"), STR(""));
    page_line(page, 0, strbuf_str(&safe));
}

static bool text_finish(struct rendering *rendering, struct err *err)
{
    struct text_rendering *text = (struct text_rendering *)rendering;
    if (!text->builder.complete) {
        return err_set(err, ERR_INTERNAL, "the report ended in its middle");
    }
    struct page *page = &text->page;
    struct sheet sheet;
    sheet_init(&sheet, page->arena, &text->builder.result, page->columns);
    section_head(page, &sheet);
    section_compare(page, &sheet);
    section_curves(page, &sheet);
    section_cost(page, &sheet);
    section_misses(page, &sheet);
    section_time(page, &sheet);
    section_gates(page, &sheet);
    section_candidates(page, &sheet);
    section_composition(page, &sheet);
    section_terms(page, &sheet);
    section_changes(page, &sheet);
    print_insight(page, &sheet);
    section_verdict(page, &sheet);
    print_reproduce(page, text->reproduce);
    return true;
}

static struct rendering *text_begin(struct arena *arena, struct sink *sink, const struct render_style *style)
{
    struct text_rendering *text = arena_new(arena, struct text_rendering);
    value_builder_init(&text->builder, arena, kept);
    text->page = (struct page){.sink = sink, .arena = arena, .columns = style->columns, .colour = style->colour};
    text->reproduce = style->reproduce;
    text->rendering.listen = &text->builder.feed;
    text->rendering.finish = text_finish;
    return &text->rendering;
}

const struct renderer renderer_text = {
    .name = "text",
    .summary = "tables and sparklines for people, as wide as the terminal",
    .begin = text_begin,
};

#include "cli/describe.h"

#include "base/arena.h"
#include "base/spool.h"
#include "base/utf8.h"
#include "base/value.h"
#include "batch/job.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "cli/reproduce.h"
#include "cli/screen.h"
#include "report/cells.h"
#include "report/page.h"

#define TEXT_COLUMNS 1200 /* of a description, at most */
#define NAME_COLUMNS 32
#define MEANING_CEILING 65536

static const struct value empty_list = {.kind = VALUE_ARRAY};

static const struct value *list_of(const struct value *object, const char *key)
{
    const struct value *list = value_find(object, str_of(key));
    return list != NULL && list->kind == VALUE_ARRAY ? list : &empty_list;
}

static struct str text_of(struct arena *arena, const struct value *object, const char *key, size_t columns)
{
    return cells_text(arena, value_str_at(object, key, STR("")), columns);
}

/* A value as it would be typed: strings bare, other things as JSON, nothing for null. */
static void add_value(struct strbuf *out, const struct value *value)
{
    if (value->kind == VALUE_STRING) {
        strbuf_add(out, value->string);
    } else if (value->kind != VALUE_NULL) {
        value_canonical(value, out);
    }
}

static const struct value *member(const struct value *object, const char *key)
{
    static const struct value null = {.kind = VALUE_NULL};
    const struct value *found = value_find(object, str_of(key));
    return found != NULL ? found : &null;
}

/* "one of a, b" or "integer from 0 to 9". */
static void add_type(struct strbuf *out, const struct value *option)
{
    static const char *const bounds[][2] = {{"min", " from "}, {"max", " to "}};
    const struct value *values = list_of(option, "values");
    strbuf_add(out, values->count > 0 ? STR("one of ") : value_str_at(option, "type", STR("")));
    for (size_t i = 0; i < values->count; i++) {
        strbuf_add(out, i > 0 ? STR(", ") : STR(""));
        add_value(out, &values->items[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        const struct value *bound = member(option, bounds[i][0]);
        if (bound->kind != VALUE_NULL) {
            strbuf_add(out, str_of(bounds[i][1]));
            add_value(out, bound);
        }
    }
}

/* "scan only the first N files [integer from 0, default 0]" */
static struct str meaning_of(struct arena *arena, const struct value *option)
{
    struct strbuf out;
    strbuf_init(&out, arena, MEANING_CEILING);
    struct str help = value_str_at(option, "help", STR(""));
    strbuf_add(&out, help);
    strbuf_add(&out, help.len > 0 ? STR(" [") : STR("["));
    add_type(&out, option);
    const struct value *value = member(option, "default");
    if (value->kind != VALUE_NULL) {
        strbuf_add(&out, STR(", default "));
        add_value(&out, value);
    }
    strbuf_add(&out, STR("]"));
    return cells_text(arena, strbuf_str(&out), TEXT_COLUMNS);
}

static void print_options(struct page *page, const struct value *options)
{
    size_t label_columns = 0;
    if (options->count == 0) {
        page_line(page, 0, STR("It declares no options."));
        return;
    }
    struct str *labels = arena_array(page->arena, struct str, options->count);
    for (size_t i = 0; i < options->count; i++) {
        struct str name = text_of(page->arena, &options->items[i], "name", NAME_COLUMNS);
        labels[i] = str_printf(page->arena, "--%.*s", STR_ARG(name));
        size_t columns = utf8_columns(labels[i]);
        if (columns > label_columns) {
            label_columns = columns;
        }
    }
    for (size_t i = 0; i < options->count; i++) {
        page_entry(page, 0, labels[i], label_columns + 2, meaning_of(page->arena, &options->items[i]));
    }
}

static void print_variants(struct page *page, const struct value *variants)
{
    for (size_t i = 0; i < variants->count; i++) {
        if (variants->items[i].kind != VALUE_STRING) {
            continue;
        }
        page_line(page, 0, cells_text(page->arena, variants->items[i].string, page->columns));
    }
}

void describe_print(struct page *page, const struct value *description, struct str word)
{
    struct str name = text_of(page->arena, description, "name", page->columns);
    page_paragraph(page, 0, PAGE_STRONG, name.len > 0 ? name : cells_text(page->arena, word, page->columns));
    page_paragraph(page, 0, PAGE_PLAIN, text_of(page->arena, description, "description", TEXT_COLUMNS));
    page_heading(page, STR("Usage"), STR(""));
    struct strbuf quoted;
    strbuf_init(&quoted, page->arena, word.len * 5 + 16);
    reproduce_quote(&quoted, word);
    bool has_options = list_of(description, "options")->count > 0;
    page_line(page, 0, str_printf(page->arena, "simagent %.*s%s", STR_ARG(strbuf_str(&quoted)),
                                  has_options ? " [--OPTION VALUE]..." : ""));
    page_heading(page, STR("Options"), STR("'simagent --help' has those that every scenario takes"));
    print_options(page, list_of(description, "options"));
    page_heading(page, STR("Variants"), STR("the first is the baseline unless the scenario says otherwise"));
    print_variants(page, list_of(description, "variants"));
}

/* Written to a spool first, so that a failure leaves nothing on stdout. */
static bool send(struct arena *arena, const struct opt_values *values, const struct value *description,
                 struct str word, int *exit_code, struct err *err)
{
    struct output output;
    struct opt_values no_trace = {.output = values->output};
    if (!output_open(&output, arena, &no_trace, err)) {
        return false;
    }
    struct render_style style = screen_style(output.report_path == NULL, values->no_color);
    struct page page = {
        .sink = spool_sink(&output.report), .arena = arena, .columns = style.columns, .colour = style.colour};
    describe_print(&page, description, word);
    bool sent = output_send(&output, exit_code, err);
    output_close(&output);
    return sent;
}

bool describe_scenario(struct arena *arena, const struct opt_values *values, const struct job *job, int *exit_code,
                       struct err *err)
{
    struct job describe = *job;
    struct job_end end = {0};
    struct value_builder builder;
    describe.mode = JOB_DESCRIBE;
    value_builder_init(&builder, arena, NULL);
    *exit_code = 0;
    bool fine = job_run(&describe, &builder.feed, NULL, &end, err);
    if (end.interrupted != 0) {
        *exit_code = 128 + end.interrupted;
        return true;
    }
    if (!fine) {
        return false;
    }
    if (!builder.complete) {
        return err_set(err, ERR_INTERNAL, "the description ended in its middle");
    }
    return send(arena, values, &builder.result, job->scenario, exit_code, err);
}

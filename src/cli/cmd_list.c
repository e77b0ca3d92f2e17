/* list: what the program brings along, from the tables that it runs by. */
#include <stdio.h>

#include "base/arena.h"
#include "base/suggest.h"
#include "cli/bundled.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/opt.h"
#include "cli/output.h"
#include "core/price_table.h"
#include "engine/tool.h"
#include "report/outcome.h"
#include "report/render.h"
#include "tools/builtin.h"

#define LIST_CEILING ((size_t)1 << 20)
#define NAME_COLUMN 26

static void add_row(struct strbuf *out, struct str name, struct str meaning)
{
    int pad = name.len + 2 < NAME_COLUMN ? (int)(NAME_COLUMN - name.len) : 2;
    strbuf_addf(out, "  %.*s%*s%.*s\n", STR_ARG(name), pad, "", STR_ARG(meaning));
}

/* The first comment of a bundled scenario says what it shows. */
static struct str opening_of(const struct bundled *row)
{
    struct str text = {row->bytes, row->length};
    size_t start = 0;
    while (start < text.len && (text.data[start] == '-' || text.data[start] == ' ')) {
        start++;
    }
    const char *end = memchr(text.data + start, '\n', text.len - start);
    return str_slice(text, start, end != NULL ? (size_t)(end - text.data) : text.len);
}

static void add_scenarios(struct strbuf *out)
{
    for (const struct bundled *row = bundled_scenarios; row->name != NULL; row++) {
        add_row(out, str_of(row->name), opening_of(row));
    }
}

static void add_tools(struct strbuf *out)
{
    for (size_t i = 0; builtin_tools[i] != NULL; i++) {
        add_row(out, builtin_tools[i]->name, builtin_tools[i]->description);
    }
}

/* USD per million tokens; prices are whole microdollars per million tokens. */
static void add_price(struct strbuf *out, int64_t picodollars)
{
    if (picodollars == PRICE_MISSING) {
        strbuf_add(out, STR("?"));
        return;
    }
    int64_t decimals = picodollars % 1000000;
    strbuf_addf(out, "%lld", (long long)(picodollars / 1000000));
    if (decimals != 0) {
        char digits[8];
        size_t length = (size_t)snprintf(digits, sizeof digits, "%06lld", (long long)decimals);
        while (length > 2 && digits[length - 1] == '0') {
            length--;
        }
        strbuf_addf(out, ".%.*s", (int)length, digits);
    }
}

static bool is_newest_of_model(size_t row)
{
    return row + 1 == price_table_count || strcmp(price_table[row + 1].model, price_table[row].model) != 0;
}

static void add_models(struct strbuf *out)
{
    for (size_t i = 0; i < price_table_count; i++) {
        const struct price_table_row *row = &price_table[i];
        if (!is_newest_of_model(i)) {
            continue;
        }
        size_t length = strlen(row->model);
        strbuf_addf(out, "  %s%*s", row->model, length + 2 < 2 * NAME_COLUMN ? (int)(2 * NAME_COLUMN - length) : 2, "");
        add_price(out, row->price.base.input);
        strbuf_add(out, STR(" in, "));
        add_price(out, row->price.base.output);
        strbuf_add(out, STR(" out\n"));
    }
}

/* Hundreds of rows would hide all that stands before them. */
static void count_models(struct strbuf *out)
{
    size_t count = 0;
    for (size_t i = 0; i < price_table_count; i++) {
        count += is_newest_of_model(i);
    }
    strbuf_addf(out, "  %zu models: 'simagent list models' has them with their prices\n", count);
}

static void add_formats(struct strbuf *out)
{
    for (size_t i = 0; renderers[i] != NULL; i++) {
        add_row(out, str_of(renderers[i]->name), str_of(renderers[i]->summary));
    }
    for (size_t i = 0; outcome_formats[i] != NULL; i++) {
        add_row(out, str_of(outcome_formats[i]->name), STR("results of simagent test, for --report"));
    }
}

static const struct section {
    const char *name;
    const char *title;
    void (*add)(struct strbuf *out);
    void (*add_short)(struct strbuf *out); /* where nobody asked for this section alone */
} sections[] = {
    {"scenarios", "Bundled scenarios (simagent NAME)", add_scenarios, add_scenarios},
    {"tools", "Built-in tools (tools = { \"NAME\" })", add_tools, add_tools},
    {"models", "Models with list prices (price = \"NAME\"), USD per million tokens", add_models, count_models},
    {"formats", "Formats (--format NAME)", add_formats, add_formats},
};

static bool fail_unknown(struct str word, struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, word);
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        suggest_offer(&suggest, str_of(sections[i].name));
    }
    if (suggest.best.len > 0) {
        return err_set(err, ERR_USAGE, "list knows no '%.*s' (did you mean '%.*s'?)", STR_ARG(word),
                       STR_ARG(suggest.best));
    }
    return err_set(err, ERR_USAGE, "list knows no '%.*s': scenarios, tools, models or formats", STR_ARG(word));
}

static void add_title(struct strbuf *out, const char *title)
{
    strbuf_addf(out, "%s%s:\n", out->len > 0 ? "\n" : "", title);
}

static void add_overview(struct strbuf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        add_title(out, sections[i].title);
        sections[i].add_short(out);
    }
}

static bool add_section(struct strbuf *out, struct str word, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
        if (str_eq(word, str_of(sections[i].name))) {
            add_title(out, sections[i].title);
            sections[i].add(out);
            return true;
        }
    }
    return fail_unknown(word, err);
}

static bool run(struct arena *arena, const struct opt_values *values, const struct str_list *words, int *exit_code,
                struct err *err)
{
    struct strbuf out;
    strbuf_init(&out, arena, LIST_CEILING);
    if (values->help) {
        return output_text(help_command(arena, &command_list), exit_code, err);
    }
    if (values->option_count > 0) {
        return err_set(err, ERR_USAGE, "list takes no --%.*s", STR_ARG(values->options[0].name));
    }
    if (!str_eq(values->format, STR("text"))) {
        return err_set(err, ERR_USAGE, "list prints text and nothing else, not %.*s", STR_ARG(values->format));
    }
    if (words->count == 0) {
        add_overview(&out);
    }
    for (size_t i = 0; i < words->count; i++) {
        if (!add_section(&out, words->items[i], err)) {
            return false;
        }
    }
    return output_text(strbuf_str(&out), exit_code, err);
}

const struct command command_list = {
    .name = "list",
    .usage = "[scenarios|tools|models|formats]",
    .summary = "what the program brings along",
    .run = run,
    .help =
        "Lists the bundled scenarios, the built-in tools, the models whose list prices are known, and the\n"
        "formats of reports: all of them but the models, which are many, or those that are named.\n",
};

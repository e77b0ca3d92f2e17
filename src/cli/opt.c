#include "cli/opt.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/suggest.h"
#include "cli/number.h"
#include "cli/opt_table.h"
#include "report/render.h"

#define HELP_COLUMN 28

/* The words of the command line still to be read. */
struct scan {
    char *const *argv;
    size_t count;
    size_t next;
    struct opt_values *values;
    struct err *err;
};

/* The flags that the command has for itself; an empty table if it has none. */
static const struct opt_row *rows_of(struct str command)
{
    static const struct opt_row none[] = {{NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL}};
    for (const struct opt_group *group = opt_groups; group->command != NULL; group++) {
        if (str_eq(command, str_of(group->command))) {
            return group->rows;
        }
    }
    return none;
}

static struct str command_of(const struct opt_values *values)
{
    return values->words.count > 0 ? values->words.items[0] : (struct str){0};
}

static const struct opt_row *row_in(const struct opt_row *rows, struct str name, char letter)
{
    for (const struct opt_row *row = rows; row->name != NULL; row++) {
        if (name.len > 0 ? str_eq(name, str_of(row->name)) : row->letter != 0 && row->letter == letter) {
            return row;
        }
    }
    return NULL;
}

/* By name, or by letter if the name is empty. */
static const struct opt_row *row_of(const struct scan *scan, struct str name, char letter)
{
    const struct opt_row *row = row_in(opt_rows, name, letter);
    return row != NULL ? row : row_in(rows_of(command_of(scan->values)), name, letter);
}

struct str opt_suggest(const struct opt_values *values, struct str wanted)
{
    const struct opt_row *const tables[] = {opt_rows, rows_of(command_of(values))};
    struct suggest suggest;
    suggest_init(&suggest, wanted);
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        for (const struct opt_row *row = tables[i]; row->name != NULL; row++) {
            suggest_offer(&suggest, str_of(row->name));
        }
    }
    return suggest.best;
}

/* " (did you mean --json?)" or nothing. */
static void add_suggestion(char out[96], const struct opt_values *values, struct str wanted)
{
    struct str best = opt_suggest(values, wanted);
    out[0] = '\0';
    if (best.len > 0) {
        snprintf(out, 96, " (did you mean --%.*s?)", STR_ARG(best));
    }
}

/* Values */

static bool set_text(void *target, struct str value)
{
    memcpy(target, &value, sizeof value);
    return true;
}

static bool set_format(void *target, struct str value, struct err *err)
{
    if (render_find(value) != NULL) {
        return set_text(target, value);
    }
    struct suggest suggest;
    suggest_init(&suggest, value);
    char names[128] = "";
    for (size_t i = 0; renderers[i] != NULL; i++) {
        suggest_offer(&suggest, str_of(renderers[i]->name));
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", renderers[i]->name);
    }
    if (suggest.best.len == 0) {
        return err_set(err, ERR_USAGE, "--format: unknown format '%.*s' (there are %s)", STR_ARG(value), names);
    }
    return err_set(err, ERR_USAGE, "--format: unknown format '%.*s' (did you mean %.*s?)", STR_ARG(value),
                   STR_ARG(suggest.best));
}

static bool set_unit(void *target, struct str value, struct err *err)
{
    static const char *const units[] = {"chars", "bytes", "tokens"};
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (str_eq(value, str_of(units[i]))) {
            return set_text(target, value);
        }
    }
    return err_set(err, ERR_USAGE, "--unit: unknown unit '%.*s' (chars, bytes or tokens)", STR_ARG(value));
}

static bool set_number(const struct opt_row *row, int64_t *target, struct str value, struct err *err)
{
    bool fine = row->kind == OPT_SIZE ? number_parse_size(value, target) : number_parse(value, target);
    const char *wanted = row->kind == OPT_SIZE    ? "a size such as 512M or 4G"
                         : row->kind == OPT_COUNT ? "a whole number from 1"
                                                  : "a whole number";
    if (fine && (row->kind == OPT_INTEGER || *target >= 1)) {
        return true;
    }
    if (!fine && number_is_whole(value)) {
        return err_set(err, ERR_USAGE, "--%s: %.*s is out of range", row->name, STR_ARG(value));
    }
    return err_set(err, ERR_USAGE, "--%s: '%.*s' is not %s", row->name, STR_ARG(value), wanted);
}

static void add_option(struct opt_values *values, struct str name, struct str value)
{
    values->options[values->option_count++] = (struct job_option){.name = name, .value = value};
}

/* The flag that a scenario's option of this name would be taken for. */
static const struct opt_row *flag_called(struct str name)
{
    for (const struct opt_row *row = opt_rows; row->name != NULL; row++) {
        struct str flag = str_of(row->name);
        size_t same = 0;
        while (flag.len == name.len && same < name.len &&
               (flag.data[same] == name.data[same] || (flag.data[same] == '-' && name.data[same] == '_'))) {
            same++;
        }
        if (flag.len == name.len && same == name.len) {
            return row;
        }
    }
    return NULL;
}

static bool set_option(struct opt_values *values, struct str value, struct err *err)
{
    const char *equals = value.len > 0 ? memchr(value.data, '=', value.len) : NULL;
    size_t name = equals != NULL ? (size_t)(equals - value.data) : 0;
    if (name == 0) {
        return err_set(err, ERR_USAGE, "--set: '%.*s' is not NAME=VALUE", STR_ARG(value));
    }
    const struct opt_row *flag = flag_called(str_slice(value, 0, name));
    if (flag != NULL) {
        return err_set(err, ERR_USAGE, "--set: --%s is a flag of its own and cannot be set; give --%s%s%s", flag->name,
                       flag->name, flag->word != NULL ? " " : "", flag->word != NULL ? flag->word : "");
    }
    add_option(values, str_slice(value, 0, name), str_slice(value, name + 1, value.len));
    return true;
}

static bool add_to_list(struct str_list *list, struct str value)
{
    list->items[list->count++] = value;
    return true;
}

static bool set_choice(struct opt_choice *choice, struct str value)
{
    choice->given = true;
    return value.data == NULL || add_to_list(&choice->names, value);
}

/* Puts a value where the row says.  Flags that take none get an empty one. */
static bool store(const struct opt_row *row, struct opt_values *values, struct str value, struct err *err)
{
    void *target = (char *)values + row->target;
    switch (row->kind) {
    case OPT_FLAG: *(bool *)target = true; return true;
    case OPT_CONST: return set_text(target, str_of(row->constant));
    case OPT_FORMAT: return set_format(target, value, err);
    case OPT_UNIT: return set_unit(target, value, err);
    case OPT_INTEGER:
    case OPT_COUNT:
    case OPT_SIZE: return set_number(row, target, value, err);
    case OPT_SET: return set_option(values, value, err);
    case OPT_CHOICE: return set_choice(target, value);
    case OPT_TEXTS:
    case OPT_PATH:
    case OPT_PATHS: break;
    }
    if (value.len == 0) {
        return err_set(err, ERR_USAGE, "--%s: the %s is empty", row->name, row->kind == OPT_TEXTS ? "value" : "path");
    }
    return row->kind == OPT_PATH ? set_text(target, value) : add_to_list(target, value);
}

/* Words */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What may follow a scenario option as its value: `-5`, `-.5` and `-` are values, `-o` and `--x` are flags. */
static bool is_value(const char *word)
{
    if (word[0] != '-' || word[1] == '\0') {
        return true;
    }
    return is_digit(word[1]) || (word[1] == '.' && is_digit(word[2]));
}

static bool take_value(struct scan *scan, const struct opt_row *row, struct str *value)
{
    const char *word = scan->next < scan->count ? scan->argv[scan->next] : NULL;
    if (word == NULL || strncmp(word, "--", 2) == 0) {
        return err_set(scan->err, ERR_USAGE, "--%s needs a value: --%s %s", row->name, row->name, row->word);
    }
    *value = str_of(word);
    scan->next++;
    return true;
}

static bool read_known(struct scan *scan, const struct opt_row *row, struct str attached)
{
    struct str value = attached;
    if (row->word == NULL && row->kind != OPT_CHOICE && attached.data != NULL) {
        return err_set(scan->err, ERR_USAGE, "--%s takes no value", row->name);
    }
    if (row->word != NULL && attached.data == NULL && !take_value(scan, row, &value)) {
        return false;
    }
    return store(row, scan->values, value, scan->err);
}

static bool read_scenario_option(struct scan *scan, struct str name, struct str attached)
{
    struct opt_values *values = scan->values;
    struct str value = attached;
    if (attached.data == NULL && scan->next < scan->count && is_value(scan->argv[scan->next])) {
        value = str_of(scan->argv[scan->next++]);
        if (values->words.count == 0) {
            values->swallower = name;
            values->swallowed = value;
        }
    }
    add_option(values, name, value);
    return true;
}

/* `--NAME`, `--NAME VALUE`, `--NAME=VALUE`. */
static bool read_long(struct scan *scan, struct str word)
{
    struct str name = str_slice(word, 2, word.len);
    struct str attached = {0};
    const char *equals = memchr(name.data, '=', name.len);
    if (equals != NULL) {
        size_t length = (size_t)(equals - name.data);
        attached = str_slice(name, length + 1, name.len);
        name = str_slice(name, 0, length);
    }
    if (name.len == 0) {
        return err_set(scan->err, ERR_USAGE, "'%.*s' names no option", STR_ARG(word));
    }
    const struct opt_row *row = row_of(scan, name, 0);
    return row != NULL ? read_known(scan, row, attached) : read_scenario_option(scan, name, attached);
}

/* `-o FILE`, `-oFILE`, `-q`. */
static bool read_short(struct scan *scan, struct str word)
{
    const struct opt_row *row = row_of(scan, (struct str){0}, word.data[1]);
    if (row != NULL && row->word == NULL && word.len == 2) {
        return read_known(scan, row, (struct str){0});
    }
    if (row != NULL && row->word != NULL) {
        return read_known(scan, row, word.len > 2 ? str_slice(word, 2, word.len) : (struct str){0});
    }
    char suggestion[96];
    add_suggestion(suggestion, scan->values, str_slice(word, 1, word.len));
    return err_set(scan->err, ERR_USAGE, "unknown flag '%.*s'%s", STR_ARG(word), suggestion);
}

static void add_word(struct scan *scan, struct str word)
{
    struct str_list *words = &scan->values->words;
    words->items[words->count++] = word;
}

static bool read_word(struct scan *scan)
{
    struct str word = str_of(scan->argv[scan->next++]);
    if (str_starts(word, STR("--"))) {
        return read_long(scan, word);
    }
    if (word.len > 1 && word.data[0] == '-') {
        return read_short(scan, word);
    }
    add_word(scan, word);
    return true;
}

static struct str_list flag_names(struct arena *arena)
{
    struct str_list names = {0};
    while (opt_rows[names.count].name != NULL) {
        names.count++;
    }
    names.items = arena_array(arena, struct str, names.count);
    for (size_t i = 0; i < names.count; i++) {
        names.items[i] = str_of(opt_rows[i].name);
    }
    return names;
}

/* No list can be longer than the command line. */
static struct opt_values defaults(struct arena *arena, size_t count)
{
    return (struct opt_values){
        .words.items = arena_array(arena, struct str, count + 1),
        .options = arena_array(arena, struct job_option, count + 1),
        .allow_read.items = arena_array(arena, struct str, count + 1),
        .update.names.items = arena_array(arena, struct str, count + 1),
        .tolerances.items = arena_array(arena, struct str, count + 1),
        .ratchets.items = arena_array(arena, struct str, count + 1),
        .reports.items = arena_array(arena, struct str, count + 1),
        .fail_on.items = arena_array(arena, struct str, count + 1),
        .names = flag_names(arena),
        .format = STR("text"),
        .max_seconds = 60,
        .max_memory = INT64_C(256) << 20,
    };
}

static bool check_outputs(const struct opt_values *values, struct err *err)
{
    if (str_eq(values->trace, STR("-"))) {
        return err_set(err, ERR_USAGE, "--trace: stdout carries the report; give a file");
    }
    if (values->trace.len > 0 && str_eq(values->trace, values->output)) {
        return err_set(err, ERR_USAGE, "--output and --trace name the same file '%.*s'", STR_ARG(values->trace));
    }
    return true;
}

bool opt_parse(struct arena *arena, int argc, char *const argv[], struct opt_values *values, struct err *err)
{
    size_t count = argc > 0 ? (size_t)argc : 0;
    *values = defaults(arena, count);
    struct scan scan = {.argv = argv, .count = count, .values = values, .err = err};
    while (scan.next < count && strcmp(argv[scan.next], "--") != 0) {
        if (!read_word(&scan)) {
            return false;
        }
    }
    if (scan.next < count) {
        scan.next++;
    }
    while (scan.next < count) {
        add_word(&scan, str_of(argv[scan.next++]));
    }
    return check_outputs(values, err);
}

static void add_rows(struct strbuf *out, const struct opt_row *rows)
{
    for (const struct opt_row *row = rows; row->name != NULL; row++) {
        if (row->help == NULL) {
            continue;
        }
        size_t start = out->len;
        if (row->letter != 0) {
            strbuf_addf(out, "  -%c, --%s", row->letter, row->name);
        } else {
            strbuf_addf(out, "      --%s", row->name);
        }
        if (row->word != NULL) {
            strbuf_addf(out, " %s", row->word);
        }
        if (row->kind == OPT_CHOICE) {
            strbuf_add(out, STR("[=NAME]"));
        }
        size_t used = out->len - start;
        strbuf_addf(out, "%*s%s\n", used + 2 < HELP_COLUMN ? (int)(HELP_COLUMN - used) : 2, "", row->help);
    }
}

void opt_help(struct strbuf *out)
{
    add_rows(out, opt_rows);
}

void opt_help_command(struct strbuf *out, struct str command)
{
    add_rows(out, rows_of(command));
}

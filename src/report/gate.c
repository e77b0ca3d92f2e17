#include "report/gate.h"

#include <math.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/value.h"
#include "report/cells.h"
#include "report/sheet.h"

#define RULE_COLUMNS 24

enum number_style { PLAIN_NUMBER, MULTIPLIER, RATIO };

struct known_rule {
    const char *rule;
    const char *heading;
    enum number_style style;
    bool strict; /* its floor must be passed, meeting it is not enough */
};

static const struct known_rule known_rules[] = {
    {"min_cumulative", "cumulative", PLAIN_NUMBER, false},
    {"min_reread_multiplier", "re-read", MULTIPLIER, false},
    {"min_boundary_savings_ratio", "boundary saves", RATIO, false},
    {"min_tool_calls", "tool calls", PLAIN_NUMBER, false},
    {"min_result_tokens", "result tokens", PLAIN_NUMBER, false},
    {"min_overhead_multiple", "results / overhead", MULTIPLIER, true},
    {"min_overhead_calls", "tool calls", PLAIN_NUMBER, false},
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

size_t gate_rules_place(const struct gate_rules *rules, struct str rule)
{
    size_t place = 0;
    while (place < rules->count && !str_eq(rules->rules[place], rule)) {
        place++;
    }
    return place;
}

static void add_rule(struct gate_rules *rules, struct str rule)
{
    if (rule.len > 0 && rules->count < GATE_RULES_MAX && gate_rules_place(rules, rule) == rules->count) {
        rules->rules[rules->count++] = rule;
    }
}

static void add_list(struct gate_rules *rules, const struct value *list)
{
    for (size_t i = 0; i < list->count; i++) {
        add_rule(rules, value_str_at(&list->items[i], "rule", STR("")));
    }
}

void gate_rules_add(struct gate_rules *rules, const struct value *verdict)
{
    add_list(rules, sheet_list(verdict, "triggered_rules"));
    add_list(rules, sheet_list(verdict, "failed_rules"));
}

void gate_rules_order(struct gate_rules *rules)
{
    struct gate_rules found = *rules;
    rules->count = 0;
    for (size_t i = 0; i < ARRAY_LEN(known_rules); i++) {
        struct str rule = str_of(known_rules[i].rule);
        if (gate_rules_place(&found, rule) < found.count) {
            add_rule(rules, rule);
        }
    }
    for (size_t i = 0; i < found.count; i++) {
        add_rule(rules, found.rules[i]);
    }
}

struct str gate_heading(struct arena *arena, struct str rule)
{
    const struct known_rule *known = known_rule(rule);
    return known != NULL ? str_of(known->heading) : cells_name(arena, rule, RULE_COLUMNS);
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

/* Beside a sign there is no room for another, so what is nearly nothing or all has more decimals. */
static struct str ratio_text(struct arena *arena, double ratio)
{
    struct str text = cells_percent(arena, ratio);
    bool bound = str_starts(text, STR("<")) || str_starts(text, STR(">"));
    return bound ? cells_decimal(arena, 100 * ratio, 3, " %") : text;
}

static struct str number_text(struct arena *arena, const struct value *number, enum number_style style)
{
    switch (style) {
    case PLAIN_NUMBER: return plain_number(arena, number);
    case MULTIPLIER: return cells_decimal(arena, sheet_real(number), 2, "");
    case RATIO: return ratio_text(arena, sheet_real(number));
    }
    UNREACHABLE();
}

static const char *sign_of(bool strict, bool passed)
{
    if (strict) {
        return passed ? ">" : "≤";
    }
    return passed ? "≥" : "<";
}

struct str gate_text(struct arena *arena, const struct value *row, bool passed)
{
    const struct value *value = sheet_number(row, "value");
    const struct value *threshold = sheet_number(row, "threshold");
    if (value == NULL || threshold == NULL) {
        return passed ? STR("passed") : STR("failed");
    }
    const struct known_rule *known = known_rule(value_str_at(row, "rule", STR("")));
    enum number_style style = known != NULL ? known->style : PLAIN_NUMBER;
    bool strict = known != NULL && known->strict;
    struct str left = number_text(arena, value, style);
    struct str right = number_text(arena, threshold, style);
    if (passed == strict && str_eq(left, right)) { /* the sign says that they differ */
        left = exact_number(arena, value);
        right = exact_number(arena, threshold);
    }
    return str_printf(arena, "%.*s %s %.*s", STR_ARG(left), sign_of(strict, passed), STR_ARG(right));
}

#include "report/fail_on.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/suggest.h"
#include "base/value.h"
#include "report/delta.h"

#define LIMIT_BYTES 40 /* of a limit, at most */

/* --- reading a rule --- */

static struct str trimmed(struct str s)
{
    while (s.len > 0 && s.data[0] == ' ') {
        s = str_slice(s, 1, s.len);
    }
    while (s.len > 0 && s.data[s.len - 1] == ' ') {
        s.len--;
    }
    return s;
}

/* The last > or <, since a variant's name may hold one; s.len if there is none. */
static size_t find_operator(struct str s)
{
    size_t at = s.len;
    while (at > 0 && s.data[at - 1] != '>' && s.data[at - 1] != '<') {
        at--;
    }
    return at > 0 ? at - 1 : s.len;
}

/* digits, with decimals or without */
static bool is_decimal(struct str s)
{
    size_t digits = 0;
    size_t dots = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] >= '0' && s.data[i] <= '9') {
            digits++;
        } else if (s.data[i] != '.' || dots++ > 0) {
            return false;
        }
    }
    return digits > 0;
}

static bool parse_limit(struct str text, struct fail_on *rule)
{
    char room[LIMIT_BYTES];
    bool has_sign = text.len > 0 && (text.data[0] == '+' || text.data[0] == '-');
    bool negative = has_sign && text.data[0] == '-';
    bool percent = text.len > 0 && text.data[text.len - 1] == '%';
    struct str number = trimmed(str_slice(text, has_sign, text.len - (percent && text.len > (size_t)has_sign)));
    if (!is_decimal(number) || number.len >= sizeof room) {
        return false;
    }
    memcpy(room, number.data, number.len);
    room[number.len] = '\0';
    rule->limit = negative ? -strtold(room, NULL) : strtold(room, NULL);
    rule->measure = percent ? FAIL_ON_PERCENT : has_sign ? FAIL_ON_CHANGE : FAIL_ON_VALUE;
    return true;
}

bool fail_on_parse(struct str text, struct fail_on *rule, struct err *err)
{
    size_t at = find_operator(text);
    *rule = (struct fail_on){.text = text, .target = trimmed(str_slice(text, 0, at))};
    if (at == text.len) {
        return err_set(err, ERR_USAGE, "--fail-on: '%.*s' has no > or <: \"VARIANT.METRIC > +5%%\"", STR_ARG(text));
    }
    bool above = text.data[at] == '>';
    bool equal = at + 1 < text.len && text.data[at + 1] == '=';
    struct str limit = trimmed(str_slice(text, at + 1 + equal, text.len));
    rule->op = above ? (equal ? FAIL_ON_AT_LEAST : FAIL_ON_ABOVE) : (equal ? FAIL_ON_AT_MOST : FAIL_ON_BELOW);
    if (memchr(rule->target.data, '.', rule->target.len) == NULL) {
        return err_set(err, ERR_USAGE, "--fail-on: '%.*s' is no VARIANT.METRIC (VARIANT may be *)",
                       STR_ARG(rule->target));
    }
    if (!parse_limit(limit, rule)) {
        return err_set(err, ERR_USAGE, "--fail-on: '%.*s' is no limit such as 20000, +100, -100, +5%% or -5%%",
                       STR_ARG(limit));
    }
    return true;
}

/* --- what a rule is about --- */

struct target {
    bool all;
    struct str variant;
    struct str metric;
};

struct judging {
    struct arena *arena;
    const struct delta *deltas;
    size_t delta_count;
    struct fail_on_findings *findings;
    size_t room;
};

static bool is_about(struct str target, struct str variant)
{
    return target.len > variant.len + 1 && str_starts(target, variant) && target.data[variant.len] == '.';
}

/* Names may hold dots, so the longest that fits is meant.  Without one it is what stands before the first dot. */
static struct target target_of(const struct judging *judging, const struct fail_on *rule)
{
    struct str text = rule->target;
    struct target target = {.all = str_starts(text, STR("*."))};
    size_t length = target.all ? 1 : 0;
    for (size_t d = 0; !target.all && d < judging->delta_count; d++) {
        for (size_t v = 0; v < judging->deltas[d].count; v++) {
            struct str name = judging->deltas[d].variants[v].name;
            length = is_about(text, name) && name.len > length ? name.len : length;
        }
    }
    if (length == 0) {
        while (text.data[length] != '.') {
            length++;
        }
    }
    target.variant = str_slice(text, 0, length);
    target.metric = str_slice(text, length + 1, text.len);
    return target;
}

static bool is_meant(const struct target *target, struct str variant)
{
    return target->all || str_eq(target->variant, variant);
}

static bool fail_unknown(struct str target, const char *what, struct str name, const struct suggest *suggest,
                         struct err *err)
{
    if (suggest->best.len > 0) {
        return err_set(err, ERR_USAGE, "--fail-on %.*s: %s '%.*s' in these reports (did you mean '%.*s'?)",
                       STR_ARG(target), what, STR_ARG(name), STR_ARG(suggest->best));
    }
    return err_set(err, ERR_USAGE, "--fail-on %.*s: %s '%.*s' in these reports", STR_ARG(target), what, STR_ARG(name));
}

/* True if some report has the number; otherwise the error names the nearest. */
static bool check_known(const struct judging *judging, const struct fail_on *rule, const struct target *target,
                        struct err *err)
{
    struct suggest variants;
    struct suggest metrics;
    bool any = false;
    suggest_init(&variants, target->variant);
    suggest_init(&metrics, target->metric);
    for (size_t d = 0; d < judging->delta_count; d++) {
        for (size_t v = 0; v < judging->deltas[d].count; v++) {
            const struct delta_variant *variant = &judging->deltas[d].variants[v];
            suggest_offer(&variants, variant->name);
            if (!is_meant(target, variant->name)) {
                continue;
            }
            any = true;
            if (delta_find(variant, target->metric) != NULL) {
                return true;
            }
            for (size_t i = 0; i < variant->count; i++) {
                suggest_offer(&metrics, variant->rows[i].metric);
            }
        }
    }
    return any ? fail_unknown(rule->target, "there is no metric", target->metric, &metrics, err)
               : fail_unknown(rule->target, "there is no variant", target->variant, &variants, err);
}

/* --- judging --- */

static long double number_of(const struct value *number)
{
    return number->kind == VALUE_INT ? (long double)number->integer : (long double)number->real;
}

static bool holds(enum fail_on_op op, long double number, long double limit)
{
    switch (op) {
    case FAIL_ON_ABOVE: return number > limit;
    case FAIL_ON_AT_LEAST: return number >= limit;
    case FAIL_ON_BELOW: return number < limit;
    case FAIL_ON_AT_MOST: return number <= limit;
    }
    UNREACHABLE();
}

/* Percent are judged without dividing, so that old = 0 needs no case: any rise is above every percentage. */
static bool exceeds(const struct fail_on *rule, const struct delta_row *row)
{
    long double now = number_of(row->now);
    if (rule->measure == FAIL_ON_VALUE) {
        return holds(rule->op, now, rule->limit);
    }
    long double old = number_of(row->old);
    if (rule->measure == FAIL_ON_CHANGE) {
        return holds(rule->op, now - old, rule->limit);
    }
    long double size = old < 0 ? -old : old;
    return holds(rule->op, (now - old) * 100, size * rule->limit);
}

/* I1: why a row cannot be judged, or NULL. */
static const char *reason_against(const struct fail_on *rule, const struct delta_variant *variant,
                                  const struct delta_row *row)
{
    if (variant->side == DELTA_OLD_ONLY) {
        return "the variant is missing";
    }
    if (row == NULL || row->now == NULL) {
        return "the metric is missing";
    }
    return row->old == NULL && rule->measure != FAIL_ON_VALUE ? "the reference has no such number" : NULL;
}

static void add_finding(struct judging *judging, struct fail_on_finding finding)
{
    struct fail_on_findings *findings = judging->findings;
    if (findings->count == judging->room) {
        size_t room = judging->room == 0 ? 16 : judging->room * 2;
        struct fail_on_finding *items = arena_array(judging->arena, struct fail_on_finding, room);
        if (findings->count > 0) {
            memcpy(items, findings->items, findings->count * sizeof *items);
        }
        findings->items = items;
        judging->room = room;
    }
    findings->items[findings->count++] = finding;
    findings->ok = findings->ok && !finding.failed;
}

/* Under `*` a variant need not have the number, but one that had it must have it still; a new one has nothing to be
 * compared with. */
static bool is_left_out(const struct target *target, const struct delta_row *row, const char *reason)
{
    return target->all && reason != NULL && (row == NULL || row->old == NULL);
}

static void judge_delta(struct judging *judging, const struct fail_on *rule, const struct target *target,
                        const struct delta *delta)
{
    size_t before = judging->findings->count;
    for (size_t v = 0; v < delta->count; v++) {
        const struct delta_variant *variant = &delta->variants[v];
        if (!is_meant(target, variant->name)) {
            continue;
        }
        const struct delta_row *row = delta_find(variant, target->metric);
        const char *reason = reason_against(rule, variant, row);
        if (is_left_out(target, row, reason)) {
            continue;
        }
        add_finding(judging, (struct fail_on_finding){.rule = rule,
                                                      .delta = delta,
                                                      .variant = variant->name,
                                                      .metric = target->metric,
                                                      .row = row,
                                                      .reason = reason,
                                                      .failed = reason != NULL || exceeds(rule, row)});
    }
    if (judging->findings->count == before) {
        add_finding(judging, (struct fail_on_finding){.rule = rule,
                                                      .delta = delta,
                                                      .variant = target->variant,
                                                      .metric = target->metric,
                                                      .reason = target->all ? "no variant can be compared"
                                                                            : "the variant is missing",
                                                      .failed = true});
    }
}

bool fail_on_judge(struct arena *arena, const struct fail_on *rules, size_t rule_count, const struct delta *deltas,
                   size_t delta_count, struct fail_on_findings *findings, struct err *err)
{
    struct judging judging = {.arena = arena, .deltas = deltas, .delta_count = delta_count, .findings = findings};
    *findings = (struct fail_on_findings){.ok = true};
    for (size_t i = 0; i < rule_count; i++) {
        struct target target = target_of(&judging, &rules[i]);
        if (!check_known(&judging, &rules[i], &target, err)) {
            return false;
        }
        for (size_t d = 0; d < delta_count; d++) {
            judge_delta(&judging, &rules[i], &target, &deltas[d]);
        }
    }
    return true;
}

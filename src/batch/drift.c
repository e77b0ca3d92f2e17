#include "batch/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AMOUNT_MAX 63 /* bytes of a number */

static bool is_decimal(struct str text)
{
    size_t digits = 0;
    size_t dots = 0;
    for (size_t i = 0; i < text.len; i++) {
        digits += text.data[i] >= '0' && text.data[i] <= '9';
        dots += text.data[i] == '.';
    }
    return digits > 0 && dots <= 1 && digits + dots == text.len && text.len <= AMOUNT_MAX;
}

static bool check_metric(struct str metric, const char *flag, struct err *err)
{
    bool empty_part = metric.len == 0 || metric.data[0] == '.' || metric.data[metric.len - 1] == '.';
    for (size_t i = 1; i < metric.len; i++) {
        empty_part = empty_part || (metric.data[i] == '.' && metric.data[i - 1] == '.');
    }
    return !empty_part || err_set(err, ERR_USAGE, "%s: '%.*s' is no metric such as delegated.measurement.peak", flag,
                                  STR_ARG(metric));
}

bool drift_parse_tolerance(struct str text, struct drift_rule *rule, struct err *err)
{
    const char *equals = text.len > 0 ? memrchr(text.data, '=', text.len) : NULL;
    size_t at = equals != NULL ? (size_t)(equals - text.data) : 0;
    struct str amount = str_slice(text, equals != NULL ? at + 1 : text.len, text.len);
    bool relative = amount.len > 0 && amount.data[amount.len - 1] == '%';
    amount.len -= relative ? 1 : 0;
    if (!is_decimal(amount)) {
        return err_set(err, ERR_USAGE, "--tolerance: '%.*s' is not METRIC=1%% or METRIC=5", STR_ARG(text));
    }
    char digits[AMOUNT_MAX + 1] = {0};
    memcpy(digits, amount.data, amount.len);
    *rule = (struct drift_rule){
        .kind = relative ? DRIFT_RELATIVE : DRIFT_ABSOLUTE,
        .metric = str_slice(text, 0, at),
        .amount = strtod(digits, NULL) / (relative ? 100.0 : 1.0),
    };
    return check_metric(rule->metric, "--tolerance", err);
}

bool drift_parse_ratchet(struct str text, struct drift_rule *rule, struct err *err)
{
    *rule = (struct drift_rule){.kind = DRIFT_RATCHET, .metric = text};
    return check_metric(text, "--ratchet", err);
}

bool drift_has_ratchet(const struct drift *drift)
{
    for (size_t i = 0; i < drift->count; i++) {
        if (drift->rules[i].kind == DRIFT_RATCHET) {
            return true;
        }
    }
    return false;
}

/* Takes the last part off the pattern. */
static struct str take_last(struct str *pattern)
{
    const char *dot = pattern->len > 0 ? memrchr(pattern->data, '.', pattern->len) : NULL;
    size_t start = dot != NULL ? (size_t)(dot - pattern->data) + 1 : 0;
    struct str last = str_slice(*pattern, start, pattern->len);
    *pattern = str_slice(*pattern, 0, start > 0 ? start - 1 : 0);
    return last;
}

bool drift_rule_is_about(const struct drift_rule *rule, const struct str *parts, size_t count)
{
    struct str left = rule->metric;
    while (left.len > 0 && count > 0) {
        struct str part = take_last(&left);
        count--;
        if (!str_eq(part, STR("*")) && !str_eq(part, parts[count])) {
            return false;
        }
    }
    return left.len == 0;
}

bool drift_is_ratcheted(const struct drift *drift, const struct str *parts, size_t count)
{
    for (size_t i = 0; i < drift->count; i++) {
        if (drift->rules[i].kind == DRIFT_RATCHET && drift_rule_is_about(&drift->rules[i], parts, count)) {
            return true;
        }
    }
    return false;
}

/* The last rule that is about the metric counts: whoever writes a special one after a general one means it. */
static bool is_tolerated(const struct drift *drift, const struct str *parts, size_t count, double old, double now)
{
    for (size_t i = drift->count; i > 0; i--) {
        const struct drift_rule *rule = &drift->rules[i - 1];
        if (rule->kind != DRIFT_RATCHET && drift_rule_is_about(rule, parts, count)) {
            double most = rule->kind == DRIFT_RELATIVE ? rule->amount * fabs(old) : rule->amount;
            return fabs(now - old) <= most;
        }
    }
    return false;
}

enum drift_verdict drift_judge(const struct drift *drift, const struct str *parts, size_t count, double old, double now)
{
    if (!drift_has_ratchet(drift)) {
        return is_tolerated(drift, parts, count, old, now) ? DRIFT_ALLOWED : DRIFT_FAILS;
    }
    if (!drift_is_ratcheted(drift, parts, count)) {
        return DRIFT_ALLOWED; /* I1 */
    }
    if (now <= old) {
        return DRIFT_SHRUNK;
    }
    return is_tolerated(drift, parts, count, old, now) ? DRIFT_ALLOWED : DRIFT_FAILS;
}

void drift_mark(struct drift *drift, const struct str *parts, size_t count)
{
    for (size_t i = 0; i < drift->count; i++) {
        struct drift_rule *rule = &drift->rules[i];
        rule->matched = rule->matched || drift_rule_is_about(rule, parts, count);
    }
}

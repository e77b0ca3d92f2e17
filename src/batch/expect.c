#include "batch/expect.h"

#include "base/arena.h"
#include "base/utf8.h"

#define SUGGESTED_MORE 256 /* bytes that a suggestion may be longer: no name that is offered has more than 64 */

static const char *kind_name(enum value_kind kind)
{
    switch (kind) {
    case VALUE_NULL:
        return "null";
    case VALUE_BOOL:
        return "a boolean";
    case VALUE_INT:
    case VALUE_REAL:
        return "a number";
    case VALUE_STRING:
        return "a string";
    default:
        return "a list or an object";
    }
}

static bool is_number(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_REAL;
}

static double as_real(const struct value *value)
{
    return value->kind == VALUE_INT ? (double)value->integer : value->real;
}

/* Integers are compared exactly, everything else as doubles. */
static int compare_numbers(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_INT && b->kind == VALUE_INT)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (as_real(a) > as_real(b)) - (as_real(a) < as_real(b));
}

static bool holds(enum expect_op op, int order)
{
    switch (op) {
    case EXPECT_EQ:
        return order == 0;
    case EXPECT_NE:
        return order != 0;
    case EXPECT_LT:
        return order < 0;
    case EXPECT_LE:
        return order <= 0;
    case EXPECT_GT:
        return order > 0;
    case EXPECT_GE:
        return order >= 0;
    }
    return false;
}

static bool fail_unknown(const struct pick *pick, struct str where, struct str metric, struct err *err)
{
    struct arena scratch;
    struct strbuf suggested;
    arena_init(&scratch);
    strbuf_init(&suggested, &scratch, 2 * metric.len + SUGGESTED_MORE);
    pick_suggest(pick, metric, &suggested);
    struct str best = strbuf_str(&suggested);
    (void)err_set(err, ERR_SCENARIO, "%.*s: expect: the report has no metric \"%.*s\"%s%.*s%s", STR_ARG(where),
                   STR_ARG(metric), best.len ? "; did you mean \"" : "", STR_ARG(best), best.len ? "\"?" : "");
    arena_close(&scratch);
    return false;
}

static bool fail_kinds(struct str where, const struct expectation *expectation, const char *got, struct err *err)
{
    const struct value *want = &expectation->want;
    if (want->kind == VALUE_STRING)
        return err_set(err, ERR_SCENARIO,
                       "%.*s: expect: \"%.*s\" is %s in the report and cannot be compared with the string \"%.*s\" "
                       "(the operators are ==, !=, <, <=, > and >=)",
                       STR_ARG(where), STR_ARG(expectation->metric), got, STR_ARG(utf8_prefix(want->string, 60)));
    return err_set(err, ERR_SCENARIO, "%.*s: expect: \"%.*s\" is %s in the report and cannot be compared with %s",
                   STR_ARG(where), STR_ARG(expectation->metric), got, kind_name(want->kind));
}

bool expect_judge(const struct pick *pick, struct str where, const struct expectation *expectation, bool *met,
                  struct err *err)
{
    const struct pick_node *node = pick_find(pick, expectation->metric);
    const struct value *want = &expectation->want;
    if (!node->seen)
        return fail_unknown(pick, where, expectation->metric, err);
    const struct value *got = &node->value;
    bool both_numbers = is_number(got) && is_number(want) && !node->is_container;
    if (node->is_container || (!both_numbers && (got->kind != want->kind || got->kind == VALUE_NULL)))
        return fail_kinds(where, expectation, node->is_container ? "a list or an object" : kind_name(got->kind), err);
    int order;
    if (both_numbers)
        order = compare_numbers(got, want);
    else if (got->kind == VALUE_STRING)
        order = str_eq(got->string, want->string) ? 0 : 1;
    else
        order = got->boolean == want->boolean ? 0 : 1;
    *met = holds(expectation->op, order);
    return true;
}

bool expect_names_stop_reason(const struct scenario *scenario, struct str variant)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++) {
        struct str metric = scenario->expectations[i].metric;
        if (metric.len == variant.len + sizeof ".stop_reason" - 1 && str_starts(metric, variant) &&
            str_eq(str_slice(metric, variant.len, metric.len), STR(".stop_reason")))
            return true;
    }
    return false;
}

/* Numbers and findings of a comparison as people read them. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/delta_own.h"
#include "report/fail_on.h"
#include "report/leaves.h"

/* Six significant digits show every change that matters; the JSON form has all. */
static struct str real_text(struct arena *arena, double real)
{
    double size = real < 0 ? -real : real;
    return str_printf(arena, "%s%.6g", real < 0 ? "−" : "", size);
}

struct str delta_cell_number(struct arena *arena, struct str metric, const struct value *number)
{
    if (number == NULL || number->kind == VALUE_NULL) {
        return CELLS_NONE;
    }
    if (number->kind == VALUE_REAL) {
        return real_text(arena, number->real);
    }
    struct str unit = leaves_unit(metric, STR(""));
    if (str_eq(unit, STR("picodollars"))) {
        return cells_usd(arena, number->integer);
    }
    if (str_eq(unit, STR("us")) && number->integer >= 0) {
        return cells_duration(arena, number->integer);
    }
    return cells_integer(arena, number->integer);
}

static bool is_negative(const struct value *number)
{
    return number->kind == VALUE_INT ? number->integer < 0 : number->real < 0;
}

static bool is_zero(const struct value *number)
{
    return number->kind == VALUE_INT ? number->integer == 0 : number->real == 0;
}

struct str delta_cell_difference(struct arena *arena, const struct delta_row *row)
{
    const struct value *difference = &row->difference;
    if (difference->kind == VALUE_NULL) {
        return CELLS_NONE;
    }
    struct value size = *difference;
    const char *sign = is_zero(difference) ? "" : is_negative(difference) ? "−" : "+";
    if (size.kind == VALUE_INT && size.integer < 0 && size.integer > INT64_MIN) {
        size.integer = -size.integer;
    } else if (is_negative(&size)) {
        size = (struct value){.kind = VALUE_REAL, .real = size.kind == VALUE_INT ? 0x1p63 : -size.real};
    }
    struct str text = delta_cell_number(arena, row->metric, &size);
    return str_printf(arena, "%s%.*s", sign, STR_ARG(text));
}

struct str delta_cell_percent(struct arena *arena, const struct delta_row *row)
{
    return row->has_percent ? cells_change(arena, -row->percent / 100) : CELLS_NONE;
}

struct str delta_count_text(struct arena *arena, size_t changed, size_t unchanged)
{
    struct str all = cells_count(arena, (int64_t)(changed + unchanged), "metric");
    struct str some = cells_integer(arena, (int64_t)changed);
    if (changed == 0) {
        return str_printf(arena, "none of %.*s changed", STR_ARG(all));
    }
    return str_printf(arena, "%.*s of %.*s changed", STR_ARG(some), STR_ARG(all));
}

size_t delta_findings_of_rule(const struct delta_summary *summary, size_t at, size_t *failed)
{
    const struct fail_on *rule = summary->findings[at].rule;
    size_t count = 0;
    *failed = 0;
    for (; at < summary->finding_count && summary->findings[at].rule == rule; at++) {
        *failed += summary->findings[at].failed;
        count++;
    }
    return count;
}

struct str delta_finding_text(struct arena *arena, const struct fail_on_finding *finding)
{
    const struct delta_row *row = finding->row;
    if (finding->reason != NULL || row == NULL) {
        return str_of(finding->reason != NULL ? finding->reason : "there is nothing to judge");
    }
    struct str now = delta_cell_number(arena, row->metric, row->now);
    if (row->old == NULL) {
        return now;
    }
    struct str old = delta_cell_number(arena, row->metric, row->old);
    struct str difference = delta_cell_difference(arena, row);
    struct str percent = delta_cell_percent(arena, row);
    return str_printf(arena, "%.*s → %.*s, %.*s, %.*s", STR_ARG(old), STR_ARG(now), STR_ARG(difference),
                      STR_ARG(percent));
}

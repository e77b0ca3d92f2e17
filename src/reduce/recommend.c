#include "reduce/recommend.h"

#include <stddef.h>

#include "base/arena.h"
#include "base/json_write.h"

const struct thresholds thresholds_default = {
    .min_cumulative = 2000.0,
    .min_reread_multiplier = 1.5,
    .min_boundary_savings_ratio = 0.3,
    .min_tool_calls = 4.0,
    .min_result_tokens = 3000.0,
    .min_overhead_multiple = 5.0,
    .min_overhead_calls = 5.0,
    .spawn_overhead = -1.0,
};

enum { ROW_FOOTPRINT = 0, ROW_CHECKLIST = 3, ROW_OVERHEAD = 5 };

#define ROW(name) .rule = #name, .offset = offsetof(struct thresholds, name)

const struct threshold_row threshold_rows[THRESHOLD_COUNT] = {
    {ROW(min_cumulative), .whole = true},
    {ROW(min_reread_multiplier)},
    {ROW(min_boundary_savings_ratio)},
    {ROW(min_tool_calls), .whole = true},
    {ROW(min_result_tokens), .whole = true},
    {ROW(min_overhead_multiple), .strict = true},
    {ROW(min_overhead_calls), .whole = true},
    {ROW(spawn_overhead)},
};

static const char *const profile_names[PROFILES] = {
    [PROFILE_FOOTPRINT] = "footprint",
    [PROFILE_CHECKLIST] = "checklist",
    [PROFILE_OVERHEAD] = "overhead",
};

const char *profile_name(enum profile profile)
{
    return profile_names[profile];
}

bool profile_find(struct str name, enum profile *profile)
{
    for (int i = 0; i < PROFILES; i++) {
        if (str_eq(name, str_of(profile_names[i]))) {
            *profile = (enum profile)i;
            return true;
        }
    }
    return false;
}

/* Adds the gate of the next row. */
static void judge(struct recommendation *into, int first_row, const struct thresholds *thresholds, double value,
                  int64_t whole_value)
{
    const struct threshold_row *row = &threshold_rows[first_row + (int)into->gate_count];
    double threshold = *(const double *)(const void *)((const char *)thresholds + row->offset);
    into->gates[into->gate_count++] = (struct gate){
        .row = row,
        .value = value,
        .whole_value = whole_value,
        .threshold = threshold,
        .passed = row->strict ? value > threshold : value >= threshold,
    };
}

static void judge_whole(struct recommendation *into, int first_row, const struct thresholds *thresholds, int64_t value)
{
    judge(into, first_row, thresholds, (double)value, value);
}

static uint32_t count_passed(const struct recommendation *recommendation)
{
    uint32_t passed = 0;
    for (uint32_t i = 0; i < recommendation->gate_count; i++)
        passed += recommendation->gates[i].passed;
    return passed;
}

struct recommendation recommend(struct measurement measurement, const struct boundary *boundary,
                                const struct thresholds *thresholds)
{
    struct recommendation result = {.profile = PROFILE_FOOTPRINT};
    judge_whole(&result, ROW_FOOTPRINT, thresholds, measurement.cumulative);
    judge(&result, ROW_FOOTPRINT, thresholds, measure_multiplier(measurement), 0);
    if (boundary)
        judge(&result, ROW_FOOTPRINT, thresholds, boundary->ratio, 0);
    result.delegate = count_passed(&result) == result.gate_count;
    return result;
}

struct recommendation recommend_by_checklist(int64_t tool_calls, int64_t result_tokens,
                                             const struct thresholds *thresholds)
{
    struct recommendation result = {.profile = PROFILE_CHECKLIST};
    judge_whole(&result, ROW_CHECKLIST, thresholds, tool_calls);
    judge_whole(&result, ROW_CHECKLIST, thresholds, result_tokens);
    result.delegate = count_passed(&result) > 0;
    return result;
}

/* How many times the overhead fits into the results.  Beside an overhead of 0 anything is more than any multiple. */
static double overhead_multiple(int64_t result_tokens, double spawn_overhead)
{
    if (spawn_overhead > 0.0)
        return (double)result_tokens / spawn_overhead;
    return (double)result_tokens;
}

struct recommendation recommend_by_overhead(int64_t tool_calls, int64_t result_tokens, double spawn_overhead,
                                            const struct thresholds *thresholds)
{
    struct recommendation result = {.profile = PROFILE_OVERHEAD};
    judge(&result, ROW_OVERHEAD, thresholds, overhead_multiple(result_tokens, spawn_overhead), 0);
    judge_whole(&result, ROW_OVERHEAD, thresholds, tool_calls);
    /* Compared without the division, which rounds. */
    result.gates[0].passed = (double)result_tokens > thresholds->min_overhead_multiple * spawn_overhead;
    result.delegate = count_passed(&result) == result.gate_count;
    return result;
}

/* What a run held before its first turn. */
static int64_t measure_opening(const struct record *record)
{
    int64_t size = 0;
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        const struct entry *entry = transcript_entry(&record->transcript, i);
        if (entry->span.birth != 1 || (entry->role != ROLE_SYSTEM && entry->role != ROLE_USER))
            break;
        size = checked_add(size, entry->size);
    }
    return size;
}

double recommend_spawn_overhead(const struct record *root, const struct thresholds *thresholds)
{
    int64_t sum = 0;
    if (thresholds->spawn_overhead >= 0.0)
        return thresholds->spawn_overhead;
    if (root->child_count == 0)
        return SPAWN_OVERHEAD_DEFAULT;
    for (const struct record *child = root->first_child; child; child = child->next)
        sum = checked_add(sum, measure_opening(child));
    return (double)sum / root->child_count;
}

static void add_number(struct strbuf *out, double value)
{
    char text[32];
    strbuf_add(out, (struct str){text, json_format_real(text, value)});
}

static void add_value(struct strbuf *out, const struct gate *gate)
{
    char text[32];
    if (gate->row->whole)
        strbuf_add(out, (struct str){text, json_format_int(text, gate->whole_value)});
    else
        add_number(out, gate->value);
}

static void add_gates(struct strbuf *out, const struct recommendation *recommendation, bool passed)
{
    const char *before = "";
    for (uint32_t i = 0; i < recommendation->gate_count; i++) {
        const struct gate *gate = &recommendation->gates[i];
        if (gate->passed != passed)
            continue;
        strbuf_addf(out, "%s%s (", before, gate->row->rule);
        add_value(out, gate);
        strbuf_addf(out, passed ? gate->row->strict ? " > " : " >= " : gate->row->strict ? " <= " : " < ");
        add_number(out, gate->threshold);
        strbuf_addc(out, ')');
        before = ", ";
    }
}

struct str recommend_reason(struct arena *arena, const struct recommendation *recommendation)
{
    struct strbuf out;
    strbuf_init(&out, arena, 4096);
    strbuf_add(&out, recommendation->delegate ? STR("delegate: ") : STR("keep monolithic: "));
    add_gates(&out, recommendation, recommendation->delegate);
    return strbuf_str(&out);
}

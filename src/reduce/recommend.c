#include "reduce/recommend.h"

#include <stddef.h>

#include "base/arena.h"
#include "base/json_write.h"

const struct thresholds thresholds_default = {
    .min_cumulative = 2000.0,
    .min_reread_multiplier = 1.5,
    .min_boundary_savings_ratio = 0.3,
};

const struct threshold_row threshold_rows[THRESHOLD_COUNT] = {
    {"min_cumulative", offsetof(struct thresholds, min_cumulative), true},
    {"min_reread_multiplier", offsetof(struct thresholds, min_reread_multiplier), false},
    {"min_boundary_savings_ratio", offsetof(struct thresholds, min_boundary_savings_ratio), false},
};

static struct gate judge(const struct threshold_row *row, const struct thresholds *thresholds, double value)
{
    double threshold = *(const double *)((const char *)thresholds + row->offset);
    return (struct gate){.row = row, .value = value, .threshold = threshold, .passed = value >= threshold};
}

struct recommendation recommend(struct measurement measurement, const struct boundary *boundary,
                                const struct thresholds *thresholds)
{
    const double values[THRESHOLD_COUNT] = {
        (double)measurement.cumulative,
        measure_multiplier(measurement),
        boundary ? boundary->ratio : 0.0,
    };
    struct recommendation result = {.delegate = true, .gate_count = boundary ? 3 : 2};
    for (uint32_t i = 0; i < result.gate_count; i++) {
        result.gates[i] = judge(&threshold_rows[i], thresholds, values[i]);
        result.delegate = result.delegate && result.gates[i].passed;
    }
    return result;
}

static void add_number(struct strbuf *out, double value)
{
    char text[32];
    strbuf_add(out, (struct str){text, json_format_real(text, value)});
}

static void add_gates(struct strbuf *out, const struct recommendation *recommendation, bool passed)
{
    const char *before = "";
    for (uint32_t i = 0; i < recommendation->gate_count; i++) {
        const struct gate *gate = &recommendation->gates[i];
        if (gate->passed != passed)
            continue;
        strbuf_addf(out, "%s%s (", before, gate->row->rule);
        add_number(out, gate->value);
        strbuf_addf(out, passed ? " >= " : " < ");
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

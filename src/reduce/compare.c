#include "reduce/compare.h"

static double ratio(int64_t part, int64_t whole)
{
    return whole == 0 ? 0.0 : (double)part / (double)whole;
}

struct footprint compare_footprint(const struct record *root)
{
    return (struct footprint){measure_transcript(&root->transcript), measure_isolated(root)};
}

int64_t compare_total(struct footprint footprint)
{
    return checked_add(footprint.own.cumulative, footprint.isolated.cumulative);
}

struct comparison compare_footprints(struct footprint baseline, struct footprint variant)
{
    return (struct comparison){
        .parent_peak_savings_ratio = ratio(baseline.own.peak - variant.own.peak, baseline.own.peak),
        .parent_cumulative_savings_ratio =
            ratio(baseline.own.cumulative - variant.own.cumulative, baseline.own.cumulative),
        .isolated_share_of_total = ratio(variant.isolated.cumulative, compare_total(variant)),
        .total_ratio = ratio(compare_total(variant), compare_total(baseline)),
    };
}

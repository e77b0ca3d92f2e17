#include "reduce/measure.h"

static void add_turns(struct measurement *into, const struct transcript *transcript)
{
    uint32_t count;
    for (uint32_t turn = 0; turn < transcript_turns(transcript); turn += count) {
        const int64_t *contexts = chunks_run(&transcript->contexts, turn, &count);
        for (uint32_t i = 0; i < count; i++) {
            into->cumulative = checked_add(into->cumulative, contexts[i]);
            if (contexts[i] > into->peak)
                into->peak = contexts[i];
        }
    }
    into->turn_count += transcript_turns(transcript);
}

struct measurement measure_transcript(const struct transcript *transcript)
{
    struct measurement measurement = {0};
    add_turns(&measurement, transcript);
    return measurement;
}

struct measurement measure_isolated(const struct record *record)
{
    struct measurement measurement = {0};
    struct record *child = record->first_child;
    for (; child; child = record_next(record, child))
        add_turns(&measurement, &child->transcript);
    return measurement;
}

double measure_multiplier(struct measurement measurement)
{
    return measurement.peak == 0 ? 0.0 : (double)measurement.cumulative / (double)measurement.peak;
}

int64_t measure_final_context(const struct transcript *transcript)
{
    return transcript->live;
}

int64_t measure_failed_calls(struct record *root)
{
    int64_t failed = 0;
    for (struct record *record = root; record; record = record_next(root, record)) {
        uint32_t here;
        for (uint32_t i = 0; i < transcript_entries(&record->transcript); i += here) {
            const struct entry *entries = chunks_run(&record->transcript.entries, i, &here);
            for (uint32_t k = 0; k < here; k++)
                failed += (entries[k].flags & ENTRY_FAILED) != 0;
        }
    }
    return failed;
}

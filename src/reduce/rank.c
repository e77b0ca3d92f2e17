#include "reduce/rank.h"

#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/utf8.h"

static bool is_candidate(const struct entry *entry, uint32_t turns)
{
    return entry->role == ROLE_TOOL_RESULT && span_turns(entry->span, turns) > 0;
}

static void collect(const struct transcript *transcript, struct ranking *ranking)
{
    uint32_t turns = transcript_turns(transcript);
    uint32_t here;
    for (uint32_t i = 0; i < transcript_entries(transcript); i += here) {
        const struct entry *entries = chunks_run(&transcript->entries, i, &here);
        for (uint32_t k = 0; k < here; k++) {
            if (!is_candidate(&entries[k], turns))
                continue;
            uint32_t appearances = span_turns(entries[k].span, turns);
            ranking->candidates[ranking->count++] = (struct candidate){
                .entry = i + k,
                .appearances = appearances,
                .waste = checked_mul(entries[k].size, appearances - 1),
            };
        }
    }
}

static int by_waste(const void *a, const void *b)
{
    const struct candidate *left = a;
    const struct candidate *right = b;
    return (left->waste < right->waste) - (left->waste > right->waste); /* the largest first */
}

struct ranking rank_results(struct arena *arena, const struct transcript *transcript)
{
    struct ranking ranking = {0};
    if (transcript->results == 0)
        return ranking;
    ranking.candidates = arena_array_unset(arena, struct candidate, transcript->results);
    collect(transcript, &ranking);
    sort_stable(arena, ranking.candidates, ranking.count, sizeof *ranking.candidates, by_waste);
    return ranking;
}

struct str rank_label(const struct entry *entry)
{
    /* The cut comes first: a content may have no line feed for a long way. */
    struct str label = utf8_prefix(entry_content(entry), RANK_LABEL_CODE_POINTS);
    const char *line_feed = label.len ? memchr(label.data, '\n', label.len) : NULL;
    if (line_feed)
        label.len = (size_t)(line_feed - label.data);
    return label;
}

static bool has_role(const struct transcript *transcript, uint32_t index, enum role role)
{
    return transcript_entry(transcript, index)->role == role;
}

struct str rank_arguments(const struct transcript *transcript, uint32_t result, struct str tool)
{
    uint32_t first = result; /* of the turn's results, which stand right behind its calls and in their order */
    while (first > 0 && has_role(transcript, first - 1, ROLE_TOOL_RESULT))
        first--;
    uint32_t calls = first;
    while (calls > 0 && has_role(transcript, calls - 1, ROLE_TOOL_CALL))
        calls--;
    if (result - first >= first - calls)
        return (struct str){0};
    struct str call = entry_content(transcript_entry(transcript, calls + (result - first)));
    bool whole = call.len >= tool.len + 2; /* NAME(…): a name may hold a parenthesis itself */
    return whole ? str_slice(call, tool.len + 1, call.len - 1) : (struct str){0};
}

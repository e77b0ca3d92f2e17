#include "core/transcript.h"

#include <assert.h>
#include <stdlib.h>

#include "base/check.h"

static const char *const role_names[] = {
    [ROLE_SYSTEM] = "system",       [ROLE_USER] = "user",
    [ROLE_ASSISTANT] = "assistant", [ROLE_TOOL_CALL] = "tool_call",
    [ROLE_TOOL_RESULT] = "tool_result",
};

static_assert(sizeof(struct entry) == 40, "three entries a turn: the promise of bytes per turn stands on this");

const char *role_name(enum role role)
{
    return role_names[role];
}

void transcript_init(struct transcript *transcript, struct arena *arena, const struct sizing *sizing)
{
    *transcript = (struct transcript){.sizing = sizing};
    chunks_init(&transcript->entries, arena, sizeof(struct entry));
    chunks_init(&transcript->contexts, arena, sizeof(int64_t));
}

uint32_t transcript_append_sized(struct transcript *transcript, enum role role, uint32_t name, struct str content,
                                 int64_t size)
{
    CHECK(content.len < UINT32_MAX && size >= 0);
    struct entry *entry = chunks_add_unset(&transcript->entries);
    *entry = (struct entry){
        .bytes = content.data,
        .size = size,
        .span = {.birth = transcript_turns(transcript) + 1, .death = SPAN_FOREVER},
        .length = (uint32_t)content.len,
        .name = name,
        .role = (uint8_t)role,
    };
    transcript->live = checked_add(transcript->live, size);
    transcript->results += role == ROLE_TOOL_RESULT;
    return transcript->entries.count - 1;
}

uint32_t transcript_append(struct transcript *transcript, enum role role, uint32_t name, struct str content)
{
    return transcript_append_sized(transcript, role, name, content, sizing_of(transcript->sizing, content));
}

void transcript_begin_turn(struct transcript *transcript)
{
    *(int64_t *)chunks_add_unset(&transcript->contexts) = transcript->live;
}

void transcript_cancel_turn(struct transcript *transcript)
{
    uint32_t entries = transcript_entries(transcript);
    CHECK(entries == 0 || transcript_entry(transcript, entries - 1)->span.birth <= transcript_turns(transcript));
    chunks_drop_last(&transcript->contexts);
}

void transcript_retire(struct transcript *transcript, uint32_t index)
{
    struct entry *entry = transcript_entry(transcript, index);
    CHECK(entry->span.death == SPAN_FOREVER); /* I3 */
    entry->span.death = transcript_turns(transcript) + 1;
    transcript->live -= entry->size;
}

/* What each turn should have read, from births and deaths alone: the second, independent way to compute I4. */
static int64_t *recompute_changes(const struct transcript *transcript)
{
    uint32_t turns = transcript_turns(transcript);
    int64_t *change = calloc((size_t)turns + 2, sizeof *change);
    CHECK(change);
    uint32_t last_birth = 0;
    uint32_t results = 0;
    for (uint32_t i = 0; i < transcript_entries(transcript); i++) {
        const struct entry *entry = transcript_entry(transcript, i);
        CHECK(entry->span.birth >= last_birth && entry->span.birth <= turns + 1); /* I2 */
        CHECK(entry->span.death == SPAN_FOREVER || entry->span.death <= turns + 1);
        last_birth = entry->span.birth;
        results += entry->role == ROLE_TOOL_RESULT;
        if (entry->span.death > entry->span.birth) {
            change[entry->span.birth] += entry->size;
            if (entry->span.death != SPAN_FOREVER)
                change[entry->span.death] -= entry->size;
        }
    }
    CHECK(results == transcript->results);
    return change;
}

void transcript_check(const struct transcript *transcript)
{
    int64_t *change = recompute_changes(transcript);
    int64_t live = 0;
    uint32_t turns = transcript_turns(transcript);
    for (uint32_t turn = 1; turn <= turns; turn++) {
        live += change[turn];
        CHECK(live == transcript_context(transcript, turn)); /* I4 */
    }
    CHECK(live + change[turns + 1] == transcript->live);
    free(change);
}

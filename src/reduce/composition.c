#include "reduce/composition.h"

#include "base/arena.h"
#include "base/sort.h"
#include "base/table.h"

static const char *const kind_names[] = {
    [CONTENT_SYSTEM] = "system",
    [CONTENT_TOOL_SCHEMAS] = "tool_schemas",
    [CONTENT_USER] = "user",
    [CONTENT_ASSISTANT] = "assistant",
    [CONTENT_TOOL_CALL] = "tool_call",
    [CONTENT_TOOL_RESULT] = "tool_result",
    [CONTENT_FAILED_RESULT] = "failed_result",
};

#define KINDS 7

const char *content_kind_name(enum content_kind kind)
{
    return kind_names[kind];
}

static enum content_kind kind_of(const struct entry *entry)
{
    switch ((enum role)entry->role) {
    case ROLE_SYSTEM:
        return entry->name == NAME_NONE ? CONTENT_SYSTEM : CONTENT_TOOL_SCHEMAS;
    case ROLE_USER:
        return CONTENT_USER;
    case ROLE_ASSISTANT:
        return CONTENT_ASSISTANT;
    case ROLE_TOOL_CALL:
        return CONTENT_TOOL_CALL;
    case ROLE_TOOL_RESULT:
        return entry->flags & ENTRY_FAILED ? CONTENT_FAILED_RESULT : CONTENT_TOOL_RESULT;
    }
    UNREACHABLE();
    return CONTENT_SYSTEM;
}

static bool has_tool(enum content_kind kind)
{
    return kind >= CONTENT_TOOL_CALL;
}

/* One slot for each kind and tool: slot 0 of a kind is for entries without a tool. */
static void add_entry(struct content_row *slots, uint32_t per_kind, const struct entry *entry, uint32_t turns)
{
    enum content_kind kind = kind_of(entry);
    uint32_t tool = has_tool(kind) ? entry->name : NAME_NONE;
    struct content_row *row = &slots[(uint32_t)kind * per_kind + (tool == NAME_NONE ? 0 : tool + 1)];
    row->kind = kind;
    row->tool = tool;
    if (span_has(entry->span, turns))
        row->size = checked_add(row->size, entry->size);
    row->cumulative = checked_add(row->cumulative, checked_mul(entry->size, span_turns(entry->span, turns)));
}

struct named_row {
    struct content_row row;
    struct str name;
};

static int by_name(const void *a, const void *b)
{
    const struct named_row *left = a;
    const struct named_row *right = b;
    if (left->row.kind != right->row.kind)
        return left->row.kind < right->row.kind ? -1 : 1;
    return str_cmp(left->name, right->name);
}

struct composition composition_of(struct arena *arena, const struct transcript *transcript, const struct table *names)
{
    struct composition composition = {0};
    uint32_t turns = transcript_turns(transcript);
    if (turns == 0)
        return composition;
    uint32_t per_kind = names->count + 1;
    struct content_row *slots = arena_array(arena, struct content_row, (size_t)KINDS * per_kind);
    for (uint32_t i = 0; i < transcript_entries(transcript); i++)
        add_entry(slots, per_kind, transcript_entry(transcript, i), turns);
    struct named_row *rows = arena_array(arena, struct named_row, (size_t)KINDS * per_kind);
    for (uint32_t i = 0; i < KINDS * per_kind; i++) {
        if (slots[i].size == 0)
            continue;
        struct str name = slots[i].tool == NAME_NONE ? (struct str){0} : table_key(names, slots[i].tool);
        rows[composition.count++] = (struct named_row){slots[i], name};
    }
    sort_stable(arena, rows, composition.count, sizeof *rows, by_name);
    composition.rows = arena_array(arena, struct content_row, (size_t)composition.count + 1);
    for (uint32_t i = 0; i < composition.count; i++)
        composition.rows[i] = rows[i].row;
    composition.context = transcript_context(transcript, turns);
    return composition;
}

#include "core/record.h"

#include <inttypes.h>

#include "base/arena.h"

static const struct {
    const char *text;
    enum status status;
} stop_reasons[] = {
#define X(name, text, status) {text, STATUS_##status},
    STOP_REASONS(X)
#undef X
};

static const char *const status_names[] = {
    [STATUS_COMPLETE] = "complete",
    [STATUS_PARTIAL] = "partial",
    [STATUS_ABORTED] = "aborted",
};

static void adopt(struct record *parent, struct record *child)
{
    if (parent->last_child)
        parent->last_child->next = child;
    else
        parent->first_child = child;
    parent->last_child = child;
    parent->child_count++;
}

/* `PARENT/NUMBER`; the parent's name may hold any byte. */
static struct str run_id(struct arena *arena, const struct record *parent)
{
    struct strbuf id;
    strbuf_init(&id, arena, parent->run.len + 16);
    strbuf_add(&id, parent->run);
    strbuf_addf(&id, "/%" PRIu32, parent->child_count);
    return strbuf_str(&id);
}

struct record *record_new(struct arena *arena, struct record *parent, struct str name, const struct sizing *sizing)
{
    struct record *record = arena_new(arena, struct record);
    record->name = name;
    record->run = name;
    if (parent) {
        adopt(parent, record);
        record->parent = parent;
        record->depth = parent->depth + 1;
        record->run = run_id(arena, parent);
    }
    transcript_init(&record->transcript, arena, sizing);
    account_init(&record->account, arena);
    return record;
}

struct record *record_next(const struct record *top, struct record *record)
{
    if (record->first_child)
        return record->first_child;
    while (record != top && !record->next)
        record = record->parent;
    return record == top ? NULL : record->next;
}

enum status record_status(const struct record *record)
{
    const struct coverage *coverage = &record->coverage;
    if (coverage->asked && coverage->requested > 0 && coverage->read == 0)
        return STATUS_ABORTED;
    if (coverage->asked && coverage->read < coverage->requested &&
        stop_reasons[record->stop_reason].status == STATUS_COMPLETE)
        return STATUS_PARTIAL;
    return stop_reasons[record->stop_reason].status;
}

const char *status_name(enum status status)
{
    return status_names[status];
}

const char *stop_reason_name(enum stop_reason reason)
{
    return stop_reasons[reason].text;
}

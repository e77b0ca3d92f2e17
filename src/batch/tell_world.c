#include "batch/tell_world.h"

#include "base/arena.h"
#include "base/diff.h"

#define DIFF_BYTES_MAX ((size_t)64 << 10)

static void tell_hooks(const struct hook_counts *counts, struct feed *feed)
{
    feed_open_object(feed, STR("hooks"));
    feed_put_int(feed, STR("fired"), counts->fired);
    feed_put_int(feed, STR("blocked"), counts->blocked);
    feed_end(feed);
}

static void put_bytes(struct feed *feed, struct str key, int64_t bytes)
{
    if (bytes >= 0)
        feed_put_int(feed, key, bytes);
    else
        feed_put_null(feed, key);
}

/* A state of the file, or nothing where it was not there or cannot be read any more. */
static struct str state_of_file(struct worktree *tree, const struct change *change, uint32_t step)
{
    struct version version;
    struct err err = {0};
    bool failed;
    return worktree_read_at(tree, change->path, step, &version, &failed, &err) ? version.body : (struct str){0};
}

static struct str diff_of(struct worktree *tree, const struct change *change, struct arena *scratch)
{
    struct strbuf out;
    strbuf_init(&out, scratch, 2 * DIFF_BYTES_MAX);
    diff_unified(&out, state_of_file(tree, change, change->step_before),
                 state_of_file(tree, change, change->step_after), (struct str){0}, DIFF_BYTES_MAX);
    return strbuf_str(&out);
}

static void tell_changes(const struct record *record, struct feed *people, struct feed *feed)
{
    struct arena scratch;
    uint32_t count;
    arena_init(&scratch);
    const struct change *changes = worktree_changes(record->tree, record, &scratch, &count);
    if (count)
        feed_open_array(feed, STR("changes"));
    for (uint32_t i = 0; i < count; i++) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("path"), changes[i].path);
        feed_put_str(feed, STR("run"), record->run);
        feed_put_int(feed, STR("versions"), changes[i].versions);
        put_bytes(feed, STR("bytes_before"), changes[i].bytes_before);
        put_bytes(feed, STR("bytes_after"), changes[i].bytes_after);
        if (people)
            feed_put_str(people, STR("diff"), diff_of(record->tree, &changes[i], &scratch));
        feed_end(feed);
    }
    if (count)
        feed_end(feed);
    arena_close(&scratch);
}

void tell_world(const struct record *record, struct feed *people, struct feed *feed)
{
    if (record->hooks.any)
        tell_hooks(&record->hooks, feed);
    tell_changes(record, people, feed);
}

#include "core/worktree.h"

#include "base/arena.h"
#include "base/sort.h"

struct worktree *worktree_new(struct arena *arena, struct workspace *workspace)
{
    struct worktree *tree = arena_new(arena, struct worktree);
    tree->arena = arena;
    tree->workspace = workspace;
    table_init(&tree->paths, arena);
    chunks_init(&tree->tracked, arena, sizeof(struct tracked *));
    return tree;
}

static struct tracked *find_tracked(struct worktree *tree, struct str path)
{
    uint32_t index = table_find(&tree->paths, path);
    return index == TABLE_NONE ? NULL : *(struct tracked **)chunks_at(&tree->tracked, index);
}

static struct version *last_version(const struct tracked *tracked)
{
    return chunks_at(&tracked->versions, tracked->versions.count - 1);
}

static struct workspace_file *find_file(struct worktree *tree, struct str path)
{
    return tree->workspace ? workspace_find(tree->workspace, path) : NULL;
}

/* Begins to track a path: its first version is the workspace's. */
static struct tracked *track(struct worktree *tree, struct str path)
{
    struct tracked *tracked = find_tracked(tree, path);
    if (tracked)
        return tracked;
    tracked = arena_new(tree->arena, struct tracked);
    *(struct tracked **)chunks_add(&tree->tracked) = tracked;
    CHECK(table_add(&tree->paths, path) + 1 == tree->tracked.count);
    tracked->path = path;
    tracked->file = find_file(tree, path);
    chunks_init(&tracked->versions, tree->arena, sizeof(struct version));
    struct version *first = chunks_add(&tracked->versions);
    *first = (struct version){.exists = tracked->file != NULL, .steps = {0, SPAN_FOREVER}, .size = -1};
    return tracked;
}

/* The workspace's own version of a file, its body read and measured the first time. */
static bool read_file(struct worktree *tree, struct workspace_file *file, const struct sizing *sizing,
                      struct version *out, bool *failed, struct err *err)
{
    if (!workspace_read(tree->workspace, file, err)) {
        *failed = true;
        return false;
    }
    if (sizing && file->size < 0)
        file->size = sizing_of(sizing, file->body);
    *out = (struct version){
        .exists = true, .body = file->body, .steps = {0, SPAN_FOREVER}, .size = sizing ? file->size : -1};
    return true;
}

bool worktree_read(struct worktree *tree, struct str path, const struct sizing *sizing, struct version *out,
                   bool *failed, struct err *err)
{
    struct tracked *tracked = tree->tracked.count ? find_tracked(tree, path) : NULL;
    *failed = false;
    if (tracked && tracked->versions.count > 1) {
        struct version *version = last_version(tracked);
        if (version->exists && sizing && version->size < 0)
            version->size = sizing_of(sizing, version->body);
        *out = *version;
        return version->exists;
    }
    struct workspace_file *file = find_file(tree, path);
    return file && read_file(tree, file, sizing, out, failed, err);
}

bool worktree_read_at(struct worktree *tree, struct str path, uint32_t step, struct version *out, bool *failed,
                      struct err *err)
{
    struct tracked *tracked = find_tracked(tree, path);
    *failed = false;
    for (uint32_t i = tracked ? tracked->versions.count : 1; i > 1; i--) {
        const struct version *version = chunks_at(&tracked->versions, i - 1);
        if (!span_has(version->steps, step))
            continue;
        *out = *version;
        return version->exists;
    }
    struct workspace_file *file = find_file(tree, path);
    return file && read_file(tree, file, NULL, out, failed, err);
}

static int64_t version_bytes(const struct tracked *tracked, const struct version *version)
{
    if (!version->exists)
        return -1;
    return version->steps.birth == 0 && tracked->file ? tracked->file->bytes : (int64_t)version->body.len;
}

int64_t worktree_bytes(struct worktree *tree, struct str path)
{
    const struct tracked *tracked = find_tracked(tree, path);
    if (tracked)
        return version_bytes(tracked, last_version(tracked));
    const struct workspace_file *file = find_file(tree, path);
    return file ? file->bytes : -1;
}

static void add_version(struct worktree *tree, struct str path, bool exists, struct str body,
                        const struct record *writer)
{
    struct tracked *tracked = track(tree, path);
    struct version *last = last_version(tracked);
    tree->step++;
    if (last->exists != exists)
        tree->listing = NULL;
    last->steps.death = tree->step;
    struct version *version = chunks_add(&tracked->versions);
    *version = (struct version){
        .exists = exists, .body = body, .steps = {tree->step, SPAN_FOREVER}, .writer = writer, .size = -1};
}

void worktree_write(struct worktree *tree, struct str path, struct str body, const struct record *writer)
{
    add_version(tree, path, true, body, writer);
}

void worktree_remove(struct worktree *tree, struct str path, const struct record *writer)
{
    CHECK(worktree_bytes(tree, path) >= 0);
    add_version(tree, path, false, (struct str){0}, writer);
}

static int by_bytes(const void *a, const void *b)
{
    const struct str *left = a;
    const struct str *right = b;
    return str_cmp(*left, *right);
}

/* The workspace's files that were not removed, then those that are new: sorted once more, since they go in between. */
static void make_listing(struct worktree *tree)
{
    uint32_t before = tree->workspace ? tree->workspace->count : 0;
    struct str *paths = arena_array(tree->arena, struct str, (size_t)before + tree->tracked.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; i++) {
        const struct tracked *tracked = find_tracked(tree, tree->workspace->files[i].path);
        if (!tracked || last_version(tracked)->exists)
            paths[count++] = tree->workspace->files[i].path;
    }
    for (uint32_t i = 0; i < tree->tracked.count; i++) {
        const struct tracked *tracked = *(struct tracked **)chunks_at(&tree->tracked, i);
        if (!tracked->file && last_version(tracked)->exists)
            paths[count++] = tracked->path;
    }
    sort_stable(tree->arena, paths, count, sizeof *paths, by_bytes);
    tree->listing = paths;
    tree->listed = count;
}

const struct str *worktree_list(struct worktree *tree, uint32_t *count)
{
    if (!tree->listing)
        make_listing(tree);
    *count = tree->listed;
    return tree->listing;
}

/* The order of addresses is not the same on every run, and nothing but the grouping follows from it. */
static int by_writer(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const struct written *)a)->writer;
    uintptr_t right = (uintptr_t)((const struct written *)b)->writer;
    return (left > right) - (left < right);
}

/* Every step wrote one version.  Grouped by writer; a group is in order of the files, then of the versions. */
static void index_written(struct worktree *tree)
{
    uint32_t count = 0;
    if (tree->written_count == tree->step)
        return;
    tree->written = arena_array(tree->arena, struct written, tree->step);
    for (uint32_t i = 0; i < tree->tracked.count; i++) {
        const struct tracked *tracked = *(struct tracked **)chunks_at(&tree->tracked, i);
        for (uint32_t j = 1; j < tracked->versions.count; j++) {
            const struct version *version = chunks_at(&tracked->versions, j);
            tree->written[count++] = (struct written){.writer = version->writer, .tracked = tracked, .version = j};
        }
    }
    CHECK(count == tree->step);
    tree->written_count = count;
    sort_stable(tree->arena, tree->written, count, sizeof *tree->written, by_writer);
}

static uint32_t first_written(const struct worktree *tree, const struct record *run)
{
    const struct written sought = {.writer = run};
    uint32_t low = 0;
    uint32_t high = tree->written_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_writer(&tree->written[middle], &sought) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void begin_change(struct change *change, const struct written *written)
{
    const struct version *version = chunks_at(&written->tracked->versions, written->version);
    const struct version *before = chunks_at(&written->tracked->versions, written->version - 1);
    *change = (struct change){.path = written->tracked->path,
                              .bytes_before = version_bytes(written->tracked, before),
                              .step_before = version->steps.birth - 1};
}

static void add_to_change(struct change *change, const struct written *written)
{
    const struct version *version = chunks_at(&written->tracked->versions, written->version);
    change->versions++;
    change->bytes_after = version_bytes(written->tracked, version);
    change->step_after = version->steps.birth;
}

static int by_path(const void *a, const void *b)
{
    const struct change *left = a;
    const struct change *right = b;
    return str_cmp(left->path, right->path);
}

struct change *worktree_changes(struct worktree *tree, const struct record *run, struct arena *arena, uint32_t *count)
{
    index_written(tree);
    uint32_t first = first_written(tree, run);
    uint32_t end = first;
    while (end < tree->written_count && tree->written[end].writer == run)
        end++;
    struct change *changes = arena_array(arena, struct change, (size_t)(end - first) + 1);
    *count = 0;
    for (uint32_t i = first; i < end; i++) {
        if (i == first || tree->written[i].tracked != tree->written[i - 1].tracked)
            begin_change(&changes[(*count)++], &tree->written[i]);
        add_to_change(&changes[*count - 1], &tree->written[i]);
    }
    sort_stable(arena, changes, *count, sizeof *changes, by_path);
    return changes;
}

#include "core/workspace.h"

#include <string.h>

#include "base/arena.h"
#include "base/sort.h"

struct workspace *workspace_new(struct arena *arena)
{
    struct workspace *workspace = arena_new(arena, struct workspace);
    workspace->arena = arena;
    table_init(&workspace->index, arena);
    return workspace;
}

static void make_room(struct workspace *workspace)
{
    if (workspace->count < workspace->capacity)
        return;
    uint32_t capacity = workspace->capacity ? workspace->capacity * 2 : 16;
    struct workspace_file *files = arena_array(workspace->arena, struct workspace_file, capacity);
    if (workspace->count)
        memcpy(files, workspace->files, workspace->count * sizeof *files);
    workspace->files = files;
    workspace->capacity = capacity;
}

static struct workspace_file *add_file(struct workspace *workspace, struct str path, int64_t bytes)
{
    CHECK(!workspace->sealed);
    make_room(workspace);
    struct workspace_file *file = &workspace->files[workspace->count++];
    *file = (struct workspace_file){.path = path, .bytes = bytes, .size = -1};
    workspace->bytes = checked_add(workspace->bytes, bytes);
    return file;
}

void workspace_add(struct workspace *workspace, struct str path, struct str body)
{
    struct workspace_file *file = add_file(workspace, path, (int64_t)body.len);
    file->body = body;
    file->has_body = true;
}

void workspace_add_listed(struct workspace *workspace, struct str path, int64_t bytes)
{
    add_file(workspace, path, bytes);
}

static int by_path(const void *a, const void *b)
{
    const struct workspace_file *left = a;
    const struct workspace_file *right = b;
    return str_cmp(left->path, right->path);
}

/* Paths enter the table in their order, so that who reads files in that order finds each beside the last. */
void workspace_seal(struct workspace *workspace)
{
    CHECK(!workspace->sealed);
    workspace->sealed = true;
    sort_stable(workspace->arena, workspace->files, workspace->count, sizeof *workspace->files, by_path);
    for (uint32_t i = 0; i < workspace->count; i++)
        CHECK(table_add(&workspace->index, workspace->files[i].path) == i); /* paths are new */
}

struct workspace_file *workspace_find(struct workspace *workspace, struct str path)
{
    CHECK(workspace->sealed);
    uint32_t index = table_find(&workspace->index, path);
    return index == TABLE_NONE ? NULL : &workspace->files[index];
}

bool workspace_read(struct workspace *workspace, struct workspace_file *file, struct err *err)
{
    if (file->has_body)
        return true;
    const struct workspace_source *source = &workspace->source;
    if (!source->read(source->self, file, workspace->arena, &file->body, err))
        return false;
    file->has_body = true;
    return true;
}

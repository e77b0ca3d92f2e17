/* What a command has left in its box: compared with what was known, and in the end removed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/dirwalk.h"
#include "base/file.h"
#include "base/sort.h"
#include "batch/box_own.h"
#include "core/path.h"

enum { SWEEP_DEPTH = 32, SWEEPS_MAX = 100000 };

/* Reads a folder; the descriptor stays the caller's. */
static DIR *read_folder(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir && again >= 0) {
        close(again);
    }
    return dir;
}

/* The next entry that is neither the folder itself nor the one above, and what it is. */
static const char *next_entry(DIR *dir, struct stat *status)
{
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            fstatat(dirfd(dir), entry->d_name, status, AT_SYMLINK_NOFOLLOW) == 0) {
            return entry->d_name;
        }
    }
    return NULL;
}

/* Opens a folder that was just seen to be one.  Nobody is left who could exchange it; a link is not followed anyway. */
static int enter(int parent, const char *name, mode_t mode)
{
    if ((mode & S_IRWXU) != S_IRWXU) {
        box_set_mode(parent, name, (mode & 07777) | S_IRWXU);
    }
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void settle(int folder, size_t depth)
{
    struct stat status;
    DIR *dir = depth <= BOX_DEPTH_MAX ? read_folder(folder) : NULL;
    for (const char *name = dir ? next_entry(dir, &status) : NULL; name; name = next_entry(dir, &status)) {
        if (S_ISREG(status.st_mode) && !(status.st_mode & S_IRUSR)) {
            box_set_mode(folder, name, (status.st_mode & 07777) | S_IRUSR);
        }
        int inner = S_ISDIR(status.st_mode) ? enter(folder, name, status.st_mode) : -1;
        if (inner >= 0) {
            settle(inner, depth + 1);
            close(inner);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

void box_settle(const struct box *box)
{
    (void)fchmod(box->work, 0755);
    settle(box->work, 0);
}

/* A folder that is being emptied.  What lies too deep is moved to its top and comes in a later sweep, so that depth
 * costs neither descriptors nor stack. */
struct sweep {
    int top;
    unsigned moved;
};

static bool move_to_top(struct sweep *sweep, int folder, const char *name)
{
    char other[32];
    (void)snprintf(other, sizeof other, "deep-%u", sweep->moved++);
    return renameat(folder, name, sweep->top, other) == 0;
}

/* False when nothing could be removed or moved. */
static bool sweep_folder(struct sweep *sweep, int folder, unsigned depth)
{
    bool any = false;
    struct stat status;
    DIR *dir = read_folder(folder);
    for (const char *name = dir ? next_entry(dir, &status) : NULL; name; name = next_entry(dir, &status)) {
        if (!S_ISDIR(status.st_mode)) {
            any = unlinkat(folder, name, 0) == 0 || any;
            continue;
        }
        int inner = enter(folder, name, status.st_mode);
        if (depth >= SWEEP_DEPTH) {
            any = move_to_top(sweep, folder, name) || any;
        } else if (inner >= 0) {
            any = sweep_folder(sweep, inner, depth + 1) || any;
        }
        if (inner >= 0) {
            close(inner);
        }
        any = unlinkat(folder, name, AT_REMOVEDIR) == 0 || any;
    }
    if (dir) {
        closedir(dir);
    }
    return any;
}

void box_empty(int folder)
{
    struct sweep sweep = {.top = folder};
    for (int i = 0; i < SWEEPS_MAX && sweep_folder(&sweep, folder, 0); i++) {
    }
}

/* The changes while they are collected. */
struct collecting {
    struct box *box;
    struct arena *arena;
    struct box_changes *changes;
    struct err *err;
};

static void add_change(struct collecting *collecting, struct str path, bool exists, struct str body)
{
    struct box_changes *changes = collecting->changes;
    changes->changes[changes->count++] = (struct box_change){.path = path, .exists = exists, .body = body};
}

static bool can_be_held(struct arena *arena, struct str path)
{
    struct str normal;
    return path_normalise(arena, path, &normal) && str_eq(path, normal);
}

/* A file that is there now. */
static bool compare_file(struct collecting *collecting, const struct dirwalk_file *found)
{
    struct arena_mark mark = arena_mark(collecting->arena);
    struct str body;
    if (!can_be_held(collecting->arena, found->path)) {
        collecting->changes->skipped++;
        return true;
    }
    if (!file_read_beneath(collecting->arena, collecting->box->work, found->path, found->bytes, found->bytes, &body,
                           collecting->err)) {
        return err_wrap(collecting->err, "bash");
    }
    struct box_file *file = box_file_of(collecting->box, found->path, true);
    file->seen = true;
    if (box_file_has(file, body)) {
        arena_release(collecting->arena, mark);
        return true;
    }
    box_file_is(collecting->box, file, body);
    add_change(collecting, found->path, true, body);
    return true;
}

/* Files that were there and were not found again.  One that only grew too large stays as it was known. */
static void collect_gone(struct collecting *collecting)
{
    struct box *box = collecting->box;
    for (uint32_t i = 0; i < box->files.count; i++) {
        struct box_file *file = chunks_at(&box->files, i);
        struct str path = table_key(&box->paths, i);
        bool gone = file->exists && !file->seen && !box_has_regular(box, path);
        file->seen = false;
        if (gone) {
            box_file_is_gone(box, file);
            add_change(collecting, str_copy(collecting->arena, path), false, (struct str){0});
        }
    }
}

static int by_path(const void *a, const void *b)
{
    return str_cmp(((const struct box_change *)a)->path, ((const struct box_change *)b)->path);
}

static bool list_box(const struct box *box, struct arena *arena, struct dirwalk_listing *listing, struct err *err)
{
    struct dirwalk_options options = {
        .max_file_bytes = BOX_FILE_BYTES_MAX, .max_files = BOX_FILES_MAX, .max_depth = BOX_DEPTH_MAX,
        .depth_is_limit = true};
    box_settle(box);
    if (!dirwalk_list(arena, box->work, &options, listing, err)) {
        return err_wrap(err, "bash: what the command has left cannot be taken back");
    }
    return listing->bytes <= BOX_BYTES_MAX ||
           err_set(err, ERR_LIMIT, "bash: the command has left %lld bytes in its folder, at most 64 MiB can be taken "
                   "back", (long long)listing->bytes);
}

bool box_changes(struct box *box, struct arena *arena, struct box_changes *changes, struct err *err)
{
    struct dirwalk_listing listing;
    struct collecting collecting = {.box = box, .arena = arena, .changes = changes, .err = err};
    *changes = (struct box_changes){.count = 0};
    if (!list_box(box, arena, &listing, err)) {
        return false;
    }
    changes->changes = arena_array(arena, struct box_change, listing.count + (size_t)box->count + 1);
    changes->skipped = listing.skipped_link + listing.skipped_special + listing.skipped_too_large +
                       listing.skipped_unreadable;
    for (size_t i = 0; i < listing.count; i++) {
        if (!compare_file(&collecting, &listing.files[i])) {
            return false;
        }
    }
    collect_gone(&collecting);
    sort_stable(arena, changes->changes, changes->count, sizeof *changes->changes, by_path);
    return true;
}

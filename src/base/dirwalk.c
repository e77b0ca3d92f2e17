/* Dirwalk: lists the regular files below a folder, in byte order of their whole relative paths. */
#include "base/dirwalk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/sort.h"
#include "base/glob.h"

enum { FIRST_FILES = 64, LONGEST_NAME = 1024 };

/* One folder that is being read.  Each open level costs one descriptor. */
struct level {
    DIR *dir;
    size_t path_len; /* length of the folder's path, its slash included; 0 at the top */
};

struct walk {
    struct dirwalk_options options; /* with the defaults filled in */
    struct arena *arena;            /* for what is returned */
    struct arena scratch;           /* for what is not */
    struct level *levels;
    size_t open; /* levels in use */
    struct strbuf path;
    size_t capacity; /* of listing->files while it grows in scratch */
    struct dirwalk_listing *listing;
    struct err *err;
};

static bool matches_any(const struct str *patterns, size_t count, struct str path)
{
    for (size_t i = 0; i < count; i++) {
        if (glob_match(patterns[i], path)) {
            return true;
        }
    }
    return false;
}

/* I1 for files. */
static bool is_considered(const struct dirwalk_options *options, struct str path)
{
    return (options->include_count == 0 || matches_any(options->include, options->include_count, path)) &&
           !matches_any(options->exclude, options->exclude_count, path);
}

static bool fail_here(struct walk *walk, int error)
{
    struct str path = strbuf_str(&walk->path);
    return err_set(walk->err, ERR_IO, "%.*s: cannot be listed: %s", STR_ARG(path.len > 0 ? path : STR(".")),
                   strerror(error));
}

/* What is gone or was replaced since its name was read is not there any more (I3). */
static bool is_gone(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static bool is_denied(int error)
{
    return error == EACCES || error == EPERM;
}

static bool add_file(struct walk *walk, int64_t bytes)
{
    struct dirwalk_listing *listing = walk->listing;
    if ((int64_t)listing->count >= walk->options.max_files) {
        return err_set(walk->err, ERR_LIMIT, "more than %lld files (max_files)", (long long)walk->options.max_files);
    }
    if (listing->count == walk->capacity) {
        size_t old_size = walk->capacity * sizeof *listing->files;
        struct dirwalk_file *grown = arena_array(&walk->scratch, struct dirwalk_file, walk->capacity * 2);
        memcpy(grown, listing->files, old_size);
        listing->files = grown;
        walk->capacity *= 2;
    }
    struct dirwalk_file *file = &listing->files[listing->count++];
    *file = (struct dirwalk_file){.path = str_copy(walk->arena, strbuf_str(&walk->path)), .bytes = bytes};
    listing->bytes = checked_add(listing->bytes, bytes);
    return true;
}

/* Lists or counts a regular file at the current path. */
static bool visit_file(struct walk *walk, int folder, const char *name, int64_t bytes)
{
    if (bytes > walk->options.max_file_bytes) {
        walk->listing->skipped_too_large++;
        return true;
    }
    if (faccessat(folder, name, R_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0) {
        int error = errno;
        if (is_denied(error)) {
            walk->listing->skipped_unreadable++;
        }
        return is_denied(error) || is_gone(error) || fail_here(walk, error);
    }
    return add_file(walk, bytes);
}

/* Makes the folder `name` of `parent` the innermost level.  The current path is already that of the folder. */
static bool enter(struct walk *walk, int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        int error = errno;
        if (walk->open == 0) {
            return fail_here(walk, error);
        }
        if (is_denied(error)) {
            walk->listing->skipped_unreadable++;
        }
        return is_denied(error) || is_gone(error) || fail_here(walk, error);
    }
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        int error = errno;
        close(fd);
        return fail_here(walk, error);
    }
    if (walk->path.len > 0) {
        strbuf_addc(&walk->path, '/');
    }
    walk->levels[walk->open++] = (struct level){.dir = dir, .path_len = walk->path.len};
    return true;
}

static bool visit_folder(struct walk *walk, int parent, const char *name)
{
    /* I1: an x followed by a slash and two stars matches x itself too, since two stars may span nothing. */
    if (matches_any(walk->options.exclude, walk->options.exclude_count, strbuf_str(&walk->path))) {
        return true;
    }
    if (walk->open > walk->options.max_depth) {
        walk->listing->skipped_unreadable++;
        return !walk->options.depth_is_limit ||
               err_set(walk->err, ERR_LIMIT, "folders lie more than %zu deep", walk->options.max_depth);
    }
    return enter(walk, parent, name);
}

/* The kind of an entry; asks the disk where the folder does not tell it and where the size is needed. */
static bool look_at(int folder, const struct dirent *entry, struct stat *status)
{
    if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN) {
        status->st_mode = (mode_t)DTTOIF((unsigned)entry->d_type);
        return true;
    }
    return fstatat(folder, entry->d_name, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Handles the entry whose path is the current one. */
static bool visit(struct walk *walk, int folder, const struct dirent *entry)
{
    struct stat status;
    /* Folders are looked at whatever the includes say: what matches may be below. */
    if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN &&
        !is_considered(&walk->options, strbuf_str(&walk->path))) {
        return true;
    }
    if (!look_at(folder, entry, &status)) {
        int error = errno;
        return is_gone(error) || fail_here(walk, error);
    }
    if (S_ISDIR(status.st_mode)) {
        return visit_folder(walk, folder, entry->d_name);
    }
    if (entry->d_type == DT_UNKNOWN && !is_considered(&walk->options, strbuf_str(&walk->path))) {
        return true;
    }
    if (S_ISREG(status.st_mode)) {
        return visit_file(walk, folder, entry->d_name, status.st_size);
    }
    if (S_ISLNK(status.st_mode)) {
        walk->listing->skipped_link++;
    } else {
        walk->listing->skipped_special++;
    }
    return true;
}

/* Reads one entry of the innermost folder, or leaves it at its end. */
static bool step(struct walk *walk)
{
    struct level *level = &walk->levels[walk->open - 1];
    walk->path.len = level->path_len;
    errno = 0;
    const struct dirent *entry = readdir(level->dir);
    if (entry == NULL) {
        int error = errno;
        if (error != 0 && (walk->open == 1 || !is_denied(error))) {
            return fail_here(walk, error);
        }
        walk->listing->skipped_unreadable += error != 0;
        closedir(level->dir);
        walk->open--;
        return true;
    }
    struct str name = str_of(entry->d_name);
    if (str_eq(name, STR(".")) || str_eq(name, STR(".."))) {
        return true;
    }
    strbuf_add(&walk->path, name);
    CHECK(!walk->path.overflowed);
    return visit(walk, dirfd(level->dir), entry);
}

static int compare_files(const void *a, const void *b)
{
    return str_cmp(((const struct dirwalk_file *)a)->path, ((const struct dirwalk_file *)b)->path);
}

static void sort_into_arena(struct walk *walk)
{
    struct dirwalk_listing *listing = walk->listing;
    struct dirwalk_file *kept = arena_array(walk->arena, struct dirwalk_file, listing->count + 1);
    memcpy(kept, listing->files, listing->count * sizeof *kept);
    sort_stable(walk->arena, kept, listing->count, sizeof *kept, compare_files);
    listing->files = kept;
}

static struct dirwalk_options with_defaults(const struct dirwalk_options *options)
{
    struct dirwalk_options full = *options;
    full.max_file_bytes = full.max_file_bytes > 0 ? full.max_file_bytes : DIRWALK_FILE_BYTES;
    full.max_files = full.max_files > 0 ? full.max_files : DIRWALK_FILES;
    full.max_depth = full.max_depth > 0 ? full.max_depth : DIRWALK_DEPTH;
    return full;
}

static void start(struct walk *walk)
{
    size_t levels = walk->options.max_depth + 1; /* the top is not inside another folder */
    arena_init(&walk->scratch);
    walk->levels = arena_array(&walk->scratch, struct level, levels);
    walk->listing->files = arena_array(&walk->scratch, struct dirwalk_file, FIRST_FILES);
    walk->capacity = FIRST_FILES;
    strbuf_init(&walk->path, &walk->scratch, (levels + 1) * LONGEST_NAME);
}

static void finish(struct walk *walk)
{
    while (walk->open > 0) {
        closedir(walk->levels[--walk->open].dir);
    }
    arena_close(&walk->scratch);
}

bool dirwalk_list(struct arena *arena, int folder, const struct dirwalk_options *options,
                  struct dirwalk_listing *listing, struct err *err)
{
    struct arena_mark mark = arena_mark(arena);
    *listing = (struct dirwalk_listing){.count = 0};
    struct walk walk = {.options = with_defaults(options), .arena = arena, .listing = listing, .err = err};
    start(&walk);
    bool done = enter(&walk, folder, ".");
    while (done && walk.open > 0) {
        done = step(&walk);
    }
    if (done) {
        sort_into_arena(&walk);
    } else {
        *listing = (struct dirwalk_listing){.count = 0};
        arena_release(arena, mark);
    }
    finish(&walk);
    return done;
}

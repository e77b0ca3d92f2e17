/* File: reads whole regular files, by path or safely beneath a folder. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"

/* Without O_NONBLOCK the open of a pipe would wait for its other end; regular files do not care. */
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

enum {
    LONGEST_PART = 1023,  /* bytes of one name; most file systems stop at 255, some in user space do not */
    SMALLEST_GROWTH = 4096 /* the next buffer of a file that does not tell its size, as those of /proc */
};

/* One body on its way into memory. */
struct reading {
    int fd;
    struct str name;  /* for messages */
    int64_t expected; /* bytes when it was listed; negative: unknown */
    int64_t limit;    /* most bytes allowed */
    bool grows;       /* more than expected is no error: the rest is left out */
};

static bool fail(struct err *err, struct str name, const char *reason)
{
    return err_set(err, ERR_IO, "%.*s: %s", STR_ARG(name), reason);
}

static const char *reason_of(int error)
{
    switch (error) {
    case ELOOP: return "a symbolic link on the way is not followed";
    case EXDEV: return "leads out of its folder";
    case ENXIO: return "is not a regular file";
    default: return strerror(error);
    }
}

static bool require_regular(mode_t mode, struct str name, struct err *err)
{
    switch (mode & S_IFMT) {
    case S_IFREG: return true;
    case S_IFDIR: return fail(err, name, "is a folder, not a regular file");
    case S_IFIFO: return fail(err, name, "is a pipe, not a regular file");
    case S_IFSOCK: return fail(err, name, "is a socket, not a regular file");
    default: return fail(err, name, "is a device, not a regular file");
    }
}

static bool check_size(const struct reading *reading, int64_t size, struct err *err)
{
    bool less = reading->expected >= 0 && size < reading->expected;
    bool more = reading->expected >= 0 && size > reading->expected && !reading->grows;
    if (less || more) {
        return err_set(err, ERR_IO,
                       "%.*s changed while it was being read (%lld bytes when listed, %lld now): run again, or leave "
                       "it out",
                       STR_ARG(reading->name), (long long)reading->expected, (long long)size);
    }
    if (size > reading->limit && !reading->grows) {
        return err_set(err, ERR_IO, "%.*s: too large: %lld bytes, the limit is %lld", STR_ARG(reading->name),
                       (long long)size, (long long)reading->limit);
    }
    return true;
}

static ssize_t read_again(int fd, char *data, size_t size)
{
    ssize_t got;
    do {
        got = read(fd, data, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Reads to the end of the file, but at most one byte more than is allowed: that byte tells that it is too much.  Of a
 * file that may have grown, what is expected. */
static bool read_to_end(struct arena *arena, const struct reading *reading, int64_t size, struct str *out)
{
    int64_t allowed = reading->expected >= 0 ? reading->expected : reading->limit;
    size_t most = (size_t)allowed + !reading->grows;
    size_t capacity = size < allowed ? (size_t)size + 1 : most;
    char *data = arena_bytes(arena, capacity);
    size_t len = 0;
    while (len < most) {
        if (len == capacity) {
            size_t wanted = capacity < SMALLEST_GROWTH / 2 ? SMALLEST_GROWTH : capacity;
            size_t grown = most - capacity < wanted ? most : capacity + wanted;
            data = arena_grow(arena, data, capacity, grown);
            capacity = grown;
        }
        ssize_t got = read_again(reading->fd, data + len, capacity - len);
        if (got < 0) {
            return false;
        }
        if (got == 0) {
            break;
        }
        len += (size_t)got;
    }
    *out = (struct str){data, len};
    return true;
}

/* The size to tell when more than `len` bytes may be there. */
static int64_t size_now(int fd, size_t len)
{
    struct stat status;
    int64_t seen = (int64_t)len;
    return fstat(fd, &status) == 0 && (int64_t)status.st_size > seen ? (int64_t)status.st_size : seen;
}

static bool read_body(struct arena *arena, const struct reading *reading, struct str *out, struct err *err)
{
    struct stat status;
    if (fstat(reading->fd, &status) != 0) {
        return fail(err, reading->name, strerror(errno));
    }
    if (!require_regular(status.st_mode, reading->name, err) || !check_size(reading, status.st_size, err)) {
        return false;
    }
    struct str body;
    if (!read_to_end(arena, reading, status.st_size, &body)) {
        return fail(err, reading->name, strerror(errno));
    }
    int64_t allowed = reading->expected >= 0 ? reading->expected : reading->limit;
    int64_t size = (int64_t)body.len > allowed ? size_now(reading->fd, body.len) : (int64_t)body.len;
    if (!check_size(reading, size, err)) {
        return false;
    }
    *out = body;
    return true;
}

/* Reads, closes, and gives the memory back if that failed (I3). */
static bool read_and_close(struct arena *arena, const struct reading *reading, struct str *out, struct err *err)
{
    struct arena_mark mark = arena_mark(arena);
    bool done = read_body(arena, reading, out, err);
    close(reading->fd);
    if (!done) {
        arena_release(arena, mark);
    }
    return done;
}

/* The part that starts at `from`; the bytes after it are a slash or nothing. */
static struct str part_at(struct str path, size_t from)
{
    const char *slash = memchr(path.data + from, '/', path.len - from);
    return str_slice(path, from, slash != NULL ? (size_t)(slash - path.data) : path.len);
}

static bool is_plain_part(struct str part)
{
    return part.len > 0 && !str_eq(part, STR(".")) && !str_eq(part, STR("..")) &&
           memchr(part.data, '\0', part.len) == NULL;
}

/* Both ways of opening see only plain paths, so that they accept the same ones. */
static bool is_plain_path(struct str path)
{
    if (path.len == 0) {
        return false;
    }
    for (size_t from = 0; from < path.len;) {
        struct str part = part_at(path, from);
        if (!is_plain_part(part)) {
            return false;
        }
        from += part.len + 1;
    }
    return path.data[path.len - 1] != '/';
}

/* Opens one part below `at`: a folder on the way, or at the end the file itself.  Never through a link. */
static int open_part(int at, struct str part, bool last)
{
    char name[LONGEST_PART + 1];
    if (part.len > LONGEST_PART) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, part.data, part.len);
    name[part.len] = '\0';
    return openat(at, name, O_NOFOLLOW | (last ? READ_FLAGS : O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* The slow way: for kernels and sandboxes without openat2, and for paths longer than one call takes. */
static int open_by_parts(int folder, struct str path)
{
    int at = folder;
    for (size_t from = 0; from < path.len;) {
        struct str part = part_at(path, from);
        from += part.len + 1;
        int next = open_part(at, part, from > path.len);
        int error = errno;
        if (at != folder) {
            close(at);
        }
        errno = error;
        if (next < 0) {
            return -1;
        }
        at = next;
    }
    return at;
}

/* I2.  -1 with errno on failure. */
static int open_beneath(struct arena *scratch, int folder, struct str path)
{
    struct open_how how = {
        .flags = READ_FLAGS,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    struct arena_mark mark = arena_mark(scratch);
    long fd = syscall(SYS_openat2, folder, str_z(scratch, path), &how, sizeof how);
    int error = errno;
    arena_release(scratch, mark);
    errno = error;
    if (fd < 0 && (error == ENOSYS || error == EPERM || error == ENAMETOOLONG)) {
        return open_by_parts(folder, path);
    }
    return (int)fd;
}

bool file_read_whole(struct arena *arena, const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    struct stat status;
    struct str name = str_of(path);
    if (stat(path, &status) != 0) {
        return fail(err, name, strerror(errno));
    }
    /* Asked before opening, since to open a device can already do something. */
    if (!require_regular(status.st_mode, name, err)) {
        return false;
    }
    int fd = open(path, READ_FLAGS);
    if (fd < 0) {
        return fail(err, name, strerror(errno));
    }
    int64_t limit = max_bytes < (size_t)INT64_MAX ? (int64_t)max_bytes : INT64_MAX;
    struct reading reading = {.fd = fd, .name = name, .expected = -1, .limit = limit};
    return read_and_close(arena, &reading, out, err);
}

int file_open_folder(const char *path, struct err *err)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        (void)fail(err, str_of(path), errno == ENOTDIR ? "is not a folder" : strerror(errno));
    }
    return fd;
}

static bool read_below(struct arena *arena, int folder, struct reading *reading, struct str *out, struct err *err)
{
    CHECK(reading->limit >= 0);
    if (!is_plain_path(reading->name)) {
        return fail(err, reading->name, "is not a plain path below its folder");
    }
    reading->fd = open_beneath(arena, folder, reading->name);
    if (reading->fd < 0) {
        return fail(err, reading->name, reason_of(errno));
    }
    return read_and_close(arena, reading, out, err);
}

bool file_read_beneath(struct arena *arena, int folder, struct str relative, int64_t expected_size, int64_t max_bytes,
                       struct str *out, struct err *err)
{
    struct reading reading = {.name = relative, .expected = expected_size, .limit = max_bytes};
    return read_below(arena, folder, &reading, out, err);
}

bool file_read_listed(struct arena *arena, int folder, struct str relative, int64_t listed_size, struct str *out,
                      struct err *err)
{
    struct reading reading = {.name = relative, .expected = listed_size, .limit = listed_size, .grows = true};
    return read_below(arena, folder, &reading, out, err);
}

void file_close(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

bool file_exists(const char *path)
{
    return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

/* Where a file of that name stands or would stand, links of its folder resolved; false if that folder is not there. */
static bool place_of(struct arena *arena, const char *path, struct str *out)
{
    const char *slash = strrchr(path, '/');
    struct str folder = slash ? (struct str){path, (size_t)(slash - path) + 1} : STR(".");
    char *real = realpath(str_z(arena, folder), NULL);
    if (real == NULL) {
        return false;
    }
    *out = str_printf(arena, "%s/%s", real, slash ? slash + 1 : path);
    free(real);
    return true;
}

bool file_is_same(struct arena *arena, const char *a, const char *b)
{
    struct stat first, second;
    bool have_first = stat(a, &first) == 0;
    bool have_second = stat(b, &second) == 0;
    if (have_first && have_second) {
        return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    }
    struct str place_a, place_b;
    return !have_first && !have_second && place_of(arena, a, &place_a) && place_of(arena, b, &place_b) &&
           str_eq(place_a, place_b);
}

bool file_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_make_folder(const char *path, struct err *err)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        return err_set(err, ERR_IO, "%s: cannot be made: %s", path, strerror(ENAMETOOLONG));
    }
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0') {
            continue;
        }
        memcpy(part, path, end);
        part[end] = '\0';
        int error = mkdir(part, 0777) != 0 ? errno : 0;
        if (error != 0 && !file_is_folder(part)) {
            return err_set(err, ERR_IO, "%s: cannot be made: %s", part, strerror(error));
        }
    }
    return true;
}

bool file_remove(const char *path, struct err *err)
{
    return unlink(path) == 0 || errno == ENOENT ||
           err_set(err, ERR_IO, "%s: cannot be removed: %s", path, strerror(errno));
}

bool file_real_path(struct arena *arena, const char *path, struct str *out, struct err *err)
{
    char *real = realpath(path, NULL);
    if (real == NULL) {
        return fail(err, str_of(path), strerror(errno));
    }
    *out = str_copy(arena, str_of(real));
    free(real);
    return true;
}

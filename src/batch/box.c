#include "batch/box.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "batch/box_own.h"
#include "core/path.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { LONGEST_NAME = 255 };

struct box_file *box_file_of(struct box *box, struct str path, bool make)
{
    uint32_t index = make ? table_add(&box->paths, path) : table_find(&box->paths, path);
    if (index == TABLE_NONE) {
        return NULL;
    }
    if (index == box->files.count) {
        (void)chunks_add(&box->files);
    }
    return chunks_at(&box->files, index);
}

static XXH128_hash_t hash_of(struct str body)
{
    return XXH3_128bits(body.len > 0 ? body.data : "", body.len);
}

bool box_file_has(const struct box_file *file, struct str body)
{
    XXH128_hash_t hash = hash_of(body);
    return file->exists && file->bytes == (int64_t)body.len && file->hash[0] == hash.low64 &&
           file->hash[1] == hash.high64;
}

void box_file_is_gone(struct box *box, struct box_file *file)
{
    if (file->exists) {
        box->count--;
        box->bytes -= file->bytes;
        file->exists = false;
    }
}

void box_file_is(struct box *box, struct box_file *file, struct str body)
{
    XXH128_hash_t hash = hash_of(body);
    box_file_is_gone(box, file);
    *file = (struct box_file){.exists = true, .seen = file->seen, .bytes = (int64_t)body.len};
    file->hash[0] = hash.low64;
    file->hash[1] = hash.high64;
    box->count++;
    box->bytes += file->bytes;
}

static bool cannot(struct str path, const char *what, int error, struct err *err)
{
    /* A workspace keeps both `a` and `a/b`, and names of any length; a disk does not. */
    bool is_of_paths = error == ENOTDIR || error == EISDIR || error == ENOTEMPTY || error == EEXIST ||
                       error == ENAMETOOLONG;
    return err_set(err, is_of_paths ? ERR_SCENARIO : ERR_IO, "bash: cannot %s %.*s in its folder: %s%s", what,
                   STR_ARG(path), strerror(error),
                   is_of_paths ? " (real commands need paths that a real disk can hold)" : "");
}

static bool check_path(struct box *box, struct str path, struct err *err)
{
    struct str normal;
    struct arena_mark mark = arena_mark(&box->arena);
    bool good = path_normalise(&box->arena, path, &normal) && str_eq(path, normal);
    arena_release(&box->arena, mark);
    return good || err_set(err, ERR_INTERNAL, "bash: a file with a bad path was to be laid out");
}

/* The next part of a path as a name for the system; false at the end, or with errno when it is too long. */
static bool next_part(struct str *path, char name[LONGEST_NAME + 1], bool *last)
{
    const char *slash = memchr(path->data, '/', path->len);
    size_t length = slash ? (size_t)(slash - path->data) : path->len;
    if (length > LONGEST_NAME) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(name, path->data, length);
    name[length] = '\0';
    *last = !slash;
    *path = str_slice(*path, slash ? length + 1 : length, path->len);
    return true;
}

void box_set_mode(int folder, const char *name, mode_t mode)
{
    int ignored = fchmodat(folder, name, mode, 0);
    (void)ignored;
}

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool give_away(const struct box *box, int fd)
{
    return box->user == 0 || fchown(fd, box->user, box->user) == 0;
}

/* Opens a folder of the box, made if it is not there.  What a command has put in its place and no worktree can hold (a
 * link, a pipe) makes way; a regular file does not. */
static int open_or_make(const struct box *box, int parent, const char *name)
{
    struct stat status;
    (void)fchmod(parent, 0755);
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode)) {
        if (S_ISREG(status.st_mode)) {
            errno = ENOTDIR;
            return -1;
        }
        (void)unlinkat(parent, name, 0);
    }
    bool made = mkdirat(parent, name, 0755) == 0;
    if (!made && errno != EEXIST) {
        return -1;
    }
    int folder = open_folder(parent, name);
    if (folder < 0 && errno == EACCES) { /* a folder: the modes of a link are never asked for */
        box_set_mode(parent, name, 0755);
        folder = open_folder(parent, name);
    }
    if (folder >= 0 && made && !give_away(box, folder)) {
        close(folder);
        return -1;
    }
    return folder;
}

/* The folder that a path lies in, and its name there; -1 with errno.  With `make` folders that are missing are made. */
static int open_parent(const struct box *box, struct str path, bool make, char name[LONGEST_NAME + 1])
{
    bool last = false;
    int at = fcntl(box->work, F_DUPFD_CLOEXEC, 0);
    while (at >= 0) {
        int next = -1;
        if (next_part(&path, name, &last)) {
            if (last) {
                return at;
            }
            next = make ? open_or_make(box, at, name) : open_folder(at, name);
        }
        int error = errno;
        close(at);
        errno = error;
        at = next;
    }
    return -1;
}

static bool write_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes = str_slice(bytes, written > 0 ? (size_t)written : 0, bytes.len);
    }
    return true;
}

/* A new file each time: what was there before may be a link, or be linked from elsewhere in the box. */
static bool replace_file(const struct box *box, int folder, const char *name, struct str body)
{
    (void)fchmod(folder, 0755);
    if (unlinkat(folder, name, 0) != 0 && errno != ENOENT &&
        (errno != EISDIR || unlinkat(folder, name, AT_REMOVEDIR) != 0)) {
        return false;
    }
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        return false;
    }
    bool good = give_away(box, fd) && fchmod(fd, 0644) == 0 && write_all(fd, body);
    int error = errno;
    close(fd);
    errno = error;
    return good;
}

static bool check_room(const struct box *box, const struct box_file *file, struct str body, struct err *err)
{
    int64_t count = box->count + (file->exists ? 0 : 1);
    int64_t bytes = box->bytes - (file->exists ? file->bytes : 0) + (int64_t)body.len;
    if (count > BOX_FILES_MAX) {
        return err_set(err, ERR_LIMIT, "bash = \"real\": a workspace may have at most %lld files then",
                       (long long)BOX_FILES_MAX);
    }
    return bytes <= BOX_BYTES_MAX ||
           err_set(err, ERR_LIMIT, "bash = \"real\": the files of a workspace may have at most 64 MiB then");
}

bool box_write(struct box *box, struct str path, struct str body, struct err *err)
{
    char name[LONGEST_NAME + 1];
    if (!check_path(box, path, err)) {
        return false;
    }
    struct box_file *file = box_file_of(box, path, true);
    if (!check_room(box, file, body, err)) {
        return false;
    }
    int folder = open_parent(box, path, true, name);
    if (folder < 0) {
        return cannot(path, "write", errno, err);
    }
    bool good = replace_file(box, folder, name, body) || cannot(path, "write", errno, err);
    close(folder);
    if (good) {
        box_file_is(box, file, body);
    }
    return good;
}

bool box_remove(struct box *box, struct str path, struct err *err)
{
    char name[LONGEST_NAME + 1];
    struct box_file *file = box_file_of(box, path, false);
    if (!file || !check_path(box, path, err)) {
        return file == NULL;
    }
    int folder = open_parent(box, path, false, name);
    bool good = folder < 0 || fchmod(folder, 0755) == 0;
    if (folder >= 0) {
        good = good && (unlinkat(folder, name, 0) == 0 || errno == ENOENT || errno == EISDIR);
        int error = errno;
        close(folder);
        errno = error;
    }
    box_file_is_gone(box, file);
    return good || cannot(path, "remove", errno, err);
}

bool box_has_regular(const struct box *box, struct str path)
{
    char name[LONGEST_NAME + 1];
    struct stat status;
    int folder = open_parent(box, path, false, name);
    bool regular = folder >= 0 && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
    if (folder >= 0) {
        close(folder);
    }
    return regular;
}

void box_close(struct box *box)
{
    if (box->work >= 0) {
        close(box->work);
    }
    if (box->outer >= 0) {
        box_empty(box->outer);
        close(box->outer);
        (void)rmdir(box->path.data); /* of the outer folder, which no command can see */
    }
    arena_close(&box->arena);
}

static bool make_folders(struct box *box, struct err *err)
{
    bool good = mkdirat(box->outer, "files", 0755) == 0;
    box->work = good ? open_folder(box->outer, "files") : -1;
    good = box->work >= 0 && fchmod(box->work, 0755) == 0 && give_away(box, box->work) && give_away(box, box->outer);
    return good || err_set(err, ERR_IO, "bash: cannot make a folder for it in %.*s: %s", STR_ARG(box->path),
                           strerror(errno));
}

bool box_open(struct box *box, struct err *err)
{
    const char *folder = getenv("TMPDIR");
    *box = (struct box){.outer = -1, .work = -1, .user = geteuid() == 0 ? BOX_USER : 0};
    arena_init(&box->arena);
    table_init(&box->paths, &box->arena);
    chunks_init(&box->files, &box->arena, sizeof(struct box_file));
    folder = folder && folder[0] == '/' ? folder : "/tmp";
    struct str pattern = str_printf(&box->arena, "%s/simagent-XXXXXX", folder);
    char *path = (char *)str_z(&box->arena, pattern);
    if (mkdtemp(path)) {
        box->path = (struct str){path, pattern.len};
        box->outer = open_folder(AT_FDCWD, path);
    }
    if (box->outer < 0) {
        (void)err_set(err, ERR_IO, "bash: cannot make a folder in %s: %s", folder, strerror(errno));
    }
    if (box->outer >= 0 && make_folders(box, err)) {
        return true;
    }
    box_close(box);
    return false;
}

/* Outfile: a file written aside and renamed. */
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/oom.h"

enum {
    MOST_LINKS = 40,    /* as many as the kernel follows */
    MOST_ATTEMPTS = 100, /* at names that nobody has; a second one is already rare */
    NAME_KEPT = 200     /* bytes of the name that the temporary name repeats: it may be 12 longer than the name */
};

#define MARK_LETTERS "abcdefghijklmnopqrstuvwxyz012345"

static bool fail(struct err *err, const char *path, int error)
{
    return err_set(err, ERR_IO, "%s: cannot be written: %s", path, strerror(error));
}

/* "HEADTAIL" on the heap. */
static char *join(const char *head, size_t head_len, const char *tail, size_t tail_len)
{
    char *joined = malloc(head_len + tail_len + 1);
    if (joined == NULL) {
        oom_stop("a path", head_len + tail_len + 1);
    }
    memcpy(joined, head, head_len);
    memcpy(joined + head_len, tail, tail_len);
    joined[head_len + tail_len] = '\0';
    return joined;
}

/* Bytes of the path up to and with its last slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Follows the links at the end of the path, also one that leads to a file not made yet.  NULL with errno. */
static char *resolve_links(const char *path)
{
    char *current = join(path, strlen(path), "", 0);
    for (int hops = 0; hops < MOST_LINKS; hops++) {
        char target[PATH_MAX];
        ssize_t length = readlink(current, target, sizeof target);
        if (length < 0) {
            return current; /* no link, or nothing there: whoever opens it will tell */
        }
        size_t folder = target[0] == '/' ? 0 : folder_length(current);
        char *next = join(current, folder, target, (size_t)length);
        free(current);
        current = next;
    }
    free(current);
    errno = ELOOP;
    return NULL;
}

/* The number of the open descriptor that the path stands for, or -1.  Opening such a path anew would lose the place
 * where an appending shell left off, and a socket cannot be opened at all. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        size_t length = strlen(folders[i]);
        const char *digits = path + length;
        if (strncmp(path, folders[i], length) == 0 && strspn(digits, "0123456789") == strlen(digits) &&
            strlen(digits) - 1 < 9) {
            return (int)strtol(digits, NULL, 10);
        }
    }
    return -1;
}

/* Writes ".NAME.XXXXXX.tmp" with fresh random letters behind the folder's part of `path`. */
static bool name_temporary(char *out, size_t size, const char *path)
{
    unsigned char noise[6];
    if (getrandom(noise, sizeof noise, 0) != (ssize_t)sizeof noise) {
        return false;
    }
    char mark[sizeof noise + 1] = {0};
    for (size_t i = 0; i < sizeof noise; i++) {
        mark[i] = MARK_LETTERS[noise[i] % 32];
    }
    size_t folder = folder_length(path);
    int length = snprintf(out, size, "%.*s.%.*s.%s.tmp", (int)folder, path, NAME_KEPT, path + folder, mark);
    if (length < 0 || (size_t)length >= size) {
        errno = ENAMETOOLONG;
        return false;
    }
    return true;
}

/* I4.  False when somebody who cleans up was faster; a file system without locks leaves nothing to be told apart. */
static bool hold(int fd)
{
    struct stat status;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return errno != EWOULDBLOCK;
    }
    return fstat(fd, &status) == 0 && status.st_nlink > 0;
}

/* O_EXCL with our own name instead of mkostemp: so the kernel applies the umask, which cannot be read without changing
 * it.  False with errno. */
static bool create_temporary(struct outfile *file, mode_t mode)
{
    char name[PATH_MAX];
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (!name_temporary(name, sizeof name, file->path)) {
            return false;
        }
        file->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->fd >= 0 && hold(file->fd)) {
            file->temporary = join(name, strlen(name), "", 0);
            return true;
        }
        if (file->fd >= 0) {
            unlink(name); /* it may be there still, when asking about it failed */
            close(file->fd);
            file->fd = -1;
        } else if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

/* I3: what is replaced keeps owner and mode where we may set them; where not, the new file is simply ours. */
static void keep_mode(int fd, const struct stat *old)
{
    if (fchown(fd, old->st_uid, old->st_gid) == 0 || old->st_uid == geteuid()) {
        (void)fchmod(fd, old->st_mode & 0777);
    }
}

static bool open_aside(struct outfile *file, const char *path, const struct stat *old)
{
    if (old != NULL && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
        return false;
    }
    file->path = resolve_links(path);
    if (file->path == NULL) {
        return false;
    }
    if (file->path[folder_length(file->path)] == '\0') {
        errno = path[0] == '\0' ? ENOENT : EISDIR;
        return false;
    }
    if (!create_temporary(file, old != NULL ? old->st_mode & 0777 : 0666)) {
        return false;
    }
    if (old != NULL) {
        keep_mode(file->fd, old);
    }
    return true;
}

static bool open_directly(struct outfile *file, const char *path, int descriptor)
{
    file->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    file->path = join(path, strlen(path), "", 0);
    return file->fd >= 0;
}

/* Chooses how to write by what is there.  False with errno. */
static bool open_somehow(struct outfile *file, const char *path)
{
    int descriptor = descriptor_of(path);
    if (descriptor >= 0) {
        return open_directly(file, path, descriptor);
    }
    struct stat old;
    if (stat(path, &old) != 0) {
        return errno == ENOENT && open_aside(file, path, NULL);
    }
    if (S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return false;
    }
    return S_ISREG(old.st_mode) ? open_aside(file, path, &old) : open_directly(file, path, -1);
}

/* Some file systems cannot flush and say so; they lose no more than they always do. */
static bool flush(int fd)
{
    int result;
    do {
        result = fsync(fd);
    } while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP;
}

/* Everything up to the checked close; the descriptor is gone in any case.  0 or errno. */
static int finish_bytes(struct outfile *file)
{
    int error = sink_close(&file->sink) ? 0 : file->sink.first_errno;
    if (error == 0 && file->temporary != NULL && !flush(file->fd)) {
        error = errno;
    }
    /* Linux closes the descriptor even when interrupted. */
    if (close(file->fd) != 0 && errno != EINTR && error == 0) {
        error = errno;
    }
    file->fd = -1;
    return error;
}

/* A folder that may be written but not read cannot be flushed; the file itself is safe by then. */
static int flush_folder_of(const char *path)
{
    size_t length = folder_length(path);
    char *folder = length > 0 ? join(path, length, "", 0) : join(".", 1, "", 0);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    int error = 0;
    if (fd >= 0) {
        error = flush(fd) ? 0 : errno;
        close(fd);
    }
    return error;
}

/* Gives the body its name.  0 or errno. */
static int put_in_place(struct outfile *file)
{
    if (rename(file->temporary, file->path) != 0) {
        return errno;
    }
    free(file->temporary);
    file->temporary = NULL;
    return flush_folder_of(file->path);
}

/* I2.  The sink must be closed. */
static void release(struct outfile *file)
{
    if (file->fd >= 0) {
        close(file->fd);
        file->fd = -1;
    }
    if (file->temporary != NULL) {
        unlink(file->temporary);
        free(file->temporary);
        file->temporary = NULL;
    }
    free(file->path);
    file->path = NULL;
}

bool outfile_open(struct outfile *file, const char *path, struct err *err)
{
    *file = (struct outfile){.fd = -1};
    if (!open_somehow(file, path)) {
        int error = errno;
        release(file);
        return fail(err, path, error);
    }
    sink_open(&file->sink, file->fd);
    return true;
}

bool outfile_commit(struct outfile *file, struct err *err)
{
    CHECK(file->fd >= 0);
    int error = finish_bytes(file);
    if (error == 0 && file->temporary != NULL) {
        error = put_in_place(file);
    }
    if (error != 0) {
        (void)fail(err, file->path, error);
    }
    release(file);
    return error == 0;
}

void outfile_abandon(struct outfile *file)
{
    if (file->fd >= 0) {
        /* Half a report must not reach a pipe either, so the rest goes nowhere. */
        file->sink.fd = -1;
        bool ignored = sink_close(&file->sink);
        (void)ignored;
        release(file);
    }
}

/* ".NAME.XXXXXX.tmp", as name_temporary makes it; any NAME if it is NULL. */
static bool is_temporary(const char *entry, const char *name)
{
    size_t length = strlen(entry);
    if (length < 13 || entry[0] != '.' || strcmp(entry + length - 4, ".tmp") != 0 || entry[length - 11] != '.') {
        return false;
    }
    size_t kept = length - 12;
    bool fits = name == NULL || (strncmp(entry + 1, name, kept) == 0 && (strlen(name) == kept || kept == NAME_KEPT));
    return fits && strspn(entry + length - 10, MARK_LETTERS) == 6;
}

static void remove_if_left(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        unlinkat(folder, name, 0);
    }
    close(fd);
}

void outfile_clean(const char *folder, const char *name)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (is_temporary(entry->d_name, name)) {
            remove_if_left(dirfd(dir), entry->d_name);
        }
    }
    closedir(dir);
}

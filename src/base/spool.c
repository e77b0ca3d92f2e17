/* Spool: output kept back until it is complete, then copied out in one go. */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

enum { COPY_BYTES = 65536 };

/* A file without a name in the folder, or -1.  File systems without O_TMPFILE get a name for a moment. */
static int open_nameless(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        return fd;
    }
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/simagent-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof path) {
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

static int open_anywhere(void)
{
    const char *folder = secure_getenv("TMPDIR");
    int fd = folder != NULL && folder[0] != '\0' ? open_nameless(folder) : -1;
    if (fd < 0) {
        fd = open_nameless("/tmp");
    }
    return fd >= 0 ? fd : memfd_create("simagent", MFD_CLOEXEC);
}

/* Flushes the sink once; later copies find the file as it is. */
static void seal(struct spool *spool)
{
    if (!spool->sealed) {
        spool->sealed = true;
        if (!sink_close(&spool->sink)) {
            spool->lost_errno = spool->sink.first_errno;
        }
    }
}

static bool wait_until_writable(int fd)
{
    struct pollfd waiting = {.fd = fd, .events = POLLOUT};
    return poll(&waiting, 1, -1) >= 0 || errno == EINTR;
}

/* 0, or the errno that stopped it. */
static int write_all(int fd, const char *data, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, data, len);
        if (put == 0) {
            return EIO; /* a device that takes nothing would keep us here for ever */
        }
        if (put > 0) {
            data += put;
            len -= (size_t)put;
        } else if (errno == EAGAIN ? !wait_until_writable(fd) : errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static ssize_t pread_again(int fd, char *data, size_t size, off_t offset)
{
    ssize_t got;
    do {
        got = pread(fd, data, size, offset);
    } while (got < 0 && errno == EINTR);
    return got;
}

bool spool_open(struct spool *spool, struct err *err)
{
    *spool = (struct spool){.fd = open_anywhere()};
    if (spool->fd < 0) {
        return err_set(err, ERR_IO, "no place for a temporary file in $TMPDIR, in /tmp or in memory: %s",
                       strerror(errno));
    }
    sink_open(&spool->sink, spool->fd);
    return true;
}

struct sink *spool_sink(struct spool *spool)
{
    CHECK(spool->fd >= 0 && !spool->sealed);
    return &spool->sink;
}

enum spool_result spool_copy_to(struct spool *spool, int fd, int *error)
{
    CHECK(spool->fd >= 0);
    seal(spool);
    *error = spool->lost_errno;
    if (*error != 0) {
        return SPOOL_LOST; /* I2 */
    }
    char piece[COPY_BYTES];
    for (off_t offset = 0; offset < spool->sink.written;) {
        ssize_t got = pread_again(spool->fd, piece, sizeof piece, offset);
        if (got <= 0) {
            *error = got < 0 ? errno : EIO; /* an end before the end: somebody else cut the file */
            return SPOOL_LOST;
        }
        *error = write_all(fd, piece, (size_t)got);
        if (*error != 0) {
            return *error == EPIPE ? SPOOL_PIPE_CLOSED : SPOOL_REFUSED;
        }
        offset += got;
    }
    return SPOOL_COPIED;
}

bool spool_read(struct spool *spool, struct arena *arena, size_t max_bytes, struct str *out, struct err *err)
{
    struct stat status;
    seal(spool);
    int error = spool->lost_errno == 0 && fstat(spool->fd, &status) != 0 ? errno : spool->lost_errno;
    if (error != 0) {
        return err_set(err, ERR_IO, "the temporary file failed: %s", strerror(error));
    }
    if ((uintmax_t)status.st_size > max_bytes) {
        return err_set(err, ERR_IO, "%jd bytes are too many here (%zu at most)", (intmax_t)status.st_size, max_bytes);
    }
    size_t size = (size_t)status.st_size;
    char *bytes = arena_bytes(arena, size + 1);
    for (size_t done = 0; done < size;) {
        ssize_t got = pread_again(spool->fd, bytes + done, size - done, (off_t)done);
        if (got <= 0) {
            return err_set(err, ERR_IO, "the temporary file failed: %s", strerror(got < 0 ? errno : EIO));
        }
        done += (size_t)got;
    }
    *out = (struct str){bytes, size};
    return true;
}

void spool_close(struct spool *spool)
{
    if (spool->fd >= 0) {
        /* Nobody will read what is still in the buffer, so it need not be written. */
        spool->sink.fd = -1;
        seal(spool);
        close(spool->fd);
        spool->fd = -1;
    }
}

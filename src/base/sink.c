/* Sink: where bytes go, buffered; remembers its first failure. */
#include "base/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/oom.h"

static void write_all(struct sink *sink, const char *data, size_t len)
{
    while (len > 0 && sink->first_errno == 0) {
        ssize_t n = write(sink->fd, data, len);
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        } else if (n == 0) {
            sink->first_errno = EIO; /* a device that takes nothing would keep us here for ever */
        } else if (errno != EINTR) {
            sink->first_errno = errno;
        }
    }
}

static void flush(struct sink *sink)
{
    write_all(sink, sink->buffer, sink->used);
    sink->used = 0;
}

void sink_open(struct sink *sink, int fd)
{
    *sink = (struct sink){.fd = fd};
    if (fd < 0) {
        return;
    }
    sink->buffer = malloc(SINK_BUFFER_SIZE);
    if (sink->buffer == NULL) {
        oom_stop("a buffer for output", SINK_BUFFER_SIZE);
    }
}

void sink_write(struct sink *sink, struct str bytes)
{
    if (bytes.len == 0 || sink->first_errno != 0) {
        return;
    }
    sink->written = checked_add(sink->written, (int64_t)bytes.len);
    if (sink->fd < 0) {
        return;
    }
    if (bytes.len > SINK_BUFFER_SIZE - sink->used) {
        flush(sink);
        if (bytes.len >= SINK_BUFFER_SIZE) {
            write_all(sink, bytes.data, bytes.len);
            return;
        }
    }
    memcpy(sink->buffer + sink->used, bytes.data, bytes.len);
    sink->used += bytes.len;
}

bool sink_close(struct sink *sink)
{
    if (sink->fd >= 0) {
        flush(sink);
    }
    free(sink->buffer);
    sink->buffer = NULL;
    return sink->first_errno == 0;
}

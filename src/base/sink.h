/* Sink: where bytes go, buffered; remembers its first failure.
 *
 * A writer never checks each write: it writes all it has and asks sink_finish once whether all of it arrived.
 */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define SINK_BUFFER_SIZE ((size_t)64 * 1024)

struct sink {
    int fd;           /* -1: only counts */
    int first_errno;  /* 0 while all went well */
    int64_t written;  /* bytes accepted so far, flushed or not */
    char *buffer;     /* 64 KiB */
    size_t used;
};

void sink_open(struct sink *sink, int fd);
void sink_write(struct sink *sink, struct str bytes);

/* Inline where there is room, since a writer of JSON puts most of its bytes one by one.  A sink that only counts never
 * has bytes in its buffer. */
static inline void sink_putc(struct sink *sink, char c)
{
    if (sink->used > 0 && sink->used < SINK_BUFFER_SIZE && sink->first_errno == 0 && sink->written < INT64_MAX) {
        sink->buffer[sink->used++] = c;
        sink->written++;
    } else {
        sink_write(sink, (struct str){&c, 1});
    }
}

/* Flushes and frees the buffer; the descriptor stays open.  False with `first_errno` kept if any byte was lost. */
MUST_USE bool sink_close(struct sink *sink);

#endif

/* Spool: output kept back until it is complete, then copied out in one go.
 *
 * A report that fails halfway must leave nothing on stdout, and a report may be larger than memory.  So the bytes go
 * to a file without a name in $TMPDIR or /tmp from the start.  Making one costs less than 10 microseconds, and while
 * it is young it lives in the page cache: a buffer in front of it would add a second path for the same speed.  Only
 * where neither folder takes a file (a read-only container) the bytes stay in memory.
 *
 *  I1  Nothing reaches the destination before spool_copy_to, and nothing stays behind after spool_close or a crash.
 *  I2  What is copied is all that was written, or the result says otherwise.
 *
 * Owned by whoever declares the struct; not shared between threads.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/sink.h"

struct arena;

struct spool {
    int fd;           /* -1 once closed */
    bool sealed;      /* the sink is closed: copying has begun */
    int lost_errno;   /* why bytes written to the sink are missing; 0 while none is */
    struct sink sink;
};

enum spool_result {
    SPOOL_COPIED,
    SPOOL_PIPE_CLOSED, /* the reader is gone; needs SIGPIPE ignored, or the signal ends the process first */
    SPOOL_REFUSED,     /* the destination failed: *error says why */
    SPOOL_LOST,        /* the temporary file failed, so nothing or only a part was copied: *error says why */
};

MUST_USE bool spool_open(struct spool *spool, struct err *err);

/* Where to write; not after the first copy. */
struct sink *spool_sink(struct spool *spool);

/* Writes everything to the descriptor, also one that does not block.  Can be called again for another descriptor. */
MUST_USE enum spool_result spool_copy_to(struct spool *spool, int fd, int *error);

/* Everything in memory, also what others wrote to `fd`; more than `max_bytes` is an error.  ERR_IO. */
MUST_USE bool spool_read(struct spool *spool, struct arena *arena, size_t max_bytes, struct str *out, struct err *err);

/* Forgets the bytes; harmless when closed already. */
void spool_close(struct spool *spool);

#endif

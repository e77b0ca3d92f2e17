/* Wire decoder: reads wire coded events (batch/wire.h) from someone who is not trusted, and tells them to a feed.
 *
 * The process that ran the scenario may have been taken over, so every byte is checked before a listener hears of it:
 * a listener sees only what a correct program could have told.  Chunks may end anywhere, also inside an event.
 *
 *  I1  What the target has heard so far is the beginning of a correct document (I1 to I3 of base/feed.h).
 *  I2  After the first damage nothing more is told, and every later call fails.
 *  I3  Memory: one string at most, and never more than twice the bytes that really came.
 *
 * Owns the buffer for a string that spans chunks until wire_decoder_close.
 */
#ifndef BATCH_WIRE_DECODER_H
#define BATCH_WIRE_DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/feed.h"
#include "batch/wire.h"

#define WIRE_EVENT_HEAD_MAX ((size_t)11) /* a tag and the longest varint */

struct wire_decoder {
    struct feed *target;               /* NULL: everything is checked and nobody is told */
    bool many;                         /* documents may follow one another */
    void (*on_document_end)(void *to); /* may be NULL */
    void *to;
    int64_t documents;       /* complete ones */
    int64_t position;        /* bytes taken so far, for messages */
    const char *damage;      /* what was wrong first */
    unsigned depth;          /* open objects and arrays */
    uint64_t objects;        /* bit d: the level d is an object */
    bool has_key;            /* a key waits for its value */
    uint64_t integers_left;  /* of a run of integers that is being read */
    enum wire_tag gathering; /* WIRE_KEY or WIRE_STRING while a text that spans chunks is gathered, else 0 */
    size_t text_length;      /* bytes that the gathered text will have */
    size_t text_used;
    size_t text_capacity;
    char *text;
    size_t head_used; /* bytes of an event's head that was cut by the end of a chunk */
    unsigned char head[WIRE_EVENT_HEAD_MAX];
    uint32_t known_count;
    struct wire_known_key known[WIRE_KEYS];
};

void wire_decoder_init(struct wire_decoder *decoder, struct feed *target);

MUST_USE bool wire_decoder_take(struct wire_decoder *decoder, struct str chunk, struct err *err);

/* Fails unless exactly one document came, or with `many` any number of whole ones. */
MUST_USE bool wire_decoder_finish(struct wire_decoder *decoder, struct err *err);

void wire_decoder_close(struct wire_decoder *decoder);

#endif

/* Wire: a feed's events as bytes, cut into frames, for a reader who trusts nobody (batch/wire_decoder.h).
 *
 * The child tells its report to this feed as it would to a JSON writer.  Millions of events pass here in a big run, so
 * an event is one tag byte and as little as possible after it: small integers and known keys are the tag alone.
 *
 *     01 object  02 array  03 end  04 null  05 false  06 true      nothing follows
 *     07 integer   zigzag varint                08 real      8 bytes, little endian
 *     09 integers  varint count >= 1, zigzags   0a string    varint length, bytes
 *     0b key       varint length, bytes         20..3f  the string of that many bytes (0..31), which follow
 *     40..7f the integer 0..63                  80..ff  the known key of that number (0..127)
 *
 * Keys of at most WIRE_KEY_MAX bytes that were spelled out become known, in order, until there are 128; writer and
 * reader number them alike.  A document is over when its outermost value is; documents may follow one another.
 *
 * Memory: the buffer of one frame, in the struct.  Not shared between threads.
 */
#ifndef BATCH_WIRE_H
#define BATCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/feed.h"
#include "batch/frame.h"

#define WIRE_DEPTH_MAX 64u
#define WIRE_STRING_MAX ((size_t)256 << 20)
#define WIRE_KEY_MAX ((size_t)32)
#define WIRE_KEYS 128u

enum wire_tag {
    WIRE_OBJECT = 0x01,
    WIRE_ARRAY,
    WIRE_END,
    WIRE_NULL,
    WIRE_FALSE,
    WIRE_TRUE,
    WIRE_INTEGER,
    WIRE_REAL,
    WIRE_INTEGERS,
    WIRE_STRING,
    WIRE_KEY,
    WIRE_SHORT_STRING = 0x20,
    WIRE_SMALL_INTEGER = 0x40,
    WIRE_KNOWN_KEY = 0x80,
};

/* Takes one whole frame, head included.  The bytes are good until it returns. */
typedef void wire_send(void *receiver, struct str frame);

struct wire_known_key {
    unsigned char length;
    char bytes[WIRE_KEY_MAX];
};

struct wire_feed {
    struct feed feed;
    enum frame_kind kind;
    wire_send *send;
    void *receiver;
    const char *refused; /* what the wire cannot carry, once it was told so; everything after that is dropped */
    unsigned depth;
    size_t used; /* bytes of `frame` that are filled, the head's included */
    uint32_t known_count;
    unsigned char slots[2 * WIRE_KEYS]; /* open addressing: number of a known key + 1, 0 = free */
    struct wire_known_key known[WIRE_KEYS];
    unsigned char frame[FRAME_HEAD_SIZE + FRAME_PAYLOAD_MAX];
};

void wire_feed_init(struct wire_feed *wire, enum frame_kind kind, wire_send *send, void *receiver);

/* Sends what is still in the buffer. */
void wire_feed_flush(struct wire_feed *wire);

#endif

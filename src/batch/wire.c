#include "batch/wire.h"

#include <math.h>
#include <string.h>

#include "base/check.h"

#define VARINT_MAX ((size_t)10)

void wire_feed_flush(struct wire_feed *wire)
{
    if (wire->used == FRAME_HEAD_SIZE) {
        return;
    }
    if (!wire->refused) {
        frame_pack_head(wire->frame, wire->kind, wire->used - FRAME_HEAD_SIZE);
        wire->send(wire->receiver, (struct str){(const char *)wire->frame, wire->used});
    }
    wire->used = FRAME_HEAD_SIZE;
}

/* Room for `size` bytes in a row, `size` being far less than a frame. */
static unsigned char *room(struct wire_feed *wire, size_t size)
{
    if (sizeof wire->frame - wire->used < size) {
        wire_feed_flush(wire);
    }
    return wire->frame + wire->used;
}

static void put_tag(struct wire_feed *wire, unsigned tag)
{
    *room(wire, 1) = (unsigned char)tag;
    wire->used++;
}

static size_t write_varint(unsigned char *out, uint64_t value)
{
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) {
        out[length++] = (unsigned char)(value | 0x80);
    }
    out[length++] = (unsigned char)value;
    return length;
}

static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static void put_number(struct wire_feed *wire, unsigned tag, uint64_t value)
{
    unsigned char *out = room(wire, 1 + VARINT_MAX);
    out[0] = (unsigned char)tag;
    wire->used += 1 + write_varint(out + 1, value);
}

static void put_bytes(struct wire_feed *wire, struct str bytes)
{
    if (bytes.len > WIRE_STRING_MAX) {
        wire->refused = "a text of more than 256 MiB";
    }
    while (bytes.len > 0) {
        unsigned char *out = room(wire, 1);
        size_t space = sizeof wire->frame - wire->used;
        size_t part = bytes.len < space ? bytes.len : space;
        memcpy(out, bytes.data, part);
        wire->used += part;
        bytes = str_slice(bytes, part, bytes.len);
    }
}

static void put_begin(struct wire_feed *wire, enum wire_tag tag)
{
    if (wire->depth++ >= WIRE_DEPTH_MAX) {
        wire->refused = "values nested deeper than 64 levels";
    }
    put_tag(wire, tag);
}

static void tell_object(struct feed *feed)
{
    put_begin((struct wire_feed *)feed, WIRE_OBJECT);
}

static void tell_array(struct feed *feed)
{
    put_begin((struct wire_feed *)feed, WIRE_ARRAY);
}

static void tell_end(struct feed *feed)
{
    struct wire_feed *wire = (struct wire_feed *)feed;
    CHECK(wire->depth > 0);
    wire->depth--;
    put_tag(wire, WIRE_END);
}

static void tell_null(struct feed *feed)
{
    put_tag((struct wire_feed *)feed, WIRE_NULL);
}

static void tell_boolean(struct feed *feed, bool value)
{
    put_tag((struct wire_feed *)feed, value ? WIRE_TRUE : WIRE_FALSE);
}

static void tell_integer(struct feed *feed, int64_t value)
{
    if (value >= 0 && value < WIRE_KNOWN_KEY - WIRE_SMALL_INTEGER) {
        put_tag((struct wire_feed *)feed, WIRE_SMALL_INTEGER + (unsigned)value);
    }
    else
        put_number((struct wire_feed *)feed, WIRE_INTEGER, zigzag(value));
}

static void tell_integers(struct feed *feed, const int64_t *values, size_t count)
{
    struct wire_feed *wire = (struct wire_feed *)feed;
    if (count == 0) {
        return;
    }
    put_number(wire, WIRE_INTEGERS, count);
    for (size_t i = 0; i < count; i++) {
        wire->used += write_varint(room(wire, VARINT_MAX), zigzag(values[i]));
    }
}

static void tell_real(struct feed *feed, double value)
{
    struct wire_feed *wire = (struct wire_feed *)feed;
    CHECK(isfinite(value)); /* I3 of the feed */
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char *out = room(wire, 9);
    out[0] = WIRE_REAL;
    for (unsigned i = 0; i < 8; i++) {
        out[1 + i] = (unsigned char)(bits >> (8 * i));
    }
    wire->used += 9;
}

static void tell_string(struct feed *feed, struct str value)
{
    struct wire_feed *wire = (struct wire_feed *)feed;
    if (value.len < WIRE_SMALL_INTEGER - WIRE_SHORT_STRING) {
        put_tag(wire, WIRE_SHORT_STRING + (unsigned)value.len);
    }
    else
        put_number(wire, WIRE_STRING, value.len);
    put_bytes(wire, value);
}

/* FNV over a few bytes: keys are short and there are few of them. */
static size_t first_slot(struct str key)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < key.len; i++) {
        hash = (hash ^ (unsigned char)key.data[i]) * 16777619u;
    }
    return (hash ^ (hash >> 15)) % (2 * WIRE_KEYS);
}

/* The slot of a short key: filled if the key is known, else the free one where it belongs. */
static unsigned char *find_slot(struct wire_feed *wire, struct str key)
{
    size_t at = first_slot(key);
    for (; wire->slots[at] > 0; at = (at + 1) % (2 * WIRE_KEYS)) {
        const struct wire_known_key *known = &wire->known[wire->slots[at] - 1];
        if (known->length == key.len && memcmp(known->bytes, key.data, key.len) == 0) {
            break;
        }
    }
    return &wire->slots[at];
}

static void learn(struct wire_feed *wire, unsigned char *slot, struct str key)
{
    struct wire_known_key *known = &wire->known[wire->known_count++];
    known->length = (unsigned char)key.len;
    memcpy(known->bytes, key.data, key.len);
    *slot = (unsigned char)wire->known_count;
}

static void tell_key(struct feed *feed, struct str key)
{
    struct wire_feed *wire = (struct wire_feed *)feed;
    if (key.len > 0 && key.len <= WIRE_KEY_MAX) {
        unsigned char *slot = find_slot(wire, key);
        if (*slot > 0) {
            put_tag(wire, WIRE_KNOWN_KEY + *slot - 1u);
            return;
        }
        if (wire->known_count < WIRE_KEYS) {
            learn(wire, slot, key);
        }
    }
    put_number(wire, WIRE_KEY, key.len);
    put_bytes(wire, key);
}

static const struct feed_ops wire_feed_ops = {
    .begin_object = tell_object,
    .begin_array = tell_array,
    .end = tell_end,
    .key = tell_key,
    .null = tell_null,
    .boolean = tell_boolean,
    .integer = tell_integer,
    .integers = tell_integers,
    .real = tell_real,
    .string = tell_string,
};

void wire_feed_init(struct wire_feed *wire, enum frame_kind kind, wire_send *send, void *receiver)
{
    memset(wire, 0, offsetof(struct wire_feed, frame));
    wire->feed.ops = &wire_feed_ops;
    wire->kind = kind;
    wire->send = send;
    wire->receiver = receiver;
    wire->used = FRAME_HEAD_SIZE;
}

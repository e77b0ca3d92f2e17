#include "batch/wire_decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/oom.h"

enum { BATCH = 256 }; /* integers told in one call */

/* The bytes not yet looked at. */
struct input {
    const unsigned char *at;
    const unsigned char *end;
};

/* The beginning of an event: its tag and the number after it. */
struct event {
    unsigned tag;
    uint64_t number;
    size_t length; /* bytes; 0: more are needed */
};

/* The first damage is the cause; the rest is ignored. */
static bool damaged(struct wire_decoder *decoder, const char *what)
{
    if (!decoder->damage) {
        decoder->damage = what;
    }
    return false;
}

/* Length of the varint at `at`, 0 if it is cut off by `end`, or -1 if it is longer than a number or than need be. */
static int read_varint(const unsigned char *at, const unsigned char *end, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 10 && at + i < end; i++) {
        uint64_t bits = at[i] & 0x7f;
        if (i == 9 && bits > 1) {
            return -1;
        }
        sum |= bits << (7 * i);
        if (at[i] < 0x80) {
            *value = sum;
            return at[i] == 0 && i > 0 ? -1 : (int)i + 1;
        }
    }
    return end - at < 10 ? 0 : -1;
}

static int64_t unzigzag(uint64_t number)
{
    uint64_t bits = (number >> 1) ^ (number & 1 ? UINT64_MAX : 0);
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool has_number(unsigned tag)
{
    return tag == WIRE_INTEGER || tag == WIRE_INTEGERS || tag == WIRE_STRING || tag == WIRE_KEY;
}

/* Reads tag and number.  `event->length` stays 0 if the input ends too early. */
static bool read_event(struct wire_decoder *decoder, const struct input *input, struct event *event)
{
    const unsigned char *at = input->at;
    *event = (struct event){.tag = at[0]};
    if (has_number(event->tag)) {
        int length = read_varint(at + 1, input->end, &event->number);
        if (length < 0) {
            return damaged(decoder, "bad number");
        }
        event->length = length == 0 ? 0 : (size_t)length + 1;
    } else if (event->tag == WIRE_REAL) {
        for (unsigned i = 0; i < 8 && input->end - at >= 9; i++) {
            event->number |= (uint64_t)at[1 + i] << (8 * i);
        }
        event->length = input->end - at >= 9 ? 9 : 0;
    } else {
        event->length = 1;
    }
    return true;
}

static bool in_object(const struct wire_decoder *decoder)
{
    return decoder->depth > 0 && (decoder->objects >> (decoder->depth - 1) & 1);
}

/* A value may stand here: after a key, in an array, or as the document itself. */
static bool allow_value(struct wire_decoder *decoder)
{
    if (in_object(decoder)) {
        if (!decoder->has_key) {
            return damaged(decoder, "value without a key");
        }
        decoder->has_key = false;
        return true;
    }
    if (decoder->depth == 0 && decoder->documents > 0 && !decoder->many) {
        return damaged(decoder, "more after the end");
    }
    return true;
}

static bool allow_key(struct wire_decoder *decoder)
{
    if (!in_object(decoder) || decoder->has_key) {
        return damaged(decoder, "key in a wrong place");
    }
    decoder->has_key = true;
    return true;
}

static void end_value(struct wire_decoder *decoder)
{
    if (decoder->depth > 0) {
        return;
    }
    decoder->documents++;
    if (decoder->on_document_end) {
        decoder->on_document_end(decoder->to);
    }
}

static bool begin(struct wire_decoder *decoder, bool object)
{
    if (!allow_value(decoder)) {
        return false;
    }
    if (decoder->depth == WIRE_DEPTH_MAX) {
        return damaged(decoder, "nested too deep");
    }
    uint64_t bit = (uint64_t)1 << decoder->depth;
    decoder->objects = object ? decoder->objects | bit : decoder->objects & ~bit;
    decoder->depth++;
    if (decoder->target) {
        (object ? feed_begin_object : feed_begin_array)(decoder->target);
    }
    return true;
}

static bool end(struct wire_decoder *decoder)
{
    if (decoder->depth == 0 || decoder->has_key) {
        return damaged(decoder, "end in a wrong place");
    }
    decoder->depth--;
    if (decoder->target) {
        feed_end(decoder->target);
    }
    end_value(decoder);
    return true;
}

static bool tell_integer(struct wire_decoder *decoder, int64_t value)
{
    if (!allow_value(decoder)) {
        return false;
    }
    if (decoder->target) {
        feed_int(decoder->target, value);
    }
    end_value(decoder);
    return true;
}

static bool tell_real(struct wire_decoder *decoder, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
        return damaged(decoder, "number that is not finite");
    }
    if (!allow_value(decoder)) {
        return false;
    }
    if (decoder->target) {
        feed_real(decoder->target, value);
    }
    end_value(decoder);
    return true;
}

static bool tell_truth(struct wire_decoder *decoder, unsigned tag)
{
    if (!allow_value(decoder)) {
        return false;
    }
    if (decoder->target && tag == WIRE_NULL) {
        feed_null(decoder->target);
    } else if (decoder->target) {
        feed_bool(decoder->target, tag == WIRE_TRUE);
    }
    end_value(decoder);
    return true;
}

static void learn(struct wire_decoder *decoder, struct str key)
{
    if (key.len == 0 || key.len > WIRE_KEY_MAX || decoder->known_count == WIRE_KEYS) {
        return;
    }
    struct wire_known_key *known = &decoder->known[decoder->known_count++];
    known->length = (unsigned char)key.len;
    memcpy(known->bytes, key.data, key.len);
}

/* A text is complete; that it may stand here was checked when it began. */
static void tell_text(struct wire_decoder *decoder, enum wire_tag tag, struct str text)
{
    if (tag == WIRE_KEY) {
        learn(decoder, text);
        if (decoder->target) {
            feed_key(decoder->target, text);
        }
        return;
    }
    if (decoder->target) {
        feed_str(decoder->target, text);
    }
    end_value(decoder);
}

static bool tell_known_key(struct wire_decoder *decoder, unsigned number)
{
    if (number >= decoder->known_count) {
        return damaged(decoder, "unknown key");
    }
    if (!allow_key(decoder)) {
        return false;
    }
    const struct wire_known_key *known = &decoder->known[number];
    if (decoder->target) {
        feed_key(decoder->target, (struct str){known->bytes, known->length});
    }
    return true;
}

/* I3: capacity follows the bytes that came, not the length that was claimed. */
static void make_room(struct wire_decoder *decoder, size_t extra)
{
    size_t needed = decoder->text_used + extra;
    if (needed <= decoder->text_capacity) {
        return;
    }
    size_t capacity = needed < 4096 ? 4096 : needed + needed / 2;
    char *text = realloc(decoder->text, capacity);
    if (!text) {
        oom_stop("wire decoder", capacity);
    }
    decoder->text = text;
    decoder->text_capacity = capacity;
}

/* Adds to the text being gathered; tells it once it is whole. */
static void gather(struct wire_decoder *decoder, struct input *input)
{
    size_t missing = decoder->text_length - decoder->text_used;
    size_t here = (size_t)(input->end - input->at);
    size_t part = missing < here ? missing : here;
    if (part > 0) {
        make_room(decoder, part);
        memcpy(decoder->text + decoder->text_used, input->at, part);
    }
    decoder->text_used += part;
    input->at += part;
    if (decoder->text_used == decoder->text_length) {
        enum wire_tag tag = decoder->gathering;
        decoder->gathering = 0;
        tell_text(decoder, tag, (struct str){decoder->text, decoder->text_length});
    }
}

static bool begin_text(struct wire_decoder *decoder, struct input *input, enum wire_tag tag, uint64_t length)
{
    if (!(tag == WIRE_KEY ? allow_key(decoder) : allow_value(decoder))) {
        return false;
    }
    if (length > WIRE_STRING_MAX) {
        return damaged(decoder, "text too long");
    }
    if (length <= (uint64_t)(input->end - input->at)) { /* whole: no copy */
        const char *text = (const char *)input->at;
        input->at += length;
        tell_text(decoder, tag, (struct str){text, (size_t)length});
        return true;
    }
    decoder->gathering = tag;
    decoder->text_length = (size_t)length;
    decoder->text_used = 0;
    return true;
}

static bool begin_integers(struct wire_decoder *decoder, uint64_t count)
{
    if (decoder->depth == 0 || in_object(decoder)) {
        return damaged(decoder, "integers outside an array");
    }
    if (count == 0 || count > UINT32_MAX) {
        return damaged(decoder, "bad count of integers");
    }
    decoder->integers_left = count;
    return true;
}

static bool tell_event(struct wire_decoder *decoder, struct input *input, const struct event *event)
{
    unsigned tag = event->tag;
    if (tag >= WIRE_KNOWN_KEY) {
        return tell_known_key(decoder, tag - WIRE_KNOWN_KEY);
    }
    if (tag >= WIRE_SMALL_INTEGER) {
        return tell_integer(decoder, (int64_t)(tag - WIRE_SMALL_INTEGER));
    }
    if (tag >= WIRE_SHORT_STRING) {
        return begin_text(decoder, input, WIRE_STRING, tag - WIRE_SHORT_STRING);
    }
    switch (tag) {
    case WIRE_OBJECT: return begin(decoder, true);
    case WIRE_ARRAY: return begin(decoder, false);
    case WIRE_END: return end(decoder);
    case WIRE_NULL:
    case WIRE_FALSE:
    case WIRE_TRUE: return tell_truth(decoder, tag);
    case WIRE_INTEGER: return tell_integer(decoder, unzigzag(event->number));
    case WIRE_REAL: return tell_real(decoder, event->number);
    case WIRE_INTEGERS: return begin_integers(decoder, event->number);
    case WIRE_STRING:
    case WIRE_KEY: return begin_text(decoder, input, (enum wire_tag)tag, event->number);
    default: return damaged(decoder, "unknown tag");
    }
}

/* Puts what is left of the input aside: it is the beginning of an event's head, or of an integer. */
static void set_aside(struct wire_decoder *decoder, struct input *input)
{
    decoder->head_used = (size_t)(input->end - input->at);
    CHECK(decoder->head_used < WIRE_EVENT_HEAD_MAX);
    memmove(decoder->head, input->at, decoder->head_used); /* it may be there already */
    input->at = input->end;
}

/* Part of a run of integers, as many as the input holds. */
static bool take_integers(struct wire_decoder *decoder, struct input *input)
{
    int64_t values[BATCH];
    size_t count = 0;
    while (count < BATCH && count < decoder->integers_left && input->at < input->end) {
        uint64_t number = 0;
        int length = read_varint(input->at, input->end, &number);
        if (length < 0) {
            return damaged(decoder, "bad number");
        }
        if (length == 0) {
            set_aside(decoder, input);
            break;
        }
        values[count++] = unzigzag(number);
        input->at += length;
    }
    decoder->integers_left -= count;
    if (decoder->target && count > 0) {
        feed_ints(decoder->target, values, count);
    }
    return true;
}

static bool take_event(struct wire_decoder *decoder, struct input *input)
{
    struct event event;
    if (!read_event(decoder, input, &event)) {
        return false;
    }
    if (event.length == 0) {
        set_aside(decoder, input);
        return true;
    }
    input->at += event.length;
    return tell_event(decoder, input, &event);
}

static bool take_next(struct wire_decoder *decoder, struct input *input)
{
    if (decoder->gathering) {
        gather(decoder, input);
        return true;
    }
    return decoder->integers_left > 0 ? take_integers(decoder, input) : take_event(decoder, input);
}

/* Completes a head that was cut by the end of the last chunk, byte by byte; this is rare. */
static bool take_cut_head(struct wire_decoder *decoder, struct input *input)
{
    while (decoder->head_used > 0 && input->at < input->end) {
        decoder->head[decoder->head_used] = *input->at++;
        struct input head = {.at = decoder->head, .end = decoder->head + decoder->head_used + 1};
        decoder->head_used = 0;
        /* What is still too short is set aside again.  A text whose head is complete has no byte here: it is
         * gathered. */
        if (!take_next(decoder, &head)) {
            return false;
        }
    }
    return true;
}

bool wire_decoder_take(struct wire_decoder *decoder, struct str chunk, struct err *err)
{
    if (chunk.len > 0 && !decoder->damage) {
        struct input input = {.at = (const unsigned char *)chunk.data};
        input.end = input.at + chunk.len;
        bool good = take_cut_head(decoder, &input);
        while (good && input.at < input.end) {
            good = take_next(decoder, &input);
        }
        decoder->position += input.at - (const unsigned char *)chunk.data;
    }
    if (decoder->damage) {
        return err_set(err, ERR_INTERNAL, "the scenario's process sent a damaged report (%s near byte %lld)",
                       decoder->damage, (long long)decoder->position);
    }
    return true;
}

bool wire_decoder_finish(struct wire_decoder *decoder, struct err *err)
{
    bool between = decoder->depth == 0 && decoder->head_used == 0 && !decoder->gathering;
    if (!between || (!decoder->many && decoder->documents != 1)) {
        (void)damaged(decoder, "it ends too early");
    }
    return wire_decoder_take(decoder, STR(""), err);
}

void wire_decoder_init(struct wire_decoder *decoder, struct feed *target)
{
    memset(decoder, 0, sizeof *decoder);
    decoder->target = target;
}

void wire_decoder_close(struct wire_decoder *decoder)
{
    free(decoder->text);
    decoder->text = NULL;
    decoder->text_capacity = 0;
    decoder->text_used = 0;
}

/* Wire: what is told on one side is heard on the other, and no bytes whatever make the reader crash or believe
 * nonsense. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "batch/wire.h"
#include "batch/wire_decoder.h"

/* A listener that writes down each event, and checks the rules of base/feed.h with a plain stack of its own. */
struct recorder {
    struct feed feed;
    struct strbuf log;
    char open[256]; /* '{' or '[' */
    unsigned depth;
    bool keyed;
    int64_t documents;
};

static void check_value(struct recorder *r)
{
    assert_true(r->depth == 0 || r->open[r->depth - 1] == '[' || r->keyed);
    r->keyed = false;
    r->documents += r->depth == 0 ? 1 : 0;
}

static void hear_open(struct recorder *r, char bracket)
{
    check_value(r);
    r->documents -= r->depth == 0 ? 1 : 0;
    assert_true(r->depth < WIRE_DEPTH_MAX);
    r->open[r->depth++] = bracket;
    strbuf_addc(&r->log, bracket);
}

static void hear_object(struct feed *f)
{
    hear_open((struct recorder *)f, '{');
}

static void hear_array(struct feed *f)
{
    hear_open((struct recorder *)f, '[');
}

static void hear_end(struct feed *f)
{
    struct recorder *r = (struct recorder *)f;
    assert_true(r->depth > 0 && !r->keyed);
    strbuf_addc(&r->log, r->open[--r->depth] == '{' ? '}' : ']');
    r->documents += r->depth == 0 ? 1 : 0;
}

static void hear_key(struct feed *f, struct str key)
{
    struct recorder *r = (struct recorder *)f;
    assert_true(r->depth > 0 && r->open[r->depth - 1] == '{' && !r->keyed);
    r->keyed = true;
    strbuf_addf(&r->log, "k%zu:", key.len);
    strbuf_add(&r->log, key);
}

static void hear_null(struct feed *f)
{
    check_value((struct recorder *)f);
    strbuf_addc(&((struct recorder *)f)->log, 'n');
}

static void hear_boolean(struct feed *f, bool value)
{
    check_value((struct recorder *)f);
    strbuf_addc(&((struct recorder *)f)->log, value ? 't' : 'f');
}

static void hear_integer(struct feed *f, int64_t value)
{
    check_value((struct recorder *)f);
    strbuf_addf(&((struct recorder *)f)->log, "i%lld,", (long long)value);
}

static void hear_integers(struct feed *f, const int64_t *values, size_t count)
{
    struct recorder *r = (struct recorder *)f;
    assert_true(r->depth > 0 && r->open[r->depth - 1] == '[');
    for (size_t i = 0; i < count; i++) {
        hear_integer(f, values[i]);
    }
}

static void hear_real(struct feed *f, double value)
{
    assert_true(isfinite(value));
    check_value((struct recorder *)f);
    strbuf_addf(&((struct recorder *)f)->log, "r%a,", value);
}

static void hear_string(struct feed *f, struct str value)
{
    struct recorder *r = (struct recorder *)f;
    check_value(r);
    strbuf_addf(&r->log, "s%zu:", value.len);
    strbuf_add(&r->log, value);
}

static const struct feed_ops recorder_ops = {
    .begin_object = hear_object, .begin_array = hear_array, .end = hear_end,           .key = hear_key,
    .null = hear_null,           .boolean = hear_boolean,   .integer = hear_integer,   .integers = hear_integers,
    .real = hear_real,           .string = hear_string,
};

static void recorder_init(struct recorder *r, struct arena *arena)
{
    memset(r, 0, sizeof *r);
    r->feed.ops = &recorder_ops;
    strbuf_init(&r->log, arena, (size_t)1 << 30);
}

/* Collects the payloads of the frames that a wire sends. */
static void collect(void *receiver, struct str frame)
{
    struct frame_head head;
    assert_true(frame.len > FRAME_HEAD_SIZE && frame.len <= FRAME_HEAD_SIZE + FRAME_PAYLOAD_MAX);
    assert_true(frame_unpack_head((const unsigned char *)frame.data, &head));
    assert_int_equal(head.kind, FRAME_REPORT);
    assert_int_equal(head.length, frame.len - FRAME_HEAD_SIZE);
    strbuf_add(receiver, str_slice(frame, FRAME_HEAD_SIZE, frame.len));
}

static struct wire_feed *wire_new(struct arena *arena, struct strbuf *stream)
{
    struct wire_feed *wire = arena_new(arena, struct wire_feed);
    strbuf_init(stream, arena, (size_t)1 << 30);
    wire_feed_init(wire, FRAME_REPORT, collect, stream);
    return wire;
}

/* A random value, told to `f`; the same seed tells the same. */
static void tell_random(struct feed *f, struct rng *rng, unsigned depth)
{
    static const double reals[] = {0.0, -0.0, 0.1, 1e300, DBL_MAX, DBL_TRUE_MIN, -2.5};
    static const int64_t integers[] = {0, 1, 63, 64, -1, -64, 127, 128, INT64_MAX, INT64_MIN, 1 << 20};
    static char text[300];
    int64_t bulk[20];
    int64_t kind = rng_between(rng, 0, depth < 6 ? 9 : 6);
    switch (kind) {
    case 0: feed_null(f); break;
    case 1: feed_bool(f, rng_between(rng, 0, 1) == 1); break;
    case 2:
    case 3: feed_int(f, integers[rng_between(rng, 0, (int64_t)ARRAY_LEN(integers) - 1)]); break;
    case 4: feed_real(f, reals[rng_between(rng, 0, (int64_t)ARRAY_LEN(reals) - 1)]); break;
    case 5:
    case 6:
        memset(text, (int)rng_between(rng, 0, 255), sizeof text);
        feed_str(f, (struct str){text, (size_t)rng_between(rng, 0, (int64_t)sizeof text)});
        break;
    case 7:
        feed_begin_array(f);
        for (size_t i = 0; i < ARRAY_LEN(bulk); i++) {
            bulk[i] = integers[rng_between(rng, 0, (int64_t)ARRAY_LEN(integers) - 1)];
        }
        feed_ints(f, bulk, (size_t)rng_between(rng, 0, (int64_t)ARRAY_LEN(bulk)));
        feed_end(f);
        break;
    default:
        (kind == 8 ? feed_begin_object : feed_begin_array)(f);
        for (int64_t left = rng_between(rng, 0, 5); left > 0; left--) {
            if (kind == 8) {
                memset(text, (int)rng_between(rng, 'a', 'z'), 40);
                feed_key(f, (struct str){text, (size_t)rng_between(rng, 0, 40)});
            }
            tell_random(f, rng, depth + 1);
        }
        feed_end(f);
    }
}

static void tell_random_document(struct feed *f, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed, STR("document"));
    feed_begin_array(f);
    for (int i = 0; i < 8; i++) {
        tell_random(f, &rng, 1);
    }
    feed_end(f);
}

/* Decodes a stream in chunks of `chunk` bytes; each chunk is a block of its own, so that a read beyond it is seen. */
static bool decode(struct str stream, size_t chunk, bool many, struct recorder *heard, struct err *err)
{
    struct wire_decoder decoder;
    wire_decoder_init(&decoder, heard ? &heard->feed : NULL);
    decoder.many = many;
    bool good = true;
    for (size_t at = 0; good && at < stream.len; at += chunk) {
        size_t size = stream.len - at < chunk ? stream.len - at : chunk;
        char *copy = malloc(size);
        memcpy(copy, stream.data + at, size);
        good = wire_decoder_take(&decoder, (struct str){copy, size}, err);
        free(copy);
    }
    good = good && wire_decoder_finish(&decoder, err);
    if (good && heard) {
        assert_int_equal(heard->documents, decoder.documents);
        assert_int_equal(heard->depth, 0);
    }
    wire_decoder_close(&decoder);
    return good;
}

/* The law: told directly or through the wire, in chunks of any size, a listener hears the same. */
static void test_round_trip(void **state)
{
    static const size_t chunks[] = {1, 2, 3, 7, 64, 1 << 20};
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct arena arena;
        struct recorder told;
        struct strbuf stream;
        arena_init(&arena);
        recorder_init(&told, &arena);
        tell_random_document(&told.feed, seed);
        struct wire_feed *wire = wire_new(&arena, &stream);
        tell_random_document(&wire->feed, seed);
        wire_feed_flush(wire);
        for (size_t i = 0; i < ARRAY_LEN(chunks); i++) {
            struct recorder heard;
            struct err err = {.kind = ERR_NONE};
            recorder_init(&heard, &arena);
            assert_true(decode(strbuf_str(&stream), chunks[i], false, &heard, &err));
            assert_int_equal(heard.log.len, told.log.len);
            assert_memory_equal(heard.log.data, told.log.data, told.log.len);
        }
        arena_close(&arena);
    }
}

/* More than one frame: long texts, many integers, and more different keys than can be known. */
static void tell_large(struct feed *f)
{
    static char text[200000];
    static int64_t values[5000];
    char key[16];
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        values[i] = (int64_t)(i * i * i) - 1000;
    }
    memset(text, 'x', sizeof text);
    feed_begin_object(f);
    feed_put_str(f, STR("text"), (struct str){text, sizeof text});
    feed_open_array(f, STR("values"));
    feed_ints(f, values, ARRAY_LEN(values));
    feed_end(f);
    for (int i = 0; i < 600; i++) {
        int length = snprintf(key, sizeof key, "key%d", i % 300);
        feed_put_int(f, (struct str){key, (size_t)length}, i);
    }
    feed_end(f);
}

static void test_spans_frames(void **state)
{
    static const size_t chunks[] = {1, 1000, FRAME_PAYLOAD_MAX};
    (void)state;
    struct arena arena;
    struct recorder told;
    struct strbuf stream;
    arena_init(&arena);
    recorder_init(&told, &arena);
    tell_large(&told.feed);
    struct wire_feed *wire = wire_new(&arena, &stream);
    tell_large(&wire->feed);
    wire_feed_flush(wire);
    assert_true(stream.len > 3 * FRAME_PAYLOAD_MAX);
    for (size_t i = 0; i < ARRAY_LEN(chunks); i++) {
        struct recorder heard;
        struct err err = {.kind = ERR_NONE};
        recorder_init(&heard, &arena);
        assert_true(decode(strbuf_str(&stream), chunks[i], false, &heard, &err));
        assert_int_equal(heard.log.len, told.log.len);
        assert_memory_equal(heard.log.data, told.log.data, told.log.len);
    }
    arena_close(&arena);
}

static void tell_sample(struct feed *f)
{
    static const int64_t numbers[] = {5, -3, 100000, INT64_MIN};
    feed_begin_object(f);
    feed_put_str(f, STR("name"), STR("repo_scan"));
    feed_put_int(f, STR("peak"), 123456789);
    feed_put_real(f, STR("ratio"), 0.25);
    feed_open_array(f, STR("per_turn"));
    feed_ints(f, numbers, ARRAY_LEN(numbers));
    feed_begin_object(f);
    feed_put_int(f, STR("peak"), 7);
    feed_put_bool(f, STR("name"), true);
    feed_key(f, STR("a key of more than thirty-two bytes, never known"));
    feed_str(f, STR("a text of more than thirty-one bytes"));
    feed_end(f);
    feed_end(f);
    feed_put_null(f, STR("nothing"));
    feed_end(f);
}

static struct str sample_stream(struct arena *arena)
{
    struct strbuf stream;
    struct wire_feed *wire = wire_new(arena, &stream);
    tell_sample(&wire->feed);
    wire_feed_flush(wire);
    return str_copy(arena, strbuf_str(&stream));
}

/* A document that is cut anywhere is refused, whatever the size of the chunks. */
static void test_every_truncation(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct str stream = sample_stream(&arena);
    for (size_t length = 0; length < stream.len; length++) {
        for (size_t chunk = 1; chunk <= 16; chunk += 5) {
            struct recorder heard;
            struct err err = {.kind = ERR_NONE};
            recorder_init(&heard, &arena);
            assert_false(decode(str_slice(stream, 0, length), chunk, false, &heard, &err));
            assert_int_equal(err.kind, ERR_INTERNAL);
            assert_non_null(strstr(err.message, "sent a damaged report (it ends too early"));
        }
    }
    arena_close(&arena);
}

/* Each bit flipped, and each byte replaced by each other: refused or a correct document (the recorder checks that), and
 * the same verdict whether the bytes come at once or one by one. */
static void test_every_damage(void **state)
{
    (void)state;
    struct arena arena;
    size_t refused = 0;
    arena_init(&arena);
    struct str stream = sample_stream(&arena);
    char *bytes = malloc(stream.len);
    for (size_t at = 0; at < stream.len; at++) {
        for (unsigned value = 0; value < 256; value++) {
            struct arena_mark mark = arena_mark(&arena);
            struct recorder heard[2];
            struct err err[2] = {{.kind = ERR_NONE}, {.kind = ERR_NONE}};
            memcpy(bytes, stream.data, stream.len);
            bytes[at] = (char)(unsigned char)value;
            recorder_init(&heard[0], &arena);
            recorder_init(&heard[1], &arena);
            bool good = decode((struct str){bytes, stream.len}, stream.len, false, &heard[0], &err[0]);
            assert_int_equal(good, decode((struct str){bytes, stream.len}, 1, false, &heard[1], &err[1]));
            assert_true(!good || heard[0].log.len == heard[1].log.len);
            refused += good ? 0 : 1;
            arena_release(&arena, mark);
        }
    }
    assert_true(refused > stream.len * 50); /* most bytes of this sample are structure */
    free(bytes);
    arena_close(&arena);
}

/* Bytes without any sense: never a crash. */
static void test_noise(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 7, STR("noise"));
    for (int round = 0; round < 20000; round++) {
        char bytes[64];
        struct arena arena;
        struct recorder heard;
        struct err err = {.kind = ERR_NONE};
        size_t length = (size_t)rng_between(&rng, 0, (int64_t)sizeof bytes);
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)rng_between(&rng, 0, rng_between(&rng, 0, 1) ? 127 : 13);
        }
        arena_init(&arena);
        recorder_init(&heard, &arena);
        bool good = decode((struct str){bytes, length}, (size_t)rng_between(&rng, 1, 64), round % 2 == 0, &heard, &err);
        assert_int_equal(good, err.kind == ERR_NONE);
        arena_close(&arena);
    }
}

/* One row for each rule of the decoder. */
static const struct bad_row {
    const char *bytes;
    size_t length;
    const char *reason;
} bad_rows[] = {
#define BAD(bytes, reason) {(bytes), sizeof(bytes) - 1, (reason)}
    BAD("", "it ends too early"),
    BAD("\x01", "it ends too early"),             /* an object that never ends */
    BAD("\x05\x05", "more after the end"),        /* two documents */
    BAD("\x02\x03\x02\x03", "more after the end"),
    BAD("\x03", "end in a wrong place"),
    BAD("\x02\x03\x03", "end in a wrong place"),
    BAD("\x01\x0b\x01k\x03", "end in a wrong place"), /* a key without its value */
    BAD("\x01\x41\x03", "value without a key"),
    BAD("\x01\x0b\x01k\x41\x41\x03", "value without a key"),
    BAD("\x01\x0b\x01k\x0b\x01k\x03", "key in a wrong place"), /* two keys */
    BAD("\x02\x0b\x01k\x41\x03", "key in a wrong place"),      /* in an array */
    BAD("\x0b\x01k", "key in a wrong place"),                  /* outside */
    BAD("\x01\x80\x41\x03", "unknown key"),
    BAD("\x01\x0b\x01k\x41\x81\x41\x03", "unknown key"),
    BAD("\x01\x0b\x00\x41\x80\x41\x03", "unknown key"), /* an empty key is never known */
    BAD("\x00", "unknown tag"),
    BAD("\x0c", "unknown tag"),
    BAD("\x1f", "unknown tag"),
    BAD("\x08\x00\x00\x00\x00\x00\x00\xf0\x7f", "number that is not finite"), /* infinity */
    BAD("\x08\x01\x00\x00\x00\x00\x00\xf8\xff", "number that is not finite"), /* a NaN */
    BAD("\x07\x80\x00", "bad number"),                                       /* longer than need be */
    BAD("\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "bad number"),       /* 65 bits */
    BAD("\x07\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "bad number"),
    BAD("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "text too long"),
    BAD("\x0a\x81\x80\x80\x80\x01", "text too long"), /* 256 MiB and one byte */
    BAD("\x0a\x80\x80\x80\x80\x01", "it ends too early"), /* 256 MiB are allowed, but do not come */
    BAD("\x02\x09\x00\x03", "bad count of integers"),
    BAD("\x02\x09\xff\xff\xff\xff\xff\x01\x03", "bad count of integers"),
    BAD("\x02\x09\x02\x02\x80\x00\x03", "bad number"), /* inside the run */
    BAD("\x09\x01\x02", "integers outside an array"),
    BAD("\x01\x0b\x01k\x09\x01\x02\x03", "integers outside an array"),
    BAD("\x02\x09\x02\x02", "it ends too early"),
#undef BAD
};

static void test_bad_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad_rows); i++) {
        for (size_t chunk = 1; chunk <= 32; chunk += 31) {
            struct str stream = {bad_rows[i].bytes, bad_rows[i].length};
            struct err err = {.kind = ERR_NONE};
            struct arena arena;
            struct recorder heard;
            arena_init(&arena);
            recorder_init(&heard, &arena);
            if (decode(stream, chunk, false, &heard, &err) || !strstr(err.message, bad_rows[i].reason)) {
                fail_msg("row %zu: got '%s', wanted '%s'", i, err.message, bad_rows[i].reason);
            }
            arena_close(&arena);
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t depth = WIRE_DEPTH_MAX; depth <= WIRE_DEPTH_MAX + 1; depth++) {
        bool allowed = depth == WIRE_DEPTH_MAX;
        char bytes[2 * (WIRE_DEPTH_MAX + 1)];
        struct err err = {.kind = ERR_NONE};
        struct arena arena;
        struct strbuf stream;
        memset(bytes, WIRE_ARRAY, depth);
        memset(bytes + depth, WIRE_END, depth);
        assert_int_equal(decode((struct str){bytes, 2 * depth}, 1000, false, NULL, &err), allowed);
        arena_init(&arena);
        struct wire_feed *wire = wire_new(&arena, &stream);
        for (size_t i = 0; i < depth; i++) {
            feed_begin_array(&wire->feed);
        }
        for (size_t i = 0; i < depth; i++) {
            feed_end(&wire->feed);
        }
        wire_feed_flush(wire);
        assert_int_equal(wire->refused == NULL, allowed);
        assert_int_equal(stream.len, allowed ? 2 * depth : 0);
        arena_close(&arena);
    }
}

static void count_line(void *to)
{
    (*(int64_t *)to)++;
}

/* Many documents: each is heard, each end is told, and what is known of keys goes on. */
static void test_many_documents(void **state)
{
    (void)state;
    struct arena arena;
    struct strbuf stream;
    int64_t lines = 0;
    arena_init(&arena);
    struct wire_feed *wire = wire_new(&arena, &stream);
    for (int i = 0; i < 10000; i++) {
        feed_begin_object(&wire->feed);
        feed_put_int(&wire->feed, STR("entry"), i);
        feed_end(&wire->feed);
    }
    wire_feed_flush(wire);
    assert_true(stream.len < 10000 * 7 + 10); /* object, known key, integer of at most 4 bytes, end */
    struct wire_decoder decoder;
    struct recorder heard;
    struct err err = {.kind = ERR_NONE};
    recorder_init(&heard, &arena);
    wire_decoder_init(&decoder, &heard.feed);
    decoder.many = true;
    decoder.on_document_end = count_line;
    decoder.to = &lines;
    assert_true(wire_decoder_take(&decoder, strbuf_str(&stream), &err));
    assert_true(wire_decoder_finish(&decoder, &err));
    assert_int_equal(lines, 10000);
    assert_int_equal(heard.documents, 10000);
    wire_decoder_close(&decoder);
    assert_true(decode(STR(""), 1, true, NULL, &err)); /* none is fine too */
    arena_close(&arena);
}

/* After the first damage nothing is told any more. */
static void test_damage_is_sticky(void **state)
{
    (void)state;
    struct arena arena;
    struct wire_decoder decoder;
    struct recorder heard;
    arena_init(&arena);
    recorder_init(&heard, &arena);
    wire_decoder_init(&decoder, &heard.feed);
    for (int i = 0; i < 3; i++) {
        struct err err = {.kind = ERR_NONE};
        assert_false(wire_decoder_take(&decoder, STR("\x02\x41\x00\x41\x03"), &err));
        assert_string_equal(err.message, "the scenario's process sent a damaged report (unknown tag near byte 3)");
    }
    assert_int_equal(heard.log.len, strlen("[i1,"));
    wire_decoder_close(&decoder);
    arena_close(&arena);
}

/* A claimed length costs nothing until the bytes come. */
static void test_memory_follows_bytes(void **state)
{
    (void)state;
    struct wire_decoder decoder;
    struct err err = {.kind = ERR_NONE};
    wire_decoder_init(&decoder, NULL);
    assert_true(wire_decoder_take(&decoder, STR("\x0a\x80\x80\x80\x80\x01some text"), &err));
    assert_true(decoder.text_capacity <= 4096);
    assert_false(wire_decoder_finish(&decoder, &err));
    wire_decoder_close(&decoder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_spans_frames),
        cmocka_unit_test(test_every_truncation), cmocka_unit_test(test_every_damage),
        cmocka_unit_test(test_noise),           cmocka_unit_test(test_bad_streams),
        cmocka_unit_test(test_depth),           cmocka_unit_test(test_many_documents),
        cmocka_unit_test(test_damage_is_sticky), cmocka_unit_test(test_memory_follows_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

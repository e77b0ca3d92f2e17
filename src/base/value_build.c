/* The listener that builds values out of events. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/value.h"

enum { ROOM_FIRST = 4 };

/* One array or object not yet ended.  Its rows move while they grow; frames are kept and used again. */
struct value_frame {
    struct value_frame *below;
    struct value_frame *spare; /* a frame above, no longer in use */
    bool is_object;
    struct str key; /* under which the whole will stand */
    size_t count;
    size_t room;
    size_t keep; /* rows wanted; more are counted as dropped */
    size_t dropped;
    char *rows; /* struct value, or struct member in an object */
};

static struct value_builder *builder_of(struct feed *feed)
{
    return (struct value_builder *)feed;
}

/* NULL says that no key is pending, so an empty key points somewhere. */
static struct str take_key(struct value_builder *builder)
{
    struct str key = builder->pending_key;
    builder->pending_key = (struct str){.data = NULL};
    return key;
}

/* Where the next value would stand is checked here: after a key exactly inside objects, and once outside of all. */
static void check_place(const struct value_builder *builder)
{
    CHECK(!builder->complete);
    bool in_object = builder->top != NULL && builder->top->is_object;
    CHECK(in_object == (builder->pending_key.data != NULL));
}

static bool is_full(const struct value_frame *frame)
{
    return frame != NULL && frame->count == frame->keep;
}

static void frame_append(struct arena *arena, struct value_frame *frame, struct str key, struct value value)
{
    size_t size = frame->is_object ? sizeof(struct member) : sizeof(struct value);
    if (frame->count == frame->room) {
        size_t room = frame->room == 0 ? ROOM_FIRST : frame->room * 2;
        CHECK(room <= PTRDIFF_MAX / size);
        frame->rows = arena_grow(arena, frame->rows, frame->room * size, room * size);
        frame->room = room;
    }
    char *row = frame->rows + frame->count++ * size;
    if (frame->is_object) {
        memcpy(row, &(struct member){.key = key, .value = value}, size);
    } else {
        memcpy(row, &value, size);
    }
}

/* A finished value goes into the frame below it, or is the result. */
static void place(struct value_builder *builder, struct str key, struct value value)
{
    if (builder->top != NULL) {
        frame_append(builder->arena, builder->top, key, value);
        return;
    }
    builder->result = value;
    builder->complete = true;
}

/* A value without items. */
static void add_scalar(struct value_builder *builder, struct value value)
{
    if (builder->skipping > 0) {
        return;
    }
    check_place(builder);
    if (is_full(builder->top)) {
        builder->top->dropped++;
        return;
    }
    if (value.kind == VALUE_STRING) {
        value.string = str_copy(builder->arena, value.string);
    }
    place(builder, take_key(builder), value);
}

static size_t keep_of(const struct value_builder *builder, struct str key)
{
    if (builder->limits == NULL || key.data == NULL) {
        return SIZE_MAX;
    }
    for (const struct value_limit *limit = builder->limits; limit->key != NULL; limit++) {
        if (str_eq(str_of(limit->key), key)) {
            return limit->keep;
        }
    }
    return SIZE_MAX;
}

static struct value_frame *frame_push(struct value_builder *builder)
{
    struct value_frame *below = builder->top;
    struct value_frame *frame = below == NULL ? NULL : below->spare;
    if (frame == NULL) {
        frame = arena_new(builder->arena, struct value_frame);
    }
    if (below != NULL) {
        below->spare = frame;
    }
    *frame = (struct value_frame){.below = below, .spare = frame->spare, .keep = SIZE_MAX};
    builder->top = frame;
    return frame;
}

static void begin(struct feed *feed, bool is_object)
{
    struct value_builder *builder = builder_of(feed);
    if (builder->skipping > 0) {
        builder->skipping++;
        return;
    }
    check_place(builder);
    if (is_full(builder->top)) {
        builder->top->dropped++;
        builder->skipping = 1;
        return;
    }
    struct str key = take_key(builder);
    struct value_frame *frame = frame_push(builder);
    frame->is_object = is_object;
    frame->key = key;
    frame->keep = is_object ? SIZE_MAX : keep_of(builder, key);
}

static void build_begin_object(struct feed *feed)
{
    begin(feed, true);
}

static void build_begin_array(struct feed *feed)
{
    begin(feed, false);
}

static void build_end(struct feed *feed)
{
    struct value_builder *builder = builder_of(feed);
    if (builder->skipping > 0) {
        builder->skipping--;
        return;
    }
    struct value_frame *frame = builder->top;
    CHECK(frame != NULL && builder->pending_key.data == NULL);
    struct value value = {.count = frame->count, .dropped = frame->dropped};
    if (frame->is_object) {
        value.kind = VALUE_OBJECT;
        value.members = (const struct member *)(const void *)frame->rows;
    } else {
        value.kind = VALUE_ARRAY;
        value.items = (const struct value *)(const void *)frame->rows;
    }
    builder->top = frame->below;
    place(builder, frame->key, value);
}

static void build_key(struct feed *feed, struct str key)
{
    struct value_builder *builder = builder_of(feed);
    if (builder->skipping > 0) {
        return;
    }
    CHECK(builder->top != NULL && builder->top->is_object && builder->pending_key.data == NULL);
    builder->pending_key = str_copy(builder->arena, key);
}

static void build_null(struct feed *feed)
{
    add_scalar(builder_of(feed), (struct value){.kind = VALUE_NULL});
}

static void build_boolean(struct feed *feed, bool boolean)
{
    add_scalar(builder_of(feed), (struct value){.kind = VALUE_BOOL, .boolean = boolean});
}

static void build_integer(struct feed *feed, int64_t integer)
{
    add_scalar(builder_of(feed), (struct value){.kind = VALUE_INT, .integer = integer});
}

static void build_integers(struct feed *feed, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        build_integer(feed, values[i]);
    }
}

static void build_real(struct feed *feed, double real)
{
    CHECK(isfinite(real));
    add_scalar(builder_of(feed), (struct value){.kind = VALUE_REAL, .real = real});
}

static void build_string(struct feed *feed, struct str string)
{
    add_scalar(builder_of(feed), (struct value){.kind = VALUE_STRING, .string = string});
}

void value_builder_init(struct value_builder *builder, struct arena *arena, const struct value_limit *limits)
{
    static const struct feed_ops ops = {
        .begin_object = build_begin_object,
        .begin_array = build_begin_array,
        .end = build_end,
        .key = build_key,
        .null = build_null,
        .boolean = build_boolean,
        .integer = build_integer,
        .integers = build_integers,
        .real = build_real,
        .string = build_string,
    };
    *builder = (struct value_builder){.feed = {.ops = &ops}, .arena = arena, .limits = limits};
}

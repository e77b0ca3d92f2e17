#include "batch/frame.h"

#include <string.h>

#include "base/check.h"

void frame_pack_head(unsigned char out[FRAME_HEAD_SIZE], enum frame_kind kind, size_t length)
{
    CHECK(length <= UINT32_MAX);
    memset(out, 0, FRAME_HEAD_SIZE);
    out[0] = (unsigned char)kind;
    for (unsigned i = 0; i < 4; i++) {
        out[4 + i] = (unsigned char)(length >> (8 * i));
    }
}

bool frame_unpack_head(const unsigned char in[FRAME_HEAD_SIZE], struct frame_head *head)
{
    head->kind = in[0];
    head->length = 0;
    for (unsigned i = 0; i < 4; i++) {
        head->length |= (uint32_t)in[4 + i] << (8 * i);
    }
    return in[1] == 0 && in[2] == 0 && in[3] == 0;
}

void frame_put_u8(struct strbuf *out, uint8_t value)
{
    strbuf_addc(out, (char)value);
}

void frame_put_u64(struct strbuf *out, uint64_t value)
{
    char bytes[8];
    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (char)(unsigned char)(value >> (8 * i));
    }
    strbuf_add(out, (struct str){bytes, sizeof bytes});
}

void frame_put_str(struct strbuf *out, struct str value)
{
    frame_put_u64(out, value.len);
    strbuf_add(out, value);
}

void frame_begin_answer(struct strbuf *out, struct arena *arena, size_t size, bool good)
{
    static const char no_head[FRAME_HEAD_SIZE];
    CHECK(size <= FRAME_ANSWER_MAX - FRAME_ANSWER_OVERHEAD);
    strbuf_init(out, arena, size + FRAME_ANSWER_OVERHEAD);
    strbuf_add(out, (struct str){no_head, sizeof no_head});
    strbuf_addc(out, good ? 1 : 0);
}

struct str frame_finish_answer(struct strbuf *out)
{
    unsigned char head[FRAME_HEAD_SIZE];
    CHECK(!out->overflowed);
    frame_pack_head(head, FRAME_ANSWER, out->len - FRAME_HEAD_SIZE);
    memcpy(out->data, head, sizeof head);
    return strbuf_str(out);
}

struct str frame_refusal(struct arena *arena, const struct err *failure)
{
    struct strbuf out;
    struct str message = str_of(failure->message);
    frame_begin_answer(&out, arena, 1 + FRAME_STR_OVERHEAD + message.len, false);
    frame_put_u8(&out, (uint8_t)failure->kind);
    frame_put_str(&out, message);
    return frame_finish_answer(&out);
}

/* The next `size` bytes, or NULL once the reader is broken. */
static const unsigned char *take(struct frame_reader *reader, size_t size)
{
    if (reader->broken || size > reader->rest.len) {
        reader->broken = true;
        return NULL;
    }
    const char *start = reader->rest.data;
    reader->rest = str_slice(reader->rest, size, reader->rest.len);
    return (const unsigned char *)start;
}

uint8_t frame_get_u8(struct frame_reader *reader)
{
    const unsigned char *bytes = take(reader, 1);
    return bytes ? bytes[0] : 0;
}

uint64_t frame_get_u64(struct frame_reader *reader)
{
    const unsigned char *bytes = take(reader, 8);
    uint64_t value = 0;
    for (unsigned i = 0; bytes && i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

struct str frame_get_str(struct frame_reader *reader)
{
    uint64_t length = frame_get_u64(reader);
    if (length == 0 || length > reader->rest.len) {
        reader->broken = reader->broken || length > 0;
        return (struct str){"", 0};
    }
    const unsigned char *bytes = take(reader, (size_t)length);
    return (struct str){(const char *)bytes, bytes ? (size_t)length : 0};
}

bool frame_reader_is_done(const struct frame_reader *reader)
{
    return !reader->broken && reader->rest.len == 0;
}

/* A length-carrying slice of bytes, and a builder with a ceiling. */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

enum { BUILDER_FIRST = 64 };

int str_cmp(struct str a, struct str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common == 0 ? 0 : memcmp(a.data, b.data, common);
    if (order != 0) {
        return order < 0 ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_slice(s, 0, prefix.len), prefix);
}

struct str str_copy(struct arena *arena, struct str s)
{
    if (s.len == 0) {
        return STR("");
    }
    return (struct str){.data = memcpy(arena_bytes(arena, s.len), s.data, s.len), .len = s.len};
}

const char *str_z(struct arena *arena, struct str s)
{
    CHECK(s.len < SIZE_MAX);
    char *copy = arena_bytes(arena, s.len + 1);
    if (s.len > 0) {
        memcpy(copy, s.data, s.len);
    }
    copy[s.len] = '\0';
    return copy;
}

struct str str_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    CHECK(len >= 0);
    char *text = arena_bytes(arena, (size_t)len + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)len + 1, format, arguments);
    va_end(arguments);
    return (struct str){.data = text, .len = (size_t)len};
}

/* Makes room for `extra` bytes and a terminator, or marks the builder as overflowed. */
static bool make_room(struct strbuf *buf, size_t extra)
{
    if (buf->overflowed || extra > buf->ceiling - buf->len) {
        buf->overflowed = true;
        return false;
    }
    size_t need = buf->len + extra + 1;
    if (need > buf->capacity) {
        size_t twice = buf->capacity < BUILDER_FIRST / 2 ? BUILDER_FIRST : buf->capacity * 2;
        size_t capacity = twice > need ? twice : need;
        buf->data = arena_grow(buf->arena, buf->data, buf->capacity, capacity);
        buf->capacity = capacity;
    }
    return true;
}

void strbuf_init(struct strbuf *buf, struct arena *arena, size_t ceiling)
{
    CHECK(ceiling <= PTRDIFF_MAX); /* so that twice a length never wraps */
    *buf = (struct strbuf){.arena = arena, .ceiling = ceiling};
}

void strbuf_add(struct strbuf *buf, struct str s)
{
    if (s.len > 0 && make_room(buf, s.len)) {
        memcpy(buf->data + buf->len, s.data, s.len);
        buf->len += s.len;
    }
}

void strbuf_addc_slowly(struct strbuf *buf, char c)
{
    if (make_room(buf, 1)) {
        buf->data[buf->len++] = c;
    }
}

void strbuf_addf(struct strbuf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    CHECK(len >= 0);
    if (!make_room(buf, (size_t)len)) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(buf->data + buf->len, (size_t)len + 1, format, arguments);
    va_end(arguments);
    buf->len += (size_t)len;
}

struct str strbuf_str(const struct strbuf *buf)
{
    return (struct str){.data = buf->data, .len = buf->len};
}

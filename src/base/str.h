/* A length-carrying slice of bytes, and a builder with a ceiling.
 *
 * Content comes from anywhere: it may hold NUL and invalid UTF-8, so nothing here looks for a terminator.
 * A slice never owns its bytes.  A builder lives in an arena and refuses to pass its ceiling.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"

struct arena;

struct str {
    const char *data; /* may be NULL when len is 0 */
    size_t len;
};

#define STR(literal) ((struct str){.data = (literal), .len = sizeof(literal) - 1})
/* For printf's "%.*s".  Only for text known to be short and free of NUL. */
#define STR_ARG(s) (int)(s).len, ((s).data ? (s).data : "")

/* Of a C string; inline, so that the length of a literal is not counted when the program runs. */
static inline struct str str_of(const char *text)
{
    return (struct str){.data = text, .len = strlen(text)};
}

static inline struct str str_slice(struct str s, size_t from, size_t to)
{
    CHECK(from <= to && to <= s.len);
    return (struct str){.data = s.data == NULL ? NULL : s.data + from, .len = to - from};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

int str_cmp(struct str a, struct str b); /* byte order; a prefix comes first */
bool str_starts(struct str s, struct str prefix);
struct str str_copy(struct arena *arena, struct str s);
const char *str_z(struct arena *arena, struct str s); /* a NUL-terminated copy; inner NULs stay */
struct str str_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

struct strbuf {
    struct arena *arena;
    char *data;
    size_t len;
    size_t capacity;
    size_t ceiling;
    bool overflowed; /* once set, further text is dropped */
};

void strbuf_init(struct strbuf *buf, struct arena *arena, size_t ceiling);
void strbuf_add(struct strbuf *buf, struct str s);
void strbuf_addc_slowly(struct strbuf *buf, char c); /* makes room; called by strbuf_addc alone */
void strbuf_addf(struct strbuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);

static inline void strbuf_addc(struct strbuf *buf, char c)
{
    if (buf->len + 1 < buf->capacity && buf->len < buf->ceiling && !buf->overflowed)
        buf->data[buf->len++] = c;
    else
        strbuf_addc_slowly(buf, c);
}

struct str strbuf_str(const struct strbuf *buf); /* good until the next change of the builder */

#endif

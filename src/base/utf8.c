/* Code points, display widths and truncation, for bytes that need not be valid UTF-8. */
#include "base/utf8.h"

#include <string.h>

#include <utf8proc.h>

#define REPLACEMENT 0xFFFDu
#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Bytes judged together by the fast path of counting; a constant, so that the compiler unrolls into vectors. */
enum { BLOCK = 64 };

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The length a lead byte promises; 1 for all other bytes. */
static size_t promised_length(unsigned char lead)
{
    return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
}

/* Excludes what the second byte excludes: overlong forms, surrogates, code points past U+10FFFF. */
static bool second_fits(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return is_continuation(second);
    }
}

size_t utf8_sequence(struct str s)
{
    const unsigned char *p = (const unsigned char *)s.data;
    unsigned char lead = p[0];
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    size_t length = promised_length(lead);
    if (s.len < length || !second_fits(lead, p[1])) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if (!is_continuation(p[i])) {
            return 0;
        }
    }
    return length;
}

static bool eight_are_ascii(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return (word & HIGH_BITS) == 0;
}

/* Where counting stands: `at` is the start of a sequence, of an invalid byte, or the end. */
struct tally {
    struct str s;
    size_t at;
    int64_t count;
};

static bool block_is_ascii(const unsigned char *p)
{
    unsigned char all = 0;
    for (int i = 0; i < BLOCK; i++) {
        all |= p[i];
    }
    return all < 0x80;
}

/* True if the block continues and holds only valid sequences, the last of which may reach past its end; the three
 * bytes before p must exist and be valid so far.  Each byte is judged by itself and the three before it, without
 * branches. */
static bool block_is_valid(const unsigned char *p)
{
    unsigned char wrong = 0;
    for (int i = 0; i < BLOCK; i++) {
        unsigned char a = p[i], b = p[i - 1], c = p[i - 2], d = p[i - 3];
        unsigned char continues = (a & 0xC0) == 0x80;
        unsigned char expected = (b >= 0xC0) | (c >= 0xE0) | (d >= 0xF0);
        unsigned char bad_lead = ((a & 0xFE) == 0xC0) | (a > 0xF4);
        unsigned char bad_second = ((b == 0xE0) & (a < 0xA0)) | ((b == 0xED) & (a > 0x9F)) |
                                   ((b == 0xF0) & (a < 0x90)) | ((b == 0xF4) & (a > 0x8F));
        wrong |= (unsigned char)((continues ^ expected) | bad_lead | bad_second);
    }
    return wrong == 0;
}

static unsigned char block_starts(const unsigned char *p)
{
    unsigned char starts = 0;
    for (int i = 0; i < BLOCK; i++) {
        starts = (unsigned char)(starts + ((p[i] & 0xC0) != 0x80));
    }
    return starts;
}

/* Bytes before `at` that belong to a sequence reaching past `at`, all of it valid so far. */
static size_t straddling(const unsigned char *p, size_t at)
{
    for (size_t back = 1; back <= 3; back++) {
        if (!is_continuation(p[at - back])) {
            return promised_length(p[at - back]) > back ? back : 0;
        }
    }
    return 0;
}

/* Whole blocks of valid text, as far as they go. */
static void count_blocks(struct tally *tally)
{
    const unsigned char *p = (const unsigned char *)tally->s.data;
    bool pending = false;
    while (tally->s.len - tally->at >= BLOCK) {
        if (!pending && block_is_ascii(p + tally->at)) {
            tally->count += BLOCK;
        } else if (block_is_valid(p + tally->at)) {
            tally->count += block_starts(p + tally->at);
            pending = straddling(p, tally->at + BLOCK) > 0;
        } else {
            break;
        }
        tally->at += BLOCK;
    }
    if (pending) {
        tally->at -= straddling(p, tally->at);
        tally->count--;
    }
}

/* One sequence or invalid byte at a time, at least a block of them, until the last three bytes are valid again (which
 * is what the fast path stands on) or the text ends. */
static void count_carefully(struct tally *tally)
{
    size_t start = tally->at, trusted = tally->at;
    while (tally->at < tally->s.len && (tally->at - start < BLOCK || tally->at - trusted < 3)) {
        if (tally->s.len - tally->at >= 8 && eight_are_ascii(tally->s.data + tally->at)) {
            tally->at += 8;
            tally->count += 8;
            continue;
        }
        bool ascii = (unsigned char)tally->s.data[tally->at] < 0x80;
        size_t length = ascii ? 1 : utf8_sequence(str_slice(tally->s, tally->at, tally->s.len));
        tally->at += length == 0 ? 1 : length;
        trusted = length == 0 ? tally->at : trusted;
        tally->count++;
    }
}

/* For a text of at least eight bytes; the last step may look at bytes a second time. */
static bool is_ascii(struct str s)
{
    for (size_t at = 0; s.len - at > 8; at += 8) {
        if (!eight_are_ascii(s.data + at)) {
            return false;
        }
    }
    return eight_are_ascii(s.data + s.len - 8);
}

int64_t utf8_count(struct str s)
{
    struct tally tally = {.s = s};
    if (s.len >= 8 && s.len < 4 * BLOCK && is_ascii(s)) { /* most of what a turn says */
        return (int64_t)s.len;
    }
    while (tally.at < s.len) {
        count_carefully(&tally);
        count_blocks(&tally);
    }
    return tally.count;
}

uint32_t utf8_decode(struct str s, size_t *length)
{
    const unsigned char *p = (const unsigned char *)s.data;
    *length = utf8_sequence(s);
    switch (*length) {
    case 1: return p[0];
    case 2: return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    case 3: return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    case 4: return (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
    default: *length = 1; return REPLACEMENT;
    }
}

struct str utf8_prefix(struct str s, size_t count)
{
    size_t at = 0;
    while (at < s.len && count > 0) {
        if (count >= 8 && s.len - at >= 8 && eight_are_ascii(s.data + at)) {
            at += 8;
            count -= 8;
            continue;
        }
        size_t length = utf8_sequence(str_slice(s, at, s.len));
        at += length == 0 ? 1 : length;
        count--;
    }
    return str_slice(s, 0, at);
}

/* The columns of what stands at the start of s, and its length in bytes. */
static size_t columns_at(struct str s, size_t *length)
{
    uint32_t code_point = utf8_decode(s, length);
    if (code_point < 0x7F || (code_point == REPLACEMENT && *length == 1)) {
        return 1;
    }
    int width = utf8proc_charwidth((utf8proc_int32_t)code_point);
    if (width > 0) {
        return (size_t)width;
    }
    switch (utf8proc_category((utf8proc_int32_t)code_point)) {
    case UTF8PROC_CATEGORY_CC: /* the library gives 0 to all of these, but a terminal shows a box or an escape */
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return 1;
    default: return 0;
    }
}

struct str utf8_prefix_columns(struct str s, size_t columns)
{
    size_t at = 0;
    while (at < s.len) {
        size_t length;
        size_t width = columns_at(str_slice(s, at, s.len), &length);
        if (width > columns) {
            break;
        }
        columns -= width;
        at += length;
    }
    return str_slice(s, 0, at);
}

size_t utf8_columns(struct str s)
{
    size_t columns = 0;
    for (size_t at = 0, length; at < s.len; at += length) {
        columns += columns_at(str_slice(s, at, s.len), &length);
    }
    return columns;
}

bool utf8_is_unsafe(uint32_t code_point)
{
    return (code_point < 0x20 && code_point != '\t' && code_point != '\n') ||
           (code_point >= 0x7F && code_point <= 0x9F) ||      /* DEL, C1 */
           (code_point >= 0x202A && code_point <= 0x202E) ||  /* bidi embeddings and overrides */
           (code_point >= 0x2066 && code_point <= 0x2069) ||  /* bidi isolates */
           code_point == 0x2028 || code_point == 0x2029;      /* line and paragraph separator */
}

/* Appends the escape for what stands at the start of s if it needs one. */
static bool escape_one(struct strbuf *buf, struct str s, bool one_line, size_t *length)
{
    uint32_t code_point = utf8_decode(s, length);
    if (*length == 1 && code_point == REPLACEMENT) {
        strbuf_addf(buf, "\\x%02X", (unsigned)(unsigned char)s.data[0]);
    } else if (one_line && (code_point == '\n' || code_point == '\t')) {
        strbuf_add(buf, code_point == '\n' ? STR("\\n") : STR("\\t"));
    } else if (!utf8_is_unsafe(code_point)) {
        return false;
    } else if (code_point < 0x80) {
        strbuf_addf(buf, "\\x%02X", (unsigned)code_point);
    } else {
        strbuf_addf(buf, "\\u{%04X}", (unsigned)code_point);
    }
    return true;
}

void utf8_escape(struct strbuf *buf, struct str s, bool one_line)
{
    size_t plain = 0; /* start of the text not yet appended */
    for (size_t at = 0; at < s.len;) {
        struct str rest = str_slice(s, at, s.len);
        bool printable = rest.data[0] >= ' ' && rest.data[0] < 0x7F;
        size_t length = printable ? 1 : utf8_sequence(rest);
        /* The plain text before must stand in front of the escape, so it is appended as soon as one may be due. */
        if (!printable) {
            strbuf_add(buf, str_slice(s, plain, at));
            plain = escape_one(buf, rest, one_line, &length) ? at + length : at;
        }
        at += length;
    }
    strbuf_add(buf, str_slice(s, plain, s.len));
}

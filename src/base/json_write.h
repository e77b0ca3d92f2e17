/* Our streaming JSON writer: order as told, no white space, shortest doubles.
 *
 * Each invalid UTF-8 byte becomes U+FFFD.  Escapes what RFC 8259 demands (quote, backslash, below U+0020); the writer
 * also what a terminal must not see (utf8_is_unsafe), since its text may be printed; json_quote, whose form is measured
 * as part of a transcript, nothing else.
 * Numbers are written as RFC 8785 says (ECMAScript's shortest round-trip form, 3.0 as `3`), but integers in full.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/feed.h"
#include "base/sink.h"

#define JSON_DEPTH_MAX 512

struct json_writer {
    struct feed feed;
    struct sink *sink;
    unsigned depth;
    bool need_comma;
    bool has_key;  /* a key waits for its value */
    bool complete; /* the outermost value has ended */
    char closers[JSON_DEPTH_MAX]; /* the closing bracket of each open level */
};

void json_writer_init(struct json_writer *writer, struct sink *sink);

/* The forms of one number or string, for those who build text in memory. */
size_t json_format_int(char out[32], int64_t value);  /* returns the length */
size_t json_format_real(char out[32], double value);  /* finite only */
void json_quote(struct strbuf *out, struct str text); /* with the quotes */

#endif

/* Code points, display widths and truncation, for bytes that need not be valid UTF-8.
 *
 * The unit `chars` counts Unicode code points, and each byte that belongs to no valid sequence counts one.  "Valid" is
 * Unicode's definition: shortest form, no surrogates, at most U+10FFFF.  A broken sequence is thus counted byte by
 * byte: "\xE2\x82" is two.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Code points in s by the rule above.  O(bytes): many at a time for ASCII and for valid text. */
int64_t utf8_count(struct str s);

/* Length in bytes of the valid sequence at the start of s, or 0 if the first byte starts none.  s is not empty. */
size_t utf8_sequence(struct str s);

/* The first code point of s and its length in bytes (1 for an invalid byte, which gives U+FFFD). */
uint32_t utf8_decode(struct str s, size_t *length);

/* The longest prefix of at most `count` code points (invalid bytes count one each). */
struct str utf8_prefix(struct str s, size_t count);

/* The longest prefix whose display width is at most `columns`. */
struct str utf8_prefix_columns(struct str s, size_t columns);

/* Columns that s takes on a terminal (wide characters 2, combining marks 0, controls and invalid bytes 1). */
size_t utf8_columns(struct str s);

/* True for what must never reach a terminal raw: C0 but TAB and LF, DEL, C1, bidi embeddings, overrides and isolates,
 * line and paragraph separators. */
bool utf8_is_unsafe(uint32_t code_point);

/* Appends s to buf, safe to print: unsafe code points as \xNN or \u{NNNN}, invalid bytes as \xNN.  With `one_line`
 * LF and TAB are written as \n and \t too. */
void utf8_escape(struct strbuf *buf, struct str s, bool one_line);

#endif

/* Cells: one number, ratio or foreign text as people read it.
 *
 * Everything that the text report shows passes through here once, so that units, separators and signs look alike
 * everywhere and no string of the report reaches a terminal unescaped.
 *
 *  I1  The result is one line of valid UTF-8 without unsafe code points (base/utf8.h).
 *
 * Results live in the arena that was given.
 */
#ifndef REPORT_CELLS_H
#define REPORT_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct arena;

#define CELLS_NONE STR("–") /* a number that the report does not have */

/* 19,741 and −5. */
struct str cells_integer(struct arena *arena, int64_t number);

/* 1 turn, 7 turns, 1,000 turns. */
struct str cells_count(struct arena *arena, int64_t number, const char *noun);

/* 0.574 is 57.4 %, 0.9998 is > 99.9 %, 1.0002 is > 100.0 % and 0.0002 is < 0.1 %; numbers too large for
 * that are written with an exponent. */
struct str cells_percent(struct arena *arena, double ratio);

/* What a saving did to the thing saved: 0.93 is −93.0 %, −0.021 is +2.1 %, 0.9998 is < −99.9 %. */
struct str cells_change(struct arena *arena, double saving);

/* 2,500.00 with two decimals; `suffix` may be × for multipliers. */
struct str cells_decimal(struct arena *arena, double number, int decimals, const char *suffix);

/* $0.02728: two decimals, or as many as four significant digits take; twelve show every picodollar. */
struct str cells_usd(struct arena *arena, int64_t picodollars);

/* 800 ms, 14.2 s, 1m 10s, 27h 46m 40s: three significant digits below a minute, whole seconds above. */
struct str cells_duration(struct arena *arena, int64_t microseconds);

/* Foreign text, escaped, cut to `columns` with … at its end. */
struct str cells_text(struct arena *arena, struct str raw, size_t columns);

/* A foreign name, escaped, cut to `columns` with … in its middle, since names often differ at their ends. */
struct str cells_name(struct arena *arena, struct str raw, size_t columns);

#endif

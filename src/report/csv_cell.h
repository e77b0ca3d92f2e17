/* Csv cells: numbers and foreign text as fields of a CSV file (RFC 4180).
 *
 * Spreadsheets run what begins with `=`, `+`, `-` or `@`, so such text gets a `'` in front; numbers are never touched.
 * Text is made safe for a terminal first (base/utf8.h), for that is where many a CSV file is looked at: so no field
 * holds a line break.  Lines end with a line feed alone: readers of RFC 4180 take it, and `cut` and `sort` want it.
 */
#ifndef REPORT_CSV_CELL_H
#define REPORT_CSV_CELL_H

#include "base/sink.h"
#include "base/str.h"

struct arena;
struct value;

/* Foreign text, escaped and quoted as needed. */
void csv_cell_text(struct sink *sink, struct arena *scratch, struct str text);

/* An integer in full, another number in its shortest form; an empty field if NULL. */
void csv_cell_number(struct sink *sink, const struct value *number);

#endif

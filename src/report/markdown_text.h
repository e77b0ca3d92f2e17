/* Markdown text: foreign text that stays text in a Markdown document, and rows of its tables.
 *
 * Names and reasons come from a scenario's author; in a comment of a code review they must neither end a cell nor
 * become a link, a heading or HTML.  What could is written as an escape that is shown as the character itself.
 *
 *  I1  The result is one line, safe for a terminal too (base/utf8.h).
 */
#ifndef REPORT_MARKDOWN_TEXT_H
#define REPORT_MARKDOWN_TEXT_H

#include <stddef.h>

#include "base/sink.h"
#include "base/str.h"

struct arena;

/* At most `columns` wide before it is escaped for Markdown. */
struct str markdown_text(struct arena *arena, struct str raw, size_t columns);

/* `| a | b |` of cells that are escaped already, and the line below a heading: the first `left` columns are text, the
 * others numbers. */
void markdown_row(struct sink *sink, const struct str *cells, size_t count);
void markdown_rule(struct sink *sink, size_t count, size_t left);

#endif

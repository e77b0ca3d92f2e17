/* Page: lines of text of a known width on their way to a sink.
 *
 * Wrapping, indents, headings and colour live here and nowhere else.  What is given must be safe already
 * (report/cells.h): a page adds nothing but spaces, line feeds and, with colour, its own codes.
 *
 *  I1  No line ends with a space.
 *  I2  A paragraph is never wider than the page; a line is whatever it is (a command must stay one line).
 *
 * The arena is the renderer's; the page keeps nothing.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sink.h"
#include "base/str.h"

struct arena;

struct page {
    struct sink *sink;
    struct arena *arena;
    size_t columns;
    bool colour;
};

/* Colour never says anything that the words do not. */
enum page_tone { PAGE_PLAIN, PAGE_STRONG, PAGE_DIM, PAGE_GOOD, PAGE_BAD };

void page_spaces(struct page *page, size_t count);
void page_toned(struct page *page, enum page_tone tone, struct str text);

void page_blank(struct page *page);
void page_line(struct page *page, size_t indent, struct str text);

/* A blank line, then the title and a note in parentheses (none if empty). */
void page_heading(struct page *page, struct str title, struct str note);

/* Wraps at spaces, but never before a `%`; words wider than the page are broken. */
void page_paragraph(struct page *page, size_t indent, enum page_tone tone, struct str text);

/* A label of `label_columns` columns, and beside it a paragraph. */
void page_entry(struct page *page, size_t indent, struct str label, size_t label_columns, struct str text);

#endif

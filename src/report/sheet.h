/* Sheet: the parts of a report that the text sections look at, found once.
 *
 * The report comes from a process that is not trusted, so any key may be missing or of another kind.  The sheet sorts
 * that out: what is no list counts as an empty one, and a variant without a comparison gets an empty value.
 *
 *  I1  variants[i], comparisons[i] and names[i] speak of the same variant; none of them is NULL.
 *  I2  Names are safe text of at most name_columns columns.
 *
 * Lives in the rendering's arena, as does the report it points into.
 */
#ifndef REPORT_SHEET_H
#define REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/value.h"

struct arena;

#define SHEET_NO_BASELINE ((size_t)-1)

struct sheet {
    const struct value *report;
    struct arena *arena;
    struct str unit; /* chars, bytes, tokens */
    size_t name_columns;
    size_t count;    /* variants */
    size_t left_out; /* variants beyond those, which a limit of the builder left out */
    size_t baseline; /* index or SHEET_NO_BASELINE */
    const struct value **variants;
    const struct value **comparisons;
    struct str *names;
    struct str reproduce; /* not safe yet */
};

void sheet_init(struct sheet *sheet, struct arena *arena, const struct value *report, size_t columns);

/* The list at a dotted path; a list without items when there is none. */
const struct value *sheet_list(const struct value *object, const char *path);

/* Items of a list with those that were left out. */
int64_t sheet_list_total(const struct value *list);

/* A string at a dotted path, as safe text. */
struct str sheet_text(const struct sheet *sheet, const struct value *object, const char *path, size_t columns);

/* The number at a dotted path, integer or real, or NULL; and one as a double, which is finite. */
const struct value *sheet_number(const struct value *object, const char *path);
double sheet_real(const struct value *number);

bool sheet_is_complete(const struct value *run);

#endif

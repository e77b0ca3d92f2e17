/* The table of list prices, and finding a row in it.
 *
 * The rows are data of the build: cmake/prices.cmake makes them out of src/core/prices.tsv, one for each name of a
 * model and each date from which a price holds.  Only core/price.c and tests need this header; others ask price_find.
 *
 *  I1  Rows stand in byte order of their names, those of one name in the order of their dates; no such pair twice.
 *  I2  An empty date means that the row has always held.
 *  I3  A row without input and output price says that none is known from its date on.
 */
#ifndef CORE_PRICE_TABLE_H
#define CORE_PRICE_TABLE_H

#include <stddef.h>

#include "core/price.h"

struct price_table_row {
    const char *model;
    const char *from; /* `2026-03-13`, or empty */
    struct price price;
};

extern const struct price_table_row price_table[];
extern const size_t price_table_count;

struct price_table {
    const struct price_table_row *rows;
    size_t count;
};

/* price_find in these rows. */
MUST_USE bool price_table_find(struct price_table table, struct str model, struct str date, struct price *price,
                               struct err *err);

#endif

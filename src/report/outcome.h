/* Outcomes: the results of a test run in the forms that other programs read.
 *
 * JUnit's XML is what CI servers show, TAP what test harnesses pipe.  Neither says how long a test took, so that the
 * same results are the same bytes.
 *
 * Strings may hold anything; every writer makes them safe for its own form.
 */
#ifndef REPORT_OUTCOME_H
#define REPORT_OUTCOME_H

#include <stddef.h>

#include "base/sink.h"
#include "base/str.h"

struct arena;

enum outcome_kind {
    OUTCOME_PASSED,
    OUTCOME_FAILED, /* the answer is no */
    OUTCOME_ERROR   /* there is no answer */
};

struct outcome {
    enum outcome_kind kind;
    struct str group;   /* the file */
    struct str name;    /* unique within the group */
    struct str message; /* one line; empty when passed */
    struct str details; /* lines */
    struct str notes;   /* what the test said meanwhile */
};

struct outcome_format {
    const char *name; /* of --report NAME=FILE */
    void (*write)(struct arena *arena, struct sink *sink, const struct outcome *items, size_t count);
};

extern const struct outcome_format *const outcome_formats[]; /* ended by NULL */
extern const struct outcome_format outcome_junit;
extern const struct outcome_format outcome_tap;

const struct outcome_format *outcome_format_find(struct str name); /* NULL if there is none of that name */

#endif

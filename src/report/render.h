/* Renderers: a finished report as text for people or for programs; picked by name.
 *
 * A renderer listens to the report as it is told (base/feed.h) and writes to a sink.  The report comes from an
 * untrusted process: a renderer takes every value only after looking at its kind, and escapes every string.
 */
#ifndef REPORT_RENDER_H
#define REPORT_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/feed.h"
#include "base/sink.h"
#include "base/str.h"

struct arena;

struct render_style {
    size_t columns;      /* width of the terminal, 80 when there is none */
    bool colour;         /* only on a terminal */
    struct str reproduce; /* the command that makes the same report again */
};

/* One rendering under way.  `listen` is what the report is told to; `finish` writes what is left. */
struct rendering {
    struct feed *listen;
    bool (*finish)(struct rendering *rendering, struct err *err);
};

struct renderer {
    const char *name;    /* of --format */
    const char *summary; /* one line for the help */
    struct rendering *(*begin)(struct arena *arena, struct sink *sink, const struct render_style *style);
};

/* The renderers in the order the help lists them. */
const struct renderer *render_find(struct str name); /* NULL if there is none of that name */
extern const struct renderer *const renderers[];     /* ended by NULL */

#endif

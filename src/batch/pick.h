/* Pick: listens to a report and keeps the values of the metrics that a scenario has expectations on.
 *
 * A metric is named by its dotted path (`delegated.subagents.1.measurement.peak`, list items from 1), so that whatever
 * stands in a report can be expected, also what is added to reports later.  Paths nobody asked for cost one test.
 */
#ifndef BATCH_PICK_H
#define BATCH_PICK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/feed.h"
#include "base/suggest.h"
#include "base/value.h"

struct arena;

#define PICK_DEPTH_MAX 64

struct pick_node {
    struct str key;
    struct pick_node *first_child;
    struct pick_node *next;
    bool wanted; /* a metric ends here */
    bool seen;
    bool is_container; /* an object or a list stands here */
    struct value value;
    struct suggest suggest; /* the nearest of the keys that stand where this one should */
};

struct pick_level {
    struct pick_node *node; /* NULL below a path nobody asked for */
    bool list;
    uint32_t position; /* of the next item, from 1 */
};

struct pick {
    struct feed feed;
    struct feed *also; /* hears everything too */
    struct arena *arena;
    struct pick_node root;
    struct pick_node *next; /* the node of the value that comes */
    struct pick_level levels[PICK_DEPTH_MAX];
    uint32_t depth;
};

void pick_init(struct pick *pick, struct arena *arena, struct feed *also);

/* Asks for a metric. */
void pick_want(struct pick *pick, struct str metric);

/* The next document told belongs to this variant. */
void pick_begin(struct pick *pick, struct str variant);

/* The node of a metric that was asked for. */
const struct pick_node *pick_find(const struct pick *pick, struct str metric);

/* Adds what may have been meant by a metric that was never told: the nearest key in place of its first unknown part.
 * Adds nothing where none is near. */
void pick_suggest(const struct pick *pick, struct str metric, struct strbuf *out);

#endif

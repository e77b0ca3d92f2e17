/* Feed: a JSON-like document told as a sequence of events.
 *
 * The report is told once, in its fixed order of keys, by the code that knows the numbers.  Who listens is a matter of
 * wiring: the JSON writer, the wire between the two processes, the picker of metrics, the builder of a value.  None of
 * them needs the whole document in memory.
 *
 *  I1  Inside an object every value is preceded by exactly one feed_key.
 *  I2  Every begin has its end; the outermost value is one.
 *  I3  Reals are finite.
 */
#ifndef BASE_FEED_H
#define BASE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct feed;

struct feed_ops {
    void (*begin_object)(struct feed *feed);
    void (*begin_array)(struct feed *feed);
    void (*end)(struct feed *feed); /* closes the innermost object or array */
    void (*key)(struct feed *feed, struct str key);
    void (*null)(struct feed *feed);
    void (*boolean)(struct feed *feed, bool value);
    void (*integer)(struct feed *feed, int64_t value);
    void (*integers)(struct feed *feed, const int64_t *values, size_t count); /* items of the array now open */
    void (*real)(struct feed *feed, double value);
    void (*string)(struct feed *feed, struct str value);
};

/* First member of every listener. */
struct feed {
    const struct feed_ops *ops;
};

static inline void feed_begin_object(struct feed *f) { f->ops->begin_object(f); }
static inline void feed_begin_array(struct feed *f) { f->ops->begin_array(f); }
static inline void feed_end(struct feed *f) { f->ops->end(f); }
static inline void feed_key(struct feed *f, struct str key) { f->ops->key(f, key); }
static inline void feed_null(struct feed *f) { f->ops->null(f); }
static inline void feed_bool(struct feed *f, bool v) { f->ops->boolean(f, v); }
static inline void feed_int(struct feed *f, int64_t v) { f->ops->integer(f, v); }
static inline void feed_ints(struct feed *f, const int64_t *v, size_t n) { f->ops->integers(f, v, n); }
static inline void feed_real(struct feed *f, double v) { f->ops->real(f, v); }
static inline void feed_str(struct feed *f, struct str v) { f->ops->string(f, v); }

/* key and value in one call */
static inline void feed_put_null(struct feed *f, struct str k) { feed_key(f, k); feed_null(f); }
static inline void feed_put_bool(struct feed *f, struct str k, bool v) { feed_key(f, k); feed_bool(f, v); }
static inline void feed_put_int(struct feed *f, struct str k, int64_t v) { feed_key(f, k); feed_int(f, v); }
static inline void feed_put_real(struct feed *f, struct str k, double v) { feed_key(f, k); feed_real(f, v); }
static inline void feed_put_str(struct feed *f, struct str k, struct str v) { feed_key(f, k); feed_str(f, v); }
static inline void feed_open_object(struct feed *f, struct str k) { feed_key(f, k); feed_begin_object(f); }
static inline void feed_open_array(struct feed *f, struct str k) { feed_key(f, k); feed_begin_array(f); }

#endif

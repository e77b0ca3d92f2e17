#include "batch/pick.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

static struct pick_node *find_child(const struct pick_node *node, struct str key)
{
    struct pick_node *child = node->first_child;
    while (child && !str_eq(child->key, key))
        child = child->next;
    return child;
}

/* Splits the next part off a dotted path. */
static struct str next_part(struct str *path)
{
    const char *dot = path->len ? memchr(path->data, '.', path->len) : NULL;
    size_t length = dot ? (size_t)(dot - path->data) : path->len;
    struct str part = str_slice(*path, 0, length);
    *path = str_slice(*path, dot ? length + 1 : length, path->len);
    return part;
}

void pick_want(struct pick *pick, struct str metric)
{
    struct pick_node *node = &pick->root;
    while (metric.len) {
        struct str key = next_part(&metric);
        struct pick_node *child = find_child(node, key);
        if (!child) {
            child = arena_new(pick->arena, struct pick_node);
            child->key = key;
            child->next = node->first_child;
            node->first_child = child;
            suggest_init(&child->suggest, key);
        }
        node = child;
    }
    node->wanted = true;
}

void pick_begin(struct pick *pick, struct str variant)
{
    CHECK(pick->depth == 0);
    pick->next = find_child(&pick->root, variant);
    if (pick->next)
        pick->next->seen = true;
}

const struct pick_node *pick_find(const struct pick *pick, struct str metric)
{
    const struct pick_node *node = &pick->root;
    while (metric.len && node)
        node = find_child(node, next_part(&metric));
    return node;
}

void pick_suggest(const struct pick *pick, struct str metric, struct strbuf *out)
{
    const struct pick_node *node = &pick->root;
    struct str rest = metric;
    while (rest.len) {
        size_t before = metric.len - rest.len; /* all of it was told */
        node = find_child(node, next_part(&rest));
        if (node->seen)
            continue;
        if (node->suggest.best.len) {
            strbuf_add(out, str_slice(metric, 0, before));
            strbuf_add(out, node->suggest.best);
            strbuf_add(out, rest.len ? STR(".") : STR(""));
            strbuf_add(out, rest);
        }
        return;
    }
}

static struct pick *of(struct feed *feed)
{
    return (struct pick *)feed;
}

/* The node of the value that is told now; in a list the position is the key. */
static struct pick_node *arriving(struct pick *pick)
{
    if (pick->depth == 0)
        return pick->next;
    struct pick_level *level = &pick->levels[pick->depth - 1];
    if (!level->list)
        return pick->next;
    uint32_t position = level->position++;
    if (!level->node)
        return NULL;
    char text[16];
    int length = snprintf(text, sizeof text, "%" PRIu32, position);
    struct pick_node *node = find_child(level->node, (struct str){text, (size_t)length});
    if (node)
        node->seen = true;
    return node;
}

static void keep(struct pick *pick, struct value value)
{
    struct pick_node *node = arriving(pick);
    if (!node || !node->wanted)
        return;
    node->value = value;
    if (value.kind == VALUE_STRING)
        node->value.string = str_copy(pick->arena, value.string);
}

static void open_level(struct pick *pick, bool list)
{
    struct pick_node *node = arriving(pick);
    CHECK(pick->depth < PICK_DEPTH_MAX);
    if (node)
        node->is_container = true;
    pick->levels[pick->depth++] = (struct pick_level){.node = node, .list = list, .position = 1};
}

static void on_begin_object(struct feed *feed)
{
    open_level(of(feed), false);
    feed_begin_object(of(feed)->also);
}

static void on_begin_array(struct feed *feed)
{
    open_level(of(feed), true);
    feed_begin_array(of(feed)->also);
}

static void on_end(struct feed *feed)
{
    of(feed)->depth--;
    feed_end(of(feed)->also);
}

static void on_key(struct feed *feed, struct str key)
{
    struct pick *pick = of(feed);
    const struct pick_node *node = pick->levels[pick->depth - 1].node;
    pick->next = NULL;
    for (struct pick_node *child = node ? node->first_child : NULL; child; child = child->next) {
        if (str_eq(child->key, key)) {
            child->seen = true;
            pick->next = child;
        } else if (!child->seen) {
            suggest_offer(&child->suggest, key);
        }
    }
    feed_key(pick->also, key);
}

static void on_null(struct feed *feed)
{
    keep(of(feed), (struct value){.kind = VALUE_NULL});
    feed_null(of(feed)->also);
}

static void on_bool(struct feed *feed, bool value)
{
    keep(of(feed), (struct value){.kind = VALUE_BOOL, .boolean = value});
    feed_bool(of(feed)->also, value);
}

static void on_int(struct feed *feed, int64_t value)
{
    keep(of(feed), (struct value){.kind = VALUE_INT, .integer = value});
    feed_int(of(feed)->also, value);
}

static void on_ints(struct feed *feed, const int64_t *values, size_t count)
{
    struct pick *pick = of(feed);
    bool asked = pick->levels[pick->depth - 1].node != NULL;
    for (size_t i = 0; asked && i < count; i++)
        keep(pick, (struct value){.kind = VALUE_INT, .integer = values[i]});
    feed_ints(pick->also, values, count);
}

static void on_real(struct feed *feed, double value)
{
    keep(of(feed), (struct value){.kind = VALUE_REAL, .real = value});
    feed_real(of(feed)->also, value);
}

static void on_str(struct feed *feed, struct str value)
{
    keep(of(feed), (struct value){.kind = VALUE_STRING, .string = value});
    feed_str(of(feed)->also, value);
}

static const struct feed_ops pick_ops = {
    .begin_object = on_begin_object,
    .begin_array = on_begin_array,
    .end = on_end,
    .key = on_key,
    .null = on_null,
    .boolean = on_bool,
    .integer = on_int,
    .integers = on_ints,
    .real = on_real,
    .string = on_str,
};

void pick_init(struct pick *pick, struct arena *arena, struct feed *also)
{
    *pick = (struct pick){.feed.ops = &pick_ops, .also = also, .arena = arena};
}

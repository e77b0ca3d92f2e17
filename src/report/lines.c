#include "report/lines.h"

static struct feed *inner(struct feed *feed)
{
    return &((struct lines *)feed)->writer.feed;
}

/* After each value: when it was a whole document, ends the line and starts afresh. */
static void end_document(struct feed *feed)
{
    struct lines *lines = (struct lines *)feed;
    if (lines->writer.depth != 0) {
        return;
    }
    sink_putc(lines->sink, '\n');
    json_writer_init(&lines->writer, lines->sink);
}

static void on_begin_object(struct feed *feed) { feed_begin_object(inner(feed)); }

static void on_begin_array(struct feed *feed) { feed_begin_array(inner(feed)); }

static void on_key(struct feed *feed, struct str key) { feed_key(inner(feed), key); }

static void on_end(struct feed *feed)
{
    feed_end(inner(feed));
    end_document(feed);
}

static void on_null(struct feed *feed)
{
    feed_null(inner(feed));
    end_document(feed);
}

static void on_boolean(struct feed *feed, bool value)
{
    feed_bool(inner(feed), value);
    end_document(feed);
}

static void on_integer(struct feed *feed, int64_t value)
{
    feed_int(inner(feed), value);
    end_document(feed);
}

/* Items of an open array never end a document. */
static void on_integers(struct feed *feed, const int64_t *values, size_t count)
{
    feed_ints(inner(feed), values, count);
}

static void on_real(struct feed *feed, double value)
{
    feed_real(inner(feed), value);
    end_document(feed);
}

static void on_string(struct feed *feed, struct str value)
{
    feed_str(inner(feed), value);
    end_document(feed);
}

static const struct feed_ops lines_ops = {
    .begin_object = on_begin_object,
    .begin_array = on_begin_array,
    .end = on_end,
    .key = on_key,
    .null = on_null,
    .boolean = on_boolean,
    .integer = on_integer,
    .integers = on_integers,
    .real = on_real,
    .string = on_string,
};

void lines_init(struct lines *lines, struct sink *sink)
{
    lines->feed.ops = &lines_ops;
    lines->sink = sink;
    json_writer_init(&lines->writer, sink);
}

#include "report/json.h"

#include "base/arena.h"
#include "base/json_write.h"

struct json_rendering {
    struct rendering rendering;
    struct json_writer writer;
    struct sink *sink;
};

/* The writer says everything as it is told; only the final line feed is left. */
static bool json_finish(struct rendering *rendering, struct err *err)
{
    struct json_rendering *json = (struct json_rendering *)rendering;
    if (json->writer.depth != 0) {
        return err_set(err, ERR_INTERNAL, "the report ended in its middle");
    }
    sink_putc(json->sink, '\n');
    return true;
}

static struct rendering *json_begin(struct arena *arena, struct sink *sink, const struct render_style *style)
{
    (void)style;
    struct json_rendering *json = arena_new(arena, struct json_rendering);
    json_writer_init(&json->writer, sink);
    json->sink = sink;
    json->rendering.listen = &json->writer.feed;
    json->rendering.finish = json_finish;
    return &json->rendering;
}

const struct renderer renderer_json = {
    .name = "json",
    .summary = "the whole report, schema simagent.report/1, the same bytes every time",
    .begin = json_begin,
};

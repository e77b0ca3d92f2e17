#include "engine/scan.h"

#include "base/arena.h"
#include "base/value.h"
#include "engine/scripted.h"

struct scan_cursor {
    const struct scan *scan;
    struct arena *keep;
    uint32_t next;
};

static void *scan_begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    (void)record;
    (void)err;
    struct scan_cursor *cursor = arena_new(keep, struct scan_cursor);
    cursor->scan = self;
    cursor->keep = keep;
    return cursor;
}

static void make_turn(struct arena *keep, struct scan_path *path)
{
    struct member *member = arena_new(keep, struct member);
    *member = (struct member){STR("path"), {.kind = VALUE_STRING, .string = path->path}};
    struct value *arguments = arena_new(keep, struct value);
    *arguments = (struct value){.kind = VALUE_OBJECT, .count = 1, .members = member};
    struct tool_call *call = arena_new(keep, struct tool_call);
    *call = (struct tool_call){.name = STR("read_file"), .arguments = arguments};
    call->content = tool_call_content(keep, call->name, arguments);

    struct strbuf text;
    strbuf_init(&text, keep, (size_t)UINT32_MAX - 1);
    strbuf_add(&text, STR("Reading "));
    strbuf_add(&text, path->path);
    strbuf_add(&text, STR(" to feed the summary."));
    path->turn = (struct turn){.text = strbuf_str(&text), .calls = call, .call_count = 1};
}

static enum model_answer scan_ask(void *instance, const struct request *request, struct turn *turn, struct err *err)
{
    (void)request;
    (void)err;
    struct scan_cursor *cursor = instance;
    if (cursor->next > cursor->scan->count)
        return MODEL_EXHAUSTED;
    if (cursor->next == cursor->scan->count) {
        *turn = (struct turn){.text = cursor->scan->final_text, .stop = true};
    } else {
        struct scan_path *path = cursor->scan->paths[cursor->next];
        if (path->turn.call_count == 0)
            make_turn(cursor->keep, path);
        *turn = path->turn;
    }
    cursor->next++;
    return MODEL_TURN;
}

const struct model_ops model_scan = {.begin = scan_begin, .ask = scan_ask};

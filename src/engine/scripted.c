#include "engine/scripted.h"

#include "base/arena.h"
#include "base/value.h"

struct cursor {
    const struct scripted *script;
    uint32_t next;
};

static void *scripted_begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    (void)record;
    (void)err;
    struct cursor *cursor = arena_new(keep, struct cursor);
    cursor->script = self;
    return cursor;
}

static enum model_answer scripted_ask(void *instance, const struct request *request, struct turn *turn, struct err *err)
{
    (void)request;
    (void)err;
    struct cursor *cursor = instance;
    if (cursor->next == cursor->script->count)
        return MODEL_EXHAUSTED;
    *turn = cursor->script->turns[cursor->next++];
    return MODEL_TURN;
}

struct str tool_call_content(struct arena *keep, struct str name, const struct value *arguments)
{
    struct strbuf buf;
    strbuf_init(&buf, keep, (size_t)UINT32_MAX - 1);
    strbuf_add(&buf, name);
    strbuf_addc(&buf, '(');
    if (arguments)
        value_canonical(arguments, &buf);
    else
        strbuf_add(&buf, STR("{}"));
    strbuf_addc(&buf, ')');
    arena_shrink(keep, buf.data, buf.capacity, buf.len);
    return strbuf_str(&buf);
}

const struct model_ops model_scripted = {.begin = scripted_begin, .ask = scripted_ask};

/* Doubles: tools and models that record what they were given, and ones that fail. */
#ifndef SUPPORT_DOUBLES_H
#define SUPPORT_DOUBLES_H

#include "support/script.h"

/* A tool that gives back its `text` argument and writes it down. */
struct echo {
    struct tool tool;
    struct str heard[64];
    uint32_t count;
    struct tool_invocation last;
};

static inline bool echo_run(const void *self, const struct tool_invocation *call, struct tool_result *result,
                            struct err *err)
{
    struct echo *echo = (struct echo *)(uintptr_t)self; /* a double that counts */
    struct str text;
    (void)err;
    if (!tool_string_argument(call->arguments, STR("text"), &text)) {
        tool_fail(call, result, STR("text must be a string"), (struct str){0}, (struct str){0});
        return true;
    }
    CHECK(echo->count < ARRAY_LEN(echo->heard));
    echo->heard[echo->count++] = text;
    echo->last = *call;
    *result = (struct tool_result){.content = text, .size = -1};
    return true;
}

static inline struct echo *echo_new(struct arena *arena, struct str name)
{
    struct echo *echo = arena_new(arena, struct echo);
    echo->tool = (struct tool){.name = name, .description = STR("Gives back."), .run = echo_run, .self = echo};
    return echo;
}

/* A tool whose result has a size and no content. */
static inline bool sized_run(const void *self, const struct tool_invocation *call, struct tool_result *result,
                             struct err *err)
{
    (void)call;
    (void)err;
    *result = (struct tool_result){.size = *(const int64_t *)self};
    return true;
}

/* A tool, a model and a factory that are at fault themselves. */
static inline bool broken_run(const void *self, const struct tool_invocation *call, struct tool_result *result,
                              struct err *err)
{
    (void)self;
    (void)call;
    (void)result;
    return err_set(err, ERR_SCENARIO, "the tool is broken");
}

static inline struct agent_spec *broken_make(const void *self, struct str prompt, struct arena *keep, struct err *err)
{
    (void)self;
    (void)prompt;
    (void)keep;
    err_set(err, ERR_SCENARIO, "the factory is broken");
    return NULL;
}

/* A model around another one that keeps count of begun and ended instances and may fail at a turn. */
struct counted {
    struct model inner;
    uint32_t begun, ended, asked;
    uint32_t fail_at;  /* 0: never */
    bool fail_to_begin;
    struct request last;
};

struct counted_instance {
    struct counted *counted;
    void *inner;
};

static inline void *counted_begin(const void *self, const struct record *record, struct arena *keep, struct err *err)
{
    struct counted *counted = (struct counted *)(uintptr_t)self;
    if (counted->fail_to_begin) {
        err_set(err, ERR_SCENARIO, "the model does not begin");
        return NULL;
    }
    counted->begun++;
    struct counted_instance *instance = malloc(sizeof *instance); /* so that a missing end is a leak */
    CHECK(instance);
    instance->counted = counted;
    instance->inner = counted->inner.ops->begin(counted->inner.self, record, keep, err);
    return instance;
}

static inline enum model_answer counted_ask(void *self, const struct request *request, struct turn *turn,
                                            struct err *err)
{
    struct counted_instance *instance = self;
    instance->counted->asked++;
    instance->counted->last = *request;
    if (request->turn == instance->counted->fail_at) {
        err_set(err, ERR_SCENARIO, "the model is broken");
        return MODEL_FAILED;
    }
    return instance->counted->inner.ops->ask(instance->inner, request, turn, err);
}

static inline void counted_end(void *self)
{
    struct counted_instance *instance = self;
    instance->counted->ended++;
    free(instance);
}

static const struct model_ops counted_ops = {.begin = counted_begin, .ask = counted_ask, .end = counted_end};

static inline struct counted *counted_new(struct arena *arena, const struct script *script)
{
    struct counted *counted = arena_new(arena, struct counted);
    counted->inner = script_model(script);
    return counted;
}

static inline struct model counted_model(const struct counted *counted)
{
    return (struct model){&counted_ops, counted};
}

#endif

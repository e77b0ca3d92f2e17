#include "engine/hook.h"

#include <stddef.h>

#include "core/record.h"

static const char *const event_names[HOOK_EVENTS] = {
    [HOOK_USER_PROMPT_SUBMIT] = "UserPromptSubmit",
    [HOOK_PRE_TOOL_USE] = "PreToolUse",
    [HOOK_POST_TOOL_USE] = "PostToolUse",
    [HOOK_STOP] = "Stop",
    [HOOK_SUBAGENT_STOP] = "SubagentStop",
};

const char *hook_event_name(enum hook_event event)
{
    return event_names[event];
}

bool hook_event_find(struct str name, enum hook_event *event)
{
    for (int i = 0; i < HOOK_EVENTS; i++) {
        if (str_eq(name, str_of(event_names[i]))) {
            *event = (enum hook_event)i;
            return true;
        }
    }
    return false;
}

static bool run_hooks(const struct hooks *hooks, struct hook_call *call, struct hook_counts *counts,
                      struct hook_answer *answer, struct err *err)
{
    for (uint32_t i = 0; i < hooks->count[call->event]; i++) {
        const struct hook *hook = &hooks->of[call->event][i];
        struct hook_answer given = {0};
        counts->fired++;
        if (!hook->run(hook->self, call, &given, err))
            return false;
        if (given.replace) {
            call->arguments = given.replace;
            answer->replace = given.replace;
        }
        if (given.block.data || given.proceed.data) {
            counts->blocked += given.block.data != NULL;
            answer->block = given.block;
            answer->proceed = given.proceed;
            return true;
        }
    }
    return true;
}

/* The outer links run first. */
static bool run_chain(const struct hook_chain *chain, struct hook_call *call, struct hook_counts *counts,
                      struct hook_answer *answer, struct err *err)
{
    if (chain->outer && !run_chain(chain->outer, call, counts, answer, err))
        return false;
    if (answer->block.data || answer->proceed.data || !chain->hooks)
        return true;
    return run_hooks(chain->hooks, call, counts, answer, err);
}

bool hook_run(const struct hook_chain *chain, struct hook_call *call, struct hook_counts *counts,
              struct hook_answer *answer, struct err *err)
{
    *answer = (struct hook_answer){0};
    return !counts->any || run_chain(chain, call, counts, answer, err);
}

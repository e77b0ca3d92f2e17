/* Model: the port through which an agent asks for its next turn.
 *
 * A model is whatever answers a request: a scripted list, a list of paths to read, a Lua function, a Lua coroutine.
 * The agent does not know which.  A model describes what it wants; the engine does it.
 *
 * Memory: `text` of a turn and `content` of a call must live as long as the transcripts (request->keep, or static
 * data); `calls` and arguments until the agent's next turn (request->scratch).
 */
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct record;
struct value;

struct tool_call {
    struct str name;
    const struct value *arguments; /* an object; NULL = {} */
    struct str content;            /* `name(canonical JSON)` if the model has it ready, else data is NULL */
};

struct turn {
    struct str text; /* may be empty */
    const struct tool_call *calls;
    uint32_t call_count;
    bool stop; /* text is the final text; the calls are recorded, never run */
    const struct value *result; /* of a stop turn of a run with a contract; else NULL */
};

/* What the model is asked: the record so far is the transcript it reads. */
struct request {
    const struct record *record;
    struct str prompt;     /* the task of a root, the prompt of a subagent */
    uint32_t turn;         /* from 1 */
    uint32_t first_result; /* the transcript's first entry of the last turn's results … */
    uint32_t result_count; /* … and how many there are */
    struct arena *keep;
    struct arena *scratch;
};

enum model_answer {
    MODEL_TURN,
    MODEL_EXHAUSTED, /* the script has no further turn */
    MODEL_FAILED     /* the scenario is at fault; err is set */
};

struct model_ops {
    /* A fresh instance for one run; no instance sees anything of another.  NULL with err on failure. */
    void *(*begin)(const void *self, const struct record *record, struct arena *keep, struct err *err);
    enum model_answer (*ask)(void *instance, const struct request *request, struct turn *turn, struct err *err);
    void (*end)(void *instance); /* may be NULL */
};

struct model {
    const struct model_ops *ops;
    const void *self;
};

#endif

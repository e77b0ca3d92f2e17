/* Scripted model: a list of turns, compiled once, that costs nothing per turn but moving on by one. */
#ifndef ENGINE_SCRIPTED_H
#define ENGINE_SCRIPTED_H

#include "engine/model.h"

/* Never changes, so any number of runs may share it.  Everything in it lives as long as the transcripts. */
struct scripted {
    const struct turn *turns;
    uint32_t count;
};

extern const struct model_ops model_scripted; /* self is a struct scripted */

/* `NAME(CANONICAL JSON OF THE ARGUMENTS)`: the content of a tool call's entry. */
struct str tool_call_content(struct arena *keep, struct str name, const struct value *arguments);

#endif

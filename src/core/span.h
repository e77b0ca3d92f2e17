/* Span: a half-open life [birth, death) in turns; the one idea behind all snapshots. */
#ifndef CORE_SPAN_H
#define CORE_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#define SPAN_FOREVER UINT32_MAX

struct span {
    uint32_t birth; /* the first turn whose model call sees the thing */
    uint32_t death; /* the first turn whose model call no longer sees it; SPAN_FOREVER while it lives */
};

static inline bool span_has(struct span span, uint32_t turn)
{
    return span.birth <= turn && turn < span.death;
}

/* At how many of the turns 1..last the span is live. */
static inline uint32_t span_turns(struct span span, uint32_t last)
{
    uint32_t end = span.death <= last ? span.death : last + 1;
    return end > span.birth ? end - span.birth : 0;
}

#endif

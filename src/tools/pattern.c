#include "tools/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"
#include "base/oom.h"

/* \C could cut a code point in two.  Callouts before every item are what counts the steps. */
#define COMPILE_OPTIONS (PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C)

/* From one starting point.  A place to go back to takes some 150 bytes and 16 more for each group, so that the limit on
 * their number is reached before the one on memory, which would be another on another machine. */
#define MATCH_LIMIT 10000000
#define DEPTH_LIMIT 200000
#define HEAP_LIMIT_KIB 131072

#define STEPS_PER_CALLOUT 16 /* what reaching an item takes beside the way to it, in the time that a byte takes */

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *context;
    int64_t steps;    /* left */
    size_t position;  /* of the last callout, in the line */
    size_t repeat;    /* the most that an item may have to repeat before it reports again */
    bool looks_back;  /* whether the text of a group is matched again */
};

/* The largest number right after a brace: the `{60000}` of a quantifier; escapes such as \x{20} do no harm. */
static size_t largest_repeat(struct str text)
{
    size_t largest = 0;
    for (size_t i = 0; i < text.len; i++) {
        size_t number = 0;
        for (size_t j = i + 1; text.data[i] == '{' && j < text.len && text.data[j] >= '0' && text.data[j] <= '9'; j++)
            number = number < 65536 ? number * 10 + (size_t)(text.data[j] - '0') : number;
        largest = number > largest ? number : largest;
    }
    return largest;
}

/* The length of the longest group that was captured. */
static size_t longest_group(const pcre2_callout_block *block)
{
    size_t longest = 0;
    for (uint32_t group = 1; group < block->capture_top; group++) {
        size_t from = block->offset_vector[2 * group], to = block->offset_vector[2 * group + 1];
        if (from != PCRE2_UNSET && to != PCRE2_UNSET && to > from && to - from > longest)
            longest = to - from;
    }
    return longest;
}

/* Called before every item: pays for the way since the last one, and for what the item may do before the next. */
static int count_steps(pcre2_callout_block *block, void *self)
{
    struct pattern *pattern = self;
    size_t now = block->current_position, before = pattern->position;
    size_t left = block->subject_length - now;
    size_t steps = STEPS_PER_CALLOUT + (now > before ? now - before : before - now);
    steps += pattern->repeat < left ? pattern->repeat : left;
    if (pattern->looks_back)
        steps += longest_group(block);
    pattern->position = now;
    pattern->steps -= (int64_t)steps;
    return pattern->steps < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

static pcre2_code *compile(struct str text, int *code, PCRE2_SIZE *offset)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (!context)
        oom_stop("a pattern", PATTERN_BYTES_MAX);
    pcre2_set_max_pattern_length(context, PATTERN_BYTES_MAX);
    pcre2_set_newline(context, PCRE2_NEWLINE_LF); /* whatever the library was built for */
    pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
    PCRE2_SPTR start = (PCRE2_SPTR)(text.data ? text.data : "");
    pcre2_code *compiled = pcre2_compile(start, text.len, COMPILE_OPTIONS, code, offset, context);
    pcre2_compile_context_free(context);
    return compiled;
}

struct pattern *pattern_open(struct str text, struct arena *arena, struct str *problem)
{
    int error;
    PCRE2_SIZE offset;
    struct pattern *pattern = arena_new(arena, struct pattern);
    uint32_t references = 0;
    pattern->code = compile(text, &error, &offset);
    if (!pattern->code) {
        char message[256];
        pcre2_get_error_message(error, (PCRE2_UCHAR *)message, sizeof message);
        *problem = str_printf(arena, "%s at offset %zu", message, offset);
        return NULL;
    }
    pattern->match = pcre2_match_data_create(1, NULL);
    pattern->context = pcre2_match_context_create(NULL);
    if (!pattern->match || !pattern->context)
        oom_stop("a pattern", PATTERN_BYTES_MAX);
    pcre2_set_match_limit(pattern->context, MATCH_LIMIT);
    pcre2_set_depth_limit(pattern->context, DEPTH_LIMIT);
    pcre2_set_heap_limit(pattern->context, HEAP_LIMIT_KIB);
    pcre2_set_callout(pattern->context, count_steps, pattern);
    pcre2_pattern_info(pattern->code, PCRE2_INFO_BACKREFMAX, &references);
    pattern->steps = PATTERN_STEPS_FREE;
    pattern->repeat = largest_repeat(text);
    pattern->looks_back = references > 0;
    return pattern;
}

void pattern_close(struct pattern *pattern)
{
    pcre2_match_context_free(pattern->context);
    pcre2_match_data_free(pattern->match);
    pcre2_code_free(pattern->code);
}

enum pattern_outcome pattern_search(struct pattern *pattern, struct str line)
{
    pattern->steps += PATTERN_STEPS_PER_BYTE * (int64_t)(line.len + 1);
    pattern->position = 0;
    int found =
        pcre2_match(pattern->code, (PCRE2_SPTR)line.data, line.len, 0, 0, pattern->match, pattern->context);
    if (found == PCRE2_ERROR_NOMEMORY)
        oom_stop("a search", (size_t)HEAP_LIMIT_KIB * 1024);
    if (found == PCRE2_ERROR_NOMATCH)
        return PATTERN_ABSENT;
    return found >= 0 ? PATTERN_PRESENT : PATTERN_GIVEN_UP;
}

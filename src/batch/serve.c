#include "batch/serve.h"

#include "base/arena.h"
#include "base/err.h"
#include "batch/access.h"
#include "batch/frame.h"

#define LISTING_NUMBERS ((size_t)7) /* handle, count, bytes, four kinds of skipped */

/* One request on its way: what was asked, and the answer that is being packed. */
struct serving {
    struct access *access;
    struct frame_reader asked;
    struct arena *arena;
    struct strbuf answer;
    struct err err;
    bool damaged;
};

/* An answer that can be told is packed in one piece of exactly `size` bytes. */
static bool begin_answer(struct serving *serving, size_t size)
{
    if (size > FRAME_ANSWER_MAX - FRAME_ANSWER_OVERHEAD) {
        return err_set(&serving->err, ERR_LIMIT, "more than 1 GiB was asked for at once");
    }
    frame_begin_answer(&serving->answer, serving->arena, size, true);
    return true;
}

/* False, and marked as damage, unless the whole request was read. */
static bool all_asked(struct serving *serving)
{
    serving->damaged = !frame_reader_is_done(&serving->asked);
    return !serving->damaged;
}

static bool serve_module(struct serving *serving)
{
    struct str name = frame_get_str(&serving->asked);
    struct str shown;
    struct str source;
    if (!all_asked(serving) ||
        !access_module(serving->access, name, serving->arena, &shown, &source, &serving->err) ||
        !begin_answer(serving, shown.len + source.len + 2 * FRAME_STR_OVERHEAD)) {
        return false;
    }
    frame_put_str(&serving->answer, shown);
    frame_put_str(&serving->answer, source);
    return true;
}

static const struct str *get_globs(struct serving *serving, size_t *count)
{
    uint64_t claimed = frame_get_u64(&serving->asked);
    if (claimed > serving->asked.rest.len / FRAME_STR_OVERHEAD) {
        serving->asked.broken = true;
        claimed = 0;
    }
    *count = (size_t)claimed;
    struct str *globs = arena_array(serving->arena, struct str, *count);
    for (size_t i = 0; i < *count; i++) {
        globs[i] = frame_get_str(&serving->asked);
    }
    return globs;
}

static bool pack_listing(struct serving *serving, uint64_t handle, const struct dirwalk_listing *listing)
{
    size_t size = 8 * LISTING_NUMBERS;
    for (size_t i = 0; i < listing->count; i++) {
        size += FRAME_STR_OVERHEAD + listing->files[i].path.len + 8;
    }
    if (!begin_answer(serving, size)) {
        return false;
    }
    struct strbuf *out = &serving->answer;
    frame_put_u64(out, handle);
    frame_put_u64(out, listing->count);
    for (size_t i = 0; i < listing->count; i++) {
        frame_put_str(out, listing->files[i].path);
        frame_put_u64(out, (uint64_t)listing->files[i].bytes);
    }
    frame_put_u64(out, (uint64_t)listing->bytes);
    frame_put_u64(out, (uint64_t)listing->skipped_link);
    frame_put_u64(out, (uint64_t)listing->skipped_special);
    frame_put_u64(out, (uint64_t)listing->skipped_too_large);
    frame_put_u64(out, (uint64_t)listing->skipped_unreadable);
    return true;
}

static bool serve_list(struct serving *serving)
{
    struct dirwalk_options options = {.max_files = 0};
    struct dirwalk_listing listing;
    uint64_t handle = 0;
    struct str path = frame_get_str(&serving->asked);
    options.include = get_globs(serving, &options.include_count);
    options.exclude = get_globs(serving, &options.exclude_count);
    options.max_file_bytes = (int64_t)frame_get_u64(&serving->asked);
    return all_asked(serving) &&
           access_list(serving->access, path, &options, serving->arena, &handle, &listing, &serving->err) &&
           pack_listing(serving, handle, &listing);
}

static bool serve_body(struct serving *serving)
{
    uint64_t handle = frame_get_u64(&serving->asked);
    struct str path = frame_get_str(&serving->asked);
    int64_t bytes = (int64_t)frame_get_u64(&serving->asked);
    struct str body;
    if (!all_asked(serving) ||
        !access_body(serving->access, handle, path, bytes, serving->arena, &body, &serving->err) ||
        !begin_answer(serving, body.len + FRAME_STR_OVERHEAD)) {
        return false;
    }
    frame_put_str(&serving->answer, body);
    return true;
}

static bool serve(struct serving *serving, uint8_t kind)
{
    if (!serving->access) {
        return err_set(&serving->err, ERR_SCENARIO, "may not read any file");
    }
    switch (kind) {
    case FRAME_MODULE: return serve_module(serving);
    case FRAME_LIST: return serve_list(serving);
    case FRAME_BODY: return serve_body(serving);
    default: UNREACHABLE();
    }
}

bool serve_request(struct access *access, uint8_t kind, struct str payload, struct arena *arena, struct str *frame)
{
    struct serving serving = {.access = access, .asked = {.rest = payload}, .arena = arena};
    if (!serve(&serving, kind)) {
        *frame = serving.damaged ? STR("") : frame_refusal(arena, &serving.err);
        return !serving.damaged;
    }
    *frame = frame_finish_answer(&serving.answer);
    return true;
}

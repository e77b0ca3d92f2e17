#include "batch/channel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "base/check.h"

#define PIECE_MAX ((size_t)32 << 10) /* bytes of a file or of input in one frame */

static void send_all(struct channel *channel, struct str bytes)
{
    while (bytes.len > 0 && !channel->broken) {
        ssize_t sent = write(channel->socket, bytes.data, bytes.len);
        if (sent >= 0) {
            bytes = str_slice(bytes, (size_t)sent, bytes.len);
        } else if (errno != EINTR) {
            channel->broken = true;
        }
    }
}

static bool receive_all(struct channel *channel, void *to, size_t size)
{
    char *at = to;
    while (size > 0 && !channel->broken) {
        ssize_t got = read(channel->socket, at, size);
        if (got > 0) {
            at += got;
            size -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            channel->broken = true;
        }
    }
    return !channel->broken;
}

static void send_chunk(void *receiver, struct str frame)
{
    struct channel *channel = receiver;
    if (channel->over) {
        return;
    }
    if (frame.data[0] != FRAME_OPTIONS) { /* I2: they may still be waiting in their buffer */
        wire_feed_flush(&channel->options);
    }
    send_all(channel, frame);
}

static void send_frame(struct channel *channel, enum frame_kind kind, struct str payload)
{
    unsigned char head[FRAME_HEAD_SIZE];
    CHECK(!channel->over && payload.len <= FRAME_PAYLOAD_MAX);
    frame_pack_head(head, kind, payload.len);
    send_all(channel, (struct str){(const char *)head, sizeof head});
    send_all(channel, payload);
}

static bool lost_parent(struct channel *channel, struct err *err)
{
    channel->broken = true;
    return err_set(err, ERR_INTERNAL, "the connection to the main process is lost");
}

static bool read_answer(struct channel *channel, struct arena *arena, struct str *answer, struct err *err)
{
    unsigned char bytes[FRAME_HEAD_SIZE];
    struct frame_head head;
    if (!receive_all(channel, bytes, sizeof bytes) || !frame_unpack_head(bytes, &head) ||
        head.kind != FRAME_ANSWER || head.length > FRAME_ANSWER_MAX) {
        return lost_parent(channel, err);
    }
    char *payload = arena_bytes(arena, head.length);
    if (!receive_all(channel, payload, head.length)) {
        return lost_parent(channel, err);
    }
    *answer = (struct str){payload, head.length};
    return true;
}

/* A refusal: {error kind, message}, after the leading 0. */
static bool read_refusal(struct channel *channel, struct frame_reader *reader, struct err *err)
{
    enum err_kind kind = (enum err_kind)frame_get_u8(reader);
    struct str message = frame_get_str(reader);
    if (!frame_reader_is_done(reader) || kind == ERR_NONE || kind > ERR_INTERNAL) {
        return lost_parent(channel, err);
    }
    return err_set(err, kind, "%.*s", STR_ARG(message));
}

bool channel_ask(struct channel *channel, enum frame_kind kind, struct str payload, struct arena *arena,
                 struct str *answer, struct err *err)
{
    if (payload.len > FRAME_PAYLOAD_MAX) {
        return err_set(err, ERR_SCENARIO, "a request to the main process is longer than 64 KiB");
    }
    wire_feed_flush(&channel->options); /* I2 */
    send_frame(channel, kind, payload);
    struct arena_mark mark = arena_mark(arena);
    struct str bytes = STR("");
    if (!read_answer(channel, arena, &bytes, err)) {
        arena_release(arena, mark);
        return false;
    }
    struct frame_reader reader = {.rest = bytes};
    if (frame_get_u8(&reader) != 1) {
        (void)read_refusal(channel, &reader, err);
        arena_release(arena, mark);
        return false;
    }
    *answer = reader.rest;
    return true;
}

/* A builder for a request: one byte more than may be sent, so that channel_ask sees what is too long. */
static void begin_request(struct strbuf *request, struct arena *arena)
{
    strbuf_init(request, arena, FRAME_PAYLOAD_MAX + 1);
}

static struct str finish_request(const struct strbuf *request)
{
    struct str payload = strbuf_str(request);
    return request->overflowed ? (struct str){payload.data, FRAME_PAYLOAD_MAX + 1} : payload;
}

bool channel_module(struct channel *channel, struct str name, struct arena *arena, struct channel_module *module,
                    struct err *err)
{
    struct strbuf request;
    struct str answer;
    begin_request(&request, arena);
    frame_put_str(&request, name);
    if (!channel_ask(channel, FRAME_MODULE, finish_request(&request), arena, &answer, err)) {
        return false;
    }
    struct frame_reader reader = {.rest = answer};
    module->shown = frame_get_str(&reader);
    module->source = frame_get_str(&reader);
    return frame_reader_is_done(&reader) || lost_parent(channel, err);
}

static void put_globs(struct strbuf *request, const struct str *globs, size_t count)
{
    frame_put_u64(request, count);
    for (size_t i = 0; i < count; i++) {
        frame_put_str(request, globs[i]);
    }
}

static bool read_listing(struct frame_reader *reader, struct arena *arena, struct dirwalk_listing *listing)
{
    uint64_t count = frame_get_u64(reader);
    if (count > reader->rest.len / (FRAME_STR_OVERHEAD + 8)) {
        return false;
    }
    listing->count = (size_t)count;
    listing->files = arena_array(arena, struct dirwalk_file, listing->count);
    for (size_t i = 0; i < listing->count; i++) {
        listing->files[i].path = frame_get_str(reader);
        listing->files[i].bytes = (int64_t)frame_get_u64(reader);
    }
    listing->bytes = (int64_t)frame_get_u64(reader);
    listing->skipped_link = (int64_t)frame_get_u64(reader);
    listing->skipped_special = (int64_t)frame_get_u64(reader);
    listing->skipped_too_large = (int64_t)frame_get_u64(reader);
    listing->skipped_unreadable = (int64_t)frame_get_u64(reader);
    return frame_reader_is_done(reader);
}

bool channel_list(struct channel *channel, struct str path, const struct dirwalk_options *options,
                  struct arena *arena, uint64_t *handle, struct dirwalk_listing *listing, struct err *err)
{
    struct strbuf request;
    struct str answer;
    begin_request(&request, arena);
    frame_put_str(&request, path);
    put_globs(&request, options->include, options->include_count);
    put_globs(&request, options->exclude, options->exclude_count);
    frame_put_u64(&request, (uint64_t)options->max_file_bytes);
    if (!channel_ask(channel, FRAME_LIST, finish_request(&request), arena, &answer, err)) {
        return false;
    }
    struct frame_reader reader = {.rest = answer};
    *handle = frame_get_u64(&reader);
    return read_listing(&reader, arena, listing) || lost_parent(channel, err);
}

bool channel_body(struct channel *channel, uint64_t handle, struct str path, int64_t bytes, struct arena *arena,
                  struct str *body, struct err *err)
{
    struct strbuf request;
    struct str answer;
    begin_request(&request, arena);
    frame_put_u64(&request, handle);
    frame_put_str(&request, path);
    frame_put_u64(&request, (uint64_t)bytes);
    if (!channel_ask(channel, FRAME_BODY, finish_request(&request), arena, &answer, err)) {
        return false;
    }
    struct frame_reader reader = {.rest = answer};
    *body = frame_get_str(&reader);
    return frame_reader_is_done(&reader) || lost_parent(channel, err);
}

bool channel_may_run(struct channel *channel, enum frame_run what, struct arena *arena, struct err *err)
{
    char byte = (char)what;
    struct str answer;
    return channel_ask(channel, FRAME_MAY_RUN, (struct str){&byte, 1}, arena, &answer, err);
}

/* A request that has no answer. */
static bool tell(struct channel *channel, enum frame_kind kind, struct str payload, struct err *err)
{
    wire_feed_flush(&channel->options); /* I2 */
    send_frame(channel, kind, payload);
    return !channel->broken || lost_parent(channel, err);
}

/* The next piece of a text that is sent in many; at least one, also of an empty text. */
static struct str cut_piece(struct str *rest)
{
    size_t length = rest->len < PIECE_MAX ? rest->len : PIECE_MAX;
    struct str piece = str_slice(*rest, 0, length);
    *rest = str_slice(*rest, length, rest->len);
    return piece;
}

static bool tell_piece(struct channel *channel, const struct channel_file *file, unsigned piece, struct str bytes,
                       struct err *err)
{
    struct arena arena;
    struct strbuf payload;
    arena_init(&arena);
    strbuf_init(&payload, &arena, FRAME_PAYLOAD_MAX);
    frame_put_u64(&payload, file->worktree);
    frame_put_u8(&payload, (uint8_t)piece);
    frame_put_str(&payload, file->path);
    frame_put_str(&payload, bytes);
    bool good = payload.overflowed ? err_set(err, ERR_SCENARIO, "bash: the path of a file is too long")
                                   : tell(channel, FRAME_FILE, strbuf_str(&payload), err);
    arena_close(&arena);
    return good;
}

bool channel_file(struct channel *channel, const struct channel_file *file, struct err *err)
{
    struct str rest = file->body;
    unsigned piece = FRAME_PIECE_FIRST;
    if (!file->exists) {
        return tell_piece(channel, file, FRAME_PIECE_GONE, STR(""), err);
    }
    do {
        struct str bytes = cut_piece(&rest);
        piece |= rest.len == 0 ? FRAME_PIECE_LAST : 0;
        if (!tell_piece(channel, file, piece, bytes, err)) {
            return false;
        }
        piece = 0;
    } while (rest.len > 0);
    return true;
}

static void read_end(struct frame_reader *reader, struct channel_end *end)
{
    *end = (struct channel_end){.exit_code = (int)frame_get_u64(reader)};
    end->timed_out = frame_get_u8(reader) != 0;
    end->out = frame_get_str(reader);
    end->out_cut = frame_get_u8(reader) != 0;
    end->err = frame_get_str(reader);
    end->err_cut = frame_get_u8(reader) != 0;
}

static bool read_changes(struct frame_reader *reader, struct arena *arena, struct channel_end *end)
{
    end->skipped = (int64_t)frame_get_u64(reader);
    uint64_t count = frame_get_u64(reader);
    if (count > reader->rest.len / (1 + 2 * FRAME_STR_OVERHEAD)) {
        return false;
    }
    end->change_count = (size_t)count;
    end->changes = arena_array(arena, struct channel_file, end->change_count + 1);
    for (size_t i = 0; i < end->change_count; i++) {
        end->changes[i].exists = frame_get_u8(reader) != 0;
        end->changes[i].path = frame_get_str(reader);
        end->changes[i].body = frame_get_str(reader);
    }
    return true;
}

bool channel_shell(struct channel *channel, const struct channel_command *command, struct arena *arena,
                   struct channel_end *end, struct err *err)
{
    struct strbuf request;
    struct str answer;
    begin_request(&request, arena);
    frame_put_u64(&request, command->worktree);
    frame_put_str(&request, command->text);
    frame_put_u64(&request, (uint64_t)command->timeout_ms);
    if (!channel_ask(channel, FRAME_SHELL, finish_request(&request), arena, &answer, err)) {
        return false;
    }
    struct frame_reader reader = {.rest = answer};
    read_end(&reader, end);
    bool good = read_changes(&reader, arena, end) && frame_reader_is_done(&reader);
    return good || lost_parent(channel, err);
}

static bool tell_input(struct channel *channel, struct str input, struct arena *arena, struct err *err)
{
    bool good = true;
    while (good && input.len > 0) {
        struct arena_mark mark = arena_mark(arena);
        struct strbuf payload;
        strbuf_init(&payload, arena, FRAME_PAYLOAD_MAX);
        frame_put_str(&payload, cut_piece(&input));
        good = tell(channel, FRAME_INPUT, strbuf_str(&payload), err);
        arena_release(arena, mark);
    }
    return good;
}

bool channel_program(struct channel *channel, const struct channel_program *program, struct arena *arena,
                     struct channel_end *end, struct err *err)
{
    struct strbuf request;
    struct str answer;
    if (!tell_input(channel, program->input, arena, err)) {
        return false;
    }
    begin_request(&request, arena);
    frame_put_u64(&request, program->argc);
    for (size_t i = 0; i < program->argc; i++) {
        frame_put_str(&request, program->argv[i]);
    }
    if (!channel_ask(channel, FRAME_PROGRAM, finish_request(&request), arena, &answer, err)) {
        return false;
    }
    struct frame_reader reader = {.rest = answer};
    read_end(&reader, end);
    return frame_reader_is_done(&reader) || lost_parent(channel, err);
}

struct feed *channel_options(struct channel *channel)
{
    return &channel->options.feed;
}

struct feed *channel_report(struct channel *channel)
{
    return &channel->report.feed;
}

struct feed *channel_trace(struct channel *channel)
{
    return &channel->trace.feed;
}

void channel_log(struct channel *channel, const struct log_line *line)
{
    struct arena arena;
    struct strbuf payload;
    struct err ignored = {.kind = ERR_NONE}; /* the run itself will meet it */
    arena_init(&arena);
    strbuf_init(&payload, &arena, FRAME_PAYLOAD_MAX);
    frame_put_u8(&payload, (uint8_t)(line->depth < UINT8_MAX ? line->depth : UINT8_MAX));
    frame_put_u8(&payload, (uint8_t)line->event);
    frame_put_str(&payload, utf8_prefix(line->run, LOG_CODE_POINTS));
    frame_put_str(&payload, utf8_prefix(line->text, LOG_CODE_POINTS));
    if (!channel->over && !tell(channel, FRAME_LOG, strbuf_str(&payload), &ignored)) {
        channel->broken = true;
    }
    arena_close(&arena);
}

void channel_confined(struct channel *channel, unsigned missing)
{
    char byte = (char)missing;
    send_frame(channel, FRAME_CONFINED, (struct str){&byte, 1});
}

void channel_fail(struct channel *channel, const struct err *failure)
{
    struct arena arena;
    struct strbuf payload;
    CHECK(failure->kind != ERR_NONE);
    if (channel->over) {
        return;
    }
    arena_init(&arena);
    strbuf_init(&payload, &arena, FRAME_PAYLOAD_MAX);
    frame_put_u8(&payload, (uint8_t)failure->kind);
    frame_put_str(&payload, str_of(failure->message));
    send_frame(channel, FRAME_FAIL, strbuf_str(&payload));
    arena_close(&arena);
    channel->over = true;
}

bool channel_done(struct channel *channel, struct err *err)
{
    struct wire_feed *feeds[] = {&channel->options, &channel->report, &channel->trace};
    for (size_t i = 0; i < ARRAY_LEN(feeds); i++) {
        wire_feed_flush(feeds[i]);
        if (feeds[i]->refused) {
            return err_set(err, ERR_LIMIT, "the report holds %s", feeds[i]->refused);
        }
    }
    send_frame(channel, FRAME_DONE, STR(""));
    channel->over = true;
    return !channel->broken || lost_parent(channel, err);
}

void channel_init(struct channel *channel, int socket)
{
    channel->socket = socket;
    channel->broken = false;
    channel->over = false;
    wire_feed_init(&channel->options, FRAME_OPTIONS, send_chunk, channel);
    wire_feed_init(&channel->report, FRAME_REPORT, send_chunk, channel);
    wire_feed_init(&channel->trace, FRAME_TRACE, send_chunk, channel);
}

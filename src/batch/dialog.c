#include "batch/dialog.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/oom.h"
#include "batch/access.h"
#include "batch/log.h"
#include "batch/confine.h"
#include "batch/serve.h"

static bool out_of_turn(struct err *err, const char *what)
{
    return err_set(err, ERR_INTERNAL, "the scenario's process broke the protocol (%s)", what);
}

static bool take_confined(struct dialog *dialog, struct str payload, struct err *err)
{
    if (dialog->confined || payload.len != 1) {
        return out_of_turn(err, "bad beginning");
    }
    dialog->confined = true;
    dialog->missing = (unsigned char)payload.data[0];
    if (dialog->missing > (CONFINE_LIMITS | CONFINE_LANDLOCK | CONFINE_SECCOMP)) {
        return out_of_turn(err, "bad beginning");
    }
    if (dialog->missing > 0 && dialog->setup.require_sandbox) {
        struct str parts = confine_describe(&dialog->scratch, dialog->missing);
        return err_set(err, ERR_USAGE,
                       "this system lacks a part of the sandbox (%.*s), and --require-sandbox was given",
                       STR_ARG(parts));
    }
    return true;
}

static bool take_options(struct dialog *dialog, struct str payload, struct err *err)
{
    if (dialog->options_over) {
        return out_of_turn(err, "options too late");
    }
    if (dialog->options.position + (int64_t)payload.len > DIALOG_OPTIONS_MAX) {
        return err_set(err, ERR_LIMIT, "the scenario declares more than 256 KiB of options");
    }
    return wire_decoder_take(&dialog->options, payload, err);
}

/* The first frame of another kind ends the options. */
static bool end_options(struct dialog *dialog, struct err *err)
{
    if (dialog->options_over) {
        return true;
    }
    dialog->options_over = true;
    if (dialog->options.position == 0) {
        return true;
    }
    if (!wire_decoder_finish(&dialog->options, err)) {
        return false;
    }
    if (dialog->setup.access) {
        access_declare(dialog->setup.access, &dialog->declared.result);
    }
    if (dialog->setup.options) {
        value_tell(&dialog->declared.result, dialog->setup.options);
    }
    return true;
}

static bool take_request(struct dialog *dialog, uint8_t kind, struct str payload, struct err *err)
{
    return serve_request(dialog->setup.access, kind, payload, &dialog->scratch, &dialog->answer) ||
           out_of_turn(err, "bad request");
}

/* The user has not allowed it: the script is told, and nothing runs. */
static void refuse_to_run(struct dialog *dialog, uint8_t kind, struct str payload)
{
    struct err failure = {.kind = ERR_NONE};
    bool shell = kind == FRAME_SHELL;
    if (kind == FRAME_MAY_RUN && payload.len > 0) {
        shell = payload.data[0] == FRAME_RUN_SHELL;
    }
    (void)err_set(&failure, ERR_SCENARIO, "%s on this machine: allow it with --allow-exec",
                  shell ? "bash = \"real\" runs commands" : "sim.command runs a program");
    dialog->answer = frame_refusal(&dialog->scratch, &failure);
}

static bool take_errand(struct dialog *dialog, uint8_t kind, struct str payload, struct err *err)
{
    if (dialog->setup.allow_exec) {
        return keeper_send(&dialog->keeper, kind, payload, err);
    }
    if (kind != FRAME_FILE && kind != FRAME_INPUT) { /* these have no answer */
        refuse_to_run(dialog, kind, payload);
    }
    return true;
}

static bool take_log(struct dialog *dialog, struct str payload, struct err *err)
{
    struct frame_reader reader = {.rest = payload};
    struct log_line line = {.depth = frame_get_u8(&reader)};
    unsigned event = frame_get_u8(&reader);
    line.event = (enum log_event)event;
    line.run = frame_get_str(&reader);
    line.text = frame_get_str(&reader);
    if (!frame_reader_is_done(&reader) || event >= LOG_EVENTS) {
        return out_of_turn(err, "bad log");
    }
    if (dialog->setup.log) {
        log_print(dialog->setup.log, &line);
    }
    return true;
}

static bool take_failure(struct dialog *dialog, struct str payload, struct err *err)
{
    struct frame_reader reader = {.rest = payload};
    enum err_kind kind = (enum err_kind)frame_get_u8(&reader);
    struct str message = frame_get_str(&reader);
    if (!frame_reader_is_done(&reader) || kind == ERR_NONE || kind > ERR_INTERNAL || message.len == 0) {
        return out_of_turn(err, "bad failure");
    }
    (void)err_set(&dialog->failure, kind, "%.*s", STR_ARG(message));
    return true;
}

static bool take_done(struct dialog *dialog, struct str payload, struct err *err)
{
    if (payload.len > 0) {
        return out_of_turn(err, "bad end");
    }
    bool good = dialog->report.position == 0 || wire_decoder_finish(&dialog->report, err);
    dialog->done = good && wire_decoder_finish(&dialog->trace, err);
    return dialog->done;
}

static bool take_frame(struct dialog *dialog, uint8_t kind, struct str payload, struct err *err)
{
    if (!dialog->confined && kind != FRAME_CONFINED) { /* I1 */
        return out_of_turn(err, "bad beginning");
    }
    if (dialog_is_over(dialog) || dialog->answer.len > 0 || dialog->keeper.busy) { /* I1, I2 */
        return out_of_turn(err, "it spoke out of turn");
    }
    if (kind != FRAME_CONFINED && kind != FRAME_OPTIONS && kind != FRAME_FAIL && !end_options(dialog, err)) {
        return false;
    }
    if (keeper_takes(kind)) {
        return take_errand(dialog, kind, payload, err);
    }
    switch (kind) {
    case FRAME_CONFINED: return take_confined(dialog, payload, err);
    case FRAME_OPTIONS: return take_options(dialog, payload, err);
    case FRAME_MODULE:
    case FRAME_LIST:
    case FRAME_BODY: return take_request(dialog, kind, payload, err);
    case FRAME_REPORT: return wire_decoder_take(&dialog->report, payload, err);
    case FRAME_TRACE: return wire_decoder_take(&dialog->trace, payload, err);
    case FRAME_LOG: return take_log(dialog, payload, err);
    case FRAME_FAIL: return take_failure(dialog, payload, err);
    case FRAME_DONE: return take_done(dialog, payload, err);
    default: return out_of_turn(err, "unknown message");
    }
}

/* Handles whole frames at the start of the buffer and returns their bytes; sets `err` on damage. */
static size_t take_frames(struct dialog *dialog, struct err *err)
{
    size_t at = 0;
    while (dialog->input_used - at >= FRAME_HEAD_SIZE) {
        struct frame_head head;
        const unsigned char *start = dialog->input + at;
        if (!frame_unpack_head(start, &head) || head.length > FRAME_PAYLOAD_MAX) {
            (void)out_of_turn(err, "bad message");
            break;
        }
        if (dialog->input_used - at < FRAME_HEAD_SIZE + head.length) {
            break;
        }
        struct str payload = {(const char *)start + FRAME_HEAD_SIZE, head.length};
        if (!take_frame(dialog, head.kind, payload, err)) {
            break;
        }
        at += FRAME_HEAD_SIZE + head.length;
    }
    return at;
}

unsigned char *dialog_space(struct dialog *dialog, size_t *space)
{
    *space = DIALOG_INPUT_SIZE - dialog->input_used;
    CHECK(*space > 0);
    return dialog->input + dialog->input_used;
}

bool dialog_take(struct dialog *dialog, size_t got, struct err *err)
{
    struct err damage = {.kind = ERR_NONE};
    dialog->input_used += got;
    dialog->taken += (int64_t)got;
    CHECK(dialog->input_used <= DIALOG_INPUT_SIZE);
    if (dialog->taken > DIALOG_BYTES_MAX) {
        return err_set(err, ERR_LIMIT, "report and trace of the scenario are larger than 8 GiB");
    }
    size_t used = take_frames(dialog, &damage);
    dialog->input_used -= used;
    memmove(dialog->input, dialog->input + used, dialog->input_used);
    return damage.kind == ERR_NONE || err_set(err, damage.kind, "%s", damage.message);
}

struct str dialog_pending(const struct dialog *dialog)
{
    return dialog->answer;
}

void dialog_sent(struct dialog *dialog, size_t count)
{
    dialog->answer = str_slice(dialog->answer, count, dialog->answer.len);
    if (dialog->answer.len == 0) {
        arena_reset(&dialog->scratch);
    }
}

int dialog_poll_keeper(const struct dialog *dialog)
{
    return keeper_poll(&dialog->keeper);
}

bool dialog_hear_keeper(struct dialog *dialog, struct err *err)
{
    return keeper_hear(&dialog->keeper, &dialog->scratch, &dialog->answer, err);
}

bool dialog_is_over(const struct dialog *dialog)
{
    return dialog->done || dialog->failure.kind != ERR_NONE;
}

void dialog_init(struct dialog *dialog, const struct dialog_setup *setup)
{
    memset(dialog, 0, sizeof *dialog);
    dialog->setup = *setup;
    arena_init(&dialog->arena);
    arena_init(&dialog->scratch);
    keeper_init(&dialog->keeper);
    value_builder_init(&dialog->declared, &dialog->arena, NULL);
    wire_decoder_init(&dialog->options, &dialog->declared.feed);
    wire_decoder_init(&dialog->report, setup->report);
    wire_decoder_init(&dialog->trace, setup->trace);
    dialog->trace.many = true;
    dialog->trace.on_document_end = setup->on_trace_line;
    dialog->trace.to = setup->trace_to;
    dialog->input = malloc(DIALOG_INPUT_SIZE);
    if (!dialog->input) {
        oom_stop("dialog", DIALOG_INPUT_SIZE);
    }
}

void dialog_close(struct dialog *dialog)
{
    if (dialog->setup.access) {
        access_declare(dialog->setup.access, NULL); /* it points into our arena */
    }
    keeper_end(&dialog->keeper);
    wire_decoder_close(&dialog->options);
    wire_decoder_close(&dialog->report);
    wire_decoder_close(&dialog->trace);
    arena_close(&dialog->arena);
    arena_close(&dialog->scratch);
    free(dialog->input);
}

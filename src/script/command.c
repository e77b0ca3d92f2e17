#include "script/command.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "core/record.h"
#include "script/handle.h"
#include "script/session.h"

#define ARGUMENTS_MAX 64
#define INPUT_MAX ((size_t)16 << 20)
#define EXIT_BLOCKS 2

struct command {
    struct session *session;
    struct str *argv;
    size_t argc;
};

int command_read(lua_State *L)
{
    struct session *session = state_of(L)->user;
    lua_settop(L, 1);
    struct place place = place_of_caller(L);
    int64_t count = shape_list(L, 1, &place, "sim.command");
    if (count < 1 || count > ARGUMENTS_MAX)
        shape_fail(L, &place, "sim.command needs a program and at most %d arguments", ARGUMENTS_MAX - 1);
    struct command *command = arena_new(&session->keep, struct command);
    command->session = session;
    command->argc = (size_t)count;
    command->argv = arena_array(&session->keep, struct str, command->argc);
    for (int64_t i = 1; i <= count; i++) {
        struct place item = place_index(&place, i);
        if (lua_rawgeti(L, 1, i) != LUA_TSTRING)
            shape_fail(L, &item, "must be a string, got %s", shape_describe(L, -1));
        command->argv[i - 1] = shape_copy_string(L, -1, &session->keep);
        if (command->argv[i - 1].len && memchr(command->argv[i - 1].data, '\0', command->argv[i - 1].len))
            shape_fail(L, &item, "must not hold NUL");
        lua_pop(L, 1);
    }
    session->scenario.runs_programs = true;
    handle_push(L, HANDLE_COMMAND, command);
    return 1;
}

static void add_field(struct strbuf *out, const char *name, struct str text)
{
    strbuf_addf(out, ",\"%s\":", name);
    json_quote(out, text);
}

/* What a session would send; the run's id stands for the session's.  False when it is too much to send whole: a hook
 * that may block must not judge a part. */
static bool write_input(const struct command *command, const struct hook_call *call, struct str *input,
                        struct err *err)
{
    static const struct value nothing = {.kind = VALUE_OBJECT};
    struct strbuf out;
    strbuf_init(&out, call->scratch, INPUT_MAX);
    strbuf_addf(&out, "{\"session_id\":");
    json_quote(&out, call->record->run);
    add_field(&out, "transcript_path", (struct str){0});
    add_field(&out, "cwd", STR("."));
    add_field(&out, "hook_event_name", str_of(hook_event_name(call->event)));
    if (call->tool.data) {
        add_field(&out, "tool_name", call->tool);
        strbuf_addf(&out, ",\"tool_input\":");
        value_canonical(call->arguments ? call->arguments : &nothing, &out);
    }
    if (call->event == HOOK_POST_TOOL_USE)
        add_field(&out, "tool_response", call->result);
    if (call->event == HOOK_USER_PROMPT_SUBMIT)
        add_field(&out, "prompt", call->prompt);
    if (call->event == HOOK_STOP || call->event == HOOK_SUBAGENT_STOP)
        strbuf_addf(&out, ",\"stop_hook_active\":%s", call->sent_on ? "true" : "false");
    strbuf_addc(&out, '}');
    *input = strbuf_str(&out);
    return !out.overflowed || err_set(err, ERR_LIMIT, "the hook %.*s would get more than %zu MiB to read",
                                      STR_ARG(command->argv[0]), INPUT_MAX >> 20);
}

static struct str without_line_feeds(struct str text)
{
    while (text.len && (text.data[text.len - 1] == '\n' || text.data[text.len - 1] == '\r'))
        text.len--;
    return text;
}

/* A call may be blocked, and a stop may be answered by going on; other events only listen. */
static void block(const struct command *command, const struct hook_call *call, struct str reason,
                  struct hook_answer *answer)
{
    reason = without_line_feeds(reason);
    if (reason.len == 0)
        reason = str_printf(call->keep, "blocked by %.*s", STR_ARG(command->argv[0]));
    if (call->event == HOOK_PRE_TOOL_USE)
        answer->block = str_copy(call->keep, reason);
    else if (call->event == HOOK_STOP)
        answer->proceed = str_copy(call->keep, reason);
}

/* Of a key that is there twice the last counts, as JSON.parse has it in a session. */
static const struct value *last_member(const struct value *object, struct str key)
{
    for (size_t i = object && object->kind == VALUE_OBJECT ? object->count : 0; i > 0; i--) {
        if (str_eq(object->members[i - 1].key, key))
            return &object->members[i - 1].value;
    }
    return NULL;
}

static bool refuse_answer(const struct command *command, struct str key, const struct value *value, const char *must,
                          struct err *err)
{
    struct arena scratch;
    struct strbuf text;
    arena_init(&scratch);
    strbuf_init(&text, &scratch, UINT32_MAX);
    value_canonical(value, &text);
    struct str shown = utf8_prefix(strbuf_str(&text), 40);
    (void)err_set(err, ERR_SCENARIO, "the hook %.*s: %.*s must be %s, got %.*s", STR_ARG(command->argv[0]),
                  STR_ARG(key), must, STR_ARG(shown));
    arena_close(&scratch);
    return false;
}

/* The object under `key`, or NULL. */
static bool read_object(const struct command *command, const struct value *object, struct str key,
                        const struct value **found, struct err *err)
{
    *found = last_member(object, key);
    if (*found && (*found)->kind == VALUE_NULL)
        *found = NULL;
    return !*found || (*found)->kind == VALUE_OBJECT || refuse_answer(command, key, *found, "an object", err);
}

/* The word under `key`, or nothing.  Any other word might have been meant to block, so it is no silent yes. */
static bool read_word(const struct command *command, const struct value *object, struct str key,
                      const char *const *known, struct str *word, struct err *err)
{
    const struct value *value = last_member(object, key);
    *word = (struct str){0};
    if (!value || value->kind == VALUE_NULL)
        return true;
    for (size_t i = 1; value->kind == VALUE_STRING && known[i]; i++) {
        if (str_eq(value->string, str_of(known[i])))
            *word = value->string;
    }
    return word->data || refuse_answer(command, key, value, known[0], err);
}

static struct str reason_of(const struct value *object, struct str key)
{
    const struct value *reason = last_member(object, key);
    return reason && reason->kind == VALUE_STRING ? reason->string : (struct str){0};
}

static bool read_decision(const struct command *command, const struct hook_call *call, const struct value *said,
                          struct hook_answer *answer, struct err *err)
{
    static const char *const decisions[] = {"\"block\" or \"approve\"", "block", "approve", NULL};
    static const char *const permissions[] = {"\"allow\", \"deny\" or \"ask\"", "allow", "deny", "ask", NULL};
    const struct value *specific;
    const struct value *input;
    struct str decision;
    struct str permission; /* "ask" allows: nobody is there to be asked */
    if (!read_word(command, said, STR("decision"), decisions, &decision, err) ||
        !read_object(command, said, STR("hookSpecificOutput"), &specific, err) ||
        !read_word(command, specific, STR("permissionDecision"), permissions, &permission, err) ||
        !read_object(command, specific, STR("updatedInput"), &input, err))
        return false;
    if (str_eq(permission, STR("deny")))
        block(command, call, reason_of(specific, STR("permissionDecisionReason")), answer);
    else if (str_eq(decision, STR("block")))
        block(command, call, reason_of(said, STR("reason")), answer);
    else if (input && call->event == HOOK_PRE_TOOL_USE)
        answer->replace = input;
    return true;
}

/* Nor a byte order mark. */
static struct str without_leading_space(struct str text)
{
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        text = str_slice(text, 3, text.len);
    while (text.len && text.data[0] && strchr(" \t\r\n", text.data[0]))
        text = str_slice(text, 1, text.len);
    return text;
}

/* Output that does not begin as a JSON object says nothing, as in a session.  What begins as one must be one: a
 * decision that cannot be read might have been a block. */
static bool read_output(const struct command *command, const struct hook_call *call, const struct program_end *end,
                        struct hook_answer *answer, struct err *err)
{
    struct value *said = arena_new(call->scratch, struct value);
    struct str output = without_leading_space(end->out);
    bool may_decide = str_starts(output, STR("{")) || (output.len == 0 && end->out_cut);
    if (!may_decide)
        return true;
    if (end->out_cut)
        return err_set(err, ERR_LIMIT, "the hook %.*s wrote a decision of more than %zu bytes",
                       STR_ARG(command->argv[0]), end->out.len);
    struct err fault = {0};
    if (!json_read_value(call->scratch, output, "its decision", said, &fault))
        return err_set(err, ERR_SCENARIO, "the hook %.*s: %s", STR_ARG(command->argv[0]), fault.message);
    return read_decision(command, call, said, answer, err);
}

static bool run_command(const void *self, const struct hook_call *call, struct hook_answer *answer, struct err *err)
{
    const struct command *command = self;
    const struct script_reader *reader = &command->session->setup.reader;
    struct program_end end = {0};
    struct program program = {.argv = command->argv, .argc = command->argc};
    if (!write_input(command, call, &program.input, err) ||
        !reader->program(reader->self, &program, call->scratch, &end, err))
        return false;
    if (end.exit_code == EXIT_BLOCKS)
        block(command, call, end.err, answer);
    else if (end.exit_code == 0 && !end.timed_out)
        return read_output(command, call, &end, answer, err);
    else if (!command->session->setup.silent)
        fprintf(stderr, "note: the hook %.*s %s %d, which blocks nothing\n", STR_ARG(command->argv[0]),
                end.timed_out ? "ran out of time, exit code" : "ended with exit code", end.exit_code);
    return true;
}

struct hook command_hook(const void *command)
{
    return (struct hook){.run = run_command, .self = command};
}

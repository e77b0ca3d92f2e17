#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "engine/shell.h"
#include "support/tool_call.h"

static const struct tool_row unscripted[] = {
    {SCHEMA_OBJECT(TXT("command", "make test")), "ERROR: bash is not scripted for: make test"},
    {SCHEMA_OBJECT(TXT("command", "")), "ERROR: bash is not scripted for: "},
    {SCHEMA_OBJECT(TXT("command", "ls"), NUM("timeout_ms", 1)), "ERROR: bash is not scripted for: ls"},
    {SCHEMA_OBJECT(TXT("command", "ls"), NUM("timeout_ms", 0)), "ERROR: bash: timeout_ms is 0, must be at least 1"},
    {SCHEMA_OBJECT(TXT("command", "ls"), NUM("timeout_ms", 86400001)),
     "ERROR: bash: timeout_ms is 86400001, must be at most 86400000"},
    {SCHEMA_OBJECT(TXT("command", "ls"), TXT("timeout_ms", "1")),
     "ERROR: bash: timeout_ms must be an integer, but is a string"},
    {SCHEMA_OBJECT(NUM("command", 1)), "ERROR: bash: command must be a string, but is an integer"},
    {SCHEMA_OBJECT(TXT("cmd", "ls")), "ERROR: bash: command is missing"},
    {NO_ARGUMENTS, "ERROR: bash: command is missing"},
};

static void without_a_shell_no_command_is_known(void **state)
{
    struct fixture *f = *state;
    assert_tool_rows(f, worktree_new(&f->arena, NULL), &tool_bash, unscripted, ARRAY_LEN(unscripted));
}

struct heard {
    struct shell_command command;
    int calls;
    bool broken;
};

static bool hear(const void *self, const struct shell_command *command, const struct tool_invocation *call,
                 struct tool_result *result, struct err *err)
{
    struct heard *heard = (struct heard *)(uintptr_t)self; /* a double that counts */
    (void)call;
    heard->command = *command;
    heard->calls++;
    *result = (struct tool_result){.content = STR("done\n(exit 2)"), .size = -1, .failed = true};
    return heard->broken ? err_set(err, ERR_SCENARIO, "script broke") : true;
}

static const struct value plain = SCHEMA_OBJECT(TXT("command", "ls -l"));
static const struct value timed = SCHEMA_OBJECT(TXT("command", "ls"), NUM("timeout_ms", 500));
static const struct value timed_by_double =
    SCHEMA_OBJECT(TXT("command", "ls"), {{"timeout_ms", 10}, {.kind = VALUE_REAL, .real = 700.0}});
static const struct value wrong = SCHEMA_OBJECT(NUM("command", 1));

static void the_shell_hears_the_command_and_its_time(void **state)
{
    struct fixture *f = *state;
    struct heard heard = {0};
    struct shell shell = {.run = hear, .self = &heard};
    const struct {
        const struct value *arguments;
        const char *command;
        int64_t timeout_ms;
    } rows[] = {
        {&plain, "ls -l", SHELL_TIMEOUT_MS_DEFAULT},
        {&timed, "ls", 500},
        {&timed_by_double, "ls", 700},
    };
    struct tool_invocation call = {.shell = &shell, .keep = &f->arena, .scratch = &f->arena};
    struct tool_result result;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        call.arguments = rows[i].arguments;
        assert_true(tool_bash.run(tool_bash.self, &call, &result, &f->err));
        assert_str(heard.command.text, str_of(rows[i].command));
        assert_int_equal(heard.command.timeout_ms, rows[i].timeout_ms);
        assert_str(result.content, STR("done\n(exit 2)"));
        assert_true(result.failed);
    }
    call.arguments = &wrong;
    assert_true(tool_bash.run(tool_bash.self, &call, &result, &f->err));
    assert_int_equal(heard.calls, ARRAY_LEN(rows)); /* a wrong call never reaches it */
    heard.broken = true;
    call.arguments = &plain;
    assert_false(tool_bash.run(tool_bash.self, &call, &result, &f->err));
    assert_string_equal(f->err.message, "script broke");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_shell_no_command_is_known),
        TEST(the_shell_hears_the_command_and_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

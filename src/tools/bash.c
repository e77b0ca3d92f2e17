/* bash: one command, run by whatever stands behind the port of the shell. */
#include "engine/shell.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/texts.h"

#define TIMEOUT_MS_MAX 86400000 /* a day */

static bool bash(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self;
    if (!tool_check_arguments(&tool_bash, call, result))
        return true;
    struct shell_command command = {
        .text = argument_string(call->arguments, STR("command"), (struct str){0}),
        .timeout_ms = argument_count(call->arguments, STR("timeout_ms"), SHELL_TIMEOUT_MS_DEFAULT),
    };
    if (call->shell)
        return call->shell->run(call->shell->self, &command, call, result, err);
    tool_fail(call, result, STR(TEXT_NOT_SCRIPTED), command.text, (struct str){0});
    return true;
}

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER(
        "properties",
        SCHEMA_OBJECT(
            SCHEMA_FIELD("command", "string", "The command to run."),
            SCHEMA_MEMBER("timeout_ms", SCHEMA_OBJECT(SCHEMA_MEMBER("description",
                                                                    SCHEMA_TEXT("Stop it after so many milliseconds.")),
                                                      SCHEMA_MEMBER("maximum", SCHEMA_INT(TIMEOUT_MS_MAX)),
                                                      SCHEMA_MEMBER("minimum", SCHEMA_INT(1)),
                                                      SCHEMA_MEMBER("type", SCHEMA_TEXT("integer")))))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("command"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_bash = {
    .name = {"bash", 4},
    .description = {"Run a shell command in the workspace and return its output.", 59},
    .input_schema = &schema,
    .latency_us = -1,
    .run = bash,
};

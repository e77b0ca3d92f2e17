/* grep: the lines that match a pattern, in the files whose paths match a glob. */
#include <string.h>

#include "base/arena.h"
#include "base/glob.h"
#include "core/worktree.h"
#include "tools/argument.h"
#include "tools/builtin.h"
#include "tools/pattern.h"
#include "tools/texts.h"

enum mode { MODE_CONTENT, MODE_FILES, MODE_COUNT };

struct search {
    const struct tool_invocation *call;
    struct tool_result *result; /* when it has failed */
    struct pattern *pattern;
    struct str glob;
    enum mode mode;
    struct strbuf out;
};

/* --- one file --- */

/* The line at *at without its line feed; past it afterwards. */
static struct str next_line(struct str body, size_t *at)
{
    const char *feed = memchr(body.data + *at, '\n', body.len - *at);
    size_t end = feed ? (size_t)(feed - body.data) : body.len;
    struct str line = str_slice(body, *at, end);
    *at = end + 1;
    return line;
}

static void begin_row(struct search *search, struct str path)
{
    if (search->out.len > 0)
        strbuf_addc(&search->out, '\n');
    strbuf_add(&search->out, path);
}

static bool give_up(struct search *search, struct str path, size_t number)
{
    struct str place = str_printf(search->call->scratch, ", line %zu", number);
    tool_fail(search->call, search->result, STR(TEXT_GREP_STEPS), path, place);
    return false;
}

/* Appends the lines that match, or counts them.  False when the search has failed. */
static bool search_lines(struct search *search, struct str path, struct str body, size_t *count)
{
    size_t number = 1;
    for (size_t at = 0; at < body.len; number++) {
        struct str line = next_line(body, &at);
        enum pattern_outcome outcome = pattern_search(search->pattern, line);
        if (outcome == PATTERN_GIVEN_UP)
            return give_up(search, path, number);
        if (outcome == PATTERN_ABSENT)
            continue;
        ++*count;
        if (search->mode == MODE_FILES)
            break;
        if (search->mode == MODE_CONTENT) {
            begin_row(search, path);
            strbuf_addf(&search->out, ":%zu:", number);
            strbuf_add(&search->out, line);
        }
    }
    return true;
}

static bool search_file(struct search *search, struct str path, struct str body)
{
    size_t count = 0;
    if (!search_lines(search, path, body, &count))
        return false;
    if (count > 0 && search->mode != MODE_CONTENT)
        begin_row(search, path);
    if (count > 0 && search->mode == MODE_COUNT)
        strbuf_addf(&search->out, ":%zu", count);
    if (search->out.overflowed)
        tool_fail(search->call, search->result, STR(TEXT_GREP_OUTPUT), (struct str){0}, (struct str){0});
    return !search->out.overflowed;
}

/* --- all files --- */

/* False with err when a body could not be read. */
static bool search_files(struct search *search, struct err *err)
{
    uint32_t count;
    struct version version;
    bool failed;
    const struct str *paths = worktree_list(search->call->tree, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (search->glob.len > 0 && !glob_match(search->glob, paths[i]))
            continue;
        if (!worktree_read(search->call->tree, paths[i], NULL, &version, &failed, err)) {
            CHECK(failed); /* it is listed */
            return false;
        }
        if (!search_file(search, paths[i], version.body))
            return true;
    }
    struct str found = strbuf_str(&search->out);
    struct str content = found.len > 0 ? str_copy(search->call->keep, found) : STR(TEXT_NO_MATCHES);
    *search->result = (struct tool_result){.content = content, .size = -1};
    return true;
}

static enum mode mode_of(const struct value *arguments)
{
    struct str mode = argument_string(arguments, STR("mode"), STR("content"));
    return str_eq(mode, STR("files")) ? MODE_FILES : str_eq(mode, STR("count")) ? MODE_COUNT : MODE_CONTENT;
}

/* --- the tool --- */

static bool grep(const void *self, const struct tool_invocation *call, struct tool_result *result, struct err *err)
{
    (void)self;
    if (!tool_check_arguments(&tool_grep, call, result))
        return true;
    struct str problem;
    struct err glob_problem = {0};
    struct search search = {.call = call, .result = result, .mode = mode_of(call->arguments)};
    search.glob = argument_string(call->arguments, STR("path"), (struct str){0});
    if (!glob_check(search.glob, &glob_problem)) {
        tool_fail(call, result, STR(TEXT_GREP_PATH), str_of(glob_problem.message), (struct str){0});
        return true;
    }
    search.pattern = pattern_open(argument_string(call->arguments, STR("pattern"), (struct str){0}), call->scratch,
                                  &problem);
    if (!search.pattern) {
        tool_fail(call, result, STR(TEXT_BAD_PATTERN), problem, (struct str){0});
        return true;
    }
    strbuf_init(&search.out, call->scratch, TOOL_FILE_BYTES_MAX);
    bool good = search_files(&search, err);
    pattern_close(search.pattern);
    return good;
}

#define MODE_TEXT "Show matching lines (the default), the files that have one, or how many each file has."
#define MODES SCHEMA_LIST(SCHEMA_TEXT("content"), SCHEMA_TEXT("files"), SCHEMA_TEXT("count"))

static const struct value schema = SCHEMA_OBJECT(
    SCHEMA_MEMBER("properties",
                  SCHEMA_OBJECT(SCHEMA_MEMBER("mode",
                                              SCHEMA_OBJECT(SCHEMA_MEMBER("description", SCHEMA_TEXT(MODE_TEXT)),
                                                            SCHEMA_MEMBER("enum", MODES))),
                                SCHEMA_FIELD("path", "string", "Search only files whose paths match this glob."),
                                SCHEMA_FIELD("pattern", "string", "A regular expression (PCRE2), for each line."))),
    SCHEMA_MEMBER("required", SCHEMA_LIST(SCHEMA_TEXT("pattern"))),
    SCHEMA_MEMBER("type", SCHEMA_TEXT("object")));

const struct tool tool_grep = {
    .name = {"grep", 4},
    .description = {"Search the content of files for a regular expression.", 53},
    .input_schema = &schema,
    .latency_us = -1,
    .run = grep,
};

/* The annotations for editors say what the reader of scenarios does: lua/types/simagent.lua against the tables of
 * shapes, the list of functions, and what running scenario code finds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/run.h"
#include "script/api.h"
#include "script/session.h"
#include "script/workspace_api.h"
#include "support/fixture.h"

#define ANNOTATIONS "lua/types/simagent.lua"
#define FIELDS_MAX 32

/* A field or method of a class of the annotations. */
struct annotated {
    struct str name;
    struct str rest; /* the type and what follows it */
    bool optional;
};

struct class {
    struct annotated fields[FIELDS_MAX];
    size_t count;
};

/* The whole file, read once per test. */
struct text {
    struct fixture *fixture;
    struct str all;
};

static struct text text_read(void **state)
{
    struct text text = {.fixture = *state};
    FILE *file = fopen(ANNOTATIONS, "rb");
    if (!file)
        print_error("%s: tests run in the root of the repository\n", ANNOTATIONS);
    assert_non_null(file);
    size_t room = 1 << 20;
    char *bytes = arena_bytes(&text.fixture->arena, room);
    text.all = (struct str){bytes, fread(bytes, 1, room, file)};
    fclose(file);
    assert_true(text.all.len > 0 && text.all.len < room);
    return text;
}

/* Takes the next line off the front of *rest; false at the end. */
static bool take_line(struct str *rest, struct str *line)
{
    if (rest->len == 0)
        return false;
    const char *end = memchr(rest->data, '\n', rest->len);
    size_t length = end ? (size_t)(end - rest->data) : rest->len;
    *line = str_slice(*rest, 0, length);
    *rest = str_slice(*rest, end ? length + 1 : length, rest->len);
    return true;
}

static bool take_prefix(struct str *line, struct str prefix)
{
    if (!str_starts(*line, prefix))
        return false;
    *line = str_slice(*line, prefix.len, line->len);
    return true;
}

/* Up to the first of these bytes. */
static struct str until(struct str text, const char *stops)
{
    size_t length = 0;
    while (length < text.len && !strchr(stops, text.data[length]))
        length++;
    return str_slice(text, 0, length);
}

static void add_field(struct class *class, struct str line)
{
    assert_true(class->count < FIELDS_MAX);
    struct annotated *field = &class->fields[class->count++];
    field->name = until(line, " ?");
    field->optional = line.len > field->name.len && line.data[field->name.len] == '?';
    field->rest = str_slice(line, field->name.len + (field->optional ? 2 : 1), line.len);
}

static bool starts_class(struct str line, const char *name)
{
    return take_prefix(&line, STR("---@class ")) && str_eq(until(line, ":"), str_of(name));
}

/* The fields below `---@class NAME`, up to the end of that comment. */
static struct class class_of(const struct text *text, const char *name)
{
    struct class class = {.count = 0};
    struct str rest = text->all, line;
    int found = 0;
    while (take_line(&rest, &line)) {
        if (!starts_class(line, name))
            continue;
        found++;
        while (take_line(&rest, &line) && str_starts(line, STR("---"))) {
            if (take_prefix(&line, STR("---@field ")))
                add_field(&class, line);
        }
    }
    if (found != 1)
        print_error("%s has %d classes %s\n", ANNOTATIONS, found, name);
    assert_int_equal(found, 1);
    return class;
}

/* Adds `function VARIABLE:NAME(` and `function VARIABLE.NAME(`. */
static void add_functions(const struct text *text, const char *variable, struct class *class)
{
    struct str rest = text->all, line;
    while (take_line(&rest, &line)) {
        if (!take_prefix(&line, STR("function ")) || !take_prefix(&line, str_of(variable)))
            continue;
        if (take_prefix(&line, STR(":")) || take_prefix(&line, STR("."))) {
            assert_true(class->count < FIELDS_MAX);
            class->fields[class->count++] = (struct annotated){.name = until(line, "(")};
        }
    }
}

static const struct annotated *find(const struct class *class, struct str name)
{
    const struct annotated *found = NULL;
    for (size_t i = 0; i < class->count; i++) {
        if (!str_eq(class->fields[i].name, name))
            continue;
        assert_null(found);
        found = &class->fields[i];
    }
    return found;
}

/* The type stands whole: what follows it is the end of the line or a description. */
static bool has_type(const struct annotated *field, struct str type)
{
    return str_starts(field->rest, type) && (field->rest.len == type.len || field->rest.data[type.len] == ' ');
}

static size_t check_row(const struct shape *shape, const struct class *class, const struct field *row)
{
    const struct annotated *field = find(class, str_of(row->name));
    if (row->unbuilt && field)
        fail_msg("%s.%s is annotated but has no meaning in this version", shape->class, row->name);
    if (row->unbuilt)
        return 0;
    if (!field)
        fail_msg("%s.%s has no annotation", shape->class, row->name);
    if (!has_type(field, str_of(row->type)))
        fail_msg("%s.%s is annotated \"%.*s\", but its type is \"%s\"", shape->class, row->name, STR_ARG(field->rest),
                 row->type);
    return 1;
}

static void every_key_is_annotated_with_its_type(void **state)
{
    struct text text = text_read(state);
    for (const struct shape *const *shape = api_shapes; *shape; shape++) {
        struct class class = class_of(&text, (*shape)->class);
        size_t built = 0;
        for (const struct field *row = (*shape)->fields; row->name; row++)
            built += check_row(*shape, &class, row);
        if (class.count != built)
            print_error("%s has %zu annotated fields, but %zu keys\n", (*shape)->class, class.count, built);
        assert_int_equal(class.count, built);
    }
}

static void every_function_is_annotated(void **state)
{
    struct text text = text_read(state);
    struct class functions = {.count = 0};
    add_functions(&text, "simagent", &functions);
    size_t known = 0;
    for (const char *const *name = api_functions; *name; name++, known++) {
        if (!find(&functions, str_of(*name)))
            fail_msg("sim.%s has no annotation", *name);
    }
    assert_int_equal(functions.count, known);
}

static void every_method_of_workspaces_is_annotated(void **state)
{
    struct text text = text_read(state);
    struct class methods = {.count = 0};
    add_functions(&text, "workspace", &methods);
    size_t known = 0;
    for (const luaL_Reg *method = workspace_methods; method->name; method++, known++) {
        if (!find(&methods, str_of(method->name)))
            fail_msg("workspace:%s has no annotation", method->name);
    }
    assert_int_equal(methods.count, known);
}

static bool is_defined(const struct text *text, struct str name)
{
    struct str rest = text->all, line;
    while (take_line(&rest, &line)) {
        bool class = take_prefix(&line, STR("---@class "));
        if ((class || take_prefix(&line, STR("---@alias "))) && str_eq(until(line, class ? ":" : " "), name))
            return true;
    }
    return false;
}

/* A name such as simagent.turn, anywhere in a comment that starts with ---@, is a class or an alias of the file. */
static void every_type_that_is_named_exists(void **state)
{
    struct text text = text_read(state);
    struct str rest = text.all, line;
    int named = 0;
    while (take_line(&rest, &line)) {
        if (!str_starts(line, STR("---@")))
            continue;
        for (const char *at; (at = memmem(line.data, line.len, "simagent.", 9)) != NULL; named++) {
            line = str_slice(line, (size_t)(at - line.data), line.len);
            size_t length = 9;
            length += until(str_slice(line, length, line.len), " |[]<>(),?:`").len;
            struct str name = str_slice(line, 0, length);
            if (!is_defined(&text, name))
                fail_msg("%.*s is no class and no alias of %s", STR_ARG(name), ANNOTATIONS);
            line = str_slice(line, length, line.len);
        }
    }
    assert_true(named > 50);
}

static bool declared(void *self, const struct option_set *options, struct err *err)
{
    (void)self, (void)options, (void)err;
    return true;
}

/* Loads a scenario and runs its variants in order; `last` gets the final text of the last one. */
static bool run_source(struct fixture *f, const char *source, struct str *last)
{
    struct session session;
    struct session_setup setup = {
        .file = STR("x.lua"), .stem = STR("x"), .source = str_of(source), .reader = {.declared = declared}};
    bool fine = session_open(&session, &setup, &f->err) && session_load(&session, &f->err);
    const struct scenario *scenario = &session.scenario;
    for (uint32_t i = 0; fine && i < scenario->variant_count; i++) {
        struct run_options options = {.sizing = scenario->sizing, .max_depth = scenario->max_depth,
                                      .keep = &session.keep, .names = &session.names};
        struct record *record =
            run_root(&options, scenario->variants[i].agent, scenario->variants[i].task, &f->err);
        fine = record != NULL;
        if (fine && last)
            *last = str_copy(&f->arena, record->final_text);
    }
    session_close(&session);
    return fine;
}

/* Each view is asked for a field that it lacks, and its message lists those it has; each of them is then read. */
static const char views_source[] =
    "local sim = require 'simagent'\n"
    "local lines = {}\n"
    "local function tell(class, names) lines[#lines + 1] = class .. ' ' .. names end\n"
    "local function keys(list)\n"
    "  local names = {}\n"
    "  for key in pairs(list) do names[#names + 1] = key end\n"
    "  return table.concat(names, ' ')\n"
    "end\n"
    "local function fields(view)\n"
    "  local _, message = pcall(function() return view.nonsense end)\n"
    "  local names = message:match('it has (.*)$'):gsub(',', '')\n"
    "  for name in names:gmatch('%S+') do local _ = view[name] end\n"
    "  return names\n"
    "end\n"
    "local look = sim.tool { name = 'look', run = function(_, context)\n"
    "  tell('simagent.context', fields(context))\n"
    "  return 'seen'\n"
    "end }\n"
    "tell('simagent', keys(sim))\n"
    "tell('simagent.models', keys(sim.models))\n"
    "tell('simagent.workspaces', keys(sim.workspace))\n"
    "local function ask(request)\n"
    "  if request.turn == 1 then\n"
    "    tell('simagent.request', fields(request))\n"
    "    return { tool_calls = { sim.call 'look' } }\n"
    "  end\n"
    "  tell('simagent.result', keys(request.results[1]))\n"
    "  tell('simagent.entry', keys(request.transcript[#request.transcript]))\n"
    "  return 'done'\n"
    "end\n"
    "local function act(agent)\n"
    "  tell('simagent.coroutine_agent', fields(agent))\n"
    "  return table.concat(lines, '\\n')\n"
    "end\n"
    "return sim.scenario { variants = {\n"
    "  { name = 'asked', tools = { look }, model = ask },\n"
    "  { name = 'acting', model = sim.coroutine(act) },\n"
    "} }\n";

/* The variable that the annotations define a class's functions on: its name, but for the tables inside the module. */
static const char *variable_of(struct arena *arena, struct str class)
{
    if (str_eq(class, STR("simagent.workspaces")))
        return "simagent.workspace";
    if (str_eq(class, STR("simagent.models")) || str_eq(class, STR("simagent")))
        return str_z(arena, class);
    return str_z(arena, str_slice(class, sizeof "simagent." - 1, class.len));
}

/* Those of the module's functions that stand in one of its tables: `models.scan`. */
static size_t count_nested(const struct class *class)
{
    size_t nested = 0;
    for (size_t i = 0; i < class->count; i++)
        nested += memchr(class->fields[i].name.data, '.', class->fields[i].name.len) != NULL;
    return nested;
}

/* One line: the class, then its fields as running code finds them. */
static void check_view(const struct text *text, struct str line)
{
    struct arena *arena = &text->fixture->arena;
    struct str name = until(line, " ");
    struct class class = class_of(text, str_z(arena, name));
    add_functions(text, variable_of(arena, name), &class);
    size_t found = 0, annotated = class.count - count_nested(&class);
    for (struct str rest = str_slice(line, name.len, line.len); take_prefix(&rest, STR(" ")); found++) {
        struct str field = until(rest, " ");
        if (!find(&class, field))
            fail_msg("%.*s.%.*s has no annotation", STR_ARG(name), STR_ARG(field));
        rest = str_slice(rest, field.len, rest.len);
    }
    if (annotated != found)
        print_error("%.*s has %zu annotated fields, but %zu at run time\n", STR_ARG(name), annotated, found);
    assert_int_equal(annotated, found);
}

static void views_have_the_annotated_fields(void **state)
{
    struct text text = text_read(state);
    struct str told, line;
    if (!run_source(text.fixture, views_source, &told))
        fail_msg("%s", text.fixture->err.message);
    int views = 0;
    for (; take_line(&told, &line); views++)
        check_view(&text, line);
    assert_int_equal(views, 8);
}

/* What must be there: the annotation has no question mark, and the scenario fails without it. */
static const struct {
    const char *class;
    const char *field;
    const char *source; /* lacks the field and nothing else */
} required_rows[] = {
    {"simagent.scenario_options", "variants", "return { name = 'x' }"},
    {"simagent.variant", "name", "return { variants = { { model = {} } } }"},
    {"simagent.variant", "model", "return { variants = { { name = 'a' } } }"},
    {"simagent.agent", "model",
     "return { variants = { { name = 'a', subagents = { s = function() return {} end }, model = {"
     "  { tool_calls = { { name = 'task' } } } } } } }"},
    {"simagent.subagent", "agent", "return { variants = { { name = 'a', model = {}, subagents = { s = {} } } } }"},
    {"simagent.tool_call", "name", "return { variants = { { name = 'a', model = { { tool_calls = { {} } } } } } }"},
    {"simagent.tool_options", "name",
     "require 'simagent'.tool { run = print } return { variants = { { name = 'a', model = {} } } }"},
    {"simagent.tool_options", "run",
     "require 'simagent'.tool { name = 't' } return { variants = { { name = 'a', model = {} } } }"},
    {"simagent.faults_options", "tool",
     "require 'simagent'.faults { every = 1 } return { variants = { { name = 'a', model = {} } } }"},
    {"simagent.price_above", "tokens",
     "return { unit = 'tokens', price = { above = {} }, variants = { { name = 'a', model = {} } } }"},
    {"simagent.returns", "schema", "return { variants = { { name = 'a', model = {}, returns = {} } } }"},
    {"simagent.coverage", "requested",
     "return { variants = { { name = 'a', model = {}, returns = { schema = { type = 'object', properties = {} },"
     "  coverage = { tool = 'read_file' } } } } }"},
    {"simagent.coverage", "tool",
     "return { variants = { { name = 'a', model = {}, returns = { schema = { type = 'object', properties = {} },"
     "  coverage = { requested = 1 } } } } }"},
    {"simagent.case", "name",
     "return { variants = { { name = 'a', model = {} } }, cases = { { options = {} } } }"},
    {"simagent.option", "[1]",
     "require 'simagent'.options { { default = 1 } } return { variants = { { name = 'a', model = {} } } }"},
};

/* Everything above at its least: nothing else is needed. */
static const char least_source[] =
    "local sim = require 'simagent'\n"
    "sim.options { { 'o', default = 1 } }\n"
    "local plain = sim.tool { name = 't', run = print }\n"
    "sim.faults { tool = plain, every = 1 } sim.faults { tool = plain, rate = 0 }\n"
    "local returns = { schema = { type = 'object', properties = {} }, coverage = { requested = 1, tool = 't' } }\n"
    "local subagents = { s = { agent = function()\n"
    "  return { model = { {} }, tools = { plain }, returns = returns } end } }\n"
    "return { unit = 'tokens', tokens = {}, thresholds = {}, cache = {}, latency = {}, budget = {},\n"
    "  price = { input = 1, output = 1, cache_read = 1, cache_write_5m = 1, above = { tokens = 1 } },\n"
    "  cases = { { name = 'c' } },\n"
    "  variants = { { name = 'a', tools = { plain }, subagents = subagents,\n"
    "    model = { { tool_calls = { { name = 'task' } } } } } } }\n";

static bool is_required(const char *class, struct str field)
{
    for (size_t i = 0; i < ARRAY_LEN(required_rows); i++) {
        if (strcmp(required_rows[i].class, class) == 0 && str_eq(str_of(required_rows[i].field), field))
            return true;
    }
    return false;
}

static void optional_keys_are_those_that_may_be_left_out(void **state)
{
    struct text text = text_read(state);
    size_t required = 0;
    for (const struct shape *const *shape = api_shapes; *shape; shape++) {
        struct class class = class_of(&text, (*shape)->class);
        for (size_t i = 0; i < class.count; i++) {
            bool optional = class.fields[i].optional;
            if (optional == is_required((*shape)->class, class.fields[i].name))
                fail_msg("%s.%.*s is annotated as %s", (*shape)->class, STR_ARG(class.fields[i].name),
                         optional ? "optional" : "required");
            required += !optional;
        }
    }
    assert_int_equal(required, ARRAY_LEN(required_rows));
}

static void required_keys_are_required(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(required_rows); i++) {
        f->err = (struct err){0};
        if (run_source(f, required_rows[i].source, NULL))
            fail_msg("%s.%s can be left out", required_rows[i].class, required_rows[i].field);
        assert_int_equal(f->err.kind, ERR_SCENARIO);
    }
    f->err = (struct err){0};
    if (!run_source(f, least_source, NULL))
        fail_msg("%s", f->err.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_key_is_annotated_with_its_type),
        TEST(every_function_is_annotated),
        TEST(every_method_of_workspaces_is_annotated),
        TEST(every_type_that_is_named_exists),
        TEST(views_have_the_annotated_fields),
        TEST(optional_keys_are_those_that_may_be_left_out),
        TEST(required_keys_are_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

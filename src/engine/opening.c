/* The opening entries of a transcript: what the model reads before anything happened. */
#include "base/sort.h"
#include "base/value.h"
#include "engine/agent_state.h"

/* {"type":"object","properties":{...},"required":[...]} of string properties, built from rows. */
struct property {
    struct str name;
    struct str description;
};

static struct value string_value(struct str text)
{
    return (struct value){.kind = VALUE_STRING, .string = text};
}

static struct value object_value(const struct member *members, size_t count)
{
    return (struct value){.kind = VALUE_OBJECT, .count = count, .members = members};
}

static struct value string_property(struct arena *arena, struct str description)
{
    struct member *members = arena_array(arena, struct member, 2);
    members[0] = (struct member){STR("type"), string_value(STR("string"))};
    members[1] = (struct member){STR("description"), string_value(description)};
    return object_value(members, 2);
}

/* The last property is the required one. */
static struct value string_schema(struct arena *arena, const struct property *rows, size_t count)
{
    struct member *properties = arena_array(arena, struct member, count);
    for (size_t i = 0; i < count; i++)
        properties[i] = (struct member){rows[i].name, string_property(arena, rows[i].description)};
    struct value *required = arena_new(arena, struct value);
    *required = string_value(rows[count - 1].name);
    struct member *members = arena_array(arena, struct member, 3);
    members[0] = (struct member){STR("type"), string_value(STR("object"))};
    members[1] = (struct member){STR("properties"), object_value(properties, count)};
    members[2] = (struct member){STR("required"), {.kind = VALUE_ARRAY, .count = 1, .items = required}};
    return object_value(members, 3);
}

static void add_schema(struct strbuf *out, struct arena *arena, struct str name, struct str description,
                       struct value schema)
{
    struct member *members = arena_array(arena, struct member, 3);
    members[0] = (struct member){STR("description"), string_value(description)};
    members[1] = (struct member){STR("input_schema"), schema};
    members[2] = (struct member){STR("name"), string_value(name)};
    struct value line = object_value(members, 3);
    if (out->len)
        strbuf_addc(out, '\n');
    value_canonical(&line, out);
}

static void add_listed(const struct agent *agent, struct strbuf *out, struct arena *arena)
{
    static const struct member any[] = {{{"type", 4}, {.kind = VALUE_STRING, .string = {"object", 6}}}};
    for (uint32_t i = 0; i < agent->spec->tool_count; i++) {
        const struct tool *tool = agent->spec->tools[i];
        if (task_takes(agent, tool->name))
            continue; /* no call would reach it */
        add_schema(out, arena, tool->name, tool->description,
                   tool->input_schema ? *tool->input_schema : object_value(any, 1));
    }
}

static struct str task_description(const struct agent_spec *spec, struct arena *arena)
{
    struct strbuf text;
    strbuf_init(&text, arena, (size_t)UINT32_MAX - 1);
    strbuf_add(&text, STR("Give a task to a subagent that starts with an empty context and returns only its answer."));
    for (uint32_t i = 0; i < spec->subagent_count; i++) {
        if (spec->subagents[i].tool.len)
            continue;
        strbuf_addf(&text, "\n- ");
        strbuf_add(&text, spec->subagents[i].name);
        if (spec->subagents[i].description.len) {
            strbuf_add(&text, STR(": "));
            strbuf_add(&text, spec->subagents[i].description);
        }
    }
    return strbuf_str(&text);
}

static int by_tool(const void *a, const void *b)
{
    const struct subagent *const *left = a;
    const struct subagent *const *right = b;
    return str_cmp((*left)->tool, (*right)->tool);
}

static void add_spawning(const struct agent_spec *spec, struct strbuf *out, struct arena *arena)
{
    static const struct property own[] = {{{"prompt", 6}, {"The subagent's whole task.", 26}}};
    static const struct property task[] = {{{"subagent", 8}, {"Which subagent.", 15}},
                                           {{"prompt", 6}, {"The subagent's whole task.", 26}}};
    const struct subagent **offered = arena_array(arena, const struct subagent *, spec->subagent_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < spec->subagent_count; i++) {
        if (spec->subagents[i].tool.len)
            offered[count++] = &spec->subagents[i];
    }
    sort_stable(arena, offered, count, sizeof *offered, by_tool);
    for (uint32_t i = 0; i < count; i++)
        add_schema(out, arena, offered[i]->tool, offered[i]->description, string_schema(arena, own, ARRAY_LEN(own)));
    if (count < spec->subagent_count)
        add_schema(out, arena, STR("task"), task_description(spec, arena),
                   string_schema(arena, task, ARRAY_LEN(task)));
}

static void append_tools(const struct agent *agent)
{
    const struct run_options *options = agent->run->options;
    if (agent->spec->tool_count == 0 && !agent_spawns(agent))
        return;
    struct strbuf out;
    strbuf_init(&out, options->keep, (size_t)UINT32_MAX - 1);
    struct arena *scratch = &agent->run->memory;
    struct arena_mark mark = arena_mark(scratch);
    add_listed(agent, &out, scratch);
    if (agent_spawns(agent))
        add_spawning(agent->spec, &out, scratch);
    arena_release(scratch, mark);
    if (out.len)
        transcript_append(&agent->record->transcript, ROLE_SYSTEM, table_add(options->names, STR("tools")),
                          strbuf_str(&out));
}

void opening_append(const struct agent *agent)
{
    struct transcript *transcript = &agent->record->transcript;
    if (agent->run->options->count_schemas)
        append_tools(agent);
    if (agent->spec->has_system)
        transcript_append(transcript, ROLE_SYSTEM, NAME_NONE, agent->spec->system);
    transcript_append(transcript, ROLE_USER, NAME_NONE, agent->prompt);
}

#include "script/case_read.h"

#include "base/arena.h"
#include "script/convert.h"
#include "script/session.h"

static const struct field case_fields[] = {
    {.name = "name", .type = "string"},
    {.name = "options", .type = "table<string, string|number|boolean>"},
    {.name = NULL},
};
const struct shape shape_case = {"simagent.case", case_fields};

static bool is_case_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-')
            return false;
    }
    return name.len > 0 && name.len <= CASE_NAME_MAX;
}

static void read_name(lua_State *L, const struct place *place, const struct scenario *scenario, struct str name)
{
    struct place here = place_key(place, "name");
    if (name.len == 0)
        shape_fail(L, &here, "a case needs a name");
    if (!is_case_name(name))
        shape_fail(L, &here, "\"%.*s\" must be letters, digits, _ and -, %d at most", STR_ARG(name), CASE_NAME_MAX);
    for (uint32_t i = 0; i < scenario->case_count; i++) {
        if (str_eq(scenario->cases[i].name, name))
            shape_fail(L, &here, "two cases are called \"%.*s\"", STR_ARG(name));
    }
}

/* The table of the case stands on top. */
static struct value read_options(lua_State *L, const struct place *place, struct arena *keep)
{
    struct place here = place_key(place, "options");
    struct value options = {.kind = VALUE_OBJECT};
    if (lua_getfield(L, -1, "options") != LUA_TNIL) {
        shape_table(L, -1, &here, "options");
        options = convert_to_value(L, -1, &here, keep);
        if (options.kind != VALUE_OBJECT)
            shape_fail(L, &here, "must map names to values: { limit = 5 }");
    }
    lua_pop(L, 1);
    for (size_t i = 0; i < options.count; i++) {
        const struct member *member = &options.members[i];
        struct place option = place_str(&here, member->key);
        switch (member->value.kind) {
        case VALUE_BOOL:
        case VALUE_INT:
        case VALUE_REAL:
        case VALUE_STRING:
            break;
        default:
            shape_fail(L, &option, "must be a string, a number or a boolean");
        }
    }
    return options;
}

/* The table of the case stands on top. */
static void read_case(lua_State *L, const struct place *place, struct session *session)
{
    struct scenario *scenario = &session->scenario;
    struct scenario_case *item = &scenario->cases[scenario->case_count];
    struct str name = {0};
    shape_table(L, -1, place, "a case");
    shape_check_keys(L, -1, place, &shape_case);
    shape_string(L, -1, place, "name", &session->keep, &name);
    read_name(L, place, scenario, name);
    *item = (struct scenario_case){.name = name, .options = read_options(L, place, &session->keep)};
    scenario->case_count++;
}

void cases_from_lua(lua_State *L, int index, const struct place *place, struct session *session)
{
    struct place here = place_key(place, "cases");
    if (lua_getfield(L, index, "cases") != LUA_TNIL) {
        int64_t count = shape_list(L, -1, &here, "cases");
        session->scenario.cases = arena_array(&session->keep, struct scenario_case, (size_t)count + 1);
        for (int64_t i = 1; i <= count; i++) {
            struct place item = place_index(&here, i);
            lua_rawgeti(L, -1, i);
            read_case(L, &item, session);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

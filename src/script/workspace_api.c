#include "script/workspace_api.h"

#include "base/glob.h"
#include "core/demo.h"
#include "core/workspace.h"
#include "script/handle.h"
#include "script/session.h"

static struct session *session_of(lua_State *L)
{
    return state_of(L)->user;
}

void workspace_push(lua_State *L, struct workspace *workspace)
{
    if (workspace)
        handle_push(L, HANDLE_WORKSPACE, workspace, 0);
    else
        lua_pushnil(L);
}

/* A reader that failed ends the script when it was the world's fault, and is an ordinary error when it was the
 * script's. */
_Noreturn static void raise_err(lua_State *L, const struct err *err)
{
    if (err->kind != ERR_SCENARIO)
        state_fail(L, err->kind, "%s", err->message);
    luaL_error(L, "%s", err->message);
    UNREACHABLE();
    __builtin_unreachable();
}

static int method_paths(lua_State *L)
{
    const struct workspace *workspace = handle_check(L, 1, HANDLE_WORKSPACE)->pointer;
    lua_Integer limit = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, limit >= 0, 2, "at least 0 expected (0 = all)");
    uint32_t count = limit == 0 || limit > workspace->count ? workspace->count : (uint32_t)limit;
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushlstring(L, workspace->files[i]->path.data, workspace->files[i]->path.len);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static struct workspace_file *find_argument(lua_State *L, struct workspace *workspace)
{
    struct str path;
    path.data = luaL_checklstring(L, 2, &path.len);
    return workspace_find(workspace, path);
}

static int method_read(lua_State *L)
{
    struct workspace *workspace = handle_check(L, 1, HANDLE_WORKSPACE)->pointer;
    struct workspace_file *file = find_argument(L, workspace);
    struct err err = {0};
    if (!file) {
        lua_pushnil(L);
        return 1;
    }
    if (!workspace_read(workspace, file, &err))
        raise_err(L, &err);
    lua_pushlstring(L, file->body.data ? file->body.data : "", file->body.len);
    return 1;
}

static int method_size(lua_State *L)
{
    struct workspace *workspace = handle_check(L, 1, HANDLE_WORKSPACE)->pointer;
    const struct workspace_file *file = find_argument(L, workspace);
    if (file)
        lua_pushinteger(L, file->bytes);
    else
        lua_pushnil(L);
    return 1;
}

const luaL_Reg workspace_methods[] = {
    {"paths", method_paths}, {"read", method_read}, {"size", method_size}, {NULL, NULL}};

static struct workspace *from_table(lua_State *L, int index, const struct place *place)
{
    struct arena *keep = &session_of(L)->keep;
    struct workspace *workspace = session_new_workspace(session_of(L));
    index = lua_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            shape_fail(L, place, "a workspace maps paths to bodies, both strings; found %s with %s",
                       shape_describe(L, -2), shape_describe(L, -1));
        workspace_add(workspace, shape_copy_string(L, -2, keep), shape_copy_string(L, -1, keep));
        lua_pop(L, 1);
    }
    workspace_seal(workspace); /* sorts: Lua's order of keys is lost here */
    return workspace;
}

struct workspace *workspace_from_lua(lua_State *L, int index, const struct place *place)
{
    struct handle *handle = handle_test(L, index, HANDLE_WORKSPACE);
    if (handle)
        return handle->pointer;
    if (!lua_istable(L, index))
        shape_fail(L, place, "must be a table of bodies by path or a workspace, got %s", shape_describe(L, index));
    return from_table(L, index, place);
}

static int function_demo(lua_State *L)
{
    struct workspace *workspace = session_new_workspace(session_of(L));
    demo_fill(workspace);
    workspace_seal(workspace);
    workspace_push(L, workspace);
    return 1;
}

static const struct field dir_fields[] = {
    {.name = "include", .type = "string|string[]"},
    {.name = "exclude", .type = "string|string[]"},
    {.name = "max_file_bytes", .type = "integer"},
    {.name = NULL},
};
const struct shape shape_dir_options = {"simagent.dir_options", dir_fields};

/* One pattern or a list of them. */
static const struct str *read_patterns(lua_State *L, const struct place *place, const char *key, uint32_t *count)
{
    struct place here = place_key(place, key);
    struct arena *keep = &session_of(L)->keep;
    int type = lua_getfield(L, 2, key);
    *count = 0;
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    if (type == LUA_TSTRING) {
        lua_createtable(L, 1, 0);
        lua_insert(L, -2);
        lua_rawseti(L, -2, 1);
    }
    int64_t length = shape_list(L, -1, &here, "a list of patterns");
    struct str *patterns = arena_array(keep, struct str, (size_t)length + 1);
    for (int64_t i = 1; i <= length; i++) {
        struct place item = place_index(&here, i);
        if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
            shape_fail(L, &item, "a pattern must be a string, got %s", shape_describe(L, -1));
        patterns[i - 1] = shape_copy_string(L, -1, keep);
        struct err err = {0};
        if (!glob_check(patterns[i - 1], &err))
            shape_fail(L, &item, "%s", err.message);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    *count = (uint32_t)length;
    return patterns;
}

static int function_dir(lua_State *L)
{
    struct session *session = session_of(L);
    luaL_checktype(L, 1, LUA_TSTRING);
    lua_settop(L, 2);
    struct place place = place_of_caller(L);
    struct str path = shape_copy_string(L, 1, &session->keep);
    struct folder_filter filter = {.max_file_bytes = FOLDER_MAX_FILE_BYTES};
    if (!lua_isnil(L, 2)) {
        shape_table(L, 2, &place, "the options of sim.workspace.dir");
        shape_check_keys(L, 2, &place, &shape_dir_options);
        filter.include = read_patterns(L, &place, "include", &filter.include_count);
        filter.exclude = read_patterns(L, &place, "exclude", &filter.exclude_count);
        shape_integer(L, 2, &place, "max_file_bytes", 1, INT64_C(1) << 30, &filter.max_file_bytes);
    }
    struct workspace *workspace = session_new_workspace(session);
    struct err err = {0};
    const struct script_reader *reader = &session->setup.reader;
    if (!reader->folder(reader->self, path, &filter, workspace, &err))
        raise_err(L, &err);
    workspace_seal(workspace);
    workspace_push(L, workspace);
    return 1;
}

const luaL_Reg workspace_functions[] = {{"demo", function_demo}, {"dir", function_dir}, {NULL, NULL}};

#include "script/workspace_api.h"

#include "base/glob.h"
#include "core/demo.h"
#include "core/workspace.h"
#include "core/worktree.h"
#include "script/handle.h"
#include "script/session.h"

static struct session *session_of(lua_State *L)
{
    return state_of(L)->user;
}

void workspace_push(lua_State *L, struct workspace *workspace)
{
    if (workspace)
        handle_push(L, HANDLE_WORKSPACE, workspace);
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

/* How many of `count` paths the second argument lets through; 0 = all. */
static uint32_t take_limit(lua_State *L, uint32_t count)
{
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TNUMBER);
    lua_Integer limit = luaL_optinteger(L, 2, 0);
    luaL_argcheck(L, limit >= 0, 2, "at least 0 expected (0 = all)");
    return limit > 0 && limit < count ? (uint32_t)limit : count;
}

static void push_path(lua_State *L, struct str path, uint32_t index)
{
    lua_pushlstring(L, path.data ? path.data : "", path.len);
    lua_rawseti(L, -2, (lua_Integer)index + 1);
}

static int method_paths(lua_State *L)
{
    const struct workspace *workspace = handle_check(L, 1, HANDLE_WORKSPACE)->pointer;
    uint32_t count = take_limit(L, workspace->count);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++)
        push_path(L, workspace->files[i].path, i);
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

static struct worktree *tree_of(lua_State *L)
{
    return handle_check(L, 1, HANDLE_TREE)->pointer;
}

static int tree_paths(lua_State *L)
{
    uint32_t count;
    const struct str *paths = worktree_list(tree_of(L), &count);
    count = take_limit(L, count);
    lua_createtable(L, (int)count, 0);
    for (uint32_t i = 0; i < count; i++)
        push_path(L, paths[i], i);
    return 1;
}

static int tree_read(lua_State *L)
{
    struct worktree *tree = tree_of(L);
    struct str path;
    struct version version;
    struct err err = {0};
    bool failed;
    path.data = luaL_checklstring(L, 2, &path.len);
    if (worktree_read(tree, path, NULL, &version, &failed, &err))
        lua_pushlstring(L, version.body.data ? version.body.data : "", version.body.len);
    else if (failed)
        raise_err(L, &err);
    else
        lua_pushnil(L);
    return 1;
}

static int tree_size(lua_State *L)
{
    struct str path;
    path.data = luaL_checklstring(L, 2, &path.len);
    int64_t bytes = worktree_bytes(tree_of(L), path);
    if (bytes >= 0)
        lua_pushinteger(L, bytes);
    else
        lua_pushnil(L);
    return 1;
}

const luaL_Reg tree_methods[] = {{"paths", tree_paths}, {"read", tree_read}, {"size", tree_size}, {NULL, NULL}};

static struct workspace *from_table(lua_State *L, int index, const struct place *place)
{
    struct arena *keep = &session_of(L)->keep;
    struct workspace *workspace = workspace_new(&session_of(L)->keep);
    index = lua_absindex(L, index);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING)
            shape_fail(L, place, "a workspace maps paths to bodies, and both must be strings");
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
    struct workspace *workspace = workspace_new(&session_of(L)->keep);
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
    struct workspace *workspace = workspace_new(&session->keep);
    struct err err = {0};
    const struct script_reader *reader = &session->setup.reader;
    if (!reader->folder(reader->self, path, &filter, workspace, &err))
        raise_err(L, &err);
    workspace_seal(workspace);
    workspace_push(L, workspace);
    return 1;
}

const luaL_Reg workspace_functions[] = {{"demo", function_demo}, {"dir", function_dir}, {NULL, NULL}};

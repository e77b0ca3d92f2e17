/* Floor: the scan without an engine.  The same Lua calls with the same tables; texts are copied and counted once, the
 * call's canonical text is written, files are found by path, records are appended, contexts added up.  No checks of
 * what the script returns, no limits, no events: less work than this cannot give the same figures. */
#include "workload.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define BLOCK ((size_t)1 << 20)
#define SLOTS 4096 /* of the table of files: a power of two */

struct text {
    const char *bytes;
    size_t length;
};

struct record {
    struct text text;
    int64_t size;
    uint32_t birth, death;
    uint32_t name;
    uint32_t role;
};

struct file {
    struct text path;
    struct text body;
    int64_t size;
};

struct turn {
    struct text text;
    struct text tool;
    struct text path;
    struct text content;
    bool stop;
};

struct floor {
    lua_State *L;
    bool lua_tool;
    struct record *records;
    size_t count, capacity;
    int64_t *contexts;
    size_t turns, turn_capacity;
    int64_t live;
    char *block;
    size_t used, reserved;
    size_t texts; /* bytes of texts that were made */
    struct file files[SLOTS];
};

static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static char *take(struct floor *floor, size_t size)
{
    if (!floor->block || BLOCK - floor->used < size) {
        floor->block = must(malloc(BLOCK));
        floor->reserved += BLOCK;
        floor->used = 0;
    }
    floor->used += size;
    return floor->block + floor->used - size;
}

static struct text copy(struct floor *floor, lua_State *L, int index)
{
    struct text text;
    const char *from = lua_tolstring(L, index, &text.length);
    text.bytes = memcpy(take(floor, text.length), from, text.length);
    floor->texts += text.length;
    return text;
}

/* NAME({"path":"…"}), with the escapes that JSON needs. */
static struct text write_call(struct floor *floor, struct text tool, struct text path)
{
    static const char before[] = "({\"path\":\"", after[] = "\"})";
    size_t most = tool.length + sizeof before + sizeof after + 6 * path.length;
    char *start = take(floor, most), *at = start;
    memcpy(at, tool.bytes, tool.length);
    at += tool.length;
    memcpy(at, before, sizeof before - 1);
    at += sizeof before - 1;
    for (size_t i = 0; i < path.length; i++) {
        unsigned char byte = (unsigned char)path.bytes[i];
        if (byte == '"' || byte == '\\')
            *at++ = '\\';
        if (byte < 0x20)
            at += sprintf(at, "\\u%04x", byte);
        else
            *at++ = (char)byte;
    }
    memcpy(at, after, sizeof after - 1);
    at += sizeof after - 1;
    size_t length = (size_t)(at - start);
    floor->used -= most - length;
    floor->texts += length;
    return (struct text){start, length};
}

static int64_t count_code_points(struct text text)
{
    int64_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
    return count;
}

static struct file *find_file(struct floor *floor, struct text path)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < path.length; i++)
        hash = (hash ^ (unsigned char)path.bytes[i]) * 16777619u;
    for (size_t at = hash % SLOTS;; at = (at + 1) % SLOTS) {
        struct file *file = &floor->files[at];
        if (!file->path.bytes ||
            (file->path.length == path.length && memcmp(file->path.bytes, path.bytes, path.length) == 0))
            return file;
    }
}

static void add_file(struct floor *floor, const char *path)
{
    struct text kept = {must(strdup(path)), strlen(path)};
    char *body = memset(must(malloc(FILE_SIZE)), 'x', FILE_SIZE);
    *find_file(floor, kept) = (struct file){.path = kept, .body = {body, FILE_SIZE}, .size = -1};
}

static void append(struct floor *floor, uint32_t role, struct text text, int64_t size)
{
    if (floor->count == floor->capacity) {
        floor->capacity = floor->capacity ? floor->capacity * 2 : 16;
        floor->records = must(realloc(floor->records, floor->capacity * sizeof *floor->records));
    }
    floor->records[floor->count++] =
        (struct record){.text = text, .size = size, .birth = (uint32_t)floor->turns + 1, .role = role};
    floor->live += size;
}

static void begin_turn(struct floor *floor)
{
    if (floor->turns == floor->turn_capacity) {
        floor->turn_capacity = floor->turn_capacity ? floor->turn_capacity * 2 : 16;
        floor->contexts = must(realloc(floor->contexts, floor->turn_capacity * sizeof *floor->contexts));
    }
    floor->contexts[floor->turns++] = floor->live;
}

/* The turn's one call: by the table of files, or by the Lua function `look` at stack position 2. */
static void run_tool(struct floor *floor, const struct turn *turn)
{
    lua_State *L = floor->L;
    if (!floor->lua_tool) {
        struct file *file = find_file(floor, turn->path);
        if (file->size < 0)
            file->size = count_code_points(file->body);
        append(floor, 4, file->body, file->size);
        return;
    }
    lua_pushvalue(L, 2);
    lua_createtable(L, 0, 1);
    lua_pushlstring(L, turn->path.bytes, turn->path.length);
    lua_setfield(L, -2, "path");
    if (lua_pcall(L, 1, 1, 0) != LUA_OK)
        abort();
    append(floor, 4, (struct text){"", 0}, *(const int64_t *)lua_touserdata(L, -1));
    lua_pop(L, 1);
}

static void do_turn(struct floor *floor, const struct turn *turn)
{
    begin_turn(floor);
    append(floor, 2, turn->text, count_code_points(turn->text));
    if (turn->stop)
        return;
    append(floor, 3, turn->content, count_code_points(turn->content));
    run_tool(floor, turn);
}

/* A call's name and arguments from the top of the stack. */
static void read_call(struct floor *floor, lua_State *L, int name, int arguments, struct turn *turn)
{
    turn->tool.bytes = lua_tolstring(L, name, &turn->tool.length);
    lua_getfield(L, arguments, "path");
    turn->path.bytes = lua_tolstring(L, -1, &turn->path.length);
    turn->content = write_call(floor, turn->tool, turn->path);
    lua_pop(L, 1);
}

/* The turn on top of the stack: a table, or the final text. */
static void read_turn(struct floor *floor, lua_State *L, struct turn *turn)
{
    *turn = (struct turn){0};
    if (lua_type(L, -1) == LUA_TSTRING) {
        turn->text = copy(floor, L, -1);
        turn->stop = true;
        return;
    }
    int table = lua_gettop(L);
    lua_getfield(L, table, "text");
    turn->text = copy(floor, L, -1);
    lua_getfield(L, table, "stop");
    turn->stop = lua_toboolean(L, -1);
    if (lua_getfield(L, table, "tool_calls") == LUA_TTABLE) {
        lua_rawgeti(L, -1, 1);
        lua_getfield(L, -1, "name");
        lua_getfield(L, -2, "arguments");
        read_call(floor, L, -2, lua_gettop(L), turn);
    }
    lua_settop(L, table);
}

/* Paths of a list must outlive the tables they come from. */
static struct turn *read_list(struct floor *floor, int64_t *count)
{
    lua_State *L = floor->L;
    *count = (int64_t)lua_rawlen(L, 1);
    struct turn *turns = must(malloc((size_t)*count * sizeof *turns));
    for (int64_t i = 0; i < *count; i++) {
        lua_rawgeti(L, 1, i + 1);
        read_turn(floor, L, &turns[i]);
        if (turns[i].path.bytes)
            turns[i].path = find_file(floor, turns[i].path)->path;
        lua_pop(L, 1);
    }
    return turns;
}

static void run_list(struct floor *floor, const struct turn *turns, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        do_turn(floor, &turns[i]);
}

static void run_function(struct floor *floor)
{
    lua_State *L = floor->L;
    struct turn turn = {0};
    while (!turn.stop) {
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2); /* stands for the request */
        if (lua_pcall(L, 1, 1, 0) != LUA_OK)
            abort();
        read_turn(floor, L, &turn);
        do_turn(floor, &turn);
        lua_pop(L, 1);
    }
}

static int agent_call(lua_State *L)
{
    return lua_yield(L, lua_gettop(L));
}

/* The coroutine gets content and is_error of its call, as agent:call returns them. */
static int push_answer(struct floor *floor, lua_State *thread)
{
    const struct record *last = &floor->records[floor->count - 1];
    lua_pushlstring(thread, last->text.bytes, last->text.length);
    lua_pushboolean(thread, 0);
    return 2;
}

static void run_coroutine(struct floor *floor)
{
    lua_State *thread = lua_newthread(floor->L);
    struct turn turn = {0};
    int arguments = 1, results, status;
    lua_pushvalue(floor->L, 1);
    lua_createtable(floor->L, 0, 1);
    lua_pushcfunction(floor->L, agent_call);
    lua_setfield(floor->L, -2, "call");
    lua_xmove(floor->L, thread, 2);
    while ((status = lua_resume(thread, floor->L, arguments, &results)) == LUA_YIELD) {
        turn = (struct turn){.text = copy(floor, thread, 4)}; /* agent, name, arguments, text */
        read_call(floor, thread, 2, 3, &turn);
        do_turn(floor, &turn);
        lua_settop(thread, 0);
        arguments = push_answer(floor, thread);
    }
    if (status != LUA_OK)
        abort();
    read_turn(floor, thread, &turn);
    do_turn(floor, &turn);
}

static int sized(lua_State *L)
{
    int64_t size = luaL_checkinteger(L, 1);
    memcpy(lua_newuserdatauv(L, sizeof size, 0), &size, sizeof size);
    return 1;
}

/* Leaves model and look at 1 and 2. */
static void load(struct floor *floor, const struct row *row, int64_t turns)
{
    lua_State *L = floor->L = must(luaL_newstate());
    char *source = workload_source(row, turns, "return model, look, paths\n");
    luaL_openlibs(L);
    lua_register(L, "sized", sized);
    if (luaL_loadstring(L, source) != LUA_OK || lua_pcall(L, 0, 3, 0) != LUA_OK) {
        fprintf(stderr, "floor: %s\n", lua_tostring(L, -1));
        exit(1);
    }
    for (int i = 1; i <= FILES; i++) {
        lua_rawgeti(L, 3, i);
        add_file(floor, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    free(source);
}

static int64_t add_up(const struct floor *floor)
{
    int64_t sum = 0;
    for (size_t i = 0; i < floor->turns; i++)
        sum += floor->contexts[i];
    return sum;
}

/* What its arrays hold, not what doubling reserves. */
static double bytes_a_turn(const struct floor *floor, size_t reserved, size_t texts, int64_t turns)
{
    size_t arrays = floor->count * sizeof *floor->records + floor->turns * sizeof *floor->contexts;
    return ((double)(arrays + floor->reserved - reserved) - (double)(floor->texts - texts)) / (double)turns;
}

int main(int argc, char **argv)
{
    static struct floor floor;
    const struct row *row = argc == 3 ? row_find(argv[1]) : NULL;
    int64_t turns = row ? atoll(argv[2]) : 0, count = 0;
    if (turns <= 0) {
        fprintf(stderr, "usage: floor ROW N\n");
        return 2;
    }
    double start = cpu_us();
    load(&floor, row, turns);
    floor.lua_tool = strcmp(row->tool, "look") == 0;
    struct turn *list = strcmp(row->model, "list") == 0 ? read_list(&floor, &count) : NULL;
    double loaded = cpu_us();
    size_t reserved = floor.reserved, texts = floor.texts;
    append(&floor, 1, (struct text){"Summarise.", 10}, 10);
    if (list)
        run_list(&floor, list, count);
    else if (strcmp(row->model, "function") == 0)
        run_function(&floor);
    else
        run_coroutine(&floor);
    int64_t cumulative = add_up(&floor);
    double ended = cpu_us();
    struct figures figures = {
        .load_us = (loaded - start) / (double)turns,
        .run_us = (ended - loaded) / (double)turns,
        .bytes = bytes_a_turn(&floor, reserved, texts, turns),
        .turns = (int64_t)floor.turns,
        .cumulative = cumulative,
    };
    figures_print(&figures);
    return 0;
}

/* Which files are scenarios to be tested, and which goldens belong to none of them. */
#include "cli/suite_own.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/dirwalk.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/sort.h"
#include "base/table.h"
#include "cli/opt.h"
#include "cli/save.h"

#define GOLDEN_SUFFIX ".json"

struct found {
    struct str *paths;
    size_t count;
    size_t capacity;
};

static void add_found(struct arena *arena, struct found *found, struct str path)
{
    if (found->count == found->capacity) {
        size_t capacity = found->capacity > 0 ? 2 * found->capacity : 64;
        struct str *paths = arena_array(arena, struct str, capacity);
        for (size_t i = 0; i < found->count; i++) {
            paths[i] = found->paths[i];
        }
        found->paths = paths;
        found->capacity = capacity;
    }
    found->paths[found->count++] = path;
}

/* Without `./` before it and slashes behind it, so that each file has one name. */
static struct str trim_path(struct str path)
{
    while (path.len > 2 && path.data[0] == '.' && path.data[1] == '/') {
        path = str_slice(path, 2, path.len);
    }
    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

static struct str join(struct arena *arena, struct str folder, struct str name)
{
    if (str_eq(folder, STR("."))) {
        return str_copy(arena, name);
    }
    bool root = folder.data[folder.len - 1] == '/';
    return str_printf(arena, "%.*s%s%.*s", STR_ARG(folder), root ? "" : "/", STR_ARG(name));
}

static bool add_folder(struct suite *suite, struct found *found, struct str folder, struct err *err)
{
    const struct str include[] = {STR("*.lua")};
    /* Hidden and private files, and folders with all that is in them, at any depth. */
    const struct str exclude[] = {STR(".*"), STR("_*")};
    struct dirwalk_options options = {
        .include = include,
        .include_count = ARRAY_LEN(include),
        .exclude = exclude,
        .exclude_count = ARRAY_LEN(exclude),
    };
    struct dirwalk_listing listing;
    int fd = file_open_folder(str_z(suite->arena, folder), err);
    if (fd < 0) {
        return false;
    }
    bool fine = dirwalk_list(suite->arena, fd, &options, &listing, err);
    close(fd);
    for (size_t i = 0; fine && i < listing.count; i++) {
        add_found(suite->arena, found, join(suite->arena, folder, listing.files[i].path));
    }
    return fine;
}

static bool add_word(struct suite *suite, struct found *found, struct str word, struct err *err)
{
    struct str path = trim_path(word);
    const char *z = str_z(suite->arena, path);
    if (path.len > 0 && file_is_folder(z)) {
        return add_folder(suite, found, path, err);
    }
    if (path.len == 0 || !file_exists(z)) {
        return err_set(err, ERR_USAGE, "%.*s: no such file or folder to test", STR_ARG(word));
    }
    add_found(suite->arena, found, path);
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const struct str *left = a;
    const struct str *right = b;
    return str_cmp(*left, *right);
}

static struct str stem_of(struct str path)
{
    for (size_t i = path.len; i > 0; i--) {
        if (path.data[i - 1] == '/') {
            path = str_slice(path, i, path.len);
            break;
        }
    }
    bool lua = path.len > 4 && str_eq(str_slice(path, path.len - 4, path.len), STR(".lua"));
    return str_slice(path, 0, path.len - (lua ? 4 : 0));
}

bool suite_find(struct suite *suite, const struct str_list *words, struct err *err)
{
    struct found found = {0};
    if (words->count == 0 && !file_is_folder("scenarios")) {
        return err_set(err, ERR_USAGE,
                       "there is no folder scenarios/ here: name the files or folders to test, or begin with "
                       "'simagent init scenarios/first.lua'");
    }
    if (words->count == 0 && !add_folder(suite, &found, STR("scenarios"), err)) {
        return false;
    }
    for (size_t i = 0; i < words->count; i++) {
        if (!add_word(suite, &found, words->items[i], err)) {
            return false;
        }
    }
    if (found.count == 0) {
        return err_set(err, ERR_USAGE, "no scenario to test: no file there ends in .lua");
    }
    sort_stable(suite->arena, found.paths, found.count, sizeof *found.paths, by_bytes);
    suite->files = arena_array(suite->arena, struct suite_file, found.count);
    for (size_t i = 0; i < found.count; i++) {
        if (i == 0 || !str_eq(found.paths[i], found.paths[i - 1])) {
            suite->files[suite->file_count++] =
                (struct suite_file){.path = found.paths[i], .stem = stem_of(found.paths[i])};
        }
    }
    return true;
}

static const struct suite_file *file_at(const struct suite *suite, struct str path)
{
    for (size_t i = 0; i < suite->file_count; i++) {
        if (str_eq(suite->files[i].path, path)) {
            return &suite->files[i];
        }
    }
    return NULL;
}

/* A scenario that was not asked for, or could not be asked, may have any case. */
static bool may_have_cases(const struct suite *suite, struct str folder, struct str stem)
{
    struct str path = join(suite->arena, folder, str_printf(suite->arena, "%.*s.lua", STR_ARG(stem)));
    const struct suite_file *file = file_at(suite, path);
    return file != NULL ? !file->described : file_exists(str_z(suite->arena, path));
}

/* NAME is STEM or STEM.CASE, and a stem may hold dots itself. */
static bool may_belong(const struct suite *suite, struct str folder, struct str name)
{
    for (size_t end = 1; end <= name.len; end++) {
        if ((end == name.len || name.data[end] == '.') && may_have_cases(suite, folder, str_slice(name, 0, end))) {
            return true;
        }
    }
    return false;
}

static void look_for_stale(struct suite *suite, struct found *stale, struct table *goldens, struct str folder)
{
    const struct str include[] = {STR("*" GOLDEN_SUFFIX)};
    struct dirwalk_options options = {.include = include, .include_count = 1};
    struct dirwalk_listing listing;
    struct err err = {0};
    struct str golden_folder = join(suite->arena, folder, STR("golden"));
    const char *path = str_z(suite->arena, golden_folder);
    int fd = file_is_folder(path) ? file_open_folder(path, &err) : -1;
    if (fd < 0) {
        return;
    }
    bool fine = dirwalk_list(suite->arena, fd, &options, &listing, &err);
    close(fd);
    for (size_t i = 0; fine && i < listing.count; i++) {
        struct str file = listing.files[i].path;
        struct str name = str_slice(file, 0, file.len - (sizeof GOLDEN_SUFFIX - 1));
        struct str whole = join(suite->arena, golden_folder, file);
        bool is_golden = file.data[0] != '.' && !memchr(file.data, '/', file.len);
        if (is_golden && table_find(goldens, whole) == TABLE_NONE && !may_belong(suite, folder, name)) {
            add_found(suite->arena, stale, whole);
        }
    }
}

void suite_find_stale(struct suite *suite)
{
    struct table goldens;
    struct table folders;
    struct found stale = {0};
    table_init(&goldens, suite->arena);
    table_init(&folders, suite->arena);
    for (size_t i = 0; i < suite->test_count; i++) {
        table_add(&goldens, str_of(suite->tests[i].golden));
    }
    for (size_t i = 0; i < suite->file_count; i++) {
        uint32_t before = folders.count;
        struct str folder = save_folder_of(suite->files[i].path);
        if (table_add(&folders, folder) == before) {
            look_for_stale(suite, &stale, &goldens, folder);
        }
    }
    suite->stale = stale.paths;
    suite->stale_count = stale.count;
}

#include "batch/access.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/value.h"
#include "batch/frame.h"

#define MODULE_NAME_MAX ((size_t)255)
#define PATH_BYTES_MAX ((size_t)4096)

/* Everything before the last slash as it was written: "" for "x.lua", "/" for "/x.lua". */
static struct str folder_of(struct str path)
{
    const char *slash = path.len > 0 ? memrchr(path.data, '/', path.len) : NULL;
    size_t length = slash ? (size_t)(slash - path.data) : 0;
    return str_slice(path, 0, slash == path.data && slash ? 1 : length);
}

/* An empty folder stands for the one that the name counts from already. */
static struct str join(struct arena *arena, struct str folder, struct str name)
{
    struct strbuf path;
    strbuf_init(&path, arena, folder.len + name.len + 1);
    strbuf_add(&path, folder);
    if (folder.len > 0 && folder.data[folder.len - 1] != '/') {
        strbuf_addc(&path, '/');
    }
    strbuf_add(&path, name);
    return strbuf_str(&path);
}

static const char *open_name(struct arena *arena, struct str folder)
{
    return folder.len == 0 ? "." : str_z(arena, folder);
}

static struct str strip_slashes(struct str path)
{
    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }
    return path;
}

/* True for the folder itself and everything whose name continues it after a slash: "/tmp/repo-evil" is not below
 * "/tmp/repo". */
static bool is_at_or_below(struct str path, struct str folder)
{
    folder = strip_slashes(folder);
    if (!str_starts(path, folder) || folder.len == 0) {
        return false;
    }
    return path.len == folder.len || path.data[folder.len] == '/' || folder.data[folder.len - 1] == '/';
}

static bool is_module_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_module_name(struct str name)
{
    bool after_dot = true; /* no part is empty */
    for (size_t i = 0; i < name.len; i++) {
        bool dot = name.data[i] == '.';
        if ((dot && after_dot) || (!dot && !is_module_char(name.data[i]))) {
            return false;
        }
        after_dot = dot;
    }
    return !after_dot && name.len <= MODULE_NAME_MAX;
}

/* A module that is being looked for. */
struct search {
    struct arena *arena;
    struct str name;    /* dotted */
    struct str slashed; /* the same with slashes */
    bool found;
    struct str *shown;
    struct str *source;
};

static void begin_search(struct search *search, struct str name)
{
    char *slashed = arena_bytes(search->arena, name.len);
    for (size_t i = 0; i < name.len; i++) {
        slashed[i] = name.data[i] == '.' ? '/' : name.data[i];
    }
    search->name = name;
    search->slashed = (struct str){slashed, name.len};
}

/* `search->found` tells whether there is such a file; false is returned only for one that is there but unreadable. */
static bool try_file(struct search *search, struct str folder, struct str shown_folder, struct str name,
                     struct err *err)
{
    search->found = file_exists(str_z(search->arena, join(search->arena, folder, name)));
    if (!search->found) {
        return true;
    }
    int fd = file_open_folder(open_name(search->arena, folder), err);
    if (fd < 0) {
        return false;
    }
    *search->shown = join(search->arena, shown_folder, name);
    bool good = file_read_beneath(search->arena, fd, name, -1, (int64_t)ACCESS_MODULE_BYTES, search->source, err);
    close(fd);
    return good;
}

/* `?.lua` and `?/init.lua` in one folder. */
static bool try_folder(struct search *search, struct str folder, struct str shown_folder, struct err *err)
{
    static const char *const endings[] = {".lua", "/init.lua"};
    for (size_t i = 0; i < ARRAY_LEN(endings) && !search->found; i++) {
        struct str name = str_printf(search->arena, "%.*s%s", STR_ARG(search->slashed), endings[i]);
        if (!try_file(search, folder, shown_folder, name, err)) {
            return err_wrap(err, "module '%.*s'", STR_ARG(search->name));
        }
    }
    return true;
}

static bool no_module(const struct access *access, const struct search *search, struct err *err)
{
    const char *where = access->setup.scenario.len == 0     ? "the folders of SIMAGENT_PATH"
                        : access->setup.search_path.len > 0 ? "the scenario's folder and those of SIMAGENT_PATH"
                                                            : "the scenario's folder";
    return err_set(err, ERR_SCENARIO, "module '%.*s' not found: looked for %.*s.lua and %.*s/init.lua in %s",
                   STR_ARG(search->name), STR_ARG(search->slashed), STR_ARG(search->slashed), where);
}

/* The next folder of a list separated by colons; empty ones are left out. */
static bool next_folder(struct str *list, struct str *folder)
{
    while (list->len > 0) {
        const char *colon = memchr(list->data, ':', list->len);
        size_t length = colon ? (size_t)(colon - list->data) : list->len;
        *folder = str_slice(*list, 0, length);
        *list = str_slice(*list, colon ? length + 1 : length, list->len);
        if (length > 0) {
            return true;
        }
    }
    return false;
}

bool access_module(const struct access *access, struct str name, struct arena *arena, struct str *shown,
                   struct str *source, struct err *err)
{
    if (!is_module_name(name)) {
        return err_set(err, ERR_SCENARIO, "bad module name '%.*s': write letters, digits, _ and - in parts separated "
                       "by single dots", STR_ARG(str_slice(name, 0, name.len < 100 ? name.len : 100)));
    }
    struct search search = {.arena = arena, .shown = shown, .source = source};
    begin_search(&search, name);
    struct str folder = folder_of(access->setup.scenario);
    if (access->setup.scenario.len > 0 && !try_folder(&search, folder, folder, err)) {
        return false;
    }
    struct str list = access->setup.search_path;
    while (!search.found && next_folder(&list, &folder)) {
        /* An absolute folder is left out of what is shown: reports must be the same on every machine. */
        if (!try_folder(&search, folder, folder.data[0] == '/' ? STR("") : folder, err)) {
            return false;
        }
    }
    return search.found || no_module(access, &search, err);
}

/* The command line may write an option's `_` as `-`. */
static bool is_same_option(struct str a, struct str b)
{
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++) {
        char left = a.data[i] == '-' ? '_' : a.data[i];
        char right = b.data[i] == '-' ? '_' : b.data[i];
        same = left == right;
    }
    return same;
}

static bool is_declared_dir(const struct access *access, struct str name)
{
    const struct value *declared = access->declared;
    for (size_t i = 0; declared && declared->kind == VALUE_ARRAY && i < declared->count; i++) {
        const struct value *option = &declared->items[i];
        if (is_same_option(value_str_at(option, "name", STR("")), name)) {
            return str_eq(value_str_at(option, "type", STR("")), STR("dir"));
        }
    }
    return false;
}

/* The given `dir` option whose value is this path or a folder above it, or NULL. */
static const struct access_given *find_dir_option(const struct access *access, struct str path)
{
    for (size_t i = 0; i < access->setup.given_count; i++) {
        const struct access_given *given = &access->setup.given[i];
        if (is_declared_dir(access, given->name) && is_at_or_below(path, given->value)) {
            return given;
        }
    }
    return NULL;
}

/* True if `real` lies inside a root that the user named. */
static bool is_inside(struct str real, struct str root, struct arena *arena)
{
    struct err ignored = {.kind = ERR_NONE};
    struct str real_root;
    return memchr(root.data, '\0', root.len) == NULL &&
           file_real_path(arena, open_name(arena, root), &real_root, &ignored) && is_at_or_below(real, real_root);
}

/* I1 */
static bool is_allowed(const struct access *access, struct str real, struct arena *arena)
{
    const struct access_setup *setup = &access->setup;
    bool allowed = setup->scenario.len > 0 && is_inside(real, folder_of(setup->scenario), arena);
    for (size_t i = 0; !allowed && i < setup->allow_read_count; i++) {
        allowed = setup->allow_read[i].len > 0 && is_inside(real, setup->allow_read[i], arena);
    }
    for (size_t i = 0; !allowed && i < setup->given_count; i++) {
        const struct access_given *given = &setup->given[i];
        allowed = given->value.len > 0 && is_declared_dir(access, given->name) && is_inside(real, given->value, arena);
    }
    return allowed;
}

static bool refuse(struct str path, struct err *err)
{
    return err_set(err, ERR_SCENARIO,
                   "may not read %.*s: it is outside the scenario's own folder (allow it with --allow-read DIR)",
                   STR_ARG(path));
}

/* Where the open folder really is.  Asked of the descriptor, since the name may lead elsewhere by now. */
static bool real_path_of(int folder, const char *name, struct arena *arena, struct str *real, struct err *err)
{
    struct err ignored = {.kind = ERR_NONE};
    const char *link = str_z(arena, str_printf(arena, "/proc/self/fd/%d", folder));
    if (!file_exists("/proc/self/fd")) { /* where there is no /proc the name must do */
        return file_real_path(arena, name, real, err);
    }
    return file_real_path(arena, link, real, &ignored) ||
           err_set(err, ERR_IO, "the folder was removed while it was being opened");
}

/* A folder that may not be read must look the same whether it is there or not.  Names that plainly stay inside may be
 * told to be missing. */
static bool may_tell_missing(const struct access *access, struct str path)
{
    if (memmem(path.data, path.len, "..", 2)) {
        return false;
    }
    bool plain = path.data[0] != '/' && access->setup.scenario.len > 0;
    for (size_t i = 0; !plain && i < access->setup.allow_read_count; i++) {
        plain = is_at_or_below(path, access->setup.allow_read[i]);
    }
    return plain || find_dir_option(access, path) != NULL;
}

/* Opens a folder that may be read; -1 on failure. */
static int open_allowed(const struct access *access, struct str path, struct arena *arena, struct err *err)
{
    struct str name = path;
    if (!find_dir_option(access, path) && path.data[0] != '/') {
        if (access->setup.scenario.len == 0) {
            (void)refuse(path, err);
            return -1;
        }
        name = join(arena, folder_of(access->setup.scenario), path);
    }
    struct err cause = {.kind = ERR_NONE};
    const char *opened = str_z(arena, name);
    int folder = file_open_folder(opened, &cause);
    if (folder < 0) {
        if (may_tell_missing(access, path)) {
            (void)err_set(err, ERR_IO, "cannot read the folder %s", cause.message);
        } else {
            (void)refuse(path, err);
        }
        return -1;
    }
    struct str real;
    if (!real_path_of(folder, opened, arena, &real, err) || !is_allowed(access, real, arena)) {
        (void)refuse(path, err);
        close(folder);
        return -1;
    }
    return folder;
}

static bool check_query(const struct access *access, struct str path, const struct dirwalk_options *options,
                        struct err *err)
{
    if (path.len == 0 || path.len > PATH_BYTES_MAX || memchr(path.data, '\0', path.len)) {
        return err_set(err, ERR_SCENARIO, "the path of a folder must have 1 to %zu bytes, and no NUL", PATH_BYTES_MAX);
    }
    if (options->max_file_bytes < 0) {
        return err_set(err, ERR_SCENARIO, "max_file_bytes must not be negative");
    }
    if (access->folder_count == ACCESS_FOLDERS) {
        return err_set(err, ERR_LIMIT, "a scenario may read at most %u folders", ACCESS_FOLDERS);
    }
    for (size_t i = 0; i < options->include_count; i++) {
        if (!glob_check(options->include[i], err)) {
            return err_wrap(err, "include");
        }
    }
    for (size_t i = 0; i < options->exclude_count; i++) {
        if (!glob_check(options->exclude[i], err)) {
            return err_wrap(err, "exclude");
        }
    }
    return true;
}

bool access_list(struct access *access, struct str path, const struct dirwalk_options *options, struct arena *arena,
                 uint64_t *handle, struct dirwalk_listing *listing, struct err *err)
{
    if (!check_query(access, path, options, err)) {
        return false;
    }
    int folder = open_allowed(access, path, arena, err);
    if (folder < 0) {
        return false;
    }
    if (!dirwalk_list(arena, folder, options, listing, err)) {
        close(folder);
        return err_wrap(err, "%.*s", STR_ARG(path));
    }
    *handle = access->folder_count;
    snprintf(access->names[*handle], sizeof access->names[*handle], "%.*s", STR_ARG(path));
    access->folders[access->folder_count++] = folder;
    return true;
}

bool access_body(const struct access *access, uint64_t handle, struct str path, int64_t bytes, struct arena *arena,
                 struct str *body, struct err *err)
{
    if (handle >= access->folder_count || bytes < 0) {
        return err_set(err, ERR_INTERNAL, "a file was asked for that was never listed");
    }
    if (bytes > (int64_t)(FRAME_ANSWER_MAX - 64)) {
        return err_set(err, ERR_LIMIT, "%.*s: a file of %lld bytes is too large: at most 1 GiB can be read",
                       STR_ARG(path), (long long)bytes);
    }
    return file_read_listed(arena, access->folders[handle], path, bytes, body, err) ||
           err_wrap(err, "%s", access->names[handle]);
}

void access_init(struct access *access, const struct access_setup *setup)
{
    *access = (struct access){.setup = *setup};
}

void access_declare(struct access *access, const struct value *declared)
{
    access->declared = declared;
}

void access_close(struct access *access)
{
    while (access->folder_count > 0) {
        close(access->folders[--access->folder_count]);
    }
}

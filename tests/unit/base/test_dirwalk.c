/* The listing of a folder against a slow walk of our own, and every kind of thing that must not be listed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/dirwalk.h"
#include "base/file.h"

#define BYTES(literal) {(literal), sizeof(literal) - 1}

struct fixture {
    struct arena arena;
    char root[64];
    int folder;
};

/* Stands in the folder, so that tests name things by short paths. */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    arena_init(&f->arena);
    strcpy(f->root, "/tmp/test_dirwalk.XXXXXX");
    assert_non_null(mkdtemp(f->root));
    assert_int_equal(chdir(f->root), 0);
    struct err err = {.kind = ERR_NONE};
    f->folder = file_open_folder(".", &err);
    assert_true(f->folder >= 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    char command[96];
    close(f->folder);
    assert_int_equal(chdir("/"), 0);
    (void)snprintf(command, sizeof command, "rm -rf %s", f->root);
    int ignored = system(command);
    (void)ignored;
    arena_close(&f->arena);
    free(f);
    return 0;
}

static void put(const char *path, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
}

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0755), 0);
}

static void make_socket(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

/* The paths one after the other, each followed by a `|`. */
static const char *joined(struct fixture *f, const struct dirwalk_listing *listing)
{
    struct strbuf text;
    strbuf_init(&text, &f->arena, 1 << 20);
    for (size_t i = 0; i < listing->count; i++) {
        strbuf_add(&text, listing->files[i].path);
        strbuf_addc(&text, '|');
    }
    return str_z(&f->arena, strbuf_str(&text));
}

static struct dirwalk_listing list(struct fixture *f, const struct dirwalk_options *options)
{
    struct err err = {.kind = ERR_NONE};
    struct dirwalk_listing listing;
    bool done = dirwalk_list(&f->arena, f->folder, options, &listing, &err);
    assert_string_equal(err.message, "");
    assert_true(done);
    return listing;
}

static void test_empty(void **state)
{
    struct dirwalk_listing listing = list(*state, &(struct dirwalk_options){.include_count = 0});
    assert_int_equal(listing.count, 0);
    assert_int_equal(listing.bytes, 0);
}

/* Byte order of the whole path: `.` < `/` < `0`, so a folder's files lie between its neighbours. */
static void test_order(void **state)
{
    make_folder("a");
    make_folder("a/b");
    make_folder("empty");
    put("a.b", 1);
    put("a/b/c", 2);
    put("a/b.c", 3);
    put("a0", 4);
    put("B", 5);
    put(".hidden", 6);
    put("new\nline", 7);
    put("bad\xff\xc3", 8);
    put("..two", 9);
    put("\xc3\xa4", 10);
    struct dirwalk_listing listing = list(*state, &(struct dirwalk_options){.include_count = 0});
    assert_string_equal(joined(*state, &listing), "..two|.hidden|B|a.b|a/b.c|a/b/c|a0|bad\xff\xc3|new\nline|\xc3\xa4|");
    assert_int_equal(listing.files[5].bytes, 2);
    assert_int_equal(listing.bytes, 55);
}

static void make_zoo(void)
{
    make_folder("d");
    put("d/f", 3);
    put("zero", 0);
    put("fits", 100);
    put("large", 101);
    assert_int_equal(symlink("zero", "link"), 0);
    assert_int_equal(symlink("d", "dlink"), 0);
    assert_int_equal(symlink("..", "d/up"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(symlink("/etc", "out"), 0);
    assert_int_equal(mkfifo("fifo", 0644), 0);
    make_socket("sock");
}

static void test_skipped(void **state)
{
    make_zoo();
    struct dirwalk_options options = {.max_file_bytes = 100};
    struct dirwalk_listing listing = list(*state, &options);
    assert_string_equal(joined(*state, &listing), "d/f|fits|zero|");
    assert_int_equal(listing.skipped_link, 5);
    assert_int_equal(listing.skipped_special, 2);
    assert_int_equal(listing.skipped_too_large, 1);
    assert_int_equal(listing.skipped_unreadable, 0);
}

/* What is not considered is not counted either. */
static void test_skipped_only_if_considered(void **state)
{
    static const struct str include[] = {BYTES("*link"), BYTES("large"), BYTES("fifo")};
    static const struct str exclude[] = {BYTES("dlink")};
    make_zoo();
    struct dirwalk_options options = {
        .include = include, .include_count = 3, .exclude = exclude, .exclude_count = 1, .max_file_bytes = 100};
    struct dirwalk_listing listing = list(*state, &options);
    assert_int_equal(listing.count, 0);
    assert_int_equal(listing.skipped_link, 1);
    assert_int_equal(listing.skipped_special, 1);
    assert_int_equal(listing.skipped_too_large, 1);
}

static const struct {
    struct str include[2];
    struct str exclude[2];
    const char *listed;
} pattern_rows[] = {
    {{BYTES("")}, {BYTES("")}, ".git/x|a.c|src/.git/y|src/a.c|src/a.h|src/sub/b.c|"}, /* none at all */
    {{BYTES("*.c")}, {BYTES("")}, "a.c|src/a.c|src/sub/b.c|"},               /* no slash: at any depth */
    {{BYTES("src/*.c")}, {BYTES("")}, "src/a.c|"},                           /* a star stays within a part */
    {{BYTES("src/**")}, {BYTES("")}, "src/.git/y|src/a.c|src/a.h|src/sub/b.c|"},
    {{BYTES("*.c"), BYTES("*.h")}, {BYTES("")}, "a.c|src/a.c|src/a.h|src/sub/b.c|"}, /* one of them is enough */
    {{BYTES("")}, {BYTES(".git")}, "a.c|src/a.c|src/a.h|src/sub/b.c|"},      /* folders of this name, anywhere */
    {{BYTES("")}, {BYTES(".git/**")}, "a.c|src/.git/y|src/a.c|src/a.h|src/sub/b.c|"}, /* only the one at the top */
    {{BYTES("")}, {BYTES("**/.git/**")}, "a.c|src/a.c|src/a.h|src/sub/b.c|"},
    {{BYTES("")}, {BYTES("src/*/**")}, ".git/x|a.c|"},                        /* two stars may also span nothing */
    {{BYTES("")}, {BYTES("{src,.git}/**")}, "a.c|"},
    {{BYTES("*.c")}, {BYTES("src/sub"), BYTES("a.c")}, ""},                  /* every exclude counts */
    {{BYTES("src/sub/b.c")}, {BYTES("src/sub")}, ""},                        /* an exclude wins */
    {{BYTES("")}, {BYTES("**")}, ""},
};

static size_t given(const struct str patterns[2])
{
    return patterns[0].len == 0 ? 0 : patterns[1].len == 0 ? 1 : 2;
}

static void test_patterns(void **state)
{
    make_folder(".git");
    make_folder("src");
    make_folder("src/.git");
    make_folder("src/sub");
    put(".git/x", 1);
    put("a.c", 1);
    put("src/.git/y", 1);
    put("src/a.c", 1);
    put("src/a.h", 1);
    put("src/sub/b.c", 1);
    for (size_t i = 0; i < ARRAY_LEN(pattern_rows); i++) {
        struct dirwalk_options options = {
            .include = pattern_rows[i].include, .include_count = given(pattern_rows[i].include),
            .exclude = pattern_rows[i].exclude, .exclude_count = given(pattern_rows[i].exclude)};
        struct dirwalk_listing listing = list(*state, &options);
        assert_string_equal(joined(*state, &listing), pattern_rows[i].listed);
    }
}

static void make_chain(int depth)
{
    int at = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < depth; i++) {
        assert_int_equal(mkdirat(at, "d", 0755), 0);
        int next = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        at = next;
    }
    int fd = openat(at, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
    close(at);
}

/* At the limit and one more; and a folder that is pruned is not even entered. */
static void test_depth(void **state)
{
    static const struct str prune[] = {BYTES("d/d/d/**")};
    struct fixture *f = *state;
    struct dirwalk_listing listing;
    make_chain(5);
    struct dirwalk_options options = {.max_depth = 5};
    listing = list(f, &options);
    assert_string_equal(joined(f, &listing), "d/d/d/d/d/f|");
    assert_int_equal(listing.skipped_unreadable, 0);
    options.max_depth = 4;
    listing = list(f, &options);
    assert_int_equal(listing.count, 0);
    assert_int_equal(listing.skipped_unreadable, 1); /* the folder that is too deep, whatever it holds */
    options.exclude = prune;
    options.exclude_count = 1;
    listing = list(f, &options);
    assert_int_equal(listing.count, 0);
    assert_int_equal(listing.skipped_unreadable, 0);
}

/* The default of 200 works with the descriptors that a process usually has. */
static void test_default_depth(void **state)
{
    struct fixture *f = *state;
    struct dirwalk_options options = {.max_depth = 0};
    make_chain(200);
    assert_int_equal(list(f, &options).count, 1);
    make_folder("e");
    assert_int_equal(rename("d", "e/d"), 0);
    struct dirwalk_listing deeper = list(f, &options);
    assert_int_equal(deeper.count, 0);
    assert_int_equal(deeper.skipped_unreadable, 1);
}

static void test_file_limit(void **state)
{
    static const struct str include[] = {BYTES("*.c")};
    struct fixture *f = *state;
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    put("1.c", 1);
    put("2.c", 1);
    put("3.h", 1);
    struct dirwalk_options options = {.include = include, .include_count = 1, .max_files = 2};
    assert_int_equal(list(f, &options).count, 2); /* only what is listed counts */
    options.max_files = 1;
    assert_false(dirwalk_list(&f->arena, f->folder, &options, &listing, &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_string_equal(err.message, "more than 1 files (max_files)");
}

/* Runs as an ordinary user, since root may read everything. */
static int list_unreadable(struct fixture *f)
{
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    struct dirwalk_options options = {.max_depth = 0};
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
        return 1;
    }
    if (!dirwalk_list(&f->arena, f->folder, &options, &listing, &err)) {
        return 2;
    }
    if (listing.count != 1 || !str_eq(listing.files[0].path, STR("open")) || listing.skipped_unreadable != 2) {
        return 3;
    }
    int closed = open("search", O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool refused = closed >= 0 && !dirwalk_list(&f->arena, closed, &options, &listing, &err) && err.kind == ERR_IO;
    return refused ? 0 : 4;
}

static void test_unreadable(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(chmod(f->root, 0755), 0);
    put("open", 1);
    put("closed", 1);
    make_folder("search");
    put("search/f", 1);
    assert_int_equal(chmod("closed", 0000), 0);
    assert_int_equal(chmod("search", 0711), 0);
    /* The owner would have to be somebody else than the child for mode 0711 to matter. */
    if (geteuid() != 0) {
        assert_int_equal(chmod("search", 0311), 0);
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(list_unreadable(f));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : 99, 0);
}

/* Without descriptors the listing fails: a folder must never go missing in silence (I3). */
static void test_no_descriptors(void **state)
{
    struct fixture *f = *state;
    struct dirwalk_listing listing;
    struct err err = {.kind = ERR_NONE};
    struct dirwalk_options options = {.max_depth = 0};
    struct rlimit old;
    make_chain(50);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    struct rlimit few = {.rlim_cur = 30, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    bool done = dirwalk_list(&f->arena, f->folder, &options, &listing, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_false(done);
    assert_int_equal(err.kind, ERR_IO);
    assert_non_null(strstr(err.message, "Too many open files"));
    assert_int_equal(list(f, &options).count, 1); /* and all levels were closed again */
}

/* Random trees of files and folders against `find`, sorted by the shell in byte order. */
static void test_against_find(void **state)
{
    static const char *const parts[] = {"a", "b", "a.b", "a-b", "\xff", "A", "0", "~"};
    struct fixture *f = *state;
    srand(7);
    for (int i = 0; i < 400; i++) {
        char path[64] = "";
        for (int depth = rand() % 5; depth >= 0; depth--) {
            strcat(path, parts[rand() % 8]);
            if (depth > 0 && mkdir(path, 0755) != 0 && errno != EEXIST) {
                break;
            }
            strcat(path, depth > 0 ? "/" : "");
        }
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd >= 0) {
            close(fd);
        }
    }
    FILE *found = popen("find . -type f | cut -c3- | LC_ALL=C sort | tr '\\n' '|'", "r");
    assert_non_null(found);
    char *wanted = calloc(1, 65536);
    assert_non_null(wanted);
    assert_true(fread(wanted, 1, 65535, found) > 1000);
    (void)pclose(found);
    struct dirwalk_options options = {.max_depth = 0};
    struct dirwalk_listing listing = list(f, &options);
    assert_string_equal(joined(f, &listing), wanted);
    free(wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_skipped_only_if_considered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_patterns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_default_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_file_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_unreadable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_descriptors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_against_find, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

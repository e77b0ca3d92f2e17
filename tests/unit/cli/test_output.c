/* Output: destinations get everything or stay as they were. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/opt.h"
#include "cli/output.h"

struct folder {
    struct arena arena;
    char path[64];
};

static int set_up(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    assert_non_null(folder);
    arena_init(&folder->arena);
    strcpy(folder->path, "/tmp/simagent-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    *state = folder;
    return 0;
}

static int tear_down(void **state)
{
    struct folder *folder = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder->path);
    assert_int_equal(system(command), 0);
    arena_close(&folder->arena);
    free(folder);
    return 0;
}

static struct str in_folder(struct folder *folder, const char *name)
{
    return str_printf(&folder->arena, "%s/%s", folder->path, name);
}

static void write_file(struct folder *folder, const char *name, const char *body)
{
    FILE *file = fopen(str_z(&folder->arena, in_folder(folder, name)), "w");
    assert_non_null(file);
    fputs(body, file);
    fclose(file);
}

static void check_file(struct folder *folder, const char *name, const char *body)
{
    char bytes[256] = "";
    FILE *file = fopen(str_z(&folder->arena, in_folder(folder, name)), "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[length] = '\0';
    assert_string_equal(bytes, body);
}

static int count_files(struct folder *folder)
{
    int count = 0;
    DIR *open_folder = opendir(folder->path);
    assert_non_null(open_folder);
    while (readdir(open_folder) != NULL) {
        count++;
    }
    closedir(open_folder);
    return count - 2; /* . and .. */
}

static bool run(struct folder *folder, const struct opt_values *values, int *exit_code, struct err *err)
{
    struct output output;
    if (!output_open(&output, &folder->arena, values, err)) {
        return false;
    }
    sink_write(spool_sink(&output.report), STR("the report\n"));
    sink_write(spool_sink(&output.trace), STR("the trace\n"));
    assert_int_equal(count_files(folder), 1); /* what was there before: nothing shows until the end */
    bool fine = output_send(&output, exit_code, err);
    output_close(&output);
    return fine;
}

static void test_both(void **state)
{
    struct folder *folder = *state;
    struct err err = {0};
    int exit_code = 1;
    write_file(folder, "out", "old");
    struct opt_values values = {.output = in_folder(folder, "out"), .trace = in_folder(folder, "trace")};
    assert_true(run(folder, &values, &exit_code, &err));
    check_file(folder, "out", "the report\n");
    check_file(folder, "trace", "the trace\n");
    assert_int_equal(count_files(folder), 2);
    assert_int_equal(exit_code, 1); /* the verdict stays */
}

/* A trace that cannot be written is known before anything runs, and the report stays what it was. */
static void test_missing_folder(void **state)
{
    struct folder *folder = *state;
    struct err err = {0};
    int exit_code = 0;
    write_file(folder, "out", "old");
    struct opt_values values = {.output = in_folder(folder, "out"), .trace = in_folder(folder, "no/trace")};
    assert_false(run(folder, &values, &exit_code, &err));
    assert_int_equal(err.kind, ERR_IO);
    assert_non_null(strstr(err.message, "no/trace"));
    check_file(folder, "out", "old");
    assert_int_equal(count_files(folder), 1);
}

/* Without a send nothing happens. */
static void test_abandoned(void **state)
{
    struct folder *folder = *state;
    struct err err = {0};
    struct output output;
    struct opt_values values = {.output = in_folder(folder, "out")};
    assert_true(output_open(&output, &folder->arena, &values, &err));
    sink_write(spool_sink(&output.report), STR("half"));
    output_close(&output);
    assert_int_equal(count_files(folder), 0);
}

/* Puts another descriptor in the place of stdout while `run` writes. */
static bool run_with_stdout(struct folder *folder, int fd, int *exit_code, struct err *err)
{
    struct opt_values values = {.trace = in_folder(folder, "trace")};
    int saved = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    bool fine = run(folder, &values, exit_code, err);
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    return fine;
}

static void test_full_stdout(void **state)
{
    struct folder *folder = *state;
    struct err err = {0};
    int exit_code = 0;
    int full = open("/dev/full", O_WRONLY);
    write_file(folder, "other", "");
    assert_false(run_with_stdout(folder, full, &exit_code, &err));
    assert_int_equal(err.kind, ERR_IO);
    assert_string_equal(err.message, "cannot write to stdout: No space left on device");
    assert_int_equal(count_files(folder), 1); /* no trace of a run whose report was lost */
    close(full);
}

static void test_closed_pipe(void **state)
{
    struct folder *folder = *state;
    struct err err = {0};
    int exit_code = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    write_file(folder, "other", "");
    assert_true(run_with_stdout(folder, ends[1], &exit_code, &err));
    assert_int_equal(exit_code, OUTPUT_PIPE_CLOSED);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_abandoned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_stdout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_closed_pipe, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

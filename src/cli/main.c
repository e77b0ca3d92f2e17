/* simagent: the program.  Everything it does is in the commands; here are its beginning and its end. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/arena.h"
#include "cli/command.h"
#include "cli/message.h"
#include "cli/opt.h"

/* A program started without stdout would give its number to the next file it opens, and print into it.  Reading from
 * the stand-in ends at once and writing to it fails, which is what a closed descriptor does too. */
static void occupy_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            continue;
        }
        if (open("/dev/null", O_RDONLY) != fd) {
            _exit(err_exit_code(ERR_INTERNAL));
        }
    }
}

int main(int argc, char *argv[])
{
    occupy_standard_descriptors();
    /* A closed pipe or a file at its limit is then an ordinary failure of write, which cleans up behind itself. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    struct arena arena;
    struct err err = {0};
    struct opt_values values;
    int exit_code = 0;
    struct str hint = STR("simagent --help");
    arena_init(&arena);
    bool fine = opt_parse(&arena, argc - 1, argv + 1, &values, &err);
    if (fine) {
        hint = command_hint(&arena, &values);
        fine = command_dispatch(&arena, &values, &exit_code, &err);
    }
    if (!fine) {
        message_print_error(&arena, &err, hint);
        exit_code = err_exit_code(err.kind);
    }
    arena_close(&arena);
    return exit_code;
}

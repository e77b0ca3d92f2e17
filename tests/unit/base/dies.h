/* Dies: runs a body in a child process and tells how it ended, for the statements that stop the program. */
#ifndef TESTS_UNIT_BASE_DIES_H
#define TESTS_UNIT_BASE_DIES_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The exit code of a child that runs `body` and then ends with 0; -1 when a signal ended it.  Its stderr is dropped. */
static inline int exit_code_of(void (*body)(void *argument), void *argument)
{
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO);
        body(argument);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif

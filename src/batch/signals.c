#include "batch/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Written by the handler, and by open and close while no handler is installed. */
static volatile sig_atomic_t caught_signal;
static volatile sig_atomic_t wake_descriptor;

static void note_signal(int signal_number)
{
    int before = errno;
    if (caught_signal == 0) {
        caught_signal = signal_number;
    }
    ssize_t ignored = write(wake_descriptor, "", 1); /* a full pipe wakes as well */
    (void)ignored;
    errno = before;
}

/* A signal that was ignored when the program started stays so: a shell does that for jobs in the background. */
static void catch_signal(int number, struct sigaction *old)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, old);
    if (old->sa_handler != SIG_IGN) {
        sigaction(number, &action, NULL);
    }
}

bool signals_open(struct signals *signals, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return err_set(err, ERR_IO, "cannot make a pipe: %s", strerror(errno));
    }
    signals->wake = ends[0];
    signals->wake_end = ends[1];
    caught_signal = 0;
    wake_descriptor = ends[1];
    catch_signal(SIGINT, &signals->old_interrupt);
    catch_signal(SIGTERM, &signals->old_terminate);
    return true;
}

int signals_caught(void)
{
    return caught_signal;
}

void signals_close(struct signals *signals)
{
    sigaction(SIGINT, &signals->old_interrupt, NULL);
    sigaction(SIGTERM, &signals->old_terminate, NULL);
    close(signals->wake);
    close(signals->wake_end);
}

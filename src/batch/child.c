#include "batch/child.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/check.h"
#include "base/oom.h"
#include "batch/channel.h"
#include "batch/confine.h"

enum { CHANNEL_DESCRIPTOR = CHILD_DESCRIPTORS - 1, LAST_PLAIN_SIGNAL = 31 };

/* Sanitizers report a crash from handlers of their own; those stay. */
static bool belongs_to_sanitizer(int number)
{
#ifdef SIMAGENT_SANITIZE
    return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE || number == SIGABRT;
#else
    (void)number;
    return false;
#endif
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler}; /* no SA_RESTART: whoever reads tries again himself */
    sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static void arrange_signals(const struct child_setup *setup)
{
    for (int number = 1; number <= LAST_PLAIN_SIGNAL; number++) {
        if (number != SIGKILL && number != SIGSTOP && !belongs_to_sanitizer(number)) {
            handle(number, SIG_DFL);
        }
    }
    handle(SIGINT, SIG_IGN);
    handle(SIGTERM, SIG_IGN);
    handle(SIGALRM, setup->on_soft_deadline ? setup->on_soft_deadline : SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void arrange_descriptors(const struct child_setup *setup)
{
    const int sources[CHILD_DESCRIPTORS] = {setup->null, setup->null, setup->output, setup->socket};
    for (int i = 0; i < CHILD_DESCRIPTORS; i++) {
        CHECK(sources[i] >= CHILD_DESCRIPTORS);
        if (dup2(sources[i], i) < 0) {
            _exit(70);
        }
    }
}

_Noreturn void child_main(const struct child_setup *setup)
{
    arrange_descriptors(setup);
    oom_blame_scenario();
    arrange_signals(setup);
    struct confine_limits limits = {
        .max_seconds = setup->max_seconds,
        .max_memory = setup->max_memory,
        .descriptors = CHILD_DESCRIPTORS,
        .parent = setup->parent,
    };
    unsigned missing = confine_process(&limits);
    struct channel *channel = malloc(sizeof *channel);
    if (!channel) {
        oom_stop("channel", sizeof *channel);
    }
    channel_init(channel, CHANNEL_DESCRIPTOR);
    channel_confined(channel, missing);
    if (missing > 0 && setup->require_sandbox) {
        _exit(0); /* the parent says why */
    }
    _exit(setup->run(channel, setup->argument));
}

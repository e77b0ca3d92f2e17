#include "batch/confine.h"

#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"

/* Not in the headers of kernels older than the interface; the numbers are the same on every architecture. */
#define LANDLOCK_CREATE_RULESET 444
#define LANDLOCK_RESTRICT_SELF 446
#define LANDLOCK_VERSION_FLAG 1u

#define CPU_SECONDS_MAX ((int64_t)1000000000) /* the kernel counts in nanoseconds; beyond that its limit would wrap */

/* What Landlock can take away: the kernel's struct landlock_ruleset_attr, which grew with its versions. */
struct landlock_rights {
    uint64_t files;
    uint64_t network; /* from version 4 */
    uint64_t scoped;  /* from version 6: abstract sockets and signals to others */
};

/* The number of rights on files that a version knows: bit by bit, each version added at the end. */
static uint64_t landlock_file_rights(long version)
{
    unsigned count = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return ((uint64_t)1 << count) - 1;
}

bool confine_by_landlock(void)
{
    long version = syscall(LANDLOCK_CREATE_RULESET, NULL, (size_t)0, LANDLOCK_VERSION_FLAG);
    if (version < 1) {
        return false;
    }
    struct landlock_rights rights = {.files = landlock_file_rights(version), .network = 3, .scoped = 3};
    size_t size = version >= 6 ? sizeof rights : version >= 4 ? 16 : 8;
    int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &rights, size, 0u);
    if (rules < 0) {
        return false;
    }
    bool restricted = syscall(LANDLOCK_RESTRICT_SELF, rules, 0u) == 0;
    close(rules);
    return restricted;
}

/* The calls that a running scenario makes, and what each is for. */
static const int allowed_calls[] = {
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(writev),                    /* the channel and stderr */
    SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), /* malloc */
    SCMP_SYS(futex),                                                      /* locks of the C library */
    SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),                    /* the signal of the soft deadline */
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction), SCMP_SYS(getpid), SCMP_SYS(gettid), /* abort */
    SCMP_SYS(clock_gettime),                                              /* where there is no vDSO */
    SCMP_SYS(close), SCMP_SYS(exit), SCMP_SYS(exit_group),
#ifdef SIMAGENT_SANITIZE
    SCMP_SYS(mprotect), SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield), SCMP_SYS(getrandom), SCMP_SYS(gettimeofday),
    SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(ioctl), SCMP_SYS(getrusage), SCMP_SYS(mincore),
#endif
};

#ifdef SIMAGENT_SANITIZE
#define FORBIDDEN_ACTION SCMP_ACT_ERRNO(EPERM)
#else
#define FORBIDDEN_ACTION SCMP_ACT_KILL_PROCESS
#endif

/* abort() signals itself, and nobody else may be signalled; memory is never executable. */
static bool add_rules_with_conditions(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                            SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), (scmp_datum_t)0)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
                            SCMP_A2(SCMP_CMP_MASKED_EQ, (scmp_datum_t)PROT_EXEC, (scmp_datum_t)0)) == 0;
}

static bool add_rules(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < ARRAY_LEN(allowed_calls); i++) {
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[i], 0) != 0) {
            return false;
        }
    }
    return add_rules_with_conditions(filter);
}

static bool restrict_by_seccomp(void)
{
    scmp_filter_ctx filter = seccomp_init(FORBIDDEN_ACTION);
    bool restricted = filter && add_rules(filter) && seccomp_load(filter) == 0;
    if (filter) {
        seccomp_release(filter);
    }
    return restricted;
}

static bool limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0) {
        return false;
    }
    /* Never above what the user's own limits allow. */
    struct rlimit wanted = {.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max,
                            .rlim_max = hard < now.rlim_max ? hard : now.rlim_max};
    return setrlimit(resource, &wanted) == 0;
}

static bool limit_memory(size_t max_memory)
{
#ifdef SIMAGENT_SANITIZE
    (void)max_memory; /* the shadow memory alone takes terabytes of addresses */
    return true;
#else
    rlim_t bytes;
    if (max_memory == 0 || __builtin_add_overflow(max_memory, CONFINE_ADDRESS_SPACE_SLACK, &bytes)) {
        return true;
    }
    return limit(RLIMIT_AS, bytes, bytes);
#endif
}

static bool limit_resources(const struct confine_limits *limits)
{
    bool good = limit(RLIMIT_CORE, 0, 0) && limit(RLIMIT_FSIZE, 0, 0) && limit_memory(limits->max_memory);
    good = limit(RLIMIT_NOFILE, (rlim_t)limits->descriptors, (rlim_t)limits->descriptors) && good;
    if (limits->max_seconds > 0 && limits->max_seconds <= CPU_SECONDS_MAX) {
        rlim_t seconds = (rlim_t)limits->max_seconds + CONFINE_CPU_SLACK;
        good = limit(RLIMIT_CPU, seconds, seconds + 1) && good;
    }
    return good;
}

void confine_close_from(int first)
{
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) {
        return;
    }
    long most = sysconf(_SC_OPEN_MAX); /* Linux before 5.9 */
    for (int fd = first; fd < (most > 0 ? most : 65536); fd++) {
        close(fd);
    }
}

static bool tie_to_parent(pid_t parent)
{
    bool tied = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0;
    if (getppid() != parent) { /* it died before the line above */
        _exit(0);
    }
    return tied;
}

unsigned confine_process(const struct confine_limits *limits)
{
    unsigned missing = 0;
    bool tied = tie_to_parent(limits->parent);
    confine_close_from(limits->descriptors);
    bool unprivileged = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
    /* Before the limit on descriptors, because a set of rules is one. */
    missing |= confine_by_landlock() ? 0 : CONFINE_LANDLOCK;
    missing |= limit_resources(limits) && tied && unprivileged ? 0 : CONFINE_LIMITS;
    missing |= restrict_by_seccomp() ? 0 : CONFINE_SECCOMP;
    return missing;
}

struct str confine_describe(struct arena *arena, unsigned missing)
{
    static const char *const names[] = {"resource limits", "Landlock", "the system-call filter"};
    struct strbuf text;
    strbuf_init(&text, arena, 256);
    for (unsigned i = 0, left = missing; left > 0; i++, left >>= 1) {
        if (left & 1) {
            CHECK(i < ARRAY_LEN(names));
            strbuf_addf(&text, "%s%s", text.len == 0 ? "" : left > 1 ? ", " : " and ", names[i]);
        }
    }
    return strbuf_str(&text);
}

/* CHECK (always on) and UNREACHABLE: a bug stops the program where it is.
 *
 * A wrong total is worse than a stop, so these stay in release builds.  They are for bugs of ours only; bad input is
 * a `struct err` (base/err.h), and a failure inside the simulation is data in the transcript.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#include <stdint.h>
#include <stddef.h>

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* Prints the place and the broken statement to stderr and ends the process with exit code 70. */
_Noreturn void check_failed(const char *file, int line, const char *statement);

#define CHECK(statement) ((statement) ? (void)0 : check_failed(__FILE__, __LINE__, #statement))
#define UNREACHABLE() check_failed(__FILE__, __LINE__, "unreachable")

/* Writes one message and ends the process at once: no exit handlers, no memory of ours, no system call but write and
 * exit, since a confined process may make no other. */
_Noreturn void check_stop(int code, const char *format, ...) PRINTF_LIKE(2, 3);

/* The exit code of a process whose numbers grew too large: input of a size that nobody has, and no bug. */
#define CHECK_TOO_LARGE 3
_Noreturn void check_too_large(void);

/* a + b for counters; stops the program on overflow, since a counter that wraps would be a wrong number. */
static inline int64_t checked_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        check_too_large();
    return sum;
}

/* a * b for counters; stops the program on overflow. */
static inline int64_t checked_mul(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        check_too_large();
    return product;
}

#endif

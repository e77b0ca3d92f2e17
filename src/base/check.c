/* CHECK (always on) and UNREACHABLE: a bug stops the program where it is. */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void check_stop(int code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t size = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written;
    _exit(code);
}

void check_failed(const char *file, int line, const char *statement)
{
    check_stop(70, "simagent: internal error at %s:%d: %s\n", file, line, statement);
}

void check_too_large(void)
{
    check_stop(CHECK_TOO_LARGE, "simagent: a sum of sizes, tokens, money or time is too large: it passed 2^63 - 1\n");
}

/* One failure of the program: its kind, its message, set once at the lowest level and wrapped on the way up. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define ELLIPSIS "\xE2\x80\xA6"

/* The largest place <= `at` that is not inside a valid sequence of the text. */
static size_t cut_before(const char *text, size_t len, size_t at)
{
    for (size_t back = 1; back <= 3 && back <= at; back++) {
        struct str rest = {.data = text + at - back, .len = len - at + back};
        if (utf8_sequence(rest) > back) {
            return at - back;
        }
    }
    return at;
}

static void format_message(struct err *err, const char *format, va_list arguments)
{
    size_t size = sizeof err->message;
    err->message[0] = '\0';
    int len = vsnprintf(err->message, size, format, arguments);
    err->message[size - 1] = '\0';
    if (len >= 0 && (size_t)len < size) {
        return;
    }
    /* Too long (or longer than an int can tell): mark the cut. */
    size_t have = strlen(err->message);
    size_t end = have < size - sizeof ELLIPSIS ? have : cut_before(err->message, have, size - sizeof ELLIPSIS);
    memcpy(err->message + end, ELLIPSIS, sizeof ELLIPSIS);
}

static void print_message(struct err *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_message(err, format, arguments);
    va_end(arguments);
}

bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
    CHECK(kind != ERR_NONE);
    if (err->kind != ERR_NONE) {
        return false;
    }
    err->kind = kind;
    va_list arguments;
    va_start(arguments, format);
    format_message(err, format, arguments);
    va_end(arguments);
    return false;
}

bool err_wrap(struct err *err, const char *format, ...)
{
    CHECK(err->kind != ERR_NONE);
    struct err prefix;
    va_list arguments;
    va_start(arguments, format);
    format_message(&prefix, format, arguments);
    va_end(arguments);
    char cause[sizeof err->message];
    memcpy(cause, err->message, sizeof cause);
    print_message(err, "%s: %s", prefix.message, cause);
    return false;
}

int err_exit_code(enum err_kind kind)
{
    switch (kind) {
#define X(name, code)                                                                                                  \
    case ERR_##name:                                                                                                   \
        return code;
        ERR_KINDS(X)
#undef X
    }
    UNREACHABLE();
}

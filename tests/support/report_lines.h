/* report_lines: compares a rendered report line by line, so that a difference names its line. */
#ifndef SUPPORT_REPORT_LINES_H
#define SUPPORT_REPORT_LINES_H

#include "base/str.h"

static inline void report_check_lines(struct str text, const char *const *lines, size_t count)
{
    struct str rest = text;
    for (size_t i = 0; i < count; i++) {
        size_t length = 0;
        while (length < rest.len && rest.data[length] != '\n') {
            length++;
        }
        assert_true(length < rest.len);
        if (!str_eq(str_slice(rest, 0, length), str_of(lines[i]))) {
            fail_msg("line %zu is\n%.*s\nnot\n%s", i + 1, (int)length, rest.data, lines[i]);
        }
        rest = str_slice(rest, length + 1, rest.len);
    }
    assert_int_equal(rest.len, 0);
}

#endif

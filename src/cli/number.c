#include "cli/number.h"

bool number_is_whole(struct str text)
{
    size_t start = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    for (size_t i = start; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
    }
    return start < text.len;
}

bool number_parse(struct str text, int64_t *number)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    size_t at = negative || (text.len > 0 && text.data[0] == '+') ? 1 : 0;
    if (at == text.len) {
        return false;
    }
    int64_t sum = 0;
    for (; at < text.len; at++) {
        if (text.data[at] < '0' || text.data[at] > '9') {
            return false;
        }
        int64_t digit = text.data[at] - '0';
        /* Counted downwards when negative, since the smallest number has no positive twin. */
        if (__builtin_mul_overflow(sum, 10, &sum)) {
            return false;
        }
        if (__builtin_add_overflow(sum, negative ? -digit : digit, &sum)) {
            return false;
        }
    }
    *number = sum;
    return true;
}

bool number_parse_size(struct str text, int64_t *bytes)
{
    static const char suffixes[] = "KMG";
    int64_t factor = 1;
    if (text.len == 0 || text.data[0] == '-' || text.data[0] == '+') {
        return false;
    }
    char last = (char)(text.data[text.len - 1] & ~0x20); /* upper case, for letters */
    for (size_t i = 0; i < sizeof suffixes - 1; i++) {
        if (last != suffixes[i]) {
            continue;
        }
        factor = INT64_C(1) << (10 * (i + 1));
        text.len--;
        break;
    }
    int64_t number;
    return number_parse(text, &number) && !__builtin_mul_overflow(number, factor, bytes);
}

#include "report/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/utf8.h"

/* Beyond this one decimal after the point says nothing, and "%.1f" would fill the line. */
#define PLAIN_MAX 1e12L

#define ESCAPED_MAX 8 /* bytes of one escaped code point, at most: \u{NNNN} */

static uint64_t absolute(int64_t number)
{
    return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

struct str cells_integer(struct arena *arena, int64_t number)
{
    char digits[48];
    size_t at = sizeof digits;
    uint64_t rest = absolute(number);
    for (unsigned place = 0; place == 0 || rest != 0; place++, rest /= 10) {
        if (place != 0 && place % 3 == 0) {
            digits[--at] = ',';
        }
        digits[--at] = (char)('0' + rest % 10);
    }
    return str_printf(arena, "%s%.*s", number < 0 ? "−" : "", (int)(sizeof digits - at), digits + at);
}

struct str cells_count(struct arena *arena, int64_t number, const char *noun)
{
    struct str text = cells_integer(arena, number);
    return str_printf(arena, "%.*s %s%s", STR_ARG(text), noun, number == 1 ? "" : "s");
}

/* Puts commas into the digits before the point. */
static struct str with_commas(struct arena *arena, struct str plain)
{
    size_t whole = 0;
    while (whole < plain.len && plain.data[whole] != '.') {
        whole++;
    }
    struct strbuf out;
    strbuf_init(&out, arena, plain.len * 2);
    for (size_t i = 0; i < plain.len; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            strbuf_addc(&out, ',');
        }
        strbuf_addc(&out, plain.data[i]);
    }
    return strbuf_str(&out);
}

/* The absolute value, so that the sign is ours to choose. */
static struct str magnitude(struct arena *arena, long double number, int decimals)
{
    number = fabsl(number);
    if (number >= PLAIN_MAX) {
        return str_printf(arena, "%.3Lg", number);
    }
    return with_commas(arena, str_printf(arena, "%.*Lf", decimals, number));
}

/* True when rounding leaves nothing, so that no sign stands before a zero. */
static bool rounds_to_zero(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '0' && text.data[i] != '.') {
            return false;
        }
    }
    return true;
}

static struct str signed_text(struct arena *arena, long double number, int decimals, const char *plus,
                              const char *suffix)
{
    struct str text = magnitude(arena, number, decimals);
    const char *sign = number < 0 ? "−" : plus;
    return str_printf(arena, "%s%.*s%s", rounds_to_zero(text) ? "" : sign, STR_ARG(text), suffix);
}

/* Nothing and all are said of nothing and all only: what would be rounded to them stands beside a bound instead. */
static struct str percent_text(struct arena *arena, long double percent, const char *plus)
{
    struct str rounded = magnitude(arena, percent, 1);
    const char *sign = percent < 0 ? "−" : plus;
    bool below = percent < 0; /* a bound below zero is passed the other way */
    if (percent != 0 && rounds_to_zero(rounded)) {
        return str_printf(arena, "%s %s0.1 %%", below ? ">" : "<", sign);
    }
    if (str_eq(rounded, STR("100.0")) && fabsl(percent) != 100) {
        return str_printf(arena, "%s %s%s %%", below ? "<" : ">", sign, fabsl(percent) < 100 ? "99.9" : "100.0");
    }
    return signed_text(arena, percent, 1, plus, " %");
}

struct str cells_percent(struct arena *arena, double ratio)
{
    return percent_text(arena, 100.0L * ratio, "");
}

struct str cells_change(struct arena *arena, double saving)
{
    return percent_text(arena, -100.0L * saving, "+");
}

struct str cells_decimal(struct arena *arena, double number, int decimals, const char *suffix)
{
    return signed_text(arena, number, decimals, "", suffix);
}

#define USD_DECIMALS 12 /* of a picodollar */

struct str cells_usd(struct arena *arena, int64_t picodollars)
{
    uint64_t rest = absolute(picodollars);
    if (rest == 0) {
        return STR("$0");
    }
    int digits = 0;
    for (uint64_t left = rest; left != 0; left /= 10) {
        digits++;
    }
    int decimals = USD_DECIMALS + 4 - digits;
    decimals = decimals < 2 ? 2 : decimals > USD_DECIMALS ? USD_DECIMALS : decimals;
    uint64_t step = 1;
    for (int i = decimals; i < USD_DECIMALS; i++) {
        step *= 10;
    }
    uint64_t rounded = rest / step + (rest % step >= step - step / 2 ? 1 : 0);
    uint64_t whole = 1;
    for (int i = 0; i < decimals; i++) {
        whole *= 10;
    }
    struct str dollars = cells_integer(arena, (int64_t)(rounded / whole));
    return str_printf(arena, "%s$%.*s.%0*" PRIu64, picodollars < 0 ? "−" : "", STR_ARG(dollars), decimals,
                      rounded % whole);
}

#define US_PER_S UINT64_C(1000000)

/* "14.2" for 14,234,000 millionths: three significant digits, without zeros at the end.  `unit` is one of it. */
static struct str three_digits(struct arena *arena, uint64_t number, uint64_t unit)
{
    uint64_t shown = number >= 100 * unit ? 1 : number >= 10 * unit ? 10 : 100; /* parts that one is shown in */
    uint64_t parts = (number * shown + unit / 2) / unit;
    int decimals = shown == 1 ? 0 : shown == 10 ? 1 : 2;
    while (decimals > 0 && parts % 10 == 0) {
        parts /= 10;
        shown /= 10;
        decimals--;
    }
    if (decimals == 0) {
        return str_printf(arena, "%" PRIu64, parts);
    }
    return str_printf(arena, "%" PRIu64 ".%0*" PRIu64, parts / shown, decimals, parts % shown);
}

static struct str minutes(struct arena *arena, const char *sign, uint64_t seconds)
{
    uint64_t hours = seconds / 3600;
    uint64_t minute = seconds / 60 % 60;
    if (hours == 0) {
        return str_printf(arena, "%s%" PRIu64 "m %" PRIu64 "s", sign, minute, seconds % 60);
    }
    struct str whole = cells_integer(arena, (int64_t)hours);
    return str_printf(arena, "%s%.*sh %" PRIu64 "m %" PRIu64 "s", sign, STR_ARG(whole), minute, seconds % 60);
}

struct str cells_duration(struct arena *arena, int64_t microseconds)
{
    const char *sign = microseconds < 0 ? "−" : "";
    uint64_t us = absolute(microseconds);
    if (us >= 60 * US_PER_S - US_PER_S / 20) { /* would be shown as 60 s */
        return minutes(arena, sign, us / US_PER_S + (us % US_PER_S >= US_PER_S / 2 ? 1 : 0));
    }
    bool seconds = us >= US_PER_S - 500; /* else 999.5 ms and more would be shown as 1000 ms */
    bool milliseconds = us >= 1000;
    uint64_t unit = seconds ? US_PER_S : milliseconds ? 1000 : 1;
    struct str number = us == 0 ? STR("0") : three_digits(arena, us, unit);
    return str_printf(arena, "%s%.*s %s", sign, STR_ARG(number),
                      seconds || us == 0 ? "s" : milliseconds ? "ms" : "µs");
}

/* Escapes no more than can be shown: a label may be a megabyte. */
static struct str escape_start(struct arena *arena, struct str raw, size_t columns)
{
    struct str start = utf8_prefix(raw, columns + 1);
    struct strbuf buf;
    strbuf_init(&buf, arena, start.len * ESCAPED_MAX + 1);
    utf8_escape(&buf, start, true);
    if (start.len < raw.len) {
        strbuf_add(&buf, STR("…"));
    }
    return strbuf_str(&buf);
}

struct str cells_text(struct arena *arena, struct str raw, size_t columns)
{
    struct str safe = escape_start(arena, raw, columns);
    if (utf8_columns(safe) <= columns) {
        return safe;
    }
    struct str kept = utf8_prefix_columns(safe, columns > 0 ? columns - 1 : 0);
    return str_printf(arena, "%.*s…", STR_ARG(kept));
}

/* The longest end of s that is at most `columns` wide. */
static struct str suffix_columns(struct str s, size_t columns)
{
    size_t width = utf8_columns(s);
    while (width > columns && s.len > 0) {
        size_t length;
        utf8_decode(s, &length);
        s = str_slice(s, length, s.len);
        width = utf8_columns(s);
    }
    return s;
}

#define NAME_MAX_BYTES 256 /* longer names are cut at the end: walking back from theirs would cost too much */

struct str cells_name(struct arena *arena, struct str raw, size_t columns)
{
    if (raw.len > NAME_MAX_BYTES || columns < 5) {
        return cells_text(arena, raw, columns);
    }
    struct str safe = escape_start(arena, raw, NAME_MAX_BYTES);
    if (utf8_columns(safe) <= columns) {
        return safe;
    }
    size_t tail = (columns - 1) / 2;
    struct str head = utf8_prefix_columns(safe, columns - 1 - tail);
    struct str end = suffix_columns(safe, tail);
    return str_printf(arena, "%.*s…%.*s", STR_ARG(head), STR_ARG(end));
}

/* Glob: matches a whole relative path against a pattern.
 *
 * Alternatives are expanded one after the other into plain patterns, so that matching knows no braces.  A plain
 * pattern is a row of tokens, each of which but `*` takes exactly one unit of the path (a code point or an invalid
 * byte): so the last star alone needs to be tried again, and never an earlier one.
 */
#include "base/glob.h"

#include <string.h>

#include "base/utf8.h"

enum { PATTERN_MAX = 1024, ALTERNATIVES_MAX = 64 };

/* --- tokens --- */

/* `[!…]` is what POSIX says, `[^…]` what shells take as well and people write. */
static bool is_negation(char c)
{
    return c == '!' || c == '^';
}

/* One past the closing bracket of the class that starts at `at`, or 0 if it is never closed. */
static size_t class_end(struct str p, size_t at)
{
    size_t i = at + 1;
    if (i < p.len && is_negation(p.data[i])) {
        i++;
    }
    for (size_t first = i; i < p.len; i++) {
        if (p.data[i] == ']' && i > first) { /* a bracket in first place stands for itself */
            return i + 1;
        }
        if (p.data[i] == '\\') {
            i++;
        }
    }
    return 0;
}

static size_t unit_length(struct str s, size_t at)
{
    size_t length = utf8_sequence(str_slice(s, at, s.len));
    return length == 0 ? 1 : length;
}

/* One past the token that starts at `at`; 0 if it is cut off. */
static size_t token_end(struct str p, size_t at)
{
    if (p.data[at] == '[') {
        return class_end(p, at);
    }
    if (p.data[at] == '\\') {
        return at + 1 < p.len ? at + 1 + unit_length(p, at + 1) : 0;
    }
    return at + unit_length(p, at);
}

/* --- alternatives --- */

/* Expansions of the row of tokens from *at up to the end, or (inside braces) up to its `,` or `}`, where *at is left.
 * More than the maximum is not told apart.  The pattern is well formed. */
static unsigned count_row(struct str p, size_t *at, bool inside);

/* The same for braces that start at *at; past them afterwards.  The alternatives are added up. */
static unsigned count_braces(struct str p, size_t *at)
{
    unsigned sum = 0;
    do {
        ++*at;
        sum += count_row(p, at, true);
        sum = sum > ALTERNATIVES_MAX ? ALTERNATIVES_MAX + 1 : sum;
    } while (p.data[*at] == ',');
    ++*at;
    return sum;
}

static unsigned count_row(struct str p, size_t *at, bool inside)
{
    unsigned product = 1;
    while (*at < p.len && !(inside && (p.data[*at] == ',' || p.data[*at] == '}'))) {
        if (p.data[*at] == '{') {
            product *= count_braces(p, at);
            product = product > ALTERNATIVES_MAX ? ALTERNATIVES_MAX + 1 : product;
        } else {
            *at = token_end(p, *at);
        }
    }
    return product;
}

struct plain {
    char text[PATTERN_MAX];
    size_t len;
};

/* Appends the expansion number `choice` of a row; *at moves as in count_row. */
static void expand_row(struct str p, size_t *at, bool inside, unsigned choice, struct plain *out);

/* Of each row between braces only the chosen one is expanded. */
static void expand_braces(struct str p, size_t *at, unsigned choice, struct plain *out)
{
    bool done = false;
    do {
        size_t row = ++*at;
        unsigned count = count_row(p, at, true);
        if (!done && choice < count) {
            expand_row(p, &row, true, choice, out);
            done = true;
        }
        choice -= done ? 0 : count;
    } while (p.data[*at] == ',');
    ++*at;
}

static void expand_row(struct str p, size_t *at, bool inside, unsigned choice, struct plain *out)
{
    while (*at < p.len && !(inside && (p.data[*at] == ',' || p.data[*at] == '}'))) {
        size_t from = *at;
        if (p.data[from] == '{') {
            unsigned count = count_braces(p, at);
            expand_braces(p, &from, choice % count, out);
            choice /= count;
            continue;
        }
        *at = token_end(p, from);
        memcpy(out->text + out->len, p.data + from, *at - from);
        out->len += *at - from;
    }
}

/* --- matching --- */

/* The byte at *i of a class, the escape resolved; past it afterwards. */
static unsigned char class_byte(struct str class, size_t *i)
{
    if (class.data[*i] == '\\') {
        ++*i;
    }
    return (unsigned char)class.data[(*i)++];
}

/* Whether a class, given with its brackets, takes a unit.  Bytes of a longer sequence are not for classes to name, so
 * only a negated class takes one. */
static bool class_takes(struct str class, struct str unit)
{
    bool negated = is_negation(class.data[1]), listed = false;
    for (size_t i = negated ? 2 : 1; i < class.len - 1;) {
        unsigned char low = class_byte(class, &i), high = low;
        if (i + 1 < class.len - 1 && class.data[i] == '-') {
            i++;
            high = class_byte(class, &i);
        }
        unsigned char byte = (unsigned char)unit.data[0];
        listed = listed || (unit.len == 1 && low <= byte && byte <= high);
    }
    return listed != negated;
}

static bool token_takes(struct str token, struct str unit)
{
    switch (token.data[0]) {
    case '?': return true;
    case '[': return class_takes(token, unit);
    case '\\': return str_eq(str_slice(token, 1, token.len), unit);
    default: return str_eq(token, unit);
    }
}

/* Whether one part of a pattern takes one part of a path. */
static bool part_takes(struct str pattern, struct str part)
{
    size_t p = 0, s = 0;
    size_t after_star = 0, tried = 0;
    bool starred = false;
    while (s < part.len || p < pattern.len) {
        if (p < pattern.len && pattern.data[p] == '*') {
            after_star = ++p;
            tried = s;
            starred = true;
            continue;
        }
        size_t token = p < pattern.len ? token_end(pattern, p) : 0;
        size_t unit = s < part.len ? s + unit_length(part, s) : 0;
        if (token > 0 && unit > 0 && token_takes(str_slice(pattern, p, token), str_slice(part, s, unit))) {
            p = token;
            s = unit;
            continue;
        }
        if (!starred || tried == part.len) {
            return false;
        }
        tried += unit_length(part, tried); /* the last star takes one unit more */
        s = tried;
        p = after_star;
    }
    return true;
}

/* What is left of a pattern or path; `ended` when even the last part is taken. */
struct parts {
    struct str rest;
    bool ended;
};

/* An escaped slash still separates: no part can hold one. */
static bool is_slash(struct str token)
{
    return token.data[token.len - 1] == '/' && (token.len == 1 || token.data[0] == '\\');
}

static struct str cut_part(struct parts *parts, size_t end, size_t next)
{
    struct str part = str_slice(parts->rest, 0, end);
    parts->ended = end == parts->rest.len;
    parts->rest = str_slice(parts->rest, parts->ended ? end : next, parts->rest.len);
    return part;
}

static struct str next_pattern_part(struct parts *parts)
{
    struct str p = parts->rest;
    size_t at = 0, end = 0;
    while (at < p.len) {
        end = token_end(p, at);
        if (is_slash(str_slice(p, at, end))) {
            break;
        }
        at = end;
    }
    return cut_part(parts, at, end);
}

static struct str next_path_part(struct parts *parts)
{
    const char *slash = parts->rest.len == 0 ? NULL : memchr(parts->rest.data, '/', parts->rest.len);
    size_t end = slash == NULL ? parts->rest.len : (size_t)(slash - parts->rest.data);
    return cut_part(parts, end, end + 1);
}

static struct str last_path_part(struct str path)
{
    const char *slash = path.len == 0 ? NULL : memrchr(path.data, '/', path.len);
    return slash == NULL ? path : str_slice(path, (size_t)(slash - path.data) + 1, path.len);
}

/* The same walk as part_takes, with parts for units and `**` for the star. */
static bool parts_take(struct parts pattern, struct parts path)
{
    struct parts after_star = pattern, tried = path;
    bool starred = false;
    while (!path.ended || !pattern.ended) {
        struct parts pattern_after = pattern, path_after = path;
        struct str wanted = pattern.ended ? STR("") : next_pattern_part(&pattern_after);
        if (str_eq(wanted, STR("**"))) {
            pattern = after_star = pattern_after;
            tried = path;
            starred = true;
            continue;
        }
        if (!pattern.ended && !path.ended && part_takes(wanted, next_path_part(&path_after))) {
            pattern = pattern_after;
            path = path_after;
            continue;
        }
        if (!starred || tried.ended) {
            return false;
        }
        next_path_part(&tried);
        path = tried;
        pattern = after_star;
    }
    return true;
}

static bool plain_takes(struct str pattern, struct str path)
{
    struct parts parts = {.rest = pattern};
    struct str first = next_pattern_part(&parts);
    if (parts.ended) {
        return part_takes(first, last_path_part(path));
    }
    return parts_take((struct parts){.rest = pattern}, (struct parts){.rest = path});
}

/* --- the module --- */

static bool check_shape(struct str pattern, struct err *err)
{
    size_t open = 0;
    for (size_t at = 0; at < pattern.len;) {
        char c = pattern.data[at];
        open += c == '{';
        open -= c == '}' && open > 0;
        at = token_end(pattern, at);
        if (at == 0) {
            const char *what = c == '[' ? "has a '[' without ']'" : "ends in a backslash";
            return err_set(err, ERR_SCENARIO, "pattern \"%.*s\" %s", STR_ARG(pattern), what);
        }
    }
    return open == 0 || err_set(err, ERR_SCENARIO, "pattern \"%.*s\" has a '{' without '}'", STR_ARG(pattern));
}

bool glob_check(struct str pattern, struct err *err)
{
    if (pattern.len > PATTERN_MAX) {
        return err_set(err, ERR_SCENARIO, "a pattern has %zu bytes; at most %d are allowed", pattern.len, PATTERN_MAX);
    }
    if (!check_shape(pattern, err)) {
        return false;
    }
    size_t at = 0;
    if (count_row(pattern, &at, false) > ALTERNATIVES_MAX) {
        return err_set(err, ERR_SCENARIO, "pattern \"%.*s\" has more than %d alternatives", STR_ARG(pattern),
                       ALTERNATIVES_MAX);
    }
    return true;
}

bool glob_match(struct str pattern, struct str path)
{
    CHECK(pattern.len <= PATTERN_MAX);
    size_t at = 0;
    unsigned count = count_row(pattern, &at, false);
    CHECK(count <= ALTERNATIVES_MAX);
    for (unsigned choice = 0; choice < count; choice++) {
        struct plain plain = {.len = 0};
        at = 0;
        expand_row(pattern, &at, false, choice, &plain);
        if (plain_takes((struct str){.data = plain.text, .len = plain.len}, path)) {
            return true;
        }
    }
    return false;
}

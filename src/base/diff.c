/* Diff: lines are compared by Myers's greedy algorithm.
 *
 * Common lines at both ends are taken off first.  For each number of edits d, row d holds how far into the first text
 * one gets on each diagonal; the rows are kept, and walking back through them tells which lines were removed and added.
 */
#include "base/diff.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct line {
    struct str text; /* with its line feed */
    uint64_t hash;
};

struct side {
    struct line *lines;
    bool *changed; /* removed from the first text, added in the second */
    size_t count;
};

/* --- lines --- */

static uint64_t hash_bytes(struct str s)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a; only to make most comparisons of unequal lines short */
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.data[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static size_t line_end(struct str text, size_t from)
{
    const char *feed = memchr(text.data + from, '\n', text.len - from);
    return feed ? (size_t)(feed - text.data) + 1 : text.len;
}

static struct side split_lines(struct arena *arena, struct str text)
{
    struct side side = {0};
    for (size_t at = 0; at < text.len; at = line_end(text, at))
        side.count++;
    side.lines = arena_array(arena, struct line, side.count + 1);
    side.changed = arena_array(arena, bool, side.count + 1);
    size_t at = 0;
    for (size_t i = 0; i < side.count; i++) {
        size_t end = line_end(text, at);
        struct str line = str_slice(text, at, end);
        side.lines[i] = (struct line){line, hash_bytes(line)};
        at = end;
    }
    return side;
}

static bool same_line(const struct line *a, const struct line *b)
{
    return a->hash == b->hash && str_eq(a->text, b->text);
}

/* --- the shortest script --- */

/* The middles of both texts, between what is common at the ends. */
struct middle {
    const struct line *left, *right;
    int64_t left_count, right_count;
    bool *removed, *added;
    size_t steps; /* left */
};

/* Row d: the place reached on diagonal k is at (k + d) / 2, for k = -d, -d + 2 … d. */
static int64_t reached(const uint32_t *row, int64_t d, int64_t k)
{
    return row[(k + d) / 2];
}

/* Whether diagonal k is reached with d edits by adding a line, from the diagonal above, or else by removing one. */
static bool comes_from_above(const uint32_t *last, int64_t d, int64_t k)
{
    return k == -d || (k != d && reached(last, d - 1, k - 1) < reached(last, d - 1, k + 1));
}

static int64_t first_step(const uint32_t *last, int64_t d, int64_t k)
{
    if (d == 0)
        return 0;
    return comes_from_above(last, d, k) ? reached(last, d - 1, k + 1) : reached(last, d - 1, k - 1) + 1;
}

static int64_t follow_equal(struct middle *middle, int64_t x, int64_t k)
{
    while (middle->steps > 0 && x < middle->left_count && x - k < middle->right_count &&
           same_line(&middle->left[x], &middle->right[x - k])) {
        x++;
        middle->steps--;
    }
    return x;
}

/* Fills row d.  True when the end of both texts is reached. */
static bool make_row(struct middle *middle, const uint32_t *last, uint32_t *row, int64_t d)
{
    for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = follow_equal(middle, first_step(last, d, k), k);
        row[(k + d) / 2] = (uint32_t)x;
        if (x >= middle->left_count && x - k >= middle->right_count)
            return true;
        middle->steps -= middle->steps > 0;
    }
    return false;
}

static void mark_script(const struct middle *middle, uint32_t *const *rows, int64_t d)
{
    int64_t k = middle->left_count - middle->right_count;
    for (; d > 0; d--) {
        int64_t x = first_step(rows[d - 1], d, k);
        if (comes_from_above(rows[d - 1], d, k)) {
            middle->added[x - k - 1] = true;
            k++;
        } else {
            middle->removed[x - 1] = true;
            k--;
        }
    }
}

static bool find_script(struct arena *arena, struct middle *middle)
{
    uint32_t **rows = arena_array(arena, uint32_t *, DIFF_EDITS_MAX + 1);
    for (size_t d = 0; d <= DIFF_EDITS_MAX && middle->steps > 0; d++) {
        rows[d] = arena_array(arena, uint32_t, d + 1);
        if (make_row(middle, d > 0 ? rows[d - 1] : NULL, rows[d], (int64_t)d)) {
            mark_script(middle, rows, (int64_t)d);
            return true;
        }
    }
    return false;
}

static void find_changes(struct arena *arena, const struct side *before, const struct side *after)
{
    size_t start = 0, end = 0;
    size_t shorter = before->count < after->count ? before->count : after->count;
    while (start < shorter && same_line(&before->lines[start], &after->lines[start]))
        start++;
    while (end < shorter - start &&
           same_line(&before->lines[before->count - 1 - end], &after->lines[after->count - 1 - end]))
        end++;
    size_t left = before->count - start - end, right = after->count - start - end;
    struct middle middle = {
        .left = before->lines + start, .left_count = (int64_t)left, .removed = before->changed + start,
        .right = after->lines + start, .right_count = (int64_t)right, .added = after->changed + start,
        .steps = DIFF_STEPS_MAX,
    };
    if (left < UINT32_MAX && right < UINT32_MAX && find_script(arena, &middle))
        return;
    memset(middle.removed, true, left);
    memset(middle.added, true, right);
}

/* --- hunks --- */

struct printer {
    struct strbuf *out;
    const struct side *before, *after;
    size_t room;     /* bytes left */
    size_t left_out; /* lines */
};

/* A place in both texts at once. */
struct spot {
    size_t i, j;
};

static void print_line(struct printer *printer, char mark, struct str line)
{
    static const char no_feed[] = "\n\\ No newline at end of file\n";
    bool feed = line.len > 0 && line.data[line.len - 1] == '\n';
    struct str tail = feed ? STR("") : STR(no_feed);
    size_t bytes = line.len + tail.len + (mark != '\0');
    if (printer->left_out > 0 || bytes > printer->room) {
        printer->left_out++;
        return;
    }
    printer->room -= bytes;
    if (mark != '\0')
        strbuf_addc(printer->out, mark);
    strbuf_add(printer->out, line);
    strbuf_add(printer->out, tail);
}

static bool is_changed(const struct printer *printer, struct spot at)
{
    return (at.i < printer->before->count && printer->before->changed[at.i]) ||
           (at.j < printer->after->count && printer->after->changed[at.j]);
}

static bool is_end(const struct printer *printer, struct spot at)
{
    return at.i >= printer->before->count && at.j >= printer->after->count;
}

/* Past one run of changed lines; prints it if asked to. */
static struct spot pass_change(struct printer *printer, struct spot at, bool print)
{
    for (; at.i < printer->before->count && printer->before->changed[at.i]; at.i++) {
        if (print)
            print_line(printer, '-', printer->before->lines[at.i].text);
    }
    for (; at.j < printer->after->count && printer->after->changed[at.j]; at.j++) {
        if (print)
            print_line(printer, '+', printer->after->lines[at.j].text);
    }
    return at;
}

static struct spot pass_equal(struct printer *printer, struct spot at, size_t most)
{
    for (; most > 0 && !is_end(printer, at) && !is_changed(printer, at); most--) {
        at.i++;
        at.j++;
    }
    return at;
}

/* Where the hunk ends whose first change is at `at`: changes so near that their context would touch are of one hunk. */
static struct spot hunk_end(struct printer *printer, struct spot at)
{
    for (;;) {
        struct spot after = pass_change(printer, at, false);
        at = pass_equal(printer, after, 2 * DIFF_CONTEXT);
        if (is_end(printer, at) || !is_changed(printer, at))
            return pass_equal(printer, after, DIFF_CONTEXT);
    }
}

static struct str range_text(struct arena *arena, size_t from, size_t to)
{
    size_t first = to > from ? from + 1 : from; /* of no lines: the one before them */
    return to - from == 1 ? str_printf(arena, "%zu", first) : str_printf(arena, "%zu,%zu", first, to - from);
}

static void print_hunk(struct arena *arena, struct printer *printer, struct spot from, struct spot to)
{
    struct str left = range_text(arena, from.i, to.i), right = range_text(arena, from.j, to.j);
    print_line(printer, '\0', str_printf(arena, "@@ -%.*s +%.*s @@\n", STR_ARG(left), STR_ARG(right)));
    for (struct spot at = from; at.i < to.i || at.j < to.j;) {
        if (is_changed(printer, at)) {
            at = pass_change(printer, at, true);
            continue;
        }
        print_line(printer, ' ', printer->before->lines[at.i].text);
        at.i++;
        at.j++;
    }
}

static void print_hunks(struct arena *arena, struct printer *printer)
{
    struct spot at = pass_equal(printer, (struct spot){0}, SIZE_MAX);
    while (!is_end(printer, at)) {
        size_t context = at.i < DIFF_CONTEXT ? at.i : DIFF_CONTEXT;
        context = at.j < context ? at.j : context;
        struct spot from = {at.i - context, at.j - context};
        struct spot to = hunk_end(printer, at);
        print_hunk(arena, printer, from, to);
        at = pass_equal(printer, to, SIZE_MAX);
    }
}

void diff_unified(struct strbuf *out, struct str before, struct str after, struct str header, size_t max_bytes)
{
    if (str_eq(before, after))
        return;
    struct arena arena;
    arena_init(&arena);
    struct side left = split_lines(&arena, before), right = split_lines(&arena, after);
    struct printer printer = {.out = out, .before = &left, .after = &right, .room = max_bytes};
    find_changes(&arena, &left, &right);
    strbuf_add(out, header);
    print_hunks(&arena, &printer);
    if (printer.left_out > 0)
        strbuf_addf(out, "(%zu more line%s)\n", printer.left_out, printer.left_out == 1 ? "" : "s");
    arena_close(&arena);
}

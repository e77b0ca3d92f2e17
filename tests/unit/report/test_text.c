/* The text report: its exact look for the demo, and what no report may do to it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "support/demo_report.h"
#include "support/demo_report_economics.h"
#include "support/rendered.h"
#include "support/report_lines.h"
#include "support/tell_json.h"

static const char *const demo_at_80[] = {
    "repo_scan",
    "Read every file in one context, or behind subagents.",
    "",
    "task       Summarise this repository.",
    "workspace  6 files, 5,640 bytes",
    "options    limit=0",
    "unit       chars; seed 0",
    "",
    "Context read (in chars)",
    "                           monolithic  delegated    split",
    "peak context                    6,144        173      428",
    "  against the baseline       baseline    −97.2 %  −93.0 %",
    "cumulative context             19,741        199      908",
    "  against the baseline       baseline    −99.0 %  −95.4 %",
    "isolated in subagents               0     19,951    9,585",
    "  worst single turn                 0      6,174    2,769",
    "  share of the total                –     99.0 %   91.3 %",
    "total                          19,741     20,150   10,493",
    "  of the baseline's total           –    102.1 %   53.2 %",
    "re-read multiplier              3.21×      1.15×    2.12×",
    "turns                               7          2        4",
    "  in subagents                      0          7        9",
    "final context                   6,161        190      445",
    "",
    "Context per turn (█ = 6,174 chars in every row)",
    "monolithic         ▁▂▂▄▆▇█  7 turns",
    "delegated          ▁▁       2 turns",
    "  /1 repo_scanner  ▁▂▂▄▆▇█  7 turns",
    "split              ▁▁▁▁     4 turns",
    "  /1 part0         ▁▂▂      3 turns",
    "  /2 part1         ▁▂▄      3 turns",
    "  /3 part2         ▁▂▃      3 turns",
    "",
    "Worth delegating? (yes when every gate passes)",
    "variant     delegate      cumulative      re-read   boundary saves",
    "monolithic  yes       19,741 ≥ 2,000  3.21 ≥ 1.50  57.4 % ≥ 30.0 %",
    "delegated   no           199 < 2,000  1.15 < 1.50   0.0 % < 30.0 %",
    "split       no           908 < 2,000  2.12 ≥ 1.50   3.3 % < 30.0 %",
    "monolithic: a boundary around its top 4 tool results saves 11,338 of 19,741",
    "chars (57.4 %, target 50.0 %).",
    "",
    "Tool results read again (* = inside the boundary)",
    "  variant     entry  tool        size  turns  re-read  begins",
    "* monolithic      3  read_file    733      6    3,665  # delegate-demo",
    "* monolithic      9  read_file  1,027      4    3,081  \"\"\"Read raw order files …",
    "* monolithic     12  read_file  1,532      3    3,064  \"\"\"Turn raw records into…",
    "* monolithic      6  read_file    382      5    1,528  [build-system]",
    "  monolithic     15  read_file    976      2      976  \"\"\"Load, parse and aggre…",
    "* split           3  task          10      3       20  Part done.",
    "* split           6  task          10      2       10  Part done.",
    "… and 3 more tool results",
    "",
    "In short",
    "monolithic read 19,741 chars to build a window of 6,144: each was read 3.2 times",
    "on average; delegated takes 97.2 % off the parent's peak, but the total rises to",
    "102.1 %, of which subagents read 99.0 %; split takes 93.0 % off the parent's",
    "peak and lowers the total to 53.2 %.",
    "",
    "Expectations (1 of 1 hold)",
    "       metric                               expected  got",
    "holds  delegated.parent_peak_savings_ratio  >= 0.5    0.9718424479166666",
    "",
    "Reproduce",
    "simagent repo_scan --seed 0",
};

static const char *const demo_at_200[] = {
    "repo_scan",
    "Read every file in one context, or behind subagents.",
    "",
    "task       Summarise this repository.",
    "workspace  6 files, 5,640 bytes",
    "options    limit=0",
    "unit       chars; seed 0",
    "",
    "Context read (in chars)",
    "                           monolithic  delegated    split",
    "peak context                    6,144        173      428",
    "  against the baseline       baseline    −97.2 %  −93.0 %",
    "cumulative context             19,741        199      908",
    "  against the baseline       baseline    −99.0 %  −95.4 %",
    "isolated in subagents               0     19,951    9,585",
    "  worst single turn                 0      6,174    2,769",
    "  share of the total                –     99.0 %   91.3 %",
    "total                          19,741     20,150   10,493",
    "  of the baseline's total           –    102.1 %   53.2 %",
    "re-read multiplier              3.21×      1.15×    2.12×",
    "turns                               7          2        4",
    "  in subagents                      0          7        9",
    "final context                   6,161        190      445",
    "",
    "Context per turn (█ = 6,174 chars in every row)",
    "monolithic         ▁▂▂▄▆▇█  7 turns",
    "delegated          ▁▁       2 turns",
    "  /1 repo_scanner  ▁▂▂▄▆▇█  7 turns",
    "split              ▁▁▁▁     4 turns",
    "  /1 part0         ▁▂▂      3 turns",
    "  /2 part1         ▁▂▄      3 turns",
    "  /3 part2         ▁▂▃      3 turns",
    "",
    "Worth delegating? (yes when every gate passes)",
    "variant     delegate      cumulative      re-read   boundary saves",
    "monolithic  yes       19,741 ≥ 2,000  3.21 ≥ 1.50  57.4 % ≥ 30.0 %",
    "delegated   no           199 < 2,000  1.15 < 1.50   0.0 % < 30.0 %",
    "split       no           908 < 2,000  2.12 ≥ 1.50   3.3 % < 30.0 %",
    "monolithic: a boundary around its top 4 tool results saves 11,338 of 19,741 chars (57.4 %, target 50.0 %).",
    "",
    "Tool results read again (* = inside the boundary)",
    "  variant     entry  tool        size  turns  re-read  begins",
    "* monolithic      3  read_file    733      6    3,665  # delegate-demo",
    "* monolithic      9  read_file  1,027      4    3,081  \"\"\"Read raw order files and split them i",
    "* monolithic     12  read_file  1,532      3    3,064  \"\"\"Turn raw records into typed rows, col",
    "* monolithic      6  read_file    382      5    1,528  [build-system]",
    "  monolithic     15  read_file    976      2      976  \"\"\"Load, parse and aggregate in one call",
    "* split           3  task          10      3       20  Part done.",
    "* split           6  task          10      2       10  Part done.",
    "… and 3 more tool results",
    "",
    "In short",
    "monolithic read 19,741 chars to build a window of 6,144: each was read 3.2 times on average; delegated takes 97.2 % off the parent's peak, but the total rises to 102.1 %, of which subagents read",
    "99.0 %; split takes 93.0 % off the parent's peak and lowers the total to 53.2 %.",
    "",
    "Expectations (1 of 1 hold)",
    "       metric                               expected  got",
    "holds  delegated.parent_peak_savings_ratio  >= 0.5    0.9718424479166666",
    "",
    "Reproduce",
    "simagent repo_scan --seed 0",
};

static const struct render_style style_80 = {.columns = 80, .reproduce = {"simagent repo_scan --seed 0", 27}};
static const struct render_style style_200 = {.columns = 200, .reproduce = {"simagent repo_scan --seed 0", 27}};

/* The two reports that the tests are made with. */
enum demo { DEMO_PLAIN, DEMO_ECONOMICS };

static struct value demo(struct arena *arena, enum demo which)
{
    char json[16384];
    struct value_builder builder;
    if (which == DEMO_PLAIN) {
        demo_report_json(json);
    } else {
        demo_economics_json(json);
    }
    value_builder_init(&builder, arena, NULL);
    tell_json(json, &builder.feed);
    assert_true(builder.complete);
    return builder.result;
}

static void test_demo(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value report = demo(&arena, DEMO_PLAIN);
    report_check_lines(rendered(&arena, "text", &report, &style_80), demo_at_80, ARRAY_LEN(demo_at_80));
    report_check_lines(rendered(&arena, "text", &report, &style_200), demo_at_200, ARRAY_LEN(demo_at_200));
    arena_close(&arena);
}

/* The widest line, leaving out the command at the end, which must not be broken. */
static size_t widest_line(struct str text)
{
    size_t widest = 0;
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n') {
            size_t columns = utf8_columns(str_slice(text, from, i));
            widest = columns > widest ? columns : widest;
            from = i + 1;
        }
    }
    return widest;
}

/* Colour adds codes and nothing else. */
static void test_colour(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value report = demo(&arena, DEMO_PLAIN);
    struct render_style colour = style_80;
    colour.colour = true;
    struct str with = rendered(&arena, "text", &report, &colour);
    struct str without = rendered(&arena, "text", &report, &style_80);
    struct strbuf bare;
    strbuf_init(&bare, &arena, with.len + 1);
    for (size_t i = 0; i < with.len; i++) {
        if (with.data[i] == '\033') {
            while (with.data[i] != 'm') {
                i++;
            }
        } else {
            strbuf_addc(&bare, with.data[i]);
        }
    }
    assert_true(with.len > without.len);
    assert_true(str_eq(strbuf_str(&bare), without));
    arena_close(&arena);
}

static void check_clean(struct str text)
{
    size_t length;
    for (size_t i = 0; i < text.len; i += length) {
        struct str rest = str_slice(text, i, text.len);
        length = utf8_sequence(rest);
        assert_true(length > 0);
        uint32_t code_point = utf8_decode(rest, &length);
        assert_true(code_point == '\n' || (code_point >= 0x20 && !utf8_is_unsafe(code_point)));
    }
}

/* A change made to a copy of a report: to the value of one number, counted depth first, or to all of them. */
struct change {
    struct arena *arena;
    size_t first, step;      /* of the targets that are tried; a step of 0 is 1 */
    size_t target;           /* SIZE_MAX: all; NO_TARGET: none, only counts */
    bool strings_only;       /* only strings and keys count */
    bool economics_only;     /* what is below a key that the plain report has too does not count */
    bool leave_out;          /* drop the member instead of putting something in its place */
    struct value substitute;
    size_t seen;
};

static struct value changed(struct change *change, const struct value *from);

static bool is_hit(struct change *change)
{
    size_t place = change->seen++;
    return change->target == SIZE_MAX || change->target == place;
}

static struct str changed_key(struct change *change, struct str key)
{
    bool hit = change->strings_only && change->target != SIZE_MAX && is_hit(change);
    return hit ? change->substitute.string : key;
}

/* Keys of lists and objects whose every value was changed in the plain report already. */
static bool is_covered(const struct change *change, struct str key)
{
    static const char *const covered[] = {"candidates", "boundary", "measurement", "isolated", "per_turn", "workspace",
                                          "comparisons", "options"};
    for (size_t i = 0; change->economics_only && i < ARRAY_LEN(covered); i++) {
        if (str_eq(key, str_of(covered[i]))) {
            return true;
        }
    }
    return false;
}

static struct value changed_object(struct change *change, const struct value *from)
{
    struct value to = *from;
    struct member *members = arena_array(change->arena, struct member, from->count + 1);
    to.count = 0;
    for (size_t i = 0; i < from->count; i++) {
        if (is_covered(change, from->members[i].key)) {
            members[to.count++] = from->members[i];
            continue;
        }
        bool dropped = change->leave_out && is_hit(change);
        struct str key = changed_key(change, from->members[i].key);
        struct value value = changed(change, &from->members[i].value);
        if (!dropped) {
            members[to.count++] = (struct member){.key = key, .value = value};
        }
    }
    to.members = members;
    return to;
}

static struct value changed(struct change *change, const struct value *from)
{
    bool counts = !change->leave_out && (!change->strings_only || from->kind == VALUE_STRING);
    if (counts && is_hit(change)) {
        return change->substitute;
    }
    if (from->kind == VALUE_OBJECT) {
        return changed_object(change, from);
    }
    struct value to = *from;
    if (from->kind == VALUE_ARRAY) {
        struct value *items = arena_array(change->arena, struct value, from->count + 1);
        for (size_t i = 0; i < from->count; i++) {
            items[i] = changed(change, &from->items[i]);
        }
        to.items = items;
    }
    return to;
}

#define NO_TARGET (SIZE_MAX - 1)

/* Renders a report with each of its values changed in turn; returns how many changes that were. */
static size_t render_changes_of(enum demo which, struct change change, size_t columns)
{
    struct arena arena;
    arena_init(&arena);
    struct value report = demo(&arena, which);
    struct render_style style = {.columns = columns};
    struct arena_mark mark = arena_mark(&arena);
    change.economics_only = which == DEMO_ECONOMICS;
    change.arena = &arena;
    change.target = NO_TARGET;
    (void)changed(&change, &report);
    size_t count = change.seen;
    for (change.target = change.first; change.target < count; change.target += change.step > 0 ? change.step : 1) {
        change.seen = 0;
        struct value copy = changed(&change, &report);
        struct str text = rendered(&arena, "text", &copy, &style);
        assert_true(text.len > 0);
        check_clean(text);
        arena_release(&arena, mark);
    }
    arena_close(&arena);
    return count;
}

/* The same of both reports; returns the smaller number. */
static size_t render_all_changes(struct change change, size_t columns)
{
    size_t plain = render_changes_of(DEMO_PLAIN, change, columns);
    size_t economics = render_changes_of(DEMO_ECONOMICS, change, columns);
    return plain < economics ? plain : economics;
}

static const struct str attacks[] = {
    {"\033[31mred", 8},             /* a colour */
    {"\033]0;title\a", 10},         /* the terminal's title */
    {"\xC2\x9B" "2J", 4},           /* C1: clears the screen */
    {"a\xE2\x80\xAE" "b", 5},       /* right-to-left override */
    {"a\xE2\x81\xA6" "b", 5},       /* isolate */
    {"\xFF\xE2\x82", 3},            /* invalid UTF-8 */
    {"secret\rshown", 12},          /* overwrites its own line */
    {"a\nb\tc\0d\x7F", 8},          /* line feed, tab, NUL, DEL */
    {"\xE2\x80\xA8", 3},            /* line separator */
};

/* The larger report takes long, so each of its strings gets every fourth attack only. */
#define ATTACK_STEP 4

/* In each string and each key on its own, and in all strings at once. */
static void test_attacks(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
        struct change change = {.strings_only = true, .substitute = {.kind = VALUE_STRING, .string = attacks[i]}};
        assert_true(render_changes_of(DEMO_PLAIN, change, 80) > 100);
        change.first = i % ATTACK_STEP;
        change.step = ATTACK_STEP;
        assert_true(render_changes_of(DEMO_ECONOMICS, change, 80) > 100);
        struct arena arena;
        arena_init(&arena);
        struct render_style style = {.columns = 80, .reproduce = attacks[i]};
        change.arena = &arena;
        change.target = SIZE_MAX;
        for (enum demo which = DEMO_PLAIN; which <= DEMO_ECONOMICS; which++) {
            struct value report = demo(&arena, which);
            struct value copy = changed(&change, &report);
            check_clean(rendered(&arena, "text", &copy, &style));
        }
        arena_close(&arena);
    }
}

static const struct member deep_member = {.key = {"rule", 4}, .value = {.kind = VALUE_INT, .integer = -1}};
static const struct value deep_item = {.kind = VALUE_OBJECT, .count = 1, .members = &deep_member};

static const struct value substitutes[] = {
    {.kind = VALUE_NULL},
    {.kind = VALUE_BOOL, .boolean = true},
    {.kind = VALUE_INT, .integer = INT64_MAX},
    {.kind = VALUE_INT, .integer = INT64_MIN},
    {.kind = VALUE_REAL, .real = 1.7976931348623157e308},
    {.kind = VALUE_REAL, .real = -5e-324},
    {.kind = VALUE_STRING, .string = {"", 0}},
    {.kind = VALUE_ARRAY, .count = 0},
    {.kind = VALUE_ARRAY, .count = 1, .items = &deep_item},
    {.kind = VALUE_OBJECT, .count = 1, .members = &deep_member},
};

/* Every value of the report becomes every other kind, and every member goes missing. */
static void test_wrong_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(substitutes); i++) {
        struct change change = {.substitute = substitutes[i]};
        assert_true(render_all_changes(change, 60 + i) > 200);
    }
    assert_true(render_all_changes((struct change){.leave_out = true}, 80) > 100);
}

struct shape {
    const char *why;
    size_t variants;
    size_t turns;
    size_t name_length;
    int64_t number;
};

static const struct shape shapes[] = {
    {"one variant that took no turn", 1, 0, 5, 0},
    {"more variants than fit side by side", 20, 5, 9, 12345},
    {"more than are shown", 250, 1, 9, 1},
    {"more turns than columns", 2, 5000, 9, 12345},
    {"long names", 3, 5, 500, 12345},
    {"numbers at the edge of their type", 3, 3, 40, INT64_MAX},
    {"numbers too wide for any table", 12, 2, 40, INT64_MAX},
};

static void tell_turns(struct feed *feed, const struct shape *shape)
{
    feed_open_array(feed, STR("per_turn"));
    for (size_t i = 0; i < shape->turns; i++) {
        feed_int(feed, shape->number / (int64_t)(i + 1));
    }
    feed_end(feed);
}

/* Lists of an item for each turn; all numbers are the shape's. */
static void tell_numbers(struct feed *feed, const char *const *keys, int64_t number)
{
    for (size_t i = 0; keys[i] != NULL; i++) {
        feed_put_int(feed, str_of(keys[i]), number);
    }
}

static void tell_rows(struct feed *feed, const struct shape *shape, const char *list, const char *name_key)
{
    static const char *const keys[] = {"turn", "size", "picodollars", "share", "cumulative", "value", "threshold", NULL};
    char name[512];
    feed_open_array(feed, str_of(list));
    for (size_t i = 0; i < shape->turns; i++) {
        snprintf(name, sizeof name, "%0*zu", (int)shape->name_length, i % 20);
        feed_begin_object(feed);
        feed_put_str(feed, str_of(name_key), str_of(name));
        feed_put_str(feed, STR("tool"), str_of(name));
        tell_numbers(feed, keys, shape->number);
        feed_end(feed);
    }
    feed_end(feed);
}

/* What a variant and its one subagent cost; the subagent, which has none of its own, stands in the list `children`. */
static void tell_shape_economics(struct feed *feed, const struct shape *shape, struct str children)
{
    static const char *const tokens[] = {"fresh", "read", "write_5m", "write_1h", "output", NULL};
    static const char *const cost[] = {"picodollars", "uncached_picodollars", NULL};
    static const char *const time[] = {"elapsed_us", "work_us", "critical_path_us", NULL};
    static const char *const amounts[] = {"limit", "used", "overshoot", NULL};
    static const char *const pools[] = {"tokens", "usd", "turns", "ms", "a pool of a name that is rather long"};
    static const char *const profiles[] = {"footprint", "a profile of a name that is rather long"};
    feed_open_object(feed, STR("tokens"));
    tell_numbers(feed, tokens, shape->number);
    feed_end(feed);
    feed_open_object(feed, STR("total"));
    feed_open_object(feed, STR("cost"));
    tell_numbers(feed, cost, shape->number);
    feed_end(feed);
    feed_end(feed);
    feed_open_object(feed, STR("time"));
    tell_numbers(feed, time, shape->number);
    feed_end(feed);
    tell_rows(feed, shape, "cache_misses", "cause");
    tell_rows(feed, shape, "composition", "kind");
    feed_open_object(feed, STR("budget"));
    for (size_t i = 0; i < ARRAY_LEN(pools); i++) {
        feed_open_object(feed, str_of(pools[i]));
        tell_numbers(feed, amounts, shape->number);
        feed_end(feed);
    }
    feed_end(feed);
    feed_open_object(feed, STR("contract"));
    feed_put_int(feed, STR("violations"), shape->number);
    feed_end(feed);
    feed_open_array(feed, STR("verdicts"));
    for (size_t i = 0; i < ARRAY_LEN(profiles); i++) {
        feed_begin_object(feed);
        feed_put_str(feed, STR("profile"), str_of(profiles[i]));
        feed_put_bool(feed, STR("delegate"), i == 0);
        tell_rows(feed, shape, i == 0 ? "triggered_rules" : "failed_rules", "rule");
        feed_end(feed);
    }
    feed_end(feed);
    if (children.len > 0) {
        feed_open_array(feed, children);
        feed_begin_object(feed);
        feed_put_str(feed, STR("run"), STR("a run of an identity that is rather long/1"));
        tell_shape_economics(feed, shape, STR(""));
        feed_end(feed);
        feed_end(feed);
    }
}

static void tell_variant(struct feed *feed, const struct shape *shape, size_t number)
{
    char name[512];
    snprintf(name, sizeof name, "%0*zu", (int)shape->name_length, number);
    feed_begin_object(feed);
    feed_put_str(feed, STR("name"), str_of(name));
    feed_open_object(feed, STR("measurement"));
    feed_put_int(feed, STR("peak"), shape->number);
    feed_put_int(feed, STR("cumulative"), shape->number);
    feed_put_real(feed, STR("reread_multiplier"), 1);
    feed_put_int(feed, STR("turn_count"), (int64_t)shape->turns);
    feed_end(feed);
    tell_turns(feed, shape);
    feed_put_int(feed, STR("total_cumulative"), shape->number);
    tell_shape_economics(feed, shape, STR("subagents"));
    feed_end(feed);
}

static struct value report_of(struct arena *arena, const struct shape *shape)
{
    struct value_builder builder;
    value_builder_init(&builder, arena, NULL);
    feed_begin_object(&builder.feed);
    feed_open_array(&builder.feed, STR("variants"));
    for (size_t i = 0; i < shape->variants; i++) {
        tell_variant(&builder.feed, shape, i);
    }
    feed_end(&builder.feed);
    feed_end(&builder.feed);
    return builder.result;
}

/* Whatever the shape, nothing is wider than the page. */
static void test_shapes(void **state)
{
    (void)state;
    static const size_t widths[] = {60, 80, 200};
    for (size_t i = 0; i < ARRAY_LEN(shapes) * ARRAY_LEN(widths); i++) {
        const struct shape *shape = &shapes[i / ARRAY_LEN(widths)];
        struct arena arena;
        arena_init(&arena);
        struct render_style style = {.columns = widths[i % ARRAY_LEN(widths)]};
        struct value report = report_of(&arena, shape);
        struct str text = rendered(&arena, "text", &report, &style);
        check_clean(text);
        if (widest_line(text) > style.columns) {
            fail_msg("%s: a line of %zu columns on a page of %zu", shape->why, widest_line(text), style.columns);
        }
        arena_close(&arena);
    }
}

/* A report that was cut off is refused, not shown. */
static void test_unfinished(void **state)
{
    (void)state;
    struct arena arena;
    struct sink sink;
    struct err err = {0};
    arena_init(&arena);
    sink_open(&sink, -1);
    struct rendering *rendering = render_find(STR("text"))->begin(&arena, &sink, &style_80);
    feed_begin_object(rendering->listen);
    assert_false(rendering->finish(rendering, &err));
    assert_int_equal(err.kind, ERR_INTERNAL);
    assert_int_equal(sink.written, 0);
    assert_true(sink_close(&sink));
    arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_demo),        cmocka_unit_test(test_colour), cmocka_unit_test(test_attacks),
        cmocka_unit_test(test_wrong_kinds), cmocka_unit_test(test_shapes), cmocka_unit_test(test_unfinished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

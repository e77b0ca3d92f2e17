#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "support/script.h"

static enum model_answer ask(const struct model_ops *ops, void *instance, struct turn *turn, struct err *err)
{
    struct request request = {0}; /* a script does not look at it */
    return ops->ask(instance, &request, turn, err);
}

static void turns_come_in_order_and_then_no_more(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    script_say(script, STR("one"));
    script_call(script, STR("tool"), NULL);
    script_stop(script, STR("two"));
    struct model model = script_model(script);
    void *instance = model.ops->begin(model.self, NULL, &f->arena, &f->err);
    struct turn turn;
    assert_int_equal(ask(model.ops, instance, &turn, &f->err), MODEL_TURN);
    assert_str(turn.text, STR("one"));
    assert_int_equal(turn.call_count, 1);
    assert_false(turn.stop);
    assert_int_equal(ask(model.ops, instance, &turn, &f->err), MODEL_TURN);
    assert_str(turn.text, STR("two"));
    assert_true(turn.stop);
    assert_int_equal(ask(model.ops, instance, &turn, &f->err), MODEL_EXHAUSTED);
    assert_int_equal(ask(model.ops, instance, &turn, &f->err), MODEL_EXHAUSTED); /* it never wraps round */
}

static void instances_share_no_cursor(void **state)
{
    struct fixture *f = *state;
    struct script *script = script_new(&f->arena);
    script_say(script, STR("one"));
    script_say(script, STR("two"));
    struct model model = script_model(script);
    void *first = model.ops->begin(model.self, NULL, &f->arena, &f->err);
    struct turn turn;
    assert_int_equal(ask(model.ops, first, &turn, &f->err), MODEL_TURN);
    void *second = model.ops->begin(model.self, NULL, &f->arena, &f->err);
    assert_int_equal(ask(model.ops, second, &turn, &f->err), MODEL_TURN);
    assert_str(turn.text, STR("one"));
    assert_int_equal(ask(model.ops, first, &turn, &f->err), MODEL_TURN);
    assert_str(turn.text, STR("two"));
}

static void an_empty_script_is_exhausted_at_once(void **state)
{
    struct fixture *f = *state;
    struct model model = script_model(script_new(&f->arena));
    void *instance = model.ops->begin(model.self, NULL, &f->arena, &f->err);
    struct turn turn;
    assert_int_equal(ask(model.ops, instance, &turn, &f->err), MODEL_EXHAUSTED);
}

static void a_call_reads_name_and_canonical_arguments(void **state)
{
    struct fixture *f = *state;
    static const struct member mixed[] = {
        {{"z", 1}, {.kind = VALUE_REAL, .real = 3.0}},
        {{"a", 1}, {.kind = VALUE_STRING, .string = {"q\"\n\xC3\xA9", 5}}},
        {{"m", 1}, {.kind = VALUE_BOOL, .boolean = true}},
        {{"B", 1}, {.kind = VALUE_INT, .integer = INT64_MAX}},
        {{"n", 1}, {.kind = VALUE_NULL}},
    };
    static const struct value object = {.kind = VALUE_OBJECT, .count = ARRAY_LEN(mixed), .members = mixed};
    static const struct value empty = {.kind = VALUE_OBJECT};
    assert_str(tool_call_content(&f->arena, STR("t"), &object),
               STR("t({\"B\":9223372036854775807,\"a\":\"q\\\"\\n\xC3\xA9\",\"m\":true,\"n\":null,\"z\":3})"));
    assert_str(tool_call_content(&f->arena, STR("t"), &empty), STR("t({})"));
    assert_str(tool_call_content(&f->arena, STR(""), NULL), STR("({})"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(turns_come_in_order_and_then_no_more),
        TEST(instances_share_no_cursor),
        TEST(an_empty_script_is_exhausted_at_once),
        TEST(a_call_reads_name_and_canonical_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

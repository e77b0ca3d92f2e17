/* Cases: what a scenario may say of the options it is tested with, and how wrong ones are answered. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "script/session.h"
#include "support/fixture.h"

static bool declared(void *self, const struct option_set *options, struct err *err)
{
    (void)self, (void)options, (void)err;
    return true;
}

/* Loads a scenario with these cases; told is "NAME{options} …". */
static bool load(struct fixture *f, const char *cases, struct str *told)
{
    struct session session;
    static const char form[] = "return { variants = { { name = 'a', model = {} } }, cases = %s }";
    struct str source = str_printf(&f->arena, form, cases);
    struct session_setup setup = {
        .file = STR("x.lua"), .stem = STR("x"), .source = source, .reader = {.declared = declared}};
    bool fine = session_open(&session, &setup, &f->err) && session_load(&session, &f->err);
    struct strbuf out;
    strbuf_init(&out, &f->arena, 4096);
    for (uint32_t i = 0; fine && i < session.scenario.case_count; i++) {
        strbuf_add(&out, session.scenario.cases[i].name);
        value_canonical(&session.scenario.cases[i].options, &out);
        strbuf_addc(&out, ' ');
    }
    *told = strbuf_str(&out);
    session_close(&session);
    return fine;
}

static void good_cases_are_read(void **state)
{
    static const struct {
        const char *cases;
        const char *told;
    } rows[] = {
        {"nil", ""},
        {"{}", ""},
        {"{ { name = 'a' } }", "a{} "},
        {"{ { name = 'B-1_', options = {} }, { name = 'a' } }", "B-1_{} a{} "}, /* as listed */
        {"{ { name = 'a', options = { s = 'x', i = 5, r = 0.5, b = false } } }",
         "a{\"b\":false,\"i\":5,\"r\":0.5,\"s\":\"x\"} "},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str told;
        if (!load(f, rows[i].cases, &told) || !str_eq(told, str_of(rows[i].told))) {
            fail_msg("%s: %.*s %s", rows[i].cases, STR_ARG(told), f->err.message);
        }
    }
}

static void bad_cases_are_answered(void **state)
{
    static const struct {
        const char *cases;
        const char *says;
    } rows[] = {
        {"5", "cases"},
        {"{ a = {} }", "cases"},
        {"{ 5 }", "cases[1]"},
        {"{ {} }", "cases[1].name: a case needs a name"},
        {"{ { name = 5 } }", "cases[1].name"},
        {"{ { name = 'a/b' } }", "letters, digits"}, /* it becomes a part of a file's name */
        {"{ { name = 'a.b' } }", "letters, digits"}, /* and would read as another test's */
        {"{ { name = ('a'):rep(65) } }", "64"},
        {"{ { name = 'a' }, { name = 'a' } }", "two cases are called \"a\""},
        {"{ { name = 'a', option = {} } }", "did you mean"},
        {"{ { name = 'a', options = 5 } }", "cases[1].options"},
        {"{ { name = 'a', options = { 1, 2 } } }", "must map names to values"},
        {"{ { name = 'a', options = { x = {} } } }", "cases[1].options.x"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct str told;
        f->err = (struct err){0};
        assert_false(load(f, rows[i].cases, &told));
        if (!strstr(f->err.message, rows[i].says)) {
            fail_msg("%s: %s", rows[i].cases, f->err.message);
        }
        assert_int_equal(f->err.kind, ERR_SCENARIO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_cases_are_read, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(bad_cases_are_answered, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

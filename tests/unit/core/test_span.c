#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/span.h"

/* Every small span against counting turn by turn. */
static void turns_are_those_that_have_it(void **state)
{
    (void)state;
    for (uint32_t birth = 1; birth <= 6; birth++) {
        for (uint32_t death = birth; death <= 9; death++) {
            struct span span = {birth, death == 9 ? SPAN_FOREVER : death};
            uint32_t counted = 0;
            assert_int_equal(span_turns(span, 0), 0);
            for (uint32_t last = 1; last <= 8; last++) {
                counted += span_has(span, last);
                assert_int_equal(span_turns(span, last), counted);
            }
        }
    }
}

static void a_life_is_half_open(void **state)
{
    (void)state;
    struct span span = {3, 5};
    assert_false(span_has(span, 2));
    assert_true(span_has(span, 3));
    assert_true(span_has(span, 4));
    assert_false(span_has(span, 5));
    assert_true(span_has((struct span){1, SPAN_FOREVER}, SPAN_FOREVER - 1));
}

static void an_entry_that_no_turn_saw_has_no_turns(void **state)
{
    (void)state;
    assert_int_equal(span_turns((struct span){4, 4}, 9), 0);
    assert_int_equal(span_turns((struct span){4, SPAN_FOREVER}, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_those_that_have_it),
        cmocka_unit_test(a_life_is_half_open),
        cmocka_unit_test(an_entry_that_no_turn_saw_has_no_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Correctly rounded functions: compared with MPFR at 300 bits, and proven to be what Lua's `^` computes with. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <mpfr.h>

#include "base/check.h"
#include "base/rng.h"
#include "script/exact_math.h"

#define ROUNDS 4000
#define WIDE_BITS 300 /* a tie that needs more would be a very rare one */

typedef int wide_unary(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int wide_binary(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void assert_same(double got, double wanted)
{
    if (isnan(wanted))
        assert_true(isnan(got) && !signbit(got));
    else
        assert_int_equal(bits_of(got), bits_of(wanted));
}

/* An independent road to the same double: many bits in the full exponent range, then one conversion by mpfr_get_d,
 which
 * rounds to the nearest double, subnormals included. */
static double wide(wide_unary *one, wide_binary *two, double x, double y)
{
    mpfr_t a, b, r;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_inits2(DBL_MANT_DIG, a, b, (mpfr_ptr)0);
    mpfr_init2(r, WIDE_BITS);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    if (one != NULL)
        one(r, a, MPFR_RNDN);
    else
        two(r, a, b, MPFR_RNDN);
    double result = mpfr_get_d(r, MPFR_RNDN);
    mpfr_clears(a, b, r, (mpfr_ptr)0);
    return result;
}

/* Any bit pattern, or a number of ordinary size: both kinds of argument matter. */
static double argument(struct rng *rng)
{
    uint64_t choice = rng_next(rng) % 4;
    if (choice == 0)
        return double_of(rng_next(rng));
    if (choice == 1)
        return (double)rng_between(rng, -20, 20);
    return (rng_real(rng) - 0.5) * (choice == 2 ? 4 : 1500);
}

static const struct {
    const char *name;
    double (*exact)(double);
    wide_unary *wide;
} unary_rows[] = {
    {"exp", exact_math_exp, mpfr_exp},       {"log", exact_math_log, mpfr_log},
    {"log2", exact_math_log2, mpfr_log2},    {"log10", exact_math_log10, mpfr_log10},
    {"sin", exact_math_sin, mpfr_sin},       {"cos", exact_math_cos, mpfr_cos},
    {"tan", exact_math_tan, mpfr_tan},       {"asin", exact_math_asin, mpfr_asin},
    {"acos", exact_math_acos, mpfr_acos},
};

static void test_unary_functions_are_the_nearest_double(void **unused)
{
    (void)unused;
    for (size_t row = 0; row < ARRAY_LEN(unary_rows); row++) {
        struct rng rng;
        rng_init(&rng, 1, str_of(unary_rows[row].name));
        for (int i = 0; i < ROUNDS / 8; i++) {
            double x = argument(&rng);
            assert_same(unary_rows[row].exact(x), wide(unary_rows[row].wide, NULL, x, 0));
        }
    }
}

static void test_binary_functions_are_the_nearest_double(void **unused)
{
    struct rng rng;
    (void)unused;
    rng_init(&rng, 2, STR("binary"));
    for (int i = 0; i < ROUNDS; i++) {
        double x = argument(&rng);
        double y = argument(&rng);
        assert_same(exact_math_atan2(y, x), wide(NULL, mpfr_atan2, y, x));
        assert_same(exact_math_pow(x, y), wide(NULL, mpfr_pow, x, y));
    }
}

/* The borders, where a range set wrongly or a short cut taken wrongly would show. */
static const struct {
    double x;
    double y;
} pow_rows[] = {
    {2, -1074}, {2, -1075}, {2, -1076}, {2, 1023}, {2, 1024},           /* least, half of it, greatest */
    {0.5, 1074}, {1.5, -1800}, {3, -677}, {10, -323}, {10, 308},        /* subnormal results */
    {-2, 3}, {-2, -3}, {-0.0, 3}, {-0.0, -3}, {0, -2}, {-0.0, 0.5},     /* signs */
    {-8, 1.0 / 3}, {-1, INFINITY}, {0.5, INFINITY}, {-INFINITY, 0.5},   /* no real result, limits */
    {1, NAN}, {NAN, 0}, {NAN, 1}, {2, NAN}, {NAN, 2}, {NAN, -1},        /* NaN */
    {3, 33}, {3, 34}, {7, 18}, {7, 19}, {9007199254740993.0, 1},        /* either side of 2^53 */
    {0x1p-1074, 2}, {0x1p-1074, 0.5}, {0x1p-1074, -1}, {1e308, -1},     /* short cuts at the ends of the range */
};

static void test_pow_at_the_borders(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LEN(pow_rows); i++)
        assert_same(exact_math_pow(pow_rows[i].x, pow_rows[i].y), wide(NULL, mpfr_pow, pow_rows[i].x, pow_rows[i].y));
}

static void test_exp_is_rounded_once_where_results_are_subnormal(void **unused)
{
    (void)unused;
    for (double x = -745.2; x < -708; x += 0.037)
        assert_same(exact_math_exp(x), wide(mpfr_exp, NULL, x, 0));
    assert_same(exact_math_exp(-746), 0.0);
    assert_same(exact_math_exp(710), (double)INFINITY);
}

static void test_the_programs_pow_is_the_one_that_libraries_find(void **unused)
{
    double (*here)(double, double) = pow;
    void *found = dlsym(RTLD_DEFAULT, "pow");
    (void)unused;
    assert_non_null(found);
    assert_memory_equal(&found, &here, sizeof found);
}

static double lua_power(lua_State *L, double x, double y)
{
    lua_pushnumber(L, x);
    lua_pushnumber(L, y);
    lua_arith(L, LUA_OPPOW);
    double result = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return result;
}

/* `x^y` of the virtual machine and of constants, on 10000 inputs. */
static void test_lua_raises_to_a_power_exactly(void **unused)
{
    lua_State *L = luaL_newstate();
    struct rng rng;
    (void)unused;
    rng_init(&rng, 3, STR("lua"));
    for (int i = 0; i < 10000; i++) {
        double x = rng_real(&rng) * 100;
        double y = (rng_real(&rng) - 0.5) * 40;
        assert_same(lua_power(L, x, y), wide(NULL, mpfr_pow, x, y));
    }
    assert_int_equal(luaL_dostring(L, "local x, y = 1.7, 12.3 return x^y, 1.7^12.3"), LUA_OK);
    assert_same(lua_tonumber(L, -2), wide(NULL, mpfr_pow, 1.7, 12.3));
    assert_same(lua_tonumber(L, -1), wide(NULL, mpfr_pow, 1.7, 12.3));
    lua_close(L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary_functions_are_the_nearest_double),
        cmocka_unit_test(test_binary_functions_are_the_nearest_double),
        cmocka_unit_test(test_pow_at_the_borders),
        cmocka_unit_test(test_exp_is_rounded_once_where_results_are_subnormal),
        cmocka_unit_test(test_the_programs_pow_is_the_one_that_libraries_find),
        cmocka_unit_test(test_lua_raises_to_a_power_exactly),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}

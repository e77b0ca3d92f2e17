#include "script/exact_math.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <mpfr.h>

#define DOUBLE_BITS 53
#define DOUBLE_EMIN (-1073) /* of MPFR's significand in [1/2, 1): the least double is 2^-1074 */
#define DOUBLE_EMAX 1024
#define EXACT_INTEGER_MAX 9007199254740992.0 /* 2^53 */

typedef int unary_operation(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
typedef int binary_operation(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding);

/* MPFR keeps the exponent range for the whole thread; setting it is two stores. */
static void range_set(void)
{
    mpfr_set_emin(DOUBLE_EMIN);
    mpfr_set_emax(DOUBLE_EMAX);
}

static double result_double(mpfr_ptr result, int ternary)
{
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    double value = mpfr_get_d(result, MPFR_RNDN);
    return isnan(value) ? (double)NAN : value;
}

static double apply(unary_operation *operation, double x)
{
    MPFR_DECL_INIT(argument, DOUBLE_BITS);
    MPFR_DECL_INIT(result, DOUBLE_BITS);
    range_set();
    mpfr_set_d(argument, x, MPFR_RNDN);
    int ternary = operation(result, argument, MPFR_RNDN);
    return result_double(result, ternary);
}

static double apply_two(binary_operation *operation, double x, double y)
{
    MPFR_DECL_INIT(first, DOUBLE_BITS);
    MPFR_DECL_INIT(second, DOUBLE_BITS);
    MPFR_DECL_INIT(result, DOUBLE_BITS);
    range_set();
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    int ternary = operation(result, first, second, MPFR_RNDN);
    return result_double(result, ternary);
}

/* An integer to a small integer power whose every product is exact: most of what scenarios compute. */
static bool pow_integer(double x, double y, double *power)
{
    if (!(y >= 0 && y <= 64 && y == floor(y) && x == floor(x) && fabs(x) < EXACT_INTEGER_MAX))
        return false;
    double product = 1;
    for (int i = 0; i < (int)y; i++) {
        product *= x;
        if (fabs(product) > EXACT_INTEGER_MAX)
            return false;
    }
    *power = product;
    return true;
}

double exact_math_exp(double x)
{
    return apply(mpfr_exp, x);
}

double exact_math_log(double x)
{
    return apply(mpfr_log, x);
}

double exact_math_log2(double x)
{
    return apply(mpfr_log2, x);
}

double exact_math_log10(double x)
{
    return apply(mpfr_log10, x);
}

double exact_math_sin(double x)
{
    return apply(mpfr_sin, x);
}

double exact_math_cos(double x)
{
    return apply(mpfr_cos, x);
}

double exact_math_tan(double x)
{
    return apply(mpfr_tan, x);
}

double exact_math_asin(double x)
{
    return apply(mpfr_asin, x);
}

double exact_math_acos(double x)
{
    return apply(mpfr_acos, x);
}

double exact_math_atan2(double y, double x)
{
    return apply_two(mpfr_atan2, y, x);
}

/* One multiplication, division or square root is correctly rounded by IEEE 754, so those need no MPFR. */
double exact_math_pow(double x, double y)
{
    double power;
    if (y == 2)
        return isnan(x) ? (double)NAN : x * x;
    if (y == -1)
        return isnan(x) ? (double)NAN : 1 / x;
    if (y == 0.5 && x > 0)
        return sqrt(x);
    if (pow_integer(x, y, &power))
        return power;
    return apply_two(mpfr_pow, x, y);
}

double pow(double x, double y)
{
    return exact_math_pow(x, y);
}

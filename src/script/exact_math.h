/* Correctly rounded elementary functions: the same double on every machine.
 *
 * The C library picks its code by CPU (with or without FMA), and its exp, log, pow and trigonometry then differ in the
 * last bit.  These come from MPFR with 53 bits, round to nearest, subnormals included; there is one right answer.
 * Special values are those of C's <math.h>, but every NaN that comes out is the positive quiet one.
 *
 * The file also defines the C library's `pow` itself: the VM calls it for `x^y`, and no library function can be
 * replaced there.  A program gets it by linking this file and exporting the symbol (CMakeLists.txt).
 */
#ifndef SCRIPT_EXACT_MATH_H
#define SCRIPT_EXACT_MATH_H

double exact_math_exp(double x);
double exact_math_log(double x);
double exact_math_log2(double x);
double exact_math_log10(double x);
double exact_math_sin(double x);
double exact_math_cos(double x);
double exact_math_tan(double x);
double exact_math_asin(double x);
double exact_math_acos(double x);
double exact_math_atan2(double y, double x);
double exact_math_pow(double x, double y);

#endif

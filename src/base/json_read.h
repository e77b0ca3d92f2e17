/* Json read: a whole small JSON document as a value.
 *
 * Reads reports and other documents of a few megabytes.  Strict about the form (RFC 8259: nothing missing, nothing
 * more, nothing after the end), exact about numbers, and tolerant of strings as they are found in real files.
 *
 *  I1  A number without fraction and exponent is a VALUE_INT, any other a VALUE_REAL; what int64 does not hold, and
 *      what is beyond every double, is an error and never a nearby number.
 *  I2  Strings keep all they hold: NUL, bytes that are no UTF-8.  A surrogate that is not half of a pair becomes
 *      U+FFFD.
 *  I3  Members keep their order, and those with the same key are all kept.
 *  I4  When reading fails, the message starts with NAME:LINE:BYTE, both from 1, and the arena is as it was before.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/err.h"
#include "base/str.h"
#include "base/value.h"

struct arena;

/* Reads all of `bytes`, at most JSON_DEPTH_MAX (base/json_write.h) levels deep; `name` is for messages.  ERR_IO.  The
 * value lives in the arena and does not point into `bytes`. */
MUST_USE bool json_read_value(struct arena *arena, struct str bytes, const char *name, struct value *out,
                              struct err *err);

#endif

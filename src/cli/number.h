/* Numbers of the command line: whole, decimal, in full or not at all.
 *
 * strtoll takes "12abc", " 12" and "99999999999999999999" for numbers; a limit that was misread is no limit.
 */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* [-+]digits within int64; false otherwise, and *number is untouched. */
bool number_parse(struct str text, int64_t *number);

/* [-+]digits of any length: a whole number, whether int64 holds it or not. */
bool number_is_whole(struct str text);

/* digits with an optional K, M or G (1024 each), upper or lower case. */
bool number_parse_size(struct str text, int64_t *bytes);

#endif

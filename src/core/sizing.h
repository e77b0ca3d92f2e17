/* Sizing: how large a piece of content is, in the scenario's unit.
 *
 * `chars` are Unicode code points (each invalid byte counts one), `bytes` are bytes, `tokens` are estimated as
 * ceil(bytes / bytes_per_token).  Measured rates: 2.7 to 2.9 bytes a token for tool results of real sessions, 3.85 for
 * the o200k tokenizer on mixed source code; 3 is the default.
 */
#ifndef CORE_SIZING_H
#define CORE_SIZING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum unit { UNIT_CHARS, UNIT_BYTES, UNIT_TOKENS };

struct sizing {
    enum unit unit;
    int64_t millionth_bytes_per_token; /* 3,000,000 = 3 bytes a token; exact, so that the ceiling is too */
};

#define SIZING_DEFAULT_RATE INT64_C(3000000)

/* Size of a content of less than 4 GiB.  O(bytes) for chars, else O(1). */
int64_t sizing_of(const struct sizing *sizing, struct str content);

const char *unit_name(enum unit unit);
bool unit_find(struct str name, enum unit *unit);

#endif

#include "core/sizing.h"

#include "base/utf8.h"

static const char *const unit_names[] = {[UNIT_CHARS] = "chars", [UNIT_BYTES] = "bytes", [UNIT_TOKENS] = "tokens"};

/* bytes * 10^6 stays below 2^63 because a content is shorter than 4 GiB. */
static int64_t estimate_tokens(int64_t bytes, int64_t millionths)
{
    CHECK(millionths > 0);
    int64_t scaled = bytes * INT64_C(1000000);
    return scaled / millionths + (scaled % millionths != 0);
}

int64_t sizing_of(const struct sizing *sizing, struct str content)
{
    CHECK(content.len < UINT32_MAX);
    switch (sizing->unit) {
    case UNIT_CHARS:
        return utf8_count(content);
    case UNIT_BYTES:
        return (int64_t)content.len;
    case UNIT_TOKENS:
        return estimate_tokens((int64_t)content.len, sizing->millionth_bytes_per_token);
    }
    UNREACHABLE();
    return 0;
}

const char *unit_name(enum unit unit)
{
    return unit_names[unit];
}

bool unit_find(struct str name, enum unit *unit)
{
    for (size_t i = 0; i < ARRAY_LEN(unit_names); i++) {
        if (str_eq(name, str_of(unit_names[i]))) {
            *unit = (enum unit)i;
            return true;
        }
    }
    return false;
}

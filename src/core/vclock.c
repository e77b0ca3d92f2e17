#include "core/vclock.h"

const struct latency latency_none = {.parallel_calls = PARALLEL_CALLS_DEFAULT};

static int64_t to_us(int64_t nanoseconds)
{
    return nanoseconds / 1000 + (nanoseconds % 1000 >= 500);
}

static int64_t reading_ns(const struct latency *latency, const struct usage *usage)
{
    int64_t uncached = usage_context(usage) - usage->read;
    return checked_add(checked_mul(uncached, latency->per_input_ns), checked_mul(usage->read, latency->per_cached_ns));
}

int64_t latency_until_response(const struct latency *latency, const struct usage *usage)
{
    return checked_add(latency->base_us, to_us(reading_ns(latency, usage)));
}

int64_t latency_of_turn(const struct latency *latency, const struct usage *usage)
{
    int64_t writing_ns = checked_mul(usage->output, latency->per_output_ns);
    return checked_add(latency->base_us, to_us(checked_add(reading_ns(latency, usage), writing_ns)));
}

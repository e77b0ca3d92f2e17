/* Cache: what a request reads, writes and loses, by time, size, distance and scope. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/cache.h"
#include "support/fixture.h"

#define MINUTES INT64_C(60000000)

/* One run that asks: its transcript and its side of the cache. */
struct side {
    struct transcript transcript;
    struct cache_rule rule;
    struct cache_reader reader;
};

static struct side *side_new(struct fixture *f, struct cache_rule rule, struct cache_scope *scope)
{
    struct side *side = arena_new(&f->arena, struct side);
    f->sizing = (struct sizing){UNIT_TOKENS, 1000000}; /* a byte is a token */
    transcript_init(&side->transcript, &f->arena, &f->sizing);
    side->rule = rule;
    cache_reader_init(&side->reader, &side->rule, scope, &f->arena);
    return side;
}

static void add(struct side *side, enum role role, const char *content)
{
    transcript_append(&side->transcript, role, NAME_NONE, str_of(content));
}

/* Grows the user's part by so many tokens. */
static void grow(struct side *side, int64_t tokens)
{
    transcript_append_sized(&side->transcript, ROLE_USER, NAME_NONE, (struct str){0}, tokens);
}

/* A request at an instant whose response begins so much later. */
static struct cache_answer request(struct side *side, struct instant now, int64_t until_us)
{
    transcript_begin_turn(&side->transcript);
    struct cache_answer answer = cache_ask(&side->reader, &side->transcript, now);
    cache_leave(&side->reader, &side->transcript, now, (struct instant){now.us + until_us, now.ticks + 1});
    int64_t context = transcript_context(&side->transcript, transcript_turns(&side->transcript));
    assert_true(usage_context(&answer.usage) == context);
    return answer;
}

static struct cache_answer request_at(struct side *side, int64_t us)
{
    return request(side, (struct instant){us, (int64_t)transcript_turns(&side->transcript)}, 0);
}

static void assert_usage(struct cache_answer answer, struct usage want)
{
    if (memcmp(&answer.usage, &want, sizeof want) != 0)
        print_error("fresh %ld read %ld 5m %ld 1h %ld\n", (long)answer.usage.fresh, (long)answer.usage.read,
                    (long)answer.usage.write_5m, (long)answer.usage.write_1h);
    assert_memory_equal(&answer.usage, &want, sizeof want);
}

static void assert_miss(struct cache_answer answer, enum miss_cause cause, int64_t lost)
{
    assert_true(answer.missed);
    assert_int_equal(answer.cause, cause);
    assert_true(answer.lost == lost);
}

static void without_a_cache_all_is_fresh(void **state)
{
    struct fixture *f = *state;
    struct side *side = side_new(f, cache_off, NULL);
    for (int64_t turn = 1; turn <= 3; turn++) {
        grow(side, 5000);
        struct cache_answer answer = request_at(side, 0);
        assert_usage(answer, (struct usage){.fresh = 5000 * turn});
        assert_false(answer.missed); /* what is never kept is never missed */
    }
}

static void what_was_written_is_read_and_the_rest_written(void **state)
{
    struct fixture *f = *state;
    struct side *five = side_new(f, (struct cache_rule){.ttl = CACHE_5M}, NULL);
    struct side *hour = side_new(f, (struct cache_rule){.ttl = CACHE_1H}, NULL);
    for (int64_t turn = 0; turn < 4; turn++) {
        grow(five, 10);
        grow(hour, 10);
        assert_usage(request_at(five, turn), (struct usage){.read = turn * 10, .write_5m = 10});
        assert_usage(request_at(hour, turn), (struct usage){.read = turn * 10, .write_1h = 10});
    }
}

/* How long after the last request, and whether it is still warm: at the ttl it is, a microsecond later not. */
static const struct {
    enum cache_ttl ttl;
    int64_t after_us;
    bool warm;
} warmth[] = {
    {CACHE_5M, 0, true},
    {CACHE_5M, 5 * MINUTES - 1, true},
    {CACHE_5M, 5 * MINUTES, true},
    {CACHE_5M, 5 * MINUTES + 1, false},
    {CACHE_1H, 5 * MINUTES + 1, true},
    {CACHE_1H, 60 * MINUTES, true},
    {CACHE_1H, 60 * MINUTES + 1, false},
};

static void warm_is_to_the_microsecond(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 2 * ARRAY_LEN(warmth); i++) {
        size_t row = i / 2;
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *side = side_new(f, (struct cache_rule){.ttl = warmth[row].ttl, .shared = i % 2}, &scope);
        grow(side, 100);
        request(side, (struct instant){7, 0}, 2 * MINUTES); /* counted from the request, not from its response */
        grow(side, 1);
        struct cache_answer answer = request(side, (struct instant){7 + warmth[row].after_us, 1}, 0);
        if (warmth[row].after_us > 2 * MINUTES || !side->rule.shared)
            assert_true(answer.usage.read == (warmth[row].warm ? 100 : 0));
        assert_true(answer.missed == (answer.usage.read == 0));
        if (answer.missed)
            assert_miss(answer, MISS_TTL, 100);
    }
}

static void each_use_keeps_warm(void **state)
{
    struct fixture *f = *state;
    struct side *side = side_new(f, (struct cache_rule){.ttl = CACHE_5M}, NULL);
    grow(side, 100);
    for (int64_t turn = 0; turn < 5; turn++)
        assert_true(request_at(side, turn * 5 * MINUTES).usage.read == (turn ? 100 : 0));
    assert_miss(request_at(side, 4 * 5 * MINUTES + 5 * MINUTES + 1), MISS_TTL, 100);
    assert_true(request_at(side, 6 * 5 * MINUTES + 1).usage.read == 100); /* a miss writes again */
}

static void small_requests_are_not_kept(void **state)
{
    struct fixture *f = *state;
    for (int shared = 0; shared < 2; shared++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *side = side_new(f, (struct cache_rule){CACHE_5M, .min_tokens = 100, .shared = shared}, &scope);
        grow(side, 98);
        assert_usage(request_at(side, 0), (struct usage){.fresh = 98});
        grow(side, 1);
        struct cache_answer answer = request_at(side, 1);
        assert_usage(answer, (struct usage){.fresh = 99});
        assert_miss(answer, MISS_BELOW_MINIMUM, 98);
        grow(side, 1);
        answer = request_at(side, 2);
        assert_usage(answer, (struct usage){.write_5m = 100}); /* exactly the minimum is kept */
        assert_miss(answer, MISS_BELOW_MINIMUM, 99);
        grow(side, 1);
        answer = request_at(side, 3);
        assert_usage(answer, (struct usage){.read = 100, .write_5m = 1});
        assert_false(answer.missed);
    }
}

/* A prefix that ends more than two entries before the end is out of sight. */
static void a_prefix_too_far_back_is_lost(void **state)
{
    struct fixture *f = *state;
    for (int shared = 0; shared < 2; shared++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *side = side_new(f, (struct cache_rule){CACHE_5M, .lookback = 2, .shared = shared}, &scope);
        grow(side, 10);
        request_at(side, 0);
        grow(side, 10);
        grow(side, 10);
        assert_usage(request_at(side, 1), (struct usage){.read = 10, .write_5m = 20});
        grow(side, 10);
        grow(side, 10);
        grow(side, 10);
        struct cache_answer answer = request_at(side, 2);
        assert_usage(answer, (struct usage){.write_5m = 60});
        assert_miss(answer, MISS_LOOKBACK, 30);
    }
}

static struct side *sibling(struct fixture *f, struct cache_scope *scope, const char *system, const char *user)
{
    struct side *side = side_new(f, (struct cache_rule){CACHE_5M, .shared = true}, scope);
    transcript_append(&side->transcript, ROLE_SYSTEM, 0, STR("the tools")); /* 9 tokens */
    add(side, ROLE_SYSTEM, system);
    add(side, ROLE_USER, user);
    return side;
}

/* A second run of the variant, and how much of "the tools", "system" and "prompt" it reads. */
static void siblings_share_whole_entries(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *system, *user;
        int64_t read;
    } rows[] = {
        {"system", "prompt", 9 + 6 + 6}, /* the whole request */
        {"system", "promp", 9 + 6},      /* an entry is shared whole or not at all */
        {"system", "prompt!", 9 + 6},
        {"other", "prompt", 9},
        {"syste", "mprompt", 9}, /* equal bytes, cut elsewhere */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        request_at(sibling(f, &scope, "system", "prompt"), 0);
        struct cache_answer answer = request_at(sibling(f, &scope, rows[i].system, rows[i].user), 1);
        assert_true(answer.usage.read == rows[i].read);
        assert_false(answer.missed); /* a first request misses nothing */
    }
}

/* A prefix inside a request, where no request ended and no system entry stands, was not written. */
static void only_breakpoints_are_written(void **state)
{
    struct fixture *f = *state;
    struct cache_scope scope;
    cache_scope_init(&scope, &f->arena);
    struct side *long_one = sibling(f, &scope, "system", "prompt");
    add(long_one, ROLE_ASSISTANT, "answer");
    request_at(long_one, 0);
    assert_true(request_at(sibling(f, &scope, "system", "prompt"), 1).usage.read == 9 + 6);
}

/* Entries that differ in role, name or size are different, whatever their bytes. */
static void all_that_a_request_shows_is_compared(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum role role;
        uint32_t name;
        int64_t size;
        const char *content;
        bool same;
    } rows[] = {
        {ROLE_TOOL_RESULT, 1, 5, "bytes", true},  {ROLE_TOOL_CALL, 1, 5, "bytes", false},
        {ROLE_TOOL_RESULT, 2, 5, "bytes", false}, {ROLE_TOOL_RESULT, 1, 6, "bytes", false},
        {ROLE_TOOL_RESULT, 1, 5, "bytez", false}, {ROLE_TOOL_RESULT, 1, 5, "", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *first = side_new(f, (struct cache_rule){CACHE_5M, .shared = true}, &scope);
        struct side *second = side_new(f, first->rule, &scope);
        transcript_append_sized(&first->transcript, ROLE_TOOL_RESULT, 1, STR("bytes"), 5);
        transcript_append_sized(&second->transcript, rows[i].role, rows[i].name, str_of(rows[i].content), rows[i].size);
        request_at(first, 0);
        assert_true(request_at(second, 1).usage.read == (rows[i].same ? 5 : 0));
    }
}

/* The first response begins at (1000 us, tick 1): who asks before it has begun reads nothing. */
static void a_prefix_is_visible_once_its_response_begins(void **state)
{
    struct fixture *f = *state;
    static const struct {
        struct instant now;
        int64_t read;
    } rows[] = {
        {{0, 0}, 0}, {{0, 5}, 0}, {{999, 9}, 0}, {{1000, 0}, 0}, {{1000, 1}, 21}, {{1001, 0}, 21},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        request(sibling(f, &scope, "system", "prompt"), (struct instant){0, 0}, 1000);
        struct cache_answer answer = request(sibling(f, &scope, "system", "prompt"), rows[i].now, 1000);
        assert_true(answer.usage.read == rows[i].read);
    }
}

/* Two write the same at once; the one that answers first is the one that is seen first. */
static void the_quicker_of_two_writers_counts(void **state)
{
    struct fixture *f = *state;
    for (int quick = 0; quick < 2; quick++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        request(sibling(f, &scope, "system", "prompt"), (struct instant){0, 0}, quick == 0 ? 10 : 1000);
        request(sibling(f, &scope, "system", "prompt"), (struct instant){0, 0}, quick == 1 ? 10 : 1000);
        assert_true(request_at(sibling(f, &scope, "system", "prompt"), 500).usage.read == 21);
    }
}

/* A use by one keeps it warm for all, for as long as the user's own ttl says. */
static void a_siblings_use_keeps_warm(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum cache_ttl user; /* who asks after four minutes */
        int64_t then;        /* when the third asks */
        int64_t read;
    } rows[] = {
        {CACHE_OFF, 5 * MINUTES, 21},   {CACHE_OFF, 5 * MINUTES + 1, 0}, {CACHE_5M, 9 * MINUTES, 21},
        {CACHE_5M, 9 * MINUTES + 1, 0}, {CACHE_1H, 64 * MINUTES, 21},    {CACHE_1H, 64 * MINUTES + 1, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        request_at(sibling(f, &scope, "system", "prompt"), 0);
        struct side *user = sibling(f, &scope, "system", "prompt");
        user->rule.ttl = rows[i].user;
        cache_reader_init(&user->reader, &user->rule, &scope, &f->arena);
        request_at(user, 4 * MINUTES);
        assert_true(request_at(sibling(f, &scope, "system", "prompt"), rows[i].then).usage.read == rows[i].read);
    }
}

/* One that goes on from a prefix keeps it warm by reading it; a shorter ttl takes nothing from a longer one. */
static void reading_keeps_warm_and_never_cools(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum cache_ttl writer, reader;
        int64_t then;
        int64_t read;
    } rows[] = {
        {CACHE_5M, CACHE_5M, 9 * MINUTES, 21},  {CACHE_5M, CACHE_5M, 9 * MINUTES + 1, 0},
        {CACHE_1H, CACHE_5M, 60 * MINUTES, 21}, {CACHE_5M, CACHE_1H, 64 * MINUTES, 21},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *writer = sibling(f, &scope, "system", "prompt");
        struct side *reader = sibling(f, &scope, "system", "prompt");
        writer->rule.ttl = rows[i].writer;
        reader->rule.ttl = rows[i].reader;
        add(reader, ROLE_ASSISTANT, "more"); /* so that it writes another end */
        request_at(writer, 0);
        assert_true(request_at(reader, 4 * MINUTES).usage.read == 21);
        assert_true(request_at(sibling(f, &scope, "system", "prompt"), rows[i].then).usage.read == rows[i].read);
    }
}

/* What went cold and is written again is seen only when the new response has begun. */
static void what_is_written_again_is_new(void **state)
{
    struct fixture *f = *state;
    struct cache_scope scope;
    cache_scope_init(&scope, &f->arena);
    request(sibling(f, &scope, "system", "prompt"), (struct instant){0, 0}, 0);
    request(sibling(f, &scope, "system", "prompt"), (struct instant){6 * MINUTES, 0}, 1000);
    struct side *early = sibling(f, &scope, "system", "prompt");
    assert_true(request(early, (struct instant){6 * MINUTES + 9, 0}, 1).usage.read == 0);
    assert_true(request_at(sibling(f, &scope, "system", "prompt"), 6 * MINUTES + 10).usage.read == 0);
    assert_true(request_at(sibling(f, &scope, "system", "prompt"), 6 * MINUTES + 11).usage.read == 21);
}

/* The reader's own minimum decides what it may read; the writer's, what is written. */
static void minima_are_each_runs_own(void **state)
{
    struct fixture *f = *state;
    static const struct {
        int64_t writer, reader, read;
    } rows[] = {{0, 0, 21}, {21, 21, 21}, {22, 0, 0}, {0, 22, 0}, {21, 0, 21}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct cache_scope scope;
        cache_scope_init(&scope, &f->arena);
        struct side *writer = sibling(f, &scope, "system", "prompt");
        struct side *reader = sibling(f, &scope, "system", "prompt");
        writer->rule.min_tokens = rows[i].writer;
        reader->rule.min_tokens = rows[i].reader;
        request_at(writer, 0);
        assert_true(request_at(reader, 1).usage.read == rows[i].read);
    }
}

static void scope_run_never_looks_at_others(void **state)
{
    struct fixture *f = *state;
    struct cache_scope scope;
    cache_scope_init(&scope, &f->arena);
    struct side *first = side_new(f, (struct cache_rule){.ttl = CACHE_5M}, &scope);
    struct side *second = side_new(f, (struct cache_rule){.ttl = CACHE_5M}, &scope);
    grow(first, 50);
    grow(second, 50);
    request_at(first, 0);
    assert_usage(request_at(second, 1), (struct usage){.write_5m = 50});
}

static void causes_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"model_switch", "prefix_changed", "below_minimum", "lookback", "ttl"};
    for (int i = 0; i < (int)ARRAY_LEN(names); i++)
        assert_string_equal(miss_cause_name((enum miss_cause)i), names[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_a_cache_all_is_fresh),
        TEST(what_was_written_is_read_and_the_rest_written),
        TEST(warm_is_to_the_microsecond),
        TEST(each_use_keeps_warm),
        TEST(small_requests_are_not_kept),
        TEST(a_prefix_too_far_back_is_lost),
        TEST(siblings_share_whole_entries),
        TEST(only_breakpoints_are_written),
        TEST(all_that_a_request_shows_is_compared),
        TEST(a_prefix_is_visible_once_its_response_begins),
        TEST(the_quicker_of_two_writers_counts),
        TEST(a_siblings_use_keeps_warm),
        TEST(reading_keeps_warm_and_never_cools),
        TEST(what_is_written_again_is_new),
        TEST(minima_are_each_runs_own),
        TEST(scope_run_never_looks_at_others),
        TEST(causes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

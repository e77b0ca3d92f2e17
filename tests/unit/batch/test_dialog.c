/* Dialog: children that have broken out of Lua: what they try, and what they claim, is noticed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "batch/access.h"
#include "batch/frame.h"
#include "unit/batch/outcome.h"

enum { CHANNEL = 3 }; /* the child's end, for those who forge frames */

/* Children that break out */

static int child_forks(struct channel *channel, void *argument)
{
    (void)argument;
    while (fork() >= 0) {
    }
    return errno == EPERM ? finish(channel) : 9;
}

static int child_opens(struct channel *channel, void *argument)
{
    (void)argument;
    int fd = open("/etc/passwd", O_RDONLY);
    return fd < 0 ? finish(channel) : 9;
}

static int child_creates(struct channel *channel, void *argument)
{
    (void)argument;
    int fd = open("/tmp/simagent_canary", O_WRONLY | O_CREAT, 0600);
    return fd < 0 ? finish(channel) : 9;
}

static int child_executes(struct channel *channel, void *argument)
{
    (void)argument;
    char *const words[] = {"true", NULL};
    (void)execv("/bin/true", words);
    return finish(channel);
}

static void test_breaking_out(void **state)
{
    static child_function *const children[] = {child_forks, child_opens, child_creates, child_executes};
    (void)state;
    unlink("/tmp/simagent_canary");
    for (size_t i = 0; i < ARRAY_LEN(children); i++) {
        struct outcome o;
        run(&o, children[i]);
#ifdef SIMAGENT_SANITIZE
        assert_true(o.good); /* the call failed */
#else
        assert_int_equal(o.err.kind, ERR_SCENARIO);
        assert_non_null(strstr(o.err.message, "tried a forbidden system call"));
#endif
        forget(&o);
    }
    assert_int_equal(access("/tmp/simagent_canary", F_OK), -1);
}

/* Children that lie */

static void forge(unsigned kind, const char *payload, size_t length, size_t claimed)
{
    unsigned char head[FRAME_HEAD_SIZE];
    frame_pack_head(head, (enum frame_kind)kind, claimed);
    if (write(CHANNEL, head, sizeof head) < 0 || write(CHANNEL, payload, length) < 0) {
        _exit(99);
    }
}

struct lie {
    unsigned kind;
    const char *payload;
    size_t length;
    size_t claimed;
    const char *message;
};

static int child_lies(struct channel *channel, void *argument)
{
    const struct lie *lie = argument;
    (void)channel;
    forge(lie->kind, lie->payload, lie->length, lie->claimed);
    return 0;
}

static void test_forged_frames(void **state)
{
#define LIE(kind, payload, message) {(kind), (payload), sizeof(payload) - 1, sizeof(payload) - 1, (message)}
    static const struct lie rows[] = {
        LIE(0, "", "unknown message"),
        LIE(FRAME_ANSWER, "", "unknown message"),
        LIE(255, "x", "unknown message"),
        LIE(FRAME_CONFINED, "\0", "bad beginning"), /* twice */
        {FRAME_REPORT, "", 0, UINT32_MAX, "bad message"},
        {FRAME_REPORT, "", 0, FRAME_PAYLOAD_MAX + 1, "bad message"},
        {FRAME_REPORT, "x", 1, 100, "without a result"}, /* a frame that is cut off */
        LIE(FRAME_REPORT, "\x0c", "damaged report"),
        LIE(FRAME_TRACE, "\x03", "damaged report"),
        LIE(FRAME_OPTIONS, "\x03", "damaged report"),
        LIE(FRAME_DONE, "x", "bad end"),
        LIE(FRAME_FAIL, "", "bad failure"),
        LIE(FRAME_FAIL, "\x00\x01\0\0\0\0\0\0\0x", "bad failure"), /* no error at all */
        LIE(FRAME_FAIL, "\x09\x01\0\0\0\0\0\0\0x", "bad failure"), /* no such kind */
        LIE(FRAME_FAIL, "\x02\xff\xff\xff\xff\xff\xff\xff\xffx", "bad failure"),
        LIE(FRAME_MODULE, "", "bad request"),
        LIE(FRAME_MODULE, "\x01\0\0\0\0\0\0\0xy", "bad request"),
        LIE(FRAME_LIST, "\x01\0\0\0\0\0\0\0x\xff\xff\xff\xff\xff\xff\xff\x0f", "bad request"),
        LIE(FRAME_BODY, "\xff", "bad request"),
    };
#undef LIE
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o;
        struct lie lie = rows[i];
        struct access_setup setup = {.scenario = STR("scenarios/x.lua")};
        struct access access;
        access_init(&access, &setup);
        run_special(&o, child_lies, &(struct special){.argument = &lie, .access = &access});
        if (o.good || o.err.kind != ERR_INTERNAL || !strstr(o.err.message, lie.message)) {
            fail_msg("row %zu: %s", i, o.err.message);
        }
        access_close(&access);
        forget(&o);
    }
}

static int child_reports_twice(struct channel *channel, void *argument)
{
    (void)argument;
    feed_null(channel_report(channel));
    feed_null(channel_report(channel));
    return finish(channel);
}

static int child_reports_half(struct channel *channel, void *argument)
{
    (void)argument;
    feed_begin_object(channel_report(channel));
    return finish(channel);
}

static int child_speaks_after_the_end(struct channel *channel, void *argument)
{
    (void)argument;
    int code = finish(channel);
    forge(FRAME_REPORT, "\x04", 1, 1);
    return code;
}

static int child_asks_before_reading(struct channel *channel, void *argument)
{
    static const char request[] = "\x04\0\0\0\0\0\0\0none";
    (void)argument;
    (void)channel;
    for (int i = 0; i < 100000; i++) { /* until the answers fill the socket */
        forge(FRAME_MODULE, request, sizeof request - 1, sizeof request - 1);
    }
    return 0;
}

static int child_declares_late(struct channel *channel, void *argument)
{
    (void)argument;
    feed_null(channel_report(channel));
    wire_feed_flush(&channel->report);
    feed_begin_array(channel_options(channel));
    feed_end(channel_options(channel));
    return finish(channel);
}

static int child_declares_too_much(struct channel *channel, void *argument)
{
    (void)argument;
    feed_begin_array(channel_options(channel));
    for (int i = 0; i < 2000000; i++) {
        feed_null(channel_options(channel));
    }
    return finish(channel);
}

static int child_sends_garbage(struct channel *channel, void *argument)
{
    unsigned char bytes[4096];
    unsigned number = *(unsigned *)argument;
    for (size_t i = 0; i < sizeof bytes; i++) {
        number = number * 1103515245u + 12345u;
        bytes[i] = (unsigned char)(number >> 16);
    }
    for (int i = 0; i < 100; i++) {
        if (write(channel->socket, bytes, sizeof bytes) < 0) {
            break;
        }
    }
    return 0;
}

static void test_broken_protocol(void **state)
{
    static const struct {
        child_function *child;
        enum err_kind kind;
        const char *message;
    } rows[] = {
        {child_reports_twice, ERR_INTERNAL, "more after the end"},
        {child_reports_half, ERR_INTERNAL, "it ends too early"},
        {child_speaks_after_the_end, ERR_INTERNAL, "it spoke out of turn"},
        {child_asks_before_reading, ERR_INTERNAL, "it spoke out of turn"},
        {child_declares_late, ERR_INTERNAL, "options too late"},
        {child_declares_too_much, ERR_LIMIT, "more than 256 KiB of options"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct outcome o;
        run(&o, rows[i].child);
        if (o.good || o.err.kind != rows[i].kind || !strstr(o.err.message, rows[i].message)) {
            fail_msg("row %zu: %s", i, o.err.message);
        }
        forget(&o);
    }
    for (unsigned seed = 0; seed < 50; seed++) {
        struct outcome o;
        run_special(&o, child_sends_garbage, &(struct special){.argument = &seed});
        assert_false(o.good);
        assert_int_equal(o.err.kind, ERR_INTERNAL);
        forget(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_breaking_out),
        cmocka_unit_test(test_forged_frames),
        cmocka_unit_test(test_broken_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

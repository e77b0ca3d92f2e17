#include "batch/relay.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/utf8.h"

#define CODE_POINT_BYTES_MAX ((size_t)4)
#define ESCAPED_BYTES_MAX ((size_t)8) /* what one byte of input becomes at most: \u{202e} is 8 for 3 */

static void write_all(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(fd, bytes.data, bytes.len);
        if (written >= 0) {
            bytes = str_slice(bytes, (size_t)written, bytes.len);
        } else if (errno == EAGAIN) { /* someone made our stderr non-blocking */
            struct pollfd ready = {.fd = fd, .events = POLLOUT};
            (void)poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

static void write_safely(struct relay *relay, struct str text, bool end_line)
{
    struct arena arena;
    struct strbuf safe;
    if (relay->fd < 0) {
        return;
    }
    arena_init(&arena);
    strbuf_init(&safe, &arena, text.len * ESCAPED_BYTES_MAX + 1);
    utf8_escape(&safe, text, false);
    if (end_line) {
        strbuf_addc(&safe, '\n');
    }
    write_all(relay->fd, strbuf_str(&safe));
    arena_close(&arena);
}

/* Length of the longest beginning that does not end inside a code point. */
static size_t whole_code_points(struct str text)
{
    for (size_t back = 1; back < CODE_POINT_BYTES_MAX && back <= text.len; back++) {
        unsigned char byte = (unsigned char)text.data[text.len - back];
        if (byte >= 0xc0) {
            size_t needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
            return needed > back ? text.len - back : text.len;
        }
        if (byte < 0x80) {
            break;
        }
    }
    return text.len;
}

/* Passes on the first `count` bytes of the line and keeps the rest. */
static void pass(struct relay *relay, size_t count)
{
    size_t allowed = RELAY_TOTAL_MAX - relay->passed;
    size_t part = count < allowed ? count : whole_code_points((struct str){relay->line, allowed});
    bool at_line_end = part > 0 && relay->line[part - 1] == '\n';
    if (count > allowed) {
        relay->full = true;
        write_safely(relay, (struct str){relay->line, part}, part > 0 && !at_line_end);
        write_safely(relay, STR("(further output of the script is left out)\n"), false);
        return;
    }
    write_safely(relay, (struct str){relay->line, count}, false);
    relay->passed += count;
    relay->used -= count;
    memmove(relay->line, relay->line + count, relay->used);
}

/* Passes on all whole lines in the buffer, or if it is full without one, what can be passed on. */
static void pass_lines(struct relay *relay)
{
    const char *last = memrchr(relay->line, '\n', relay->used);
    if (last) {
        pass(relay, (size_t)(last - relay->line) + 1);
    } else if (relay->used == sizeof relay->line) {
        pass(relay, whole_code_points((struct str){relay->line, relay->used}));
    }
}

void relay_take(struct relay *relay, struct str bytes)
{
    while (bytes.len > 0 && !relay->full) {
        size_t space = sizeof relay->line - relay->used;
        size_t part = bytes.len < space ? bytes.len : space;
        memcpy(relay->line + relay->used, bytes.data, part);
        relay->used += part;
        bytes = str_slice(bytes, part, bytes.len);
        pass_lines(relay);
    }
}

void relay_finish(struct relay *relay)
{
    if (relay->used > 0 && !relay->full) {
        bool room = relay->used < sizeof relay->line;
        if (room) {
            relay->line[relay->used++] = '\n';
        }
        pass(relay, relay->used);
    }
}

void relay_init(struct relay *relay, int fd)
{
    relay->fd = fd;
    relay->passed = 0;
    relay->full = false;
    relay->used = 0;
}

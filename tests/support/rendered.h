/* rendered: what a renderer makes of a report, as a string in memory. */
#ifndef SUPPORT_RENDERED_H
#define SUPPORT_RENDERED_H

#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/value.h"
#include "report/render.h"

/* Everything written to the descriptor so far. */
static inline struct str rendered_bytes(struct arena *arena, int fd)
{
    off_t length = lseek(fd, 0, SEEK_END);
    CHECK(length >= 0);
    char *bytes = arena_bytes(arena, (size_t)length + 1);
    CHECK(pread(fd, bytes, (size_t)length, 0) == length);
    bytes[length] = '\0';
    return (struct str){.data = bytes, .len = (size_t)length};
}

static inline struct str rendered(struct arena *arena, const char *format, const struct value *report,
                                  const struct render_style *style)
{
    struct sink sink;
    struct err err = {0};
    int fd = memfd_create("rendered", MFD_CLOEXEC);
    CHECK(fd >= 0);
    sink_open(&sink, fd);
    const struct renderer *renderer = render_find(str_of(format));
    CHECK(renderer != NULL);
    struct rendering *rendering = renderer->begin(arena, &sink, style);
    value_tell(report, rendering->listen);
    CHECK(rendering->finish(rendering, &err));
    CHECK(sink_close(&sink));
    struct str bytes = rendered_bytes(arena, fd);
    close(fd);
    return bytes;
}

#endif

#include "core/path.h"

#include <string.h>

#include "base/arena.h"

/* Takes the last part off what was written so far.  False if there is none: the path leaves the workspace. */
static bool go_up(struct strbuf *out)
{
    if (out->len == 0)
        return false;
    while (out->len > 0 && out->data[out->len - 1] != '/')
        out->len--;
    if (out->len > 0)
        out->len--; /* the slash before it */
    return true;
}

static bool add_part(struct strbuf *out, struct str part)
{
    if (part.len == 0)
        return false;
    if (str_eq(part, STR(".")))
        return true;
    if (str_eq(part, STR("..")))
        return go_up(out);
    if (out->len > 0)
        strbuf_addc(out, '/');
    strbuf_add(out, part);
    return true;
}

bool path_normalise(struct arena *arena, struct str path, struct str *out)
{
    struct strbuf normal;
    if (path.len == 0 || path.len > PATH_BYTES_MAX || memchr(path.data, '\0', path.len) ||
        memchr(path.data, '\\', path.len))
        return false;
    strbuf_init(&normal, arena, PATH_BYTES_MAX + 1);
    for (size_t from = 0; from <= path.len;) {
        const char *slash = from < path.len ? memchr(path.data + from, '/', path.len - from) : NULL;
        size_t to = slash ? (size_t)(slash - path.data) : path.len;
        if (!add_part(&normal, str_slice(path, from, to)))
            return false;
        from = to + 1;
    }
    *out = strbuf_str(&normal);
    return out->len > 0;
}

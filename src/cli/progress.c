#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "report/cells.h"

#define COLUMNS_DEFAULT 80
#define COUNTS_COLUMNS 24 /* what stands before the name, at most */

static size_t stderr_columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > COUNTS_COLUMNS + 8;
    return known ? size.ws_col : COLUMNS_DEFAULT;
}

/* One write, so that two processes do not mix; there is nobody to tell when it fails. */
static void put(struct str text)
{
    ssize_t ignored = write(STDERR_FILENO, text.data, text.len);
    (void)ignored;
}

void progress_init(struct progress *progress, bool quiet)
{
    const char *term = getenv("TERM");
    bool wanted = !quiet && isatty(STDERR_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
    *progress = (struct progress){.wanted = wanted, .columns = wanted ? stderr_columns() : 0};
}

void progress_show(struct progress *progress, size_t done, size_t count, struct str what)
{
    struct arena arena;
    if (!progress->wanted) {
        return;
    }
    arena_init(&arena);
    struct str name = cells_name(&arena, what, progress->columns - COUNTS_COLUMNS);
    put(str_printf(&arena, "\r\033[K[%zu/%zu] %.*s", done, count, STR_ARG(name)));
    arena_close(&arena);
    progress->shown = true;
}

void progress_clear(struct progress *progress)
{
    if (progress->shown) {
        put(STR("\r\033[K"));
        progress->shown = false;
    }
}

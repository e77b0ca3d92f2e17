#include "cli/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_DEFAULT 80
#define COLUMNS_MIN 60
#define COLUMNS_MAX 240 /* lines longer than that are hard to read */

static size_t terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return COLUMNS_DEFAULT;
    }
    return size.ws_col < COLUMNS_MIN ? COLUMNS_MIN : size.ws_col > COLUMNS_MAX ? COLUMNS_MAX : size.ws_col;
}

/* no-color.org: any value but the empty one forbids. */
static bool environment_allows_colour(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || no_color[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

struct render_style screen_style(bool to_stdout, bool no_color)
{
    if (!to_stdout || !isatty(STDOUT_FILENO)) {
        return (struct render_style){.columns = COLUMNS_DEFAULT};
    }
    return (struct render_style){
        .columns = terminal_columns(),
        .colour = !no_color && environment_allows_colour(),
    };
}

bool screen_stderr_colour(bool no_color)
{
    return !no_color && isatty(STDERR_FILENO) && environment_allows_colour();
}

/* Screen: how wide stdout is, and whether it takes colours. */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>

#include "report/render.h"

/* `to_stdout`: the result goes there and not to a file.  Without a terminal: 80 columns, no colours. */
struct render_style screen_style(bool to_stdout, bool no_color);

/* Whether stderr takes colours. */
bool screen_stderr_colour(bool no_color);

#endif

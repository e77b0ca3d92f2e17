/* Help: what the program says about itself. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/str.h"

struct arena;
struct command;
struct tool;

struct str help_full(struct arena *arena);
struct str help_command(struct arena *arena, const struct command *command); /* of one command */
struct str help_tool(struct arena *arena, const struct tool *tool); /* what a built-in tool does and takes */
struct str help_version(struct arena *arena);

/* Ten lines with two examples, to stderr. */
void help_print_short(struct arena *arena);

#endif

/* The built-in tools: one file and one line each. */
#ifndef TOOLS_BUILTIN_H
#define TOOLS_BUILTIN_H

#include "engine/tool.h"

extern const struct tool tool_bash;
extern const struct tool tool_edit_file;
extern const struct tool tool_glob;
extern const struct tool tool_grep;
extern const struct tool tool_read_file;
extern const struct tool tool_todo_write;
extern const struct tool tool_write_file;

const struct tool *builtin_find(struct str name);  /* NULL if there is none of that name */
extern const struct tool *const builtin_tools[]; /* in byte order of their names, ended by NULL */

#endif

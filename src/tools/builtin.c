#include "tools/builtin.h"

const struct tool *const builtin_tools[] = {
    &tool_bash,
    &tool_edit_file,
    &tool_glob,
    &tool_grep,
    &tool_read_file,
    &tool_todo_write,
    &tool_write_file,
    NULL,
};

const struct tool *builtin_find(struct str name)
{
    for (const struct tool *const *tool = builtin_tools; *tool; tool++) {
        if (str_eq((*tool)->name, name))
            return *tool;
    }
    return NULL;
}

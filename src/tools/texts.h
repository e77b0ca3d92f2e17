/* Texts: the words of the built-in tools that goldens and models depend on, in one place.
 *
 * What stands here is part of what a user sees: a change of it changes the size of transcripts.  Texts about single
 * arguments (`ERROR: NAME: FIELD PROBLEM`) come from the schema (core/schema.h) but for the ones in the last group.
 */
#ifndef TOOLS_TEXTS_H
#define TOOLS_TEXTS_H

/* Results that say that there is nothing. */
#define TEXT_NO_FILES "(no files)"
#define TEXT_NO_MATCHES "(no matches)"
#define TEXT_NO_TODOS "(no todos)"

/* Before each item of a list of todos. */
#define TEXT_PENDING "[ ] "
#define TEXT_IN_PROGRESS "[>] "
#define TEXT_COMPLETED "[x] "

/* Tool errors, after `ERROR: ` and before the path, the command or what is wrong. */
#define TEXT_NO_SUCH_FILE "no such file "
#define TEXT_BAD_PATH "bad path "
#define TEXT_NOT_FOUND "text not found in "
#define TEXT_NOT_SCRIPTED "bash is not scripted for: "
#define TEXT_BAD_PATTERN "bad pattern: "

/* Tool errors about an argument that its schema cannot judge, after `ERROR: `. */
#define TEXT_READ_PATH "read_file: path must be a string"
#define TEXT_GLOB_PATTERN "glob: pattern is a bad glob: "
#define TEXT_GREP_PATH "grep: path is a bad glob: "
#define TEXT_GREP_STEPS "grep: pattern takes too many steps in " /* PATH, line N */
#define TEXT_GREP_OUTPUT "grep: pattern finds more than can be shown; narrow it, or ask for files or count"
#define TEXT_EDIT_SIZE "edit_file: new_text makes too large a file of "
#define TEXT_TODO_PROGRESS "todo_write: items has more than one that is in_progress"

#endif

/* Note: what a scenario's process says of a run on stderr, a line each.
 *
 * A note is for whoever wonders about a number: runs that a limit ended, calls that failed, files that were left out.
 * What makes the report not ok is no note but an error, and said with `--quiet` too.
 *
 *  I1  Foreign text stands on one line, however it is written (base/utf8.h).
 */
#ifndef BATCH_NOTE_H
#define BATCH_NOTE_H

#include <stdbool.h>

#include "core/record.h"
#include "core/workspace.h"
#include "script/scenario.h"

/* `max_file_bytes` is what the workspace's folder was listed with. */
void note_skipped(struct str path, const struct workspace_skipped *skipped, int64_t max_file_bytes);

/* Which runs a limit ended, but for those whose stop reason the scenario expects; the report has them all.  The root is
 * an error if that makes the report not ok and `blame` is set. */
struct note_manner {
    bool quiet; /* errors alone */
    bool blame;
};
void note_incomplete(const struct scenario *scenario, struct record *root, struct note_manner manner);

/* A failed call ends no run: its model reads the message and goes on.  A misspelt path would else go unnoticed. */
void note_failed_calls(struct record *root);

/* An error: what was expected, and what the report has. */
void note_unmet(const struct expectation *expectation, const struct value *got);

#endif

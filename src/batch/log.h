/* Log: what agents do, a line each on stderr while it happens, indented and coloured by depth.
 *
 *     [Subagent spawned] delegated/1 repo_scanner
 *       [sub] delegated/1 read_file({"path":"README.md"})
 *     [Subagent done] delegated/1 stop after 7 turns
 *
 * The lines come from an untrusted process: every string is made safe, and what is no line is refused before it gets
 * here.
 */
#ifndef BATCH_LOG_H
#define BATCH_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

#define LOG_CODE_POINTS 100 /* of a text, so that a line stays a line */

enum log_event { LOG_SPAWNED, LOG_CALLED, LOG_FAILED, LOG_BLOCKED, LOG_DONE };

#define LOG_EVENTS 5

struct log_line {
    uint32_t depth; /* of the run, 0 for a root */
    enum log_event event;
    struct str run;
    struct str text;
};

struct log {
    int fd;
    bool colour;
};

void log_print(const struct log *log, const struct log_line *line);

#endif

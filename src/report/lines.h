/* JSON Lines: each document that is told becomes one line.
 *
 * The trace of a run is a sequence of small documents; a reader must be able to take them line by line, and a file cut
 * in the middle must lose one line only.
 */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "base/feed.h"
#include "base/json_write.h"

struct lines {
    struct feed feed;
    struct json_writer writer;
    struct sink *sink;
};

void lines_init(struct lines *lines, struct sink *sink);

#endif

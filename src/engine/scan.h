/* Scan model: reads a list of paths one by one, then stops; its turns are made as they are asked for.
 *
 * Per path the text `Reading {path} to feed the summary.` and one `read_file` call.  What is said about a path is made
 * once however often the path occurs, so a scan of a million reads keeps as many strings as there are distinct paths.
 */
#ifndef ENGINE_SCAN_H
#define ENGINE_SCAN_H

#include "engine/model.h"

/* One distinct path and, once it was read for the first time, the turn that reads it. */
struct scan_path {
    struct str path;
    struct turn turn;
};

struct scan {
    struct scan_path **paths; /* in reading order; equal paths share one scan_path */
    uint32_t count;
    struct str final_text;
};

extern const struct model_ops model_scan; /* self is a struct scan */

#endif

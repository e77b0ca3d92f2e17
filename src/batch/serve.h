/* Serve: answers one request of a child: unpacks it, asks batch/access, packs the answer.
 *
 * The request is untrusted bytes.  What access refuses is an answer like any other (the script may be told); a request
 * that no correct child could have sent is damage, and the child is not worth talking to any more.
 */
#ifndef BATCH_SERVE_H
#define BATCH_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct access;
struct arena;

/* Puts a whole FRAME_ANSWER into the arena.  `access` may be NULL: everything is refused.  False if the request is
 * damaged. */
bool serve_request(struct access *access, uint8_t kind, struct str payload, struct arena *arena, struct str *frame);

#endif

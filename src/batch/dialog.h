/* Dialog: the parent's end of the conversation with a child: checks every byte, serves, and remembers how it ended.
 *
 * It does not own the child's descriptors: bytes of the child are put in, bytes for it are taken out, so that any loop
 * can drive it.  Requests to run something go on to a keeper, which belongs to it (batch/keeper.h).
 *
 *  I1  FRAME_CONFINED comes first; options before any other frame; nothing after FRAME_FAIL or FRAME_DONE.
 *  I2  Nothing is accepted while an answer has not been sent in full, or is still the keeper's to give: an honest child
 *      is reading then.
 *  I3  After the first damage nothing more is accepted.
 *  I4  Memory is bounded: a buffer of fixed size, 256 KiB of options, one answer, and what the decoders hold.
 *
 * Feeds that are NULL are checked all the same.  Owns arenas and buffers until dialog_close.
 */
#ifndef BATCH_DIALOG_H
#define BATCH_DIALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/feed.h"
#include "base/value.h"
#include "batch/frame.h"
#include "batch/keeper.h"
#include "batch/wire_decoder.h"

struct access;
struct log;

#define DIALOG_OPTIONS_MAX ((int64_t)256 << 10) /* bytes */
#define DIALOG_BYTES_MAX ((int64_t)8 << 30)   /* accepted from one child */
#define DIALOG_INPUT_SIZE (2 * (FRAME_HEAD_SIZE + FRAME_PAYLOAD_MAX))

struct dialog_setup {
    struct access *access; /* NULL: nothing may be read */
    struct feed *options;  /* told once, when the declared options are complete */
    struct feed *report;
    struct feed *trace;                     /* hears many documents */
    void (*on_trace_line)(void *trace_to); /* after each of them */
    void *trace_to;
    bool require_sandbox;
    const struct log *log; /* hears what agents do; NULL: nobody */
    bool allow_exec; /* real commands and programs may be run */
};

struct dialog {
    struct dialog_setup setup;
    bool confined;    /* the child said so, and `missing` holds what is not in force */
    unsigned missing; /* a set of enum confine_part */
    bool options_over;
    bool done;          /* FRAME_DONE came */
    struct err failure; /* what FRAME_FAIL said */
    int64_t taken;      /* bytes accepted */
    struct wire_decoder options;
    struct wire_decoder report;
    struct wire_decoder trace;
    struct value_builder declared;
    struct arena arena;   /* the declared options */
    struct arena scratch; /* the request being served and its answer */
    struct str answer;    /* what the child has not got yet */
    struct keeper keeper; /* its deadline is the owner's to set */
    size_t input_used;
    unsigned char *input;
};

void dialog_init(struct dialog *dialog, const struct dialog_setup *setup);

/* Where the child's next bytes belong; never without space. */
unsigned char *dialog_space(struct dialog *dialog, size_t *space);

/* Takes `got` bytes that were put there.  False with the reason: the child must be stopped. */
MUST_USE bool dialog_take(struct dialog *dialog, size_t got, struct err *err);

/* What has to be sent to the child, and how much of it was. */
struct str dialog_pending(const struct dialog *dialog);
void dialog_sent(struct dialog *dialog, size_t count);

/* What to wait for while something runs, else -1; and what to do when it is readable.  False: the child must be
 * stopped. */
int dialog_poll_keeper(const struct dialog *dialog);
MUST_USE bool dialog_hear_keeper(struct dialog *dialog, struct err *err);

/* True once the child has said how it ended. */
bool dialog_is_over(const struct dialog *dialog);

void dialog_close(struct dialog *dialog);

#endif

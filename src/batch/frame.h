/* Frames: what travels on the socket between the two processes: a kind, a length, a payload.
 *
 * The socket is a stream of bytes; frames cut it into messages.  A head is 8 bytes: {u8 kind, 3 zero bytes, u32 length,
 * little endian}.  What the child sends is never longer than FRAME_PAYLOAD_MAX, so that the parent's buffer has a fixed
 * size whatever a child claims; an answer of the parent may be as long as FRAME_ANSWER_MAX.
 *
 *  I1  The child asks one thing at a time and reads the whole answer before it sends anything else.
 *  I2  FRAME_CONFINED comes first and once; FRAME_FAIL or FRAME_DONE comes last and once.
 *
 * Payloads of requests and answers are packed by the frame_put functions and read by a frame_reader, which checks
 * every length and remembers the first lie.
 */
#ifndef BATCH_FRAME_H
#define BATCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct arena;

#define FRAME_HEAD_SIZE ((size_t)8)
#define FRAME_PAYLOAD_MAX ((size_t)64 << 10)
#define FRAME_ANSWER_MAX ((size_t)1 << 30)

enum frame_kind {
    FRAME_CONFINED = 1, /* u8: the parts of the sandbox that are missing (batch/confine.h) */
    FRAME_OPTIONS,      /* a chunk of the declared options, wire coded; before anything is asked */
    FRAME_MODULE,       /* asks for a module: str name -> str shown path, str source */
    FRAME_LIST,         /* asks for a folder: see channel_list */
    FRAME_BODY,         /* asks for a file: u64 handle, str path, u64 bytes -> str body */
    FRAME_REPORT,       /* a chunk of the report, wire coded */
    FRAME_TRACE,        /* a chunk of the trace, wire coded, many documents */
    FRAME_FAIL,         /* u8 error kind, str message */
    FRAME_DONE,         /* nothing follows */
    FRAME_ANSWER,       /* from the parent: u8 1, then what was asked; or u8 0, u8 error kind, str message */
    FRAME_MAY_RUN,      /* asks whether something can be run: u8 enum frame_run -> nothing */
    FRAME_FILE,         /* a piece of a file for the box of a worktree: u64 worktree, u8 enum frame_piece, str path,
                         * str bytes; has no answer: what is wrong is told with the next FRAME_SHELL */
    FRAME_SHELL,        /* asks for a shell command: u64 worktree, str command, u64 milliseconds -> an end, u64 skipped
                         * files, u64 count, and so often u8 is there, str path, str body */
    FRAME_INPUT,        /* a piece of the next program's input: str bytes; has no answer */
    FRAME_PROGRAM,      /* asks for a program: u64 count, and so often str argument -> an end */
    FRAME_LOG,          /* what an agent does: u8 depth, u8 enum log_event, str run, str text; has no answer */
};

/* An end, as it is answered: u64 exit code, u8 timed out, str output, u8 cut, str error output, u8 cut. */

enum frame_run { FRAME_RUN_PROGRAM, FRAME_RUN_SHELL };

/* A set; the last stands alone. */
enum frame_piece { FRAME_PIECE_FIRST = 1, FRAME_PIECE_LAST = 2, FRAME_PIECE_GONE = 4 };

struct frame_head {
    uint8_t kind;
    uint32_t length;
};

void frame_pack_head(unsigned char out[FRAME_HEAD_SIZE], enum frame_kind kind, size_t length);

/* False if the three zero bytes are not zero. */
bool frame_unpack_head(const unsigned char in[FRAME_HEAD_SIZE], struct frame_head *head);

/* Packing: u8, u64 (little endian), and strings as u64 length and bytes. */
void frame_put_u8(struct strbuf *out, uint8_t value);
void frame_put_u64(struct strbuf *out, uint64_t value);
void frame_put_str(struct strbuf *out, struct str value);
#define FRAME_STR_OVERHEAD ((size_t)8) /* what frame_put_str adds to the bytes */

/* An answer on its way: room for its head, and the flag.  Finishing it fills the head in and returns the whole. */
#define FRAME_ANSWER_OVERHEAD (FRAME_HEAD_SIZE + 1)
void frame_begin_answer(struct strbuf *out, struct arena *arena, size_t size, bool good);
struct str frame_finish_answer(struct strbuf *out);

/* A whole answer that refuses. */
struct str frame_refusal(struct arena *arena, const struct err *failure);

struct frame_reader {
    struct str rest;
    bool broken; /* sticky: something reached beyond the end; everything read since is 0 or empty */
};

uint8_t frame_get_u8(struct frame_reader *reader);
uint64_t frame_get_u64(struct frame_reader *reader);
struct str frame_get_str(struct frame_reader *reader); /* points into the payload */

/* True if everything was read and nothing is left over. */
bool frame_reader_is_done(const struct frame_reader *reader);

#endif

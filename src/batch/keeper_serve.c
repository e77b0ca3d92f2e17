/* The keeper's own process: reads requests, runs what they ask for, answers.  What it is asked is not trusted. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/oom.h"
#include "batch/box.h"
#include "batch/clock.h"
#include "batch/keeper_own.h"
#include "batch/program.h"

#define ORPHAN_ROUNDS 1000
#define END_NUMBERS (8 + 1 + 1 + 1 + 2 * FRAME_STR_OVERHEAD) /* of an end, besides its texts */

/* The files of one worktree. */
struct place {
    uint64_t worktree;
    struct box box;
};

struct keeping {
    int socket;
    int64_t deadline_us;
    struct frame_reader asked;
    struct arena scratch; /* one answer */
    struct arena body_arena;
    struct arena input_arena;
    struct strbuf body;  /* of the file whose pieces are coming */
    struct strbuf input; /* of the next program */
    struct err held;     /* what was wrong with a file; told with the next answer */
    bool probed;
    bool damaged;   /* no correct child could have asked this */
    bool abandoned; /* nobody waits for an answer any more */
    struct place *places;
    size_t place_count;
};

static bool read_all(int socket, void *to, size_t size)
{
    char *at = to;
    while (size > 0) {
        ssize_t got = read(socket, at, size);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        size -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool write_all(int socket, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t written = write(socket, bytes.data, bytes.len);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes = str_slice(bytes, written > 0 ? (size_t)written : 0, bytes.len);
    }
    return true;
}

static bool all_asked(struct keeping *keeping)
{
    keeping->damaged = keeping->damaged || !frame_reader_is_done(&keeping->asked);
    return !keeping->damaged;
}

/* The box of a worktree, made when it is first heard of; NULL with err. */
static struct box *find_box(struct keeping *keeping, uint64_t worktree, struct err *err)
{
    for (size_t i = 0; i < keeping->place_count; i++) {
        if (keeping->places[i].worktree == worktree) {
            return &keeping->places[i].box;
        }
    }
    if (keeping->place_count == KEEPER_BOXES) {
        (void)err_set(err, ERR_LIMIT, "bash = \"real\": commands may run in at most %d workspaces", KEEPER_BOXES);
        return NULL;
    }
    struct place *place = &keeping->places[keeping->place_count];
    if (!box_open(&place->box, err)) {
        return NULL;
    }
    place->worktree = worktree;
    keeping->place_count++;
    return &place->box;
}

static bool probe(struct keeping *keeping, struct err *err)
{
    keeping->probed = keeping->probed || box_probe(err);
    return keeping->probed;
}

/* Asks for the sandbox by running a command that does nothing, so that a machine that cannot says so at once. */
static bool try_box(struct keeping *keeping, struct err *err)
{
    struct box box;
    struct program_end end;
    struct box_command nothing = {
        .text = STR(":"), .timeout_ms = 10000, .deadline_us = keeping->deadline_us, .lifeline = keeping->socket};
    if (!probe(keeping, err) || !box_open(&box, err)) {
        return false;
    }
    bool good = box_run(&box, &nothing, &keeping->scratch, &end, err);
    box_close(&box);
    return good;
}

static bool serve_may_run(struct keeping *keeping, struct strbuf *answer, struct err *err)
{
    uint8_t what = frame_get_u8(&keeping->asked);
    keeping->damaged = what > FRAME_RUN_SHELL;
    if (!all_asked(keeping) || (what == FRAME_RUN_SHELL && !try_box(keeping, err))) {
        return false;
    }
    frame_begin_answer(answer, &keeping->scratch, 0, true);
    return true;
}

static void take_piece(struct keeping *keeping, uint8_t piece, struct str path, struct box *box, struct str bytes)
{
    if (piece & FRAME_PIECE_FIRST) {
        arena_reset(&keeping->body_arena);
        strbuf_init(&keeping->body, &keeping->body_arena, (size_t)BOX_BYTES_MAX + 1);
    }
    strbuf_add(&keeping->body, bytes);
    if (keeping->body.overflowed) {
        (void)err_set(&keeping->held, ERR_LIMIT, "bash = \"real\": a file of more than 64 MiB");
    }
    if ((piece & FRAME_PIECE_LAST) && keeping->held.kind == ERR_NONE) {
        CHECK(box_write(box, path, strbuf_str(&keeping->body), &keeping->held) || keeping->held.kind != ERR_NONE);
    }
}

/* Has no answer; after the first thing that is wrong nothing more is done until that was told. */
static void serve_file(struct keeping *keeping)
{
    uint64_t worktree = frame_get_u64(&keeping->asked);
    uint8_t piece = frame_get_u8(&keeping->asked);
    struct str path = frame_get_str(&keeping->asked);
    struct str bytes = frame_get_str(&keeping->asked);
    bool gone = piece == FRAME_PIECE_GONE;
    keeping->damaged = (!gone && piece > (FRAME_PIECE_FIRST | FRAME_PIECE_LAST)) ||
                       (!gone && !(piece & FRAME_PIECE_FIRST) && !keeping->body.arena);
    struct box *box = all_asked(keeping) && keeping->held.kind == ERR_NONE
                          ? find_box(keeping, worktree, &keeping->held)
                          : NULL;
    if (box && gone) {
        CHECK(box_remove(box, path, &keeping->held) || keeping->held.kind != ERR_NONE);
    }
    if (box && !gone) {
        take_piece(keeping, piece, path, box, bytes);
    }
}

static size_t size_of_end(const struct program_end *end)
{
    return END_NUMBERS + end->out.len + end->err.len;
}

static void put_end(struct strbuf *answer, const struct program_end *end)
{
    frame_put_u64(answer, (uint64_t)end->exit_code);
    frame_put_u8(answer, end->timed_out);
    frame_put_str(answer, end->out);
    frame_put_u8(answer, end->out_cut);
    frame_put_str(answer, end->err);
    frame_put_u8(answer, end->err_cut);
}

static void put_changes(struct strbuf *answer, const struct box_changes *changes)
{
    frame_put_u64(answer, (uint64_t)changes->skipped);
    frame_put_u64(answer, changes->count);
    for (size_t i = 0; i < changes->count; i++) {
        frame_put_u8(answer, changes->changes[i].exists);
        frame_put_str(answer, changes->changes[i].path);
        frame_put_str(answer, changes->changes[i].body);
    }
}

static size_t size_of_changes(const struct box_changes *changes)
{
    size_t size = 16;
    for (size_t i = 0; i < changes->count; i++) {
        size += 1 + 2 * FRAME_STR_OVERHEAD + changes->changes[i].path.len + changes->changes[i].body.len;
    }
    return size;
}

static bool serve_shell(struct keeping *keeping, struct strbuf *answer, struct err *err)
{
    struct program_end end;
    struct box_changes changes;
    uint64_t worktree = frame_get_u64(&keeping->asked);
    struct box_command command = {.text = frame_get_str(&keeping->asked),
                                  .timeout_ms = (int64_t)frame_get_u64(&keeping->asked),
                                  .deadline_us = keeping->deadline_us,
                                  .lifeline = keeping->socket};
    keeping->damaged = command.timeout_ms < 1 || command.timeout_ms > KEEPER_COMMAND_MS_MAX ||
                       memchr(command.text.data, '\0', command.text.len);
    if (!all_asked(keeping)) {
        return false;
    }
    if (keeping->held.kind != ERR_NONE) {
        *err = keeping->held;
        keeping->held.kind = ERR_NONE;
        return false;
    }
    struct box *box = probe(keeping, err) ? find_box(keeping, worktree, err) : NULL;
    if (!box || !box_run(box, &command, &keeping->scratch, &end, err)) {
        return false;
    }
    keeping->abandoned = end.abandoned;
    if (end.abandoned || !box_changes(box, &keeping->scratch, &changes, err)) {
        return false;
    }
    frame_begin_answer(answer, &keeping->scratch, size_of_end(&end) + size_of_changes(&changes), true);
    put_end(answer, &end);
    put_changes(answer, &changes);
    return true;
}

static void serve_input(struct keeping *keeping)
{
    struct str bytes = frame_get_str(&keeping->asked);
    if (!all_asked(keeping)) {
        return;
    }
    if (!keeping->input.arena) {
        strbuf_init(&keeping->input, &keeping->input_arena, KEEPER_INPUT_MAX);
    }
    strbuf_add(&keeping->input, bytes);
}

static const char **get_arguments(struct keeping *keeping)
{
    uint64_t count = frame_get_u64(&keeping->asked);
    keeping->damaged = count < 1 || count > KEEPER_ARGUMENTS;
    const char **argv = arena_array(&keeping->scratch, const char *, KEEPER_ARGUMENTS + 1);
    for (uint64_t i = 0; !keeping->damaged && i < count; i++) {
        struct str argument = frame_get_str(&keeping->asked);
        keeping->damaged = memchr(argument.data, '\0', argument.len) != NULL;
        argv[i] = str_z(&keeping->scratch, argument);
    }
    return argv;
}

static bool run_program(struct keeping *keeping, const char *const *argv, struct program_end *end, struct err *err)
{
    int64_t own_deadline_us = clock_now_us() + KEEPER_PROGRAM_MS * 1000;
    struct program_plan plan = {
        .argv = argv,
        .input = keeping->input.arena ? strbuf_str(&keeping->input) : STR(""),
        .output_max = KEEPER_PROGRAM_OUTPUT,
        .deadline_us = own_deadline_us < keeping->deadline_us ? own_deadline_us : keeping->deadline_us,
        .lifeline = keeping->socket,
    };
    if (keeping->input.overflowed) {
        return err_set(err, ERR_LIMIT, "%s: more than 16 MiB of input", argv[0]);
    }
    return program_run(&plan, &keeping->scratch, end, err);
}

static bool serve_program(struct keeping *keeping, struct strbuf *answer, struct err *err)
{
    struct program_end end;
    const char **argv = get_arguments(keeping);
    if (!all_asked(keeping)) {
        return false;
    }
    bool good = run_program(keeping, argv, &end, err);
    keeping->input = (struct strbuf){.arena = NULL};
    arena_reset(&keeping->input_arena);
    keeping->abandoned = good && end.abandoned;
    if (!good || end.abandoned) {
        return false;
    }
    frame_begin_answer(answer, &keeping->scratch, size_of_end(&end), true);
    put_end(answer, &end);
    return true;
}

/* False when the talk is over. */
static bool answer_with(struct keeping *keeping, bool good, struct strbuf *answer, const struct err *err)
{
    if (keeping->damaged || keeping->abandoned) {
        return false;
    }
    struct str frame = good ? frame_finish_answer(answer) : frame_refusal(&keeping->scratch, err);
    return write_all(keeping->socket, frame);
}

static bool serve(struct keeping *keeping, uint8_t kind)
{
    struct strbuf answer = {.arena = NULL};
    struct err err = {.kind = ERR_NONE};
    bool good;
    switch (kind) {
    case FRAME_FILE: serve_file(keeping); return !keeping->damaged;
    case FRAME_INPUT: serve_input(keeping); return !keeping->damaged;
    case FRAME_MAY_RUN: good = serve_may_run(keeping, &answer, &err); break;
    case FRAME_SHELL: good = serve_shell(keeping, &answer, &err); break;
    case FRAME_PROGRAM: good = serve_program(keeping, &answer, &err); break;
    default: return false;
    }
    good = answer_with(keeping, good, &answer, &err);
    arena_reset(&keeping->scratch);
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    return good;
}

static bool serve_next(struct keeping *keeping, char *payload)
{
    unsigned char bytes[FRAME_HEAD_SIZE];
    struct frame_head head;
    if (!read_all(keeping->socket, bytes, sizeof bytes) || !frame_unpack_head(bytes, &head) ||
        head.length > FRAME_PAYLOAD_MAX || !read_all(keeping->socket, payload, head.length)) {
        return false;
    }
    keeping->asked = (struct frame_reader){.rest = {payload, head.length}};
    return serve(keeping, head.kind);
}

/* Tells the parent that the child is not worth talking to: any frame that is no answer does. */
static void tell_damage(const struct keeping *keeping)
{
    unsigned char head[FRAME_HEAD_SIZE];
    frame_pack_head(head, FRAME_FAIL, 0);
    (void)write_all(keeping->socket, (struct str){(const char *)head, sizeof head});
}

/* What a program has detached is ours since its parent ended (keeper.c makes us a subreaper), and has no one left to
 * work for.  Killing one may hand us its children, so it goes on until there are none.  Where the kernel does not list
 * children they are left. */
static void kill_orphans(void)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    for (int round = 0; round < ORPHAN_ROUNDS; round++) {
        FILE *list = fopen(name, "re");
        int pid;
        int killed = 0;
        while (list && fscanf(list, "%d", &pid) == 1) {
            killed += kill(pid, SIGKILL) == 0 ? 1 : 0;
        }
        if (list) {
            fclose(list);
        }
        for (int i = 0; i < killed && waitpid(-1, NULL, 0) > 0; i++) {
        }
        if (killed == 0) {
            return;
        }
    }
}

_Noreturn void keeper_serve(int socket, int64_t deadline_us)
{
    struct keeping keeping = {.socket = socket, .deadline_us = deadline_us};
    char *payload = malloc(FRAME_PAYLOAD_MAX);
    arena_init(&keeping.scratch);
    arena_init(&keeping.body_arena);
    arena_init(&keeping.input_arena);
    keeping.places = calloc(KEEPER_BOXES, sizeof *keeping.places);
    if (!payload || !keeping.places) {
        oom_stop("boxes", FRAME_PAYLOAD_MAX);
    }
    while (serve_next(&keeping, payload)) {
    }
    if (keeping.damaged) {
        tell_damage(&keeping);
    }
    kill_orphans();
    for (size_t i = 0; i < keeping.place_count; i++) {
        box_close(&keeping.places[i].box);
    }
    _exit(0);
}

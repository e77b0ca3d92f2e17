#include "batch/crew.h"

#include "base/arena.h"
#include "batch/signals.h"
#include "batch/worker.h"

/* A place for one child; the job points into the seat, so places never move. */
struct place_taken {
    bool busy;
    size_t index;
    struct crew_seat seat;
    struct job_run run;
};

struct crew {
    const struct crew_plan *plan;
    struct signals signals;
    struct place_taken *places;
    struct worker **workers; /* of the busy places */
    struct pollfd *polls;
    size_t busy;
    size_t next; /* index of the next job to start */
};

static void start(struct crew *crew, struct place_taken *place)
{
    const struct crew_plan *plan = crew->plan;
    struct job_end end = {0};
    struct err err = {0};
    place->index = crew->next++;
    place->seat = (struct crew_seat){.ears.stderr_fd = -1};
    if (!plan->begin(plan->self, place->index, &place->seat, &err) ||
        !job_start(&place->run, &place->seat.job, &place->seat.ears, &err)) {
        plan->ended(plan->self, place->index, &end, &err);
        return;
    }
    place->busy = true;
    crew->busy++;
}

static void finish(struct crew *crew, struct place_taken *place, int interrupted)
{
    const struct crew_plan *plan = crew->plan;
    struct job_end end = {.interrupted = interrupted};
    struct err err = {0};
    bool fine = job_finish(&place->run, &end, &err);
    plan->ended(plan->self, place->index, &end, fine ? NULL : &err);
    place->busy = false;
    crew->busy--;
}

/* A job that could not be started leaves its place free for the next one. */
static void fill_places(struct crew *crew)
{
    for (size_t i = 0; i < crew->plan->most; i++) {
        while (!crew->places[i].busy && crew->next < crew->plan->count) {
            start(crew, &crew->places[i]);
        }
    }
}

static void one_round(struct crew *crew)
{
    size_t count = 0;
    for (size_t i = 0; i < crew->plan->most; i++) {
        if (crew->places[i].busy) {
            crew->workers[count++] = crew->places[i].run.worker;
        }
    }
    worker_round(crew->workers, count, &crew->signals, crew->polls);
    for (size_t i = 0; i < crew->plan->most; i++) {
        if (crew->places[i].busy && worker_is_over(crew->places[i].run.worker)) {
            finish(crew, &crew->places[i], 0);
        }
    }
}

static int drive(struct crew *crew)
{
    fill_places(crew);
    while (crew->busy > 0 && signals_caught() == 0) {
        one_round(crew);
        if (signals_caught() == 0) {
            fill_places(crew);
        }
    }
    int interrupted = signals_caught();
    for (size_t i = 0; i < crew->plan->most; i++) {
        if (crew->places[i].busy) {
            finish(crew, &crew->places[i], interrupted);
        }
    }
    return interrupted;
}

bool crew_run(const struct crew_plan *plan, int *interrupted, struct err *err)
{
    struct arena arena;
    struct crew crew = {.plan = plan};
    CHECK(plan->most >= 1);
    *interrupted = 0;
    if (!signals_open(&crew.signals, err)) {
        return false;
    }
    arena_init(&arena);
    crew.places = arena_array(&arena, struct place_taken, plan->most);
    crew.workers = arena_array(&arena, struct worker *, plan->most);
    crew.polls = arena_array(&arena, struct pollfd, plan->most * WORKER_POLLS + 1);
    *interrupted = drive(&crew);
    arena_close(&arena);
    signals_close(&crew.signals);
    return true;
}

/* Demo: the scan of the demo project in one context and behind subagents, as the founding description tells it. */
#ifndef SUPPORT_DEMO_H
#define SUPPORT_DEMO_H

#include "engine/scan.h"
#include "reduce/boundary.h"
#include "reduce/compare.h"
#include "reduce/recommend.h"
#include "support/witness.h"
#include "tools/builtin.h"

#define DEMO_FILES 6
#define DEMO_TASK "Summarise this repository."
#define DEMO_PROMPT "Read the files you are given and report a short summary."

struct demo {
    struct fixture *fixture;
    struct workspace *files;
    struct ledger ledger;
    struct run_options options;
};

static inline struct demo *demo_open(struct fixture *f)
{
    struct demo *demo = arena_new(&f->arena, struct demo);
    demo->fixture = f;
    demo->files = fixture_demo(f);
    demo->ledger.arena = &f->arena;
    demo->options = options_of(f);
    return demo;
}

/* A model that scans `count` files of the demo from the `first` on. */
static inline struct model demo_scan(struct demo *demo, uint32_t first, uint32_t count, struct str final_text)
{
    struct arena *arena = &demo->fixture->arena;
    struct scan *scan = arena_new(arena, struct scan);
    scan->paths = arena_array(arena, struct scan_path *, count + 1);
    scan->count = count;
    scan->final_text = final_text;
    for (uint32_t i = 0; i < count; i++) {
        scan->paths[i] = arena_new(arena, struct scan_path);
        scan->paths[i]->path = demo->files->files[first + i].path;
    }
    return witness_model(&demo->ledger, (struct model){&model_scan, scan});
}

static inline struct agent_spec *demo_reader(struct demo *demo, struct str name, struct model model)
{
    static const struct tool *const tools[] = {&tool_read_file};
    struct agent_spec *spec = arena_new(&demo->fixture->arena, struct agent_spec);
    *spec = (struct agent_spec){.name = name, .model = model, .tools = tools, .tool_count = 1,
                                .max_turns = MAX_TURNS_DEFAULT, .workspace = demo->files};
    return spec;
}

/* One context reads the first `count` files. */
static inline struct record *demo_monolith(struct demo *demo, uint32_t count)
{
    struct model model = demo_scan(demo, 0, count, STR("Summary complete."));
    return run_fine(demo->fixture, &demo->options, demo_reader(demo, STR("monolithic"), model), STR(DEMO_TASK));
}

/* A parent hands the six files to so many children in turn, each with an equal share. */
struct demo_delegation {
    struct spec_factory factories[DEMO_FILES];
    struct subagent subagents[DEMO_FILES];
    struct script *script;
};

static inline struct record *demo_delegated(struct demo *demo, uint32_t children)
{
    static const char *const parts[] = {"part0", "part1", "part2", "part3", "part4", "part5"};
    struct arena *arena = &demo->fixture->arena;
    struct demo_delegation *d = arena_new(arena, struct demo_delegation);
    d->script = script_new(arena);
    uint32_t share = DEMO_FILES / children;
    for (uint32_t i = 0; i < children; i++) {
        struct str name = children == 1 ? STR("repo_scanner") : str_of(parts[i]);
        struct str answer = children == 1 ? STR("Repo summarised.") : STR("Part done.");
        d->factories[i].spec = demo_reader(demo, name, demo_scan(demo, i * share, share, answer));
        d->subagents[i] = subagent_of(name, &d->factories[i]);
        script_say(d->script, str_printf(arena, "Delegating part %u of the work.", i + 1));
        script_call(d->script, STR("task"), task_arguments(arena, name, STR(DEMO_PROMPT)));
    }
    script_stop(d->script, STR("Summary complete."));
    struct model model = witness_model(&demo->ledger, script_model(d->script));
    struct agent_spec *spec = demo_reader(demo, STR("delegated"), model);
    spec->subagents = d->subagents;
    spec->subagent_count = children;
    return run_fine(demo->fixture, &demo->options, spec, STR(DEMO_TASK));
}

/* Measure, boundary and verdict of one run. */
struct verdict {
    struct measurement measurement;
    struct ranking ranking;
    struct boundary boundary;
    struct recommendation recommendation;
};

static inline struct verdict verdict_of(struct arena *arena, const struct record *record, double target)
{
    struct verdict v = {.measurement = measure_transcript(&record->transcript)};
    v.ranking = rank_results(arena, &record->transcript);
    v.boundary = boundary_find(&v.ranking, v.measurement.cumulative, target);
    v.recommendation = recommend(v.measurement, &v.boundary, &thresholds_default);
    return v;
}

static inline bool holds_body(const struct record *record, struct str body)
{
    for (uint32_t i = 0; i < transcript_entries(&record->transcript); i++) {
        if (str_holds(content_at(record, i), body))
            return true;
    }
    return false;
}

#endif

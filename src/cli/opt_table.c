#include "cli/opt_table.h"

#include "cli/opt.h"

#define TO(field) offsetof(struct opt_values, field)

const struct opt_row opt_rows[] = {
    {"set", 0, OPT_SET, 0, "NAME=VALUE", "set an option of the scenario, as --NAME VALUE", NULL},
    {"seed", 0, OPT_INTEGER, TO(seed), "N", "seed of the scenario's random numbers (0)", NULL},
    {"unit", 0, OPT_UNIT, TO(unit), "U", "measure in chars, bytes or tokens", NULL},
    {"format", 0, OPT_FORMAT, TO(format), "NAME", "form of the report: text, json, md or csv (text)", NULL},
    {"json", 0, OPT_CONST, TO(format), NULL, "the same as --format json", "json"},
    {"output", 'o', OPT_PATH, TO(output), "FILE", "write the report to FILE, complete or not at all", NULL},
    {"trace", 0, OPT_PATH, TO(trace), "FILE", "write the transcripts to FILE as JSON Lines", NULL},
    {"max-seconds", 0, OPT_COUNT, TO(max_seconds), "N", "stop the scenario after N seconds (60)", NULL},
    {"max-memory", 0, OPT_SIZE, TO(max_memory), "SIZE", "memory of the scenario's Lua: 512M, 4G (256M)", NULL},
    {"max-steps", 0, OPT_COUNT, TO(max_steps), "N", "stop the scenario after N Lua instructions", NULL},
    {"allow-read", 0, OPT_PATHS, TO(allow_read), "DIR", "let the scenario read files below DIR; repeatable", NULL},
    {"allow-exec", 0, OPT_FLAG, TO(allow_exec), NULL, "let the scenario run commands and programs", NULL},
    {"require-sandbox", 0, OPT_FLAG, TO(require_sandbox), NULL, "fail where the kernel cannot confine it", NULL},
    {"log", 0, OPT_FLAG, TO(log), NULL, "say on stderr what the agents do while they do it", NULL},
    {"quiet", 'q', OPT_FLAG, TO(quiet), NULL, "no notes on stderr, only errors", NULL},
    {"no-color", 0, OPT_FLAG, TO(no_color), NULL, "no colours, as with NO_COLOR=1", NULL},
    {"help", 'h', OPT_FLAG, TO(help), NULL, "this text; after a scenario, its own options", NULL},
    {"version", 0, OPT_FLAG, TO(version), NULL, "the version", NULL},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static const struct opt_row test_rows[] = {
    {"jobs", 'j', OPT_COUNT, TO(jobs), "N", "run N scenarios at once (the number of CPUs)", NULL},
    {"update", 0, OPT_CHOICE, TO(update), NULL, "accept what differs, of all tests or those called NAME", NULL},
    {"review", 0, OPT_FLAG, TO(review), NULL, "step through what differs and ask, on a terminal", NULL},
    {"tolerance", 0, OPT_TEXTS, TO(tolerances), "METRIC=N%", "let a metric move by N %, or by N; repeatable", NULL},
    {"ratchet", 0, OPT_TEXTS, TO(ratchets), "METRIC", "fail only if the metric grew; repeatable", NULL},
    {"report", 0, OPT_TEXTS, TO(reports), "KIND=FILE", "write junit=FILE or tap=FILE as well; repeatable", NULL},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

static const struct opt_row compare_rows[] = {
    {"fail-on", 0, OPT_TEXTS, TO(fail_on), "RULE", "exit 1 if \"VARIANT.METRIC > +5%\" holds; repeatable", NULL},
    {"force", 0, OPT_FLAG, TO(force), NULL, "compare runs that differ in seed, unit or options too", NULL},
    {NULL, 0, OPT_FLAG, 0, NULL, NULL, NULL},
};

const struct opt_group opt_groups[] = {{"compare", compare_rows}, {"test", test_rows}, {NULL, NULL}};

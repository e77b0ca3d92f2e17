#include "cli/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "batch/job.h"
#include "cli/bundled.h"
#include "cli/opt.h"
#include "cli/screen.h"

bool locate_is_file(struct str word)
{
    if (word.len == 0) {
        return false;
    }
    bool has_slash = memchr(word.data, '/', word.len) != NULL;
    return has_slash || (word.len >= 4 && str_eq(str_slice(word, word.len - 4, word.len), STR(".lua")));
}

const struct bundled *locate_bundled(struct str word)
{
    for (const struct bundled *row = bundled_scenarios; row->name != NULL; row++) {
        if (str_eq(word, str_of(row->name))) {
            return row;
        }
    }
    return NULL;
}

void locate_offer_bundled(struct suggest *suggest)
{
    for (const struct bundled *row = bundled_scenarios; row->name != NULL; row++) {
        suggest_offer(suggest, str_of(row->name));
    }
}

bool locate_fail_beside(struct str word, struct err *err)
{
    char file[256];
    int length = snprintf(file, sizeof file, "%.*s.lua", STR_ARG(word));
    if (length < 0 || (size_t)length >= sizeof file || !file_exists(file)) {
        return false;
    }
    (void)err_set(err, ERR_USAGE, "no bundled scenario is called '%.*s' (the file here is %s)", STR_ARG(word), file);
    return true;
}

static bool fail_not_bundled(struct str word, struct err *err)
{
    if (locate_fail_beside(word, err)) {
        return false;
    }
    struct suggest suggest;
    suggest_init(&suggest, word);
    locate_offer_bundled(&suggest);
    if (suggest.best.len > 0) {
        return err_set(err, ERR_USAGE, "no bundled scenario is called '%.*s' (did you mean '%.*s'?)", STR_ARG(word),
                       STR_ARG(suggest.best));
    }
    return err_set(err, ERR_USAGE, "no bundled scenario is called '%.*s' (a file ends in .lua or holds a /)",
                   STR_ARG(word));
}

static struct job job_of(const struct opt_values *values, struct str scenario)
{
    return (struct job){
        .scenario = scenario,
        .options = values->options,
        .option_count = values->option_count,
        .allow_read = values->allow_read.items,
        .allow_read_count = values->allow_read.count,
        .reserved = values->names.items,
        .reserved_count = values->names.count,
        .search_path = getenv("SIMAGENT_PATH"),
        .seed = values->seed,
        .unit = values->unit,
        .max_seconds = values->max_seconds,
        .max_memory = values->max_memory,
        .max_steps = values->max_steps,
        .allow_exec = values->allow_exec,
        .require_sandbox = values->require_sandbox,
        .quiet = values->quiet,
        .log = values->log,
        .log_colour = screen_stderr_colour(values->no_color),
    };
}

bool locate_job(const struct opt_values *values, const struct str_list *words, struct job *job, struct err *err)
{
    if (words->count == 0) {
        return err_set(err, ERR_USAGE, "no scenario given");
    }
    struct str scenario = words->items[0];
    if (words->count > 1) {
        return err_set(err, ERR_USAGE, "one scenario at a time: '%.*s' follows '%.*s'", STR_ARG(words->items[1]),
                       STR_ARG(scenario));
    }
    *job = job_of(values, scenario);
    if (locate_is_file(scenario)) {
        return true;
    }
    const struct bundled *bundled = locate_bundled(scenario);
    if (bundled == NULL) {
        return fail_not_bundled(scenario, err);
    }
    job->bundled_source = (struct str){.data = bundled->bytes, .len = bundled->length};
    return true;
}

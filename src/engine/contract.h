/* Contract: what a run must hand back, and what becomes of an answer that breaks it.
 *
 * What crosses to the parent is an envelope.  The engine writes what it knows (task, status, coverage, stop_reason,
 * tokens_read); the model writes the fields of its schema, and an engine's field in its answer is a violation, so that
 * incompleteness never depends on a model mentioning it.
 */
#ifndef ENGINE_CONTRACT_H
#define ENGINE_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct agent;
struct record;
struct schema;
struct value;
struct arena;

enum on_violation { ON_VIOLATION_REJECT, ON_VIOLATION_TRUNCATE, ON_VIOLATION_RETRY };

struct contract {
    const struct schema *schema; /* bounded; no property is one of the engine's fields */
    enum on_violation on_violation;
    int64_t max_retries;      /* of ON_VIOLATION_RETRY, in one run */
    bool wants_coverage;
    int64_t requested;        /* how many successful calls … */
    struct str coverage_tool; /* … of this tool are complete coverage */
};

/* False with ERR_SCENARIO if the schema is open, unbounded, or has a property that the engine fills. */
MUST_USE bool contract_check_schema(const struct schema *schema, struct err *err);

enum contract_answer {
    CONTRACT_MET,     /* `*accepted` is the result that crosses */
    CONTRACT_BROKEN,  /* the run ends with contract_violation */
    CONTRACT_RETRIED  /* a user entry with the violations was appended; the run goes on */
};

/* Judges the result of the stop turn that has just been appended. */
enum contract_answer contract_judge(struct agent *agent, const struct value **accepted);

/* The envelope that the parent reads; `accepted` is NULL when the run gave no result. */
struct str contract_envelope(struct arena *keep, const struct record *record, const struct value *accepted);

#endif

#include "engine/contract.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/json_write.h"
#include "base/value.h"
#include "core/schema.h"
#include "engine/agent_state.h"

static const char *const engine_fields[] = {"task", "status", "coverage", "stop_reason", "tokens_read"};

bool contract_check_schema(const struct schema *schema, struct err *err)
{
    if (!schema_check_bounded(schema, err))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(engine_fields); i++) {
        if (schema_has_property(schema, str_of(engine_fields[i])))
            return err_set(err, ERR_SCENARIO, "properties.%s: the engine fills this field; choose another name",
                           engine_fields[i]);
    }
    return true;
}

void contract_begin(struct agent *agent, const struct contract *contract)
{
    struct coverage *coverage = &agent->record->coverage;
    agent->contract = contract;
    agent->record->account.has_contract = contract != NULL;
    if (!contract || !contract->wants_coverage)
        return;
    *coverage = (struct coverage){.asked = true, .requested = contract->requested};
}

static struct violation *add_violation(struct arena *arena, struct violation *next, struct str path,
                                       struct str problem)
{
    struct violation *violation = arena_new(arena, struct violation);
    *violation = (struct violation){path, problem, next};
    return violation;
}

static bool is_engines(struct str path)
{
    for (size_t i = 0; i < ARRAY_LEN(engine_fields); i++) {
        if (str_eq(path, str_of(engine_fields[i])))
            return true;
    }
    return false;
}

/* A field of the engine's is refused by its own words, before all that the schema says; what the schema says of it as
 * an unknown field is left out. */
static const struct violation *find_violations(struct agent *agent, const struct schema *schema,
                                               const struct value *result)
{
    struct arena *scratch = &agent->scratch;
    struct violation *first = NULL;
    struct violation **last = &first;
    if (!result)
        return add_violation(scratch, NULL, (struct str){0}, STR("is missing: stop with a result"));
    for (size_t i = 0; i < ARRAY_LEN(engine_fields); i++) {
        if (!value_find(result, str_of(engine_fields[i])))
            continue;
        *last = add_violation(scratch, NULL, str_of(engine_fields[i]), STR("is filled by the engine"));
        last = &(*last)->next;
    }
    for (const struct violation *v = schema_validate(schema, result, scratch); v; v = v->next) {
        if (is_engines(v->path))
            continue;
        *last = add_violation(scratch, NULL, v->path, v->problem);
        last = &(*last)->next;
    }
    return first;
}

static int64_t count(const struct violation *violations)
{
    int64_t found = 0;
    for (; violations; violations = violations->next)
        found++;
    return found;
}

static enum contract_answer retry(struct agent *agent, const struct violation *violations)
{
    struct strbuf text;
    strbuf_init(&text, agent->run->options->keep, (size_t)1 << 20);
    strbuf_add(&text, STR("The result breaks its contract:"));
    for (; violations; violations = violations->next) {
        strbuf_add(&text, STR("\n- "));
        strbuf_add(&text, violations->path.len ? violations->path : STR("result"));
        strbuf_addc(&text, ' ');
        strbuf_add(&text, violations->problem);
    }
    transcript_append(&agent->record->transcript, ROLE_USER, NAME_NONE, strbuf_str(&text));
    agent->record->account.contract.retries++;
    agent->result_count = 0;
    sched_add(&agent->run->sched, agent->run->sched.now, EVENT_TURN_START, agent, 0);
    return CONTRACT_RETRIED;
}

static enum contract_answer truncate(struct agent *agent, const struct contract *contract,
                                     const struct value **accepted)
{
    uint32_t cuts = 0;
    const struct value *cut = schema_truncate(contract->schema, *accepted, agent->run->options->keep, &cuts);
    agent->record->account.contract.truncated += cuts;
    if (find_violations(agent, contract->schema, cut))
        return CONTRACT_BROKEN;
    *accepted = cut;
    return CONTRACT_MET;
}

enum contract_answer contract_judge(struct agent *agent, const struct value **accepted)
{
    const struct contract *contract = agent->contract;
    struct contract_counts *counts = &agent->record->account.contract;
    *accepted = agent->turn.result;
    const struct violation *violations = find_violations(agent, contract->schema, *accepted);
    if (!violations)
        return CONTRACT_MET;
    counts->violations = checked_add(counts->violations, count(violations));
    if (contract->on_violation == ON_VIOLATION_RETRY && counts->retries < contract->max_retries)
        return retry(agent, violations);
    if (contract->on_violation == ON_VIOLATION_TRUNCATE && *accepted && (*accepted)->kind == VALUE_OBJECT)
        return truncate(agent, contract, accepted);
    return CONTRACT_BROKEN;
}

static void add_field(struct strbuf *out, const char *name)
{
    strbuf_addf(out, "%s\"%s\":", out->len > 1 ? "," : "", name);
}

static void add_fields(struct strbuf *out, const struct value *accepted)
{
    for (size_t i = 0; accepted && i < accepted->count; i++) {
        strbuf_addc(out, ',');
        json_quote(out, accepted->members[i].key);
        strbuf_addc(out, ':');
        value_canonical(&accepted->members[i].value, out);
    }
}

struct str contract_envelope(struct arena *keep, const struct record *record, const struct value *accepted)
{
    const struct coverage *coverage = &record->coverage;
    struct strbuf out;
    strbuf_init(&out, keep, (size_t)UINT32_MAX - 1);
    strbuf_addc(&out, '{');
    add_field(&out, "task");
    json_quote(&out, record->name);
    add_field(&out, "status");
    strbuf_addf(&out, "\"%s\"", status_name(record_status(record)));
    add_field(&out, "coverage");
    if (coverage->asked)
        strbuf_addf(&out, "{\"requested\":%" PRId64 ",\"read\":%" PRId64 "}", coverage->requested, coverage->read);
    else
        strbuf_addf(&out, "null");
    add_field(&out, "stop_reason");
    strbuf_addf(&out, "\"%s\"", stop_reason_name(record->stop_reason));
    add_fields(&out, accepted);
    add_field(&out, "tokens_read");
    strbuf_addf(&out, "%" PRId64 "}", record->account.results_size);
    return strbuf_str(&out);
}

/* What each profile of verdicts says of delegating, on which figures, and why they disagree. */
#include "base/arena.h"
#include "report/cells.h"
#include "report/gate.h"
#include "report/metric.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/sheet.h"

#define PROFILES_MAX 4
#define PROFILE_COLUMNS 16
#define DISAGREEMENTS_MAX 3 /* sentences; variants that disagree alike share one */
#define SENTENCE_CEILING 4096
#define NAMES_CEILING 400
#define NO_PROFILE ((size_t)-1)

struct profiles {
    const struct sheet *sheet;
    struct str names[PROFILES_MAX]; /* raw, in the order of first mention */
    size_t count;
    size_t chosen; /* whose verdict the recommendation is, or NO_PROFILE */
};

struct known_profile {
    const char *name;
    const char *note;
};

static const struct known_profile known_profiles[] = {
    {"footprint", ": every gate"},
    {"checklist", ": any gate"},
    {"overhead", ": both gates"},
};

static size_t profile_place(const struct profiles *profiles, struct str name)
{
    size_t place = 0;
    while (place < profiles->count && !str_eq(profiles->names[place], name)) {
        place++;
    }
    return place;
}

static bool has_verdict(const struct value *object)
{
    const struct value *delegate = value_find(object, STR("delegate"));
    return delegate != NULL && delegate->kind == VALUE_BOOL;
}

static bool says_yes(const struct value *verdict)
{
    return value_bool_at(verdict, "delegate", false);
}

/* A variant's verdict by a profile, or NULL. */
static const struct value *verdict_of(const struct profiles *profiles, size_t variant, size_t profile)
{
    const struct value *list = sheet_list(profiles->sheet->variants[variant], "verdicts");
    for (size_t i = 0; i < list->count; i++) {
        struct str name = value_str_at(&list->items[i], "profile", STR(""));
        if (str_eq(name, profiles->names[profile]) && has_verdict(&list->items[i])) {
            return &list->items[i];
        }
    }
    return NULL;
}

static void collect(struct profiles *profiles, const struct value *variant)
{
    const struct value *list = sheet_list(variant, "verdicts");
    for (size_t i = 0; i < list->count; i++) {
        struct str name = value_str_at(&list->items[i], "profile", STR(""));
        bool known = name.len == 0 || profile_place(profiles, name) < profiles->count;
        if (!known && profiles->count < PROFILES_MAX && has_verdict(&list->items[i])) {
            profiles->names[profiles->count++] = name;
        }
    }
}

/* Each profile has rules of its own, so the same verdict on the same rules is the same profile. */
static bool is_same(const struct value *verdict, const struct value *recommendation)
{
    struct gate_rules a = {.count = 0};
    struct gate_rules b = {.count = 0};
    gate_rules_add(&a, verdict);
    gate_rules_add(&b, recommendation);
    if (a.count != b.count || !has_verdict(recommendation) || says_yes(verdict) != says_yes(recommendation)) {
        return false;
    }
    for (size_t i = 0; i < a.count; i++) {
        if (gate_rules_place(&b, a.rules[i]) == b.count) {
            return false;
        }
    }
    return true;
}

static bool decides(const struct profiles *profiles, size_t profile)
{
    for (size_t i = 0; i < profiles->sheet->count; i++) {
        const struct value *verdict = verdict_of(profiles, i, profile);
        const struct value *told = value_find(profiles->sheet->variants[i], STR("recommendation"));
        if (verdict == NULL || !is_same(verdict, told)) {
            return false;
        }
    }
    return true;
}

static struct str verdict_cell(const struct value *verdict)
{
    if (verdict == NULL) {
        return CELLS_NONE;
    }
    return says_yes(verdict) ? STR("yes") : STR("no");
}

/* "* footprint: every gate" */
static struct str profile_label(const struct profiles *profiles, size_t profile)
{
    struct str name = profiles->names[profile];
    const char *note = "";
    for (size_t i = 0; i < ARRAY_LEN(known_profiles); i++) {
        if (str_eq(name, str_of(known_profiles[i].name))) {
            note = known_profiles[i].note;
        }
    }
    struct str safe = cells_name(profiles->sheet->arena, name, PROFILE_COLUMNS);
    return str_printf(profiles->sheet->arena, "%s%.*s%s", profile == profiles->chosen ? "* " : "  ", STR_ARG(safe),
                      note);
}

static struct metric_line profile_line(const struct profiles *profiles, size_t profile)
{
    const struct sheet *sheet = profiles->sheet;
    struct str name = cells_name(sheet->arena, profiles->names[profile], PROFILE_COLUMNS);
    const char *mark = profile == profiles->chosen ? "*" : "";
    struct metric_line line = {
        .label = profile_label(profiles, profile),
        .heading = str_printf(sheet->arena, "%s%.*s", mark, STR_ARG(name)),
        .cells = arena_array(sheet->arena, struct str, sheet->count),
    };
    for (size_t i = 0; i < sheet->count; i++) {
        line.cells[i] = verdict_cell(verdict_of(profiles, i, profile));
    }
    return line;
}

static struct str find_gate(struct arena *arena, const struct value *verdict, struct str rule)
{
    static const char *const lists[] = {"failed_rules", "triggered_rules"};
    for (size_t passed = 0; passed < ARRAY_LEN(lists); passed++) {
        const struct value *list = sheet_list(verdict, lists[passed]);
        for (size_t i = 0; i < list->count; i++) {
            if (str_eq(value_str_at(&list->items[i], "rule", STR("")), rule)) {
                return gate_text(arena, &list->items[i], passed == 1);
            }
        }
    }
    return CELLS_NONE;
}

static struct metric_line gate_line(const struct profiles *profiles, size_t profile, struct str rule)
{
    const struct sheet *sheet = profiles->sheet;
    struct str heading = gate_heading(sheet->arena, rule);
    struct metric_line line = {
        .label = str_printf(sheet->arena, "    %.*s", STR_ARG(heading)),
        .heading = heading,
        .cells = arena_array(sheet->arena, struct str, sheet->count),
        .rank = 1,
    };
    for (size_t i = 0; i < sheet->count; i++) {
        line.cells[i] = find_gate(sheet->arena, verdict_of(profiles, i, profile), rule);
    }
    return line;
}

static size_t add_profile(const struct profiles *profiles, size_t profile, struct metric_line *lines)
{
    struct gate_rules rules = {.count = 0};
    size_t count = 0;
    for (size_t i = 0; i < profiles->sheet->count; i++) {
        gate_rules_add(&rules, verdict_of(profiles, i, profile));
    }
    gate_rules_order(&rules);
    lines[count++] = profile_line(profiles, profile);
    for (size_t i = 0; i < rules.count; i++) {
        lines[count++] = gate_line(profiles, profile, rules.rules[i]);
    }
    return count;
}

/* " (tool calls 4 ≥ 4, …)": the gates that made a verdict what it is. */
static void add_grounds(struct strbuf *out, struct arena *arena, const struct value *verdict)
{
    bool yes = says_yes(verdict);
    const struct value *list = sheet_list(verdict, yes ? "triggered_rules" : "failed_rules");
    for (size_t i = 0; i < list->count; i++) {
        struct str heading = gate_heading(arena, value_str_at(&list->items[i], "rule", STR("")));
        struct str figures = gate_text(arena, &list->items[i], yes);
        strbuf_addf(out, "%s%.*s %.*s", i == 0 ? " (" : ", ", STR_ARG(heading), STR_ARG(figures));
    }
    strbuf_add(out, list->count > 0 ? STR(")") : STR(""));
}

/* "checklist says yes (tool calls 4 ≥ 4), but footprint no (…) and overhead no (…)"; empty when all agree. */
static struct str disagreement(const struct profiles *profiles, size_t variant)
{
    struct arena *arena = profiles->sheet->arena;
    size_t said[2] = {0, 0};
    struct strbuf out;
    strbuf_init(&out, arena, SENTENCE_CEILING);
    for (size_t yes = 2; yes-- > 0;) {
        for (size_t i = 0; i < profiles->count; i++) {
            const struct value *verdict = verdict_of(profiles, variant, i);
            if (verdict == NULL || says_yes(verdict) != (yes == 1)) {
                continue;
            }
            struct str name = cells_name(arena, profiles->names[i], PROFILE_COLUMNS);
            const char *joint = said[yes] > 0 ? " and " : yes == 0 && said[1] > 0 ? ", but " : "";
            strbuf_addf(&out, "%s%.*s says %s", joint, STR_ARG(name), yes == 1 ? "yes" : "no");
            add_grounds(&out, arena, verdict);
            said[yes]++;
        }
    }
    return said[0] > 0 && said[1] > 0 ? strbuf_str(&out) : STR("");
}

/* Variants that disagree in the same way, with the same figures. */
struct dispute {
    struct str sentence;
    struct strbuf names;
};

struct disputes {
    struct dispute rows[DISAGREEMENTS_MAX];
    size_t count;
    size_t more; /* variants that found no row */
};

static void add_dispute(struct disputes *disputes, struct arena *arena, struct str name, struct str sentence)
{
    for (size_t i = 0; i < disputes->count; i++) {
        if (str_eq(disputes->rows[i].sentence, sentence)) {
            strbuf_addf(&disputes->rows[i].names, ", %.*s", STR_ARG(name));
            return;
        }
    }
    if (disputes->count == DISAGREEMENTS_MAX) {
        disputes->more++;
        return;
    }
    struct dispute *dispute = &disputes->rows[disputes->count++];
    dispute->sentence = sentence;
    strbuf_init(&dispute->names, arena, NAMES_CEILING);
    strbuf_add(&dispute->names, name);
}

static void print_disagreements(struct page *page, const struct profiles *profiles)
{
    struct disputes disputes = {.count = 0};
    for (size_t i = 0; i < profiles->sheet->count; i++) {
        struct str sentence = disagreement(profiles, i);
        if (sentence.len > 0) {
            add_dispute(&disputes, page->arena, profiles->sheet->names[i], sentence);
        }
    }
    for (size_t i = 0; i < disputes.count; i++) {
        struct str names = strbuf_str(&disputes.rows[i].names);
        const char *cut = disputes.rows[i].names.overflowed ? ", …" : "";
        struct str text = str_printf(page->arena, "%.*s%s: %.*s.", STR_ARG(names), cut,
                                     STR_ARG(disputes.rows[i].sentence));
        page_paragraph(page, 0, PAGE_PLAIN, text);
    }
    if (disputes.more > 0) {
        struct str more = cells_count(page->arena, (int64_t)disputes.more, "more variant");
        struct str text = str_printf(page->arena, "… and %.*s on which they differ", STR_ARG(more));
        page_paragraph(page, 0, PAGE_PLAIN, text);
    }
}

/* Footprint is what decides unless a scenario says otherwise, which must not be missed. */
static void print_choice(struct page *page, const struct profiles *profiles)
{
    if (profiles->chosen == NO_PROFILE || str_eq(profiles->names[profiles->chosen], STR("footprint"))) {
        return;
    }
    struct str name = cells_name(page->arena, profiles->names[profiles->chosen], PROFILE_COLUMNS);
    page_paragraph(page, 0, PAGE_PLAIN,
                   str_printf(page->arena, "This scenario chose %.*s for its recommendation, not footprint.",
                              STR_ARG(name)));
}

enum profiles_shown section_profiles(struct page *page, const struct sheet *sheet)
{
    struct profiles profiles = {.sheet = sheet, .chosen = NO_PROFILE};
    for (size_t i = 0; i < sheet->count; i++) {
        collect(&profiles, sheet->variants[i]);
    }
    if (profiles.count == 0) {
        return PROFILES_NONE;
    }
    for (size_t i = profiles.count; i-- > 0;) {
        profiles.chosen = decides(&profiles, i) ? i : profiles.chosen;
    }
    struct metric_line *lines = arena_array(page->arena, struct metric_line, profiles.count * (GATE_RULES_MAX + 1));
    size_t count = 0;
    for (size_t i = 0; i < profiles.count; i++) {
        count += add_profile(&profiles, i, lines + count);
    }
    bool has_chosen = profiles.chosen != NO_PROFILE;
    page_heading(page, has_chosen ? STR("Worth delegating?") : STR("What the profiles say"),
                 has_chosen ? STR("* = the recommendation") : STR(""));
    bool all = metric_lines_print(page, sheet, lines, count);
    print_choice(page, &profiles);
    print_disagreements(page, &profiles);
    return has_chosen && all ? PROFILES_WITH_GATES : PROFILES_WITHOUT_GATES;
}

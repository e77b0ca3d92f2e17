/* Gates: the rules of a recommendation or verdict, which a run's number must meet or pass, as text.
 *
 * A report says which rules a run passed and which it failed; the sign between number and floor follows from that and
 * never from comparing them again, so that what is shown cannot disagree with the report.
 */
#ifndef REPORT_GATE_H
#define REPORT_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct arena;
struct value;

#define GATE_RULES_MAX 12

/* The distinct rules of some lists, at most GATE_RULES_MAX; raw text, in the order of first mention. */
struct gate_rules {
    struct str rules[GATE_RULES_MAX];
    size_t count;
};

/* Adds the rules of what the two lists of a recommendation or verdict name. */
void gate_rules_add(struct gate_rules *rules, const struct value *verdict);

/* The known ones first, in their own order, whichever of them failed. */
void gate_rules_order(struct gate_rules *rules);

/* Where a rule stands, or `count`. */
size_t gate_rules_place(const struct gate_rules *rules, struct str rule);

/* The words for a rule; its name when it is not known. */
struct str gate_heading(struct arena *arena, struct str rule);

/* "19,741 ≥ 2,000": 1.4996 is not shown as 1.50 < 1.50. */
struct str gate_text(struct arena *arena, const struct value *row, bool passed);

#endif

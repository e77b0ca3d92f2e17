/* The sections of the text report, in the order in which they stand.
 *
 * Each looks at the sheet and writes to the page; one that has nothing to say writes nothing.  Scratch memory is the
 * page's arena.
 */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

struct page;
struct sheet;

/* section_head.c: what was simulated, on which files, with which options. */
void section_head(struct page *page, const struct sheet *sheet);

/* section_compare.c: all variants side by side. */
void section_compare(struct page *page, const struct sheet *sheet);

/* section_curves.c: context per turn as sparklines, subagents below their variant. */
void section_curves(struct page *page, const struct sheet *sheet);

/* section_cost.c: tokens as they are billed, requests, money. */
void section_cost(struct page *page, const struct sheet *sheet);

/* section_misses.c: what had to be paid again because it was not in the cache any more. */
void section_misses(struct page *page, const struct sheet *sheet);

/* section_time.c: elapsed, work, critical path. */
void section_time(struct page *page, const struct sheet *sheet);

/* section_gates.c: the recommendation with its gates, and what the boundary would save. */
void section_gates(struct page *page, const struct sheet *sheet);

/* section_profiles.c: what each profile of verdicts says.  section_gates asks whether the gates of the recommendation
 * were among them, or need a table of their own. */
enum profiles_shown { PROFILES_NONE, PROFILES_WITHOUT_GATES, PROFILES_WITH_GATES };
enum profiles_shown section_profiles(struct page *page, const struct sheet *sheet);

/* section_candidates.c: the tool results that were re-read most. */
void section_candidates(struct page *page, const struct sheet *sheet);

/* section_composition.c: what fills the last request. */
void section_composition(struct page *page, const struct sheet *sheet);

/* section_terms.c: what runs were bound to: their budgets and return contracts. */
void section_terms(struct page *page, const struct sheet *sheet);

/* section_changes.c: what runs changed of their files. */
void section_changes(struct page *page, const struct sheet *sheet);

/* section_verdict.c: expectations, runs that did not complete, the report's own verdict. */
void section_verdict(struct page *page, const struct sheet *sheet);

#endif

/* Locate: which scenario a word of the command line means.
 *
 * What ends in `.lua` or holds a `/` is a file, whatever else has that name; so a file never hides a command, and a
 * command added later never hides a file.
 */
#ifndef CLI_LOCATE_H
#define CLI_LOCATE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct arena;
struct bundled;
struct job;
struct opt_values;
struct str_list;
struct suggest;

bool locate_is_file(struct str word);
const struct bundled *locate_bundled(struct str word); /* NULL if there is none of that name */
void locate_offer_bundled(struct suggest *suggest);

/* True, with an ERR_USAGE that says so, if the word is a scenario file of this folder without its `.lua`. */
MUST_USE bool locate_fail_beside(struct str word, struct err *err);

/* The job that runs the one scenario among `words` with the flags given; what it is about is for the caller to set. */
MUST_USE bool locate_job(const struct opt_values *values, const struct str_list *words, struct job *job,
                         struct err *err);

#endif

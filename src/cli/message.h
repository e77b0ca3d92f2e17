/* Messages: what goes to stderr, made safe for a terminal. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "base/err.h"
#include "base/str.h"
#include "base/str.h"

struct arena;

/* Text with line feeds; unsafe bytes are escaped.  One write, so that two processes do not mix. */
void message_print(struct arena *arena, struct str text);

/* One line, and a line feed behind it: those inside, which are of some foreign name, are escaped too. */
void message_print_line(struct arena *arena, struct str text);

/* `simagent: MESSAGE`; after an error of usage also `Try 'HINT'.` */
void message_print_error(struct arena *arena, const struct err *err, struct str hint);

#endif

/* The table of common flags: one row each, the only place that knows them. */
#ifndef CLI_OPT_TABLE_H
#define CLI_OPT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum opt_kind {
    OPT_FLAG,    /* bool: true */
    OPT_FORMAT,  /* str: the name of a renderer */
    OPT_CONST,   /* str: the row's `constant` */
    OPT_UNIT,    /* str: chars, bytes or tokens */
    OPT_PATH,    /* str: not empty */
    OPT_PATHS,   /* str_list: not empty */
    OPT_INTEGER, /* int64: any */
    OPT_COUNT,   /* int64: from 1 */
    OPT_SIZE,    /* int64: bytes from 1, with K, M, G */
    OPT_TEXTS,   /* str_list: not empty */
    OPT_CHOICE,  /* opt_choice: alone, or --NAME=WORD, repeatable */
    OPT_SET      /* NAME=VALUE, one more of the scenario's options */
};

struct opt_row {
    const char *name; /* without dashes */
    char letter;      /* 0: none */
    enum opt_kind kind;
    size_t target; /* offset in struct opt_values */
    const char *word; /* of the argument in the help; NULL: takes none */
    const char *help;
    const char *constant;
};

extern const struct opt_row opt_rows[]; /* ended by a row without a name */

/* Flags that one command has for itself, known once its name was read; scenarios may have options of the same names. */
struct opt_group {
    const char *command;
    const struct opt_row *rows; /* ended as above */
};

extern const struct opt_group opt_groups[]; /* ended by one without a command */

#endif

/* Options: what a scenario lets its user choose, declared as data and typed by their default.
 *
 *  I1  Names are Lua names; on the command line `-` and `_` are the same.
 *  I2  An option without a default has no value until one is given.
 */
#ifndef SCRIPT_OPTION_H
#define SCRIPT_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/feed.h"
#include "base/str.h"
#include "base/value.h"

enum option_type {
    OPTION_STRING,
    OPTION_INTEGER,
    OPTION_NUMBER,
    OPTION_BOOLEAN,
    OPTION_ENUM,
    OPTION_SIZE, /* an integer that may be written 200k, 4M, 1G (times 1,024) */
    OPTION_DIR
};

struct option {
    struct str name;
    struct str help;
    enum option_type type;
    bool has_default;
    struct value fallback; /* the default */
    bool has_low, has_high;
    double low, high;
    const struct str *values; /* of an enum */
    uint32_t value_count;
    bool has_value; /* given, or defaulted */
    bool given;
    struct value value;
};

struct option_set {
    struct option *options; /* in declared order */
    uint32_t count;
    bool declared; /* sim.options was called */
};

struct option *option_find(struct option_set *set, struct str name); /* `-` and `_` are the same */

/* Sets an option from text of the command line (data NULL: the flag stood alone).  False with ERR_USAGE. */
MUST_USE bool option_give(struct option *option, struct str text, struct err *err);

/* Checks a value against the option's bounds or list.  False with ERR_USAGE. */
MUST_USE bool option_check(const struct option *option, const struct value *value, struct err *err);

/* The nearest declared name, or empty. */
struct str option_suggest(const struct option_set *set, struct str name);

const char *option_type_name(enum option_type type);
bool option_type_find(struct str name, enum option_type *type);

/* The declaration as an array of objects: {"name","type","help","default","min","max","values"}; keys that do not apply
 * are left out. */
void option_tell_declared(const struct option_set *set, struct feed *feed);

#endif

#include "script/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

static const char *const type_names[] = {
    [OPTION_STRING] = "string", [OPTION_INTEGER] = "integer", [OPTION_NUMBER] = "number", [OPTION_BOOLEAN] = "boolean",
    [OPTION_ENUM] = "enum",     [OPTION_SIZE] = "size",       [OPTION_DIR] = "dir",
};

const char *option_type_name(enum option_type type)
{
    return type_names[type];
}

bool option_type_find(struct str name, enum option_type *type)
{
    for (size_t i = 0; i < ARRAY_LEN(type_names); i++) {
        if (str_eq(name, str_of(type_names[i]))) {
            *type = (enum option_type)i;
            return true;
        }
    }
    return false;
}

static bool same_name(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        char x = a.data[i] == '-' ? '_' : a.data[i];
        char y = b.data[i] == '-' ? '_' : b.data[i];
        if (x != y)
            return false;
    }
    return true;
}

struct option *option_find(struct option_set *set, struct str name)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (same_name(set->options[i].name, name))
            return &set->options[i];
    }
    return NULL;
}

struct str option_suggest(const struct option_set *set, struct str name)
{
    struct suggest suggest;
    suggest_init(&suggest, name);
    for (uint32_t i = 0; i < set->count; i++)
        suggest_offer(&suggest, set->options[i].name);
    return suggest.best;
}

/* Text of at most 63 bytes as a C string; false when it is longer or holds NUL. */
static bool short_text(struct str text, char out[64])
{
    if (text.len == 0 || text.len > 63 || memchr(text.data, 0, text.len))
        return false;
    memcpy(out, text.data, text.len);
    out[text.len] = 0;
    return true;
}

static bool parse_integer(struct str text, int64_t *out, char *suffix)
{
    char digits[64];
    char *end;
    if (!short_text(text, digits) || !strchr("-0123456789", digits[0]))
        return false;
    errno = 0;
    long long value = strtoll(digits, &end, 10);
    if (errno || end == digits || strlen(end) > 1)
        return false;
    *out = value;
    *suffix = *end;
    return true;
}

static bool parse_size(struct str text, int64_t *out)
{
    char suffix;
    int64_t factor = 1;
    if (!parse_integer(text, out, &suffix))
        return false;
    switch (suffix) {
    case 'g': case 'G': factor *= 1024; /* fall through */
    case 'm': case 'M': factor *= 1024; /* fall through */
    case 'k': case 'K': factor *= 1024; /* fall through */
    case 0: break;
    default: return false;
    }
    return !__builtin_mul_overflow(*out, factor, out);
}

static bool parse_number(struct str text, double *out)
{
    char digits[64];
    char *end;
    if (!short_text(text, digits) || !strchr("-.0123456789", digits[0]))
        return false;
    *out = strtod(digits, &end);
    return *end == 0 && isfinite(*out);
}

static bool parse_boolean(struct str text, bool *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "0", "1", "off", "on"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_eq(text, str_of(words[i]))) {
            *out = i % 2;
            return true;
        }
    }
    return false;
}

static bool parse(const struct option *option, struct str text, struct value *out)
{
    char suffix = 0;
    switch (option->type) {
    case OPTION_STRING:
    case OPTION_ENUM:
    case OPTION_DIR:
        *out = (struct value){.kind = VALUE_STRING, .string = text};
        return true;
    case OPTION_INTEGER:
        out->kind = VALUE_INT;
        return parse_integer(text, &out->integer, &suffix) && suffix == 0;
    case OPTION_SIZE:
        out->kind = VALUE_INT;
        return parse_size(text, &out->integer);
    case OPTION_NUMBER:
        out->kind = VALUE_REAL;
        return parse_number(text, &out->real);
    case OPTION_BOOLEAN:
        out->kind = VALUE_BOOL;
        return parse_boolean(text, &out->boolean);
    }
    return false;
}

static bool check_enum(const struct option *option, const struct value *value, struct err *err)
{
    struct suggest suggest;
    suggest_init(&suggest, value->string);
    char list[512] = "";
    for (uint32_t i = 0; i < option->value_count; i++) {
        if (str_eq(option->values[i], value->string))
            return true;
        suggest_offer(&suggest, option->values[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.*s", i ? ", " : "", STR_ARG(option->values[i]));
    }
    return err_set(err, ERR_USAGE, "--%.*s must be one of %s, got \"%.*s\"%s%.*s%s", STR_ARG(option->name), list,
                   STR_ARG(value->string), suggest.best.len ? "; did you mean \"" : "", STR_ARG(suggest.best),
                   suggest.best.len ? "\"?" : "");
}

bool option_check(const struct option *option, const struct value *value, struct err *err)
{
    if (option->type == OPTION_ENUM)
        return check_enum(option, value, err);
    if (value->kind != VALUE_INT && value->kind != VALUE_REAL)
        return true;
    double number = value->kind == VALUE_INT ? (double)value->integer : value->real;
    if (option->has_low && number < option->low)
        return err_set(err, ERR_USAGE, "--%.*s must be at least %.15g, got %.15g", STR_ARG(option->name), option->low,
                       number);
    if (option->has_high && number > option->high)
        return err_set(err, ERR_USAGE, "--%.*s must be at most %.15g, got %.15g", STR_ARG(option->name), option->high,
                       number);
    return true;
}

/* A whole number, or a size, that 64 bits do not hold. */
static bool is_beyond(const struct option *option, struct str text)
{
    bool may_have_suffix = option->type == OPTION_SIZE;
    size_t start = text.len > 0 && text.data[0] == '-' ? 1 : 0;
    size_t end = text.len;
    if (option->type != OPTION_INTEGER && !may_have_suffix)
        return false;
    if (may_have_suffix && end > start && memchr("kKmMgG", text.data[end - 1], 6))
        end--;
    for (size_t i = start; i < end; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    return start < end;
}

bool option_give(struct option *option, struct str text, struct err *err)
{
    static const char *const wanted[] = {
        [OPTION_STRING] = "a value",
        [OPTION_INTEGER] = "an integer",
        [OPTION_NUMBER] = "a number",
        [OPTION_BOOLEAN] = "true or false",
        [OPTION_ENUM] = "a value",
        [OPTION_SIZE] = "a size such as 200k",
        [OPTION_DIR] = "a folder",
    };
    struct value value = {0};
    bool alone = text.data == NULL;
    if (alone && option->type == OPTION_BOOLEAN)
        value = (struct value){.kind = VALUE_BOOL, .boolean = true};
    else if (alone)
        return err_set(err, ERR_USAGE, "--%.*s needs %s", STR_ARG(option->name), wanted[option->type]);
    else if (!parse(option, text, &value))
        return is_beyond(option, text)
                   ? err_set(err, ERR_USAGE, "--%.*s: %.*s is out of range", STR_ARG(option->name), STR_ARG(text))
                   : err_set(err, ERR_USAGE, "--%.*s must be %s, got \"%.*s\"", STR_ARG(option->name),
                             wanted[option->type], STR_ARG(text));
    if (!option_check(option, &value, err))
        return false;
    option->value = value;
    option->has_value = option->given = true;
    return true;
}

static void tell_bound(struct feed *feed, struct str key, bool has, double bound)
{
    if (!has)
        return;
    if (bound == floor(bound) && fabs(bound) < 9e15)
        feed_put_int(feed, key, (int64_t)bound);
    else
        feed_put_real(feed, key, bound);
}

void option_tell_declared(const struct option_set *set, struct feed *feed)
{
    feed_begin_array(feed);
    for (uint32_t i = 0; i < set->count; i++) {
        const struct option *option = &set->options[i];
        feed_begin_object(feed);
        feed_put_str(feed, STR("name"), option->name);
        feed_put_str(feed, STR("type"), str_of(option_type_name(option->type)));
        feed_put_str(feed, STR("help"), option->help);
        if (option->has_default) {
            feed_key(feed, STR("default"));
            value_tell(&option->fallback, feed);
        }
        tell_bound(feed, STR("min"), option->has_low, option->low);
        tell_bound(feed, STR("max"), option->has_high, option->high);
        if (option->value_count) {
            feed_open_array(feed, STR("values"));
            for (uint32_t k = 0; k < option->value_count; k++)
                feed_str(feed, option->values[k]);
            feed_end(feed);
        }
        feed_end(feed);
    }
    feed_end(feed);
}

/* tell_json: tells a small JSON text as a feed, so that a test can write a report down as it is read.
 *
 * For well-formed texts of the tests only: anything else fails the CHECK at its place.  Strings know the escapes \" \\
 * \n \r \t and \u00NN; other bytes pass raw, valid UTF-8 or not.
 */
#ifndef SUPPORT_TELL_JSON_H
#define SUPPORT_TELL_JSON_H

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/feed.h"

static inline void tell_spaces(const char **at)
{
    while (**at == ' ' || **at == '\n') {
        (*at)++;
    }
}

static inline char tell_escape(const char **at)
{
    char c = *(*at)++;
    if (c == 'u') {
        char digits[5] = {0};
        memcpy(digits, *at, 4);
        *at += 4;
        return (char)strtol(digits, NULL, 16);
    }
    return c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
}

/* The string after its opening quote; the bytes stay good until the next one. */
static inline struct str tell_quoted(const char **at, char buffer[65536])
{
    size_t len = 0;
    while (**at != '"') {
        CHECK(**at != '\0' && len < 65536);
        char c = *(*at)++;
        buffer[len++] = c == '\\' ? tell_escape(at) : c;
    }
    (*at)++;
    return (struct str){.data = buffer, .len = len};
}

static inline void tell_number(const char **at, struct feed *feed)
{
    size_t length = strspn(*at, "+-.0123456789eE");
    CHECK(length > 0);
    if (strcspn(*at, ".eE") < length) {
        feed_real(feed, strtod(*at, NULL));
    } else {
        feed_int(feed, strtoll(*at, NULL, 10));
    }
    *at += length;
}

static inline void tell_one(const char **at, struct feed *feed, char *buffer);

static inline void tell_items(const char **at, struct feed *feed, char closer, char *buffer)
{
    tell_spaces(at);
    while (**at != closer) {
        if (closer == '}') {
            CHECK(*(*at)++ == '"');
            feed_key(feed, tell_quoted(at, buffer));
            tell_spaces(at);
            CHECK(*(*at)++ == ':');
        }
        tell_one(at, feed, buffer);
        tell_spaces(at);
        if (**at == ',') {
            (*at)++;
        }
        tell_spaces(at);
    }
    (*at)++;
    feed_end(feed);
}

static inline bool tell_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    bool here = strncmp(*at, word, length) == 0;
    *at += here ? length : 0;
    return here;
}

static inline void tell_one(const char **at, struct feed *feed, char *buffer)
{
    tell_spaces(at);
    if (tell_word(at, "{")) {
        feed_begin_object(feed);
        tell_items(at, feed, '}', buffer);
    } else if (tell_word(at, "[")) {
        feed_begin_array(feed);
        tell_items(at, feed, ']', buffer);
    } else if (tell_word(at, "\"")) {
        feed_str(feed, tell_quoted(at, buffer));
    } else if (tell_word(at, "null")) {
        feed_null(feed);
    } else if (tell_word(at, "true")) {
        feed_bool(feed, true);
    } else if (tell_word(at, "false")) {
        feed_bool(feed, false);
    } else {
        tell_number(at, feed);
    }
}

static inline void tell_json(const char *json, struct feed *feed)
{
    static char buffer[65536];
    tell_one(&json, feed, buffer);
}

#endif

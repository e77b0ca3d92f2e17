#include "cli/reproduce.h"

#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/opt.h"

#define CEILING ((size_t)1 << 22) /* above what the kernel lets a command line be */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_@%+=:,./-", c) != NULL);
}

static bool is_all_plain(struct str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (!is_plain(word.data[i])) {
            return false;
        }
    }
    return word.len > 0;
}

/* True if the sequence at the start of s may stand in a terminal as it is. */
static bool is_printable(struct str s, size_t *length)
{
    *length = utf8_sequence(s);
    if (*length == 0) {
        *length = 1;
        return false;
    }
    uint32_t code_point = utf8_decode(s, length);
    return code_point >= 0x20 && !utf8_is_unsafe(code_point);
}

static bool is_all_printable(struct str word)
{
    size_t length;
    for (size_t i = 0; i < word.len; i += length) {
        if (!is_printable(str_slice(word, i, word.len), &length)) {
            return false;
        }
    }
    return true;
}

static void quote_simply(struct strbuf *out, struct str word)
{
    strbuf_addc(out, '\'');
    for (size_t i = 0; i < word.len; i++) {
        if (word.data[i] == '\'') {
            strbuf_add(out, STR("'\\''"));
        } else {
            strbuf_addc(out, word.data[i]);
        }
    }
    strbuf_addc(out, '\'');
}

static void quote_in_octal(struct strbuf *out, struct str word)
{
    strbuf_add(out, STR("$'"));
    size_t length;
    for (size_t i = 0; i < word.len; i += length) {
        bool printable = is_printable(str_slice(word, i, word.len), &length);
        bool special = word.data[i] == '\'' || word.data[i] == '\\';
        if (printable && !special) {
            strbuf_add(out, str_slice(word, i, i + length));
            continue;
        }
        for (size_t j = 0; j < length; j++) {
            strbuf_addf(out, "\\%03o", (unsigned)(unsigned char)word.data[i + j]);
        }
    }
    strbuf_addc(out, '\'');
}

void reproduce_quote(struct strbuf *out, struct str word)
{
    if (is_all_plain(word)) {
        strbuf_add(out, word);
    } else if (is_all_printable(word)) {
        quote_simply(out, word);
    } else {
        quote_in_octal(out, word);
    }
}

/* ` --NAME VALUE`, or ` --NAME=VALUE` where the value would be taken for a flag. */
static void add_flag(struct strbuf *out, struct arena *arena, struct str name, struct str value)
{
    bool joined = value.len > 0 && value.data[0] == '-';
    struct strbuf word;
    strbuf_init(&word, arena, CEILING);
    strbuf_add(&word, STR("--"));
    strbuf_add(&word, name);
    if (joined) {
        strbuf_addc(&word, '=');
        strbuf_add(&word, value);
    }
    strbuf_addc(out, ' ');
    reproduce_quote(out, strbuf_str(&word));
    if (joined || value.data == NULL) {
        return;
    }
    strbuf_addc(out, ' ');
    reproduce_quote(out, value);
}

struct str reproduce_command(struct arena *arena, const struct opt_values *values, struct str scenario)
{
    struct strbuf out;
    strbuf_init(&out, arena, CEILING);
    strbuf_add(&out, STR("simagent "));
    if (str_starts(scenario, STR("-"))) {
        strbuf_add(&out, STR("./"));
    }
    reproduce_quote(&out, scenario);
    for (size_t i = 0; i < values->option_count; i++) {
        add_flag(&out, arena, values->options[i].name, values->options[i].value);
    }
    for (size_t i = 0; i < values->allow_read.count; i++) {
        add_flag(&out, arena, STR("allow-read"), values->allow_read.items[i]);
    }
    if (values->unit.len > 0) {
        add_flag(&out, arena, STR("unit"), values->unit);
    }
    strbuf_addf(&out, " --seed %" PRId64, values->seed);
    return strbuf_str(&out);
}

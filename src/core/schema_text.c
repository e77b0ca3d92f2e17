/* The words of the schema's messages: paths, quoted values, names of types. */
#include "core/schema.h"

#include "base/arena.h"
#include "base/check.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "core/schema_own.h"

#define ELLIPSIS STR("\xE2\x80\xA6")

/* Room for the longest path: each of its steps is one quoted name at most. */
enum { TEXT_CEILING = 1 << 16, COMPOSITE_CEILING = 512 };

static const struct {
    struct str name;
    const char *phrase;
} types[] = {
    {{"array", 5}, "a list"},       {{"boolean", 7}, "true or false"}, {{"integer", 7}, "an integer"},
    {{"null", 4}, "null"},          {{"number", 6}, "a number"},       {{"object", 6}, "an object"},
    {{"string", 6}, "a string"},
};

unsigned schema_type_named(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if (str_eq(types[i].name, name)) {
            return 1u << i;
        }
    }
    return 0;
}

struct str schema_types_text(struct arena *arena, unsigned set)
{
    /* Who may give any number need not hear that integers are fine. */
    unsigned left = set & SCHEMA_NUMBER ? set & ~(unsigned)SCHEMA_INTEGER : set;
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        if ((left & 1u << i) == 0) {
            continue;
        }
        left &= ~(1u << i);
        if (out.len > 0) {
            strbuf_add(&out, left == 0 ? STR(" or ") : STR(", "));
        }
        strbuf_add(&out, str_of(types[i].phrase));
    }
    return strbuf_str(&out);
}

const char *schema_kind_text(const struct value *value)
{
    switch (value->kind) {
    case VALUE_NULL: return "null";
    case VALUE_BOOL: return value->boolean ? "true" : "false";
    case VALUE_INT: return "an integer";
    case VALUE_REAL: return schema_is_integral(value) ? "an integer" : "a number";
    case VALUE_STRING: return "a string";
    case VALUE_ARRAY: return "a list";
    case VALUE_OBJECT: return value->count == 0 ? "an empty object" : "an object"; /* what {} is in Lua */
    }
    UNREACHABLE();
}

/* The text if it is short enough, else one code point less than allowed, to make room for the mark. */
static struct str cut_text(struct str text, bool *was_cut)
{
    *was_cut = utf8_prefix(text, SCHEMA_QUOTE_MAX).len < text.len;
    return *was_cut ? utf8_prefix(text, SCHEMA_QUOTE_MAX - 1) : text;
}

static void quote_string(struct strbuf *out, struct str text)
{
    bool was_cut;
    json_quote(out, cut_text(text, &was_cut));
    if (was_cut) {
        out->len--; /* the mark stands inside the quotes */
        strbuf_add(out, ELLIPSIS);
        strbuf_addc(out, '"');
    }
}

static void quote_composite(struct strbuf *out, const struct value *value)
{
    struct arena scratch;
    arena_init(&scratch);
    struct strbuf whole;
    strbuf_init(&whole, &scratch, COMPOSITE_CEILING);
    value_canonical(value, &whole);
    bool was_cut;
    strbuf_add(out, cut_text(strbuf_str(&whole), &was_cut));
    if (was_cut || whole.overflowed) {
        strbuf_add(out, ELLIPSIS);
    }
    arena_close(&scratch);
}

void schema_quote(struct strbuf *out, const struct value *value)
{
    if (value->kind == VALUE_STRING) {
        quote_string(out, value->string);
    } else if (value->kind == VALUE_ARRAY || value->kind == VALUE_OBJECT) {
        quote_composite(out, value);
    } else {
        value_canonical(value, out);
    }
}

struct str schema_quote_name(struct arena *arena, struct str name)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    quote_string(&out, name);
    return strbuf_str(&out);
}

/* True for a name that can stand in a path as it is: no reader and no terminal could take it for anything else. */
static bool is_plain_word(struct str name)
{
    for (size_t at = 0, length; at < name.len; at += length) {
        uint32_t c = utf8_decode(str_slice(name, at, name.len), &length);
        bool ascii_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                          c == '-' || c == '$';
        bool other = c >= 0x80 && !utf8_is_unsafe(c) && length > 1;
        if (!ascii_word && !other) {
            return false;
        }
    }
    return name.len > 0;
}

static void add_name(struct strbuf *out, struct str name)
{
    bool was_cut = false;
    struct str shown = cut_text(name, &was_cut);
    if (!is_plain_word(shown)) {
        strbuf_addc(out, '[');
        quote_string(out, name);
        strbuf_addc(out, ']');
        return;
    }
    if (out->len > 0) {
        strbuf_addc(out, '.');
    }
    strbuf_add(out, shown);
    if (was_cut) {
        strbuf_add(out, ELLIPSIS);
    }
}

static void add_step(struct strbuf *out, const struct schema_step *step)
{
    if (step == NULL) {
        return;
    }
    add_step(out, step->outer);
    if (step->position > 0) {
        strbuf_addf(out, "[%zu]", step->position);
    } else {
        add_name(out, step->name);
    }
}

struct str schema_path_text(struct arena *arena, const struct schema_step *step)
{
    struct strbuf out;
    strbuf_init(&out, arena, TEXT_CEILING);
    add_step(&out, step);
    return strbuf_str(&out);
}

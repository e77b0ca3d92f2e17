/* Schemas: what is refused and where, what a value violates, what counts as bounded, how a value is cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "core/schema.h"
#include "support/tell_json.h"

struct fixture {
    struct arena arena;
    struct err err;
};

static int open_fixture(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    CHECK(f);
    arena_init(&f->arena);
    *state = f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_close(&f->arena);
    free(f);
    return 0;
}

static const struct value *parse(struct fixture *f, const char *json)
{
    struct value_builder *builder = arena_new(&f->arena, struct value_builder);
    value_builder_init(builder, &f->arena, NULL);
    tell_json(json, &builder->feed);
    CHECK(builder->complete);
    return &builder->result;
}

static const struct schema *compile(struct fixture *f, const char *json)
{
    f->err.kind = ERR_NONE;
    const struct schema *schema = schema_compile(&f->arena, parse(f, json), &f->err);
    if (schema == NULL) {
        print_error("%s: %s\n", json, f->err.message);
    }
    assert_non_null(schema);
    assert_int_equal(f->err.kind, ERR_NONE);
    return schema;
}

/* All violations as one text: `path problem; path problem`. */
static const char *violations(struct fixture *f, const struct schema *schema, const struct value *value)
{
    struct strbuf out;
    strbuf_init(&out, &f->arena, 1 << 20);
    for (const struct violation *v = schema_validate(schema, value, &f->arena); v != NULL; v = v->next) {
        strbuf_add(&out, out.len > 0 ? STR("; ") : STR(""));
        strbuf_add(&out, v->path);
        strbuf_add(&out, v->path.len > 0 ? STR(" ") : STR(""));
        strbuf_add(&out, v->problem);
    }
    return str_z(&f->arena, strbuf_str(&out));
}

static const char *canonical(struct fixture *f, const struct value *value)
{
    struct strbuf out;
    strbuf_init(&out, &f->arena, 1 << 20);
    value_canonical(value, &out);
    return str_z(&f->arena, strbuf_str(&out));
}

static void accepted_schemas(void **state)
{
    struct fixture *f = *state;
    static const char *const rows[] = {
        "{}",
        "{\"type\":\"null\"}",
        "{\"type\":[\"string\",\"null\"],\"maxLength\":3}",       /* one of the types is enough to fit */
        "{\"type\":[\"integer\",\"number\"]}",                    /* redundant, not twice the same */
        "{\"maxLength\":1,\"maximum\":2,\"maxItems\":3}",         /* without a type everything fits */
        "{\"title\":\"t\",\"description\":\"d\",\"default\":[[1]],\"examples\":[1],\"$schema\":\"s\"}",
        "{\"examples\":{},\"required\":{}}",                      /* empty tables of Lua */
        "{\"type\":\"string\",\"minLength\":5,\"maxLength\":5}",
        "{\"type\":\"array\",\"minItems\":0,\"maxItems\":0,\"items\":{}}",
        "{\"type\":\"string\",\"maxLength\":3.0}",                /* 3.0 is whole */
        "{\"type\":\"string\",\"maxLength\":9223372036854775807}",
        "{\"type\":\"number\",\"minimum\":-0.5,\"maximum\":-0.5}",
        "{\"type\":\"number\",\"exclusiveMinimum\":1,\"exclusiveMaximum\":1.5}",
        "{\"type\":\"object\",\"properties\":{}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{}},\"required\":[\"a\"],\"additionalProperties\":true}",
        "{\"type\":\"object\",\"additionalProperties\":false}",
        "{\"enum\":[1,1,\"a\",null,[1],{\"a\":1}]}",
        "{\"enum\":[1,2],\"const\":2.0}",
        "{\"type\":\"integer\",\"enum\":[3.0]}",
        "{\"const\":null}",
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        compile(f, rows[i]);
    }
}

static void refused_schemas(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *json;
        const char *message;
    } rows[] = {
        /* not a schema */
        {"true", "a schema must be an object, but this is true"},
        {"[]", "a schema must be an object, but this is a list"},
        {"{\"type\":\"array\",\"items\":[{}]}", "items: a schema must be an object, but this is a list"},
        {"{\"properties\":{\"a\":{\"properties\":{\"b\":false}}}}",
         "properties.a.properties.b: a schema must be an object, but this is false"},
        /* unknown keywords */
        {"{\"pattern\":\"a\"}", "unknown keyword \"pattern\""},
        {"{\"maxlength\":1}", "unknown keyword \"maxlength\"; did you mean \"maxLength\"?"},
        {"{\"properties\":{\"a\":{\"items\":{\"oneOf\":[]}}}}", "properties.a.items: unknown keyword \"oneOf\""},
        {"{\"title\":\"a\",\"title\":\"b\"}", "title is given twice"},
        /* wrong types of keywords */
        {"{\"type\":3}", "type must be a string or a list of strings, but is an integer"},
        {"{\"type\":[\"string\",3]}", "type must be a string or a list of strings, but holds an integer"},
        {"{\"type\":\"text\"}",
         "unknown type \"text\"; the types are array, boolean, integer, null, number, object, string"},
        {"{\"title\":1}", "title must be a string, but is an integer"},
        {"{\"description\":null}", "description must be a string, but is null"},
        {"{\"$schema\":1.5}", "$schema must be a string, but is a number"},
        {"{\"examples\":\"a\"}", "examples must be a list, but is a string"},
        {"{\"minLength\":\"1\"}", "minLength must be a whole number, but is a string"},
        {"{\"maxLength\":1.5}", "maxLength must be a whole number, but is a number"},
        {"{\"maxLength\":-1}", "maxLength must be a whole number from 0 to 9223372036854775807"},
        {"{\"maxItems\":1e19}", "maxItems must be a whole number from 0 to 9223372036854775807"},
        {"{\"maxItems\":9223372036854775808.0}", "maxItems must be a whole number from 0 to 9223372036854775807"},
        {"{\"minItems\":null}", "minItems must be a whole number, but is null"},
        {"{\"minimum\":\"0\"}", "minimum must be a number, but is a string"},
        {"{\"maximum\":[]}", "maximum must be a number, but is a list"},
        {"{\"exclusiveMinimum\":true}", "exclusiveMinimum must be a number, but is true"},
        {"{\"exclusiveMaximum\":{}}", "exclusiveMaximum must be a number, but is an empty object"},
        {"{\"properties\":[]}", "properties must be an object, but is a list"},
        {"{\"additionalProperties\":{}}", "additionalProperties must be true or false, but is an empty object"},
        {"{\"required\":\"a\"}", "required must be a list of strings, but is a string"},
        {"{\"properties\":{\"a\":{}},\"required\":[1]}", "required must be a list of strings, but holds an integer"},
        {"{\"enum\":\"a\"}", "enum must be a list, but is a string"},
        {"{\"enum\":{\"a\":1}}", "enum must be a list, but is an object"},
        /* contradictions */
        {"{\"type\":[]}", "type is an empty list, which no value fits"},
        {"{\"type\":{}}", "type is an empty list, which no value fits"},
        {"{\"type\":[\"null\",\"string\",\"null\"]}", "type lists \"null\" twice"},
        {"{\"enum\":[]}", "enum is an empty list, which no value fits"},
        {"{\"minLength\":5,\"maxLength\":4}", "no length fits both minLength 5 and maxLength 4"},
        {"{\"minItems\":1,\"maxItems\":0}", "no number of items fits both minItems 1 and maxItems 0"},
        {"{\"minimum\":1,\"maximum\":0.5}", "no number fits both minimum 1 and maximum 0.5"},
        {"{\"minimum\":1,\"exclusiveMaximum\":1.0}", "no number fits both minimum 1 and exclusiveMaximum 1"},
        {"{\"exclusiveMinimum\":1,\"maximum\":1}", "no number fits both exclusiveMinimum 1 and maximum 1"},
        {"{\"exclusiveMinimum\":1,\"exclusiveMaximum\":1}",
         "no number fits both exclusiveMinimum 1 and exclusiveMaximum 1"},
        {"{\"minimum\":9007199254740993,\"maximum\":9007199254740992.0}", /* equal if made reals */
         "no number fits both minimum 9007199254740993 and maximum 9007199254740992"},
        {"{\"required\":[\"a\"]}", "required lists \"a\", which is not among the properties"},
        {"{\"properties\":{\"ab\":{}},\"required\":[\"a\"]}",
         "required lists \"a\", which is not among the properties"},
        {"{\"properties\":{\"a\":{}},\"required\":[\"a\",\"a\"]}", "required lists \"a\" twice"},
        {"{\"properties\":{\"a\":{},\"a\":{}}}", "properties names \"a\" twice"},
        {"{\"enum\":[1,2],\"const\":3}", "const 3 is not in enum"},
        /* keywords that say nothing about the type */
        {"{\"type\":\"integer\",\"maxLength\":1}",
         "maxLength says nothing about an integer, which is all that type allows"},
        {"{\"type\":[\"array\",\"null\"],\"minLength\":1}",
         "minLength says nothing about a list or null, which is all that type allows"},
        {"{\"type\":\"string\",\"minimum\":1}", "minimum says nothing about a string, which is all that type allows"},
        {"{\"type\":\"object\",\"items\":{}}", "items says nothing about an object, which is all that type allows"},
        {"{\"type\":\"array\",\"properties\":{}}",
         "properties says nothing about a list, which is all that type allows"},
        {"{\"type\":\"boolean\",\"required\":[]}",
         "required says nothing about true or false, which is all that type allows"},
        {"{\"type\":\"number\",\"additionalProperties\":true}",
         "additionalProperties says nothing about a number, which is all that type allows"},
        /* choices that the rest refuses */
        {"{\"type\":\"string\",\"enum\":[\"a\",1]}",
         "the enum value 1 breaks the schema: must be a string, but is an integer"},
        {"{\"type\":\"string\",\"maxLength\":1,\"enum\":[\"a\",\"bc\"]}",
         "the enum value \"bc\" breaks the schema: is 2 code points long, at most 1 is allowed"},
        {"{\"type\":\"integer\",\"const\":1.5}",
         "the const value 1.5 breaks the schema: must be an integer, but is a number"},
        {"{\"properties\":{\"k\":{\"items\":{\"type\":\"null\"},\"const\":[null,2]}}}",
         "properties.k: the const value [null,2] breaks the schema: [2] must be null, but is an integer"},
        /* names that are no words */
        {"{\"properties\":{\"a.b\":{\"properties\":{\"\":{\"type\":0}}}}}",
         "properties[\"a.b\"].properties[\"\"]: type must be a string or a list of strings, but is an integer"},
        {"{\"properties\":{\"\xC3\xA9\":{\"x\":0}}}", "properties.\xC3\xA9: unknown keyword \"x\""},
        {"{\"properties\":{\"\xFF\":{\"x\":0}}}", "properties[\"\xEF\xBF\xBD\"]: unknown keyword \"x\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        f->err.kind = ERR_NONE;
        assert_null(schema_compile(&f->arena, parse(f, rows[i].json), &f->err));
        assert_int_equal(f->err.kind, ERR_SCENARIO);
        assert_string_equal(f->err.message, rows[i].message);
    }
}

static void checked_values(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *schema;
        const char *value;
        const char *expected;
    } rows[] = {
        /* types */
        {"{}", "{\"a\":[1,null]}", ""},
        {"{\"type\":\"null\"}", "false", "must be null, but is false"},
        {"{\"type\":\"boolean\"}", "null", "must be true or false, but is null"},
        {"{\"type\":\"integer\"}", "3.0", ""},
        {"{\"type\":\"integer\"}", "1e300", ""},
        {"{\"type\":\"integer\"}", "3.5", "must be an integer, but is a number"},
        {"{\"type\":\"number\"}", "3", ""},
        {"{\"type\":\"number\"}", "3.5", ""},
        {"{\"type\":\"number\"}", "\"3\"", "must be a number, but is a string"},
        {"{\"type\":\"string\"}", "3.0", "must be a string, but is an integer"},
        {"{\"type\":\"array\"}", "{}", "must be a list, but is an empty object"},
        {"{\"type\":\"object\"}", "[]", "must be an object, but is a list"},
        {"{\"type\":[\"string\",\"null\",\"integer\"]}", "[]", "must be an integer, null or a string, but is a list"},
        {"{\"type\":[\"integer\",\"number\"]}", "null", "must be a number, but is null"},
        /* strings are measured in code points, invalid bytes count one each */
        {"{\"maxLength\":2}", "\"\xC3\xA9\xE2\x82\xAC\"", ""},
        {"{\"maxLength\":1}", "\"\xC3\xA9\xE2\x82\xAC\"", "is 2 code points long, at most 1 is allowed"},
        {"{\"maxLength\":1}", "\"\xE2\x82\"", "is 2 code points long, at most 1 is allowed"},
        {"{\"minLength\":2}", "\"\xE2\x82\"", ""},
        {"{\"minLength\":2}", "\"\xC3\xA9\"", "is 1 code point long, at least 2 are needed"},
        {"{\"maxLength\":0}", "\"\"", ""},
        {"{\"maxLength\":0}", "\"a\"", "is 1 code point long, at most 0 are allowed"},
        {"{\"maxLength\":1}", "[1,2]", ""}, /* says nothing about lists */
        /* numbers */
        {"{\"minimum\":3}", "3.0", ""},
        {"{\"minimum\":3}", "2.5", "is 2.5, must be at least 3"},
        {"{\"maximum\":3}", "3", ""},
        {"{\"maximum\":3}", "4", "is 4, must be at most 3"},
        {"{\"exclusiveMinimum\":3}", "3.0", "is 3, must be more than 3"},
        {"{\"exclusiveMinimum\":3}", "4", ""},
        {"{\"exclusiveMaximum\":3}", "3", "is 3, must be less than 3"},
        {"{\"exclusiveMaximum\":3}", "2", ""},
        {"{\"maximum\":9223372036854775806}", "9223372036854775807",
         "is 9223372036854775807, must be at most 9223372036854775806"},
        {"{\"maximum\":9007199254740992.0}", "9007199254740993",
         "is 9007199254740993, must be at most 9007199254740992"},
        {"{\"exclusiveMaximum\":9223372036854775808.0}", "9223372036854775807", ""},
        {"{\"minimum\":-9223372036854775808.0}", "-9223372036854775808", ""},
        {"{\"exclusiveMinimum\":-9223372036854775808.0}", "-9223372036854775808",
         "is -9223372036854775808, must be more than -9223372036854776000"},
        {"{\"maximum\":-1e300}", "-9223372036854775808", "is -9223372036854775808, must be at most -1e+300"},
        {"{\"minimum\":-0.5}", "0", ""},
        {"{\"minimum\":0.5}", "0", "is 0, must be at least 0.5"},
        {"{\"maximum\":-0.5}", "0", "is 0, must be at most -0.5"},
        /* type and bound both fail, so both are told */
        {"{\"type\":\"integer\",\"minimum\":3}", "2.5",
         "must be an integer, but is a number; is 2.5, must be at least 3"},
        /* enum and const */
        {"{\"enum\":[\"high\",\"medium\",\"low\"]}", "\"low\"", ""},
        {"{\"enum\":[\"high\",\"medium\",\"low\"]}", "\"lo\"", "must be one of \"high\", \"medium\", \"low\""},
        {"{\"type\":\"string\",\"enum\":[\"a\"]}", "1", "must be \"a\""},
        {"{\"enum\":[1,2]}", "2.0", ""},
        {"{\"enum\":[9007199254740993]}", "9007199254740992.0", "must be 9007199254740993"},
        {"{\"const\":null}", "false", "must be null"},
        {"{\"const\":true}", "false", "must be true"},
        {"{\"enum\":[1,2],\"const\":2}", "1", "must be 2"},
        {"{\"const\":{\"a\":1,\"b\":[2,{}]}}", "{\"b\":[2.0,{}],\"a\":1}", ""}, /* members have no order */
        {"{\"const\":{\"a\":1}}", "{\"a\":1,\"b\":1}", "must be {\"a\":1}"},
        {"{\"const\":[1,2]}", "[2,1]", "must be [1,2]"},                       /* items have */
        {"{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22]}", "0",
         "must be one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 or one of 2 more"},
        /* lists */
        {"{\"minItems\":2}", "[1]", "has 1 item, at least 2 are needed"},
        {"{\"maxItems\":1}", "[1,2]", "has 2 items, at most 1 is allowed"},
        {"{\"items\":{\"type\":\"null\"}}", "[null,1,null,2]",
         "[2] must be null, but is an integer; [4] must be null, but is an integer"},
        {"{\"items\":{\"items\":{\"maximum\":1}}}", "[[1],[0,2]]", "[2][2] is 2, must be at most 1"},
        /* objects: unknown members are refused when properties are listed */
        {"{\"type\":\"object\"}", "{\"a\":1}", ""},
        {"{\"properties\":{}}", "{\"a\":1}", "a is not a known field"},
        {"{\"properties\":{\"b\":{}}}", "{\"a\":1,\"b\":2,\"c\":3}", "a is not a known field; c is not a known field"},
        {"{\"properties\":{\"b\":{}},\"additionalProperties\":true}", "{\"a\":1}", ""},
        {"{\"additionalProperties\":false}", "{\"a\":1}", "a is not a known field"},
        {"{\"additionalProperties\":false}", "{}", ""},
        {"{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"b\"]}", "{}", "b is missing"},
        {"{\"properties\":{\"a\":{}},\"required\":[\"a\"]}", "{\"a\":null}", ""}, /* null is there */
        {"{\"properties\":{\"a\":{}}}", "{\"a\":1,\"a\":2}", "a is given more than once"},
        /* by property, whatever the order of the members; unknown ones last */
        {"{\"properties\":{\"d\":{},\"c\":{\"type\":\"null\"},\"b\":{},\"a\":{\"type\":\"null\"}},"
         "\"required\":[\"d\",\"b\"]}",
         "{\"c\":1,\"B\":0,\"a\":1}",
         "a must be null, but is an integer; b is missing; c must be null, but is an integer; d is missing; "
         "B is not a known field"},
        {"{\"properties\":{\"evidence\":{\"items\":{\"properties\":{\"source\":{\"maxLength\":1}}}}}}",
         "{\"evidence\":[{},{\"source\":\"ab\"}]}",
         "evidence[2].source is 2 code points long, at most 1 is allowed"},
        {"{\"properties\":{\"a b\":{\"items\":{\"type\":\"null\"}}}}", "{\"a b\":[1],\"\":2,\"x.y\":3}",
         "[\"a b\"][1] must be null, but is an integer; [\"\"] is not a known field; [\"x.y\"] is not a known field"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct schema *schema = compile(f, rows[i].schema);
        assert_string_equal(violations(f, schema, parse(f, rows[i].value)), rows[i].expected);
    }
}

static void bounded_schemas(void **state)
{
    struct fixture *f = *state;
#define FIELD(schema) "{\"type\":\"object\",\"properties\":{\"f\":" schema "}}"
    static const struct {
        const char *json;
        const char *message; /* NULL: bounded */
    } rows[] = {
        {FIELD("{\"type\":\"string\",\"maxLength\":800}"), NULL},
        {FIELD("{\"type\":\"string\",\"enum\":[\"a\"]}"), NULL},
        {FIELD("{\"type\":\"string\",\"const\":\"a\"}"), NULL},
        {FIELD("{\"enum\":[\"a\",[1]]}"), NULL},
        {FIELD("{\"const\":{\"a\":1}}"), NULL},
        {FIELD("{\"type\":[\"boolean\",\"number\",\"integer\",\"null\"]}"), NULL},
        {FIELD("{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"null\"}}"), NULL},
        {FIELD("{\"type\":[\"object\",\"null\"],\"properties\":{}}"), NULL},
        {"{\"type\":\"object\",\"additionalProperties\":false}", NULL},
        {"{\"type\":\"string\",\"maxLength\":1}", "the type must be \"object\" and no other"},
        {"{\"type\":[\"object\",\"null\"],\"properties\":{}}", "the type must be \"object\" and no other"},
        {"{\"properties\":{}}", "the type must be \"object\" and no other"},
        {"{\"type\":\"object\"}", "the object may hold any member; list its properties and leave additionalProperties "
                                  "out or false"},
        {"{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}",
         "the object may hold any member; list its properties and leave additionalProperties out or false"},
        {FIELD("{}"), "properties.f: anything fits, so its size has no bound; give a type, an enum or a const"},
        {FIELD("{\"maxLength\":2,\"maxItems\":2}"),
         "properties.f: anything fits, so its size has no bound; give a type, an enum or a const"},
        {FIELD("{\"type\":[\"null\",\"string\"],\"minLength\":1}"),
         "properties.f: the string has no bound; give maxLength, an enum or a const"},
        {FIELD("{\"type\":\"array\",\"items\":{\"type\":\"null\"}}"),
         "properties.f: the list has no bound; give maxItems, an enum or a const"},
        {FIELD("{\"type\":\"array\",\"maxItems\":1}"), "properties.f: the list may hold anything; give items"},
        {FIELD("{\"type\":\"array\",\"maxItems\":1,\"items\":{\"type\":\"array\",\"maxItems\":1,\"items\":"
               FIELD("{\"type\":\"string\"}") "}}"),
         "properties.f.items.items.properties.f: the string has no bound; give maxLength, an enum or a const"},
        {FIELD("{\"type\":\"array\",\"maxItems\":1,\"items\":{\"type\":\"object\"}}"),
         "properties.f.items: the object may hold any member; list its properties and leave additionalProperties "
         "out or false"},
    };
#undef FIELD
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct schema *schema = compile(f, rows[i].json);
        assert_int_equal(schema_check_bounded(schema, &f->err), rows[i].message == NULL);
        if (rows[i].message != NULL) {
            assert_int_equal(f->err.kind, ERR_SCENARIO);
            assert_string_equal(f->err.message, rows[i].message);
        }
    }
}

static void cut_values(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *schema;
        const char *value;
        const char *expected;
        uint32_t cuts;
    } rows[] = {
        {"{\"maxLength\":2}", "\"abc\"", "\"ab\"", 1},
        {"{\"maxLength\":2}", "\"\xC3\xA9\xC3\xA9\"", "\"\xC3\xA9\xC3\xA9\"", 0}, /* four bytes, two code points */
        {"{\"maxLength\":0}", "\"a\"", "\"\"", 1},
        {"{\"maxItems\":1}", "[1,2,3]", "[1]", 1},                                /* one list, one cut */
        {"{\"maxItems\":1,\"items\":{\"maxLength\":1}}", "[\"ab\",\"cd\"]", "[\"a\"]", 2},
        {"{\"properties\":{\"a\":{\"maxLength\":1}}}", "{\"z\":1,\"a\":\"ab\",\"b\":1}", "{\"a\":\"a\"}", 3},
        {"{\"properties\":{\"a\":{}}}", "{\"a\":1,\"a\":2}", "{\"a\":1}", 1},
        {"{\"properties\":{\"a\":{\"maxLength\":1}},\"additionalProperties\":true}", "{\"b\":\"xyz\",\"a\":\"xyz\"}",
         "{\"a\":\"x\",\"b\":\"xyz\"}", 1},
        {"{\"type\":\"integer\",\"maximum\":1}", "5", "5", 0},                    /* cutting cannot mend these */
        {"{\"minLength\":9}", "\"a\"", "\"a\"", 0},
        {"{\"type\":\"object\",\"properties\":{}}", "[1]", "[1]", 0},
        {"{\"maxLength\":1,\"enum\":[\"a\"]}", "\"ab\"", "\"a\"", 1},             /* cut into a choice */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint32_t cuts = UINT32_MAX;
        const struct schema *schema = compile(f, rows[i].schema);
        const struct value *cut = schema_truncate(schema, parse(f, rows[i].value), &f->arena, &cuts);
        assert_string_equal(canonical(f, cut), rows[i].expected);
        assert_int_equal(cuts, rows[i].cuts);
    }
}

/* So many schemas inside each other, then `inside`. */
static const char *nested(struct fixture *f, unsigned depth, const char *inside)
{
    struct strbuf out;
    strbuf_init(&out, &f->arena, 1 << 20);
    for (unsigned i = 0; i < depth; i++) {
        strbuf_add(&out, STR("{\"items\":"));
    }
    strbuf_add(&out, str_of(inside));
    for (unsigned i = 0; i < depth; i++) {
        strbuf_addc(&out, '}');
    }
    return str_z(&f->arena, strbuf_str(&out));
}

static void depth_is_capped(void **state)
{
    struct fixture *f = *state;
    compile(f, nested(f, 31, "{}"));
    compile(f, nested(f, 31, "{\"const\":1}"));
    compile(f, nested(f, 30, "{\"const\":[1]}"));
    static const struct {
        unsigned depth;
        const char *inside, *message;
    } rows[] = {
        {32, "{}", ": schemas lie more than 32 deep"},
        {200, "{}", ": schemas lie more than 32 deep"},
        {31, "{\"const\":[1]}", ": const lies more than 32 deep"},
        {30, "{\"enum\":[1,[{}]]}", ": enum lies more than 32 deep"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        f->err.kind = ERR_NONE;
        assert_null(schema_compile(&f->arena, parse(f, nested(f, rows[i].depth, rows[i].inside)), &f->err));
        assert_int_equal(strncmp(f->err.message, "items.items.", 12), 0);
        assert_string_equal(strchr(f->err.message, ':'), rows[i].message);
    }
}

static void quoted_texts_are_capped(void **state)
{
    struct fixture *f = *state;
    char sixty[61] = {0}, more[5000] = {0}, shown[64] = {0};
    memset(sixty, 'x', 60);
    memset(more, 'x', sizeof more - 1);
    memset(shown, 'x', 59);
    memcpy(shown + 59, "\xE2\x80\xA6", 3);
    const struct schema *closed = compile(f, "{\"properties\":{}}");
    static const char *const forms[] = {"{\"%s\":1}", "{\"enum\":[\"%s\"]}", "{\"const\":[\"%s\"]}",
                                        "{\"const\":[1,\"\\n%s\"]}"};
    struct {
        const char *form, *text;
        const char *expected;
    } rows[] = {
        {forms[0], sixty, str_printf(&f->arena, "%s is not a known field%c", sixty, 0).data},
        {forms[0], more, str_printf(&f->arena, "%s is not a known field%c", shown, 0).data},
        {forms[1], sixty, str_printf(&f->arena, "must be \"%s\"%c", sixty, 0).data},
        {forms[1], more, str_printf(&f->arena, "must be \"%s\"%c", shown, 0).data},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *json = str_z(&f->arena, str_printf(&f->arena, rows[i].form, rows[i].text));
        bool is_value = rows[i].form == forms[0];
        const struct schema *schema = is_value ? closed : compile(f, json);
        assert_string_equal(violations(f, schema, is_value ? parse(f, json) : parse(f, "1")), rows[i].expected);
    }
    for (size_t i = 2; i < ARRAY_LEN(forms); i++) { /* lists too, however their strings break */
        const char *json = str_z(&f->arena, str_printf(&f->arena, forms[i], more));
        assert_true(strlen(violations(f, compile(f, json), parse(f, "1"))) < 80);
    }
}

static void properties_are_found(void **state)
{
    struct fixture *f = *state;
    const struct schema *schema = compile(f, "{\"properties\":{\"b\":{\"properties\":{\"x\":{}}},\"a\":{},\"\":{}}}");
    assert_true(schema_has_property(schema, STR("a")));
    assert_true(schema_has_property(schema, STR("b")));
    assert_true(schema_has_property(schema, STR("")));
    assert_false(schema_has_property(schema, STR("x")));
    assert_false(schema_has_property(schema, STR("aa")));
    assert_false(schema_has_property(compile(f, "{}"), STR("a")));
}

/* The schema holds copies of all that it needs. */
static void the_document_may_go(void **state)
{
    struct fixture *f = *state;
    struct arena lent;
    arena_init(&lent);
    struct value_builder builder;
    value_builder_init(&builder, &lent, NULL);
    tell_json("{\"properties\":{\"level\":{\"enum\":[\"high\",\"low\"]},\"n\":{\"maximum\":7}}}", &builder.feed);
    const struct schema *schema = schema_compile(&f->arena, &builder.result, &f->err);
    arena_close(&lent);
    assert_string_equal(violations(f, schema, parse(f, "{\"level\":\"low\",\"n\":8}")), "n is 8, must be at most 7");
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
    static const struct CMUnitTest tests[] = {
        ROW(accepted_schemas), ROW(refused_schemas),        ROW(checked_values),       ROW(bounded_schemas),
        ROW(cut_values),       ROW(depth_is_capped),        ROW(quoted_texts_are_capped), ROW(properties_are_found),
        ROW(the_document_may_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

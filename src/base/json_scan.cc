#include "base/json_scan.h"

#include <cstring>
#include <string_view>
#include <utility>

/* The same code in every build; its checks are for those who change simdjson. */
#define SIMDJSON_DEVELOPMENT_CHECKS 0
#include <simdjson.h>

using simdjson::error_code;
using simdjson::simdjson_result;
namespace ondemand = simdjson::ondemand;

/* simdjson treats a text that is one number or string unlike any other.  So the text is put into an array, which must
 * turn out to hold one value: everything is then read the same way. */
static_assert(JSON_SCAN_PADDING >= simdjson::SIMDJSON_PADDING + 1, "room for what simdjson reads beyond its text");

namespace {

struct scan {
    const char *text; /* after the opening bracket that was put in front */
    size_t length;
    size_t depth_max;
    json_scan_listener *listener;
    json_scan_fault *fault;
};

size_t offset_of(const scan &scan, const char *at) noexcept
{
    size_t offset = at < scan.text ? 0 : static_cast<size_t>(at - scan.text);
    return offset < scan.length ? offset : scan.length;
}

bool fail(const scan &scan, size_t at, const char *reason) noexcept
{
    if (scan.fault->reason == nullptr) {
        *scan.fault = {reason, at, false};
    }
    return false;
}

bool is_space(char c) noexcept
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool tell(const scan &scan, json_scan_token token, const char *at, size_t length) noexcept
{
    return scan.listener->hear(scan.listener, token, offset_of(scan, at), length);
}

/* The closing quote of a string whose first byte is at `at`; nullptr if it has none. */
const char *closing_quote(const scan &scan, const char *at) noexcept
{
    const char *end = scan.text + scan.length;
    const char *start = at;
    for (;;) {
        const void *found = at < end ? std::memchr(at, '"', static_cast<size_t>(end - at)) : nullptr;
        if (found == nullptr) {
            return nullptr;
        }
        const char *quote = static_cast<const char *>(found);
        const char *slash = quote;
        while (slash > start && slash[-1] == '\\') {
            slash--;
        }
        if ((quote - slash) % 2 == 0) {
            return quote;
        }
        at = quote + 1;
    }
}

bool tell_quoted(const scan &scan, json_scan_token token, const char *first) noexcept
{
    const char *quote = closing_quote(scan, first);
    if (quote == nullptr) {
        return fail(scan, offset_of(scan, first) - 1, "the string has no end");
    }
    return tell(scan, token, first, static_cast<size_t>(quote - first));
}

/* Where simdjson stands.  It has passed what it complains of. */
bool fail_structure(const scan &scan, ondemand::document &document, const char *reason) noexcept
{
    const char *at = nullptr;
    if (document.current_location().get(at) != simdjson::SUCCESS) {
        return fail(scan, scan.length, "the text ends in its middle");
    }
    size_t offset = offset_of(scan, at);
    return fail(scan, offset, offset >= scan.length ? "the text ends in its middle" : reason);
}

bool scan_value(const scan &scan, ondemand::document &document, ondemand::value value, size_t depth) noexcept;

bool scan_object(const scan &scan, ondemand::document &document, ondemand::value value, size_t depth) noexcept
{
    static const char wrong[] = "a comma, a colon, a key in quotes or a closing brace is expected here";
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
        return fail_structure(scan, document, wrong);
    }
    for (simdjson_result<ondemand::field> entry : object) {
        ondemand::field field;
        if (std::move(entry).get(field) != simdjson::SUCCESS) {
            return fail_structure(scan, document, wrong);
        }
        if (!tell_quoted(scan, JSON_SCAN_KEY, field.key().raw()) ||
            !scan_value(scan, document, field.value(), depth)) {
            return false;
        }
    }
    return true;
}

bool scan_array(const scan &scan, ondemand::document &document, ondemand::value value, size_t depth) noexcept
{
    static const char wrong[] = "a comma or a closing bracket is expected here";
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) {
        return fail_structure(scan, document, wrong);
    }
    for (simdjson_result<ondemand::value> entry : array) {
        ondemand::value item;
        if (std::move(entry).get(item) != simdjson::SUCCESS) {
            return fail_structure(scan, document, wrong);
        }
        if (!scan_value(scan, document, item, depth)) {
            return false;
        }
    }
    return true;
}

bool scan_container(const scan &scan, ondemand::document &document, ondemand::value value, const char *at,
                    size_t depth) noexcept
{
    bool is_object = *at == '{';
    if (depth == scan.depth_max) {
        return fail(scan, offset_of(scan, at), "too many levels of brackets");
    }
    if (!tell(scan, is_object ? JSON_SCAN_BEGIN_OBJECT : JSON_SCAN_BEGIN_ARRAY, at, 1)) {
        return false;
    }
    bool fine = is_object ? scan_object(scan, document, value, depth + 1)
                          : scan_array(scan, document, value, depth + 1);
    return fine && tell(scan, JSON_SCAN_END, at, 1);
}

/* A string must be taken from simdjson: one that is only looked at is taken for a key if a colon follows, and skipped
 * together with what stands behind it. */
bool scan_string(const scan &scan, ondemand::document &document, ondemand::value value) noexcept
{
    ondemand::raw_json_string string;
    if (value.get_raw_json_string().get(string) != simdjson::SUCCESS) {
        return fail_structure(scan, document, "a string is expected here");
    }
    return tell_quoted(scan, JSON_SCAN_STRING, string.raw());
}

/* The token goes up to where the next one starts, so there may be spaces at its end. */
bool scan_value(const scan &scan, ondemand::document &document, ondemand::value value, size_t depth) noexcept
{
    std::string_view token = value.raw_json_token();
    const char *at = token.data();
    size_t length = token.size();
    while (length > 0 && is_space(at[length - 1])) {
        length--;
    }
    if (at >= scan.text + scan.length) {
        return fail(scan, scan.length, "the text ends in its middle");
    }
    switch (*at) {
    case '{':
    case '[': return scan_container(scan, document, value, at, depth);
    case '"': return scan_string(scan, document, value);
    case '}':
    case ']':
    case ',':
    case ':': return fail(scan, offset_of(scan, at), "a value is expected here");
    default: return tell(scan, JSON_SCAN_WORD, at, length);
    }
}

/* The array that was put around the text: it must hold one value, and nothing may follow it. */
bool scan_whole(const scan &scan, ondemand::document &document) noexcept
{
    static const char more[] = "something follows the end of the value";
    ondemand::array array;
    size_t count = 0;
    if (document.get_array().get(array) != simdjson::SUCCESS) {
        return fail_structure(scan, document, "brackets do not match");
    }
    for (simdjson_result<ondemand::value> entry : array) {
        ondemand::value item;
        if (std::move(entry).get(item) != simdjson::SUCCESS || count++ > 0) {
            return fail_structure(scan, document, more);
        }
        if (!scan_value(scan, document, item, 0)) {
            return false;
        }
    }
    if (count == 0) {
        return fail(scan, scan.length, "there is no value");
    }
    const char *at = nullptr;
    if (document.current_location().get(at) != simdjson::SUCCESS) {
        return true;
    }
    /* A bracket of the text has closed our own; the last that can be too much is the last byte. */
    size_t offset = offset_of(scan, at);
    return fail(scan, offset < scan.length ? offset : scan.length - 1, more);
}

/* The place that simdjson's first pass complains of but does not name: a control character in a string, or the quote
 * of a string without an end. */
bool fail_string(const scan &scan, bool unclosed) noexcept
{
    size_t opening = 0;
    bool inside = false;
    for (size_t i = 0; i < scan.length; i++) {
        char c = scan.text[i];
        if (c == '\\') {
            i++;
        } else if (c == '"') {
            inside = !inside;
            opening = i;
        } else if (inside && !unclosed && static_cast<unsigned char>(c) < 0x20) {
            return fail(scan, i, "a control character in a string must be written as an escape");
        }
    }
    return fail(scan, opening, "the string has no end");
}

bool fail_first_pass(const scan &scan, error_code error) noexcept
{
    switch (error) {
    case simdjson::MEMALLOC: scan.fault->out_of_memory = true; return fail(scan, 0, "out of memory");
    case simdjson::CAPACITY: return fail(scan, 0, "the text is too large");
    case simdjson::UNCLOSED_STRING: return fail_string(scan, true);
    case simdjson::UNESCAPED_CHARS: return fail_string(scan, false);
    default: return fail(scan, 0, "no JSON");
    }
}

void hide_bytes_beyond_ascii(char *text, size_t length) noexcept
{
    for (size_t i = 0; i < length; i++) {
        if (static_cast<unsigned char>(text[i]) >= 0x80) {
            text[i] = 'x';
        }
    }
}

} // namespace

bool json_scan(char *buffer, size_t length, size_t depth_max, json_scan_listener *listener, json_scan_fault *fault)
{
    *fault = {nullptr, 0, false};
    scan scan = {buffer + JSON_SCAN_FRONT, length, depth_max, listener, fault};
    buffer[0] = '[';
    buffer[JSON_SCAN_FRONT + length] = ']';
    std::memset(buffer + JSON_SCAN_FRONT + length + 1, 0, JSON_SCAN_PADDING - 1);
    /* What is no ASCII has no say in the structure, and inside strings the listener reads its own copy. */
    hide_bytes_beyond_ascii(buffer + JSON_SCAN_FRONT, length);
    size_t whole = length + JSON_SCAN_FRONT + 1;
    ondemand::parser parser;
    ondemand::document document;
    error_code error = parser.iterate(buffer, whole, whole + simdjson::SIMDJSON_PADDING).get(document);
    return error != simdjson::SUCCESS ? fail_first_pass(scan, error) : scan_whole(scan, document);
}

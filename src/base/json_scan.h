/* Json scan: what is where in a JSON text, by simdjson's on-demand reader; the one C++ file of the program.
 *
 * The reader looks at many bytes at a time; a listener behind a small C interface hears what it finds.  It judges the
 * structure: brackets, commas, colons, quotes.  What stands inside a string or a word (a number, true, false, null) is
 * told raw and judged by the listener, since simdjson refuses strings that real logs hold: lone surrogates, bytes that
 * are no UTF-8.
 *
 *  I1  Inside an object a key comes before each value; every begin has its end.
 *  I2  Offsets count from the start of the text, and what is told lies within it.
 *  I3  No exception and no allocation failure of C++ leaves this module.
 *
 * The buffer belongs to the caller; what simdjson allocates is freed before the scan returns.
 */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JSON_SCAN_FRONT 1    /* bytes of the buffer before the text */
#define JSON_SCAN_PADDING 72 /* bytes of the buffer after the text: what simdjson may read, and one of ours */

enum json_scan_token {
    JSON_SCAN_BEGIN_OBJECT,
    JSON_SCAN_BEGIN_ARRAY,
    JSON_SCAN_END,
    JSON_SCAN_KEY,    /* what stands between the quotes */
    JSON_SCAN_STRING, /* the same */
    JSON_SCAN_WORD    /* anything else up to the next bracket, comma, colon, quote or space */
};

struct json_scan_listener {
    /* False ends the scan: the listener knows why. */
    bool (*hear)(struct json_scan_listener *listener, enum json_scan_token token, size_t at, size_t length);
};

/* Why a scan ended; `reason` is NULL when it was the listener. */
struct json_scan_fault {
    const char *reason;
    size_t at;
    bool out_of_memory;
};

/* Scans the `length` bytes that stand in `buffer` after JSON_SCAN_FRONT bytes and before JSON_SCAN_PADDING, all of
 * which are written to, as are bytes of the text that are no ASCII.  Levels beyond `depth_max` are a fault. */
bool json_scan(char *buffer, size_t length, size_t depth_max, struct json_scan_listener *listener,
               struct json_scan_fault *fault);

#ifdef __cplusplus
}
#endif

#endif

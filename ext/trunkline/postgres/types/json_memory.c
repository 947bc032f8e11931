#include "json_memory.h"

#include <stdbool.h>

/* Bytes, as ObjectSpace.memsize_of tells them on 64-bit platforms: of an object without more; of a Hash of up to 8 entries, and, on
 * Ruby 3.3 and newer, of an empty one; of a larger one for each entry, 25 to 103; of an element of an Array, with room to grow. */
enum { OBJECT = 40, SMALL_HASH = 168, HASH_ENTRY = 104, ELEMENT = 12 };
enum { SMALL_HASH_ENTRIES = 8 };
enum { PLAIN_DIGITS = 18, PLAIN_FLOAT = 70 }; /* numbers that short are no objects, unless they have an exponent */

typedef struct {
    const char *at, *end;
    uint64_t bytes;
    uint32_t entries[JSON_DEPTH_COUNTED]; /* of the Hashes that are open */
    uint32_t depth;
} json_scan_t;

/* Stands behind the opening quote. */
static void scan_string(json_scan_t *scan) {
    const char *start = scan->at;
    while (scan->at < scan->end && *scan->at != '"') scan->at += *scan->at == '\\' && scan->end - scan->at > 1 ? 2 : 1;
    scan->bytes += OBJECT + (uint64_t)(scan->at - start) + 1; /* a zero byte at the end */
    if (scan->at < scan->end) scan->at++;
}

static bool is_of_number(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' || byte == 'e' || byte == 'E';
}

static void scan_number(json_scan_t *scan) {
    const char *start = scan->at;
    bool point = false, exponent = false;
    for (; scan->at < scan->end && is_of_number(*scan->at); scan->at++) {
        point |= *scan->at == '.';
        exponent |= *scan->at == 'e' || *scan->at == 'E';
    }
    long length = scan->at - start;
    if (exponent || length > (point ? PLAIN_FLOAT : PLAIN_DIGITS)) scan->bytes += OBJECT + (uint64_t)length;
}

static void open_level(json_scan_t *scan, uint64_t bytes) {
    if (scan->depth < JSON_DEPTH_COUNTED) scan->entries[scan->depth] = 0;
    scan->depth++;
    scan->bytes += bytes;
}

static void close_level(json_scan_t *scan) {
    if (scan->depth > 0) scan->depth--;
}

/* A Hash is as small as it can be until it has more entries. */
static void add_entry(json_scan_t *scan) {
    if (scan->depth == 0 || scan->depth > JSON_DEPTH_COUNTED) return;
    uint32_t entries = ++scan->entries[scan->depth - 1];
    if (entries == SMALL_HASH_ENTRIES + 1) scan->bytes += HASH_ENTRY * entries;
    else if (entries > SMALL_HASH_ENTRIES) scan->bytes += HASH_ENTRY;
}

static void scan_value(json_scan_t *scan) {
    char byte = *scan->at++;
    switch (byte) {
    case '{': open_level(scan, SMALL_HASH); break;
    case '[': open_level(scan, OBJECT); break;
    case '}': case ']': close_level(scan); break;
    case ':': add_entry(scan); break;
    case ',': scan->bytes += ELEMENT; break;
    case '"': scan_string(scan); break;
    default:
        if (byte != '-' && !(byte >= '0' && byte <= '9')) return;
        scan->at--;
        scan_number(scan);
    }
}

uint64_t json_memory(const char *bytes, size_t length) {
    json_scan_t scan;
    scan.at = bytes;
    scan.end = bytes + length;
    scan.bytes = 0;
    scan.depth = 0;
    while (scan.at < scan.end) scan_value(&scan);
    return scan.bytes;
}

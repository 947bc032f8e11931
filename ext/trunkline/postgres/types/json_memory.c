#include "json_memory.h"

#include <stdbool.h>
#include <string.h>

/* Bytes, from ObjectSpace.memsize_of on 64-bit platforms: of an object without external memory; of a Hash of a few entries; of an element of an
 * Array, with room to grow, and where objects have slots of several sizes. */
enum { OBJECT = 40, SMALL_HASH = 168, ELEMENT = 12, ELEMENT_IN_PLACE = 16 };
/* Those slots have 40, 80, 160, 320 and 640 bytes, of which 25 are the header of a String that is embedded there. */
enum { STRING_HEAD = 25, LARGEST_SLOT = 640 };
/* A Hash with more entries has a table with room for 32, which doubles when it is full: with json 2.6 when one more is added, with json 2.10 and
 * newer, which gives their number, at once. Each entry takes 24 bytes and two numbers, of 1, 2 or 4 bytes. Measured on Ruby 3.1: a Hash of 9 and of
 * 31 entries 928 bytes, of 33 1760, 65 3424, 129 7264, 32,769 2,097,248; of 32 928 and 1760. On Ruby 3.3, where json 2.10 requests room for keys and
 * values: of 5 496, 8 912, 16 1744, 32 3408, 64 7248. */
enum { SMALL_HASH_ENTRIES = 8, SMALLEST_TABLE = 32, TABLE_ENTRY = 24, TABLES_OF_BYTES = 128, TABLES_OF_SHORTS = 32768 };
/* A String with an escape is made in a buffer as long as its text; if that is longer than an embedded String, it has at least 64 bytes. */
enum { HELD_BYTES = 23, LEAST_BUFFER = 63 };
enum { OF_ARRAY = UINT32_MAX }; /* in the place of the entries of a Hash */
/* Ruby stores Strings that are keys once (rb_hash_aset interns them), so a key that recurs takes no memory. So many keys are remembered, in two places for
 * each, by their last bytes. 500 objects of 60 keys are counted as 1.31 MB with 128, 1.02 with 256 and 0.93 with 512; a document of 31 bytes takes 90 ns with
 * 128 or 256, and 154 with 512, which are cleared for each. With 4 hashed bytes 500 objects of 20 keys are 0.55 MB, and 0.51 with 8 or 16, which takes a tenth
 * longer. */
enum { KEYS_REMEMBERED = 256, HASHED_BYTES = 8 };
enum { PLAIN_DIGITS = 18, PLAIN_FLOAT = 70 }; /* Integers of so few digits, and Floats of so few digits plus exponent, are no objects */

typedef struct {
    const char *at; /* NULL: none */
    size_t length;
} json_string_t;

typedef struct {
    const char *at, *end;
    uint64_t bytes;
    json_costs_t costs;
    uint32_t entries[JSON_DEPTH_COUNTED]; /* of each open Hash; OF_ARRAY for an Array */
    uint32_t depth;
    json_string_t last; /* the last String: a key, if a colon follows */
    uint64_t last_bytes; /* that were counted for it */
    json_string_t keys[KEYS_REMEMBERED];
} json_scan_t;

/* With a zero byte at the end. */
static uint64_t string_bytes(const json_scan_t *scan, size_t length) {
    if (!scan->costs.slots || length > LARGEST_SLOT - STRING_HEAD) return OBJECT + (uint64_t)length + 1;
    uint64_t slot = OBJECT;
    while (slot < length + STRING_HEAD) slot *= 2;
    return slot;
}

/* Starts behind the opening quote. */
static void scan_string(json_scan_t *scan) {
    const char *start = scan->at;
    bool escaped = false;
    for (; scan->at < scan->end && *scan->at != '"'; scan->at++) {
        if (*scan->at != '\\') continue;
        escaped = true;
        if (scan->end - scan->at > 1) scan->at++;
    }
    scan->last = (json_string_t){start, (size_t)(scan->at - start)};
    size_t length = scan->last.length;
    scan->last_bytes = string_bytes(scan, escaped && length > HELD_BYTES && length < LEAST_BUFFER ? LEAST_BUFFER : length);
    scan->bytes += scan->last_bytes;
    if (scan->at < scan->end) scan->at++;
}

static bool is_of_number(char byte) {
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+' || byte == 'e' || byte == 'E';
}

/* Ruby stores a Float in its reference (flonum) if it is 0.0, or 1e-77 to 1e77 in size; -0.0 is an object. */
static void scan_number(json_scan_t *scan) {
    const char *start = scan->at;
    bool point = false, exponent = false, zero = true;
    unsigned power = 0;
    for (; scan->at < scan->end && is_of_number(*scan->at); scan->at++) {
        char byte = *scan->at;
        point |= byte == '.';
        exponent |= byte == 'e' || byte == 'E';
        if (byte < '0' || byte > '9') continue;
        if (!exponent) zero &= byte == '0';
        else if (power < PLAIN_FLOAT) power = power * 10 + (unsigned)(byte - '0');
    }
    size_t length = (size_t)(scan->at - start);
    bool real = point || exponent;
    bool plain = real ? length + power <= PLAIN_FLOAT && !(zero && *start == '-') : length <= PLAIN_DIGITS;
    if (!plain) scan->bytes += OBJECT + (uint64_t)length;
}

static void open_level(json_scan_t *scan, uint32_t entries, uint64_t bytes) {
    if (scan->depth < JSON_DEPTH_COUNTED) scan->entries[scan->depth] = entries;
    scan->depth++;
    scan->bytes += bytes;
}

static void close_level(json_scan_t *scan) {
    if (scan->depth > 0) scan->depth--;
}

/* Hashes the length and the last bytes: many keys begin alike. */
static size_t key_index(const json_string_t *key) {
    uint32_t hash = (uint32_t)key->length;
    size_t from = key->length > HASHED_BYTES ? key->length - HASHED_BYTES : 0;
    for (size_t at = from; at < key->length; at++) hash = hash * 31 + (unsigned char)key->at[at];
    return hash % KEYS_REMEMBERED;
}

static bool is_same(const json_string_t *one, const json_string_t *other) {
    return one->at && one->length == other->length && memcmp(one->at, other->at, one->length) == 0;
}

/* Subtracts the String before a colon, if it was a key before. */
static void meet_key(json_scan_t *scan) {
    if (!scan->last.at) return;
    json_string_t *first = &scan->keys[key_index(&scan->last)];
    json_string_t *second = &scan->keys[key_index(&scan->last) ^ 1];
    if (is_same(first, &scan->last) || is_same(second, &scan->last)) scan->bytes -= scan->last_bytes;
    else *(first->at && !second->at ? second : first) = scan->last;
    scan->last.at = NULL;
}

static uint64_t table_bytes(uint32_t room) {
    uint32_t width = room <= TABLES_OF_BYTES ? 1 : room <= TABLES_OF_SHORTS ? 2 : 4;
    return (uint64_t)room * (TABLE_ENTRY + 2 * width);
}

/* Adds an entry to a Hash, whose memory grows in steps. */
static void add_entry(json_scan_t *scan) {
    if (scan->depth == 0 || scan->depth > JSON_DEPTH_COUNTED || scan->entries[scan->depth - 1] >= OF_ARRAY - 1) return;
    uint32_t count = ++scan->entries[scan->depth - 1], twice = scan->costs.twice ? 2 : 1;
    if (count == 1) scan->bytes += SMALL_HASH - scan->costs.empty_hash;
    else if (count == SMALL_HASH_ENTRIES / twice + 1) scan->bytes += table_bytes(SMALLEST_TABLE / twice);
    else if (count >= SMALLEST_TABLE / twice / twice && (count & (count - 1)) == 0 && count <= UINT32_MAX / 4) {
        scan->bytes += table_bytes(count * 2 * twice) - table_bytes(count * twice);
    }
}

/* Adds an element of an Array. The last one, behind which there is no comma, is counted with its Array. */
static void add_element(json_scan_t *scan) {
    if (scan->depth == 0 || scan->depth > JSON_DEPTH_COUNTED || scan->entries[scan->depth - 1] == OF_ARRAY) {
        scan->bytes += scan->costs.slots ? ELEMENT_IN_PLACE : ELEMENT;
    }
}

static void scan_value(json_scan_t *scan) {
    char byte = *scan->at++;
    switch (byte) {
    case '{': open_level(scan, 0, scan->costs.empty_hash); break;
    case '[': open_level(scan, OF_ARRAY, OBJECT); break;
    case '}': case ']': close_level(scan); break;
    case ':': meet_key(scan); add_entry(scan); break;
    case ',': add_element(scan); break;
    case '"': scan_string(scan); break;
    default:
        if (byte != '-' && !(byte >= '0' && byte <= '9')) return;
        scan->at--;
        scan_number(scan);
    }
}

uint64_t json_memory(const char *bytes, size_t length, json_costs_t costs) {
    json_scan_t scan;
    scan.costs = costs;
    scan.at = bytes;
    scan.end = bytes + length;
    scan.bytes = 0;
    scan.depth = 0;
    scan.last.at = NULL;
    memset(scan.keys, 0, sizeof scan.keys);
    while (scan.at < scan.end) scan_value(&scan);
    return scan.bytes;
}

/* Integers in network byte order, which both protocols' headers and PostgreSQL's binary values use. */
#ifndef TRUNKLINE_BIG_ENDIAN_H
#define TRUNKLINE_BIG_ENDIAN_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define NETWORK_ORDER_16(value) (value)
#define NETWORK_ORDER_32(value) (value)
#define NETWORK_ORDER_64(value) (value)
#else
#define NETWORK_ORDER_16(value) __builtin_bswap16(value)
#define NETWORK_ORDER_32(value) __builtin_bswap32(value)
#define NETWORK_ORDER_64(value) __builtin_bswap64(value)
#endif

/* Reads the integer of 16, 32 or 64 bits at this address, which need not be aligned. */
static inline uint16_t read_u16(const char *at) {
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return NETWORK_ORDER_16(value);
}

/* Likewise. */
static inline uint32_t read_u32(const char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return NETWORK_ORDER_32(value);
}

/* Likewise. */
static inline uint64_t read_u64(const char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return NETWORK_ORDER_64(value);
}

/* Writes the integer at this address. */
static inline void write_u16(char *at, uint16_t value) {
    value = NETWORK_ORDER_16(value);
    memcpy(at, &value, sizeof value);
}

/* Likewise. */
static inline void write_u32(char *at, uint32_t value) {
    value = NETWORK_ORDER_32(value);
    memcpy(at, &value, sizeof value);
}

/* Likewise. */
static inline void write_u64(char *at, uint64_t value) {
    value = NETWORK_ORDER_64(value);
    memcpy(at, &value, sizeof value);
}

#undef NETWORK_ORDER_16
#undef NETWORK_ORDER_32
#undef NETWORK_ORDER_64

#endif

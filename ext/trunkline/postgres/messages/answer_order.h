/* The order of an answer's messages, which follows from the messages of its request. Uses no Ruby, and does not read values.
 * https://www.postgresql.org/docs/current/protocol-flow.html */
#ifndef TRUNKLINE_ANSWER_ORDER_H
#define TRUNKLINE_ANSWER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* The message that is awaited. */
typedef enum {
    STAGE_END, /* only ReadyForQuery */
    STAGE_PREAMBLE_PARSE,
    STAGE_PREAMBLE_BIND,
    STAGE_PREAMBLE_ROWS,
    STAGE_PARSE,
    STAGE_CHECK_PARSE,
    STAGE_PARAMETERS,
    STAGE_COLUMNS,
    STAGE_CHECK_PARAMETERS,
    STAGE_CHECK_COLUMNS,
    STAGE_TYPES_BIND,
    STAGE_TYPES_ROWS,
    STAGE_LIMIT_BIND,
    STAGE_LIMIT_ROWS,
    STAGE_BIND,
    STAGE_PORTAL_COLUMNS,
    STAGE_ROWS,
    STAGE_SCRIPT,          /* the first statement's answer */
    STAGE_SCRIPT_NEXT,     /* another statement's, or the end */
    STAGE_SCRIPT_ROWS,
    STAGE_COPY,
    STAGE_COPY_DATA,
    STAGE_COPY_END,
} answer_stage_t;

/* The messages of a request; initialised with zeroes. */
typedef struct {
    uint32_t preamble;     /* statements before the request's own that are not answered yet */
    uint8_t stage;         /* answer_stage_t */
    bool guarded;          /* the last statement of the preamble is a prepared guard, which has no Parse */
    bool parses;           /* Parse */
    bool parses_check;     /* Parse of the column check, behind that */
    bool describes;        /* Describe of the statement */
    bool checks;           /* Describe of the column check */
    bool checks_types;     /* Bind and Execute of the statement that compares the parameters' types */
    bool limited;          /* Bind and Execute of the statement that sets its timeout */
    bool executes;         /* Bind and Execute */
    bool describes_portal; /* Describe of the portal, between these two */
    bool fetches;          /* Execute has a limit of rows */
} answer_order_t;

/* The part of the answer that a message belongs to. */
typedef enum { PART_UNEXPECTED, PART_PREAMBLE, PART_CHECK, PART_TYPES, PART_LIMIT, PART_OWN } answer_part_t;

/* Called when the messages of one unit of the extended protocol were appended: awaits its first answer. */
void answer_order_begin(answer_order_t *order);

/* Takes a message, of any type except those that may come at any time, ErrorResponse and ReadyForQuery. PART_UNEXPECTED: the request does not cause
 * it at this place, and the order is unchanged. */
static inline answer_part_t answer_order_take(answer_order_t *order, char type);

/* The same, without the shortcut for the most frequent messages. */
answer_part_t answer_order_take_any(answer_order_t *order, char type);

/* Bind and Execute were removed before they were sent. */
void answer_order_withdraw(answer_order_t *order);

/* After an error only ReadyForQuery comes. */
static inline void answer_order_fail(answer_order_t *order) { order->stage = STAGE_END; }

/* Whether ReadyForQuery may come. */
static inline bool answer_order_is_complete(const answer_order_t *order) {
    return order->stage == STAGE_END || order->stage == STAGE_SCRIPT_NEXT;
}

/* Whether the preamble is not answered completely. */
static inline bool answer_order_in_preamble(const answer_order_t *order) {
    return order->stage >= STAGE_PREAMBLE_PARSE && order->stage <= STAGE_PREAMBLE_ROWS;
}

/* A shortcut for nearly all messages: those of a prepared statement. */
static inline answer_part_t answer_order_take(answer_order_t *order, char type) {
    if (order->stage == STAGE_ROWS && type == 'D') return PART_OWN;
    if (order->stage == STAGE_ROWS && type == 'C') {
        order->stage = STAGE_END;
        return PART_OWN;
    }
    if (order->stage == STAGE_BIND && type == '2' && !order->describes_portal) {
        order->stage = STAGE_ROWS;
        return PART_OWN;
    }
    return answer_order_take_any(order, type);
}

#endif

/* The order of an answer's messages: what a request has asked for decides which message may come next. Knows no Ruby and no values.
 * https://www.postgresql.org/docs/current/protocol-flow.html */
#ifndef TRUNKLINE_ANSWER_ORDER_H
#define TRUNKLINE_ANSWER_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* What is awaited. */
typedef enum {
    STAGE_END, /* nothing but ReadyForQuery */
    STAGE_PREAMBLE_PARSE,
    STAGE_PREAMBLE_BIND,
    STAGE_PREAMBLE_ROWS,
    STAGE_PARSE,
    STAGE_CHECK_PARSE,
    STAGE_PARAMETERS,
    STAGE_COLUMNS,
    STAGE_CHECK_PARAMETERS,
    STAGE_CHECK_COLUMNS,
    STAGE_LIMIT_BIND,
    STAGE_LIMIT_ROWS,
    STAGE_BIND,
    STAGE_PORTAL_COLUMNS,
    STAGE_ROWS,
    STAGE_SCRIPT,          /* the first statement's answer */
    STAGE_SCRIPT_GOES_ON,  /* another statement's, or the end */
    STAGE_SCRIPT_ROWS,
    STAGE_COPY,
    STAGE_COPY_DATA,
    STAGE_COPY_END,
} answer_stage_t;

/* What a request asks for; begin with zeroes. */
typedef struct {
    uint32_t preamble;     /* statements that run first, and are not answered yet */
    uint8_t stage;         /* answer_stage_t */
    bool guarded;          /* the last of the preamble is known to the session: it has no Parse */
    bool parses;           /* Parse */
    bool parses_check;     /* Parse of what checks its columns, behind that */
    bool describes;        /* Describe of the statement */
    bool checks;           /* Describe of what checks its columns */
    bool limited;          /* Bind and Execute of what limits its time */
    bool executes;         /* Bind and Execute */
    bool describes_portal; /* Describe of the portal, between these two */
    bool fetches;          /* Execute asks for a number of rows */
} answer_order_t;

/* What a message belongs to. */
typedef enum { PART_UNEXPECTED, PART_PREAMBLE, PART_CHECK, PART_LIMIT, PART_OWN } answer_part_t;

/* The messages of one unit of the extended protocol are sent: its first answer is awaited. */
void answer_order_begin(answer_order_t *order);

/* A message has come, of any type but those that may come at any time, ErrorResponse and ReadyForQuery. PART_UNEXPECTED: the request
 * has not asked for it, and the order is as it was. */
static inline answer_part_t answer_order_take(answer_order_t *order, char type);

/* The same, of all types and at all places. */
answer_part_t answer_order_take_any(answer_order_t *order, char type);

/* Bind and Execute were taken back before they were sent. */
void answer_order_withdraw(answer_order_t *order);

/* Behind an error comes nothing but ReadyForQuery. */
static inline void answer_order_fail(answer_order_t *order) { order->stage = STAGE_END; }

/* May ReadyForQuery come? */
static inline bool answer_order_is_complete(const answer_order_t *order) {
    return order->stage == STAGE_END || order->stage == STAGE_SCRIPT_GOES_ON;
}

/* Is the server, as far as it has answered, at the preamble still? */
static inline bool answer_order_in_preamble(const answer_order_t *order) {
    return order->stage >= STAGE_PREAMBLE_PARSE && order->stage <= STAGE_PREAMBLE_ROWS;
}

/* What nearly all messages are: those of a statement that the server knows. */
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

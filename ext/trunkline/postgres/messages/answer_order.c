#include "answer_order.h"

static answer_stage_t behind_limit(const answer_order_t *order) { return order->executes ? STAGE_BIND : STAGE_END; }

static answer_stage_t behind_types(const answer_order_t *order) {
    return order->limited ? STAGE_LIMIT_BIND : behind_limit(order);
}

static answer_stage_t behind_check(const answer_order_t *order) {
    return order->checks_types ? STAGE_TYPES_BIND : behind_types(order);
}

static answer_stage_t behind_description(const answer_order_t *order) {
    return order->checks ? STAGE_CHECK_PARAMETERS : behind_check(order);
}

static answer_stage_t behind_parse(const answer_order_t *order) {
    return order->describes ? STAGE_PARAMETERS : behind_description(order);
}

static answer_stage_t behind_preamble(const answer_order_t *order) {
    if (order->preamble > 0) return order->preamble == 1 && order->guarded ? STAGE_PREAMBLE_BIND : STAGE_PREAMBLE_PARSE;
    return order->parses ? STAGE_PARSE : behind_parse(order);
}

void answer_order_begin(answer_order_t *order) { order->stage = (uint8_t)behind_preamble(order); }

static bool ends_command(char type) { return type == 'C' || type == 'I'; }

static bool describes_rows(char type) { return type == 'T' || type == 'n'; }

/* What is awaited after this message; the present stage if the message is not expected. Messages that may repeat are in may_repeat. */
static answer_stage_t behind(const answer_order_t *order, char type) {
    answer_stage_t stage = (answer_stage_t)order->stage;
    switch (stage) {
    case STAGE_PREAMBLE_PARSE: return type == '1' ? STAGE_PREAMBLE_BIND : stage;
    case STAGE_PREAMBLE_BIND: return type == '2' ? STAGE_PREAMBLE_ROWS : stage;
    case STAGE_PARSE: return type != '1' ? stage : order->parses_check ? STAGE_CHECK_PARSE : behind_parse(order);
    case STAGE_CHECK_PARSE: return type == '1' ? behind_parse(order) : stage;
    case STAGE_PARAMETERS: return type == 't' ? STAGE_COLUMNS : stage;
    case STAGE_COLUMNS: return describes_rows(type) ? behind_description(order) : stage;
    case STAGE_CHECK_PARAMETERS: return type == 't' ? STAGE_CHECK_COLUMNS : stage;
    case STAGE_CHECK_COLUMNS: return describes_rows(type) ? behind_check(order) : stage;
    case STAGE_TYPES_BIND: return type == '2' ? STAGE_TYPES_ROWS : stage;
    case STAGE_TYPES_ROWS: return type == 'C' ? behind_types(order) : stage;
    case STAGE_LIMIT_BIND: return type == '2' ? STAGE_LIMIT_ROWS : stage;
    case STAGE_LIMIT_ROWS: return type == 'C' ? behind_limit(order) : stage;
    case STAGE_BIND: return type != '2' ? stage : order->describes_portal ? STAGE_PORTAL_COLUMNS : STAGE_ROWS;
    case STAGE_PORTAL_COLUMNS: return describes_rows(type) ? STAGE_ROWS : stage;
    case STAGE_ROWS: return ends_command(type) || (type == 's' && order->fetches) ? STAGE_END : stage;
    case STAGE_SCRIPT: return type == 'I' ? STAGE_END : type == 'T' ? STAGE_SCRIPT_ROWS : type == 'C' ? STAGE_SCRIPT_NEXT : stage;
    case STAGE_SCRIPT_NEXT: return type == 'T' ? STAGE_SCRIPT_ROWS : stage;
    case STAGE_SCRIPT_ROWS: return type == 'C' ? STAGE_SCRIPT_NEXT : stage;
    case STAGE_COPY: return ends_command(type) ? STAGE_END : type == 'H' ? STAGE_COPY_DATA : type == 'G' ? STAGE_COPY_END : stage;
    case STAGE_COPY_DATA: return type == 'c' ? STAGE_COPY_END : stage;
    case STAGE_COPY_END: return type == 'C' ? STAGE_END : stage;
    case STAGE_END: case STAGE_PREAMBLE_ROWS: return stage;
    }
    return stage;
}

/* Whether the message may come any number of times. A rule of a table may add several queries to one statement of a script: each has its
 * RowDescription. */
static bool may_repeat(answer_stage_t stage, char type) {
    switch (stage) {
    case STAGE_PREAMBLE_ROWS: case STAGE_TYPES_ROWS: case STAGE_LIMIT_ROWS: case STAGE_ROWS: return type == 'D';
    case STAGE_SCRIPT_ROWS: return type == 'D' || type == 'T';
    case STAGE_SCRIPT_NEXT: return type == 'C';
    case STAGE_COPY_DATA: return type == 'd';
    default: return false;
    }
}

static answer_part_t part_of(answer_stage_t stage) {
    if (stage >= STAGE_PREAMBLE_PARSE && stage <= STAGE_PREAMBLE_ROWS) return PART_PREAMBLE;
    if (stage == STAGE_CHECK_PARSE || stage == STAGE_CHECK_PARAMETERS || stage == STAGE_CHECK_COLUMNS) return PART_CHECK;
    if (stage == STAGE_TYPES_BIND || stage == STAGE_TYPES_ROWS) return PART_TYPES;
    return stage == STAGE_LIMIT_BIND || stage == STAGE_LIMIT_ROWS ? PART_LIMIT : PART_OWN;
}

answer_part_t answer_order_take_any(answer_order_t *order, char type) {
    answer_stage_t stage = (answer_stage_t)order->stage;
    if (may_repeat(stage, type)) return part_of(stage);
    if (stage == STAGE_PREAMBLE_ROWS && ends_command(type)) {
        order->preamble--;
        order->stage = (uint8_t)behind_preamble(order);
        return PART_PREAMBLE;
    }
    answer_stage_t next = behind(order, type);
    if (next == stage) return PART_UNEXPECTED;
    order->stage = (uint8_t)next;
    return part_of(stage);
}

void answer_order_withdraw(answer_order_t *order) {
    order->limited = order->executes = false;
    if (order->stage >= STAGE_LIMIT_BIND && order->stage <= STAGE_ROWS) order->stage = STAGE_END;
}

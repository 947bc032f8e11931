#include "statement_timeout.h"

#include <math.h>
#include <stdio.h>
#include "../messages/frontend.h"
#include "../answers/own_unit.h"
#include "../statements/statement.h"
#include "../../trunk/runtime/clock.h"

/* Part of the time left: a request that is expected to take less gets no timeout. Of times that are exponential one in 22,000 exceeds ten times the mean
 * (e^-10), one in 148 five times, which would then need a cancel request. A timeout takes the server one more statement. */
#define SMALL_PART 0.1
#define CLOCK_ERROR 1e-6 /* seconds, a bound: a time on the clock plus a number of seconds, less that time, is not that number exactly */
#define TEXT 25        /* OID */

#define SPAN(text) ((span_t){(text), sizeof(text) - 1})
#define NAME SPAN("tlimit")

/* An earlier timeout that the server already has stays. */
#define SQL SPAN("SELECT pg_catalog.set_config('statement_timeout', $1, true) " \
                 "FROM (SELECT pg_catalog.current_setting('statement_timeout')::interval) AS present (value) " \
                 "WHERE value OPERATOR(pg_catalog.=) '0' OR value OPERATOR(pg_catalog.>) $1::interval")

static double time_left(const postgres_request_t *request) { return request->base.deadline - clock_now(); }

/* Whether it is reliably known that the server needs only a small part of so many seconds. */
static bool is_quick(const service_time_t *service, double seconds) {
    return service->times.count > 0 && !service->doubtful && service->mean <= seconds * SMALL_PART;
}

bool statement_timeout_wanted(const session_state_t *session, const postgres_request_t *request) {
    if (isinf(request->base.deadline) || request->kind != REQUEST_QUERY) return false;
    if (session->exclusive || session->prefix[0] == 0) return false;
    const statement_t *statement = statement_of(request->statement);
    return statement->classification.class != CLASS_ALONE && !is_quick(service_time_of(statement->service), time_left(request));
}

void statement_timeout_prepare(session_state_t *session, buffer_t *output) {
    static const uint32_t types[] = {TEXT};
    if (session->limits) return;
    size_t before = buffer_size(output);
    if (!frontend_parse(output, NAME, SQL, types, 1) || !frontend_sync(output)) {
        output->tail = output->head + before;
        rb_memerror();
    }
    session->base.in_flight.appended += buffer_size(output) - before;
    session->limits = true;
    own_unit_of_parse(session);
}

bool statement_timeout_append(buffer_t *output, const postgres_request_t *request) {
    char limit[32];
    double milliseconds = fmax(ceil((time_left(request) - CLOCK_ERROR) * 1000), 1);
    int length = snprintf(limit, sizeof limit, "%.0fms", fmin(milliseconds, INT32_MAX));
    return frontend_bind_text(output, NAME, &(span_t){limit, (size_t)length}, 1) && frontend_execute(output);
}

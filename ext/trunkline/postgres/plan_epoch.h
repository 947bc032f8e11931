/* Trunkline::Postgres::PlanEpoch: one for a client. Whatever any of its sessions prepared in an earlier epoch may rest on tables,
 * types and functions that have changed since, and is prepared again before it is used. */
#ifndef TRUNKLINE_PLAN_EPOCH_H
#define TRUNKLINE_PLAN_EPOCH_H

#include <ruby.h>
#include <stdint.h>

VALUE plan_epoch_create(void);

/* Of what a caller gives: raises TypeError when it is something else. */
uint64_t *plan_epoch_checked(VALUE object);

/* What was prepared in the epoch `last` is old from now on. Nothing happens when that is over already: of all that fail for
 * the same change, the first one counts. */
static inline void plan_epoch_end(uint64_t *epoch, uint64_t last) {
    if (*epoch == last) ++*epoch;
}

#endif

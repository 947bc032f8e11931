/* Trunkline::Postgres::PlanEpoch: one per client. Statements that any of its sessions has prepared in an earlier epoch may depend on tables, types
 * and functions that have changed since, and are prepared again before they are used. An epoch ends when a change is noticed. Some are not: when
 * another program has changed a table's types, the server continues with the parameters' types that a statement was prepared with. So an epoch also
 * ends after a time. */
#ifndef TRUNKLINE_PLAN_EPOCH_H
#define TRUNKLINE_PLAN_EPOCH_H

#include <ruby.h>
#include <stdint.h>

typedef struct {
    uint64_t number; /* number of epochs that have ended */
    uint64_t defined; /* number of new definitions by these sessions that are visible to others */
    double longest;  /* seconds that an epoch lasts at most */
    double ends;     /* on the clock of clock_now */
} plan_epoch_t;

/* A new PlanEpoch, the first of its client. */
VALUE plan_epoch_create(void);

/* The struct of any object. Raises TypeError when it is no PlanEpoch. */
plan_epoch_t *plan_epoch_checked(VALUE object);

/* Ends the epoch `last`: statements that were prepared in it are outdated. Does nothing if it has ended already: of all requests that fail for the
 * same change, only the first one counts. */
static inline void plan_epoch_end(plan_epoch_t *epoch, uint64_t last) {
    if (epoch->number == last) epoch->number++;
}

/* Ends the epoch if its time is over. */
static inline void plan_epoch_check(plan_epoch_t *epoch, double now) {
    if (now < epoch->ends) return;
    epoch->number++;
    epoch->ends = now + epoch->longest;
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_plan_epoch(void);

#endif

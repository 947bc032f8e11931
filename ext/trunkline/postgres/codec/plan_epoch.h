/* Trunkline::Postgres::PlanEpoch: one for a client. Whatever any of its sessions prepared in an earlier epoch may rest on tables,
 * types and functions that have changed since, and is prepared again before it is used. An epoch ends when a change is noticed. Some are
 * not: the server goes on with the parameters' types that a statement was prepared with, when another program has changed a table's; so
 * it ends by its age, too. */
#ifndef TRUNKLINE_PLAN_EPOCH_H
#define TRUNKLINE_PLAN_EPOCH_H

#include <ruby.h>
#include <stdint.h>

typedef struct {
    uint64_t number; /* how many epochs have ended */
    uint64_t defined; /* how often one of these sessions has defined something new, as others see it */
    double longest;  /* seconds that one lasts at most */
    double ends;     /* on the clock of clock_now */
} plan_epoch_t;

VALUE plan_epoch_create(void);

/* Of what a caller gives: raises TypeError when it is something else. */
plan_epoch_t *plan_epoch_checked(VALUE object);

/* What was prepared in the epoch `last` is old from now on. Nothing happens when that is over already: of all that fail for
 * the same change, the first one counts. */
static inline void plan_epoch_end(plan_epoch_t *epoch, uint64_t last) {
    if (epoch->number == last) epoch->number++;
}

/* Ends the epoch that is too old now. */
static inline void plan_epoch_look(plan_epoch_t *epoch, double now) {
    if (now < epoch->ends) return;
    epoch->number++;
    epoch->ends = now + epoch->longest;
}

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_plan_epoch(void);

#endif

/* What the Ruby-facing sources share: the module and one Init each. */
#ifndef TRUNKLINE_H
#define TRUNKLINE_H

#include <ruby.h>

#ifndef RBOOL
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

extern VALUE mTrunkline;
extern VALUE mTrunklinePostgres;
extern VALUE mTrunklineMemcached;

/* Objects of the class come from `new` alone, whose work it has to do: allocate, and then trunkline_initialized. There is no allocate, dup,
 * clone, Marshal.load or moving to another Ractor, which would give an object whose initialize has not run. */
void trunkline_define_new(VALUE class, VALUE (*new)(int argc, VALUE *argv, VALUE class));

/* Objects of the class come from C alone. What would allocate one otherwise, dup, clone and moving to another Ractor, raises TypeError. */
void trunkline_refuse_allocation(VALUE class);

/* Runs initialize with the arguments and keywords that `new` was called with. Returns the object. Where initialize raises, the object, which
 * ObjectSpace still finds, becomes a plain Object: none of the class's methods can be called on it. */
VALUE trunkline_initialized(VALUE object, int argc, const VALUE *argv);

void Init_trunkline_bytes(void);
void Init_trunkline_readiness(void);
void Init_trunkline_clock(void);
void Init_trunkline_deadline(void);
void Init_trunkline_interrupts(void);
void Init_trunkline_request(void);
void Init_trunkline_waiter(void);
void Init_trunkline_service(void);
void Init_trunkline_codec(void);
void Init_trunkline_flag(void);
void Init_trunkline_connection_state(void);
void Init_trunkline_leader_election(void);
void Init_trunkline_cancelling(void);
void Init_trunkline_connection_snapshot(void);
void Init_trunkline_ended_scheduler(void);
void Init_trunkline_drive(void);
void Init_trunkline_connection_loop(void);
void Init_trunkline_dispatcher(void);
void Init_trunkline_histogram(void);
void Init_trunkline_holding(void);
void Init_trunkline_witness(void);
void Init_trunkline_load(void);
void Init_trunkline_statement(void);
void Init_trunkline_description(void);
void Init_trunkline_named_parameters(void);
void Init_trunkline_script_decoding(void);
void Init_trunkline_answer_end(void);
void Init_trunkline_row_hashes(void);
void Init_trunkline_time_reader(void);
void Init_trunkline_plan_epoch(void);
void Init_trunkline_prepared(void);
void Init_trunkline_postgres_request(void);
void Init_trunkline_postgres_codec(void);
void Init_trunkline_memcached_request(void);
void Init_trunkline_memcached_codec(void);
void Init_trunkline_types(VALUE mTrunklinePostgres);
void Init_trunkline_block_exit(void);
void Init_trunkline_flow(void);
void Init_trunkline_error_fields(void);
void Init_trunkline_unreadable(void);
void Init_trunkline_unasked(void);
void Init_trunkline_meaning(void);
void Init_trunkline_copy_text(void);
void Init_trunkline_copy_binary(void);

#endif

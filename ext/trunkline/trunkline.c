#include "common/classes.h"
#include "memcached/memcached_codec.h"
#include "memcached/memcached_request.h"
#include "postgres/answers/read_guard.h"
#include "postgres/answers/unreadable.h"
#include "postgres/codec/postgres_codec.h"
#include "postgres/codec/postgres_flow.h"
#include "postgres/copy/copy_binary.h"
#include "postgres/copy/copy_text.h"
#include "postgres/messages/error_fields.h"
#include "postgres/rows/description.h"
#include "postgres/rows/row_hashes.h"
#include "postgres/session/answer_end.h"
#include "postgres/session/block_exit.h"
#include "postgres/session/claiming.h"
#include "postgres/session/parse_context.h"
#include "postgres/session/postgres_request.h"
#include "postgres/session/request_route.h"
#include "postgres/session/script_decoding.h"
#include "postgres/session/unclaimed.h"
#include "postgres/sql/named_parameters.h"
#include "postgres/statements/plan_epoch.h"
#include "postgres/statements/prepared.h"
#include "postgres/statements/statement.h"
#include "postgres/types/column_decoder.h"
#include "postgres/types/decode_date.h"
#include "postgres/types/decode_interval.h"
#include "postgres/types/decode_numeric.h"
#include "postgres/types/decode_time.h"
#include "postgres/types/decoded_value.h"
#include "postgres/types/row_memory.h"
#include "postgres/types/time_reader.h"
#include "postgres/types/types.h"
#include "socket/bytes_class.h"
#include "socket/readiness.h"
#include "socket/tls_session.h"
#include "trunk/balancer/dispatcher.h"
#include "trunk/balancer/spares.h"
#include "trunk/balancer/host_choice.h"
#include "trunk/connection/backlog.h"
#include "trunk/connection/cancelling.h"
#include "trunk/connection/codec_base.h"
#include "trunk/connection/connection_io.h"
#include "trunk/connection/connection_loop.h"
#include "trunk/connection/connection_loop_class.h"
#include "trunk/connection/connection_snapshot.h"
#include "trunk/connection/connection_state.h"
#include "trunk/connection/ended_scheduler.h"
#include "trunk/connection/leader_election.h"
#include "trunk/connection/silence.h"
#include "trunk/connection/stall.h"
#include "trunk/requests/histogram_class.h"
#include "trunk/requests/load.h"
#include "trunk/requests/request.h"
#include "trunk/requests/service_time.h"
#include "trunk/requests/waiter.h"
#include "trunk/runtime/clock.h"
#include "trunk/runtime/deadline.h"
#include "trunk/runtime/flag.h"
#include "trunk/runtime/gc_sentinel.h"
#include "trunk/runtime/interrupts.h"
#include "trunk/runtime/scoped_value.h"

static const rb_data_type_t unmovable_type = {.wrap_struct_name = "Trunkline::Unmovable", .flags = RUBY_TYPED_FREE_IMMEDIATELY};

/* Defines an object that can be neither moved to another Ractor nor, frozen, shared with it; so neither can any object that refers to it. */
static void define_unmovable(void) {
    VALUE class = rb_define_class_under(mTrunkline, "Unmovable", rb_cObject);
    trunkline_refuse_allocation(class);
    rb_undef_method(rb_singleton_class(class), "new");
    rb_define_const(class, "ONLY", TypedData_Wrap_Struct(class, &unmovable_type, NULL));
}

RUBY_FUNC_EXPORTED void Init_trunkline(void);

void Init_trunkline(void) {
    mTrunkline = rb_define_module("Trunkline");
    mTrunklinePostgres = rb_define_module_under(mTrunkline, "Postgres");
    mTrunklineMemcached = rb_define_module_under(mTrunkline, "Memcached");
    define_unmovable();
    Init_trunkline_bytes();
    Init_trunkline_readiness();
    Init_trunkline_tls_session();
    Init_trunkline_clock();
    Init_trunkline_deadline();
    Init_trunkline_service_time();
    Init_trunkline_interrupts();
    Init_trunkline_request();
    Init_trunkline_waiter();
    Init_trunkline_codec();
    Init_trunkline_flag();
    Init_trunkline_connection_state();
    Init_trunkline_backlog();
    Init_trunkline_leader_election();
    Init_trunkline_silence();
    Init_trunkline_stall();
    Init_trunkline_cancelling();
    Init_trunkline_connection_snapshot();
    Init_trunkline_ended_scheduler();
    Init_trunkline_connection_io();
    Init_trunkline_connection_loop();
    Init_trunkline_connection_loop_class();
    Init_trunkline_dispatcher();
    Init_trunkline_spares();
    Init_trunkline_host_choice();
    Init_trunkline_histogram();
    Init_trunkline_scoped_value();
    Init_trunkline_gc_sentinel();
    Init_trunkline_load();
    Init_trunkline_decoded_value();
    Init_trunkline_column_decoder();
    Init_trunkline_decode_date();
    Init_trunkline_decode_interval();
    Init_trunkline_decode_numeric();
    Init_trunkline_decode_time();
    Init_trunkline_row_memory();
    Init_trunkline_types(mTrunklinePostgres);
    Init_trunkline_statement();
    Init_trunkline_description();
    Init_trunkline_named_parameters();
    Init_trunkline_row_hashes();
    Init_trunkline_time_reader();
    Init_trunkline_plan_epoch();
    Init_trunkline_prepared();
    Init_trunkline_postgres_request();
    Init_trunkline_request_route();
    Init_trunkline_read_guard();
    Init_trunkline_script_decoding();
    Init_trunkline_answer_end();
    Init_trunkline_postgres_codec();
    Init_trunkline_parse_context();
    Init_trunkline_flow();
    Init_trunkline_error_fields();
    Init_trunkline_unreadable();
    Init_trunkline_unclaimed();
    Init_trunkline_claiming();
    Init_trunkline_copy_text();
    Init_trunkline_copy_binary();
    Init_trunkline_block_exit();
    Init_trunkline_memcached_request();
    Init_trunkline_memcached_codec();
}

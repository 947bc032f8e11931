#include "trunkline.h"

VALUE mTrunkline;
VALUE mTrunklinePostgres;
VALUE mTrunklineMemcached;

/* Moving an object to another Ractor allocates a twin of it, and calls nothing else that could refuse. */
NORETURN(static VALUE refuse_to_allocate(VALUE class));
static VALUE refuse_to_allocate(VALUE class) {
    rb_raise(rb_eTypeError, "%"PRIsVALUE" can be neither allocated, copied nor moved: a client works in the main Ractor only, and neither it nor its results leave it: send the other Ractors rows or values", class);
}

void trunkline_refuse_allocation(VALUE class) {
    rb_define_alloc_func(class, refuse_to_allocate);
}

void trunkline_define_new(VALUE class, VALUE (*new)(int argc, VALUE *argv, VALUE class)) {
    trunkline_refuse_allocation(class);
    rb_define_singleton_method(class, "new", new, -1);
}

typedef struct {
    VALUE object;
    int argc;
    const VALUE *argv;
} initialisation_t;

static VALUE initialize(VALUE data) {
    const initialisation_t *given = (const initialisation_t *)data;
    rb_obj_call_init_kw(given->object, given->argc, given->argv, RB_PASS_CALLED_KEYWORDS);
    return given->object;
}

VALUE trunkline_initialized(VALUE object, int argc, const VALUE *argv) {
    initialisation_t given = {object, argc, argv};
    int state;
    rb_protect(initialize, (VALUE)&given, &state);
    if (state == 0) return object;
    rb_obj_reveal(object, rb_cObject);
    rb_jump_tag(state);
}

static const rb_data_type_t unmovable_type = {.wrap_struct_name = "Trunkline::Unmovable", .flags = RUBY_TYPED_FREE_IMMEDIATELY};

/* An object that cannot be moved to another Ractor, nor shared when it is frozen, and so neither can any that refers to it. */
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
    Init_trunkline_clock();
    Init_trunkline_deadline();
    Init_trunkline_service();
    Init_trunkline_interrupts();
    Init_trunkline_request();
    Init_trunkline_waiter();
    Init_trunkline_codec();
    Init_trunkline_flag();
    Init_trunkline_connection_state();
    Init_trunkline_leader_election();
    Init_trunkline_cancelling();
    Init_trunkline_connection_snapshot();
    Init_trunkline_ended_scheduler();
    Init_trunkline_drive();
    Init_trunkline_connection_loop();
    Init_trunkline_dispatcher();
    Init_trunkline_histogram();
    Init_trunkline_holding();
    Init_trunkline_witness();
    Init_trunkline_load();
    Init_trunkline_types(mTrunklinePostgres);
    Init_trunkline_statement();
    Init_trunkline_description();
    Init_trunkline_named_parameters();
    Init_trunkline_row_hashes();
    Init_trunkline_time_reader();
    Init_trunkline_plan_epoch();
    Init_trunkline_prepared();
    Init_trunkline_postgres_request();
    Init_trunkline_script_decoding();
    Init_trunkline_answer_end();
    Init_trunkline_postgres_codec();
    Init_trunkline_meaning();
    Init_trunkline_flow();
    Init_trunkline_error_fields();
    Init_trunkline_unreadable();
    Init_trunkline_unasked();
    Init_trunkline_copy_text();
    Init_trunkline_copy_binary();
    Init_trunkline_block_exit();
    Init_trunkline_memcached_request();
    Init_trunkline_memcached_codec();
}

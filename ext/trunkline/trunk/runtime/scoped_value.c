#include "scoped_value.h"

#include <ruby.h>
#include <ruby/fiber/scheduler.h>
#include <ruby/version.h>
#include <stdbool.h>
#include "../../common/classes.h"

/* Each request checks whether its fiber has scoped values: see lib/trunkline/trunk/scoped_value.rb. */

#if RUBY_API_VERSION_MAJOR > 3 || RUBY_API_VERSION_MINOR >= 2

static VALUE fiber_class, name;
static ID id_aref;

static bool holds_nothing(void) { return NIL_P(rb_funcallv(fiber_class, id_aref, 1, &name)); }

static void prepare(void) {
    fiber_class = rb_const_get(rb_cObject, rb_intern("Fiber"));
    rb_gc_register_mark_object(fiber_class);
    name = ID2SYM(rb_intern("trunkline_scoped_value"));
    id_aref = rb_intern("[]");
}

#else

/* Ruby 3.1 does not record which fiber created another, so the fibers that hold values are kept here, and ResumingFibers in Ruby searches them.
 *
 * There are two kinds of fibers, those that an event loop runs and the others. The tables, ObjectSpace::WeakMap, have the Array of one element that
 * each fiber keeps for life: the value that it holds now, or nil. Before Ruby 3.3 a WeakMap loses a value that was assigned to an existing key as soon
 * as the former value is collected. Each further table would leave a finalizer at the thread's root fiber, so a thread keeps its tables. After it they
 * are another thread's: Ruby 3.1 does not free the struct of a WeakMap, 32 bytes. A fiber of the former thread that is not collected yet is searched
 * then, too; its values are visible to none but its own thread. */
typedef struct tables {
    VALUE of_kind[2]; /* registered with the garbage collector; nil: made when it is needed */
    bool in_use;
    struct tables *next;
} tables_t;

/* Belongs to its thread: an instance variable whose name Ruby code cannot write. */
typedef struct {
    tables_t *tables; /* of all_tables */
    bool hold[2]; /* one of these fibers may hold a value; of an event loop's: one has held some */
} thread_fibers_t;

enum { PLAIN, IN_LOOP };

static ID name, own, entries[2], id_aset, id_values, id_is_ended;
static VALUE cThreadFibers, weak_map;

static tables_t *all_tables; /* as many as there were threads at a time whose fibers held values; never freed */

/* Runs no Ruby. */
static void thread_fibers_free(void *data) {
    thread_fibers_t *fibers = data;
    if (fibers->tables) fibers->tables->in_use = false;
    xfree(fibers);
}

static const rb_data_type_t thread_fibers_type = {
    .wrap_struct_name = "Trunkline::ThreadFibers",
    .function = {.dfree = thread_fibers_free},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static tables_t *make_tables(void) {
    tables_t *tables = ALLOC(tables_t);
    *tables = (tables_t){.of_kind = {Qnil, Qnil}, .next = all_tables};
    all_tables = tables;
    for (int kind = PLAIN; kind <= IN_LOOP; kind++) rb_gc_register_address(&tables->of_kind[kind]);
    return tables;
}

static tables_t *take_tables(void) {
    tables_t *tables = all_tables;
    while (tables && tables->in_use) tables = tables->next;
    if (!tables) tables = make_tables();
    tables->in_use = true;
    return tables;
}

/* The calling thread's; NULL: none of its fibers has held a value. */
static thread_fibers_t *find(VALUE thread) {
    VALUE found = rb_attr_get(thread, own);
    return NIL_P(found) ? NULL : RTYPEDDATA_DATA(found);
}

static thread_fibers_t *find_or_make(VALUE thread) {
    thread_fibers_t *fibers = find(thread);
    if (fibers) return fibers;
    VALUE made = TypedData_Make_Struct(cThreadFibers, thread_fibers_t, &thread_fibers_type, fibers);
    fibers->tables = take_tables();
    rb_ivar_set(thread, own, made);
    return fibers;
}

/* Whether another fiber of the calling thread may hold a value that the calling fiber sees. */
static bool others_may_hold(void) {
    const thread_fibers_t *fibers = find(rb_thread_current());
    return fibers && (fibers->hold[PLAIN] || (fibers->hold[IN_LOOP] && NIL_P(rb_fiber_scheduler_current())));
}

/* call-seq: ResumingFibers.note(scoped, in_loop) -> nil
 *
 * The calling fiber holds the value now. in_loop: whether an event loop runs the fiber. */
static VALUE note(VALUE module, VALUE scoped, VALUE in_loop) {
    int kind = RTEST(in_loop) ? IN_LOOP : PLAIN;
    VALUE thread = rb_thread_current(), entry = rb_thread_local_aref(thread, entries[kind]);
    thread_fibers_t *fibers = find_or_make(thread);
    VALUE *table = &fibers->tables->of_kind[kind];
    if (NIL_P(*table)) *table = rb_class_new_instance(0, NULL, weak_map);
    if (NIL_P(entry)) {
        entry = rb_ary_new_from_args(1, Qnil);
        rb_funcall(*table, id_aset, 2, rb_fiber_current(), entry);
        rb_thread_local_aset(thread, entries[kind], entry);
    }
    rb_ary_store(entry, 0, scoped);
    fibers->hold[kind] = true;
    return Qnil;
}

static bool any_holds(VALUE table) {
    VALUE all = rb_funcall(table, id_values, 0);
    for (long at = 0; at < RARRAY_LEN(all); at++) {
        VALUE scoped = rb_ary_entry(RARRAY_AREF(all, at), 0);
        if (!NIL_P(scoped) && !RTEST(rb_funcall(scoped, id_is_ended, 0))) return true;
    }
    return false;
}

/* call-seq: ResumingFibers.forget -> nil
 *
 * The calling fiber holds nothing any more. If no fiber holds anything but those of event loops, later searches skip the others: few of these hold
 * values, and those of a loop are searched by Enumerators only. */
static VALUE forget(VALUE module) {
    VALUE thread = rb_thread_current();
    for (int kind = PLAIN; kind <= IN_LOOP; kind++) {
        VALUE entry = rb_thread_local_aref(thread, entries[kind]);
        if (!NIL_P(entry)) rb_ary_store(entry, 0, Qnil);
    }
    thread_fibers_t *fibers = find(thread);
    if (fibers && fibers->hold[PLAIN]) fibers->hold[PLAIN] = any_holds(fibers->tables->of_kind[PLAIN]);
    return Qnil;
}

/* call-seq: ResumingFibers.table(in_loop) -> WeakMap or nil
 *
 * The calling thread's fibers of that kind, with Arrays of one element: the ScopedValue that the fiber holds, or nil. Nil: none holds anything. */
static VALUE table(VALUE module, VALUE in_loop) {
    int kind = RTEST(in_loop) ? IN_LOOP : PLAIN;
    const thread_fibers_t *fibers = find(rb_thread_current());
    return fibers && fibers->hold[kind] ? fibers->tables->of_kind[kind] : Qnil;
}

static bool holds_nothing(void) { return NIL_P(rb_thread_local_aref(rb_thread_current(), name)) && !others_may_hold(); }

static void prepare(void) {
    name = rb_intern("trunkline_scoped_value");
    own = rb_intern("trunkline_fibers");
    entries[PLAIN] = rb_intern("trunkline_held");
    entries[IN_LOOP] = rb_intern("trunkline_held_in_loop");
    id_aset = rb_intern("[]=");
    id_values = rb_intern("values");
    id_is_ended = rb_intern("ended?");
    weak_map = rb_path2class("ObjectSpace::WeakMap");
    rb_gc_register_mark_object(weak_map);
    cThreadFibers = rb_class_new(rb_cObject);
    rb_gc_register_mark_object(cThreadFibers);
    trunkline_refuse_allocation(cThreadFibers);
    VALUE module = rb_define_module_under(mTrunkline, "ResumingFibers");
    rb_define_singleton_method(module, "note", note, 2);
    rb_define_singleton_method(module, "forget", forget, 0);
    rb_define_singleton_method(module, "table", table, 1);
}

#endif

/* call-seq: ScopedValue.none? -> true or false
 *
 * True: the calling fiber certainly has no scoped value; false: it may have one. */
static VALUE scoped_value_is_none(VALUE class) { return RBOOL(holds_nothing()); }

void Init_trunkline_scoped_value(void) {
    VALUE class = rb_define_class_under(mTrunkline, "ScopedValue", rb_cObject);
    prepare();
    rb_define_singleton_method(class, "none?", scoped_value_is_none, 0);
}

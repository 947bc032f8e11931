#include "time_reader.h"

/* Trunkline::Postgres::TimeReader: the text of a timestamp -> a Time, in the zones that an adapter wants. */
#include "decoders.h"
#include "civil_time.h"
#include "time_value.h"
#include "../../common/classes.h"

#include <time.h>

enum { SECONDS_A_MINUTE = 60, SECONDS_AN_HOUR = 3600 };

typedef struct {
    bool local;  /* text without an offset is in the process's time zone, not in UTC */
    bool given;  /* text with an offset keeps that offset */
    int zone;    /* of the Time otherwise */
    VALUE others; /* callable for text that is no timestamp of this era */
} time_reader_t;

static ID id_call;

static void time_reader_mark(void *data) { rb_gc_mark(((time_reader_t *)data)->others); }

static const rb_data_type_t time_reader_type = {
    .wrap_struct_name = "Trunkline::Postgres::TimeReader",
    .function = {.dmark = time_reader_mark, .dfree = RUBY_DEFAULT_FREE},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE time_reader_allocate(VALUE class) {
    time_reader_t *reader;
    VALUE self = TypedData_Make_Struct(class, time_reader_t, &time_reader_type, reader);
    reader->others = Qnil;
    return self;
}

static VALUE time_reader_new(int argc, VALUE *argv, VALUE class) { return trunkline_initialized(time_reader_allocate(class), argc, argv); }

static int zone_of(VALUE name) {
    if (name == ID2SYM(rb_intern("utc"))) return ZONE_UTC;
    if (name == ID2SYM(rb_intern("local"))) return ZONE_LOCAL;
    rb_raise(rb_eArgError, "a zone is :utc or :local");
}

/* call-seq: TimeReader.new(from, to, others)
 *
 * from: the zone of text without an offset, :utc or :local. to: the zone of the Time; nil: the offset in the text, or else from. others: a callable
 * for text that is infinite, before our era or no timestamp. */
static VALUE time_reader_initialize(VALUE self, VALUE from, VALUE to, VALUE others) {
    time_reader_t *reader = RTYPEDDATA_DATA(self);
    reader->local = zone_of(from) == ZONE_LOCAL;
    reader->others = others;
    reader->given = NIL_P(to);
    reader->zone = zone_of(NIL_P(to) ? from : to);
    return self;
}

static int digits(const char *text) { return (text[0] - '0') * 10 + text[1] - '0'; }

/* The offset at the end of text that was parsed before: +hh, +hh:mm or +hh:mm:ss. */
static int written_offset(const char *text, size_t length) {
    const char *sign = text + length;
    while (*--sign != '+' && *sign != '-') continue;
    size_t size = (size_t)(text + length - sign);
    int offset = digits(sign + 1) * SECONDS_AN_HOUR;
    if (size >= 6) offset += digits(sign + 4) * SECONDS_A_MINUTE;
    if (size >= 9) offset += digits(sign + 7);
    return *sign == '-' ? -offset : offset;
}

/* Converts a reading of the clock in UTC to the time of the same reading in the process's time zone. */
static time_t local_moment(time_t utc) {
    struct tm civil;
    gmtime_r(&utc, &civil);
    civil.tm_isdst = -1;
    return mktime(&civil);
}

/* With an offset, without one, or neither. */
typedef enum { NO_TIMESTAMP, WITH_OFFSET, WITHOUT } timestamp_kind_t;

static timestamp_kind_t parse(const char *text, size_t length, int64_t *microseconds) {
    if (length == 0 || text[length - 1] == 'C') return NO_TIMESTAMP;
    if (civil_parse_timestamp(text, length, false, microseconds) == CIVIL_OK) return WITHOUT;
    return civil_parse_timestamp(text, length, true, microseconds) == CIVIL_OK ? WITH_OFFSET : NO_TIMESTAMP;
}

/* call-seq: call(text) -> Time, or what others returns */
static VALUE time_reader_call(VALUE self, VALUE string) {
    const time_reader_t *reader = RTYPEDDATA_DATA(self);
    Check_Type(string, T_STRING);
    const char *text = RSTRING_PTR(string);
    size_t length = (size_t)RSTRING_LEN(string);
    int64_t microseconds;
    timestamp_kind_t kind = parse(text, length, &microseconds);
    if (kind == NO_TIMESTAMP) return rb_funcall(reader->others, id_call, 1, string);
    int64_t seconds = microseconds / CIVIL_SECOND + UNIX_2000, rest = microseconds % CIVIL_SECOND;
    if (rest < 0) seconds--, rest += CIVIL_SECOND;
    bool unplaced = kind == WITHOUT && reader->local;
    if (unplaced && !time_is_near(seconds)) return rb_funcall(reader->others, id_call, 1, string);
    if (unplaced) seconds = local_moment((time_t)seconds);
    VALUE time = time_value(seconds, rest, kind == WITH_OFFSET && reader->given ? written_offset(text, length) : reader->zone);
    RB_GC_GUARD(string);
    return time;
}

void Init_trunkline_time_reader(void) {
    id_call = rb_intern("call");
    VALUE class = rb_define_class_under(mTrunklinePostgres, "TimeReader", rb_cObject);
    trunkline_define_new(class, time_reader_new);
    rb_define_method(class, "initialize", time_reader_initialize, 3);
    rb_define_method(class, "call", time_reader_call, 1);
}

/* Trunkline::Postgres::ErrorFields: the body of an ErrorResponse or NoticeResponse as a Hash; and notices that are kept as the bytes that came: one String holds all of an
 * answer, each behind its length in 4 bytes. 100,000 Strings instead would be marked by each garbage collection. */
#ifndef TRUNKLINE_ERROR_FIELDS_H
#define TRUNKLINE_ERROR_FIELDS_H

#include <ruby.h>

#define NOTICE_HEAD 4 /* bytes that a notice takes beside its own */

/* Appends a notice to the String at `notices`, which is made when that is nil. The caller's object owns and marks it. */
void notices_add(VALUE *notices, const char *body, size_t length);

/* Yields the fields of each notice from `at` on that is there when it is called; `at` stands behind the one that is yielded. The block may run
 * anything, and more may be appended meanwhile. Raises ArgumentError for another String. */
void notices_each(VALUE notices, long *at);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_error_fields(void);

#endif

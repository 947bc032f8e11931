/* Trunkline::Postgres::ErrorFields: the body of an ErrorResponse or NoticeResponse as a Hash; and storage of notices as the bytes that came: one
 * String has all of an answer, each behind its length in 4 bytes. 100,000 Strings instead would be marked by each garbage collection. */
#ifndef TRUNKLINE_ERROR_FIELDS_H
#define TRUNKLINE_ERROR_FIELDS_H

#include <ruby.h>

#define NOTICE_HEAD 4 /* bytes of a stored notice before its body */

/* Appends a notice to the String at `notices`, which is made if that is nil. The caller's object owns and marks it. */
void notices_add(VALUE *notices, const char *body, size_t length);

/* Yields the fields of each stored notice from offset `at` on; `at` is moved behind a notice before it is yielded. The block may run Ruby of any
 * kind, and more notices may be appended meanwhile, which are not yielded. Raises ArgumentError for another String. */
void notices_each(VALUE notices, long *at);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_error_fields(void);

#endif

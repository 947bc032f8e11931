/* DataRow -> Array. */
#ifndef TRUNKLINE_ROW_H
#define TRUNKLINE_ROW_H

#include <ruby.h>
#include "description.h"

/* The row's values, in text or binary format. memory may be NULL where description->calls_ruby is false. Raises ProtocolError if the row does not
 * match its description, and UnreadableResult if its values take more memory than allowed. May run Ruby, where column_decode does. */
VALUE row_decode(const description_t *description, bool binary, const char *body, size_t length, row_memory_t *memory);

#endif

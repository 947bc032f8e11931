/* DataRow -> Array. */
#ifndef TRUNKLINE_ROW_H
#define TRUNKLINE_ROW_H

#include <ruby.h>
#include "description.h"

/* The row's values, in text or binary format. Raises ProtocolError when the row does not fit its description. */
VALUE row_decode(const description_t *description, bool binary, const char *body, size_t length);

#endif

#ifndef TRUNKLINE_CONNECTION_LOOP_CLASS_H
#define TRUNKLINE_CONNECTION_LOOP_CLASS_H

#include "connection.h"

/* The connection of any object that is a trunk; NULL: it is none, or not initialized. */
connection_t *connection_loop_connection(VALUE object);

/* Sets the user of a trunk, whose connection the function above has returned. */
void connection_loop_set_user(VALUE self, VALUE user);

/* Defines the class or the functions in Ruby; called once, as the extension is loaded. */
void Init_trunkline_connection_loop_class(void);

#endif

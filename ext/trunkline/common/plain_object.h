/* Objects of this library's classes in Ruby that C makes without running Ruby, not even initialize: threads are interrupted where Ruby runs, and an
 * answer must not be interrupted midway. Only the class knows its instance variables. Its constant INSTANCE_VARIABLES, an Array of Symbols, states
 * those that initialize sets, in the order in which C gives their values. */
#ifndef TRUNKLINE_PLAIN_OBJECT_H
#define TRUNKLINE_PLAIN_OBJECT_H

#include <ruby.h>

typedef struct {
    size_t count;
    ID names[3];
} plain_layout_t;

/* The layout that the class, or its superclass, states, for `count` values. Raises NameError where none is stated, and ArgumentError where it has
 * another number of variables. */
plain_layout_t plain_layout(VALUE class, size_t count);

/* A new object of the class with the values, `layout->count` of them. Runs no Ruby. */
VALUE plain_object(VALUE class, const plain_layout_t *layout, const VALUE *values);

#endif

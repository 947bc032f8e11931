/* What the sources that define Ruby classes share: the modules, and functions that keep a class from having half-initialised objects. */
#ifndef TRUNKLINE_CLASSES_H
#define TRUNKLINE_CLASSES_H

#include <ruby.h>

#ifndef RBOOL
#define RBOOL(condition) ((condition) ? Qtrue : Qfalse)
#endif

extern VALUE mTrunkline;
extern VALUE mTrunklinePostgres;
extern VALUE mTrunklineMemcached;

/* Objects of the class are made by `new` alone, which allocates one and calls trunkline_initialized. There is no allocate, dup, clone, Marshal.load
 * or moving to another Ractor, which would give an object whose initialize has not run. */
void trunkline_define_new(VALUE class, VALUE (*new)(int argc, VALUE *argv, VALUE class));

/* Objects of the class are made in C alone. Whatever else would allocate one, dup, clone and moving to another Ractor, raises TypeError. */
void trunkline_refuse_allocation(VALUE class);

/* Runs initialize, and so may run Ruby, with the arguments and keywords that `new` was called with. Returns the object. Where initialize raises, the object, which
 * ObjectSpace still finds, becomes a plain Object: none of the class's methods can be called on it. */
VALUE trunkline_initialized(VALUE object, int argc, const VALUE *argv);

#endif

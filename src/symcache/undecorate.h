/*
 * undecorate -- the names C compilers on Windows give to functions, without their marks of
 * the calling convention.  All but "f@@8" is 32-bit x86's alone: on other processors compilers
 * put no underscore before a name, and "_CxxThrowException" is what the source calls it.  (The
 * reference takes an underscore off everywhere.)
 */
#ifndef SYMCACHE_UNDECORATE_H
#define SYMCACHE_UNDECORATE_H

#include "base/text.h"

struct object;

enum undecoration { UNDECORATE_NONE, UNDECORATE_X86, UNDECORATE_OTHERS };

enum undecoration undecoration_of(const struct object *object);
/* A part of the name, or the name as it is. */
struct text undecorate(struct text name, enum undecoration undecoration);

#endif

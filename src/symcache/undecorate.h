/*
 * undecorate -- the names C compilers on Windows give to functions, without their marks of
 * the calling convention (formats.md §1.4).
 */
#ifndef SYMCACHE_UNDECORATE_H
#define SYMCACHE_UNDECORATE_H

#include "base/text.h"

/* A part of the name, or the name as it is. */
struct text undecorate(struct text name);

#endif

/*
 * demangle_internal -- between the parts of demangle: what each library's face has in common.
 */
#ifndef DEMANGLE_DEMANGLE_INTERNAL_H
#define DEMANGLE_DEMANGLE_INTERNAL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "base/text.h"

struct buf;

/* What a library prints into.  A name that unfolds without end is left in mid-print. */
struct printing {
	char bytes[LIMIT_DEMANGLED_BYTES];
	size_t size;
	bool too_long;
	jmp_buf enough;
};

/* Takes printed text; false when it did not fit (too_long is set). */
bool printing_add(struct printing *printing, const char *bytes, size_t size);

/* Names are NUL-ended copies, at most LIMIT_MANGLED_BYTES long. */
bool demangle_cpp(const char *name, struct printing *printing);
bool demangle_msvc(const char *name, struct printing *printing);
bool demangle_rust(const char *name, struct printing *printing);
bool demangle_swift(const char *name, struct printing *printing);

#endif

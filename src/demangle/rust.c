/* rust.c -- Rust names, legacy and v0, by libiberty. */
#include <libiberty/demangle.h>

#include "demangle/demangle_internal.h"

#define RUST_SHORT_BYTES  8u     /* what the library prints between names */

/*
 * v0 names can refer back and so unfold without end.  The library owns memory while it
 * prints a punycoded name; that is never short plain ASCII, so such text is a safe moment
 * to leave.
 */
static bool is_plain_and_short(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] >= 0x80)
			return false;
	return size <= RUST_SHORT_BYTES;
}

static void take_text(const char *bytes, size_t size, void *payload)
{
	struct printing *printing = payload;

	if (!printing_add(printing, bytes, size) && is_plain_and_short(bytes, size))
		longjmp(printing->enough, 1);
}

/* Without the hash at its end, which DMGL_VERBOSE would keep. */
bool demangle_rust(const char *name, struct printing *printing)
{
	if (setjmp(printing->enough))
		return false;
	return rust_demangle_callback(name, DMGL_PARAMS, take_text, printing) != 0 &&
	       !printing->too_long;
}

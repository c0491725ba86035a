/* fuzz_buildid -- paths and headers of /buildid/: what is looked for never leads anywhere else. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "kinds/debuginfod/buildid_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Begins with a slash; no segment is empty, ".", ".." but the last, which may be empty. */
static void check_canonical(struct text path)
{
	if (path.size == 0 || path.bytes[0] != '/')
		abort();
	for (size_t at = 1; at < path.size;) {
		const char *slash = memchr(path.bytes + at, '/', path.size - at);
		struct text segment = { path.bytes + at, slash ? (size_t)(slash - path.bytes) - at : path.size - at };

		if (segment.size == 0 || text_is(segment, ".") || text_is(segment, ".."))
			abort();
		at += segment.size + 1;
	}
	if (memchr(path.bytes, '\0', path.size))
		abort();
}

static void check(const struct buildid_request *request)
{
	if (request->id.size < 2 || request->id.size > BUILDID_DIGITS_MAX || request->id.size % 2 != 0)
		abort();
	for (size_t i = 0; i < request->id.size; i++)
		if (ascii_hex_value(request->id.bytes[i]) < 0)
			abort();
	if (request->artifact == BUILDID_SOURCE)
		check_canonical(request->canonical);
	if (request->artifact == BUILDID_SECTION && request->name.size == 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct buildid_request request;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, (size_t)1 << 22);
	if (buildid_request_read(&request, (struct text){ (const char *)bytes, size }, &arena, &err) < 0) {
		if (err.kind == ERR_NONE)
			abort();
	} else if (!request.refusal) {
		check(&request);
	}
	arena_release(&arena);
	return 0;
}

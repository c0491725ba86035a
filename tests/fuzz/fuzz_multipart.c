/*
 * fuzz_multipart.c -- form bodies: however they are cut, their parts are told the same.
 *
 * The first byte says how the rest is cut; the boundary is "B".
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "front/multipart.h"

struct told { uint64_t hash; unsigned begun, ended; };

static void fold(struct told *told, struct text bytes)
{
	for (size_t i = 0; i < bytes.size; i++)
		told->hash = (told->hash ^ (uint8_t)bytes.bytes[i]) * 0x100000001b3u;
}

static int begin(void *payload, struct text name, struct err *err)
{
	struct told *told = payload;

	(void)err;
	if (told->begun++ != told->ended)
		abort();
	fold(told, TEXT("\1"));
	fold(told, name);
	fold(told, TEXT("\2"));
	return 0;
}

static int data(void *payload, struct text bytes, struct err *err)
{
	struct told *told = payload;

	(void)err;
	if (told->begun != told->ended + 1 || memmem(bytes.bytes, bytes.size, "\r\n--B", 5))
		abort();
	fold(told, bytes);
	return 0;
}

static int end(void *payload, struct err *err)
{
	struct told *told = payload;

	(void)err;
	if (++told->ended != told->begun)
		abort();
	fold(told, TEXT("\3"));
	return 0;
}

static int tell(struct text body, size_t piece, struct told *told)
{
	const struct multipart_events events = { begin, data, end, told };
	static struct multipart multipart;
	struct err err = ERR_INIT;
	int rc = 0;

	*told = (struct told){ 0xcbf29ce484222325u, 0, 0 };
	multipart_init(&multipart, TEXT("B"), &events);
	while (rc == 0 && body.size > 0) {
		size_t size = body.size < piece ? body.size : piece;

		rc = multipart_add(&multipart, (struct text){ body.bytes, size }, &err);
		body.bytes += size;
		body.size -= size;
	}
	if (rc == 0)
		rc = multipart_end(&multipart, &err);
	if (rc < 0 && (err.kind != ERR_BAD_REQUEST || !err.text[0]))
		abort();
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text body = { (const char *)bytes + 1, size - 1 }, boundary;
	struct told whole, cut;

	if (size == 0)
		return 0;
	(void)multipart_boundary(body, &boundary);
	if (tell(body, SIZE_MAX, &whole) == 0) {
		if (tell(body, (size_t)bytes[0] + 1, &cut) < 0 || cut.hash != whole.hash ||
		    cut.begun != whole.begun)
			abort();
	} else if (tell(body, (size_t)bytes[0] + 1, &cut) == 0) {
		abort();
	}
	return 0;
}

/*
 * fuzz_request.c -- a request body from JSON to reply.
 *
 * The resolver has a SymCache for every debug file; what comes out must be JSON by our own
 * scanner, and nothing may stay held.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/arch.h"
#include "kinds/native/fake.h"
#include "work/request_json.h"
#include "kinds/kinds.h"

#define ARENA_BYTES ((size_t)256 << 20)
#define REPLY_BYTES ((size_t)256 << 20)
#define STEPS 100

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static enum stepped run(struct work *work, struct resolver *resolver, struct err *err)
{
	enum stepped stepped = STEP_WAIT;

	for (int i = 0; i < STEPS && stepped == STEP_WAIT; i++)
		stepped = work->kind->step(work, resolver, err);
	return stepped;
}

static void check_reply(struct work *work)
{
	struct buf reply;
	struct arena arena;
	struct cJSON *json;
	struct err err = ERR_INIT;

	buf_init(&reply, REPLY_BYTES);
	arena_init(&arena, ARENA_BYTES);
	if (work->kind->answer(work, &reply, &err) == 0) {
		if (request_json_parse(buf_text(&reply), &arena, &json, &err) < 0)
			abort();
		buf_clear(&reply);
		if (work_candidates(work, &reply, &err) == 0 &&
		    request_json_parse(buf_text(&reply), &arena, &json, &err) < 0)
			abort();
	}
	arena_release(&arena);
	buf_release(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct config config = { .request_memory_bytes = ARENA_BYTES };
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT(FAKE_META_DEBUG), 1, 1 },
		{ &derived_object_meta, ".sym", ERR_DOWNLOAD, TEXT("500 Internal Server Error"), 0, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, TEXT_NONE, 1, 1 },
	};
	struct fake_resolver fake;
	struct work work;
	struct buf symcache;
	struct err err = ERR_INIT;

	buf_init(&symcache, 65536);
	fake_symcache(&symcache, size && bytes[size - 1] % 2 ? ARCH_ARM64 : ARCH_X86_64);
	entries[2].payload = buf_text(&symcache);
	fake_resolver_init(&fake, entries, sizeof(entries) / sizeof(entries[0]));
	if (work_init(&work, &request_kind_symbolicate, &config, NULL, TEXT_NONE, &err) == 0) {
		if (fake_parse(&work, (struct text){ (const char *)bytes, size }, &err) == 0 &&
		    run(&work, &fake.resolver, &err) == STEP_DONE)
			check_reply(&work);
		work_release(&work);
	}
	if (fake_holds)
		abort();
	buf_release(&symcache);
	return 0;
}

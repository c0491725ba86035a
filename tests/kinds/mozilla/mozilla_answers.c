/* mozilla_answers.c -- see mozilla_answers.h. */
#include "kinds/mozilla/mozilla_answers.h"

#include <string.h>

#include "base/arch.h"
#include "source/source.h"
#include "work/answer_head.h"
#include "work/request_json.h"

#define STEPS 64
#define SOURCES_BYTES ((size_t)1 << 20)
#define SOURCES "[{\"type\":\"http\",\"id\":\"s\",\"url\":\"http://h/\",\"layout\":{\"type\":\"native\"}}]"
#define META "{\"has_debug_info\":true,\"has_unwind_info\":false,\"has_symbols\":true,\"has_sources\":false," \
	"\"format\":\"breakpad\",\"code_file\":\"a.dll\",\"text_bytes\":120,\"wants\":[]}"

static int run(struct work *work, struct resolver *resolver, struct text body, struct buf *reply,
	       int *status, struct err *err)
{
	enum stepped stepped = STEP_WAIT;
	struct answer_head head;

	if (fake_parse(work, body, err) < 0)
		return -1;
	for (int i = 0; i < STEPS && stepped == STEP_WAIT; i++)
		stepped = work_step(work, resolver, err);
	if (stepped != STEP_DONE)
		return stepped == STEP_WAIT ? 1 : -1;
	if (work_head(work, &head, err) < 0 || work_answer(work, reply, err) < 0)
		return -1;
	*status = head.status;
	return 0;
}

int mozilla_answer_to(const struct request_kind *kind, const struct config *config, struct text body,
		      struct buf *reply, int *status, struct err *err)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".sym", ERR_NONE, TEXT(META), 1, 1 },
		{ &derived_symcache, ".sym", ERR_NONE, TEXT_NONE, 1, 1 },
	};
	struct source_list sources;
	struct fake_resolver fake;
	struct arena arena;
	struct cJSON *json;
	struct work work = { .kind = NULL };
	struct buf symcache;
	int rc = -1;

	buf_init(&symcache, 65536);
	arena_init(&arena, SOURCES_BYTES);
	fake_symcache(&symcache, ARCH_X86_64);
	entries[1].payload = buf_text(&symcache);
	fake_resolver_init(&fake, entries, sizeof(entries) / sizeof(entries[0]));
	if (!symcache.failed && request_json_parse(TEXT(SOURCES), &arena, &json, err) == 0 &&
	    source_list_parse(json, SOURCE_OF_CONFIG, config, &arena, &sources, err) == 0 &&
	    work_init(&work, kind, config, &sources, TEXT_NONE, err) == 0)
		rc = run(&work, &fake.resolver, body, reply, status, err);
	else if (err->kind == ERR_NONE)
		rc = buf_check(&symcache, err);
	if (work.kind)
		work_release(&work);
	arena_release(&arena);
	buf_release(&symcache);
	return rc;
}

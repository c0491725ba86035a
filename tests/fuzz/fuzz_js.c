/* fuzz_js -- what is read for stacks of JavaScript: URLs and names, stacks as text, answers about artifacts, files of
 * a release and indexes of bundles. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "stacktext/js_stack.h"
#include "convert/convert_internal.h"
#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "jsfile/rambundle.h"
#include "kinds/js/js_url.h"

#define CEILING_BYTES ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_names(struct text base, struct text right, struct arena *arena)
{
	struct text candidates[JS_URL_CANDIDATES];
	struct text joined = js_url_join(base, right, arena);
	struct text module = js_url_module(right);

	must(joined.bytes && joined.size <= base.size + right.size + 8);
	must(module.size <= right.size);
	must(js_url_candidates(right, arena, candidates) >= 2);
	must(js_url_fix_webpack(right, arena).size <= right.size);
	must(js_url_fix_turbopack(right, arena).size <= right.size);
	must(js_name_fold(right, arena).bytes || right.size == 0);
}

static void read_stack(struct text stack)
{
	struct js_stack_frame frame;
	struct err err = ERR_INIT;
	struct text line, rest = stack;
	struct buf out;
	size_t frames = 0, count;

	while (text_take_line(&rest, &line))
		if (js_stack_line(line, &frame)) {
			must(frame.url.size > 0 && frame.url.size < line.size);
			frames++;
		}
	buf_init(&out, CEILING_BYTES);
	if (js_stack_write_frames(stack, &out, &count, &err) == 0)
		must(count == frames);
	buf_release(&out);
}

static void read_modules(struct text bytes)
{
	struct rambundle bundle;
	struct err err = ERR_INIT;
	struct text code;

	if (!rambundle_probe(bytes) || rambundle_open(&bundle, bytes, &err) < 0)
		return;
	for (uint32_t id = 0; id < bundle.module_count && id < 1000; id++)
		if (rambundle_module(&bundle, id, &code, &err) > 0)
			must(code.bytes >= bytes.bytes && code.size < bytes.size &&
			     (size_t)(code.bytes - bytes.bytes) < bytes.size - code.size &&
			     code.bytes[code.size] == '\0');
}

static void read_artifacts(struct text answer)
{
	struct convert_artifact artifact;
	struct err err = ERR_INIT;
	struct buf records;
	struct text rest;

	buf_init(&records, CEILING_BYTES);
	if (convert_artifacts_read(answer, &records, &err) == 0) {
		rest = buf_text(&records);
		while (convert_artifact_take(&rest, &artifact))
			must(artifact.url.size > 0);
		must(rest.size == 0);
	}
	buf_release(&records);
	rest = answer;
	while (convert_artifact_take(&rest, &artifact))
		must(artifact.id.size <= answer.size);
}

static void read_files(struct text bytes)
{
	struct err err = ERR_INIT;
	struct jsbundle_entry entry;
	struct jsbundle bundle;
	struct jsfile file;
	struct debugid id;
	struct text line;

	(void)jsfile_find_reference(bytes, &line);
	(void)jsfile_find_debug_id(bytes, &id);
	if (jsfile_open(&file, bytes.bytes, bytes.size, &err) == 0)
		for (uint32_t i = 0; i < 100; i++)
			if (jsfile_line(&file, i, &line))
				must(line.size <= file.text.size);
	if (jsbundle_open(&bundle, bytes.bytes, bytes.size, &err) == 0) {
		for (uint32_t i = 0; i < 100; i++)
			if (jsbundle_entry_at(&bundle, i, &entry))
				must(entry.url.size <= bundle.strings.size);
		for (uint32_t i = 0; i < 100; i++)
			(void)!jsbundle_take_indexed(&bundle, bytes, i, 4096, CEILING_BYTES, -1, &err);
		(void)jsbundle_find_url(&bundle, TEXT("~/a.js"), &entry);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text whole = { (const char *)(size ? bytes : (const uint8_t *)""), size };
	const char *end = size ? memchr(bytes, '\n', size) : NULL;
	struct text base = { whole.bytes, end ? (size_t)(end - whole.bytes) : size / 2 };
	struct arena arena;

	arena_init(&arena, (size_t)64 << 20);
	read_names(base, text_from(whole, base.size), &arena);
	arena_release(&arena);
	read_stack(whole);
	read_artifacts(whole);
	read_files(whole);
	read_modules(whole);
	return 0;
}

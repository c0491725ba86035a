/* js_count.c -- how the files of an answer were found, and what became of its frames. */
#include "kinds/js/js.h"

#include "kinds/kinds_counters.h"

static enum js_counted_way way_of(const struct js_file *file)
{
	if (file->failure || file->is_empty || !file->attempted)
		return JS_COUNTED_NOWHERE;
	switch (file->attempted->way) {
	case JS_WAY_OWN:
		return JS_COUNTED_OWN;
	case JS_WAY_SCRAPED:
		return JS_COUNTED_SCRAPED;
	default:
		return text_is(file->attempted->resolved_with, "debug-id") ? JS_COUNTED_DEBUG_ID
									   : JS_COUNTED_RELEASE;
	}
}

static void count_files(const struct js *js)
{
	static const enum js_counted_file kinds[] = {
		[JS_MINIFIED] = JS_COUNTED_MINIFIED, [JS_MAP] = JS_COUNTED_MAP, [JS_SOURCE] = JS_COUNTED_SOURCE,
	};

	struct js_files files = js_files_of(js);
	const struct js_file *file;

	while ((file = js_files_next(&files)) != NULL)
		kinds_count(js->work, &kinds_js_files,
			    (unsigned)kinds[file->key.type] * JS_COUNTED_WAYS + (unsigned)way_of(file), 1);
	for (const struct js_module *module = js->modules; module; module = module->next)
		if (module->is_inside)
			kinds_count(js->work, &kinds_js_files,
				    JS_COUNTED_MAP * JS_COUNTED_WAYS + JS_COUNTED_EMBEDDED, 1);
}

void js_count(const struct js *js)
{
	uint64_t counts[FRAME_OUTCOMES] = { 0 };

	for (size_t i = 0; i < js->request.trace_count; i++)
		for (size_t j = 0; j < js->request.traces[i].count; j++)
			counts[js->request.traces[i].out[j].symbolicated ? FRAME_MAPPED : FRAME_UNMAPPED]++;
	for (unsigned i = 0; i < FRAME_OUTCOMES; i++)
		kinds_count(js->work, &kinds_js_frames, i, counts[i]);
	count_files(js);
}

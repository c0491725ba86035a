/* kinds_counters.c -- see kinds_counters.h. */
#include "kinds/kinds_counters.h"

#include "kinds/symbfile/upload_folder.h"

static const char *const symbols_kinds[SYMBOLS_KINDS] = {
	[SYMBOLS_RANGES] = "ranges", [SYMBOLS_RETURNPADS] = "returnpads",
};

static bool describe_js_file(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const files[JS_COUNTED_FILES] = {
		[JS_COUNTED_MINIFIED] = "minified", [JS_COUNTED_MAP] = "sourcemap",
		[JS_COUNTED_SOURCE] = "source",
	};
	static const char *const ways[JS_COUNTED_WAYS] = {
		[JS_COUNTED_DEBUG_ID] = "debug_id", [JS_COUNTED_RELEASE] = "release",
		[JS_COUNTED_OWN] = "own", [JS_COUNTED_SCRAPED] = "scraped",
		[JS_COUNTED_EMBEDDED] = "embedded", [JS_COUNTED_NOWHERE] = "nowhere",
	};

	values[0] = text_of(files[index / JS_COUNTED_WAYS]);
	values[1] = text_of(ways[index % JS_COUNTED_WAYS]);
	return index % JS_COUNTED_WAYS != JS_COUNTED_EMBEDDED || index / JS_COUNTED_WAYS == JS_COUNTED_MAP;
}

static bool describe_frame(unsigned index, struct text values[COUNTER_LABELS])
{
	values[0] = index == FRAME_MAPPED ? TEXT("mapped") : TEXT("unmapped");
	return true;
}

static bool describe_symbols(unsigned index, struct text values[COUNTER_LABELS])
{
	values[0] = text_of(symbols_kinds[index]);
	return true;
}

static bool describe_refusal(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const reasons[SYMBOLS_REFUSALS] = {
		[SYMBOLS_REFUSED_HEADERS] = "headers", [SYMBOLS_REFUSED_MALFORMED] = "malformed",
		[SYMBOLS_REFUSED_LIMIT] = "limit", [SYMBOLS_REFUSED_OTHER] = "other",
	};

	values[0] = text_of(symbols_kinds[index / SYMBOLS_REFUSALS]);
	values[1] = text_of(reasons[index % SYMBOLS_REFUSALS]);
	return true;
}

struct counter_set kinds_js_files = {
	.name = "symgate_js_files_total",
	.help = "Files looked for to answer stacks of JavaScript, by what they are and how they were found.",
	.labels = { "file", "way" }, .count = JS_COUNTED_FILES * JS_COUNTED_WAYS,
	.describe = describe_js_file,
};

struct counter_set kinds_js_frames = {
	.name = "symgate_js_frames_total",
	.help = "Frames of JavaScript answered, by whether a source map told their place.",
	.labels = { "outcome" }, .count = FRAME_OUTCOMES, .describe = describe_frame,
};

struct counter_set kinds_jvm_frames = {
	.name = "symgate_jvm_frames_total",
	.help = "Frames of Java answered, by whether a mapping told their names.",
	.labels = { "outcome" }, .count = FRAME_OUTCOMES, .describe = describe_frame,
};

struct counter_set kinds_symbols_uploads = {
	.name = "symgate_symbfile_uploads_total",
	.help = "Uploads of symbfiles whose last part was kept.",
	.labels = { "kind" }, .count = SYMBOLS_KINDS, .describe = describe_symbols,
};

struct counter_set kinds_symbols_parts = {
	.name = "symgate_symbfile_parts_total",
	.help = "Parts of symbfiles that were kept.",
	.labels = { "kind" }, .count = SYMBOLS_KINDS, .describe = describe_symbols,
};

struct counter_set kinds_symbols_bytes = {
	.name = "symgate_symbfile_bytes_total",
	.help = "Bytes of the parts of symbfiles that were kept, as they were sent.",
	.labels = { "kind" }, .count = SYMBOLS_KINDS, .describe = describe_symbols,
};

struct counter_set kinds_symbols_refused = {
	.name = "symgate_symbfile_refused_total",
	.help = "Parts of symbfiles that were refused, by reason.",
	.labels = { "kind", "reason" }, .count = SYMBOLS_KINDS * SYMBOLS_REFUSALS,
	.describe = describe_refusal,
};

struct counter_set *const kinds_counters[] = {
	&kinds_js_files, &kinds_js_frames, &kinds_jvm_frames, &kinds_symbols_uploads, &kinds_symbols_parts,
	&kinds_symbols_bytes, &kinds_symbols_refused, NULL
};

/*
 * js_frames.c -- frame by frame, from caller to callee: what the files of their modules say.
 *
 * Everything that is read is open then, and what was read counts only when none of it has changed; so
 * frames and their errors are made anew with every try.
 */
#include "kinds/js/js.h"

#include "base/arena.h"
#include "kinds/js/js_url.h"

struct js_reading {
	struct js *js;
	struct err *err;
	struct text caller;                  /* the name at the call site; TEXT_NONE: none */
};

static int no_memory(const struct js_reading *reading)
{
	return err_no_memory(reading->err);
}

static struct arena *arena_of(const struct js_reading *reading)
{
	return &reading->js->work->arena;
}

static int fail(const struct js_reading *reading, const struct js_frame *raw, enum js_error_type type)
{
	return js_error_add(reading->js, &(struct js_error){ .type = type, .abs_path = raw->abs_path },
			    reading->err);
}

/* --- Names ----------------------------------------------------------------------------------- */

static struct text scope_name(const struct sourcemap_place *place, const struct js_frame *raw)
{
	switch (place->scope_kind) {
	case SOURCEMAP_SCOPE_NAMED:
		return text_starts_with(place->scope, "$async$") && place->name.bytes ? place->name
										      : place->scope;
	case SOURCEMAP_SCOPE_ANONYMOUS:
		return TEXT("<anonymous>");
	default:
		return raw->function.bytes ? raw->function : TEXT("<unknown>");
	}
}

static bool says_nothing(struct text name)
{
	return text_is(name, "<anonymous>") || text_is(name, "__webpack_require__") ||
	       text_is(name, "__webpack_modules__");
}

static bool copy(struct text text, struct arena *arena, struct text *out)
{
	char *bytes = arena_strndup(arena, text.size ? text.bytes : "", text.size);

	*out = (struct text){ bytes, bytes ? text.size : 0 };
	return bytes != NULL;
}

static int name_function(const struct js_reading *reading, const struct sourcemap_place *place,
			 struct js_frame *out)
{
	struct text name = scope_name(place, out);

	if (says_nothing(name)) {
		if (reading->caller.size)
			name = reading->caller;
		else if (out->function.bytes)
			name = out->function;
	}
	name = js_name_fold(name, arena_of(reading));
	return name.bytes && copy(name, arena_of(reading), &out->function) ? 0 : no_memory(reading);
}

static bool has_module_scheme(struct text path)
{
	static const char *const schemes[] = { "http:", "https:", "webpack:", "turbopack:", "app:" };

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (text_starts_with(path, schemes[i]))
			return true;
	return false;
}

static int name_file(const struct js_reading *reading, const struct js_module *module,
		     const struct sourcemap_place *place, struct js_frame *out)
{
	struct arena *arena = arena_of(reading);
	struct text name;
	bool is_bundled;

	if (place->file_name.size == 0)
		return 0;
	if (!copy(place->file_name, arena, &name))
		return no_memory(reading);
	out->abs_path = js_url_join(module->base, name, arena);
	is_bundled = text_starts_with(name, "webpack:") || text_starts_with(name, "turbopack:");
	out->filename = text_starts_with(name, "webpack:") ? js_url_fix_webpack(name, arena)
			: is_bundled ? js_url_fix_turbopack(name, arena) : name;
	if (!out->abs_path.bytes || !out->filename.bytes)
		return no_memory(reading);
	if (is_bundled)
		out->module = js_url_module(out->filename);
	else if (!out->module.bytes && has_module_scheme(out->abs_path))
		out->module = js_url_module(out->abs_path);
	return 0;
}

/* --- Lines around ------------------------------------------------------------------------------ */

static bool minified_line(const void *payload, uint64_t number, struct text *line)
{
	return number <= UINT32_MAX && jsfile_line(payload, (uint32_t)number, line);
}

static bool original_line(const void *payload, uint64_t number, struct text *line)
{
	return number > 0 && number <= UINT32_MAX && sourcemap_line(payload, (uint32_t)number - 1, line);
}

static int quote_minified(const struct js_reading *reading, const struct js_module *module,
			  struct js_frame *raw)
{
	if (!reading->js->request.options.apply_source_context || module->minified.is_empty)
		return 0;
	return js_quote(raw, raw->lineno.value, raw->colno.is_set ? raw->colno.value : 0, minified_line,
			&module->minified.attempted->file, arena_of(reading), reading->err);
}

static struct js_need *find_need(const struct js *js, struct text url)
{
	struct js_need *need = js->needs;

	while (need && !text_equal(need->file.key.url, url))
		need = need->next;
	return need;
}

/* An original source that the map does not hold: once for all frames. */
static int want_source(const struct js_reading *reading, const struct js_module *module,
		       const struct sourcemap_place *place, struct js_need **need)
{
	struct js *js = reading->js;
	struct text name, url;

	if (!copy(place->file_name, arena_of(reading), &name))
		return no_memory(reading);
	url = js_url_join(module->base, name, arena_of(reading));
	if (!url.bytes)
		return no_memory(reading);
	*need = find_need(js, url);
	if (*need)
		return 0;
	*need = arena_alloc(arena_of(reading), 1, sizeof(**need));
	if (!*need)
		return no_memory(reading);
	(*need)->file.key = (struct js_file_key){ .type = JS_SOURCE, .url = url };
	*js->last_need = *need;
	js->last_need = &(*need)->next;
	return 0;
}

static int quote_original(const struct js_reading *reading, const struct js_module *module,
			  const struct sourcemap_place *place, struct js_frame *out, struct js_need **need)
{
	struct sourcemap_source source;

	if (!reading->js->request.options.apply_source_context)
		return 0;
	if (place->file == SOURCEMAP_NONE)
		return 0;
	if (!sourcemap_source(&module->sourcemap, place->file, &source) || !source.has_contents)
		return want_source(reading, module, place, need);
	return js_quote(out, out->lineno.value, out->colno.value, original_line, &source, arena_of(reading),
			reading->err);
}

/* --- One frame ----------------------------------------------------------------------------------- */

static int fail_location(const struct js_reading *reading, const struct js_frame *raw, bool col_is_known)
{
	const struct js_error error = {
		.type = JS_INVALID_LOCATION, .abs_path = raw->abs_path, .line = raw->lineno,
		.col = { raw->colno.is_set || col_is_known, raw->colno.is_set ? raw->colno.value : 0 },
	};

	return js_error_add(reading->js, &error, reading->err);
}

static void tell_map(const struct js_module *module, struct js_frame *frame)
{
	frame->resolved_with = module->is_inside ? module->minified.attempted->resolved_with
						 : module->map.attempted->resolved_with;
	frame->sourcemap_origin = module->origin;
}

static bool is_malformed(const struct js_module *module)
{
	return module->is_inside || !module->map.failure || module->map.failure == ERR_MALFORMED;
}

static int map_failed(const struct js_reading *reading, const struct js_module *module, struct js_frame *raw)
{
	const struct js_error error = { .type = JS_MALFORMED_SOURCEMAP, .abs_path = raw->abs_path,
					.url = module->label };

	if (!is_malformed(module))
		return fail(reading, raw, module->map.is_scraping_disabled ? JS_SCRAPING_DISABLED
									   : JS_MISSING_SOURCEMAP);
	if (module->origin.bytes)
		tell_map(module, raw);
	return js_error_add(reading->js, &error, reading->err);
}

/* Lines and columns wrap as 32 bit, and are told one higher. */
static struct maybe_u64 one_more(uint32_t number)
{
	return (struct maybe_u64){ true, (uint64_t)number + 1 };
}

static int fill(struct js_reading *reading, const struct js_module *module,
		const struct sourcemap_place *place, struct js_frame *out, struct js_need **need)
{
	struct text name = TEXT_NONE;

	if (place->name.bytes && !copy(place->name, arena_of(reading), &name))
		return no_memory(reading);
	if (name_function(reading, place, out) < 0 || name_file(reading, module, place, out) < 0)
		return -1;
	tell_map(module, out);
	out->sourcemap = module->label;
	out->symbolicated = true;
	out->lineno = one_more(place->line);
	out->colno = one_more(place->column);
	reading->caller = name;
	return quote_original(reading, module, place, out, need);
}

/* `raw` has its context by now, `sent` has not. */
static int symbolicate(struct js_reading *reading, const struct js_module *module, const struct js_frame *sent,
		       const struct js_frame *raw, struct js_frame *out, struct js_need **need)
{
	uint64_t column = sent->colno.is_set && sent->colno.value > 0 ? sent->colno.value - 1 : 0;
	struct sourcemap_place place;

	if (!sourcemap_lookup(&module->sourcemap, (uint32_t)(sent->lineno.value - 1), (uint32_t)column,
			      &place)) {
		*out = *raw;
		reading->caller = TEXT_NONE;
		return fail_location(reading, raw, true);
	}
	*out = *sent;
	return fill(reading, module, &place, out, need);
}

/* The name at the call site is for this frame alone. */
static int read_mapped(struct js_reading *reading, const struct js_module *module, const struct js_frame *sent,
		       struct js_frame *raw, struct js_frame *out, struct js_need **need)
{
	struct text caller = reading->caller;
	int rc;

	reading->caller = TEXT_NONE;
	if (quote_minified(reading, module, raw) < 0)
		return -1;
	if (module->is_without_map) {
		reading->caller = raw->token_name;
		*out = *raw;
		return 0;
	}
	if (!module->is_inside && (module->map.failure || module->map.is_empty)) {
		rc = map_failed(reading, module, raw);
		*out = *raw;
		return rc;
	}
	if (module->cache.failure) {
		rc = map_failed(reading, module, raw);
		*out = *raw;
		return rc;
	}
	reading->caller = caller;
	return symbolicate(reading, module, sent, raw, out, need);
}

static int read_frame(struct js_reading *reading, struct js_trace *trace, size_t i)
{
	const struct js_frame *sent = &trace->sent[i];
	const struct js_module *module = js_module_find(reading->js, sent->abs_path);
	struct js_frame *raw = &trace->raw[i], *out = &trace->out[i];

	*raw = *out = *sent;
	trace->needs[i] = NULL;
	trace->modules[i] = module;
	if (sent->lineno.value > 0 && module && !module->minified.failure)
		return read_mapped(reading, module, sent, raw, out, &trace->needs[i]);
	reading->caller = TEXT_NONE;
	if (sent->lineno.value == 0)
		return fail_location(reading, sent, false);
	return fail(reading, sent, module && module->minified.is_scraping_disabled ? JS_SCRAPING_DISABLED
										   : JS_MISSING_SOURCE);
}

/* --- All of them ---------------------------------------------------------------------------------- */

static int read_all(void *payload)
{
	struct js_reading *reading = payload;
	struct js *js = reading->js;

	js->errors = NULL;
	js->error_count = 0;
	for (size_t i = 0; i < js->request.trace_count; i++) {
		struct js_trace *trace = &js->request.traces[i];

		reading->caller = TEXT_NONE;
		for (size_t j = 0; j < trace->count; j++)
			if (read_frame(reading, trace, j) < 0)
				return -1;
	}
	return 0;
}

static int make_room(struct js *js, struct err *err)
{
	for (size_t i = 0; i < js->request.trace_count; i++) {
		struct js_trace *trace = &js->request.traces[i];
		struct arena *arena = &js->work->arena;

		if (trace->raw || trace->count == 0)
			continue;
		trace->raw = arena_alloc(arena, trace->count, sizeof(*trace->raw));
		trace->out = arena_alloc(arena, trace->count, sizeof(*trace->out));
		trace->needs = arena_alloc(arena, trace->count, sizeof(struct js_need *));
		trace->modules = arena_alloc(arena, trace->count, sizeof(struct js_module *));
		if (!trace->raw || !trace->out || !trace->needs || !trace->modules)
			return err_no_memory(err);
	}
	return 0;
}

/* Of frames that have a line. */
static int add_modules(struct js *js, struct err *err)
{
	for (size_t i = 0; i < js->request.trace_count; i++) {
		const struct js_trace *trace = &js->request.traces[i];

		for (size_t j = 0; j < trace->count; j++) {
			const struct js_frame *sent = &trace->sent[j];

			if (sent->lineno.value > 0 && !js_module_find(js, sent->abs_path) &&
			    !js_module_add(js, sent->abs_path, err))
				return -1;
		}
	}
	return 0;
}

static int quote_need(const struct js_reading *reading, const struct js_trace *trace, size_t i)
{
	const struct js_file *file = trace->needs[i] ? &trace->needs[i]->file : NULL;
	const struct js_error error = {
		.type = JS_MISSING_SOURCE_CONTENT, .abs_path = trace->sent[i].abs_path,
		.source = file ? file->key.url : TEXT_NONE, .sourcemap = trace->out[i].sourcemap,
	};

	if (!file || file->is_empty)
		return 0;
	if (file->failure)
		return js_error_add(reading->js, &error, reading->err);
	return js_quote(&trace->out[i], trace->out[i].lineno.value, trace->out[i].colno.value, minified_line,
			&file->attempted->file, arena_of(reading), reading->err);
}

/* The frames, and what of their sources there is by now. */
static int read_and_quote(void *payload)
{
	const struct js_reading *reading = payload;
	const struct js_request *request = &reading->js->request;

	if (read_all(payload) < 0)
		return -1;
	for (size_t i = 0; i < request->trace_count; i++)
		for (size_t j = 0; j < request->traces[i].count; j++)
			if (quote_need(reading, &request->traces[i], j) < 0)
				return -1;
	return 0;
}

enum resolved js_frames_resolve(struct js *js, struct resolver *resolver, struct err *err)
{
	struct js_reading reading = { .js = js, .err = err };
	enum resolved resolved;

	if (make_room(js, err) < 0 || (!js->modules && add_modules(js, err) < 0))
		return RESOLVED_ERROR;
	while (true) {
		resolved = js_turns_of_modules(js, resolver, err);
		if (resolved != RESOLVED_READY)
			return resolved;
		if (!js->is_read) {
			resolved = held_read(&js->open, read_all, &reading, resolver, err);
			js->is_read = resolved == RESOLVED_READY;
			if (resolved == RESOLVED_READY && !js->needs)
				return resolved;
		} else {
			resolved = js_turns_of_needs(js, resolver, err);
			if (resolved != RESOLVED_READY)
				return resolved;
			resolved = held_read(&js->open, read_and_quote, &reading, resolver, err);
			if (resolved == RESOLVED_READY)
				return resolved;
		}
		if (resolved == RESOLVED_ERROR)
			return resolved;
	}
}

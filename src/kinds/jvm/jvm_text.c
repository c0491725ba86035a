/*
 * jvm_text.c -- see jvm_text.h.
 *
 * A line goes to the mappings in their order, until one makes something else of it.  A line of a native
 * frame stays as it is, and what was found for it stands below.
 */
#include "kinds/jvm/jvm_text.h"

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "kinds/native/symbolication.h"
#include "proguard/retrace.h"
#include "stacktext/native_line.h"

#define LINE_BYTES  ((size_t)1 << 20)    /* what one line may become */
#define FIRST_LINES 64u
#define NO_MODULE   SIZE_MAX
#define LOOKED_BACK 1024u                /* modules a line's is compared with: no process has more */

struct jvm_native {                  /* a frame of native code in a text */
	size_t end;                  /* behind its line in the text as it is now */
	size_t trace, frame;
	size_t module;
	uint64_t pc;
};

struct jvm_text {
	struct text lines;           /* as they are now */
	uint64_t left_alone;         /* lines that would have become too much */
	struct jvm_native *natives;
	size_t native_count, native_capacity;
	size_t trace_count;
	struct raw_module *modules;
	size_t module_count, module_capacity;
	struct symbolication *symbolication; /* NULL: there is no native frame */
};

struct text_pass {                   /* of one text */
	struct jvm *jvm;
	struct jvm_text *text;
	struct err *err;
	size_t frame;                /* of the trace it is at */
	bool is_new_trace;
};

int jvm_text_begin(struct jvm *jvm, struct err *err)
{
	const struct retrace_options options = { .dialect = RETRACE_R8 };

	if (!jvm->request.texts.count || jvm->retraces)
		return 0;
	buf_init(&jvm->lines, LIMIT_JVM_TEXT_BYTES);
	buf_init(&jvm->line, LINE_BYTES);
	jvm->texts = arena_alloc(&jvm->work->arena, jvm->request.texts.count, sizeof(*jvm->texts));
	jvm->retraces = arena_alloc(&jvm->work->arena, jvm->mapping_count, sizeof(*jvm->retraces));
	if (!jvm->texts || !jvm->retraces)
		return err_no_memory(err);
	while (jvm->retrace_count < jvm->mapping_count) {
		size_t i = jvm->retrace_count++;     /* released, whatever becomes of it */

		if (retrace_open(&jvm->retraces[i], &jvm->mappings[i].cache, &options, err) < 0)
			return -1;
	}
	return 0;
}

/* --- Lines of Java --------------------------------------------------------------------------- */

static bool is_unchanged(const struct buf *made, struct text line)
{
	return made->size == line.size + 1 && (!line.size || memcmp(made->bytes, line.bytes, line.size) == 0);
}

/* May that line be asked for still? */
static bool may_read(struct jvm *jvm, struct text line)
{
	uint64_t visited = 0;

	for (size_t i = 0; i < jvm->retrace_count; i++)
		visited += jvm->retraces[i].frames.visited;
	if (line.size > jvm->text_unread || visited > LIMIT_JVM_ENTRIES)
		return false;
	jvm->text_unread -= line.size;
	return true;
}

/* In jvm->line what the first mapping makes of it that makes something else. */
static int retrace(struct jvm *jvm, struct text line, bool *is_found, struct err *err)
{
	*is_found = false;
	for (size_t i = 0; i < jvm->retrace_count && !*is_found; i++) {
		if (!jvm_mapping_is_open(&jvm->mappings[i]))
			continue;
		buf_clear(&jvm->line);
		if (retrace_line(&jvm->retraces[i], line, &jvm->line, err) < 0 && !jvm->line.failed)
			return -1;
		*is_found = jvm->line.failed || !is_unchanged(&jvm->line, line);
	}
	return 0;
}

static int add_line(struct text_pass *pass, struct text line)
{
	struct jvm *jvm = pass->jvm;
	bool is_found = false;

	if (!may_read(jvm, line))
		pass->text->left_alone++;
	else if (retrace(jvm, line, &is_found, pass->err) < 0)
		return -1;
	if (is_found && jvm->line.no_memory)
		return err_no_memory(pass->err);
	if (is_found && (jvm->line.failed || jvm->line.size > jvm->text_left + line.size)) {
		err_clear(pass->err);
		pass->text->left_alone++;
		is_found = false;
	}
	if (is_found) {
		jvm->text_left -= jvm->line.size > line.size ? jvm->line.size - line.size : 0;
		buf_add_text(&jvm->lines, buf_text(&jvm->line));
	} else {
		buf_add_text(&jvm->lines, line);
		buf_add_char(&jvm->lines, '\n');
	}
	return buf_check(&jvm->lines, pass->err);
}

/* --- Frames of native code -------------------------------------------------------------------- */

static void *grow(void *items, size_t count, size_t *capacity, size_t size, struct arena *arena)
{
	size_t more = *capacity ? 2 * *capacity : FIRST_LINES;
	void *grown;

	if (count < *capacity)
		return items;
	grown = arena_alloc(arena, more, size);
	if (grown && count)
		memcpy(grown, items, count * size);
	*capacity = more;
	return grown;
}

static size_t add_module(struct text_pass *pass, const struct native_line *line)
{
	struct arena *arena = &pass->jvm->work->arena;
	struct jvm_text *text = pass->text;
	struct raw_module *module;
	char *id;

	/* One that is further back is another once more, and has the same answer. */
	for (size_t i = text->module_count; i-- > 0 && text->module_count - i <= LOOKED_BACK;)
		if (text_equal(text->modules[i].ids.code_file, line->path) &&
		    text_equal_ignoring_case(text->modules[i].ids.code_id, line->build_id))
			return i;
	text->modules = grow(text->modules, text->module_count, &text->module_capacity,
			     sizeof(*text->modules), arena);
	id = arena_alloc_raw(arena, line->build_id.size + 1, 1);
	if (!text->modules || !id)
		return NO_MODULE;
	module = &text->modules[text->module_count];
	*module = (struct raw_module){
		.ids = { .type = OBJECT_TYPE_ELF, .code_file = line->path, .debug_file = line->path },
		.image_addr = { .is_set = true },
	};
	if (codeid_normalise(line->build_id, id)) {
		module->ids.code_id = text_of(id);
		module->ids.debug_id = debugid_from_code_id(module->ids.code_id);
	}
	return text->module_count++;
}

static int add_native(struct text_pass *pass, const struct native_line *line)
{
	struct jvm_text *text = pass->text;
	struct jvm_native *native;
	size_t module = add_module(pass, line);

	if (module == NO_MODULE)
		return err_no_memory(pass->err);
	text->natives = grow(text->natives, text->native_count, &text->native_capacity, sizeof(*text->natives),
			     &pass->jvm->work->arena);
	if (!text->natives)
		return err_no_memory(pass->err);
	if (line->number == 0 || pass->is_new_trace) {
		text->trace_count++;
		pass->frame = 0;
	}
	pass->is_new_trace = false;
	native = &text->natives[text->native_count++];
	*native = (struct jvm_native){
		.end = pass->jvm->lines.size, .trace = text->trace_count - 1, .frame = pass->frame++,
		.module = module, .pc = line->pc,
	};
	return 0;
}

/* --- A text ----------------------------------------------------------------------------------- */

static int take_line(struct text_pass *pass, struct text line)
{
	struct native_line native;

	if (!native_line_read(line, &native)) {
		pass->is_new_trace |= text_trim(line).size == 0;
		return add_line(pass, line);
	}
	buf_add_text(&pass->jvm->lines, line);
	buf_add_char(&pass->jvm->lines, '\n');
	return buf_check(&pass->jvm->lines, pass->err) < 0 ? -1 : add_native(pass, &native);
}

static struct text without_return(struct text line)
{
	if (line.size && line.bytes[line.size - 1] == '\r')
		line.size--;
	return line;
}

static void begin_stacks(struct jvm *jvm)
{
	for (size_t i = 0; i < jvm->retrace_count; i++) {
		struct retrace *retrace = &jvm->retraces[i];

		retrace->carry = (struct proguard_carry){ .is_set = false };
		retrace->may_rewrite = false;
		retrace->thrown = TEXT_NONE;
	}
}

static int remap_text(struct jvm *jvm, struct text rest, struct jvm_text *text, struct err *err)
{
	struct text_pass pass = { .jvm = jvm, .text = text, .err = err, .is_new_trace = true };
	char *copy;
	struct text line;

	*text = (struct jvm_text){ .native_count = 0 };
	buf_clear(&jvm->lines);
	begin_stacks(jvm);
	while (text_take_line(&rest, &line))
		if (take_line(&pass, without_return(line)) < 0)
			return -1;
	copy = arena_strndup(&jvm->work->arena, buf_string(&jvm->lines), jvm->lines.size);
	text->lines = (struct text){ copy, jvm->lines.size };
	return copy ? 0 : err_no_memory(err);
}

int jvm_text_remap(struct jvm *jvm, struct err *err)
{
	jvm->text_left = LIMIT_JVM_TEXT_EXTRA_BYTES;
	jvm->text_unread = LIMIT_JVM_TEXT_READ_BYTES;
	for (size_t i = 0; i < jvm->retrace_count; i++)
		jvm->retraces[i].frames.visited = 0;
	for (size_t i = 0; i < jvm->request.texts.count; i++)
		if (remap_text(jvm, jvm->request.texts.texts[i], &jvm->texts[i], err) < 0)
			return -1;
	return 0;
}

/* --- Symbols ---------------------------------------------------------------------------------- */

static int make_traces(const struct jvm_text *text, struct raw_report *report, struct arena *arena,
		       struct err *err)
{
	struct raw_frame *frames = arena_alloc(arena, text->native_count, sizeof(*frames));

	report->traces = arena_alloc(arena, text->trace_count, sizeof(*report->traces));
	report->trace_count = text->trace_count;
	report->modules = text->modules;
	report->module_count = text->module_count;
	if (!frames || !report->traces)
		return err_no_memory(err);
	for (size_t i = 0; i < text->native_count; i++) {
		const struct jvm_native *native = &text->natives[i];
		struct raw_trace *trace = &report->traces[native->trace];

		frames[i] = (struct raw_frame){
			.address = { .is_set = true, .value = native->pc }, .adjust = MAYBE_FALSE,
			.mode = { .is_relative = true, .module = native->module },
		};
		if (!trace->frame_count++)
			trace->frames = &frames[i];
	}
	return 0;
}

static int begin_symbols(struct jvm *jvm, struct jvm_text *text, struct err *err)
{
	struct symbolication_request request = {
		.sources = jvm->request.sources, .scraping = scraping_default(),
		.options = { .apply_source_context = !jvm->request.leaves_contexts },
	};

	if (make_traces(text, &request.report, &jvm->work->arena, err) < 0)
		return -1;
	text->symbolication = symbolication_new(jvm->work, &request, err);
	return text->symbolication ? 0 : -1;
}

enum resolved jvm_text_step(struct jvm *jvm, struct resolver *resolver, struct err *err)
{
	enum resolved all = RESOLVED_READY;

	for (size_t i = 0; i < jvm->request.texts.count; i++) {
		struct jvm_text *text = &jvm->texts[i];

		if (!text->native_count)
			continue;
		if (!text->symbolication && begin_symbols(jvm, text, err) < 0)
			return RESOLVED_ERROR;
		switch (symbolication_step(text->symbolication, resolver, err)) {
		case STEP_ERROR:
			return RESOLVED_ERROR;
		case STEP_WAIT:
			all = RESOLVED_WAIT;
			if (resolver->stops_at_wait)
				return all;
			break;
		default:
			break;
		}
	}
	return all;
}

/* --- The answer ------------------------------------------------------------------------------- */

static void add_frame(const struct symbolicated_frame *frame, struct buf *out)
{
	buf_add_string(out, "            ");
	buf_add_text(out, frame->function);
	if (frame->abs_path.size) {
		buf_add_string(out, " at ");
		buf_add_text(out, frame->abs_path);
		if (frame->line)
			buf_printf(out, ":%u", (unsigned)frame->line);
	}
	buf_add_char(out, '\n');
}

/* Frames of a trace come in the order of its lines, those of one line together. */
static void add_frames(const struct jvm_text *text, const struct jvm_native *native, size_t *at, struct buf *out)
{
	struct symbolicated_frame frame;

	if (native->frame == 0)
		*at = 0;
	for (; symbolication_frame(text->symbolication, native->trace, *at, &frame) &&
	       frame.original_index <= native->frame; ++*at)
		if (frame.original_index == native->frame && frame.is_symbolicated)
			add_frame(&frame, out);
}

static int write_text(const struct jvm_text *text, struct json_writer *json, struct err *err)
{
	size_t from = 0, at = 0;
	struct buf lines;
	int rc;

	buf_init(&lines, LIMIT_REPLY_BYTES);
	for (size_t i = 0; i < text->native_count; i++) {
		buf_add(&lines, text->lines.bytes + from, text->natives[i].end - from);
		from = text->natives[i].end;
		add_frames(text, &text->natives[i], &at, &lines);
	}
	buf_add_text(&lines, text_from(text->lines, from));
	json_object(json);
	json_key(json, "text");
	json_text(json, buf_text(&lines));
	if (text->left_alone)
		json_member_u64(json, "lines_left_alone", text->left_alone);
	rc = buf_check(&lines, err);
	buf_release(&lines);
	if (rc == 0 && text->symbolication)
		rc = symbolication_write(text->symbolication, json, err);
	json_object_end(json);
	return rc;
}

int jvm_text_write(const struct jvm *jvm, struct json_writer *json, struct err *err)
{
	if (!jvm->request.texts.count)
		return 0;
	json_key(json, "texts");
	json_array(json);
	for (size_t i = 0; i < jvm->request.texts.count; i++)
		if (write_text(&jvm->texts[i], json, err) < 0)
			return -1;
	json_array_end(json);
	return 0;
}

void jvm_text_release(struct jvm *jvm)
{
	for (size_t i = 0; jvm->texts && i < jvm->request.texts.count; i++)
		symbolication_release(jvm->texts[i].symbolication);
	for (size_t i = 0; i < jvm->retrace_count; i++)
		retrace_release(&jvm->retraces[i]);
	buf_release(&jvm->lines);
	buf_release(&jvm->line);
}

/* report_calls.c -- the frames of a thread: a call in one line, with what was inlined into it folded. */
#include "page/report_page.h"

#include "why/why.h"

#define INLINES_SHOWN 64u
#define CONTEXT_LINES 16u            /* before and after, at most */

/* --- Why there is no name ------------------------------------------------------------------------ */

static const char *reason_of_mozilla(const struct report *report, const struct report_frame *frame)
{
	const struct report_module *module;

	if (frame->module_index == REPORT_NOTHING)
		return why_frame(TEXT("unknown_image")).meaning;
	module = &report->modules[frame->module_index];
	if (report_module_class(module) == REPORT_MODULE_BAD)
		return why_module(module->status).meaning;
	return why_frame(TEXT("missing_symbol")).meaning;
}

/* A module says more of itself than its frames do. */
static const char *reason_of_native(const struct report *report, const struct report_frame *frame)
{
	const struct report_module *module = frame->module_index == REPORT_NOTHING
						     ? NULL : &report->modules[frame->module_index];

	if (module && report_module_class(module) == REPORT_MODULE_BAD &&
	    (text_is(frame->status, "missing") || text_is(frame->status, "malformed")))
		return why_module(module->status).meaning;
	return why_frame(frame->status).meaning;
}

static const char *reason_of(const struct report *report, const struct report_frame *frame)
{
	const struct report_error *error;

	if (report->shape == REPORT_MOZILLA)
		return reason_of_mozilla(report, frame);
	if (!frame->has_symbolicated)
		return reason_of_native(report, frame);
	error = report_frame_error(report, frame);
	return error ? why_js_error(error->type).meaning : "no source map names it";
}

static void write_reason(struct report_page *page, const struct report_frame *frame)
{
	const char *reason = reason_of(page->report, frame);
	const struct report_error *error = frame->has_symbolicated ? report_frame_error(page->report, frame) : NULL;

	html_word(page->html, " ");
	if (frame->module_index != REPORT_NOTHING) {
		report_links_module(page, frame->module_index, "reason");
	} else if (error) {
		report_links_begin(page, "ui/r/", "#e");
		html_value_u64(page->html, (uint64_t)(error - page->report->errors));
		html_value_end(page->html);
		html_attribute_word(page->html, "class", "reason");
	} else {
		html_begin(page->html, "span");
		html_attribute_word(page->html, "class", "reason");
	}
	html_word(page->html, "no name: ");
	html_word(page->html, reason);
	html_end(page->html, frame->module_index != REPORT_NOTHING || error ? "a" : "span");
}

/* --- One line ------------------------------------------------------------------------------------ */

static void write_function(struct report_page *page, const struct report_frame *frame)
{
	struct text function = report_frame_function(frame);
	struct html_writer *html = page->html;

	html_begin(html, "code");
	html_attribute_word(html, "class", "function");
	if (frame->class_name.size && !frame->has_symbolicated) {
		html_text(html, frame->class_name);
		html_word(html, ".");
	}
	if (function.size)
		html_text(html, function);
	else if (frame->has_address)
		html_hex(html, frame->address);
	else if (frame->has_offset)
		html_hex(html, frame->offset);
	else
		html_word(html, "(no name)");
	html_end(html, "code");
}

static void write_place(struct report_page *page, const struct report_frame *frame)
{
	struct text path = report_frame_path(frame);
	struct html_writer *html = page->html;

	if (!path.size)
		return;
	html_word(html, " ");
	html_begin(html, "span");
	html_attribute_word(html, "class", "place");
	html_text(html, path);
	if (frame->line)
		html_printf(html, ":%llu", (unsigned long long)frame->line);
	if (frame->line && frame->has_column)
		html_printf(html, ":%llu", (unsigned long long)frame->column);
	html_end(html, "span");
}

static void write_module(struct report_page *page, const struct report_frame *frame)
{
	struct text name = text_basename(frame->package.size ? frame->package : frame->module);

	if (frame->module_index == REPORT_NOTHING) {
		html_text(page->html, name);
		return;
	}
	report_links_module(page, frame->module_index, NULL);
	html_text(page->html, report_module_name(&page->report->modules[frame->module_index]));
	html_end(page->html, "a");
}

static void write_where(struct report_page *page, const struct report_frame *frame)
{
	struct html_writer *html = page->html;
	uint64_t offset;

	if (frame->module_index == REPORT_NOTHING && !frame->package.size && !frame->module.size)
		return;
	html_word(html, " ");
	html_begin(html, "span");
	html_attribute_word(html, "class", "where");
	html_word(html, "in ");
	write_module(page, frame);
	if (report_frame_offset(page->report, frame, &offset)) {
		html_word(html, " + ");
		html_hex(html, offset);
	}
	html_end(html, "span");
}

static void write_trust(struct report_page *page, const struct report_frame *frame)
{
	struct why_words words = why_trust(frame->trust);
	struct html_writer *html = page->html;

	if (!frame->trust.size || (page->is_brief && words.is_good))
		return;
	html_word(html, " ");
	html_begin(html, "span");
	html_attribute_word(html, "class", words.is_good ? "trust" : "trust doubtful");
	html_text(html, frame->trust);
	if (!words.is_good && !page->is_brief) {
		html_word(html, ": ");
		html_word(html, words.meaning);
	}
	html_end(html, "span");
}

static void write_source_link(struct report_page *page, const struct report_frame *frame)
{
	struct html_writer *html = page->html;

	if (!frame->source_link.size || page->is_brief)
		return;
	html_word(html, " ");
	html_begin(html, "a");
	html_attribute_word(html, "class", "source");
	if (html_address(html, "href", frame->source_link)) {
		html_attribute_word(html, "rel", "noreferrer");
		html_word(html, "source");
	} else {
		html_text(html, frame->source_link);
	}
	html_end(html, "a");
}

static void write_line(struct report_page *page, const struct report_frame *frame, bool is_inlined)
{
	write_function(page, frame);
	write_place(page, frame);
	if (!is_inlined) {
		write_where(page, frame);
		write_trust(page, frame);
	}
	write_source_link(page, frame);
	if (!is_inlined && page->report->shape != REPORT_LINES && !report_frame_is_named(page->report, frame))
		write_reason(page, frame);
}

/* --- Source around it ------------------------------------------------------------------------------ */

static void write_source_line(struct report_page *page, uint64_t number, struct text line, bool is_marked)
{
	struct html_writer *html = page->html;

	if (is_marked)
		html_begin(html, "mark");
	html_printf(html, "%6llu  ", (unsigned long long)number);
	html_text(html, line);
	if (is_marked)
		html_end(html, "mark");
	html_word(html, "\n");
}

/* The last CONTEXT_LINES of those before the line, or the first of those after it. */
static void write_lines(struct report_page *page, size_t list_at, size_t skipped, uint64_t number)
{
	struct json_reader reader = report_json_at(&page->report->json, list_at);
	struct text line;

	if (!list_at || !json_reader_array(&reader))
		return;
	for (size_t i = 0; json_reader_element(&reader) && i < skipped + CONTEXT_LINES; i++) {
		(void)report_json_text(&page->report->json, &reader, REPORT_TEXT_BYTES, &line);
		if (i >= skipped)
			write_source_line(page, number + (i - skipped), line, false);
	}
}

static void write_context(struct report_page *page, const struct report_frame *frame, bool is_open)
{
	struct html_writer *html = page->html;
	size_t count, skipped;

	if (!frame->context_line.bytes || !page->contexts_left)
		return;
	page->contexts_left--;
	count = report_json_count(&page->report->json, frame->before_at);
	skipped = count > CONTEXT_LINES ? count - CONTEXT_LINES : 0;
	html_begin(html, "details");
	html_attribute_word(html, "class", "context");
	if (is_open)
		html_flag(html, "open");
	html_element(html, "summary", NULL, TEXT("Source"));
	html_begin(html, "pre");
	write_lines(page, frame->before_at, skipped, frame->line > count ? frame->line - (count - skipped) : 1);
	write_source_line(page, frame->line, frame->context_line, true);
	write_lines(page, frame->after_at, 0, frame->line + 1);
	html_end(html, "pre");
	html_end(html, "details");
}

/* --- Calls ------------------------------------------------------------------------------------------ */

static void begin_inlines(struct report_page *page, size_t count, bool is_open)
{
	html_begin(page->html, "details");
	html_attribute_word(page->html, "class", "inlines");
	if (is_open)
		html_flag(page->html, "open");
	html_begin(page->html, "summary");
	html_printf(page->html, count == 1 ? "%zu inlined call" : "%zu inlined calls", count);
	html_end(page->html, "summary");
	html_begin(page->html, "ol");
}

static void end_inlines(struct report_page *page, size_t count)
{
	if (count > INLINES_SHOWN) {
		html_begin(page->html, "li");
		html_printf(page->html, "and %zu more, which the JSON has", count - INLINES_SHOWN);
		html_end(page->html, "li");
	}
	html_end(page->html, "ol");
	html_end(page->html, "details");
}

static void write_inline(struct report_page *page, const struct report_frame *frame, bool is_open)
{
	html_begin(page->html, "li");
	write_line(page, frame, true);
	write_context(page, frame, is_open);
	html_end(page->html, "li");
}

static void write_inlines(struct report_page *page, const struct report_thread *thread, struct report_window calls,
			  bool is_open)
{
	struct report_frame frame;
	size_t count = calls.to - calls.from;

	if (!count)
		return;
	begin_inlines(page, count, is_open);
	for (size_t i = calls.from; i < calls.to && i - calls.from < INLINES_SHOWN; i++) {
		report_frame_read(page->report, report_place(page->report, thread, i)->at, &frame);
		write_inline(page, &frame, is_open && i == calls.from);
	}
	end_inlines(page, count);
}

static void write_mozilla_inlines(struct report_page *page, const struct report_frame *outer, bool is_open)
{
	struct json_reader reader = report_json_at(&page->report->json, outer->inlines_at);
	size_t count = report_json_count(&page->report->json, outer->inlines_at);
	struct report_frame frame;

	if (!count || !json_reader_array(&reader))
		return;
	begin_inlines(page, count, is_open);
	for (size_t i = 0; json_reader_element(&reader) && i < INLINES_SHOWN; i++) {
		report_frame_next(page->report, &reader, &frame);
		write_inline(page, &frame, false);
	}
	end_inlines(page, count);
}

/* The last frame of a call is the function itself; those before were inlined into it. */
static void write_call(struct report_page *page, const struct report_thread *thread, struct report_window call,
		       bool is_open)
{
	struct arena_mark mark = arena_mark(&page->report->arena);
	struct html_writer *html = page->html;
	struct report_frame frame;

	report_frame_read(page->report, report_place(page->report, thread, call.to - 1)->at, &frame);
	html_begin(html, "li");
	if (page->report->shape != REPORT_LINES && !report_frame_is_named(page->report, &frame))
		html_attribute_word(html, "class", "unnamed");
	write_line(page, &frame, false);
	write_mozilla_inlines(page, &frame, is_open);
	write_inlines(page, thread, (struct report_window){ call.from, call.to - 1 }, is_open);
	write_context(page, &frame, is_open && call.to - call.from == 1);
	html_end(html, "li");
	arena_rewind(&page->report->arena, mark);
}

static size_t call_end(const struct report *report, const struct report_thread *thread, size_t from, size_t most)
{
	size_t end = from + 1;

	while (end < most && report_is_same_call(report, thread, from, end))
		end++;
	return end;
}

/* How many calls there are before a frame. */
static size_t calls_before(const struct report *report, const struct report_thread *thread, size_t frame)
{
	size_t count = 0;

	for (size_t i = 0; i < frame; i = call_end(report, thread, i, frame))
		count++;
	return count;
}

struct report_window report_calls_window(const struct report *report, const struct report_thread *thread,
					 size_t from, size_t most)
{
	struct report_window window = { from < thread->count ? from : thread->count, 0 };

	for (size_t i = 0; i < INLINES_SHOWN && window.from > 0 && window.from < thread->count; i++) {
		if (!report_is_same_call(report, thread, window.from - 1, window.from))
			break;
		window.from--;
	}
	window.to = thread->count - window.from > most ? window.from + most : thread->count;
	for (size_t i = 0; i < INLINES_SHOWN && window.to > window.from && window.to < thread->count; i++) {
		if (!report_is_same_call(report, thread, window.to - 1, window.to))
			break;
		window.to++;
	}
	return window;
}

void report_calls_write(struct report_page *page, const struct report_thread *thread, struct report_window window,
			bool is_open)
{
	struct html_writer *html = page->html;

	html_begin(html, "ol");
	html_attribute_word(html, "class", "frames");
	html_attribute_u64(html, "start", calls_before(page->report, thread, window.from));
	for (size_t i = window.from; i < window.to;) {
		size_t end = call_end(page->report, thread, i, window.to);

		write_call(page, thread, (struct report_window){ i, end }, is_open && i == window.from);
		i = end;
	}
	html_end(html, "ol");
}

/* report_copy.c -- a stack as text, to be copied into a mail. */
#include "page/report_page.h"

static void write_place(struct html_writer *html, const struct report_frame *frame)
{
	struct text path = report_frame_path(frame);

	if (!path.size)
		return;
	html_word(html, " at ");
	html_text(html, path);
	if (frame->line)
		html_printf(html, ":%llu", (unsigned long long)frame->line);
}

static void write_where(struct report_page *page, const struct report_frame *frame)
{
	struct text name = text_basename(frame->package.size ? frame->package : frame->module);
	uint64_t offset;

	if (frame->module_index != REPORT_NOTHING)
		name = report_module_name(&page->report->modules[frame->module_index]);
	if (!name.size)
		return;
	html_word(page->html, " in ");
	html_text(page->html, name);
	if (report_frame_offset(page->report, frame, &offset)) {
		html_word(page->html, "+");
		html_hex(page->html, offset);
	}
}

static void write_line(struct report_page *page, size_t number, const struct report_frame *frame)
{
	struct text function = report_frame_function(frame);
	struct html_writer *html = page->html;

	html_printf(html, "#%-3zu ", number);
	if (frame->class_name.size && !frame->has_symbolicated) {
		html_text(html, frame->class_name);
		html_word(html, ".");
	}
	if (function.size)
		html_text(html, function);
	else
		html_hex(html, frame->has_address ? frame->address : frame->offset);
	write_place(html, frame);
	write_where(page, frame);
	html_word(html, "\n");
}

void report_copy_write(struct report_page *page, const struct report_thread *thread, struct report_window window)
{
	struct html_writer *html = page->html;
	struct report_frame frame;

	if (window.from == window.to)
		return;
	html_begin(html, "details");
	html_attribute_word(html, "class", "copy");
	html_element(html, "summary", NULL, TEXT("Stack as text"));
	html_begin(html, "pre");
	html_attribute_word(html, "tabindex", "0");
	html_flag(html, "data-copy");
	for (size_t i = window.from; i < window.to; i++) {
		struct arena_mark mark = arena_mark(&page->report->arena);

		report_frame_read(page->report, report_place(page->report, thread, i)->at, &frame);
		write_line(page, i, &frame);
		arena_rewind(&page->report->arena, mark);
	}
	html_end(html, "pre");
	html_end(html, "details");
}

/* report_threads.c -- the thread that crashed, the others folded, and the page of one alone. */
#include "page/report_page.h"

#define FOLDED_FRAMES 5u             /* of a thread that is folded */
#define REGISTERS_SHOWN 256u

/* --- What a thread is called --------------------------------------------------------------------- */

static void write_name(struct report_page *page, size_t index)
{
	const struct report_thread *thread = &page->report->threads[index];
	struct html_writer *html = page->html;

	if (thread->has_id)
		html_printf(html, "Thread %llu", (unsigned long long)thread->id);
	else
		html_printf(html, thread->name.size ? "Thread" : "Stack %zu", index + 1);
	if (thread->name.size) {
		html_word(html, " ");
		html_text(html, thread->name);
	}
	if (thread->exception_type.size) {
		html_word(html, ": ");
		html_text(html, thread->exception_module);
		html_word(html, thread->exception_module.size ? "." : "");
		html_text(html, thread->exception_type);
	}
}

/* "45 frames, 3 without a name" */
static void write_counts(struct report_page *page, const struct report_thread *thread)
{
	html_printf(page->html, thread->count == 1 ? "%zu frame" : "%zu frames", thread->count);
	if (thread->unnamed)
		html_printf(page->html, ", %zu without a name", thread->unnamed);
}

/* --- Registers ------------------------------------------------------------------------------------ */

static void write_register(struct report_page *page, const struct json_string *name, struct json_reader *reader)
{
	struct html_writer *html = page->html;
	struct text value;

	(void)report_json_text(&page->report->json, reader, REPORT_TEXT_BYTES, &value);
	html_begin(html, "div");
	html_element(html, "dt", NULL, report_json_string(&page->report->json, name, REPORT_TEXT_BYTES));
	html_element(html, "dd", NULL, value);
	html_end(html, "div");
}

static void write_registers(struct report_page *page, const struct report_thread *thread)
{
	struct json_reader reader = report_json_at(&page->report->json, thread->registers_at);
	struct arena_mark mark = arena_mark(&page->report->arena);
	struct html_writer *html = page->html;
	struct json_string name;

	if (!thread->registers_at || !json_reader_object(&reader))
		return;
	html_begin(html, "details");
	html_attribute_word(html, "class", "registers");
	html_element(html, "summary", NULL, TEXT("Registers"));
	html_begin(html, "dl");
	html_attribute_word(html, "class", "registers");
	for (size_t i = 0; json_reader_member(&reader, &name) && i < REGISTERS_SHOWN; i++)
		write_register(page, &name, &reader);
	html_end(html, "dl");
	html_end(html, "details");
	arena_rewind(&page->report->arena, mark);
}

/* --- A thread in full -------------------------------------------------------------------------------- */

static void write_omissions(struct report_page *page, const struct report_thread *thread)
{
	struct html_writer *html = page->html;

	if (!thread->frames_omitted && !thread->frames_left_alone)
		return;
	html_begin(html, "p");
	html_attribute_word(html, "class", "advice");
	if (thread->frames_omitted)
		html_printf(html, "%llu more frames were left out: they would have become too many. ",
			    (unsigned long long)thread->frames_omitted);
	if (thread->frames_left_alone)
		html_printf(html, "%llu frames stayed as they were sent: looking them up would have been too much.",
			    (unsigned long long)thread->frames_left_alone);
	html_end(html, "p");
}

static void write_page_link(struct report_page *page, size_t thread, size_t from, size_t to)
{
	report_links_thread(page, thread, from);
	html_printf(page->html, "Frames %zu to %zu", from, to - 1);
	html_end(page->html, "a");
}

/* To the frames before those shown, and after them. */
static void write_pages(struct report_page *page, size_t index, struct report_window window)
{
	const struct report_thread *thread = &page->report->threads[index];
	size_t left = thread->count - window.to;

	if (window.from == 0 && left == 0)
		return;
	html_begin(page->html, "nav");
	html_attribute_word(page->html, "class", "pages");
	html_attribute_word(page->html, "aria-label", "Frames");
	if (window.from > 0)
		write_page_link(page, index, window.from > REPORT_PAGE_FRAMES ? window.from - REPORT_PAGE_FRAMES : 0,
				window.from);
	html_word(page->html, " ");
	if (left > 0)
		write_page_link(page, index, window.to,
				window.to + (left < REPORT_PAGE_FRAMES ? left : REPORT_PAGE_FRAMES));
	html_end(page->html, "nav");
}

static void write_body(struct report_page *page, size_t index, size_t from)
{
	const struct report_thread *thread = &page->report->threads[index];
	struct report_window window = report_calls_window(page->report, thread, from, REPORT_PAGE_FRAMES);

	write_omissions(page, thread);
	if (thread->count)
		report_calls_write(page, thread, window, index == page->report->crashed && window.from == 0);
	write_pages(page, index, window);
	write_registers(page, thread);
	report_copy_write(page, thread, window);
}

void report_threads_write_one(struct report_page *page, size_t index)
{
	const struct report *report = page->report;
	struct html_writer *html = page->html;

	html_begin(html, "p");
	report_links_begin(page, "ui/r/", "");
	html_value_end(html);
	html_word(html, "The whole report");
	html_end(html, "a");
	html_word(html, " ");
	write_counts(page, &report->threads[index]);
	html_end(html, "p");
	html_begin(html, "section");
	html_attribute_word(html, "class", "thread");
	html_attribute_word(html, "aria-labelledby", "thread");
	html_begin(html, "h2");
	html_attribute_word(html, "id", "thread");
	write_name(page, index);
	html_end(html, "h2");
	write_body(page, index, report->view->frames_from);
	html_end(html, "section");
}

/* --- The report's ------------------------------------------------------------------------------------ */

static void write_crashed(struct report_page *page)
{
	const struct report *report = page->report;
	struct html_writer *html = page->html;

	html_begin(html, "section");
	html_attribute_word(html, "class", "thread crashed");
	html_attribute_word(html, "aria-labelledby", "crashed");
	html_begin(html, "h2");
	html_attribute_word(html, "id", "crashed");
	write_name(page, report->crashed);
	if (report->facts.crashed && report->threads[report->crashed].is_requesting)
		html_word(html, ", which crashed");
	html_end(html, "h2");
	html_begin(html, "p");
	write_counts(page, &report->threads[report->crashed]);
	html_end(html, "p");
	write_body(page, report->crashed, 0);
	html_end(html, "section");
}

/* What it was doing: its innermost function. */
static void write_doing(struct report_page *page, const struct report_thread *thread)
{
	struct arena_mark mark = arena_mark(&page->report->arena);
	struct report_frame frame;
	struct text function;

	report_frame_read(page->report, report_place(page->report, thread, 0)->at, &frame);
	function = report_frame_function(&frame);
	html_word(page->html, " in ");
	html_element(page->html, "code", NULL, function.size ? function : TEXT("a function without a name"));
	html_word(page->html, ", ");
	arena_rewind(&page->report->arena, mark);
}

static void write_folded_frames(struct report_page *page, size_t index)
{
	const struct report_thread *thread = &page->report->threads[index];
	size_t most = page->folded_left < FOLDED_FRAMES ? page->folded_left : FOLDED_FRAMES;
	struct report_window window = report_calls_window(page->report, thread, 0, most);
	struct html_writer *html = page->html;

	if (window.to > 0 && most > 0) {
		page->is_brief = true;
		report_calls_write(page, thread, window, false);
		page->is_brief = false;
		page->folded_left -= window.to < page->folded_left ? window.to : page->folded_left;
	}
	html_begin(html, "p");
	report_links_thread(page, index, 0);
	html_printf(html, thread->count == 1 ? "The thread's page" : "All %zu frames", thread->count);
	html_end(html, "a");
	html_end(html, "p");
}

static void write_folded(struct report_page *page, size_t index)
{
	struct html_writer *html = page->html;

	html_begin(html, "details");
	html_attribute_word(html, "class", "thread");
	html_begin(html, "summary");
	write_name(page, index);
	if (page->report->threads[index].count)
		write_doing(page, &page->report->threads[index]);
	else
		html_word(html, ", ");
	write_counts(page, &page->report->threads[index]);
	html_end(html, "summary");
	write_folded_frames(page, index);
	html_end(html, "details");
}

static void write_thread_pages(struct report_page *page, size_t from, size_t to)
{
	const struct report *report = page->report;

	if (from == 0 && to == report->thread_count)
		return;
	html_begin(page->html, "nav");
	html_attribute_word(page->html, "class", "pages");
	html_attribute_word(page->html, "aria-label", "Threads");
	if (from > 0) {
		report_links_threads(page, from > REPORT_PAGE_THREADS ? from - REPORT_PAGE_THREADS : 0);
		html_word(page->html, "Threads before these");
		html_end(page->html, "a");
	}
	html_word(page->html, " ");
	if (to < report->thread_count) {
		report_links_threads(page, to);
		html_printf(page->html, "%zu more threads", report->thread_count - to);
		html_end(page->html, "a");
	}
	html_end(page->html, "nav");
}

static void write_others(struct report_page *page)
{
	const struct report *report = page->report;
	size_t from = report->view->threads_from < report->thread_count ? report->view->threads_from : 0;
	size_t to = report->thread_count - from > REPORT_PAGE_THREADS ? from + REPORT_PAGE_THREADS
								      : report->thread_count;

	html_begin(page->html, "h2");
	html_attribute_word(page->html, "id", "threads");
	html_printf(page->html, report->shape == REPORT_STACKS && report->is_native ? "Other threads (%zu)"
										    : "Other stacks (%zu)",
		    report->thread_count - 1);
	html_end(page->html, "h2");
	for (size_t i = from; i < to; i++)
		if (i != report->crashed)
			write_folded(page, i);
	write_thread_pages(page, from, to);
}

void report_threads_write(struct report_page *page)
{
	const struct report *report = page->report;

	if (report->crashed == REPORT_NOTHING)
		return;
	write_crashed(page);
	if (report->thread_count > 1)
		write_others(page);
	if (report->threads_left_out || report->frames_left_out) {
		html_begin(page->html, "p");
		html_attribute_word(page->html, "class", "advice");
		html_printf(page->html, "%zu threads and %zu frames more are in the JSON alone.",
			    report->threads_left_out, report->frames_left_out);
		html_end(page->html, "p");
	}
}

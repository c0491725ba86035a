/* report_facts.c -- what happened: status, reason, system, remarks; texts with their names put back. */
#include "page/report_page.h"

#include "base/clock.h"
#include "why/why.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TITLE_PART_BYTES 200u
#define REMARKS_SHOWN 50u
#define TEXTS_SHOWN 20u
#define CLASSES_SHOWN 500u

/* --- The title ------------------------------------------------------------------------------------- */

static int part(struct text text)
{
	return (int)(text.size < TITLE_PART_BYTES ? text.size : TITLE_PART_BYTES);
}

/* The innermost function of the thread that crashed. */
static struct text innermost(struct report *report)
{
	const struct report_thread *thread = &report->threads[report->crashed];
	struct report_frame frame = { .function = TEXT_NONE };

	if (thread->count)
		report_frame_read(report, report_place(report, thread, 0)->at, &frame);
	return report_frame_function(&frame);
}

static struct text what_happened(const struct report *report)
{
	if (report->facts.reason.size)
		return report->facts.reason;
	if (report->crashed != REPORT_NOTHING && report->threads[report->crashed].exception_type.size)
		return report->threads[report->crashed].exception_type;
	return report->facts.crashed ? TEXT("Crash") : TEXT("Stack");
}

struct text report_facts_title(struct report *report)
{
	struct text what = what_happened(report);
	struct text function;
	char *title;

	if (report->facts.status.size && !text_is(report->facts.status, "completed"))
		return TEXT("No report");
	if (report->crashed == REPORT_NOTHING)
		return report->facts.texts_at ? TEXT("Stack") : TEXT("Report");
	function = innermost(report);
	if (!function.size)
		return what;
	title = arena_printf(&report->arena, "%.*s in %.*s", part(what), what.bytes, part(function), function.bytes);
	if (!title)
		report->json.no_memory = true;
	return title ? text_of(title) : what;
}

/* --- Facts ----------------------------------------------------------------------------------------- */

static void write_fact(struct html_writer *html, const char *name, struct text value)
{
	if (!value.size)
		return;
	html_element(html, "dt", NULL, text_of(name));
	html_element(html, "dd", NULL, value);
}

static void write_time(struct html_writer *html, const char *name, int64_t at)
{
	char when[CLOCK_TEXT_BYTES];

	clock_format_utc(at, when);
	write_fact(html, name, text_of(when));
}

static void write_system(struct html_writer *html, const struct report_facts *facts)
{
	const struct text parts[] = { facts->os_name, facts->os_version, facts->os_build };

	if (facts->os_name.size || facts->os_version.size) {
		html_element(html, "dt", NULL, TEXT("System"));
		html_begin(html, "dd");
		for (size_t i = 0; i < COUNT(parts); i++) {
			html_text(html, parts[i]);
			html_word(html, parts[i].size ? " " : "");
		}
		html_end(html, "dd");
	}
	write_fact(html, "Processor", text_is(facts->arch, "unknown") ? TEXT_NONE : facts->arch);
	write_fact(html, "Device", facts->device);
}

static void write_list(struct report_page *page)
{
	const struct report_facts *facts = &page->report->facts;
	struct html_writer *html = page->html;

	html_begin(html, "dl");
	html_attribute_word(html, "class", "facts");
	write_fact(html, "Status", facts->status.size ? facts->status : TEXT("completed"));
	write_fact(html, "Reason", facts->reason);
	write_fact(html, "Details", facts->details);
	write_fact(html, "Assertion", facts->assertion);
	if (facts->has_signal) {
		html_element(html, "dt", NULL, TEXT("Signal"));
		html_begin(html, "dd");
		html_u64(html, facts->signal);
		html_end(html, "dd");
	}
	if (facts->has_timestamp && facts->timestamp <= INT32_MAX)
		write_time(html, "When", (int64_t)facts->timestamp);
	write_system(html, facts);
	write_fact(html, "Asked for", page->report->view->kind);
	if (page->report->view->kept_until > 0)
		write_time(html, "Kept until", page->report->view->kept_until);
	html_end(html, "dl");
}

/* --- What went wrong --------------------------------------------------------------------------------- */

static void write_problem(struct report_page *page, const char *what, struct text details)
{
	struct html_writer *html = page->html;

	html_begin(html, "p");
	html_attribute_word(html, "class", "problem");
	html_word(html, what);
	if (details.size) {
		html_word(html, ": ");
		html_text(html, details);
	}
	html_end(html, "p");
}

static void write_trouble(struct report_page *page)
{
	const struct report_facts *facts = &page->report->facts;
	struct why_words words = why_answer(facts->status);

	if (page->report->refusal.kind != ERR_NONE)
		write_problem(page, "The answer is damaged, or of a kind this page does not know",
			      text_of(page->report->refusal.text));
	else if (facts->status.size && !text_is(facts->status, "completed"))
		write_problem(page, words.meaning, facts->message);
	else if (page->report->shape == REPORT_SHAPELESS && !facts->texts_at)
		write_problem(page, "There is no stack in this answer. Its JSON is all there is", TEXT_NONE);
	if (facts->status.size && words.advice)
		html_element(page->html, "p", "advice", text_of(words.advice));
}

static void write_remarks(struct report_page *page)
{
	struct json_reader reader = report_json_at(&page->report->json, page->report->facts.remarks_at);
	struct text remark;

	if (!page->report->facts.remarks_at || !json_reader_array(&reader))
		return;
	html_begin(page->html, "ul");
	html_attribute_word(page->html, "class", "remarks");
	for (size_t i = 0; i < REMARKS_SHOWN && json_reader_element(&reader); i++) {
		(void)report_json_text(&page->report->json, &reader, REPORT_TEXT_BYTES, &remark);
		html_element(page->html, "li", NULL, remark);
	}
	html_end(page->html, "ul");
}

/* --- Java's ------------------------------------------------------------------------------------------ */

struct java_text { struct text text; uint64_t left_alone; bool has_left_alone; };

static const struct report_member text_members[] = {
	{ REPORT_NAME("text"), REPORT_LONG, offsetof(struct java_text, text), 0, NULL, 0 },
	{ REPORT_NAME("lines_left_alone"), REPORT_NUMBER, offsetof(struct java_text, left_alone),
	  offsetof(struct java_text, has_left_alone), NULL, 0 },
};

static void write_texts(struct report_page *page)
{
	struct json_reader reader = report_json_at(&page->report->json, page->report->facts.texts_at);
	struct html_writer *html = page->html;

	if (!page->report->facts.texts_at || !json_reader_array(&reader))
		return;
	for (size_t i = 0; i < TEXTS_SHOWN && json_reader_element(&reader); i++) {
		struct java_text text = { .has_left_alone = false };

		report_json_object(&page->report->json, &reader, text_members, COUNT(text_members), &text);
		html_begin(html, "pre");
		html_attribute_word(html, "class", "text");
		html_attribute_word(html, "tabindex", "0");
		html_flag(html, "data-copy");
		html_text(html, text.text);
		html_end(html, "pre");
		if (text.left_alone > 0) {
			html_begin(html, "p");
			html_attribute_word(html, "class", "advice");
			html_printf(html, "%llu lines were not asked for: they would have become too much.",
				    (unsigned long long)text.left_alone);
			html_end(html, "p");
		}
	}
}

static void write_exceptions(struct report_page *page)
{
	static const struct report_member members[] = {
		{ REPORT_NAME("type"), REPORT_TEXT, 0, 0, NULL, 0 },
		{ REPORT_NAME("module"), REPORT_TEXT, sizeof(struct text), 0, NULL, 0 },
	};
	struct json_reader reader = report_json_at(&page->report->json, page->report->facts.exceptions_at);
	struct html_writer *html = page->html;
	size_t count = 0;

	if (!page->report->facts.exceptions_at || !json_reader_array(&reader))
		return;
	for (; count < REMARKS_SHOWN && json_reader_element(&reader); count++) {
		struct text exception[2] = { TEXT_NONE, TEXT_NONE };

		report_json_object(&page->report->json, &reader, members, COUNT(members), exception);
		if (count == 0)
			html_begin(html, "ul");
		html_begin(html, "li");
		html_text(html, exception[1]);
		html_word(html, exception[1].size ? "." : "");
		html_text(html, exception[0]);
		html_end(html, "li");
	}
	if (count)
		html_end(html, "ul");
}

/* Names of classes as they were, and as they are. */
static void write_classes(struct report_page *page)
{
	struct json_reader reader = report_json_at(&page->report->json, page->report->facts.classes_at);
	struct html_writer *html = page->html;
	struct json_string name;
	struct text original;
	size_t count = 0;

	if (!page->report->facts.classes_at || !json_reader_object(&reader))
		return;
	for (; count < CLASSES_SHOWN && json_reader_member(&reader, &name); count++) {
		if (count == 0) {
			html_element(html, "h2", NULL, TEXT("Classes"));
			html_begin(html, "dl");
			html_attribute_word(html, "class", "facts");
		}
		(void)report_json_text(&page->report->json, &reader, REPORT_TEXT_BYTES, &original);
		html_element(html, "dt", NULL, report_json_string(&page->report->json, &name, REPORT_TEXT_BYTES));
		html_element(html, "dd", NULL, original);
	}
	if (count)
		html_end(html, "dl");
}

void report_facts_write(struct report_page *page)
{
	write_trouble(page);
	write_list(page);
	write_remarks(page);
	write_exceptions(page);
	write_texts(page);
	write_classes(page);
}

/* report_table.c -- the modules, what became of each candidate, and what kept frames from being found. */
#include "page/live.h"
#include "page/report_page.h"

#include "why/why.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ATTEMPTS_SHOWN 200u

/* --- Candidates ------------------------------------------------------------------------------------ */

struct report_candidate {
	struct text source, location, status, details, debug, debug_details, unwind, unwind_details;
};

#define CANDIDATE(field) offsetof(struct report_candidate, field)

static const struct report_member download_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, CANDIDATE(status), 0, NULL, 0 },
	{ REPORT_NAME("details"), REPORT_TEXT, CANDIDATE(details), 0, NULL, 0 },
};
static const struct report_member debug_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, CANDIDATE(debug), 0, NULL, 0 },
	{ REPORT_NAME("details"), REPORT_TEXT, CANDIDATE(debug_details), 0, NULL, 0 },
};
static const struct report_member unwind_members[] = {
	{ REPORT_NAME("status"), REPORT_TEXT, CANDIDATE(unwind), 0, NULL, 0 },
	{ REPORT_NAME("details"), REPORT_TEXT, CANDIDATE(unwind_details), 0, NULL, 0 },
};
static const struct report_member candidate_members[] = {
	{ REPORT_NAME("source"), REPORT_TEXT, CANDIDATE(source), 0, NULL, 0 },
	{ REPORT_NAME("location"), REPORT_TEXT, CANDIDATE(location), 0, NULL, 0 },
	{ REPORT_NAME("download"), REPORT_GROUP, 0, 0, download_members, COUNT(download_members) },
	{ REPORT_NAME("debug"), REPORT_GROUP, 0, 0, debug_members, COUNT(debug_members) },
	{ REPORT_NAME("unwind"), REPORT_GROUP, 0, 0, unwind_members, COUNT(unwind_members) },
};

/* "; used for names: it was read (ok), DETAILS" */
static void write_use(struct html_writer *html, const char *purpose, struct text status, struct text details)
{
	if (!status.size)
		return;
	html_word(html, "; used for ");
	html_word(html, purpose);
	html_word(html, ": ");
	html_word(html, why_use(status).meaning);
	if (details.size) {
		html_word(html, ", ");
		html_text(html, details);
	}
}

static void write_candidate(struct report_page *page, const struct report_candidate *candidate)
{
	struct why_words words = why_candidate(candidate->status);
	struct html_writer *html = page->html;

	html_begin(html, "li");
	html_element(html, "b", NULL, candidate->status);
	html_word(html, " ");
	html_text(html, candidate->source);
	html_word(html, " ");
	html_element(html, "code", NULL, candidate->location);
	html_word(html, ": ");
	html_word(html, words.meaning);
	if (candidate->details.size) {
		html_word(html, ", ");
		html_text(html, candidate->details);
	}
	write_use(html, "names", candidate->debug, candidate->debug_details);
	write_use(html, "unwinding", candidate->unwind, candidate->unwind_details);
	html_end(html, "li");
}

/* A page shows so many: of one module's the rest, and of later ones all, are in the JSON. */
static void list_candidates(struct report_page *page, struct json_reader *reader)
{
	while (json_reader_element(reader)) {
		struct arena_mark mark = arena_mark(&page->report->arena);
		struct report_candidate candidate = { .source = TEXT_NONE };

		if (page->candidates_left == 0) {
			html_element(page->html, "li", NULL, TEXT("and more, which the JSON has"));
			return;
		}
		report_json_object(&page->report->json, reader, candidate_members, COUNT(candidate_members),
				   &candidate);
		write_candidate(page, &candidate);
		page->candidates_left--;
		arena_rewind(&page->report->arena, mark);
	}
}

static void write_candidates(struct report_page *page, const struct report_module *module)
{
	struct json_reader reader = report_json_at(&page->report->json, module->candidates_at);
	size_t count = report_json_count(&page->report->json, module->candidates_at);
	struct html_writer *html = page->html;

	if (!count || !json_reader_array(&reader))
		return;
	if (!page->candidates_left) {
		html_printf(html, count == 1 ? " %zu place was looked at: the JSON has it."
					     : " %zu places were looked at: the JSON has them.", count);
		return;
	}
	html_begin(html, "details");
	html_attribute_word(html, "class", "candidates");
	html_begin(html, "summary");
	html_printf(html, count == 1 ? "%zu place was looked at" : "%zu places were looked at", count);
	html_end(html, "summary");
	html_begin(html, "ul");
	list_candidates(page, &reader);
	html_end(html, "ul");
	html_end(html, "details");
}

/* --- Modules --------------------------------------------------------------------------------------- */

static void write_id(struct html_writer *html, const char *what, struct text id)
{
	if (!id.size)
		return;
	html_begin(html, "div");
	html_word(html, what);
	html_word(html, " ");
	html_element(html, "code", NULL, id);
	html_end(html, "div");
}

static void write_ids(struct report_page *page, const struct report_module *module)
{
	struct html_writer *html = page->html;

	html_begin(html, "td");
	html_attribute_word(html, "class", "ids");
	write_id(html, "debug id", module->debug_id);
	write_id(html, "code id", module->code_id);
	if (module->code_file.size && module->debug_file.size)
		write_id(html, "debug file", module->debug_file);
	html_end(html, "td");
}

static void write_address(struct report_page *page, const struct report_module *module)
{
	struct html_writer *html = page->html;

	html_begin(html, "td");
	html_attribute_word(html, "class", "address");
	if (module->has_address)
		html_hex(html, module->address);
	if (module->has_size && module->size > 0) {
		html_word(html, " to ");
		html_hex(html, module->address + (module->size - 1));
	}
	if (module->arch.size && !text_is(module->arch, "unknown")) {
		html_word(html, " ");
		html_text(html, module->arch);
	}
	html_end(html, "td");
}

static void write_unwinding(struct report_page *page, const struct report_module *module)
{
	struct why_words words = why_module(module->unwind_status);

	if (!module->unwind_status.size || words.is_good || text_equal(module->unwind_status, module->status))
		return;
	html_begin(page->html, "div");
	html_word(page->html, "for unwinding: ");
	html_text(page->html, module->unwind_status);
	html_word(page->html, ", ");
	html_word(page->html, words.meaning);
	html_end(page->html, "div");
}

/* To what the service remembers of it, where an operator asks again. */
static void write_failures_link(struct report_page *page, const struct report_module *module)
{
	struct text name = text_basename(module->code_file.size ? module->code_file : module->debug_file);
	struct html_writer *html = page->html;

	if (report_module_class(module) != REPORT_MODULE_BAD || name.size == 0 || name.size > LIVE_FILTER_BYTES_MAX)
		return;
	html_begin(html, "div");
	html_begin(html, "a");
	html_value_begin(html, "href");
	html_value_word(html, page->look->root);
	html_value_word(html, "ui/op/failures?module=");
	html_value_part(html, name);
	html_value_end(html);
	html_word(html, "Ask again, as an operator");
	html_end(html, "a");
	html_end(html, "div");
}

static void write_status(struct report_page *page, const struct report_module *module)
{
	struct why_words words = why_module(module->status);
	struct html_writer *html = page->html;

	html_begin(html, "td");
	html_attribute_word(html, "class", "status");
	html_element(html, "b", NULL, module->status);
	html_word(html, ": ");
	html_word(html, words.meaning);
	if (module->details.size) {
		html_word(html, ", ");
		html_text(html, module->details);
	}
	write_unwinding(page, module);
	if (words.advice)
		html_element(html, "div", "advice", text_of(words.advice));
	write_failures_link(page, module);
	write_candidates(page, module);
	html_end(html, "td");
}

static void write_row(struct report_page *page, size_t index)
{
	static const char *const classes[] = {
		[REPORT_MODULE_BAD] = "bad", [REPORT_MODULE_GOOD] = "good", [REPORT_MODULE_UNUSED] = "unused",
	};
	const struct report_module *module = &page->report->modules[index];
	struct text path = module->code_file.size ? module->code_file : module->debug_file;
	struct html_writer *html = page->html;

	html_begin(html, "tr");
	html_value_begin(html, "id");
	html_value_word(html, "m");
	html_value_u64(html, index);
	html_value_end(html);
	html_attribute_word(html, "class", classes[report_module_class(module)]);
	html_begin(html, "th");
	html_attribute_word(html, "scope", "row");
	html_text(html, path.size ? path : report_module_name(module));
	html_end(html, "th");
	write_status(page, module);
	write_ids(page, module);
	write_address(page, module);
	html_end(html, "tr");
}

static void write_head(struct html_writer *html, const char *const *names, size_t count)
{
	html_begin(html, "thead");
	html_begin(html, "tr");
	for (size_t i = 0; i < count; i++) {
		html_begin(html, "th");
		html_attribute_word(html, "scope", "col");
		html_word(html, names[i]);
		html_end(html, "th");
	}
	html_end(html, "tr");
	html_end(html, "thead");
}

/* A table that scrolls by itself where the window is narrow; `id` is its heading's. */
static void begin_table(struct html_writer *html, const char *id, const char *class, const char *const *names,
			size_t count)
{
	html_begin(html, "div");
	html_attribute_word(html, "class", "scroll");
	html_attribute_word(html, "role", "region");
	html_attribute_word(html, "aria-labelledby", id);
	html_attribute_word(html, "tabindex", "0");
	html_begin(html, "table");
	html_attribute_word(html, "class", class);
	write_head(html, names, count);
	html_begin(html, "tbody");
}

static void end_table(struct html_writer *html)
{
	html_end(html, "tbody");
	html_end(html, "table");
	html_end(html, "div");
}

static void begin_heading(struct html_writer *html, const char *id)
{
	html_begin(html, "h2");
	html_attribute_word(html, "id", id);
}

static void write_module_pages(struct report_page *page, size_t from, size_t to)
{
	const struct report *report = page->report;

	if (from == 0 && to == report->module_count)
		return;
	html_begin(page->html, "nav");
	html_attribute_word(page->html, "class", "pages");
	html_attribute_word(page->html, "aria-label", "Modules");
	if (from > 0) {
		report_links_modules(page, from > REPORT_PAGE_MODULES ? from - REPORT_PAGE_MODULES : 0);
		html_word(page->html, "Modules before these");
		html_end(page->html, "a");
	}
	html_word(page->html, " ");
	if (to < report->module_count) {
		report_links_modules(page, to);
		html_printf(page->html, "%zu more modules", report->module_count - to);
		html_end(page->html, "a");
	}
	html_end(page->html, "nav");
}

static size_t count_bad(const struct report *report)
{
	size_t count = 0;

	while (count < report->module_count &&
	       report_module_class(&report->modules[report->order[count]]) == REPORT_MODULE_BAD)
		count++;
	return count;
}

void report_table_modules(struct report_page *page)
{
	static const char *const names[] = { "Module", "What became of its debug file", "Ids", "Address" };
	const struct report *report = page->report;
	size_t from = report->view->modules_from < report->module_count ? report->view->modules_from : 0;
	size_t to = report->module_count - from > REPORT_PAGE_MODULES ? from + REPORT_PAGE_MODULES
								      : report->module_count;
	size_t bad = count_bad(report);

	if (!report->module_count)
		return;
	begin_heading(page->html, "modules");
	html_printf(page->html, "Modules (%zu)", report->module_count + report->modules_left_out);
	html_end(page->html, "h2");
	html_begin(page->html, "p");
	if (bad)
		html_printf(page->html, "%zu of those that frames need %s not what they should be.", bad,
			    bad == 1 ? "is" : "are");
	else
		html_word(page->html, "All that frames need have debug files.");
	html_end(page->html, "p");
	begin_table(page->html, "modules", "modules", names, COUNT(names));
	for (size_t row = from; row < to; row++)
		write_row(page, report->order[row]);
	end_table(page->html);
	write_module_pages(page, from, to);
}

/* --- Errors of JavaScript and of Java -------------------------------------------------------------- */

static void write_error_place(struct html_writer *html, const struct report_error *error)
{
	html_text(html, error->abs_path.size ? error->abs_path : error->uuid);
	if (error->has_line)
		html_printf(html, ":%llu", (unsigned long long)error->line);
	if (error->has_column)
		html_printf(html, ":%llu", (unsigned long long)error->column);
}

static void write_error(struct report_page *page, size_t index)
{
	const struct report_error *error = &page->report->errors[index];
	struct why_words words = error->uuid.size ? why_mapping(error->type) : why_js_error(error->type);
	struct text of = error->source.size ? error->source : error->sourcemap.size ? error->sourcemap : error->url;
	struct html_writer *html = page->html;

	html_begin(html, "tr");
	html_value_begin(html, "id");
	html_value_word(html, "e");
	html_value_u64(html, index);
	html_value_end(html);
	html_begin(html, "th");
	html_attribute_word(html, "scope", "row");
	write_error_place(html, error);
	html_end(html, "th");
	html_begin(html, "td");
	html_attribute_word(html, "class", "status");
	html_element(html, "b", NULL, error->type);
	html_word(html, ": ");
	html_word(html, words.meaning);
	if (of.size) {
		html_word(html, " ");
		html_element(html, "code", NULL, of);
	}
	html_end(html, "td");
	html_begin(html, "td");
	html_word(html, words.advice ? words.advice : "");
	html_end(html, "td");
	html_end(html, "tr");
}

static void write_errors(struct report_page *page)
{
	static const char *const names[] = { "File", "What became of it", "What to do" };

	if (!page->report->error_count)
		return;
	begin_heading(page->html, "errors");
	html_word(page->html, "What was missing");
	html_end(page->html, "h2");
	begin_table(page->html, "errors", "errors", names, COUNT(names));
	for (size_t i = 0; i < page->report->error_count; i++)
		write_error(page, i);
	end_table(page->html);
}

/* --- Files that were looked for by URL --------------------------------------------------------------- */

struct report_attempt { struct text url, status, reason, details; };

#define ATTEMPT(field) offsetof(struct report_attempt, field)

static const struct report_member attempt_members[] = {
	{ REPORT_NAME("url"), REPORT_TEXT, ATTEMPT(url), 0, NULL, 0 },
	{ REPORT_NAME("status"), REPORT_TEXT, ATTEMPT(status), 0, NULL, 0 },
	{ REPORT_NAME("reason"), REPORT_TEXT, ATTEMPT(reason), 0, NULL, 0 },
	{ REPORT_NAME("details"), REPORT_TEXT, ATTEMPT(details), 0, NULL, 0 },
};

static void write_attempt(struct report_page *page, const struct report_attempt *attempt)
{
	struct text word = attempt->reason.size ? attempt->reason : attempt->status;
	struct html_writer *html = page->html;

	html_begin(html, "tr");
	html_begin(html, "th");
	html_attribute_word(html, "scope", "row");
	html_text(html, attempt->url);
	html_end(html, "th");
	html_begin(html, "td");
	html_attribute_word(html, "class", "status");
	html_element(html, "b", NULL, word);
	html_word(html, ": ");
	html_word(html, why_scraping(word).meaning);
	if (attempt->details.size) {
		html_word(html, ", ");
		html_text(html, attempt->details);
	}
	html_end(html, "td");
	html_end(html, "tr");
}

static void write_attempts(struct report_page *page)
{
	static const char *const names[] = { "URL", "What became of it" };
	struct json_reader reader = report_json_at(&page->report->json, page->report->facts.scraping_at);

	if (!report_json_count(&page->report->json, page->report->facts.scraping_at) || !json_reader_array(&reader))
		return;
	begin_heading(page->html, "attempts");
	html_word(page->html, "Files looked for by URL");
	html_end(page->html, "h2");
	begin_table(page->html, "attempts", "errors", names, COUNT(names));
	for (size_t i = 0; i < ATTEMPTS_SHOWN && json_reader_element(&reader); i++) {
		struct arena_mark mark = arena_mark(&page->report->arena);
		struct report_attempt attempt = { .url = TEXT_NONE };

		report_json_object(&page->report->json, &reader, attempt_members, COUNT(attempt_members), &attempt);
		write_attempt(page, &attempt);
		arena_rewind(&page->report->arena, mark);
	}
	end_table(page->html);
}

void report_table_errors(struct report_page *page)
{
	write_errors(page);
	write_attempts(page);
}

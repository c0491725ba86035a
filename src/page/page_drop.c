/* page_drop.c -- the form in which something is dropped, and the pages it stands on. */
#include "page/page.h"

static void begin_field(struct html_writer *html, const char *id, const char *label)
{
	html_begin(html, "p");
	html_begin(html, "label");
	html_attribute_word(html, "for", id);
	html_word(html, label);
	html_end(html, "label");
}

/* Ends the field of begin_field(). */
static void write_hint(struct html_writer *html, const char *id, const char *words)
{
	html_begin(html, "small");
	html_attribute_word(html, "id", id);
	html_word(html, words);
	html_end(html, "small");
	html_end(html, "p");
}

void page_hidden_field(struct html_writer *html, const char *name, struct text value)
{
	html_void(html, "input");
	html_attribute_word(html, "type", "hidden");
	html_attribute_word(html, "name", name);
	html_attribute(html, "value", value);
}

/* --- What is dropped ---------------------------------------------------------------------------- */

static void write_file(struct html_writer *html)
{
	begin_field(html, "file", "A file");
	html_void(html, "input");
	html_attribute_word(html, "type", "file");
	html_attribute_word(html, "id", "file");
	html_attribute_word(html, "name", "file");
	html_attribute_word(html, "aria-describedby", "file-hint");
	write_hint(html, "file-hint", "A minidump, an ELF core, an Apple .crash or .ips, a log with a stack in it, "
		   "or the JSON of a request.");
}

static void write_text(struct html_writer *html)
{
	begin_field(html, "text", "Or its text");
	html_begin(html, "textarea");
	html_attribute_word(html, "id", "text");
	html_attribute_word(html, "name", "text");
	html_attribute_u64(html, "rows", 8);
	html_attribute_word(html, "spellcheck", "false");
	html_attribute_word(html, "autocapitalize", "off");
	html_attribute_word(html, "aria-describedby", "text-hint");
	html_end(html, "textarea");
	write_hint(html, "text-hint", "As gdb, a sanitizer, glibc, Android, Rust, Java, a browser or "
		   "minidump_stackwalk print it.");
}

/* --- What is known of it -------------------------------------------------------------------------- */

static void write_word_field(struct html_writer *html, const char *name, const char *label, const char *hint_id,
			     const char *hint)
{
	begin_field(html, name, label);
	html_void(html, "input");
	html_attribute_word(html, "id", name);
	html_attribute_word(html, "name", name);
	html_attribute_word(html, "autocomplete", "off");
	html_attribute_word(html, "aria-describedby", hint_id);
	write_hint(html, hint_id, hint);
}

static void write_sources(struct html_writer *html, struct text_list sources)
{
	if (sources.count == 0)
		return;
	html_begin(html, "fieldset");
	html_element(html, "legend", NULL, TEXT("Symbol sources"));
	for (size_t i = 0; i < sources.count; i++) {
		html_begin(html, "label");
		html_void(html, "input");
		html_attribute_word(html, "type", "checkbox");
		html_attribute_word(html, "name", "source");
		html_attribute(html, "value", sources.texts[i]);
		html_flag(html, "checked");
		html_word(html, " ");
		html_text(html, sources.texts[i]);
		html_end(html, "label");
		html_word(html, " ");
	}
	html_end(html, "fieldset");
}

static void write_more(struct html_writer *html, const struct page_drop *drop)
{
	html_begin(html, "details");
	html_element(html, "summary", NULL, TEXT("More about it"));
	write_word_field(html, "platform", "Platform", "platform-hint",
			 "native, csharp, java, javascript, cocoa, ...: what the program was written for.");
	write_word_field(html, "release", "Release", "release-hint", "Of JavaScript: whose files these are.");
	write_word_field(html, "mapping", "Mapping id", "mapping-hint",
			 "Of Java: the id of the ProGuard or R8 mapping.");
	write_sources(html, drop->sources);
	html_end(html, "details");
}

void page_drop_form(struct html_writer *html, const struct page_drop *drop)
{
	html_begin(html, "form");
	html_attribute_word(html, "class", "drop");
	html_attribute_word(html, "method", "post");
	html_attribute_word(html, "action", drop->action);
	html_attribute_word(html, "enctype", "multipart/form-data");
	page_hidden_field(html, "token", drop->token);
	write_file(html);
	write_text(html);
	write_more(html, drop);
	html_begin(html, "p");
	html_begin(html, "button");
	html_attribute_word(html, "type", "submit");
	html_word(html, "Read its stack");
	html_end(html, "button");
	html_word(html, " ");
	html_begin(html, "span");
	html_attribute_word(html, "id", "drop-status");
	html_attribute_word(html, "role", "status");
	html_end(html, "span");
	html_end(html, "p");
	html_end(html, "form");
}

/* --- Pages ---------------------------------------------------------------------------------------- */

void page_first(struct html_writer *html, const struct page_look *look, const struct page_drop *drop)
{
	page_begin(html, look);
	html_element(html, "p", "lead",
		     TEXT("Functions, files and lines for its addresses, and for each that has none the reason."));
	page_drop_form(html, drop);
	html_element(html, "p", "note",
		     TEXT("Whoever has a report's address can read and delete it, and nobody else can find it. The "
			  "file itself is deleted as soon as it is read."));
	page_end(html);
}

void page_person(struct html_writer *html, const struct page_look *look, const struct page_drop *drop)
{
	page_begin(html, look);
	html_begin(html, "p");
	html_attribute_word(html, "class", "lead");
	html_word(html, "What you drop here asks in the scope ");
	html_element(html, "code", NULL, drop->scope);
	html_word(html, ": with the files that were kept for it, and for it alone.");
	html_end(html, "p");
	page_drop_form(html, drop);
	page_end(html);
}

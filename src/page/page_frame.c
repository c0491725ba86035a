/* page_frame.c -- what stands around each page. */
#include "page/page.h"

#include "page/page_asset.h"

static void write_meta(struct html_writer *html, const char *name, const char *content)
{
	html_void(html, "meta");
	html_attribute_word(html, "name", name);
	html_attribute_word(html, "content", content);
}

static void write_asset(struct html_writer *html, const char *attribute, const struct page_look *look,
			const char *file)
{
	html_value_begin(html, attribute);
	html_value_word(html, look->root);
	html_value_word(html, "ui/static/");
	html_value_word(html, page_asset_of(file)->name);
	html_value_end(html);
}

/* A gate.  It stands in the page: for any other browsers would send one request more. */
static void write_icon(struct html_writer *html)
{
	html_void(html, "link");
	html_attribute_word(html, "rel", "icon");
	html_attribute_word(html, "href", "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20"
			    "viewBox='0%200%2016%2016'%3E%3Cpath%20d='M2%2015V7a6%206%200%200%201%2012%200v8M6%20"
			    "15V8h4v7'%20fill='none'%20stroke='%234a86dd'%20stroke-width='2'/%3E%3C/svg%3E");
}

static void write_head(struct html_writer *html, const struct page_look *look)
{
	html_begin(html, "head");
	html_void(html, "meta");
	html_attribute_word(html, "charset", "utf-8");
	write_meta(html, "viewport", "width=device-width, initial-scale=1");
	write_meta(html, "color-scheme", "light dark");
	/* No other site is told of a page's address; forms say from where they come (Origin), which they
	 * would not under "no-referrer", the header's word for all that is no page. */
	write_meta(html, "referrer", "same-origin");
	html_begin(html, "title");
	html_text(html, look->title);
	html_word(html, " - symgate");
	html_end(html, "title");
	write_icon(html);
	html_void(html, "link");
	html_attribute_word(html, "rel", "stylesheet");
	write_asset(html, "href", look, "page.css");
	html_begin(html, "script");
	write_asset(html, "src", look, "page.js");
	html_flag(html, "defer");
	html_end(html, "script");
	html_end(html, "head");
}

/* "Skip to content" comes first for whoever goes by keyboard (WCAG 2.2, 2.4.1). */
static void write_skip_link(struct html_writer *html)
{
	html_begin(html, "a");
	html_attribute_word(html, "class", "skip");
	html_attribute_word(html, "href", "#content");
	html_word(html, "Skip to content");
	html_end(html, "a");
	html_word(html, " ");
}

static void write_link(struct html_writer *html, const char *root, const char *path, const char *words)
{
	html_begin(html, "a");
	html_value_begin(html, "href");
	html_value_word(html, *root || *path ? root : "./");
	html_value_word(html, path);
	html_value_end(html);
	html_word(html, words);
	html_end(html, "a");
	html_word(html, " ");                /* for who reads it as text */
}

static void write_banner(struct html_writer *html, const struct page_look *look)
{
	html_begin(html, "header");
	html_begin(html, "nav");
	html_attribute_word(html, "aria-label", "symgate");
	write_link(html, look->root, "", "symgate");
	write_link(html, look->root, "ui/op/", "Service");
	if (look->person.bytes)
		write_link(html, look->root, "ui/op/drop", "Drop");
	html_end(html, "nav");
	if (look->person.bytes)
		html_element(html, "span", "person", look->person);
	html_end(html, "header");
}

void page_begin(struct html_writer *html, const struct page_look *look)
{
	html_doctype(html);
	html_begin(html, "html");
	html_attribute_word(html, "lang", "en");
	write_head(html, look);
	html_begin(html, "body");
	write_skip_link(html);
	write_banner(html, look);
	html_begin(html, "main");
	html_attribute_word(html, "id", "content");
	html_element(html, "h1", NULL, look->title);
}

void page_end(struct html_writer *html)
{
	html_end(html, "main");
	html_end(html, "body");
	html_end(html, "html");
}

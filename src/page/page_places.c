/* page_places.c -- pages that say why there is no other: closed ones, those that take longer; and the form that
 * ends them. */
#include "page/page.h"

void page_closed(struct html_writer *html, const struct page_look *look)
{
	static const char *const steps[] = {
		"Let the web server ask for a password below ui/op/; the examples of deploy/ show how for "
		"lighttpd, nginx and Apache.",
		"Name who may come in, as the web server calls them, in the configuration: web.operators for "
		"those who see and do everything, web.people for those who see what is of their own scope.",
		"Reload symgate.",
	};

	page_begin(html, look);
	html_element(html, "p", "lead", TEXT("This part is for people who are named in the configuration."));
	if (look->person.size > 0) {
		html_begin(html, "p");
		html_word(html, "The web server says that you are ");
		html_element(html, "code", NULL, look->person);
		html_word(html, ", and that name is not among them.");
		html_end(html, "p");
	} else {
		html_element(html, "p", NULL, TEXT("The web server does not say who you are."));
	}
	html_element(html, "h2", NULL, TEXT("How it is opened"));
	html_begin(html, "ol");
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		html_element(html, "li", NULL, text_of(steps[i]));
	html_end(html, "ol");
	page_end(html);
}

void page_deletion_form(struct html_writer *html, const struct page_look *look, struct text id,
			struct text token, const char *words)
{
	html_begin(html, "form");
	html_attribute_word(html, "method", "post");
	html_value_begin(html, "action");
	html_value_word(html, look->root);
	html_value_word(html, "ui/r/");
	html_value_part(html, id);
	html_value_word(html, "/delete");
	html_value_end(html);
	page_hidden_field(html, "token", token);
	html_begin(html, "button");
	html_word(html, words);
	html_end(html, "button");
	html_end(html, "form");
}

void page_waiting(struct html_writer *html, const struct page_look *look, const struct page_wait *wait)
{
	page_begin(html, look);
	html_element(html, "p", "lead",
		     TEXT("Debug files are still being fetched and read. Nothing has to be done here."));
	html_begin(html, "p");
	html_begin(html, "a");
	html_attribute_word(html, "class", "button");
	html_attribute(html, "href", wait->link);
	html_word(html, "Look again");
	html_end(html, "a");
	html_end(html, "p");
	if (wait->token.bytes)
		page_deletion_form(html, look, wait->id, wait->token, "Cancel, and delete what was dropped");
	page_end(html);
}

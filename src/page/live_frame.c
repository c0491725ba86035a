/* live_frame.c -- the links to all pages of the service. */
#include <string.h>

#include "base/html_writer.h"
#include "page/live_table.h"

static void write_place(struct html_writer *html, const char *address, const char *title, bool is_here)
{
	html_begin(html, "li");
	html_begin(html, "a");
	html_attribute_word(html, "href", address);
	if (is_here)
		html_attribute_word(html, "aria-current", "page");
	html_word(html, title);
	html_end(html, "a");
	html_end(html, "li");
}

void live_places(struct html_writer *html, const struct live_view *view, const char *here)
{
	html_begin(html, "nav");
	html_attribute_word(html, "class", "places");
	html_attribute_word(html, "aria-label", "Service");
	html_begin(html, "ul");
	write_place(html, "./", "Overview", !*here);
	for (size_t i = 0; i < live_table_count; i++)
		if (live_find(view, text_of(live_tables[i].name)))
			write_place(html, live_tables[i].name, live_tables[i].title,
				    strcmp(here, live_tables[i].name) == 0);
	if (!view->own.bytes)
		write_place(html, "charts", "Charts", strcmp(here, "charts") == 0);
	html_end(html, "ul");
	html_end(html, "nav");
}

/* html_writer.c -- see html_writer.h. */
#include "base/html_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/url.h"

#define NUMBER_BYTES 32u

void html_writer_init(struct html_writer *html, struct buf *out)
{
	*html = (struct html_writer){ .out = out };
}

void html_doctype(struct html_writer *html)
{
	buf_add_string(html->out, "<!DOCTYPE html>\n");
}

/* Markup that would come out wrong is not sent at all. */
static void refuse(struct html_writer *html)
{
	html->out->failed = true;
}

/* --- Escaping -------------------------------------------------------------------------------- */

/* ASCII that stands for itself in text and in quoted values alike. */
static size_t plain_run(const char *bytes, size_t size)
{
	size_t run = 0;

	while (run < size) {
		unsigned char c = (unsigned char)bytes[run];

		if (c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'')
			break;
		run++;
	}
	return run;
}

static uint32_t decode(const char *bytes, size_t size)
{
	static const uint8_t first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t character = (uint8_t)bytes[0] & first_bits[size];

	for (size_t i = 1; i < size; i++)
		character = character << 6 | ((uint8_t)bytes[i] & 0x3f);
	return character;
}

/* What is obeyed or unseen instead of read: controls, what turns the direction of writing (Unicode
 * Standard Annex 9), what has no width, separators, and the noncharacters HTML forbids. */
static bool is_obeyed(uint32_t character)
{
	static const struct { uint32_t first, last; } ranges[] = {
		{ 0x00, 0x08 }, { 0x0b, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfdd0, 0xfdef },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return (character & 0xfffe) == 0xfffe;
}

static void add_character(struct buf *out, const char *bytes, size_t size, bool valid)
{
	uint32_t character;

	if (!valid) {
		buf_add_string(out, "\xef\xbf\xbd");    /* U+FFFD */
		return;
	}
	character = decode(bytes, size);
	if (is_obeyed(character))
		buf_printf(out, "[U+%04" PRIX32 "]", character);
	else
		buf_add(out, bytes, size);
}

static const char *reference_of(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	}
	return NULL;
}

/* A test switches it off: is the page's policy enough by itself? */
#ifdef HTML_WRITER_ESCAPES_NOTHING
#define IS_ESCAPED false
#else
#define IS_ESCAPED true
#endif

static void add_escaped(struct buf *out, struct text text)
{
	size_t at = IS_ESCAPED ? 0 : text.size;

	buf_add(out, text.bytes, at);
	while (at < text.size) {
		const char *here = text.bytes + at;
		size_t size = plain_run(here, text.size - at);
		const char *reference = size ? NULL : reference_of(*here);
		bool valid = true;

		if (size) {
			buf_add(out, here, size);
		} else if (reference) {
			buf_add_string(out, reference);
			size = 1;
		} else {
			size = utf8_step(here, text.size - at, &valid);
			add_character(out, here, size, valid);
		}
		at += size;
	}
}

/* --- Elements -------------------------------------------------------------------------------- */

/* Ends the tag that attributes could follow.  A newline at the beginning of these is not content. */
static void end_tag(struct html_writer *html)
{
	const char *element = html->depth ? html->open[html->depth - 1] : "";

	if (html->in_value)
		refuse(html);
	if (!html->in_tag)
		return;
	html->in_tag = false;
	buf_add_char(html->out, '>');
	if (strcmp(element, "pre") == 0 || strcmp(element, "textarea") == 0)
		buf_add_char(html->out, '\n');
}

static void begin_tag(struct html_writer *html, const char *element)
{
	end_tag(html);
	buf_add_char(html->out, '<');
	buf_add_string(html->out, element);
	if (html->depth == HTML_DEPTH_MAX)
		refuse(html);
	else
		html->open[html->depth++] = element;
	html->in_tag = true;
}

void html_begin(struct html_writer *html, const char *element)
{
	begin_tag(html, element);
}

void html_end(struct html_writer *html, const char *element)
{
	end_tag(html);
	if (html->depth == 0 || strcmp(html->open[html->depth - 1], element) != 0) {
		refuse(html);
		return;
	}
	html->depth--;
	buf_add_string(html->out, "</");
	buf_add_string(html->out, element);
	buf_add_char(html->out, '>');
}

/* Attributes still follow: its tag ends where the next thing begins. */
void html_void(struct html_writer *html, const char *element)
{
	end_tag(html);
	buf_add_char(html->out, '<');
	buf_add_string(html->out, element);
	html->in_tag = true;
}

void html_element(struct html_writer *html, const char *element, const char *class, struct text text)
{
	html_begin(html, element);
	if (class)
		html_attribute_word(html, "class", class);
	html_text(html, text);
	html_end(html, element);
}

/* --- Attributes ------------------------------------------------------------------------------ */

void html_value_begin(struct html_writer *html, const char *name)
{
	if (!html->in_tag || html->in_value)
		refuse(html);
	html->in_value = true;
	buf_add_char(html->out, ' ');
	buf_add_string(html->out, name);
	buf_add_string(html->out, "=\"");
}

void html_value(struct html_writer *html, struct text text)
{
	if (!html->in_value)
		refuse(html);
	add_escaped(html->out, text);
}

void html_value_word(struct html_writer *html, const char *word)
{
	html_value(html, text_of(word));
}

void html_value_u64(struct html_writer *html, uint64_t number)
{
	char digits[NUMBER_BYTES];

	snprintf(digits, sizeof(digits), "%" PRIu64, number);
	html_value_word(html, digits);
}

void html_value_part(struct html_writer *html, struct text text)
{
	if (!html->in_value)
		refuse(html);
	url_add_escaped(html->out, text, "");
}

void html_value_end(struct html_writer *html)
{
	if (!html->in_value)
		refuse(html);
	html->in_value = false;
	buf_add_char(html->out, '"');
}

void html_attribute(struct html_writer *html, const char *name, struct text value)
{
	html_value_begin(html, name);
	html_value(html, value);
	html_value_end(html);
}

void html_attribute_word(struct html_writer *html, const char *name, const char *value)
{
	html_attribute(html, name, text_of(value));
}

void html_attribute_u64(struct html_writer *html, const char *name, uint64_t value)
{
	html_value_begin(html, name);
	html_value_u64(html, value);
	html_value_end(html);
}

void html_flag(struct html_writer *html, const char *name)
{
	if (!html->in_tag || html->in_value)
		refuse(html);
	buf_add_char(html->out, ' ');
	buf_add_string(html->out, name);
}

bool html_address(struct html_writer *html, const char *name, struct text url)
{
	static const char *const schemes[] = { "https://", "http://" };

	for (size_t i = 0; i < 2; i++) {
		size_t size = strlen(schemes[i]);

		if (url.size > size &&
		    text_equal_ignoring_case((struct text){ url.bytes, size }, text_of(schemes[i]))) {
			html_attribute(html, name, url);
			return true;
		}
	}
	return false;
}

/* --- Text ------------------------------------------------------------------------------------ */

void html_text(struct html_writer *html, struct text text)
{
	end_tag(html);
	add_escaped(html->out, text);
}

void html_word(struct html_writer *html, const char *word)
{
	html_text(html, text_of(word));
}

void html_u64(struct html_writer *html, uint64_t number)
{
	html_printf(html, "%" PRIu64, number);
}

void html_hex(struct html_writer *html, uint64_t number)
{
	html_printf(html, "0x%" PRIx64, number);
}

/* What is printed is short; arguments that are somebody's text go through html_text() instead. */
void html_printf(struct html_writer *html, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	html_word(html, text);
}

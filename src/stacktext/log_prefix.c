/*
 * log_prefix.c -- what loggers put before a line: a time, a process, a tag.
 *
 *	01-02 03:04:05.678  1234  1240 F DEBUG   : #00 pc ...      logcat, and its "E/Tag( 1234): "
 *	Jan 02 03:04:05 host shop[123]: #0 0x...                   syslog, journalctl
 *	2024-01-02T03:04:05.678Z stderr F #0 0x...                 containers
 *	2024-01-02 03:04:05,678 at ...                             others
 *	web-1  | at pay (...)                                      docker compose
 */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

#define TAG_BYTES 64u                /* before the bar or the colon */

static bool is_made_of(struct text word, const char *others, char must)
{
	if (word.size < 5 || !ascii_is_digit(word.bytes[0]) || !memchr(word.bytes, must, word.size))
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!ascii_is_digit(word.bytes[i]) && (!word.bytes[i] || !strchr(others, word.bytes[i])))
			return false;
	return true;
}

static bool is_time(struct text word)
{
	return is_made_of(word, ":.,+Z", ':');
}

static bool is_month(struct text word)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (size_t i = 0; word.size == 3 && i + 3 <= sizeof(months) - 1; i += 3)
		if (memcmp(word.bytes, months + i, 3) == 0)
			return true;
	return false;
}

/* Up to and with ": ", which is not far. */
static bool take_tag(struct text *rest)
{
	struct text near = before(*rest, rest->size < TAG_BYTES ? rest->size : TAG_BYTES);
	const char *colon = near.size > 0 ? memmem(near.bytes, near.size, ": ", 2) : NULL;

	if (!colon)
		return false;
	*rest = after(*rest, (size_t)(colon - rest->bytes) + 2);
	return true;
}

static bool is_level(struct text word)
{
	return word.size == 1 && strchr("VDIWEFA", word.bytes[0]) && word.bytes[0];
}

/* "1234  1240 F DEBUG   : " behind logcat's time. */
static void take_logcat(struct text *rest)
{
	struct text tried = *rest, level;
	uint64_t number;

	for (unsigned i = 0; i < 2; i++) {
		if (!take_decimal(&tried, &number) || tried.size == 0 || tried.bytes[0] != ' ')
			return;
		skip_blanks(&tried);
	}
	level = take_word(&tried);
	if (is_level(level) && take_tag(&tried))
		*rest = tried;
}

static void take_stream(struct text *rest)
{
	struct text tried = *rest;

	if ((take(&tried, "stdout ") || take(&tried, "stderr ")) && (take(&tried, "F ") || take(&tried, "P ")))
		*rest = tried;
}

/* False: it does not begin with a time. */
static bool take_time(struct text *rest)
{
	struct text tried = *rest, first = take_word(&tried), second = take_word(&tried);
	struct text behind = *rest;

	if (is_month(first)) {
		if (!is_time(take_word(&tried)))
			return false;
		(void)take_tag(&tried);
	} else if (is_made_of(first, "-/", '-') && is_time(second)) {
		take_logcat(&tried);
	} else if (is_made_of(first, "-:.,+TZ", 'T')) {
		(void)take_word(&behind);
		tried = behind;
		take_stream(&tried);
	} else {
		return false;
	}
	*rest = tried;
	return true;
}

/* "E/AndroidRuntime( 1234): " */
static bool take_brief(struct text *rest)
{
	struct text tried = *rest;

	if (tried.size < 2 || !is_level(before(tried, 1)) || tried.bytes[1] != '/' || !take_tag(&tried) ||
	    tried.bytes[-3] != ')')
		return false;
	*rest = tried;
	return true;
}

/* "web-1  | " */
static bool take_bar(struct text *rest)
{
	struct text tried = *rest, name = take_word(&tried);

	if (name.size == 0 || name.size > TAG_BYTES || ascii_is_digit(name.bytes[0]) || !take(&tried, "| "))
		return false;
	*rest = tried;
	return true;
}

struct text log_prefix_skip(struct text line)
{
	struct text rest = line;

	(void)take_bar(&rest);
	if (!take_time(&rest))
		(void)take_brief(&rest);
	return text_trim(rest);
}

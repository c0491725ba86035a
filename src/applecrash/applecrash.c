/* applecrash.c -- see applecrash.h: which form it is, names of systems. */
#include "applecrash/applecrash_internal.h"

#include "base/err.h"

int applecrash_read(struct applecrash *report, struct text text, struct arena *arena,
		    struct err *err)
{
	struct text trimmed = text_trim(text);

	*report = (struct applecrash){ .has_timestamp = false };
	if (!text_is_utf8(text))
		return err_set(err, ERR_MALFORMED, "the report is not UTF-8");
	return trimmed.size > 0 && trimmed.bytes[0] == '{'
	       ? applecrash_read_ips(report, text, arena, err)
	       : applecrash_read_text(report, text, arena, err);
}

/* --- Systems ------------------------------------------------------------------------------ */

static bool is_version(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_digit(text.bytes[i]) && text.bytes[i] != '.')
			return false;
	return text.size > 0 && ascii_is_digit(text.bytes[0]);
}

/* Takes the last word off; false: there is none before it. */
static bool take_last_word(struct text *text, struct text *word)
{
	size_t at = text->size;

	while (at > 0 && text->bytes[at - 1] != ' ')
		at--;
	if (at == 0)
		return false;
	*word = (struct text){ text->bytes + at, text->size - at };
	*text = text_trim((struct text){ text->bytes, at });
	return text->size > 0;
}

static struct text todays_name(struct text name)
{
	if (text_is(name, "Mac OS X") || text_is(name, "OS X"))
		return TEXT("macOS");
	if (text_is(name, "iPhone OS") || text_is(name, "iOS"))
		return TEXT("iOS");
	if (text_is(name, "Watch OS"))
		return TEXT("watchOS");
	return name;
}

struct applecrash_system applecrash_system_of(struct text os_version)
{
	const struct applecrash_system unsplit = { os_version, TEXT(""), TEXT("") };
	struct text name = text_trim(os_version), version, build = TEXT("");

	if (!os_version.bytes)
		return (struct applecrash_system){ TEXT(""), TEXT(""), TEXT("") };
	if (!take_last_word(&name, &version))
		return unsplit;
	if (version.size > 2 && version.bytes[0] == '(' && version.bytes[version.size - 1] == ')') {
		build = (struct text){ version.bytes + 1, version.size - 2 };
		if (!take_last_word(&name, &version))
			return unsplit;
	}
	if (!is_version(version))
		return unsplit;
	return (struct applecrash_system){ todays_name(name), version, build };
}

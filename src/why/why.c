/* why.c -- see why.h.  The words are those of doc/api. */
#include "why/why.h"

#include <stddef.h>

struct why_entry {
	const char *word;
	struct why_words words;
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct why_words find(const struct why_entry *entries, size_t count, struct text word)
{
	static const struct why_words unknown = { "it says no more than that", NULL, false };

	for (size_t i = 0; i < count; i++)
		if (text_is(word, entries[i].word))
			return entries[i].words;
	return unknown;
}

struct why_words why_frame(struct text status)
{
	static const struct why_entry entries[] = {
		{ "symbolicated", { "there is a name", NULL, true } },
		{ "missing_symbol", { "the debug file was read and knows nothing at this address",
			"Does the debug file belong to this build, and was it stripped?", false } },
		{ "unknown_image", { "no module covers this address",
			"Send all modules with image_addr and image_size; code made at run time has none.",
			false } },
		{ "missing", { "the module's debug file was not had",
			"The module's row says where it was looked for.", false } },
		{ "malformed", { "the module's debug file could not be read",
			"The module's row says where it is damaged.", false } },
	};

	return find(entries, COUNT(entries), status);
}

struct why_words why_module(struct text status)
{
	static const struct why_entry entries[] = {
		{ "found", { "a debug file was read", NULL, true } },
		{ "unused", { "no frame needs it", NULL, true } },
		{ "missing", { "no source has its debug file",
			"Put the debug file of this very build, by its ids, where a source looks for it "
			"(symgate sort), and ask again.", false } },
		{ "fetching_failed", { "a source refused or failed",
			"See what the source answered; it is asked again by itself after a while.", false } },
		{ "timeout", { "a source did not answer in time",
			"Ask again: what was fetched since then is kept.", false } },
		{ "malformed", { "the debug file is damaged",
			"Put a whole one in its place; symgate object info FILE tells where it is damaged.",
			false } },
		{ "unsupported", { "the debug file is of a kind that cannot help",
			"Look for one of another kind, a Portable PDB for .NET for example.", false } },
		{ "other", { "something of the service's own was in the way", "The service's log has it.",
			false } },
	};

	return find(entries, COUNT(entries), status);
}

struct why_words why_candidate(struct text status)
{
	static const struct why_entry entries[] = {
		{ "ok", { "it was had", NULL, true } },
		{ "notfound", { "it is not there", NULL, false } },
		{ "noperm", { "the source refused it",
			"See the credentials the source is configured with.", false } },
		{ "error", { "the source failed", "It is asked again by itself after a while.", false } },
		{ "malformed", { "what came is damaged", "Put a whole one in its place.", false } },
	};

	return find(entries, COUNT(entries), status);
}

struct why_words why_use(struct text status)
{
	static const struct why_entry entries[] = {
		{ "ok", { "it was read", NULL, true } },
		{ "malformed", { "it is damaged", "Put a whole one in its place.", false } },
		{ "error", { "it could not be read", NULL, false } },
	};

	return find(entries, COUNT(entries), status);
}

struct why_words why_js_error(struct text type)
{
	static const struct why_entry entries[] = {
		{ "invalid_location", { "the source map has nothing at this line and column",
			"Is the map of this very build?", false } },
		{ "missing_source", { "the minified file cannot be had",
			"Upload it with its map, under the release or the debug id of the request.", false } },
		{ "missing_sourcemap", { "the minified file names a source map that cannot be had",
			"Upload the map, under the release or the debug id of the request.", false } },
		{ "malformed_sourcemap", { "the source map makes no sense",
			"Build it again; symgate sourcemap tells where it is damaged.", false } },
		{ "missing_source_content", { "the original source is neither in the map nor anywhere else",
			"Build the map with sourcesContent, or upload the sources.", false } },
		{ "scraping_disabled", { "it could only be fetched from the web, which is not allowed",
			"Upload it, or allow its origin (scraping.allowed_origins).", false } },
	};

	return find(entries, COUNT(entries), type);
}

struct why_words why_scraping(struct text word)
{
	static const struct why_entry entries[] = {
		{ "not_attempted", { "it was found elsewhere", NULL, true } },
		{ "success", { "it was had", NULL, true } },
		{ "failure", { "it was not had", NULL, false } },
		{ "not_found", { "it is not there", NULL, false } },
		{ "permission_denied", { "its server refused it", "Send scraping.headers along.", false } },
		{ "timeout", { "its server did not answer in time", NULL, false } },
		{ "download_error", { "its server failed", NULL, false } },
		{ "disabled", { "the request does not let us fetch it",
			"Upload it, or let scraping.enabled be true.", false } },
		{ "invalid_host", { "it may not be fetched from there",
			"List its origin in scraping.allowed_origins.", false } },
		{ "other", { "it could not be fetched", NULL, false } },
	};

	return find(entries, COUNT(entries), word);
}

struct why_words why_mapping(struct text type)
{
	static const struct why_entry entries[] = {
		{ "missing", { "no source has the mapping",
			"Put the mapping of this very build, by its UUID, where a source looks for it "
			"(symgate object info MAPPING tells the UUID).", false } },
		{ "invalid", { "it is no mapping, cannot be unpacked or is too large",
			"Put the mapping.txt of ProGuard or R8 in its place.", false } },
	};

	return find(entries, COUNT(entries), type);
}

struct why_words why_trust(struct text trust)
{
	static const struct why_entry entries[] = {
		{ "context", { "from the registers", NULL, true } },
		{ "prewalked", { "as the crash file has it", NULL, true } },
		{ "cfi", { "by the unwind rules of the module", NULL, true } },
		{ "cfiscan", { "by unwind rules, after a search of the stack", NULL, false } },
		{ "fp", { "by the frame pointer", NULL, true } },
		{ "scan", { "by a search of the stack: it may be none",
			"With the module's file there are unwind rules.", false } },
		{ "none", { "nothing tells how", NULL, false } },
	};

	return find(entries, COUNT(entries), trust);
}

struct why_words why_answer(struct text status)
{
	static const struct why_entry entries[] = {
		{ "completed", { "it was symbolicated", NULL, true } },
		{ "pending", { "it is not ready yet", "Load this page again in a while.", true } },
		{ "failed", { "it could not be read", NULL, false } },
		{ "timeout", { "it was not ready in time",
			"Ask again: what was fetched since then is kept.", false } },
		{ "internal_error", { "something of the service's own was in the way",
			"Ask again; the service's log has the reason.", false } },
	};

	return find(entries, COUNT(entries), status);
}

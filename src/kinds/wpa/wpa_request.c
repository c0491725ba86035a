/* wpa_request.c -- path and headers of a request, and what they decide by themselves. */
#include "kinds/wpa/wpa.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"

#define EXCEEDS "If-Version-Exceeds"
#define ACCEPT "Accept"

/* Clients say the first, the documentation the second. */
const char *const wpa_request_headers[] = {
	EXCEEDS, "Accept-Retry-After", "Allow-Retry-After", ACCEPT, NULL
};

struct headers {
	struct text exceeds, accept;
	unsigned exceeds_count;
	bool may_retry;
};

static void take_header(struct headers *headers, struct text line)
{
	const char *colon = memchr(line.bytes, ':', line.size);
	struct text name = { line.bytes, colon ? (size_t)(colon - line.bytes) : line.size };
	struct text value = colon ? text_trim(text_from(line, name.size + 1)) : TEXT_NONE;

	if (text_is(name, EXCEEDS)) {
		headers->exceeds = value;
		headers->exceeds_count++;
	} else if (text_is(name, ACCEPT)) {
		headers->accept = value;
	} else if (name.size > 0) {
		headers->may_retry |= text_equal_ignoring_case(value, TEXT("true"));
	}
}

static bool names(struct text list, const char *word)
{
	return list.size > 0 && memmem(list.bytes, list.size, word, strlen(word)) != NULL;
}

int wpa_folders(struct work *work, const char *folders[WPA_FOLDERS], struct err *err)
{
	char *sent = arena_printf(&work->arena, "%s/symcache",
				  work->config->state_dir);
	int count = 0;

	if (!sent)
		return err_no_memory(err);
	if (access(sent, F_OK) == 0)
		folders[count++] = sent;
	if (work->config->wpa_folder)
		folders[count++] = work->config->wpa_folder;
	return count;
}

/* Those whose files the client can read. */
static int list_makes(struct wpa *wpa, struct work *work, struct err *err)
{
	const struct config *config = work->config;

	wpa->makes = arena_alloc(&work->arena, config->transcoder_count + 1, sizeof(*wpa->makes));
	if (!wpa->makes)
		return err_no_memory(err);
	for (size_t i = 0; i < config->transcoder_count; i++)
		if (config->transcoders[i].version.major <= wpa->path.version.major)
			wpa->makes[wpa->make_count++].transcoder = &config->transcoders[i];
	return 0;
}

static void refuse(struct wpa *wpa, const char *words)
{
	wpa->outcome = WPA_REFUSED;
	wpa->words = words;
}

static void read_exceeds(struct wpa *wpa, const struct headers *headers)
{
	const char *words = headers->exceeds_count > 1 ? WPA_EXCEEDS_TWICE
		: headers->exceeds_count == 1
		  ? wpa_exceeds_read(headers->exceeds, &wpa->path.version, &wpa->exceeds) : NULL;

	wpa->has_exceeds = headers->exceeds_count == 1;
	if (words)
		refuse(wpa, words);
}

/* The gate: what nobody here could answer is no, whatever the headers say. */
static int pass(struct wpa *wpa, struct work *work, struct err *err)
{
	static const struct semver oldest = { .major = 3 };
	const char *folders[WPA_FOLDERS];
	int count;

	if (semver_compare(&wpa->path.version, &oldest) <= 0)
		return 0;
	if (list_makes(wpa, work, err) < 0)
		return -1;
	count = wpa_folders(work, folders, err);
	return count < 0 ? -1 : wpa->make_count > 0 || count > 0;
}

int wpa_request_read(struct wpa *wpa, struct work *work, struct text body, struct err *err)
{
	struct headers headers = { .exceeds_count = 0 };
	struct text line, path;
	const char *query;
	int passed;

	if (!text_take_line(&body, &line))
		line = TEXT_NONE;
	query = line.size ? memchr(line.bytes, '?', line.size) : NULL;
	path = (struct text){ line.bytes, query ? (size_t)(query - line.bytes) : line.size };
	while (text_take_line(&body, &line))
		take_header(&headers, line);
	wpa->may_retry = headers.may_retry;
	wpa->wants_json = names(headers.accept, "application/json") && !names(headers.accept, "*/*") &&
			  !names(headers.accept, "text/plain");
	passed = wpa_path_read(path, &work->arena, &wpa->path, err);
	if (passed > 0)
		passed = pass(wpa, work, err);
	if (passed == 0)
		wpa->outcome = WPA_NOT_FOUND;
	else if (passed > 0)
		read_exceeds(wpa, &headers);
	return passed < 0 ? -1 : 0;
}

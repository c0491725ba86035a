/*
 * cli_sources.c -- see sources.h.
 *
 * The body is changed as text, since a parsed one has lost what numbers looked like.
 */
#include "cli/cli_sources.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"

static const char *const layouts[] = {
	"unified", "native", "symstore", "symstore_index2", "ssqp", "debuginfod", "slashsymbols",
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

/* Where a folder keeps files of a layout below itself. */
static const struct { const char *folder, *layout; } inner[] = {
	{ ".build-id", "native" }, { "buildid", "debuginfod" },
};

/* An unknown word before the colon is part of the path. */
static const char *take_layout(const char **symbols)
{
	for (size_t i = 0; i < LAYOUTS; i++) {
		size_t size = strlen(layouts[i]);

		if (strncmp(*symbols, layouts[i], size) == 0 && (*symbols)[size] == ':') {
			*symbols += size + 1;
			return layouts[i];
		}
	}
	return NULL;
}

static void add_source(unsigned number, const char *folder, const char *below, const char *layout,
		       struct buf *out)
{
	char path[PATH_MAX + 32], id[64];
	struct json_writer json;

	snprintf(path, sizeof(path), "%s%s%s", folder, below[0] ? "/" : "", below);
	snprintf(id, sizeof(id), "local:cli%u:%s%s", number, below, layout);
	if (out->size > 0)
		buf_add_char(out, ',');
	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "type", "filesystem");
	json_member_string(&json, "id", number == 0 ? "local:cli" : id);
	json_member_string(&json, "path", path);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", layout);
	json_object_end(&json);
	json_object_end(&json);
}

int sources_local(const char *symbols, unsigned number, char folder[PATH_MAX], struct buf *out,
		  struct err *err)
{
	const char *layout = take_layout(&symbols);
	char below[PATH_MAX + 32];
	struct stat st;

	if (!realpath(symbols, folder) || stat(folder, &st) < 0)
		return err_os(err, errno, "--symbols %s", symbols);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "--symbols %s is not a folder", symbols);
	if (layout) {
		add_source(number, folder, "", layout, out);
		return buf_check(out, err) < 0 ? -1 : 0;
	}
	for (size_t i = 0; i < LAYOUTS; i++)
		add_source(number, folder, "", layouts[i], out);
	for (size_t i = 0; i < sizeof(inner) / sizeof(inner[0]); i++) {
		snprintf(below, sizeof(below), "%s/%s", folder, inner[i].folder);
		if (stat(below, &st) == 0 && S_ISDIR(st.st_mode))
			add_source(number, folder, inner[i].folder, inner[i].layout, out);
	}
	return buf_check(out, err) < 0 ? -1 : 1;
}

#define URL_BYTES 4096u
#define SERVER_TYPES 4u

/* What a server without a layout is asked for, by the layout its kind has. */
static const struct { const char *layout, *types[SERVER_TYPES]; } servers[] = {
	{ "debuginfod", { "elf_code", "elf_debug" } },
	{ "symstore", { "pe", "pdb", "portablepdb", "breakpad" } },
};

static void add_server(unsigned number, const char *url, const char *layout,
		       const char *const types[SERVER_TYPES], struct buf *out)
{
	bool is_debuginfod = strcmp(layout, "debuginfod") == 0;
	char whole[URL_BYTES], id[64];
	struct json_writer json;

	snprintf(id, sizeof(id), "cli:server%u:%s", number, layout);
	/* People name such a server by what stands before the folder of build ids. */
	if (is_debuginfod && !text_ends_with(text_of(url), "/buildid/") &&
	    !text_ends_with(text_of(url), "/buildid"))
		snprintf(whole, sizeof(whole), "%s%sbuildid/", url,
			 text_ends_with(text_of(url), "/") ? "" : "/");
	else
		snprintf(whole, sizeof(whole), "%s", url);
	if (out->size > 0)
		buf_add_char(out, ',');
	json_writer_init(&json, out);
	json_object(&json);
	json_member_string(&json, "type", "http");
	json_member_string(&json, "id", id);
	json_member_string(&json, "url", whole);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", layout);
	json_object_end(&json);
	if (types) {
		json_key(&json, "filters");
		json_object(&json);
		json_key(&json, "filetypes");
		json_array(&json);
		for (size_t i = 0; i < SERVER_TYPES && types[i]; i++)
			json_string(&json, types[i]);
		json_array_end(&json);
		json_object_end(&json);
	}
	json_object_end(&json);
}

int sources_remote(const char *server, unsigned number, struct buf *out, struct err *err)
{
	const char *url = server, *layout = take_layout(&url);

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return err_set(err, ERR_BAD_REQUEST, "--source %s: a URL begins with http:// or https://",
			       server);
	if (strlen(url) > URL_BYTES - sizeof("/buildid/"))
		return err_set(err, ERR_BAD_REQUEST, "--source: the URL is too long");
	if (layout)
		add_server(number, url, layout, NULL, out);
	for (size_t i = 0; !layout && i < sizeof(servers) / sizeof(servers[0]); i++)
		add_server(number, url, servers[i].layout, servers[i].types, out);
	return buf_check(out, err);
}

static size_t skip_blanks(struct text json, size_t at)
{
	while (at < json.size && strchr(" \t\r\n", json.bytes[at]))
		at++;
	return at;
}

/* Past the string that begins at `at`. */
static size_t skip_string(struct text json, size_t at)
{
	for (at++; at < json.size && json.bytes[at] != '"'; at++)
		at += json.bytes[at] == '\\';
	return at < json.size ? at + 1 : json.size;
}

/* Past the value that begins at `at`. */
static size_t skip_value(struct text json, size_t at)
{
	size_t depth = 0;

	while (at < json.size) {
		char c = json.bytes[at];

		if (c == '"') {
			at = skip_string(json, at);
			continue;
		}
		if (depth == 0 && (c == ',' || c == '}' || c == ']'))
			break;
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		at++;
	}
	return at;
}

/* Where the value of the top object's "sources" begins; 0: it has none. */
static size_t find_sources(struct text json, size_t at)
{
	static const char key[] = "\"sources\"";

	for (;;) {
		size_t begin = skip_blanks(json, at), end;

		if (begin >= json.size || json.bytes[begin] != '"')
			return 0;
		end = skip_string(json, begin);
		at = skip_blanks(json, end) + 1;             /* past the colon */
		at = skip_blanks(json, at);
		if (end - begin == sizeof(key) - 1 && memcmp(json.bytes + begin, key, end - begin) == 0)
			return at;
		at = skip_value(json, at);
		if (at >= json.size || json.bytes[at] != ',')
			return 0;
		at++;
	}
}

void sources_list(struct text source, struct text array, struct buf *out)
{
	size_t first = skip_blanks(array, 1);

	buf_add_char(out, '[');
	buf_add_text(out, source);
	if (first < array.size && array.bytes[first] != ']')
		buf_add_char(out, ',');
	buf_add(out, array.bytes + 1, array.size - 1);
}

void sources_add(struct text body, struct text source, struct text defaults, struct buf *out)
{
	size_t open = skip_blanks(body, 0), at;

	if (open >= body.size || body.bytes[open] != '{') {
		buf_add_text(out, body);
		return;
	}
	at = find_sources(body, open + 1);
	if (at > 0 && body.bytes[at] == '[') {
		buf_add(out, body.bytes, at);
		sources_list(source, (struct text){ body.bytes + at, body.size - at }, out);
		return;
	}
	if (at > 0 && text_starts_with((struct text){ body.bytes + at, body.size - at }, "null")) {
		buf_add(out, body.bytes, at);
		sources_list(source, defaults, out);
		buf_add(out, body.bytes + at + 4, body.size - at - 4);
		return;
	}
	if (at > 0) {                        /* of the wrong shape: let it be refused */
		buf_add_text(out, body);
		return;
	}
	buf_add(out, body.bytes, open + 1);
	buf_add_string(out, "\"sources\":");
	sources_list(source, defaults, out);
	at = skip_blanks(body, open + 1);
	if (at < body.size && body.bytes[at] != '}')
		buf_add_char(out, ',');
	buf_add(out, body.bytes + open + 1, body.size - open - 1);
}

/* buildid_request.c -- see buildid_request.h. */
#include "kinds/debuginfod/buildid_request.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "work/work.h"

const char *const buildid_headers[] = {
	"X-Debuginfod-Maxsize", "X-Forwarded-For", "Via", "REMOTE_ADDR", NULL
};

static const char *const artifacts[BUILDID_ARTIFACTS] = {
	[BUILDID_DEBUGINFO] = "debuginfo", [BUILDID_EXECUTABLE] = "executable",
	[BUILDID_SOURCE] = "source", [BUILDID_SECTION] = "section",
};

/* --- The path ------------------------------------------------------------------------------------ */

/* "%2e" is a dot; what is no escape stays as it is. */
static int decode(struct text coded, struct arena *arena, struct text *path, struct err *err)
{
	char *bytes = arena_alloc_raw(arena, coded.size + 1, 1);
	size_t size = 0;

	if (!bytes)
		return err_no_memory(err);
	for (size_t i = 0; i < coded.size; i++) {
		int high = -1, low = -1;

		if (coded.bytes[i] == '%' && coded.size - i > 2) {
			high = ascii_hex_value(coded.bytes[i + 1]);
			low = ascii_hex_value(coded.bytes[i + 2]);
		}
		bytes[size] = (char)(high < 0 || low < 0 ? coded.bytes[i] : high << 4 | low);
		i += high < 0 || low < 0 ? 0 : 2;
		if (bytes[size++] == '\0')
			return err_set(err, ERR_BAD_REQUEST, "a NUL byte in the path");
	}
	bytes[size] = '\0';
	*path = (struct text){ bytes, size };
	return 0;
}

/* Up to the next slash, which stays. */
static struct text take_component(struct text *path)
{
	const char *slash = memchr(path->bytes, '/', path->size);
	struct text component = { path->bytes, slash ? (size_t)(slash - path->bytes) : path->size };

	*path = text_from(*path, component.size);
	return component;
}

static bool is_build_id(struct text id)
{
	if (id.size < 2 || id.size % 2 != 0 || id.size > BUILDID_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < id.size; i++)
		if (!ascii_is_digit(id.bytes[i]) && (id.bytes[i] < 'a' || id.bytes[i] > 'f'))
			return false;
	return true;
}

static bool take_artifact(struct text word, enum buildid_artifact *artifact)
{
	for (unsigned i = 0; i < BUILDID_ARTIFACTS; i++) {
		if (text_is(word, artifacts[i])) {
			*artifact = (enum buildid_artifact)i;
			return true;
		}
	}
	return false;
}

/* Checked in this order. */
static const char *read_path(struct buildid_request *request, struct text path)
{
	request->id = take_component(&path);
	if (path.size == 0)
		return "/buildid/ webapi error, need buildid";
	path = text_from(path, 1);
	if (!take_artifact(take_component(&path), &request->artifact))
		return "invalid artifacttype";
	if (request->artifact == BUILDID_SOURCE && path.size == 0)
		return "invalid source suffix";
	if (request->artifact == BUILDID_SECTION && path.size < 2)
		return "invalid section suffix";
	request->name = request->artifact == BUILDID_SECTION ? text_from(path, 1) : path;
	return is_build_id(request->id) ? NULL : "invalid buildid";
}

/* --- Dot segments -------------------------------------------------------------------------------- */

static size_t drop_last(const char *bytes, size_t size)
{
	while (size > 0 && bytes[size - 1] != '/')
		size--;
	return size > 0 ? size - 1 : 0;
}

int buildid_request_canonical(struct text path, struct arena *arena, struct text *canonical, struct err *err)
{
	char *bytes = arena_alloc_raw(arena, path.size + 2, 1);
	bool ends_open = false;                      /* with a slash */
	size_t size = 0;

	if (!bytes)
		return err_no_memory(err);
	while (path.size > 0) {
		struct text segment;

		path = text_from(path, path.bytes[0] == '/');
		segment = take_component(&path);
		ends_open = segment.size == 0 || text_is(segment, ".") || text_is(segment, "..");
		if (text_is(segment, ".."))
			size = drop_last(bytes, size);
		if (ends_open)
			continue;
		bytes[size++] = '/';
		memcpy(bytes + size, segment.bytes, segment.size);
		size += segment.size;
	}
	if (ends_open || size == 0)
		bytes[size++] = '/';
	*canonical = (struct text){ bytes, size };
	return 0;
}

/* --- Headers ------------------------------------------------------------------------------------- */

/* Blanks, a sign, digits; what follows them does not count. */
static uint64_t read_size(struct text value)
{
	struct text number = text_trim(value);
	uint64_t size = 0;

	if (text_starts_with(number, "+"))
		number = text_from(number, 1);
	for (size_t i = 0; i < number.size && ascii_is_digit(number.bytes[i]); i++)
		if (__builtin_mul_overflow(size, (uint64_t)10, &size) ||
		    __builtin_add_overflow(size, (uint64_t)(number.bytes[i] - '0'), &size))
			return UINT64_MAX;
	return size;
}

static void read_header(struct buildid_request *request, struct text line)
{
	const char *colon = memchr(line.bytes, ':', line.size);
	struct text name = { line.bytes, colon ? (size_t)(colon - line.bytes) : 0 };
	struct text value = text_trim(text_from(line, colon ? name.size + 1 : line.size));

	if (text_is(name, "X-Debuginfod-Maxsize"))
		request->bytes_max = read_size(value);
	else if (text_is(name, "X-Forwarded-For"))
		request->forwarded_for = value;
	else if (text_is(name, "Via"))
		request->via = value;
	else if (text_is(name, "REMOTE_ADDR"))
		request->peer = value;
}

int buildid_request_read(struct buildid_request *request, struct text body, struct arena *arena,
			 struct err *err)
{
	const char *query = memchr(body.bytes, '?', body.size);
	struct text coded = { body.bytes, query ? (size_t)(query - body.bytes) : body.size };
	struct text rest = text_from(body, coded.size), line, path = TEXT_NONE;

	*request = (struct buildid_request){ .artifact = BUILDID_DEBUGINFO };
	if (decode(coded, arena, &path, err) < 0)
		return -1;
	(void)text_take_line(&rest, &line);          /* the query says nothing here */
	while (text_take_line(&rest, &line))
		read_header(request, line);
	request->refusal = read_path(request, path);
	if (request->refusal || request->artifact != BUILDID_SOURCE)
		return 0;
	return buildid_request_canonical(request->name, arena, &request->canonical, err);
}

/*
 * multipart.c -- see multipart.h.
 *
 *  1. Input goes through `kept`, from whose beginning everything is told or dropped that cannot be
 *     part of what is looked for; so it always has room for more.
 *  2. A line break before a delimiter belongs to the delimiter.  The first one need not have it: the
 *     body is read as if a line break came before it.
 */
#include "front/multipart.h"

#include <string.h>

#include "base/err.h"

/* --- Content-Type and Content-Disposition --------------------------------------------------------- */

static struct text trim(struct text text)
{
	while (text.size > 0 && ascii_is_blank(text.bytes[0])) {
		text.bytes++;
		text.size--;
	}
	while (text.size > 0 && ascii_is_blank(text.bytes[text.size - 1]))
		text.size--;
	return text;
}

/* Up to the next semicolon outside of quotes; what follows it stays in *left. */
static struct text take_parameter(struct text *left)
{
	struct text parameter = { left->bytes, 0 };
	bool is_quoted = false;

	while (parameter.size < left->size && (is_quoted || left->bytes[parameter.size] != ';')) {
		char c = left->bytes[parameter.size++];

		if (c == '"')
			is_quoted = !is_quoted;
		else if (c == '\\' && is_quoted && parameter.size < left->size)
			parameter.size++;
	}
	left->bytes += parameter.size + (parameter.size < left->size);
	left->size -= parameter.size + (parameter.size < left->size);
	return trim(parameter);
}

/* The value of one of the parameters, quotes and all; TEXT_NONE: there is none of that name. */
static struct text find_parameter(struct text left, struct text name)
{
	while (left.size > 0) {
		struct text parameter = take_parameter(&left);
		const char *equals = memchr(parameter.bytes, '=', parameter.size);
		size_t size = equals ? (size_t)(equals - parameter.bytes) : 0;

		if (equals && text_equal_ignoring_case(trim((struct text){ parameter.bytes, size }), name))
			return trim((struct text){ equals + 1, parameter.size - size - 1 });
	}
	return TEXT_NONE;
}

static bool is_boundary(struct text boundary)
{
	if (boundary.size == 0 || boundary.size > MULTIPART_BOUNDARY_MAX)
		return false;
	for (size_t i = 0; i < boundary.size; i++)
		if (boundary.bytes[i] < ' ' || boundary.bytes[i] > '~' || boundary.bytes[i] == '"' ||
		    boundary.bytes[i] == '\\')
			return false;
	return true;
}

bool multipart_boundary(struct text content_type, struct text *boundary)
{
	struct text left = content_type;

	if (!content_type.bytes ||
	    !text_equal_ignoring_case(take_parameter(&left), TEXT("multipart/form-data")))
		return false;
	*boundary = find_parameter(left, TEXT("boundary"));
	if (boundary->size >= 2 && boundary->bytes[0] == '"' &&
	    boundary->bytes[boundary->size - 1] == '"')
		*boundary = (struct text){ boundary->bytes + 1, boundary->size - 2 };
	return is_boundary(*boundary);
}

static int bad(struct err *err, const char *what)
{
	return err_set(err, ERR_BAD_REQUEST, "%s", what);
}

/* Without quotes; `\"` and `\\` are what they stand for. */
static int keep_name(struct multipart *multipart, struct text value, struct err *err)
{
	bool is_quoted = value.size >= 2 && value.bytes[0] == '"' && value.bytes[value.size - 1] == '"';
	size_t at = is_quoted, end = value.size - is_quoted;

	multipart->name_size = 0;
	while (at < end) {
		if (is_quoted && value.bytes[at] == '\\' && at + 1 < end)
			at++;
		if (multipart->name_size == sizeof(multipart->name))
			return err_set(err, ERR_BAD_REQUEST, "the name of a part has more than %u bytes",
				       MULTIPART_NAME_BYTES);
		multipart->name[multipart->name_size++] = value.bytes[at++];
	}
	return 0;
}

static int read_header(struct multipart *multipart, struct text line, struct err *err)
{
	const char *colon = memchr(line.bytes, ':', line.size);
	struct text value, type;

	if (!colon)
		return bad(err, "a header of a part has no colon");
	value = (struct text){ colon + 1, line.size - (size_t)(colon - line.bytes) - 1 };
	line.size = (size_t)(colon - line.bytes);
	if (!text_equal_ignoring_case(line, TEXT("Content-Disposition")))
		return 0;
	type = take_parameter(&value);
	if (!text_equal_ignoring_case(type, TEXT("form-data")))
		return bad(err, "the Content-Disposition of a part is not form-data");
	value = find_parameter(value, TEXT("name"));
	return value.bytes ? keep_name(multipart, value, err) : 0;
}

/* Lines that each end with a line break. */
static int read_headers(struct multipart *multipart, struct text headers, struct err *err)
{
	multipart->name_size = 0;
	while (headers.size > 0) {
		const char *end = memmem(headers.bytes, headers.size, "\r\n", 2);
		struct text line = { headers.bytes, end ? (size_t)(end - headers.bytes) : headers.size };
		size_t taken = line.size + (end ? 2 : 0);

		if (read_header(multipart, line, err) < 0)
			return -1;
		headers.bytes += taken;
		headers.size -= taken;
	}
	return 0;
}

/* --- States ----------------------------------------------------------------------------------------- */

static void drop(struct multipart *multipart, size_t size)
{
	multipart->kept_size -= size;
	memmove(multipart->kept, multipart->kept + size, multipart->kept_size);
	multipart->searched = multipart->searched > size ? multipart->searched - size : 0;
}

/* Where the delimiter begins, or how many bytes do not belong to one for sure. */
static size_t find_delimiter(const struct multipart *multipart, bool *is_found)
{
	const char *found = memmem(multipart->kept, multipart->kept_size, multipart->delimiter,
				   multipart->delimiter_size);

	*is_found = found != NULL;
	if (found)
		return (size_t)(found - multipart->kept);
	return multipart->kept_size < multipart->delimiter_size ? 0
	       : multipart->kept_size - (multipart->delimiter_size - 1);
}

/* Each returns 1 when it went on, 0 when more input is needed, -1. */
static int go_to_delimiter(struct multipart *multipart, struct err *err)
{
	bool is_data = multipart->state == MULTIPART_DATA, is_found;
	size_t size = find_delimiter(multipart, &is_found);

	if (is_data && size > 0 &&
	    multipart->events->data(multipart->events->payload, (struct text){ multipart->kept, size }, err) < 0)
		return -1;
	drop(multipart, size + (is_found ? multipart->delimiter_size : 0));
	if (!is_found)
		return 0;
	if (is_data && multipart->events->end(multipart->events->payload, err) < 0)
		return -1;
	multipart->state = MULTIPART_DELIMITER;
	return 1;
}

/* After the boundary: "--" ends the body, blanks and a line break begin a part. */
static int read_delimiter(struct multipart *multipart, struct err *err)
{
	size_t blanks = 0;

	if (multipart->kept_size < 2)
		return 0;
	if (memcmp(multipart->kept, "--", 2) == 0) {
		multipart->state = MULTIPART_EPILOGUE;
		return 1;
	}
	while (blanks < multipart->kept_size &&
	       (multipart->kept[blanks] == ' ' || multipart->kept[blanks] == '\t'))
		blanks++;
	if (blanks > MULTIPART_BOUNDARY_MAX)
		return bad(err, "a boundary is followed by too many blanks");
	if (multipart->kept_size < blanks + 2)
		return 0;
	if (memcmp(multipart->kept + blanks, "\r\n", 2) != 0)
		return bad(err, "a boundary is not followed by the end of its line");
	if (++multipart->parts > MULTIPART_PARTS_MAX)
		return err_set(err, ERR_BAD_REQUEST, "more than %u parts", MULTIPART_PARTS_MAX);
	drop(multipart, blanks);             /* the line break stays: the empty line may come at once */
	multipart->searched = 0;
	multipart->state = MULTIPART_HEADERS;
	return 1;
}

/* From the line break after the boundary to the empty line. */
static int take_headers(struct multipart *multipart, struct err *err)
{
	const char *end = memmem(multipart->kept + multipart->searched,
				 multipart->kept_size - multipart->searched, "\r\n\r\n", 4);
	size_t size = end ? (size_t)(end - multipart->kept) : multipart->kept_size;

	if (size > MULTIPART_HEADERS_BYTES)
		return err_set(err, ERR_BAD_REQUEST, "the headers of a part have more than %u bytes",
			       MULTIPART_HEADERS_BYTES);
	if (!end) {
		multipart->searched = size > 3 ? size - 3 : 0;
		return 0;
	}
	if (read_headers(multipart, size > 2 ? (struct text){ multipart->kept + 2, size - 2 }
					     : TEXT(""), err) < 0)
		return -1;
	drop(multipart, size + 4);
	if (multipart->events->begin(multipart->events->payload,
				     (struct text){ multipart->name, multipart->name_size }, err) < 0)
		return -1;
	multipart->state = MULTIPART_DATA;
	return 1;
}

static int go_on(struct multipart *multipart, struct err *err)
{
	switch (multipart->state) {
	case MULTIPART_PREAMBLE:
	case MULTIPART_DATA:
		return go_to_delimiter(multipart, err);
	case MULTIPART_DELIMITER:
		return read_delimiter(multipart, err);
	case MULTIPART_HEADERS:
		return take_headers(multipart, err);
	default:
		multipart->kept_size = 0;
		return 0;
	}
}

void multipart_init(struct multipart *multipart, struct text boundary,
		    const struct multipart_events *events)
{
	*multipart = (struct multipart){ .events = events, .state = MULTIPART_PREAMBLE };
	memcpy(multipart->delimiter, "\r\n--", 4);
	memcpy(multipart->delimiter + 4, boundary.bytes, boundary.size);
	multipart->delimiter_size = boundary.size + 4;
	memcpy(multipart->kept, "\r\n", 2);
	multipart->kept_size = 2;
}

int multipart_add(struct multipart *multipart, struct text bytes, struct err *err)
{
	while (bytes.size > 0) {
		size_t capacity = sizeof(multipart->kept) - multipart->kept_size;
		size_t size = bytes.size < capacity ? bytes.size : capacity;
		int went_on;

		memcpy(multipart->kept + multipart->kept_size, bytes.bytes, size);
		multipart->kept_size += size;
		bytes.bytes += size;
		bytes.size -= size;
		do
			went_on = go_on(multipart, err);
		while (went_on > 0);
		if (went_on < 0)
			return -1;
	}
	return 0;
}

int multipart_end(const struct multipart *multipart, struct err *err)
{
	static const char *const missing[] = {
		[MULTIPART_PREAMBLE] = "the body has no part: its boundary is missing",
		[MULTIPART_DELIMITER] = "the body ends after a boundary",
		[MULTIPART_HEADERS] = "the body ends in the headers of a part",
		[MULTIPART_DATA] = "the body ends in a part: its last boundary is missing",
		[MULTIPART_EPILOGUE] = NULL,
	};

	return missing[multipart->state] ? bad(err, missing[multipart->state]) : 0;
}

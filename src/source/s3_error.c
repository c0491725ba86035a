/*
 * s3_error.c -- what S3 says in an error's body decides what the failure is.
 *
 * The body is XML of one shape; we look for the two elements and undo the five entities.
 */
#include "source/s3.h"

#include <stdio.h>

#include "base/err.h"
#include "base/limits.h"

static const char *const denials[] = {
	"AuthorizationHeaderMalformed", "AuthorizationQueryParametersError", "AccessDenied",
	"SignatureDoesNotMatch", "InvalidAccessKeyId",
};
static const char *const absences[] = { "NoSuchBucket", "NoSuchKey", "NotFound" };

static const struct { const char *entity; char character; } entities[] = {
	{ "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' }, { "&apos;", '\'' },
	{ "&#34;", '"' }, { "&#39;", '\'' }, { "&#xA;", ' ' },
};

static const char *find(struct text text, const char *needle)
{
	return text.size ? memmem(text.bytes, text.size, needle, strlen(needle)) : NULL;
}

/* One character of the text at `at`, which moves past it. */
static char read_character(struct text text, size_t *at)
{
	struct text rest = { text.bytes + *at, text.size - *at };

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (text_starts_with(rest, entities[i].entity)) {
			*at += strlen(entities[i].entity);
			return entities[i].character;
		}
	++*at;
	return (uint8_t)rest.bytes[0] < ' ' ? ' ' : rest.bytes[0];
}

/* The text of the first <name>; "" when there is none. */
static void read_element(struct text xml, const char *name, char out[ERR_TEXT_BYTES])
{
	char mark[32];
	const char *begin, *end;
	struct text text;
	size_t at = 0, size = 0;

	out[0] = '\0';
	snprintf(mark, sizeof(mark), "<%s>", name);
	begin = find(xml, mark);
	if (!begin)
		return;
	begin += strlen(mark);
	snprintf(mark, sizeof(mark), "</%s>", name);
	end = find((struct text){ begin, (size_t)(xml.bytes + xml.size - begin) }, mark);
	if (!end)
		return;
	text = (struct text){ begin, (size_t)(end - begin) };
	while (at < text.size && size + 1 < ERR_TEXT_BYTES)
		out[size++] = read_character(text, &at);
	out[size] = '\0';
}

static bool is_among(const char *code, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(code, list[i]) == 0)
			return true;
	return false;
}

static enum err_kind kind_of(unsigned status, const char *code)
{
	if (is_among(code, denials, sizeof(denials) / sizeof(denials[0])))
		return ERR_DENIED;
	if (is_among(code, absences, sizeof(absences) / sizeof(absences[0])))
		return ERR_NOT_FOUND;
	if (status == 401 || status == 403)
		return ERR_DENIED;
	return status == 404 ? ERR_NOT_FOUND : ERR_DOWNLOAD;
}

void s3_judge(unsigned status, struct text body, struct err *err)
{
	char code[ERR_TEXT_BYTES], message[ERR_TEXT_BYTES];
	enum err_kind kind;

	if (!find(body, "<Error>") && !find(body, "<Error "))
		body = TEXT_NONE;
	read_element(body, "Code", code);
	read_element(body, "Message", message);
	kind = kind_of(status, code);
	if (code[0] && message[0])
		err_set(err, kind, "%s: %s", code, message);
	else if (code[0])
		err_set(err, kind, "%s", code);
	else if (message[0])
		err_set(err, kind, "%u: %s", status, message);
	else if (status == 302)
		err_set(err, kind, "302 Found");
	else
		err->kind = kind;            /* its text is the status line already */
}

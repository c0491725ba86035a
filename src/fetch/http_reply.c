/* http_reply.c -- see http_reply.h. */
#include "fetch/http_reply.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

static const struct { unsigned status; const char *reason; } reasons[] = {
	{ 100, "Continue" }, { 101, "Switching Protocols" }, { 102, "Processing" },
	{ 200, "OK" }, { 201, "Created" }, { 202, "Accepted" },
	{ 203, "Non Authoritative Information" }, { 204, "No Content" }, { 205, "Reset Content" },
	{ 206, "Partial Content" }, { 207, "Multi-Status" }, { 208, "Already Reported" },
	{ 226, "IM Used" },
	{ 300, "Multiple Choices" }, { 301, "Moved Permanently" }, { 302, "Found" },
	{ 303, "See Other" }, { 304, "Not Modified" }, { 305, "Use Proxy" },
	{ 307, "Temporary Redirect" }, { 308, "Permanent Redirect" },
	{ 400, "Bad Request" }, { 401, "Unauthorized" }, { 402, "Payment Required" },
	{ 403, "Forbidden" }, { 404, "Not Found" }, { 405, "Method Not Allowed" },
	{ 406, "Not Acceptable" }, { 407, "Proxy Authentication Required" },
	{ 408, "Request Timeout" }, { 409, "Conflict" }, { 410, "Gone" },
	{ 416, "Range Not Satisfiable" }, { 429, "Too Many Requests" },
	{ 500, "Internal Server Error" }, { 501, "Not Implemented" }, { 502, "Bad Gateway" },
	{ 503, "Service Unavailable" }, { 504, "Gateway Timeout" },
	{ 505, "HTTP Version Not Supported" }, { 506, "Variant Also Negotiates" },
	{ 507, "Insufficient Storage" }, { 508, "Loop Detected" }, { 510, "Not Extended" },
	{ 511, "Network Authentication Required" },
};

void http_reply_status_text(unsigned status, char *out, size_t capacity)
{
	const char *reason = "<unknown status code>";

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].status == status)
			reason = reasons[i].reason;
	snprintf(out, capacity, "%u %s", status, reason);
}

void http_reply_clear(struct http_reply *reply)
{
	mem_give_back(reply->location);
	mem_give_back(reply->source_map);
	memset(reply, 0, sizeof(*reply));
}

static struct text trimmed(struct text text)
{
	while (text.size > 0 && (uint8_t)text.bytes[0] <= ' ') {
		text.bytes++;
		text.size--;
	}
	while (text.size > 0 && (uint8_t)text.bytes[text.size - 1] <= ' ')
		text.size--;
	return text;
}

static struct text before(struct text text, char c, struct text *rest)
{
	const char *at = text.size ? memchr(text.bytes, c, text.size) : NULL;
	size_t size = at ? (size_t)(at - text.bytes) : text.size;

	*rest = at ? (struct text){ at + 1, text.size - size - 1 } : TEXT_NONE;
	return (struct text){ text.bytes, size };
}

/* "bytes 0-99/1000": RFC 9110 §14.4 */
static void read_range(struct http_reply *reply, struct text value)
{
	struct text rest, last, total;
	struct text unit = before(value, ' ', &rest);
	struct text first = before(rest, '-', &rest);

	last = before(rest, '/', &total);
	reply->has_range_header = true;
	reply->has_range = text_equal_ignoring_case(unit, TEXT("bytes")) &&
			   text_to_u64(trimmed(first), 10, &reply->first) &&
			   text_to_u64(trimmed(last), 10, &reply->last) &&
			   text_to_u64(trimmed(total), 10, &reply->total) &&
			   reply->first <= reply->last &&
			   (reply->total == 0 || reply->last < reply->total);
}

static void read_location(struct http_reply *reply, struct text value)
{
	char *copy;

	if (reply->location || value.size == 0 || value.size > REPLY_LOCATION_BYTES ||
	    memchr(value.bytes, '\0', value.size))
		return;
	copy = mem_get(value.size + 1);
	if (copy)
		memcpy(copy, value.bytes, value.size);
	reply->location = copy;
}

static bool is_plain(struct text value)
{
	for (size_t i = 0; i < value.size; i++)
		if (value.bytes[i] < ' ' || value.bytes[i] > '~')
			return false;
	return value.size > 0;
}

/* The first SourceMap counts; without one the first X-SourceMap, which came before it. */
static void read_source_map(struct http_reply *reply, struct text value, bool is_old)
{
	char *copy;

	if (reply->has_source_map || (is_old && reply->source_map) || !is_plain(value) ||
	    value.size > REPLY_SOURCE_MAP_BYTES)
		return;
	copy = mem_get(value.size + 1);
	if (!copy)
		return;
	memcpy(copy, value.bytes, value.size);
	mem_give_back(reply->source_map);
	reply->source_map = copy;
	reply->has_source_map = !is_old;
}

static void read_header(struct http_reply *reply, struct text name, struct text value)
{
	if (http_freshness_header(&reply->freshness, name, value) ||
	    http_validators_header(&reply->validators, name, value))
		return;
	if (text_equal_ignoring_case(name, TEXT("location"))) {
		read_location(reply, value);
	} else if (text_equal_ignoring_case(name, TEXT("content-range"))) {
		read_range(reply, value);
	} else if (text_equal_ignoring_case(name, TEXT("content-length"))) {
		reply->has_length = text_to_u64(value, 10, &reply->length);
	} else if (text_equal_ignoring_case(name, TEXT("content-encoding"))) {
		reply->encoding = content_encoding_named(value);
		reply->encoding_count++;
	} else if (text_equal_ignoring_case(name, TEXT("sourcemap"))) {
		read_source_map(reply, value, false);
	} else if (text_equal_ignoring_case(name, TEXT("x-sourcemap"))) {
		read_source_map(reply, value, true);
	}
}

static void begin(struct http_reply *reply, struct text line)
{
	struct text rest;
	uint64_t status;

	http_reply_clear(reply);
	before(line, ' ', &rest);
	if (rest.size >= 3 && text_to_u64((struct text){ rest.bytes, 3 }, 10, &status))
		reply->status = (unsigned)status;
}

void http_reply_line(struct http_reply *reply, struct text line)
{
	struct text name, value;

	if (text_starts_with(line, "HTTP/")) {
		begin(reply, line);
		return;
	}
	line = trimmed(line);
	if (line.size == 0) {
		reply->complete = reply->status >= 200;
		return;
	}
	name = before(line, ':', &value);
	read_header(reply, name, trimmed(value));
}

static bool is_redirect(unsigned status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* 407 is a proxy's word: it says nothing about the file. */
static enum reply_verdict judge_failure(unsigned status, struct err *err)
{
	char text[64];

	http_reply_status_text(status, text, sizeof(text));
	if (status == 401 || status == 403)
		err_set(err, ERR_DENIED, "%s", text);
	else if (status == 302)
		err_set(err, ERR_DENIED, "Potential login page detected");
	else if (status >= 400 && status < 500 && status != 407)
		err_set(err, ERR_NOT_FOUND, "%s", text);
	else
		err_set(err, ERR_DOWNLOAD, "%s", text);
	return REPLY_FAILED;
}

static bool has_readable_encoding(const struct http_reply *reply, struct err *err)
{
	if (reply->encoding_count > 1)
		err_set(err, ERR_DOWNLOAD, "Multiple content encodings not supported");
	else if (reply->encoding == ENCODING_UNKNOWN)
		err_set(err, ERR_DOWNLOAD, "Unsupported content encoding");
	else
		return true;
	return false;
}

static enum reply_verdict judge_body(const struct http_reply *reply, enum reply_asked asked,
				     struct err *err)
{
	if (asked == REPLY_ASKED_PART) {
		if (reply->status == 206 && reply->has_range)
			return REPLY_PART;
		err_set(err, ERR_DOWNLOAD, "the server does not send the rest of the file");
		return REPLY_FAILED;
	}
	if (!has_readable_encoding(reply, err))
		return REPLY_FAILED;
	if (reply->status != 206 || !reply->has_range_header || asked == REPLY_ASKED_ALL)
		return REPLY_WHOLE;
	if (!reply->has_range || (reply->first != 0 && reply->total > 0))
		return REPLY_REPEAT;
	if (reply->total == 0 || reply->last == reply->total - 1)
		return REPLY_WHOLE;
	return REPLY_BEGINNING;
}

enum reply_verdict http_reply_judge(const struct http_reply *reply, enum reply_asked asked,
				    bool is_conditional, const char *host, struct err *err)
{
	unsigned status = reply->status;

	if (is_redirect(status) && reply->location && asked != REPLY_ASKED_PART &&
	    !(status == 302 && text_equal_ignoring_case(text_of(host), TEXT("dev.azure.com"))))
		return REPLY_REDIRECT;
	if (status == 304 && is_conditional)
		return REPLY_UNCHANGED;
	if (status == 416 && asked == REPLY_ASKED_FIRST)
		return REPLY_REPEAT;
	if (status >= 200 && status < 300)
		return judge_body(reply, asked, err);
	return judge_failure(status, err);
}

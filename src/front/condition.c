/*
 * condition.c -- requests for what has changed, and for parts (RFC 9110 sections 13 and 14).
 *
 *  1. If-None-Match counts before If-Modified-Since, and both before Range.
 *  2. What cannot be read, or asks for several parts, is as if it had not been said: 200 and all of
 *     it is always a right answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/http_date.h"
#include "front/front_internal.h"

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

/* Up to the next comma outside of quotes. */
static struct text take_tag(struct text *list)
{
	struct text tag = { list->bytes, 0 };
	bool is_quoted = false;

	while (tag.size < list->size && (is_quoted || list->bytes[tag.size] != ','))
		is_quoted ^= list->bytes[tag.size++] == '"';
	list->bytes += tag.size + (tag.size < list->size);
	list->size -= tag.size + (tag.size < list->size);
	return trim(tag);
}

/* Weakly compared: our tags are strong ones, others may have weakened them. */
static bool has_tag(struct text list, const char *etag)
{
	if (text_is(trim(list), "*"))
		return true;
	while (etag && list.size > 0) {
		struct text tag = take_tag(&list);

		if (tag.size > 2 && memcmp(tag.bytes, "W/", 2) == 0) {
			tag.bytes += 2;
			tag.size -= 2;
		}
		if (text_is(tag, etag))
			return true;
	}
	return false;
}

static bool is_known(const struct reply *reply, const struct request *request)
{
	struct text tags = request_variable(request, "HTTP_IF_NONE_MATCH");
	struct text since;
	int64_t at;

	if (tags.bytes)
		return has_tag(tags, reply->etag);
	since = request_variable(request, "HTTP_IF_MODIFIED_SINCE");
	return since.bytes && reply->modified_at > 0 && http_date_parse(trim(since), &at) &&
	       reply->modified_at <= at;
}

/* Is what the first part was of still the same? */
static bool is_same(const struct reply *reply, const struct request *request)
{
	struct text of = trim(request_variable(request, "HTTP_IF_RANGE"));
	int64_t at;

	if (of.size == 0)
		return true;
	if (of.bytes[0] == '"')
		return reply->etag && text_is(of, reply->etag);
	return reply->modified_at > 0 && http_date_parse(of, &at) && reply->modified_at == at;
}

enum part { PART_NONE, PART_SOME, PART_OUTSIDE };

/* "bytes=0-499", "bytes=500-", "bytes=-500". */
static enum part read_part(struct text range, uint64_t size, uint64_t *first, uint64_t *count)
{
	struct text unit = { range.bytes, sizeof("bytes=") - 1 }, from, to;
	const char *dash;
	uint64_t last, begin;

	if (range.size <= unit.size || !text_equal_ignoring_case(unit, TEXT("bytes=")))
		return PART_NONE;
	range = trim((struct text){ range.bytes + unit.size, range.size - unit.size });
	dash = memchr(range.bytes, '-', range.size);
	if (!dash)
		return PART_NONE;
	from = (struct text){ range.bytes, (size_t)(dash - range.bytes) };
	to = (struct text){ dash + 1, range.size - from.size - 1 };
	if (from.size == 0) {
		if (!text_to_u64(to, 10, &last))
			return PART_NONE;
		*count = last < size ? last : size;
		*first = size - *count;
		return *count > 0 ? PART_SOME : PART_OUTSIDE;
	}
	if (!text_to_u64(from, 10, &begin))
		return PART_NONE;
	last = UINT64_MAX;
	if (to.size > 0 && (!text_to_u64(to, 10, &last) || last < begin))
		return PART_NONE;
	if (begin >= size)
		return PART_OUTSIDE;
	*first = begin;
	*count = (last < size ? last + 1 : size) - begin;
	return PART_SOME;
}

static void answer_part(struct reply *reply, const struct request *request)
{
	struct text range = trim(request_variable(request, "HTTP_RANGE"));
	uint64_t size = reply_body_size(&reply->body), first, count;
	char text[80];

	if (range.size == 0 || !is_same(reply, request))
		return;
	switch (read_part(range, size, &first, &count)) {
	case PART_NONE:
		break;
	case PART_SOME:
		snprintf(text, sizeof(text), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, first,
			 first + count - 1, size);
		reply_header(reply, "Content-Range", text);
		reply_body_narrow(&reply->body, first, count);
		reply->status = 206;
		break;
	case PART_OUTSIDE:
		snprintf(text, sizeof(text), "bytes */%" PRIu64, size);
		reply_header(reply, "Content-Range", text);
		reply_empty(reply, 416);
		break;
	}
}

void reply_meet_conditions(struct reply *reply, const struct request *request)
{
	if (reply->status != 200 || (request->method != METHOD_GET && request->method != METHOD_HEAD))
		return;
	if ((reply->etag || reply->modified_at > 0) && is_known(reply, request))
		reply_empty(reply, 304);
	else if (reply->has_parts && request->method == METHOD_GET)
		answer_part(reply, request);
}

/* fetch_body.c -- the bytes of replies into the file: checked, decoded, counted. */
#include "fetch/transfer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static int too_large(struct err *err)
{
	return err_set(err, ERR_MALFORMED, "Maximum file size exceeded");
}

static int write_at(const struct fetch *fetch, uint64_t at, const void *bytes, size_t size,
		    struct err *err)
{
	const char *from = bytes;

	while (size > 0) {
		ssize_t put = pwrite(fetch->fd, from, size, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_os(err, errno, "writing a download");
		from += put;
		at += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

static int on_decoded(void *payload, const void *bytes, size_t size, struct err *err)
{
	struct fetch *fetch = payload;

	if (size > fetch->max_bytes - fetch->body_bytes)
		return too_large(err);
	if (write_at(fetch, fetch->body_bytes, bytes, size, err) < 0)
		return -1;
	fetch->body_bytes += size;
	return 0;
}

static int begin_decoding(struct fetch *fetch, enum content_encoding encoding, struct err *err)
{
	fetch->is_decoding = true;
	return decode_begin(&fetch->decode, encoding, on_decoded, fetch, err);
}

static bool all_heads_are_in(const struct fetch *fetch)
{
	for (size_t i = 0; i < FETCH_PARTS; i++)
		if (fetch->requests[i].fetch && !fetch->requests[i].judged)
			return false;
	return true;
}

static int check_part(const struct fetch *fetch, const struct http_request *request, struct err *err)
{
	const struct http_reply *reply = &request->reply;

	if (reply->first != request->first || reply->last > request->last ||
	    reply->total != fetch->total_bytes)
		return err_set(err, ERR_DOWNLOAD, "the server sends another range than was asked for");
	if ((reply->encoding_count ? reply->encoding : ENCODING_NONE) != fetch->decode.encoding)
		return err_set(err, ERR_DOWNLOAD, "the server changed the content encoding");
	return 0;
}

int fetch_body_begins(struct fetch *fetch, struct http_request *request, struct err *err)
{
	const struct http_reply *reply = &request->reply;

	if (all_heads_are_in(fetch))
		fetch->head_deadline_at = FETCH_NEVER;
	if (request->verdict == REPLY_PART) {
		request->sent_last = reply->last;
		return check_part(fetch, request, err);
	}
	mem_give_back(fetch->source_map);
	fetch->source_map = reply->source_map;
	request->reply.source_map = NULL;
	fetch->freshness = reply->freshness;
	fetch->validators = reply->validators;
	if (request->verdict == REPLY_BEGINNING) {
		fetch->total_bytes = reply->total;
		if (reply->total > fetch->max_bytes)
			return too_large(err);
		request->sent_last = reply->last;
	}
	if (reply->has_length && reply->length > fetch->max_bytes)
		return too_large(err);
	return begin_decoding(fetch, reply->encoding, err);
}

int fetch_body(struct fetch *fetch, struct http_request *request, const void *bytes, size_t size,
		 struct err *err)
{
	if (size > fetch->max_bytes - fetch->wire_bytes)
		return too_large(err);
	fetch->wire_bytes += size;
	if (request->verdict != REPLY_WHOLE && request->received_bytes > request->sent_last - request->first + 1)
		return err_set(err, ERR_DOWNLOAD, "the server sent more than its range");
	if (request->verdict != REPLY_PART || fetch->decode.encoding != ENCODING_NONE)
		return decode_feed(&fetch->decode, bytes, size, err);
	if (write_at(fetch, request->at, bytes, size, err) < 0)
		return -1;
	request->at += size;
	fetch->body_bytes += size;
	return 0;
}

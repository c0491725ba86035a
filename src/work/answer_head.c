/* answer_head.c -- see answer_head.h. */
#include "work/answer_head.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"

#define STATUS "Status: "

void answer_head_init(struct answer_head *head)
{
	memset(head, 0, sizeof(*head));
	head->status = 200;
	head->content_type = TEXT("application/json");
}

int answer_head_add(struct answer_head *head, struct text name, struct text value, struct err *err)
{
	if (head->header_count == ANSWER_HEADERS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u headers of an answer", ANSWER_HEADERS_MAX);
	head->headers[head->header_count++] = (struct answer_header){ name, value };
	return 0;
}

void answer_head_set_entry(struct answer_head *head, const struct cache_key *key)
{
	head->is_entry = true;
	head->entry_kind = key->kind;
	memcpy(head->entry_hash, key->text_hash, sizeof(head->entry_hash));
}

/* --- Writing ------------------------------------------------------------------------------------ */

static int add_line(struct buf *out, struct text name, struct text value, struct err *err)
{
	for (size_t i = 0; i < value.size; i++)
		if ((unsigned char)value.bytes[i] < ' ')
			return err_set(err, ERR_INTERNAL, "a line in the header %.*s", (int)name.size,
				       name.bytes);
	buf_add_text(out, name);
	buf_add_string(out, ": ");
	buf_add_text(out, value);
	buf_add_char(out, '\n');
	return 0;
}

static int write_file(const struct answer_head *head, struct buf *out, struct err *err)
{
	if ((head->file.bytes && add_line(out, TEXT("File"), head->file, err) < 0) ||
	    (head->size_name.bytes && add_line(out, TEXT("Size-As"), head->size_name, err) < 0))
		return -1;
	if (head->bytes_max > 0)
		buf_printf(out, "At-Most: %llu\n", (unsigned long long)head->bytes_max);
	if (head->is_dated)
		buf_add_string(out, "Dated: yes\n");
	return 0;
}

int answer_head_write(const struct answer_head *head, struct buf *out, struct err *err)
{
	size_t before = out->size;

	buf_printf(out, STATUS "%d\n", head->status);
	if (add_line(out, TEXT("Content-Type"), head->content_type, err) < 0)
		return -1;
	if (head->is_entry) {
		buf_printf(out, "Entry: %s ", cache_kind_name(head->entry_kind));
		for (size_t i = 0; i < sizeof(head->entry_hash); i++)
			buf_printf(out, "%02x", head->entry_hash[i]);
		buf_add_char(out, '\n');
	}
	if (write_file(head, out, err) < 0)
		return -1;
	for (size_t i = 0; i < head->header_count; i++)
		if (add_line(out, head->headers[i].name, head->headers[i].value, err) < 0)
			return -1;
	buf_add_char(out, '\n');
	if (out->size - before > ANSWER_HEAD_BYTES)
		return err_set(err, ERR_LIMIT, "%zu bytes of headers (at most %u)", out->size - before,
			       ANSWER_HEAD_BYTES);
	return buf_check(out, err);
}

/* --- Reading ------------------------------------------------------------------------------------ */

static int malformed(struct err *err, const char *what)
{
	return err_set(err, ERR_MALFORMED, "the head of a result: %s", what);
}

static int read_entry(struct answer_head *head, struct text value, struct err *err)
{
	const char *blank = memchr(value.bytes, ' ', value.size);
	size_t name_size = blank ? (size_t)(blank - value.bytes) : value.size;
	const char *hex = value.bytes + name_size + 1;

	if (!blank || value.size - name_size - 1 != 2 * sizeof(head->entry_hash) ||
	    !cache_kind_named((struct text){ value.bytes, name_size }, &head->entry_kind))
		return malformed(err, "no entry");
	for (size_t i = 0; i < sizeof(head->entry_hash); i++) {
		int high = ascii_hex_value(hex[2 * i]), low = ascii_hex_value(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return malformed(err, "no hash");
		head->entry_hash[i] = (uint8_t)(high << 4 | low);
	}
	head->is_entry = true;
	return 0;
}

/* 1: it says something of the file; 0: it does not. */
static int read_file_line(struct answer_head *head, struct text name, struct text value, struct err *err)
{
	if (text_is(name, "File"))
		head->file = value;
	else if (text_is(name, "Size-As"))
		head->size_name = value;
	else if (text_is(name, "Dated"))
		head->is_dated = true;
	else if (!text_is(name, "At-Most"))
		return 0;
	else if (!text_to_u64(value, 10, &head->bytes_max))
		return malformed(err, "no size");
	return 1;
}

/* Entry and File are ours, and what is said of the file: they are no headers of the reply. */
static int read_line(struct answer_head *head, struct text line, struct err *err)
{
	const char *colon = memchr(line.bytes, ':', line.size);
	struct text name, value;
	uint64_t status;
	int is_of_file;

	if (!colon || (size_t)(colon - line.bytes) + 2 > line.size || colon[1] != ' ')
		return malformed(err, "a line without a name");
	name = (struct text){ line.bytes, (size_t)(colon - line.bytes) };
	value = (struct text){ colon + 2, line.size - name.size - 2 };
	if (text_is(name, "Entry"))
		return read_entry(head, value, err);
	if (text_is(name, "Content-Type")) {
		head->content_type = value;
		return 0;
	}
	is_of_file = read_file_line(head, name, value, err);
	if (is_of_file != 0)
		return is_of_file < 0 ? -1 : 0;
	if (!text_is(name, "Status"))
		return answer_head_add(head, name, value, err);
	if (!text_to_u64(value, 10, &status) || status < 200 || status > 599)
		return malformed(err, "no status");
	head->status = (int)status;
	return 0;
}

int answer_head_read(struct answer_head *head, struct text bytes, size_t *size, struct err *err)
{
	answer_head_init(head);
	*size = 0;
	if (bytes.size < sizeof(STATUS) - 1 || memcmp(bytes.bytes, STATUS, sizeof(STATUS) - 1) != 0)
		return 0;
	for (size_t at = 0; at < bytes.size && at < ANSWER_HEAD_BYTES;) {
		struct text line = { bytes.bytes + at, bytes.size - at };
		const char *end = memchr(line.bytes, '\n', line.size);

		if (!end)
			break;
		line.size = (size_t)(end - line.bytes);
		at += line.size + 1;
		if (line.size == 0) {
			*size = at;
			return 0;
		}
		if (read_line(head, line, err) < 0)
			return -1;
	}
	return malformed(err, "it does not end");
}

/* form.c -- see form.h. */
#include "front/form.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/url.h"
#include "front/multipart.h"
#include "unpack/unpack.h"

#define READ_BYTES ((size_t)64 * 1024)
#define PAIRS_BYTES ((size_t)4 * 1024 * 1024)

struct form {
	const struct form_shape *shape;
	const struct jobs *jobs;
	struct upload *upload;
	struct buf fields[FORM_FIELDS_MAX];
	bool has_field[FORM_FIELDS_MAX];
	struct buf *field;           /* the part that comes is this one, */
	const char *field_name;
	bool is_file;                /* or the file, or else nothing */
	struct multipart multipart;
	char bytes[READ_BYTES];
};

int upload_new(struct upload **out, const struct jobs *jobs, struct err *err)
{
	struct upload *upload = mem_get(sizeof(*upload));

	if (!upload)
		return err_set(err, ERR_NO_MEMORY, "no room for an upload");
	upload->fd = -1;
	*out = upload;
	if (job_body_create(jobs, upload->path, sizeof(upload->path), &upload->fd, err) == 0)
		return 0;
	upload->path[0] = '\0';
	return -1;
}

void upload_free(struct upload *upload)
{
	if (!upload)
		return;
	if (upload->fd >= 0)
		close(upload->fd);
	if (upload->path[0])
		unlink(upload->path);
	mem_give_back(upload);
}

/* --- Parts ------------------------------------------------------------------------------------------ */

static int begin_file(struct form *form, struct err *err)
{
	struct upload *upload = form->upload;

	form->is_file = true;
	if (upload) {                        /* there was one before */
		upload->size = 0;
		if (ftruncate(upload->fd, 0) < 0 || lseek(upload->fd, 0, SEEK_SET) < 0)
			return err_os(err, errno, "emptying %s", upload->path);
		return 0;
	}
	return upload_new(&form->upload, form->jobs, err);
}

static int begin_part(void *payload, struct text name, struct err *err)
{
	struct form *form = payload;

	form->field = NULL;
	form->is_file = false;
	if (text_is(name, form->shape->file))
		return begin_file(form, err);
	for (size_t i = 0; i < FORM_FIELDS_MAX && form->shape->fields[i]; i++) {
		if (!text_is(name, form->shape->fields[i]))
			continue;
		form->field = &form->fields[i];
		form->field_name = form->shape->fields[i];
		if (form->has_field[i] && form->shape->many && strcmp(form->shape->many, form->field_name) == 0)
			buf_add_char(form->field, '\n');
		else
			buf_clear(form->field);
		form->has_field[i] = true;
	}
	return 0;
}

static int take_data(void *payload, struct text bytes, struct err *err)
{
	struct form *form = payload;

	if (form->is_file) {
		form->upload->size += bytes.size;
		return file_write_all(form->upload->fd, bytes.bytes, bytes.size, err) < 0
		       ? err_while(err, "spooling an upload") : 0;
	}
	if (!form->field)
		return 0;
	buf_add_text(form->field, bytes);
	if (buf_check(form->field, err) == 0)
		return 0;
	return err->kind != ERR_LIMIT ? -1
	       : err_set(err, ERR_TOO_LARGE, "Field %s larger than %zu bytes", form->field_name,
			 FORM_FIELD_BYTES);
}

static int end_part(void *payload, struct err *err)
{
	struct form *form = payload;

	if (form->field && !text_is_utf8(buf_text(form->field)))
		return err_set(err, ERR_BAD_REQUEST, "field %s is not UTF-8", form->field_name);
	return 0;
}

/* --- The body ----------------------------------------------------------------------------------------- */

static int take_unpacked(void *payload, const void *bytes, size_t size, struct err *err)
{
	struct form *form = payload;

	if (!form->shape->file)
		return take_data(form, (struct text){ bytes, size }, err);
	return multipart_add(&form->multipart, (struct text){ bytes, size }, err);
}

struct unpacking {
	struct form *form;
	const struct form_source *source;
};

static ssize_t read_packed(void *payload, void *bytes, size_t capacity, struct err *err)
{
	const struct unpacking *unpacking = payload;

	return unpacking->source->read(unpacking->source->payload, bytes, capacity, err);
}

static int write_unpacked(void *payload, const void *bytes, size_t size, struct err *err)
{
	return take_unpacked(((struct unpacking *)payload)->form, bytes, size, err);
}

static int read_encoded(struct form *form, const struct form_source *source, struct err *err)
{
	struct unpacking unpacking = { form, source };
	const struct unpack_flow flow = {
		.read = read_packed, .write = write_unpacked, .payload = &unpacking,
	};

	if (unpack_flow((enum unpack_kind)source->encoding, &flow, source->max_bytes, err) == 0)
		return 0;
	if (err->kind == ERR_LIMIT)
		return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	if (err->kind == ERR_MALFORMED) {
		err->kind = ERR_BAD_REQUEST;
		return err_while(err, "undoing the body's Content-Encoding");
	}
	return -1;
}

static int read_plain(struct form *form, const struct form_source *source, struct err *err)
{
	uint64_t all = 0;
	ssize_t size;

	while ((size = source->read(source->payload, form->bytes, sizeof(form->bytes), err)) > 0) {
		all += (uint64_t)size;
		if (all > source->max_bytes)
			return err_set(err, ERR_TOO_LARGE, "length limit exceeded");
		if (take_unpacked(form, form->bytes, (size_t)size, err) < 0)
			return -1;
	}
	return (int)size;
}

static int write_fields(const struct form *form, struct buf *out, struct err *err)
{
	struct json_writer json;

	json_writer_init(&json, out);
	json_object(&json);
	for (size_t i = 0; i < FORM_FIELDS_MAX && form->shape->fields[i]; i++)
		if (form->has_field[i])
			json_member_text(&json, form->shape->fields[i], buf_text(&form->fields[i]));
	json_object_end(&json);
	return buf_check(out, err);
}

static int read_body(struct form *form, const struct form_source *source, struct err *err)
{
	return source->encoding == UNPACK_NONE ? read_plain(form, source, err) : read_encoded(form, source, err);
}

/* The whole body is the file. */
static int read_file(struct form *form, const struct form_source *source, struct buf *fields, struct err *err)
{
	for (size_t i = 0; i < FORM_FIELDS_MAX && form->shape->fields[i]; i++) {
		struct text value = source->variable(source->payload, form->shape->fields[i]);

		form->has_field[i] = value.bytes != NULL;
		if (!text_is_utf8(value))
			return err_set(err, ERR_BAD_REQUEST, "a header is not UTF-8");
		buf_add_text(&form->fields[i], value);
	}
	if (begin_file(form, err) < 0 || read_body(form, source, err) < 0)
		return -1;
	return write_fields(form, fields, err);
}

/* --- Pairs: a form without a file, as browsers send it unless told otherwise ------------------------- */

static int keep_all(struct buf *all, const struct form_source *source, char bytes[READ_BYTES], struct err *err)
{
	ssize_t size = 1;

	while (!all->failed && (size = source->read(source->payload, bytes, READ_BYTES, err)) > 0)
		buf_add(all, bytes, (size_t)size);
	return size < 0 ? -1 : buf_check(all, err);
}

/* In place: what it becomes is never longer. */
static struct text decode_pair(char *coded, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (coded[i] == '+')
			coded[i] = ' ';
	return (struct text){ coded, url_unescape((struct text){ coded, size }, coded) };
}

static int take_pair(struct form *form, char *pair, size_t size, struct err *err)
{
	char *equals = memchr(pair, '=', size);
	size_t name_size = equals ? (size_t)(equals - pair) : size;
	struct text name = decode_pair(pair, name_size), value = TEXT("");

	if (equals)
		value = decode_pair(equals + 1, size - name_size - 1);
	if (text_is(name, form->shape->file))
		return 0;                    /* a file's name, without its bytes */
	return begin_part(form, name, err) < 0 || take_data(form, value, err) < 0 ? -1 : end_part(form, err);
}

static int read_pairs(struct form *form, const struct form_source *source, struct buf *fields, struct err *err)
{
	struct buf all;
	int rc;

	buf_init(&all, PAIRS_BYTES);
	rc = keep_all(&all, source, form->bytes, err);
	if (rc < 0 && err->kind == ERR_LIMIT)
		(void)err_set(err, ERR_TOO_LARGE, "length limit exceeded");
	for (size_t at = 0; rc == 0 && at < all.size;) {
		const char *end = memchr(all.bytes + at, '&', all.size - at);
		size_t size = end ? (size_t)(end - all.bytes) - at : all.size - at;

		rc = take_pair(form, all.bytes + at, size, err);
		at += size + 1;
	}
	buf_release(&all);
	return rc < 0 ? -1 : write_fields(form, fields, err);
}

static bool is_pairs(const struct form *form, const struct form_source *source)
{
	static const char type[] = "application/x-www-form-urlencoded";
	struct text sent = { source->content_type.bytes, sizeof(type) - 1 };

	return !form->shape->missing && source->encoding == UNPACK_NONE &&
	       source->content_type.size >= sent.size && text_equal_ignoring_case(sent, text_of(type));
}

static int read_form(struct form *form, const struct form_source *source, struct buf *fields,
		     struct err *err)
{
	const struct multipart_events events = { begin_part, take_data, end_part, form };
	struct text boundary;

	if (!form->shape->file)
		return read_file(form, source, fields, err);
	if (is_pairs(form, source))
		return read_pairs(form, source, fields, err);
	if (!multipart_boundary(source->content_type, &boundary))
		return err_set(err, ERR_BAD_REQUEST, "Invalid `boundary` for `multipart/form-data` request");
	multipart_init(&form->multipart, boundary, &events);
	if (read_body(form, source, err) < 0 ||
	    multipart_end(&form->multipart, err) < 0)
		return -1;
	if (!form->upload && form->shape->missing)
		return err_set(err, ERR_NOT_FOUND, "%s", form->shape->missing);
	return write_fields(form, fields, err);
}

int form_read(const struct form_shape *shape, const struct form_source *source, const struct jobs *jobs,
	      struct upload **upload, struct buf *fields, struct err *err)
{
	struct form *form = mem_get(sizeof(*form));
	int rc;

	*upload = NULL;
	if (!form)
		return err_set(err, ERR_NO_MEMORY, "no room for a form");
	form->shape = shape;
	form->jobs = jobs;
	for (size_t i = 0; i < FORM_FIELDS_MAX; i++)
		buf_init(&form->fields[i], FORM_FIELD_BYTES);
	rc = read_form(form, source, fields, err);
	for (size_t i = 0; i < FORM_FIELDS_MAX; i++)
		buf_release(&form->fields[i]);
	if (rc == 0)
		*upload = form->upload;
	else
		upload_free(form->upload);
	mem_give_back(form);
	return rc;
}

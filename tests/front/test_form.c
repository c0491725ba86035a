/* test_form.c -- forms with a file: parts however they are cut, ceilings, encodings, bad bytes. */
#include "front/form.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "store/state.h"
#include "support/support.h"
#include "unpack/unpack.h"

#define TYPE "multipart/form-data; boundary=B"
#define PART(name, bytes) "--B\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" bytes "\r\n"
#define FILE_PART(bytes) "--B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a;b\\\"\"\r\n" \
	"Content-Type: application/octet-stream\r\n\r\n" bytes "\r\n"
#define END "--B--\r\n"

static const char *const fields[] = { "options", "sources", NULL };
static const struct form_shape shape = { "f", "missing minidump", fields, NULL };

struct piece_source { struct text left; size_t piece; };

static ssize_t read_piece(void *payload, void *bytes, size_t capacity, struct err *err)
{
	struct piece_source *source = payload;
	size_t size = source->left.size < source->piece ? source->left.size : source->piece;

	(void)err;
	if (size > capacity)
		size = capacity;
	memcpy(bytes, source->left.bytes, size);
	source->left.bytes += size;
	source->left.size -= size;
	return (ssize_t)size;
}

struct asked {
	const char *type;
	struct text body;
	size_t piece;
	int encoding;
	uint64_t max;
};

static int ask_for(const struct form_shape *wanted, const struct state *state, const struct asked *asked,
		   struct upload **upload, struct buf *out, struct err *err)
{
	struct jobs jobs = { .config = &state->config };
	struct piece_source from = { asked->body, asked->piece };
	const struct form_source source = {
		.read = read_piece, .payload = &from, .content_type = text_of(asked->type),
		.encoding = asked->encoding, .max_bytes = asked->max,
	};

	return form_read(wanted, &source, &jobs, upload, out, err);
}

static int ask(const struct state *state, const struct asked *asked, struct upload **upload,
	       struct buf *out, struct err *err)
{
	return ask_for(&shape, state, asked, upload, out, err);
}

static const struct {
	const char *what, *type, *body;
	const char *file, *fields;       /* file NULL: refused, */
	enum err_kind kind;              /* so, */
	const char *words;               /* with these */
} cases[] = {
	{ "a file and a field", TYPE, FILE_PART("MDMP\r\n--") PART("options", "{\"a\":1}") END, "MDMP\r\n--",
	  "{\"options\":\"{\\\"a\\\":1}\"}", ERR_NONE, NULL },
	{ "a file alone", TYPE, FILE_PART("x") END, "x", "{}", ERR_NONE, NULL },
	{ "an empty file", TYPE, FILE_PART("") END, "", "{}", ERR_NONE, NULL },
	{ "the last of a name counts", TYPE,
	  FILE_PART("longer than") FILE_PART("second") PART("options", "1") PART("options", "2") END, "second",
	  "{\"options\":\"2\"}", ERR_NONE, NULL },
	{ "others are left out", TYPE, PART("", "x") PART("other", "y") FILE_PART("z") END, "z", "{}", ERR_NONE,
	  NULL },
	{ "what is around it", TYPE, "preamble\r\n" FILE_PART("x") END "epilogue\r\n" FILE_PART("y") END, "x",
	  "{}", ERR_NONE, NULL },
	{ "blanks after the boundary", TYPE, "--B \t\r\ncontent-disposition:form-data;name=f\r\n\r\nx\r\n--B--",
	  "x", "{}", ERR_NONE, NULL },
	{ "a quoted boundary", "Multipart/Form-Data; charset=x; Boundary=\"B\"", FILE_PART("x") END, "x", "{}",
	  ERR_NONE, NULL },
	{ "nearly boundaries", TYPE, FILE_PART("\r\n\r\n-\r\n--\r\n--A\r--B\n--B") END,
	  "\r\n\r\n-\r\n--\r\n--A\r--B\n--B", "{}", ERR_NONE, NULL },
	{ "no file", TYPE, PART("options", "1") END, NULL, NULL, ERR_NOT_FOUND, "missing minidump" },
	{ "no boundary", "multipart/form-data", FILE_PART("x") END, NULL, NULL, ERR_BAD_REQUEST, "boundary" },
	{ "an empty boundary", "multipart/form-data; boundary=", "", NULL, NULL, ERR_BAD_REQUEST, "boundary" },
	{ "another type", "application/json", "{}", NULL, NULL, ERR_BAD_REQUEST, "boundary" },
	{ "another boundary", "multipart/form-data; boundary=C", FILE_PART("x") END, NULL, NULL, ERR_BAD_REQUEST,
	  "its boundary is missing" },
	{ "nothing", TYPE, "", NULL, NULL, ERR_BAD_REQUEST, "its boundary is missing" },
	{ "no end", TYPE, FILE_PART("x"), NULL, NULL, ERR_BAD_REQUEST, "its last boundary is missing" },
	{ "an end in headers", TYPE, "--B\r\nContent-Disp", NULL, NULL, ERR_BAD_REQUEST, "in the headers" },
	{ "an end after a boundary", TYPE, "--B", NULL, NULL, ERR_BAD_REQUEST, "after a boundary" },
	{ "a header without a colon", TYPE, "--B\r\nnonsense\r\n\r\nx\r\n" END, NULL, NULL, ERR_BAD_REQUEST,
	  "no colon" },
	{ "another disposition", TYPE, "--B\r\nContent-Disposition: file; name=f\r\n\r\nx\r\n" END, NULL, NULL,
	  ERR_BAD_REQUEST, "not form-data" },
	{ "a boundary in a line", TYPE, FILE_PART("x\r\n--Bar") END, NULL, NULL, ERR_BAD_REQUEST,
	  "not followed by the end of its line" },
	{ "a field that is no text", TYPE, FILE_PART("x") PART("options", "\xff") END, NULL, NULL,
	  ERR_BAD_REQUEST, "not UTF-8" },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

static void check_file(const struct upload *upload, const char *bytes)
{
	char got[256];
	struct stat st;

	ck_assert_int_eq(fstat(upload->fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_uint_eq((uint64_t)st.st_size, upload->size);
	ck_assert_uint_eq(upload->size, strlen(bytes));
	ck_assert_int_eq(pread(upload->fd, got, sizeof(got), 0), (ssize_t)strlen(bytes));
	ck_assert_mem_eq(got, bytes, strlen(bytes));
}

/* Of the web page: its file may be missing, and one of its fields comes once for each tick. */
START_TEST(reads_forms_whose_file_may_be_missing)
{
	static const struct form_shape loose = { "f", NULL, fields, "sources" };
	static const char *const pairs = "Application/x-www-form-urlencoded; charset=utf-8";
	static const struct { const char *body, *fields; bool has_file, is_pairs; } bodies[] = {
		{ PART("sources", "a") PART("sources", "b") PART("options", "1") PART("options", "2") END,
		  "{\"options\":\"2\",\"sources\":\"a\\nb\"}", false, false },
		{ PART("sources", "a") END, "{\"sources\":\"a\"}", false, false },
		{ FILE_PART("") END, "{}", true, false },
		{ "sources=a+b%26%3D&x=y&sources=c&&options&f=name",
		  "{\"options\":\"\",\"sources\":\"a b&=\\nc\"}", false, true },
		{ "", "{}", false, true },
		{ "=&=&%&sources=%zz%4", "{\"sources\":\"%zz%4\"}", false, true },
	};
	struct state state;

	state_make(&state);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		const struct asked asked = { bodies[i].is_pairs ? pairs : TYPE, text_of(bodies[i].body), 3,
					     UNPACK_NONE, 10000 };
		struct err err = ERR_INIT;
		struct upload *upload;
		struct buf out;

		buf_init(&out, 1 << 20);
		ck_assert_msg(ask_for(&loose, &state, &asked, &upload, &out, &err) == 0, "%s", err.text);
		ck_assert_str_eq(buf_string(&out), bodies[i].fields);
		ck_assert_int_eq(upload != NULL, bodies[i].has_file);
		upload_free(upload);
		buf_release(&out);
	}
	state_remove(&state);
}
END_TEST

/* However it is cut. */
START_TEST(reads_forms)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 2, 3, 7 };
	struct state state;

	state_make(&state);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		const struct asked asked = { cases[_i].type, text_of(cases[_i].body), pieces[i], UNPACK_NONE,
					     10000 };
		struct err err = ERR_INIT;
		struct upload *upload;
		struct buf out;
		int rc;

		buf_init(&out, 1 << 20);
		rc = ask(&state, &asked, &upload, &out, &err);
		ck_assert_msg((rc == 0) == (cases[_i].file != NULL), "%s: %s", cases[_i].what, err.text);
		if (rc == 0) {
			check_file(upload, cases[_i].file);
			ck_assert_str_eq(buf_string(&out), cases[_i].fields);
		} else {
			ck_assert_ptr_null(upload);
			ck_assert_msg(err.kind == cases[_i].kind && strstr(err.text, cases[_i].words), "%s: %s",
				      cases[_i].what, err.text);
		}
		upload_free(upload);
		buf_release(&out);
	}
	state_remove(&state);
}
END_TEST

START_TEST(knows_its_ceilings)
{
	static const char head[] = "--B\r\nContent-Disposition: form-data; name=options\r\n\r\n";
	struct err err = ERR_INIT;
	struct upload *upload;
	struct state state;
	struct asked asked = { TYPE, TEXT_NONE, SIZE_MAX, UNPACK_NONE, 100 };
	struct buf body, out;

	state_make(&state);
	buf_init(&body, 4 << 20);
	buf_init(&out, 4 << 20);
	buf_add_string(&body, FILE_PART("x"));
	buf_add_string(&body, head);
	for (size_t i = 0; i < FORM_FIELD_BYTES + 1; i++)
		buf_add_char(&body, 'a');
	buf_add_string(&body, "\r\n" END);
	asked.body = buf_text(&body);
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	ck_assert_str_eq(err.text, "length limit exceeded");
	asked.max = UINT64_MAX;
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	ck_assert_str_eq(err.text, "Field options larger than 1048576 bytes");
	/* What nobody wants may be as large as the body. */
	memcpy(strstr(body.bytes, "options"), "neither", 7);
	ck_assert_msg(ask(&state, &asked, &upload, &out, &err) == 0, "%s", err.text);
	upload_free(upload);
	buf_clear(&body);
	buf_add_string(&body, "--B\r\nX: ");
	for (size_t i = 0; i < 10000; i++)
		buf_add_char(&body, 'a');
	asked.body = buf_text(&body);
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_str_eq(err.text, "the headers of a part have more than 8192 bytes");
	buf_release(&body);
	buf_release(&out);
	state_remove(&state);
}
END_TEST

static struct text gzip(const char *plain, uint8_t *packed, size_t capacity)
{
	z_stream stream = { 0 };

	ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)plain;
	stream.avail_in = (uInt)strlen(plain);
	stream.next_out = packed;
	stream.avail_out = (uInt)capacity;
	ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	ck_assert_int_eq(deflateEnd(&stream), Z_OK);
	return (struct text){ (const char *)packed, capacity - stream.avail_out };
}

START_TEST(undoes_encodings)
{
	static const char plain[] = FILE_PART("MDMP") END;
	uint8_t packed[512];
	struct asked asked = { TYPE, gzip(plain, packed, sizeof(packed)), 5, UNPACK_GZIP, 4096 };
	struct upload *upload;
	struct state state;
	struct err err = ERR_INIT;
	struct buf out;

	state_make(&state);
	buf_init(&out, 4096);
	ck_assert_msg(ask(&state, &asked, &upload, &out, &err) == 0, "%s", err.text);
	check_file(upload, "MDMP");
	upload_free(upload);
	asked.max = 20;
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	asked.max = 4096;
	asked.body.size -= 9;
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	asked.body = text_of(plain);
	ck_assert_int_eq(ask(&state, &asked, &upload, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	buf_release(&out);
	state_remove(&state);
}
END_TEST

static int read_one(void *payload, struct err *err)
{
	const struct asked asked = { TYPE, text_of(FILE_PART("MDMP") PART("options", "{}") END), 9, UNPACK_NONE,
				     4096 };
	struct upload *upload;
	struct buf out;
	int rc;

	buf_init(&out, 4096);
	rc = ask(payload, &asked, &upload, &out, err);
	upload_free(upload);
	buf_release(&out);
	return rc;
}

static const struct form_shape pair_shape = { "f", NULL, fields, "sources" };

static int read_pairs(void *payload, struct err *err)
{
	const struct asked asked = { "application/x-www-form-urlencoded", TEXT("sources=a&sources=b&options=%7b%7d"), 9,
				     UNPACK_NONE, 4096 };
	struct upload *upload;
	struct buf out;
	int rc;

	buf_init(&out, 4096);
	rc = ask_for(&pair_shape, payload, &asked, &upload, &out, err);
	buf_release(&out);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct state state;

	state_make(&state);
	support_every_allocation_failure(read_one, &state, 100);
	support_every_allocation_failure(read_pairs, &state, 100);
	state_remove(&state);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	const struct asked asked = { TYPE, { (const char *)bytes, size }, 11, UNPACK_NONE, 4096 };
	struct err err = ERR_INIT;
	struct upload *upload;
	struct buf out;

	buf_init(&out, 4096);
	if (ask(payload, &asked, &upload, &out, &err) < 0)
		ck_assert((err.kind == ERR_BAD_REQUEST || err.kind == ERR_NOT_FOUND) && err.text[0]);
	upload_free(upload);
	buf_release(&out);
}

static void read_changed_pairs(void *payload, const uint8_t *bytes, size_t size)
{
	const struct asked asked = { "application/x-www-form-urlencoded", { (const char *)bytes, size }, 11,
				     UNPACK_NONE, 4096 };
	struct err err = ERR_INIT;
	struct upload *upload;
	struct buf out;

	buf_init(&out, 4096);
	if (ask_for(&pair_shape, payload, &asked, &upload, &out, &err) < 0)
		ck_assert(err.kind == ERR_BAD_REQUEST && err.text[0]);
	buf_release(&out);
}

START_TEST(survives_every_byte_change)
{
	static const char body[] = FILE_PART("MDMP") PART("options", "{}") END;
	static const char pairs[] = "sources=a+%41&sources=&options=%7b%7D&f=x&&=";
	struct state state;

	state_make(&state);
	support_every_byte_change((const uint8_t *)body, sizeof(body) - 1, read_changed, &state);
	support_every_byte_change((const uint8_t *)pairs, sizeof(pairs) - 1, read_changed_pairs, &state);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("form");
	TCase *tcase = tcase_create("form");

	tcase_add_test(tcase, reads_forms_whose_file_may_be_missing);
	tcase_add_loop_test(tcase, reads_forms, 0, (int)CASES);
	tcase_add_test(tcase, knows_its_ceilings);
	tcase_add_test(tcase, undoes_encodings);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

/* test_jsfile -- files of a release and indexes of bundles: written, read, damaged. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "jsfile/rambundle.h"
#include "object/makers.h"

#define BYTES_MOST ((size_t)64 << 20)

/* --- References --------------------------------------------------------------------------- */

static const struct {
	const char *what, *text, *reference;         /* NULL: none */
} references[] = {
	{ "none", "f()", NULL },
	{ "a comment", "f()\n//# sourceMappingURL=a.map\n", "a.map" },
	{ "of the old form", "//@ sourceMappingURL=a.map", "a.map" },
	{ "the last one", "//# sourceMappingURL=a\n//@ sourceMappingURL=b\n", "b" },
	{ "inside a string", "'//# sourceMappingURL=a' f()", "a'" },
	{ "two spaces", "//#  sourceMappingURL=a", NULL },
	{ "no space", "//#sourceMappingURL=a", NULL },
	{ "another mark", "//! sourceMappingURL=a", NULL },
	{ "cut at the query", "//# sourceMappingURL=a.map?x#y", "a.map" },
	{ "cut at the fragment", "//# sourceMappingURL=a.map#y?x", "a.map" },
	{ "on the next line", "//# sourceMappingURL= \n\t a.map b", "a.map" },
	{ "empty", "//# sourceMappingURL=", "" },
	{ "at the very start without slashes", "# sourceMappingURL=a", NULL },
};

START_TEST(finds_the_last_reference)
{
	struct text found = TEXT_NONE;
	bool is = jsfile_find_reference(text_of(references[_i].text), &found);

	ck_assert_msg(is == (references[_i].reference != NULL), "%s", references[_i].what);
	if (is)
		ck_assert_msg(text_is(found, references[_i].reference), "%s: %.*s", references[_i].what,
			      (int)found.size, found.bytes);
}
END_TEST

START_TEST(finds_the_last_debug_id)
{
	struct debugid id;
	char text[DEBUGID_TEXT_BYTES];

	ck_assert(jsfile_find_debug_id(TEXT("//# debugId=2f259f80-58b7-44cb-d7cd-de1505e7e718\n"), &id));
	debugid_format(&id, text);
	ck_assert_str_eq(text, "2f259f80-58b7-44cb-d7cd-de1505e7e718");
	ck_assert(!jsfile_find_debug_id(TEXT("//@ debugId=2f259f80-58b7-44cb-d7cd-de1505e7e718\n"), &id));
	ck_assert(!jsfile_find_debug_id(TEXT("//# debugId=2f259f80-58b7-44cb-d7cd-de1505e7e718\n"
					     "//# debugId=none"), &id));
}
END_TEST

/* --- Files -------------------------------------------------------------------------------- */

static int write_file(struct text text, const struct jsfile_options *options, struct file_map *map,
		      struct err *err)
{
	FILE *out = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(out);
	rc = jsfile_write(text, options, fileno(out), err);
	if (rc == 0)
		rc = file_map_fd(map, fileno(out), err);
	fclose(out);
	return rc;
}

static struct jsfile_options plain = { .memory_bytes = BYTES_MOST };

START_TEST(keeps_text_and_lines)
{
	static const char source[] = "one\r\n\ntwo\n\xc3\xa4";
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;
	struct jsfile file;
	struct text line;

	ck_assert_msg(write_file(text_of(source), &plain, &map, &err) == 0, "%s", err.text);
	ck_assert_msg(jsfile_open(&file, map.bytes, map.size, &err) == 0, "%s", err.text);
	ck_assert(text_is(file.text, source));
	ck_assert_uint_eq(file.line_count, 4);
	ck_assert(jsfile_line(&file, 1, &line) && text_is(line, "one"));
	ck_assert(jsfile_line(&file, 2, &line) && text_is(line, ""));
	ck_assert(jsfile_line(&file, 4, &line) && text_is(line, "\xc3\xa4"));
	ck_assert(!jsfile_line(&file, 0, &line));
	ck_assert(!jsfile_line(&file, 5, &line));
	ck_assert_int_eq(file.map, JSFILE_MAP_NONE);
	file_unmap(&map);
}
END_TEST

static const struct {
	const char *what, *text, *header;
	enum jsfile_map map;
	const char *said;
	bool is_strict_error;
} maps[] = {
	{ "an empty file", "", NULL, JSFILE_MAP_NONE, NULL, false },
	{ "an empty file with a header", "", "x.map", JSFILE_MAP_AT, "x.map", false },
	{ "a header before a comment", "//# sourceMappingURL=c", "h?1#2", JSFILE_MAP_AT, "h?1#2", false },
	{ "an empty comment", "//# sourceMappingURL=\n", NULL, JSFILE_MAP_AT, "", false },
	{ "base64", "//# sourceMappingURL=data:application/json;charset=utf-8;base64,e30=", NULL,
	  JSFILE_MAP_INSIDE, "{}", false },
	{ "without padding", "//# sourceMappingURL=data:;base64,e30", NULL, JSFILE_MAP_INSIDE, "{}", false },
	{ "percent", "//# sourceMappingURL=data:,%7B%7D", NULL, JSFILE_MAP_INSIDE, "{}", false },
	{ "blanks in a header's", "", "data:;base64 ,e3 0=", JSFILE_MAP_INSIDE, "{}", false },
	{ "half a padding", "//# sourceMappingURL=data:;base64,kIQ=kI=", NULL, JSFILE_MAP_NONE, NULL, true },
	{ "too short a padding", "//# sourceMappingURL=data:;base64,kI=", NULL, JSFILE_MAP_NONE, NULL, true },
	{ "no comma", "//# sourceMappingURL=data:e30", NULL, JSFILE_MAP_NONE, NULL, true },
	{ "no UTF-8", "//# sourceMappingURL=data:;base64,//8=", NULL, JSFILE_MAP_NONE, NULL, true },
	{ "a header that cannot be decoded", "//# sourceMappingURL=c", "data:x", JSFILE_MAP_NONE, NULL, true },
	{ "not in lower case", "//# sourceMappingURL=DATA:,x", NULL, JSFILE_MAP_AT, "DATA:,x", false },
};

START_TEST(tells_where_the_map_is)
{
	struct jsfile_options options = { .header = text_of(maps[_i].header), .memory_bytes = BYTES_MOST };
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;
	struct jsfile file;
	struct text said;

	ck_assert_msg(write_file(text_of(maps[_i].text), &options, &map, &err) == 0, "%s: %s",
		      maps[_i].what, err.text);
	ck_assert(jsfile_open(&file, map.bytes, map.size, &err) == 0);
	ck_assert_msg(file.map == maps[_i].map, "%s: %d", maps[_i].what, (int)file.map);
	said = file.map == JSFILE_MAP_INSIDE ? file.inside : file.reference;
	if (maps[_i].said)
		ck_assert_msg(text_is(said, maps[_i].said), "%s: %.*s", maps[_i].what, (int)said.size,
			      said.bytes);
	file_unmap(&map);
	options.is_strict = true;
	ck_assert_msg((write_file(text_of(maps[_i].text), &options, &map, &err) < 0) ==
		      maps[_i].is_strict_error, "%s", maps[_i].what);
	file_unmap(&map);
}
END_TEST

START_TEST(refuses_what_is_no_text)
{
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(write_file(TEXT("\xff"), &plain, &map, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "it is no UTF-8");
}
END_TEST

static void read_all(const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;
	struct jsbundle bundle;
	struct jsfile file;
	size_t sum = 0;

	if (jsfile_open(&file, bytes, size, &err) == 0) {
		struct text line;

		for (uint32_t i = 0; i < 20; i++)
			if (jsfile_line(&file, i, &line))
				sum += line.size ? (size_t)line.bytes[line.size - 1] : 0;
	}
	if (jsbundle_open(&bundle, bytes, size, &err) == 0) {
		struct debugid id = { .kind = DEBUGID_UUID };
		struct jsbundle_entry entry;

		for (uint32_t i = 0; i < 20; i++)
			if (jsbundle_entry_at(&bundle, i, &entry))
				sum += entry.url.size ? (size_t)entry.url.bytes[0] : 0;
		sum += jsbundle_find_url(&bundle, TEXT("~/b.js"), &entry);
		sum += jsbundle_find_id(&bundle, &id, OBJECT_SOURCE_MAP, &entry);
	}
	(void)sum;
}

static void survive(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	read_all(bytes, size);
}

START_TEST(survives_every_changed_byte)
{
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(write_file(TEXT("a\nb\n//# sourceMappingURL=x"), &plain, &map, &err), 0);
	support_every_byte_change(map.bytes, map.size, survive, NULL);
	file_unmap(&map);
}
END_TEST

/* --- Bundles ------------------------------------------------------------------------------ */

#define ID_TEXT "2f259f80-58b7-44cb-d7cd-de1505e7e718"

static const char manifest[] =
	"{\"files\":{"
	"\"files/a\":{\"type\":\"minified_source\",\"url\":\"~/a.js\",\"headers\":{\"debug-id\":\"" ID_TEXT "\","
	"\"SourceMap\":\"a.js.map\"}},"
	"\"files/b\":{\"type\":\"source_map\",\"url\":\"~/a.js.map\",\"headers\":{\"Debug-Id\":\"" ID_TEXT "\"}},"
	"\"files/c\":{\"url\":\"~/a.js\"},"
	"\"files/gone\":{\"type\":\"source\",\"url\":\"~/gone.js\"},"
	"\"files/none\":{\"type\":\"source\",\"url\":\"\"}"
	"},\"org\":\"x\"}";

static const struct bundle_file files[] = {
	{ "files/a", NULL, NULL, "f()", 0 },
	{ "files/b", NULL, NULL, "{}", 0 },
	{ "files/c", NULL, NULL, "g()\n//# sourceMappingURL=z", 0 },
	{ "files/none", NULL, NULL, "\xff", 0 },
};

static struct buf made_bundle(void)
{
	struct bundle_maker maker = { .files = files, .count = sizeof(files) / sizeof(files[0]),
				      .manifest = manifest };
	struct buf bytes;

	buf_init(&bytes, BYTES_MOST);
	make_bundle(&maker, &bytes);
	return bytes;
}

static int read_bundle(const struct buf *bytes, int (*work)(const struct object *object, int fd, struct err *err),
		       struct file_map *map, struct err *err)
{
	struct object object;
	struct arena arena;
	FILE *out = tmpfile();
	int rc = -1;

	ck_assert_ptr_nonnull(out);
	arena_init(&arena, BYTES_MOST);
	if (object_open(&object, bytes->bytes, bytes->size, &arena, err) == 0) {
		rc = work(&object, fileno(out), err);
		object_release(&object);
	}
	if (rc == 0 && map)
		rc = file_map_fd(map, fileno(out), err);
	arena_release(&arena);
	fclose(out);
	return rc;
}

static int with_bundle(int (*work)(const struct object *object, int fd, struct err *err),
		       struct file_map *map, struct err *err)
{
	struct buf bytes = made_bundle();
	int rc = read_bundle(&bytes, work, map, err);

	buf_release(&bytes);
	return rc;
}

static int write_index(const struct object *object, int fd, struct err *err)
{
	return jsbundle_write(object, BYTES_MOST, fd, err);
}

START_TEST(finds_what_a_bundle_holds)
{
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;
	struct jsbundle_entry entry;
	struct jsbundle bundle;
	struct debugid id;

	ck_assert_msg(with_bundle(write_index, &map, &err) == 0, "%s", err.text);
	ck_assert_msg(jsbundle_open(&bundle, map.bytes, map.size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(bundle.entry_count, 5);
	ck_assert(debugid_parse(TEXT(ID_TEXT), &id));
	ck_assert(jsbundle_find_url(&bundle, TEXT("~/a.js"), &entry));
	ck_assert_uint_eq(entry.number, 2);
	ck_assert(!entry.source_map.bytes);
	ck_assert(jsbundle_find_url(&bundle, TEXT("~/a.js.map"), &entry));
	ck_assert(!jsbundle_find_url(&bundle, TEXT(""), &entry));
	ck_assert(!jsbundle_find_url(&bundle, TEXT("~/b.js"), &entry));
	ck_assert(jsbundle_find_id(&bundle, &id, OBJECT_SOURCE_MINIFIED, &entry));
	ck_assert_uint_eq(entry.number, 0);
	ck_assert(text_is(entry.source_map, "a.js.map"));
	ck_assert(jsbundle_find_id(&bundle, &id, OBJECT_SOURCE_MAP, &entry));
	ck_assert_uint_eq(entry.number, 1);
	ck_assert(!jsbundle_find_id(&bundle, &id, OBJECT_SOURCE_PLAIN, &entry));
	support_every_byte_change(map.bytes, map.size, survive, NULL);
	file_unmap(&map);
}
END_TEST

static uint32_t taken;

static int take(const struct object *object, int fd, struct err *err)
{
	return jsbundle_take(object, taken, 100, BYTES_MOST, fd, err);
}

static const struct {
	uint32_t number;
	const char *text, *reference, *error;
} takes[] = {
	{ 0, "f()", "a.js.map", NULL },
	{ 1, "{}", NULL, NULL },
	{ 2, "g()\n//# sourceMappingURL=z", "z", NULL },
	{ 3, NULL, NULL, "reading sourcebundle: it is not in the archive" },
	{ 4, NULL, NULL, "reading sourcebundle: it is no UTF-8" },
	{ 5, NULL, NULL, "a bundle has no file 5" },
};

START_TEST(takes_one_file)
{
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;
	struct jsfile file;

	taken = takes[_i].number;
	if (takes[_i].error) {
		ck_assert_int_eq(with_bundle(take, &map, &err), -1);
		ck_assert_str_eq(err.text, takes[_i].error);
		return;
	}
	ck_assert_msg(with_bundle(take, &map, &err) == 0, "%s", err.text);
	ck_assert(jsfile_open(&file, map.bytes, map.size, &err) == 0);
	ck_assert(text_is(file.text, takes[_i].text));
	ck_assert_int_eq(file.map, takes[_i].reference ? JSFILE_MAP_AT : JSFILE_MAP_NONE);
	if (takes[_i].reference)
		ck_assert(text_is(file.reference, takes[_i].reference));
	file_unmap(&map);
}
END_TEST

/* --- By the index ------------------------------------------------------------------------- */

/* `fd` -1: it is taken nowhere.  The bundle ends after `size` bytes. */
static int take_by_index(const struct file_map *index, const struct buf *bytes, size_t size, uint32_t number,
			 int fd, struct err *err)
{
	struct jsbundle bundle;
	uint8_t *copy = mem_get(size + 1);
	int rc;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes->bytes, size);
	ck_assert_int_eq(jsbundle_open(&bundle, index->bytes, index->size, err), 0);
	rc = jsbundle_take_indexed(&bundle, (struct text){ (const char *)copy, size }, number, 100, BYTES_MOST, fd,
				   err);
	mem_give_back(copy);
	return rc;
}

/* 1: as the manifest gives it, 0: the manifest is asked, -1: no UTF-8. */
static const int by_index[] = { 1, 1, 1, 0, -1, 0 };

START_TEST(takes_one_file_by_the_index)
{
	struct buf bytes = made_bundle();
	struct file_map index = { NULL, 0 }, one = { NULL, 0 }, other = { NULL, 0 };
	struct err err = ERR_INIT;
	FILE *out = tmpfile();

	taken = takes[_i].number;
	ck_assert_int_eq(read_bundle(&bytes, write_index, &index, &err), 0);
	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(take_by_index(&index, &bytes, bytes.size, taken, fileno(out), &err), by_index[taken]);
	if (by_index[taken] > 0) {
		ck_assert_int_eq(file_map_fd(&one, fileno(out), &err), 0);
		ck_assert_int_eq(read_bundle(&bytes, take, &other, &err), 0);
		ck_assert_uint_eq(one.size, other.size);
		ck_assert_int_eq(memcmp(one.bytes, other.bytes, one.size), 0);
	} else {
		ck_assert_int_eq(ftell(out), 0);
	}
	file_unmap(&one);
	file_unmap(&other);
	file_unmap(&index);
	fclose(out);
	buf_release(&bytes);
}
END_TEST

/* What stands in another bundle at that place is never taken for the file; nothing behind its end is read. */
START_TEST(an_index_of_another_bundle_is_not_believed)
{
	struct buf bytes = made_bundle();
	struct file_map index = { NULL, 0 };
	struct err err = ERR_INIT;
	char *at;

	ck_assert_int_eq(read_bundle(&bytes, write_index, &index, &err), 0);
	for (size_t size = 0; size < bytes.size; size += 7)
		for (uint32_t number = 0; number < 3; number++) {
			FILE *out = tmpfile();

			ck_assert_ptr_nonnull(out);
			ck_assert_int_ge(take_by_index(&index, &bytes, size, number, fileno(out), &err), 0);
			fclose(out);
		}
	at = memmem(bytes.bytes, bytes.size, "files/b", 7);
	ck_assert_ptr_nonnull(at);
	for (size_t i = 0; i < 16; i++)
		at[7 + i] = (char)~at[7 + i];
	ck_assert_int_eq(take_by_index(&index, &bytes, bytes.size, 1, -1, &err), 0);
	file_unmap(&index);
	buf_release(&bytes);
}
END_TEST

static int take_indexed_work(void *payload, struct err *err)
{
	static struct file_map index;
	struct buf *bytes = payload;
	struct jsbundle bundle;
	FILE *out = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(out);
	if (!index.bytes)
		ck_assert_int_eq(read_bundle(bytes, write_index, &index, err), 0);
	rc = jsbundle_open(&bundle, index.bytes, index.size, err);
	if (rc == 0)
		rc = jsbundle_take_indexed(&bundle, buf_text(bytes), 0, 100, BYTES_MOST, fileno(out), err);
	fclose(out);
	return rc < 0 ? -1 : 0;
}

START_TEST(taking_by_the_index_survives_every_allocation_failure)
{
	struct buf bytes = made_bundle();
	struct err err = ERR_INIT;

	ck_assert_int_eq(take_indexed_work(&bytes, &err), 0);
	support_every_allocation_failure(take_indexed_work, &bytes, 100);
	buf_release(&bytes);
}
END_TEST

static int write_all(void *payload, struct err *err)
{
	struct jsfile_options options = { .header = TEXT("data:;base64,e30="), .memory_bytes = BYTES_MOST };
	FILE *out = tmpfile();
	int rc;

	ck_assert_ptr_nonnull(out);
	rc = jsfile_write(TEXT("a\nb"), &options, fileno(out), err);
	fclose(out);
	return rc < 0 ? -1 : read_bundle(payload, write_index, NULL, err);
}

START_TEST(survives_every_allocation_failure)
{
	struct buf bytes = made_bundle();

	support_every_allocation_failure(write_all, &bytes, 1000);
	buf_release(&bytes);
}
END_TEST

/* --- RAM bundles ------------------------------------------------------------------------------------ */

#define RAM_BYTES 48u

/* Startup code, module 0, none of number 1, module 2. */
static const uint8_t ram[RAM_BYTES] = {
	0xe5, 0xd1, 0x0b, 0xfb, 3, 0, 0, 0, 4, 0, 0, 0,
	4, 0, 0, 0, 3, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 0,  7, 0, 0, 0, 5, 0, 0, 0,
	'r', '0', ';', 0, 'a', ';', 0, 'b', '(', ')', ';', 0,
};

static int open_ram(struct rambundle *bundle, const uint8_t *bytes, size_t size, struct err *err)
{
	return rambundle_open(bundle, (struct text){ (const char *)bytes, size }, err);
}

START_TEST(reads_modules_by_number)
{
	struct rambundle bundle;
	struct err err = ERR_INIT;
	struct text code;

	ck_assert(rambundle_probe((struct text){ (const char *)ram, RAM_BYTES }));
	ck_assert(!rambundle_probe(TEXT("var a;")));
	ck_assert_int_eq(open_ram(&bundle, ram, RAM_BYTES, &err), 0);
	ck_assert(text_is(bundle.startup, "r0;"));
	ck_assert_uint_eq(bundle.module_count, 3);
	ck_assert_int_eq(rambundle_module(&bundle, 0, &code, &err), 1);
	ck_assert(text_is(code, "a;"));
	ck_assert_int_eq(rambundle_module(&bundle, 1, &code, &err), 0);
	ck_assert_int_eq(rambundle_module(&bundle, 2, &code, &err), 1);
	ck_assert(text_is(code, "b();"));
	ck_assert_int_eq(rambundle_module(&bundle, 3, &code, &err), 0);
	ck_assert_int_eq(rambundle_module(&bundle, UINT32_MAX, &code, &err), 0);
}
END_TEST

/* Whatever a table says, no byte outside is read: what is given lies inside. */
START_TEST(believes_no_table)
{
	for (size_t size = 0; size <= RAM_BYTES; size++) {
		for (size_t at = 0; at < size; at++) {
			uint8_t *bytes = mem_get(size);
			struct rambundle bundle;
			struct err err = ERR_INIT;
			struct text code;

			ck_assert_ptr_nonnull(bytes);
			memcpy(bytes, ram, size);
			bytes[at] = 0xff;
			if (open_ram(&bundle, bytes, size, &err) == 0)
				for (uint32_t id = 0; id < bundle.module_count; id++)
					if (rambundle_module(&bundle, id, &code, &err) > 0)
						ck_assert_int_eq(code.bytes[code.size], 0);
			mem_give_back(bytes);
		}
	}
}
END_TEST

static const struct { size_t at; uint8_t value; int module; const char *words; } lies[] = {
	{ 0, 0xe6, -1, "no RAM bundle" },
	{ 4, 5, -1, "table of 5 modules" },
	{ 8, 13, -1, "no 13 bytes at 36" },
	{ 8, 3, -1, "no NUL at 38" },
	{ 12, 13, 0, "no 3 bytes at 49" },
	{ 15, 0xff, 0, "no 3 bytes" },
	{ 32, 6, 2, "no 6 bytes at 43" },
	{ 32, 4, 2, "no NUL at 46" },
};

START_TEST(tells_where_a_bundle_lies)
{
	uint8_t bytes[RAM_BYTES];
	struct rambundle bundle;
	struct err err = ERR_INIT;
	struct text code;
	int rc;

	memcpy(bytes, ram, RAM_BYTES);
	bytes[lies[_i].at] = lies[_i].value;
	rc = open_ram(&bundle, bytes, RAM_BYTES, &err);
	if (lies[_i].module >= 0) {
		ck_assert_int_eq(rc, 0);
		rc = rambundle_module(&bundle, (uint32_t)lies[_i].module, &code, &err);
	}
	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, lies[_i].words), "%s", err.text);
}
END_TEST

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

int main(void)
{
	Suite *suite = suite_create("jsfile");
	TCase *tcase = tcase_create("jsfile");

	tcase_add_loop_test(tcase, finds_the_last_reference, 0, COUNT(references));
	tcase_add_test(tcase, finds_the_last_debug_id);
	tcase_add_test(tcase, keeps_text_and_lines);
	tcase_add_loop_test(tcase, tells_where_the_map_is, 0, COUNT(maps));
	tcase_add_test(tcase, refuses_what_is_no_text);
	tcase_add_test(tcase, survives_every_changed_byte);
	tcase_add_test(tcase, finds_what_a_bundle_holds);
	tcase_add_loop_test(tcase, takes_one_file, 0, COUNT(takes));
	tcase_add_loop_test(tcase, takes_one_file_by_the_index, 0, COUNT(takes));
	tcase_add_test(tcase, an_index_of_another_bundle_is_not_believed);
	tcase_add_test(tcase, taking_by_the_index_survives_every_allocation_failure);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, reads_modules_by_number);
	tcase_add_test(tcase, believes_no_table);
	tcase_add_loop_test(tcase, tells_where_a_bundle_lies, 0, COUNT(lies));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

/* test_pack.c -- files that are written packed: what we and others read of them. */
#include "pack/pack.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "object/object.h"
#include "support/support.h"
#include "unpack/unpack.h"
#include "unpack/zip.h"

#define PLAIN_BYTES 3000000u

static int memory_file(void)
{
	int fd = memfd_create("pack", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static int plain_file(size_t size)
{
	int fd = memory_file();
	struct err err = ERR_INIT;
	struct buf bytes;

	buf_init(&bytes, size + 64);
	for (unsigned i = 0; bytes.size < size; i++)
		buf_printf(&bytes, "%u ", i * i);
	ck_assert_int_eq(file_write_all(fd, bytes.bytes, size, &err), 0);
	buf_release(&bytes);
	return fd;
}

static struct file_map map_of(int fd)
{
	struct file_map map;
	struct err err = ERR_INIT;

	ck_assert_msg(file_map_fd(&map, fd, &err) == 0, "%s", err.text);
	return map;
}

static const struct { const char *name; enum unpack_kind kind; } packings[] = {
	{ "none", UNPACK_NONE }, { "gz", UNPACK_GZIP }, { "zst", UNPACK_ZSTD },
};
static const size_t sizes[] = { 0, 1, 5, (size_t)1 << 20, PLAIN_BYTES };

/* The same bytes pack to the same bytes. */
static void check_round(enum pack_kind packing, enum unpack_kind unpacking, size_t size)
{
	int plain = plain_file(size), packed = memory_file(), again = memory_file(), out = memory_file();
	struct file_map one, two;
	struct err err = ERR_INIT;

	ck_assert_msg(pack_file(packing, plain, packed, &err) == 0, "%s", err.text);
	ck_assert_msg(pack_file(packing, plain, again, &err) == 0, "%s", err.text);
	one = map_of(packed);
	two = map_of(again);
	ck_assert_uint_eq(one.size, two.size);
	ck_assert(one.size == 0 || memcmp(one.bytes, two.bytes, one.size) == 0);
	ck_assert_int_eq(one.size < 4 ? UNPACK_NONE : unpack_recognise(one.bytes, one.size),
			 size == 0 && packing == PACK_NONE ? UNPACK_NONE : unpacking);
	file_unmap(&one);
	file_unmap(&two);
	if (unpacking != UNPACK_NONE) {
		ck_assert_int_eq(lseek(packed, 0, SEEK_SET), 0);
		ck_assert_msg(unpack_stream(unpacking, packed, out, size, &err) == 0, "%s", err.text);
	}
	one = map_of(plain);
	two = map_of(unpacking == UNPACK_NONE ? packed : out);
	ck_assert_uint_eq(one.size, two.size);
	ck_assert(one.size == 0 || memcmp(one.bytes, two.bytes, one.size) == 0);
	file_unmap(&one);
	file_unmap(&two);
	close(plain), close(packed), close(again), close(out);
}

START_TEST(what_is_packed_is_unpacked)
{
	enum pack_kind kind;

	ck_assert(pack_kind_named(packings[_i].name, &kind));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_round(kind, packings[_i].kind, sizes[i]);
	ck_assert(!pack_kind_named("rar", &kind));
}
END_TEST

/* --- Source bundles -------------------------------------------------------------------------------- */

static const struct { const char *path, *contents; } files[] = {
	{ "/usr/src/a.c", "int a;\n" }, { "C:\\src\\b.c", "int b;\n" }, { "C:/src/b.c", "int c;\n" },
	{ "//usr//src/a.c", "" }, { "rel/d.c", "int d;\nint d;\nint d;\nint d;\nint d;\nint d;\n" },
};
#define FILES (sizeof(files) / sizeof(files[0]))
static const char *const names[FILES] = {
	"files/usr/src/a.c", "files/C/src/b.c", "files/C/src/b.c.1", "files/usr/src/a.c.1", "files/rel/d.c",
};

static int write_bundle(void *payload, struct err *err)
{
	static const struct bundle_attribute attributes[] = {
		{ "arch", { "x86_64", 6 } }, { "code_id", { "c0ffee00", 8 } }, { "debug_id", { NULL, 0 } },
	};
	struct bundle_writer bundle;
	int *fd = payload, rc;

	if (ftruncate(*fd, 0) < 0 || lseek(*fd, 0, SEEK_SET) < 0)
		return err_set(err, ERR_IO, "no file");
	rc = bundle_writer_init(&bundle, *fd, err);
	for (size_t i = 0; i < FILES && rc == 0; i++)
		rc = bundle_writer_add(&bundle, text_of(files[i].path), text_of(files[i].contents), err);
	if (rc == 0)
		rc = bundle_writer_end(&bundle, attributes, 3, err);
	bundle_writer_release(&bundle);
	return rc;
}

static int count_source(void *payload, const struct object_source *source, struct err *err)
{
	size_t *seen = payload;

	(void)err;
	ck_assert_str_eq(source->trouble, "");
	for (size_t i = 0; i < FILES; i++) {
		if (!text_is(source->path, files[i].path))
			continue;
		ck_assert_uint_eq(source->size, strlen(files[i].contents));
		++*seen;
	}
	return 0;
}

START_TEST(a_bundle_is_read_as_one)
{
	const struct object_source_sink sink = { .payload = NULL };
	struct object_source_sink counting = sink;
	struct err err = ERR_INIT;
	struct object object;
	struct file_map map;
	struct arena arena;
	struct zip zip;
	size_t seen = 0;
	int fd = memory_file();

	arena_init(&arena, (size_t)1 << 24);
	ck_assert_msg(write_bundle(&fd, &err) == 0, "%s", err.text);
	map = map_of(fd);
	ck_assert_msg(object_open(&object, map.bytes, map.size, &arena, &err) == 0, "%s", err.text);
	ck_assert_str_eq(object.format->name, "sourcebundle");
	ck_assert(text_is(object.code_id, "c0ffee00") && object.arch == ARCH_X86_64);
	counting.payload = &seen;
	counting.source = count_source;
	ck_assert_msg(object_each_source(&object, &arena, &counting, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(seen, FILES);
	object_release(&object);
	ck_assert_int_eq(zip_open(&zip, map.bytes, map.size, &arena, &err), 0);
	for (size_t i = 0; i < FILES; i++)
		ck_assert_msg(zip_find(&zip, text_of(names[i])), "%s is not there", names[i]);
	file_unmap(&map);
	arena_release(&arena);
	close(fd);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	int fd = memory_file();

	support_every_allocation_failure(write_bundle, &fd, 400);
	close(fd);
}
END_TEST

START_TEST(an_archive_has_its_limits)
{
	struct err err = ERR_INIT;
	struct zip_writer zip;
	int fd = memory_file();

	zip_writer_init(&zip, fd);
	ck_assert_int_lt(zip_writer_add(&zip, TEXT(""), TEXT("x"), &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	zip.count = ZIP_WRITE_ENTRIES_MAX;
	ck_assert_int_lt(zip_writer_add(&zip, TEXT("a"), TEXT("x"), &err), 0);
	zip.count = 0;
	zip.at = ZIP_WRITE_BYTES_MAX;
	ck_assert_int_lt(zip_writer_add(&zip, TEXT("a"), TEXT("x"), &err), 0);
	ck_assert_str_eq(err.text, "more than a zip archive is made to hold");
	zip_writer_release(&zip);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pack");
	TCase *tcase = tcase_create("pack");

	tcase_add_loop_test(tcase, what_is_packed_is_unpacked, 0, 3);
	tcase_add_test(tcase, a_bundle_is_read_as_one);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, an_archive_has_its_limits);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

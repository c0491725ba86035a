/* test_unpack -- packed bytes, good, short, lying and endless. */
#include "unpack/unpack.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "support/support.h"

#define PLAIN_BYTES   300000u
#define ARENA_BYTES   ((size_t)16 << 20)
#define CEILING_BYTES ((uint64_t)1 << 30)

static const struct {
	const char *what;
	enum unpack_kind kind;
	const char *recipe;
} kinds[] = {
	{ "gzip", UNPACK_GZIP, "seq 1 60000 | head -c 300000 | gzip -n > $OUT" },
	{ "gzip of two members", UNPACK_GZIP,
	  "seq 1 60000 | head -c 300000 > $DIR/p; head -c 1234 $DIR/p | gzip -n > $OUT;"
	  "tail -c +1235 $DIR/p | gzip -n >> $OUT" },
	{ "zlib", UNPACK_ZLIB,
	  "seq 1 60000 | head -c 300000 | python3 -c 'import sys,zlib;"
	  "sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))' > $OUT" },
	{ "deflate", UNPACK_DEFLATE,
	  "seq 1 60000 | head -c 300000 | python3 -c 'import sys,zlib;"
	  "c=zlib.compressobj(9,8,-15);"
	  "sys.stdout.buffer.write(c.compress(sys.stdin.buffer.read())+c.flush())' > $OUT" },
	{ "zstd", UNPACK_ZSTD, "seq 1 60000 | head -c 300000 | zstd -q > $OUT" },
	{ "zstd of two frames", UNPACK_ZSTD,
	  "seq 1 60000 | head -c 300000 > $DIR/p; head -c 1234 $DIR/p | zstd -q > $OUT;"
	  "tail -c +1235 $DIR/p | zstd -q >> $OUT" },
	{ "xz", UNPACK_XZ, "seq 1 60000 | head -c 300000 | xz > $OUT" },
	{ "lz4 of two frames", UNPACK_LZ4,
	  "seq 1 60000 | head -c 300000 > $DIR/l; head -c 1234 $DIR/l | lz4 -q > $OUT;"
	  "tail -c +1235 $DIR/l | lz4 -q >> $OUT" },
};
#define KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

static uint8_t plain[PLAIN_BYTES + 1];

static void make_plain(void)
{
	size_t at = 0;

	for (unsigned i = 1; at < PLAIN_BYTES; i++) {
		char line[16];
		size_t size = (size_t)snprintf(line, sizeof(line), "%u\n", i);

		if (size > PLAIN_BYTES - at)
			size = PLAIN_BYTES - at;
		memcpy(plain + at, line, size);
		at += size;
	}
}

static struct file_map packed_map(int i)
{
	return support_read(support_fixture(support_printf("unpack-%d", i), kinds[i].recipe));
}

static struct text map_text(const struct file_map *map)
{
	return (struct text){ (const char *)map->bytes, map->size };
}

START_TEST(memory_to_memory)
{
	struct file_map map = packed_map(_i);
	uint8_t *out = mem_get(PLAIN_BYTES + 1);
	struct err err = ERR_INIT;

	ck_assert_msg(unpack_memory(kinds[_i].kind, "it", map_text(&map), out, PLAIN_BYTES,
				    &err) == 0, "%s: %s", kinds[_i].what, err.text);
	ck_assert_mem_eq(out, plain, PLAIN_BYTES);
	ck_assert_int_eq(unpack_head(kinds[_i].kind, "it", map_text(&map), out, 99, &err), 0);
	ck_assert_mem_eq(out, plain, 99);
	mem_give_back(out);
}
END_TEST

/* A size that is not the truth is named with the section's name. */
START_TEST(lying_sizes)
{
	static const struct { size_t size; const char *words; } lies[] = {
		{ PLAIN_BYTES + 1, "unpacking .debug_info: holds 300000 bytes, not 300001" },
		{ PLAIN_BYTES - 1, "unpacking .debug_info: holds more than 299999 bytes" },
		{ 1,               "unpacking .debug_info: holds more than 1 bytes" },
	};
	struct file_map map = packed_map(_i);
	uint8_t *out = mem_get(PLAIN_BYTES + 1);

	for (size_t i = 0; i < 3; i++) {
		struct err err = ERR_INIT;

		ck_assert_int_eq(unpack_memory(kinds[_i].kind, ".debug_info", map_text(&map), out,
					       lies[i].size, &err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		ck_assert_str_eq(err.text, lies[i].words);
	}
	mem_give_back(out);
}
END_TEST

START_TEST(cut_short)
{
	struct file_map map = packed_map(_i);
	uint8_t *out = mem_get(PLAIN_BYTES);
	struct text packed = map_text(&map);
	struct err err = ERR_INIT;

	packed.size = packed.size * 3 / 4;
	ck_assert_int_eq(unpack_memory(kinds[_i].kind, "it", packed, out, PLAIN_BYTES, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	mem_give_back(out);
}
END_TEST

static int stream(enum unpack_kind kind, const void *bytes, size_t size, uint64_t ceiling,
		  struct file_map *result, struct err *err)
{
	int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
	struct err ignored = ERR_INIT;
	int rc;

	ck_assert(in >= 0 && out >= 0);
	ck_assert_int_eq(file_write_all(in, bytes, size, &ignored), 0);
	ck_assert_int_eq(lseek(in, 0, SEEK_SET), 0);
	rc = unpack_stream(kind, in, out, ceiling, err);
	if (rc == 0)
		ck_assert_int_eq(file_map_fd(result, out, &ignored), 0);
	close(in);
	close(out);
	return rc;
}

START_TEST(memory_to_a_buffer)
{
	struct file_map map = packed_map(_i);
	struct text packed = { (const char *)map.bytes, map.size };
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, PLAIN_BYTES);
	ck_assert_msg(unpack_buf(kinds[_i].kind, packed, &out, &err) == 0, "%s: %s", kinds[_i].what,
		      err.text);
	ck_assert_uint_eq(out.size, PLAIN_BYTES);
	ck_assert_mem_eq(out.bytes, plain, PLAIN_BYTES);
	buf_release(&out);
	for (size_t size = 0; size < packed.size; size += packed.size / 50 + 1) {
		struct text cut = { packed.bytes, size };

		/* Cut between two members it is a whole stream of less. */
		buf_init(&out, PLAIN_BYTES);
		if (unpack_buf(kinds[_i].kind, cut, &out, &err) < 0)
			ck_assert_msg(err.kind == ERR_MALFORMED, "%s: %s", kinds[_i].what, err.text);
		else
			ck_assert_uint_lt(out.size, PLAIN_BYTES);
		buf_release(&out);
	}
	buf_init(&out, PLAIN_BYTES - 1);
	ck_assert_int_lt(unpack_buf(kinds[_i].kind, packed, &out, &err), 0);
	ck_assert_msg(err.kind == ERR_LIMIT, "%s: %s", kinds[_i].what, err.text);
	buf_release(&out);
	file_unmap(&map);
}
END_TEST

START_TEST(descriptor_to_descriptor)
{
	struct file_map map = packed_map(_i), result;
	struct err err = ERR_INIT;

	ck_assert_msg(stream(kinds[_i].kind, map.bytes, map.size, CEILING_BYTES, &result,
			     &err) == 0, "%s: %s", kinds[_i].what, err.text);
	ck_assert_uint_eq(result.size, PLAIN_BYTES);
	ck_assert_mem_eq(result.bytes, plain, PLAIN_BYTES);
	file_unmap(&result);
	ck_assert_int_eq(stream(kinds[_i].kind, map.bytes, map.size, PLAIN_BYTES - 1, &result,
				&err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_str_eq(err.text, "Maximum file size exceeded");
	ck_assert_int_eq(stream(kinds[_i].kind, map.bytes, map.size / 2, CEILING_BYTES, &result,
				&err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
}
END_TEST

/* A name, a comment, an extra field; a checksum of the header; a wrong one of the contents. */
START_TEST(gzip_headers)
{
	static const struct { const char *what, *fields; const char *words; } cases[] = {
		{ "name", "h=b'\\x1f\\x8b\\x08\\x08'+bytes(6)+b'a.debug\\0'", NULL },
		{ "all", "h=b'\\x1f\\x8b\\x08\\x1d'+bytes(6)+b'\\3\\0xyz'+b'n\\0'+b'c c\\0'", NULL },
		{ "checksum", "h=b'\\x1f\\x8b\\x08\\2'+bytes(6);"
		  "h+=struct.pack('<H',zlib.crc32(h)&0xffff)", NULL },
		{ "bad-crc", "h=b'\\x1f\\x8b\\x08\\0'+bytes(6);c^=1", "incorrect data check" },
		{ "bad-size", "h=b'\\x1f\\x8b\\x08\\0'+bytes(6);n+=1", "incorrect length check" },
		{ "reserved", "h=b'\\x1f\\x8b\\x08\\x80'+bytes(6)", "unknown header flags set" },
		{ "endless-name", "h=b'\\x1f\\x8b\\x08\\x08'+bytes(6)+b'a'*70000;o=b'';t=b''", "ends early" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = support_fixture(
			support_printf("header-%s.gz", cases[i].what),
			support_printf("seq 1 60000 | head -c 300000 > $DIR/p; python3 - $DIR/p $OUT <<'EOF'\n"
				       "import struct,sys,zlib\n"
				       "d=open(sys.argv[1],'rb').read(); c=zlib.crc32(d); n=len(d)\n"
				       "z=zlib.compressobj(9,8,-15); o=z.compress(d)+z.flush(); t=None\n"
				       "%s\n"
				       "t=struct.pack('<II',c,n) if t is None else t\n"
				       "open(sys.argv[2],'wb').write(h+o+t)\nEOF", cases[i].fields));
		struct file_map map = support_map(path), result;
		struct err err = ERR_INIT;
		int rc = stream(UNPACK_GZIP, map.bytes, map.size, CEILING_BYTES, &result, &err);

		ck_assert_msg(rc == (cases[i].words ? -1 : 0), "%s: %s", cases[i].what, err.text);
		if (cases[i].words)
			ck_assert_msg(strstr(err.text, cases[i].words), "%s: %s", cases[i].what,
				      err.text);
		else
			ck_assert(result.size == PLAIN_BYTES &&
				  memcmp(result.bytes, plain, PLAIN_BYTES) == 0);
	}
}
END_TEST

START_TEST(trailing_garbage_is_malformed)
{
	static const enum unpack_kind strict[] = { UNPACK_GZIP, UNPACK_ZSTD, UNPACK_XZ, UNPACK_LZ4 };
	static const int made_by[] = { 0, 4, 6, 7 };

	for (size_t i = 0; i < 4; i++) {
		struct file_map map = packed_map(made_by[i]), result;
		uint8_t *longer = mem_get(map.size + 8);
		struct err err = ERR_INIT;

		memcpy(longer, map.bytes, map.size);
		memcpy(longer + map.size, "garbage!", 8);
		ck_assert_int_eq(stream(strict[i], longer, map.size + 8, CEILING_BYTES, &result,
					&err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
		mem_give_back(longer);
	}
}
END_TEST

START_TEST(empty_input)
{
	static const enum unpack_kind all[] = { UNPACK_GZIP, UNPACK_ZLIB, UNPACK_ZSTD, UNPACK_XZ,
						UNPACK_LZ4 };
	struct file_map result;

	for (size_t i = 0; i < 5; i++) {
		struct err err = ERR_INIT;

		ck_assert_int_eq(stream(all[i], "", 0, CEILING_BYTES, &result, &err), -1);
		ck_assert_int_eq(err.kind, ERR_MALFORMED);
	}
}
END_TEST

/* A gigabyte of zeros in a megabyte: only the ceiling's worth is ever written. */
START_TEST(bombs_end_at_the_ceiling)
{
	const char *path = support_fixture("bomb.gz", "head -c 300000000 /dev/zero | gzip -1 > $OUT");
	struct file_map map = support_map(path), result;
	struct err err = ERR_INIT;

	ck_assert_int_eq(stream(UNPACK_GZIP, map.bytes, map.size, 1 << 20, &result, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	file_unmap(&map);
}
END_TEST

/* What no debug file is: zeros, many thousands to one. */
START_TEST(nothing_holds_a_thousand_times_itself)
{
	const char *path = support_fixture("bomb.zst",
					   "head -c 200000000 /dev/zero | zstd -q -1 > $OUT");
	struct file_map map = support_map(path), result;
	struct err err = ERR_INIT;

	ck_assert_uint_lt(map.size, 30000);
	ck_assert_int_eq(stream(UNPACK_ZSTD, map.bytes, map.size, (uint64_t)1 << 30, &result,
				&err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_msg(strstr(err.text, "it holds more than 1040 times its"), "%s", err.text);
	ck_assert_uint_eq(unpack_most(0, 1000), 1000);
	ck_assert_uint_eq(unpack_most(0, UINT64_MAX), LIMIT_UNPACK_FREE_BYTES);
	ck_assert_uint_eq(unpack_most(UINT64_MAX, UINT64_MAX), UINT64_MAX);
	ck_assert_uint_eq(unpack_most(1000, UINT64_MAX), LIMIT_UNPACK_FREE_BYTES + 1040000);
}
END_TEST

START_TEST(archives_are_no_streams)
{
	struct file_map result;
	struct err err = ERR_INIT;

	ck_assert_int_eq(stream(UNPACK_ZIP, "PK\3\4", 4, CEILING_BYTES, &result, &err), -1);
	ck_assert_int_eq(err.kind, ERR_UNSUPPORTED);
	ck_assert_str_eq(err.text, "zip data cannot be unpacked");
	ck_assert_int_eq(stream(UNPACK_CAB, "MSCF", 4, CEILING_BYTES, &result, &err), -1);
	ck_assert_str_eq(err.text, "cab data cannot be unpacked");
}
END_TEST

START_TEST(recognises_by_four_bytes)
{
	static const struct { const char *head; size_t size; enum unpack_kind kind; } heads[] = {
		{ "\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD }, { "\x1f\x8b\x08\0", 4, UNPACK_GZIP },
		{ "\x78\x01..", 4, UNPACK_ZLIB }, { "\x78\x9c..", 4, UNPACK_ZLIB },
		{ "\x78\xda..", 4, UNPACK_ZLIB }, { "\x78\x5e..", 4, UNPACK_NONE },
		{ "PK\3\4", 4, UNPACK_ZIP }, { "PK\5\6", 4, UNPACK_NONE },
		{ "MSCF", 4, UNPACK_CAB }, { "\x7f" "ELF", 4, UNPACK_NONE },
		{ "\x1f\x8b\x08", 3, UNPACK_NONE }, { "", 0, UNPACK_NONE },
		{ "\xfd" "7zX", 4, UNPACK_NONE },
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		ck_assert_int_eq(unpack_recognise((const uint8_t *)heads[i].head, heads[i].size),
				 heads[i].kind);
}
END_TEST

START_TEST(recognises_what_is_stored)
{
	static const struct { const char *head; size_t size; enum unpack_kind kind; } heads[] = {
		{ "\xfd" "7zXZ\0", 6, UNPACK_XZ }, { "\xfd" "7zXZ", 5, UNPACK_NONE },
		{ "\x04\x22\x4d\x18", 4, UNPACK_LZ4 }, { "\x04\x22\x4d", 3, UNPACK_NONE },
		{ "\x28\xb5\x2f\xfd", 4, UNPACK_ZSTD }, { "\x7f" "ELF", 4, UNPACK_NONE },
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		ck_assert_int_eq(unpack_recognise_stored((const uint8_t *)heads[i].head,
							 heads[i].size), heads[i].kind);
}
END_TEST

START_TEST(xz_tells_its_size)
{
	struct file_map map = packed_map(6);
	struct err err = ERR_INIT;
	uint64_t size = 0;

	ck_assert_int_eq(unpack_xz_size("it", map_text(&map), &size, &err), 0);
	ck_assert_uint_eq(size, PLAIN_BYTES);
	for (size_t cut = 0; cut < map.size; cut++)
		ck_assert_int_eq(unpack_xz_size("it", (struct text){ (const char *)map.bytes, cut },
						&size, &err), -1);
}
END_TEST

START_TEST(capacity_keeps_to_its_ceiling)
{
	struct unpack_memory capacity;
	struct err err = ERR_INIT;
	struct arena arena;
	void *bytes;

	arena_init(&arena, ARENA_BYTES);
	unpack_memory_init(&capacity, &arena, (uint64_t)3 << 20);
	ck_assert_int_eq(unpack_memory_get(&capacity, 0, &bytes, &err), 0);
	ck_assert_ptr_nonnull(bytes);
	ck_assert_int_eq(unpack_memory_get(&capacity, 1000, &bytes, &err), 0);
	ck_assert_int_eq(unpack_memory_get(&capacity, 2 << 20, &bytes, &err), 0);
	memset(bytes, 1, 2 << 20);
	ck_assert_uint_lt(arena.held_bytes, 2 << 20);
	ck_assert_int_eq(unpack_memory_get(&capacity, 1 << 20, &bytes, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_int_eq(unpack_memory_get(&capacity, UINT64_MAX, &bytes, &err), -1);
	unpack_memory_release(&capacity);
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static int work_index;

static int work(void *payload, struct err *err)
{
	const struct file_map *map = payload;
	uint8_t *out = mem_get(PLAIN_BYTES);
	int rc = out ? unpack_memory(kinds[work_index].kind, "it", map_text(map), out,
				     PLAIN_BYTES, err)
		     : err_set(err, ERR_NO_MEMORY, "no memory");

	mem_give_back(out);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = packed_map(_i);

	work_index = _i;
	support_every_allocation_failure(work, &map, 100);
}
END_TEST

static void change(void *payload, const uint8_t *bytes, size_t size)
{
	static uint8_t out[PLAIN_BYTES];
	struct err err = ERR_INIT;
	uint64_t told;

	(void)payload;
	if (unpack_memory(kinds[work_index].kind, "it",
			  (struct text){ (const char *)bytes, size }, out, PLAIN_BYTES, &err) < 0)
		ck_assert_str_ne(err.text, "");
	if (kinds[work_index].kind == UNPACK_XZ &&
	    unpack_xz_size("it", (struct text){ (const char *)bytes, size }, &told, &err) < 0)
		ck_assert_str_ne(err.text, "");
}

START_TEST(survives_every_byte_change)
{
	static const char *const recipes[] = {
		[UNPACK_GZIP] = "seq 1 200 | gzip -n > $OUT",
		[UNPACK_ZSTD] = "seq 1 200 | zstd -q > $OUT",
		[UNPACK_XZ] = "seq 1 200 | xz > $OUT",
		[UNPACK_LZ4] = "seq 1 200 | lz4 -q > $OUT",
	};
	enum unpack_kind kind = kinds[_i].kind;
	struct file_map map;

	if (kind >= sizeof(recipes) / sizeof(recipes[0]) || !recipes[kind])
		return;
	work_index = _i;
	map = support_read(support_fixture(support_printf("unpack-small-%d", (int)kind),
					   recipes[kind]));
	support_every_byte_change(map.bytes, map.size, change, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unpack");
	TCase *tcase = tcase_create("unpack");

	make_plain();
	tcase_add_loop_test(tcase, memory_to_memory, 0, KINDS);
	tcase_add_loop_test(tcase, lying_sizes, 0, KINDS);
	tcase_add_loop_test(tcase, cut_short, 0, KINDS);
	tcase_add_loop_test(tcase, memory_to_a_buffer, 0, KINDS);
	tcase_add_loop_test(tcase, descriptor_to_descriptor, 0, KINDS);
	tcase_add_test(tcase, gzip_headers);
	tcase_add_test(tcase, trailing_garbage_is_malformed);
	tcase_add_test(tcase, empty_input);
	tcase_add_test(tcase, bombs_end_at_the_ceiling);
	tcase_add_test(tcase, nothing_holds_a_thousand_times_itself);
	tcase_add_test(tcase, archives_are_no_streams);
	tcase_add_test(tcase, recognises_by_four_bytes);
	tcase_add_test(tcase, recognises_what_is_stored);
	tcase_add_test(tcase, xz_tells_its_size);
	tcase_add_test(tcase, capacity_keeps_to_its_ceiling);
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, KINDS);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, KINDS);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

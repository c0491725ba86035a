/* test_lookup -- opening lookup files, ours and others', sound and damaged, and searching. */
#include "support/support.h"
#include "symcache/fake.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache_layout.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define SMALL_FILE_BYTES 512u
#define OUT_CEILING_BYTES ((size_t)64 << 20)

/* --- Files made by hand -------------------------------------------------------------- */

struct hand {
	uint8_t bytes[SMALL_FILE_BYTES];
	size_t size;
};

static void put(struct hand *hand, const void *bytes, size_t size)
{
	memcpy(hand->bytes + hand->size, bytes, size);
	hand->size += size;
}

static void put_u32(struct hand *hand, uint32_t value)
{
	put(hand, &value, sizeof(value));
}

static void align(struct hand *hand)
{
	hand->size = (size_t)symc_aligned(hand->size);
}

/* "a/b", main in it, one inlined call within another. */
static struct hand make_hand(uint32_t version)
{
	static const uint32_t locations[][4] = {
		{ 0, 7, 0, SYMC_NONE },              /* 0: call location */
		{ 0, 9, 1, 0 }, { 0, 8, 0, SYMC_NONE },
		{ SYMC_NONE, SYMC_NONE, SYMC_NONE, SYMC_NONE },
	};
	static const uint32_t ranges[] = { 0x10, 0x20, 0x30 };
	static const char strings_7[] = "\1\0\0\0a\1\0\0\0b\4\0\0\0main\6\0\0\0inline";
	static const char strings_9[] = "\0\1a\1b\4main\6inline";
	uint32_t name[4] = { 0, 5, 10, 18 };
	struct hand hand = { .size = 0 };

	if (version > 7)
		memcpy(name, (uint32_t[]){ 1, 3, 5, 10 }, sizeof(name));
	put_u32(&hand, SYMC_MAGIC);
	put_u32(&hand, version);
	hand.size += DEBUGID_RECORD_BYTES;
	put_u32(&hand, ARCH_X86_64);
	put_u32(&hand, 1);
	put_u32(&hand, 2);
	put_u32(&hand, COUNT(locations));
	put_u32(&hand, COUNT(ranges));
	put_u32(&hand, version == 7 ? sizeof(strings_7) - 1 : sizeof(strings_9) - 1);
	hand.size += SYMC_HEAD_RESERVED;
	put_u32(&hand, SYMC_NONE);
	put_u32(&hand, name[0]);
	put_u32(&hand, name[1]);
	for (unsigned i = 0; version == 9 && i < 3; i++)
		put_u32(&hand, SYMC_NONE);
	align(&hand);
	put(&hand, (uint32_t[]){ name[2], SYMC_NONE, 0x10, LANGUAGE_C }, SYMC_FUNCTION_BYTES);
	put(&hand, (uint32_t[]){ name[3], SYMC_NONE, SYMC_NONE, 99 }, SYMC_FUNCTION_BYTES);
	align(&hand);
	put(&hand, locations, sizeof(locations));
	align(&hand);
	put(&hand, ranges, sizeof(ranges));
	align(&hand);
	if (version == 7)
		put(&hand, strings_7, sizeof(strings_7) - 1);
	else
		put(&hand, strings_9, sizeof(strings_9) - 1);
	return hand;
}

#define HAND_LOCATIONS (80u + 24u + 2u * SYMC_FUNCTION_BYTES)    /* of version 9 */
#define HAND_RANGES    (HAND_LOCATIONS + 4u * SYMC_LOCATION_BYTES)

START_TEST(versions_7_to_9_are_read)
{
	struct hand hand = make_hand(7 + (uint32_t)_i);
	struct symcache_frame frames[4];
	struct symcache cache;
	struct err err = ERR_INIT;

	ck_assert_msg(symcache_open(&cache, hand.bytes, hand.size, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(cache.version, 7 + (uint32_t)_i);
	ck_assert_uint_eq(symcache_lookup(&cache, 0xf, frames, 4), 0);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x1f, frames, 4), 2);
	ck_assert(text_is(frames[0].function, "inline"));
	ck_assert_uint_eq(frames[0].language, LANGUAGE_UNKNOWN);
	ck_assert_uint_eq(frames[0].entry, SYMCACHE_NO_ENTRY);
	ck_assert_uint_eq(frames[0].line, 9);
	ck_assert(text_is(frames[1].function, "main"));
	ck_assert_uint_eq(frames[1].language, LANGUAGE_C);
	ck_assert_uint_eq(frames[1].entry, 0x10);
	ck_assert_uint_eq(frames[1].line, 7);
	ck_assert(frames[1].has_file);
	ck_assert_ptr_null(frames[1].comp_dir.bytes);
	ck_assert(text_is(frames[1].directory, "a"));
	ck_assert(text_is(frames[1].name, "b"));
	ck_assert_uint_eq(symcache_lookup(&cache, 0x20, frames, 4), 1);
	ck_assert_uint_eq(symcache_lookup(&cache, 0x30, frames, 4), 0);
	ck_assert_uint_eq(symcache_lookup(&cache, UINT64_C(0x100000010), frames, 4), 0);
	ck_assert_uint_eq(symcache_function_end(&cache, 0x10), 0x30);
	ck_assert_uint_eq(symcache_function_end(&cache, 0x20), 0);
	ck_assert_uint_eq(symcache_function_end(&cache, 0x31), 0);
}
END_TEST

/* One number of a sound file of version 9 changed. */
static const struct {
	const char *what;
	size_t at;
	uint32_t value;
	size_t size;                 /* 0: whole */
	enum err_kind kind;          /* ERR_NONE: opens */
	const char *text;            /* of the error, or the chain at 0x10 */
} damages[] = {
	{ "sound", 4, 9, 0, ERR_NONE, "inline:9 main:7 " },
	{ "empty", 0, SYMC_MAGIC, 1, ERR_MALFORMED, "symcache ends early, at byte 0 of 1" },
	{ "another magic", 0, 0x464c457f, 0, ERR_MALFORMED,
	  "not a symcache: it starts with 0x464c457f" },
	{ "swapped bytes", 0, SYMC_MAGIC_SWAPPED, 0, ERR_MALFORMED,
	  "symcache has the wrong endianness" },
	{ "version 6", 4, 6, 0, ERR_UNSUPPORTED, "symcache version 6, we read 7 to 9" },
	{ "version 10", 4, 10, 0, ERR_UNSUPPORTED, "symcache version 10, we read 7 to 9" },
	{ "cut in the header", 4, 9, 79, ERR_MALFORMED, "symcache ends early, at byte 64 of 79" },
	{ "cut in the ranges", 4, 9, HAND_RANGES + 3, ERR_MALFORMED, NULL },
	{ "too many files", 44, UINT32_MAX, 0, ERR_MALFORMED, NULL },
	{ "too many functions", 48, UINT32_MAX, 0, ERR_MALFORMED, NULL },
	{ "too many locations", 52, UINT32_MAX, 0, ERR_MALFORMED, NULL },
	{ "too many ranges", 56, UINT32_MAX, 0, ERR_MALFORMED, NULL },
	{ "too many bytes of strings", 60, UINT32_MAX, 0, ERR_MALFORMED, NULL },
	{ "fewer locations than ranges", 52, 2, 0, ERR_MALFORMED,
	  "symcache has 3 ranges but only 2 source locations" },
	{ "an inlined call of itself", HAND_LOCATIONS + 12, 0, 0, ERR_NONE, NULL },
	{ "inlined into nowhere", HAND_LOCATIONS + 28, 77, 0, ERR_NONE, "inline:9 " },
	{ "a function that is not there", HAND_LOCATIONS + 24, 77, 0, ERR_NONE, "?:9 main:7 " },
	{ "a file that is not there", HAND_LOCATIONS + 16, 77, 0, ERR_NONE, "inline:9 main:7 " },
	{ "an empty name: nobody named the place", 80 + 24, 0, 0, ERR_NONE, "inline:9 ??:7 " },
	{ "a name outside the strings", 80 + 24, 77, 0, ERR_NONE, "inline:9 ?:7 " },
	{ "a name whose length is wrong", 80 + 24, 6, 0, ERR_NONE, "inline:9 ?:7 " },
	{ "a name that is the last byte", 80 + 24, 16, 0, ERR_NONE, "inline:9 ?:7 " },
};

START_TEST(damage_is_refused_or_harmless)
{
	struct hand hand = make_hand(9);
	struct symcache_frame frames[LIMIT_INLINE_DEPTH * 2];
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf chain;
	size_t count, size = damages[_i].size ? damages[_i].size : hand.size;
	int rc;

	memcpy(hand.bytes + damages[_i].at, &damages[_i].value, sizeof(uint32_t));
	rc = symcache_open(&cache, hand.bytes, size, &err);
	ck_assert_msg((rc == 0) == (damages[_i].kind == ERR_NONE) && err.kind == damages[_i].kind,
		      "%s: %s", damages[_i].what, err.text);
	if (rc < 0) {
		if (damages[_i].text)
			ck_assert_str_eq(err.text, damages[_i].text);
		return;
	}
	count = symcache_lookup(&cache, 0x10, frames, COUNT(frames));
	ck_assert_uint_le(count, LIMIT_INLINE_DEPTH);
	buf_init(&chain, OUT_CEILING_BYTES);
	for (size_t i = 0; i < count; i++)
		buf_printf(&chain, "%.*s:%u ", (int)frames[i].function.size,
			   frames[i].function.bytes, (unsigned)frames[i].line);
	if (damages[_i].text)
		ck_assert_str_eq(buf_string(&chain), damages[_i].text);
	else
		ck_assert_uint_eq(count, LIMIT_INLINE_DEPTH);
	buf_release(&chain);
}
END_TEST

/* --- Many ranges --------------------------------------------------------------------- */

#define MANY_RANGES 1000u

/* The entry of the function at a range; SYMCACHE_NO_ENTRY in a gap. */
static uint32_t entry_at(const struct symcache *cache, uint32_t range)
{
	struct symcache_frame frames[8];
	size_t count = symcache_lookup(cache, symcache_range_address(cache, range), frames, COUNT(frames));

	return count ? frames[count - 1].entry : SYMCACHE_NO_ENTRY;
}

/* Functions of one to a hundred ranges, some followed by a gap, against a walk over all ranges. */
START_TEST(a_function_ends_where_a_walk_finds_its_end)
{
	static struct object_function functions[100];
	static struct object_line lines[COUNT(functions) * (COUNT(functions) + 1) / 2];
	struct fake_unit unit = { .functions = functions, .function_count = COUNT(functions) };
	struct fake fake = { .units = &unit, .unit_count = 1 };
	struct symcache_report report;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;
	uint64_t at = 8;

	buf_init(&file, OUT_CEILING_BYTES);
	for (size_t i = 0, line = 0; i < COUNT(functions); i++) {
		functions[i] = (struct object_function){
			.range = { at, 2 * (i + 1) }, .name = TEXT("f"), .lines = &lines[line], .line_count = i + 1,
		};
		for (size_t j = 0; j <= i; j++, at += 2)
			lines[line++] = (struct object_line){ .address = at, .line = (uint32_t)j + 1 };
		at += i % 3 ? 0 : 5;
	}
	ck_assert_int_eq(fake_write(&fake, 1, &file, &report, &err), 0);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	for (uint32_t i = 0; i < cache.range_count; i++) {
		uint32_t entry = entry_at(&cache, i), end = i;

		if (entry == SYMCACHE_NO_ENTRY || symcache_range_address(&cache, i) != entry)
			continue;
		while (end < cache.range_count && entry_at(&cache, end) == entry)
			end++;
		ck_assert_uint_eq(symcache_function_end(&cache, entry),
				  end < cache.range_count ? symcache_range_address(&cache, end) : 0);
	}
	buf_release(&file);
}
END_TEST

/* Every address near every start, against a walk over all ranges. */
START_TEST(search_finds_what_a_walk_finds)
{
	static struct object_function functions[MANY_RANGES];
	struct fake_unit unit = { .functions = functions, .function_count = (size_t)_i };
	struct fake fake = { .units = &unit, .unit_count = 1 };
	struct symcache_report report;
	struct symcache_frame frame;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf file;

	buf_init(&file, OUT_CEILING_BYTES);
	for (uint64_t i = 0, at = 5; i < MANY_RANGES; i++, at += 1 + (i * i) % 97 * (i % 5 ? 1 : 400))
		functions[i] = (struct object_function){ .range = { at, 1 }, .name = TEXT("f") };
	ck_assert_int_eq(fake_write(&fake, 1, &file, &report, &err), 0);
	ck_assert_int_eq(symcache_open(&cache, file.bytes, file.size, &err), 0);
	for (int i = 0; i < _i; i++) {
		uint32_t at = (uint32_t)functions[i].range.address;

		ck_assert_uint_eq(symcache_lookup(&cache, at, &frame, 1), 1);
		ck_assert_uint_eq(frame.entry, at);
		if (i + 1 == _i || functions[i + 1].range.address > at + 1u)
			ck_assert_uint_eq(symcache_lookup(&cache, at + 1, &frame, 1), 0);
	}
	buf_release(&file);
}
END_TEST

/* --- Files of other writers ---------------------------------------------------------- */

static const struct {
	const char *file;
	uint64_t address;
	const char *chain;
} shared[] = {
	{ "fixtures/symcache/v9/linux-crash.symc", 0x1ec0, NULL },
	{ "fixtures/symcache/v9/macos-crash.symc", 0xd20, NULL },
	{ "fixtures/symcache/v9/windows-crash.symc", 0x1000, NULL },
	{ "fixtures/symcache/current/linux.symc", 0x1ec0, NULL },
	{ "fixtures/symcache/current/macos.symc", 0xd20, NULL },
};

static void look_up_everywhere(void *payload, const uint8_t *bytes, size_t size)
{
	struct symcache_frame frames[8];
	struct symcache cache;
	struct err err = ERR_INIT;
	uint64_t *sum = payload;

	if (symcache_open(&cache, bytes, size, &err) < 0)
		return;
	for (uint64_t address = 0; address < 0x20000; address += 41) {
		size_t count = symcache_lookup(&cache, address, frames, COUNT(frames));

		if (count > 0 && address % 64 == 0)
			*sum += symcache_function_end(&cache, frames[count - 1].entry);
		for (size_t i = 0; i < count; i++)
			*sum += hash_fast(frames[i].function.bytes, frames[i].function.size) +
				hash_fast(frames[i].name.bytes, frames[i].name.size) +
				hash_fast(frames[i].directory.bytes, frames[i].directory.size) +
				hash_fast(frames[i].comp_dir.bytes, frames[i].comp_dir.size);
	}
}

START_TEST(files_of_other_writers_are_read)
{
	const char *path = support_shared(shared[_i].file);
	struct file_map map;
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf out;

	if (!path)
		return;
	map = support_read(path);
	ck_assert_msg(symcache_open(&cache, map.bytes, map.size, &err) == 0, "%s: %s", path,
		      err.text);
	buf_init(&out, OUT_CEILING_BYTES);
	buf_add(&out, map.bytes, map.size);
	ck_assert_str_ne(fake_chain(&out, shared[_i].address), "-");
	buf_clear(&out);
	ck_assert_int_eq(symcache_dump(&cache, &out, &err), 0);
	ck_assert_uint_gt(out.size, map.size / 4);
	buf_release(&out);
}
END_TEST

START_TEST(version_1_is_refused)
{
	const char *path = support_shared("fixtures/symcache/compat/v1.symc");
	struct symcache cache;
	struct file_map map;
	struct err err = ERR_INIT;

	if (!path)
		return;
	map = support_read(path);
	ck_assert_int_eq(symcache_open(&cache, map.bytes, map.size, &err), -1);
	ck_assert_int_eq(err.kind, ERR_UNSUPPORTED);
}
END_TEST

START_TEST(changed_files_of_other_writers_do_no_harm)
{
	const char *path = support_shared(shared[_i].file);
	struct file_map map;
	uint64_t sum = 0;

	if (!path)
		return;
	map = support_read(path);
	support_every_byte_change(map.bytes, map.size, look_up_everywhere, &sum);
}
END_TEST

static void look_up_and_dump(void *payload, const uint8_t *bytes, size_t size)
{
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf out;

	look_up_everywhere(payload, bytes, size);
	if (symcache_open(&cache, bytes, size, &err) < 0)
		return;
	buf_init(&out, OUT_CEILING_BYTES);
	if (symcache_dump(&cache, &out, &err) < 0)
		ck_assert_int_eq(err.kind, ERR_LIMIT);
	buf_release(&out);
}

START_TEST(survives_every_byte_change)
{
	struct hand hand = make_hand(7 + (uint32_t)_i);
	uint64_t sum = 0;

	support_every_byte_change(hand.bytes, hand.size, look_up_and_dump, &sum);
}
END_TEST

/* --- The listing --------------------------------------------------------------------- */

START_TEST(dump_says_one_line_per_range)
{
	struct hand hand = make_hand(9);
	struct symcache cache;
	struct err err = ERR_INIT;
	struct buf out;

	hand.bytes[hand.size - 1] = '\n';
	buf_init(&out, OUT_CEILING_BYTES);
	ck_assert_int_eq(symcache_open(&cache, hand.bytes, hand.size, &err), 0);
	ck_assert_int_eq(symcache_dump(&cache, &out, &err), 0);
	ck_assert_str_eq(buf_string(&out),
			 "symcache 9 x86_64 00000000-0000-0000-0000-000000000000: 1 files, "
			 "2 functions, 4 locations, 3 ranges, 17 bytes of strings\n"
			 "00000010  inlin\\x0a at a/b:9 < main at a/b:7\n"
			 "00000020  main at a/b:8\n"
			 "00000030  -\n");
	buf_release(&out);
	buf_init(&out, 100);
	ck_assert_int_eq(symcache_dump(&cache, &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	buf_release(&out);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

/* --- What the fuzzer runs ------------------------------------------------------------ */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

START_TEST(the_fuzz_target_passes)
{
	struct hand hand = make_hand(7 + (uint32_t)_i);

	for (size_t size = 0; size <= hand.size; size++)
		LLVMFuzzerTestOneInput(hand.bytes, size);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symcache lookup");
	TCase *tcase = tcase_create("lookup");

	tcase_add_loop_test(tcase, versions_7_to_9_are_read, 0, 3);
	tcase_add_loop_test(tcase, damage_is_refused_or_harmless, 0, COUNT(damages));
	tcase_add_test(tcase, a_function_ends_where_a_walk_finds_its_end);
	tcase_add_loop_test(tcase, search_finds_what_a_walk_finds, 0, 70);
	tcase_add_loop_test(tcase, search_finds_what_a_walk_finds, MANY_RANGES - 3, MANY_RANGES);
	tcase_add_loop_test(tcase, files_of_other_writers_are_read, 0, COUNT(shared));
	tcase_add_test(tcase, version_1_is_refused);
	tcase_add_loop_test(tcase, changed_files_of_other_writers_do_no_harm, 0, COUNT(shared));
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 3);
	tcase_add_test(tcase, dump_says_one_line_per_range);
	tcase_add_loop_test(tcase, the_fuzz_target_passes, 0, 3);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

/* test_damage.c -- files that change while they are read, failing memory, damaged SymCaches. */
#include "support/support.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/guard.h"
#include "base/limits.h"
#include "kinds/kinds.h"
#include "kinds/native/answers.h"
#include "work/derived.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Files that change under our hands --------------------------------------------------- */

#define TWO_FRAMES REQUEST("\"extract_variables\":true", "{\"instruction_addr\":\"0x10110\"}," \
			   "{\"instruction_addr\":\"0x10200\"}")

/* A sound file whose answers are others: functions go by the names of variables. */
static struct buf other;

static void make_other(void)
{
	buf_init(&other, 1 << 20);
	fake_variables(&other, ARCH_X86_64);
}

static const struct {
	const char *what;
	unsigned symcache, variables;        /* so often */
} changes[] = {
	{ "the SymCache, once", 1, 0 }, { "the SymCache, often", 8, 0 },
	{ "variables", 0, 1 }, { "variables, often", 0, 8 },
	{ "both", 3, 5 },
};

/* What was read from a file that changed means nothing: the answer is that of the file that was
 * made again, in the same request. */
START_TEST(files_that_change_while_they_are_read_are_made_again)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE,
		  TEXT("{\"has_debug_info\":true,\"format\":\"elf\"}"), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct fake_entry variables = { &derived_symcache, "cdef01", ERR_NONE, TEXT_NONE, 0, 0 };
	struct answered whole, again;
	struct fake_resolver fake;

	ck_assert_int_eq(guard_install(), 0);
	make_other();
	variables.payload = buf_text(&other);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.variables = &variables;
	ck_assert_int_eq(answer_with(&whole, &fake, TWO_FRAMES, TEXT_NONE), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&whole.reply), "\"vars\""));
	fake.changes[0] = (struct fake_change){ .entry = &entries[1], .payload = buf_text(&other),
						.times = changes[_i].symcache };
	fake.changes[1] = (struct fake_change){ .entry = &variables, .payload = entries[1].payload,
						.times = changes[_i].variables };
	ck_assert_msg(answer_with(&again, &fake, TWO_FRAMES, TEXT_NONE) == 0, "%s: %s",
		      changes[_i].what, again.err.text);
	ck_assert_str_eq(buf_string(&again.reply), buf_string(&whole.reply));
	ck_assert_uint_eq(fake.invalidated, changes[_i].symcache + changes[_i].variables);
	buf_release(&again.reply);
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&whole.reply);
	buf_release(&other);
	forget_made();
}
END_TEST

/* Somebody changes it whenever it is made: that is no fact about the module. */
START_TEST(a_file_that_keeps_changing_is_our_trouble_not_the_modules)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, made_symcache(ARCH_X86_64), 0, 0 },
	};
	struct answered answered;
	struct fake_resolver fake;

	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.changes[0] = (struct fake_change){ .entry = &entries[1], .times = UINT_MAX,
						.payload = TEXT("damaged") };
	ck_assert_int_eq(answer_with(&answered, &fake, TWO_FRAMES, TEXT_NONE), -1);
	ck_assert_int_eq(answered.err.kind, ERR_IO);
	ck_assert_ptr_nonnull(strstr(answered.err.text, "symcaches"));
	ck_assert_int_eq(fake_holds, 0);
	buf_release(&answered.reply);
	forget_made();
}
END_TEST

#define PAGE_BYTES      4096u
#define CUT_FILE_BYTES  (3 * PAGE_BYTES)
#define SYMC_FILE_COUNT 44u          /* where the header says how many files there are */
#define SYMC_STRINGS    60u          /* ... and bytes of strings */

/* The head and all records stand in the first page; the first function's name, that of all
 * frames of "outer", is said to lie in the last page. */
static void make_cut_symcache(int fd)
{
	struct text sound = made_symcache(ARCH_X86_64);
	uint32_t files, strings, name = 2 * PAGE_BYTES;
	uint8_t *bytes = (uint8_t *)made.bytes;

	memcpy(&files, bytes + SYMC_FILE_COUNT, sizeof(files));
	memcpy(&strings, bytes + SYMC_STRINGS, sizeof(strings));
	strings += CUT_FILE_BYTES - (uint32_t)sound.size;
	memcpy(bytes + SYMC_STRINGS, &strings, sizeof(strings));
	memcpy(bytes + 80 + (size_t)files * 24, &name, sizeof(name));
	ck_assert_int_eq(ftruncate(fd, CUT_FILE_BYTES), 0);
	ck_assert_int_eq(pwrite(fd, bytes, sound.size, 0), (ssize_t)sound.size);
	forget_made();
}

/* It opens, and fails while frames of a sound file are looked up beside its own: only that one
 * is made again, whether somebody cut it or nobody touched it and its page cannot be read. */
START_TEST(a_page_that_fails_among_others_is_told_apart)
{
	char path[] = "symcache-XXXXXX";
	int fd = mkstemp(path);
	struct fake_entry entries[] = {
		{ &derived_object_meta, "cdef01", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef01", ERR_NONE, TEXT_NONE, 0, 0 },
		{ &derived_object_meta, "cdef02", ERR_NONE, TEXT(FAKE_META_DEBUG), 0, 0 },
		{ &derived_symcache, "cdef02", ERR_NONE, TEXT_NONE, 0, 0 },
	};
	struct fake_resolver fake;
	struct file_map map;
	struct answered answered;
	struct err err = ERR_INIT;
	const char *reply;

	ck_assert_int_eq(guard_install(), 0);
	make_cut_symcache(fd);
	ck_assert_int_eq(file_map_fd(&map, fd, &err), 0);
	ck_assert_int_eq(ftruncate(fd, PAGE_BYTES), 0);
	entries[1].payload = entries[3].payload = made_symcache(ARCH_X86_64);
	fake_resolver_init(&fake, entries, COUNT(entries));
	fake.changes[0] = (struct fake_change){
		.entry = &entries[3], .times = 2, .is_unreadable = _i,
		.payload = { (const char *)map.bytes, map.size },
	};
	ck_assert_int_eq(answer_with(&answered, &fake, "{\"sources\":["
		FILTERED("s", "\"elf_code\"") "],\"modules\":[" ELF_MODULE ",{\"type\":\"elf\","
		"\"code_id\":\"abcdef02\",\"image_addr\":\"0x20000\",\"image_size\":4096}],"
		"\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x10110\"},"
		"{\"instruction_addr\":\"0x20111\"},{\"instruction_addr\":\"0x10111\"}]}]}",
		TEXT_NONE), 0);
	reply = buf_string(&answered.reply);
	for (unsigned i = 0; i < 3; i++) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "\"status\":\"symbolicated\",\"original_index\":%u", i);
		ck_assert_ptr_nonnull(strstr(reply, wanted));
	}
	ck_assert_ptr_null(strstr(reply, "malformed"));
	ck_assert_uint_eq(fake.invalidated, 2);
	buf_release(&answered.reply);
	forget_made();
	file_unmap(&map);
	close(fd);
	unlink(path);
}
END_TEST

/* --- Torments ---------------------------------------------------------------------------- */

static int answer_whole(void *payload, struct err *err)
{
	struct fake_entry entries[] = {
		{ &derived_object_meta, ".debug", ERR_NONE, TEXT("{\"has_debug_info\":true,\"wants\":["
		  "{\"role\":\"dwz\",\"id\":\"0011\"}]}"), 1, 0 },
		{ &derived_symcache, ".debug", ERR_NONE, *(struct text *)payload, 1, 0 },
	};
	struct fake_resolver fake;
	struct answered answered;
	int result;

	fake_resolver_init(&fake, entries, COUNT(entries));
	result = answer_with(&answered, &fake, REQUEST("\"dif_candidates\":true",
		"{\"instruction_addr\":\"0x10110\"},{\"instruction_addr\":\"0x10201\"}"),
		TEXT("mine"));
	buf_release(&answered.reply);
	*err = answered.err;
	return result;
}

START_TEST(survives_every_allocation_failure)
{
	struct text symcache = made_symcache(ARCH_X86_64);

	support_every_allocation_failure(answer_whole, &symcache, 1000);
	ck_assert_int_eq(fake_holds, 0);
	forget_made();
}
END_TEST

static void answer_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct text symcache = { (const char *)bytes, size };
	struct err err = ERR_INIT;

	(void)payload;
	ck_assert_msg(answer_whole(&symcache, &err) == 0, "%s", err.text);
}

START_TEST(survives_every_byte_change_of_a_symcache)
{
	struct text symcache = made_symcache(ARCH_X86_64);

	support_every_byte_change((const uint8_t *)symcache.bytes, symcache.size, answer_changed,
				  NULL);
	forget_made();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("damage");
	TCase *tests = tcase_create("damage");

	tcase_add_loop_test(tests, files_that_change_while_they_are_read_are_made_again, 0,
			    (int)COUNT(changes));
	tcase_add_test(tests, a_file_that_keeps_changing_is_our_trouble_not_the_modules);
	tcase_add_loop_test(tests, a_page_that_fails_among_others_is_told_apart, 0, 2);
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, survives_every_byte_change_of_a_symcache);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

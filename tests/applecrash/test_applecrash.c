/* test_applecrash.c -- Apple's crash reports: every kind of line, dates, systems, torments. */
#include "applecrash/applecrash.h"

#include <stdlib.h>

#include "applecrash/applecrash_internal.h"
#include "base/arena.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct arena arena;
static struct applecrash report;

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
}

static void teardown(void)
{
	arena_release(&arena);
}

static void must_read(const char *text)
{
	struct err err = ERR_INIT;

	ck_assert_msg(applecrash_read(&report, text_of(text), &arena, &err) == 0, "%s", err.text);
}

static void must_fail(const char *text, const char *words)
{
	struct err err = ERR_INIT;

	ck_assert_msg(applecrash_read(&report, text_of(text), &arena, &err) == -1, "%s", text);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, words), "%s: %s", text, err.text);
}

#define ck_text(text, expected)                                                          \
	ck_assert_msg(text_is(text, expected), "\"%.*s\"", (int)(text).size, (text).bytes)

static const char whole[] =
	"Incident Identifier: 5C32DF84-31A0-43E7-87D0-239F7F594940\n"
	"Hardware Model:      MacBookPro14,3\r\n"
	"Process:         Demo [49028]\n"
	"Code Type:       X86-64 (Native)\n"
	"\n"
	"Date/Time:       2019-01-09 17:42:22 +0000\n"
	"OS Version:      Mac OS X 10.14.0 (18A391)\n"
	"Report Version:  104\n"
	"\n"
	"Exception Type:  SIGSEGV\n"
	"Exception Codes: SEGV_MAPERR at 0x88\n"
	"Crashed Thread:  1\n"
	"\n"
	"Application Specific Information:\n"
	"\n"
	"selector name: respondsToSelector:\n"
	"  more of it\n"
	"\n"
	"Last Exception Backtrace:\n"
	"0   CoreFoundation  0x00000001a0 __exceptionPreprocess + 220\n"
	"1   Demo App        0x10864e010 main + 16\n"
	"\n"
	"Thread 0 name:  Main Thread  Dispatch queue: com.apple.main-thread\n"
	"Thread 0:\n"
	"0   libsystem_kernel.dylib  0x00007fff61bc6c2a 0x7fff61bc6000 + 3114\n"
	"1   Demo App  Helper        0x0000000108b7092b main (main.m:16)\n"
	"2   ???                     0x0000000054485244 0x0 + 0\n"
	"\n"
	"Thread 1 Crashed: worker\n"
	"0   Demo                    0xffffffffffffffff 0x0 + 0\n"
	"\n"
	"Thread 1 crashed with ARM Thread State (64-bit):\n"
	"   rip: 0x00000001090a0132    rbp: 0x0000700015a616d0\n"
	"    x0: 0x20261bb4775b008f   cpsr: 0x80000000\n"
	"\n"
	"Binary Images:\n"
	"       0x10864e000 -        0x10ee0ffff +Demo App x86_64 (400.9.4 - 1.0.0) <2d903291397d3d14bfca52c7fb8c5e00> /Apps/Demo App\n"
	"\n"
	"       0x112bb2000 -        0x112dc3fff  libPhysX.dylib x86_64  <6DECCEE4-A052-3EA4-BB67-957B06F53AD1> /usr/lib/libPhysX.dylib\n"
	"       0x1 - 0x1 com.example.thing (1.0) <9c19854471943de6b67e4cc27eed2eab> /System/thing\n"
	"EOF\n";

START_TEST(reads_the_head)
{
	must_read(whole);
	ck_assert(report.has_timestamp);
	ck_assert_int_eq(report.timestamp, 1547055742);
	ck_text(report.code_type, "X86-64 (Native)");
	ck_text(report.hardware_model, "MacBookPro14,3");
	ck_text(report.os_version, "Mac OS X 10.14.0 (18A391)");
	ck_text(report.exception_type, "SIGSEGV");
	ck_text(report.details, "selector name: respondsToSelector:\n  more of it");
}
END_TEST

START_TEST(reads_threads)
{
	const struct applecrash_thread *thread;

	must_read(whole);
	ck_assert_uint_eq(report.thread_count, 3);
	thread = &report.threads[0];
	ck_assert(!thread->has_id && !thread->is_crashed);
	ck_text(thread->name, "Last Exception Backtrace");
	ck_assert_uint_eq(thread->frame_count, 2);
	ck_text(thread->frames[1].module, "Demo App");
	thread = &report.threads[1];
	ck_assert(thread->has_id && !thread->is_crashed);
	ck_text(thread->name, "Main Thread");
	ck_assert_uint_eq(thread->frame_count, 3);
	ck_assert_uint_eq(thread->frames[0].address, 0x7fff61bc6c2a);
	ck_text(thread->frames[1].module, "Demo App  Helper");
	ck_assert_ptr_null(thread->frames[2].module.bytes);
	ck_assert_uint_eq(thread->register_count, 0);
	thread = &report.threads[2];
	ck_assert(thread->is_crashed);
	ck_text(thread->name, "worker");
	ck_assert_uint_eq(thread->frames[0].address, UINT64_MAX);
	ck_assert_uint_eq(thread->register_count, 4);
	ck_text(thread->registers[2].name, "x0");
	ck_assert_uint_eq(thread->registers[2].value, 0x20261bb4775b008f);
}
END_TEST

START_TEST(reads_images)
{
	must_read(whole);
	ck_assert_uint_eq(report.image_count, 3);
	ck_text(report.images[0].name, "Demo App");
	ck_text(report.images[0].arch, "x86_64");
	ck_text(report.images[0].version, "400.9.4 - 1.0.0");
	ck_text(report.images[0].path, "/Apps/Demo App");
	ck_assert_uint_eq(report.images[0].base, 0x10864e000);
	ck_assert_uint_eq(report.images[0].size, 0x10ee0ffff - 0x10864e000);
	ck_text(report.images[1].name, "libPhysX.dylib");
	ck_assert_uint_eq(report.images[1].uuid.uuid[0], 0x6d);
	ck_text(report.images[2].name, "com.example.thing");
	ck_assert_ptr_null(report.images[2].arch.bytes);
	ck_assert_uint_eq(report.images[2].size, 0);
}
END_TEST

START_TEST(bare_addresses_are_a_backtrace)
{
	must_read("Last Exception Backtrace:\n(0x1a 0x2b\t0x3c)\n");
	ck_assert_uint_eq(report.threads[0].frame_count, 3);
	ck_assert_uint_eq(report.threads[0].frames[2].address, 0x3c);
}
END_TEST

START_TEST(names_of_threads)
{
	must_read("Thread 7 name:  Dispatch queue: q\nThread 7:\nThread 7:\nThread 8:: Dispatch queue: r\n"
		  "Thread 7 name: last one\n");
	ck_assert_uint_eq(report.thread_count, 3);
	ck_text(report.threads[0].name, "last one");
	ck_assert_ptr_null(report.threads[1].name.bytes);
	ck_text(report.threads[2].name, ": Dispatch queue: r");
}
END_TEST

START_TEST(what_was_not_said_is_told_by_the_next_best)
{
	must_read("Exception Codes: 0x1\nException Subtype: KERN\n");
	ck_text(report.details, "KERN");
	must_read("Exception Message: \nException Subtype: KERN\n");
	ck_text(report.details, "");
	must_read("Application Specific Information:\n\nFiltered syslog:\nnone\n");
	ck_assert_ptr_null(report.details.bytes);
}
END_TEST

START_TEST(text_that_is_no_report_is_an_empty_one)
{
	must_read("");
	ck_assert_uint_eq(report.thread_count + report.image_count, 0);
	must_read("no report\nat all\n");
	ck_assert(!report.has_timestamp);
	ck_assert_ptr_null(report.exception_type.bytes);
}
END_TEST

START_TEST(refuses_with_the_line)
{
	must_fail("\xff", "not UTF-8");
	must_fail("\nDate/Time: not a date\n", "line 2 of the report: a date");
	must_fail("Incident Identifier: 12\n", "no UUID");
	must_fail("Report Version: 4294967296\n", "report version");
	must_fail("Thread 18446744073709551616:\n", "thread number");
	must_fail("Thread 0:\n0 a 0x10000000000000000 b\n", "64 bits");
	must_fail("Thread 0:\n0 a 0x1 b (c.m:4294967296)\n", "32 bits");
	must_fail("Thread 0 crashed with X Thread State:\nx: 0x10000000000000000\n", "64 bits");
	must_fail("Binary Images:\n0x2 - 0x1 a x86_64 (1) <2d903291397d3d14bfca52c7fb8c5e00> /a\n", "ends before");
	must_fail("Binary Images:\n0x1 - 0x2 a x86_64 (1) <2d90> /a\n", "UUID");
}
END_TEST

START_TEST(reads_dates)
{
	static const struct { const char *text; bool is_date; int64_t seconds; } cases[] = {
		{ "2019-01-09 17:42:22 +0000", true, 1547055742 },
		{ "2019-01-09 18:42:22.5 +01:00", true, 1547055742 },
		{ "2024-02-29 00:00:00.000 -0130", true, 1709170200 },
		{ "1970-01-01 00:00:00 +0000", true, 0 },
		{ "2023-02-29 00:00:00 +0000", false, 0 },
		{ "2019-13-09 17:42:22 +0000", false, 0 },
		{ "2019-01-09 24:42:22 +0000", false, 0 },
		{ "2019-01-09 17:42:22", false, 0 },
		{ "2019-01-09 17:42:22 +0000x", false, 0 },
		{ "", false, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t seconds = 0;

		ck_assert_msg(applecrash_date(text_of(cases[i].text), &seconds) == cases[i].is_date,
			      "%s", cases[i].text);
		ck_assert_msg(!cases[i].is_date || seconds == cases[i].seconds, "%s: %lld",
			      cases[i].text, (long long)seconds);
	}
}
END_TEST

/* The reference leaves all but "Mac OS X a.b.c" whole; nobody can group by that. */
START_TEST(splits_systems)
{
	static const struct { const char *text, *name, *version, *build; } cases[] = {
		{ "Mac OS X 10.14.0 (18A391)", "macOS", "10.14.0", "18A391" },
		{ "macOS 12.3 (21E230)", "macOS", "12.3", "21E230" },
		{ "iPhone OS 15.0 (19A346)", "iOS", "15.0", "19A346" },
		{ "Watch OS 8.5 (19T242)", "watchOS", "8.5", "19T242" },
		{ "Mac OS X 10.6.8", "macOS", "10.6.8", "" },
		{ "something else", "something else", "", "" },
		{ "12.3", "12.3", "", "" },
		{ "", "", "", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct applecrash_system system = applecrash_system_of(text_of(cases[i].text));

		ck_text(system.name, cases[i].name);
		ck_text(system.version, cases[i].version);
		ck_text(system.build, cases[i].build);
	}
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(every_byte_may_change)
{
	support_every_byte_change((const uint8_t *)whole, sizeof(whole) - 1, read_changed, NULL);
}
END_TEST

static int read_once(void *payload, struct err *err)
{
	struct applecrash one;
	struct arena own;
	int rc;

	(void)payload;
	arena_init(&own, ARENA_BYTES);
	rc = applecrash_read(&one, TEXT(whole), &own, err);
	arena_release(&own);
	return rc;
}

START_TEST(allocations_may_fail)
{
	support_every_allocation_failure(read_once, NULL, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("applecrash");
	TCase *tests = tcase_create("applecrash");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, reads_the_head);
	tcase_add_test(tests, reads_threads);
	tcase_add_test(tests, reads_images);
	tcase_add_test(tests, bare_addresses_are_a_backtrace);
	tcase_add_test(tests, names_of_threads);
	tcase_add_test(tests, what_was_not_said_is_told_by_the_next_best);
	tcase_add_test(tests, text_that_is_no_report_is_an_empty_one);
	tcase_add_test(tests, refuses_with_the_line);
	tcase_add_test(tests, reads_dates);
	tcase_add_test(tests, splits_systems);
	tcase_add_test(tests, every_byte_may_change);
	tcase_add_test(tests, allocations_may_fail);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

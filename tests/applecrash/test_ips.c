/* test_ips.c -- Apple's crash reports as JSON: what is read, what is missing, torments. */
#include "applecrash/applecrash.h"

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
	"{\"app_name\":\"Demo\",\"timestamp\":\"2022-03-10 17:42:23.00 +0100\",\"bug_type\":\"309\","
	"\"os_version\":\"macOS 12.3 (21E230)\",\"incident_id\":\"5C32DF84-31A0-43E7-87D0-239F7F594940\"}\n"
	"{\n"
	"  \"captureTime\" : \"2022-03-10 17:42:22.1234 +0100\",\n"
	"  \"modelCode\" : \"MacBookPro18,3\", \"cpuType\" : \"ARM-64\", \"pid\" : 4711,\n"
	"  \"osVersion\" : { \"train\" : \"macOS 12.3\", \"build\" : \"21E230\", \"isEmbedded\" : false },\n"
	"  \"exception\" : {\"codes\":\"0x0, 0x0\",\"rawCodes\":[0,0],\"type\":\"EXC_CRASH\",\"signal\":\"SIGABRT\"},\n"
	"  \"termination\" : {\"flags\":0,\"code\":6,\"namespace\":\"SIGNAL\"},\n"
	"  \"asi\" : {\"libsystem_c.dylib\":[\"abort() called\"],\"Demo\":[\"caf\\u00e9\",7,\"\"]},\n"
	"  \"faultingThread\" : 0,\n"
	"  \"threads\" : [\n"
	"    {\"id\":99001,\"queue\":\"com.apple.main-thread\",\"frames\":[{\"imageOffset\":4568,\"imageIndex\":1,"
	"\"symbol\":\"mach_msg2_trap\",\"symbolLocation\":8},{\"imageOffset\":16,\"imageIndex\":0}],"
	"\"threadState\":{\"pc\":{\"value\":1}}},\n"
	"    {\"triggered\":true,\"id\":99002,\"name\":\"worker\",\"threadState\":{\"x\":[{\"value\":0},"
	"{\"value\":18446744073709550527,\"symbol\":\"s\"}],\"flavor\":\"ARM_THREAD_STATE64\","
	"\"lr\":{\"value\":7929593712},\"cpsr\":{\"value\":2147483648},\"cpu\":{\"value\":3},"
	"\"pc\":{\"value\":9007199254740993,\"matchesCrashFrame\":1},\"rosetta\":{\"tmp0\":{\"value\":1}}},"
	"\"frames\":[{\"imageOffset\":1411923140,\"imageIndex\":2},{\"imageOffset\":8,\"imageIndex\":7},"
	"{\"imageOffset\":9},{\"imageIndex\":1}]}],\n"
	"  \"usedImages\" : [\n"
	"    {\"source\":\"P\",\"arch\":\"arm64\",\"base\":4336156672,\"size\":49152,"
	"\"uuid\":\"2d903291-397d-3d14-bfca-52c7fb8c5e00\",\"path\":\"\\/Apps\\/Demo.app\\/Demo\",\"name\":\"Demo\","
	"\"CFBundleShortVersionString\":\"1.2\",\"CFBundleVersion\":\"34\"},\n"
	"    {\"source\":\"P\",\"arch\":\"arm64e\",\"base\":6867353600,\"size\":245760,"
	"\"uuid\":\"6DECCEE4-A052-3EA4-BB67-957B06F53AD1\",\"path\":\"\\/usr\\/lib\\/system\\/libsystem_kernel.dylib\"},\n"
	"    {\"size\":0,\"source\":\"A\",\"base\":0,\"uuid\":\"00000000-0000-0000-0000-000000000000\"}],\n"
	"  \"sharedCache\" : {\"base\":6866370560,\"size\":4252188672,\"uuid\":\"86260d66-5a44-37e7-b080-0e244cd65aa4\"},\n"
	"  \"lastExceptionBacktrace\" : [{\"imageOffset\":220,\"imageIndex\":1}]\n"
	"}\n";

START_TEST(reads_the_head)
{
	must_read(whole);
	ck_assert(report.has_timestamp);
	ck_assert_int_eq(report.timestamp, 1646930542);
	ck_text(report.code_type, "ARM-64");
	ck_text(report.hardware_model, "MacBookPro18,3");
	ck_text(report.os_version, "macOS 12.3 (21E230)");
	ck_text(report.exception_type, "EXC_CRASH (SIGABRT)");
	ck_text(report.details, "abort() called\ncaf\xc3\xa9\n");
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
	ck_assert_uint_eq(thread->frame_count, 1);
	ck_assert_uint_eq(thread->frames[0].address, 6867353600 + 220);
	thread = &report.threads[1];
	ck_assert(thread->has_id && thread->id == 0 && !thread->is_crashed);
	ck_text(thread->name, "Dispatch queue: com.apple.main-thread");
	ck_assert_uint_eq(thread->frame_count, 2);
	ck_assert_uint_eq(thread->frames[0].address, 6867353600 + 4568);
	ck_text(thread->frames[0].module, "libsystem_kernel.dylib");
	ck_assert_uint_eq(thread->frames[1].address, 4336156672 + 16);
	ck_text(thread->frames[1].module, "Demo");
	ck_assert_uint_eq(thread->register_count, 0);
	thread = &report.threads[2];
	ck_assert(thread->is_crashed && thread->id == 1);
	ck_text(thread->name, "worker");
	ck_assert_uint_eq(thread->frame_count, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_ptr_null(thread->frames[i].module.bytes);
	ck_assert_uint_eq(thread->frames[0].address, 1411923140);
	ck_assert_uint_eq(thread->frames[1].address, 8);
	ck_assert_uint_eq(thread->frames[2].address, 9);
}
END_TEST

START_TEST(reads_registers_exactly)
{
	static const struct { const char *name; uint64_t value; } expected[] = {
		{ "x0", 0 }, { "x1", 18446744073709550527u }, { "lr", 7929593712 },
		{ "cpsr", 2147483648 }, { "pc", 9007199254740993 },
	};
	const struct applecrash_thread *thread;

	must_read(whole);
	thread = &report.threads[2];
	ck_assert_uint_eq(thread->register_count, COUNT(expected));
	for (size_t i = 0; i < COUNT(expected); i++) {
		ck_text(thread->registers[i].name, expected[i].name);
		ck_assert_uint_eq(thread->registers[i].value, expected[i].value);
	}
}
END_TEST

START_TEST(reads_images)
{
	must_read(whole);
	ck_assert_uint_eq(report.image_count, 2);
	ck_text(report.images[0].name, "Demo");
	ck_text(report.images[0].arch, "arm64");
	ck_text(report.images[0].version, "1.2 - 34");
	ck_text(report.images[0].path, "/Apps/Demo.app/Demo");
	ck_assert_uint_eq(report.images[0].base, 4336156672);
	ck_assert_uint_eq(report.images[0].size, 49152);
	ck_text(report.images[1].name, "libsystem_kernel.dylib");
	ck_assert_ptr_null(report.images[1].version.bytes);
	ck_assert_uint_eq(report.images[1].uuid.uuid[0], 0x6d);
}
END_TEST

START_TEST(what_was_not_said_is_told_by_the_next_best)
{
	must_read("{\"timestamp\":\"2022-03-10 17:42:23.00 +0100\",\"os_version\":\"iPhone OS 17.1\"}\n"
		  "{\"captureTime\":7,\"exception\":{\"type\":\"EXC_GUARD\",\"codes\":\"0x1\"},"
		  "\"faultingThread\":1,\"threads\":[{},{\"threadState\":{\"rip\":{\"value\":5}}}]}");
	ck_assert(report.has_timestamp && report.timestamp == 1646930543);
	ck_text(report.os_version, "iPhone OS 17.1");
	ck_text(report.exception_type, "EXC_GUARD");
	ck_text(report.details, "0x1");
	ck_assert_uint_eq(report.thread_count, 2);
	ck_assert(!report.threads[0].is_crashed && report.threads[1].is_crashed);
	ck_assert_uint_eq(report.threads[1].register_count, 1);
	must_read("{}{\"exception\":{\"signal\":\"SIGILL\",\"subtype\":\"KERN\",\"codes\":\"0x1\"}}");
	ck_text(report.exception_type, "SIGILL");
	ck_text(report.details, "KERN");
	must_read("{\"exception\":{\"message\":\"why\",\"subtype\":\"KERN\"},\"asi\":{\"a\":[]}}");
	ck_text(report.details, "why");
}
END_TEST

START_TEST(what_is_of_another_type_was_not_said)
{
	must_read("{\"threads\":{},\"usedImages\":7,\"exception\":[],\"asi\":\"x\",\"osVersion\":null,"
		  "\"lastExceptionBacktrace\":{},\"faultingThread\":-1,\"cpuType\":[],\"modelCode\":\"\"}");
	ck_assert_uint_eq(report.thread_count + report.image_count, 0);
	ck_assert_ptr_null(report.exception_type.bytes);
	ck_assert_ptr_null(report.code_type.bytes);
	ck_assert_ptr_null(report.hardware_model.bytes);
	ck_assert_ptr_null(report.details.bytes);
	must_read("{\"threads\":[7,{\"frames\":[[],{\"imageOffset\":-1},{\"imageOffset\":1.5},{\"imageOffset\":3,"
		  "\"imageIndex\":-1},{\"imageOffset\":18446744073709551616}],\"triggered\":1,"
		  "\"threadState\":{\"pc\":7,\"x\":[7,{}],\"LONG\":{\"value\":1},\"r\":{\"value\":\"1\"}}}],"
		  "\"usedImages\":[7,{\"base\":\"1\",\"uuid\":\"zz\"}],\"asi\":{\"a\":7}}");
	ck_assert_uint_eq(report.thread_count, 2);
	ck_assert_uint_eq(report.threads[1].frame_count, 1);
	ck_assert_uint_eq(report.threads[1].frames[0].address, 3);
	ck_assert(!report.threads[1].is_crashed);
	ck_assert_uint_eq(report.image_count, 0);
}
END_TEST

START_TEST(addresses_stay_within_64_bits)
{
	must_read("{\"threads\":[{\"frames\":[{\"imageOffset\":2,\"imageIndex\":0}]}],\"usedImages\":[{"
		  "\"base\":18446744073709551615,\"size\":2,\"name\":\"a\","
		  "\"uuid\":\"2d903291-397d-3d14-bfca-52c7fb8c5e00\"}]}");
	ck_assert_uint_eq(report.threads[0].frames[0].address, 2);
	ck_assert_ptr_null(report.threads[0].frames[0].module.bytes);
	ck_assert_uint_eq(report.images[0].size, 0);
}
END_TEST

START_TEST(older_systems_put_text_behind_the_header)
{
	must_read("{\"bug_type\":\"109\"}\nException Type:  SIGSEGV\nThread 0:\n0  Demo  0x1a2b main + 1\n");
	ck_text(report.exception_type, "SIGSEGV");
	ck_assert_uint_eq(report.threads[0].frames[0].address, 0x1a2b);
}
END_TEST

START_TEST(refuses_with_the_byte)
{
	must_fail("{\"a\"}", "the report has no colon at byte 4");
	must_fail("{}\n{\"threads\":[{", "the report has no string at byte 16");
	must_fail("{}{}{}", "the report has no end at byte 4");
	must_fail("{\"a\":\"\xff\"}", "not UTF-8");
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

/* Whatever ceiling the arena has, the report is read or refused for memory. */
START_TEST(memory_may_end_anywhere)
{
	bool is_read = false;

	for (size_t bytes = 0; !is_read && bytes < ARENA_BYTES; bytes += ARENA_BLOCK_BYTES / 4) {
		struct err err = ERR_INIT;
		struct applecrash one;
		struct arena own;

		arena_init(&own, bytes);
		is_read = applecrash_read(&one, TEXT(whole), &own, &err) == 0;
		ck_assert(is_read || err.kind == ERR_NO_MEMORY);
		arena_release(&own);
	}
	ck_assert(is_read);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ips");
	TCase *tests = tcase_create("ips");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, reads_the_head);
	tcase_add_test(tests, reads_threads);
	tcase_add_test(tests, reads_registers_exactly);
	tcase_add_test(tests, reads_images);
	tcase_add_test(tests, what_was_not_said_is_told_by_the_next_best);
	tcase_add_test(tests, what_is_of_another_type_was_not_said);
	tcase_add_test(tests, addresses_stay_within_64_bits);
	tcase_add_test(tests, older_systems_put_text_behind_the_header);
	tcase_add_test(tests, refuses_with_the_byte);
	tcase_add_test(tests, every_byte_may_change);
	tcase_add_test(tests, allocations_may_fail);
	tcase_add_test(tests, memory_may_end_anywhere);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

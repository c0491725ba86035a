/* test_minidump -- dumps of either byte order, whole and damaged in the ways they are damaged. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "minidump/dump_builder.h"
#include "minidump/minidump.h"

#define ARENA_BYTES ((size_t)16 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct arena arena;
static struct dump_builder built;
static struct minidump dump;
static struct err err;

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	dump_release(&built);
	arena_release(&arena);
}

static int open_bytes(const void *bytes, size_t size)
{
	if (minidump_open(&dump, bytes, size, &arena, &err) < 0)
		return -1;
	return minidump_read(&dump, &err);
}

static int open_built(void)
{
	dump_finish(&built);
	return open_bytes(built.out.bytes, built.out.size);
}

static bool lost(const char *words)
{
	for (size_t i = 0; i < minidump_losses(&dump); i++)
		if (strstr(minidump_loss(&dump, i), words))
			return true;
	return false;
}

static void expect(struct text got, const char *want)
{
	ck_assert_msg(text_is(got, want), "%.*s, not %s", (int)got.size, got.bytes ? got.bytes : "", want);
}

/* --- All there is, in both byte orders ------------------------------------------------------------ */

static void check_threads(void)
{
	struct unwind_registers registers;
	struct minidump_memory stack;

	ck_assert_uint_eq(dump.thread_count, 2);
	ck_assert_uint_eq(dump.requesting_thread, 0);
	expect(dump.threads[0].name, "renderer");
	ck_assert_ptr_null(dump.threads[1].name.bytes);
	ck_assert(minidump_thread_is_dumper(&dump, 1) && !minidump_thread_is_dumper(&dump, 0));
	ck_assert(minidump_thread_registers(&dump, 0, &registers));
	ck_assert_uint_eq(registers.values[UNWIND_X86_64_RIP], DUMP_SAMPLE_RIP + 1);
	ck_assert_uint_eq(registers.values[UNWIND_X86_64_RSP], DUMP_SAMPLE_RSP);
	stack = minidump_thread_stack(&dump, 0, &registers);
	ck_assert_uint_eq(stack.start, DUMP_SAMPLE_STACK);
	ck_assert_uint_eq(stack.size, 256);
	ck_assert(minidump_thread_registers(&dump, 1, &registers));
	ck_assert_ptr_null(minidump_thread_stack(&dump, 1, &registers).bytes);
	ck_assert_uint_eq(dump.memory_count, 2);         /* one overlaps */
	ck_assert_uint_eq(dump.memory[0].start, 0x1000);
	ck_assert_ptr_nonnull(minidump_memory_read(&dump, DUMP_SAMPLE_STACK + 248, 8));
	ck_assert_ptr_null(minidump_memory_read(&dump, DUMP_SAMPLE_STACK + 249, 8));
}

static void check_modules(void)
{
	char id[DEBUGID_TEXT_BYTES], version[MINIDUMP_VERSION_BYTES];
	size_t next = 0;

	ck_assert_uint_eq(dump.module_count, 4);         /* one is nowhere */
	expect(dump.modules[0].name, "C:\\x.dll");
	expect(dump.modules[0].debug_file, "x.pdb");
	expect(dump.modules[0].code_id, "5f0000001000");
	debugid_format_breakpad(&dump.modules[0].debug_id, id);
	ck_assert_str_eq(id, "5A9832E5287241C1838ED98914E9B7FF1a");
	expect(dump.modules[1].debug_file, "/opt/app");
	expect(dump.modules[1].code_id, "f1c3bcc0279865fe3058404b2831d9e64135386c");
	debugid_format_breakpad(&dump.modules[1].debug_id, id);
	ck_assert_str_eq(id, dump.big_endian ? "F1C3BCC0279865FE3058404B2831D9E60"
					     : "C0BCC3F19827FE653058404B2831D9E60");
	ck_assert(dump.modules[2].is_shadowed);
	debugid_format_breakpad(&dump.modules[3].debug_id, id);
	ck_assert_str_eq(id, "3AF1CD123");
	minidump_module_version(&dump, &dump.modules[0], version);
	ck_assert_str_eq(version, "1.2.3.4");
	ck_assert_uint_eq(dump.mapped_count, 3);
	ck_assert_ptr_eq(minidump_module_at(&dump, 0x401fff), &dump.modules[1]);
	ck_assert_ptr_null(minidump_module_at(&dump, 0x402000));
	ck_assert_uint_eq(dump.unloaded_count, 2);
	ck_assert_ptr_nonnull(minidump_unloaded_at(&dump, 0x800001, &next));
	ck_assert_ptr_nonnull(minidump_unloaded_at(&dump, 0x800001, &next));
	ck_assert_ptr_null(minidump_unloaded_at(&dump, 0x800001, &next));
}

static void check_texts(void)
{
	struct minidump_release release = minidump_linux_release(&dump);
	struct text rest = minidump_text_stream(&dump, MD_LINUX_MAPS);
	struct minidump_resource_limit limit;
	struct minidump_map map;
	uint64_t microcode;
	uint32_t pid;

	expect(release.id, "debian");
	expect(release.release, "12");
	expect(release.codename, "bookworm");
	expect(release.description, "Debian GNU/Linux 12");
	ck_assert(minidump_microcode(&dump, &microcode) && microcode == 0x2b);
	ck_assert(minidump_process_id(&dump, &pid) && pid == 4711);
	dump.misc.has_process_id = false;
	ck_assert(minidump_process_id(&dump, &pid) && pid == 42);
	ck_assert(minidump_next_map(&rest, &map));
	ck_assert(map.start == 0x400000 && map.end == 0x402000 && map.is_executable && !map.is_writable);
	expect(map.path, "/opt/app with blank");
	ck_assert(minidump_next_map(&rest, &map));
	ck_assert(map.is_shared && map.offset == 0x1000 && map.path.size == 0);
	ck_assert(!minidump_next_map(&rest, &map));
	rest = minidump_text_stream(&dump, MD_MOZ_LINUX_LIMITS);
	ck_assert(minidump_next_limit(&rest, &limit));
	expect(limit.name, "Max cpu time");
	expect(limit.hard, "unlimited");
	expect(limit.unit, "seconds");
	ck_assert(minidump_next_limit(&rest, &limit));
	expect(limit.soft, "0");
	expect(limit.unit, "n/a");
	ck_assert(!minidump_next_limit(&rest, &limit));
}

static void check_annotations(void)
{
	struct minidump_crashpad crashpad;
	char id[DEBUGID_TEXT_BYTES];

	ck_assert_int_eq(minidump_crashpad(&dump, &crashpad, &err), 0);
	ck_assert(crashpad.is_there);
	debugid_format(&crashpad.report_id, id);
	ck_assert_str_eq(id, dump.big_endian ? "00010203-0405-0607-0809-0a0b0c0d0e0f"
					     : "03020100-0504-0706-0809-0a0b0c0d0e0f");
	ck_assert_uint_eq(crashpad.annotation_count, 4);
	ck_assert_uint_eq(crashpad.annotations[0].module, MINIDUMP_NO_MODULE);
	ck_assert_int_eq(crashpad.annotations[1].kind, MINIDUMP_ANNOTATION_LIST);
	ck_assert_uint_eq(crashpad.annotations[2].module, 1);
	expect(crashpad.annotations[3].name, "prod");
	expect(crashpad.annotations[3].value, "app");
	ck_assert_uint_eq(crashpad.annotations[3].type, 1);
}

static void check_others(void)
{
	struct minidump_memory_info_list infos;
	struct minidump_handle_list handles;
	struct minidump_assertion assertion;
	struct minidump_mac_crash_list crashes;
	struct minidump_dso_debug debug;

	ck_assert_int_eq(minidump_memory_info(&dump, &infos, &err), 0);
	ck_assert(infos.count == 1 && infos.items[0].size == 0x2000 && infos.items[0].protection == 0x20);
	ck_assert_int_eq(minidump_handles(&dump, &handles, &err), 0);
	ck_assert(handles.count == 1 && handles.items[0].handle == 0x44);
	expect(handles.items[0].object_name, "\\Device");
	ck_assert_int_eq(minidump_assertion(&dump, &assertion, &err), 1);
	expect(assertion.expression, "x != 0");
	expect(assertion.file, "f.c");
	ck_assert(assertion.line == 12 && assertion.type == 1);
	ck_assert_int_eq(minidump_mac_crash_info(&dump, &crashes, &err), 0);
	ck_assert(crashes.count == 1 && crashes.items[0].thread == 3 && crashes.items[0].abort_cause == 9);
	expect(crashes.items[0].module_path, "/usr/lib/x");
	expect(crashes.items[0].message, "abort() called");
	ck_assert_ptr_null(crashes.items[0].backtrace.bytes);
	expect(crashes.items[0].message2, "second");
	expect(minidump_mac_boot_args(&dump), "\\Device");
	ck_assert_int_eq(minidump_dso_debug(&dump, &debug, &err), 0);
	ck_assert(debug.is_there && debug.map_count == 1 && debug.dynamic == 0x50000);
	expect(debug.maps[0].name, "/lib/ld.so");
}

START_TEST(all_there_is)
{
	char reason[MINIDUMP_REASON_BYTES];

	dump_sample(&built, _i == 1);
	ck_assert_msg(open_bytes(built.out.bytes, built.out.size) == 0, "%s", err.text);
	ck_assert_uint_eq(dump.big_endian, _i == 1);
	ck_assert_uint_eq(dump.time_date_stamp, 1600000000);
	ck_assert_str_eq(minidump_os_name(dump.system.os), "Linux");
	expect(dump.system.os_version, "4.9.60-linuxkit-aufs");
	expect(dump.system.os_build, "#1 SMP Mon Nov 6 16:00:12 UTC 2017");
	expect(dump.system.cpu_info, "family 6 model 26 stepping 5");
	minidump_crash_reason(&dump, reason);
	ck_assert_str_eq(reason, "SIGSEGV / SEGV_MAPERR");
	ck_assert_uint_eq(minidump_crash_address(&dump), 0x45);
	check_threads();
	check_modules();
	check_texts();
	check_annotations();
	check_others();
	ck_assert_uint_eq(dump.loss_count, 0);
}
END_TEST

/* --- Systems and processors ------------------------------------------------------------------------ */

static const struct {
	uint32_t platform;
	uint16_t architecture;
	const char *csd, *os, *version, *build, *cpu, *info;
} systems[] = {
	{ 2, 0, "Service Pack 2 ", "Windows", "10.0.22000", "Service Pack 2", "x86",
	  "GenuineIntel family 6 model 26 stepping 5" },
	{ 2, 10, NULL, "Windows", "10.0.22000", "", "x86", "GenuineIntel family 6 model 26 stepping 5" },
	{ 0x8101, 12, "20G630", "macOS", "10.0.22000", "20G630", "arm64", "" },
	{ 0x8102, 0x8003, NULL, "iOS", "10.0.22000", "", "arm64", "" },
	{ 0x8201, 9, "Linux 0.0.0 x", "Linux", "0.0.0", "Linux 0.0.0 x", "amd64",
	  "family 6 model 26 stepping 5" },
	{ 0x8201, 9, "Linux 5.4 #1 SMP x86_64", "Linux", "5.4", "#1 SMP", "amd64",
	  "family 6 model 26 stepping 5" },
	{ 0x8203, 5, "Linux 5.4 #1 x", "Android", "0.0.0", "Linux 5.4 #1 x", "arm",
	  "ARMv6 vendor(0x75) part(0x75006540) features: swp,26bit,fpa,vfpv2,"
	  "iwmmxt,crunch,thumbee,vfpv3,vfpv3d16,vfpv4,idivt" },
	{ 0x8202, 0x8001, NULL, "Solaris", "10.0.22000", "", "sparc", "" },
	{ 0x8204, 0x8002, NULL, "PS3", "10.0.22000", "", "ppc64", "" },
	{ 0x8205, 1, NULL, "NaCl", "10.0.22000", "", "mips", "" },
	{ 0x9999, 6, NULL, "", "10.0.22000", "", "unknown", "" },
};

START_TEST(systems_and_processors)
{
	dump_begin(&built, false);
	dump_system(&built, systems[_i].platform, systems[_i].architecture, systems[_i].csd);
	dump_stream(&built, MD_THREAD_LIST_STREAM);
	dump_u32(&built, 0);
	dump_stream_end(&built);
	ck_assert_msg(open_built() == 0, "%s", err.text);
	ck_assert_str_eq(minidump_os_name(dump.system.os), systems[_i].os);
	expect(dump.system.os_version, systems[_i].version);
	expect(dump.system.os_build, systems[_i].build);
	ck_assert_str_eq(minidump_cpu_name(&dump.system), systems[_i].cpu);
	expect(dump.system.cpu_info, systems[_i].info);
}
END_TEST

static const struct {
	uint16_t architecture;
	uint32_t flags;
	uint16_t size, flags_at, pc_at, sp_at;
	uint8_t word;
} contexts[] = {
	{ 0, 0x1003f, 716, 0, 184, 196, 4 },         { 10, 0x10007, 720, 0, 184, 196, 4 },
	{ 9, 0x10005f, 1232, 0x30, 0xf8, 0x98, 8 },  { 5, 0x40000006, 368, 0, 64, 56, 4 },
	{ 12, 0x400003, 912, 0, 264, 256, 8 },       { 0x8003, 0x80000006, 796, 0, 264, 256, 8 },
	{ 1, 0x40007, 600, 0, 312, 240, 8 },         { 0x8004, 0x80007, 600, 0, 312, 240, 8 },
	{ 3, 0x20000003, 1004, 0, 4, 16, 4 },        { 0x8002, 0x1000003, 1160, 0, 8, 32, 8 },
	{ 0x8001, 0x10000007, 576, 0, 272, 120, 8 },
};

#define CONTEXT_BYTES_MOST 1300

static bool read_context(size_t which, uint32_t flags, uint16_t size, bool big_endian,
			 struct unwind_registers *registers)
{
	uint32_t at;
	bool read;

	dump_begin(&built, big_endian);
	dump_system(&built, MD_OS_LINUX, contexts[which].architecture, NULL);
	dump_stream(&built, MD_THREAD_LIST_STREAM);
	dump_u32(&built, 0);
	dump_stream_end(&built);
	at = dump_here(&built);
	dump_zeros(&built, CONTEXT_BYTES_MOST);
	/* Where flags and words have 64 bits, the low half is the second one of a big-endian dump. */
	dump_set_u32(&built, at + contexts[which].flags_at +
		     (big_endian && (contexts[which].architecture == 0x8003 ||
				     contexts[which].architecture == 0x8002) ? 4 : 0), flags);
	dump_set_u32(&built, at + contexts[which].pc_at + (big_endian && contexts[which].word == 8 ? 4 : 0),
		     0x1234);
	dump_set_u32(&built, at + contexts[which].sp_at + (big_endian && contexts[which].word == 8 ? 4 : 0),
		     0x5678);
	ck_assert_msg(open_built() == 0, "%s", err.text);
	read = minidump_context(&dump, (struct minidump_location){ size, at }, registers);
	dump_release(&built);
	return read;
}

START_TEST(contexts_of_each_processor)
{
	struct unwind_registers registers;

	for (int big_endian = 0; big_endian < 2; big_endian++) {
		const struct unwind_arch_facts *facts;

		ck_assert(read_context((size_t)_i, contexts[_i].flags, contexts[_i].size, big_endian,
				       &registers));
		facts = unwind_arch_facts(registers.arch);
		ck_assert_uint_eq(registers.values[facts->pc], 0x1234);
		ck_assert_uint_eq(registers.values[facts->sp], 0x5678);
		ck_assert_uint_eq(registers.valid, ((uint64_t)1 << facts->register_count) - 1);
	}
	ck_assert(!read_context((size_t)_i, contexts[_i].flags ^ 0x20000, contexts[_i].size, false,
				&registers));
	ck_assert(!read_context((size_t)_i, contexts[_i].flags, 100, false, &registers));
}
END_TEST

/* --- Reasons ---------------------------------------------------------------------------------------- */

#define WINDOWS 2, 9
#define LINUX   0x8201, 9
#define MAC     0x8101, 9
#define MAC_ARM 0x8101, 12

static const struct {
	uint32_t platform;
	uint16_t architecture;
	uint32_t code, flags, count;
	uint64_t parameters[3];
	uint64_t address;            /* that is told; 0x45 stands in the exception */
	const char *reason;
} reasons[] = {
	{ WINDOWS, 0xc0000005, 0, 2, { 1, 0x10 }, 0x10, "EXCEPTION_ACCESS_VIOLATION_WRITE" },
	{ WINDOWS, 0xc0000005, 0, 1, { 8 }, 0x45, "EXCEPTION_ACCESS_VIOLATION_EXEC" },
	{ WINDOWS, 0xc0000005, 0, 2, { 5, 1 }, 1, "EXCEPTION_ACCESS_VIOLATION" },
	{ WINDOWS, 0xc0000005, 0, 0, { 0 }, 0x45, "EXCEPTION_ACCESS_VIOLATION" },
	{ WINDOWS, 0xc0000006, 0, 3, { 0, 2, 0xc0000185 }, 2,
	  "EXCEPTION_IN_PAGE_ERROR_READ / STATUS_IO_DEVICE_ERROR" },
	{ WINDOWS, 0xc0000006, 0, 3, { 0, 2, 0xcfffffff }, 2,
	  "EXCEPTION_IN_PAGE_ERROR_READ / 0xcfffffff" },
	{ WINDOWS, 0xc0000006, 0, 2, { 0, 2 }, 2, "EXCEPTION_IN_PAGE_ERROR" },
	{ WINDOWS, 0xc0000409, 0, 1, { 54 }, 0x45,
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_UNHANDLED_LSS_EXCEPTON" },
	{ WINDOWS, 0xc0000409, 0, 1, { 16 }, 0x45, "EXCEPTION_STACK_BUFFER_OVERRUN / 0x00000010" },
	{ WINDOWS, 0xc0000409, 0, 0, { 0 }, 0x45, "STATUS_STACK_BUFFER_OVERRUN" },
	{ WINDOWS, 0xc0000374, 0, 0, { 0 }, 0x45, "STATUS_HEAP_CORRUPTION" },
	{ WINDOWS, 0x80000003, 0, 0, { 0 }, 0x45, "EXCEPTION_BREAKPOINT" },
	{ WINDOWS, 5, 0, 0, { 0 }, 0x45, "ERROR_ACCESS_DENIED" },
	{ WINDOWS, 0xc06d007e, 0, 0, { 0 }, 0x45, "FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND" },
	{ WINDOWS, 0xe06d7363, 0, 0, { 0 }, 0x45, "Unhandled C++ Exception" },
	{ WINDOWS, 0xe0000008, 0, 0, { 0 }, 0x45, "Out of Memory" },
	{ WINDOWS, 0x0517a7ed, 0, 0, { 0 }, 0x45, "Simulated Exception" },
	{ WINDOWS, 0xdeadbeef, 0, 0, { 0 }, 0x45, "unknown 0xdeadbeef" },
	{ LINUX, 11, 1, 0, { 0 }, 0x45, "SIGSEGV / SEGV_MAPERR" },
	{ LINUX, 11, 0, 0, { 0 }, 0x45, "SIGSEGV" },
	{ LINUX, 11, 0x80, 0, { 0 }, 0x45, "SIGSEGV / SI_KERNEL" },
	{ LINUX, 6, 0xfffffffa, 0, { 0 }, 0x45, "SIGABRT / SI_TKILL" },
	{ LINUX, 6, 1, 0, { 0 }, 0x45, "SIGABRT / 0x00000001" },
	{ LINUX, 5, 6, 0, { 0 }, 0x45, "SIGTRAP / TRAP_PERF" },
	{ LINUX, 8, 8, 0, { 0 }, 0x45, "SIGFPE / FPE_FLTSUB" },
	{ LINUX, 0xffffffff, 0, 0, { 0 }, 0x45, "DUMP_REQUESTED" },
	{ 0x8203, 5, 31, 2, 0, { 0 }, 0x45, "SIGSYS / SYS_USER_DISPATCH" },
	{ LINUX, 99, 1, 0, { 0 }, 0x45, "unknown 0x00000063 / 0x00000001" },
	{ MAC, 1, 1, 0, { 0 }, 0x45, "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS" },
	{ MAC, 1, 13, 0, { 0 }, 0x45, "EXC_BAD_ACCESS / EXC_I386_GPFLT" },
	{ MAC_ARM, 1, 13, 0, { 0 }, 0x45, "EXC_BAD_ACCESS / 0x0000000d" },
	{ MAC_ARM, 1, 0x105, 0, { 0 }, 0x45, "EXC_BAD_ACCESS / EXC_ARM_PAC_FAIL" },
	{ MAC_ARM, 6, 1, 0, { 0 }, 0x45, "EXC_BREAKPOINT / EXC_ARM_BREAKPOINT" },
	{ MAC, 3, 8, 0, { 0 }, 0x45, "EXC_ARITHMETIC / EXC_I386_SSEEXTERR" },
	{ MAC, 5, 0x10002, 0, { 0 }, 0x45, "EXC_SOFTWARE / SIGABRT" },
	{ MAC, 0, 0, 3, { 10, 0x06000000, 0 }, 0x45, "unknown 0x00000000 / 0x00000000" },
	{ MAC, 0x43507378, 0, 0, { 0 }, 0x45, "Simulated Exception" },
	{ MAC, 11, 1u << 29, 3, { 11, (uint64_t)1 << 58 | 180 << 7 | 5, 3 }, 0x45,
	  "EXC_RESOURCE / RESOURCE_TYPE_CPU / FLAVOR_CPU_MONITOR interval: 180s CPU limit: 5% "
	  "CPU consumed: 3%" },
	{ MAC, 11, 2u << 29, 3, { 11, (uint64_t)1 << 58 | 300 << 20 | 150, 45000 & 0xfff }, 0x45,
	  "EXC_RESOURCE / RESOURCE_TYPE_WAKEUPS / FLAVOR_WAKEUPS_MONITOR interval: 300s wakeups "
	  "permitted: 150 wakeups observed: 4040" },
	{ MAC, 11, 3u << 29, 3, { 11, (uint64_t)1 << 58 | 50, 0 }, 0x45,
	  "EXC_RESOURCE / RESOURCE_TYPE_MEMORY / FLAVOR_HIGH_WATERMARK high watermark limit: 50MiB" },
	{ MAC, 11, 1u << 29, 3, { 11, (uint64_t)7 << 58, 2 }, 0x45,
	  "EXC_RESOURCE / RESOURCE_TYPE_CPU / 0x1c00000000000000 / 0x0000000000000002" },
	{ MAC, 11, 7u << 29, 3, { 11, 0, 0 }, 0x45, "EXC_RESOURCE / 0xe0000000" },
	{ MAC, 12, 1u << 29, 3, { 12, (uint64_t)0x10 << 32 | 4711, 0 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_MACH_PORT / GUARD_EXC_INCORRECT_GUARD port name: 4711" },
	{ MAC, 12, 1u << 29, 3, { 12, (uint64_t)1 << 32 | 7, 9 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_MACH_PORT / GUARD_EXC_DESTROY port name: 7 subcode: 9" },
	{ MAC, 12, 2u << 29, 3, { 12, (uint64_t)1 << 32 | 5, 6 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_FD / GUARD_EXC_CLOSE file descriptor: 5 guard identifier: 6" },
	{ MAC, 12, 3u << 29, 3, { 12, 5, 6 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_USER/ namespace: 5 guard identifier: 6" },
	{ MAC, 12, 5u << 29, 3, { 12, (uint64_t)1 << 32, 6 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_VIRT_MEMORY / GUARD_EXC_DEALLOC_GAP offset: 6" },
	{ MAC, 12, 2u << 29, 3, { 12, (uint64_t)3 << 32, 6 }, 0x45,
	  "EXC_GUARD / GUARD_TYPE_FD / 0x0000000300000000 / 0x0000000000000006" },
	{ MAC, 12, 0, 3, { 12, 0, 0 }, 0x45, "EXC_GUARD / GUARD_TYPE_NONE" },
	{ MAC, 12, 7u << 29, 3, { 12, 0, 0 }, 0x45, "EXC_GUARD / 0xe0000000" },
	{ 0x8202, 9, 11, 1, 0, { 0 }, 0x45, "unknown 0x0000000b / 0x00000001" },
};

START_TEST(reasons_by_system)
{
	char reason[MINIDUMP_REASON_BYTES];

	dump_begin(&built, false);
	dump_system(&built, reasons[_i].platform, reasons[_i].architecture, NULL);
	dump_stream(&built, MD_THREAD_LIST_STREAM);
	dump_u32(&built, 0);
	dump_stream_end(&built);
	dump_exception(&built, reasons[_i].code, reasons[_i].flags, 0x45, reasons[_i].parameters,
		       reasons[_i].count);
	ck_assert_msg(open_built() == 0, "%s", err.text);
	minidump_crash_reason(&dump, reason);
	ck_assert_str_eq(reason, reasons[_i].reason);
	ck_assert_uint_eq(minidump_crash_address(&dump), reasons[_i].address);
}
END_TEST

/* --- Refusals ----------------------------------------------------------------------------------------- */

static void expect_refused(const char *words)
{
	ck_assert_msg(strcmp(err.text, words) == 0, "%s", err.text);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
}

START_TEST(refused_in_words_that_clients_know)
{
	ck_assert_int_lt(open_bytes(NULL, 0), 0);
	expect_refused("Missing minidump header (empty minidump?)");
	dump_sample(&built, false);
	ck_assert_int_lt(open_bytes(built.out.bytes, 31), 0);
	expect_refused("Missing minidump header (empty minidump?)");
	ck_assert_int_lt(open_bytes(built.out.bytes, 40), 0);
	expect_refused("Missing stream directory (heavily truncated minidump?)");
	built.out.bytes[4] = 0;
	ck_assert_int_lt(open_bytes(built.out.bytes, built.out.size), 0);
	expect_refused("Minidump version mismatch");
	built.out.bytes[0] = 'X';
	ck_assert_int_lt(open_bytes(built.out.bytes, built.out.size), 0);
	expect_refused("Header mismatch");
	dump_release(&built);
	dump_begin(&built, false);
	ck_assert_int_lt(open_built(), 0);
	expect_refused("The system information stream was not found");
	dump_system(&built, 2, 9, NULL);
	ck_assert_int_lt(open_built(), 0);
	expect_refused("The thread list stream was not found");
}
END_TEST

/* 35 bytes that once asked for 45 GB: a header and nothing, with the greatest count there is. */
START_TEST(few_bytes_that_ask_for_much)
{
	uint8_t bytes[35] = { 'M', 'D', 'M', 'P', 0x93, 0xa7, 0, 0, 0xff, 0xff, 0xff, 0xff, 32 };

	ck_assert_int_lt(open_bytes(bytes, sizeof(bytes)), 0);
	expect_refused("Missing stream directory (heavily truncated minidump?)");
	ck_assert_uint_eq(arena.held_bytes, 0);
}
END_TEST

static uint32_t stream_rva(uint32_t type)
{
	for (uint32_t i = 0; i < built.stream_count; i++)
		if (built.streams[i].type == type)
			return built.streams[i].rva;
	ck_abort_msg("no such stream");
}

START_TEST(module_counts_that_lie)
{
	dump_sample(&built, false);
	dump_set_u32(&built, stream_rva(MD_MODULE_LIST_STREAM), 0xffffffff);
	ck_assert_int_eq(open_bytes(built.out.bytes, built.out.size), 0);
	ck_assert_uint_eq(dump.module_count, 4);
	ck_assert(lost("MD_MODULE_LIST_STREAM: 5 of 4294967295 entries are read"));
	ck_assert_uint_lt(arena.held_bytes, 1 << 20);
}
END_TEST

START_TEST(thread_counts_that_lie)
{
	dump_sample(&built, false);
	dump_set_u32(&built, stream_rva(MD_THREAD_LIST_STREAM), 0x7fffffff);
	ck_assert_int_lt(open_bytes(built.out.bytes, built.out.size), 0);
	expect_refused("The thread list stream was not found");
}
END_TEST

START_TEST(memory_ranges_that_overlap_and_wrap)
{
	dump_begin(&built, false);
	dump_system(&built, 2, 9, NULL);
	dump_stream(&built, MD_THREAD_LIST_STREAM);
	dump_u32(&built, 0);
	dump_stream_end(&built);
	dump_stream(&built, MD_MEMORY_64_LIST_STREAM);
	dump_u64(&built, 6);
	dump_u64(&built, 32);
	for (uint32_t i = 0; i < 3; i++) {
		dump_u64(&built, 0x1000 + i);        /* into each other */
		dump_u64(&built, 16);
	}
	dump_u64(&built, UINT64_MAX - 7);            /* over the end of memory */
	dump_u64(&built, 16);
	dump_u64(&built, 0x9000);                    /* over the end of the file */
	dump_u64(&built, UINT64_MAX - 100);
	dump_u64(&built, 0x8000);                    /* nowhere in it */
	dump_u64(&built, 16);
	dump_stream_end(&built);
	ck_assert_msg(open_built() == 0, "%s", err.text);
	ck_assert_uint_eq(dump.memory_count, 2);
	ck_assert_uint_eq(dump.memory[0].start, 0x1000);
	ck_assert_uint_eq(dump.memory[1].start, 0x9000);
	ck_assert_uint_eq(dump.memory[1].size, built.out.size - 32 - 64);
	ck_assert(lost("memory at 0x9000"));
	ck_assert_ptr_null(minidump_memory_at(&dump, UINT64_MAX));
}
END_TEST

START_TEST(strings_at_the_end_of_the_file)
{
	static const uint32_t sizes[] = { 2, 8, 0xfffffffe, 7 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t end;

		dump_sample(&built, false);
		end = dump_here(&built);
		dump_u32(&built, sizes[i]);
		dump_u16(&built, 'x');
		dump_set_u32(&built, stream_rva(MD_MODULE_LIST_STREAM) + 4 + 20, end);
		dump_set_u32(&built, stream_rva(MD_MODULE_LIST_STREAM) + 4 + 108 + 20, end + 4);
		dump_set_u32(&built, stream_rva(MD_MODULE_LIST_STREAM) + 4 + 216 + 20, 0xfffffffc);
		ck_assert_msg(open_bytes(built.out.bytes, built.out.size) == 0, "%s", err.text);
		ck_assert_uint_eq(dump.module_count, 4);
		if (i == 0)
			expect(dump.modules[0].name, "x");
		else
			ck_assert(!dump.modules[0].name.bytes && dump.modules[0].is_damaged);
		ck_assert(dump.modules[1].is_damaged && dump.modules[2].is_damaged);
		ck_assert(lost("module at 0x400000: its name cannot be read"));
		dump_release(&built);
	}
}
END_TEST

START_TEST(directory_entries_past_the_end)
{
	dump_sample(&built, false);
	for (uint32_t i = 0; i < built.stream_count; i++)
		if (built.streams[i].type == MD_MODULE_LIST_STREAM)
			built.streams[i].rva = 0xfffffff0;
		else if (built.streams[i].type == MD_EXCEPTION_STREAM)
			built.streams[i].size = 0xffffffff;
	dump_finish(&built);
	ck_assert_msg(open_bytes(built.out.bytes, built.out.size) == 0, "%s", err.text);
	ck_assert_uint_eq(dump.module_count, 0);
	ck_assert(lost("MD_MODULE_LIST_STREAM: the file ends 0 bytes into its"));
	ck_assert(dump.has_exception);
	ck_assert(lost("MD_EXCEPTION_STREAM: the file ends"));
}
END_TEST

START_TEST(of_two_streams_of_a_type_the_last_counts)
{
	dump_sample(&built, false);
	dump_stream(&built, MD_BREAKPAD_INFO_STREAM);
	dump_u32(&built, 1);
	dump_u32(&built, 7);
	dump_u32(&built, 7);
	dump_stream_end(&built);
	ck_assert_int_eq(open_built(), 0);
	ck_assert_uint_eq(dump.breakpad.dump_thread_id, 7);
	/* The thread that crashed wrote the dump: nothing is told of it. */
	ck_assert_uint_eq(dump.requesting_thread, MINIDUMP_NO_THREAD);
}
END_TEST

/* One text a thousand times, and one longer than a name may be. */
START_TEST(texts_that_multiply)
{
	uint32_t name, count = 20000;

	dump_begin(&built, false);
	dump_system(&built, 2, 9, NULL);
	name = dump_here(&built);
	dump_u32(&built, 1 << 20);
	dump_zeros(&built, 1 << 20);
	dump_stream(&built, MD_UNLOADED_MODULE_LIST_STREAM);
	dump_u32(&built, 12);
	dump_u32(&built, 24);
	dump_u32(&built, count);
	for (uint32_t i = 0; i < count; i++) {
		dump_u64(&built, 0x10000 * (uint64_t)i);
		dump_u32(&built, 0x1000);
		dump_u64(&built, 0);
		dump_u32(&built, name);
	}
	dump_stream_end(&built);
	dump_stream(&built, MD_THREAD_LIST_STREAM);
	dump_u32(&built, 0);
	dump_stream_end(&built);
	arena.ceiling_bytes = (size_t)512 << 20;
	ck_assert_msg(open_built() == 0, "%s", err.text);
	ck_assert_uint_eq(dump.unloaded_count, count);
	ck_assert(lost("more than is converted"));
	ck_assert_uint_lt(arena.held_bytes, (size_t)200 << 20);
}
END_TEST

/* --- As it stands there ---------------------------------------------------------------------------------- */

static int keep_listing(void *payload, struct buf *out, struct err *error)
{
	buf_add_text(payload, buf_text(out));
	buf_clear(out);
	return buf_check(payload, error);
}

static int refuse_listing(void *payload, struct buf *out, struct err *error)
{
	(void)payload;
	(void)out;
	return err_set(error, ERR_IO, "the disk is full");
}

static const char *const listed[] = {
	"header (little-endian)\n  version = 0x1234a793\n",
	"time_date_stamp = 0x5f5e1000 2020-09-13T12:26:40Z\n",
	"stream_type = 0x7 MD_SYSTEM_INFO_STREAM, data_size = 56, rva = 0x",
	"stream_type = 0xabcd1234 (unknown), data_size = 4",
	"  platform_id = 0x8201\n  csd_version = 0x1a0 \"Linux 4.9.60",
	"MD_THREAD_LIST_STREAM\n  count = 2\nthread[0]\n  thread_id = 0x7\n",
	"  (rip) = 0x0000000000401234\n",
	"  (reason) = \"SIGSEGV / SEGV_MAPERR\"\n  (rax) = ",
	"  thread_name = 0x", " \"renderer\"\n",
	"module[0]\n  base_of_image = 0x500000\n",
	"  (code_identifier) = \"5f0000001000\"\n  (debug_file) = \"x.pdb\"\n"
	"  (debug_identifier) = \"5A9832E5287241C1838ED98914E9B7FF1a\"\n  (version) = \"1.2.3.4\"\n",
	"unloaded module[1]\n  base_of_image = 0x7ff800\n",
	"  report_id = 03020100-0504-0706-0809-0a0b0c0d0e0f\n",
	"  simple_annotations[\"prod\"] = \"app\"\n  module[1].list_annotations[] = \"app\"\n",
	"MD_LINUX_PROC_STATUS\n  Name:\\x09app\n  Pid:\\x0942\n",
	"link_map[0]\n  addr = 0x10000\n  name = \"/lib/ld.so\"\n",
	"handle[0]\n  handle = 0x44\n", "memory info[0]\n  base_address = 0x400000\n",
	"  expression = \"x != 0\"\n", "  (message) = \"abort() called\"\n",
	"  process_create_time = 0x59682f00 2017-07-14T02:40:00Z\n",
	"(unknown)\n  0000  01 00 00 00                                      ....\n",
};

START_TEST(every_stream_is_listed)
{
	struct buf listing, out;

	dump_sample(&built, false);
	buf_init(&listing, ARENA_BYTES);
	buf_init(&out, ARENA_BYTES);
	ck_assert_int_eq(minidump_open(&dump, built.out.bytes, built.out.size, &arena, &err), 0);
	ck_assert_msg(minidump_print_raw(&dump, &out, keep_listing, &listing, &err) == 0, "%s", err.text);
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		ck_assert_msg(strstr(buf_string(&listing), listed[i]), "missing: %s", listed[i]);
	ck_assert_ptr_null(strstr(buf_string(&listing), "\nlost"));
	ck_assert_int_lt(minidump_print_raw(&dump, &out, refuse_listing, NULL, &err), 0);
	ck_assert_str_eq(err.text, "the disk is full");
	buf_release(&out);
	buf_release(&listing);
}
END_TEST

/* Without what minidump_read() needs the fields are listed all the same. */
START_TEST(streams_are_listed_of_half_a_dump)
{
	struct buf listing, out;

	dump_sample(&built, true);
	buf_init(&listing, ARENA_BYTES);
	buf_init(&out, ARENA_BYTES);
	ck_assert_int_eq(minidump_open(&dump, built.out.bytes, stream_rva(MD_MODULE_LIST_STREAM) + 130,
				       &arena, &err), 0);
	ck_assert_msg(minidump_print_raw(&dump, &out, keep_listing, &listing, &err) == 0, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(buf_string(&listing), "header (big-endian)\n"));
	ck_assert_ptr_nonnull(strstr(buf_string(&listing), "(the file ends 130 bytes into its 544)"));
	ck_assert_ptr_nonnull(strstr(buf_string(&listing), "(4 more are not there or not listed)"));
	ck_assert_ptr_nonnull(strstr(buf_string(&listing), "\nlost\n"));
	buf_release(&out);
	buf_release(&listing);
}
END_TEST

/* --- Torments ------------------------------------------------------------------------------------------ */

static int read_all(void *payload, struct err *error)
{
	struct minidump_crashpad crashpad;
	struct minidump_handle_list handles;
	struct minidump mine;
	struct arena own;
	int rc = -1;

	(void)payload;
	arena_init(&own, ARENA_BYTES);
	if (minidump_open(&mine, built.out.bytes, built.out.size, &own, error) == 0 &&
	    minidump_read(&mine, error) == 0 && minidump_crashpad(&mine, &crashpad, error) == 0)
		rc = minidump_handles(&mine, &handles, error);
	arena_release(&own);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	dump_sample(&built, false);
	support_every_allocation_failure(read_all, NULL, 100);
}
END_TEST

START_TEST(an_arena_too_small_is_a_limit)
{
	dump_sample(&built, false);
	arena.ceiling_bytes = 64;
	ck_assert_int_lt(open_bytes(built.out.bytes, built.out.size), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
}
END_TEST

static void read_changed(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	dump_sample(&built, _i == 1);
	support_every_byte_change((const uint8_t *)built.out.bytes, built.out.size, read_changed, NULL);
}
END_TEST

/* Cut anywhere: refused in known words, or what is there is told and the rest said to be lost. */
START_TEST(cut_anywhere)
{
	dump_sample(&built, false);
	for (size_t size = 0; size < built.out.size; size++) {
		uint8_t *bytes = mem_get(size + 1);

		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, built.out.bytes, size);
		if (open_bytes(bytes, size) < 0)
			ck_assert_msg(strstr(err.text, "Missing ") || strstr(err.text, " was not found"),
				      "%zu: %s", size, err.text);
		else
			ck_assert_msg(dump.loss_count > 0 || size > stream_rva(MD_ASSERTION_INFO_STREAM),
				      "%zu bytes: nothing is said to be lost", size);
		arena_release(&arena);
		mem_give_back(bytes);
		setup();
	}
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tests, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("minidump");
	TCase *tests = tcase_create("all");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, all_there_is, 0, 2);
	LOOP(systems_and_processors, systems);
	LOOP(contexts_of_each_processor, contexts);
	LOOP(reasons_by_system, reasons);
	tcase_add_test(tests, refused_in_words_that_clients_know);
	tcase_add_test(tests, few_bytes_that_ask_for_much);
	tcase_add_test(tests, module_counts_that_lie);
	tcase_add_test(tests, thread_counts_that_lie);
	tcase_add_test(tests, memory_ranges_that_overlap_and_wrap);
	tcase_add_test(tests, strings_at_the_end_of_the_file);
	tcase_add_test(tests, directory_entries_past_the_end);
	tcase_add_test(tests, of_two_streams_of_a_type_the_last_counts);
	tcase_add_test(tests, texts_that_multiply);
	tcase_add_test(tests, every_stream_is_listed);
	tcase_add_test(tests, streams_are_listed_of_half_a_dump);
	tcase_add_test(tests, survives_every_allocation_failure);
	tcase_add_test(tests, an_arena_too_small_is_a_limit);
	tcase_add_loop_test(tests, survives_every_byte_change, 0, 2);
	tcase_add_test(tests, cut_anywhere);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

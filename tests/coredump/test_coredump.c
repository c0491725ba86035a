/* test_coredump.c -- cores made by a debugger, and small ones made here for every processor. */
#include "coredump/coredump.h"

#include <elf.h>
#include <signal.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)64 << 20)
#define CORE_BYTES  ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct arena arena;
static struct coredump core;
static struct err err;

static void setup(void)
{
	arena_init(&arena, ARENA_BYTES);
	err = (struct err)ERR_INIT;
}

static void teardown(void)
{
	arena_release(&arena);
}

/* --- Small cores -------------------------------------------------------------------------- */

struct maker {
	struct buf out;
	bool big_endian, is_64_bit;
	uint16_t machine;
};

static void put(struct buf *out, const struct maker *maker, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		buf_add_char(out, (char)(value >> 8 * (maker->big_endian ? width - 1 - i : i)));
}

static void put_word(struct buf *out, const struct maker *maker, uint64_t value)
{
	put(out, maker, maker->is_64_bit ? 8 : 4, value);
}

static void put_zeros(struct buf *out, size_t count)
{
	while (count-- > 0)
		buf_add_char(out, '\0');
}

static void put_note_of(struct buf *notes, const struct maker *maker, struct text name, uint32_t type,
			struct text body)
{
	put(notes, maker, 4, name.size + 1);
	put(notes, maker, 4, body.size);
	put(notes, maker, 4, type);
	buf_add_text(notes, name);
	put_zeros(notes, 4 - name.size % 4);
	buf_add_text(notes, body);
	put_zeros(notes, -body.size & 3);
}

static void put_note(struct buf *notes, const struct maker *maker, uint32_t type, struct text body)
{
	put_note_of(notes, maker, TEXT("CORE"), type, body);
}

/* Register n of the file is 0x1000 + n. */
static void put_thread(struct buf *notes, const struct maker *maker, uint32_t id, uint16_t signal,
		       unsigned registers)
{
	struct buf body;

	buf_init(&body, CORE_BYTES);
	put_zeros(&body, 12);
	put(&body, maker, 2, signal);
	put_zeros(&body, (maker->is_64_bit ? 32 : 24) - body.size);
	put(&body, maker, 4, id);
	put_zeros(&body, (maker->is_64_bit ? 112 : 72) - body.size);
	for (unsigned i = 0; i < registers; i++)
		put_word(&body, maker, 0x1000 + i);
	put_zeros(&body, 8);
	put_note(notes, maker, NT_PRSTATUS, buf_text(&body));
	buf_release(&body);
}

static void put_segment(struct buf *out, const struct maker *maker, uint32_t type, uint64_t offset,
			uint64_t address, uint64_t size)
{
	put(out, maker, 4, type);
	if (maker->is_64_bit)
		put(out, maker, 4, PF_R);
	put_word(out, maker, offset);
	put_word(out, maker, address);
	put_word(out, maker, 0);
	put_word(out, maker, size);
	put_word(out, maker, size);
	if (!maker->is_64_bit)
		put(out, maker, 4, PF_R);
	put_word(out, maker, 4);
}

/* A core of these notes and `memory` at 0x10000, with the end `cut` bytes short. */
static struct text make_core(struct maker *maker, struct text notes, struct text memory)
{
	size_t header = maker->is_64_bit ? 64 : 52, segment = maker->is_64_bit ? 56 : 32;
	size_t at = header + 2 * segment;

	buf_init(&maker->out, CORE_BYTES);
	buf_add_text(&maker->out, TEXT("\177ELF"));
	buf_add_char(&maker->out, maker->is_64_bit ? ELFCLASS64 : ELFCLASS32);
	buf_add_char(&maker->out, maker->big_endian ? ELFDATA2MSB : ELFDATA2LSB);
	put_zeros(&maker->out, 10);
	put(&maker->out, maker, 2, ET_CORE);
	put(&maker->out, maker, 2, maker->machine);
	put(&maker->out, maker, 4, 1);
	put_word(&maker->out, maker, 0);
	put_word(&maker->out, maker, header);
	put_word(&maker->out, maker, 0);
	put(&maker->out, maker, 4, 0);
	put(&maker->out, maker, 2, header);
	put(&maker->out, maker, 2, segment);
	put(&maker->out, maker, 2, 2);
	put_zeros(&maker->out, 6);
	put_segment(&maker->out, maker, PT_NOTE, at, 0, notes.size);
	put_segment(&maker->out, maker, PT_LOAD, at + notes.size, 0x10000, memory.size);
	buf_add_text(&maker->out, notes);
	buf_add_text(&maker->out, memory);
	return buf_text(&maker->out);
}

static void must_open(struct text bytes)
{
	ck_assert_msg(coredump_open(&core, (const uint8_t *)bytes.bytes, bytes.size, &arena, &err) == 0,
		      "%s", err.text);
}

START_TEST(registers_of_every_processor)
{
	/* Where the stack pointer, the program counter and one more stand in elf_gregset_t. */
	static const struct {
		uint16_t machine;
		bool is_64_bit, big_endian;
		unsigned count, sp, pc, other_number, other;
	} cases[] = {
		{ EM_X86_64, true, false, 27, 19, 16, UNWIND_X86_64_RBX, 5 },
		{ EM_386, false, false, 17, 15, 12, UNWIND_X86_EBX, 0 },
		{ EM_ARM, false, false, 18, 13, 15, UNWIND_ARM_R12, 12 },
		{ EM_AARCH64, true, false, 34, 31, 32, UNWIND_ARM64_X19, 19 },
		{ EM_AARCH64, true, true, 34, 31, 32, UNWIND_ARM64_LR, 30 },
		{ EM_MIPS, false, true, 45, 6 + 29, 40, UNWIND_MIPS_S0, 6 + 16 },
		{ EM_MIPS, true, true, 45, 29, 34, UNWIND_MIPS_RA, 31 },
		{ EM_PPC, false, true, 48, 1, 32, UNWIND_PPC_LR, 36 },
		{ EM_PPC64, true, true, 48, 1, 32, UNWIND_PPC_CTR, 35 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct maker maker = { .big_endian = cases[i].big_endian,
				       .is_64_bit = cases[i].is_64_bit, .machine = cases[i].machine };
		const struct unwind_arch_facts *facts;
		const struct unwind_registers *registers;
		struct buf notes;

		buf_init(&notes, CORE_BYTES);
		put_thread(&notes, &maker, 7, 0, cases[i].count);
		put_thread(&notes, &maker, 9, SIGSEGV, cases[i].count);
		must_open(make_core(&maker, buf_text(&notes), TEXT("")));
		ck_assert_uint_eq(core.thread_count, 2);
		ck_assert(core.has_walker);
		registers = &core.threads[1].registers;
		facts = unwind_arch_facts(registers->arch);
		ck_assert_uint_eq(core.threads[1].id, 9);
		ck_assert_uint_eq(core.threads[1].signal, SIGSEGV);
		ck_assert_msg(registers->values[facts->sp] == 0x1000 + cases[i].sp, "%s: sp %llx",
			      facts->name, (unsigned long long)registers->values[facts->sp]);
		ck_assert_msg(registers->values[facts->pc] == 0x1000 + cases[i].pc, "%s: pc %llx",
			      facts->name, (unsigned long long)registers->values[facts->pc]);
		ck_assert_uint_eq(registers->values[cases[i].other_number], 0x1000 + cases[i].other);
		buf_release(&notes);
		buf_release(&maker.out);
	}
}
END_TEST

START_TEST(what_the_signal_says)
{
	struct maker maker = { .is_64_bit = true, .machine = EM_X86_64 };
	struct buf notes, info;

	buf_init(&notes, CORE_BYTES);
	buf_init(&info, CORE_BYTES);
	put(&info, &maker, 4, SIGSEGV);
	put(&info, &maker, 4, 0);
	put(&info, &maker, 4, 1);
	put(&info, &maker, 4, 0);
	put(&info, &maker, 8, 0xdeadbeef);
	put_thread(&notes, &maker, 1, 0, 27);
	put_thread(&notes, &maker, 2, SIGSEGV, 27);
	put_note(&notes, &maker, NT_SIGINFO, buf_text(&info));
	must_open(make_core(&maker, buf_text(&notes), TEXT("memory")));
	ck_assert(core.has_signal && core.has_fault_address);
	ck_assert_int_eq(core.signal_code, 1);
	ck_assert_uint_eq(core.fault_address, 0xdeadbeef);
	/* The thread it was for comes first, wherever it was written. */
	ck_assert_uint_eq(core.threads[0].id, 2);
	ck_assert_uint_eq(core.threads[1].id, 1);
	buf_release(&notes);
	buf_release(&info);
	buf_release(&maker.out);
}
END_TEST

/* As /proc/vmcore has it: a thread for each processor, and the kernel where its text lies. */
START_TEST(a_kernels_core)
{
	static const struct {
		const char *lines;
		size_t modules;
		uint64_t base, size;
		size_t id_size;
	} cases[] = {
		{ "OSRELEASE=6.1.0-13-amd64\nBUILD-ID=0123456789abcdef0123456789abcdef01234567\n"
		  "PAGESIZE=4096\nSYMBOL(_stext)=10004\nKERNELOFFSET=0\n", 1, 0x10000, 10, 20 },
		{ "SYMBOL(_stext)=ffffffff81000000", 1, 0xffffffff81000000, 1, 0 },
		{ "BUILD-ID=012x\nSYMBOL(_stext)=10000\n", 1, 0x10000, 10, 0 },
		{ "SYMBOL(_stext)=nowhere\n", 0, 0, 0, 0 },
		{ "\n\n=\nSYMBOL(_stext)", 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct maker maker = { .is_64_bit = true, .machine = EM_X86_64 };
		struct buf notes;

		buf_init(&notes, CORE_BYTES);
		put_thread(&notes, &maker, 1, 0, 27);
		put_thread(&notes, &maker, 0, 0, 27);
		put_note_of(&notes, &maker, TEXT("VMCOREINFO"), 0, text_of(cases[i].lines));
		must_open(make_core(&maker, buf_text(&notes), TEXT("0123456789")));
		ck_assert(core.is_kernel);
		ck_assert_uint_eq(core.thread_count, 2);
		ck_assert_uint_eq(core.module_count, cases[i].modules);
		if (cases[i].modules > 0) {
			ck_assert(text_is(core.modules[0].path, "vmlinux"));
			ck_assert_uint_eq(core.modules[0].base, cases[i].base);
			ck_assert_uint_eq(core.modules[0].size, cases[i].size);
			ck_assert_uint_eq(core.modules[0].id_size, cases[i].id_size);
		}
		ck_assert(i > 0 || text_is(core.kernel_release, "6.1.0-13-amd64"));
		buf_release(&notes);
		buf_release(&maker.out);
	}
}
END_TEST

START_TEST(a_cut_core_tells_what_is_left)
{
	struct maker maker = { .is_64_bit = true, .machine = EM_X86_64 };
	struct text whole;
	struct buf notes;

	buf_init(&notes, CORE_BYTES);
	put_thread(&notes, &maker, 1, SIGABRT, 27);
	whole = make_core(&maker, buf_text(&notes), TEXT("0123456789"));
	whole.size -= 4;
	must_open(whole);
	ck_assert_uint_eq(core.lost_bytes, 4);
	ck_assert_uint_eq(core.memory.regions[0].size, 6);
	ck_assert_uint_eq(core.thread_count, 1);
	whole.size = 64;
	ck_assert_int_eq(coredump_open(&core, (const uint8_t *)whole.bytes, whole.size, &arena, &err), -1);
	ck_assert_msg(strstr(err.text, "it was cut before they end"), "%s", err.text);
	buf_release(&notes);
	buf_release(&maker.out);
}
END_TEST

START_TEST(what_is_no_core_is_refused)
{
	struct file_map program = support_map("/proc/self/exe");

	ck_assert_int_eq(coredump_open(&core, program.bytes, program.size, &arena, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, "no core"), "%s", err.text);
	ck_assert_int_eq(coredump_open(&core, (const uint8_t *)"text", 4, &arena, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	file_unmap(&program);
}
END_TEST

/* --- A real one ----------------------------------------------------------------------------- */

static const char recipe[] =
	"cat > $DIR/demo.c <<'SOURCE'\n"
	"#include <pthread.h>\n"
	"#include <unistd.h>\n"
	"static volatile int *nothing;\n"
	"__attribute__((noinline)) static int inner(int n) { return n ? inner(n - 1) + 1 : *nothing; }\n"
	"static void *rest(void *unused) { pause(); return unused; }\n"
	"int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, rest, 0);\n"
	"	usleep(100000); return inner(3); }\n"
	"SOURCE\n"
	"gcc -g -O1 -fno-optimize-sibling-calls -Wl,--build-id=0x1234567890abcdef1234567890abcdef12345678 "
	"-pthread -o $DIR/demo $DIR/demo.c\n"
	"gdb -batch -nx -ex run -ex \"generate-core-file $OUT\" -ex kill $DIR/demo > $DIR/log 2>&1 || true\n"
	"test -s $OUT || { cat $DIR/log; exit 1; }\n";

static const struct coredump_module *module_with(const char *name)
{
	for (size_t i = 0; i < core.module_count; i++)
		if (core.modules[i].path.bytes && text_is(text_basename(core.modules[i].path), name))
			return &core.modules[i];
	ck_abort_msg("no module %s", name);
	return NULL;
}

START_TEST(a_debuggers_core)
{
	struct file_map map = support_map(support_fixture("demo.core", recipe));
	const struct coredump_module *demo;
	const struct unwind_registers *registers;
	uint64_t pc, word;

	must_open((struct text){ (const char *)map.bytes, map.size });
	ck_assert_uint_eq(core.thread_count, 3);
	ck_assert_int_eq(core.signal, SIGSEGV);
	ck_assert(core.has_fault_address);
	ck_assert_uint_eq(core.fault_address, 0);
	ck_assert_msg(text_is(core.command, "demo"), "%.*s", (int)core.command.size, core.command.bytes);
	ck_assert_uint_eq(core.lost_bytes, 0);
	demo = module_with("demo");
	ck_assert_uint_eq(demo->id_size, 20);
	ck_assert_uint_eq(demo->id[0], 0x12);
	ck_assert_uint_gt(module_with("libc.so.6")->id_size, 0);
	ck_assert_uint_gt(module_with("linux-gate.so")->size, 0);
	registers = &core.threads[0].registers;
	pc = registers->values[unwind_arch_facts(registers->arch)->pc];
	ck_assert(pc >= demo->base && pc < demo->base + demo->size);
	ck_assert(unwind_memory_read(&core.memory,
				     registers->values[unwind_arch_facts(registers->arch)->sp], 8, &word));
	file_unmap(&map);
}
END_TEST

/* --- Torments --------------------------------------------------------------------------------- */

struct mapped_page { uint64_t start, page; };        /* one page, and which of the file it is */

static struct text mapped_core(struct maker *maker, const struct mapped_page *pages, size_t count)
{
	static const char name[] = "/usr/lib/a.so";
	struct buf notes, files;
	struct text bytes;

	*maker = (struct maker){ .is_64_bit = true, .machine = EM_X86_64 };
	buf_init(&notes, CORE_BYTES);
	buf_init(&files, CORE_BYTES);
	put_word(&files, maker, count);
	put_word(&files, maker, 4096);
	for (size_t i = 0; i < count; i++) {
		put_word(&files, maker, pages[i].start);
		put_word(&files, maker, pages[i].start + 0x1000);
		put_word(&files, maker, pages[i].page);
	}
	for (size_t i = 0; i < count; i++)
		buf_add_text(&files, (struct text){ name, sizeof(name) });
	put_thread(&notes, maker, 1, SIGBUS, 27);
	put_note(&notes, maker, NT_FILE, buf_text(&files));
	bytes = make_core(maker, buf_text(&notes), TEXT("\177ELF\2\1\1"));
	buf_release(&notes);
	buf_release(&files);
	return bytes;
}

static struct text small_core(struct maker *maker)
{
	static const struct mapped_page pages[] = { { 0x10000, 0 }, { 0x11000, 1 } };

	return mapped_core(maker, pages, 2);
}

START_TEST(mappings_of_one_file_are_one_module)
{
	struct maker maker;

	must_open(small_core(&maker));
	ck_assert_uint_eq(core.module_count, 1);
	ck_assert_uint_eq(core.modules[0].base, 0x10000);
	ck_assert_uint_eq(core.modules[0].size, 0x2000);
	ck_assert_uint_eq(core.modules[0].id_size, 0);
	buf_release(&maker.out);
}
END_TEST

/* --- Files of modules ------------------------------------------------------------------------- */

#define FILE_BYTES 0xa000u

/* A shared object of a page, whose first bytes the core has in memory, and the segment. */
static void make_file(uint8_t file[FILE_BYTES], uint16_t machine, const Elf64_Phdr *segment)
{
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 }, .e_type = ET_DYN,
		.e_machine = machine, .e_version = 1, .e_phoff = sizeof(header),
		.e_ehsize = sizeof(header), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
	};
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x1000, .p_memsz = 0x1000 },
		*segment,
	};

	memset(file, 0, FILE_BYTES);
	memcpy(file, &header, sizeof(header));
	memcpy(file + sizeof(header), segments, sizeof(segments));
}

#define SEGMENT(offset, address, bytes, align) \
	{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = offset, .p_vaddr = address, \
	  .p_filesz = bytes, .p_memsz = bytes, .p_align = align }
#define USUAL SEGMENT(0x1000, 0x1000, 0x1000, 0x1000)

static const struct {
	const char *what;
	uint16_t machine;
	Elf64_Phdr segment;
	unsigned change;             /* a byte of the file; 0: none */
	uint64_t behind;             /* where its second page was mapped once more; 0: nowhere */
	enum err_kind kind;          /* ERR_NONE: it was mapped from it */
} matches[] = {
	{ "the file", EM_X86_64, USUAL, 0, 0, ERR_NONE },
	{ "another byte where none is written", EM_X86_64, USUAL, 6, 0, ERR_NOT_FOUND },
	{ "a segment that belongs elsewhere", EM_X86_64, SEGMENT(0x1000, 0x2000, 0x1000, 0x1000), 0, 0,
	  ERR_NOT_FOUND },
	{ "a segment that is not in the file", EM_X86_64, SEGMENT(0x1000, 0x1000, 0x9001, 0x1000), 0, 0,
	  ERR_NOT_FOUND },
	{ "the gap before a segment", EM_X86_64, SEGMENT(0x1000, 0x2000, 0x1000, 0x1000), 0, 0x12000, ERR_NONE },
	{ "one that ends before its segment", EM_X86_64, SEGMENT(0x1000, 0x3000, 0x1000, 0x1000), 0, 0x13000,
	  ERR_NONE },
	{ "a gap before nothing", EM_X86_64, SEGMENT(0x1000, 0x3000, 0x1000, 0x1000), 0, 0x12000, ERR_NOT_FOUND },
	{ "a page of 64 KiB", EM_X86_64, SEGMENT(0x9000, 0x9000, 0x1000, 0x10000), 0, 0, ERR_NONE },
	{ "pages that are not that large", EM_X86_64, SEGMENT(0x9000, 0x9000, 0x1000, 0x1000), 0, 0, ERR_NOT_FOUND },
	{ "another processor", EM_AARCH64, USUAL, 0, 0, ERR_NOT_FOUND },
	{ "no ELF file", EM_X86_64, USUAL, 1, 0, ERR_MALFORMED },
};

START_TEST(a_file_is_held_against_its_module)
{
	const struct mapped_page pages[] = { { 0x10000, 0 }, { 0x11000, 1 }, { matches[_i].behind, 1 } };
	uint8_t file[FILE_BYTES];
	struct maker maker;

	must_open(mapped_core(&maker, pages, matches[_i].behind ? 3 : 2));
	make_file(file, matches[_i].machine, &matches[_i].segment);
	if (matches[_i].change > 0)
		file[matches[_i].change] ^= 1;
	ck_assert_msg(coredump_match(&core, &core.modules[0], file, sizeof(file), &arena, &err) ==
		      (matches[_i].kind == ERR_NONE ? 0 : -1), "%s: %s", matches[_i].what, err.text);
	ck_assert_msg(err.kind == matches[_i].kind, "%s: %s", matches[_i].what, err.text);
	buf_release(&maker.out);
}
END_TEST

static void open_changed(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(every_byte_may_change)
{
	struct maker maker;
	struct text bytes = small_core(&maker);

	support_every_byte_change((const uint8_t *)bytes.bytes, bytes.size, open_changed, NULL);
	buf_release(&maker.out);
}
END_TEST

static int open_once(void *payload, struct err *failure)
{
	const struct text *bytes = payload;
	struct coredump one;
	struct arena own;
	int rc;

	arena_init(&own, ARENA_BYTES);
	rc = coredump_open(&one, (const uint8_t *)bytes->bytes, bytes->size, &own, failure);
	arena_release(&own);
	return rc;
}

START_TEST(allocations_may_fail)
{
	struct maker maker;
	struct text bytes = small_core(&maker);

	support_every_allocation_failure(open_once, &bytes, 100);
	buf_release(&maker.out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("coredump");
	TCase *tests = tcase_create("coredump");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, registers_of_every_processor);
	tcase_add_test(tests, what_the_signal_says);
	tcase_add_test(tests, a_kernels_core);
	tcase_add_test(tests, a_cut_core_tells_what_is_left);
	tcase_add_test(tests, what_is_no_core_is_refused);
	tcase_add_test(tests, a_debuggers_core);
	tcase_add_test(tests, mappings_of_one_file_are_one_module);
	tcase_add_loop_test(tests, a_file_is_held_against_its_module, 0,
			    sizeof(matches) / sizeof(matches[0]));
	tcase_add_test(tests, every_byte_may_change);
	tcase_add_test(tests, allocations_may_fail);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

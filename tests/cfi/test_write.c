/* test_write -- unwind information of every kind to text: by recipe, by hand, damaged, without memory. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arch.h"
#include "base/mem.h"
#include "cfi/convert.h"
#include "cfi/sections.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define TEXT_BYTES 4096u

#define PROGRAM "printf 'int g(int *);int f(int n){int v[n];v[0]=n;return g(v)+v[n-1];}" \
	"int e(int a){int b[40];b[0]=a;return g(b)+f(a);}int g(int*p){return *p;}' >\"$DIR/a.c\"; "

/* --- Sections by hand ---------------------------------------------------------------- */

struct bytes {
	uint8_t bytes[256];
	size_t size;
};

static void put(struct bytes *to, uint64_t value, unsigned width)
{
	memcpy(to->bytes + to->size, &value, width);
	to->size += width;
}

/* A CIE of x86-64 at 0 (24 bytes) and behind it an FDE of the function at 0x1000, 0x100 bytes long,
 * with these instructions; addresses are absolute. */
static struct bytes make_frames(const uint8_t *instructions, size_t size)
{
	static const uint8_t cie[] = { 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0, 0, 0, 0, 0 };
	struct bytes made = { .size = 0 };

	put(&made, sizeof(cie) + 4, 4);
	put(&made, 0, 4);
	memcpy(made.bytes + made.size, cie, sizeof(cie));
	made.size += sizeof(cie);
	put(&made, 4 + 16 + size, 4);
	put(&made, made.size, 4);
	put(&made, 0x1000, 8);
	put(&made, 0x100, 8);
	memcpy(made.bytes + made.size, instructions, size);
	made.size += size;
	return made;
}

/* The text behind the preamble; "!" and the words when it cannot be written. */
static void write_image(enum object_unwind_kind kind, const char *format, uint32_t arch,
			struct text image, size_t section_bytes, char *out,
			struct cfi_report *report)
{
	static const struct cfi_options options;
	char name[] = "/tmp/cfi-test-XXXXXX";
	int fd = mkstemp(name);
	struct sections sections;
	struct err err = ERR_INIT;
	ssize_t got;

	ck_assert_int_ge(fd, 0);
	unlink(name);
	sections_init(&sections, format, arch);
	sections.image = image;
	sections_add(&sections, kind, 0, image.bytes, section_bytes);
	if (cfi_write(&sections.object, &options, fd, report, &err) < 0) {
		snprintf(out, TEXT_BYTES, "!%s", err.text);
	} else {
		got = pread(fd, out, TEXT_BYTES - 1, 8);
		out[got > 0 ? got : 0] = '\0';
	}
	close(fd);
}

static void write_section(enum object_unwind_kind kind, const char *format, uint32_t arch,
			  const void *bytes, size_t size, char *out, struct cfi_report *report)
{
	write_image(kind, format, arch, (struct text){ bytes, size }, size, out, report);
}

#define CFA  "STACK CFI INIT 1000 100 .cfa: $rsp 8 +"
#define RA   " .ra: .cfa -8 + ^"
#define INIT CFA RA

static const struct {
	const char *what;
	uint8_t instructions[40];
	size_t size;
	const char *text;
	unsigned bad;
} programs[] = {
	{ "nothing", { 0 }, 1, INIT "\n", 0 },
	{ "rows", { 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6 }, 8,
	  INIT "\nSTACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n"
	  "STACK CFI 1004 .cfa: $rbp 16 +\n", 0 },
	{ "a row without a change", { 0x41, 0x42, 0x0e, 16 }, 4,
	  INIT "\nSTACK CFI 1003 .cfa: $rsp 16 +\n", 0 },
	{ "rules that end", { 0x41, 0x83, 2, 0x80, 3, 0x41, 0xc3, 0xc0 }, 8,
	  INIT "\nSTACK CFI 1001 $rax: .cfa -24 + ^ $rbx: .cfa -16 + ^\n"
	  "STACK CFI 1002 $rax: .undef $rbx: $rbx\n", 0 },
	{ "states", { 0x0a, 0x41, 0x0e, 16, 0x86, 2, 0x41, 0x0b }, 8,
	  INIT "\nSTACK CFI 1001 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\n"
	  "STACK CFI 1002 .cfa: $rsp 8 + $rbp: $rbp\n", 0 },
	{ "no return address", { 0x07, 16 }, 2, "STACK CFI INIT 1000 100 .cfa: $rsp 8 +\n", 0 },
	{ "the expression of a linkage table",
	  { 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 }, 13,
	  "STACK CFI INIT 1000 100 .cfa: $rsp 8 + $rip 16 % 11 / 8 * + .ra: .cfa -8 + ^\n", 0 },
	{ "a register at an expression", { 0x10, 3, 3, 0x77, 8, 0x06 }, 6,
	  CFA " $rbx: $rsp 8 + ^ ^" RA "\n", 0 },
	{ "a register that is an expression", { 0x16, 3, 2, 0x77, 8 }, 5, CFA " $rbx: $rsp 8 +" RA "\n", 0 },
	{ "an expression that cannot be said", { 0x41, 0x0f, 3, 0x2f, 0, 0 }, 6,
	  INIT "\nSTACK CFI 1001 .cfa: .undef\n", 0 },
	{ "other registers", { 0x09, 3, 6, 0x14, 12, 2, 0x08, 15 }, 8,
	  CFA " $rbx: $rbp $r12: .cfa -16 + $r15: $r15" RA "\n", 0 },
	{ "an unknown instruction", { 0x41, 0x0e, 16, 0x42, 0x3f }, 5,
	  INIT "\nSTACK CFI 1001 .cfa: $rsp 16 +\nSTACK CFI 1003 .cfa: .undef\n", 1 },
	{ "too many states taken back", { 0x0b }, 1, "", 1 },
	{ "rows behind the end", { 0x02, 0xff, 0x0e, 16, 0x02, 9, 0x0e, 24 }, 8,
	  INIT "\nSTACK CFI 10ff .cfa: $rsp 16 +\n", 0 },
};

START_TEST(instructions_become_rows)
{
	struct bytes frames = make_frames(programs[_i].instructions, programs[_i].size);
	struct cfi_report report;
	char text[TEXT_BYTES];

	write_section(OBJECT_UNWIND_EH_FRAME, "elf", ARCH_X86_64, frames.bytes, frames.size, text,
		      &report);
	ck_assert_msg(strcmp(text, programs[_i].text) == 0, "%s: %s", programs[_i].what, text);
	ck_assert_uint_eq(report.bad_records, programs[_i].bad);
}
END_TEST

/* --- Compact unwind information -------------------------------------------------------- */

static const struct {
	enum arch arch;
	uint32_t encoding;
	const char *rules;           /* NULL: no record */
} encodings[] = {
	{ ARCH_X86_64, 0, ".cfa: $rsp 8 + .ra: .cfa -8 + ^" },
	{ ARCH_X86_64, 0x01020021, ".cfa: $rbp 16 + $rbp: .cfa -16 + ^ .ra: .cfa -8 + ^ "
	  "$rbx: .cfa -32 + ^ $r14: .cfa -24 + ^" },
	{ ARCH_X86_64, 0x02020400, ".cfa: $rsp 16 + .ra: .cfa -8 + ^ $rbx: .cfa -16 + ^" },
	{ ARCH_X86, 0x02030000, ".cfa: $esp 12 + .ra: .cfa -4 + ^" },
	{ ARCH_X86, 0, NULL },
	{ ARCH_ARM64, 0, ".cfa: sp .ra: x30" },
	{ ARCH_ARM64, 0x02003000, ".cfa: sp 48 + .ra: x30" },
	{ ARCH_ARM64, 0x04000101, ".cfa: x29 16 + x29: .cfa -16 + ^ .ra: .cfa -8 + ^ "
	  "x19: .cfa -24 + ^ x20: .cfa -32 + ^ v8: .cfa -40 + ^ v9: .cfa -48 + ^" },
	{ ARCH_ARM64_32, 0, NULL },
};

START_TEST(encodings_become_records)
{
	struct bytes made = { .size = 0 };
	struct cfi_report report;
	char text[TEXT_BYTES], expected[TEXT_BYTES] = "";
	const uint32_t words[] = {
		1, 28, 0, 0, 0, 28, 2,               /* header */
		0x100, 52, 0, 0x180, 0, 0,           /* index */
		2, 8 | 1 << 16, 0x100, encodings[_i].encoding,       /* a regular page */
	};

	for (size_t i = 0; i < COUNT(words); i++)
		put(&made, words[i], 4);
	write_section(OBJECT_UNWIND_COMPACT, "macho", encodings[_i].arch, made.bytes, made.size, text,
		      &report);
	if (encodings[_i].rules)
		snprintf(expected, sizeof(expected), "STACK CFI INIT 100 80 %s\n",
			 encodings[_i].rules);
	ck_assert_str_eq(text, expected);
}
END_TEST

/* --- Epilogues of x64 functions ---------------------------------------------------------- */

#define X64_INFO 12u                 /* behind the RUNTIME_FUNCTION; the code comes at 0x40 */
#define X64_CODE 0x40u

/* push rbx; push rdi; sub rsp, 0x20 */
#define PUSHES { 8, 0x32, 4, 0x70, 2, 0x30 }
#define PUSHED ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n" \
	"STACK CFI 42 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\n" \
	"STACK CFI 44 .cfa: $rsp 24 + $rdi: .cfa -24 + ^\nSTACK CFI 48 .cfa: $rsp 56 +\n"
#define POPPED "STACK CFI 4d .cfa: $rsp 24 +\nSTACK CFI 4e .cfa: $rsp 16 + $rdi: $rdi\n" \
	"STACK CFI 4f .cfa: $rsp 8 + $rbx: $rbx\n"
#define BEGIN 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90

/* push rbp; sub rsp, 0x100; lea rbp, [rsp + 0x80]; mov [rbp + 0x70], rsi */
#define FRAMED { 20, 0x64, 30, 0, 16, 0x03, 9, 0x01, 32, 0, 2, 0x50 }
#define FRAME ".cfa: $rsp 8 + .ra: .cfa -8 + ^\n" \
	"STACK CFI 42 .cfa: $rsp 16 + $rbp: .cfa -16 + ^\nSTACK CFI 49 .cfa: $rsp 272 +\n" \
	"STACK CFI 50 .cfa: $rbp 144 +\nSTACK CFI 54 $rsi: .cfa -32 + ^\n"

static const struct {
	const char *what;
	uint8_t frame;               /* register, and how far it points into the frame */
	uint8_t codes[16];
	uint8_t count;               /* of two bytes each */
	uint8_t code[48];
	uint8_t size;
	const char *text;            /* behind the function's range */
} epilogs[] = {
	{ "a return", 0, PUSHES, 3, { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xc3 }, 16,
	  PUSHED POPPED },
	{ "two, and the function in between", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xc3, 0x90, 0x48, 0x81, 0xc4, 0x20, 0, 0, 0, 0x5f,
	    0x5b, 0xc2, 8, 0, 0x90 }, 31,
	  PUSHED POPPED
	  "STACK CFI 50 .cfa: $rsp 56 + $rbx: .cfa -16 + ^ $rdi: .cfa -24 + ^\n"
	  "STACK CFI 58 .cfa: $rsp 24 +\nSTACK CFI 59 .cfa: $rsp 16 + $rdi: $rdi\n"
	  "STACK CFI 5a .cfa: $rsp 8 + $rbx: $rbx\n"
	  "STACK CFI 5d .cfa: $rsp 56 + $rbx: .cfa -16 + ^ $rdi: .cfa -24 + ^\n" },
	{ "a jump to another function", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xe9, 0, 1, 0, 0 }, 20, PUSHED POPPED },
	{ "one to itself", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xeb, 0xef }, 17, PUSHED POPPED },
	{ "one through memory", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0x48, 0xff, 0x25, 0, 0, 0, 0 }, 22,
	  PUSHED POPPED },
	{ "one within the function is none", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xeb, 0xf7 }, 17, PUSHED },
	{ "a call is none", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b, 0xff, 0x10 }, 17, PUSHED },
	{ "too little given back", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x18, 0x5f, 0x5b, 0xc3, 0x90 }, 17, PUSHED },
	{ "the wrong registers", 0, PUSHES, 3,
	  { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5b, 0x5f, 0xc3, 0x90 }, 17, PUSHED },
	{ "cut off", 0, PUSHES, 3, { BEGIN, 0x48, 0x83, 0xc4, 0x20, 0x5f, 0x5b }, 15, PUSHED },
	{ "from a register, without its size", 0, PUSHES, 3,
	  { BEGIN, 0x90, 0x49, 0x8b, 0xe3, 0x5f, 0x5b, 0xc3 }, 16, PUSHED POPPED },
	{ "a return alone, at the end", 0, PUSHES, 3, { BEGIN, 0xc3, 0x90, 0xf3, 0xc3 }, 13,
	  PUSHED "STACK CFI 4b .cfa: $rsp 8 + $rbx: $rbx $rdi: $rdi\n" },
	{ "before the last of the prologue", 0, { 20, 0x64, 6, 0, 4, 0x32 }, 3,
	  { 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 0xc4, 0x20, 0xc3, BEGIN, BEGIN }, 27,
	  ".cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK CFI 44 .cfa: $rsp 40 +\n"
	  "STACK CFI 48 .cfa: $rsp 8 +\nSTACK CFI 49 .cfa: $rsp 40 +\n"
	  "STACK CFI 54 $rsi: .cfa 8 + ^\n" },
	{ "a frame register", 0x85, FRAMED, 6,
	  { BEGIN, BEGIN, BEGIN, 0x48, 0x8d, 0xa5, 0x80, 0, 0, 0, 0x5d, 0xc3 }, 36,
	  FRAME "STACK CFI 62 .cfa: $rsp 16 + $rsi: $rsi\nSTACK CFI 63 .cfa: $rsp 8 + $rbp: $rbp\n" },
	{ "a part of the frame", 0x85, FRAMED, 6,
	  { BEGIN, BEGIN, BEGIN, 0x48, 0x8d, 0x65, 0x70, 0x5d, 0xc3, 0x90 }, 34, FRAME },
	{ "another register", 0x85, FRAMED, 6,
	  { BEGIN, BEGIN, BEGIN, 0x48, 0x8d, 0xa3, 0x80, 0, 0, 0, 0x5d, 0xc3, 0x90 },
	  37, FRAME },
};

START_TEST(epilogues_are_found_in_the_code)
{
	uint8_t image[128] = { X64_CODE, 0, 0, 0, (uint8_t)(X64_CODE + epilogs[_i].size), 0, 0, 0,
			       X64_INFO, 0, 0, 0,
			       1, 0, epilogs[_i].count, epilogs[_i].frame };
	char text[TEXT_BYTES], expected[TEXT_BYTES];
	struct cfi_report report;

	memcpy(image + X64_INFO + 4, epilogs[_i].codes, epilogs[_i].count * 2u);
	memcpy(image + X64_CODE, epilogs[_i].code, sizeof(epilogs[_i].code));
	write_image(OBJECT_UNWIND_PDATA, "pe", ARCH_X86_64,
		    (struct text){ (const char *)image, sizeof(image) }, X64_INFO, text, &report);
	snprintf(expected, sizeof(expected), "STACK CFI INIT 40 %x %s", (unsigned)epilogs[_i].size,
		 epilogs[_i].text);
	ck_assert_msg(strcmp(text, expected) == 0, "%s: %s, not %s", epilogs[_i].what, text, expected);
	ck_assert_uint_eq(report.bad_records, 0);
}
END_TEST

/* --- Symbol files ---------------------------------------------------------------------- */

static const struct {
	const char *records, *text;
} symbol_files[] = {
	{ "STACK CFI INIT 20 8 .cfa: a\nSTACK CFI 24 x: y\nSTACK CFI 22 x: z\nSTACK CFI INIT 10 8 .cfa: b\n",
	  "STACK CFI INIT 10 8 .cfa: b\nSTACK CFI INIT 20 8 .cfa: a\nSTACK CFI 22 x: z\n"
	  "STACK CFI 24 x: y\n" },
	{ "STACK CFI INIT 20 8 .cfa: a\nSTACK CFI INIT 24 8 .cfa: b\nSTACK CFI INIT 20 4 .cfa: c\n",
	  "STACK CFI INIT 20 4 .cfa: c\nSTACK CFI INIT 24 8 .cfa: b\n" },
	{ "STACK WIN 4 100 40 0 0 4 8 c 0 1 $a\nSTACK WIN 4 110 10 2 0 4 8 c 0 1 $b $20\n",
	  "STACK WIN 4 100 10 0 0 4 8 c 0 1 $a\nSTACK WIN 4 110 10 2 0 4 8 c 0 1 $b $ebx\n"
	  "STACK WIN 4 120 20 0 0 4 8 c 0 1 $a\n" },
	{ "FUNC 1 1 0 f\nSTACK WIN 3 100 40 0 0 0 0 0 0 0 0\nPUBLIC 2 0 p\n", "" },
};

START_TEST(symbol_files_are_put_in_order)
{
	struct text cache = convert_records("x86", symbol_files[_i].records);

	ck_assert_str_eq(cache.bytes + 8, symbol_files[_i].text);
}
END_TEST

START_TEST(bad_records_are_refused)
{
	static const char *const bad[] = {
		"STACK CFI INIT 20 .cfa: a\n", "STACK CFI INIT\n", "STACK CFI INIT 1 1\n",
		"STACK WIN 4 100 40 0 0 4\n",
	};
	const char *file = support_printf("MODULE Linux x86 000000000000000000000000000000001 a\n%s",
					  bad[_i]);
	struct cfi_report report;
	struct err err = ERR_INIT;

	ck_assert(!convert_bytes(file, strlen(file), 0, &report, &err).bytes);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_msg(strstr(err.text, "a bad STACK record at byte") != NULL, "%s", err.text);
}
END_TEST

/* --- Whole files ----------------------------------------------------------------------- */

static const struct {
	const char *name, *recipe;
} files[] = {
	{ "cfi-elf.so", PROGRAM "gcc -O2 -shared -fPIC -nostdlib \"$DIR/a.c\" -o \"$OUT\"" },
	{ "cfi-packed.so", PROGRAM "gcc -g -gz=zlib -O2 -fno-asynchronous-unwind-tables -shared "
	  "-fPIC -nostdlib \"$DIR/a.c\" -o \"$OUT\"" },
	{ "cfi-x64.dll", PROGRAM "echo 'void __chkstk(void){}' >>\"$DIR/a.c\"; "
	  "clang-19 --target=x86_64-pc-windows-msvc -O1 -c \"$DIR/a.c\" -o \"$DIR/a.obj\"; "
	  "lld-link-19 /nodefaultlib /dll /noentry /export:e \"$DIR/a.obj\" \"/out:$OUT\"" },
	{ "cfi-arm64.dll", PROGRAM "echo 'void __chkstk(void){}' >>\"$DIR/a.c\"; "
	  "clang-19 --target=aarch64-pc-windows-msvc -O1 -c \"$DIR/a.c\" -o \"$DIR/a.obj\"; "
	  "lld-link-19 /nodefaultlib /dll /noentry /export:e \"$DIR/a.obj\" \"/out:$OUT\"" },
};

START_TEST(whole_files_have_records)
{
	struct text cache = convert_path(support_fixture(files[_i].name, files[_i].recipe));

	ck_assert_msg(strstr(cache.bytes + 8, "STACK CFI INIT ") != NULL, "%s", files[_i].name);
}
END_TEST

/* Into the words its caller left for it functions of MSVC save registers: the first is the CFA. */
START_TEST(a_register_saved_in_its_home)
{
	static const char recipe[] =
		"printf '.globl e\\n.seh_proc e\\ne: movq %%rbx, 8(%%rsp)\\n.seh_savereg %%rbx, 40\\n"
		"subq $32, %%rsp\\n.seh_stackalloc 32\\n.seh_endprologue\\naddq $32, %%rsp\\n"
		"movq 8(%%rsp), %%rbx\\nret\\n.seh_endproc\\n' >\"$DIR/home.s\"; "
		"clang-19 --target=x86_64-pc-windows-msvc -c \"$DIR/home.s\" -o \"$DIR/home.obj\"; "
		"lld-link-19 /nodefaultlib /dll /noentry /export:e \"$DIR/home.obj\" \"/out:$OUT\"";
	struct text cache = convert_path(support_fixture("cfi-home.dll", recipe));

	ck_assert_msg(strstr(cache.bytes + 8, " $rbx: .cfa 0 + ^\n") != NULL, "%s", cache.bytes + 8);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	struct file_map map = support_map(support_fixture(files[_i].name, files[_i].recipe));

	support_every_byte_change(map.bytes, map.size, convert_survive, NULL);
	file_unmap(&map);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(support_fixture(files[_i].name, files[_i].recipe));
	struct text object = { (const char *)map.bytes, map.size };

	support_every_allocation_failure(convert_work, &object, 1000);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cfi write");
	TCase *tcase = tcase_create("write");

	tcase_add_loop_test(tcase, instructions_become_rows, 0, COUNT(programs));
	tcase_add_loop_test(tcase, encodings_become_records, 0, COUNT(encodings));
	tcase_add_loop_test(tcase, epilogues_are_found_in_the_code, 0, COUNT(epilogs));
	tcase_add_loop_test(tcase, symbol_files_are_put_in_order, 0, COUNT(symbol_files));
	tcase_add_loop_test(tcase, bad_records_are_refused, 0, 4);
	tcase_add_test(tcase, a_register_saved_in_its_home);
	tcase_add_loop_test(tcase, whole_files_have_records, 0, COUNT(files));
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, COUNT(files));
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, COUNT(files));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

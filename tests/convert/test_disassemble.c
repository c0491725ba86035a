/* test_disassemble -- machine code as text: what is said of instructions, of what is none, and of ends. */
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "base/arch.h"
#include "base/buf.h"
#include "base/json_writer.h"
#include "convert/disassemble.h"

static const struct { const char *what; uint32_t arch; const char *bytes; size_t size, asked; const char *lines; uint64_t read; } cases[] = {
	{ "nothing", ARCH_X86_64, "", 0, 4, "[]", 0 },
	{ "ret", ARCH_X86_64, "\xC3\xC3", 2, 1, "[[0,\"ret\"]]", 1 },
	{ "a jump behind and a call", ARCH_X86_64, "\xEB\xFE\xE8\0\0\0\0", 7, 7,
	  "[[0,\"jmp 0x1000\"],[2,\"call 0x1007\"]]", 7 },
	{ "memory near the instruction", ARCH_X86_64, "\x48\x8B\x05\x10\0\0\0", 7, 7, "[[0,\"mov rax, [rip+0x10]\"]]", 7 },
	{ "the last is whole", ARCH_X86_64, "\xE8\0\0\0\0\xC3", 6, 1, "[[0,\"call 0x1005\"]]", 5 },
	{ "push of 32 bits", ARCH_X86, "\x06\x55", 2, 2, "[[0,\"push es\"],[1,\"push ebp\"]]", 2 },
	{ "none in 64 bits", ARCH_X86_64, "\x06\x55", 2, 2,
	  "[[0,\".byte 0x06 # Invalid instruction 06: nothing begins with it here\"],[1,\"push rbp\"]]", 2 },
	{ "cut off", ARCH_X86_64, "\xE8", 1, 8, "[[0,\".byte 0xe8 # Invalid instruction e8: nothing begins with it here\"]]", 1 },
};

START_TEST(writes)
{
	size_t size = cases[_i].size;
	char *copy = malloc(size ? size : 1);        /* so that sanitizers see its end */
	struct json_writer json;
	struct buf out;
	uint64_t read;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, cases[_i].bytes, size);
	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	json_array(&json);
	read = disassemble_write(cases[_i].arch, (struct text){ copy, size }, 0x1000, cases[_i].asked, &json);
	json_array_end(&json);
	ck_assert_msg(text_is((struct text){ out.bytes, out.size }, cases[_i].lines), "%s: %.*s", cases[_i].what,
		      (int)out.size, out.bytes);
	ck_assert_uint_eq(read, cases[_i].read);
	buf_release(&out);
	free(copy);
}
END_TEST

START_TEST(knows_its_processors)
{
	ck_assert_str_eq(disassemble_arch(ARCH_X86_64H), "x86_64");
	ck_assert_str_eq(disassemble_arch(ARCH_X86), "i686");
	ck_assert_ptr_null(disassemble_arch(ARCH_ARM64));
	ck_assert_ptr_null(disassemble_arch(12345));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("disassemble");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, writes, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(all, knows_its_processors);
	suite_add_tcase(suite, all);
	return support_main(suite);
}

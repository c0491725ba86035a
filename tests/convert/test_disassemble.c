/* test_disassemble -- machine code as text: what is said of instructions, of what is none, and of ends. */
#include <stdlib.h>
#include <string.h>

#include "support/support.h"
#include "base/arch.h"
#include "base/buf.h"
#include "base/err.h"
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
	{ "arm64: a frame, a call, returning", ARCH_ARM64, "\xFD\x7B\xBF\xA9\x10\0\0\x94\xC0\x03\x5F\xD6", 12, 12,
	  "[[0,\"stp x29, x30, [sp, #-0x10]!\"],[4,\"bl 0x1044\"],[8,\"ret\"]]", 12 },
	{ "arm64: branches behind and on", ARCH_ARM64, "\0\0\0\x14\xE1\xFF\xFF\x54\x40\0\0\xB4\x41\0\x08\x36\0\x02\x1F\xD6", 20, 20,
	  "[[0,\"b 0x1000\"],[4,\"b.ne 0x1000\"],[8,\"cbz x0, 0x1010\"],[12,\"tbz w1, #1, 0x1014\"],[16,\"br x16\"]]", 20 },
	{ "arm64: none", ARCH_ARM64E, "\xFF\xFF\xFF\xFF\xC0\x03\x5F\xD6", 8, 5,
	  "[[0,\".byte 0xff, 0xff, 0xff, 0xff # Invalid instruction ff ff ff ff: nothing begins with it here\"],[4,\"ret\"]]", 8 },
	{ "arm64: cut off", ARCH_ARM64, "\xC0\x03\x5F", 3, 4,
	  "[[0,\".byte 0xc0, 0x03, 0x5f # Invalid instruction c0 03 5f: nothing begins with it here\"]]", 3 },
	{ "thumb: of 2 and of 4 bytes", ARCH_ARM, "\x70\x47\0\xF0\x01\xF8\xFE\xE7", 8, 8,
	  "[[0,\"bx lr\"],[2,\"bl 0x1008\"],[6,\"b 0x1006\"]]", 8 },
	{ "cut off", ARCH_X86_64, "\xE8", 1, 8, "[[0,\".byte 0xe8 # Invalid instruction e8: nothing begins with it here\"]]", 1 },
};

START_TEST(writes)
{
	size_t size = cases[_i].size;
	char *copy = malloc(size ? size : 1);        /* so that sanitizers see its end */
	struct json_writer json;
	struct buf out;
	struct err err = ERR_INIT;
	uint64_t read;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, cases[_i].bytes, size);
	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	json_array(&json);
	ck_assert_msg(disassemble_write(cases[_i].arch, (struct text){ copy, size }, 0x1000, cases[_i].asked, &json, &read,
					&err) == 0, "%s", err.text);
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
	ck_assert_str_eq(disassemble_arch(ARCH_ARM64_V8), "aarch64");
	ck_assert_str_eq(disassemble_syntax(ARCH_ARM64), "ARM");
	ck_assert_uint_eq(disassemble_alignment(ARCH_ARM64), 4);
	ck_assert_str_eq(disassemble_arch(ARCH_ARM), "arm");
	ck_assert_uint_eq(disassemble_alignment(ARCH_ARM), 2);
	ck_assert_uint_eq(disassemble_alignment(ARCH_X86), 1);
	ck_assert_ptr_null(disassemble_arch(ARCH_PPC64));
	ck_assert_ptr_null(disassemble_arch(12345));
}
END_TEST

static int disassemble(void *payload, struct err *err)
{
	const uint32_t *arch = payload;
	struct json_writer json;
	struct buf out;
	uint64_t read;
	int rc;

	buf_init(&out, 1 << 16);
	json_writer_init(&json, &out);
	rc = disassemble_write(*arch, TEXT("\xC0\x03\x5F\xD6"), 0, 4, &json, &read, err);
	if (rc == 0)
		rc = buf_check(&out, err);
	buf_release(&out);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	static const uint32_t archs[] = { ARCH_X86_64, ARCH_ARM64 };
	uint32_t arch = archs[_i];

	support_every_allocation_failure(disassemble, &arch, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("disassemble");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, writes, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(all, knows_its_processors);
	tcase_add_loop_test(all, survives_every_allocation_failure, 0, 2);
	suite_add_tcase(suite, all);
	return support_main(suite);
}

/*
 * test_return_pads -- calls found with the table of lengths against those that the disassembler alone finds.
 */
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "base/arch.h"
#include "base/err.h"
#include "convert/return_pads.h"
#include "convert/x86_length.h"
#include "support/support.h"

#define CHUNK_BYTES 4096u
#ifdef __SANITIZE_ADDRESS__
#define TEXT_BYTES_MAX ((size_t)1 << 20)     /* there it takes thirty times as long */
#else
#define TEXT_BYTES_MAX ((size_t)48 << 20)
#endif
#define ENOUGH_BYTES 24u

static ZydisDecoder decoder;

static void start(void)
{
	ck_assert(ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	ck_assert(ZYAN_SUCCESS(ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE)));
}

static bool is_call(const ZydisDecodedInstruction *instruction)
{
	if (instruction->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return instruction->opcode == 0x05;
	return instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	       (instruction->opcode == 0xE8 || instruction->opcode == 0xCD ||
		(instruction->opcode == 0xFF &&
		 (instruction->raw.modrm.reg == 2 || instruction->raw.modrm.reg == 3)));
}

struct call { uint64_t at; unsigned bytes; };
struct calls { struct call *calls; size_t count, next; };

static int compare_call(void *payload, uint64_t call, unsigned bytes, struct err *err)
{
	struct calls *wanted = payload;

	(void)err;
	ck_assert_msg(wanted->next < wanted->count, "one more at %llu", (unsigned long long)call);
	ck_assert_uint_eq(wanted->calls[wanted->next].at, call);
	ck_assert_uint_eq(wanted->calls[wanted->next].bytes, bytes);
	wanted->next++;
	return 0;
}

/* Where the disassembler stops. */
static size_t decode(struct text code, struct calls *calls)
{
	ZydisDecodedInstruction instruction;
	size_t at = 0;

	calls->count = calls->next = 0;
	for (; at < code.size; at += instruction.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code.bytes + at, code.size - at,
								&instruction)))
			break;
		if (is_call(&instruction))
			calls->calls[calls->count++] = (struct call){ at, instruction.length };
	}
	return at;
}

static size_t compare_text(struct text code)
{
	struct call space[CHUNK_BYTES];
	struct calls calls = { .calls = space };
	size_t found = 0, next;

	for (size_t at = 0; at < code.size; at = next) {
		struct text chunk = { code.bytes + at, code.size - at };
		struct err err = ERR_INIT;
		size_t stop;

		if (chunk.size > CHUNK_BYTES)
			chunk.size = CHUNK_BYTES;
		stop = decode(chunk, &calls);
		ck_assert_int_eq(return_pads_find(ARCH_X86_64, chunk, compare_call, &calls, &err), 0);
		ck_assert_msg(calls.next == calls.count, "%zu of %zu calls in the %zu bytes at %zu", calls.next,
			      calls.count, chunk.size, at);
		found += calls.count;
		/* What is cut off at the end of a chunk begins the next one. */
		next = stop > 0 && stop + X86_BYTES_MAX > chunk.size ? at + stop : at + stop + 1;
	}
	return found;
}

static const char *const libraries[] = {
	"/proc/self/exe", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/python3.11", "/usr/bin/node",
	"/usr/lib/x86_64-linux-gnu/libnode.so.108", "/usr/lib/x86_64-linux-gnu/libLLVM-19.so",
	"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "/usr/lib/x86_64-linux-gnu/libavcodec.so.59",
	"/usr/lib/x86_64-linux-gnu/libx264.so.164",
};
#define LIBRARIES ((int)(sizeof(libraries) / sizeof(libraries[0])))

START_TEST(equals_the_disassembler)
{
	struct file_map map;
	const Elf64_Ehdr *head;
	size_t found = 0;

	if (access(libraries[_i], R_OK) != 0)
		return;
	map = support_map(libraries[_i]);
	head = (const Elf64_Ehdr *)(const void *)map.bytes;
	ck_assert(map.size > sizeof(*head));
	for (unsigned i = 0; head->e_machine == EM_X86_64 && i < head->e_phnum; i++) {
		const Elf64_Phdr *part = (const Elf64_Phdr *)(const void *)(map.bytes + head->e_phoff) + i;
		struct text code = { (const char *)map.bytes + part->p_offset, part->p_filesz };

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		if (code.size > TEXT_BYTES_MAX)
			code.size = TEXT_BYTES_MAX;
		found += compare_text(code);
	}
	ck_assert(found > 0 || head->e_machine != EM_X86_64);
	file_unmap(&map);
}
END_TEST

static const uint8_t sibs[] = { 0x00, 0x25, 0x65, 0xE4 };
static const int prefixes[] = { -1, 0x66, 0xF2, 0xF3 };
static const int rexes[] = { -1, 0x40, 0x41, 0x44, 0x48, 0x4F };

static size_t put(uint8_t *code, int prefix, int rex, bool is_second)
{
	size_t at = 0;

	if (prefix >= 0)
		code[at++] = (uint8_t)prefix;
	if (rex >= 0)
		code[at++] = (uint8_t)rex;
	if (is_second)
		code[at++] = 0x0F;
	return at;
}

static void compare_one(const uint8_t *code, size_t *known)
{
	ZydisDecodedInstruction instruction;
	bool calls = false;
	unsigned length = x86_length(code, &calls);

	if (length == 0)
		return;
	++*known;
	ck_assert_msg(ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, ENOUGH_BYTES, &instruction)) &&
		      instruction.length == length && is_call(&instruction) == calls,
		      "%02x %02x %02x %02x %02x %02x: %u", code[0], code[1], code[2], code[3], code[4], code[5],
		      length);
}

/* Every opcode with every modrm, under each prefix: what the table knows is so. */
START_TEST(knows_nothing_wrong)
{
	int prefix = prefixes[_i / 6], rex = rexes[_i % 6];
	size_t known = 0;

	for (unsigned opcode = 0; opcode < 512; opcode++)
		for (unsigned modrm = 0; modrm < 256; modrm++)
			for (size_t sib = 0; sib < ((modrm & 7) == 4 ? sizeof(sibs) : 1); sib++) {
				uint8_t code[ENOUGH_BYTES] = { 0 };
				size_t at = put(code, prefix, rex, opcode >= 256);

				code[at] = (uint8_t)opcode;
				code[at + 1] = (uint8_t)modrm;
				code[at + 2] = sibs[sib];
				compare_one(code, &known);
			}
	ck_assert_uint_gt(known, 1000);
}
END_TEST

static int count_call(void *payload, uint64_t call, unsigned bytes, struct err *err)
{
	(void)call;
	(void)bytes;
	(void)err;
	++*(size_t *)payload;
	return 0;
}

static const struct { const char *what; uint32_t arch; const char *bytes; size_t size, count; } cases[] = {
	{ "nothing", ARCH_X86_64, "", 0, 0 },
	{ "call", ARCH_X86_64, "\xE8\0\0\0\0", 5, 1 },
	{ "cut off", ARCH_X86_64, "\xE8\0\0\0", 4, 0 },
	{ "call, register", ARCH_X86_64, "\xFF\xD0", 2, 1 },
	{ "call, memory", ARCH_X86_64, "\xFF\x15\0\0\0\0", 6, 1 },
	{ "far call", ARCH_X86_64, "\xFF\x18", 2, 1 },
	{ "far call of a register", ARCH_X86_64, "\xFF\xD8\xFF\xD0", 4, 0 },
	{ "int, syscall, int3", ARCH_X86_64, "\xCD\x80\x0F\x05\xCC", 5, 2 },
	{ "sysenter, jump", ARCH_X86_64, "\x0F\x34\xFF\xE0", 4, 0 },
	{ "in a number", ARCH_X86_64, "\xB8\xE8\xE8\xE8\xE8\xC3", 6, 0 },
	{ "for a thread's variable", ARCH_X86_64, "\x66\x66\x48\xE8\0\0\0\0", 8, 1 },
	{ "behind what is none", ARCH_X86_64, "\x06\xE8\0\0\0\0", 6, 0 },
	{ "bl, blr x8, svc", ARCH_ARM64, "\x01\0\0\x94\0\x01\x3F\xD6\x01\0\0\xD4", 12, 3 },
	{ "b, br x8, ret, blraa", ARCH_ARM64, "\x01\0\0\x14\0\x01\x1F\xD6\xC0\x03\x5F\xD6\x09\x09\x3F\xD7", 16, 0 },
	{ "half a bl", ARCH_ARM64, "\x01\0\0", 3, 0 },
};

START_TEST(finds)
{
	struct text code = { cases[_i].bytes, cases[_i].size };
	struct err err = ERR_INIT;
	char *copy = malloc(code.size + 1);
	size_t count = 0;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, code.bytes, code.size);         /* so that sanitizers see its end */
	code.bytes = copy = realloc(copy, code.size ? code.size : 1);
	ck_assert_int_eq(return_pads_find(cases[_i].arch, code, count_call, &count, &err), 0);
	ck_assert_msg(count == cases[_i].count, "%s: %zu", cases[_i].what, count);
	free(copy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("return pads");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, start, NULL);
	tcase_add_loop_test(all, finds, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(all, knows_nothing_wrong, 0, 24);
	tcase_add_loop_test(all, equals_the_disassembler, 0, LIBRARIES);
	suite_add_tcase(suite, all);
	return support_main(suite);
}

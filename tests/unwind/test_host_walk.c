/*
 * test_host_walk.c -- stacks walked by libunwind through our accessors: rules made here, stacks of
 * a few words, and what hostile rules may cost.
 */
#include <dlfcn.h>
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "support/support.h"
#include "unwind/host_walk.h"

#define MODULE_AT   UINT64_C(0x400000)
#define CODE_AT     (MODULE_AT + 0x100)      /* function n is 0x100 bytes from there on */
#define HEADER_AT   (MODULE_AT + 0x1000)
#define FRAMES_AT   (MODULE_AT + 0x2000)
#define STACK_AT    UINT64_C(0x7ff000000000)
#define FUNCTIONS   5u
#define FILE_BYTES  ((size_t)0x3000)
#define WORDS       32u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The instructions of each function's rules, behind CFA = rsp + 8 and the return address below it. */
static const struct { const char *rules; size_t size; bool is_signal; } functions[FUNCTIONS] = {
	{ "\x0e\x20", 2, false },                    /* CFA = rsp + 32 */
	{ "\x07\x10", 2, false },                    /* no return address: outermost */
	{ "\x0f\x03\x2f\xfd\xff", 5, false },        /* an expression that jumps back to itself */
	{ "\x0e\x10", 2, true },                     /* a signal's trampoline */
	{ "\x0e\x08", 2, false },
};
enum { PLAIN, OUTERMOST, ENDLESS, TRAMPOLINE, SMALL };

static uint8_t file[FILE_BYTES];
static uint64_t stack[WORDS];
static struct unwind_region file_region, stack_region;
static struct unwind_memory memory;
static struct unwind_image image;
static struct unwind_module item;
static struct unwind_modules modules;
static struct unwind_frame frames[WORDS];
static struct unwind_registers registers;
static struct unwind_host host;
static bool has_image;
static unsigned asked;

static const struct unwind_image *find_image(void *payload, uint32_t module, bool is_needed)
{
	(void)payload;
	ck_assert_uint_eq(module, 0);
	asked += is_needed;
	return has_image ? &image : NULL;
}

static void put32(size_t at, uint32_t value)
{
	memcpy(file + at, &value, sizeof(value));
}

/* Returns where the next record begins. */
static size_t put_cie(size_t at, bool is_signal)
{
	static const char rules[] = "\x0c\x07\x08\x90\x01";      /* CFA = rsp + 8, rip at CFA - 8 */
	const char *augmentation = is_signal ? "zRS" : "zR";
	size_t from = at;

	at += 4;
	put32(at, 0);
	at += 4;
	file[at++] = 1;
	memcpy(file + at, augmentation, strlen(augmentation) + 1);
	at += strlen(augmentation) + 1;
	file[at++] = 1;
	file[at++] = 0x78;
	file[at++] = 16;
	file[at++] = 1;
	file[at++] = 0x1b;                           /* pcrel, sdata4 */
	memcpy(file + at, rules, sizeof(rules) - 1);
	at += sizeof(rules) - 1;
	at = (at + 7) & ~(size_t)7;
	put32(from, (uint32_t)(at - from - 4));
	return at;
}

static size_t put_fde(size_t at, size_t cie, unsigned function)
{
	size_t from = at, start = CODE_AT - MODULE_AT + function * 0x100;

	put32(at + 4, (uint32_t)(at + 4 - cie));
	put32(at + 8, (uint32_t)(start - (at + 8)));
	put32(at + 12, 0x100);
	file[at + 16] = 0;
	memcpy(file + at + 17, functions[function].rules, functions[function].size);
	at = (at + 17 + functions[function].size + 7) & ~(size_t)7;
	put32(from, (uint32_t)(at - from - 4));
	return at;
}

static void setup(void)
{
	static const uint8_t trampoline[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	size_t header = HEADER_AT - MODULE_AT, cie = FRAMES_AT - MODULE_AT, signal_cie, at;

	memset(file, 0, sizeof(file));
	memset(stack, 0, sizeof(stack));
	memcpy(file + header, "\1\x1b\3\x3b", 4);
	put32(header + 4, (uint32_t)(cie - (header + 4)));
	put32(header + 8, FUNCTIONS);
	signal_cie = put_cie(cie, false);
	at = put_cie(signal_cie, true);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		put32(header + 12 + i * 8, (uint32_t)(0x100 + i * 0x100 - header));
		put32(header + 16 + i * 8, (uint32_t)(at - header));
		at = put_fde(at, functions[i].is_signal ? signal_cie : cie, i);
	}
	memcpy(file + 0x110 + TRAMPOLINE * 0x100, trampoline, sizeof(trampoline));
	file_region = (struct unwind_region){ MODULE_AT, file, sizeof(file) };
	stack_region = (struct unwind_region){ STACK_AT, (const uint8_t *)stack, sizeof(stack) };
	memory = (struct unwind_memory){ &stack_region, 1, false };
	image = (struct unwind_image){ .memory = { &file_region, 1, false } };
	ck_assert(unwind_image_open(&image, &image.memory, HEADER_AT));
	ck_assert_uint_eq(image.table_count, FUNCTIONS);
	item = (struct unwind_module){ .address = MODULE_AT, .size = sizeof(file) };
	memset(&modules, 0, sizeof(modules));
	modules.items = &item;
	modules.count = 1;
	has_image = true;
	asked = 0;
	host = (struct unwind_host){
		.arch = UNWIND_X86_64, .memory = &memory, .modules = &modules, .image = find_image,
		.frames = frames, .capacity = WORDS,
	};
}

static uint64_t in(unsigned function)
{
	return CODE_AT + function * 0x100 + 0x10;
}

static void walk_from(uint64_t pc)
{
	unwind_registers_init(&registers, UNWIND_X86_64);
	for (unsigned i = 0; i < UNWIND_X86_64_REGISTERS; i++)
		unwind_registers_set(&registers, i, i);
	unwind_registers_set(&registers, UNWIND_X86_64_RIP, pc);
	unwind_registers_set(&registers, UNWIND_X86_64_RSP, STACK_AT);
	unwind_host_walk(&host, &registers);
}

START_TEST(rules_are_followed_to_the_outermost)
{
	stack[3] = in(SMALL);
	stack[4] = in(OUTERMOST);
	walk_from(in(PLAIN));
	ck_assert(host.has_ended);
	ck_assert_uint_eq(host.frame_count, 3);
	ck_assert_int_eq(frames[0].trust, UNWIND_TRUST_CONTEXT);
	ck_assert_uint_eq(frames[0].instruction, in(PLAIN));
	ck_assert_int_eq(frames[1].trust, UNWIND_TRUST_CFI);
	ck_assert_uint_eq(frames[1].resume_address, in(SMALL));
	ck_assert_uint_eq(frames[1].instruction, in(SMALL) - 1);
	ck_assert_uint_eq(frames[1].stack_pointer, STACK_AT + 32);
	ck_assert_uint_eq(frames[2].resume_address, in(OUTERMOST));
	ck_assert_uint_eq(frames[2].module, 0);
	ck_assert(item.is_touched);
	/* Registers that functions hand back are known, others are not. */
	ck_assert(unwind_registers_has(&host.last, UNWIND_X86_64_RBX));
	ck_assert(!unwind_registers_has(&host.last, UNWIND_X86_64_RAX));
}
END_TEST

/* What a signal interrupted was not called: at a function's first byte it is that function. */
START_TEST(signals_interrupt)
{
	stack[3] = in(TRAMPOLINE);
	stack[5] = CODE_AT + SMALL * 0x100;
	stack[6] = in(OUTERMOST);
	walk_from(in(PLAIN));
	ck_assert(host.has_ended);
	ck_assert_uint_eq(host.frame_count, 4);
	ck_assert_uint_eq(frames[1].instruction, frames[1].resume_address);
	ck_assert_uint_eq(frames[2].instruction, CODE_AT + SMALL * 0x100);
	ck_assert_uint_eq(frames[3].instruction, in(OUTERMOST) - 1);
}
END_TEST

START_TEST(without_rules_it_stops)
{
	static const uint64_t nowhere[] = { 0, 0x1000, MODULE_AT + 0x900, UINT64_MAX };

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		stack[3] = nowhere[i];
		walk_from(in(PLAIN));
		ck_assert_uint_eq(host.frame_count, nowhere[i] == 0 ? 1 : 2);
		ck_assert(nowhere[i] == 0 || !host.has_ended);
	}
	has_image = false;
	walk_from(in(PLAIN));
	ck_assert_uint_eq(host.frame_count, 1);
	ck_assert(!host.has_ended);
	ck_assert_uint_gt(asked, 0);
	unwind_registers_forget(&registers, UNWIND_X86_64_RIP);
	unwind_host_walk(&host, &registers);
	ck_assert_uint_eq(host.frame_count, 0);
	ck_assert(host.has_ended);
}
END_TEST

/* What libunwind allocates it allocates there, and host_walk.c finds this one first. */
#define NAMED(name) NAMED_TEXT(name)
#define NAMED_TEXT(name) #name
static bool is_out_of_memory;

unw_addr_space_t unw_create_addr_space(unw_accessors_t *accessors, int order)
{
	unw_addr_space_t (*real)(unw_accessors_t *, int);
	void *found = dlsym(RTLD_NEXT, NAMED(unw_create_addr_space));

	ck_assert_ptr_nonnull(found);
	memcpy(&real, &found, sizeof(real));
	return is_out_of_memory ? NULL : real(accessors, order);
}

START_TEST(without_memory_the_first_frame_is_left_to_others)
{
	stack[3] = in(SMALL);
	stack[4] = in(OUTERMOST);
	is_out_of_memory = true;
	walk_from(in(PLAIN));
	is_out_of_memory = false;
	ck_assert(!host.has_ended);
	ck_assert_uint_eq(host.frame_count, 1);
	ck_assert_uint_eq(frames[0].instruction, in(PLAIN));
	ck_assert(unwind_registers_has(&host.last, UNWIND_X86_64_RSP));
	walk_from(in(PLAIN));
	ck_assert_uint_eq(host.frame_count, 3);
}
END_TEST

START_TEST(expressions_that_loop_end)
{
	walk_from(in(ENDLESS));
	ck_assert_uint_eq(host.frame_count, 1);
	ck_assert(!host.has_ended);
	ck_assert_uint_eq(host.all_reads, UNWIND_LIMIT_HOST_READS);
	/* And so do all of a process together. */
	host.all_reads = UNWIND_LIMIT_HOST_ALL_READS - 10;
	walk_from(in(ENDLESS));
	ck_assert_uint_eq(host.all_reads, UNWIND_LIMIT_HOST_ALL_READS);
	stack[3] = in(OUTERMOST);
	walk_from(in(PLAIN));
	ck_assert_uint_eq(host.frame_count, 1);
}
END_TEST

START_TEST(stacks_that_lead_back_end)
{
	/* A signal's frame may lead down again: frames are bounded all the same. */
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = in(TRAMPOLINE);
	walk_from(in(TRAMPOLINE));
	ck_assert_uint_le(host.frame_count, WORDS);
	for (unsigned i = 0; i < WORDS; i++)
		stack[i] = in(SMALL);
	walk_from(in(SMALL));
	ck_assert_uint_le(host.frame_count, WORDS);
	host.capacity = 3;
	walk_from(in(SMALL));
	ck_assert_uint_eq(host.frame_count, 3);
	ck_assert(host.has_ended);
}
END_TEST

START_TEST(tables_that_are_none)
{
	static const struct { const char *what; size_t at; uint8_t byte; } cases[] = {
		{ "version", 0, 2 }, { "pointer", 1, 0xff }, { "count", 2, 0x0b }, { "table", 3, 0x1b },
		{ "more than there is", 10, 0xff }, { "too many", 11, 0x7f },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at = HEADER_AT - MODULE_AT + cases[i].at;
		uint8_t before = file[at];

		file[at] = cases[i].byte;
		ck_assert_msg(!unwind_image_open(&image, &image.memory, HEADER_AT), "%s", cases[i].what);
		ck_assert_uint_eq(image.table_count, 0);
		file[at] = before;
	}
	ck_assert(!unwind_image_open(&image, &image.memory, MODULE_AT + sizeof(file) - 8));
	ck_assert(!unwind_image_open(&image, &image.memory, UINT64_MAX - 4));
}
END_TEST

/* The input of the fuzzer: a stack of some words, then the file from its table on. */
START_TEST(every_byte_may_change)
{
	struct buf input;

	buf_init(&input, 2 * FILE_BYTES);
	buf_add_char(&input, 12);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t address = 0x100 + (i % FUNCTIONS) * 0x100 + 0x10;

		buf_add_char(&input, 1);
		buf_add_char(&input, (char)(address & 0xff));
		buf_add_char(&input, (char)(address >> 8));
	}
	buf_add(&input, file + (HEADER_AT - MODULE_AT), 12 + 8 * FUNCTIONS);
	for (size_t i = 0; i < input.size; i++)
		for (unsigned change = 0; change < 3; change++) {
			char before = input.bytes[i];

			input.bytes[i] = (char)(change == 0 ? 0 : change == 1 ? 0xff : before ^ 0x11);
			LLVMFuzzerTestOneInput((const uint8_t *)input.bytes, input.size);
			input.bytes[i] = before;
		}
	buf_release(&input);
	/* Rules, in place. */
	stack[3] = in(SMALL);
	stack[4] = in(PLAIN);
	stack[8] = in(OUTERMOST);
	for (size_t i = FRAMES_AT - MODULE_AT; i < FRAMES_AT - MODULE_AT + 0x100; i++)
		for (unsigned change = 0; change < 3; change++) {
			uint8_t before = file[i];

			file[i] = (uint8_t)(change == 0 ? 0 : change == 1 ? 0xff : before ^ 0x11);
			walk_from(in(PLAIN));
			walk_from(in(TRAMPOLINE));
			ck_assert_uint_le(host.frame_count, WORDS);
			host.all_reads = 0;
			file[i] = before;
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("host_walk");
	TCase *tests = tcase_create("host_walk");

	tcase_add_checked_fixture(tests, setup, NULL);
	tcase_set_timeout(tests, 60);
	if (unwind_host_can(UNWIND_X86_64)) {
		tcase_add_test(tests, rules_are_followed_to_the_outermost);
		tcase_add_test(tests, signals_interrupt);
		tcase_add_test(tests, without_rules_it_stops);
		tcase_add_test(tests, without_memory_the_first_frame_is_left_to_others);
	tcase_add_test(tests, expressions_that_loop_end);
		tcase_add_test(tests, stacks_that_lead_back_end);
		tcase_add_test(tests, every_byte_may_change);
		tcase_add_test(tests, tables_that_are_none);
	}
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

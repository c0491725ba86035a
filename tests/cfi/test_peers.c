/* test_peers -- whole objects against the texts other programs made of them, evaluated at every
 * address those describe. */
#include "support/support.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/file.h"
#include "cfi/convert.h"
#include "cfi/evaluate.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define TEXT_BYTES ((size_t)16 << 20)

static const struct {
	const char *object, *expected, *arch;
	uint64_t end;                /* no code from here on */
	unsigned long least;         /* addresses compared */
} peers[] = {
	{ "fixtures/linux/crash", "elf", "x86_64", 0x20000, 60000 },
	{ "fixtures/linux/arm64/cfi_test", "elf_arm64", "arm64", 0x1000, 300 },
	{ "fixtures/macos/crash", "macho", "x86_64", 0x20000, 50000 },
	{ "fixtures/windows/crash.pdb", "pdb_windows", "x86", 0x8000, 3000 },
	{ "fixtures/windows/crash.sym", "sym_windows", "x86", 0x8000, 3000 },
};

#define IMMEDIATE_BYTES_MAX (255u * 8)       /* of a frame whose size stands in its encoding */

/* What the reference gets wrong by its own account: rules that ended stay in force there,
 * expressions for the CFA (linkage tables) are dropped, and frames whose size stands in an
 * instruction are taken for none. */
static bool is_better(const struct evaluated *ours)
{
	unsigned size;

	if (sscanf(ours->expression, "$rsp %u +", &size) == 1 && size > IMMEDIATE_BYTES_MAX)
		return true;
	return strcmp(ours->expression, ours->name) == 0 ||
	       (strcmp(ours->name, ".ra") == 0 && strcmp(ours->expression, "x30") == 0) ||
	       (strcmp(ours->name, ".cfa") == 0 && strstr(ours->expression, "$rip"));
}

static bool cfa_is_better(const struct evaluation *ours)
{
	const struct evaluated *cfa = evaluate_find(ours, ".cfa");

	return cfa && is_better(cfa);
}

static void compare_rules(uint64_t address, const struct evaluation *theirs,
			  const struct evaluation *ours)
{
	ck_assert_msg(!evaluate_find(ours, ".ra") == !evaluate_find(theirs, ".ra"),
		      "at %llx only one has a return address", (unsigned long long)address);
	for (unsigned i = 0; i < theirs->count; i++) {
		const struct evaluated *want = &theirs->rules[i];
		const struct evaluated *have = evaluate_find(ours, want->name);

		ck_assert_msg(have != NULL, "at %llx there is no %s",
			      (unsigned long long)address, want->name);
		ck_assert_msg((have->is_known && have->value == want->value) || is_better(have) ||
			      cfa_is_better(ours), "at %llx: %s is %s, not %s",
			      (unsigned long long)address, want->name, have->expression,
			      want->expression);
	}
}

static bool compare_win(uint64_t address, const struct cfi *theirs, const struct cfi *ours)
{
	struct cfi_win want, have;

	if (!cfi_find_win(theirs, address, &want))
		return false;
	ck_assert_msg(cfi_find_win(ours, address, &have), "nothing at %llx",
		      (unsigned long long)address);
	ck_assert_int_eq(have.type, want.type);
	ck_assert_uint_eq(have.parameter_bytes, want.parameter_bytes);
	ck_assert_uint_eq(have.saved_register_bytes, want.saved_register_bytes);
	ck_assert_uint_eq(have.local_bytes, want.local_bytes);
	ck_assert_uint_eq(have.max_stack_bytes, want.max_stack_bytes);
	ck_assert(have.allocates_base_pointer == want.allocates_base_pointer);
	ck_assert(text_equal(have.program, want.program));
	return true;
}

START_TEST(whole_objects_agree)
{
	const char *object = support_shared(peers[_i].object);
	const char *expected = support_shared(support_printf("peers/unwind/expected/%s.cfi.txt",
							     peers[_i].expected));
	static struct evaluation have, want;
	struct cfi theirs, ours;
	unsigned long compared = 0;
	struct err err = ERR_INIT;
	struct buf text;

	if (!object || !expected)
		return;
	buf_init(&text, TEXT_BYTES);
	ck_assert_msg(file_read_all(expected, TEXT_BYTES, &text, &err) == 0, "%s", err.text);
	theirs = convert_open(convert_records(peers[_i].arch, buf_string(&text)));
	ours = convert_open(convert_path(object));
	for (uint64_t address = 0; address < peers[_i].end; address++) {
		if (evaluate_at(&theirs, address, &want)) {
			ck_assert_msg(evaluate_at(&ours, address, &have), "nothing at %llx",
				      (unsigned long long)address);
			compare_rules(address, &want, &have);
			compared++;
		}
		compared += compare_win(address, &theirs, &ours);
	}
	ck_assert_msg(compared >= peers[_i].least, "only %lu addresses", compared);
	buf_release(&text);
}
END_TEST

START_TEST(a_chain_that_is_a_loop_ends)
{
	const char *path = support_shared("fixtures/windows/cfi_chained_loop.exe");
	struct cfi_report report;
	struct err err = ERR_INIT;
	struct file_map map;

	if (!path)
		return;
	map = support_map(path);
	ck_assert(!convert_bytes(map.bytes, map.size, 8, &report, &err).bytes);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "exceeded maximum unwind chain length of 8");
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cfi peers");
	TCase *tcase = tcase_create("peers");

	tcase_add_loop_test(tcase, whole_objects_agree, 0, COUNT(peers));
	tcase_add_test(tcase, a_chain_that_is_a_loop_ends);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

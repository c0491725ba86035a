/* test_symbols -- sorting, the choice among equals, and what llvm-symbolizer says of it. */
#include "object/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/mem.h"
#include "object/look.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)256 << 20)

static void settle(struct symbols *symbols, struct arena *arena, size_t count, uint64_t mask)
{
	struct err err = ERR_INIT;
	uint64_t state = 42;

	ck_assert_int_eq(symbols_reserve(symbols, count, arena, &err), 0);
	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		symbols_add(symbols, (state >> 20) & mask, i % 7, 0, (uint32_t)i);
	}
	ck_assert_int_eq(symbols_settle(symbols, arena, &err), 0);
}

START_TEST(every_address_is_found)
{
	static const struct { size_t count; uint64_t mask; } sets[] = {
		{ 0, 1 }, { 1, UINT64_MAX }, { 3, UINT64_MAX >> 20 }, { 100, 15 }, { 5000, 0xffff },
		{ 200000, UINT32_MAX }, { 1000, UINT64_MAX },
	};
	struct symbols symbols;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	settle(&symbols, &arena, sets[_i].count, sets[_i].mask);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct symbol_record *record = &symbols.records[i];

		if ((i > 0 && record[-1].address >= record->address) ||
		    symbols_at(&symbols, record->address) != record)
			ck_abort_msg("record %zu is not in its place", i);
		if (i + 1 < symbols.count && record[1].address > record->address + 1 &&
		    symbols_at(&symbols, record->address + 1))
			ck_abort_msg("found what is not there, behind %zu", i);
	}
	ck_assert_ptr_null(symbols_at(&symbols, UINT64_MAX));
	arena_release(&arena);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static const struct {
	const char *what;
	struct { uint64_t size; uint32_t table, index; } given[3];
	unsigned kept;
} rivals[] = {
	{ "the greatest size", { { 4, 0, 1 }, { 8, 0, 2 }, { 4, 0, 3 } }, 1 },
	{ "any size before none", { { 0, 0, 9 }, { 1, 1, 1 }, { 0, 0, 10 } }, 1 },
	{ "of equal size the last", { { 4, 0, 1 }, { 4, 0, 7 }, { 4, 0, 3 } }, 1 },
	{ "of equal size the earlier table", { { 4, 1, 9 }, { 4, 2, 10 }, { 4, 0, 1 } }, 2 },
};

START_TEST(one_of_several_is_kept)
{
	struct err err = ERR_INIT;
	struct symbols symbols;
	struct arena arena;

	arena_init(&arena, ARENA_BYTES);
	ck_assert_int_eq(symbols_reserve(&symbols, 3, &arena, &err), 0);
	for (size_t i = 0; i < 3; i++)
		symbols_add(&symbols, 16, rivals[_i].given[i].size, rivals[_i].given[i].table,
			    rivals[_i].given[i].index);
	ck_assert_int_eq(symbols_settle(&symbols, &arena, &err), 0);
	ck_assert_uint_eq(symbols.count, 1);
	ck_assert_msg(symbol_index(&symbols.records[0]) == rivals[_i].given[rivals[_i].kept].index,
		      "%s", rivals[_i].what);
	arena_release(&arena);
}
END_TEST

/* Aliases of all sorts; the recipe asks llvm-symbolizer about each address. */
#define ALIASES \
	"cat > $DIR/s.s <<'EOF'\n" \
	".text\n.globl zed, alias_global, nosize, sized_later\n.weak weak_alias\n" \
	".type base,@function\n.type zed,@function\n.type alias_small,@function\n" \
	".type alias_global,@function\n.type weak_alias,@function\n.type nosize,@function\n" \
	".type local_b,@function\n.type sized_later,@function\n.type big_local,@function\n" \
	".type la,@function\n.type lb,@function\n" \
	"base: zed: alias_small: alias_global: weak_alias: nop; nop; nop; nop\n" \
	".size base,4\n.size zed,4\n.size alias_small,2\n.size alias_global,4\n.size weak_alias,4\n" \
	"nosize: local_b: nop; nop\n.size local_b,2\n" \
	"big_local: sized_later: nop; nop; nop\n.size sized_later,2\n.size big_local,3\n" \
	"la: lb: nop\n.size la,1\n.size lb,1\n" \
	"EOF\ngcc -nostdlib -shared -o $DIR/s.so $DIR/s.s; "

START_TEST(agrees_with_llvm_symbolizer)
{
	static const char *const strips[] = { "cp $DIR/s.so $OUT", "strip -o $OUT $DIR/s.so" };
	const char *path = support_fixture(support_printf("aliases-%d", _i),
					   support_printf(ALIASES "%s", strips[_i]));
	const char *answers = support_fixture(support_printf("aliases-%d.txt", _i),
		support_printf("for a in 1000 1004 1006 %s; do printf '%%s ' $a;"
			       "llvm-symbolizer-19 --obj=$(dirname $OUT)/../aliases-%d 0x$a | head -1; done > $OUT",
			       _i ? "" : "1009", _i));
	const char *text = look_path(path);
	struct file_map map = support_map(answers);
	const char *at = (const char *)map.bytes, *end = at + map.size;

	ck_assert_uint_gt(map.size, 20);
	while (at < end) {
		char address[16], name[64];

		ck_assert_int_eq(sscanf(at, "%15s %63s", address, name), 2);
		ck_assert_msg(look_has(text, support_printf("symbol %s+", address),
				       support_printf(" %s", name)), "%s %s in\n%s", address, name, text);
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbols");
	TCase *tcase = tcase_create("symbols");

	tcase_add_loop_test(tcase, every_address_is_found, 0, 7);
	tcase_add_loop_test(tcase, one_of_several_is_kept, 0, 4);
	tcase_add_loop_test(tcase, agrees_with_llvm_symbolizer, 0, 2);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

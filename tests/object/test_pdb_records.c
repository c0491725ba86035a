/* test_pdb_records -- symbols no compiler here writes, put together by an assembler. */
#include <stdlib.h>
#include <string.h>

#include "object/look.h"
#include "support/support.h"

/* Records are a size, a kind and content.  The linker blanks kinds it does not know: those are
 * put in afterwards. */
#define MACROS \
	".macro record kind:req\n.short 9f - 8f\n8:\n.short \\kind\n.endm\n" \
	".macro done\n.p2align 2\n9:\n.endm\n" \
	".macro place at:req\n.secrel32 \\at\n.secidx \\at\n.endm\n" \
	".macro function at:req, size:req, name:req\nrecord 0x1110\n.long 0, 0, 0, \\size, 0, 0, 0\n" \
	"place \\at\n.byte 0\n.asciz \"\\name\"\ndone\n.endm\n"
#define DEBUG_S \
	".section .debug$S,\"dr\"\n.p2align 2\n.long 4\n.long 0xf1, symbols_end - symbols\nsymbols:\n"
#define DEBUG_S_END "symbols_end:\n.p2align 2\n"
#define TABLES ".cv_filechecksums\n.cv_stringtable\n"
#define BUILD(triple, machine, source) \
	"cd $DIR\ncat > t.s <<'EOF'\n" MACROS source "EOF\n" \
	"clang-19 --target=" triple "-pc-windows-msvc -c t.s -o t.o\n" \
	"lld-link-19 /nologo /machine:" machine " /subsystem:console /nodefaultlib /debug:full" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe t.o\n"
#define REMAKE(words) "python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT " words "\n"

static const char *fixture(const char *name, const char *recipe)
{
	return support_fixture(support_printf("pdb-records-%s", name), recipe);
}

static const char *look_recipe(const char *name, const char *recipe)
{
	return look_path(fixture(name, recipe));
}

/* --- Parts of a function put elsewhere (S_SEPCODE) --------------------------------------- */

#define FAR \
	".text\n.globl mainCRTStartup\nmainCRTStartup:\nouter:\n" \
	".cv_file 1 \"c:\\\\src\\\\far.c\"\n.cv_func_id 0\n" \
	".cv_loc 0 1 10\n.fill 8, 1, 0x90\n.cv_loc 0 1 12\n.fill 8, 1, 0x90\nouter_end:\n" \
	".section .text$cold,\"xr\"\ncold:\n.cv_func_id 1\n.cv_loc 1 1 20\n.fill 16, 1, 0x90\ncold_end:\n" \
	DEBUG_S "function outer, 16, outer\n" \
	"record 0x114d\n.long 0, 0, 0x1002\n" \
	".byte 3, 4, 4, 2\n"                     /* 1004+2: line 30 */ \
	".byte 2, 1, 6, 2, 3, 2, 4, 3\n"         /* in the first part, 2+3: 31 */ \
	".byte 2, 2, 6, 2, 3, 4, 3, 1, 4, 1\n"   /* in the second, 4+1 and 5+1: 32 */ \
	".byte 2, 0, 6, 2, 3, 12, 4, 2\n"        /* 100c+2: 33 */ \
	"done\nrecord 0x114e\ndone\nrecord 6\ndone\n" \
	"record 0x7777\n.fill 28, 1, 0\ndone\nrecord 6\ndone\n" \
	"record 0x7777\n.fill 28, 1, 0\ndone\nrecord 6\ndone\n" \
	DEBUG_S_END \
	".long 0xf6, inlinees_end - inlinees\ninlinees:\n.long 0, 0x1002\n.cv_filechecksumoffset 1\n" \
	".long 30\ninlinees_end:\n" \
	".cv_linetable 0, outer, outer_end\n.cv_linetable 1, cold, cold_end\n" TABLES \
	".section .debug$T,\"dr\"\n.p2align 2\n.long 4\n" \
	"record 0x1201\n.long 0\ndone\n" \
	"record 0x1008\n.long 3\n.byte 0, 0\n.short 0\n.long 0x1000\ndone\n" \
	"record 0x1601\n.long 0, 0x1001\n.asciz \"inlined\"\ndone\n"
/* Parent at byte 4, end, 8 bytes of code, flags, where, where the parent is, sections. */
#define PART(parent, offset) \
	"symbol=1132:" parent "00000000" "08000000" "00000000" offset "00000000" "0100" "0100 "
#define FAR_PDB(words) BUILD("x86_64", "x64", FAR) REMAKE(words)
#define PARTS FAR_PDB(PART("04000000", "10000000") PART("04000000", "18000000"))

START_TEST(parts_elsewhere_keep_their_inlined_calls)
{
	const char *text = look_recipe("parts", PARTS);
	const char *first = strstr(text, "function 1000+10 outer\n");
	const char *second = strstr(text, "function 1010+8 outer\n");
	const char *third = strstr(text, "function 1018+8 outer\n");

	ck_assert_msg(first && second && third && first < second && second < third, "%s", text);
	ck_assert_msg(strstr(first, "inline 0 in -1 inlined() called c:\\src/far.c:10 1004+2\n"), "%s", text);
	ck_assert_msg(strstr(first, "inline 1 in -1 inlined() called c:\\src/far.c:12 100c+2\n"), "%s", text);
	ck_assert_msg(strstr(first, "line 100c c:\\src/far.c:33\n"), "%s", text);
	ck_assert_msg(strstr(second, "line 1012 c:\\src/far.c:31\n"), "%s", text);
	ck_assert_msg(strstr(second, "inline 0 in -1 inlined() called c:\\src/far.c:20 1012+3\n"), "%s", text);
	ck_assert_msg(strstr(third, "line 101c c:\\src/far.c:32\n"), "%s", text);
	ck_assert_msg(strstr(third, "inline 0 in -1 inlined() called c:\\src/far.c:20 101c+2\n"), "%s", text);
	ck_assert_uint_eq(look_count(text, "inline "), 4);
}
END_TEST

/* A part of a function that is not the one before it: named, but its calls are not known. */
START_TEST(parts_of_others_have_no_calls)
{
	const char *text = look_recipe("orphans", FAR_PDB(PART("04000000", "10000000")
							  PART("f0ffff7f", "18000000")));

	ck_assert_msg(strstr(text, "function 1010+8 outer\n"), "%s", text);
	ck_assert_msg(!strstr(text, "function 1018+8 outer\n"), "%s", text);
	ck_assert_uint_eq(look_count(text, "inline "), 3);
}
END_TEST

/* --- Symbols of old compilers -------------------------------------------------------------- */

/* Local variables, whose kinds of the time before UTF-8 (S_BPREL32_ST, S_LDATA32_ST, S_GDATA32_ST)
 * open no scope: the next function is not swallowed. */
START_TEST(old_variables_open_no_scope)
{
	const char *text = look_recipe("old", BUILD("x86_64", "x64",
		".text\n.globl mainCRTStartup\nmainCRTStartup:\none:\n.fill 8, 1, 0x90\ntwo:\n.fill 8, 1, 0x90\n"
		DEBUG_S "function one, 8, one\n"
		"record 0x7777\n.fill 12, 1, 0\ndone\nrecord 0x7777\n.fill 12, 1, 0\ndone\n"
		"record 0x7777\n.fill 12, 1, 0\ndone\nrecord 6\ndone\n"
		"function two, 8, two\nrecord 6\ndone\n" DEBUG_S_END TABLES)
		REMAKE("symbol=1006:00000000000000000161 symbol=1007:00000000000000000161"
		       " symbol=1008:00000000000000000161"));

	ck_assert_msg(strstr(text, "function 1000+8 one\n"), "%s", text);
	ck_assert_msg(strstr(text, "function 1008+8 two\n"), "%s", text);
}
END_TEST

/* Blocks of that time do. */
START_TEST(old_blocks_open_one)
{
	const char *text = look_recipe("old-block", BUILD("x86_64", "x64",
		".text\n.globl mainCRTStartup\nmainCRTStartup:\none:\n.fill 8, 1, 0x90\ntwo:\n.fill 8, 1, 0x90\n"
		DEBUG_S "function one, 8, one\n"
		"record 0x7777\n.fill 24, 1, 0\ndone\nrecord 6\ndone\n"
		"function two, 4, nested\nrecord 6\ndone\n"
		"record 6\ndone\n"
		"function two, 8, two\nrecord 6\ndone\n" DEBUG_S_END TABLES) REMAKE("symbol=0207:00"));

	ck_assert_msg(strstr(text, "function 1000+8 one\n"), "%s", text);
	ck_assert_msg(strstr(text, "function 1008+8 two\n"), "%s", text);
	ck_assert_msg(!strstr(text, " nested\n"), "%s", text);
}
END_TEST

/* --- Labels -------------------------------------------------------------------------------- */

#define LABELLED(global) \
	".text\n.globl mainCRTStartup\nmainCRTStartup:\nret\n.fill 15, 1, 0x90\n" \
	".section .text$b,\"xr\"\n" global "first:\n" \
	".cv_file 1 \"c:\\\\bare.asm\"\n.cv_func_id 0\n.cv_loc 0 1 5\nnop\nsecond:\n.cv_loc 0 1 6\nnop\nret\nend:\n" \
	DEBUG_S "record 0x1105\nplace second\n.byte 0\n.asciz \"second\"\ndone\n" \
	"record 0x1105\nplace first\n.byte 0\n.asciz \"first\"\ndone\n" DEBUG_S_END \
	".cv_linetable 0, first, end\n" TABLES

/* Code of an assembler with neither a function nor a public symbol of its own: labels name it. */
START_TEST(labels_name_what_nothing_else_does)
{
	const char *text = look_recipe("labels", BUILD("x86_64", "x64", LABELLED("")) "cp app.pdb $OUT\n");

	ck_assert_msg(strstr(text, "function 1010+1 first\nline 1010 c:/bare.asm:5\n"), "%s", text);
	ck_assert_msg(strstr(text, "function 1011+2 second\nline 1011 c:/bare.asm:6\n"), "%s", text);
}
END_TEST

START_TEST(public_symbols_know_better_than_labels)
{
	const char *text = look_recipe("labels-public", BUILD("x86_64", "x64", LABELLED(".globl first\n"))
				       "cp app.pdb $OUT\n");

	ck_assert_msg(strstr(text, "function 1010+3 \nline 1010 c:/bare.asm:5\nline 1011 c:/bare.asm:6\n"), "%s",
		      text);
	ck_assert(strstr(text, "symbol 1010+0 first\n"));
}
END_TEST

/* --- Lines ----------------------------------------------------------------------------------- */

/* Two lines at one address: the first has no bytes.  The oracle takes it for that very address, and
 * the second for those behind it. */
START_TEST(oracle_takes_lines_without_bytes)
{
#define TWICE BUILD("x86_64", "x64", \
	".text\n.globl mainCRTStartup\nmainCRTStartup:\nouter:\n.cv_file 1 \"c:\\\\twice.c\"\n.cv_func_id 0\n" \
	".cv_loc 0 1 5\n.cv_loc 0 1 6\n.fill 8, 1, 0x90\nouter_end:\n" \
	DEBUG_S "function outer, 8, outer\nrecord 6\ndone\n" DEBUG_S_END \
	".cv_linetable 0, outer, outer_end\n" TABLES)
	const char *text = look_recipe("twice", TWICE "cp app.pdb $OUT\n");
	struct file_map map = support_map(fixture("twice-oracle", TWICE
		"llvm-symbolizer-19 --obj=app.exe --relative-address 0x1000 0x1001 > $OUT\n"));

	ck_assert_msg(strstr(text, "\nline 1000 c:/twice.c:6\n"), "%s", text);
	ck_assert_ptr_null(strstr(text, "twice.c:5"));
	ck_assert_ptr_nonnull(memmem(map.bytes, map.size, "twice.c:5:", 10));
	ck_assert_ptr_nonnull(memmem(map.bytes, map.size, "twice.c:6:", 10));
	file_unmap(&map);
}
END_TEST

/* --- What compilers say of themselves ------------------------------------------------------- */

#define PLAIN(triple, machine, more) \
	"cd $DIR\nmkdir -p sub\nprintf 'int mainCRTStartup(void) { return 0; }\\n' > sub/rel.c\n" \
	"clang-19 --target=" triple "-pc-windows-msvc -g -gcodeview " more " -c sub/rel.c -o t.o\n" \
	"lld-link-19 /nologo /machine:" machine " /subsystem:console /nodefaultlib /debug:full /safeseh:no" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe t.o 2>/dev/null\n"

static const struct {
	const char *recipe, *arch;
} machines[] = {
	{ PLAIN("x86_64", "x64", "") REMAKE("3:58=0000"), "object pdb x86_64 dbg" },
	{ PLAIN("i686", "x86", "") REMAKE("3:58=0000"), "object pdb x86 dbg symbols debug unwind" },
	{ PLAIN("aarch64", "arm64", "") REMAKE("3:58=0000"), "object pdb arm64 dbg" },
	{ PLAIN("thumbv7", "arm", "") REMAKE("3:58=0000"), "object pdb arm dbg" },
	{ BUILD("x86_64", "x64", ".text\n.globl mainCRTStartup\nmainCRTStartup:\nret\n") REMAKE("3:58=0000"),
	  "object pdb x86_64 dbg" },
	{ PLAIN("x86_64", "x64", "") REMAKE("3:58=0000 3:24=ffffff0f"), NULL },
};

/* The linker's own module says it too; a broken DBI stream is told when the rest is read. */
START_TEST(compilers_know_the_processor)
{
	const char *path = fixture(support_printf("machine-%d", _i), machines[_i].recipe);

	if (machines[_i].arch) {
		ck_assert_msg(look_has(look_path(path), machines[_i].arch, ""), "%s", look_path(path));
	} else {
		struct file_map map = support_map(path);
		struct err err = ERR_INIT;

		ck_assert_int_lt(look_bytes(map.bytes, map.size, NULL, 0, NULL, &err), 0);
		ck_assert_msg(strstr(err.text, "DBI stream (stream 3)"), "%s", err.text);
		file_unmap(&map);
	}
}
END_TEST

/* The compilation folder (S_BUILDINFO) is not put before names: compilers make them whole, so one
 * that is not was meant so.  llvm-symbolizer says the same. */
#define RELATIVE PLAIN("x86_64", "x64", "-fdebug-compilation-dir=/b/u") \
	"python3 - <<'EOF'\n" \
	"data = open('app.pdb', 'rb').read()\n" \
	"assert data.count(b'/b/u/sub/rel.c\\0') == 2 and data.count(b'/b/u\\0') == 1\n" \
	"open('app.pdb', 'wb').write(data.replace(b'/b/u/sub/rel.c\\0', b'relative/at.c\\0\\0'))\n" \
	"EOF\n"

START_TEST(relative_names_stay_relative)
{
	const char *text = look_recipe("relative", RELATIVE "cp app.pdb $OUT\n");
	struct file_map map = support_map(fixture("relative-oracle", RELATIVE
		"llvm-symbolizer-19 --obj=app.exe --relative-address 0x1000 > $OUT\n"));

	ck_assert_msg(strstr(text, "\nline 1000 relative/at.c:1\n"), "%s", text);
	ck_assert_msg(memmem(map.bytes, map.size, "\nrelative/at.c:1:", 17), "%.*s", (int)map.size,
		      (const char *)map.bytes);
	file_unmap(&map);
}
END_TEST

/* --- Torment -------------------------------------------------------------------------------- */

static const char *const tormented[] = {
	FAR_PDB("page=128 shuffle 3:58=0000 " PART("04000000", "10000000") PART("04000000", "18000000")),
	BUILD("x86_64", "x64", LABELLED("")) REMAKE("page=128 shuffle segment=1:1:4"
						    " omap_back=2010:1010,3000:0,5000:1000,5004:0,7000:1004"),
};

START_TEST(survives_every_byte_change)
{
	struct file_map map = support_read(fixture(support_printf("torment-%d", _i), tormented[_i]));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(fixture(support_printf("torment-%d", _i), tormented[_i]));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 4000);
	file_unmap(&map);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("pdb-records");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_test(reading, parts_elsewhere_keep_their_inlined_calls);
	tcase_add_test(reading, parts_of_others_have_no_calls);
	tcase_add_test(reading, old_variables_open_no_scope);
	tcase_add_test(reading, old_blocks_open_one);
	tcase_add_test(reading, labels_name_what_nothing_else_does);
	tcase_add_test(reading, public_symbols_know_better_than_labels);
	tcase_add_loop_test(reading, compilers_know_the_processor, 0, COUNT(machines));
	tcase_add_test(reading, relative_names_stay_relative);
	tcase_add_test(reading, oracle_takes_lines_without_bytes);
	tcase_add_loop_test(torment, survives_every_byte_change, 0, COUNT(tormented));
	tcase_add_loop_test(torment, survives_every_allocation_failure, 0, COUNT(tormented));
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}

/*
 * test_arm_walks.c -- arm, arm64, mips, ppc and sparc: link registers, signatures, chains.
 */
#include "support/support.h"
#include "walks.h"

#define X "11223344 "

static const struct walk_case arm[] = {
	{ .what = "a leaf: the return address in lr, no stack", .arch = UNWIND_ARM,
	  .registers = "pc=40001010 sp=80000000 lr=50001100 r4=4 r11=1", .show = "r4 fp lr",
	  .stack = X X X X, .cfi = "STACK CFI INIT 1000 100 .cfa: sp .ra: lr\n",
	  .frames = "context 40001010/80000000, cfi 50001100/80000000 r4=4 fp=1 lr=?" },
	{ .what = "a leaf is the context's function, or none", .arch = UNWIND_ARM,
	  .registers = "pc=40001010 sp=80000000 r4=50001100", .stack = "40002010 " X X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 4 + .ra: .cfa 4 - ^\n"
		 "STACK CFI INIT 2000 100 .cfa: sp .ra: r4\n",
	  .frames = "context 40001010/80000000, cfi 40002010/80000004" },
	{ .what = "saved registers by both names; the Thumb bit stays in the return address",
	  .arch = UNWIND_ARM, .registers = "pc=40001010 sp=80000000 lr=1 r4=4 r5=5 r11=1",
	  .show = "r4 r5 fp", .stack = "44 55 80000018 40002031 " X X "80000028 50001101 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp .ra: lr\n"
		 "STACK CFI 1002 .cfa: sp 16 + r4: .cfa 16 - ^ r5: .cfa 12 - ^ r11: .cfa 8 - ^ "
		 ".ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/80000000, "
		    "cfi 40002031/80000010 r4=44 r5=55 fp=80000018, "
		    "scan 50001101/80000020 r4=? r5=? fp=?" },
	{ .what = "a caller is looked up two bytes before, Thumb or not", .arch = UNWIND_ARM,
	  .registers = "pc=40001000 sp=80000000",
	  .stack = "40001101 50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 4 + .ra: .cfa 4 - ^\n"
		 "STACK CFI INIT 1100 100 .cfa: sp 99 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001000/80000000, cfi 40001101/80000004, cfi 50001100/80000008" },
	{ .what = "frame pointers are for iOS", .arch = UNWIND_ARM,
	  .registers = "pc=40001010 sp=80000000 fp=80000008",
	  .stack = X "50001100 80000018 40002100 " X X "0 50002100 " X X,
	  .frames = "context 40001010/80000000, scan 50001100/80000008, scan 40002100/80000010, "
		    "scan 50002100/80000020" },
	{ .what = "iOS: by the saved pair, not by lr (Breakpad: lr first)", .arch = UNWIND_ARM,
	  .os = UNWIND_OS_IOS, .registers = "pc=40001010 sp=80000000 fp=80000008 lr=50003000",
	  .stack = X "50001100 80000018 40002100 " X X "0 50002100 50003100 " X,
	  .frames = "context 40001010/80000000, fp 40002100/80000010, fp 50002100/80000020" },
	{ .what = "iOS: a frame pointer of 0 ends the stack", .arch = UNWIND_ARM,
	  .os = UNWIND_OS_IOS, .registers = "pc=40001010 sp=80000000 fp=0", .stack = "50001100 " X,
	  .frames = "context 40001010/80000000" },
	{ .what = "iOS: one that points nowhere is followed by the scan", .arch = UNWIND_ARM,
	  .os = UNWIND_OS_IOS, .registers = "pc=40001010 sp=80000000 fp=1", .stack = "50001100 " X,
	  .frames = "context 40001010/80000000, scan 50001100/80000004" },
	{ .what = "scan", .arch = UNWIND_ARM,
	  .registers = "pc=40000200 sp=80000000 lr=50000100 r11=1",
	  .stack = X "40001234 " X "50000600 " X X,
	  .frames = "context 40000200/80000000, scan 40001234/80000008, "
		    "scan 50000600/80000010" },
};

static const struct walk_case arm64[] = {
	{ .what = "by the saved pair, not by lr (Breakpad: lr first)", .arch = UNWIND_ARM64,
	  .registers = "pc=40001200 sp=80000000 x29=80000010 x30=40001300", .show = "fp lr x19",
	  .stack = X X "80000030 40001568 " X X "80000050 50001044 " X X "0 0 " X,
	  .frames = "context 40001200/80000000, "
		    "fp 40001568/80000020 fp=80000030 lr=50001044 x19=?, "
		    "fp 50001044/80000040 fp=80000050 lr=0 x19=?" },
	{ .what = "signatures are no part of addresses", .arch = UNWIND_ARM64,
	  .registers = "pc=40001200 sp=80000000 x29=80000010", .show = "fp",
	  .stack = X X "b100000080000030 2380000040001568 " X X
		   "80000050 7fff800050001044 " X X "0 0 " X,
	  .frames = "context 40001200/80000000, fp 40001568/80000020 fp=80000030, "
		    "fp 50001044/80000040 fp=80000050" },
	{ .what = "signatures that CFI brings neither", .arch = UNWIND_ARM64,
	  .registers = "pc=40001010 sp=80000000 x29=1", .show = "fp lr",
	  .stack = "1180000080000030 2380000050002030 " X X X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 16 + .ra: .cfa 8 - ^ x29: .cfa 16 - ^ "
		 "x30: .cfa 8 - ^\n",
	  .frames = "context 40001010/80000000, cfi 50002030/80000010 fp=80000030 lr=50002030" },
	{ .what = "a frame pointer of 0 is followed by the scan", .arch = UNWIND_ARM64,
	  .registers = "pc=40001200 sp=80000000 x29=0", .show = "fp",
	  .stack = X "50001100 " X,
	  .frames = "context 40001200/80000000, scan 50001100/80000010 fp=?" },
	{ .what = "a saved return address that cannot be one is followed by the scan",
	  .arch = UNWIND_ARM64, .registers = "pc=40001200 sp=80000000 x29=80000000",
	  .stack = "80000010 fff 50001100 " X,
	  .frames = "context 40001200/80000000, scan 50001100/80000018" },
	{ .what = "a frame pointer that points at itself", .arch = UNWIND_ARM64,
	  .registers = "pc=40001200 sp=80000000 x29=80000010 x30=40001300",
	  .stack = X X "80000010 40001568 " X X,
	  .frames = "context 40001200/80000000, fp 40001568/80000020" },
	{ .what = "a leaf by CFI needs no stack", .arch = UNWIND_ARM64,
	  .registers = "pc=40001010 sp=80000000 x30=50001100", .stack = X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30\n",
	  .frames = "context 40001010/80000000, cfi 50001100/80000000" },
	{ .what = "nor do later ones, as long as the return address changes (not in Breakpad)",
	  .arch = UNWIND_ARM64, .registers = "pc=40001010 sp=80000000 x30=40002010 x19=50001100",
	  .stack = X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30\n"
		 "STACK CFI INIT 2000 100 .cfa: sp 0 + .ra: x19\n",
	  .frames = "context 40001010/80000000, cfi 40002010/80000000, cfi 50001100/80000000" },
	{ .what = "a leaf of Windows has no record", .arch = UNWIND_ARM64, .os = UNWIND_OS_WINDOWS,
	  .registers = "pc=40002010 sp=80000000 x29=80000000 x30=40001020",
	  .stack = "80000010 50001100 50001200 " X, .functions = "1000+100",
	  .cfi = "MODULE windows arm64 1 a.pdb\n"
		 "STACK CFI INIT 1000 100 .cfa: x29 16 + .ra: .cfa -8 + ^ x29: .cfa -16 + ^\n",
	  .frames = "context 40002010/80000000, cfi 40001020/80000000, cfi 50001100/80000010, "
		    "fp 11223344/80000020" },
	{ .what = "of others one may have no record for other reasons", .arch = UNWIND_ARM64,
	  .registers = "pc=40002010 sp=80000000 x29=80000000 x30=40001020",
	  .stack = "0 50001100 " X X, .functions = "1000+100",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: x29 16 + .ra: .cfa -8 + ^ x29: .cfa -16 + ^\n",
	  .frames = "context 40002010/80000000, fp 50001100/80000010" },
	{ .what = "a return address of one's own is the end", .arch = UNWIND_ARM64,
	  .registers = "pc=40001010 sp=80000000 x30=40001010", .stack = X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 0 + .ra: x30\n",
	  .frames = "context 40001010/80000000" },
	{ .what = "a link register of the frame pointer's is not believed inside a function",
	  .arch = UNWIND_ARM64, .registers = "pc=50001200 sp=80000000 x29=80000000",
	  .stack = "80000010 40001044 80000030 50001100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 8 + .ra: x30\n",
	  .frames = "context 50001200/80000000, fp 40001044/80000010, fp 50001100/80000020" },
	{ .what = "but where one begins", .arch = UNWIND_ARM64,
	  .registers = "pc=50001200 sp=80000000 x29=80000000",
	  .stack = "80000010 40001004 80000030 50001100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 8 + .ra: x30\n",
	  .frames = "context 50001200/80000000, fp 40001004/80000010, cfi 50001100/80000018, "
		    "fp 50001100/80000020" },
	{ .what = "the scan takes words as they are: signed ones are missed, as in rust-minidump",
	  .arch = UNWIND_ARM64, .registers = "pc=40001200 sp=80000000 x29=1",
	  .stack = "2380000040001568 50001100 0",
	  .frames = "context 40001200/80000000, scan 50001100/80000010" },
};

static const struct walk_case others[] = {
	{ .what = "mips: a leaf by CFI", .arch = UNWIND_MIPS, .big_endian = true,
	  .registers = "pc=40001010 sp=80000000 ra=50001100 s0=7", .show = "s0 ra",
	  .stack = X X X X X X, .cfi = "STACK CFI INIT 1000 100 .cfa: $sp 0 + .ra: $ra\n",
	  .frames = "context 40001010/80000000, cfi 50001100/80000000 s0=7 ra=?" },
	{ .what = "mips: a call and its delay slot are eight bytes", .arch = UNWIND_MIPS,
	  .registers = "pc=40001000 sp=80000000", .stack = "40001108 50001100 " X,
	  .cfi = "STACK CFI INIT 1000 101 .cfa: $sp 4 + .ra: .cfa 4 - ^\n"
		 "STACK CFI INIT 1101 100 .cfa: $sp 99 + .ra: .cfa 4 - ^\n",
	  .frames = "context 40001000/80000000, cfi 40001108/80000004, cfi 50001100/80000008" },
	{ .what = "mips: scan, which leaves out the words of arguments", .arch = UNWIND_MIPS,
	  .registers = "pc=40001010 sp=80000000", .stack = "50001100 50001104 0 0 0 40001200 0 0 0 0",
	  .frames = "context 40001010/80000000, scan 50001100/80000004, "
		    "scan 40001200/80000018" },
	{ .what = "mips: 1024 bytes", .arch = UNWIND_MIPS,
	  .registers = "pc=40001010 sp=80000000", .stack = "0*255 50001100 0 0*255 50001104 0",
	  .frames = "context 40001010/80000000, scan 50001100/80000400" },
	{ .what = "mips64: scan, all words", .arch = UNWIND_MIPS64,
	  .registers = "pc=40001010 sp=80000000", .stack = "50001100 50001104 0 0*126 40001200 0",
	  .frames = "context 40001010/80000000, scan 50001100/80000008, "
		    "scan 50001104/80000010, scan 40001200/80000410" },
	{ .what = "mips64: 1024 bytes", .arch = UNWIND_MIPS64,
	  .registers = "pc=40001010 sp=80000000", .stack = "0*128 40001200 0",
	  .frames = "context 40001010/80000000" },
	{ .what = "ppc: the back chain, beyond rust-minidump, which stops at the context",
	  .arch = UNWIND_PPC, .big_endian = true, .registers = "srr0=40001010 r1=80000000",
	  .stack = "80000010 0 0 0 80000020 50001100 0 0 0 40002100",
	  .frames = "context 40001010/80000000, fp 50001100/80000010, fp 40002100/80000020" },
	{ .what = "ppc of macOS: one word more", .arch = UNWIND_PPC, .os = UNWIND_OS_MACOS,
	  .big_endian = true, .registers = "srr0=40001010 r1=80000000",
	  .stack = "80000010 0 0 0 0 0 50001100 0",
	  .frames = "context 40001010/80000000, fp 50001100/80000010" },
	{ .what = "ppc64", .arch = UNWIND_PPC64, .big_endian = true,
	  .registers = "srr0=40001010 r1=80000000", .stack = "80000010 0 80000030 0 50001100 0 0 0 0",
	  .frames = "context 40001010/80000000, fp 50001100/80000010" },
	{ .what = "ppc: no scan", .arch = UNWIND_PPC, .big_endian = true,
	  .registers = "srr0=40001010 r1=80000000", .stack = "0 50001100 0",
	  .frames = "context 40001010/80000000" },
	{ .what = "sparc: register windows", .arch = UNWIND_SPARC, .big_endian = true,
	  .registers = "pc=40001010 g_r14=80000000 g_r30=80000040 g_r31=50001000",
	  .stack = "0*16 0*14 80000080 40002000 0*14 0 0",
	  .frames = "context 40001010/80000000, fp 50001008/80000040, fp 40002008/80000080" },
};

START_TEST(arm_walks)
{
	walk_check(&arm[_i]);
}
END_TEST

START_TEST(arm64_walks)
{
	walk_check(&arm64[_i]);
}
END_TEST

START_TEST(other_walks)
{
	walk_check(&others[_i]);
}
END_TEST

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("arm_walks");
	TCase *tcase = tcase_create("arm_walks");

	tcase_add_loop_test(tcase, arm_walks, 0, COUNT(arm));
	tcase_add_loop_test(tcase, arm64_walks, 0, COUNT(arm64));
	tcase_add_loop_test(tcase, other_walks, 0, COUNT(others));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

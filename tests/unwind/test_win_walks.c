/*
 * test_win_walks.c -- STACK WIN: frame data programs and FPO, their variables, and what is tried
 * when they fail.
 */
#include "support/support.h"
#include "walks.h"

#define X "11223344 "
#define CLASSIC "$T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + ="
#define FROM_SEARCH "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + ="

static const struct walk_case programs[] = {
	{ .what = "an ebp frame, =$eip for = $eip", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=8000000c ebx=7", .show = "ebp ebx esi",
	  .stack = X X X "80000020 50002100 " X X X "0 0 " X,
	  .cfi = "STACK WIN 4 1000 100 0 0 10 0 0 0 1 $T0 $ebp =$eip $T0 4 + ^ =$ebp $T0 ^ = "
		 "$esp $T0 8 + = $L $T0 .cbSavedRegs - = $P $T0 8 + .cbParams + =\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000014 ebp=80000020 ebx=7 esi=?" },
	{ .what = "where the return address is searched for: locals and saved registers",
	  .arch = UNWIND_X86, .registers = "eip=40001010 esp=80000000 ebp=1",
	  .stack = X X X X "50002100 " X "0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 4 c 0 1 " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000014" },
	{ .what = "an @ in the program: behind the frame pointer", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000004 ebp=80000020", .show = "ebp",
	  .stack = X X X X X X X X "80000040 50002100 " X X X X X X "0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 10 0 1 $T1 .raSearch = $T0 $T1 4 - 8 @ = "
		 "$ebp $T1 4 - ^ = $eip $T1 ^ = $esp $T1 4 + =\n",
	  .frames = "context 40001010/80000004, cfi 50002100/80000028 ebp=80000040" },
	{ .what = "every variable that is there before", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=2 ebx=3", .show = "ebp ebx esi edi",
	  .stack = "0*16",
	  .cfi = "STACK WIN 4 1000 100 1 2 10 20 30 40 1 $eip 1342177536 = $esp $esp 4 + = "
		 "$ebp $ebp .cbParams + = $ebx $ebx .cbLocals + = $esi .cbSavedRegs = "
		 "$edi .raSearchStart .raSearch - .cbCalleeParams + =\n",
	  .frames = "context 40001010/80000000, cfi 50000100/80000004 ebp=12 ebx=33 esi=20 edi=0" },
	{ .what = "a program that fails half way: the frame pointer (Breakpad: the scan)",
	  .arch = UNWIND_X86, .registers = "eip=40001010 esp=80000000 ebp=80000008", .show = "ebp",
	  .stack = X X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 $T0 .raSearch = $eip $T0 ^ ^ ^ = +\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010 ebp=80000018" },
	{ .what = "a program that fails: then STACK CFI", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 $T0 +\n"
		 "STACK CFI INIT 1000 100 .cfa: $esp 8 + .ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000008" },
	{ .what = "a program that fails: never FPO of the same place", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = X "50003100 80000018 50002100 " X X "0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 4 0 0 0 0\n"
		 "STACK WIN 4 1000 100 0 0 0 0 8 0 1 $T0 +\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "STACK WIN goes before STACK CFI", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000034",
	  .stack = X "50002200 " X X X "50003100 " X X X X X X X "0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 4 10 0 0 0\n"
		 "STACK CFI INIT 1000 100 .cfa: $esp 8 + .ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/80000000, cfi 50003100/80000018" },
	{ .what = "ebp has to be known", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000",
	  .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "a variable nobody assigned", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 0 0 1 $eip $T7 = $esp $esp 4 + =\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "a variable that is undefined again", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1 ebx=2", .show = "ebx ebp",
	  .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 " FROM_SEARCH " $ebp .undef =\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000008 ebx=2 ebp=1" },
	{ .what = "an undefined variable has no value", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 $T5 5 = $T5 .undef = " FROM_SEARCH " $T1 $T5 =\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "values left over do no harm (Breakpad refuses them)", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 1 2 " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000008" },
	{ .what = "a value cannot be assigned to", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 5 6 = " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "an assignment of nothing", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 $T0 = " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "a number of more than 32 bits", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 $T1 4294967296 = " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "division by zero", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 $T1 1 0 / = " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
	{ .what = "a program without return address leaves eip as it was", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1010 1 0 0 0 0 4 0 1 $esp $esp 4 + =\n",
	  .frames = "context 40001010/80000000, cfi 40001010/80000004, scan 50002100/80000008" },
	{ .what = "a program whose esp stays ends the stack", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 4 0 1 $eip 1342177536 =\n",
	  .frames = "context 40001010/80000000" },
	{ .what = "amd64 has no STACK WIN", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=1", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 " FROM_SEARCH "\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000010" },
};

static const struct walk_case fpo[] = {
	{ .what = "the return address behind locals and saved registers; ebp and ebx go on",
	  .arch = UNWIND_X86, .registers = "eip=40001010 esp=80000000 ebp=77 ebx=8 esi=9",
	  .show = "ebp ebx esi", .stack = X X X "50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 4 8 0 0 0\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000010 ebp=77 ebx=8 esi=9" },
	{ .what = "ebp is an ordinary register, and saved", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=77", .show = "ebp",
	  .stack = "8000002c " X X X X X "50002100 " X X X X "0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 8 10 0 0 1\n",
	  .frames = "context 40001010/80000000, cfi 50002100/8000001c ebp=8000002c" },
	{ .what = "a return address left over by a system call", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=77",
	  .stack = X "40001010 50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 0 4 0 0 0\n",
	  .frames = "context 40001010/80000000, cfi 50002100/8000000c" },
	{ .what = "which only the first frame has", .arch = UNWIND_X86,
	  .registers = "eip=50000000 esp=80000000 ebp=80000000",
	  .stack = "77 40001010 " X "40001010 50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 0 4 0 0 0\n",
	  .frames = "context 50000000/80000000, fp 40001010/80000008, cfi 40001010/80000010" },
	{ .what = "ebp has to be known", .arch = UNWIND_X86, .registers = "eip=40001010 esp=80000000",
	  .stack = X X "50003100 50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 4 8 0 0 0\n",
	  .frames = "context 40001010/80000000, scan 50003100/8000000c, scan 50002100/80000010" },
	{ .what = "sizes that wrap", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=77", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 fffffffc 8 0 0 0\n",
	  .frames = "context 40001010/80000000, cfi 50002100/80000008" },
	{ .what = "a frame that is not in the stack", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=77", .stack = X "50002100 0 0",
	  .cfi = "STACK WIN 0 1000 100 0 0 0 0 10000 0 0 0\n",
	  .frames = "context 40001010/80000000, scan 50002100/80000008" },
};

static const struct walk_case parameters[] = {
	{ .what = "those of the called function, by STACK WIN", .arch = UNWIND_X86,
	  .registers = "eip=40002010 esp=80000000 ebp=1",
	  .stack = "40001055 1 2 " X X "50003100 " X X X X X, .functions = "",
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 " FROM_SEARCH "\n"
		 "STACK WIN 4 2000 100 0 0 8 0 0 0 1 " FROM_SEARCH "\n",
	  .frames = "context 40002010/80000000, cfi 40001055/80000004, cfi 50003100/80000018" },
	{ .what = "by its symbol", .arch = UNWIND_X86,
	  .registers = "eip=50002010 esp=80000000 ebp=80000000", .functions = "2000+100:8",
	  .stack = "80000000 40001055 1 2 " X X "50003100 " X,
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 " FROM_SEARCH "\n",
	  .frames = "context 50002010/80000000, fp 40001055/80000008, cfi 50003100/8000001c" },
	{ .what = "none without symbols, as Symbolicator", .arch = UNWIND_X86,
	  .registers = "eip=40002010 esp=80000000 ebp=1",
	  .stack = "40001055 1 2 50003100 " X "50003200 " X X X X X,
	  .cfi = "STACK WIN 4 1000 100 0 0 0 0 8 0 1 " FROM_SEARCH "\n"
		 "STACK WIN 4 2000 100 0 0 8 0 0 0 1 " FROM_SEARCH "\n",
	  .frames = "context 40002010/80000000, cfi 40001055/80000004, cfi 50003100/80000010, "
		    "scan 50003200/80000018" },
};

START_TEST(by_program)
{
	walk_check(&programs[_i]);
}
END_TEST

START_TEST(by_sizes)
{
	walk_check(&fpo[_i]);
}
END_TEST

START_TEST(parameters_of_the_callee_count)
{
	walk_check(&parameters[_i]);
}
END_TEST

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("win_walks");
	TCase *tcase = tcase_create("win_walks");

	tcase_add_loop_test(tcase, by_program, 0, COUNT(programs));
	tcase_add_loop_test(tcase, by_sizes, 0, COUNT(fpo));
	tcase_add_loop_test(tcase, parameters_of_the_callee_count, 0, COUNT(parameters));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

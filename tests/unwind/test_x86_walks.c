/*
 * test_x86_walks.c -- x86 and amd64: CFI, frame pointer, scan, ends of stacks, and each choice where
 * other programs differ.
 */
#include "support/support.h"
#include "walks.h"

/* Each word of padding is nothing's address. */
#define X "11223344 "

static const struct walk_case cfi_walks[] = {
	{ .what = "CFI, saved registers go on", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000 rbx=b rbp=55 rax=1 rdi=2",
	  .stack = "50001100 " X X, .show = "rbx rbp rax rdi r12",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001005/80000000, "
		    "cfi 50001100/80000008 rbx=b rbp=55 rax=? rdi=? r12=?" },
	{ .what = "rows up to the address apply, later ones do not", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=5555",
	  .stack = "b0b0b0b0 8000001c 50002011 " X X X X "0 0 0 0", .show = "ebp ebx",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $esp 4 + .ra: .cfa 4 - ^\n"
		 "STACK CFI 1001 .cfa: $esp 8 + $ebp: .cfa 8 - ^\n"
		 "STACK CFI 1010 .cfa: $esp 12 + $ebx: .cfa 12 - ^\n"
		 "STACK CFI 1011 .cfa: $esp 99 +\n",
	  .frames = "context 40001010/80000000, "
		    "cfi 50002011/8000000c ebp=8000001c ebx=b0b0b0b0" },
	{ .what = "a caller is looked up in its call, not behind it", .arch = UNWIND_X86_64,
	  .registers = "rip=40001000 rsp=80000000",
	  .stack = "40001100 50001000 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"
		 "STACK CFI INIT 1100 100 .cfa: $rsp 99 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001000/80000000, cfi 40001100/80000008, cfi 50001000/80000010" },
	{ .what = "registers by names without dollar", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000", .show = "rbx",
	  .stack = "50001100 77 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: rsp 16 + .ra: .cfa 16 - ^ rbx: .cfa 8 - ^\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000010 rbx=77" },
	{ .what = "rules see the callee's registers, not each other's results", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000 rbx=1 rbp=2", .show = "rbx rbp",
	  .stack = "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rbx: $rbp $rbp: $rbx\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000008 rbx=2 rbp=1" },
	{ .what = "a register without value is unknown in the caller", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000 rbx=1", .show = "rbx",
	  .stack = "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rbx: .undef\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000008 rbx=?" },
	{ .what = "a rule for the stack pointer goes before .cfa", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000",
	  .stack = "50001100 " X X X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rsp: .cfa 16 +\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000018" },
	{ .what = "a rule for the stack pointer without value leaves .cfa", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000",
	  .stack = "50001100 " X X X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^ $rsp: .undef\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000008" },
	{ .what = "the frame pointer where .ra cannot be read", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = X X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $esp 4 + .ra: .cfa 100000 - ^\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "the frame pointer where .ra is missing", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = "50001100 " X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $esp 4 +\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "the frame pointer where .cfa depends on itself", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = "50001100 " X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: .cfa 4 + .ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "the frame pointer where rules are no rules", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = "50001100 " X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 $esp .cfa: $esp 4 + .ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "the frame pointer where a register has no rule", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008",
	  .stack = "50001100 " X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $esp 4 + .ra: .cfa 4 - ^ $ebx:\n",
	  .frames = "context 40001010/80000000, fp 50002100/80000010" },
	{ .what = "the scan where .cfa divides by zero", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000",
	  .stack = X "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 0 / .ra: .cfa 8 - ^\n",
	  .frames = "context 40001010/80000000, scan 50001100/80000010" },
	{ .what = "no CFI behind the record's end", .arch = UNWIND_X86_64,
	  .registers = "rip=40001100 rsp=80000000",
	  .stack = X "50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001100/80000000, scan 50001100/80000010" },
	{ .what = "no CFI where the stack pointer is unknown", .arch = UNWIND_X86,
	  .registers = "eip=40001010 ebp=80000008",
	  .stack = "50001100 " X "80000018 50002100 " X X "0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: 2147483652 .ra: .cfa 4 - ^\n",
	  .frames = "context 40001010/0, fp 50002100/80000010" },
	{ .what = "what CFI gives is believed: a return address in no module", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000",
	  .stack = "66601100 50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001005/80000000, cfi 66601100/80000008, scan 50001100/80000010" },
	{ .what = "CFI that ends the stack: nobody goes on by other ways", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000 rbp=80000010",
	  .stack = "0 50001100 80000020 50001100 0 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001005/80000000" },
	{ .what = "CFI that does not raise the stack pointer gives no frame", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000",
	  .stack = "50001100 50001100 " X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 0 + .ra: .cfa ^\n",
	  .frames = "context 40001005/80000000" },
	{ .what = "an alias that cannot be computed is unknown, too (rust-minidump forwards it)",
	  .arch = UNWIND_ARM64, .registers = "pc=40001004 sp=80000000 fp=5",
	  .stack = "50001100 " X, .show = "fp",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: sp 8 + .ra: .cfa 8 - ^ x29: .undef\n",
	  .frames = "context 40001004/80000000, cfi 50001100/80000008 fp=?" },
};

static const struct walk_case chains[] = {
	{ .what = "x86", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000008", .show = "ebp ebx",
	  .stack = X X "80000018 50002100 " X X "0 40001100 " X X,
	  .frames = "context 40001010/80000000, fp 50002100/80000010 ebp=80000018 ebx=?, "
		    "fp 40001100/80000020 ebp=0 ebx=?" },
	{ .what = "x86: nothing of it is checked, so that ends stay ends", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000000", .show = "ebp",
	  .stack = "9 77777777 50001100 " X,
	  .frames = "context 40001010/80000000, fp 77777777/80000008 ebp=9, "
		    "scan 50001100/8000000c ebp=?" },
	{ .what = "x86 without a stack pointer", .arch = UNWIND_X86,
	  .registers = "eip=40001010 ebp=80000008",
	  .stack = X X "80000018 50002100 " X X "0 0",
	  .frames = "context 40001010/0, fp 50002100/80000010" },
	{ .what = "x86, a call through a null pointer", .arch = UNWIND_X86,
	  .registers = "eip=0 esp=80000000 ebp=8000000c",
	  .stack = "40001100 " X X "8000001c 40002100 " X X "0 0",
	  .frames = "context 0/80000000, fp 40002100/80000014" },
	{ .what = "amd64", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=80000010", .show = "rbp",
	  .stack = X X "80000030 50002100 " X X "80000040 40001100 0 0 0",
	  .frames = "context 40001010/80000000, fp 50002100/80000020 rbp=80000030, "
		    "fp 40001100/80000040 rbp=80000040" },
	{ .what = "amd64: a frame pointer that goes down is none", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=80000010", .show = "rbp",
	  .stack = X X "80000008 50002100 " X,
	  .frames = "context 40001010/80000000, scan 50002100/80000020 rbp=?" },
	{ .what = "amd64: one that points out of the stack is none", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=80000010",
	  .stack = X X "90000000 50002100 " X,
	  .frames = "context 40001010/80000000, scan 50002100/80000020" },
	{ .what = "amd64: a return address that is not canonical", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000000 rbp=80000008",
	  .stack = X "80000020 800000000000 50002100 " X,
	  .frames = "context 40001010/80000000, scan 50002100/80000020" },
	{ .what = "amd64: a frame below the stack pointer", .arch = UNWIND_X86_64,
	  .registers = "rip=40001010 rsp=80000020 rbp=80000000",
	  .stack = "80000020 50002100 " X X X "40001100 " X,
	  .frames = "context 40001010/80000020, scan 40001100/80000030" },
	{ .what = "amd64 of Linux: the frame pointer points to its frame, or nowhere",
	  .arch = UNWIND_X86_64, .registers = "rip=40001010 rsp=80000000 rbp=80000008",
	  .stack = X "0 0 80000028 50002100 " X X,
	  .frames = "context 40001010/80000000, scan 50002100/80000028" },
	{ .what = "amd64 of Windows: up to 240 bytes into it, as rust-minidump (not Breakpad)",
	  .arch = UNWIND_X86_64, .os = UNWIND_OS_WINDOWS,
	  .registers = "rip=40001010 rsp=80000000 rbp=80000008",
	  .stack = X "0 0 80000028 50002100 " X X,
	  .frames = "context 40001010/80000000, fp 50002100/80000028" },
	{ .what = "amd64 of Windows: 256 bytes are too far", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40001010 rsp=80000000 rbp=80000000",
	  .stack = "0*32 80000108 50002100 " X X,
	  .frames = "context 40001010/80000000, scan 50002100/80000110" },
	{ .what = "amd64 of Windows: the search ends where memory does", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40001010 rsp=80000000 rbp=80000008",
	  .stack = X "90000000 50002100 80000028 50003100 " X X,
	  .frames = "context 40001010/80000000, scan 50002100/80000018, "
		    "scan 50003100/80000028" },
};

static const struct walk_case scans[] = {
	{ .what = "x86", .arch = UNWIND_X86,
	  .registers = "eip=40000200 esp=80000000 ebp=d43eed6e", .show = "ebp",
	  .stack = X X "40001234 " X "0 50000600 " X X,
	  .frames = "context 40000200/80000000, scan 40001234/8000000c ebp=?, "
		    "scan 50000600/80000018 ebp=?" },
	{ .what = "x86: the word before is a saved frame pointer", .arch = UNWIND_X86,
	  .registers = "eip=40000200 esp=80000000", .show = "ebp",
	  .stack = X "80000010 40001234 " X "0 50000600 " X,
	  .frames = "context 40000200/80000000, scan 40001234/8000000c ebp=80000010, "
		    "fp 50000600/80000018 ebp=0" },
	{ .what = "x86: one that points far up but not into the stack is unknown",
	  .arch = UNWIND_X86, .registers = "eip=40000200 esp=80000000 ebp=1", .show = "ebp",
	  .stack = X "80010000 40001234 " X,
	  .frames = "context 40000200/80000000, scan 40001234/8000000c ebp=?" },
	{ .what = "x86: the first word leaves no room for a frame pointer", .arch = UNWIND_X86,
	  .registers = "eip=40000200 esp=80000000 ebp=1", .show = "ebp",
	  .stack = "40001234 " X,
	  .frames = "context 40000200/80000000, scan 40001234/80000004 ebp=?" },
	{ .what = "amd64", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000 rbp=deadbeefdeadbeef", .show = "rbp",
	  .stack = X X "40001234 " X "0 50000600 " X X,
	  .frames = "context 40000200/80000000, scan 40001234/80000018 rbp=deadbeefdeadbeef, "
		    "scan 50000600/80000030 rbp=deadbeefdeadbeef" },
	{ .what = "amd64: a frame pointer saved below the return address, where rbp says so",
	  .arch = UNWIND_X86_64, .registers = "rip=40000200 rsp=80000000 rbp=80000008",
	  .show = "rbp", .stack = X "80000018 40001234 80000038 0 0 0 0 0",
	  .frames = "context 40000200/80000000, fp 40001234/80000018 rbp=80000018" },
	{ .what = "amd64: an rbp below the frame is not the caller's", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000 rbp=1", .show = "rbp",
	  .stack = X "40001234 " X,
	  .frames = "context 40000200/80000000, scan 40001234/80000010 rbp=?" },
	{ .what = "amd64 of Windows: a leaf's return address is found by scanning (Breakpad: leaf)",
	  .arch = UNWIND_X86_64, .os = UNWIND_OS_WINDOWS,
	  .registers = "rip=40001200 rsp=80000000 rbp=1", .stack = "50001100 " X X,
	  .frames = "context 40001200/80000000, scan 50001100/80000008" },
	{ .what = "160 words from the context, and no more", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000", .stack = "0*159 40001234 0*40 50001234 0",
	  .frames = "context 40000200/80000000, scan 40001234/80000500" },
	{ .what = "the 161st is none", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000", .stack = "0*160 40001234 0",
	  .frames = "context 40000200/80000000" },
	{ .what = "40 words from what was scanned", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000", .stack = "40001234 0*39 50001234 0",
	  .frames = "context 40000200/80000000, scan 40001234/80000008, "
		    "scan 50001234/80000148" },
	{ .what = "160 words from what CFI gave, as rust-minidump now (not Breakpad)",
	  .arch = UNWIND_X86_64, .registers = "rip=40001005 rsp=80000000",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .stack = "50001100 0*159 50001234 0",
	  .frames = "context 40001005/80000000, cfi 50001100/80000008, "
		    "scan 50001234/80000508" },
	{ .what = "the end of memory ends it", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000000", .stack = X X,
	  .frames = "context 40000200/80000000" },
	{ .what = "a word is an address behind a call: the first of a module is none",
	  .arch = UNWIND_X86_64, .registers = "rip=40000200 rsp=80000000",
	  .stack = "40000000 40010000 " X,
	  .frames = "context 40000200/80000000, scan 40010000/80000010" },
	{ .what = "words 0 and 1 are no addresses", .arch = UNWIND_X86,
	  .registers = "eip=40000200 esp=80000000", .stack = "0 1 40001234 0",
	  .frames = "context 40000200/80000000, scan 40001234/8000000c" },
	{ .what = "the stack pointer is behind the stack", .arch = UNWIND_X86_64,
	  .registers = "rip=40000200 rsp=80000010", .stack = "40001234 0",
	  .frames = "context 40000200/80000010" },
};

#define TABLES "MODULE windows x86_64 1 a.pdb\nSTACK CFI INIT 1000 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"

static const struct walk_case leaves[] = {
	{ .what = "code without a record needs no stack", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40002010 rsp=80000000 rbp=80000010 rbx=7",
	  .show = "rbx rbp", .cfi = TABLES, .functions = "1000+100",
	  .stack = "40001020 " X X X,
	  .frames = "context 40002010/80000000, cfi 40001020/80000008 rbx=7 rbp=80000010, "
		    "cfi 11223344/80000018 rbx=7 rbp=80000010" },
	{ .what = "what it returns to may have no CFI", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40002010 rsp=80000000", .cfi = TABLES,
	  .functions = "1000+100", .stack = "50001020 " X X X,
	  .frames = "context 40002010/80000000, cfi 50001020/80000008" },
	{ .what = "a word that is no return address: code by hand", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40002010 rsp=80000000", .cfi = TABLES,
	  .functions = "1000+100", .stack = X "40001020 " X X X,
	  .frames = "context 40002010/80000000, scan 40001020/80000010, cfi 11223344/80000020" },
	{ .what = "leaves call nobody", .arch = UNWIND_X86_64, .os = UNWIND_OS_WINDOWS,
	  .registers = "rip=40002010 rsp=80000000 rbp=80000008", .cfi = TABLES,
	  .functions = "1000+100 2000+100", .stack = "40002020 80000028 40001020 " X X X X,
	  .frames = "context 40002010/80000000, fp 40001020/80000018, cfi 11223344/80000028" },
	{ .what = "a frame that was guessed is none", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=50002010 rsp=80000000", .cfi = TABLES,
	  .stack = "40002020 40001020 " X X,
	  .frames = "context 50002010/80000000, scan 40002020/80000008, scan 40001020/80000010, "
		    "cfi 11223344/80000020" },
	{ .what = "symbol files need not know all functions", .arch = UNWIND_X86_64,
	  .os = UNWIND_OS_WINDOWS, .registers = "rip=40002010 rsp=80000000 rbp=80000008",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n",
	  .functions = "1000+100", .stack = "40001020 80000028 50001020 " X X X X,
	  .frames = "context 40002010/80000000, fp 50001020/80000018" },
};

static const struct walk_case checks[] = {
	{ .what = "CFI has a record of it", .arch = UNWIND_X86_64,
	  .registers = "rip=50000200 rsp=80000000", .stack = X "40001050 0", .functions = "",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: 0\n",
	  .frames = "context 50000200/80000000, scan 40001050/80000010" },
	{ .what = "CFI has none, and symbols have no function", .arch = UNWIND_X86_64,
	  .registers = "rip=50000200 rsp=80000000", .stack = X "40002050 40001050 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: 0\n", .functions = "9000+10",
	  .frames = "context 50000200/80000000, scan 40001050/80000018" },
	{ .what = "CFI has none, symbols have a function", .arch = UNWIND_X86_64,
	  .registers = "rip=50000200 rsp=80000000", .stack = X "40002050 40001050 0",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: 0\n", .functions = "2000+100",
	  .frames = "context 50000200/80000000, scan 40002050/80000010, "
		    "scan 40001050/80000018" },
	{ .what = "without CFI symbols are not asked, as Symbolicator", .arch = UNWIND_X86_64,
	  .registers = "rip=50000200 rsp=80000000", .stack = X "40002050 0", .functions = "9000+10",
	  .frames = "context 50000200/80000000, scan 40002050/80000010" },
	{ .what = "with empty CFI neither", .arch = UNWIND_X86_64, .cfi = "",
	  .registers = "rip=50000200 rsp=80000000", .stack = X "40002050 0", .functions = "9000+10",
	  .frames = "context 50000200/80000000, scan 40002050/80000010" },
	{ .what = "records of STACK WIN are no CFI here", .arch = UNWIND_X86,
	  .registers = "eip=50000200 esp=80000000", .stack = X "40002050 0", .functions = "9000+10",
	  .cfi = "STACK WIN 0 2000 100 0 0 0 4 10 0 0 0\n",
	  .frames = "context 50000200/80000000" },
	{ .what = "symbols that decide: a word in no function, as rust-minidump",
	  .arch = UNWIND_X86, .registers = "eip=40001200 esp=80000000 ebp=1", .symbols_decide = true,
	  .stack = X "40008123 " X "50001100 " X X "40002100 " X X,
	  .functions = "1000+1000 2000+1000",
	  .frames = "context 40001200/80000000, scan 50001100/80000010, "
		    "scan 40002100/8000001c" },
};

static const struct walk_case orders[] = {
	{ .what = "big-endian memory", .arch = UNWIND_X86_64, .big_endian = true,
	  .registers = "rip=40001005 rsp=80000000", .stack = "50001100 40001020 " X X,
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n",
	  .frames = "context 40001005/80000000, cfi 50001100/80000008, "
		    "scan 40001020/80000010, cfi 11223344/80000018" },
	{ .what = "no memory: the context's frame alone", .arch = UNWIND_X86_64,
	  .registers = "rip=40001005 rsp=80000000", .stack = "",
	  .cfi = "STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: 1342177536\n",
	  .frames = "context 40001005/80000000" },
	{ .what = "no program counter: no frame", .arch = UNWIND_X86_64,
	  .registers = "rsp=80000000", .stack = "50001100 " X, .frames = "" },
	{ .what = "return addresses below 4096 end the stack", .arch = UNWIND_X86,
	  .registers = "eip=40001010 esp=80000000 ebp=80000000",
	  .stack = "80000010 fff 50001100 " X "0 0", .frames = "context 40001010/80000000" },
};

START_TEST(by_cfi)
{
	walk_check(&cfi_walks[_i]);
}
END_TEST

START_TEST(by_frame_pointer)
{
	walk_check(&chains[_i]);
}
END_TEST

START_TEST(by_scan)
{
	walk_check(&scans[_i]);
}
END_TEST

START_TEST(of_leaf_functions)
{
	walk_check(&leaves[_i]);
}
END_TEST

START_TEST(scanned_words_are_checked)
{
	walk_check(&checks[_i]);
}
END_TEST

START_TEST(memory_and_ends)
{
	walk_check(&orders[_i]);
}
END_TEST

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

int main(void)
{
	Suite *suite = suite_create("x86_walks");
	TCase *tcase = tcase_create("x86_walks");

	tcase_add_loop_test(tcase, by_cfi, 0, COUNT(cfi_walks));
	tcase_add_loop_test(tcase, by_frame_pointer, 0, COUNT(chains));
	tcase_add_loop_test(tcase, by_scan, 0, COUNT(scans));
	tcase_add_loop_test(tcase, of_leaf_functions, 0, COUNT(leaves));
	tcase_add_loop_test(tcase, scanned_words_are_checked, 0, COUNT(checks));
	tcase_add_loop_test(tcase, memory_and_ends, 0, COUNT(orders));
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

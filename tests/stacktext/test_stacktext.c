/* test_stacktext -- stacks and mappings as gdb, sanitizers, glibc and the kernel print them. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "stacktext/stacktext_images.h"

#define CEILING_BYTES ((size_t)64 << 20)

/* What was read, in one line a stack: title, then each frame. */
static void show(const struct stacktext *text, struct buf *out)
{
	for (size_t i = 0; i < text->stack_count; i++) {
		const struct stacktext_stack *stack = &text->stacks[i];

		buf_add_char(out, '{');
		buf_add_text(out, stack->title);
		if (stack->is_crashed)
			buf_add_char(out, '!');
		if (stack->has_number)
			buf_printf(out, "#%llu", (unsigned long long)stack->number);
		if (stack->has_id)
			buf_printf(out, "@%llu", (unsigned long long)stack->id);
		if (stack->name.bytes)
			buf_printf(out, "'%.*s'", (int)stack->name.size, stack->name.bytes);
		for (size_t j = stack->first; j < stack->first + stack->count; j++) {
			const struct stacktext_frame *frame = &text->frames[j];

			buf_add_string(out, "|");
			if (frame->has_address)
				buf_printf(out, "%s%llx", frame->is_return ? "<" : "=",
					   (unsigned long long)frame->address);
			buf_printf(out, " %.*s", (int)frame->function.size,
				   frame->function.bytes ? frame->function.bytes : "");
			if (frame->file.bytes)
				buf_printf(out, " at %.*s:%u", (int)frame->file.size, frame->file.bytes,
					   frame->line);
			if (frame->module.bytes)
				buf_printf(out, " in %.*s", (int)frame->module.size, frame->module.bytes);
			if (frame->has_offset)
				buf_printf(out, "+%llx", (unsigned long long)frame->offset);
			if (frame->symbol.bytes)
				buf_printf(out, " of %.*s", (int)frame->symbol.size, frame->symbol.bytes);
			if (frame->build_id.bytes)
				buf_printf(out, " id %.*s", (int)frame->build_id.size,
					   frame->build_id.bytes);
		}
		buf_add_char(out, '}');
	}
}

static const struct { const char *what, *text, *read; } stacks[] = {
	{ "nothing", "", "" },
	{ "prose", "hello\n# a title\n#1 is first\nsee [1]\n#\n#x 0x1\n", "" },
	{ "glibc, PIE", "./crash(+0x11d1)[0x55f8392b31d1]\n/lib/libc.so.6(qsort_r+0xb6)[0x7f89ed03ed36]\n",
	  "{!|<55f8392b31d1  in ./crash+11d1|<7f89ed03ed36 qsort_r in /lib/libc.so.6+b6 of qsort_r}" },
	{ "glibc, backtrace_symbols()", "./crash(+0x11d1) [0x55f8392b31d1]\n./crash() [0x401136]\n[0x7fff1]\n",
	  "{!|<55f8392b31d1  in ./crash+11d1|<401136  in ./crash|<7fff1 }" },
	{ "glibc, without dynamic symbols", "./fixed[0x4011be]\n", "{!|<4011be  in ./fixed}" },
	{ "glibc, folders with blanks", "/a b/c(+0x1)[0x2]\n", "{!|<2  in /a b/c+1}" },
	{ "glibc, C++", "./x(_ZN1a1bEv+0x10)[0x55]\n", "{!|<55 _ZN1a1bEv in ./x+10 of _ZN1a1bEv}" },
	{ "prose with an address", "the value is [0x12]\n", "" },
	{ "gdb", "#0  compare (a=a@entry=0x7fff, b=0x0) at crash.c:27\n"
	  "#1  0x00007ffff7e11bf4 in msort_with_tmp (p=0x7f, n=n@entry=2) at ./stdlib/msort.c:64\n"
	  "#2  0x000055555555523a in ?? ()\n#10 0x00007ffff7e2a0f1 in raise () from /lib/libc.so.6\n",
	  "{!| compare at crash.c:27|<7ffff7e11bf4 msort_with_tmp at ./stdlib/msort.c:64|<55555555523a |"
	  "<7ffff7e2a0f1 raise in /lib/libc.so.6}" },
	{ "gdb, a signal", "#0  0x1 in f ()\n#1  <signal handler called>\n#2  0x2 in g ()\n#3  0x3 in h ()\n",
	  "{!|=1 f|=2 g|<3 h}" },
	{ "gdb, C++", "#0  0x1 in std::function<void (int)>::operator()(int) const (this=0x1) at /usr/x.h:5\n"
	  "#1  0x2 in operator new (size=3) at n.cc:7\n",
	  "{!|=1 std::function<void (int)>::operator()(int) const at /usr/x.h:5|<2 operator new at n.cc:7}" },
	{ "gdb, threads", "Thread 2 (Thread 0x7f (LWP 3)):\n#0  0x1 in f ()\n\nThread 1 (LWP 2):\n#0  0x2 in g ()\n",
	  "{Thread 2 (Thread 0x7f (LWP 3)):#2@3|=1 f}{Thread 1 (LWP 2):#1@2|=2 g}" },
	{ "two stacks without a line between", "#0  0x1 in f ()\n#1  0x2 in g ()\n#0  0x3 in h ()\n",
	  "{|=1 f|<2 g}{|=3 h}" },
	{ "AddressSanitizer, with names", "==1==ERROR: AddressSanitizer: SEGV on address 0x0 (pc 0x5)\n"
	  "==1==Hint: address points to the zero page.\n"
	  "    #0 0x5580a50ca3b1 in inner /src/crash.c:11\n    #1 0x55 in ns::f(int, char) /src/a b.cc:3:9\n"
	  "    #2 0x5580a50ca1b0 in _start (/src/asan+0x11b0)\n",
	  "{==1==ERROR: AddressSanitizer: SEGV on address 0x0 (pc 0x5)!|=5580a50ca3b1 inner at /src/crash.c:11|"
	  "=55 ns::f(int, char) /src/a at b.cc:3|=5580a50ca1b0 _start in /src/asan+11b0}" },
	{ "AddressSanitizer, without", "    #0 0x563f1bb07f18  (/b/casan+0xdef18) (BuildId: 704fb21d)\n"
	  "    #1 0x7fc11e53b249  (/lib/libc.so.6+0x27249)\n",
	  "{!|=563f1bb07f18  in /b/casan+def18 id 704fb21d|=7fc11e53b249  in /lib/libc.so.6+27249}" },
	{ "AddressSanitizer, two stacks", "READ of size 4 at 0x1 thread T0\n    #0 0x1 in f a.c:1\n\n"
	  "freed by thread T0 here:\n    #0 0x2 in g b.c:2\n",
	  "{READ of size 4 at 0x1 thread T0|=1 f at a.c:1}{freed by thread T0 here:|=2 g at b.c:2}" },
	{ "UndefinedBehaviorSanitizer", "u.c:3:5: runtime error: signed integer overflow\n"
	  "    #0 0x4 in f u.c:3:5\n", "{u.c:3:5: runtime error: signed integer overflow!|=4 f at u.c:3}" },
	{ "lines that end as on Windows", "#0  0x1 in f () at a.c:1\r\n", "{!|=1 f at a.c:1}" },
	{ "gdb, bt full", "#0  pay (n=3) at crash.c:9\n        local = <optimized out>\n        c = {items = 3}:\nNo locals.\n"
	  "#1  0x000055555555526d in shop (n=3) at crash.c:10\n        r = 110\n",
	  "{!| pay at crash.c:9|<55555555526d shop at crash.c:10}" },
	{ "gdb, wrapped lines", "#0  0x1 in pay (cart=0x0, \n    description=0x5 \"a, b\", \n    times=3) at crash.c:9\n"
	  "#1  0x2 in shop (n=3)\n    at a long folder/crash.c:10\n#2  main (a=1,\n    b=2) from /bin/shop\n#3 start (a\n",
	  "{!|=1 pay at crash.c:9|<2 shop at a long folder/crash.c:10| main in /bin/shop}" },
	{ "gdb, wrapped and no frame", "#0  0x1 in f (a=1,\n  no end of it\n#1  0x2 in g ()\n", "{!|=1 f (a=1,|<2 g}" },
	{ "gdb, the current thread", "Program terminated with signal SIGSEGV, Segmentation fault.\n[Current thread is 2 (LWP 5)]\n"
	  "Thread 1 (LWP 4):\n#0  0x1 in f ()\nThread 2 (LWP 5):\n#0  0x2 in g ()\n",
	  "{Thread 1 (LWP 4):#1@4|=1 f}{Thread 2 (LWP 5):!#2@5|=2 g}" },
	{ "gdb, a core's first thread", "Program terminated with signal SIGSEGV, Segmentation fault.\n"
	  "Thread 2 (LWP 4):\n#0  0x1 in f ()\nThread 1 (LWP 5):\n#0  0x2 in g ()\n",
	  "{Thread 2 (LWP 4):#2@4|=1 f}{Thread 1 (LWP 5):!#1@5|=2 g}" },
	{ "gdb, info threads", "  Id   Target Id                                  Frame \n"
	  "* 1    Thread 0x7ffff7dcf740 (LWP 27775) \"crash\"  pay (cart=0x0) at crash.c:9\n"
	  "  2    Thread 0x7ffff7dce6c0 (LWP 27841) \"worker\" 0x00007ffff7ea1545 in nanosleep (a=0) at x.c:48\n"
	  "  3    LWP 7 0x5 in poll () from /lib/libc.so.6\n",
	  "{!#1@27775'crash'| pay at crash.c:9}{#2@27841'worker'|=7ffff7ea1545 nanosleep at x.c:48}" },
	{ "gdb, info threads beside stacks", "* 1    Thread 0x7f (LWP 5) \"a\" f () at a.c:1\n  2    Thread 0x7e (LWP 6) \"b\" g () at a.c:2\n"
	  "#0  f () at a.c:1\n#1  0x3 in main () at a.c:9\nThread 2 (Thread 0x7e (LWP 6)):\n#0  g () at a.c:2\n#1  0x4 in h ()\n",
	  "{!@5'a'| f at a.c:1|<3 main at a.c:9}{Thread 2 (Thread 0x7e (LWP 6)):#2@6'b'| g at a.c:2|<4 h}" },
	{ "ThreadSanitizer", "WARNING: ThreadSanitizer: data race (pid=28111)\n  Write of size 4 at 0x5592b59bc258 by thread T1:\n"
	  "    #0 work /tmp/race.c:3:36 (tsan+0xd0194) (BuildId: 11f9)\n\n  Previous write by main thread:\n"
	  "    #0 pthread_create <null> (tsan+0x513ad) (BuildId: 11f9)\n\nSUMMARY: ThreadSanitizer: data race\n",
	  "{Write of size 4 at 0x5592b59bc258 by thread T1:!| work at /tmp/race.c:3 in tsan+d0194 id 11f9}"
	  "{Previous write by main thread:| pthread_create in tsan+513ad id 11f9}" },
	{ "a tombstone", "pid: 1234, tid: 1240, name: Render Thread  >>> shop <<<\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n"
	  "backtrace:\n      #00 pc 000000000004a1b8  /data/app/libshop.so (pay(int*)+52) (BuildId: 8e5c0f)\n"
	  "      #01 pc 00011c34  /data/app/base.apk!libb.so (offset 0x1000)\n\n--- --- ---\npid: 1234, tid: 1241, name: b\n"
	  "      #00 pc 1  /a.so\n",
	  "{pid: 1234, tid: 1240, name: Render Thread  >>> shop <<<!@1240'Render Thread'| pay(int*) in /data/app/libshop.so+4a1b8 id 8e5c0f|"
	  "  in /data/app/base.apk!libb.so+11c34}{pid: 1234, tid: 1241, name: b@1241'b'|  in /a.so+1}" },
	{ "a tombstone in logcat", "01-02 03:04:05.678  1234  1240 F DEBUG   : pid: 1, tid: 2, name: a\n"
	  "01-02 03:04:05.678  1234  1240 F DEBUG   :       #00 pc 0004a1b8  /system/lib/libc.so (abort+52)\n"
	  "01-02 03:04:05.678  1234  1240 F DEBUG   :       #01 pc 0004a1b9  /system/lib/libc.so (raise+2)\n",
	  "{pid: 1, tid: 2, name: a!@2'a'| abort in /system/lib/libc.so+4a1b8| raise in /system/lib/libc.so+4a1b9}" },
	{ "Rust", "thread 'main' (12) panicked at p.rs:1:53:\nindex out of bounds\nstack backtrace:\n"
	  "   0: core::panicking::panic_fmt\n             at /rustc/0/panicking.rs:80:14\n   1: p::cart::pay\n             at ./p.rs:1:53\n"
	  "note: Some details are omitted\n",
	  "{thread 'main' (12) panicked at p.rs:1:53:!@12'main'| core::panicking::panic_fmt at /rustc/0/panicking.rs:80|"
	  " p::cart::pay at ./p.rs:1}" },
	{ "Rust, full", "stack backtrace:\n   0:     0x557592c16e60 - p::cart::pay::h22\n                               at /tmp/p.rs:1:53\n"
	  "   1:     0x557592c17afe - main\n   2:                0x0 - <unknown>\n   3:     0x5 - <unknown>\n",
	  "{stack backtrace:!|<557592c16e60 p::cart::pay::h22 at /tmp/p.rs:1|<557592c17afe main|<5 }" },
	{ "a list is not Rust's", "1: apples\n2: 0x12 - pears\n", "{1: apples!|<12 pears}" },
	{ "minidump_stackwalk", "Crash reason:  SIGSEGV\n\nThread 0 (crashed)\n 0  crash!main [crash.c : 5 + 0x3]\n"
	  "    rax = 0x0000000000000001   rip = 0x0000000000401136\n    Found by: given as instruction pointer in context\n"
	  " 1  libc.so.6 + 0x27249\n    rsp = 0x00007ffe13370000   rip = 0x00007f6ddcbff249\n    Found by: stack scanning\n"
	  " 2  0x7fff12\n\nThread 1 worker - tid: 77\n 0  libc.so.6!poll + 0x12\n",
	  "{Thread 0 (crashed)!#0|=401136 main at crash.c:5 in crash of main|<7f6ddcbff249  in libc.so.6+27249|<7fff12 }"
	  "{Thread 1 worker - tid: 77#1@77'worker'| poll in libc.so.6+12 of poll}" },
	{ "minidump_stackwalk -m", "OS|Linux|0.0.0\nCPU|amd64|family 6|4\nCrash|SIGSEGV|0x0|1\n\n0|0|libc.so.6||||0x27249\n"
	  "1|0|crash|main|crash.c|5|0x3\n1|1|crash|f|||0x12\n1|2|||||0x7f12\n",
	  "{#0|  in libc.so.6+27249}{!#1| main at crash.c:5 in crash of main| f in crash+12 of f|<7f12 }" },
	{ "lldb", "* thread #1, name = 'crash', stop reason = signal SIGSEGV: invalid address\n"
	  "  * frame #0: 0x0000000100003f50 crash`(anonymous namespace)::pay(this=0x0, n=(1, 2)) at crash.cc:9:5 [opt]\n"
	  "    frame #1: 0x0000000100003f80 crash`main + 24\n    frame #2: 0x0000000100003f90 libc.so.6`___lldb_unnamed_symbol12 + 4\n"
	  "    frame #3: 0x0000000100003f91\n  thread #2, name = 'worker'\n    frame #0: 0x5 libc.so.6`poll\n",
	  "{* thread #1, name = 'crash', stop reason = signal SIGSEGV: invalid address!#1'crash'|"
	  "=100003f50 (anonymous namespace)::pay at crash.cc:9 in crash|<100003f80 main in crash|<100003f90  in libc.so.6|<100003f91 }"
	  "{thread #2, name = 'worker'#2'worker'|=5 poll in libc.so.6}" },
	{ "a mark of UTF-8", "\xef\xbb\xbf#0  0x1 in f () at a.c:1\n", "{!|=1 f at a.c:1}" },
	{ "prefixes of a container", "2024-01-02T03:04:05.678Z stderr F     #0 0x55 in f a.c:1\nweb-1  |     #1 0x56 in g a.c:2\n",
	  "{!|=55 f at a.c:1|=56 g at a.c:2}" },
	{ "numbers too large", "#99999999999999999999 0x1 in f ()\n#0 0x11111111111111111 in g ()\n"
	  "#1  0x1 in f () at a.c:99999999999999\n#2 0x2 in f (/m+0x11111111111111111)\n",
	  "{#99999999999999999999 0x1 in f ()!| 0x11111111111111111 in g|=1 f () at a.c:99999999999999|"
	  "<2 f}" },
};

START_TEST(stacks_are_read)
{
	struct stacktext text;
	struct arena arena;
	struct buf shown;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	buf_init(&shown, 65536);
	ck_assert_msg(stacktext_read(&text, text_of(stacks[_i].text), &arena, &err) == 0, "%s", err.text);
	show(&text, &shown);
	ck_assert_msg(strcmp(buf_string(&shown), stacks[_i].read) == 0, "%s:\n%s", stacks[_i].what,
		      buf_string(&shown));
	buf_release(&shown);
	arena_release(&arena);
}
END_TEST

static const struct { const char *what, *text, *reason, *details, *os_name, *cpu; } said[] = {
	{ "gdb", "Thread 1 \"a\" received signal SIGABRT, Aborted.\n#0 0x1 in f ()\n", "SIGABRT, Aborted", NULL, NULL, NULL },
	{ "the first counts", "Program received signal SIGSEGV, Segmentation fault.\nProgram terminated with signal SIGABRT, Aborted.\n",
	  "SIGSEGV, Segmentation fault", NULL, NULL, NULL },
	{ "AddressSanitizer", "==1==ERROR: AddressSanitizer: SEGV on 0x0\n", "AddressSanitizer: SEGV on 0x0", NULL, NULL, NULL },
	{ "ThreadSanitizer", "WARNING: ThreadSanitizer: data race (pid=1)\n", "ThreadSanitizer: data race (pid=1)", NULL, NULL, NULL },
	{ "a tombstone", "signal 6 (SIGABRT), code -1\nAbort message: 'no cart'\nABI: 'arm64'\n", "signal 6 (SIGABRT), code -1", "'no cart'",
	  NULL, "arm64" },
	{ "Rust", "thread 'main' panicked at p.rs:1:53:\n  no cart\n", "panicked at p.rs:1:53", "no cart", NULL, NULL },
	{ "older Rust", "thread 'main' panicked at 'no cart', p.rs:1:53\nnote: x\n", "panicked at 'no cart', p.rs:1:53", NULL, NULL, NULL },
	{ "stackwalk", "Operating system: Linux\nCPU: amd64\n     4 CPUs\nCrash reason:  SIGSEGV\nCrash address: 0x12\n", "SIGSEGV", "0x12",
	  "Linux", "amd64" },
	{ "stackwalk -m", "OS|Windows NT|10\nCPU|x86||4\nCrash|EXCEPTION_ACCESS_VIOLATION|0x12|3\n", "EXCEPTION_ACCESS_VIOLATION", "0x12",
	  "Windows NT", "x86" },
	{ "lldb", "* thread #1, queue = 'a', stop reason = EXC_BAD_ACCESS (code=1)\n", "EXC_BAD_ACCESS (code=1)", NULL, NULL, NULL },
	{ "nothing", "signal lost\nCPU: \nCrash|\nthread 'a'\n", NULL, NULL, NULL, NULL },
};

static void check_fact(const char *what, struct text fact, const char *expected)
{
	ck_assert_msg(expected ? text_is(fact, expected) : !fact.bytes, "%s: %.*s", what, (int)fact.size, fact.bytes);
}

START_TEST(facts_are_read)
{
	struct stacktext text;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(stacktext_read(&text, text_of(said[_i].text), &arena, &err), 0);
	check_fact(said[_i].what, text.facts.reason, said[_i].reason);
	check_fact(said[_i].what, text.facts.details, said[_i].details);
	check_fact(said[_i].what, text.facts.os_name, said[_i].os_name);
	check_fact(said[_i].what, text.facts.cpu, said[_i].cpu);
	arena_release(&arena);
}
END_TEST

/* --- Modules ------------------------------------------------------------------------------ */

static const struct { const char *what, *text, *images; } placed[] = {
	{ "by offsets", "    #0 0x563f1bb07f18  (/b/casan+0xdef18)\n    #1 0x563f1bb08f18  (/b/casan+0xdff18) (BuildId: 704fb21d)\n"
	  "    #2 0x563f1bb07f19 in f a.c:1\n", "/b/casan 563f1ba29000-563f1bb09000 id 704fb21d:000" },
	{ "without addresses", "#0 f a.c:1 (a+0x12) (BuildId: 11)\n#1 g a.c:2 (b+0x12) (BuildId: 22)\n#2 h a.c:3 (a+0x1013) (BuildId: 11)\n",
	  "a rel-2000 id 11;b rel-1000 id 22:010" },
	{ "two builds of one name", "#0 f a.c:1 (a+0x12) (BuildId: 11)\n#1 g a.c:2 (a+0x12) (BuildId: 22)\n", "a rel-1000 id 11;a rel-1000 id 22:01" },
	{ "by mappings", "#0 0x7ffff7df8001 in f ()\n#1  0x5 in g ()\n0x7ffff7dd2000 0x7ffff7df8000 0x26000 0x0 r--p /usr/lib/libc.so.6\n"
	  "0x7ffff7df8000 0x7ffff7f4e000 0x156000 0x26000 r-xp /usr/lib/libc.so.6\n", "/usr/lib/libc.so.6 7ffff7dd2000-7ffff7f4e000:0-" },
	{ "by a list", " 0  crash!main [crash.c : 5 + 0x3]\n    rip = 0x0000000000401136\n 1  libc.so.6 + 0x27249\n    rip = 0x00007f6ddcbff249\n"
	  "Loaded modules:\n0x00400000 - 0x00404fff  crash  ???  (main)  (WARNING: No symbols, crash, 0123ABCD)\n"
	  "0x7f6ddcbd8000 - 0x7f6ddcda0fff  libc.so.6  ???\n", "crash 400000-405000 debug 0123ABCD;libc.so.6 7f6ddcbd8000-7f6ddcda1000:01" },
	{ "by a name in a list", "0|0|crash||||0x1136\n0|1|crash|f|a.c|3|0x1\n0|2|none||||0x1\nModule|crash|1|crash.pdb|5A98|0x00400000|0x0042bfff|1\n"
	  "Module|bad|1|b|5A98|0x2|0x1|1\n", "crash 400000-42c000 debug 5A98;none rel-1000:0-1" },
	{ "an offset that is too large", "#0 0x12 (a+0x13)\n", ":-" },
	{ "an offset from a symbol", "./a(f+0x12)[0x55f8392b31d1]\n", ":-" },
};

START_TEST(frames_are_placed)
{
	struct stacktext_images images;
	struct stacktext text;
	struct arena arena;
	struct err err = ERR_INIT;
	struct buf shown;

	arena_init(&arena, CEILING_BYTES);
	buf_init(&shown, 65536);
	ck_assert_int_eq(stacktext_read(&text, text_of(placed[_i].text), &arena, &err), 0);
	ck_assert_int_eq(stacktext_images_find(&images, &text, &arena, &err), 0);
	for (size_t i = 0; i < images.count; i++) {
		const struct stacktext_image *image = &images.images[i];

		buf_printf(&shown, "%s%.*s ", i ? ";" : "", (int)image->path.size, image->path.bytes);
		if (image->is_relative)
			buf_printf(&shown, "rel-%llx", (unsigned long long)image->end);
		else
			buf_printf(&shown, "%llx-%llx", (unsigned long long)image->base, (unsigned long long)image->end);
		if (image->build_id.bytes)
			buf_printf(&shown, " id %.*s", (int)image->build_id.size, image->build_id.bytes);
		if (image->debug_id.bytes)
			buf_printf(&shown, " debug %.*s", (int)image->debug_id.size, image->debug_id.bytes);
	}
	buf_add_char(&shown, ':');
	for (size_t i = 0; i < images.frame_count; i++)
		buf_printf(&shown, images.of_frames[i] == STACKTEXT_NO_IMAGE ? "-" : "%zu", images.of_frames[i]);
	ck_assert_msg(strcmp(buf_string(&shown), placed[_i].images) == 0, "%s:\n%s", placed[_i].what, buf_string(&shown));
	buf_release(&shown);
	arena_release(&arena);
}
END_TEST

struct reading_work { struct text text; };

static int read_and_place(void *payload, struct err *err)
{
	const struct reading_work *work = payload;
	struct stacktext_images images;
	struct stacktext text;
	struct arena arena;
	int rc;

	arena_init(&arena, CEILING_BYTES);
	rc = stacktext_read(&text, work->text, &arena, err);
	if (rc == 0)
		rc = stacktext_images_find(&images, &text, &arena, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct reading_work work = { .text = text_of(placed[_i].text) };

	support_every_allocation_failure(read_and_place, &work, 100);
}
END_TEST

static const char maps[] =
	"555555554000-555555555000 r--p 00000000 08:01 123                        /tmp/a b/crash (deleted)\n"
	"555555555000-555555556000 r-xp 00001000 08:01 123                        /tmp/a b/crash (deleted)\n"
	"555555558000-555555559000 rw-p 00000000 00:00 0 \n"
	"7ffff7fc8000-7ffff7fca000 r-xp 00000000 00:00 0                          [vdso]\n"
	"          Start Addr           End Addr       Size     Offset  Perms  objfile\n"
	"      0x7ffff7dd2000     0x7ffff7df8000    0x26000        0x0  r--p   /usr/lib/libc.so.6\n"
	"      0x7ffff7df8000     0x7ffff7f4e000   0x156000    0x26000  r-xp   /usr/lib/libc.so.6\n"
	"      0x7ffff7fa7000     0x7ffff7fb4000     0xd000        0x0  rw-p   \n"
	"            0x400000           0x401000     0x1000        0x0 /old/gdb\n"
	"      0x7ffff7df8000     0x7ffff7f4e000   0x1        0x26000  r-xp   /wrong/size\n"
	"7000-6000 r-xp 0 08:01 1 /wrong/order\nzzz-fff r-xp 0 08:01 1 /x\n";

START_TEST(mappings_are_read)
{
	static const struct { uint64_t address; const char *path; uint64_t base; } asked[] = {
		{ 0x555555554000, "/tmp/a b/crash", 0x555555554000 },
		{ 0x555555555fff, "/tmp/a b/crash", 0x555555554000 }, { 0x555555556000, NULL, 0 },
		{ 0x555555558000, NULL, 0 }, { 0x7ffff7fc8000, NULL, 0 },
		{ 0x7ffff7f4dfff, "/usr/lib/libc.so.6", 0x7ffff7dd2000 }, { 0x7ffff7f4e000, NULL, 0 },
		{ 0x400fff, "/old/gdb", 0x400000 }, { 0x6500, NULL, 0 }, { 0, NULL, 0 },
		{ UINT64_MAX, NULL, 0 },
	};
	struct stacktext text;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(stacktext_read(&text, text_of(maps), &arena, &err), 0);
	ck_assert_uint_eq(text.stack_count, 0);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const struct stacktext_mapping *found = stacktext_mapping_at(&text, asked[i].address);

		ck_assert_msg(!found == !asked[i].path, "%llx", (unsigned long long)asked[i].address);
		if (!found)
			continue;
		ck_assert(text_is(found->path, asked[i].path));
		ck_assert_uint_eq(stacktext_base(&text, found->path), asked[i].base);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(addresses_are_read)
{
	uint64_t address;

	ck_assert(stacktext_address(TEXT("0x12aB"), &address) && address == 0x12ab);
	ck_assert(stacktext_address(TEXT("12ab"), &address) && address == 0x12ab);
	ck_assert(!stacktext_address(TEXT(""), &address));
	ck_assert(!stacktext_address(TEXT("0x"), &address));
	ck_assert(!stacktext_address(TEXT("stack.txt"), &address));
	ck_assert(!stacktext_address(TEXT("11111111111111111"), &address));
}
END_TEST

START_TEST(too_large_a_text_is_refused)
{
	static char large[STACKTEXT_BYTES_MAX + 1];
	struct stacktext text;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_lt(stacktext_read(&text, (struct text){ large, sizeof(large) }, &arena, &err), 0);
	ck_assert_int_eq(err.kind, ERR_TOO_LARGE);
	memset(large, '\n', sizeof(large));
	err_clear(&err);
	ck_assert_int_lt(stacktext_read(&text, (struct text){ large, sizeof(large) - 1 }, &arena, &err), 0);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	arena_release(&arena);
}
END_TEST

static void read_bytes(void *payload, const uint8_t *bytes, size_t size)
{
	struct stacktext text;
	struct arena arena;
	struct err err = ERR_INIT;

	(void)payload;
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(stacktext_read(&text, (struct text){ (const char *)bytes, size }, &arena, &err), 0);
	for (size_t i = 0; i < text.stack_count; i++)
		ck_assert_uint_le(text.stacks[i].first + text.stacks[i].count, text.frame_count);
	arena_release(&arena);
}

START_TEST(survives_every_byte_change)
{
	struct buf all;

	buf_init(&all, 65536);
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++)
		buf_add_string(&all, stacks[i].text);
	for (size_t i = 0; i < sizeof(placed) / sizeof(placed[0]); i++)
		buf_add_string(&all, placed[i].text);
	buf_add_string(&all, maps);
	support_every_byte_change((const uint8_t *)all.bytes, all.size, read_bytes, NULL);
	buf_release(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stacktext");
	TCase *tcase = tcase_create("stacktext");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, stacks_are_read, 0, (int)(sizeof(stacks) / sizeof(stacks[0])));
	tcase_add_loop_test(tcase, facts_are_read, 0, (int)(sizeof(said) / sizeof(said[0])));
	tcase_add_loop_test(tcase, frames_are_placed, 0, (int)(sizeof(placed) / sizeof(placed[0])));
	tcase_add_loop_test(tcase, survives_every_allocation_failure, 0, (int)(sizeof(placed) / sizeof(placed[0])));
	tcase_add_test(tcase, mappings_are_read);
	tcase_add_test(tcase, addresses_are_read);
	tcase_add_test(tcase, too_large_a_text_is_refused);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

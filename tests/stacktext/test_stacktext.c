/* test_stacktext -- stacks and mappings as gdb, sanitizers, glibc and the kernel print them. */
#include "support/support.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "stacktext/stacktext.h"

#define CEILING_BYTES ((size_t)64 << 20)

/* What was read, in one line a stack: title, then each frame. */
static void show(const struct stacktext *text, struct buf *out)
{
	for (size_t i = 0; i < text->stack_count; i++) {
		const struct stacktext_stack *stack = &text->stacks[i];

		buf_add_char(out, '{');
		buf_add_text(out, stack->title);
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
	  "{|<55f8392b31d1  in ./crash+11d1|<7f89ed03ed36 qsort_r in /lib/libc.so.6+b6 of qsort_r}" },
	{ "glibc, backtrace_symbols()", "./crash(+0x11d1) [0x55f8392b31d1]\n./crash() [0x401136]\n[0x7fff1]\n",
	  "{|<55f8392b31d1  in ./crash+11d1|<401136  in ./crash|<7fff1 }" },
	{ "glibc, without dynamic symbols", "./fixed[0x4011be]\n", "{|<4011be  in ./fixed}" },
	{ "glibc, folders with blanks", "/a b/c(+0x1)[0x2]\n", "{|<2  in /a b/c+1}" },
	{ "glibc, C++", "./x(_ZN1a1bEv+0x10)[0x55]\n", "{|<55 _ZN1a1bEv in ./x+10 of _ZN1a1bEv}" },
	{ "prose with an address", "the value is [0x12]\n", "" },
	{ "gdb", "#0  compare (a=a@entry=0x7fff, b=0x0) at crash.c:27\n"
	  "#1  0x00007ffff7e11bf4 in msort_with_tmp (p=0x7f, n=n@entry=2) at ./stdlib/msort.c:64\n"
	  "#2  0x000055555555523a in ?? ()\n#10 0x00007ffff7e2a0f1 in raise () from /lib/libc.so.6\n",
	  "{| compare at crash.c:27|<7ffff7e11bf4 msort_with_tmp at ./stdlib/msort.c:64|<55555555523a |"
	  "<7ffff7e2a0f1 raise}" },
	{ "gdb, a signal", "#0  0x1 in f ()\n#1  <signal handler called>\n#2  0x2 in g ()\n#3  0x3 in h ()\n",
	  "{|=1 f|=2 g|<3 h}" },
	{ "gdb, C++", "#0  0x1 in std::function<void (int)>::operator()(int) const (this=0x1) at /usr/x.h:5\n"
	  "#1  0x2 in operator new (size=3) at n.cc:7\n",
	  "{|=1 std::function<void (int)>::operator()(int) const at /usr/x.h:5|<2 operator new at n.cc:7}" },
	{ "gdb, threads", "Thread 2 (Thread 0x7f (LWP 3)):\n#0  0x1 in f ()\n\nThread 1 (LWP 2):\n#0  0x2 in g ()\n",
	  "{Thread 2 (Thread 0x7f (LWP 3)):|=1 f}{Thread 1 (LWP 2):|=2 g}" },
	{ "two stacks without a line between", "#0  0x1 in f ()\n#1  0x2 in g ()\n#0  0x3 in h ()\n",
	  "{|=1 f|<2 g}{|=3 h}" },
	{ "AddressSanitizer, with names", "==1==ERROR: AddressSanitizer: SEGV on address 0x0 (pc 0x5)\n"
	  "==1==Hint: address points to the zero page.\n"
	  "    #0 0x5580a50ca3b1 in inner /src/crash.c:11\n    #1 0x55 in ns::f(int, char) /src/a b.cc:3:9\n"
	  "    #2 0x5580a50ca1b0 in _start (/src/asan+0x11b0)\n",
	  "{==1==ERROR: AddressSanitizer: SEGV on address 0x0 (pc 0x5)|=5580a50ca3b1 inner at /src/crash.c:11|"
	  "=55 ns::f(int, char) /src/a at b.cc:3|=5580a50ca1b0 _start in /src/asan+11b0}" },
	{ "AddressSanitizer, without", "    #0 0x563f1bb07f18  (/b/casan+0xdef18) (BuildId: 704fb21d)\n"
	  "    #1 0x7fc11e53b249  (/lib/libc.so.6+0x27249)\n",
	  "{|=563f1bb07f18  in /b/casan+def18 id 704fb21d|=7fc11e53b249  in /lib/libc.so.6+27249}" },
	{ "AddressSanitizer, two stacks", "READ of size 4 at 0x1 thread T0\n    #0 0x1 in f a.c:1\n\n"
	  "freed by thread T0 here:\n    #0 0x2 in g b.c:2\n",
	  "{READ of size 4 at 0x1 thread T0|=1 f at a.c:1}{freed by thread T0 here:|=2 g at b.c:2}" },
	{ "UndefinedBehaviorSanitizer", "u.c:3:5: runtime error: signed integer overflow\n"
	  "    #0 0x4 in f u.c:3:5\n", "{u.c:3:5: runtime error: signed integer overflow|=4 f at u.c:3}" },
	{ "lines that end as on Windows", "#0  0x1 in f () at a.c:1\r\n", "{|=1 f at a.c:1}" },
	{ "numbers too large", "#99999999999999999999 0x1 in f ()\n#0 0x11111111111111111 in g ()\n"
	  "#1  0x1 in f () at a.c:99999999999999\n#2 0x2 in f (/m+0x11111111111111111)\n",
	  "{#99999999999999999999 0x1 in f ()| 0x11111111111111111 in g|=1 f () at a.c:99999999999999|"
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
	tcase_add_test(tcase, mappings_are_read);
	tcase_add_test(tcase, addresses_are_read);
	tcase_add_test(tcase, too_large_a_text_is_refused);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

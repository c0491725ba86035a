/* test_stacktext_kind -- which kind files and texts are that people drop, misleading ones among them. */
#include "support/support.h"

#include <string.h>

#include "base/buf.h"
#include "stacktext/stacktext_kind.h"

#define SAMPLE(bytes) bytes, sizeof(bytes) - 1

static const struct {
	const char *what, *bytes;
	size_t size;
	enum stacktext_kind kind;
	enum stacktext_dialect dialect;
	const char *reason;          /* in it */
} samples[] = {
	/* files */
	{ "a minidump", SAMPLE("MDMP\x93\xa7\0\0\1\0\0\0"), STACKTEXT_MINIDUMP, 0, NULL },
	{ "of the other byte order", SAMPLE("PMDM\xa7\x93\0\0"), STACKTEXT_MINIDUMP, 0, NULL },
	{ "text about a minidump", SAMPLE("MDMP is its magic number\n"), STACKTEXT_UNKNOWN, 0, "no line is a frame" },
	{ "a core", SAMPLE("\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\x3e\0"), STACKTEXT_CORE, 0, NULL },
	{ "a core, big endian", SAMPLE("\x7f" "ELF\1\2\1\0\0\0\0\0\0\0\0\0\0\4\0\x14"), STACKTEXT_CORE, 0, NULL },
	{ "a program", SAMPLE("\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0\x3e\0"), STACKTEXT_UNKNOWN, 0, "no core" },
	{ "a cut header", SAMPLE("\x7f" "ELF\2\1"), STACKTEXT_UNKNOWN, 0, "ends in its header" },
	{ "gzip", SAMPLE("\x1f\x8b\x08\0\0\0\0\0"), STACKTEXT_CORE, 0, NULL },
	{ "zstd", SAMPLE("\x28\xb5\x2f\xfd\0"), STACKTEXT_CORE, 0, NULL },
	{ "xz", SAMPLE("\xfd" "7zXZ\0\0"), STACKTEXT_CORE, 0, NULL },
	{ "lz4", SAMPLE("\x04\x22\x4d\x18\0"), STACKTEXT_CORE, 0, NULL },
	{ "zip", SAMPLE("PK\3\4\0\0"), STACKTEXT_UNKNOWN, 0, "zip archive" },
	{ "a program of Windows", SAMPLE("MZ\x90\0"), STACKTEXT_UNKNOWN, 0, "Windows" },
	{ "a PDB", SAMPLE("Microsoft C/C++ MSF 7.00\r\n\x1a" "DS"), STACKTEXT_UNKNOWN, 0, "PDB" },
	{ "a Portable PDB", SAMPLE("BSJB\1\0\1\0"), STACKTEXT_UNKNOWN, 0, "Portable PDB" },
	{ "WebAssembly", SAMPLE("\0asm\1\0\0\0"), STACKTEXT_UNKNOWN, 0, "WebAssembly" },
	{ "a bundle", SAMPLE("SYSB\2\0\0\0"), STACKTEXT_UNKNOWN, 0, "bundle" },
	{ "a symbol file", SAMPLE("MODULE Linux x86_64 000000000000000000000000000000000 a\n"), STACKTEXT_UNKNOWN, 0,
	  "Breakpad" },
	{ "Mach-O", SAMPLE("\xcf\xfa\xed\xfe\7\0\0\1"), STACKTEXT_UNKNOWN, 0, "Mach-O" },
	{ "a picture", SAMPLE("\x89PNG\r\n\x1a\n"), STACKTEXT_UNKNOWN, 0, "picture" },
	{ "bytes", SAMPLE("\1\2\3\0\4"), STACKTEXT_UNKNOWN, 0, "no kind" },
	{ "nothing", SAMPLE(""), STACKTEXT_UNKNOWN, 0, "empty" },
	{ "blanks", SAMPLE(" \r\n\t\n"), STACKTEXT_UNKNOWN, 0, "empty" },
	{ "UTF-16", SAMPLE("\xff\xfe#\0" "0\0"), STACKTEXT_UNKNOWN, 0, "UTF-16" },
	{ "a mark and nothing", SAMPLE("\xef\xbb\xbf"), STACKTEXT_UNKNOWN, 0, "empty" },

	/* requests */
	{ "a native request", SAMPLE("{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x1\"}]}],"
	  "\"modules\":[{\"type\":\"elf\",\"image_addr\":\"0x1\"}]}"), STACKTEXT_REQUEST_NATIVE, 0, NULL },
	{ "modules first", SAMPLE("{\"modules\":[{\"type\":\"pe\"}],\"stacktraces\":[]}"), STACKTEXT_REQUEST_NATIVE, 0, NULL },
	{ "with release and scraping", SAMPLE("{\"release\":\"1\",\"scraping\":{\"enabled\":true},\"stacktraces\":[{\"frames\":["
	  "{\"abs_path\":\"https://a/b.js\",\"lineno\":1,\"colno\":2}]}],\"modules\":[]}"), STACKTEXT_REQUEST_JS, 0, NULL },
	{ "maps as modules", SAMPLE("{\"stacktraces\":[],\"modules\":[{\"code_file\":\"a.js\",\"type\":\"sourcemap\"}]}"),
	  STACKTEXT_REQUEST_JS, 0, NULL },
	{ "a platform", SAMPLE("{\"platform\":\"node\",\"stacktraces\":[{\"frames\":[{\"lineno\":1}]}]}"),
	  STACKTEXT_REQUEST_JS, 0, NULL },
	{ "Java", SAMPLE("{\"sources\":[],\"stacktraces\":[{\"exception\":{\"type\":\"a\",\"module\":\"b\"},\"frames\":["
	  "{\"function\":\"a\",\"module\":\"b\",\"index\":0}]}],\"modules\":[{\"uuid\":\"x\",\"type\":\"proguard\"}]}"),
	  STACKTEXT_REQUEST_JVM, 0, NULL },
	{ "Java as text", SAMPLE("{\"sources\":[],\"texts\":[\"at a.b.c(SourceFile:1)\"]}"), STACKTEXT_REQUEST_JVM, 0, NULL },
	{ "another file's address", SAMPLE("{\"symbolicate\":{\"type\":\"minidump\",\"storage_url\":\"http://x\"}}"),
	  STACKTEXT_REQUEST_ANY, 0, NULL },
	{ "Mozilla's", SAMPLE("{\"jobs\":[{\"memoryMap\":[[\"a\",\"B\"]],\"stacks\":[[[0,1]]]}]}"), STACKTEXT_REQUEST_MOZILLA, 0, NULL },
	{ "Mozilla's older", SAMPLE("{\"version\":4,\"memoryMap\":[],\"stacks\":[]}"), STACKTEXT_REQUEST_MOZILLA, 0, NULL },
	{ "a mark before JSON", SAMPLE("\xef\xbb\xbf{\"stacktraces\":[]}"), STACKTEXT_REQUEST_NATIVE, 0, NULL },
	{ "JSON cut short", SAMPLE("{\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"0x1\"},{\"instr"),
	  STACKTEXT_REQUEST_NATIVE, 0, NULL },
	{ "names with escapes", SAMPLE("{\"stack\\u0074races\":[]}"), STACKTEXT_REQUEST_NATIVE, 0, NULL },
	{ "an answer", SAMPLE("{\"status\":\"completed\",\"stacktraces\":[],\"modules\":[]}"), STACKTEXT_UNKNOWN, 0, "answer" },
	{ "an event", SAMPLE("{\"event_id\":\"1\",\"exception\":{\"values\":[]}}"), STACKTEXT_UNKNOWN, 0, "event" },
	{ "JSON with a stack as text", SAMPLE("{\"log\":\"#0 0x1 in f () at a.c:1\\n\",\"stream\":\"stderr\"}"),
	  STACKTEXT_UNKNOWN, 0, "no request" },
	{ "an empty object", SAMPLE("{}\n"), STACKTEXT_UNKNOWN, 0, "empty object" },
	{ "a brace", SAMPLE("{"), STACKTEXT_UNKNOWN, 0, "no line" },
	{ "minidump_stackwalk's JSON", SAMPLE("{\"status\":\"OK\",\"crash_info\":{},\"threads\":[],\"modules\":[]}"), STACKTEXT_UNKNOWN, 0,
	  "minidump_stackwalk" },
	{ "a brace and a stack", SAMPLE("{1} shop\n#0  0x1 in f () at a.c:1\n"), STACKTEXT_NATIVE, STACKTEXT_GDB, NULL },

	/* Apple */
	{ "an Apple report", SAMPLE("Incident Identifier: 1-2\r\nHardware Model:      Mac\r\n\r\nThread 0 Crashed:\r\n"
	  "0   libsystem_kernel.dylib  0x00007fff __pthread_kill + 8\r\n"), STACKTEXT_APPLE, 0, NULL },
	{ "one line of it", SAMPLE("OS Version: 12\nit crashed\n"), STACKTEXT_UNKNOWN, 0, "no line" },
	{ "ips", SAMPLE("{\"app_name\":\"a\",\"bug_type\":\"309\"}\n{\"threads\":[],\"usedImages\":[]}\n"), STACKTEXT_IPS, 0, NULL },
	{ "ips with text behind", SAMPLE("{\"bug_type\":\"109\",\"name\":\"a\"}\nIncident Identifier: 1\n"), STACKTEXT_IPS, 0, NULL },
	{ "ips without its first line", SAMPLE("{\"threads\":[],\n \"usedImages\":[]}"), STACKTEXT_IPS, 0, NULL },

	/* JavaScript */
	{ "V8", SAMPLE("TypeError: x is not a function\n    at pay (https://shop.example/a.min.js:1:2034)\n"
	  "    at https://shop.example/a.min.js:1:99\n"), STACKTEXT_JS, 0, NULL },
	{ "V8 in CRLF with a mark", SAMPLE("\xef\xbb\xbf" "Error: x\r\n    at async Shop.pay (file:///a.js:1:2)\r\n"), STACKTEXT_JS, 0, NULL },
	{ "Firefox", SAMPLE("pay@https://shop.example/a.min.js:1:2034\n@https://shop.example/a.min.js:1:99\n"), STACKTEXT_JS, 0, NULL },
	{ "behind a bar", SAMPLE("web-1  | Error: x\nweb-1  |     at pay (/srv/a.js:10:3)\n"), STACKTEXT_JS, 0, NULL },
	{ "an address of mail", SAMPLE("ask me@shop.example:22\nme@shop.example:25:1\n"), STACKTEXT_UNKNOWN, 0, "no line" },

	/* Java */
	{ "Java's trace", SAMPLE("java.lang.IllegalStateException: no cart\n\tat shop.Cart.pay(Cart.java:12)\n"
	  "\tat a.a.b(Unknown Source)\nCaused by: java.io.IOException\n\t... 3 more\n"), STACKTEXT_JVM, 0, NULL },
	{ "obfuscated", SAMPLE("a.b.c: x\n    at a.b.c.d(SourceFile:1)\n    at a.b.c.e(r8-map-id-0123:7)\n"), STACKTEXT_JVM, 0, NULL },
	{ "in logcat, brief", SAMPLE("E/AndroidRuntime( 1234): FATAL EXCEPTION: main\n"
	  "E/AndroidRuntime( 1234): \tat shop.Cart.pay(Cart.java:12)\n"), STACKTEXT_JVM, 0, NULL },
	{ "in logcat, with times", SAMPLE("01-02 03:04:05.678  1234  1240 E AndroidRuntime: \tat shop.Cart.pay(Cart.kt:12)\n"),
	  STACKTEXT_JVM, 0, NULL },
	{ "with files of classes", SAMPLE("\tat shop.Cart.pay(Cart.java:12) ~[shop.jar:1.0]\n"), STACKTEXT_JVM, 0, NULL },
	{ "V8 with a name of dots", SAMPLE("Error\n    at a.b.c (d.js:1:2)\n"), STACKTEXT_JS, 0, NULL },

	/* native code */
	{ "gdb", SAMPLE("Program received signal SIGSEGV\n#0  0x0000555555555131 in f (a=1) at a.c:3\n#1  main () at a.c:7\n"),
	  STACKTEXT_NATIVE, STACKTEXT_GDB, NULL },
	{ "gdb that begins with a bracket", SAMPLE("[New LWP 12]\n#0  0x1 in f () from /lib/libc.so.6\n"), STACKTEXT_NATIVE, STACKTEXT_GDB, NULL },
	{ "AddressSanitizer", SAMPLE("==1==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x55 in f a.c:1\n"
	  "    #1 0x56  (/bin/a+0x12) (BuildId: 0011)\n"), STACKTEXT_NATIVE, STACKTEXT_SANITIZER, NULL },
	{ "in a container's log", SAMPLE("2024-01-02T03:04:05.678Z stderr F     #0 0x55 in f a.c:1\n"), STACKTEXT_NATIVE, STACKTEXT_SANITIZER, NULL },
	{ "in a journal", SAMPLE("Jan 02 03:04:05 host shop[12]:     #1 0x56  (/bin/a+0x12)\n"), STACKTEXT_NATIVE, STACKTEXT_SANITIZER, NULL },
	{ "glibc", SAMPLE("./a(main+0x12)[0x55f8392b31d1]\n/lib/libc.so.6(+0x27249)[0x7f89]\n"), STACKTEXT_NATIVE, STACKTEXT_GLIBC, NULL },
	{ "a tombstone", SAMPLE("*** *** ***\nsignal 11 (SIGSEGV)\nbacktrace:\n"
	  "      #00 pc 000000000004a1b8  /data/app/lib/arm64/libshop.so (pay+52) (BuildId: 8e5c0f)\n"), STACKTEXT_NATIVE, STACKTEXT_ANDROID, NULL },
	{ "a tombstone in logcat", SAMPLE("01-02 03:04:05.678  1234  1240 F DEBUG   :       #00 pc 0004a1b8  /system/lib/libc.so (abort+52)\n"),
	  STACKTEXT_NATIVE, STACKTEXT_ANDROID, NULL },
	{ "Rust", SAMPLE("thread 'main' panicked at src/main.rs:3:5:\nno cart\nstack backtrace:\n"
	  "   0: std::panicking::begin_panic_handler\n             at /rustc/0/library/std/src/panicking.rs:652:5\n"
	  "   1: shop::pay\n             at ./src/main.rs:3:5\n"), STACKTEXT_NATIVE, STACKTEXT_RUST, NULL },
	{ "Rust, full", SAMPLE("   0:     0x55d9b1a2c3f1 - shop::pay::h0123456789abcdef\n                               at /src/main.rs:3:5\n"),
	  STACKTEXT_NATIVE, STACKTEXT_RUST, NULL },
	{ "a list with colons", SAMPLE("1: apples\n2: pears\n"), STACKTEXT_UNKNOWN, 0, "no line" },
	{ "minidump_stackwalk", SAMPLE("Operating system: Linux\nCrash reason:  SIGSEGV\n\nThread 0 (crashed)\n"
	  " 0  crash!main [crash.c : 5 + 0x3]\n    rip = 0x0000000000401136\n 1  libc.so.6 + 0x27249\n"), STACKTEXT_NATIVE, STACKTEXT_STACKWALK, NULL },
	{ "minidump_stackwalk -m", SAMPLE("OS|Linux|0.0.0\nCrash|SIGSEGV|0x0|0\n\n0|0|crash|main|crash.c|5|0x3\n0|1|libc.so.6||||0x27249\n"),
	  STACKTEXT_NATIVE, STACKTEXT_STACKWALK_MACHINE, NULL },
	{ "a table with bars", SAMPLE("0|1|2|3|4|5|6\na|b|c|d|e|f|g\n"), STACKTEXT_UNKNOWN, 0, "no line" },

	/* neither */
	{ "mappings", SAMPLE("7f89ed000000-7f89ed026000 r--p 00000000 08:01 1234  /lib/libc.so.6\n"), STACKTEXT_UNKNOWN, 0, "mappings" },
	{ "Python", SAMPLE("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"), STACKTEXT_UNKNOWN, 0, "Python" },
	{ "Go", SAMPLE("goroutine 1 [running]:\nmain.f(...)\n\t/a.go:3 +0x12\n"), STACKTEXT_UNKNOWN, 0, "Go" },
	{ ".NET", SAMPLE("System.Exception: x\n   at Shop.Cart.Pay(Int32 n) in C:\\a.cs:line 12\n"), STACKTEXT_UNKNOWN, 0, ".NET" },
	{ "lldb", SAMPLE("* thread #1\n  * frame #0: 0x0000000100003f80 a`main at a.c:3\n"), STACKTEXT_NATIVE, STACKTEXT_LLDB, NULL },
	{ "HTML", SAMPLE("<!DOCTYPE html>\n<html><body>at f (a.js:1)</body>\n"), STACKTEXT_UNKNOWN, 0, "HTML" },
	{ "prose", SAMPLE("it crashed again, see #1 and [2]\n"), STACKTEXT_UNKNOWN, 0, "no line is a frame" },
	{ "more of Java than of native code", SAMPLE("#00 pc 1  /a.so\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n"), STACKTEXT_JVM, 0, NULL },
};

START_TEST(kinds_are_detected)
{
	struct stacktext_detected found = stacktext_detect((struct text){ samples[_i].bytes, samples[_i].size });

	ck_assert_msg(found.kind == samples[_i].kind && found.dialect == samples[_i].dialect, "%s: %s, %s, %s",
		      samples[_i].what, stacktext_kind_name(found.kind), stacktext_dialect_name(found.dialect),
		      found.reason ? found.reason : "");
	ck_assert_msg(!samples[_i].reason == !found.reason, "%s", samples[_i].what);
	if (found.reason)
		ck_assert_msg(strstr(found.reason, samples[_i].reason), "%s: %s", samples[_i].what, found.reason);
}
END_TEST

START_TEST(packed_cores_are_told)
{
	ck_assert(stacktext_detect(TEXT("\x1f\x8b\x08" "x")).is_packed);
	ck_assert(!stacktext_detect(TEXT("\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0\x3e\0")).is_packed);
}
END_TEST

START_TEST(kinds_have_names)
{
	enum stacktext_kind named;

	for (enum stacktext_kind kind = 0; kind < STACKTEXT_KINDS; kind++)
		ck_assert(stacktext_kind_named(text_of(stacktext_kind_name(kind)), &named) && named == kind);
	ck_assert(!stacktext_kind_named(TEXT("Minidump"), &named));
}
END_TEST

/* A stack behind the bound is not looked for, and one long line is no burden. */
START_TEST(the_look_is_bounded)
{
	struct stacktext_detected found;
	struct buf text;

	buf_init(&text, 8 * STACKTEXT_HEAD_BYTES);
	while (text.size < STACKTEXT_HEAD_BYTES - 1)
		buf_add_char(&text, 'x');
	buf_add_string(&text, "\n#0  0x1 in f () at a.c:1\n");
	found = stacktext_detect(buf_text(&text));
	ck_assert_int_eq(found.kind, STACKTEXT_UNKNOWN);
	memset(text.bytes, '(', STACKTEXT_HEAD_BYTES - 1);
	ck_assert_int_eq(stacktext_detect(buf_text(&text)).kind, STACKTEXT_UNKNOWN);
	text.bytes[100] = '\n';
	memcpy(text.bytes + 101, "#0 0x1 in f () at a.c:1\n", 24);
	ck_assert_int_eq(stacktext_detect(buf_text(&text)).kind, STACKTEXT_NATIVE);
	buf_release(&text);
}
END_TEST

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void detect_bytes(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)samples[_i].bytes, samples[_i].size, detect_bytes, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stacktext_kind");
	TCase *tcase = tcase_create("stacktext_kind");
	const int count = (int)(sizeof(samples) / sizeof(samples[0]));

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, kinds_are_detected, 0, count);
	tcase_add_test(tcase, packed_cores_are_told);
	tcase_add_test(tcase, kinds_have_names);
	tcase_add_test(tcase, the_look_is_bounded);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, count);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

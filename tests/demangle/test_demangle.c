/* test_demangle -- names in, readable names out, and names meant to hurt. */
#include "support/support.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "demangle/demangle.h"

#define OUT_CEILING_BYTES ((size_t)1 << 20)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define MD5 "0123456789abcdef0123456789abcdef"

static const struct {
	const char *what, *name;
	enum language language;
	const char *readable;        /* NULL: stands for itself */
} cases[] = {
	{ "a C name", "main", LANGUAGE_UNKNOWN, NULL },
	{ "no name", "", LANGUAGE_UNKNOWN, NULL },
	{ "a place nobody named", "??", LANGUAGE_UNKNOWN, NULL },
	{ "the same in C++", "??", LANGUAGE_CPP, NULL },
	{ "readable text of a PDB", "google_breakpad::CrashGenerationClient::"
	  "`scalar deleting destructor'(unsigned int)", LANGUAGE_UNKNOWN, NULL },

	{ "C++", "_Z3foov", LANGUAGE_UNKNOWN, "foo()" },
	{ "C++, said so", "_Z3foov", LANGUAGE_CPP, "foo()" },
	{ "C++, in another language's unit", "_Z3foov", LANGUAGE_C, NULL },
	{ "C++ in Objective-C++", "_Z3foov", LANGUAGE_OBJCPP, "foo()" },
	{ "C++ in Rust", "_Z3foov", LANGUAGE_RUST, NULL },
	{ "a C name in C++", "main", LANGUAGE_CPP, NULL },
	{ "const after what it belongs to", "__ZN3foo3barEPKc", LANGUAGE_UNKNOWN,
	  "foo::bar(char const*)" },
	{ "anonymous namespace",
	  "_ZN12_GLOBAL__N_18callbackERKN15google_breakpad18MinidumpDescriptorEPvb",
	  LANGUAGE_CPP,
	  "(anonymous namespace)::callback(google_breakpad::MinidumpDescriptor const&, "
	  "void*, bool)" },
	{ "no return type", "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
	  LANGUAGE_CPP, "std::move<int&>(int&)" },
	{ "no return type of an enclosing function", "_ZZ3fooIiEiT_ENKUlvE_clEv",
	  LANGUAGE_CPP, "foo<int>(int)::{lambda()#1}::operator()() const" },
	{ "no return type of a function as an argument", "_Z3barIXadL_Z3fooIiEvT_EEEvv",
	  LANGUAGE_CPP, "bar<&(foo<int>(int))>()" },
	{ "return types of pointers stay", "_Z1fPFivE", LANGUAGE_CPP, "f(int (*)())" },
	{ "nested templates", "_ZNSt6vectorIiSaIiEE9push_backEOi", LANGUAGE_CPP,
	  "std::vector<int, std::allocator<int> >::push_back(int&&)" },
	{ "a conversion", "_ZN3FoocviEv", LANGUAGE_CPP, "Foo::operator int()" },
	{ "a destructor", "_ZN1AD0Ev", LANGUAGE_CPP, "A::~A()" },
	{ "a vtable", "_ZTV3Foo", LANGUAGE_CPP, "vtable for Foo" },
	{ "a thunk", "_ZThn16_N3Foo3barEv", LANGUAGE_CPP, "non-virtual thunk to Foo::bar()" },
	{ "a clone", "_Z3foov.isra.0", LANGUAGE_CPP, "foo() [clone .isra.0]" },
	{ "a hash at the end", "_Z3foov$" MD5, LANGUAGE_CPP, "foo()" },
	{ "a hash too short", "_Z3foov$0123", LANGUAGE_CPP, NULL },
	{ "a block", "____Z3foov_block_invoke_2", LANGUAGE_UNKNOWN,
	  "invocation function for block in foo()" },
	{ "a block without a number", "___Z3foov_block_invoke", LANGUAGE_UNKNOWN,
	  "invocation function for block in foo()" },
	{ "three underscores and no block", "___Z3foov", LANGUAGE_UNKNOWN, NULL },
	{ "five underscores", "_____Z3foov_block_invoke", LANGUAGE_UNKNOWN, NULL },
	{ "a global constructor", "_GLOBAL__I__Z3foov", LANGUAGE_CPP,
	  "global constructors keyed to foo()" },
	{ "a file's constructors", "_GLOBAL__sub_I_x", LANGUAGE_CPP, NULL },
	{ "cut short", "_ZN3foo3ba", LANGUAGE_CPP, NULL },
	{ "rubbish behind", "_Z3foov@@VERS_1", LANGUAGE_CPP, NULL },

	{ "legacy Rust", "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	  LANGUAGE_UNKNOWN, "core::fmt::Formatter::write_str" },
	{ "legacy Rust of macOS", "__ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	  LANGUAGE_RUST, "core::fmt::Formatter::write_str" },
	{ "legacy Rust with a suffix",
	  "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE.llvm.1234567",
	  LANGUAGE_UNKNOWN, "core::fmt::Formatter::write_str" },
	{ "legacy Rust, escapes",
	  "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
	  "3bar17h930b740aa94f1d3aE", LANGUAGE_RUST,
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	{ "Rust v0", "_RNvCskwGfYPst2Cb_3foo16example_function", LANGUAGE_UNKNOWN,
	  "foo::example_function" },
	{ "Rust v0 with arguments", "_RINvNtC3std3mem8align_ofdE", LANGUAGE_RUST,
	  "std::mem::align_of::<f64>" },
	{ "Rust v0, a crate without a name", "_RNvC01b", LANGUAGE_RUST, "::b" },
	{ "Rust v0, cut short", "_RNvCskwGfYPst2Cb_3foo16examp", LANGUAGE_RUST, NULL },
	{ "a C++ name that looks like legacy Rust but for the hash", "_ZN3foo3barEv",
	  LANGUAGE_UNKNOWN, "foo::bar()" },

	{ "Objective-C", "-[Foo bar:]", LANGUAGE_UNKNOWN, NULL },
	{ "Objective-C in Objective-C++", "+[Foo bar:]", LANGUAGE_OBJCPP, NULL },
	{ "MD5 in place of a name", "??@" MD5 "@", LANGUAGE_UNKNOWN, NULL },
	{ "D", "_D3std5stdio7writelnFZv", LANGUAGE_D, NULL },
	{ "Go", "main.main", LANGUAGE_GO, NULL },
	{ "Swift", "$s4main3fooyyF", LANGUAGE_UNKNOWN, "foo()" },
	{ "Swift of macOS", "_$s4main3fooyyF", LANGUAGE_SWIFT, "foo()" },
	{ "Swift in C", "$s4main3fooyyF", LANGUAGE_C, NULL },
	{ "Microsoft's", "?f@@YAXXZ", LANGUAGE_UNKNOWN, "f(void)" },
	{ "Microsoft's in Objective-C++", "?f@@YAXXZ", LANGUAGE_OBJCPP, "f(void)" },
};

START_TEST(names_become_readable)
{
	struct buf out;
	bool done;

	buf_init(&out, OUT_CEILING_BYTES);
	buf_add_string(&out, ">");
	done = demangle(text_of(cases[_i].name), cases[_i].language, &out);
	ck_assert_msg(done == (cases[_i].readable != NULL), "%s: %s", cases[_i].what,
		      buf_string(&out));
	ck_assert_msg(strcmp(buf_string(&out) + 1, done ? cases[_i].readable : "") == 0,
		      "%s: %s", cases[_i].what, buf_string(&out));
	buf_release(&out);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static const struct {
	const char *name;
	enum language language;
} guesses[] = {
	{ "-[Foo bar]", LANGUAGE_OBJC }, { "+[Foo bar]", LANGUAGE_OBJC },
	{ "-[Foo", LANGUAGE_UNKNOWN }, { "_Z3foov", LANGUAGE_CPP }, { "____Zwhat", LANGUAGE_CPP },
	{ "?f@@YAXXZ", LANGUAGE_CPP }, { "@?f", LANGUAGE_CPP },
	{ "_ZN1a17h0123456789abcdefE", LANGUAGE_RUST }, { "_RNvC1a1b", LANGUAGE_RUST },
	{ "_Rubbish", LANGUAGE_UNKNOWN }, { "$s4main3fooyyF", LANGUAGE_SWIFT },
	{ "_$s4main3fooyyF", LANGUAGE_SWIFT }, { "_T04main3fooyyF", LANGUAGE_SWIFT },
	{ "main", LANGUAGE_UNKNOWN }, { "", LANGUAGE_UNKNOWN }, { "_", LANGUAGE_UNKNOWN },
};

START_TEST(languages_are_guessed)
{
	enum language guessed = demangle_guess(text_of(guesses[_i].name));

	ck_assert_msg(guessed == guesses[_i].language, "%s: %s", guesses[_i].name,
		      language_name(guessed));
}
END_TEST

/* --- Names meant to hurt ------------------------------------------------------------- */

static bool try_name(const struct buf *name)
{
	struct buf out;
	bool done;

	buf_init(&out, OUT_CEILING_BYTES);
	done = demangle(buf_text(name), LANGUAGE_UNKNOWN, &out);
	ck_assert_uint_le(out.size, LIMIT_DEMANGLED_BYTES);
	ck_assert(done || out.size == 0);
	buf_release(&out);
	return done;
}

static bool try_repeated(const char *head, const char *middle, size_t times, const char *tail)
{
	struct buf name;
	bool done;

	buf_init(&name, OUT_CEILING_BYTES);
	buf_add_string(&name, head);
	for (size_t i = 0; i < times; i++)
		buf_add_string(&name, middle);
	buf_add_string(&name, tail);
	done = try_name(&name);
	buf_release(&name);
	return done;
}

START_TEST(hostile_names_are_refused_soon)
{
	ck_assert(try_repeated("_Z1f", "P", 100, "i"));
	try_repeated("_Z1f", "P", 60000, "i");
	ck_assert(!try_repeated("_Z1f", "P", 5000, "i"));
	ck_assert(!try_repeated("_Z1f", "P", LIMIT_MANGLED_BYTES, "i"));
	try_repeated("_Z1fI", "S_I", 20000, "E");
	try_repeated("_ZN", "1a", 20000, "Ev");
	try_repeated("_Z", "Z1fvE", 3000, "1x");
	try_repeated("_Z1fX", "L_Z1fX", 5000, "E");
	try_repeated("_RNvC1a", "Nv", 20000, "1b");
	try_repeated("_RIC1a", "T", 20000, "E");
	try_repeated("__________", "_", 60000, "Z");
	try_repeated("_ZN", "17h0123456789abcdefE", 3000, "");
}
END_TEST

/* Each argument is a function of the one before, twice: 2^60 names when written out. */
START_TEST(names_that_unfold_without_end_are_left)
{
	struct buf name;

	buf_init(&name, OUT_CEILING_BYTES);
	buf_add_string(&name, "_Z1fFviE");
	for (unsigned i = 0; i < 30; i++)
		buf_printf(&name, "FvS%c_S%c_E", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i],
			   "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]);
	ck_assert(!try_name(&name));
	buf_clear(&name);
	/* v0: a tuple of the tuple before, twice */
	buf_add_string(&name, "_RINvC1a1bTllE");
	for (unsigned i = 0, at = 7; i < 25; i++) {
		size_t before = name.size - 2;

		buf_printf(&name, "TB%c_B%c_E", "0123456789abcdefghijklmnopqrstuvwxyz"[at % 36],
			   "0123456789abcdefghijklmnopqrstuvwxyz"[at % 36]);
		at = (unsigned)before;
	}
	buf_add_string(&name, "E");
	try_name(&name);
	buf_release(&name);
}
END_TEST

static void demangle_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct text name = { (const char *)bytes, size };
	struct buf out;

	(void)payload;
	buf_init(&out, OUT_CEILING_BYTES);
	for (enum language language = 0; language < LANGUAGES; language++) {
		buf_clear(&out);
		if (!demangle(name, language, &out))
			ck_assert_uint_eq(out.size, 0);
	}
	buf_release(&out);
}

START_TEST(survives_every_byte_change)
{
	support_every_byte_change((const uint8_t *)cases[_i].name, strlen(cases[_i].name),
				  demangle_changed, NULL);
}
END_TEST

START_TEST(without_memory_a_long_name_stays)
{
	struct buf name, out;

	buf_init(&name, OUT_CEILING_BYTES);
	buf_init(&out, OUT_CEILING_BYTES);
	buf_add_string(&name, "_ZN");
	for (unsigned i = 0; i < 600; i++)
		buf_add_string(&name, "1a");
	buf_add_string(&name, "Ev");
	ck_assert(demangle(buf_text(&name), LANGUAGE_CPP, &out));
	buf_clear(&out);
	mem_fail_after = 0;
	ck_assert(!demangle(buf_text(&name), LANGUAGE_CPP, &out));
	mem_fail_after = -1;
	buf_release(&out);
	buf_release(&name);
}
END_TEST

/* --- What the fuzzer began with or found --------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

START_TEST(the_corpus_passes)
{
	const char *folder = support_source("tests/fuzz/corpus/demangle");
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	ck_assert_int_gt(count, 2);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			struct file_map map = support_read(support_printf("%s/%s", folder,
									  entries[i]->d_name));

			LLVMFuzzerTestOneInput(map.bytes, map.size);
		}
		free(entries[i]);
	}
	free(entries);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("demangle");
	TCase *tcase = tcase_create("demangle");

	tcase_add_loop_test(tcase, names_become_readable, 0, COUNT(cases));
	tcase_add_loop_test(tcase, languages_are_guessed, 0, COUNT(guesses));
	tcase_add_test(tcase, hostile_names_are_refused_soon);
	tcase_add_test(tcase, names_that_unfold_without_end_are_left);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, COUNT(cases));
	tcase_add_test(tcase, the_corpus_passes);
	tcase_add_test(tcase, without_memory_a_long_name_stays);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

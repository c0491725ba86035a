/* test_pdb -- PDBs by recipe: three processors, scattered pages, moved code, hostile bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "object/look.h"
#include "support/support.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

#define SOURCE \
	"cat > $DIR/t.cpp <<'EOF'\n" \
	"namespace ns {\n" \
	"struct Pair { int x, y; int sum(const Pair &o) const; };\n" \
	"static inline __attribute__((always_inline)) int\n" \
	"add(volatile int *p, int b)\n" \
	"{\n" \
	"	*p = b;\n" \
	"	return *p + b;\n" \
	"}\n" \
	"static inline __attribute__((always_inline)) int\n" \
	"twice(volatile int *p, int b)\n" \
	"{\n" \
	"	*p = 1;\n" \
	"	return add(p, b) + 1;\n" \
	"}\n" \
	"int Pair::sum(const Pair &o) const\n" \
	"{\n" \
	"	volatile int v = x;\n" \
	"	return twice(&v, o.y);\n" \
	"}\n" \
	"enum Colour { RED };\n" \
	"template <class T> struct Box { T v; __attribute__((noinline)) Box(T x) : v(x) { sink = v; }\n" \
	"	static volatile int sink; };\n" \
	"template <class T> volatile int Box<T>::sink;\n" \
	"int types(Colour c, ns::Pair *const *p, int (ns::Pair::*m)(const ns::Pair &) const,\n" \
	"	  const char (&a)[4], void (*f)(unsigned, char *), long long &&r, ...)\n" \
	"{\n" \
	"	return c + p[0]->x + a[0] + (int)r;\n" \
	"}\n" \
	"static inline __attribute__((always_inline)) int joined(volatile int *p) { *p = 1;\n" \
	"	*p = 2;\n" \
	"	return 0; }\n" \
	"}\n" \
	"extern \"C\" int mainCRTStartup()\n" \
	"{\n" \
	"	volatile int v = 3;\n" \
	"	ns::Pair a = { v, v };\n" \
	"	ns::Box<int> box(v);\n" \
	"	return a.sum(a) + ns::joined(&v) + box.v;\n" \
	"}\n" \
	"EOF\n" \
	"cat > $DIR/bare.s <<'EOF'\n" \
	".text\n" \
	".globl bare\n" \
	"bare:\n" \
	".cv_file 1 \"bare.asm\"\n" \
	".cv_func_id 0\n" \
	".cv_loc 0 1 5\n" \
	"nop\n" \
	".cv_loc 0 1 7\n" \
	"ret\n" \
	"end:\n" \
	".section .debug$S,\"dr\"\n" \
	".p2align 2\n" \
	".long 4\n" \
	".cv_linetable 0, bare, end\n" \
	".cv_filechecksums\n" \
	".cv_stringtable\n" \
	"EOF\n" \
	"cd $DIR\n" \
	"build() {\n" \
	"	clang-19 --target=$1-pc-windows-msvc -g -gcodeview -O1 -fno-exceptions -fno-rtti -nostdinc" \
	" -c t.cpp -o t.obj\n" \
	"	clang-19 --target=$1-pc-windows-msvc -c bare.s -o bare.obj\n" \
	"	lld-link-19 /nologo /machine:$2 /subsystem:console /nodefaultlib /debug:full /opt:noref" \
	" /entry:mainCRTStartup /force:unresolved $3 /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe" \
	" t.obj bare.obj 2>/dev/null\n" \
	"}\n"
#define X64   SOURCE "build x86_64 x64\n"
#define X86   SOURCE "build i686 x86 /safeseh:no\n"
#define ARM64 SOURCE "build aarch64 arm64\n"
#define REMAKE(words) "python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT " words "\n"

struct expected {
	const char *start, *rest;
};

static const struct {
	const char *what, *recipe;
	struct expected lines[12];
} cases[] = {
	{ "x86_64", X64 "cp app.pdb $OUT", {
		{ "object pdb x86_64 dbg symbols debug\n", "" },
		{ "function ", " ns::Pair::sum(ns::Pair const&) const" },
		{ "function ", " mainCRTStartup()" },
		{ "function ", " ns::types(ns::Colour, ns::Pair* const*, int (ns::Pair::*)(ns::Pair const&), "
			"const char[4]&, void (*)(unsigned int, char*), long long&&, <NoType>)" },
		{ "inline 0 in -1 ns::twice(int*, int) called ", "t.cpp:18" },
		{ "inline 1 in 0 ns::add(int*, int) called ", "t.cpp:13" },
		{ "line ", "t.cpp:12" }, { "line ", "t.cpp:6" },
		{ "symbol ", " mainCRTStartup" },
		{ "symbol ", " ?sum@Pair@ns@@QEBAHAEBU12@@Z" } } },
	{ "x86: frame data, decorated symbols", X86 "cp app.pdb $OUT", {
		{ "object pdb x86 dbg symbols debug unwind\n", "" },
		{ "function ", " ns::Pair::sum(ns::Pair const&) const" },
		{ "symbol ", " _mainCRTStartup" } } },
	{ "arm64", ARM64 "cp app.pdb $OUT", {
		{ "object pdb arm64 dbg symbols debug\n", "" },
		{ "inline 1 in 0 ns::add(int*, int) called ", "t.cpp:13" } } },
	{ "lines of assembler have no function", X64 "cp app.pdb $OUT", {
		{ "function ", "+2 \n" }, { "line ", "bare.asm:5" }, { "line ", "bare.asm:7" },
		{ "symbol ", " bare" } } },
	{ "the age is the DBI stream's", X64 REMAKE("3:8=07000000"), {
		{ "id ", "-7" } } },
	{ "without a DBI stream only the id is left", X64 REMAKE("empty=3"), {
		{ "object pdb unknown dbg", "" }, { "id ", "-1" } } },
};

/* All expected lines, the ends of lines included. */
static void check_lines(const char *what, const char *text, const struct expected *lines)
{
	for (size_t i = 0; i < 12 && lines[i].start; i++) {
		size_t size = strlen(lines[i].start);
		bool whole = size > 0 && lines[i].start[size - 1] == '\n';

		if (whole || strchr(lines[i].rest, '\n'))
			ck_assert_msg(strstr(text, whole ? lines[i].start : lines[i].rest),
				      "%s: no %s%s in\n%s", what, lines[i].start, lines[i].rest, text);
		else
			ck_assert_msg(look_has(text, lines[i].start, lines[i].rest),
				      "%s: no %s...%s in\n%s", what, lines[i].start, lines[i].rest,
				      text);
	}
}

static const char *fixture(const char *name, const char *recipe)
{
	return support_fixture(support_printf("pdb-%s", name), recipe);
}

START_TEST(reads)
{
	const char *text = look_path(fixture(support_printf("%d", _i), cases[_i].recipe));

	check_lines(cases[_i].what, text, cases[_i].lines);
	ck_assert_ptr_null(strstr(text, "unit error"));
}
END_TEST

/* What is said must not depend on where the pages lie. */
static const char *const layouts[] = {
	"page=512 shuffle", "page=128 shuffle", "page=65536", "page=4096 shuffle",
};

START_TEST(pages_may_lie_anywhere)
{
	const char *plain = look_path(fixture("plain", X64 REMAKE("page=4096")));
	char *recipe = support_printf(X64 "python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT %s\n",
				      layouts[_i]);

	/* The folder the fixture was made in is part of every path. */
	(void)plain;
	ck_assert(look_has(look_path(fixture(support_printf("layout-%d", _i), recipe)),
			   "inline 1 in 0 ns::add(int*, int) called ", "t.cpp:13"));
}
END_TEST

/* The sections of the image are elsewhere; those the map begins at are where debug information
 * has them.  The same map, told the other way round, says the same. */
static const char *const moves[] = {
	"omap=1000:5000,1004:7000,1008:0,1010:2010",
	"omap=1000:5000,1004:7000,1008:0,1010:2010 moved=5000",
	"omap_back=2010:1010,3000:0,5000:1000,5004:0,7000:1004,7004:0",
	"omap_back=2010:1010,3000:0,5000:1000,5004:0,7000:1004,7004:0,8000:1000 moved=5000",
};

START_TEST(moved_code_is_told_where_it_is)
{
	char *recipe = support_printf(X64 "python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT %s\n",
				      moves[_i]);
	const char *text = look_path(fixture(support_printf("omap-%d", _i), recipe));

	ck_assert_msg(look_has(text, "function 5000+4 ", "ns::Pair::sum"), "%s", text);
	ck_assert(look_has(text, "function 7000+4 ", "ns::Pair::sum"));
	ck_assert(look_has(text, "function 2010+", "ns::Pair::sum"));
	ck_assert_msg(!look_has(text, "function 1000", ""), "%s", text);
	ck_assert(look_has(text, "function 20", "mainCRTStartup()"));
	ck_assert_msg(look_has(text, "symbol 5000", " ?sum@Pair@ns@@QEBAHAEBU12@@Z"), "%s", text);
}
END_TEST

START_TEST(segments_may_begin_inside_sections)
{
	const char *plain = look_path(fixture("0", cases[0].recipe));
	const char *text = look_path(fixture("segment", X64 REMAKE("segment=1:1:20")));

	ck_assert(look_has(plain, "function 1000+", "ns::Pair::sum"));
	ck_assert_msg(look_has(text, "function 1020+", "ns::Pair::sum"), "%s", text);
	ck_assert(look_has(text, "symbol 1020+", " ?sum@Pair@ns@@QEBAHAEBU12@@Z"));
	ck_assert(look_count(look_path(fixture("segment-none", X64 REMAKE("segment=1:99:0"))),
			     "function ") == look_count(plain, "function "));
}
END_TEST

/* --- Where llvm-symbolizer 19 answers otherwise, and why ------------------------------ */

static const char *ask_oracle(const char *what, const char *find)
{
	return support_fixture(support_printf("pdb-oracle-%s", what),
		support_printf("%s\n%s\n"
			       "llvm-symbolizer-19 --obj=app.exe --relative-address --no-demangle "
			       "--functions=linkage $at > $OUT", what[0] == 'x' ? X86 : X64, find));
}

static bool oracle_says(const char *path, const char *words)
{
	struct file_map map = support_map(path);
	bool found = memmem(map.bytes, map.size, words, strlen(words)) != NULL;

	file_unmap(&map);
	return found;
}

/* On x86 the linker's name of a C function has one more underscore.  The oracle prefers the
 * linker's names; we tell the source's. */
START_TEST(oracle_keeps_the_underscore_of_x86)
{
	const char *oracle = ask_oracle("x86", "at=$(llvm-pdbutil-19 dump --publics app.pdb | grep -A1 "
		"_mainCRTStartup | sed -n 's/.*0001:0*//p'); at=$(printf '0x%x' $((4096 + at)))");

	ck_assert(oracle_says(oracle, "_mainCRTStartup"));
	ck_assert(look_has(look_path(fixture("x86", X86 "cp app.pdb $OUT")), "function ",
			   " mainCRTStartup()"));
}
END_TEST

/* Between the end of a function and what comes next lies padding, which is nobody's: symbols end at
 * functions (tests/symcache/test_write.c).  The oracle shows the symbol before, without a line. */
START_TEST(oracle_names_padding)
{
	const char *text = look_path(fixture("0", cases[0].recipe));
	const char *oracle = ask_oracle("padding", "at=0x1034");
	struct file_map map = support_map(fixture("0", cases[0].recipe));
	struct object object;
	struct arena arena;
	struct err err = ERR_INIT;

	ck_assert_msg(look_has(text, "function 1020+14 ", "ns::types"), "%s", text);
	ck_assert_ptr_null(strstr(text, "symbol 1034"));
	ck_assert(oracle_says(oracle, "types@ns") && oracle_says(oracle, "??:0:0"));
	arena_init(&arena, (size_t)1 << 24);
	ck_assert_int_eq(object_open(&object, map.bytes, map.size, &arena, &err), 0);
	ck_assert(object.symbols_end_at_functions);
	object_release(&object);
	arena_release(&arena);
	file_unmap(&map);
}
END_TEST

/* Names are the records', template arguments included, so by clang and Microsoft's compiler as each
 * writes them.  The oracle shows those of the linker, which knows one spelling alone. */
START_TEST(oracle_spells_as_the_linker)
{
#define SPELLED \
	"cd $DIR\n" \
	"cat > r.cpp <<'EOF'\n" \
	"volatile int g; void f(int) {} struct S { int m; };\n" \
	"template <class T, class U> struct Pair { T t; U u; ~Pair(); Pair(T t, U u); };\n" \
	"template <class T, class U> __attribute__((noinline)) Pair<T, U>::Pair(T t, U u) : t(t), u(u) {}\n" \
	"template <class T, class U> __attribute__((noinline)) Pair<T, U>::~Pair() { t = 0; }\n" \
	"template <class... T> __attribute__((noinline)) int count(T...) { return sizeof...(T); }\n" \
	"template <auto V> __attribute__((noinline)) void value() { g++; }\n" \
	"template <class T> __attribute__((noinline)) void type() { g++; }\n" \
	"extern \"C\" void mainCRTStartup()\n" \
	"{ Pair<long long, unsigned long long> p(1, 2); count<const char *, const int *const *>(0, 0);\n" \
	"value<'x'>(); value<nullptr>(); value<&f>(); value<&S::m>(); value<~0ull>();" \
	" type<const volatile int *>(); type<void (*)(int, const char *)>(); }\n" \
	"EOF\n" \
	"clang-19 --target=x86_64-pc-windows-msvc -std=c++20 -g -gcodeview -O0 -fno-exceptions -c r.cpp -o r.o\n" \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:noref" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe r.o\n"
	static const char *const ours[] = {
		"Pair<long long,unsigned long long>::Pair(long long, unsigned long long)",
		"Pair<long long,unsigned long long>::~Pair()", "count<const char *,const int *const *>(char const*, int const* const*)",
		"value<'x'>()", "value<nullptr>()", "value<&f>()", "value<&S::m>()", "value<18446744073709551615>()",
		"type<const volatile int *>()", "type<void (*)(int, const char *)>()",
	};
	static const char *const the_oracles[] = {
		"Pair<__int64, unsigned __int64>::Pair<__int64, unsigned __int64>(", "count<char const *, int const *const *>",
		"value<120>", "value<0>", "f(int)>", "value<-1>", "type<int const volatile *>",
		"type<void (__cdecl *)(int, char const *)>",
	};
	const char *text = look_path(fixture("spelled", SPELLED "cp app.pdb $OUT\n"));
	const char *oracle = fixture("spelled-oracle", SPELLED "llvm-symbolizer-19 --obj=app.exe --relative-address"
				     " $(for i in $(seq 4096 4700); do printf '0x%x ' $i; done) > $OUT\n");

	for (int i = 0; i < COUNT(ours); i++)
		ck_assert_msg(look_has(text, "function ", support_printf(" %s", ours[i])), "%s in %s",
			      ours[i], text);
	for (int i = 0; i < COUNT(the_oracles); i++)
		ck_assert_msg(oracle_says(oracle, the_oracles[i]), "%s", the_oracles[i]);
}
END_TEST

/* Clang names lambdas by a number, and templates of them by the path, line and column they stand
 * at.  Decorated names tell the function they are in, and that does not move with every line. */
START_TEST(lambdas_have_the_linkers_name)
{
#define LAMBDAS \
	"cd $DIR\n" \
	"printf 'struct A { int x; int sum() const;\n" \
	"template <class F> __attribute__((noinline)) int twice(F f) const { return f(x) * 2; } };\n" \
	"inline int A::sum() const { auto f = [this](auto b) { return x + b; };" \
	" return f(1) + f(2.5) + twice([](int) { return 3; }); }\n" \
	"extern \"C\" { int _fltused; int mainCRTStartup() { A a = { 2 }; return a.sum(); } }\n' > l.cpp\n" \
	"clang-19 --target=x86_64-pc-windows-msvc -std=c++14 -g -gcodeview -O0 -fno-exceptions -c l.cpp -o l.o\n" \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:noref" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe l.o\n"
	const char *text = look_path(fixture("lambdas", LAMBDAS "cp app.pdb $OUT\n"));
	const char *oracle = fixture("lambdas-oracle", LAMBDAS "llvm-symbolizer-19 --obj=app.exe --relative-address"
				     " --no-demangle $(for i in $(seq 4096 4300); do printf '0x%x ' $i; done) > $OUT\n");

	ck_assert_msg(look_has(text, "function ", " ??$?RH@<lambda_1>@?0??sum@A@@QEBAHXZ@QEBA"), "%s", text);
	ck_assert_msg(look_has(text, "function ", " ??$twice@V<lambda_"), "%s", text);
	ck_assert_ptr_null(strstr(text, "lambda at "));
	ck_assert(oracle_says(oracle, "??$?RH@<lambda_1>@?0??sum@A@@QEBAHXZ@QEBA"));
}
END_TEST

/* Link-time optimisation leaves thunks without a public symbol.  The oracle then takes the public
 * symbol before, of another function; we tell the thunk's own name. */
START_TEST(oracle_knows_no_thunks)
{
#define THUNKS \
	"cd $DIR\n" \
	"printf 'void operator delete(void *, unsigned long long) noexcept {}\n" \
	"struct A { virtual ~A() {} int x; }; struct B { virtual ~B() {} int y; }; struct C : A, B { };\n" \
	"B *volatile sink; extern \"C\" int mainCRTStartup() { C c; sink = &c; delete sink; return 0; }\n' > h.cpp\n" \
	"clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -flto -fno-exceptions -fno-rtti -c h.cpp\n" \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:noref" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe h.o\n"
	const char *text = look_path(fixture("thunks", THUNKS "cp app.pdb $OUT\n"));
	const char *thunk = strstr(text, " ??_EC@@W");
	const char *oracle;

	ck_assert_msg(thunk && look_has(text, "function ", " ??_EC@@W"), "%s", text);
	while (thunk > text && thunk[-1] != '\n')
		thunk--;
	oracle = fixture("thunks-oracle", support_printf(THUNKS
		"llvm-symbolizer-19 --obj=app.exe --relative-address --no-demangle 0x%.*s > $OUT\n",
		(int)strcspn(thunk + 9, "+"), thunk + 9));
	ck_assert_msg(oracle_says(oracle, "mainCRTStartup"), "%s", text);
}
END_TEST

/* The first line of an inlined function that begins on the line of its declaration has no
 * line annotation; the oracle then takes the next one's line for it. */
START_TEST(oracle_skips_the_line_of_the_declaration)
{
	const char *text = look_path(fixture("0", cases[0].recipe));
	const char *oracle = ask_oracle("skips", "at=$(for i in $(seq 4096 4300); do printf '0x%x ' $i; done)");

	ck_assert_msg(look_has(text, "line ", "t.cpp:29") && look_has(text, "line ", "t.cpp:30"),
		      "%s", text);
	ck_assert(look_has(text, "inline ", " ns::joined(int*) called "));
	ck_assert(oracle_says(oracle, "t.cpp:30"));
	ck_assert(!oracle_says(oracle, "t.cpp:29"));
}
END_TEST

/* A function with lines of two files has a block for each, which begin and end within each other.
 * The oracle puts them one after the other and then looks for an address as if they were sorted. */
START_TEST(oracle_mistakes_lines_of_two_files)
{
#define TWO_FILES \
	"cd $DIR\n" \
	"printf '#line 10 \"two.c\"\\nint v;\\nint mainCRTStartup(void)\\n{\\n\\tv = 1;\\n" \
	"#line 70 \"part.y\"\\n\\tv = 2;\\n\\tv = 3;\\n#line 20 \"two.c\"\\n\\tv = 4;\\n" \
	"#line 80 \"part.y\"\\n\\tv = 5;\\n#line 30 \"two.c\"\\n\\treturn v;\\n}\\n' > two.c\n" \
	"clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O0 -c two.c -o two.o\n" \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:noref" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe two.o\n"
	static const char *const places[] = { "two.c:13", "part.y:70", "part.y:71", "two.c:20", "part.y:80",
					      "two.c:30" };
	const char *text = look_path(fixture("two-files", TWO_FILES "cp app.pdb $OUT\n"));
	const char *at = strstr(text, " mainCRTStartup(");
	const char *oracle = fixture("two-files-oracle", TWO_FILES
		"llvm-symbolizer-19 --obj=app.exe --relative-address"
		" $(for i in $(seq 4096 4200); do printf '0x%x ' $i; done) > $OUT\n");

	for (int i = 0; i < COUNT(places); i++) {    /* in this order */
		at = at ? strstr(at, places[i]) : NULL;
		ck_assert_msg(at, "no %s in %s", places[i], text);
	}
	ck_assert(!oracle_says(oracle, "two.c:20"));
}
END_TEST

/* Two functions of the same code are one: both have symbols and lines there.  The oracle takes
 * the public symbol that comes last and any of the lines; we tell the first, with its lines. */
START_TEST(oracle_mixes_folded_functions)
{
	const char *text = look_path(fixture("folded",
		"cd $DIR\n"
		"printf 'int v;\\nint __declspec(noinline) first(int a)\\n{\\n\\treturn v * a;\\n}\\n"
		"int __declspec(noinline) second(int a)\\n{\\n\\treturn v * a;\\n}\\n"
		"int mainCRTStartup(void) { return first(1) + second(2); }\\n' > f.c\n"
		"clang-19 --target=x86_64-pc-windows-msvc -fms-extensions -g -gcodeview -O1"
		" -ffunction-sections -c f.c\n"
		"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:ref"
		" /opt:icf /entry:mainCRTStartup /pdb:$OUT /out:f.exe f.o\n"));

	const char *first = strstr(text, " first(int)\n");

	ck_assert_msg(first, "%s", text);
	ck_assert_msg(look_has(first, "\nline ", "f.c:4") || strstr(first, "f.c:4"), "%s", text);
	ck_assert_ptr_null(strstr(text, "f.c:8"));
}
END_TEST

/* Clang calls both destructors ~Shape; the linker's names tell them apart. */
START_TEST(deleting_destructors_have_their_own_name)
{
	const char *text = look_path(fixture("deleting",
		"cd $DIR\n"
		"printf 'int v;\nvoid operator delete(void *, unsigned long long) { v++; }\n"
		"struct Shape { virtual ~Shape(); int n; };\nShape::~Shape() { v += n; }\n"
		"extern \"C\" int mainCRTStartup() { Shape s; return v; }\n' > d.cpp\n"
		"clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O1 -fno-exceptions -fno-rtti"
		" -c d.cpp\n"
		"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:noref"
		" /entry:mainCRTStartup /pdb:$OUT /out:d.exe d.o\n"));

	ck_assert_msg(look_has(text, "function ", " ??_GShape@@UEAAPEAXI@Z"), "%s", text);
	ck_assert_msg(look_has(text, "function ", " Shape::~Shape()"), "%s", text);
}
END_TEST

/* Of two classes whose destructors are the same code one has the public symbol and the other may
 * have the lines. */
START_TEST(a_folded_destructor_is_not_another_classs)
{
	const char *text = look_path(fixture("folded-deleting",
		"cd $DIR\n"
		"printf 'int v;\nvoid operator delete(void *, unsigned long long) { v++; }\n"
		"struct Base { virtual ~Base() { v++; } };\nstruct Box : Base { virtual long a() { return 1; } };\n"
		"struct Round : Base { virtual long a() { return 2; } };\n"
		"extern \"C\" int mainCRTStartup() { Base *volatile b; Round r; b = &r; Box x; b = &x; return v; }\n'"
		" > d.cpp\n"
		"clang-19 --target=x86_64-pc-windows-msvc -g -gcodeview -O0 -ffunction-sections -fno-exceptions"
		" -fno-rtti -c d.cpp\n"
		"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full /opt:ref,icf"
		" /entry:mainCRTStartup /pdb:$OUT /out:d.exe d.o\n"));
	const char *name = " ??_GRound@@UEAAPEAXI@Z\nline ";
	const char *at = strstr(text, name);

	ck_assert_msg(at && !strstr(at + 1, name), "%s", text);
	at = strstr(at + strlen(name), "d.cpp:");
	ck_assert_msg(at && at[strlen("d.cpp:")] == '5', "%s", text);
	ck_assert_msg(look_has(text, "function ", " Box::~Box()"), "%s", text);
}
END_TEST

/* --- Refusals ------------------------------------------------------------------------ */

#define MAGIC "Microsoft C/C++ MSF 7.00\r\n\x1a" "DS\0\0\0"
#define HEAD(page, pages, size, map) MAGIC page "\1\0\0\0" pages size "\0\0\0\0" map

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	enum err_kind kind;
	const char *text;
} bad[] = {
	{ "PDB 2.00", "Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0", 44, ERR_UNSUPPORTED,
	  "reading pdb: PDB 2.00, the format before Visual Studio 2002, is not read" },
	{ "msfz0", "Microsoft MSFZ Container\r\n\x1a" "ALD\0\0\1\2\3", 36, ERR_UNSUPPORTED,
	  "reading pdb: a compressed PDB of Microsoft's symbol server (msfz0) is not read" },
	{ "a superblock cut short", MAGIC "\0\2\0\0", 36, ERR_MALFORMED,
	  "reading pdb: superblock ends early, at byte 36 of 36" },
	{ "pages of three bytes", HEAD("\3\0\0\0", "\1\0\0\0", "\0\0\0\0", "\0\0\0\0"), 56,
	  ERR_MALFORMED, "reading pdb: superblock says pages of 3 bytes" },
	{ "a directory of 4 GB in 56 bytes", HEAD("\0\2\0\0", "\1\0\0\0", "\xff\xff\xff\xff", "\0\0\0\0"),
	  56, ERR_MALFORMED,
	  "reading pdb: superblock says a directory of 4294967295 bytes in a file of 56" },
	{ "a directory outside", HEAD("\0\2\0\0", "\1\0\0\0", "\4\0\0\0", "\7\0\0\0"), 56, ERR_MALFORMED,
	  "reading pdb: the list of the stream directory's 1 pages, at page 7, lies outside the file" },
};

START_TEST(refuses)
{
	struct err err = ERR_INIT;

	ck_assert_msg(look_bytes(bad[_i].bytes, bad[_i].size, NULL, 0, NULL, &err) < 0, "%s",
		      bad[_i].what);
	ck_assert_int_eq(err.kind, bad[_i].kind);
	ck_assert_str_eq(err.text, bad[_i].text);
}
END_TEST

static const struct {
	const char *what, *words, *text;
} broken[] = {
	{ "types that refer to themselves", "2:60=08000000", " mainCRTStartup" },
	{ "a module whose symbols have no signature", "11:0=09000000", "unit error: " },
	{ "a type stream that says too much", "2:16=ffffff7f", NULL },
	{ "a DBI stream that says too much", "3:24=ffffff7f", NULL },
	{ "no names", "1:28=00000000", " mainCRTStartup" },
};

/* Which page of the directory, and where it is said to be. */
START_TEST(names_the_page_outside)
{
	uint8_t bytes[1024] = { 0 };
	struct err err = ERR_INIT;

	memcpy(bytes, HEAD("\0\2\0\0", "\2\0\0\0", "\14\0\0\0", "\1\0\0\0"), 56);
	bytes[512] = 77;
	ck_assert(look_bytes((const char *)bytes, sizeof(bytes), NULL, 0, NULL, &err) < 0);
	ck_assert_str_eq(err.text, "reading pdb: page 0 of the stream directory is number 77, "
				   "outside the file");
}
END_TEST

/* A broken part costs that part, or the file with a word on where. */
START_TEST(broken_parts_cost_themselves)
{
	const char *path = fixture(support_printf("broken-%d", _i), support_printf(X64
		"python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT %s\n", broken[_i].words));
	struct file_map map = support_map(path);
	struct err err = ERR_INIT;
	struct buf out;
	int rc;

	buf_init(&out, (size_t)1 << 24);
	rc = look_bytes(map.bytes, map.size, NULL, 0, &out, &err);
	if (!broken[_i].text)
		ck_assert_msg(rc < 0 && strstr(err.text, "stream"), "%s: %s", broken[_i].what, err.text);
	else
		ck_assert_msg(rc == 0 && strstr(buf_string(&out), broken[_i].text), "%s: %s\n%s",
			      broken[_i].what, err.text, buf_string(&out));
	buf_release(&out);
	file_unmap(&map);
}
END_TEST

/* Link-time code generation: inlined functions by another module's numbers. */
START_TEST(knows_the_reference_fixture)
{
	const char *path = support_shared("fixtures/windows/crash.pdb"), *text;

	if (!path)
		return;
	text = look_path(path);
	ck_assert(look_has(text, "object pdb x86 dbg symbols debug unwind", ""));
	ck_assert(look_has(text, "id 3249d99d-0c40-4931-8610-f4e4fb0b6936-1", ""));
	ck_assert(look_has(text, "function 26f0+8c google_breakpad::CrashGenerationClient::"
		"`scalar deleting destructor'(unsigned int)", ""));
	ck_assert(look_has(text, "function 2910+15e main(int, char**)", ""));
	ck_assert(look_has(text, "inline ", " `anonymous namespace'::crash() called "));
	ck_assert(look_has(text, "symbol 37f2+0 _memcpy", ""));
	ck_assert_ptr_null(strstr(text, "unit error"));
}
END_TEST

START_TEST(survives_every_byte_change)
{
	static const char *const words[] = { "page=128", "page=128 shuffle" };
	struct file_map map = support_read(fixture(support_printf("torment-%d", _i), support_printf(
		X86 "python3 $SRC/tests/object/remake_pdb.py app.pdb $OUT %s\n", words[_i])));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(fixture("torment-1", X86 REMAKE("page=128 shuffle")));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 4000);
	file_unmap(&map);
}
END_TEST


int main(void)
{
	Suite *suite = suite_create("pdb");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, reads, 0, COUNT(cases));
	tcase_add_loop_test(reading, pages_may_lie_anywhere, 0, COUNT(layouts));
	tcase_add_loop_test(reading, moved_code_is_told_where_it_is, 0, COUNT(moves));
	tcase_add_test(reading, segments_may_begin_inside_sections);
	tcase_add_test(reading, oracle_keeps_the_underscore_of_x86);
	tcase_add_test(reading, oracle_names_padding);
	tcase_add_test(reading, oracle_spells_as_the_linker);
	tcase_add_test(reading, lambdas_have_the_linkers_name);
	tcase_add_test(reading, oracle_knows_no_thunks);
	tcase_add_test(reading, oracle_skips_the_line_of_the_declaration);
	tcase_add_test(reading, oracle_mixes_folded_functions);
	tcase_add_test(reading, oracle_mistakes_lines_of_two_files);
	tcase_add_test(reading, a_folded_destructor_is_not_another_classs);
	tcase_add_test(reading, deleting_destructors_have_their_own_name);
	tcase_add_loop_test(reading, refuses, 0, COUNT(bad));
	tcase_add_test(reading, names_the_page_outside);
	tcase_add_loop_test(reading, broken_parts_cost_themselves, 0, COUNT(broken));
	tcase_add_test(reading, knows_the_reference_fixture);
	tcase_add_loop_test(torment, survives_every_byte_change, 0, 2);
	tcase_add_test(torment, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}

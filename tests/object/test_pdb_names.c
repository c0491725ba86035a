/* test_pdb_names -- how names are spelled, rule by rule: doc/formats/pdb.md. */
#include <stdlib.h>
#include <string.h>

#include "object/look.h"
#include "support/support.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/* One module with 4 KiB of code and a file, for typed_pdb.py to put its records into. */
#define SKELETON \
	"cd $DIR\ncat > t.s <<'EOF'\n" \
	".text\n.globl mainCRTStartup\nmainCRTStartup:\n.cv_file 1 \"c:\\\\t.c\"\n.cv_func_id 0\n.cv_loc 0 1 5\n" \
	".fill 4096, 1, 0x90\nend:\n.section .debug$S,\"dr\"\n.p2align 2\n.long 4\n.cv_linetable 0, mainCRTStartup, end\n" \
	".cv_filechecksums\n.cv_stringtable\n.section .debug$T,\"dr\"\n.p2align 2\n.long 4\n" \
	".short 14, 0x1601\n.long 0, 0\n.asciz \"abc\"\nEOF\n" \
	"clang-19 --target=x86_64-pc-windows-msvc -c t.s -o t.o\n" \
	"lld-link-19 /nologo /machine:x64 /subsystem:console /nodefaultlib /debug:full" \
	" /entry:mainCRTStartup /pdb:app.pdb /pdbaltpath:app.pdb /out:app.exe t.o\n"

#define VOID "0x03"
#define CHAR "0x70"
#define INT  "0x74"
#define TAKES(type) "function(" VOID ", [" type "])"
#define S "structure('ns::S')"
#define OF_S(result, this, types) "(lambda s: method(" result ", s, " this ", " types "))(" S ")"

/* The name, the call that makes its type (typed_pdb.py), and what is told. */
static const struct {
	const char *what, *name, *type, *told;
} outer[] = {
	{ "no type: the bare name", "ns::f", "0", "ns::f" },
	{ "a type that is no function: likewise", "ns::f", "structure('T')", "ns::f" },
	{ "a type that is nowhere: likewise", "ns::f", "0x1fff", "ns::f" },
	{ "no parameters", "ns::f", "function(" INT ", [])", "ns::f()" },
	{ "parameters, and no return type", "f", "function(" INT ", [" INT ", " CHAR "])", "f(int, char)" },
	{ "the record's own name stays, with its template arguments", "Box<const char *,unsigned __int64, long long>::get",
	  TAKES(INT), "Box<const char *,unsigned __int64, long long>::get(int)" },
	{ "also that of a template's constructor", "ns::Box<int>::Box", TAKES(INT), "ns::Box<int>::Box(int)" },
	{ "and values among them", "value<'x', &S::m, nullptr>", TAKES(INT), "value<'x', &S::m, nullptr>(int)" },
	{ "a name that was left out", "", TAKES(INT), "<name omitted>(int)" },
	{ "a name that was left out, without a type", "", "0", "<name omitted>" },

	{ "a structure: its name alone", "f", TAKES(S), "f(ns::S)" },
	{ "a class", "f", TAKES("record(0x1504, 'C<int>')"), "f(C<int>)" },
	{ "a union", "f", TAKES("record(0x1506, 'U')"), "f(U)" },
	{ "an interface", "f", TAKES("record(0x1519, 'I')"), "f(I)" },
	{ "a class of the newer kind", "f", TAKES("record(0x1608, 'C2', unique='.?AVC2@@')"), "f(C2)" },
	{ "a union of the newer kind", "f", TAKES("record(0x160a, 'U2')"), "f(U2)" },
	{ "an enum", "f", TAKES("enum('E')"), "f(E)" },
	{ "no name", "f", TAKES("structure('<unnamed-tag>')"), "f(<unnamed-tag>)" },

	{ "a pointer", "f", TAKES("pointer(" INT ")"), "f(int*)" },
	{ "a pointer to a pointer", "f", TAKES("pointer(pointer(" S "))"), "f(ns::S**)" },
	{ "a reference", "f", TAKES("reference(" S ")"), "f(ns::S&)" },
	{ "a reference to what may be moved", "f", TAKES("moved(" S ")"), "f(ns::S&&)" },
	{ "a reference to a pointer", "f", TAKES("reference(pointer(" CHAR "))"), "f(char*&)" },
	{ "const behind what is pointed to", "f", TAKES("pointer(const(" CHAR "))"), "f(char const*)" },
	{ "a reference to const", "f", TAKES("reference(const(" S "))"), "f(ns::S const&)" },
	{ "a const pointer", "f", TAKES("const_pointer(" CHAR ")"), "f(char* const)" },
	{ "a const pointer to const", "f", TAKES("const_pointer(const(0x71))"), "f(wchar_t const* const)" },
	{ "each level in turn", "f", TAKES("pointer(const_pointer(const(" INT ")))"), "f(int const* const*)" },
	{ "a pointer that a modifier makes const", "f", TAKES("const(pointer(" INT "))"), "f(int* const)" },
	{ "a pointer to such", "f", TAKES("pointer(const(pointer(" INT ")))"), "f(int* const*)" },
	{ "a reference to a const pointer to const", "f", TAKES("reference(const_pointer(const(" S ")))"),
	  "f(ns::S const* const&)" },
	{ "volatile and unaligned are not shown", "f", TAKES("volatile(" INT "), pointer(volatile(" INT ")), volatile_pointer("
	  INT "), pointer(unaligned(" INT "))"), "f(int, int*, int*, int*)" },
	{ "const volatile", "f", TAKES("pointer(modifier(" INT ", 3))"), "f(int const*)" },
	{ "a pointer to a member", "f", TAKES("member(" INT ", " S ")"), "f(int::*)" },
	{ "a const pointer to a member that is a pointer", "f", TAKES("pointer(pointer(" CHAR "), 2, 0x400)"), "f(char*::* const)" },

	{ "a function pointer has its return type", "f", TAKES("pointer(function(" INT ", [" CHAR ", pointer(" VOID ")]))"),
	  "f(int (*)(char, void*))" },
	{ "a const function pointer", "f", TAKES("const_pointer(function(" INT ", []))"), "f(int (* const)())" },
	{ "a pointer to a function pointer", "f", TAKES("pointer(pointer(function(" INT ", [])))"), "f(int (**)())" },
	{ "a reference to a function", "f", TAKES("reference(function(" VOID ", [" INT "]))"), "f(void (&)(int))" },
	{ "a function that returns a function pointer", "f", TAKES("pointer(function(pointer(function(" INT ", [])), []))"),
	  "f(int (*)() (*)())" },
	{ "a function pointer without a return type", "f", TAKES("pointer(function(0, []))"), "f((*)())" },
	{ "a member function pointer", "f", TAKES("(lambda s: method_pointer(method(" INT ", s, pointer(s), [" CHAR "]), s))(" S ")"),
	  "f(int (ns::S::*)(char))" },
	{ "const there is not shown", "f", TAKES("(lambda s: method_pointer(method(" INT ", s, pointer(const(s)), []), s, 0x400))(" S ")"),
	  "f(int (ns::S::* const)())" },
	{ "a constructor's has no return type", "f", TAKES("(lambda s: method_pointer(constructor(s, pointer(s), []), s))(" S ")"),
	  "f((ns::S::*)())" },

	{ "const before what is no pointer", "f", TAKES("const(0x75), const(" S "), const(enum('E'))"),
	  "f(const unsigned int, const ns::S, const E)" },
	{ "an array", "f", TAKES("pointer(array(" INT ", 48))"), "f(int[12]*)" },
	{ "arrays in arrays", "f", TAKES("pointer(array(array(" INT ", 136), 1632))"), "f(int[12][34]*)" },
	{ "a reference to an array of const", "f", TAKES("reference(array(const(" CHAR "), 4))"), "f(const char[4]&)" },
	{ "an array of pointers", "f", TAKES("array(pointer(" CHAR "), 24), array(0x670, 16), array(0x470, 16)"),
	  "f(char*[3], char*[2], char*[4])" },
	{ "an array of enums and one of structures", "f", TAKES("array(enum('E', 0x11), 8), array(structure('T', size=12), 36)"),
	  "f(E[4], T[3])" },
	{ "an array of a class defined elsewhere", "f", "(lambda d, t: t)(structure('T', size=24, unique='.?AUT@@'), "
	  TAKES("array(structure('T', size=0, unique='.?AUT@@', declared=True), 72)") ")", "f(T[3])" },
	{ "and defined later", "f", TAKES("(lambda a, d: a)(array(record(0x1504, 'V', size=0, declared=True), 80), record(0x1504, 'V', size=40))"),
	  "f(V[2])" },
	{ "an array of a class defined nowhere", "f", TAKES("array(structure('N', size=0, declared=True), 72)"), "f(N[])" },
	{ "an array of void", "f", TAKES("array(" VOID ", 72)"), "f(void[])" },
	{ "a large array", "f", TAKES("array(" INT ", 400000)"), "f(int[100000])" },

	{ "a method", "ns::S::m", OF_S(INT, "pointer(s)", "[" INT "]"), "ns::S::m(int)" },
	{ "a const method", "ns::S::m", OF_S(INT, "const_pointer(const(s))", "[" INT "]"), "ns::S::m(int) const" },
	{ "a volatile method is not shown", "ns::S::m", OF_S(INT, "pointer(volatile(s))", "[]"), "ns::S::m()" },
	{ "a static method", "ns::S::m", OF_S(INT, "0", "[" INT "]"), "ns::S::m(int)" },
	{ "this is no pointer to the class", "ns::S::new", OF_S(INT, "pointer(0x10)", "[]"), "ns::S::new(signed char*)" },
	{ "and there are more", "ns::S::new", OF_S(INT, "0x77", "[" INT "]"), "ns::S::new(uint64_t, int)" },
	{ "nor a const one", "ns::S::new", OF_S(INT, "pointer(const(structure('T')))", "[]"), "ns::S::new(T const*)" },
	{ "a constructor", "ns::S::S", "(lambda s: constructor(s, pointer(s), [" INT "]))(" S ")", "ns::S::S(int)" },

	{ "basic types", "f", TAKES("0x08, 0x10, 0x20, 0x70, 0x71, 0x7a, 0x7b"),
	  "f(HRESULT, signed char, unsigned char, char, wchar_t, char16_t, char32_t)" },
	{ "small numbers", "f", TAKES("0x68, 0x69, 0x11, 0x21, 0x72, 0x73"),
	  "f(int8_t, uint8_t, short, unsigned short, int16_t, uint16_t)" },
	{ "numbers", "f", TAKES("0x12, 0x22, 0x74, 0x75"), "f(long, unsigned long, int, unsigned int)" },
	{ "large numbers", "f", TAKES("0x13, 0x23, 0x76, 0x77, 0x14, 0x78, 0x24, 0x79"),
	  "f(long long, unsigned long long, int64_t, uint64_t, int128_t, int128_t, uint128_t, uint128_t)" },
	{ "numbers with a point", "f", TAKES("0x46, 0x40, 0x45, 0x44, 0x41, 0x42, 0x43"),
	  "f(float16_t, float, float, float48_t, double, long double, long double)" },
	{ "complex numbers", "f", TAKES("0x50, 0x51, 0x52, 0x53"),
	  "f(complex<float>, complex<double>, complex<long double>, complex<long double>)" },
	{ "truth", "f", TAKES("0x30, 0x31, 0x32, 0x33"), "f(bool, bool16_t, bool32_t, bool64_t)" },
	{ "pointers to basic types", "f", TAKES("0x603, 0x670, 0x474, 0x103, const(0x670), pointer(0x670), pointer(const(0x670))"),
	  "f(void*, char*, int*, void*, char const*, char**, char* const*)" },
	{ "an ellipsis of C", "printf", TAKES("pointer(const(" CHAR ")), 0"), "printf(char const*, <NoType>)" },
	{ "basic types without a name", "f", TAKES("0x7c, pointer(const(0x7c)), 0x6ff, const(0x0a)"),
	  "f(<type 0x7c>, <type 0x7c> const*, <type 0xff>*, const <type 0xa>)" },

	{ "a type that leads nowhere", "f", TAKES("0x1ffe, pointer(0x1ffe), const(0x1ffe), array(0x1ffe, 4)"),
	  "f(<missing type 0x1ffe>, <missing type 0x1ffe>*, const <missing type 0x1ffe>, <missing type 0x1ffe>[])" },
	{ "parameters that lead nowhere", "f", "function(" INT ", 0x1ffd)", "f(<missing type 0x1ffd>)" },
	{ "a method's, which has no other way", "S::m", OF_S(INT, "pointer(s)", "0x1ffd"), "S::m" },
	{ "a record of another kind", "f", TAKES("other(0x1409), pointer(other(0x1205))"),
	  "f(<unimplemented type kind 0x1409>, <unimplemented type kind 0x1205>*)" },
};

static const struct {
	const char *what, *id, *told;
} inlined[] = {
	{ "a function", "function_id('f', function(" INT ", [reference(const(" S "))]))", "f(ns::S const&)" },
	{ "in a namespace", "function_id('f', function(" INT ", []), namespace('a::b'))", "a::b::f()" },
	{ "in a namespace without a name", "function_id('f', function(" INT ", []), namespace('?A0xc3a0617d'))",
	  "`anonymous namespace'::f()" },
	{ "which is one only with a number", "function_id('f', function(" INT ", []), namespace('?A0xother'))", "?A0xother::f()" },
	{ "of 8 digits at most", "function_id('f', function(" INT ", []), namespace('?A0x123456789'))", "?A0x123456789::f()" },
	{ "a method", "(lambda s: method_id('m', s, method(" INT ", s, pointer(const(s)), [" INT "])))(" S ")", "ns::S::m(int) const" },
	{ "a method of a template", "(lambda s: method_id('Box', s, constructor(s, pointer(s), [])))(structure('Box<const char *>'))",
	  "Box<const char *>::Box()" },
	{ "no name", "function_id('', function(" INT ", []))", "<name omitted>()" },
	{ "no type", "function_id('f', 0, namespace('a'))", "a::f" },
	{ "a type that is no function", "function_id('f', " S ")", "f" },
	{ "a type that is nowhere", "(lambda s: method_id('m', s, 0x1ffc))(" S ")", "ns::S::m" },
	{ "a class that is nowhere", "method_id('m', 0x1ffb, function(" INT ", []))", "<missing type 0x1ffb>::m()" },
	{ "a namespace that is nowhere", "function_id('f', function(" INT ", []), 0x1ffa)", "<missing type 0x1ffa>::f()" },
	{ "a namespace that is none", "function_id('f', function(" INT ", []), other_id(0x1606))",
	  "<unimplemented type kind 0x1606>::f()" },
	{ "an id that is nowhere", "0x1ff9", "<missing type 0x1ff9>" },
	{ "an id of another kind", "other_id(0x1606)", "<unimplemented type kind 0x1606>" },
};

#define FUNCTION_BYTES 16        /* as typed_pdb.py lays them out */

static const char *recipe(void)
{
	struct buf text;

	buf_init(&text, (size_t)1 << 20);
	buf_add_string(&text, SKELETON "cat > cases <<'EOF'\n");
	for (int i = 0; i < COUNT(outer); i++)
		buf_printf(&text, "outer %s = %s\n", outer[i].name, outer[i].type);
	for (int i = 0; i < COUNT(inlined); i++)
		buf_printf(&text, "inlined %s\n", inlined[i].id);
	buf_add_string(&text, "EOF\npython3 $SRC/tests/object/typed_pdb.py app.pdb $OUT < cases\n");
	return look_keep(&text);
}

static const char *told(void)
{
	return look_path(support_fixture("pdb-names", recipe()));
}

START_TEST(outer_functions)
{
	const char *text = told();

	ck_assert_msg(strstr(text, support_printf("\nfunction %x+%x %s\n", 0x1000 + FUNCTION_BYTES * _i, FUNCTION_BYTES,
						  outer[_i].told)),
		      "%s: no %s in\n%.4000s", outer[_i].what, outer[_i].told, strstr(text, "function "));
}
END_TEST

START_TEST(inlined_functions)
{
	const char *text = told();
	int at = 0x1000 + FUNCTION_BYTES * (COUNT(outer) + _i);

	ck_assert_msg(look_has(text, support_printf("inline 0 in -1 %s called ", inlined[_i].told),
			       support_printf(" %x+2", at + 4)),
		      "%s: no %s in\n%.4000s", inlined[_i].what, inlined[_i].told, strstr(text, "inline "));
}
END_TEST

/* Types in circles, pointers to pointers without end: the plain name, as soon as a bound is met. */
static const char *const endless[] = {
	"function(" VOID ", [pointer(FIRST + len(records[TYPES]))])",
	"function(" VOID ", [const(FIRST + len(records[TYPES]))])",
	"function(" VOID ", [array(FIRST + len(records[TYPES]), 4)])",
	"function(" VOID ", FIRST + len(records[TYPES]))",
	"function(" VOID ", [__import__('functools').reduce(lambda t, _: pointer(t), range(17), " INT ")])",
	"function(" VOID ", [__import__('functools').reduce(lambda t, _: pointer(function(t, [t, t])), range(60), " INT ")])",
};

START_TEST(endless_types_cost_the_parameters)
{
	const char *text = look_path(support_fixture(support_printf("pdb-names-endless-%d", _i),
		support_printf(SKELETON "cat > cases <<'EOF'\nouter f = %s\nEOF\n"
			       "python3 $SRC/tests/object/typed_pdb.py app.pdb $OUT < cases\n", endless[_i])));

	ck_assert_msg(strstr(text, "\nfunction 1000+10 f\n"), "%s", text);
}
END_TEST

START_TEST(survives_every_byte_change)
{
	struct file_map map = support_read(support_fixture("pdb-names", recipe()));

	support_every_byte_change(map.bytes, map.size, look_survive, NULL);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct file_map map = support_map(support_fixture("pdb-names-scattered", support_printf("%s"
		"mv $OUT plain.pdb\npython3 $SRC/tests/object/remake_pdb.py plain.pdb $OUT page=128 shuffle\n", recipe())));
	struct look_input input = { .bytes = map.bytes, .size = map.size };

	support_every_allocation_failure(look_work, &input, 4000);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pdb-names");
	TCase *reading = tcase_create("reading"), *torment = tcase_create("torment");

	tcase_add_loop_test(reading, outer_functions, 0, COUNT(outer));
	tcase_add_loop_test(reading, inlined_functions, 0, COUNT(inlined));
	tcase_add_loop_test(reading, endless_types_cost_the_parameters, 0, COUNT(endless));
	tcase_add_test(torment, survives_every_byte_change);
	tcase_add_test(torment, survives_every_allocation_failure);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, torment);
	return support_main(suite);
}

/* test_scopes.c -- where functions are: ranges, syntax of every edition, what is lost, torments. */
#include "ecmascript/reading.h"

#define ARENA_BYTES ((size_t)256 << 20)
#define TEXT_BYTES  ((size_t)64 << 20)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Texts of scopes, "|" between. */
static void must_hold(const char *text, const char *expected)
{
	struct buf found;

	reading_must_read(text_of(text));
	buf_init(&found, TEXT_BYTES);
	for (size_t i = 0; i < reading.scopes.count; i++) {
		buf_add_string(&found, i ? "|" : "");
		buf_add(&found, text + reading.scopes.scopes[i].start,
			reading.scopes.scopes[i].end - reading.scopes.scopes[i].start);
	}
	ck_assert_msg(strcmp(buf_string(&found), expected) == 0, "%s\n  has %s\n  not %s", text,
		      buf_string(&found), expected);
	buf_release(&found);
}

static const struct { const char *text, *scopes; } ranges[] = {
	{ "async function f(){} ;", "async function f(){}" },
	{ "function*g(){};", "function*g(){}" },
	{ "x=a=>a+1,2", "a=>a+1" },
	{ "x=(a,b)=>({}) ;", "(a,b)=>({})" },
	{ "x=async a=>a;y=async(b)=>{}", "async a=>a|async(b)=>{}" },
	{ "x=async\nfunction f(){}", "function f(){}" },
	{ "(class A{static async*m(){}get x(){}constructor(){}y=1;static{}})",
	  "class A{static async*m(){}get x(){}constructor(){}y=1;static{}}|static async*m(){}|get x(){}" },
	{ "({get a(){},set b(v){},c(){},async d(){},*e(){},[f](){}})",
	  "get a(){}|set b(v){}|c(){}|async d(){}|*e(){}|[f](){}" },
	{ "export default async function(){}", "async function(){}" },
	{ "x=a=>b=>c", "a=>b=>c|b=>c" },
	{ "for(x of a=>a in b);", "a=>a in b" },
	{ "for(var x=a=>a in b);", "a=>a" },
};

START_TEST(ranges_are_exact)
{
	for (size_t i = 0; i < COUNT(ranges); i++)
		must_hold(ranges[i].text, ranges[i].scopes);
}
END_TEST

START_TEST(places_are_those_of_source_maps)
{
	const struct ecmascript_scope *scope;
	const struct ecmascript_part *part;

	reading_must_read(TEXT("'\xf0\x9f\x98\x80';\n/* \xc3\xa4 */o = { p(){\n} }"));
	ck_assert_uint_eq(reading.scopes.count, 1);
	scope = &reading.scopes.scopes[0];
	ck_assert_uint_eq(scope->starts_at.line, 1);
	ck_assert_uint_eq(scope->starts_at.column, 13);
	ck_assert_uint_eq(scope->ends_at.line, 2);
	ck_assert_uint_eq(scope->ends_at.column, 1);
	ck_assert_uint_eq(scope->part_count, 3);
	part = &reading.scopes.parts[scope->first_part];
	ck_assert_uint_eq(part[0].position.line, 1);
	ck_assert_uint_eq(part[0].position.column, 7);
	ck_assert_uint_eq(part[1].offset, ECMASCRIPT_NOWHERE);
	ck_assert_uint_eq(part[2].position.column, 13);
}
END_TEST

/* What must be read without an error; scopes: how many. */
static const struct { const char *text; size_t scopes; } syntax[] = {
	{ "", 0 },
	{ "#!/usr/bin/env node\nf(() => 1)", 1 },
	{ "\xef\xbb\xbf" "f(() => 1)", 1 },
	{ "a = b / c / d; a = b\n/c/d; a = /[/\\]]/u.test(b) ? /=/ : 1 / 2", 0 },
	{ "if (a) /b/.test(c); a++ / 2; (a) / 2; a[0] / 2; ({}) / 2; `x` / 2", 0 },
	{ "x = `a${b + `c${() => 1}d`}e${{}}`; tag`\\unicode`", 1 },
	{ "a?.b?.[c]?.(() => 1); a ?.5 : 1; a?\?=b?\?c; a||=b; a&&=c; a**=2**3; a>>>=1", 1 },
	{ "1_000n; 0b1_0; .5e-1; 0xfFn; 1..toString(); 1.e5; 08.5; 017.x", 0 },
	{ "class A { #a = 1; static #b(){} get #c(){} static { #a in this; } 'x' = 1; 2 = 3; [4] }", 3 },
	{ "class A { static; get; set; async; static static; static async; get\nx(){} async\ny(){} }", 3 },
	{ "class A { static async *[x](){} static get [y](){} static set y(v){} accessor z = 1 }", 4 },
	{ "let async; async = 1; async(); async\n(a); async.b; ({ async, get, set, of, async: 1 })", 0 },
	{ "let yield_; var yield = 1; yield * 2; function* g(){ yield; yield* a; yield /x/; (yield) }", 1 },
	{ "await(1); var await; await + 1; async () => { await /x/; for await (a of b); }", 1 },
	{ "await x; await using y = z; using a = b, c = d; for (using e of f); for (await using g of h);", 0 },
	{ "using(a); using\nb; for (using of c); for (using in d);", 0 },
	{ "let a; let [b] = c, { d } = e; let\nf; l\\u0065t\ng", 0 },
	{ "for (let in a); for (let.x in a); for (let = 1; ;) break; for (async of => 1; ;);", 1 },
	{ "for (var a = 1 in b); for (const [c] of d); for ((e in f); ;);", 0 },
	{ "import a from 'b' with { type: 'json' }; import 'c'; import * as d from 'e'", 0 },
	{ "import f, { g as h, 'i j' as k, default as l } from 'm'; import from from 'n'", 0 },
	{ "export { a as b, c as 'd e' } from 'f'; export * from 'g'; export * as h from 'i'; export {}", 0 },
	{ "export default function(){} export const a = () => 1, b = 2; export class C {}", 3 },
	{ "import.meta.url; import('a'); import('a', { with: {} }); import.source('x'); new.target", 0 },
	{ "a: b: for (;;) { continue a; break b\n}", 0 },
	{ "if (a) b; else if (c) d; else e; do f; while (g) h; with (i) j", 0 },
	{ "switch (a) { case b: case c: { } default: d }", 0 },
	{ "try { } catch { } finally { } try { } catch ({ a = () => 1 }) { }", 1 },
	{ "a\n++b; a = b\n(c)\n[d]; return\nthrow e; debugger", 0 },
	{ "x <!--y\na --> b\n--> comment\n/* */ --> comment", 0 },
	{ "import 'a'; x<!--y; () => 1", 1 },
	{ "@a @b.c() class D { @e f(){} @(g) h = 1 } x = @i class {}", 3 },
	{ "new new A(1)(2); new (a())(b); new a.b`c`; new class {}", 1 },
	{ "a\xe2\x80\xa8/b/\xe2\x80\xa9" "c; \xc2\xa0 d\xef\xbb\xbf; \xc3\xa4\xe2\x82\xac = () => 1", 1 },
	{ "a = '\\\n\\\r\n\xe2\x80\xa8'; \\u0061b\\u{63} = 1; ({ if: 1, class: () => 1 }).new.if", 1 },
	{ "var { a, b: c, [d]: e, ...f } = g; [h.i, j[0], ...k] = l; ({ a: m.n, o = 1, ...p } = q)", 0 },
};

START_TEST(every_edition_is_read)
{
	for (size_t i = 0; i < COUNT(syntax); i++) {
		reading_must_read(text_of(syntax[i].text));
		ck_assert_msg(reading.scopes.error_count == 0, "%s: at byte %u: no %s", syntax[i].text,
			      reading.scopes.error_offset, reading.scopes.error_words);
		ck_assert_msg(reading.scopes.count == syntax[i].scopes, "%s: %zu scopes", syntax[i].text,
			      reading.scopes.count);
	}
}
END_TEST

/* What an error leaves: `at`, where it is. */
static const struct { const char *text, *scopes; uint32_t at; } broken[] = {
	{ "function a(){} let b: c = () => 1; function d(){}", "function a(){}|function d(){}", 20 },
	{ "function a(){ @ ; function b(){} } function c(){}",
	  "function a(){ @ ; function b(){} }|function b(){}|function c(){}", 16 },
	{ "f(function(){ g(1 2); h(() => 1) }, () => 2)",
	  "function(){ g(1 2); h(() => 1) }|() => 1|() => 2", 18 },
	{ "function a(b: string) { return () => 1 }\nfunction c(){}",
	  "function a(b: string) { return () => 1 }|function c(){}", 12 },
	{ "class A { private x: y = 1; m(){} }", "class A { private x: y = 1; m(){} }|m(){}", 18 },
	{ "x = <div a={() => 1}/>;\nfunction b(){}", "function b(){}", 4 },
	{ "interface A { b: c }\nfunction d(){}", "function d(){}", 10 },
	{ "function a(){ b(` } function c(){}", "function a(){ b(` } function c(){}", 16 },
	{ "a = 'open\nfunction b(){}", "function b(){}", 4 },
	{ "} function a(){} ) function b(){}", "function a(){}", 0 },
	{ "function a(){ {{ ( } } } function b(){}", "function a(){ {{ ( } } }|function b(){}", 19 },
	{ "`${ @ ; () => 1 }`; function a(){}", "function a(){}", 6 },
	{ "function a(){", "function a(){", 13 },
	{ "/* open", "", 0 },
};

START_TEST(an_error_costs_its_statement)
{
	for (size_t i = 0; i < COUNT(broken); i++) {
		must_hold(broken[i].text, broken[i].scopes);
		if (i + 1 == COUNT(broken))
			break;
		ck_assert_msg(reading.scopes.error_count > 0, "%s: no error", broken[i].text);
		ck_assert_msg(reading.scopes.error_offset == broken[i].at, "%s: at byte %u", broken[i].text,
			      reading.scopes.error_offset);
		ck_assert_ptr_nonnull(reading.scopes.error_words);
	}
}
END_TEST

static void repeat(struct buf *text, const char *part, int times)
{
	for (int i = 0; i < times; i++)
		buf_add_string(text, part);
}

/* Each nested a hundred thousand deep, and what is no nesting read as deep as it goes. */
START_TEST(nesting_has_a_limit)
{
	static const struct { const char *open, *inside, *close; bool is_read; } cases[] = {
		{ "(", "1", ")", false }, { "[", "", "]", false }, { "{", "", "}", false },
		{ "({a:", "1", "})", false }, { "function f(){", "", "}", false }, { "a=>", "1", "", false },
		{ "(a=", "1", ")=>1", false }, { "[a=", "1", "]=1", false }, { "`${", "1", "}`", false },
		{ "class extends ", "A", "{}", false }, { "@", "a", "", false }, { "if(a)", ";", "", false },
		{ "x[", "0", "]=1", false }, { "({[", "0", "](){}})", false }, { "class{[", "0", "](){}}", false },
		{ "var{a:", "b", "}=1", false }, { "while(1)", ";", "", true }, { "a:", ";", "", true },
		{ "a=", "1", "", true }, { "a?b:", "1", "", true }, { "if(a);else ", ";", "", true },
		{ "-", "1", "", true }, { "new ", "a", "", true }, { "a+", "1", "", true },
		{ "a.", "b", "", true }, { "", "a", "()", true },
	};
	struct buf text;

	buf_init(&text, TEXT_BYTES);
	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_clear(&text);
		buf_add_string(&text, cases[i].open[0] == 'c' ? "x=" : "");
		repeat(&text, cases[i].open, 100000);
		buf_add_string(&text, cases[i].inside);
		repeat(&text, cases[i].close, 100000);
		buf_add_string(&text, "\n;function last(){}");
		reading_must_read(buf_text(&text));
		ck_assert_msg((reading.scopes.error_count == 0) == cases[i].is_read, "%s", cases[i].open);
		ck_assert(reading.scopes.count > 0 || cases[i].open[0] == '`');
	}
	buf_release(&text);
}
END_TEST

static const char whole[] =
	"class A { #p = () => {}; [k](){} get x(){ return [a.b['c'] = function(){}] } }\n"
	"o = { '\\u0041'(){}, 1e3: (a = () => {}) => {}, get b(){} }; `${() => 1}`; a\\u0062 = () => 2;";

static int read_once(void *payload, struct err *err)
{
	struct ecmascript_scopes one;
	struct arena own;
	int rc;

	(void)payload;
	arena_init(&own, ARENA_BYTES);
	rc = ecmascript_scopes_read(&one, TEXT(whole), &own, err);
	if (rc == 0)
		ecmascript_scopes_release(&one);
	arena_release(&own);
	return rc;
}

START_TEST(allocations_may_fail)
{
	support_every_allocation_failure(read_once, NULL, 100);
}
END_TEST

static void read_bytes(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(every_byte_may_change)
{
	support_every_byte_change((const uint8_t *)whole, sizeof(whole) - 1, read_bytes, NULL);
}
END_TEST

/* Bytes that are no JavaScript end, and cost as much as others. */
START_TEST(noise_does_no_harm)
{
	static const char *const parts[] = {
		"<html><body class=\"a\">it's <b>bold</b> & {\"a\":[1,2,{\"b\":null}]} `${",
		"{\"a\": [1, 2.5e3, \"x\\\"y\", {\"b\": null}], ", "\x00\xff\x80(=>{`/\\'\"*/", "function(class{`${/[",
		"'", "/*", "/", "`", "`${", "(a=()=>{", "}])", "async(", "x[()=>{", "[a=[b=()=>1]=", "/[", "a.b=", "a.b."
	};
	struct buf text;

	buf_init(&text, TEXT_BYTES);
	for (size_t i = 0; i < COUNT(parts); i++) {
		buf_clear(&text);
		for (int j = 0; j < 20000; j++)
			buf_add(&text, parts[i], i == 2 ? 15 : strlen(parts[i]));
		LLVMFuzzerTestOneInput((const uint8_t *)text.bytes, text.size);
	}
	buf_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scopes");
	TCase *tests = tcase_create("scopes");

	tcase_add_checked_fixture(tests, reading_begin, reading_end);
	tcase_add_test(tests, ranges_are_exact);
	tcase_add_test(tests, places_are_those_of_source_maps);
	tcase_add_test(tests, every_edition_is_read);
	tcase_add_test(tests, an_error_costs_its_statement);
	tcase_add_test(tests, nesting_has_a_limit);
	tcase_add_test(tests, allocations_may_fail);
	tcase_add_test(tests, every_byte_may_change);
	tcase_add_test(tests, noise_does_no_harm);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

/* test_scope_names.c -- what functions are called: every rule of doc/formats/ecmascript.md. */
#include "ecmascript/reading.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Scopes in the order of their start; "-": no name. */
static const struct { const char *text, *names; } names[] = {
	{ "function f(){}", "f" },
	{ "async function f(){}", "f" },
	{ "(function f(){})", "f" },
	{ "(function(){})()", "-" },
	{ "!function(){}()", "-" },
	{ "foo(() => {})", "-" },
	{ "foo(function cb(){})", "cb" },
	{ "const x = () => {}", "x" },
	{ "export const x = () => {}", "x" },
	{ "const x = function n(){}", "n" },
	{ "const x = foo(() => {})", "x" },
	{ "const x = [() => {}]", "x" },
	{ "const x = c ? () => {} : null", "x" },
	{ "var x = (() => {})()", "x" },
	{ "const x = foo(function n(){})", "n" },
	{ "const {x} = foo(() => {})", "-" },
	{ "const [x] = [() => {}]", "-" },
	{ "const {x = () => {}} = y", "-" },
	{ "for (const x of [() => {}]) {}", "-" },
	{ "const {x} = { m(){} }", "<object>.m" },
	{ "let a = () => () => {}", "a, -" },
	{ "function f(a = () => {}){}", "f, -" },
	{ "var a = b = () => {}", "b" },
	{ "x ||= () => {}", "x" },
	{ "a.b = () => {}", "a.b" },
	{ "a.b.c = function(){}", "a.b.c" },
	{ "a.b = c.d = () => {}", "c.d" },
	{ "a = { b: c.d = () => {} }", "c.d" },
	{ "a.b = [() => {}]", "a.b" },
	{ "this.x = () => {}", "this.x" },
	{ "a.b = function n(){}", "a.n" },
	{ "a[0] = () => {}", "a[0]" },
	{ "a[\"k\"] = () => {}", "a[\"k\"]" },
	{ "a[k] = () => {}", "a[k]" },
	{ "a[1+1] = () => {}", "a[<computed>]" },
	{ "a[-1] = () => {}", "a[<computed>]" },
	{ "a[k].b = () => {}", "a[k].b" },
	{ "a[0] = function n(){}", "an" },
	{ "a[k] = function n(){}", "a[kn" },
	{ "a[() => {}] = 1", "a[<computed>]" },
	{ "f().x = () => {}", "-" },
	{ "(a).b = () => {}", "-" },
	{ "(a.b) = () => {}", "-" },
	{ "v = f().x = () => {}", "v" },
	{ "[a] = [() => {}]", "-" },
	{ "import.meta.x = () => {}", "-" },
	{ "a?.b.c(() => {})", "-" },
	{ "class A { m(){ this.#p = () => {} } #p }", "new A, A.m, this" },
	{ "const o = { a: () => {}, b(){}, \"c\": () => {}, \"d\"(){} }", "o.a, o.b, o, o.<\"d\">" },
	{ "const o = { [e]: () => {}, [f](){}, 1: () => {}, 2(){} }",
	  "o, o.<computed>, o, o.<2>" },
	{ "const o = { a: { b: { c(){} } } }", "o.a.b.c" },
	{ "const o = { a: function n(){} }", "o.n" },
	{ "const o = { \"a\": function n(){} }", "n" },
	{ "o = { a: () => {} }", "o.a" },
	{ "m.e = { a: () => {} }", "m.ea" },
	{ "m.e = { a: { b(){} } }", "m.ea.b" },
	{ "m.e = f({ c(){} })", "m.ec" },
	{ "m.e = { a(){}, get g(){} }", "m.ea, get m.e.g" },
	{ "a.b = { c: { get d(){} } }", "get a.bc.d" },
	{ "A.prototype = { foo: function(){}, bar: function n(){} }",
	  "A.prototypefoo, A.prototypen" },
	{ "m[0] = { a(){} }", "m[0]a" },
	{ "m[k] = { a(){} }", "m[k]a" },
	{ "({ a: () => {}, b(){}, \"c\": () => {} })", "<object>.a, <object>.b, -" },
	{ "({ a: function n(){}, \"b\": function q(){} })", "<object>.n, q" },
	{ "({ get x(){}, set x(v){} })", "get x, set x" },
	{ "({ a: { get x(){} } })", "get <object>.a.x" },
	{ "const o = { get x(){ return () => {} } }", "get o.x, o" },
	{ "const o = { p: { get x(){ function i(){} } } }", "get o.p.x, o.i" },
	{ "foo({ a: () => {} })", "<object>.a" },
	{ "Object.defineProperty(e, \"x\", { get: function(){} })", "<object>.get" },
	{ "const x = new Foo({ m(){} })", "x.m" },
	{ "const x = [{ m(){} }]", "x.m" },
	{ "const x = { ...{ m(){} } }", "x.m" },
	{ "const x = { [() => {}]: 1 }", "x" },
	{ "function f(){ return { m(){} } }", "f, <object>.m" },
	{ "class A { m(){} static s(){} async n(){} *g(){} }", "new A, A.m, A.s, A.n, A.g" },
	{ "class A { \"q\"(){} 1(){} [c](){} }", "new A, A.<\"q\">, A.<1>, A.<computed>" },
	{ "class A { get x(){} set x(v){} static get y(){} }",
	  "new A, get A.x, set A.x, get A.y" },
	{ "class A { get #x(){} #y(){} }", "new A, A.#x, A.#y" },
	{ "class A { constructor(){ x(() => {}); this.y = () => {} } }", "new A, -, this.y" },
	{ "class A { p = () => {}; static q = function(){}; r = function n(){} }",
	  "new A, A, A, n" },
	{ "class A { p = { m(){} } }", "new A, A.m" },
	{ "class A { static K = class {}; static L = class M { z(){} } }",
	  "new A, new A, new A.M, A.M.z" },
	{ "class A { static { (() => {})(); function f(){} } }", "new A, A, f" },
	{ "class A extends B(() => {}) {}", "new A, A" },
	{ "class A { get [(() => {})()](){} }", "new A, get A.<computed>, get A.<computed>" },
	{ "x = class { m(){} get g(){} }", "new x, x.m, get x.g" },
	{ "x = class B { m(){} p = () => {} }", "new x.B, x.B.m, x.B" },
	{ "a.b = class {}", "new a.b" },
	{ "deep.x.K = class {}", "new deep.x.K" },
	{ "a.b = class { m(){} get g(){} }", "new a.b, a.bm, get a.bg" },
	{ "a.b = class C { m(){} }", "new a.bC, a.bC.m" },
	{ "const x = class B { static { function f(){} } }", "new x.B, x.f" },
	{ "(class { m(){} get g(){} })", "-, m, get g" },
	{ "foo(class { m(){} })", "-, m" },
	{ "(class B { m(){} })", "new B, B.m" },
	{ "const o = { K: class { m(){} } }", "new o.K, o.K.m" },
	{ "const o = { K: class L { m(){} } }", "new o.K.L, o.K.L.m" },
	{ "({ K: class { m(){} } })", "new <object>.K, <object>.K.m" },
	{ "function f(){ return class { m(){} } }", "f, -, m" },
	{ "export default function(){}", "-" },
	{ "export default () => {}", "-" },
	{ "export default class { m(){} }", "-, m" },
	{ "export default class A { m(){} get g(){} }", "new A, A.m, get A.g" },
	{ "export default { m(){}, n: () => {} }", "<object>.m, <object>.n" },
};

static const struct { const char *text, *names; } texts_of_keys[] = {
	{ "o = { '\\x41\\u0042\\u{43}\\\n\\n'(){} }", "o.<\"ABC\n\">" },
	{ "o = { '\\ud83d\\ude00\\ud800\"\\101'(){} }", "o.<\"\xf0\x9f\x98\x80\\u{D800}\"A\">" },
	{ "o = { \\u0061b(){} }", "o.ab" },
	{ "\\u{61}b = () => {}", "ab" },
	{ "o = { 1.0(){}, 0x10(){}, 1e21(){}, 1_000(){}, .5(){}, 1e-7(){} }",
	  "o.<1>, o.<16>, o.<1000000000000000000000>, o.<1000>, o.<0.5>, o.<0.0000001>" },
	{ "o = { 0o17(){}, 0b11(){}, 017(){}, 089(){}, 1e999(){}, 123.456(){}, 0(){} }",
	  "o.<15>, o.<3>, o.<15>, o.<89>, o.<inf>, o.<123.456>, o.<0>" },
	{ "o = { 1n(){}, 0xffn(){}, 0xFFFFFFFFFFFFFFFFFn(){} }",
	  "o.<1n>, o.<255n>, o.<295147905179352825855n>" },
	{ "a[1n] = () => {}; a[true] = () => {}; a[null] = () => {}; a[/x/g] = () => {}",
	  "a[1n], a[true], a[null], a[/x/g]" },
	{ "a[/x/.y] = () => {}; a[`x`] = () => {}; a[this] = () => {}; a[b.c] = () => {}",
	  "a[<computed>], a[<computed>], a[<computed>], a[<computed>]" },
	{ "a['x\\u0079'] = () => {}", "a[\"xy\"]" },
	{ "class A { #\\u0070(){} }", "new A, A.#p" },
	{ "class A { 'constructor'(){ (() => {})() } static constructor(){} }", "new A, -, A.constructor" },
	{ "class A { get constructor(){} ['constructor'](){} }", "new A, get A.constructor, A.<computed>" },
};

/* What turns out later to be something else than it looked like. */
static const struct { const char *text, *names; } read_again[] = {
	{ "v = (a = () => {}) => {}", "v, -" },
	{ "v = async (a = () => {}) => {}", "v, -" },
	{ "v = async(a = () => {})", "a" },
	{ "v = (a = () => {})", "a" },
	{ "v = ({ a = () => {} }) => {}", "v, -" },
	{ "v = ({ a: b = () => {} }) => {}", "v, -" },
	{ "v = ([a = (b = () => {}) => {}] = [() => {}]) => {}", "v, -, -, -" },
	{ "[a = () => {}] = y", "-" },
	{ "v = [a = () => {}] = y", "v" },
	{ "({ a = () => {}, b: c = () => {}, d: [e = () => {}] } = y)", "-, -, -" },
	{ "({ a: o.m({ n(){} }).x } = y)", "<object>.n" },
	{ "for ([a = () => {}] of y) ;", "-" },
	{ "for ({ a = () => {} } in y) ;", "-" },
	{ "for (const [a = () => {}] of y) ;", "-" },
	{ "a[() => {}].b = () => {}", "a[<computed>].b, a[<computed>].b" },
	{ "a[() => {}] += () => {}", "a[<computed>], a[<computed>]" },
	{ "f(() => {})[0] = () => {}", "-, -" },
	{ "class A { [() => {}](){} [() => {}] = 1 }", "new A, A.<computed>, A.<computed>, A" },
	{ "o = { [() => {}](){}, [() => {}]: 1, get [() => {}](){} }",
	  "o.<computed>, o.<computed>, o, get o.<computed>, o" },
};

static void must_be(const char *text, const char *expected)
{
	struct buf found;

	buf_init(&found, 65536);
	reading_must_read(text_of(text));
	for (size_t i = 0; i < reading.scopes.count; i++) {
		const struct ecmascript_scope *scope = &reading.scopes.scopes[i];

		buf_add_string(&found, i ? ", " : "");
		reading_add_name(scope, &found);
		buf_add_string(&found, scope->part_count ? "" : "-");
	}
	ck_assert_msg(strcmp(buf_string(&found), expected) == 0, "%s\n  is  %s\n  not %s", text,
		      buf_string(&found), expected);
	ck_assert_msg(reading.scopes.error_count == 0, "%s: at byte %u: %s", text, reading.scopes.error_offset,
		      reading.scopes.error_words);
	buf_release(&found);
}

START_TEST(every_rule)
{
	for (size_t i = 0; i < COUNT(names); i++)
		must_be(names[i].text, names[i].names);
}
END_TEST

START_TEST(keys_and_literals)
{
	for (size_t i = 0; i < COUNT(texts_of_keys); i++)
		must_be(texts_of_keys[i].text, texts_of_keys[i].names);
}
END_TEST

START_TEST(what_looked_like_something_else)
{
	for (size_t i = 0; i < COUNT(read_again); i++)
		must_be(read_again[i].text, read_again[i].names);
}
END_TEST

/* A name ends at 128 parts: what is further outside is left out. */
START_TEST(long_names_are_cut)
{
	struct buf text;

	buf_init(&text, 65536);
	buf_add_string(&text, "v = ");
	for (int i = 0; i < 200; i++)
		buf_add_string(&text, "{ a: ");
	buf_add_string(&text, "() => {}");
	for (int i = 0; i < 200; i++)
		buf_add_string(&text, " }");
	reading_must_read(buf_text(&text));
	ck_assert_uint_eq(reading.scopes.count, 1);
	ck_assert_uint_eq(reading.scopes.scopes[0].part_count, 128);
	buf_release(&text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scope_names");
	TCase *tests = tcase_create("scope_names");

	tcase_add_checked_fixture(tests, reading_begin, reading_end);
	tcase_add_test(tests, every_rule);
	tcase_add_test(tests, keys_and_literals);
	tcase_add_test(tests, what_looked_like_something_else);
	tcase_add_test(tests, long_names_are_cut);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

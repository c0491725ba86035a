#!/usr/bin/env node
import d, { a as b, "x y" as c } from "m" with { type: "json" }; import * as ns from 'n'; export * as q from 'r';
export default async function* f(a, { b = () => {}, ...c } = {}, [d, , e = function () {}] = []) { yield* g(); for await (const x of y) await x?.[0]?.(1); }
class A extends (B, C) { static #p = 1n; static { this.#p ??= 0x1_0n; } get [k]() { return #p in this; } set x(v) {} async *m() {} static async = 1; get; set; static static() {} 'constructor'() { super(); } accessor y = 2; }
label: for (var i = 0, j = ("a" in b); i < 1; i++) { if (a) continue label; else if (b) break; else do x(); while (0) }
const o = { async, get, set, async *a() {}, get b() { return 1 }, set c(v) {}, [d + 1]: 1, "e": 2, 3: 3, f, ...g, async: 1, __proto__: null };
t`a${b}c${`d${e}`}`; x = a ? (b) : c => d; y = async (z) => { await z }; w = a / b / c; v = /[/\]]+/giv.test(u) ? 1 : 2;
using r = s(); await using t2 = u2(); let { v2: [w2 = () => {}] = [], ...x2 } = y2; new new A(1)(2).b; new.target; import.meta.url; import("x");
switch (a) { case 1: { } default: function k() {} } try { } catch { } finally { } a ||= b &&= c **= d >>>= e;

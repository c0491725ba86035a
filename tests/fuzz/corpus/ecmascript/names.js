function f(){}
async function f(){}
(function f(){})
(function(){})()
!function(){}()
foo(() => {})
foo(function cb(){})
const x = () => {}
export const x = () => {}
const x = function n(){}
const x = foo(() => {})
const x = [() => {}]
const x = c ? () => {} : null
var x = (() => {})()
const x = foo(function n(){})
const {x} = foo(() => {})
const [x] = [() => {}]
const {x = () => {}} = y
for (const x of [() => {}]) {}
const {x} = { m(){} }
let a = () => () => {}
function f(a = () => {}){}
var a = b = () => {}
x ||= () => {}
a.b = () => {}
a.b.c = function(){}
a.b = c.d = () => {}
a = { b: c.d = () => {} }
a.b = [() => {}]
this.x = () => {}
a.b = function n(){}
a[0] = () => {}
a["k"] = () => {}
a[k] = () => {}
a[1+1] = () => {}
a[-1] = () => {}
a[k].b = () => {}
a[0] = function n(){}
a[k] = function n(){}
a[() => {}] = 1
f().x = () => {}
(a).b = () => {}
(a.b) = () => {}
v = f().x = () => {}
[a] = [() => {}]
import.meta.x = () => {}
a?.b.c(() => {})
class A { m(){ this.#p = () => {} } #p }
const o = { a: () => {}, b(){}, "c": () => {}, "d"(){} }
const o = { [e]: () => {}, [f](){}, 1: () => {}, 2(){} }
const o = { a: { b: { c(){} } } }
const o = { a: function n(){} }
const o = { "a": function n(){} }
o = { a: () => {} }
m.e = { a: () => {} }
m.e = { a: { b(){} } }
m.e = f({ c(){} })
m.e = { a(){}, get g(){} }
a.b = { c: { get d(){} } }
A.prototype = { foo: function(){}, bar: function n(){} }
m[0] = { a(){} }
m[k] = { a(){} }
({ a: () => {}, b(){}, "c": () => {} })
({ a: function n(){}, "b": function q(){} })
({ get x(){}, set x(v){} })
({ a: { get x(){} } })
const o = { get x(){ return () => {} } }
const o = { p: { get x(){ function i(){} } } }
foo({ a: () => {} })
Object.defineProperty(e, "x", { get: function(){} })
const x = new Foo({ m(){} })
const x = [{ m(){} }]
const x = { ...{ m(){} } }
const x = { [() => {}]: 1 }
function f(){ return { m(){} } }
class A { m(){} static s(){} async n(){} *g(){} }
class A { "q"(){} 1(){} [c](){} }
class A { get x(){} set x(v){} static get y(){} }
class A { get #x(){} #y(){} }
class A { constructor(){ x(() => {}); this.y = () => {} } }
class A { p = () => {}; static q = function(){}; r = function n(){} }
class A { p = { m(){} } }
class A { static K = class {}; static L = class M { z(){} } }
class A { static { (() => {})(); function f(){} } }
class A extends B(() => {}) {}
class A { get [(() => {})()](){} }
x = class { m(){} get g(){} }
x = class B { m(){} p = () => {} }
a.b = class {}
deep.x.K = class {}
a.b = class { m(){} get g(){} }
a.b = class C { m(){} }
const x = class B { static { function f(){} } }
(class { m(){} get g(){} })
foo(class { m(){} })
(class B { m(){} })
const o = { K: class { m(){} } }
const o = { K: class L { m(){} } }
({ K: class { m(){} } })
function f(){ return class { m(){} } }
export default function(){}
export default () => {}
export default class { m(){} }
export default class A { m(){} get g(){} }
export default { m(){}, n: () => {} }

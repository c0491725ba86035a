function a() { let x: number = 1; function b() {} }
function c() { return <div onClick={() => 1}>text</div>; }
class D { private e: string = 1; f() {} @g h = () => {}; }
[a = b = () => { ] = 1; for (;; function () {} while (1) "open
/re[/]/ /open
x = `${ () => `${ ( } `; (function () { }) ) } function i() {}

#!/usr/bin/env python3
"""many.py SEED MODULES FOLDER -- C++ without headers: functions of many kinds, put together by chance.

Writes many.h, module0.cc, ... and start.cc with what a program without a library needs. In the texts below NAME is the
function's own name, TYPE and OTHER are types, BODY is a block of statements and LINE the line behind it.
"""
import random
import sys

TYPES = ["int", "unsigned", "long long", "unsigned long long", "short", "char", "unsigned char", "long", "signed char"]

HEADER = """#pragma once
typedef __SIZE_TYPE__ size;
extern "C" volatile int sink;
extern "C" volatile long long wide;
void *operator new(size) noexcept;
void operator delete(void *) noexcept;
void operator delete(void *, size) noexcept;
#define NOINLINE __attribute__((noinline))
#define INLINE inline __attribute__((always_inline))
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T &> { typedef T type; };
template <class T> INLINE typename plain<T>::type &&moved(T &&t) { return static_cast<typename plain<T>::type &&>(t); }
template <class T> INLINE T &&forwarded(typename plain<T>::type &t) { return static_cast<T &&>(t); }
template <class T, int N> struct Row {
  T items[N];
  INLINE T &operator[](int i) {
    return items[i];
  }
  inline T sum() const {
    T sum = 0;
    for (int i = 0; i < N; i++)
      sum += items[i];
    return sum;
  }
};
template <class T> struct Owner { T *held;
  explicit Owner(T *p) : held(p) { sink++; }
  Owner(Owner &&o) : held(o.held) { o.held = 0; }
  ~Owner() {
    if (held)
      delete held;
  }
  T *operator->() const { return held; }
  T &operator*() const {
    return *held;
  }
  explicit operator bool() const { return held != 0; }
};
template <class F, class... A> inline decltype(auto) call(F &&f, A &&...a) {
  sink++;
  return f(forwarded<A>(a)...);
}
inline int leaf(int x) {
  sink = x;
  return sink + 1;
}
INLINE int twig(int x) {
  sink = x * 2;
  return leaf(x) +
         leaf(sink);
}
INLINE int branch(int x) {
  if (x > sink)
    return twig(x);
  return twig(sink) - 1;
}
struct Base { int n; Base(int a); virtual ~Base(); virtual int run(int) = 0; virtual int other() const { return n; } };
"""

START = """#include "many.h"
extern "C" {
volatile int sink; volatile long long wide; int _fltused;
void *memset(void *p, int c, size n) { for (size i = 0; i < n; i++) ((volatile char *)p)[i] = (char)c; return p; }
void *memcpy(void *p, const void *q, size n) {
  for (size i = 0; i < n; i++) ((volatile char *)p)[i] = ((const char *)q)[i];
  return p;
}
int _purecall() { return 0; }
}
static char heap[65536];
static size used;
void *operator new(size n) noexcept { used += n; return heap + used - n; }
void operator delete(void *) noexcept { sink++; }
void operator delete(void *, size) noexcept { sink--; }
Base::Base(int a) : n(a) {}
Base::~Base() { sink = n; }
"""

STATEMENTS = [
    "for (int i = 0; i < (a & 7); i++)\n  sink += i * 3;",
    "if (a > 42)\n  sink = branch(a);\nelse\n  sink = a;",
    "a += twig(a);",
    "switch (a & 7) {\ncase 0: sink = 1;\n  break;\ncase 1: sink = 20;\n  break;\ncase 5: sink = 300;\n  break;\n"
    "case 6:\n  sink = a;\n  break;\ndefault: sink++;\n}",
    "auto l = [&](int b) {\n  sink = b;\n  return leaf(b) + a;\n};\na += l(a) + call(l, 3);",
    "Row<TYPE, 3> row = {};\nrow[1] = a;\nwide += row.sum();",
    "do {\n  a >>= 1;\n  sink++;\n} while (a > 3);",
    "auto g = [](auto x, auto... y) { sink += x; return (x + ... + y); };\na += (int)g(a, 2, 3LL);",
    "#define M(x) (leaf(x) + twig(x))\na = M(a) -\n    M(2);\n#undef M",
    "wide = wide * a +\n       leaf(a);",
    "#line 1000 \"part.y\"\nsink = a + 1;\na--;\n#line LINE",
]

FUNCTIONS = [
    "static int NAME(int a)\nBODY",
    "extern \"C\" int NAME(int a)\nBODY",
    "namespace { NOINLINE int NAME(int a)\nBODY}\n",
    "namespace outer { namespace inner { inline namespace v1 { NOINLINE int NAME(int a)\nBODY} } }\nusing outer::inner::NAME;\n",
    """template <class T, int N> NOINLINE int NAME_t(T x) {
  int a = (int)(size)x + N;
  sink = a;
  return branch(a);
}
int NAME(int a) {
  return NAME_t<TYPE, -3>(a) + NAME_t<const OTHER *, 2>(nullptr);
}
""",
    """struct NAME_c : Base { Row<TYPE, 3> row; NAME_c(int a) : Base(a), row{} {
    sink = a;
  }
  ~NAME_c() { sink--; }
  int run(int a) override
BODY
  int other() const override {
    return n + leaf(n);
  }
  bool operator==(const NAME_c &o) const { return n == o.n; }
  NAME_c &operator+=(int a) {
    n += twig(a);
    return *this;
  }
  operator TYPE() const { return (TYPE)n; }
};
int NAME(int a) {
  Owner<NAME_c> p(new NAME_c(a));
  if (p)
    *p += a;
  Owner<NAME_c> q(moved(p));
  return q->run(a) + ((Base *)q.held)->other() + (TYPE)*q + (*q == *q);
}
""",
    """typedef int (*NAME_f)(int, TYPE);
NOINLINE int NAME_c(int a, NAME_f f) {
  return f(a, (TYPE)a);
}
int NAME(int a) {
  return NAME_c(a, [](int x, TYPE y) {
    sink = x;
    return x + (int)y;
  });
}
""",
    """struct NAME_s { int x; TYPE y; int get(int a) const { return a + x; } int vary(int a) volatile {
    return a * x;
  } int once(int a) && { return a - x; } };
NOINLINE int NAME_m(NAME_s &p, int NAME_s::*d, int (NAME_s::*g)(int) const) {
  return p.*d + (p.*g)(3);
}
int NAME(int a) {
  NAME_s p = { a, 1 };
  return NAME_m(p, &NAME_s::x, &NAME_s::get) + p.vary(a) + moved(p).once(a);
}
""",
    """NOINLINE int NAME_v(const char *, ...) { return sink; }
extern "C" NOINLINE int NAME_x(int (&r)[3], TYPE (*p)[2][4]) {
  r[0] = 1;
  (*p)[1][1] = 2;
  return r[1];
}
int NAME(int a) {
  int r[3] = { a }; TYPE q[2][4];
  return NAME_v("x", a, 2.0) + NAME_x(r, &q);
}
""",
    """NOINLINE int NAME_q(const TYPE &a, TYPE &&b, volatile OTHER *c, const OTHER *const *d) {
  *c = (OTHER)a;
  return (int)(a + b + **d);
}
int NAME(int a) {
  OTHER z = 1; const OTHER *y = &z;
  return NAME_q((TYPE)a, (TYPE)3, &z, &y);
}
""",
    """template <class T> struct NAME_t { T v; struct In { T w; NOINLINE T get() const { return w; } }; In in;
  NAME_t(T x) : v(x), in{x} {}
  ~NAME_t() { sink = 0; }
  template <class U> NOINLINE U as(U u) {
    v += (T)u;
    return (U)v;
  } friend NOINLINE T operator+(const NAME_t &a, const NAME_t &b) { return a.v + b.v; } };
int NAME(int a) {
  NAME_t<TYPE> x((TYPE)a); NAME_t<OTHER> y((OTHER)a);
  return (int)x.as(3) + (int)y.as('x') + (int)(x + x) + (int)y.in.get();
}
""",
    """NOINLINE auto NAME_r(int a) {
  return [a](int b) mutable {
    a += b;
    return [a, b] {
      return leaf(a + b);
    };
  };
}
int NAME(int a) {
  auto f = NAME_r(a);
  return f(3)() + f(4)();
}
""",
    """namespace deep { enum class NAME_e { A, B }; union NAME_u { int i; float f; };
NOINLINE int NAME_b(NAME_e e, NAME_u u, const NAME_u &v) {
  return (int)e + u.i + v.i;
} }
int NAME(int a) {
  deep::NAME_u u; u.i = a;
  return deep::NAME_b(deep::NAME_e::B, u, u);
}
""",
    """INLINE int NAME_3(int a) {
  sink = a;
  return twig(a);
}
INLINE int NAME_2(int a) {
  for (int i = 0; i < 2; i++)
    a += NAME_3(i);
  return a;
}
NOINLINE int NAME(int a) {
  int r = NAME_2(a);
  return r + NAME_2(r);
}
""",
]


def body(chance):
    blocks = chance.sample(STATEMENTS, chance.randint(1, 5))
    return "{\n" + "".join(f"{{\n{one}\n}}\n" for one in blocks) + "  return a;\n}\n"


def with_lines(text, file):
    lines = text.split("\n")
    return "\n".join(f'#line {i + 2} "{file}"' if line == "#line LINE" else line for i, line in enumerate(lines))


def module(chance, number):
    text, names = '#include "many.h"\n', []
    for i in range(chance.randint(12, 30)):
        names.append(f"f{number}_{i}")
        one = chance.choice(FUNCTIONS).replace("BODY", body(chance)).replace("NAME", names[-1])
        text += one.replace("TYPE", chance.choice(TYPES)).replace("OTHER", chance.choice(TYPES))
    calls = "".join(f"  a += {name}(a);\n" for name in names)
    return with_lines(f"{text}int run_{number}(int a) {{\n{calls}  return a;\n}}\n", f"module{number}.cc")


def main():
    seed, modules, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    chance = random.Random(seed)
    texts = {f"module{i}.cc": module(chance, i) for i in range(modules)}
    declared = "".join(f"int run_{i}(int);\n" for i in range(modules))
    calls = "".join(f"  a += run_{i}(a);\n" for i in range(modules))
    texts["start.cc"] = f'{START}{declared}extern "C" int start() {{\n  int a = sink;\n{calls}  return a;\n}}\n'
    texts["many.h"] = HEADER
    for name, text in texts.items():
        with open(f"{folder}/{name}", "w", encoding="ascii") as f:
            f.write(text)


main()

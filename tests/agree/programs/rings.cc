// rings.cc -- templates, lambdas, virtual functions and a loop of calls, without any library.
namespace lib {
template <class T> T clamp(T v, T lo, T hi) { return v < lo ? lo : hi < v ? hi : v; }
template <class T, int N> struct Ring {
	T items[N]; unsigned at = 0, used = 0;
	bool push(const T &v) { if (used == N) return false; items[(at + used++) % N] = v; return true; }
	bool pop(T &v) { if (!used) return false; v = items[at]; at = (at + 1) % N; used--; return true; }
	template <class F> void each(F f) const {
		for (unsigned i = 0; i < used; i++)
			f(items[(at + i) % N]);
	}
};
struct Shape { virtual ~Shape() {} virtual double area() const = 0; virtual const char *name() const { return "shape"; } };
struct Sq : Shape { double s; explicit Sq(double x) : s(x) {} double area() const override { return s * s; } };
struct Ci : Shape { double r; explicit Ci(double x) : r(x) {}
	double area() const override { return r * r * 3.14; }
	const char *name() const override { return "circle"; } };
namespace { int hidden(int a) { return a * 7 + 3; } }
template <class... A> int sum(A... a) { return (0 + ... + a); }
inline int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
struct Op { int operator()(int a) const { return clamp(a, -10, 10); } operator bool() const { return true; } Op operator+(Op) const { return *this; } };
}
using namespace lib;
static volatile int sink;
void operator delete(void *, unsigned long long) noexcept { sink++; }
void operator delete(void *, unsigned) noexcept { sink++; }
__attribute__((noinline)) int rings(int n)
{
	Ring<int, 16> r; Ring<double, 4> d;
	for (int i = 0; i < n; i++) {
		if (!r.push(i * sink)) { int x; r.pop(x); sink += x; }
		d.push(i / 2.0);
	}
	int total = 0;
	r.each([&](int v) { total += clamp(v, 0, 100); });
	d.each([&](double v) { total += (int)clamp(v, 0.0, 1.5); });
	auto twice = [total](auto f) { return f(total) + f(total + 1); };
	total += twice([](int v) { return hidden(v); });
	total += twice(Op());
	return total + sum(1, 2, total) + fib(n & 7);
}
__attribute__((noinline)) double shapes(Shape **s, int n)
{
	double t = 0;
	for (int i = 0; i < n; i++) {
		t += s[i]->area();
		switch (n % 9) {
		case 0: t += s[i]->name()[0]; break;
		case 1: t *= 2; break;
		case 2: sink = i; [[fallthrough]];
		case 3: t -= sink; break;
		case 4: if (t > 100) goto out; break;
		case 5: for (int j = 0; j < i; j++) t += j * sink; break;
		default: t = clamp(t, 0.0, 1e9);
		}
	}
out:
	return t;
}
static int late(int);
__attribute__((noinline)) int chain(int a) { return a ? late(a - 1) + rings(a) : 0; }
static int late(int a) { return chain(a) * 2 + sink; }
extern int other_module(int, char **);   // nodes.cc
extern "C" int start()
{
	Sq q(sink); Ci c(sink);
	Shape *s[] = { &q, &c };
	return rings(sink) + (int)shapes(s, 2) + chain(sink) + other_module(sink, nullptr);
}
extern "C" {
int _fltused;
void *memset(void *p, int c, decltype(sizeof 0) n) { for (char *q = (char *)p; n--;) *q++ = (char)c; return p; }
void *memcpy(void *p, const void *from, decltype(sizeof 0) n)
{
	for (char *q = (char *)p; n--;)
		*q++ = *(*(const char **)&from)++;
	return p;
}
}

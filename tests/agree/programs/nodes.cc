// nodes.cc -- the other half of rings.cc: names of the same spelling, deep inlining.
namespace lib { template <class T> T clamp(T v, T lo, T hi) { return v < lo ? lo : hi < v ? hi : v; }
namespace { int hidden(int a) { return a / 3; } } }
static volatile int sink2;
template <class T> struct Node { T v; Node *next; Node(T x, Node *n) : v(x), next(n) {} T total() const { return v + (next ? next->total() : T()); } };
static inline __attribute__((always_inline)) int deep3(int a) { return sink2 * a; }
static inline __attribute__((always_inline)) int deep2(int a) { int r = 0; for (int i = 0; i < a; i++) r += deep3(i) ^ i; return r; }
static inline __attribute__((always_inline)) int deep1(int a) { return deep2(a) + deep3(a) - deep2(a + 1); }
int other_module(int n, char **v)
{
	Node<int> a(n, nullptr), b(n + 1, &a); Node<float> f(n, nullptr);
	int r = deep1(n) + b.total() + (int)f.total();
	if (v) r += v[0][0];
	return lib::clamp(r, -5, 1000) + lib::hidden(r) + lib::clamp<long long>(r, 0, 9);
}

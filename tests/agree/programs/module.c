/* Code in several sections, of which only .text keeps its address when all of them lie at 0. */
#define INIT __attribute__((section(".init.text"), noinline, used))
#define EXIT __attribute__((section(".exit.text"), noinline, used))
#define COLD __attribute__((cold, noinline))

volatile int state;
extern void complain(int);

static inline int twist(int a)
{
	int r = a;

	for (int i = 0; i < a % 7; i++) {
		r ^= r << 3;
		r += i;
	}
	return r;
}

COLD int recover(int a)
{
	complain(a);
	state = twist(a + 1);
	complain(state);
	return state - 1;
}

int open_it(int *v, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++) {
		if (__builtin_expect(v[i] < -5, 0)) {
			complain(v[i]);
			sum -= recover(twist(i));
			complain(sum);
		}
		sum += twist(v[i]);
	}
	return sum;
}

int close_it(int a)
{
	state = twist(a);
	return twist(state + a);
}

INIT int start_it(int a)
{
	state = twist(a) + close_it(a);
	complain(state);
	return twist(state);
}

EXIT void stop_it(void)
{
	state = twist(state + 2);
	complain(state);
}

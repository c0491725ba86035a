/* Calls a function that is not there. */
static int (*volatile missing)(int);
static volatile int sink;

static __attribute__((noinline)) int calls(int depth)
{
	volatile int here = depth;

	sink = depth ? calls(depth - 1) : missing(depth);
	return sink + here;
}

int main(void)
{
	return calls(3);
}

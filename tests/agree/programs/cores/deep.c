/* Calls itself until there is no stack left. */
static volatile int sink;

static __attribute__((noinline)) int again(int depth)
{
	volatile char block[1000];

	block[0] = (char)depth;
	sink = again(depth + 1) + block[0];
	return sink;
}

int main(void)
{
	return again(0);
}

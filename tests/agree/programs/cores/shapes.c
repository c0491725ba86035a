/* Frames of unusual shape: grown at run time, realigned, left by tail calls, and functions that
 * end in a call that never returns. */
#include <stdlib.h>
#include <string.h>

static volatile int zero;
static volatile int sink;

static __attribute__((noinline, noreturn)) void never_returns(int depth)
{
	sink = depth;
	abort();
}

static __attribute__((noinline)) int ends_in_a_call(int depth)
{
	sink = depth;
	never_returns(depth);
}

static __attribute__((noinline)) int grows(int depth);

static __attribute__((noinline)) int jumps(int depth)
{
	return grows(depth - 1);                     /* a tail call, where it is optimised */
}

static __attribute__((noinline)) int aligned(int depth)
{
	_Alignas(64) char block[128];

	memset(block, depth, sizeof(block));
	sink = block[zero];
	return jumps(depth) + block[1];
}

static __attribute__((noinline)) int grows(int depth)
{
	char space[depth * 100 + zero + 16];
	char line[depth * 10 + 1];

	memset(space, depth, sizeof(space));
	memset(line, depth, sizeof(line));
	sink = space[3] + line[0];
	if (depth <= 0)
		return ends_in_a_call(depth) + space[2];
	return aligned(depth) + space[1] + line[0];
}

int main(void)
{
	return grows(4) + 1;
}

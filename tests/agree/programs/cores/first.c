/* A fault at the first instruction of a function, whose handler dies: the address that was
 * interrupted is no return address, and the byte before it is another function's. */
#include <signal.h>
#include <stdlib.h>

void before(void);
int at_once(int *nothing);

__asm__(".text\n"
	".type before, @function\nbefore:\n.cfi_startproc\n"
	"sub $72, %rsp\n.cfi_adjust_cfa_offset 72\nadd $72, %rsp\n.cfi_adjust_cfa_offset -72\nret\n"
	"sub $4096, %rsp\n.cfi_adjust_cfa_offset 4096\nnop\n.cfi_endproc\n.size before, .-before\n"
	".type at_once, @function\nat_once:\n.cfi_startproc\n"
	"mov (%rdi), %eax\nret\n.cfi_endproc\n.size at_once, .-at_once\n");

static void die(int number)
{
	(void)number;
	abort();
}

static __attribute__((noinline)) int calls(int depth)
{
	volatile int here = depth;

	return depth ? calls(depth - 1) + here : at_once(NULL) + 1;
}

int main(void)
{
	before();
	signal(SIGSEGV, die);
	return calls(3);
}

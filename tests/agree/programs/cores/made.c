/* Code that was made at run time, in no file, with a frame pointer: it calls back, and that dies. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static volatile int sink;

static __attribute__((noinline)) int called_back(int number)
{
	sink = number;
	abort();
}

typedef int made_fn(int (*)(int));

static __attribute__((noinline)) int calls(made_fn *made)
{
	sink = made(called_back);
	return sink;
}

int main(void)
{
	/* push rbp; mov rbp, rsp; mov rax, rdi; call rax; pop rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8, 0xff, 0xd0, 0x5d, 0xc3 };
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, code, sizeof(code));
	return calls((made_fn *)page);
}

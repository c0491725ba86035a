/*
 * quickstart-crash -- a program that crashes inside inlined functions and then writes what a
 * crash reporter would: where its modules lie and the raw addresses of its stack.  With a word on
 * its command line it has a second thread and catches nothing: the kernel writes its core.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

namespace shop {

struct Order {
	int number;
	const int *price;
};

inline int price_of(const Order &order)
{
	return *static_cast<const volatile int *>(order.price);
}

inline int with_tax(const Order &order)
{
	return price_of(order) * 119 / 100;
}

class Register {
public:
	explicit Register(int number) : number_(number) {}
	__attribute__((noinline)) int add(const Order &order)
	{
		sum_ += with_tax(order);
		return sum_ + number_;
	}

private:
	int number_;
	int sum_ = 0;
};

__attribute__((noinline)) int check_out(Register &desk, int orders)
{
	static const int price = 42;
	int last = 0;

	for (int i = 0; i < orders; i++) {
		Order order = { i, i == orders - 1 ? nullptr : &price };

		last = desk.add(order);
	}
	return last;
}

__attribute__((noinline)) void wait_for_delivery(volatile int *deliveries)
{
	while (*deliveries == 0)
		pause();
}

} // namespace shop

static int show_module(dl_phdr_info *info, size_t, void *)
{
	/* The first module is the program itself. */
	std::printf("module 0x%llx\n", (unsigned long long)info->dlpi_addr);
	return 1;
}

static void report(int number, siginfo_t *, void *context)
{
	auto *registers = static_cast<ucontext_t *>(context);
	void *stack[64];
	int count = backtrace(stack, 64);
#if defined(__x86_64__)
	auto crashed_at = (uintptr_t)registers->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	auto crashed_at = (uintptr_t)registers->uc_mcontext.pc;
#else
	auto crashed_at = (uintptr_t)stack[count > 2 ? 2 : 0];
#endif
	bool seen = false;

	std::printf("signal %d\n", number);
	dl_iterate_phdr(show_module, nullptr);
	for (int i = 0; i < count; i++) {
		seen = seen || (uintptr_t)stack[i] == crashed_at;
		if (seen)
			std::printf("frame 0x%llx\n", (unsigned long long)(uintptr_t)stack[i]);
	}
	std::fflush(stdout);
	_exit(1);
}

static volatile int deliveries;

int main(int argc, char **)
{
	struct sigaction action = {};
	std::thread second;

	action.sa_sigaction = report;
	action.sa_flags = SA_SIGINFO;
	if (argc > 1) {
		second = std::thread(shop::wait_for_delivery, &deliveries);
		usleep(100000);              /* it is waiting then */
	} else {
		sigaction(SIGSEGV, &action, nullptr);
	}

	shop::Register desk(std::getenv("SHOP") ? 2 : 1);

	std::printf("%d\n", shop::check_out(desk, 3));
	return 0;
}

// An exception nobody catches, in a thread.
#include <stdexcept>
#include <thread>

static volatile int sink;

__attribute__((noinline)) static int throws(int depth)
{
	if (depth == 0)
		throw std::logic_error("nobody catches this");
	sink = depth;
	return throws(depth - 1) + sink;
}

int main()
{
	std::thread thread([] { sink = throws(3); });

	thread.join();
	return 0;
}

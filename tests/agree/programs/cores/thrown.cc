// An exception in flight: a destructor on its way dies.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static volatile int sink;

struct guard {
	int number;
	~guard() { sink = number; if (number == 2) abort(); }
};

__attribute__((noinline)) static int throws(int depth)
{
	guard here{depth};

	if (depth == 0)
		throw std::runtime_error("thrown on purpose");
	return throws(depth - 1) + here.number;
}

int main()
{
	std::vector<std::string> words{"a", "b"};

	try {
		return throws(5) + static_cast<int>(words.size());
	} catch (const std::runtime_error &error) {
		return error.what()[0];
	}
}

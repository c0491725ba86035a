/* bare -- C++ that includes nothing, for targets whose headers are not at hand. */
namespace bare {

volatile int sink;

struct Reader {
	const unsigned char *at, *end;
	bool failed = false;

	inline unsigned char byte()
	{
		if (at == end) {
			failed = true;
			return 0;
		}
		return *at++;
	}
	inline unsigned long number()
	{
		unsigned long value = 0;
		unsigned shift = 0;
		unsigned char part;

		do {
			part = byte();
			value |= (unsigned long)(part & 0x7f) << shift;
			shift += 7;
		} while ((part & 0x80) && shift < 64);
		return value;
	}
};

template <typename Item, unsigned Room> class Stack {
public:
	bool push(Item item)
	{
		if (count_ == Room)
			return false;
		items_[count_++] = item;
		return true;
	}
	Item pop() { return count_ ? items_[--count_] : Item(); }
	unsigned count() const { return count_; }

private:
	Item items_[Room];
	unsigned count_ = 0;
};

template <typename Visit> inline void each_bit(unsigned value, Visit visit)
{
	for (unsigned bit = 0; value; bit++, value >>= 1)
		if (value & 1)
			visit(bit);
}

struct Machine {
	virtual ~Machine() {}
	virtual int step(Reader &reader) = 0;
	int run(Reader &reader)
	{
		int sum = 0;

		while (!reader.failed)
			sum += step(reader);
		return sum;
	}
	void operator delete(void *) {}
};

struct Adder final : Machine {
	Stack<long, 16> stack;

	int step(Reader &reader) override
	{
		switch (reader.byte()) {
		case 0:
			stack.push((long)reader.number());
			return 1;
		case 1:
			stack.push(stack.pop() + stack.pop());
			return 2;
		case 2:
			each_bit((unsigned)stack.pop(), [this](unsigned bit) {
				stack.push((long)bit);
				sink = (int)bit;
			});
			return 3;
		case 3:
			return (int)stack.pop();
		default:
			sink = (int)stack.count();
			return 0;
		}
	}
};

__attribute__((noinline)) static long depth(long level)
{
	return level > 0 ? depth(level - 1) + sink : sink;
}

template <unsigned Times> struct Repeat {
	static inline long of(long value) { return Repeat<Times - 1>::of(value * 3 + sink); }
};
template <> struct Repeat<0> {
	static inline long of(long value) { return value; }
};

} // namespace bare

extern "C" int start(const unsigned char *bytes, int size)
{
	bare::Adder adder;
	bare::Reader reader = { bytes, bytes + size };
	int sum = adder.run(reader);

	return sum + (int)bare::depth(sum) + (int)bare::Repeat<5>::of(sum);
}

extern "C" int main() { return start((const unsigned char *)"\1\2\0\7", 4); }

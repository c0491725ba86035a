// Functions nobody calls stand between those that are called, so that --gc-sections drops some of a unit.
static volatile int sink;
extern "C" int unused_first(int x) { sink = 4; if (x & 1) sink = x; return x; }
extern "C" int used_one(int x)
{
	sink = 1;
	int r = x * 3;
	if (r & 1)
		sink = r + 2;
	return r;
}
extern "C" int unused_middle(int x) { sink = 2; return x / 3; }
extern "C" int used_two(int x)
{
	sink = 3;
	return x / 5 + used_one(x);
}
extern "C" int unused_last(int x) { sink = 5; return used_two(x) + 9; }
int main(int argc, char **)
{
	return used_two(argc);
}

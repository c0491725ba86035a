/* test_prewalked.c -- stacks that were walked in the process: right ones, and all that is wrong. */
#include "minidump/minidump.h"

#include "base/arena.h"
#include "minidump/dump_builder.h"
#include "support/support.h"

#define ARENA_BYTES ((size_t)16 << 20)
#define STREAM 0x53790001u
#define THREAD 7u

struct told { uint32_t version, threads, frames, symbols, first, count, offset, size; };
static const struct told right = { 1, 1, 2, 4, 0, 2, 0, 4 };

/* One thread with two frames named "main"; big-endian dumps have the stream little-endian. */
static bool read_told(const struct told *told, bool big_endian, uint32_t extra,
		      struct minidump_prewalked *stacks, struct minidump_prewalked_frame *frame)
{
	struct dump_builder builder;
	struct minidump dump;
	struct arena arena;
	struct err err = ERR_INIT;
	uint32_t first = 0;
	bool is_read;

	arena_init(&arena, ARENA_BYTES);
	dump_begin(&builder, big_endian);
	dump_stream(&builder, STREAM);
	builder.big_endian = false;
	dump_u32(&builder, told->version);
	dump_u32(&builder, told->threads);
	dump_u32(&builder, told->frames);
	dump_u32(&builder, told->symbols);
	dump_u32(&builder, THREAD);
	dump_u32(&builder, told->first);
	dump_u32(&builder, told->count);
	dump_u32(&builder, 0);
	for (unsigned i = 0; i < 2; i++) {
		dump_u64(&builder, 0x1000 + i);
		dump_u32(&builder, told->offset);
		dump_u32(&builder, told->size);
	}
	dump_put(&builder, "main", 4);
	dump_zeros(&builder, extra);
	dump_stream_end(&builder);
	builder.big_endian = big_endian;
	dump_finish(&builder);
	ck_assert_msg(minidump_open(&dump, builder.out.bytes, builder.out.size, &arena, &err) == 0, "%s",
		      err.text);
	is_read = minidump_prewalked_read(&dump, stacks);
	if (is_read && minidump_prewalked_find(stacks, THREAD, &first) == 2) {
		*frame = minidump_prewalked_frame(stacks, first + 1);
		ck_assert(text_is(frame->symbol, "main"));
		ck_assert_uint_eq(minidump_prewalked_find(stacks, THREAD + 1, &first), 0);
	}
	dump_release(&builder);
	arena_release(&arena);
	return is_read;
}

START_TEST(stacks_are_read)
{
	struct minidump_prewalked stacks;
	struct minidump_prewalked_frame frame = { .address = 0 };

	for (unsigned big_endian = 0; big_endian < 2; big_endian++) {
		ck_assert(read_told(&right, big_endian, 0, &stacks, &frame));
		ck_assert_uint_eq(frame.address, 0x1001);
	}
}
END_TEST

START_TEST(one_wrong_member_drops_them_all)
{
	struct minidump_prewalked stacks;
	struct minidump_prewalked_frame frame;
	struct told cases[] = { right, right, right, right, right, right, right, right };

	cases[0].version = 2;
	cases[1].threads = 2;
	cases[2].frames = UINT32_MAX;
	cases[3].symbols = 5;
	cases[4].first = 1;
	cases[5].count = UINT32_MAX;
	cases[6].offset = UINT32_MAX;
	cases[7].size = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_msg(!read_told(&cases[i], false, 0, &stacks, &frame), "case %zu", i);
		ck_assert_uint_eq(stacks.thread_count + stacks.frame_count, 0);
	}
	ck_assert(!read_told(&right, false, 1, &stacks, &frame));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prewalked stacks");
	TCase *tests = tcase_create("prewalked stacks");

	tcase_add_test(tests, stacks_are_read);
	tcase_add_test(tests, one_wrong_member_drops_them_all);
	suite_add_tcase(suite, tests);
	return support_main(suite);
}

/* test_symbfile_index -- indexes against a plain walk over all ranges, limits, torments. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "support/support.h"
#include "symbfile/symbfile_index.h"

#define MEMORY_BYTES ((size_t)256 << 20)
#define RANGES_MAX 400u
#define SPACE 600u

struct model { struct symbfile_range ranges[RANGES_MAX]; size_t count; char names[RANGES_MAX][24]; };

static uint32_t seed;
static unsigned below(unsigned most)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % most;
}

/* Anything, of few depths: what overlaps need not nest. */
static void make_random(struct model *model, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(model->names[i], sizeof(model->names[i]), "f%zu", i);
		model->ranges[i] = (struct symbfile_range){
			.address = below(SPACE), .length = below(60), .depth = below(4),
			.function = text_of(model->names[i]), .call_line = below(9),
		};
	}
	model->count = count;
}

static int write_symbfile(const struct model *model, size_t from, size_t to, int fd)
{
	struct symbfile_writer writer;
	struct err err = ERR_INIT;

	ck_assert_int_eq(symbfile_writer_init(&writer, fd, &err), 0);
	for (size_t i = from; i < to; i++)
		ck_assert_msg(symbfile_write_range(&writer, &model->ranges[i], &err) == 0, "%s", err.text);
	ck_assert_int_eq(symbfile_writer_end(&writer, &err), 0);
	symbfile_writer_release(&writer);
	return fd;
}

static struct file_map map_fd(int fd)
{
	struct err err = ERR_INIT;
	struct file_map map;

	ck_assert_msg(file_map_fd(&map, fd, &err) == 0, "%s", err.text);
	close(fd);
	return map;
}

static struct file_map make_index(struct file_map symbfile, struct symbfile_index *index)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct symbfile_index_report report;
	struct err err = ERR_INIT;
	struct file_map map;

	ck_assert_msg(symbfile_index_write(symbfile.bytes, symbfile.size, MEMORY_BYTES, fd, &report, &err) == 0,
		      "%s", err.text);
	map = map_fd(fd);
	ck_assert_uint_eq(map.size, report.bytes);
	ck_assert_msg(symbfile_index_open(index, map.bytes, map.size, &err) == 0, "%s", err.text);
	return map;
}

/* The one that counts of a depth: it begins last, or stands first. */
static const struct symbfile_range *of_depth(const struct model *model, size_t from, size_t to,
					     uint64_t address, uint32_t depth)
{
	const struct symbfile_range *best = NULL;

	for (size_t i = from; i < to; i++) {
		const struct symbfile_range *range = &model->ranges[i];

		if (range->depth == depth && address - range->address < range->length &&
		    (!best || range->address > best->address))
			best = range;
	}
	return best;
}

static void check_address(const struct model *model, const struct symbfile_index *parts, size_t part_count,
			  uint64_t address)
{
	struct symbfile_frame frames[8];
	size_t count = symbfile_lookup(parts, part_count, address, frames, 8), at = count;
	const size_t half = part_count > 1 ? model->count / 2 : model->count;

	for (uint32_t depth = 0; depth < 4; depth++) {
		const struct symbfile_range *range = of_depth(model, 0, half, address, depth);

		if (!range)
			range = of_depth(model, half, model->count, address, depth);
		if (!range)
			continue;
		ck_assert_msg(at-- > 0, "at %llx depth %u is missing", (unsigned long long)address, depth);
		ck_assert_msg(text_equal(frames[at].function, range->function), "at %llx: %.*s, not %.*s",
			      (unsigned long long)address, (int)frames[at].function.size,
			      frames[at].function.bytes, (int)range->function.size, range->function.bytes);
	}
	ck_assert_uint_eq(at, 0);
}

START_TEST(agrees_with_a_walk)
{
	static struct model model;

	for (seed = 1; seed < 60; seed += 3) {
		struct file_map files[2], indexes[2];
		struct symbfile_index parts[2];
		size_t count = seed % 2 ? 2 : 1;

		make_random(&model, 1 + below(RANGES_MAX));
		for (size_t i = 0; i < count; i++) {
			size_t half = count > 1 ? model.count / 2 : model.count;

			files[i] = map_fd(write_symbfile(&model, i ? half : 0, i ? model.count : half,
							 memfd_create("symbfile", MFD_CLOEXEC)));
			indexes[i] = make_index(files[i], &parts[i]);
		}
		for (uint64_t address = 0; address < SPACE + 70; address++)
			check_address(&model, parts, count, address);
		for (size_t i = 0; i < count; i++) {
			file_unmap(&files[i]);
			file_unmap(&indexes[i]);
		}
	}
}
END_TEST

/* --- By hand ------------------------------------------------------------------------------------ */

static const struct symbfile_call pad_calls[] = {
	{ { "main", 4 }, { "a.c", 3 }, 6 }, { { "add", 3 }, { "", 0 }, 0 },
};

static int write_by_hand(int fd, struct err *err)
{
	const struct symbfile_line lines[] = { { 0, 5 }, { 0x20, 7 }, { 0x20, 8 }, { 0x28, 9 } };
	const struct symbfile_range ranges[] = {
		{ .address = 0x1000, .length = 0x40, .function = TEXT("main"), .file = TEXT("a.c"),
		  .lines = lines, .line_count = 4 },
		{ .address = 0x1010, .length = 8, .function = TEXT("add"), .file = TEXT("b.c"), .call_line = 6,
		  .depth = 1, .lines = lines, .line_count = 1 },
		{ .address = 0x1014, .length = 4, .function = TEXT("deep"), .call_file = TEXT("c.c"),
		  .call_line = 3, .depth = 2 },
		{ .address = UINT64_MAX - 1, .length = 100, .function = TEXT("end") },
	};
	const struct symbfile_pad pads[] = {
		{ 0x1018, pad_calls, 2 }, { 0x1004, pad_calls, 1 }, { 0x1018, pad_calls, 1 }, { 7, NULL, 0 },
	};
	struct symbfile_writer writer;
	int rc = symbfile_writer_init(&writer, fd, err);

	for (size_t i = 0; i < 4 && rc == 0; i++)
		rc = symbfile_write_range(&writer, &ranges[i], err);
	for (size_t i = 0; i < 4 && rc == 0; i++)
		rc = symbfile_write_pad(&writer, &pads[i], err);
	if (rc == 0)
		rc = symbfile_writer_end(&writer, err);
	symbfile_writer_release(&writer);
	return rc;
}

static const struct { uint64_t address; bool is_pad; const char *frames; } by_hand[] = {
	{ 0xfff, false, "" },
	{ 0x1000, false, "main a.c:5 entry 1000" },
	{ 0x1010, false, "add b.c:5 main a.c:6 entry 1000" },
	{ 0x1014, false, "deep ?:0 add c.c:3 main a.c:6 entry 1000" },
	{ 0x1018, false, "main a.c:5 entry 1000" },
	{ 0x1020, false, "main a.c:8 entry 1000" },
	{ 0x103f, false, "main a.c:9 entry 1000" },
	{ 0x1040, false, "" },
	{ UINT64_MAX, false, "end ?:0 entry fffffffffffffffe" },
	{ 0x1018, true, "add ?:0 main a.c:6" },
	{ 0x1004, true, "main a.c:6" },
	{ 0x1005, true, "" }, { 7, true, "" },
};

static void print_frames(const struct symbfile_frame *frames, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++) {
		struct text file = frames[i].file.bytes ? frames[i].file : TEXT("?");

		buf_printf(out, "%s%.*s %.*s:%u", i ? " " : "", (int)frames[i].function.size,
			   frames[i].function.bytes, (int)file.size, file.bytes, frames[i].line);
		if (frames[i].has_entry)
			buf_printf(out, " entry %llx", (unsigned long long)frames[i].entry);
	}
}

START_TEST(answers_by_hand)
{
	int fd = memfd_create("symbfile", MFD_CLOEXEC);
	struct symbfile_frame frames[8];
	struct err err = ERR_INIT;
	struct symbfile_index index;
	struct file_map file, map;
	struct buf out;

	ck_assert_msg(write_by_hand(fd, &err) == 0, "%s", err.text);
	file = map_fd(fd);
	map = make_index(file, &index);
	buf_init(&out, 4096);
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		buf_clear(&out);
		print_frames(frames, (by_hand[i].is_pad ? symbfile_lookup_pad : symbfile_lookup)
			     (&index, 1, by_hand[i].address, frames, 8), &out);
		ck_assert_msg(strcmp(buf_string(&out), by_hand[i].frames) == 0, "%llx: %s",
			      (unsigned long long)by_hand[i].address, buf_string(&out));
	}
	buf_release(&out);
	file_unmap(&file);
	file_unmap(&map);
}
END_TEST

/* --- Limits and torments ------------------------------------------------------------------------ */

START_TEST(has_limits)
{
	static struct model model;
	struct symbfile_index_report report;
	struct err err = ERR_INIT;
	struct file_map file;
	struct symbfile_writer writer;
	int fd;

	seed = 5;
	make_random(&model, RANGES_MAX);
	file = map_fd(write_symbfile(&model, 0, model.count, memfd_create("symbfile", MFD_CLOEXEC)));
	ck_assert_int_eq(symbfile_index_write(file.bytes, file.size, 10000, -1, &report, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	file_unmap(&file);
	/* Every outer range ends while all inner ones are open. */
	fd = memfd_create("symbfile", MFD_CLOEXEC);
	err_clear(&err);
	ck_assert_int_eq(symbfile_writer_init(&writer, fd, &err), 0);
	for (uint32_t i = 0; i < 20000; i++) {
		struct symbfile_range range = { .address = i, .length = 30000, .depth = i,
						.function = TEXT("f") };

		ck_assert_int_eq(symbfile_write_range(&writer, &range, &err), 0);
	}
	ck_assert_int_eq(symbfile_writer_end(&writer, &err), 0);
	symbfile_writer_release(&writer);
	file = map_fd(fd);
	ck_assert_int_eq(symbfile_index_write(file.bytes, file.size, MEMORY_BYTES, -1, &report, &err), -1);
	ck_assert_int_eq(err.kind, ERR_LIMIT);
	ck_assert_msg(strstr(err.text, "overlap"), "%s", err.text);
	file_unmap(&file);
}
END_TEST

static int index_by_hand(void *payload, struct err *err)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	const struct file_map *file = payload;
	struct symbfile_index_report report;
	int rc = symbfile_index_write(file->bytes, file->size, MEMORY_BYTES, fd, &report, err);

	close(fd);
	return rc;
}

static void ask_changed(void *payload, const uint8_t *bytes, size_t size)
{
	struct symbfile_frame frames[8];
	struct symbfile_index index;
	struct err err = ERR_INIT;
	struct buf out;

	(void)payload;
	if (symbfile_index_open(&index, bytes, size, &err) < 0)
		return;
	buf_init(&out, (size_t)1 << 20);
	for (size_t i = 0; i < sizeof(by_hand) / sizeof(by_hand[0]); i++) {
		print_frames(frames, symbfile_lookup(&index, 1, by_hand[i].address, frames, 8), &out);
		print_frames(frames, symbfile_lookup_pad(&index, 1, by_hand[i].address, frames, 8), &out);
	}
	buf_release(&out);
}

static void index_changed(void *payload, const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct symbfile_index_report report;
	struct err err = ERR_INIT;
	struct file_map map;

	if (symbfile_index_write(bytes, size, MEMORY_BYTES, fd, &report, &err) == 0) {
		map = map_fd(fd);
		ask_changed(payload, map.bytes, map.size);
		file_unmap(&map);
	} else {
		close(fd);
	}
}

START_TEST(survives)
{
	int fd = memfd_create("symbfile", MFD_CLOEXEC);
	struct err err = ERR_INIT;
	struct symbfile_index index;
	struct file_map file, map;

	ck_assert_int_eq(write_by_hand(fd, &err), 0);
	file = map_fd(fd);
	map = make_index(file, &index);
	if (_i == 0)
		support_every_allocation_failure(index_by_hand, &file, 1000);
	else
		support_every_byte_change(_i == 1 ? file.bytes : map.bytes, _i == 1 ? file.size : map.size,
					  _i == 1 ? index_changed : ask_changed, NULL);
	file_unmap(&file);
	file_unmap(&map);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbfile index");
	TCase *tcase = tcase_create("index");

	tcase_add_test(tcase, agrees_with_a_walk);
	tcase_add_test(tcase, answers_by_hand);
	tcase_add_test(tcase, has_limits);
	tcase_add_loop_test(tcase, survives, 0, 3);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

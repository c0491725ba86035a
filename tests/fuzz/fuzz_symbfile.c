/*
 * fuzz_symbfile.c -- a symbfile, or an index of one: read, indexed, asked, and written again.
 *
 * What was read and written must read the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "symbfile/symbfile_index.h"

#define MEMORY_BYTES ((size_t)64 << 20)
#define FRAMES 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct copying { struct symbfile_writer writer; uint64_t sum; };

static void add(struct copying *copying, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		copying->sum = copying->sum * 31 + ((const uint8_t *)bytes)[i];
}

static int copy_range(void *payload, const struct symbfile_range *range, struct err *err)
{
	struct copying *copying = payload;

	add(copying, &range->address, 8);
	add(copying, &range->length, 8);
	add(copying, range->function.bytes, range->function.size);
	add(copying, range->file.bytes, range->file.size);
	add(copying, range->call_file.bytes, range->call_file.size);
	add(copying, range->lines, range->line_count * sizeof(*range->lines));
	return copying->writer.batch ? symbfile_write_range(&copying->writer, range, err) : 0;
}

static int copy_pad(void *payload, const struct symbfile_pad *pad, struct err *err)
{
	struct copying *copying = payload;

	add(copying, &pad->address, 8);
	for (size_t i = 0; i < pad->count; i++) {
		add(copying, pad->calls[i].function.bytes, pad->calls[i].function.size);
		add(copying, pad->calls[i].file.bytes, pad->calls[i].file.size);
		add(copying, &pad->calls[i].line, 4);
	}
	return copying->writer.batch ? symbfile_write_pad(&copying->writer, pad, err) : 0;
}

static void copy(const uint8_t *bytes, size_t size)
{
	struct copying copying = { .sum = 0 }, again = { .sum = 0 };
	const struct symbfile_sink sink = { &copying, copy_range, copy_pad };
	const struct symbfile_sink second = { &again, copy_range, copy_pad };
	int fd = memfd_create("copy", MFD_CLOEXEC);
	struct symbfile_report report;
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;

	if (symbfile_writer_init(&copying.writer, fd, &err) < 0)
		abort();
	if (symbfile_read(bytes, size, &sink, &report, &err) == 0) {
		if (symbfile_writer_end(&copying.writer, &err) < 0 || file_map_fd(&map, fd, &err) < 0 ||
		    symbfile_read(map.bytes, map.size, &second, &report, &err) < 0 ||
		    again.sum != copying.sum)
			abort();
	}
	file_unmap(&map);
	symbfile_writer_release(&copying.writer);
	close(fd);
}

static void ask(const uint8_t *bytes, size_t size, bool is_ours)
{
	struct symbfile_frame frames[FRAMES];
	struct symbfile_index index;
	struct err err = ERR_INIT;

	if (symbfile_index_open(&index, bytes, size, &err) < 0) {
		if (is_ours)
			abort();
		return;
	}
	for (uint64_t address = 0; address < 1u << 16; address = address * 2 + 1) {
		size_t count = symbfile_lookup(&index, 1, address, frames, FRAMES) +
			       symbfile_lookup_pad(&index, 1, address, frames, FRAMES);

		if (count > 0 && is_ours && !frames[0].function.bytes)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct symbfile_index_report report;
	struct file_map map = { NULL, 0 };
	struct err err = ERR_INIT;

	copy(bytes, size);
	ask(bytes, size, false);
	if (symbfile_index_write(bytes, size, MEMORY_BYTES, fd, &report, &err) == 0) {
		if (file_map_fd(&map, fd, &err) < 0)
			abort();
		ask(map.bytes, map.size, true);
		file_unmap(&map);
	}
	close(fd);
	return 0;
}

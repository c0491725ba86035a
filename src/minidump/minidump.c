/* minidump.c -- see minidump.h: the header, and all facts in their order. */
#include "minidump/minidump_parts.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"

int minidump_open(struct minidump *dump, const void *bytes, size_t size, struct arena *arena,
		  struct err *err)
{
	struct reader header;

	*dump = (struct minidump){ .bytes = bytes, .size = size, .arena = arena,
				   .requesting_thread = MINIDUMP_NO_THREAD,
				   .text_bytes_left = LIMIT_MINIDUMP_TEXT_BYTES };
	header = minidump_part(dump, "minidump header", 0, MD_HEADER_SIZE);
	if (header.failed)
		return err_set(err, ERR_MALFORMED, "Missing minidump header (empty minidump?)");
	if (reader_u32(&header) == __builtin_bswap32(MD_HEADER_SIGNATURE)) {
		dump->big_endian = true;
		header.big_endian = true;
	}
	reader_seek(&header, 0);
	if (reader_u32(&header) != MD_HEADER_SIGNATURE)
		return err_set(err, ERR_MALFORMED, "Header mismatch");
	dump->version = reader_u32(&header);
	if ((dump->version & 0xffffu) != MD_HEADER_VERSION)
		return err_set(err, ERR_MALFORMED, "Minidump version mismatch");
	dump->stream_count = reader_u32(&header);
	dump->directory_rva = reader_u32(&header);
	dump->checksum = reader_u32(&header);
	dump->time_date_stamp = reader_u32(&header);
	dump->flags = reader_u64(&header);
	if (minidump_part(dump, "stream directory", dump->directory_rva,
			  (uint64_t)dump->stream_count * MD_DIRECTORY_SIZE).failed)
		return err_set(err, ERR_MALFORMED,
			       "Missing stream directory (heavily truncated minidump?)");
	if (dump->stream_count > LIMIT_MINIDUMP_STREAMS) {
		minidump_lose(dump, "%u of %u streams are looked at", LIMIT_MINIDUMP_STREAMS,
			      (unsigned)dump->stream_count);
		dump->stream_count = LIMIT_MINIDUMP_STREAMS;
	}
	return 0;
}

/* Everything of minidump_read() but what minidump_open() found: it may be called again. */
static void forget_facts(struct minidump *dump)
{
	struct minidump fresh = { .bytes = dump->bytes, .size = dump->size, .arena = dump->arena,
				  .big_endian = dump->big_endian, .version = dump->version,
				  .stream_count = dump->stream_count,
				  .directory_rva = dump->directory_rva, .checksum = dump->checksum,
				  .time_date_stamp = dump->time_date_stamp, .flags = dump->flags,
				  .requesting_thread = MINIDUMP_NO_THREAD,
				  .loss_count = dump->loss_count,
				  .text_bytes_left = dump->text_bytes_left };

	memcpy(fresh.losses, dump->losses, sizeof(fresh.losses));
	*dump = fresh;
}

int minidump_read(struct minidump *dump, struct err *err)
{
	forget_facts(dump);
	if (minidump_read_system(dump, err) < 0 || minidump_read_threads(dump, err) < 0)
		return -1;
	minidump_read_misc(dump);
	minidump_read_breakpad(dump);
	minidump_read_exception(dump);
	minidump_find_requesting(dump);
	minidump_read_modules(dump);
	minidump_read_unloaded(dump);
	minidump_read_memory(dump);
	return minidump_check_memory(dump, err);
}

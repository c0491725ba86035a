/*
 * prewalked.c -- stacks somebody walked in the crashed process already: Sentry's stream 0x53790001.
 *
 *	u32 version (1), threads, frames, symbol bytes
 *	threads: u32 id, first frame, frames              then to a multiple of 8
 *	frames:  u64 address, u32 symbol's offset, size   then to a multiple of 8
 *	symbol bytes
 *
 * Little-endian, whatever the dump is.  A stream that is not just that is none.
 */
#include "minidump/minidump_parts.h"

#include "base/reader.h"

#define PREWALKED_STREAM  0x53790001u
#define PREWALKED_VERSION 1u
#define HEADER_BYTES      16u
#define THREAD_BYTES      12u
#define FRAME_BYTES       16u

static uint64_t padded(uint64_t size)
{
	return (size + 7) & ~UINT64_C(7);
}

static bool frames_are_sound(const struct minidump_prewalked *stacks)
{
	struct reader frames = reader_over("frames", stacks->frames,
					   (size_t)stacks->frame_count * FRAME_BYTES);

	for (uint32_t i = 0; i < stacks->frame_count; i++) {
		uint32_t offset, size;

		reader_skip(&frames, 8);
		offset = reader_u32(&frames);
		size = reader_u32(&frames);
		if (offset > stacks->symbols.size || size > stacks->symbols.size - offset)
			return false;
	}
	return !frames.failed;
}

static bool threads_are_sound(const struct minidump_prewalked *stacks)
{
	struct reader threads = reader_over("threads", stacks->threads,
					    (size_t)stacks->thread_count * THREAD_BYTES);

	for (uint32_t i = 0; i < stacks->thread_count; i++) {
		uint32_t first, count;

		reader_skip(&threads, 4);
		first = reader_u32(&threads);
		count = reader_u32(&threads);
		if (first > stacks->frame_count || count > stacks->frame_count - first)
			return false;
	}
	return !threads.failed;
}

bool minidump_prewalked_read(struct minidump *dump, struct minidump_prewalked *stacks)
{
	uint64_t thread_bytes, frame_bytes;
	uint32_t version, symbol_bytes;
	struct reader reader;

	*stacks = (struct minidump_prewalked){ .thread_count = 0 };
	if (!minidump_find_stream(dump, PREWALKED_STREAM, &reader))
		return false;
	reader.big_endian = false;
	version = reader_u32(&reader);
	stacks->thread_count = reader_u32(&reader);
	stacks->frame_count = reader_u32(&reader);
	symbol_bytes = reader_u32(&reader);
	thread_bytes = padded((uint64_t)stacks->thread_count * THREAD_BYTES);
	frame_bytes = padded((uint64_t)stacks->frame_count * FRAME_BYTES);
	if (reader.failed || version != PREWALKED_VERSION ||
	    HEADER_BYTES + thread_bytes + frame_bytes + symbol_bytes != reader.size) {
		*stacks = (struct minidump_prewalked){ .thread_count = 0 };
		return false;
	}
	stacks->threads = reader_take(&reader, thread_bytes);
	stacks->frames = reader_take(&reader, frame_bytes);
	stacks->symbols = (struct text){ (const char *)reader_take(&reader, symbol_bytes), symbol_bytes };
	if (!threads_are_sound(stacks) || !frames_are_sound(stacks)) {
		*stacks = (struct minidump_prewalked){ .thread_count = 0 };
		return false;
	}
	return true;
}

uint32_t minidump_prewalked_find(const struct minidump_prewalked *stacks, uint32_t thread_id,
				 uint32_t *first)
{
	struct reader threads = reader_over("threads", stacks->threads,
					    (size_t)stacks->thread_count * THREAD_BYTES);

	for (uint32_t i = 0; i < stacks->thread_count; i++) {
		uint32_t id = reader_u32(&threads), count;

		*first = reader_u32(&threads);
		count = reader_u32(&threads);
		if (id == thread_id)
			return count;
	}
	return 0;
}

struct minidump_prewalked_frame minidump_prewalked_frame(const struct minidump_prewalked *stacks,
							 uint32_t at)
{
	struct reader frame = reader_over("frame", stacks->frames + (size_t)at * FRAME_BYTES, FRAME_BYTES);
	uint64_t address = reader_u64(&frame);
	uint32_t offset = reader_u32(&frame);

	return (struct minidump_prewalked_frame){
		.address = address,
		.symbol = { stacks->symbols.bytes + offset, reader_u32(&frame) },
	};
}

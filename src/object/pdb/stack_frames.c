/* stack_frames.c -- FPO and frame data: how x86 code is unwound (FPO_DATA of winnt.h, and the
 * FRAMEDATA records of cvinfo.h). */
#include "base/err.h"
#include "base/work_budget.h"
#include "object/object.h"
#include "object/pdb/pdb_file.h"

#define FPO_BYTES         16u
#define FRAME_DATA_BYTES  32u
#define FRAME_DATA_TYPE   4u
#define UNKNOWN_STACK     UINT32_MAX
#define CODE_BYTES_MAX    ((uint32_t)INT32_MAX)      /* of one record; more is nonsense */

struct stack_frames_walk {
	const struct pdb *pdb;
	const struct object_unwind_sink *sink;
	struct work_allowance work;
};

/* Each run of the record's code that moved together is a record of its own. */
static int hand_out(struct stack_frames_walk *walk, const struct object_stack_frame *frame, struct err *err)
{
	uint32_t end, stretch_size;

	if (frame->size > CODE_BYTES_MAX || frame->size > UINT32_MAX - frame->address)
		return 0;
	end = frame->address + frame->size;
	for (uint32_t at = frame->address; at < end; at += stretch_size) {
		struct pdb_stretch stretch = pdb_stretch_at(walk->pdb, at, end);
		struct object_stack_frame piece = *frame;

		if (work_charge(&walk->work, 4, err) < 0)
			return -1;
		stretch_size = stretch.size;
		piece.address = stretch.image;
		piece.size = stretch.size;
		if (at != frame->address)
			piece.prologue_bytes = 0;
		if (stretch.image != PDB_NO_ADDRESS && stretch.size <= UINT32_MAX - stretch.image &&
		    walk->sink->stack_frame(walk->sink->payload, &piece, err) < 0)
			return -1;
	}
	return 0;
}

static struct object_stack_frame read_fpo(struct reader *reader)
{
	struct object_stack_frame frame = { .address = reader_u32(reader) };
	uint32_t flags;

	frame.size = reader_u32(reader);
	frame.local_bytes = reader_u32(reader) * 4;
	frame.parameter_bytes = reader_u16(reader) * 4u;
	flags = reader_u16(reader);
	frame.prologue_bytes = flags & 0xff;
	frame.saved_register_bytes = (flags >> 8 & 7) * 4;
	frame.uses_base_pointer = flags >> 12 & 1;
	frame.type = flags >> 14;
	return frame;
}

static struct object_stack_frame read_frame_data(const struct pdb *pdb, struct reader *reader)
{
	struct object_stack_frame frame = { .type = FRAME_DATA_TYPE,
					    .address = reader_u32(reader) };
	struct reader strings = pdb->strings;

	frame.size = reader_u32(reader);
	frame.local_bytes = reader_u32(reader);
	frame.parameter_bytes = reader_u32(reader);
	frame.max_stack_bytes = reader_u32(reader);
	if (frame.max_stack_bytes == UNKNOWN_STACK)
		frame.max_stack_bytes = 0;
	reader_seek(&strings, reader_u32(reader));
	frame.program = text_trim(reader_string(&strings));
	frame.prologue_bytes = reader_u16(reader);
	frame.saved_register_bytes = reader_u16(reader);
	reader_skip(reader, 4);                      /* flags */
	return frame;
}

static int each_frame_data(struct stack_frames_walk *walk, struct reader reader, struct err *err)
{
	/* Some linkers write a relocation first. */
	if (reader.size % FRAME_DATA_BYTES == 4)
		reader_skip(&reader, 4);
	while (reader_left(&reader) >= FRAME_DATA_BYTES) {
		struct object_stack_frame frame = read_frame_data(walk->pdb, &reader);

		if (work_charge(&walk->work, 2 + frame.program.size / WORK_BYTES_PER_STEP, err) < 0)
			return -1;
		if (frame.program.size > 0 && hand_out(walk, &frame, err) < 0)
			return -1;
	}
	return 0;
}

static int each_fpo(struct stack_frames_walk *walk, struct reader reader, struct err *err)
{
	while (reader_left(&reader) >= FPO_BYTES) {
		struct object_stack_frame frame = read_fpo(&reader);

		if (hand_out(walk, &frame, err) < 0)
			return -1;
	}
	return 0;
}

static int read_stream(struct pdb *pdb, uint32_t number, const char *name, struct reader *reader,
		       struct err *err)
{
	struct msf_stream stream;

	return msf_stream_open(&pdb->msf, number, name, &stream, err) < 0
		       ? -1 : msf_stream_in_capacity(&stream, &pdb->capacity, reader, err);
}

int pdb_each_stack_frame(struct pdb *pdb, const struct object_unwind_sink *sink, struct err *err)
{
	struct stack_frames_walk walk = { .pdb = pdb, .sink = sink };
	struct reader fpo, frame_data;
	int rc;

	if (read_stream(pdb, pdb->fpo_stream, "FPO stream", &fpo, err) < 0 ||
	    read_stream(pdb, pdb->frame_data_stream, "frame data stream", &frame_data, err) < 0)
		return -1;
	work_allowance_begin(&walk.work, pdb->work, fpo.size + frame_data.size);
	rc = each_fpo(&walk, fpo, err);
	if (rc == 0)
		rc = each_frame_data(&walk, frame_data, err);
	work_allowance_end(&walk.work);
	return rc;
}

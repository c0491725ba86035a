/*
 * symbfile_write.c -- symbfiles as their readers expect them: a string that a batch names once stands in its
 * record, one it names more often in the batch's table, in the order of their first use; pads name all
 * theirs by table.  The first address is absolute, all others are relative.
 */
#include "symbfile/symbfile.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define BATCH_BYTES ((size_t)4 << 20)        /* of records and strings that wait, about */
#define RECORD_GUESS_BYTES 24u
#define NO_STRING UINT32_MAX
#define SLOTS_FIRST 4096u

struct waiting_string { struct text text; uint64_t hash; uint32_t uses, index; };
struct waiting_record {
	uint64_t address, length;
	uint32_t function, file, call_file, call_line, depth;
	uint32_t first, count;       /* of lines, or calls */
	bool is_pad;
};
struct waiting_call { uint32_t function, file, line; };

struct symbfile_batch {
	struct waiting_string *strings;
	size_t string_count, string_capacity;
	uint32_t *slots;             /* open addressing, NO_STRING: free */
	size_t slot_count;
	struct buf texts;
	struct waiting_record *records;
	size_t record_count, record_capacity;
	struct symbfile_line *lines;
	size_t line_count, line_capacity;
	struct waiting_call *calls;
	size_t call_count, call_capacity;
	struct buf message, part, out;
};

/* --- Strings --------------------------------------------------------------------------------- */

static int err_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no memory for a symbfile");
}

/* Texts move when their buffer grows: strings hold offsets in it until they are written. */
static struct text text_at(const struct symbfile_batch *batch, const struct waiting_string *string)
{
	return (struct text){ batch->texts.bytes + (uintptr_t)string->text.bytes, string->text.size };
}

static int grow_slots(struct symbfile_batch *batch, struct err *err)
{
	size_t count = batch->slot_count ? 2 * batch->slot_count : SLOTS_FIRST;
	uint32_t *slots = mem_get_array(count, sizeof(*slots));

	if (!slots)
		return err_memory(err);
	memset(slots, 0xff, count * sizeof(*slots));
	for (uint32_t i = 0; i < batch->string_count; i++) {
		size_t at = batch->strings[i].hash & (count - 1);

		while (slots[at] != NO_STRING)
			at = (at + 1) & (count - 1);
		slots[at] = i;
	}
	mem_give_back(batch->slots);
	batch->slots = slots;
	batch->slot_count = count;
	return 0;
}

static int add_string(struct symbfile_batch *batch, struct text text, uint64_t hash, struct err *err)
{
	if (vec_reserve(&batch->strings, &batch->string_capacity, batch->string_count + 1,
			sizeof(*batch->strings)) < 0)
		return err_memory(err);
	/* The offset stands where the pointer will be. */
	batch->strings[batch->string_count++] = (struct waiting_string){
		.text = { (const char *)(uintptr_t)batch->texts.size, text.size }, .hash = hash,
	};
	buf_add_text(&batch->texts, text);
	return buf_check(&batch->texts, err);
}

static int use_string(struct symbfile_batch *batch, struct text text, uint32_t uses, uint32_t *number,
		      struct err *err)
{
	uint64_t hash = hash_fast(text.bytes, text.size);
	size_t at;

	if (2 * (batch->string_count + 1) > batch->slot_count && grow_slots(batch, err) < 0)
		return -1;
	for (at = hash & (batch->slot_count - 1); batch->slots[at] != NO_STRING;
	     at = (at + 1) & (batch->slot_count - 1)) {
		struct waiting_string *string = &batch->strings[batch->slots[at]];

		if (string->hash == hash && text_equal(text_at(batch, string), text))
			break;
	}
	*number = batch->slots[at];
	if (*number == NO_STRING) {
		*number = (uint32_t)batch->string_count;
		if (add_string(batch, text, hash, err) < 0)
			return -1;
		batch->slots[at] = *number;
	}
	if (batch->strings[*number].uses < UINT32_MAX - uses)
		batch->strings[*number].uses += uses;
	return 0;
}

/* --- Messages -------------------------------------------------------------------------------- */

static void add_varint(struct buf *out, uint64_t value)
{
	char bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (char)(value | 0x80);
	bytes[size++] = (char)value;
	buf_add(out, bytes, size);
}

static void add_number(struct buf *out, unsigned field, uint64_t value)
{
	add_varint(out, field << 3);
	add_varint(out, value);
}

static void add_bytes(struct buf *out, unsigned field, struct text bytes)
{
	add_varint(out, field << 3 | 2);
	add_varint(out, bytes.size);
	buf_add_text(out, bytes);
}

static int flush(struct symbfile_writer *writer, struct err *err)
{
	struct buf *out = &writer->batch->out;

	if (buf_check(out, err) < 0 || file_write_all(writer->fd, out->bytes, out->size, err) < 0)
		return -1;
	writer->written_bytes += out->size;
	buf_clear(out);
	return 0;
}

static int add_message(struct symbfile_writer *writer, enum symbfile_type type, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;

	if (buf_check(&batch->message, err) < 0)
		return -1;
	if (batch->message.size > SYMBFILE_MESSAGE_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "a record of %zu bytes", batch->message.size);
	add_varint(&batch->out, batch->message.size);
	add_varint(&batch->out, type);
	buf_add_text(&batch->out, buf_text(&batch->message));
	buf_clear(&batch->message);
	return batch->out.size > BATCH_BYTES ? flush(writer, err) : buf_check(&batch->out, err);
}

/* The difference as protobuf's sint64, modulo 2^64. */
static void add_address(struct symbfile_writer *writer, uint64_t address, unsigned absolute)
{
	uint64_t delta = address - writer->last_address;
	uint64_t zigzag = delta << 1 ^ (0 - (delta >> 63));

	if (writer->has_address)
		add_number(&writer->batch->message, 1, zigzag);
	else
		add_number(&writer->batch->message, absolute, address);
	writer->last_address = address;
	writer->has_address = true;
}

static void add_named(struct symbfile_batch *batch, uint32_t number, unsigned by_text, unsigned by_index)
{
	const struct waiting_string *string;

	if (number == NO_STRING)
		return;
	string = &batch->strings[number];
	if (string->uses > 1)
		add_number(&batch->message, by_index, string->index);
	else
		add_bytes(&batch->message, by_text, text_at(batch, string));
}

/* Protobuf's own message in a message: offsets by their differences, and lines. */
static void add_lines(struct symbfile_batch *batch, const struct waiting_record *record)
{
	const struct symbfile_line *lines = batch->lines + record->first;
	struct buf *table = &batch->out;     /* behind what waits there, and taken off again */
	size_t before = table->size, middle;

	if (record->count == 0)
		return;
	for (uint32_t i = 0; i < record->count; i++)
		add_varint(table, lines[i].offset - (i ? lines[i - 1].offset : 0));
	middle = table->size;
	for (uint32_t i = 0; i < record->count; i++)
		add_varint(table, lines[i].line);
	if (table->failed)
		return;
	buf_clear(&batch->part);
	add_bytes(&batch->part, 1, (struct text){ table->bytes + before, middle - before });
	add_bytes(&batch->part, 2, (struct text){ table->bytes + middle, table->size - middle });
	table->size = before;
	add_bytes(&batch->message, 8, buf_text(&batch->part));
	batch->message.failed = batch->message.failed || batch->part.failed;
}

static void add_range(struct symbfile_writer *writer, const struct waiting_record *record)
{
	struct symbfile_batch *batch = writer->batch;

	add_address(writer, record->address, 12);
	if (record->length)
		add_number(&batch->message, 2, record->length);
	add_named(batch, record->function, 3, 9);
	add_named(batch, record->file, 4, 10);
	if (record->call_line)
		add_number(&batch->message, 5, record->call_line);
	add_named(batch, record->call_file, 6, 11);
	if (record->depth)
		add_number(&batch->message, 7, record->depth);
	add_lines(batch, record);
}

static void add_column(struct symbfile_batch *batch, const struct waiting_record *record, unsigned field)
{
	buf_clear(&batch->part);
	for (uint32_t i = 0; i < record->count; i++) {
		const struct waiting_call *call = &batch->calls[record->first + i];

		add_varint(&batch->part, field == 2 ? batch->strings[call->function].index :
			   field == 3 ? batch->strings[call->file].index : call->line);
	}
	if (record->count)
		add_bytes(&batch->message, field, buf_text(&batch->part));
	batch->message.failed = batch->message.failed || batch->part.failed;
}

static void add_pad(struct symbfile_writer *writer, const struct waiting_record *record)
{
	add_address(writer, record->address, 5);
	for (unsigned field = 2; field <= 4; field++)
		add_column(writer->batch, record, field);
}

static int write_table(struct symbfile_writer *writer, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;
	uint32_t index = 0;

	for (size_t i = 0; i < batch->string_count; i++) {
		if (batch->strings[i].uses < 2)
			continue;
		batch->strings[i].index = index++;
		add_bytes(&batch->message, 1, text_at(batch, &batch->strings[i]));
	}
	return add_message(writer, SYMBFILE_STRING_TABLE_V1, err);
}

static int write_batch(struct symbfile_writer *writer, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;

	if (write_table(writer, err) < 0)
		return -1;
	for (size_t i = 0; i < batch->record_count; i++) {
		const struct waiting_record *record = &batch->records[i];

		if (record->is_pad)
			add_pad(writer, record);
		else
			add_range(writer, record);
		if (add_message(writer, record->is_pad ? SYMBFILE_RETURN_PAD_V1 : SYMBFILE_RANGE_V1, err) < 0)
			return -1;
	}
	if (batch->slots)
		memset(batch->slots, 0xff, batch->slot_count * sizeof(*batch->slots));
	buf_clear(&batch->texts);
	batch->string_count = batch->record_count = batch->line_count = batch->call_count = 0;
	return flush(writer, err);
}

/* --- Records --------------------------------------------------------------------------------- */

static size_t waiting_bytes(const struct symbfile_batch *batch)
{
	return batch->texts.size + batch->record_count * RECORD_GUESS_BYTES +
	       batch->line_count * 3 + batch->call_count * 4;
}

static int add_record(struct symbfile_writer *writer, const struct waiting_record *record, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;

	if (vec_reserve(&batch->records, &batch->record_capacity, batch->record_count + 1,
			sizeof(*batch->records)) < 0)
		return err_memory(err);
	batch->records[batch->record_count++] = *record;
	return waiting_bytes(batch) > BATCH_BYTES ? write_batch(writer, err) : 0;
}

static int use_optional(struct symbfile_batch *batch, struct text text, uint32_t *number, struct err *err)
{
	*number = NO_STRING;
	return text.bytes ? use_string(batch, text, 1, number, err) : 0;
}

static int keep_lines(struct symbfile_batch *batch, const struct symbfile_range *range, struct err *err)
{
	for (size_t i = 1; i < range->line_count; i++)
		if (range->lines[i].offset < range->lines[i - 1].offset)
			return err_set(err, ERR_BAD_REQUEST, "lines of a range do not ascend");
	if (range->line_count == 0)
		return 0;
	if (vec_reserve(&batch->lines, &batch->line_capacity, batch->line_count + range->line_count,
			sizeof(*batch->lines)) < 0)
		return err_memory(err);
	memcpy(batch->lines + batch->line_count, range->lines, range->line_count * sizeof(*range->lines));
	batch->line_count += range->line_count;
	return 0;
}

int symbfile_write_range(struct symbfile_writer *writer, const struct symbfile_range *range, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;
	struct waiting_record record = {
		.address = range->address, .length = range->length, .call_line = range->call_line,
		.depth = range->depth, .first = (uint32_t)batch->line_count, .count = (uint32_t)range->line_count,
	};

	if (use_string(batch, range->function, 1, &record.function, err) < 0 ||
	    use_optional(batch, range->file, &record.file, err) < 0 ||
	    use_optional(batch, range->call_file, &record.call_file, err) < 0 ||
	    keep_lines(batch, range, err) < 0)
		return -1;
	return add_record(writer, &record, err);
}

int symbfile_write_pad(struct symbfile_writer *writer, const struct symbfile_pad *pad, struct err *err)
{
	struct symbfile_batch *batch = writer->batch;
	struct waiting_record record = {
		.address = pad->address, .first = (uint32_t)batch->call_count, .count = (uint32_t)pad->count,
		.is_pad = true,
	};

	if (vec_reserve(&batch->calls, &batch->call_capacity, batch->call_count + pad->count,
			sizeof(*batch->calls)) < 0)
		return err_memory(err);
	for (size_t i = 0; i < pad->count; i++) {
		struct waiting_call call = { .line = pad->calls[i].line };

		/* Two uses: it stands in the table. */
		if (use_string(batch, pad->calls[i].function, 2, &call.function, err) < 0 ||
		    use_string(batch, pad->calls[i].file, 2, &call.file, err) < 0)
			return -1;
		batch->calls[batch->call_count++] = call;
	}
	return add_record(writer, &record, err);
}

/* --- The whole ------------------------------------------------------------------------------- */

int symbfile_writer_init(struct symbfile_writer *writer, int fd, struct err *err)
{
	struct symbfile_batch *batch = mem_get(sizeof(*batch));

	*writer = (struct symbfile_writer){ .fd = fd, .batch = batch };
	if (!batch)
		return err_memory(err);
	buf_init(&batch->texts, UINT32_MAX);
	buf_init(&batch->message, UINT32_MAX);
	buf_init(&batch->part, UINT32_MAX);
	buf_init(&batch->out, UINT32_MAX);
	buf_add(&batch->out, SYMBFILE_MAGIC "\0\1", SYMBFILE_MAGIC_BYTES + 2);
	return buf_check(&batch->out, err);
}

uint64_t symbfile_writer_bytes(const struct symbfile_writer *writer)
{
	return writer->written_bytes + writer->batch->out.size + waiting_bytes(writer->batch);
}

int symbfile_writer_end(struct symbfile_writer *writer, struct err *err)
{
	return write_batch(writer, err);
}

void symbfile_writer_release(struct symbfile_writer *writer)
{
	struct symbfile_batch *batch = writer->batch;

	if (!batch)
		return;
	mem_give_back(batch->strings);
	mem_give_back(batch->slots);
	mem_give_back(batch->records);
	mem_give_back(batch->lines);
	mem_give_back(batch->calls);
	buf_release(&batch->texts);
	buf_release(&batch->message);
	buf_release(&batch->part);
	buf_release(&batch->out);
	mem_give_back(batch);
	writer->batch = NULL;
}

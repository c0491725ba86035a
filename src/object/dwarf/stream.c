/*
 * stream.c -- units of a .debug_info that is unpacked while it is read, once and in order.
 *
 * Compressed sections are most of what there is to read, and inflating one is most of the work.
 * Whoever reads units takes a few at a time into a buffer of their own, one reader after the
 * other, and reads them while the next one takes.  So one thread inflates while another reads,
 * and no more of the section is in memory than is being read.
 *
 * Only units that do not refer to other units can be read so.  In its buffer a unit is laid out as
 * if it were alone in its section.  What the sink was given outlives the buffer, so names that
 * stand in the unit itself are copied (copies.c).
 */
#include "object/dwarf/dwarf_internal.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/vec.h"

#define LENGTH_BYTES      4u
#define LONG_LENGTH_BYTES 8u             /* behind ESCAPE_64 */
#define ESCAPE_64         0xffffffffu
#define FIRST_RESERVED    0xfffffff0u
/* Small units are taken together, up to this: taking has its price. */
#define BATCH_BYTES       ((size_t)64 * 1024)
#define BUFFER_BYTES      ((size_t)256 * 1024)
#define SHARED_TABLES_BYTES ((size_t)64 << 20)
#define FIRST_TABLES      256u
/* A unit in a buffer. */
struct taken {
	struct unit_head head;           /* offsets in the buffer's text of it */
	size_t start, size;
	uint64_t offset;                 /* in the section */
	const struct abbrevs *abbrevs;   /* shared; NULL: it reads its own */
	bool is_tail;                    /* its length is none: the rest of the section */
};

struct stream_buffer {
	struct stream_buffer *next;
	uint8_t *memory;
	size_t capacity, used;           /* behind the flow's own bytes */
	struct taken *taken;
	size_t taken_capacity, taken_count, given;
	size_t first_unit;
	bool is_full;
	struct err tail;                 /* why the last unit's length is none */
	struct arena copies;             /* of names; as long as the object */
};

/* An abbreviation table that units use. */
struct table {
	struct unit_head key;            /* its offset and encoding; used: bytes are not 0 */
	const struct abbrevs *abbrevs;   /* NULL: one unit has used it so far, or it is bad */
};

struct stream {
	pthread_mutex_t lock;            /* of all that follows */
	struct dwarf_flow flow;
	uint64_t at;
	size_t unit_count;
	bool is_over;
	struct stream_buffer *buffers;
	uint8_t *aside;                  /* what is no unit goes here, */
	size_t ahead_at, ahead_end;      /* and of that what may be one after all */
	struct work_allowance work;
	struct arena arena;              /* of shared tables */
	struct table *tables;            /* open addressing */
	size_t table_count, table_capacity;
};

/* --- May they be read so? ------------------------------------------------------------ */

static bool abbrev_stands_alone(struct reader *reader)
{
	uint64_t name, form;

	(void)reader_uleb128(reader);            /* tag */
	reader_skip(reader, 1);
	do {
		name = reader_uleb128(reader);
		form = reader_uleb128(reader);
		if (form == DW_FORM_ref_addr || form == DW_FORM_indirect)
			return false;
		if (form == DW_FORM_implicit_const)
			(void)reader_sleb128(reader);
	} while ((name || form) && !reader->failed);
	return !reader->failed;
}

bool dwarf_units_stand_alone(struct text abbreviations)
{
	struct reader reader = reader_over(".debug_abbrev", abbreviations.bytes, abbreviations.size);

	while (!reader_at_end(&reader))
		if (reader_uleb128(&reader) != 0 && !abbrev_stands_alone(&reader))
			return false;
	return !reader.failed;
}

/* --- Abbreviation tables ------------------------------------------------------------- */

static struct table *find_table(struct table *tables, size_t capacity, const struct unit_head *head)
{
	size_t slot = (size_t)(head->abbrev_offset * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);

	while (tables[slot].key.encoding.address_bytes &&
	       !head_same_table(&tables[slot].key, head))
		slot = (slot + 1) & (capacity - 1);
	return &tables[slot];
}

static int grow_tables(struct stream *stream, struct err *err)
{
	size_t capacity = stream->table_capacity ? stream->table_capacity * 2 : FIRST_TABLES;
	struct table *tables;

	if (stream->table_count * 2 < stream->table_capacity)
		return 0;
	tables = mem_get_array(capacity, sizeof(*tables));
	if (!tables)
		return err_set(err, ERR_NO_MEMORY, "no memory for %zu abbreviation tables", capacity);
	for (size_t i = 0; i < stream->table_capacity; i++)
		if (stream->tables[i].key.encoding.address_bytes)
			*find_table(tables, capacity, &stream->tables[i].key) = stream->tables[i];
	mem_give_back(stream->tables);
	stream->tables = tables;
	stream->table_capacity = capacity;
	return 0;
}

/* A table is kept once a second unit asks for it. */
static int share_table(struct stream *stream, const struct dwarf *dwarf,
		       const struct unit_head *head, const struct abbrevs **shared,
		       struct err *err)
{
	struct err why = ERR_INIT;
	struct abbrevs *abbrevs;
	struct table *table;

	if (grow_tables(stream, err) < 0)
		return -1;
	table = find_table(stream->tables, stream->table_capacity, head);
	*shared = table->abbrevs;
	if (!table->key.encoding.address_bytes) {
		table->key = *head;
		stream->table_count++;
		return 0;
	}
	if (table->abbrevs || stream->arena.held_bytes > SHARED_TABLES_BYTES)
		return 0;
	abbrevs = arena_alloc(&stream->arena, 1, sizeof(*abbrevs));
	if (!abbrevs)
		return pool_no_capacity(err);
	if (abbrevs_read(abbrevs, &dwarf->main, head->abbrev_offset, head->encoding, &stream->work,
			 &stream->arena, &why) == 0) {
		*shared = table->abbrevs = abbrevs;
	} else if (why.kind == ERR_LIMIT) {
		*err = why;
		return -1;
	}
	return 0;
}

/* --- Taking units -------------------------------------------------------------------- */

static uint8_t *text_of_buffer(const struct stream *stream, const struct stream_buffer *buffer)
{
	return buffer->memory + stream->flow.before_bytes;
}

/* The next bytes of the section, whoever has them. */
static int flow_fill(struct stream *stream, uint8_t *out, size_t size, struct err *err)
{
	size_t ahead = stream->ahead_end - stream->ahead_at;

	if (ahead > size)
		ahead = size;
	if (ahead)
		memcpy(out, stream->aside + stream->flow.before_bytes + stream->ahead_at, ahead);
	stream->ahead_at += ahead;
	stream->at += size;
	if (ahead == size)
		return 0;
	return stream->flow.fill(stream->flow.payload, out + ahead, size - ahead, err);
}

/* More of the section behind what the buffer holds. */
static int fill(struct stream *stream, struct stream_buffer *buffer, size_t size, struct err *err)
{
	uint8_t *before = NULL;
	int rc;

	if (size > buffer->capacity - buffer->used) {
		size_t capacity = buffer->used + size + BUFFER_BYTES;
		uint8_t *memory = mem_get(stream->flow.before_bytes + capacity);

		if (!memory)
			return err_set(err, ERR_NO_MEMORY, "no memory for a unit of %zu bytes", size);
		before = buffer->memory;
		buffer->memory = memory;
		if (before)
			memcpy(text_of_buffer(stream, buffer), before + stream->flow.before_bytes,
			       buffer->used);
		buffer->capacity = capacity;
	}
	rc = flow_fill(stream, text_of_buffer(stream, buffer) + buffer->used, size, err);
	mem_give_back(before);           /* until now the flow looked back into it */
	buffer->used += size;
	return rc;
}

/* The next piece of the section, up to a batch; none when there is some ahead. */
static int fill_aside(struct stream *stream, struct err *err)
{
	uint64_t left = stream->flow.size - stream->at;
	size_t size = left < BATCH_BYTES ? (size_t)left : BATCH_BYTES;

	if (stream->ahead_at < stream->ahead_end)
		return 0;
	if (!stream->aside)
		stream->aside = mem_get(stream->flow.before_bytes + BATCH_BYTES);
	if (!stream->aside)
		return err_set(err, ERR_NO_MEMORY, "no memory to skip what is no unit");
	stream->ahead_at = 0;
	stream->ahead_end = size;
	return stream->flow.fill(stream->flow.payload, stream->aside + stream->flow.before_bytes,
				 size, err);
}

/* The rest of the section, which nobody can read. */
static int skip_rest(struct stream *stream, struct err *err)
{
	while (stream->at < stream->flow.size) {
		if (fill_aside(stream, err) < 0)
			return -1;
		stream->at += stream->ahead_end - stream->ahead_at;
		stream->ahead_at = stream->ahead_end;
	}
	return 0;
}

/* Words of zeros between units, of which one was seen.  The buffer takes no more: what is in front
 * of a piece must be what is in front of it in the section. */
static int skip_padding(struct stream *stream, struct stream_buffer *buffer, struct err *err)
{
	buffer->is_full = true;
	while (stream->at < stream->flow.size) {
		const uint8_t *ahead;
		size_t size, zeros = 0;

		if (fill_aside(stream, err) < 0)
			return -1;
		ahead = stream->aside + stream->flow.before_bytes + stream->ahead_at;
		size = stream->ahead_end - stream->ahead_at;
		while (zeros < size && !ahead[zeros])
			zeros++;
		if (zeros < size || stream->at + size < stream->flow.size)
			zeros -= zeros % PADDING_BYTES;
		stream->at += zeros;
		stream->ahead_at += zeros;
		if (zeros < size)
			break;
	}
	return 0;
}

/* The next number of a header: what is left of the section may be too short for it. */
static int take_number(struct stream *stream, struct stream_buffer *buffer, unsigned bytes,
		       bool big_endian, uint64_t *number, struct err *err)
{
	uint64_t left = stream->flow.size - stream->at;
	size_t size = left < bytes ? (size_t)left : bytes;
	struct reader reader;

	if (fill(stream, buffer, size, err) < 0)
		return -1;
	reader = reader_over(".debug_info", text_of_buffer(stream, buffer) + buffer->used - size,
			     size);
	reader.big_endian = big_endian;
	*number = reader_unsigned(&reader, bytes);
	return reader_check(&reader, &buffer->tail) < 0 ? 0 : 1;
}

/* 1: the unit's length, 0: what follows is no unit, for the reason in buffer->tail. */
static int take_length(struct stream *stream, struct stream_buffer *buffer, bool big_endian,
		       uint64_t *length, struct err *err)
{
	uint64_t left;
	int rc = take_number(stream, buffer, LENGTH_BYTES, big_endian, length, err);

	if (rc > 0 && *length == ESCAPE_64)
		rc = take_number(stream, buffer, LONG_LENGTH_BYTES, big_endian, length, err);
	else if (rc > 0 && *length >= FIRST_RESERVED)
		return 1 + err_set(&buffer->tail, ERR_MALFORMED, "the reserved length %#llx",
				   (unsigned long long)*length);
	left = stream->flow.size - stream->at;
	if (rc > 0 && *length > left)
		return 1 + err_set(&buffer->tail, ERR_MALFORMED,
				   "a length of %llu bytes where %llu are left",
				   (unsigned long long)*length, (unsigned long long)left);
	return rc;
}

static struct dwarf_sections sections_of(const struct dwarf *dwarf,
					 const struct stream_buffer *buffer,
					 const struct taken *taken)
{
	struct dwarf_sections sections = dwarf->input.main;

	sections.section[DWARF_INFO] = (struct text){
		(const char *)text_of_buffer(dwarf->stream, buffer) + taken->start, taken->size,
	};
	return sections;
}

/* Is it one that is read by itself?  Its header is read. */
static bool read_head(const struct dwarf *dwarf, const struct stream_buffer *buffer,
		      struct taken *taken)
{
	const struct dwarf_sections sections = sections_of(dwarf, buffer, taken);
	struct err ignored = ERR_INIT;

	if (head_read(&taken->head, &sections, 0, &ignored) < 0)
		taken->head.broken = true;
	return head_is_listed(&taken->head);
}

static int add_taken(const struct dwarf *dwarf, struct stream_buffer *buffer,
		     struct taken *taken, struct err *err)
{
	struct stream *stream = dwarf->stream;

	if (stream->unit_count == LIMIT_UNITS)
		return err_set(err, ERR_LIMIT, "more than %u units", LIMIT_UNITS);
	if (!taken->head.broken &&
	    share_table(stream, dwarf, &taken->head, &taken->abbrevs, err) < 0)
		return -1;
	if (vec_reserve(&buffer->taken, &buffer->taken_capacity, buffer->taken_count + 1,
		     sizeof(*taken)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for units");
	buffer->taken[buffer->taken_count++] = *taken;
	stream->unit_count++;
	return 0;
}

static bool is_padding_cut_short(const struct stream *stream, const struct stream_buffer *buffer,
				 size_t start)
{
	const uint8_t *bytes = text_of_buffer(stream, buffer);
	size_t at = start;

	while (at < buffer->used && !bytes[at])
		at++;
	return at == buffer->used && stream->at == stream->flow.size &&
	       buffer->used - start < PADDING_BYTES;
}

static int take_one(const struct dwarf *dwarf, struct stream_buffer *buffer, struct err *err)
{
	struct stream *stream = dwarf->stream;
	struct taken taken = { .start = buffer->used, .offset = stream->at };
	uint64_t length;
	int rc;

	if (work_charge(&stream->work, HEAD_STEPS, err) < 0)
		return -1;
	rc = take_length(stream, buffer, dwarf->input.main.big_endian, &length, err);

	if (rc == 0) {
		if (is_padding_cut_short(stream, buffer, taken.start))
			return 0;
		taken.head.broken = taken.is_tail = true;
		rc = skip_rest(stream, err);
	} else if (rc > 0 && length == 0 && buffer->used - taken.start == PADDING_BYTES) {
		return skip_padding(stream, buffer, err);
	} else if (rc > 0) {
		rc = fill(stream, buffer, (size_t)length, err);
	}
	if (rc < 0)
		return -1;
	taken.size = buffer->used - taken.start;
	if (!taken.is_tail && !read_head(dwarf, buffer, &taken))
		return 0;
	return add_taken(dwarf, buffer, &taken, err);
}

/* What was taken in vain stays in the buffer up to the size of a batch: matches reach back. */
static int take_batch(const struct dwarf *dwarf, struct stream_buffer *buffer, struct err *err)
{
	struct stream *stream = dwarf->stream;

	buffer->taken_count = buffer->given = 0;
	buffer->is_full = true;
	buffer->first_unit = stream->unit_count;
	while (!stream->is_over && !(buffer->is_full && buffer->taken_count > 0)) {
		if (buffer->is_full)
			buffer->used = 0;
		buffer->is_full = false;
		if (stream->at < stream->flow.size) {
			if (take_one(dwarf, buffer, err) < 0)
				return -1;
			buffer->is_full |= buffer->used >= BATCH_BYTES;
			continue;
		}
		stream->is_over = true;
		if (stream->flow.finish(stream->flow.payload, err) < 0)
			return -1;
	}
	return 0;
}

static struct stream_buffer *add_buffer(struct stream *stream)
{
	struct stream_buffer *buffer = mem_get(sizeof(*buffer));

	if (!buffer)
		return NULL;
	arena_init(&buffer->copies, stream->arena.ceiling_bytes);
	buffer->next = stream->buffers;
	stream->buffers = buffer;
	return buffer;
}

int dwarf_take_unit(const struct dwarf *dwarf, struct stream_buffer **own, size_t *unit,
		    struct err *err)
{
	struct stream *stream = dwarf->stream;
	struct stream_buffer *buffer;
	int rc = 0;

	if (!*own || (*own)->given == (*own)->taken_count) {
		pthread_mutex_lock(&stream->lock);
		if (!*own)
			*own = add_buffer(stream);
		rc = *own ? take_batch(dwarf, *own, err)
			  : err_set(err, ERR_NO_MEMORY, "no memory for units");
		if (rc < 0)
			stream->is_over = true;
		pthread_mutex_unlock(&stream->lock);
	}
	buffer = *own;
	if (rc < 0)
		return err_while(err, "reading .debug_info");
	if (buffer->given == buffer->taken_count)
		return 0;
	*unit = buffer->first_unit + buffer->given++;
	return 1;
}

/* --- Reading one --------------------------------------------------------------------- */

/* The one dwarf_take_unit() gave last. */
static const struct taken *last_given(const struct stream_buffer *buffer)
{
	return &buffer->taken[buffer->given - 1];
}

static struct info_section info_section_of(const struct dwarf_sections *sections, struct taken *taken,
			   struct copies *copies)
{
	struct info_section info_section = { .sections = sections, .heads = &taken->head, .count = 1,
			     .copies = copies };

	taken->head.shared = NO_TABLE;
	if (taken->abbrevs) {
		info_section.shared = taken->abbrevs;
		info_section.shared_count = 1;
		taken->head.shared = 0;
	}
	return info_section;
}

int dwarf_read_taken(const struct dwarf *dwarf, struct stream_buffer *buffer,
		     struct arena *scratch, const struct object_sink *sink, struct err *err)
{
	struct taken taken = *last_given(buffer);
	struct dwarf_sections sections = sections_of(dwarf, buffer, &taken);
	struct copies copies = { .lasting = &buffer->copies, .scratch = scratch };
	struct info_section info_section = info_section_of(&sections, &taken, &copies);

	if (taken.is_tail) {
		*err = buffer->tail;
		return err_while(err, "reading .debug_info unit at %#llx",
				 (unsigned long long)taken.offset);
	}
	return unit_read(dwarf, &info_section, &taken.head, taken.offset, scratch, sink, err);
}

void dwarf_taken_name(const struct dwarf *dwarf, struct stream_buffer *buffer, char *out,
		      size_t capacity)
{
	struct taken taken = *last_given(buffer);
	struct dwarf_sections sections = sections_of(dwarf, buffer, &taken);
	struct info_section info_section = info_section_of(&sections, &taken, NULL);

	unit_describe(dwarf, &info_section, &taken.head, taken.offset,
		      buffer->first_unit + buffer->given - 1, out, capacity);
}

/* --- From the beginning to the end --------------------------------------------------- */

int stream_open(struct dwarf *dwarf, uint64_t bytes, struct arena *arena, struct err *err)
{
	struct stream *stream = arena_alloc(arena, 1, sizeof(*stream));

	if (!stream)
		return pool_no_capacity(err);
	stream->flow = *dwarf->input.flow;
	arena_init(&stream->arena, arena->ceiling_bytes);
	work_allowance_begin(&stream->work, dwarf->input.work, bytes);
	pthread_mutex_init(&stream->lock, NULL);
	dwarf->stream = stream;
	return 0;
}

/* What only reading needs; the names stay. */
void dwarf_units_done(struct dwarf *dwarf)
{
	if (!dwarf->stream)
		return;
	for (struct stream_buffer *buffer = dwarf->stream->buffers; buffer; buffer = buffer->next) {
		mem_give_back(buffer->memory);
		mem_give_back(buffer->taken);
		buffer->memory = NULL;
		buffer->taken = NULL;
		buffer->capacity = buffer->used = buffer->taken_capacity = 0;
		buffer->taken_count = buffer->given = 0;
	}
	work_allowance_end(&dwarf->stream->work);
	mem_give_back(dwarf->stream->aside);
	mem_give_back(dwarf->stream->tables);
	arena_release(&dwarf->stream->arena);
	dwarf->stream->aside = NULL;
	dwarf->stream->ahead_at = dwarf->stream->ahead_end = 0;
	dwarf->stream->tables = NULL;
	dwarf->stream->table_capacity = dwarf->stream->table_count = 0;
}

void dwarf_release(struct dwarf *dwarf)
{
	struct stream_buffer *next;

	if (!dwarf || !dwarf->stream)
		return;
	dwarf_units_done(dwarf);
	for (struct stream_buffer *buffer = dwarf->stream->buffers; buffer; buffer = next) {
		next = buffer->next;
		arena_release(&buffer->copies);
		mem_give_back(buffer);
	}
	dwarf->stream->buffers = NULL;
	pthread_mutex_destroy(&dwarf->stream->lock);
	dwarf->stream = NULL;
}

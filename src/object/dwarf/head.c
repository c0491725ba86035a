/* head.c -- unit headers, and the index of a file's units. */
#include "object/dwarf/dwarf_internal.h"

#include "base/search.h"

#define ESCAPE_64          0xffffffffu   /* DWARF5 §7.4: a 64-bit length follows */
#define FIRST_RESERVED     0xfffffff0u
/* Tables used by several units are kept whole; past this much they are read per unit. */
#define SHARED_TABLES_BYTES ((size_t)64 << 20)

static int read_version(struct unit_head *head, struct reader *reader, struct err *err)
{
	struct encoding *encoding = &head->encoding;
	unsigned version = reader_u16(reader);

	if (!reader->failed && (version < 2 || version > 5))
		return err_set(err, ERR_UNSUPPORTED, "DWARF version %u", version);
	encoding->version = (uint8_t)version;
	head->type = DW_UT_compile;
	if (encoding->version >= 5) {
		head->type = reader_u8(reader);
		encoding->address_bytes = reader_u8(reader);
		head->abbrev_offset = reader_unsigned(reader, encoding->offset_bytes);
	} else {
		head->abbrev_offset = reader_unsigned(reader, encoding->offset_bytes);
		encoding->address_bytes = reader_u8(reader);
	}
	if (head->type == DW_UT_skeleton || head->type == DW_UT_split_compile)
		head->dwo_id = reader_u64(reader);
	else if (head->type == DW_UT_type || head->type == DW_UT_split_type)
		reader_skip(reader, 8u + encoding->offset_bytes);
	if (!reader->failed && encoding->address_bytes != 8 && encoding->address_bytes != 4 &&
	    encoding->address_bytes != 2)
		return err_set(err, ERR_UNSUPPORTED, "addresses of %u bytes",
			       encoding->address_bytes);
	return 0;
}

int head_read(struct unit_head *head, const struct dwarf_sections *sections, uint64_t offset,
	      struct err *err)
{
	struct reader reader = section_reader(sections, DWARF_INFO);
	uint64_t length;

	*head = (struct unit_head){ .offset = offset, .end = reader.size, .shared = NO_TABLE,
				    .broken = true, .encoding = { .offset_bytes = 4 } };
	reader_seek(&reader, offset);
	length = reader_u32(&reader);
	if (length == ESCAPE_64) {
		head->encoding.offset_bytes = 8;
		length = reader_u64(&reader);
	} else if (length >= FIRST_RESERVED) {
		return err_set(err, ERR_MALFORMED, "the reserved length %#llx",
			       (unsigned long long)length);
	}
	if (reader_check(&reader, err) < 0)
		return -1;
	if (length > reader_left(&reader))
		return err_set(err, ERR_MALFORMED, "a length of %llu bytes where %zu are left",
			       (unsigned long long)length, reader_left(&reader));
	head->end = reader.pos + length;
	reader.size = (size_t)head->end;
	if (read_version(head, &reader, err) < 0 || reader_check(&reader, err) < 0)
		return -1;
	head->first_die = reader.pos;
	head->broken = false;
	return 0;
}

/* Some linkers pad between units with zeros, which read as units of no length: words of them
 * are stepped over together. */
static uint64_t skip_padding(struct text info, uint64_t offset)
{
	uint64_t at = offset, wide;

	while (info.size - at >= sizeof(wide) &&
	       (memcpy(&wide, info.bytes + at, sizeof(wide)), wide == 0))
		at += sizeof(wide);
	while (at < info.size && !info.bytes[at])
		at++;
	return at == info.size ? at : at - (at - offset) % PADDING_BYTES;
}

bool head_is_listed(const struct unit_head *head)
{
	return head->broken || (head->type != DW_UT_type && head->type != DW_UT_split_type);
}

static int read_heads(struct info_section *info_section, struct work_allowance *work, struct arena *arena, struct err *err)
{
	struct text info = info_section->sections->section[DWARF_INFO];
	struct pool heads = { 0 };
	struct unit_head head;

	for (uint64_t offset = skip_padding(info, 0); offset < info.size;
	     offset = skip_padding(info, head.end)) {
		struct unit_head *items;
		struct err ignored = ERR_INIT;

		if (work_charge(work, HEAD_STEPS, err) < 0)
			return -1;
		if (head_read(&head, info_section->sections, offset, &ignored) < 0)
			head.broken = true;
		if (!head_is_listed(&head))
			continue;
		if (heads.count == LIMIT_UNITS)
			return err_set(err, ERR_LIMIT, "more than %u units", LIMIT_UNITS);
		if (pool_reserve(&heads, arena, 1, sizeof(head), err) < 0)
			return -1;
		items = heads.items;
		items[heads.count++] = head;
	}
	info_section->heads = heads.items;
	info_section->count = heads.count;
	return 0;
}

bool head_same_table(const struct unit_head *a, const struct unit_head *b)
{
	return a->abbrev_offset == b->abbrev_offset &&
	       a->encoding.version == b->encoding.version &&
	       a->encoding.address_bytes == b->encoding.address_bytes &&
	       a->encoding.offset_bytes == b->encoding.offset_bytes;
}

/* A table that cannot be read is left to the units: each says so for itself. */
static int share_table(struct info_section *info_section, struct abbrevs *tables, const struct sort_item *order,
		       size_t count, struct work_allowance *work, struct arena *arena,
		       struct err *err)
{
	const struct unit_head *first = &info_section->heads[order[0].index];
	struct abbrevs *abbrevs = &tables[info_section->shared_count];
	struct err why = ERR_INIT;

	if (abbrevs_read(abbrevs, info_section, first->abbrev_offset, first->encoding, work, arena,
			 &why) < 0) {
		if (why.kind != ERR_LIMIT)
			return 0;
		*err = why;
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		info_section->heads[order[i].index].shared = (uint32_t)info_section->shared_count;
	info_section->shared_count++;
	return 0;
}

static int share_tables(struct info_section *info_section, struct work_allowance *work, struct arena *arena,
			struct err *err)
{
	struct sort_item *order = arena_alloc_raw(arena, info_section->count, 2 * sizeof(*order));
	size_t count = 0, held = arena->held_bytes;
	struct abbrevs *tables;

	tables = arena_alloc_raw(arena, info_section->count, sizeof(*tables));
	info_section->shared = tables;
	if (!order || !tables)
		return pool_no_capacity(err);
	for (size_t i = 0; i < info_section->count; i++)
		if (!info_section->heads[i].broken)
			order[count++] = (struct sort_item){ info_section->heads[i].abbrev_offset, i };
	sort_items(order, order + info_section->count, count);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && head_same_table(&info_section->heads[order[i].index],
								 &info_section->heads[order[end].index]);)
			end++;
		if (end - i < 2)
			continue;
		if (arena->held_bytes - held > SHARED_TABLES_BYTES)
			break;
		if (share_table(info_section, tables, order + i, end - i, work, arena, err) < 0)
			return -1;
	}
	return 0;
}

int info_section_open(struct info_section *info_section, const struct dwarf_sections *sections, bool wants_variables,
	      struct work_allowance *work, struct arena *arena, struct err *err)
{
	*info_section = (struct info_section){ .sections = sections, .wants_variables = wants_variables };
	if (read_heads(info_section, work, arena, err) < 0)
		return -1;
	return info_section->count ? share_tables(info_section, work, arena, err) : 0;
}

const struct unit_head *info_section_find(const struct info_section *info_section, uint64_t offset)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, info_section->count,
			       info_section->heads[at].end <= offset);
	if (at == info_section->count || info_section->heads[at].broken || offset < info_section->heads[at].first_die)
		return NULL;
	return &info_section->heads[at];
}

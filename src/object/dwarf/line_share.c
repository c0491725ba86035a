/*
 * line_share.c -- line tables that several units name.
 *
 * Most tables belong to one unit and are freed with it.  When a second unit names the same table it
 * is read again, and kept for all units that follow: none is read a third time.  What it says
 * of files depends on the unit, too: two units share a table when they agree about that.
 *
 * Readers in other threads wait meanwhile; the arena is the object's, used by none but us while
 * units are read.
 */
#include "object/dwarf/dwarf_internal.h"

#include <pthread.h>

#define KEPT_BYTES_MAX ((size_t)128 << 20)   /* past this they are read each time */

struct kept_lines {
	struct kept_lines *next;         /* of the same place */
	struct lines lines;
	struct text comp_dir, name;
	uint64_t str_offsets_base;
	struct encoding encoding;
};

struct line_slot {
	uint64_t offset;                 /* NO_OFFSET: free */
	struct kept_lines *kept;
};

struct line_share {
	pthread_mutex_t lock;
	struct arena *arena;
	struct line_slot *slots;
	size_t count, mask, first_held_bytes;
};

int line_share_open(struct line_share **out, size_t unit_count, struct arena *arena,
		    struct err *err)
{
	struct line_share *share = arena_alloc(arena, 1, sizeof(*share));
	size_t count = 2;

	while (count < 2 * unit_count)
		count *= 2;
	if (!share || !(share->slots = arena_alloc_raw(arena, count, sizeof(*share->slots))))
		return pool_no_capacity(err);
	for (size_t i = 0; i < count; i++)
		share->slots[i] = (struct line_slot){ .offset = NO_OFFSET };
	pthread_mutex_init(&share->lock, NULL);
	share->arena = arena;
	share->mask = count - 1;
	share->first_held_bytes = arena->held_bytes;
	*out = share;
	return 0;
}

static struct line_slot *find_slot(struct line_slot *slots, size_t mask, uint64_t offset)
{
	size_t at = (size_t)(offset * 0x9e3779b97f4a7c15u >> 20) & mask;

	while (slots[at].offset != NO_OFFSET && slots[at].offset != offset)
		at = (at + 1) & mask;
	return &slots[at];
}

/* How many units there are is not always known. */
static int grow(struct line_share *share, struct err *err)
{
	size_t count = (share->mask + 1) * 2;
	struct line_slot *slots;

	if (share->count * 2 <= share->mask)
		return 0;
	slots = arena_alloc_raw(share->arena, count, sizeof(*slots));
	if (!slots)
		return pool_no_capacity(err);
	for (size_t i = 0; i < count; i++)
		slots[i] = (struct line_slot){ .offset = NO_OFFSET };
	for (size_t i = 0; i <= share->mask; i++)
		if (share->slots[i].offset != NO_OFFSET)
			*find_slot(slots, count - 1, share->slots[i].offset) = share->slots[i];
	share->slots = slots;
	share->mask = count - 1;
	return 0;
}

/* Version 5 has the unit's own name in the table. */
static bool is_for(const struct kept_lines *kept, const struct unit *unit)
{
	const struct encoding *a = &kept->encoding, *b = &unit->head.encoding;

	return a->version == b->version && a->address_bytes == b->address_bytes &&
	       a->offset_bytes == b->offset_bytes &&
	       kept->str_offsets_base == unit->str_offsets_base &&
	       text_equal(kept->comp_dir, unit->comp_dir) &&
	       (!kept->lines.first_file || text_equal(kept->name, unit->name));
}

static int keep(struct line_share *share, struct line_slot *slot, const struct unit *unit,
		struct kept_lines **out, struct err *err)
{
	struct arena_mark mark = arena_mark(share->arena);
	struct kept_lines *kept = arena_alloc(share->arena, 1, sizeof(*kept));

	if (!kept)
		return pool_no_capacity(err);
	if (lines_read(&kept->lines, unit, share->arena, err) < 0) {
		arena_rewind(share->arena, mark);
		return -1;
	}
	kept->comp_dir = unit->comp_dir;
	kept->name = unit->name;
	kept->str_offsets_base = unit->str_offsets_base;
	kept->encoding = unit->head.encoding;
	kept->next = slot->kept;
	*out = slot->kept = kept;
	return 0;
}

static bool has_capacity(const struct line_share *share)
{
	return share->arena->held_bytes - share->first_held_bytes <= KEPT_BYTES_MAX;
}

/* 1: here they are; 0: nothing is kept; -1: they cannot be read. */
static int find_kept(struct line_share *share, const struct unit *unit, struct lines *lines,
		     struct err *err)
{
	struct kept_lines *kept;
	struct line_slot *slot;

	if (grow(share, err) < 0)
		return -1;
	slot = find_slot(share->slots, share->mask, unit->line_offset);
	if (slot->offset == NO_OFFSET) {
		slot->offset = unit->line_offset;
		share->count++;
		return 0;
	}
	for (kept = slot->kept; kept && work_spend(unit->work, 1); kept = kept->next)
		if (is_for(kept, unit))
			break;
	if (!kept && !has_capacity(share))
		return 0;
	if (!kept && keep(share, slot, unit, &kept, err) < 0)
		return -1;
	*lines = kept->lines;            /* and what changes is the reader's own */
	return 1;
}

int line_share_read(struct line_share *share, struct lines *lines, const struct unit *unit,
		    struct arena *arena, struct err *err)
{
	int found;

	*lines = (struct lines){ 0 };
	if (unit->line_offset == NO_OFFSET)
		return 0;
	pthread_mutex_lock(&share->lock);
	found = find_kept(share, unit, lines, err);
	pthread_mutex_unlock(&share->lock);
	return found ? (found < 0 ? -1 : 0) : lines_read(lines, unit, arena, err);
}

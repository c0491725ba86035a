/* sets.c -- names and records told apart by content, in big flat arrays. */
#include "symcache/sets.h"

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

#define SLOTS_FIRST_ROOM ((size_t)1024)
#define SLOTS_NEAR_HOME  16u     /* tried around an item's home before its hash decides */
#define SLOTS_PER_CALL   3u      /* homes left to the calls inlined into one call */
#define HASH_ODD_1 UINT64_C(0x9e3779b97f4a7c15)   /* odd numbers with well-spread bits */
#define HASH_ODD_2 UINT64_C(0xd6e8feb86659fd93)

int budget_count(struct budget *budget, size_t bytes, struct err *err)
{
	size_t held = atomic_fetch_add(&budget->held_bytes, bytes);

	if (bytes <= budget->ceiling_bytes && held <= budget->ceiling_bytes - bytes)
		return 0;
	atomic_fetch_sub(&budget->held_bytes, bytes);
	return err_set(err, ERR_LIMIT, "the lookup file needs more than %zu bytes of memory",
		       budget->ceiling_bytes);
}

int budget_room(struct budget *budget, void *items, size_t *room, size_t need, size_t size,
		struct err *err)
{
	size_t had = *room;

	if (need <= had)
		return 0;
	if (need >= UINT32_MAX)
		return err_set(err, ERR_LIMIT, "the lookup file has too many records");
	if (vec_room(items, room, need, size) < 0)
		return err_set(err, ERR_NO_MEMORY, "no room for %zu records", need);
	return budget_count(budget, (*room - had) * size, err);
}

/* --- Slots --------------------------------------------------------------------------- */

/*
 * Where an item may stand: a few slots from its home on, then all from its hash on.  Homes
 * of items that come one after another lie side by side where that can be arranged, so that
 * the table is walked through and not jumped about in; hashes keep it from being crowded,
 * whatever the items.
 */
struct place {
	uint32_t home, hash;
};

struct probe {
	size_t slot;
	uint32_t hash, steps;
};

static inline struct probe probe_first(struct place place, size_t mask)
{
	return (struct probe){ .slot = place.home & mask, .hash = place.hash };
}

static inline void probe_next(struct probe *probe, size_t mask)
{
	if (++probe->steps == SLOTS_NEAR_HOME)
		probe->slot = probe->hash & mask;
	else
		probe->slot = (probe->slot + 1) & mask;
}

typedef struct place place_fn(const void *items, uint32_t number);

/* Doubles the table before it is more than half full. */
static int slots_make_room(struct slots *slots, uint32_t count, place_fn *place, const void *items,
			   struct budget *budget, struct err *err)
{
	size_t room = slots->room ? slots->room * 2 : SLOTS_FIRST_ROOM;
	uint32_t *at;

	if ((size_t)count * 2 < slots->room)
		return 0;
	if (budget_count(budget, (room - slots->room) * sizeof(*at), err) < 0)
		return -1;
	at = mem_get_array(room, sizeof(*at));
	if (!at)
		return err_set(err, ERR_NO_MEMORY, "no room for a table of %zu slots", room);
	for (uint32_t number = 0; number < count; number++) {
		struct probe probe = probe_first(place(items, number), room - 1);

		while (at[probe.slot])
			probe_next(&probe, room - 1);
		at[probe.slot] = number + 1;
	}
	mem_give_back(slots->at);
	slots->at = at;
	slots->room = room;
	return 0;
}

/* --- Names --------------------------------------------------------------------------- */

static struct place name_place(const void *items, uint32_t number)
{
	uint32_t hash = ((const struct name *)items)[number].hash;

	return (struct place){ hash, hash };
}

static int append_name(struct names *names, const struct name *name, struct err *err)
{
	if (budget_room(names->budget, &names->items, &names->room, (size_t)names->count + 1,
			sizeof(*names->items), err) < 0)
		return -1;
	names->items[names->count++] = *name;
	return 0;
}

int names_add_hashed(struct names *names, const struct name *name, uint32_t *number,
		     struct err *err)
{
	struct probe probe;
	size_t mask;

	if (slots_make_room(&names->slots, names->count, name_place, names->items,
			    names->budget, err) < 0)
		return -1;
	mask = names->slots.room - 1;
	probe = probe_first(name_place(name, 0), mask);
	for (; names->slots.at[probe.slot]; probe_next(&probe, mask)) {
		const struct name *other = &names->items[names->slots.at[probe.slot] - 1];

		if (other->hash != name->hash || other->size != name->size)
			continue;
		if (other->bytes == name->bytes || name->size == 0 ||
		    memcmp(other->bytes, name->bytes, name->size) == 0) {
			*number = names->slots.at[probe.slot] - 1;
			return 0;
		}
	}
	if (append_name(names, name, err) < 0)
		return -1;
	names->slots.at[probe.slot] = names->count;
	*number = names->count - 1;
	return 0;
}

static uint32_t *remembered_slot(struct names *names, const char *bytes, struct err *err)
{
	uint64_t spread = (uint64_t)(uintptr_t)bytes * HASH_ODD_1;

	if (!names->remembered) {
		names->remembered = mem_get_array(NAMES_REMEMBERED, sizeof(uint32_t));
		if (!names->remembered) {
			err_set(err, ERR_NO_MEMORY, "no room to remember names");
			return NULL;
		}
	}
	return &names->remembered[(spread >> 32) % NAMES_REMEMBERED];
}

struct name name_of(struct text text)
{
	return (struct name){ text.bytes, (uint32_t)text.size,
			      text.size ? (uint32_t)hash_fast(text.bytes, text.size) : 0 };
}

int names_add(struct names *names, struct text text, uint32_t *number, struct err *err)
{
	uint32_t *slot = remembered_slot(names, text.bytes, err);
	struct name name;

	if (!slot)
		return -1;
	if (text.size > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "a name of %zu bytes", text.size);
	if (*slot && names->items[*slot - 1].bytes == text.bytes &&
	    names->items[*slot - 1].size == text.size) {
		*number = *slot - 1;
		return 0;
	}
	name = name_of(text);
	if (names_add_hashed(names, &name, number, err) < 0)
		return -1;
	*slot = *number + 1;
	return 0;
}

void names_release(struct names *names)
{
	mem_give_back(names->remembered);
	mem_give_back(names->slots.at);
	mem_give_back(names->items);
	*names = (struct names){ .budget = names->budget };
}

/* --- Records ------------------------------------------------------------------------- */

static inline uint32_t record_hash(const struct record *record)
{
	const uint32_t *word = record->word;
	uint64_t low = ((uint64_t)word[1] << 32 | word[0]) * HASH_ODD_1;
	uint64_t high = ((uint64_t)word[3] << 32 | word[2]) * HASH_ODD_2;
	uint64_t both = (low ^ (high >> 29) ^ high) * HASH_ODD_1;

	return (uint32_t)(both >> 32);
}

static struct place record_place(const void *items, uint32_t number)
{
	uint32_t hash = record_hash((const struct record *)items + number);

	return (struct place){ hash, hash };
}

/* Calls are made in the order of the functions they lie in and of the calls around them. */
static struct place call_place(const void *items, uint32_t number)
{
	const struct record *record = (const struct record *)items + number;
	uint32_t hash = record_hash(record), around = record->word[LOCATION_INLINED_INTO];
	uint32_t home = around == UINT32_MAX ? record->word[LOCATION_FUNCTION] * SLOTS_NEAR_HOME
					     : around * SLOTS_PER_CALL;

	return (struct place){ home + hash % SLOTS_NEAR_HOME, hash };
}

int records_append(struct records *records, const struct record *record, uint32_t *number,
		   struct err *err)
{
	if (budget_room(records->budget, &records->items, &records->room,
			(size_t)records->count + 1, sizeof(*records->items), err) < 0)
		return -1;
	*number = records->count;
	records->items[records->count++] = *record;
	return 0;
}

static inline int add_placed(struct records *records, const struct record *record,
			     place_fn *place, uint32_t *number, struct err *err)
{
	struct probe probe;
	size_t mask;

	if (slots_make_room(&records->slots, records->count, place, records->items,
			    records->budget, err) < 0)
		return -1;
	mask = records->slots.room - 1;
	probe = probe_first(place(record, 0), mask);
	for (; records->slots.at[probe.slot]; probe_next(&probe, mask)) {
		*number = records->slots.at[probe.slot] - 1;
		if (memcmp(&records->items[*number], record, sizeof(*record)) == 0)
			return 0;
	}
	if (records_append(records, record, number, err) < 0)
		return -1;
	records->slots.at[probe.slot] = *number + 1;
	return 0;
}

int records_add(struct records *records, const struct record *record, uint32_t *number,
		struct err *err)
{
	return add_placed(records, record, record_place, number, err);
}

int records_add_call(struct records *records, const struct record *record, uint32_t *number,
		     struct err *err)
{
	return add_placed(records, record, call_place, number, err);
}

void records_release(struct records *records)
{
	mem_give_back(records->slots.at);
	mem_give_back(records->items);
	*records = (struct records){ .budget = records->budget };
}

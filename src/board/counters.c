/* counters.c -- see counters.h: the places of the counters, and the number of their layout. */
#include "board/counters.h"

#include "board/board_layout.h"

static struct counter_set *const *const *registered;
static struct board_layout layout;

/* FNV-1a: the same in every process and build, which hash_fast() is not. */
uint32_t board_hash(uint32_t hash, struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		hash = (hash ^ (uint8_t)text.bytes[i]) * 16777619u;
	return (hash ^ 0xffu) * 16777619u;
}

static const char *const kinds[] = {
	[COUNTER_TOTAL] = "counter", [COUNTER_GAUGE] = "gauge", [COUNTER_DURATIONS] = "histogram",
};

static void take_places(struct counter_set *set)
{
	size_t *taken = set->kind == COUNTER_GAUGE ? &layout.gauges : &layout.counters;

	set->first = *taken;
	*taken += set->count;
}

static uint32_t hash_set(uint32_t hash, const struct counter_set *set)
{
	struct text values[COUNTER_LABELS];

	hash = board_hash(board_hash(hash, text_of(set->name)), text_of(kinds[set->kind]));
	for (unsigned i = 0; i < set->count; i++) {
		bool is_used = !set->describe || set->describe(i, values);

		for (unsigned label = 0; is_used && label < COUNTER_LABELS && set->labels[label]; label++)
			hash = board_hash(board_hash(hash, text_of(set->labels[label])), values[label]);
		hash = board_hash(hash, TEXT("\n"));
	}
	return hash;
}

void board_register_counters(struct counter_set *const *const *lists)
{
	registered = lists;
	layout = (struct board_layout){ .number = BOARD_HASH_START ^ BOARD_LAYOUT };
	for (struct counter_set *const *const *list = lists; *list; list++) {
		for (struct counter_set *const *set = *list; *set; set++) {
			take_places(*set);
			layout.number = hash_set(layout.number, *set);
		}
	}
}

struct board_layout board_layout(void)
{
	return layout;
}

void board_each_counter_set(void (*visit)(void *payload, const struct counter_set *set), void *payload)
{
	for (struct counter_set *const *const *list = registered; list && *list; list++)
		for (struct counter_set *const *set = *list; *set; set++)
			visit(payload, *set);
}

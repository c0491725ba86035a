/*
 * type_size.c -- how large a type is, which is what tells how many elements an array has.
 *
 * Of a class that is only declared, the size stands in the record of its definition, anywhere
 * among the types.  Few files have arrays of such: definitions are looked for when first asked
 * for, all at once.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/vec.h"
#include "object/pdb/codeview.h"
#include "object/pdb/type_name.h"

#define SIZE_STEPS_MAX 64u           /* enums of modified types, and the like */

struct definition {
	uint64_t hash;               /* of the class's unique name */
	uint64_t bytes;
	uint32_t index;              /* of two the first counts */
};

/* Shared by all threads that read the file. */
struct pdb_definitions {
	pthread_mutex_t lock;
	bool made;
	struct definition *items;
	size_t capacity, count;
};

struct pdb_definitions *pdb_definitions_new(void)
{
	struct pdb_definitions *definitions = mem_get(sizeof(*definitions));

	if (!definitions)
		return NULL;
	*definitions = (struct pdb_definitions){ .made = false };
	pthread_mutex_init(&definitions->lock, NULL);
	return definitions;
}

void pdb_definitions_free(struct pdb_definitions *definitions)
{
	if (!definitions)
		return;
	mem_give_back(definitions->items);
	pthread_mutex_destroy(&definitions->lock);
	mem_give_back(definitions);
}

static int compare(const void *left, const void *right)
{
	const struct definition *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static bool add(struct pdb_definitions *definitions, const struct codeview_class *class,
		uint32_t index)
{
	if (vec_reserve(&definitions->items, &definitions->capacity, definitions->count + 1,
		     sizeof(*definitions->items)) < 0)
		return false;
	definitions->items[definitions->count++] = (struct definition){
		hash_fast(class->unique_name.bytes, class->unique_name.size), class->bytes, index,
	};
	return true;
}

/* False: no memory. */
static bool make(struct pdb_definitions *definitions, const struct pdb_types *types,
		 struct arena *scratch)
{
	for (uint32_t i = 0; i < types->count; i++) {
		struct arena_mark mark = arena_mark(scratch);
		uint32_t index = types->begin + i;
		struct codeview_class class;
		struct reader record;
		uint16_t kind;
		bool fine = pdb_type_record(types, index, scratch, &kind, &record);

		if (fine && codeview_is_class(kind) && codeview_class(&record, kind, &class) &&
		    !class.is_declaration)
			fine = add(definitions, &class, index);
		arena_rewind(scratch, mark);
		if (!fine) {
			definitions->count = 0;
			return false;
		}
	}
	if (definitions->count > 1)
		qsort(definitions->items, definitions->count, sizeof(*definitions->items), compare);
	definitions->made = true;
	return true;
}

static uint64_t find(const struct pdb_definitions *definitions, struct text unique_name)
{
	uint64_t hash = hash_fast(unique_name.bytes, unique_name.size);
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, definitions->count, definitions->items[at].hash < hash);
	if (at < definitions->count && definitions->items[at].hash == hash)
		return definitions->items[at].bytes;
	return 0;
}

/* 0: nowhere defined. */
static bool size_of_declared(struct namer *namer, struct text unique_name, uint64_t *bytes)
{
	struct pdb_definitions *definitions = namer->pdb->definitions;
	bool fine;

	pthread_mutex_lock(&definitions->lock);
	fine = definitions->made || make(definitions, &namer->pdb->types, namer->scratch);
	pthread_mutex_unlock(&definitions->lock);
	*bytes = fine ? find(definitions, unique_name) : 0;
	if (!fine)
		namer->out.failed = namer->out.no_memory = true;
	return fine;
}

static uint64_t simple_size(uint32_t index)
{
	static const uint8_t sizes[] = {
		[0x08] = 4, [0x10] = 1, [0x11] = 2, [0x12] = 4, [0x13] = 8, [0x14] = 16,
		[0x20] = 1, [0x21] = 2, [0x22] = 4, [0x23] = 8, [0x24] = 16,
		[0x30] = 1, [0x31] = 2, [0x32] = 4, [0x33] = 8,
		[0x40] = 4, [0x41] = 8, [0x42] = 10, [0x43] = 16, [0x44] = 6, [0x45] = 4,
		[0x46] = 2, [0x50] = 8, [0x51] = 16, [0x52] = 20, [0x53] = 32,
		[0x68] = 1, [0x69] = 1, [0x70] = 1, [0x71] = 2, [0x72] = 2, [0x73] = 2,
		[0x74] = 4, [0x75] = 4, [0x76] = 8, [0x77] = 8, [0x78] = 16, [0x79] = 16,
		[0x7a] = 2, [0x7b] = 4, [0x7c] = 1,
	};
	uint32_t mode = index & CODEVIEW_SIMPLE_MODE, kind = index & CODEVIEW_SIMPLE_KIND;

	if (mode != 0)
		return mode == CODEVIEW_SIMPLE_POINTER_64 ? 8 : 4;
	return kind < sizeof(sizes) ? sizes[kind] : 0;
}

static uint64_t pointer_size(uint32_t flags)
{
	uint64_t bytes = flags >> CODEVIEW_POINTER_SIZE_SHIFT & CODEVIEW_POINTER_SIZE;

	if (bytes > 0)
		return bytes;
	return (flags & CODEVIEW_POINTER_KIND) == CODEVIEW_POINTER_64 ? 8 : 4;
}

bool namer_type_size(struct namer *namer, uint32_t index, uint64_t *bytes)
{
	struct codeview_class class;
	struct reader record;
	uint16_t kind;

	*bytes = 0;
	for (unsigned steps = 0; steps < SIZE_STEPS_MAX; steps++) {
		if (index < CODEVIEW_SIMPLE_END) {
			*bytes = simple_size(index);
			return true;
		}
		if (!namer_record(namer, &namer->pdb->types, index, &kind, &record))
			return !namer->out.failed;
		if (codeview_is_class(kind)) {
			if (!codeview_class(&record, kind, &class))
				return true;
			*bytes = class.bytes;
			return !class.is_declaration ||
			       size_of_declared(namer, class.unique_name, bytes);
		}
		if (kind == LF_POINTER) {
			reader_skip(&record, 4);     /* what it points to */
			*bytes = pointer_size(reader_u32(&record));
			return true;
		}
		if (kind == LF_ENUM)
			reader_skip(&record, 4);     /* how many values, properties */
		else if (kind != LF_MODIFIER)
			return true;
		index = reader_u32(&record);
	}
	return true;
}

/* pdb_names.c -- blocks of names, filled one after the other. */
#include "object/pdb/pdb_names.h"

#include <stdalign.h>

#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"

#define BLOCK_BYTES ((size_t)256 * 1024)

struct pdb_names_block {
	struct pdb_names_block *next;
	size_t capacity;
	alignas(struct pdb_name) char bytes[];
};

void pdb_names_init(struct pdb_names *names)
{
	*names = (struct pdb_names){ .blocks = NULL };
	pthread_mutex_init(&names->lock, NULL);
}

void pdb_names_release(struct pdb_names *names)
{
	struct pdb_names_block *block = names->blocks, *next;

	for (; block; block = next) {
		next = block->next;
		mem_give_back(block);
	}
	names->blocks = NULL;
	pthread_mutex_destroy(&names->lock);
}

static size_t bytes_of(struct text text)
{
	size_t align = alignof(struct pdb_name);

	return (sizeof(struct pdb_name) + text.size + align - 1) / align * align;
}

static int add_block(struct pdb_names *names, size_t need, struct err *err)
{
	size_t capacity = need > BLOCK_BYTES ? need : BLOCK_BYTES;
	struct pdb_names_block *block;

	if (names->held_bytes + capacity > LIMIT_PDB_NAME_BYTES)
		return err_set(err, ERR_LIMIT, "names put together from types take more than %zu bytes",
			       LIMIT_PDB_NAME_BYTES);
	block = mem_get(sizeof(*block) + capacity);
	if (!block)
		return err_set(err, ERR_NO_MEMORY, "no memory for names");
	block->next = names->blocks;
	block->capacity = capacity;
	names->blocks = block;
	names->used = 0;
	names->held_bytes += capacity;
	return 0;
}

static struct pdb_name *take(struct pdb_names *names, size_t need, struct err *err)
{
	struct pdb_name *name;

	if ((!names->blocks || names->blocks->capacity - names->used < need) &&
	    add_block(names, need, err) < 0)
		return NULL;
	name = (struct pdb_name *)(void *)(names->blocks->bytes + names->used);
	names->used += need;
	return name;
}

struct pdb_name *pdb_names_keep(struct pdb_names *names, struct text text, struct err *err)
{
	struct pdb_name *name;

	if (text.size > LIMIT_NAME_BYTES) {
		err_set(err, ERR_LIMIT, "a name of %zu bytes", text.size);
		return NULL;
	}
	pthread_mutex_lock(&names->lock);
	name = take(names, bytes_of(text), err);
	pthread_mutex_unlock(&names->lock);
	if (!name)
		return NULL;
	name->size = (uint32_t)text.size;
	if (text.size > 0)
		memcpy(name->bytes, text.bytes, text.size);
	return name;
}

/*
 * pdb_names -- names that do not stand in the file as they are: put together from types, or cut
 * in two by a page.  Kept until the object goes; any thread may add.
 *
 * Private to object/pdb.
 *
 * May include: base.
 */
#ifndef OBJECT_PDB_PDB_NAMES_H
#define OBJECT_PDB_PDB_NAMES_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct err;
struct pdb_names_block;

struct pdb_name {
	uint32_t size;
	char bytes[];
};

struct pdb_names {
	pthread_mutex_t lock;
	struct pdb_names_block *blocks;          /* newest first */
	size_t used;                 /* of the newest */
	size_t held_bytes;
};

void pdb_names_init(struct pdb_names *names);
void pdb_names_release(struct pdb_names *names);
/* NULL: ERR_NO_MEMORY, or ERR_LIMIT over the ceiling. */
struct pdb_name *pdb_names_keep(struct pdb_names *names, struct text text, struct err *err)
	__attribute__((warn_unused_result));

#endif

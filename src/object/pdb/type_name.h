/*
 * type_name -- functions as people write them: "ns::Class::method(int, char const*)",
 * put together from type records.  No return types.  Spelled as doc/formats/pdb.md says, to the
 * byte: crashes are grouped by these names.
 *
 * Records may refer to each other in circles, and one may be referred to from thousands of
 * places: depth, steps and bytes of one name are bounded.  A name that cannot be made is no
 * error; the caller has a plainer one.
 *
 * Private to object/pdb.
 *
 * May include: base, object.
 */
#ifndef OBJECT_PDB_TYPE_NAME_H
#define OBJECT_PDB_TYPE_NAME_H

#include "base/buf.h"
#include "object/pdb/pdb_file.h"

struct namer {
	const struct pdb *pdb;
	struct arena *scratch;
	struct buf out;              /* the name, after a call that said true */
	unsigned depth, steps;
	uint64_t work;               /* steps of names that are not charged yet */
};

void namer_init(struct namer *namer, const struct pdb *pdb, struct arena *scratch);
void namer_release(struct namer *namer);

/* The name, and the parameters of a function of that type; alone where that is none. */
bool namer_function(struct namer *namer, struct text name, uint32_t type);
/* Of an item of the IPI stream: LF_FUNC_ID or LF_MFUNC_ID. */
bool namer_id(struct namer *namer, uint32_t id);
/* The same without parameters, for what no type can be found of. */
bool namer_plain_id(struct namer *namer, uint32_t id);
/* The type of the function an item of the IPI stream is; 0: it is none. */
uint32_t namer_type_of_id(struct namer *namer, uint32_t id);

/* type_record.c, for those who put names together.  False: no such record, too many of them for one name, or no
 * memory (then `out` has failed). */
bool namer_record(struct namer *namer, const struct pdb_types *types, uint32_t index,
		  uint16_t *kind, struct reader *record);

/* type_size.c: 0 where it is not known; false: no memory. */
bool namer_type_size(struct namer *namer, uint32_t index, uint64_t *bytes);

#endif

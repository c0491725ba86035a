/*
 * respell -- names of functions by clang, as Microsoft's compiler writes them and linkers'
 * decorated names have them: "Box<const long long>::Box" is "Box<__int64 const>::Box<__int64 const>".
 *
 * Private to object/pdb.
 *
 * May include: base.
 */
#ifndef OBJECT_PDB_RESPELL_H
#define OBJECT_PDB_RESPELL_H

#include "base/text.h"

struct arena;
struct err;

/* Only names with template arguments. */
static inline bool may_respell(struct text name)
{
	return name.size > 0 && memchr(name.bytes, '>', name.size);
}

/* Of a name that may be.  Made in `scratch` if it has to be; -1 only without memory. */
int respell(struct arena *scratch, struct text *name, struct err *err)
	__attribute__((warn_unused_result));

#endif

/*
 * mozilla_ids -- which files a module's ids name.  Private to these kinds.
 *
 * ELF files are filed by their build id, of which a debug id holds 16 bytes: all of those of 8 and 16 bytes, the
 * beginning of longer ones.  A build id of 20 bytes and more may be sent in its place.
 */
#ifndef KINDS_MOZILLA_MOZILLA_IDS_H
#define KINDS_MOZILLA_MOZILLA_IDS_H

#include "lookup/lookup.h"

/* Too long for a debug id, of whole bytes: a build id. */
bool mozilla_is_build_id(struct text id);
/* The ids of the ELF file that `given` names, whose debug id was sent as `id`; a code id counts before that.
 * *is_whole: the build id is all of it, as far as is known. */
int mozilla_elf_ids(struct object_ids *elf, const struct object_ids *given, struct text id, struct arena *arena,
		    bool *is_whole, struct err *err) __attribute__((warn_unused_result));
/* Are both ids made of one build id? */
bool mozilla_ids_are_elf(const struct object_ids *ids);
/* Files are what their places say; whether they are that module's, they say. */
bool mozilla_ids_fit(const struct object_ids *ids, const struct candidate *file);

#endif

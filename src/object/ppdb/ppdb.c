/* ppdb.c -- the Portable PDB format: identity, and what it offers. */
#include "object/ppdb/ppdb.h"

#include "base/arena.h"
#include "base/err.h"

static bool ppdb_probe(const uint8_t *head, size_t size)
{
	return size >= 4 && memcmp(head, "BSJB", 4) == 0;
}

static void read_identity(struct object *object, const struct ppdb *ppdb)
{
	struct reader reader = reader_over("#Pdb", ppdb->debug.bytes, ppdb->debug.size);
	const uint8_t *guid = reader_take(&reader, DEBUGID_UUID_BYTES);
	uint32_t stamp = reader_u32(&reader);

	if (guid && !reader.failed)
		object->debug_id = debugid_from_guid(guid, stamp);
}

static int ppdb_open(struct object *object, struct arena *arena, struct err *err)
{
	struct ppdb *ppdb = arena_alloc(arena, 1, sizeof(*ppdb));

	if (!ppdb)
		return err_set(err, ERR_NO_MEMORY, "no memory for its tables");
	object->state = ppdb;
	if (ppdb_read_metadata(ppdb, object->bytes, object->size, err) < 0 ||
	    ppdb_survey_custom(ppdb, err) < 0)
		return -1;
	read_identity(object, ppdb);
	object->kind = OBJECT_KIND_DEBUG;
	if (ppdb->rows[PPDB_METHOD_DEBUG])
		object->offers |= OBJECT_OFFERS_DEBUG;
	if (ppdb->links.size || ppdb->embedded)
		object->offers |= OBJECT_OFFERS_SOURCES;
	return 0;
}

const struct object_format object_format_ppdb = {
	.name = "portablepdb",
	.probe_bytes = 4,
	.probe = ppdb_probe,
	.open = ppdb_open,
	.each_method = ppdb_each_method,
	.each_source = ppdb_each_source,
};

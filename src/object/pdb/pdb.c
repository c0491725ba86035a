/* pdb.c -- the PDB format: what Windows debuggers read. */
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "object/object.h"
#include "object/pdb/module.h"
#include "object/pdb/pdb_file.h"
#include "object/pdb/srcsrv.h"

#define STREAM_TYPES 2u
#define STREAM_IDS   4u
#define MACHINE_UNKNOWN 0u           /* IMAGE_FILE_MACHINE_UNKNOWN */
#define NAMES_SIGNATURE 0xeffeeffeu

static bool pdb_probe(const uint8_t *head, size_t size)
{
	return msf_is_one(head, size);
}

static bool has_bytes(const struct pdb *pdb, uint32_t stream)
{
	return stream < pdb->msf.stream_count && pdb->msf.places[stream].size > 0;
}

static unsigned offers_of(const struct object *object)
{
	const struct pdb *pdb = object->state;
	unsigned offers = OBJECT_OFFERS_DEBUG | OBJECT_OFFERS_SYMBOLS;

	if (object->arch == ARCH_X86 &&
	    (has_bytes(pdb, pdb->fpo_stream) || has_bytes(pdb, pdb->frame_data_stream)))
		offers |= OBJECT_OFFERS_UNWIND;
	return offers;
}

/* "/names": a signature, a version, then strings by their place. */
static int open_strings(struct pdb *pdb, struct err *err)
{
	struct msf_stream stream;
	struct reader reader;
	uint32_t size;

	if (pdb->strings.size > 0)
		return 0;
	if (msf_stream_open(&pdb->msf, pdb->names_stream, "/names stream", &stream, err) < 0 ||
	    msf_stream_in_capacity(&stream, &pdb->capacity, &reader, err) < 0)
		return -1;
	if (reader.size == 0)
		return 0;
	if (reader_u32(&reader) != NAMES_SIGNATURE)
		return err_set(err, ERR_MALFORMED, "/names (stream %u) has no signature",
			       pdb->names_stream);
	reader_skip(&reader, 4);                     /* version of the hash */
	size = reader_u32(&reader);
	pdb->strings = reader_part(&reader, "/names stream", size);
	return reader_check(&reader, err);
}

/* Few PDBs say where their sources are: only those are looked into. */
static int open_sources(struct object *object, struct err *err)
{
	struct pdb *pdb = object->state;
	struct reader srcsrv;
	bool found;

	if (pdb->srcsrv_stream == MSF_NO_STREAM && pdb->link_stream_count == 0)
		return 0;
	if (pdb->srcsrv_stream != MSF_NO_STREAM && open_strings(pdb, err) < 0 &&
	    err->kind == ERR_NO_MEMORY)
		return -1;
	err_clear(err);                      /* broken names are for prepare() to tell */
	if (pdb_srcsrv_stream(pdb, object->arena, &srcsrv, err) < 0 ||
	    pdb_find_sources(object, &found, err) < 0)
		return -1;
	object->srcsrv_vcs = srcsrv_vcs(srcsrv);
	if (found)
		object->offers |= OBJECT_OFFERS_SOURCES;
	return 0;
}

static int find_arch(struct object *object, struct err *err)
{
	struct pdb *pdb = object->state;

	object->arch = pdb_arch(pdb->machine);
	if (pdb->machine != MACHINE_UNKNOWN)
		return 0;
	if (pdb_read_dbi(pdb, object->arena, err) == 0)
		object->arch = pdb_compiled_arch(pdb);
	else if (err->kind == ERR_NO_MEMORY)
		return -1;
	err_clear(err);                      /* broken modules are for prepare() to tell */
	return 0;
}

static int pdb_open(struct object *object, struct arena *arena, struct err *err)
{
	struct pdb *pdb = arena_alloc(arena, 1, sizeof(*pdb));
	struct pdb_names *names = arena_alloc(arena, 1, sizeof(*names));

	if (!pdb || !names)
		return err_set(err, ERR_NO_MEMORY, "no memory for its headers");
	unpack_memory_init(&pdb->capacity, arena, LIMIT_UNPACKED_BYTES);
	pdb_names_init(names);
	pdb->names = names;
	pdb->work = object->work;
	object->state = pdb;
	if (msf_open(&pdb->msf, object->bytes, object->size, arena, err) < 0 ||
	    pdb_read_identity(pdb, &object->debug_id, arena, err) < 0)
		return -1;
	if (find_arch(object, err) < 0)
		return -1;
	object->kind = OBJECT_KIND_DEBUG;
	object->offers = offers_of(object);
	object->undecorates = true;
	object->symbols_end_at_functions = true;
	return open_sources(object, err);
}

static int pdb_prepare(struct object *object, struct err *err)
{
	struct arena *arena = object->arena;
	struct pdb *pdb = object->state;

	if (pdb->prepared)
		return 0;
	pdb->prepared = true;
	if (pdb_read_dbi(pdb, arena, err) < 0 || open_strings(pdb, err) < 0 ||
	    pdb_read_publics(pdb, arena, err) < 0 ||
	    pdb_types_open(&pdb->types, &pdb->msf, STREAM_TYPES, "TPI stream", arena, err) < 0 ||
	    pdb_types_open(&pdb->ids, &pdb->msf, STREAM_IDS, "IPI stream", arena, err) < 0)
		return -1;
	pdb->id_names = mem_get_array((size_t)pdb->ids.count + 1, sizeof(*pdb->id_names));
	pdb->definitions = pdb_definitions_new();
	if (!pdb->id_names || !pdb->definitions)
		return err_set(err, ERR_NO_MEMORY, "no memory for the names of %u ids",
			       pdb->ids.count);
	return 0;
}

static size_t pdb_unit_count(const struct object *object)
{
	return ((const struct pdb *)object->state)->unit_count;
}

static int pdb_read_unit(const struct object *object, size_t unit, struct arena *scratch,
			 const struct object_sink *sink, struct err *err)
{
	const struct pdb *pdb = object->state;

	return module_read(pdb, pdb->units[unit], scratch, sink, err);
}

static void pdb_unit_name(const struct object *object, size_t unit, char *out, size_t capacity)
{
	const struct pdb *pdb = object->state;
	const struct pdb_module *module = &pdb->modules[pdb->units[unit]];
	struct text name = text_basename(module->name);

	snprintf(out, capacity, "module %u (%.*s)", pdb->units[unit], (int)name.size, name.bytes);
}

static int pdb_each_symbol(const struct object *object, object_symbol_fn *fn, void *payload,
			   struct err *err)
{
	const struct pdb *pdb = object->state;

	for (size_t i = 0; i < pdb->publics.count; i++) {
		const struct symbol_record *record = &pdb->publics.records[i];
		struct object_symbol symbol = { .address = record->address };

		if (pdb_public_name(pdb, record, &symbol.name, err) < 0)
			return -1;
		if (symbol.name.size > 0 && fn(payload, &symbol))
			break;
	}
	return 0;
}

static int pdb_each_unwind(struct object *object, const struct object_unwind_sink *sink,
			   struct err *err)
{
	struct pdb *pdb = object->state;

	if (object->arch != ARCH_X86)
		return 0;
	if (pdb_read_dbi(pdb, object->arena, err) < 0 || open_strings(pdb, err) < 0)
		return -1;
	return pdb_each_stack_frame(pdb, sink, err);
}

static void pdb_units_done(struct object *object)
{
	struct pdb *pdb = object->state;

	mem_give_back(pdb->id_names);
	pdb->id_names = NULL;
	pdb_definitions_free(pdb->definitions);
	pdb->definitions = NULL;
}

static void pdb_release(struct object *object)
{
	struct pdb *pdb = object->state;

	mem_give_back(pdb->id_names);
	pdb_definitions_free(pdb->definitions);
	pdb_names_release(pdb->names);
	unpack_memory_release(&pdb->capacity);
}

const struct object_format object_format_pdb = {
	.name = "pdb",
	.probe_bytes = 32,
	.probe = pdb_probe,
	.open = pdb_open,
	.prepare = pdb_prepare,
	.unit_count = pdb_unit_count,
	.read_unit = pdb_read_unit,
	.unit_name = pdb_unit_name,
	.units_done = pdb_units_done,
	.each_symbol = pdb_each_symbol,
	.each_source = pdb_each_source,
	.each_unwind = pdb_each_unwind,
	.links_any_path = true,
	.release = pdb_release,
};

/*
 * bundle.c -- the source bundle format: eight bytes of header, then a zip archive with a
 * manifest.
 */
#include "object/object.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/mem.h"
#include "object/bundle/manifest.h"
#include "unpack/unpack.h"
#include "unpack/zip.h"

#define HEADER_BYTES 8u              /* "SYSB" and a version nobody checks */

struct bundle {
	struct zip zip;
	struct manifest manifest;
};

static bool bundle_probe(const uint8_t *head, size_t size)
{
	return size >= HEADER_BYTES && memcmp(head, "SYSB", 4) == 0;
}

/* --- The manifest ------------------------------------------------------------------------ */

static int parse_manifest(struct bundle *bundle, struct text packed, unsigned packing,
			  uint64_t size, struct arena *arena, struct err *err)
{
	char *bytes;
	int rc;

	if (packing == UNPACK_NONE)
		return manifest_read(&bundle->manifest, packed, arena, err);
	bytes = mem_get((size_t)size + 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for manifest.json");
	rc = unpack_memory((enum unpack_kind)packing, "manifest.json", packed, bytes, (size_t)size,
			   err);
	if (rc == 0)
		rc = manifest_read(&bundle->manifest, (struct text){ bytes, (size_t)size }, arena, err);
	mem_give_back(bytes);
	return rc;
}

static int read_manifest(struct bundle *bundle, struct arena *arena, struct err *err)
{
	const struct zip_entry *entry = zip_find(&bundle->zip, TEXT("manifest.json"));
	struct text packed;
	unsigned packing;

	if (!entry)
		return err_set(err, ERR_MALFORMED, "there is no manifest.json");
	if (entry->size > LIMIT_MANIFEST_BYTES)
		return err_set(err, ERR_LIMIT, "a manifest.json of %llu bytes",
			       (unsigned long long)entry->size);
	if (zip_packed(&bundle->zip, entry, &packed, &packing, err) < 0)
		return err_while(err, "manifest.json");
	return parse_manifest(bundle, packed, packing, entry->size, arena, err);
}

static int read_identity(struct object *object, const struct manifest *manifest, struct err *err)
{
	struct text code_id = manifest_attribute(manifest, "code_id");
	char *hex = arena_alloc(object->arena, code_id.size + 1, 1);
	enum arch arch;

	if (!hex)
		return err_set(err, ERR_NO_MEMORY, "no memory for the code id");
	if (code_id.size && codeid_normalise(code_id, hex))
		object->code_id = text_of(hex);
	if (!debugid_parse(manifest_attribute(manifest, "debug_id"), &object->debug_id))
		object->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (arch_named(manifest_attribute(manifest, "arch"), &arch))
		object->arch = arch;
	return 0;
}

static int bundle_open(struct object *object, struct arena *arena, struct err *err)
{
	struct bundle *bundle = arena_alloc(arena, 1, sizeof(*bundle));

	if (!bundle)
		return err_set(err, ERR_NO_MEMORY, "no memory for a bundle");
	object->state = bundle;
	object->kind = OBJECT_KIND_SOURCE;
	object->offers = OBJECT_OFFERS_SOURCES;
	if (zip_open(&bundle->zip, object->bytes, object->size, arena, err) < 0 ||
	    read_manifest(bundle, arena, err) < 0)
		return -1;
	return read_identity(object, &bundle->manifest, err);
}

static void bundle_release(struct object *object)
{
	struct bundle *bundle = object->state;

	manifest_release(&bundle->manifest);
}

/* --- Sources ----------------------------------------------------------------------------- */

static void find_contents(const struct zip *zip, struct text zip_path, struct object_source *source)
{
	const struct zip_entry *entry = zip_find(zip, zip_path);
	struct err err = ERR_INIT;

	source->is_inside = true;
	if (!entry) {
		snprintf(source->trouble, sizeof(source->trouble), "it is not in the archive");
		return;
	}
	source->size = entry->size;
	source->crc = entry->crc;
	if (zip_packed(zip, entry, &source->packed, &source->packing, &err) < 0)
		snprintf(source->trouble, sizeof(source->trouble), "%.90s", err.text);
}

/* Files without a name of their own can still be found by their debug id. */
static void describe(const struct manifest_file *file, struct object_source *source)
{
	*source = (struct object_source){
		.path = file->path, .url = file->url, .type = file->type, .headers = file->headers,
		.source_map = manifest_header(file, "sourcemap"),
	};
	if (!source->source_map.bytes)
		source->source_map = manifest_header(file, "x-sourcemap");
	if (!debugid_parse(manifest_header(file, "debug-id"), &source->debug_id))
		source->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
}

static int tell_link(void *payload, struct text pattern, struct text url, struct err *err)
{
	const struct object_source_sink *sink = payload;
	struct object_source_link link = { pattern, url };

	return sink->link ? sink->link(sink->payload, &link, err) : 0;
}

static int bundle_each_source(const struct object *object, struct arena *scratch,
			      const struct object_source_sink *sink, struct err *err)
{
	const struct bundle *bundle = object->state;
	const struct manifest *manifest = &bundle->manifest;

	(void)scratch;
	for (size_t i = 0; i < manifest->file_count && sink->source; i++) {
		const struct manifest_file *file = &manifest->files[i];
		struct object_source source;

		describe(file, &source);
		find_contents(&bundle->zip, file->zip_path, &source);
		if (sink->source(sink->payload, &source, err) < 0)
			return -1;
	}
	return manifest_each_link(manifest, tell_link, (void *)(uintptr_t)sink, err);
}

const struct object_format object_format_bundle = {
	.name = "sourcebundle",
	.probe_bytes = HEADER_BYTES,
	.probe = bundle_probe,
	.open = bundle_open,
	.each_source = bundle_each_source,
	.links_any_path = true,
	.slashes_are_one = true,
	.release = bundle_release,
};

/* source_listing.c -- what to ask Sentry servers and symstore indexes, and looking into what they
 * said. */
#include "source/source_listing.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "source/kind.h"

#define LAST_ID_PATH "000Admin/lastid.txt"
#define QUESTION_BYTES ((size_t)65534)   /* longer addresses are refused on the way */

/* The types a server says, and the file types that are looked for under each. */
static const char *const type_names[] = {
	"pe", "pdb", "portablepdb", "macho", "elf", "wasm", "breakpad", "sourcebundle", "uuidmap",
	"bcsymbolmap", "il2cpp", "proguard", "dartsymbolmap",
};
#define SYMBOL_TYPES (sizeof(type_names) / sizeof(type_names[0]))

static const enum file_type file_types[SYMBOL_TYPES][2] = {
	{ FILE_TYPE_PE, FILE_TYPE_PE }, { FILE_TYPE_PDB, FILE_TYPE_PDB },
	{ FILE_TYPE_PORTABLEPDB, FILE_TYPE_PORTABLEPDB },
	{ FILE_TYPE_MACH_CODE, FILE_TYPE_MACH_DEBUG }, { FILE_TYPE_ELF_CODE, FILE_TYPE_ELF_DEBUG },
	{ FILE_TYPE_WASM_CODE, FILE_TYPE_WASM_DEBUG }, { FILE_TYPE_BREAKPAD, FILE_TYPE_BREAKPAD },
	{ FILE_TYPE_SOURCEBUNDLE, FILE_TYPE_SOURCEBUNDLE },
	{ FILE_TYPE_UUIDMAP, FILE_TYPE_UUIDMAP }, { FILE_TYPE_BCSYMBOLMAP, FILE_TYPE_BCSYMBOLMAP },
	{ FILE_TYPE_IL2CPP, FILE_TYPE_IL2CPP }, { FILE_TYPE_PROGUARD, FILE_TYPE_PROGUARD },
	{ FILE_TYPES, FILE_TYPES },          /* nobody looks for those */
};

const char *const *source_listed_types(size_t *count)
{
	*count = SYMBOL_TYPES;
	return type_names;
}

/* Files of a store's own belong to no module. */
static const struct object_ids no_ids = { .type = OBJECT_TYPE_UNKNOWN };
static const struct source_query no_query = { .ids = &no_ids };

static int no_memory(struct err *err)
{
	return err_set(err, ERR_NO_MEMORY, "no room for a listing");
}

static int set_key(struct source_listing *listing, char *key, struct err *err)
{
	listing->key = text_of(key);
	return key ? 0 : no_memory(err);
}

/* --- What to ask -------------------------------------------------------------------------- */

/* Is there anything in it that a server could look for? */
static bool can_be_asked(const struct source_query *query)
{
	if (query->url.size + query->release.size + query->dist.size > QUESTION_BYTES)
		return false;
	if (!debugid_is_nil(&query->ids->debug_id))
		return true;
	return query->by == SOURCE_BY_URL ? query->url.size > 0 && query->release.bytes != NULL
					  : query->ids->code_id.size > 0;
}

static int ask_server(const struct source *source, const struct source_query *query,
		      struct arena *arena, struct source_listing *listing, struct err *err)
{
	char hash[2 * sizeof(source->credentials) + 1];

	if (!can_be_asked(query))
		return 0;
	listing->location = (struct location){ .source = source, .path = TEXT(""),
						.query = query };
	if (sentry_name_query(source, query, arena, &listing->location.uri, err) < 0)
		return -1;
	if (listing->location.uri.size > QUESTION_BYTES)
		return 0;
	listing->kind = query->by == SOURCE_BY_URL ? SOURCE_LISTING_ARTIFACTS
						   : SOURCE_LISTING_MODULE;
	hex_format(source->credentials, sizeof(source->credentials), hash);
	return set_key(listing, arena_printf(arena, "type: sentry\nurl: %s\ncredentials: %s\n",
					     listing->location.uri.bytes, hash), err);
}

static int place_in_store(const struct source *source, const char *path, struct arena *arena,
			  struct location *location, struct err *err)
{
	*location = (struct location){ .source = source, .path = text_of(path),
				       .query = &no_query };
	return source->kind->name_location(source, location->path, arena, &location->uri, err);
}

static int ask_last_id(const struct source *source, struct arena *arena,
		       struct source_listing *listing, struct err *err)
{
	listing->kind = SOURCE_LISTING_LAST_ID;
	if (place_in_store(source, LAST_ID_PATH, arena, &listing->location, err) < 0)
		return -1;
	return set_key(listing, arena_printf(arena, "type: symstore_last_id\nsource_id: %s\n",
					     source->id.bytes), err);
}

int source_listing_first(const struct source *source, const struct source_query *query,
			 struct arena *arena, struct source_listing *listing, struct err *err)
{
	*listing = (struct source_listing){ .kind = SOURCE_LISTING_NONE, .source = source };
	return source->has_index ? ask_last_id(source, arena, listing, err)
				 : ask_server(source, query, arena, listing, err);
}

int source_listing_next(const struct source_listing *listing, struct text text,
			struct arena *arena, struct source_listing *next, struct err *err)
{
	const struct source *source = listing->source;

	*next = (struct source_listing){ .kind = SOURCE_LISTING_NONE, .source = source };
	if (listing->kind != SOURCE_LISTING_LAST_ID)
		return 0;
	if (!text_to_u64(text, 10, &next->last_id) || next->last_id > LIMIT_INDEX_SEGMENTS)
		return err_set(err, ERR_MALFORMED, "the last id of an index is none");
	next->kind = SOURCE_LISTING_INDEX;
	if (place_in_store(source, "000Admin", arena, &next->location, err) < 0)
		return -1;
	return set_key(next, arena_printf(arena, "type: symstore\nsource_id: %s\nlast_id: %" PRIu64
					  "\n", source->id.bytes, next->last_id), err);
}

int source_segment(const struct source_listing *index, uint64_t number, struct arena *arena,
		   struct location *location, struct text *key, struct err *err)
{
	const char *path = arena_printf(arena, "000Admin/%010" PRIu64, number);

	*key = text_of(arena_printf(arena, "type: symstore_segment\nsource_id: %s\nsegment: %" PRIu64
				    "\n", index->source->id.bytes, number));
	if (!path || !key->bytes)
		return no_memory(err);
	return place_in_store(index->source, path, arena, location, err);
}

/* --- Sentry's answers --------------------------------------------------------------------- */

static size_t symbol_type_named(struct text name)
{
	size_t i = 0;

	while (i < SYMBOL_TYPES && !text_is(name, type_names[i]))
		i++;
	return i;
}

bool source_listing_take_file(struct text *text, const struct source_query *query,
			      enum file_type *type, struct text *id)
{
	struct text line;

	while (text_take_line(text, &line)) {
		const char *space = memchr(line.bytes, ' ', line.size);
		size_t size = space ? (size_t)(space - line.bytes) : line.size;
		size_t symbol = symbol_type_named((struct text){ line.bytes, size });

		if (!space || symbol == SYMBOL_TYPES || size + 1 == line.size)
			continue;
		*id = (struct text){ space + 1, line.size - size - 1 };
		for (size_t i = 0; i < query->type_count; i++)
			if (query->types[i] == file_types[symbol][0] ||
			    query->types[i] == file_types[symbol][1]) {
				*type = query->types[i];
				return true;
			}
	}
	return false;
}

/* --- Indexes ------------------------------------------------------------------------------ */

/* By halves: `low` and `high` are where lines begin. */
bool source_listing_index_holds(struct text index, struct text path)
{
	size_t low = 0, high = index.size;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct text rest, line;
		int order;

		while (middle > low && index.bytes[middle - 1] != '\n')
			middle--;
		rest = (struct text){ index.bytes + middle, index.size - middle };
		(void)text_take_line(&rest, &line);
		order = text_compare(line, path);
		if (order == 0)
			return true;
		if (order > 0)
			high = middle;
		else
			low = middle + line.size + 1;
	}
	return false;
}

/* source_layout.c -- the seven layouts as tables, what lies in any of them, and how a row becomes
 * paths. */
#include "source/source_layout.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define PATH_BYTES ((size_t)4096)

/* Blocks in braces are built from the module's ids (block.c).  The second path is less
 * preferred and is made only when the first one is. */
struct recipe { const char *path, *second; };

static const struct recipe native[FILE_TYPES] = {
	[FILE_TYPE_ELF_CODE]     = { "{gdb}",              NULL },
	[FILE_TYPE_WASM_CODE]    = { "{gdb}",              NULL },
	[FILE_TYPE_ELF_DEBUG]    = { "{gdb}.debug",        NULL },
	[FILE_TYPE_WASM_DEBUG]   = { "{gdb}.debug",        NULL },
	[FILE_TYPE_MACH_CODE]    = { "{lldb}.app",         NULL },
	[FILE_TYPE_MACH_DEBUG]   = { "{lldb}",             NULL },
	[FILE_TYPE_PDB]          = { "{pdb}",              NULL },
	[FILE_TYPE_PORTABLEPDB]  = { "{pdb}",              NULL },
	[FILE_TYPE_PE]           = { "{pe}",               NULL },
	[FILE_TYPE_BREAKPAD]     = { "{breakpad}.sym",     NULL },
	[FILE_TYPE_SOURCEBUNDLE] = { "{beside}.src.zip",   "{breakpad}.src.zip" },
};

static const struct recipe symstore[FILE_TYPES] = {
	[FILE_TYPE_ELF_CODE]     = { "{code}/elf-buildid-{code_id}/{code}", NULL },
	[FILE_TYPE_ELF_DEBUG]    = { "_.debug/elf-buildid-sym-{code_id}/_.debug", NULL },
	[FILE_TYPE_MACH_CODE]    = { "{code}/mach-uuid-{uuid}/{code}", NULL },
	[FILE_TYPE_MACH_DEBUG]   = { "_.dwarf/mach-uuid-sym-{uuid}/_.dwarf", NULL },
	[FILE_TYPE_PDB]          = { "{pdb}",              NULL },
	[FILE_TYPE_PORTABLEPDB]  = { "{pdb}",              NULL },
	[FILE_TYPE_PE]           = { "{pe}",               NULL },
	[FILE_TYPE_SOURCEBUNDLE] = { "{pe_stem}.src.zip",  NULL },
};

static const struct recipe debuginfod[FILE_TYPES] = {
	[FILE_TYPE_ELF_CODE]     = { "{code_id}/executable", NULL },
	[FILE_TYPE_ELF_DEBUG]    = { "{code_id}/debuginfo",  NULL },
};

static const struct recipe unified[FILE_TYPES] = {
	[FILE_TYPE_ELF_CODE]     = { "{gdb}/executable",   NULL },
	[FILE_TYPE_ELF_DEBUG]    = { "{gdb}/debuginfo",    NULL },
	[FILE_TYPE_MACH_CODE]    = { "{any}/executable",   NULL },
	[FILE_TYPE_WASM_CODE]    = { "{any}/executable",   NULL },
	[FILE_TYPE_MACH_DEBUG]   = { "{any}/debuginfo",    NULL },
	[FILE_TYPE_WASM_DEBUG]   = { "{any}/debuginfo",    NULL },
	[FILE_TYPE_PE]           = { "{debug}/executable", NULL },
	[FILE_TYPE_PDB]          = { "{debug}/debuginfo",  NULL },
	[FILE_TYPE_PORTABLEPDB]  = { "{debug}/debuginfo",  NULL },
	[FILE_TYPE_BREAKPAD]     = { "{own}/breakpad",     NULL },
	[FILE_TYPE_SOURCEBUNDLE] = { "{own}/sourcebundle", NULL },
	[FILE_TYPE_IL2CPP]       = { "{own}/il2cpp",       NULL },
	[FILE_TYPE_UUIDMAP]      = { "{any}/uuidmap",      NULL },
	[FILE_TYPE_BCSYMBOLMAP]  = { "{any}/bcsymbolmap",  NULL },
};

static const struct recipe slashsymbols =        /* whatever the file type */
	{ "{code}/{CODE_ID}/symbols", "{code}/{code_id}/symbols" };

/* Files of no module have the same paths in each layout, the preferred first; those of which a
 * block cannot be built are left out. */
#define RELEASE_PATHS 3u
struct release_recipe { const char *paths[RELEASE_PATHS]; };

static const struct release_recipe by_uuid[FILE_TYPES] = {
	[FILE_TYPE_PROGUARD]        = { { "{any}/proguard" } },
	[FILE_TYPE_SOURCEBUNDLE]    = { { "{any}/sourcebundle" } },
};

static const struct release_recipe by_url[FILE_TYPES] = {
	[FILE_TYPE_SOURCEBUNDLE]    = { { "{any}/sourcebundle", "{release}/sourcebundle" } },
	[FILE_TYPE_MINIFIED_SOURCE] = { { "{any}/minified_source", "{release}/files/{host}/{path}",
					  "{release}/files/~/{path}" } },
	[FILE_TYPE_SOURCE_MAP]      = { { "{any}/source_map", "{release}/files/{host}/{path}",
					  "{release}/files/~/{path}" } },
	[FILE_TYPE_SOURCE]          = { { "{release}/files/{host}/{path}",
					  "{release}/files/~/{path}" } },
};

struct source_layout {
	const char *name;
	const struct recipe *recipes;        /* by file type; NULL: `all` for each */
	const struct recipe *all;
	bool ssqp;                           /* names and GUIDs lower case, ages upper case */
	bool in_folders;                     /* below a folder of their first two letters */
	bool has_releases;                   /* see source_layout_has_releases() */
};

static const struct source_layout layouts[] = {
	{ "native",          native,     NULL,          false, false, true },
	{ "symstore",        symstore,   NULL,          false, false, false },
	{ "symstore_index2", symstore,   NULL,          false, true,  false },
	{ "ssqp",            symstore,   NULL,          true,  false, false },
	{ "debuginfod",      debuginfod, NULL,          false, false, false },
	{ "unified",         unified,    NULL,          false, false, true },
	{ "slashsymbols",    NULL,       &slashsymbols, false, false, false },
};

const struct source_layout *const source_layout_default = &layouts[0];

bool source_layout_has(const struct source_layout *layout, enum file_type type)
{
	return !layout->recipes || layout->recipes[type].path != NULL;
}

bool source_layout_has_releases(const struct source_layout *layout)
{
	return layout->has_releases;
}

bool source_layout_is_federated(const struct source_layout *layout)
{
	return layout->recipes == debuginfod;
}

bool source_layout_is_symstore(const struct source_layout *layout)
{
	return layout->recipes == symstore;
}

bool source_layout_may_have_index(const struct source_layout *layout)
{
	return strcmp(layout->name, "symstore") == 0;
}

static int parse_casing(const struct shape *shape, unsigned *casing, struct err *err)
{
	static const struct { const char *name; unsigned casing; } words[] = {
		{ "default",   LAYOUT_CASING_DEFAULT },
		{ "lowercase", LAYOUT_CASING_LOWER },
		{ "uppercase", LAYOUT_CASING_UPPER },
	};
	struct text word = TEXT("default");

	if (shape_string(shape, "casing", SHAPE_OPTIONAL, &word, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text_is(word, words[i].name)) {
			*casing = words[i].casing;
			return 0;
		}
	}
	return shape_refuse(shape, "casing", err, "unknown casing `%.*s`", SHAPE_QUOTED, word.bytes);
}

static int parse_layout_type(const struct shape *shape, struct source *source, struct err *err)
{
	struct text name = text_of(source_layout_default->name);

	if (shape_string(shape, "type", SHAPE_OPTIONAL, &name, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (text_is(name, layouts[i].name)) {
			source->layout = &layouts[i];
			return 0;
		}
	}
	return shape_refuse(shape, "type", err, "unknown layout `%.*s`", SHAPE_QUOTED, name.bytes);
}

int source_layout_parse(const struct shape *shape, struct source *source, struct err *err)
{
	struct shape_keys keys;
	struct shape layout;
	int rc;

	source->layout = source_layout_default;
	source->casing = LAYOUT_CASING_DEFAULT;
	if (shape_object(shape, "layout", &layout, err) < 0)
		return -1;
	if (!layout.json)
		return 0;
	shape_watch(&layout, &keys);
	rc = parse_layout_type(&layout, source, err);
	if (shape_goes_on(shape, rc))
		rc |= parse_casing(&layout, &source->casing, err);
	shape_tell_unknown(&layout);
	return rc;
}

/* Fills a recipe in; false when one of its blocks cannot be built. */
static bool expand(const char *recipe, const struct source_query *query, bool ssqp,
		   struct buf *out)
{
	const char *at = recipe;

	while (*at) {
		const char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;
		const struct source_layout_block *block;

		if (!close) {
			buf_add_string(out, at);
			break;
		}
		buf_add(out, at, (size_t)(open - at));
		block = source_layout_block_named((struct text){ open + 1,
								 (size_t)(close - open - 1) });
		if (!block || !block->build(query, ssqp, out))
			return false;
		at = close + 1;
	}
	return true;
}

/* "cr/" before "crash.pdb/...", "_/" before "_.debug/...": characters, not bytes */
static void add_folder(struct text path, struct buf *out)
{
	bool valid;
	size_t size = utf8_step(path.bytes, path.size, &valid);

	if (size < path.size && path.bytes[size] != '/' && path.bytes[size] != '.')
		size += utf8_step(path.bytes + size, path.size - size, &valid);
	buf_add(out, path.bytes, size);
	buf_add_char(out, '/');
}

static void apply_casing(char *path, size_t size, unsigned casing)
{
	for (size_t i = 0; i < size; i++) {
		if (casing == LAYOUT_CASING_LOWER)
			path[i] = ascii_lower(path[i]);
		else if (casing == LAYOUT_CASING_UPPER)
			path[i] = ascii_upper(path[i]);
	}
}

/* One path into the arena, cased; *path TEXT_NONE when the query does not give it. */
static int make_path(const struct source_layout *layout, unsigned casing, const char *recipe,
		     const struct source_query *query, struct arena *arena, struct text *path,
		     struct err *err)
{
	struct buf plain, whole;
	char *copy;
	int rc = 0;

	*path = TEXT_NONE;
	buf_init(&plain, PATH_BYTES);
	buf_init(&whole, PATH_BYTES);
	if (recipe && expand(recipe, query, layout->ssqp, &plain)) {
		if (layout->in_folders && plain.size > 0)
			add_folder(buf_text(&plain), &whole);
		buf_add_text(&whole, buf_text(&plain));
		if (!plain.failed && !whole.failed) {
			copy = arena_strndup(arena, whole.bytes, whole.size);
			*path = (struct text){ copy, copy ? whole.size : 0 };
			if (copy)
				apply_casing(copy, whole.size, casing);
		}
		if (plain.no_memory || whole.no_memory ||
		    (!path->bytes && !plain.failed && !whole.failed))
			rc = err_set(err, ERR_NO_MEMORY, "no room for a path");
	}
	buf_release(&plain);
	buf_release(&whole);
	return rc;
}

/* "crash.pd_": the last character becomes `_`. */
static int compressed(struct text path, struct arena *arena, struct text *variant, struct err *err)
{
	size_t size = path.size - 1;
	char *copy;

	while (size > 0 && ((uint8_t)path.bytes[size] & 0xc0) == 0x80)
		size--;
	copy = arena_strndup(arena, path.bytes, size + 1);
	if (!copy)
		return err_set(err, ERR_NO_MEMORY, "no room for a path");
	copy[size] = '_';
	*variant = (struct text){ copy, size + 1 };
	return 0;
}

static bool is_among(struct text path, const struct text *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_equal(path, paths[i]))
			return true;
	return false;
}

static int release_paths(const struct release_recipe *recipe, unsigned casing,
			 const struct source_query *query, struct arena *arena,
			 struct text paths[LAYOUT_PATHS], size_t *count, struct err *err)
{
	static const struct source_layout any_layout = { .name = "" };

	for (size_t i = 0; i < RELEASE_PATHS; i++) {
		struct text path;

		if (make_path(&any_layout, casing, recipe->paths[i], query, arena, &path, err) < 0)
			return -1;
		if (path.size > 0 && !is_among(path, paths, *count))
			paths[(*count)++] = path;
	}
	return 0;
}

static int module_paths(const struct source_layout *layout, unsigned casing,
			const struct source_query *query, enum file_type type, struct arena *arena,
			struct text paths[LAYOUT_PATHS], size_t *count, struct err *err)
{
	const struct recipe *recipe = layout->recipes ? &layout->recipes[type] : layout->all;
	struct text plain[2];

	if (make_path(layout, casing, recipe->path, query, arena, &plain[0], err) < 0 ||
	    make_path(layout, casing, recipe->second, query, arena, &plain[1], err) < 0)
		return -1;
	if (plain[0].size == 0 || text_equal(plain[0], plain[1]))
		plain[1] = TEXT_NONE;
	for (size_t i = 0; i < 2 && plain[i].size > 0; i++) {
		paths[(*count)++] = plain[i];
		if ((type == FILE_TYPE_PDB || type == FILE_TYPE_PE) &&
		    compressed(plain[i], arena, &paths[(*count)++], err) < 0)
			return -1;
	}
	return 0;
}

int source_layout_paths(const struct source_layout *layout, unsigned casing,
			const struct source_query *query, enum file_type type, struct arena *arena,
			struct text paths[LAYOUT_PATHS], size_t *count, struct err *err)
{
	*count = 0;
	switch (query->by) {
	case SOURCE_BY_UUID:
		return release_paths(&by_uuid[type], casing, query, arena, paths, count, err);
	case SOURCE_BY_URL:
		return release_paths(&by_url[type], casing, query, arena, paths, count, err);
	default:
		return module_paths(layout, casing, query, type, arena, paths, count, err);
	}
}

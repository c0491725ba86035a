/* proxy_path.c -- see proxy_path.h. */
#include "kinds/proxy/proxy_path.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/url.h"

#define ELF_DEBUG  "elf-buildid-sym-"
#define ELF_CODE   "elf-buildid-"
#define MACH_DEBUG "mach-uuid-sym-"
#define MACH_CODE  "mach-uuid-"

/* Up to the next slash, which goes too; false: there is none. */
static bool take_part(struct text *rest, struct text *part)
{
	const char *slash = rest->size ? memchr(rest->bytes, '/', rest->size) : NULL;

	if (!slash)
		return false;
	*part = (struct text){ rest->bytes, (size_t)(slash - rest->bytes) };
	*rest = text_from(*rest, part->size + 1);
	return true;
}

static bool starts_with(struct text text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size &&
	       text_equal_ignoring_case((struct text){ text.bytes, size }, text_of(prefix));
}

static bool ends_with(struct text text, const char *suffix)
{
	size_t size = strlen(suffix);

	return text.size >= size && text_equal_ignoring_case(text_from(text, text.size - size),
							     text_of(suffix));
}

/* What the signature says of the file; *id is what follows. */
static void classify(struct text name, struct text signature, struct proxy_wanted *wanted, struct text *id)
{
	static const struct {
		const char *suffix, *prefix;
		enum file_type type;
		enum object_type object;
	} rows[] = {
		{ ".debug", ELF_DEBUG,  FILE_TYPE_ELF_DEBUG,  OBJECT_TYPE_ELF },
		{ "",       ELF_CODE,   FILE_TYPE_ELF_CODE,   OBJECT_TYPE_ELF },
		{ ".dwarf", MACH_DEBUG, FILE_TYPE_MACH_DEBUG, OBJECT_TYPE_MACHO },
		{ "",       MACH_CODE,  FILE_TYPE_MACH_CODE,  OBJECT_TYPE_MACHO },
		{ ".pdb",   "",         FILE_TYPE_PDB,        OBJECT_TYPE_PE },
		{ "",       "",         FILE_TYPE_PE,         OBJECT_TYPE_PE },
	};
	size_t i = 0;

	while (!ends_with(name, rows[i].suffix) || !starts_with(signature, rows[i].prefix))
		i++;                         /* the last fits all */
	wanted->type = rows[i].type;
	wanted->ids.type = rows[i].object;
	*id = text_from(signature, strlen(rows[i].prefix));
}

static int read_ids(struct text id, struct arena *arena, struct proxy_wanted *wanted, struct err *err)
{
	char *code_id;

	if (wanted->type == FILE_TYPE_PDB)
		return debugid_parse_breakpad(id, &wanted->ids.debug_id);
	code_id = arena_alloc(arena, id.size + 1, 1);
	if (!code_id)
		return err_set(err, ERR_LIMIT, "no room for a code id");
	if (!codeid_normalise(id, code_id))
		return 0;
	wanted->ids.code_id = text_of(code_id);
	return 1;
}

int proxy_path_read(struct text path, struct arena *arena, struct proxy_wanted *wanted, struct err *err)
{
	char *plain = arena_alloc(arena, path.size + 1, 1);
	struct text rest, name, signature, id;

	memset(wanted, 0, sizeof(*wanted));
	if (!plain)
		return err_set(err, ERR_LIMIT, "no room for a path");
	rest = (struct text){ plain, url_unescape(path, plain) };
	if (!text_is_utf8(rest))
		return err_set(err, ERR_BAD_REQUEST, "Invalid URL: the path is not UTF-8");
	if (!take_part(&rest, &name) || !take_part(&rest, &signature) || name.size == 0 ||
	    !text_equal_ignoring_case(name, rest) || text_has_controls(name))
		return 0;
	classify(name, signature, wanted, &id);
	wanted->ids.code_file = wanted->ids.debug_file = name;
	return read_ids(id, arena, wanted, err);
}

/* mozilla_ids.c -- see mozilla_ids.h. */
#include "kinds/mozilla/mozilla_ids.h"

#include "base/arena.h"

#define BUILD_ID_DIGITS_LEAST 40u    /* as many as a debug id has at most, of which hardly one has them */
#define BUILD_ID_DIGITS_MOST  128u
#define SHORT_BUILD_ID_BYTES  8u     /* of a fast hash */

bool mozilla_is_build_id(struct text id)
{
	for (size_t i = 0; i < id.size; i++)
		if (ascii_hex_value(id.bytes[i]) < 0)
			return false;
	return id.size >= BUILD_ID_DIGITS_LEAST && id.size <= BUILD_ID_DIGITS_MOST && id.size % 2 == 0;
}

static bool is_short(const struct debugid *id)
{
	for (size_t i = SHORT_BUILD_ID_BYTES; i < DEBUGID_UUID_BYTES; i++)
		if (id->uuid[i] != 0)
			return false;
	return true;
}

/* The build id as far as the debug id has it. */
static struct text guess(const struct debugid *id, char hex[DEBUGID_TEXT_BYTES])
{
	struct debugid swapped = debugid_from_guid(id->uuid, 0);

	debugid_format_uuid_simple(&swapped, hex);
	if (is_short(id))
		hex[2 * SHORT_BUILD_ID_BYTES] = '\0';
	return text_of(hex);
}

int mozilla_elf_ids(struct object_ids *elf, const struct object_ids *given, struct text id, struct arena *arena,
		    bool *is_whole, struct err *err)
{
	bool is_build_id = mozilla_is_build_id(id);
	char *hex;

	*elf = *given;
	elf->type = OBJECT_TYPE_ELF;
	*is_whole = is_build_id || given->code_id.size > 0;
	/* Which debug id goes with it depends on the file's byte order. */
	if (is_build_id)
		elf->debug_id = (struct debugid){ .kind = DEBUGID_NIL };
	if (given->code_id.size || (!is_build_id && given->debug_id.kind != DEBUGID_UUID))
		return 0;
	hex = arena_alloc(arena, is_build_id ? id.size + 1 : DEBUGID_TEXT_BYTES, 1);
	if (!hex)
		return err_no_memory(err);
	if (is_build_id && codeid_normalise(id, hex)) {
		elf->code_id = text_of(hex);
	} else {
		elf->code_id = guess(&given->debug_id, hex);
		*is_whole = is_short(&given->debug_id);
	}
	return 0;
}

bool mozilla_ids_are_elf(const struct object_ids *ids)
{
	char hex[DEBUGID_TEXT_BYTES];

	return ids->debug_id.kind == DEBUGID_UUID && text_starts_with(ids->code_id, guess(&ids->debug_id, hex).bytes);
}

bool mozilla_ids_fit(const struct object_ids *ids, const struct candidate *file)
{
	struct debugid id;

	if (ids->debug_id.kind == DEBUGID_NIL)
		return ids->type != OBJECT_TYPE_ELF || !ids->code_id.size || !file->meta.code_id.bytes ||
		       text_equal_ignoring_case(file->meta.code_id, ids->code_id);
	return !file->meta.debug_id.bytes || !debugid_parse(file->meta.debug_id, &id) ||
	       debugid_equal(&id, &ids->debug_id);
}

/*
 * features.c -- reads an object's features as convert_meta_write() wrote them.
 *
 * A hot request reads dozens of them, so this goes through the text once and makes no tree.
 * It knows the members in the order they are written, without blanks and without escapes;
 * whatever differs is left to the reader that knows all of JSON.
 *
 * It stands beside base/json_reader because it is measured to: the features of an ELF file cost
 * 1,600 instructions here, 4,000 by json_reader's walk alone (before a name is compared or a text
 * copied), 11,200 by cJSON.
 */
#include "convert/convert_internal.h"

#include <string.h>

#include "base/arena.h"
#include "base/limits.h"

#define EXACT_MOST ((uint64_t)1 << 53)       /* what the other reader holds exactly */

struct quick {
	char *at, *end;              /* in a copy, which the texts stay in */
	struct arena *arena;
	bool need_comma;
	bool differs;                /* sticky */
	bool no_memory;
};

/* Inline, as take_key() is: the compiler knows the size of each word then, and compares without a call. */
static inline __attribute__((always_inline)) bool take(struct quick *quick, struct text word)
{
	if ((size_t)(quick->end - quick->at) < word.size ||
	    memcmp(quick->at, word.bytes, word.size) != 0)
		return false;
	quick->at += word.size;
	return true;
}

static void want(struct quick *quick, struct text word)
{
	if (!take(quick, word))
		quick->differs = true;
}

/* Past the next member's name and colon, if it is that one. */
static inline __attribute__((always_inline)) bool take_key(struct quick *quick, struct text key)
{
	char *before = quick->at;

	if ((!quick->need_comma || take(quick, TEXT(","))) && take(quick, key)) {
		quick->need_comma = true;
		return true;
	}
	quick->at = before;
	return false;
}

static void read_flag(struct quick *quick, struct text key, bool *out)
{
	if (!take_key(quick, key))
		return;
	*out = take(quick, TEXT("true"));
	if (!*out)
		want(quick, TEXT("false"));
}

static void read_text(struct quick *quick, struct text key, struct text *out)
{
	char *start;
	size_t size;

	if (!take_key(quick, key))
		return;
	want(quick, TEXT("\""));
	start = quick->at;
	size = ascii_plain_run(start, (size_t)(quick->end - start));
	quick->at += size;
	want(quick, TEXT("\""));
	if (quick->differs)
		return;
	start[size] = '\0';
	*out = (struct text){ start, size };
}

static void read_number(struct quick *quick, struct text key, uint64_t most, uint64_t *out)
{
	const char *start;
	uint64_t value;

	if (!take_key(quick, key))
		return;
	start = quick->at;
	while (quick->at < quick->end && ascii_is_digit(*quick->at))
		quick->at++;
	if (text_to_u64((struct text){ start, (size_t)(quick->at - start) }, 10, &value) && value <= most)
		*out = value;
	else
		quick->differs = true;
}

static void read_want(struct quick *quick, struct object_want *out)
{
	struct text role = TEXT_NONE;
	uint64_t crc = 0;

	want(quick, TEXT("{"));
	quick->need_comma = false;
	read_text(quick, TEXT("\"role\":"), &role);
	read_text(quick, TEXT("\"id\":"), &out->id);
	read_text(quick, TEXT("\"name\":"), &out->name);
	read_number(quick, TEXT("\"crc\":"), UINT32_MAX, &crc);
	out->crc = (uint32_t)crc;
	want(quick, TEXT("}"));
	for (unsigned i = 0; i < OBJECT_ROLES; i++) {
		if (text_is(role, object_role_name((enum object_role)i))) {
			out->role = (enum object_role)i;
			return;
		}
	}
	quick->differs = true;
}

static void read_wants(struct quick *quick, struct convert_meta *meta)
{
	struct object_want *wants;

	if (!take_key(quick, TEXT("\"wants\":")))
		return;
	want(quick, TEXT("["));
	if (take(quick, TEXT("]")) || quick->differs)
		return;
	wants = arena_alloc(quick->arena, LIMIT_CELL_WANTS, sizeof(*wants));
	quick->no_memory |= !wants;
	meta->wants = wants;
	while (wants && !quick->differs && !quick->no_memory) {
		if (meta->want_count == LIMIT_CELL_WANTS) {
			quick->differs = true;
			return;
		}
		read_want(quick, &wants[meta->want_count++]);
		if (!take(quick, TEXT(",")))
			break;
	}
	want(quick, TEXT("]"));
	quick->need_comma = true;
}

bool convert_meta_read_quickly(struct text json, struct arena *arena, struct convert_meta *meta)
{
	struct arena_mark mark = arena_mark(arena);
	char *copy = arena_strndup(arena, json.bytes, json.size);
	struct quick quick = { .at = copy, .arena = arena };

	memset(meta, 0, sizeof(*meta));
	if (!copy)
		return false;
	quick.end = copy + json.size;
	want(&quick, TEXT("{"));
	read_flag(&quick, TEXT("\"has_debug_info\":"), &meta->has_debug_info);
	read_flag(&quick, TEXT("\"has_unwind_info\":"), &meta->has_unwind_info);
	read_flag(&quick, TEXT("\"has_symbols\":"), &meta->has_symbols);
	read_flag(&quick, TEXT("\"has_sources\":"), &meta->has_sources);
	read_flag(&quick, TEXT("\"is_extract\":"), &meta->is_extract);
	read_text(&quick, TEXT("\"srcsrv_vcs\":"), &meta->srcsrv_vcs);
	read_text(&quick, TEXT("\"format\":"), &meta->format);
	read_text(&quick, TEXT("\"kind\":"), &meta->kind);
	read_text(&quick, TEXT("\"arch\":"), &meta->arch);
	read_text(&quick, TEXT("\"debug_id\":"), &meta->debug_id);
	read_text(&quick, TEXT("\"code_id\":"), &meta->code_id);
	read_text(&quick, TEXT("\"debug_file\":"), &meta->debug_file);
	read_text(&quick, TEXT("\"code_file\":"), &meta->code_file);
	read_number(&quick, TEXT("\"text_bytes\":"), EXACT_MOST, &meta->text_bytes);
	read_wants(&quick, meta);
	want(&quick, TEXT("}"));
	if (!quick.differs && !quick.no_memory && quick.at == quick.end)
		return true;
	arena_rewind(arena, mark);
	return false;
}

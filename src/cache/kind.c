/* kind.c -- the kinds of entries: names, versions, times; and keys. */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "cache/cache_internal.h"

#define DOWNLOADED CACHE_DOWNLOADED
#define DERIVED    CACHE_DERIVED
#define INDEX      CACHE_INDEX

/*
 * A version is bumped when the payload of a kind changes its meaning.  `oldest` is the oldest
 * version that still answers: such an entry is used at once while the current one is made in
 * the background (row.c, workshop/refresh.c).  What is older leaves with the next round of the
 * keeper.  What each version changed:
 *
 *	object_meta 2   what a .sym says of the file with the code, and how long it is
 *	symcaches 2     names of PDBs as the linker has them; lines of folded functions
 *	symcaches 3     names of PDBs as their records have them; underscores of Windows' names
 *	                are taken off on x86 alone; padding behind functions is nobody's
 *	cficaches 2     epilogues of x64 functions whose unwind information does not tell of them
 *	source_index 2  segments as the store has them, made into an index by a cell
 */
static const struct {
	const char *name;
	enum cache_category category;
	int64_t version, oldest;
	bool is_mapped;
} kinds[CACHE_KINDS] = {
	[CACHE_OBJECTS]          = { "objects",          DOWNLOADED, 1, 1, false },
	[CACHE_OBJECT_META]      = { "object_meta",      DERIVED,    2, 1, true },
	[CACHE_AUXDIFS]          = { "auxdifs",          DOWNLOADED, 1, 1, false },
	[CACHE_IL2CPP]           = { "il2cpp",           DOWNLOADED, 1, 1, false },
	[CACHE_SYMCACHES]        = { "symcaches",        DERIVED,    3, 1, true },
	[CACHE_CFICACHES]        = { "cficaches",        DERIVED,    2, 1, true },
	[CACHE_PPDB_CACHES]      = { "ppdb_caches",      DERIVED,    1, 1, true },
	[CACHE_SOURCEMAP_CACHES] = { "sourcemap_caches", DERIVED,    1, 1, true },
	[CACHE_SOURCEFILES]      = { "sourcefiles",      DOWNLOADED, 1, 1, true },
	[CACHE_PROGUARD]         = { "proguard",         DOWNLOADED, 1, 1, true },
	[CACHE_SOURCE_INDEX]     = { "source_index",     INDEX,      2, 2, true },
	[CACHE_SOURCES]          = { "sources",          DERIVED,    1, 1, true },
	[CACHE_SECTIONS]         = { "sections",         DERIVED,    1, 1, false },
	[CACHE_SYMBFILES]        = { "symbfiles",        DERIVED,    1, 1, true },
	[CACHE_WPA_SYMCACHES]    = { "wpa_symcaches",    DERIVED,    1, 1, false },
};

const char *cache_kind_name(enum cache_kind kind)
{
	return (unsigned)kind < CACHE_KINDS ? kinds[kind].name : "unknown";
}

bool cache_kind_named(struct text name, enum cache_kind *kind)
{
	for (unsigned i = 0; i < CACHE_KINDS; i++) {
		if (text_is(name, kinds[i].name)) {
			*kind = (enum cache_kind)i;
			return true;
		}
	}
	return false;
}

int64_t cache_kind_version(enum cache_kind kind)
{
	return kinds[kind].version;
}

int64_t cache_kind_oldest(enum cache_kind kind)
{
	return kinds[kind].oldest;
}

bool cache_kind_is_mapped(enum cache_kind kind)
{
	return kinds[kind].is_mapped;
}

enum cache_category cache_kind_category(enum cache_kind kind)
{
	return kinds[kind].category;
}

const struct config_cache_times *cache_kind_times(const struct config *config, enum cache_kind kind)
{
	switch (kinds[kind].category) {
	case DOWNLOADED: return &config->downloaded;
	case INDEX:      return &config->index;
	default:         break;
	}
	return &config->derived;
}

const char *cache_state_name(enum err_kind failure)
{
	return failure == ERR_NONE ? "ready" : err_kind_name(failure);
}

bool cache_state_named(struct text name, enum err_kind *failure)
{
	for (unsigned i = 0; i < ERR_KINDS; i++) {
		if (text_is(name, cache_state_name((enum err_kind)i))) {
			*failure = (enum err_kind)i;
			return i == ERR_NONE || err_kind_is_lasting((enum err_kind)i);
		}
	}
	return false;
}

/* --- Keys ----------------------------------------------------------------------------- */

/* Two keys whose texts differ differ in more than the last byte, or SHA-256 is broken. */
void cache_fold_hash(uint8_t *hash, enum cache_kind kind, const uint8_t *text_hash)
{
	memcpy(hash, text_hash, HASH_SHA256_BYTES);
	hash[HASH_SHA256_BYTES - 1] ^= (uint8_t)kind;
}

/* A scope is any string; it must not be able to write the lines after it. */
static size_t escape_scope(char *out, struct text scope)
{
	size_t size = 0;

	for (size_t i = 0; i < scope.size; i++) {
		char c = scope.bytes[i];

		if (c == '\n' || c == '\\')
			out[size++] = '\\';
		out[size++] = c == '\n' ? 'n' : c;
	}
	return size;
}

static size_t add(char *out, size_t size, struct text text)
{
	if (text.size)
		memcpy(out + size, text.bytes, text.size);
	return size + text.size;
}

int cache_key_make(struct cache_key *key, struct arena *arena, enum cache_kind kind,
		   struct text scope, struct text rest, struct err *err)
{
	struct text shown = scope.bytes ? scope : TEXT("global");
	size_t capacity = rest.size + 32;
	size_t size = 0;
	char *text, *copy = NULL;

	memset(key, 0, sizeof(*key));
	if (__builtin_mul_overflow(shown.size, (size_t)2, &size) ||
	    __builtin_add_overflow(capacity, size, &capacity))
		return err_set(err, ERR_NO_MEMORY, "a cache key that large");
	text = arena_alloc_raw(arena, capacity, 1);
	if (scope.bytes)
		copy = arena_strndup(arena, scope.bytes, scope.size);
	if (!text || (scope.bytes && !copy))
		return err_set(err, ERR_NO_MEMORY, "no memory for a cache key");
	size = add(text, 0, TEXT("scope: "));
	size += escape_scope(text + size, shown);
	size = add(text, size, TEXT("\n\n"));
	size = add(text, size, rest);

	key->kind = kind;
	key->text = (struct text){ text, size };
	key->scope = (struct text){ copy, copy ? scope.size : 0 };
	hash_sha256(text, size, key->text_hash);
	cache_fold_hash(key->hash, kind, key->text_hash);
	return 0;
}

struct cache_key cache_key_of_hash(enum cache_kind kind, const uint8_t *text_hash)
{
	struct cache_key key = { .kind = kind, .scope = TEXT_NONE };

	memcpy(key.text_hash, text_hash, sizeof(key.text_hash));
	cache_fold_hash(key.hash, kind, text_hash);
	return key;
}

struct cache_key cache_key_as(const struct cache_key *key, enum cache_kind kind)
{
	struct cache_key other = *key;

	cache_key_set_kind(&other, kind);
	return other;
}

void cache_key_set_kind(struct cache_key *key, enum cache_kind kind)
{
	key->kind = kind;
	cache_fold_hash(key->hash, kind, key->text_hash);
}

/* --- For people ------------------------------------------------------------------------- */

/* "user:password@" behind a "//" that ends at `at`; 0: there is none. */
static size_t login_bytes(struct text text, size_t at)
{
	for (size_t i = at; i < text.size; i++) {
		char c = text.bytes[i];

		if (c == '@')
			return i + 1 - at;
		if (c == '/' || c == '?' || c == '#' || c == '\n')
			return 0;
	}
	return 0;
}

struct text cache_key_shown(const struct cache_key *key, char out[CACHE_KEY_SHOWN_BYTES])
{
	struct text text = key->text;
	size_t size = 0;

	if (!text.bytes || text.size > CACHE_KEY_SHOWN_BYTES)
		return TEXT_NONE;
	for (size_t i = 0; i < text.size; i++) {
		if (i >= 2 && text.bytes[i - 1] == '/' && text.bytes[i - 2] == '/')
			i += login_bytes(text, i);
		if (i < text.size)
			out[size++] = text.bytes[i];
	}
	return (struct text){ out, size };
}

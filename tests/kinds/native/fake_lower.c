/* fake_lower.c -- the functions of cache, convert and object that symbolicate calls. */
#include "kinds/native/fake.h"

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "work/request_json.h"

/* --- The cache component: keys are texts, holds are counted ----------------------------------- */

int cache_key_make(struct cache_key *key, struct arena *arena, enum cache_kind kind,
		   struct text scope, struct text rest, struct err *err)
{
	struct text shown = scope.bytes ? scope : TEXT("global");
	size_t head = strlen("scope: ") + shown.size;
	char *text = arena_alloc_raw(arena, head + 2 + rest.size, 1);

	*key = (struct cache_key){ .kind = kind, .scope = scope };
	if (!text)
		return err_set(err, ERR_LIMIT, "no memory for a key");
	memcpy(text, "scope: ", strlen("scope: "));
	memcpy(text + strlen("scope: "), shown.bytes, shown.size);
	memcpy(text + head, "\n\n", 2);
	memcpy(text + head + 2, rest.bytes, rest.size);
	key->text = (struct text){ text, head + 2 + rest.size };
	hash_sha256(text, key->text.size, key->hash);
	return 0;
}

struct cache_key cache_key_as(const struct cache_key *key, enum cache_kind kind)
{
	struct cache_key other = *key;

	other.kind = kind;
	return other;
}

void cache_found_release(struct cache_found *found)
{
	if (found->hold)
		fake_holds--;
	found->hold = NULL;
}

bool cache_found_is_unchanged(const struct cache_found *found)
{
	return !found->hold || !found->hold->is_changed;
}

bool cache_found_is_whole(const struct cache_found *found)
{
	return !found->hold || !found->hold->is_unreadable;
}

const char *cache_kind_name(enum cache_kind kind)
{
	return kind == CACHE_SYMCACHES ? "symcaches" : "others";
}

/* --- The convert component: what is stored of an object, and wants as {role, id} -------------- */

static bool is_true(const cJSON *json, const char *name)
{
	return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, name));
}

static struct text text_member(const cJSON *json, const char *name)
{
	return text_of(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, name)));
}

static const char *const role_names[OBJECT_ROLES] = {
	"dwz", "dwp", "debuglink", "dwo", "bcsymbolmap", "il2cpp",
};

static enum object_role role_named(struct text name)
{
	unsigned role = 0;

	while (role + 1 < OBJECT_ROLES && !text_is(name, role_names[role]))
		role++;
	return (enum object_role)role;
}

static int add_wants(struct convert_meta *meta, const cJSON *array, struct arena *arena)
{
	struct object_want *wants = arena_alloc(arena, (size_t)cJSON_GetArraySize(array) + 1,
						sizeof(*wants));

	if (!wants)
		return -1;
	meta->wants = wants;
	for (const cJSON *child = array ? array->child : NULL; child; child = child->next) {
		struct text role = text_member(child, "role");

		wants[meta->want_count++] = (struct object_want){
			.role = role_named(role),
			.id = text_member(child, "id"), .name = text_member(child, "name"),
		};
	}
	return 0;
}

int convert_meta_parse(struct text text, struct arena *arena, struct convert_meta *meta,
		       struct err *err)
{
	cJSON *json;

	if (request_json_parse(text, arena, &json, err) < 0)
		return -1;
	*meta = (struct convert_meta){
		.has_debug_info = is_true(json, "has_debug_info"),
		.has_unwind_info = is_true(json, "has_unwind_info"),
		.has_symbols = is_true(json, "has_symbols"),
		.has_sources = is_true(json, "has_sources"),
		.srcsrv_vcs = text_member(json, "srcsrv_vcs"),
		.format = text_member(json, "format"),
	};
	if (add_wants(meta, cJSON_GetObjectItemCaseSensitive(json, "wants"), arena) < 0)
		return err_set(err, ERR_LIMIT, "no memory for wants");
	return 0;
}

const char *object_role_name(enum object_role role)
{
	return role_names[role];
}

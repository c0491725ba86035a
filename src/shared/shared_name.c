/* shared_name.c -- what an entry is called in the shared cache. */
#include "shared/shared_internal.h"

#include <stdio.h>

#include "base/debugid.h"

void shared_name(const struct cache_key *key, char name[SHARED_NAME_BYTES])
{
	char hex[2 * HASH_SHA256_BYTES + 1];

	hex_format(key->text_hash, sizeof(key->text_hash), hex);
	snprintf(name, SHARED_NAME_BYTES, "%s/v%lld/%.2s/%.2s/%s", cache_kind_name(key->kind),
		 (long long)cache_kind_version(key->kind), hex, hex + 2, hex + 4);
}

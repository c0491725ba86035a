/* source_credentials.c -- the keyed hash of what opens a source. */
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "source/kind.h"

/* Tells our hashes of secrets from anybody else's. */
static const char credentials_label[] = "symgate source credentials";

/* Length first, so that no two lists of secrets read the same. */
void source_credentials_add(struct buf *secrets, struct text secret)
{
	uint64_t size = secret.size;

	if (size == 0)
		return;
	buf_add(secrets, &size, sizeof(size));
	buf_add_text(secrets, secret);
}

int source_credentials_store(struct source *source, const struct buf *secrets, struct err *err)
{
	if (buf_check(secrets, err) < 0)
		return -1;
	source->has_credentials = secrets->size > 0;
	if (source->has_credentials)
		hash_keyed(credentials_label, sizeof(credentials_label) - 1, secrets->bytes,
			   secrets->size, source->credentials);
	return 0;
}

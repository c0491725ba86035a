/* sigv4.c -- see sigv4.h. */
#include "source/sigv4.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/url.h"

#define ALGORITHM  "AWS4-HMAC-SHA256"
#define DATE_BYTES 8u                    /* 20260102T030405Z: the date is its beginning */
#define CANONICAL_BYTES ((size_t)1 << 20)

static void add_hex(struct buf *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		buf_add_char(out, digits[bytes[i] >> 4]);
		buf_add_char(out, digits[bytes[i] & 15]);
	}
}

static void format_time(int64_t now, char out[CLOCK_TEXT_BYTES])
{
	char *to = out;

	clock_format_utc(now, out);
	for (const char *from = out; *from; from++)
		if (*from != '-' && *from != ':')
			*to++ = *from;
	*to = '\0';
}

/* "20260102/eu-west-1/s3/aws4_request" */
static void add_scope(struct buf *out, const struct sigv4 *sigv4, const char *time)
{
	buf_add(out, time, DATE_BYTES);
	buf_add_char(out, '/');
	buf_add_text(out, sigv4->region);
	buf_add_string(out, "/s3/aws4_request");
}

static void add_parameter(struct buf *out, const char *name, struct text value)
{
	buf_add_string(out, name);
	url_add_escaped(out, value, "");
}

/* All but the signature; the names are in order. */
static void add_query(struct buf *out, const struct sigv4 *sigv4, const char *time)
{
	struct buf credential;

	buf_init(&credential, CANONICAL_BYTES);
	buf_add_text(&credential, sigv4->access_key);
	buf_add_char(&credential, '/');
	add_scope(&credential, sigv4, time);
	add_parameter(out, "X-Amz-Algorithm=", TEXT(ALGORITHM));
	add_parameter(out, "&X-Amz-Credential=", buf_text(&credential));
	add_parameter(out, "&X-Amz-Date=", text_of(time));
	buf_printf(out, "&X-Amz-Expires=%u", sigv4->expires_seconds);
	if (sigv4->session_token.size > 0)
		add_parameter(out, "&X-Amz-Security-Token=", sigv4->session_token);
	buf_add_string(out, "&X-Amz-SignedHeaders=host");
	if (sigv4->last.size > 0) {
		buf_add_char(out, '&');
		buf_add_text(out, sigv4->last);
	}
	out->failed |= credential.failed;
	buf_release(&credential);
}

static void hash_canonical(struct text method, struct text host, struct text path,
			   struct text query, uint8_t hash[HASH_SHA256_BYTES], bool *failed)
{
	struct buf canonical;

	buf_init(&canonical, CANONICAL_BYTES);
	buf_add_text(&canonical, method);
	buf_add_char(&canonical, '\n');
	buf_add_text(&canonical, path);
	buf_add_char(&canonical, '\n');
	buf_add_text(&canonical, query);
	buf_add_string(&canonical, "\nhost:");
	buf_add_text(&canonical, host);
	buf_add_string(&canonical, "\n\nhost\nUNSIGNED-PAYLOAD");
	hash_sha256(canonical.bytes, canonical.size, hash);
	*failed |= canonical.failed;
	buf_release(&canonical);
}

static void chain(uint8_t key[HASH_SHA256_BYTES], struct text part)
{
	uint8_t next[HASH_SHA256_BYTES];

	hash_keyed(key, HASH_SHA256_BYTES, part.bytes, part.size, next);
	memcpy(key, next, sizeof(next));
}

static void make_key(const struct sigv4 *sigv4, const char *time, uint8_t key[HASH_SHA256_BYTES],
		     bool *failed)
{
	struct buf secret;

	buf_init(&secret, CANONICAL_BYTES);
	buf_add_string(&secret, "AWS4");
	buf_add_text(&secret, sigv4->secret_key);
	hash_keyed(secret.bytes, secret.size, time, DATE_BYTES, key);
	*failed |= secret.failed;
	buf_release(&secret);
	chain(key, sigv4->region);
	chain(key, TEXT("s3"));
	chain(key, TEXT("aws4_request"));
}

void sigv4_presign(const struct sigv4 *sigv4, struct text host, struct text path,
		   struct buf *query)
{
	uint8_t hash[HASH_SHA256_BYTES], key[HASH_SHA256_BYTES];
	char time[CLOCK_TEXT_BYTES];
	struct buf text;
	size_t begin = query->size;

	format_time(sigv4->now, time);
	add_query(query, sigv4, time);
	hash_canonical(sigv4->method, host, path,
		       (struct text){ buf_string(query) + begin, query->size - begin }, hash,
		       &query->failed);
	make_key(sigv4, time, key, &query->failed);
	buf_init(&text, CANONICAL_BYTES);
	buf_printf(&text, ALGORITHM "\n%s\n", time);
	add_scope(&text, sigv4, time);
	buf_add_char(&text, '\n');
	add_hex(&text, hash, sizeof(hash));
	chain(key, buf_text(&text));
	query->failed |= text.failed;
	buf_release(&text);
	buf_add_string(query, "&X-Amz-Signature=");
	add_hex(query, key, sizeof(key));
}

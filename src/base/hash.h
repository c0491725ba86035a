/*
 * hash -- SHA-256 for names that last, UUIDs of names, a fast hash for tables that do not,
 * and unguessable bytes.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SHA256_BYTES 32u
#define HASH_UUID_TEXT_BYTES 37u
#define HASH_UUID_BYTES 16u

void hash_sha256(const void *bytes, size_t size, uint8_t out[HASH_SHA256_BYTES]);

/* HMAC-SHA-256: what keeps credentials out of keys and lets them still tell apart. */
void hash_keyed(const void *key, size_t key_size, const void *bytes, size_t size,
		uint8_t out[HASH_SHA256_BYTES]);

/* A version 5 UUID (RFC 4122, section 4.3): the SHA-1 of a name in a namespace. */
void hash_uuid5(const uint8_t space[HASH_UUID_BYTES], const void *name, size_t size,
		uint8_t out[HASH_UUID_BYTES]);

/* For hash tables in memory; seeded afresh in every process, never stored. */
uint64_t hash_fast(const void *bytes, size_t size);

/* From getrandom(2); ends the process if the system has none to give. */
void random_bytes(void *out, size_t size);
/* A version 4 UUID, hyphenated lower case. */
void random_uuid(char out[HASH_UUID_TEXT_BYTES]);

#endif

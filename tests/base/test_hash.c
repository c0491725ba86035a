/* test_hash.c -- known digests, the table hash, random bytes, and the map built on them. */
#include "base/hash.h"

#include <stdio.h>
#include <string.h>

#include "base/debugid.h"
#include "base/map.h"
#include "base/mem.h"
#include "support/support.h"

#define KEYS 100000u

START_TEST(makes_known_digests)
{
	uint8_t digest[HASH_SHA256_BYTES];
	char text[2 * HASH_SHA256_BYTES + 1];

	hash_sha256("abc", 3, digest);                  /* FIPS 180-2, appendix B.1 */
	hex_format(digest, sizeof(digest), text);
	ck_assert_str_eq(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_sha256(NULL, 0, digest);
	hex_format(digest, sizeof(digest), text);
	ck_assert_str_eq(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	hash_keyed("Jefe", 4, "what do ya want for nothing?", 28, digest); /* RFC 4231 §4.3 */
	hex_format(digest, sizeof(digest), text);
	ck_assert_str_eq(text, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	hash_keyed(NULL, 0, NULL, 0, digest);
	hex_format(digest, sizeof(digest), text);
	ck_assert_str_eq(text, "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}
END_TEST

static void assert_digest(const uint8_t digest[HASH_SHA256_BYTES], const char *expected)
{
	char text[2 * HASH_SHA256_BYTES + 1];

	hex_format(digest, HASH_SHA256_BYTES, text);
	ck_assert_str_eq(text, expected);
}

START_TEST(digests_of_many_blocks_and_long_keys)
{
	static uint8_t many[1000000];
	uint8_t key[131], digest[HASH_SHA256_BYTES];
	static const char text[] = "Test Using Larger Than Block-Size Key - Hash Key First";

	memset(many, 'a', sizeof(many));                /* FIPS 180-2, appendix B.3 */
	hash_sha256(many, sizeof(many), digest);
	assert_digest(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	memset(key, 0xaa, sizeof(key));                 /* RFC 4231 section 4.7 */
	hash_keyed(key, sizeof(key), text, strlen(text), digest);
	assert_digest(digest, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
END_TEST

/* Each length up to 300 of the same bytes; the digest of all digests is Python's. */
START_TEST(digests_of_every_length)
{
	static uint8_t digests[301 * HASH_SHA256_BYTES];
	uint8_t bytes[300], all[HASH_SHA256_BYTES];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
	for (size_t size = 0; size <= sizeof(bytes); size++)
		hash_sha256(bytes, size, digests + size * HASH_SHA256_BYTES);
	hash_sha256(digests, sizeof(digests), all);
	assert_digest(all, "7d917fbd2cf49ddff9ad0a8706bba32d204e92e71d2e369c5a03d6af29278c9f");
}
END_TEST

/* RFC 4122, appendix C's namespace of domain names; the UUID is Python's. */
START_TEST(uuids_of_names)
{
	static const uint8_t dns[] = "\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8";
	uint8_t uuid[HASH_UUID_BYTES];
	char text[2 * HASH_UUID_BYTES + 1];

	hash_uuid5(dns, "python.org", 10, uuid);
	hex_format(uuid, sizeof(uuid), text);
	ck_assert_str_eq(text, "886313e13b8a53729b900c9aee199e5d");
}
END_TEST

/* Every length, and every bit of it, tells; nothing beyond the end does. */
START_TEST(the_fast_hash_sees_every_bit)
{
	uint8_t bytes[80] = { 0 };

	for (size_t size = 0; size < 70; size++) {
		uint64_t whole = hash_fast(bytes, size);

		ck_assert_uint_eq(hash_fast(bytes, size), whole);
		ck_assert_uint_ne(hash_fast(bytes, size + 1), whole);
		bytes[size] ^= 0xff;
		ck_assert_uint_eq(hash_fast(bytes, size), whole);
		bytes[size] ^= 0xff;
		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			ck_assert_uint_ne(hash_fast(bytes, size), whole);
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}
END_TEST

/* Low bits choose the slot: a thousand numbered keys in 1024 slots fall as chance would
 * have it (some 384 of the slots stay empty; 300 to 470 is far more than six sigma). */
START_TEST(the_fast_hash_spreads)
{
	bool taken[1024] = { false };
	unsigned empty = 0;

	for (uint32_t i = 0; i < 1000; i++)
		taken[hash_fast(&i, sizeof(i)) % 1024] = true;
	for (size_t i = 0; i < 1024; i++)
		empty += !taken[i];
	ck_assert(empty > 300 && empty < 470);
}
END_TEST

START_TEST(random_bytes_differ)
{
	uint8_t a[32] = { 0 }, b[32] = { 0 };
	char first[HASH_UUID_TEXT_BYTES], second[HASH_UUID_TEXT_BYTES];

	random_bytes(a, sizeof(a));
	random_bytes(b, sizeof(b));
	random_bytes(NULL, 0);
	ck_assert_mem_ne(a, b, sizeof(a));
	for (int i = 0; i < 100; i++) {
		random_uuid(first);
		random_uuid(second);
		ck_assert_str_ne(first, second);
		ck_assert_uint_eq(strlen(first), 36);
		ck_assert_int_eq(first[14], '4');
		ck_assert_ptr_nonnull(strchr("89ab", first[19]));
	}
}
END_TEST

static char keys[KEYS][16];

static struct text key(size_t i)
{
	snprintf(keys[i], sizeof(keys[i]), "key %zu", i);
	return text_of(keys[i]);
}

START_TEST(map_holds_many_and_lets_go)
{
	struct map map;
	struct text name;
	void *value;
	size_t at = 0, seen = 0;

	map_init(&map);
	for (size_t i = 0; i < KEYS; i++)
		ck_assert_int_eq(map_put(&map, key(i), &keys[i]), 0);
	ck_assert_uint_eq(map.count, KEYS);
	for (size_t i = 0; i < KEYS; i += 3)
		ck_assert_ptr_eq(map_remove(&map, key(i)), &keys[i]);
	for (size_t i = 0; i < KEYS; i++)
		ck_assert_ptr_eq(map_get(&map, key(i)), i % 3 ? (void *)&keys[i] : NULL);
	while (map_next(&map, &at, &name, &value)) {
		ck_assert_ptr_eq(name.bytes, value);
		seen++;
	}
	ck_assert_uint_eq(seen, map.count);
	map_release(&map);
	ck_assert_ptr_null(map_get(&map, key(1)));
}
END_TEST

/* Coming and going for ever must not fill the table with tombstones. */
START_TEST(map_stays_small)
{
	struct map map;

	map_init(&map);
	for (size_t i = 0; i < KEYS; i++) {
		ck_assert_int_eq(map_put(&map, key(i), &keys[i]), 0);
		if (i >= 10)
			ck_assert_ptr_eq(map_remove(&map, key(i - 10)), &keys[i - 10]);
	}
	ck_assert_uint_eq(map.count, 10);
	ck_assert_uint_le(map.capacity, 64);
	map_release(&map);
}
END_TEST

START_TEST(map_replaces_and_misses)
{
	struct map map;
	int a, b;

	map_init(&map);
	ck_assert_ptr_null(map_get(&map, TEXT("x")));
	ck_assert_ptr_null(map_remove(&map, TEXT("x")));
	ck_assert_int_eq(map_put(&map, TEXT("x"), &a), 0);
	ck_assert_int_eq(map_put(&map, TEXT("x"), &b), 0);
	ck_assert_int_eq(map_put(&map, TEXT_NONE, &a), 0);
	ck_assert_uint_eq(map.count, 2);
	ck_assert_ptr_eq(map_get(&map, TEXT("x")), &b);
	ck_assert_ptr_eq(map_get(&map, TEXT("")), &a);
	ck_assert_ptr_null(map_get(&map, TEXT("y")));
	ck_assert_ptr_eq(map_remove(&map, TEXT("x")), &b);
	ck_assert_ptr_null(map_remove(&map, TEXT("x")));
	map_release(&map);
}
END_TEST

static int fill_a_map(void *payload, struct err *err)
{
	struct map map;
	int result = 0;

	(void)payload;
	map_init(&map);
	for (size_t i = 0; i < 1000 && result == 0; i++) {
		size_t before = map.count;

		if (map_put(&map, key(i), &keys[i]) < 0) {
			ck_assert_uint_eq(map.count, before);
			ck_assert(i == 0 || map_get(&map, key(i - 1)) == &keys[i - 1]);
			result = err_set(err, ERR_NO_MEMORY, "no");
		}
	}
	map_release(&map);
	return result;
}

START_TEST(map_survives_every_allocation_failure)
{
	support_every_allocation_failure(fill_a_map, NULL, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/hash");
	TCase *tcase = tcase_create("hash and map");

	tcase_add_test(tcase, makes_known_digests);
	tcase_add_test(tcase, digests_of_many_blocks_and_long_keys);
	tcase_add_test(tcase, digests_of_every_length);
	tcase_add_test(tcase, uuids_of_names);
	tcase_add_test(tcase, the_fast_hash_sees_every_bit);
	tcase_add_test(tcase, the_fast_hash_spreads);
	tcase_add_test(tcase, random_bytes_differ);
	tcase_add_test(tcase, map_holds_many_and_lets_go);
	tcase_add_test(tcase, map_stays_small);
	tcase_add_test(tcase, map_replaces_and_misses);
	tcase_add_test(tcase, map_survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

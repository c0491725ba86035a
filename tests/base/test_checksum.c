/* test_checksum.c -- published values, pieces of any size, and files. */
#include "base/checksum.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "support/support.h"

/* XXH64 of short texts, seed 0. */
static const struct { const char *text; uint64_t value; } known[] = {
	{ "", 0xef46db3751d8e999u }, { "a", 0xd24ec4f1a98c6e5bu }, { "abc", 0x44bc2cf5ad770999u },
};

START_TEST(values_are_those_of_the_specification)
{
	const char *text = known[_i].text;

	ck_assert_uint_eq(checksum_of(text, strlen(text)), known[_i].value);
}
END_TEST

START_TEST(pieces_come_to_the_same_as_the_whole)
{
	uint8_t bytes[200];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		for (size_t piece = 1; piece <= 70; piece++) {
			struct checksum checksum;

			checksum_init(&checksum);
			for (size_t at = 0; at < size; at += piece)
				checksum_add(&checksum, bytes + at, size - at < piece ? size - at : piece);
			ck_assert_uint_eq(checksum_value(&checksum), checksum_of(bytes, size));
		}
	}
}
END_TEST

START_TEST(every_bit_and_every_length_tells)
{
	uint8_t bytes[100] = { 0 };

	for (size_t size = 1; size < sizeof(bytes); size++) {
		uint64_t whole = checksum_of(bytes, size);

		ck_assert_uint_ne(checksum_of(bytes, size - 1), whole);
		for (size_t bit = 0; bit < 8 * size; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			ck_assert_uint_ne(checksum_of(bytes, size), whole);
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
}
END_TEST

#define FILE_BYTES 200000

START_TEST(a_file_is_what_was_sealed_or_not)
{
	char path[] = "checksum-XXXXXX";
	int fd = mkstemp(path);
	struct checksum_seal seal = { 0 };
	struct err err = ERR_INIT;
	static char bytes[FILE_BYTES];

	unlink(path);
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 1);       /* nothing was sealed */
	memset(bytes, 'x', sizeof(bytes));
	ck_assert_int_eq(write(fd, bytes, sizeof(bytes)), (ssize_t)sizeof(bytes));
	ck_assert_int_eq(checksum_seal_file(fd, &seal, &err), 0);
	ck_assert_uint_eq(seal.size_bytes, FILE_BYTES);
	ck_assert_uint_eq(seal.value, checksum_of(bytes, sizeof(bytes)));
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 1);
	ck_assert_int_eq(pwrite(fd, "y", 1, FILE_BYTES / 2), 1);
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 0);
	ck_assert_int_eq(pwrite(fd, "x", 1, FILE_BYTES / 2), 1);
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 1);
	ck_assert_int_eq(ftruncate(fd, FILE_BYTES - 1), 0);
	ck_assert_int_eq(checksum_check_file(fd, &seal, &err), 0);
	close(fd);
	ck_assert_int_eq(checksum_seal_file(fd, &seal, &err), -1);
	ck_assert_int_eq(err.kind, ERR_IO);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("base/checksum");
	TCase *tcase = tcase_create("checksum");

	tcase_add_loop_test(tcase, values_are_those_of_the_specification, 0,
			    sizeof(known) / sizeof(known[0]));
	tcase_add_test(tcase, pieces_come_to_the_same_as_the_whole);
	tcase_add_test(tcase, every_bit_and_every_length_tells);
	tcase_add_test(tcase, a_file_is_what_was_sealed_or_not);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

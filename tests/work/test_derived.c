/* test_derived.c -- the table of derived kinds: what holds for every row, and for every operation. */
#include <string.h>

#include "convert/convert.h"
#include "sandbox/sandbox.h"
#include "support/support.h"
#include "work/derived.h"

static bool is_said(const char *word)
{
	return word && word[0] != '\0';
}

static bool is_operation(const char *name)
{
	for (size_t i = 0; i < convert_operation_count; i++)
		if (strcmp(convert_operations[i].name, name) == 0)
			return true;
	return false;
}

static bool is_listed(const struct derived_kind *kind)
{
	for (size_t i = 0; i < derived_kind_count; i++)
		if (derived_kinds[i] == kind)
			return true;
	return false;
}

START_TEST(names_are_unique)
{
	for (size_t i = 0; i < derived_kind_count; i++) {
		ck_assert_msg(is_said(derived_kinds[i]->name), "row %zu has no name", i);
		for (size_t j = 0; j < i; j++) {
			ck_assert_msg(derived_kinds[i] != derived_kinds[j], "row %zu is row %zu again", i, j);
			ck_assert_str_ne(derived_kinds[i]->name, derived_kinds[j]->name);
		}
	}
}
END_TEST

START_TEST(a_cell_makes_each)
{
	for (size_t i = 0; i < derived_kind_count; i++) {
		const struct derived_kind *kind = derived_kinds[i];

		ck_assert_msg(is_said(kind->operation) && is_operation(kind->operation),
			      "%s: no cell does it: %s", kind->name, kind->operation);
		ck_assert_msg(is_said(kind->input), "%s: its cell reads nothing", kind->name);
		ck_assert_msg(is_said(kind->output), "%s: its cell writes nothing", kind->name);
		ck_assert_msg(strcmp(kind->input, kind->output) != 0, "%s: it reads what it writes",
			      kind->name);
	}
}
END_TEST

/* What comes of a crash file is its job's: no row of the cache, nobody else's, told by the reply alone. */
START_TEST(what_is_a_jobs_is_its_jobs_alone)
{
	for (size_t i = 0; i < derived_kind_count; i++) {
		const struct derived_kind *kind = derived_kinds[i];

		ck_assert_msg(kind->from != DERIVED_FROM_BODY || derived_is_of_job(kind),
			      "%s: it is in the cache", kind->name);
		if (derived_is_of_job(kind)) {
			ck_assert_msg(kind->payload, "%s: nothing of its reply is kept", kind->name);
			ck_assert_msg(!kind->may_share, "%s: others are told", kind->name);
			ck_assert_msg(!kind->keeps_object && !kind->is_object, "%s: it keeps an object",
				      kind->name);
		} else {
			ck_assert_msg(kind->cache < CACHE_KINDS, "%s: it is in no cache", kind->name);
			ck_assert_msg(!kind->waits, "%s: no job is there to be asked", kind->name);
		}
	}
}
END_TEST

START_TEST(rows_found_by_what_is_looked_for_are_listed)
{
	static const enum file_type types[] = { FILE_TYPE_UUIDMAP, FILE_TYPE_IL2CPP, FILE_TYPE_BCSYMBOLMAP };
	static const enum source_listing_kind listings[] = {
		SOURCE_LISTING_MODULE, SOURCE_LISTING_LAST_ID, SOURCE_LISTING_INDEX,
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		ck_assert(is_listed(derived_auxiliary_of(types[i])));
		for (size_t j = 0; j < i; j++)
			ck_assert_ptr_ne(derived_auxiliary_of(types[i]), derived_auxiliary_of(types[j]));
	}
	for (size_t i = 0; i < sizeof(listings) / sizeof(listings[0]); i++) {
		ck_assert(is_listed(derived_listing_of(listings[i])));
		for (size_t j = 0; j < i; j++)
			ck_assert_ptr_ne(derived_listing_of(listings[i]), derived_listing_of(listings[j]));
	}
}
END_TEST

START_TEST(operations_have_names_of_their_own)
{
	for (size_t i = 0; i < convert_operation_count; i++) {
		ck_assert(convert_operations[i].run != NULL);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(convert_operations[i].name, convert_operations[j].name);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("derived");
	TCase *tcase = tcase_create("derived");

	tcase_add_test(tcase, names_are_unique);
	tcase_add_test(tcase, a_cell_makes_each);
	tcase_add_test(tcase, what_is_a_jobs_is_its_jobs_alone);
	tcase_add_test(tcase, rows_found_by_what_is_looked_for_are_listed);
	tcase_add_test(tcase, operations_have_names_of_their_own);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

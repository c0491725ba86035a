/*
 * test_repair -- damaged databases put aside, what can be read of them carried over, copies put
 * in their place.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "store/boot.h"
#include "store/damage.h"
#include "store/repair.h"
#include "store/store_internal.h"
#include "store/state.h"
#include "support/support.h"

#define ROWS 3000
#define SAMPLES 3000
#define TEN_ZEROS "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
#define PAGE 4096

/* A state folder with much in it, the same each time, nobody using it. */
static void fill(struct state *state)
{
	char sql[700];

	memset(state, 0, sizeof(*state));
	state_open(state);
	snprintf(sql, sizeof(sql), "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		 "INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, details, boot, "
		 "build_id, made_at, used_at, module) SELECT 'objects', 1, CAST(printf('%%032d', i * 2654435761 %% 4294967296) AS BLOB), zeroblob(32), "
		 "'not_found', 0, printf('it was %%d', i), 1, 'x', i, i, printf('lib%%d.so', i) FROM n", ROWS);
	state_sql(state, sql);
	state_sql(state, "INSERT INTO job (id, kind, state, body_bytes, created_at, deadline_at) VALUES "
		  "('12345678-1234-4234-8234-123456789abc', 'symbolicate', 'queued', 1, 1, 2)");
	/* Of three nodes; the requests say which row it was. */
	snprintf(sql, sizeof(sql), "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		 "INSERT INTO sample SELECT 60, i / 3 * 60, CASE i WHEN %d THEN 'in the middle' ELSE 'node' || (i %% 3) END, "
		 "60, i, " TEN_ZEROS TEN_ZEROS TEN_ZEROS "0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n", SAMPLES, SAMPLES / 2);
	state_sql(state, sql);
	state_close(state);
	state_sql(state, "PRAGMA wal_checkpoint(TRUNCATE)");
}

static struct store_repair repaired(const struct state *state, const char *copy)
{
	struct store_repair repair;
	struct err err = ERR_INIT;

	ck_assert_msg(store_repair(&state->config, copy, &repair, &err) == 0, "%s", err.text);
	return repair;
}

static off_t size_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_size;
}

static void overwrite(const struct state *state, off_t at, size_t size)
{
	int fd = open(state_path(state, "symgate.db"), O_WRONLY);
	char *bytes = mem_get(size);

	memset(bytes, 0xa5, size);
	ck_assert_int_eq((long)pwrite(fd, bytes, size, at), (long)size);
	mem_give_back(bytes);
	close(fd);
}

/* A leaf of the entries themselves, from their middle: details stand in no index, and how pages of
 * rows and of indexes lie between each other is another each time. */
static void overwrite_a_page_with(const struct state *state, const char *row)
{
	size_t size = (size_t)size_of(state_path(state, "symgate.db"));
	char *bytes = mem_get(size), *found;
	int fd = open(state_path(state, "symgate.db"), O_RDONLY);

	ck_assert_int_eq((long)read(fd, bytes, size), (long)size);
	close(fd);
	found = memmem(bytes, size, row, strlen(row));
	ck_assert_ptr_nonnull(found);
	overwrite(state, (found - bytes) / PAGE * PAGE, PAGE);
	mem_give_back(bytes);
}

static int64_t entries(const struct state *state)
{
	return state_ask(state, "SELECT count(*) FROM cache_entry");
}

START_TEST(leaves_a_sound_one_alone)
{
	struct store_repair repair;
	struct state state;
	struct err err = ERR_INIT;

	fill(&state);
	repair = repaired(&state, NULL);
	ck_assert(repair.is_sound);
	ck_assert_str_eq(repair.aside, "");
	ck_assert_str_eq(repair.words, "");
	ck_assert_int_eq(entries(&state), ROWS);
	ck_assert_int_eq(store_examine(&state.config, &repair, &err), 0);
	ck_assert(repair.is_sound);
	state_remove(&state);
}
END_TEST

/* Something in the middle cannot be read: what lies before and behind it is carried over. */
START_TEST(carries_over_what_can_be_read)
{
	struct store_repair repair;
	struct state state;
	struct err err = ERR_INIT;
	struct stat st;

	fill(&state);
	overwrite_a_page_with(&state, "it was 1500");
	ck_assert_int_eq(store_examine(&state.config, &repair, &err), 0);
	ck_assert(!repair.is_sound && repair.words[0]);
	repair = repaired(&state, NULL);
	ck_assert_int_eq(stat(repair.aside, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
	ck_assert_uint_eq(repair.jobs, 1);
	ck_assert_msg(repair.entries > ROWS / 2, "only %llu", (unsigned long long)repair.entries);
	ck_assert_int_eq(entries(&state), (int64_t)repair.entries);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM cache_entry WHERE details <> printf('it was %d', made_at)"), 0);
	ck_assert(repaired(&state, NULL).is_sound);
	state_open(&state);
	ck_assert_int_eq(store_check(state.store, &err), 0);
	state_remove(&state);
}
END_TEST

START_TEST(carries_samples_over)
{
	struct store_repair repair;
	struct state state;

	fill(&state);
	overwrite_a_page_with(&state, "in the middle");
	repair = repaired(&state, NULL);
	ck_assert(repair.aside[0] && !repair.is_sound);
	ck_assert_uint_eq(repair.entries, ROWS);
	ck_assert_msg(repair.samples > SAMPLES / 2 && repair.samples < SAMPLES, "%llu", (unsigned long long)repair.samples);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM sample"), (int64_t)repair.samples);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM sample WHERE node <> 'node' || (requests % 3) "
				   "OR at <> requests / 3 * 60"), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT min(requests) FROM sample"), 1);
	ck_assert_int_eq(state_ask(&state, "SELECT max(requests) FROM sample"), SAMPLES);
	ck_assert(repaired(&state, NULL).is_sound);
	state_remove(&state);
}
END_TEST

static void read_all_entries(const struct state *state, struct err *err)
{
	struct store_value nothing[2] = { store_int(0), store_int(INT64_MAX) };

	ck_assert_int_eq(store_run(state->store, STATEMENT_cache_page, nothing, 2, NULL, NULL, err), -1);
	ck_assert_msg(strstr(err->text, "is damaged") != NULL, "%s", err->text);
}

/* Who reads the bad page knows; everybody else is told, whatever the other pages say, also after
 * a start: until the file is another one, or found sound. */
START_TEST(damage_somebody_met_is_remembered)
{
	struct store_repair repair;
	struct state state;
	struct err err = ERR_INIT;
	char words[STORE_DAMAGE_WORDS];
	char *aside = NULL;

	fill(&state);
	overwrite_a_page_with(&state, "it was 1500");
	state_open(&state);
	ck_assert(!store_damage_is_known(state.config.state_dir, words));
	ck_assert_int_eq(store_check(state.store, &err), 0);
	read_all_entries(&state, &err);
	for (int start = 0; start < 2; start++) {
		err_clear(&err);
		ck_assert(store_damage_is_known(state.config.state_dir, words));
		ck_assert_msg(strlen(words) > 5, "%s", words);
		ck_assert_int_eq(store_check(state.store, &err), -1);
		ck_assert_msg(strstr(err.text, "is damaged") && strstr(err.text, "repair"), "%s", err.text);
		state_close(&state);
		state_open(&state);
	}
	state_close(&state);
	/* Another file in its place is another database. */
	aside = mem_strdup(state_path(&state, "aside"));
	ck_assert_int_eq(rename(state_path(&state, "symgate.db"), aside), 0);
	state_open(&state);
	ck_assert(!store_damage_is_known(state.config.state_dir, words));
	ck_assert_int_eq(store_check(state.store, &err), 0);
	state_close(&state);
	ck_assert_int_eq(rename(aside, state_path(&state, "symgate.db")), 0);
	ck_assert(store_damage_is_known(state.config.state_dir, words));
	repair = repaired(&state, NULL);
	ck_assert(!repair.is_sound);
	ck_assert(!store_damage_is_known(state.config.state_dir, words));
	ck_assert_int_ne(access(state_path(&state, "damage"), F_OK), 0);
	mem_give_back(aside);
	state_remove(&state);
}
END_TEST

/* A note about a file that is sound, or half a note, is none. */
START_TEST(a_wrong_note_goes)
{
	struct store_repair repair;
	struct state state;
	struct err err = ERR_INIT;
	char words[STORE_DAMAGE_WORDS];
	int fd;

	fill(&state);
	store_damage_note(state.config.state_dir, state_path(&state, "symgate.db"), "it was a test");
	ck_assert(store_damage_is_known(state.config.state_dir, words));
	ck_assert_str_eq(words, "it was a test");
	ck_assert_int_eq(store_examine(&state.config, &repair, &err), 0);
	ck_assert(repair.is_sound);
	ck_assert(!store_damage_is_known(state.config.state_dir, words));
	fd = open(state_path(&state, "damage"), O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq((int)write(fd, "1 2", 3), 3);
	close(fd);
	ck_assert(!store_damage_is_known(state.config.state_dir, words));
	state_remove(&state);
}
END_TEST

/* Every page in turn, and the file's end: never a crash, never a loop, always a database that
 * works, and the old one is kept. */
START_TEST(works_whatever_is_damaged)
{
	struct state state;
	struct err err = ERR_INIT;
	off_t size, at = (off_t)_i * 7 * PAGE;

	fill(&state);
	size = size_of(state_path(&state, "symgate.db"));
	if (at < size)
		overwrite(&state, at, _i % 2 ? PAGE : 60);
	else
		ck_assert_int_eq(truncate(state_path(&state, "symgate.db"), size / 3), 0);
	repaired(&state, NULL);
	state_open(&state);
	ck_assert_msg(store_check(state.store, &err) == 0, "%s", err.text);
	state_remove(&state);
}
END_TEST

/* Bytes anywhere: what comes over are rows of the right shape. */
START_TEST(survives_bytes_changed_anywhere)
{
	struct state state;
	struct err err = ERR_INIT;
	off_t size;

	fill(&state);
	size = size_of(state_path(&state, "symgate.db"));
	srand((unsigned)_i);
	for (int i = 0; i < 40; i++)
		overwrite(&state, 100 + rand() % (size - 200), 3);
	repaired(&state, NULL);
	state_open(&state);
	ck_assert_msg(store_check(state.store, &err) == 0, "%s", err.text);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM v_negative"), entries(&state));
	state_remove(&state);
}
END_TEST

START_TEST(puts_a_copy_in_its_place)
{
	struct store_repair repair;
	struct state state;
	struct err err = ERR_INIT;
	char copy[300];

	fill(&state);
	snprintf(copy, sizeof(copy), "%s", state_path(&state, "copy"));
	state_open(&state);
	ck_assert_int_eq(store_backup(state.store, copy, &err), 0);
	state_close(&state);
	state_sql(&state, "DELETE FROM cache_entry WHERE id > 10");
	repair = repaired(&state, copy);
	ck_assert_int_eq(entries(&state), ROWS);
	ck_assert_int_eq(access(repair.aside, F_OK), 0);
	/* Where there is none at all, too. */
	ck_assert_int_eq(unlink(state_path(&state, "symgate.db")), 0);
	unlink(state_path(&state, "symgate.db-wal"));
	unlink(state_path(&state, "symgate.db-shm"));
	ck_assert_int_eq(store_repair(&state.config, NULL, &repair, &err), -1);
	ck_assert(err.kind == ERR_IO && err_is_absent(&err));
	err_clear(&err);
	repaired(&state, copy);
	ck_assert_int_eq(entries(&state), ROWS);
	/* A copy that is none leaves all as it was. */
	write_file(copy, "no database, whatever it says", 29);
	ck_assert_int_eq(store_repair(&state.config, copy, &repair, &err), -1);
	ck_assert_msg(strstr(err.text, "is damaged itself"), "%s", err.text);
	ck_assert_int_eq(entries(&state), ROWS);
	state_remove(&state);
}
END_TEST

START_TEST(refuses_while_a_service_runs)
{
	struct store_repair repair;
	struct store_boot boot;
	struct state state;
	struct err err = ERR_INIT;

	fill(&state);
	state_open(&state);
	ck_assert_int_eq(store_boot_join(state.store, &boot, &err), 0);
	ck_assert_int_eq(store_repair(&state.config, NULL, &repair, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert_msg(strstr(err.text, "stop it first"), "%s", err.text);
	ck_assert_int_eq(store_examine(&state.config, &repair, &err), 0);
	ck_assert(repair.is_sound);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repair");
	TCase *tcase = tcase_create("repair");

	tcase_add_test(tcase, leaves_a_sound_one_alone);
	tcase_add_test(tcase, carries_over_what_can_be_read);
	tcase_add_test(tcase, carries_samples_over);
	tcase_add_test(tcase, damage_somebody_met_is_remembered);
	tcase_add_test(tcase, a_wrong_note_goes);
	tcase_add_loop_test(tcase, works_whatever_is_damaged, 0, 24);
	tcase_add_loop_test(tcase, survives_bytes_changed_anywhere, 0, 12);
	tcase_add_test(tcase, puts_a_copy_in_its_place);
	tcase_add_test(tcase, refuses_while_a_service_runs);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

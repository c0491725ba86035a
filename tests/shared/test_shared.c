/* test_shared -- names, limits and places of the shared cache; a folder that is full of traps. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cache/bench.h"
#include "shared/shared_internal.h"
#include "support/support.h"

#define REST "source: foo\nlocation: file://bar.baz\n"
/* SHA-256 of "scope: global\n\n" REST. */
#define REST_PATH "f5/e0/8b92a55c1357413b5e36547a8b534a014c3a00299e7622e4c4b022a96541"

struct told { bool done, is_hit; };

static void take(void *payload, bool is_hit)
{
	*(struct told *)payload = (struct told){ true, is_hit };
}

#define ASIDES_MOST 4u

struct place {
	struct bench bench;
	bool is_slow;                /* what is aside stays there until it is let go */
	struct shared_aside *asides[ASIDES_MOST];
	unsigned aside_count;
	struct fetcher *fetcher;
	struct shared *shared;
	char folder[320];
};

static void do_aside(struct place *place, struct shared_aside *aside)
{
	struct err err = ERR_INIT;
	int rc = aside->run(aside, place->bench.state.store, &err);

	aside->told(aside, rc, &err);
}

static int take_aside(void *payload, struct shared_aside *aside, struct err *err)
{
	struct place *place = payload;

	(void)err;
	if (!place->is_slow) {
		do_aside(place, aside);
		return 0;
	}
	ck_assert_uint_lt(place->aside_count, ASIDES_MOST);
	place->asides[place->aside_count++] = aside;
	return 0;
}

static void let_asides_go(struct place *place)
{
	for (unsigned i = 0; i < place->aside_count; i++)
		do_aside(place, place->asides[i]);
	place->aside_count = 0;
}

static void open_place(struct place *place, uint64_t max_uploads, uint64_t max_queued)
{
	struct err err = ERR_INIT;
	struct shared_means means;

	place->is_slow = false;
	place->aside_count = 0;
	bench_open(&place->bench);
	snprintf(place->folder, sizeof(place->folder), "%s/shared", place->bench.state.folder);
	place->bench.state.config.shared.folder = place->folder;
	place->bench.state.config.shared.max_uploads = max_uploads;
	place->bench.state.config.shared.max_queued = max_queued;
	ck_assert_msg(fetcher_open(&place->fetcher, &place->bench.state.config, &err) == 0, "%s",
		      err.text);
	means = (struct shared_means){
		.config = &place->bench.state.config, .board = place->bench.state.board,
		.fetcher = place->fetcher, .cache = place->bench.cache,
		.store = place->bench.state.store, .uploads = true,
		.aside = take_aside, .aside_payload = place,
	};
	ck_assert_msg(shared_open(&place->shared, &means, &err) == 0, "%s", err.text);
	ck_assert_ptr_nonnull(place->shared);
}

static void close_place(struct place *place)
{
	shared_close(place->shared);
	fetcher_close(place->fetcher);
	bench_remove(&place->bench);
}

static uint64_t lookups(const struct place *place, enum shared_lookup outcome)
{
	return board_counter(place->bench.state.board, &shared_lookups, (unsigned)outcome);
}

static uint64_t uploads(const struct place *place, enum shared_reason reason, enum shared_result result)
{
	return board_counter(place->bench.state.board, &shared_uploads,
			     (unsigned)reason * SHARED_RESULTS + (unsigned)result);
}

/* What asking for it brings: the payload, "miss", or "no" when it is not even asked. */
static const char *ask(struct place *place, const struct cache_key *key, uint64_t most)
{
	static char text[64];
	struct told told = { 0 };
	struct shared_ask *one;
	int fd = memfd_create("asked", MFD_CLOEXEC);
	ssize_t size;

	if (!shared_ask(place->shared, key, fd, most, take, &told, &one)) {
		close(fd);
		return "no";
	}
	while (!told.done)
		shared_step(place->shared);
	size = pread(fd, text, sizeof(text) - 1, 0);
	ck_assert_int_ge(size, 0);
	text[size] = '\0';
	close(fd);
	return told.is_hit ? text : "miss";
}

static void step_to_the_end(struct place *place)
{
	while (shared_step(place->shared))
		;
	ck_assert(shared_is_idle(place->shared));
}

static const char *path_of(const struct place *place, const struct cache_key *key)
{
	static char path[512];
	char name[SHARED_NAME_BYTES];

	shared_name(key, name);
	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	return path;
}

START_TEST(names_are_those_of_the_specification)
{
	struct bench bench;
	struct cache_key key;
	char name[SHARED_NAME_BYTES], expected[SHARED_NAME_BYTES];

	bench_open(&bench);
	for (int kind = 0; kind < CACHE_KINDS; kind++) {
		key = bench_key(&bench, (enum cache_kind)kind, NULL, REST);
		shared_name(&key, name);
		snprintf(expected, sizeof(expected), "%s/v%d/" REST_PATH,
			 cache_kind_name((enum cache_kind)kind),
			 (int)cache_kind_version((enum cache_kind)kind));
		ck_assert_str_eq(name, expected);
	}
	bench_remove(&bench);
}
END_TEST

START_TEST(what_is_offered_can_be_asked_for)
{
	struct place place;
	struct cache_key blob, small, other;
	struct stat st;

	open_place(&place, 20, 400);
	ck_assert_int_eq(mkdir(place.folder, 0700), 0);
	ck_assert_int_eq(chmod(place.folder, 0750), 0);
	blob = bench_key(&place.bench, CACHE_SYMCACHES, NULL, REST);
	small = bench_key(&place.bench, CACHE_OBJECT_META, "mine", REST);
	other = bench_key(&place.bench, CACHE_OBJECT_META, NULL, REST);
	bench_put(&place.bench, &blob, "a blob");
	bench_put_small(&place.bench, &small, "{}");
	ck_assert_str_eq(ask(&place, &blob, 100), "no");
	shared_offer(place.shared, &blob, SHARED_NEW);
	shared_offer(place.shared, &small, SHARED_REFRESH);
	shared_offer(place.shared, &blob, SHARED_NEW);
	shared_offer(place.shared, &other, SHARED_NEW);
	step_to_the_end(&place);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_STORED), 1);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_EXISTS), 1);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_DROPPED), 1);
	ck_assert_uint_eq(uploads(&place, SHARED_REFRESH, SHARED_STORED), 1);
	ck_assert_uint_eq(board_counter(place.bench.state.board, &shared_stored_bytes, 0), 8);
	ck_assert_str_eq(ask(&place, &blob, 100), "a blob");
	ck_assert_str_eq(ask(&place, &small, 2), "{}");
	ck_assert_str_eq(ask(&place, &other, 100), "no");
	ck_assert_uint_eq(lookups(&place, SHARED_MISS), 2);
	ck_assert_int_eq(stat(path_of(&place, &blob), &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0440);
	close_place(&place);
}
END_TEST

/* What rotted here is not told to others; a kind that is mapped, and one that never is. */
START_TEST(damaged_entries_are_not_shared)
{
	static const enum cache_kind kinds[] = { CACHE_SYMCACHES, CACHE_OBJECTS };
	struct place place;
	struct cache_key key;
	const char *blob;
	int fd;

	open_place(&place, 20, 400);
	ck_assert_int_eq(mkdir(place.folder, 0700), 0);
	key = bench_key(&place.bench, kinds[_i], NULL, REST);
	bench_put(&place.bench, &key, "a blob");
	blob = bench_blob(&place.bench, &key);
	ck_assert_int_eq(chmod(blob, 0600), 0);
	fd = open(blob, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq((int)pwrite(fd, "A", 1, 2), 1);
	close(fd);
	shared_offer(place.shared, &key, SHARED_NEW);
	step_to_the_end(&place);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_STORED), 0);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_DROPPED), 1);
	ck_assert_str_eq(bench_find(&place.bench, &key), "absent");
	close_place(&place);
}
END_TEST

static int refuse_aside(void *payload, struct shared_aside *aside, struct err *err)
{
	(void)payload, (void)aside;
	return err_set(err, ERR_NO_MEMORY, "no room");
}

/* While an entry is opened and summed elsewhere, or its copy synced, nothing waits for it: others are asked for, and
 * whoever steps may sleep. */
START_TEST(nobody_waits_for_disks)
{
	struct cache_key large, other;
	struct place place;

	open_place(&place, 20, 400);
	other = bench_key(&place.bench, CACHE_OBJECT_META, "mine", REST);
	large = bench_key(&place.bench, CACHE_OBJECTS, NULL, REST);
	bench_put_small(&place.bench, &other, "{}");
	bench_put(&place.bench, &large, "a blob");
	shared_offer(place.shared, &other, SHARED_NEW);
	step_to_the_end(&place);
	place.is_slow = true;
	shared_offer(place.shared, &large, SHARED_NEW);
	ck_assert(!shared_step(place.shared));       /* nothing more to do now */
	ck_assert(!shared_step(place.shared));
	ck_assert_uint_eq(place.aside_count, 1);
	ck_assert(!shared_is_idle(place.shared));
	ck_assert_str_eq(ask(&place, &other, 100), "{}");
	ck_assert_str_eq(ask(&place, &large, 100), "no");
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_STORED), 1);
	let_asides_go(&place);
	while (shared_step(place.shared))
		;
	ck_assert_uint_eq(place.aside_count, 1);     /* it is copied, and to be synced and named */
	ck_assert_str_eq(ask(&place, &other, 100), "{}");
	ck_assert_str_eq(ask(&place, &large, 100), "no");
	let_asides_go(&place);
	step_to_the_end(&place);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_STORED), 2);
	ck_assert_str_eq(ask(&place, &large, 100), "a blob");
	close_place(&place);
}
END_TEST

START_TEST(what_cannot_be_summed_is_not_shared)
{
	struct place place;
	struct cache_key key;

	open_place(&place, 20, 400);
	key = bench_key(&place.bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&place.bench, &key, "a blob");
	place.shared->means.aside = refuse_aside;
	shared_offer(place.shared, &key, SHARED_NEW);
	step_to_the_end(&place);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_FAILED), 1);
	close_place(&place);
}
END_TEST

START_TEST(a_full_queue_drops)
{
	struct place place;
	struct cache_key key;

	open_place(&place, 1, 3);
	key = bench_key(&place.bench, CACHE_SYMCACHES, NULL, REST);
	for (int i = 0; i < 5; i++)
		shared_offer(place.shared, &key, SHARED_NEW);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_DROPPED), 2);
	ck_assert(!shared_is_idle(place.shared));
	step_to_the_end(&place);             /* the entry is not there */
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_DROPPED), 5);
	for (int i = 0; i < 2; i++)
		shared_offer(place.shared, &key, SHARED_REFRESH);
	close_place(&place);
}
END_TEST

/* As `ask`, without waiting: what lies there is no entry. */
START_TEST(traps_in_the_folder)
{
	struct place place;
	struct cache_key key;
	const char *path;

	open_place(&place, 20, 400);
	key = bench_key(&place.bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&place.bench, &key, "a blob");
	shared_offer(place.shared, &key, SHARED_NEW);
	step_to_the_end(&place);
	path = path_of(&place, &key);
	ck_assert_str_eq(ask(&place, &key, 5), "no");            /* too large */
	ck_assert_str_eq(ask(&place, &key, 6), "a blob");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_str_eq(ask(&place, &key, 100), "no");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_str_eq(ask(&place, &key, 100), "no");
	ck_assert_uint_eq(lookups(&place, SHARED_ERROR), 3);
	ck_assert_uint_eq(lookups(&place, SHARED_BLOCKED), 0);
	/* Nor is one of them replaced. */
	shared_offer(place.shared, &key, SHARED_NEW);
	step_to_the_end(&place);
	ck_assert_uint_eq(uploads(&place, SHARED_NEW, SHARED_EXISTS), 1);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_str_eq(ask(&place, &key, 100), "no");
	ck_assert_str_eq(ask(&place, &key, 100), "no");
	ck_assert_uint_eq(lookups(&place, SHARED_BLOCKED), 1);
	close_place(&place);
}
END_TEST

START_TEST(an_ask_may_be_given_up)
{
	struct place place;
	struct cache_key key;
	struct shared_ask *one, *two;
	struct told told = { 0 };
	int fd = memfd_create("asked", MFD_CLOEXEC);

	open_place(&place, 20, 400);
	key = bench_key(&place.bench, CACHE_SYMCACHES, NULL, REST);
	bench_put(&place.bench, &key, "a blob");
	shared_offer(place.shared, &key, SHARED_NEW);
	step_to_the_end(&place);
	ck_assert(shared_ask(place.shared, &key, fd, 100, take, &told, &one));
	ck_assert(shared_ask(place.shared, &key, fd, 100, take, &told, &two));
	shared_ask_cancel(one);
	shared_ask_cancel(NULL);
	close_place(&place);                 /* with one under way */
	ck_assert(!told.done);
	close(fd);
}
END_TEST

START_TEST(first_come_first_kept)
{
	struct err err = ERR_INIT;
	char folder[] = "shared-test-XXXXXX", one[PATH_MAX], two[PATH_MAX];
	int fd_one, fd_two;
	struct file_map map;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_msg(folder_temporary(folder, one, &fd_one, &err) == 0, "%s", err.text);
	ck_assert_msg(folder_temporary(folder, two, &fd_two, &err) == 0, "%s", err.text);
	ck_assert_int_eq(file_write_all(fd_one, "1", 1, &err), 0);
	ck_assert_int_eq(file_write_all(fd_two, "2", 1, &err), 0);
	ck_assert_msg(folder_publish(folder, fd_two, two, "a/b/c", &err) == 0, "%s", err.text);
	ck_assert_int_eq(folder_publish(folder, fd_one, one, "a/b/c", &err), -1);
	ck_assert_int_eq(err.kind, ERR_BUSY);
	ck_assert(access(one, F_OK) < 0 && access(two, F_OK) < 0);
	map = support_read(support_printf("%s/a/b/c", folder));
	ck_assert_uint_eq(map.size, 1);
	ck_assert_uint_eq(map.bytes[0], '2');
	close(fd_one);
	close(fd_two);
	ck_assert_int_eq(system(support_printf("rm -rf %s", folder)), 0);
}
END_TEST

START_TEST(the_breaker_opens_and_closes)
{
	struct shared_breaker breaker = { 0 };
	int64_t now = 1000, pause = 5000;

	for (int i = 0; i < 2; i++)
		ck_assert(!shared_breaker_note(&breaker, false, true, now));
	ck_assert(!shared_breaker_note(&breaker, false, false, now));    /* a success between */
	for (int i = 0; i < 2; i++)
		ck_assert(!shared_breaker_note(&breaker, false, true, now));
	ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_ASK);
	ck_assert(shared_breaker_note(&breaker, false, true, now));
	/* Those that were on their way change nothing any more. */
	ck_assert(!shared_breaker_note(&breaker, false, true, now));
	ck_assert(!shared_breaker_note(&breaker, false, false, now));
	for (int i = 0; i < 10; i++) {
		ck_assert_int_eq(breaker.pause_millis, pause);
		ck_assert_int_eq(shared_breaker_ask(&breaker, now + pause - 1), BREAKER_LEAVE);
		now += pause;
		ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_PROBE);
		ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_LEAVE);
		shared_breaker_forget(&breaker, true);
		ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_PROBE);
		ck_assert(!shared_breaker_note(&breaker, true, true, now));
		pause = pause < 150000 ? 2 * pause : 300000;
	}
	now += pause;
	ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_PROBE);
	ck_assert(shared_breaker_note(&breaker, true, false, now));
	ck_assert_int_eq(shared_breaker_ask(&breaker, now), BREAKER_ASK);
}
END_TEST

static const struct {
	const char *what, *account;          /* what lies in the key file; NULL: none is named */
	struct config_shared shared;
	const char *words, *name;            /* of the refusal; or of the place */
} places[] = {
	{ "a folder", NULL, { .folder = "/x" }, NULL, "/x" },
	{ "S3", NULL, { .s3 = { "b", "p", "eu-west-1", NULL, NULL, "k", "s", NULL } }, NULL, "s3://b/p" },
	{ "S3 of somebody else", NULL,
	  { .s3 = { "b", NULL, "r", "http://h:9", "container", NULL, NULL, NULL } }, NULL, "s3://b" },
	{ "S3 with a strange provider", NULL, { .s3 = { "b", NULL, "r", NULL, "x", NULL, NULL, NULL } },
	  "shared_cache.s3.aws_credentials_provider: unknown provider `x`", NULL },
	{ "an account", "{\"private_key\":\"k\",\"client_email\":\"e\"}", { .gcs = { .bucket = "b" } },
	  NULL, "gs://b" },
	{ "a person", "{\"refresh_token\":\"t\",\"client_id\":\"i\",\"client_secret\":\"s\"}",
	  { .gcs = { .bucket = "b", .prefix = "p/q" } }, NULL, "gs://b/p/q" },
	{ "half a person", "{\"refresh_token\":\"t\",\"client_id\":\"i\"}", { .gcs = { .bucket = "b" } },
	  "shared_cache.gcs: missing member `client_secret`", NULL },
	{ "half an account", "{\"private_key\":\"k\"}", { .gcs = { .bucket = "b" } },
	  "neither `private_key` and `client_email`", NULL },
	{ "no JSON", "nonsense", { .gcs = { .bucket = "b" } }, "neither `private_key`", NULL },
	{ "the machine", NULL, { .gcs = { .bucket = "b" } }, NULL, "gs://b" },
	{ "nowhere", NULL, { .folder = NULL }, NULL, NULL },
};

START_TEST(places_make_sense_or_are_refused)
{
	struct config config = { .shared = places[_i].shared };
	char path[] = "account-XXXXXX";
	struct err err = ERR_INIT;
	struct buf name;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	setenv("HOME", "/nowhere", 1);
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	if (places[_i].account) {
		ck_assert_int_eq(file_write_all(fd, places[_i].account, strlen(places[_i].account),
						&err), 0);
		setenv("GOOGLE_APPLICATION_CREDENTIALS", path, 1);
	}
	ck_assert_msg(shared_check(&config, &err) == (places[_i].words ? -1 : 0), "%s: %s",
		      places[_i].what, err.text);
	if (places[_i].words)
		ck_assert_msg(strstr(err.text, places[_i].words) != NULL, "%s", err.text);
	buf_init(&name, 1000);
	if (places[_i].name) {
		shared_name_place(&config, &name);
		ck_assert_str_eq(buf_string(&name), places[_i].name);
	}
	buf_release(&name);
	close(fd);
	unlink(path);
}
END_TEST

static int open_and_ask(void *payload, struct err *err)
{
	struct place *place = payload;
	struct shared_means means = place->shared->means;
	struct shared *shared;
	struct shared_ask *asked;
	struct told told = { 0 };
	struct cache_key key = { .kind = CACHE_SYMCACHES, .module = TEXT("") };
	int fd;

	if (shared_open(&shared, &means, err) < 0)
		return -1;
	fd = memfd_create("asked", MFD_CLOEXEC);
	shared_offer(shared, &key, SHARED_NEW);
	if (shared_ask(shared, &key, fd, 100, take, &told, &asked))
		while (!told.done)
			shared_step(shared);
	while (shared_step(shared))
		;
	shared_close(shared);
	close(fd);
	return 0;
}

START_TEST(survives_every_allocation_failure)
{
	struct place place;

	open_place(&place, 2, 2);
	support_every_allocation_failure(open_and_ask, &place, 100);
	close_place(&place);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shared");
	TCase *tcase = tcase_create("shared");

	tcase_add_test(tcase, names_are_those_of_the_specification);
	tcase_add_test(tcase, what_is_offered_can_be_asked_for);
	tcase_add_loop_test(tcase, damaged_entries_are_not_shared, 0, 2);
	tcase_add_test(tcase, nobody_waits_for_disks);
	tcase_add_test(tcase, what_cannot_be_summed_is_not_shared);
	tcase_add_test(tcase, a_full_queue_drops);
	tcase_add_test(tcase, traps_in_the_folder);
	tcase_add_test(tcase, an_ask_may_be_given_up);
	tcase_add_test(tcase, first_come_first_kept);
	tcase_add_test(tcase, the_breaker_opens_and_closes);
	tcase_add_loop_test(tcase, places_make_sense_or_are_refused, 0,
			    (int)(sizeof(places) / sizeof(places[0])));
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

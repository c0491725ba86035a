/*
 * test_board -- one mapped file for several processes: wakes, counters that outlive their
 * writer, gauges that do not, and what /metrics prints.
 */
#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "board/board.h"
#include "board/counters.h"
#include "config/config.h"
#include "supervisor/supervisor.h"
#include "support/support.h"

static char state_dir[64];
static struct config config;

static void make_state(void)
{
	snprintf(state_dir, sizeof(state_dir), "/tmp/symgate-board-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(state_dir));
	memset(&config, 0, sizeof(config));
	config.state_dir = state_dir;
}

static void remove_state(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", state_dir);
	ck_assert_int_eq(system(command), 0);
}

enum { RED, GREEN, COLOURS };
enum { SMALL, MIDDLE, LARGE, SIZES };

/* All sizes but a middle green. */
static bool describe_ball(unsigned index, struct text values[COUNTER_LABELS])
{
	static const char *const colours[COLOURS] = { "red", "green" };
	static const char *const sizes[SIZES] = { "small", "middle", "large" };

	values[0] = text_of(colours[index / SIZES]);
	values[1] = text_of(sizes[index % SIZES]);
	return index != GREEN * SIZES + MIDDLE;
}

static bool describe_size(unsigned index, struct text values[COUNTER_LABELS])
{
	bool is_used = describe_ball(index, values);

	values[0] = values[1];
	return is_used;
}

static struct counter_set balls = { .name = "symgate_balls_total", .help = "Balls.",
	.labels = { "colour", "size" }, .count = COLOURS * SIZES, .describe = describe_ball };
static struct counter_set rolls = { .name = "symgate_rolls_total", .help = "Rolls.", .count = 1 };
static struct counter_set cubes = { .name = "symgate_cubes_total", .help = "Cubes.",
	.labels = { "size" }, .count = SIZES, .describe = describe_size };
static struct counter_set heaps = { .name = "symgate_heaps", .help = "Heaps now.",
	.kind = COUNTER_GAUGE, .count = 1 };
static struct counter_set piles = { .name = "symgate_piles", .help = "Piles now.",
	.kind = COUNTER_GAUGE, .count = 1 };
static struct counter_set times = { .name = "symgate_roll_duration_seconds", .help = "How long it rolls.",
	.kind = COUNTER_DURATIONS, .count = COUNTER_DURATIONS_COUNT };
static struct counter_set *const round_counters[] = { &balls, &piles, &times, &rolls, NULL };
static struct counter_set *const square_counters[] = { &cubes, &heaps, NULL };
static struct counter_set *const *const all_counters[] = { round_counters, square_counters, NULL };
static struct counter_set *const *const few_counters[] = { square_counters, NULL };

static void set_up(void)
{
	make_state();
	board_register_counters(all_counters);
}

static struct board *open_board(void)
{
	struct err err = ERR_INIT;
	struct board *board;

	ck_assert_msg(board_open(&board, &config, &err) == 0, "%s", err.text);
	return board;
}

static const char *only_board_path(void)
{
	static char path[256];
	DIR *folder = opendir(state_dir);
	struct dirent *entry;

	path[0] = '\0';
	ck_assert_ptr_nonnull(folder);
	while ((entry = readdir(folder)) != NULL) {
		if (strncmp(entry->d_name, "board-", 6) != 0)
			continue;
		ck_assert_msg(!path[0], "there is more than one board");
		snprintf(path, sizeof(path), "%s/%.100s", state_dir, entry->d_name);
	}
	closedir(folder);
	ck_assert_msg(path[0], "there is no board");
	return path;
}

START_TEST(two_processes_wake_each_other)
{
	struct board *board = open_board();
	uint32_t new_seen = board_read(board, BOARD_JOBS_NEW);
	uint32_t done_seen = board_read(board, BOARD_JOBS_DONE);
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct board *own = open_board();       /* a mapping of its own */

		while (board_read(own, BOARD_JOBS_NEW) == new_seen)
			board_wait(own, BOARD_JOBS_NEW, new_seen, 1000);
		board_bump(own, BOARD_JOBS_DONE);
		_exit(0);
	}
	board_bump(board, BOARD_JOBS_NEW);
	while (board_read(board, BOARD_JOBS_DONE) == done_seen)
		board_wait(board, BOARD_JOBS_DONE, done_seen, 1000);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	board_close(board);
}
END_TEST

/* The wake must come from the other process's bump, not from the bound. */
START_TEST(a_wake_is_prompt)
{
	enum { TIMES = 20, BOUND_MILLIS = 1000 };
	struct board *board = open_board();
	int asks[2];
	int late = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(asks), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		char word;

		for (int i = 0; i < TIMES && read(asks[0], &word, 1) == 1; i++) {
			usleep(20000);
			board_bump(board, BOARD_STOP);
		}
		_exit(0);
	}
	for (uint32_t seen = 0; seen < TIMES; seen++) {
		int64_t start = clock_monotonic_millis();

		ck_assert_int_eq((int)write(asks[1], "x", 1), 1);
		while (board_read(board, BOARD_STOP) <= seen)
			board_wait(board, BOARD_STOP, seen, BOUND_MILLIS);
		late += clock_monotonic_millis() - start >= BOUND_MILLIS;
	}
	/* Without a wake all would be; on a busy machine some are. */
	ck_assert_int_lt(late, TIMES / 2);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(asks[0]);
	close(asks[1]);
	board_close(board);
}
END_TEST

START_TEST(a_wait_is_bounded)
{
	struct board *board = open_board();
	int64_t start = clock_monotonic_millis(), shortest = INT64_MAX;

	board_wait(board, BOARD_JOBS_NEW, board_read(board, BOARD_JOBS_NEW), 3600000);
	ck_assert_int_ge(clock_monotonic_millis() - start, 900);
	ck_assert_int_le(clock_monotonic_millis() - start, support_stretched(20000));
	for (int i = 0; i < 5; i++) {
		start = clock_monotonic_millis();
		board_wait(board, BOARD_JOBS_NEW, board_read(board, BOARD_JOBS_NEW) - 1, 1000);
		if (clock_monotonic_millis() - start < shortest)
			shortest = clock_monotonic_millis() - start;
	}
	ck_assert_msg(shortest < 500, "waited for what was already so");
	board_close(board);
}
END_TEST

START_TEST(generations_are_shared_and_wake)
{
	struct board *board = open_board(), *other = open_board();
	uint8_t hash[32] = { 1, 2, 3 }, another[32] = { 7, 7, 7 };
	uint32_t changed = board_read(other, BOARD_CACHE_CHANGED);

	board_generation_bump(board, hash);
	ck_assert_uint_eq(board_generation(other, hash), 1);
	ck_assert_uint_eq(board_generation(other, another), 0);
	ck_assert_uint_ne(board_read(other, BOARD_CACHE_CHANGED), changed);
	board_job_generation_bump(board, "3b3a4a1e-0000-4000-8000-000000000001");
	ck_assert_uint_eq(board_job_generation(other, "3b3a4a1e-0000-4000-8000-000000000001"), 1);
	ck_assert_uint_eq(board_job_generation(other, "3b3a4a1e-0000-4000-8000-000000000002"), 0);
	board_close(other);
	board_close(board);
}
END_TEST

START_TEST(counters_survive_kill)
{
	struct board *board = open_board();
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct board *own = open_board();

		board_count(own, &rolls, 0, 5);
		board_gauge_set(own, &heaps, 3);
		board_bump(own, BOARD_JOBS_NEW);
		for (;;)
			pause();
	}
	while (board_read(board, BOARD_JOBS_NEW) == 0)
		board_wait(board, BOARD_JOBS_NEW, 0, 1000);
	board_gauge_set(board, &heaps, 4);
	ck_assert_int_eq(board_gauge(board, &heaps), 7);

	kill(pid, SIGKILL);
	/* Dead but not yet waited for: a zombie carries no jobs either. */
	for (int i = 0; i < 60000 && board_gauge(board, &heaps) != 4; i++)
		usleep(1000);
	ck_assert_int_eq(board_gauge(board, &heaps), 4);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(board_gauge(board, &heaps), 4);
	board_close(board);

	board = open_board();
	ck_assert_uint_eq(board_counter(board, &rolls, 0), 5);
	ck_assert_msg(board_gauge(board, &heaps) == 0,
		      "closing the board gives the slot back");
	board_close(board);
}
END_TEST

/* More processes than slots come and go: the slots of the dead are used again. */
START_TEST(slots_of_the_dead_are_used_again)
{
	struct board *board = open_board();

	for (int i = 0; i < 1500; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			board_gauge_set(board, &piles, 1);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	board_gauge_set(board, &piles, 2);
	ck_assert_int_eq(board_gauge(board, &piles), 2);
	board_close(board);
}
END_TEST

static void *set_many(void *payload)
{
	for (int i = 0; i < 1000; i++)
		board_gauge_set(payload, &heaps, 1);
	return NULL;
}

START_TEST(threads_share_one_slot)
{
	struct board *board = open_board();
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, set_many, board), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	ck_assert_int_eq(board_gauge(board, &heaps), 1);
	board_close(board);
}
END_TEST

/* Two that start at once end up on one board. */
START_TEST(many_starters_agree)
{
	pid_t pids[8];
	struct board *board;

	for (int i = 0; i < 8; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct board *own = open_board();

			board_count(own, &cubes, LARGE, 1);
			_exit(0);
		}
	}
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(waitpid(pids[i], NULL, 0), pids[i]);
	board = open_board();
	ck_assert_uint_eq(board_counter(board, &cubes, LARGE), 8);
	only_board_path();
	board_close(board);
}
END_TEST

START_TEST(touches_are_handed_over_once)
{
	struct board *board = open_board();
	int64_t ids[8];

	ck_assert_uint_eq(board_touched(board, ids, 8), 0);
	board_touch(board, 11);
	board_touch(board, 12);
	board_touch(board, 13);
	ck_assert_uint_eq(board_touched(board, ids, 2), 2);
	ck_assert_int_eq(ids[0], 11);
	ck_assert_int_eq(ids[1], 12);
	ck_assert_uint_eq(board_touched(board, ids, 8), 1);
	ck_assert_int_eq(ids[0], 13);
	ck_assert_uint_eq(board_touched(board, ids, 8), 0);
	for (int i = 1; i <= 100000; i++)
		board_touch(board, i);
	ck_assert_uint_eq(board_touched(board, ids, 8), 8);
	ck_assert_uint_eq(board_shared(board, ids, 8), 0);
	board_share(board, 21);
	ck_assert_uint_eq(board_shared(board, ids, 8), 1);
	ck_assert_int_eq(ids[0], 21);
	ck_assert_uint_eq(board_shared(board, ids, 8), 0);
	board_close(board);
}
END_TEST

START_TEST(refuses_what_is_no_board)
{
	struct err err = ERR_INIT;
	struct board *board = open_board();
	const char *path = only_board_path();
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	board_close(board);

	ck_assert_int_eq(truncate(path, 100), 0);
	ck_assert_int_eq(board_open(&board, &config, &err), -1);
	ck_assert_ptr_null(board);
	ck_assert_msg(strstr(err.text, "is damaged (100 bytes"), "%s", err.text);

	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(truncate(path, st.st_size), 0);
	ck_assert_int_eq(board_open(&board, &config, &err), -1);
	ck_assert_msg(strstr(err.text, "is not a board"), "%s", err.text);

	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	ck_assert_int_eq(board_open(&board, &config, &err), -1);
	ck_assert_msg(strstr(err.text, "opening "), "%s", err.text);

	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(board_open(&board, &config, &err), -1);
}
END_TEST

/* A file system without shared writable mappings: words, not a crash. */
START_TEST(refuses_a_folder_it_cannot_use)
{
	struct err err = ERR_INIT;
	struct board *board;

	config.state_dir = "/proc/self";
	ck_assert_int_eq(board_open(&board, &config, &err), -1);
	ck_assert_msg(strstr(err.text, "/proc/self"), "%s", err.text);
	ck_assert_ptr_null(board);
}
END_TEST

START_TEST(boards_of_another_boot_go)
{
	char old[128], mine[128];

	snprintf(old, sizeof(old), "%s/board-01234567-11111111-2222-3333-4444-555555555555",
		 state_dir);
	snprintf(mine, sizeof(mine), "%s/board-notes.txt", state_dir);
	ck_assert_int_ge(creat(old, 0600), 0);
	ck_assert_int_ge(creat(mine, 0600), 0);
	board_close(open_board());
	ck_assert_int_eq(access(old, F_OK), -1);
	ck_assert_int_eq(access(mine, F_OK), 0);
}
END_TEST

static int open_and_close(void *payload, struct err *err)
{
	struct board *board;

	(void)payload;
	if (board_open(&board, &config, err) < 0)
		return -1;
	board_gauge_set(board, &piles, 1);
	board_close(board);
	return 0;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(open_and_close, NULL, 100);
}
END_TEST

static const struct {
	const char *what;
	struct counter_set *set;
	unsigned index;
	const char *line;
} lines[] = {
	{ "first of all", &balls, RED * SIZES + SMALL,
	  "\nsymgate_balls_total{colour=\"red\",size=\"small\"} 7\n" },
	{ "last of a set", &balls, GREEN * SIZES + LARGE,
	  "\nsymgate_balls_total{colour=\"green\",size=\"large\"} 7\n" },
	{ "no labels", &rolls, 0, "\nsymgate_rolls_total 7\n" },
	{ "one label", &cubes, MIDDLE, "\nsymgate_cubes_total{size=\"middle\"} 7\n" },
	{ "last of all", &cubes, LARGE, "\nsymgate_cubes_total{size=\"large\"} 7\n" },
};

static const char *const facts[] = {
	"\nsymgate_boot_started_seconds 1", "\nsymgate_sandbox_level 2\n",
	"\nsymgate_heaps 3\n",
	"\nsymgate_roll_duration_seconds_bucket{le=\"0.001\"} 2\n",
	"\nsymgate_roll_duration_seconds_bucket{le=\"0.002\"} 2\n",
	"\nsymgate_roll_duration_seconds_bucket{le=\"0.004\"} 3\n",
	"\nsymgate_roll_duration_seconds_bucket{le=\"65.536\"} 3\n",
	"\nsymgate_roll_duration_seconds_bucket{le=\"+Inf\"} 4\n",
	"\nsymgate_roll_duration_seconds_sum 100.004\n",
	"\nsymgate_roll_duration_seconds_count 4\n",
};

/* Every family has one HELP and one TYPE and stands together; names are ours. */
static void check_families(const char *text)
{
	struct { char name[80]; } seen[64];
	unsigned count = 0;
	char current[80] = "";

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		ck_assert_ptr_nonnull(strchr(line, '\n'));
		if (strncmp(line, "# HELP ", 7) == 0) {
			ck_assert_int_eq(sscanf(line, "# HELP %79s", current), 1);
			for (unsigned i = 0; i < count; i++)
				ck_assert_str_ne(seen[i].name, current);
			ck_assert_uint_lt(count, 64);
			memcpy(seen[count++].name, current, sizeof(current));
			ck_assert_int_eq(strncmp(current, "symgate_", 8), 0);
		} else if (strncmp(line, "# TYPE ", 7) == 0) {
			ck_assert_int_eq(strncmp(line + 7, current, strlen(current)), 0);
		} else {
			ck_assert_msg(strncmp(line, current, strlen(current)) == 0,
				      "%.60s is not of %s", line, current);
		}
	}
}

START_TEST(prints_metrics)
{
	struct board *board = open_board();
	struct buf out;

	ck_assert_int_eq(board_sandbox_level(board), -1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		board_count(board, lines[i].set, lines[i].index, 7);
	board_duration(board, &times, 0);
	board_duration(board, &times, 1);
	board_duration(board, &times, 3);
	board_duration(board, &times, 100000);
	board_gauge_set(board, &heaps, 3);
	board_sandbox_level_set(board, 2);
	buf_init(&out, 1 << 20);
	board_metrics(board, &out);
	ck_assert(!out.failed);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(strstr(buf_string(&out), lines[i].line), "%s", lines[i].what);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		ck_assert_msg(strstr(buf_string(&out), facts[i]), "%s", facts[i]);
	ck_assert_ptr_null(strstr(buf_string(&out), "colour=\"green\",size=\"middle\""));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "symgate_cubes_total{size=\"small\"} 0\n"));
	check_families(buf_string(&out));
	buf_release(&out);
	board_close(board);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

/* doc/api/metrics.md has a row for every family. */
START_TEST(what_it_prints_is_documented)
{
	struct file_map doc = support_map(support_source("doc/api/metrics.md"));
	struct board *board;
	struct buf out;
	char name[80];

	supervisor_register_counters();
	board = open_board();
	board_sandbox_level_set(board, 2);
	buf_init(&out, 1 << 20);
	board_metrics(board, &out);
	for (const char *line = buf_string(&out); *line; line = strchr(line, '\n') + 1)
		if (sscanf(line, "# TYPE %79s", name) == 1) {
			const char *row = support_printf("\n| `%s` |", name);

			ck_assert_msg(memmem(doc.bytes, doc.size, row, strlen(row)),
				      "doc/api/metrics.md does not tell what %s is", name);
		}
	check_families(buf_string(&out));
	buf_release(&out);
	board_close(board);
	file_unmap(&doc);
}
END_TEST

/* No two counters are one: each is counted as often as its place says. */
START_TEST(every_counter_has_a_place_of_its_own)
{
	struct counter_set *const sets[] = { &balls, &times, &rolls, &cubes };
	struct board *board = open_board();
	uint64_t by = 1;

	for (size_t set = 0; set < sizeof(sets) / sizeof(sets[0]); set++)
		for (unsigned i = 0; i < sets[set]->count; i++)
			board_count(board, sets[set], i, by++);
	by = 1;
	for (size_t set = 0; set < sizeof(sets) / sizeof(sets[0]); set++)
		for (unsigned i = 0; i < sets[set]->count; i++)
			ck_assert_uint_eq(board_counter(board, sets[set], i), by++);
	board_close(board);
}
END_TEST

START_TEST(refuses_more_gauges_than_a_slot_holds)
{
	static struct counter_set many[COUNTER_GAUGES + 1];
	static struct counter_set *list[COUNTER_GAUGES + 2];
	static struct counter_set *const *const all[] = { list, NULL };
	struct board *board;
	struct err err = ERR_INIT;

	for (unsigned i = 0; i <= COUNTER_GAUGES; i++) {
		many[i] = (struct counter_set){ .name = "symgate_many", .help = "Many.",
						.kind = COUNTER_GAUGE, .count = 1 };
		list[i] = &many[i];
	}
	board_register_counters(all);
	ck_assert_int_lt(board_open(&board, &config, &err), 0);
	ck_assert_int_eq(err.kind, ERR_INTERNAL);
	list[COUNTER_GAUGES] = NULL;
	board_register_counters(all);
	err_clear(&err);
	ck_assert_int_eq(board_open(&board, &config, &err), 0);
	board_gauge_set(board, &many[COUNTER_GAUGES - 1], 5);
	ck_assert_int_eq(board_gauge(board, &many[COUNTER_GAUGES - 1]), 5);
	ck_assert_int_eq(board_gauge(board, &many[0]), 0);
	board_close(board);
}
END_TEST

/* What is counted, and in which order, names the file. */
START_TEST(other_counters_are_another_board)
{
	static struct counter_set *const *const turned[] = { square_counters, round_counters, NULL };
	struct board *board = open_board(), *few, *other, *again;

	board_count(board, &cubes, LARGE, 9);
	board_register_counters(few_counters);
	few = open_board();
	ck_assert_uint_eq(board_counter(few, &cubes, LARGE), 0);
	board_register_counters(turned);
	other = open_board();
	ck_assert_uint_eq(board_counter(other, &cubes, LARGE), 0);
	board_register_counters(all_counters);
	again = open_board();
	ck_assert_uint_eq(board_counter(again, &cubes, LARGE), 9);
	board_close(again);
	board_close(other);
	board_close(few);
	board_close(board);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("board");
	TCase *tcase = tcase_create("board");

	tcase_add_checked_fixture(tcase, set_up, remove_state);
	tcase_add_test(tcase, two_processes_wake_each_other);
	tcase_add_test(tcase, a_wake_is_prompt);
	tcase_add_test(tcase, a_wait_is_bounded);
	tcase_add_test(tcase, generations_are_shared_and_wake);
	tcase_add_test(tcase, counters_survive_kill);
	tcase_add_test(tcase, slots_of_the_dead_are_used_again);
	tcase_add_test(tcase, threads_share_one_slot);
	tcase_add_test(tcase, many_starters_agree);
	tcase_add_test(tcase, touches_are_handed_over_once);
	tcase_add_test(tcase, refuses_what_is_no_board);
	tcase_add_test(tcase, refuses_a_folder_it_cannot_use);
	tcase_add_test(tcase, boards_of_another_boot_go);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, prints_metrics);
	tcase_add_test(tcase, what_it_prints_is_documented);
	tcase_add_test(tcase, every_counter_has_a_place_of_its_own);
	tcase_add_test(tcase, refuses_more_gauges_than_a_slot_holds);
	tcase_add_test(tcase, other_counters_are_another_board);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

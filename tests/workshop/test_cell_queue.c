/* test_cell_queue -- cells are shared out by scope, source and job, whatever each of them asks for. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workshop/cell_queue.h"

#define CLAIMS 512u
#define NOW    1000000

static struct cell_claim claims[CLAIMS];
static size_t claim_count;
static struct cell_queue queue;

static void begin(void)
{
	memset(&queue, 0, sizeof(queue));
	memset(claims, 0, sizeof(claims));
	claim_count = 0;
}

/* "a1": a claim of scope a and job 1; "a1x": from the source x. */
static struct cell_claim *add(const char *what, int64_t now)
{
	struct cell_claim *claim = &claims[claim_count++];

	ck_assert_uint_lt(claim_count, CLAIMS);
	claim->scope = what[0] == '-' ? TEXT_NONE : (struct text){ what, 1 };
	claim->job = what + 1;
	claim->source = text_of(what[1] && what[2] ? what + 2 : "");
	/* Jobs are told apart by their address: those of one name are one. */
	for (size_t i = 0; i + 1 < claim_count; i++)
		if (memcmp((const char *)claims[i].job - 1, what, 2) == 0)
			claim->job = claims[i].job;
	cell_queue_add(&queue, claim, now);
	return claim;
}

static void add_all(const char *const *what, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)add(what[i], NOW);
}

static char *name_of(const struct cell_claim *claim)
{
	return support_printf("%c%c%.*s", claim->scope.bytes ? claim->scope.bytes[0] : '-',
			      *(const char *)claim->job, (int)claim->source.size, claim->source.bytes);
}

/* All that wait, one after the other; each ends before the next begins. */
static char *order(size_t cells)
{
	char *all = support_printf("%s", "");
	struct cell_claim *claim;

	while ((claim = cell_queue_take(&queue, cells, SIZE_MAX, NOW))) {
		all = support_printf("%s%s%s", all, *all ? " " : "", name_of(claim));
		cell_queue_leave(&queue, claim);
	}
	return all;
}

static const struct { const char *what, *waiting[9], *order; } turns[] = {
	{ "one job, first come first", { "a1x", "a1y", "a1x" }, "a1x a1y a1x" },
	{ "jobs of one scope", { "a1", "a1", "a1", "a2", "a3" }, "a1 a2 a3 a1 a1" },
	{ "scopes before jobs", { "a1", "a2", "a3", "b4", "b4" }, "a1 b4 a2 b4 a3" },
	{ "no scope is one too", { "-1", "-1", "-1", "a2" }, "-1 a2 -1 -1" },
	{ "three of each", { "a1", "a1", "a1", "b2", "b2", "b2", "c3", "c3", "c3" },
	  "a1 b2 c3 a1 b2 c3 a1 b2 c3" },
};

START_TEST(all_take_turns)
{
	size_t count = 0;

	begin();
	while (count < 9 && turns[_i].waiting[count])
		count++;
	add_all(turns[_i].waiting, count);
	ck_assert_str_eq(order(1), turns[_i].order);
	ck_assert(!queue.waiting && !queue.running && queue.running_count == 0);
}
END_TEST

START_TEST(one_alone_has_them_all)
{
	static const char *const all[] = { "a1", "a1", "a1", "a1" };

	begin();
	add_all(all, 4);
	for (int i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(cell_queue_take(&queue, 3, SIZE_MAX, NOW));
	ck_assert_ptr_null(cell_queue_take(&queue, 3, SIZE_MAX, NOW));
	ck_assert_uint_eq(queue.running_count, 3);
}
END_TEST

/* Who has less comes first, though the other has waited longer and its turn was longer ago. */
START_TEST(who_has_fewer_comes_first)
{
	static const char *const others[] = { "a1x", "a1x", "a2y", "b3x" };

	begin();
	add_all(others, 1);
	ck_assert_str_eq(name_of(cell_queue_take(&queue, 4, SIZE_MAX, NOW)), "a1x");
	add_all(others + 1, 3);
	ck_assert_str_eq(name_of(cell_queue_take(&queue, 4, SIZE_MAX, NOW)), "b3x");
	ck_assert_str_eq(name_of(cell_queue_take(&queue, 4, SIZE_MAX, NOW)), "a2y");
	ck_assert_str_eq(name_of(cell_queue_take(&queue, 4, SIZE_MAX, NOW)), "a1x");
}
END_TEST

/* With one cell: who leaves the queue and comes back at once gets no more than every other turn. */
START_TEST(coming_back_is_no_advantage)
{
	char *got = support_printf("%s", "");

	begin();
	for (int i = 0; i < 6; i++)
		(void)add("a1", NOW);
	for (int i = 0; i < 8; i++) {
		struct cell_claim *claim;

		if (i == 0 || got[i - 1] == 'b')
			(void)add("b2", NOW);
		claim = cell_queue_take(&queue, 1, SIZE_MAX, NOW);
		got = support_printf("%s%c", got, claim->scope.bytes[0]);
		cell_queue_leave(&queue, claim);
	}
	ck_assert_str_eq(got, "abababab");
}
END_TEST

static const struct {
	const char *what, *running[4], *waiting;
	size_t cells;
	int64_t millis;
	const char *hog;                     /* NULL: nobody */
} hogs[] = {
	{ "another scope has waited", { "a1x", "a2y", NULL }, "b3x", 2, 5000, "a2y" },
	{ "not that long", { "a1x", "a2y", NULL }, "b3x", 2, 4999, NULL },
	{ "another source has waited", { "a1x", "a2x", NULL }, "a3y", 2, 5000, "a2x" },
	{ "two sources have them", { "a1x", "a2y", NULL }, "a3z", 2, 5000, NULL },
	{ "two scopes have them", { "a1x", "b2x", NULL }, "c3x", 2, 5000, NULL },
	{ "it has one itself", { "a1x", "b2x", NULL }, "a3x", 2, 60000, NULL },
	{ "none, and its own", { "a1x", "a2x", NULL }, "a3x", 2, 60000, NULL },
	{ "one cell", { "a1x", NULL }, "b3x", 1, 60000, NULL },
	{ "a cell is free", { "a1x", "a2x", NULL }, "b3x", 3, 60000, NULL },
	{ "no scope", { "-1x", "-2y", "-3z", NULL }, "b3x", 3, 5000, "-3z" },
};

START_TEST(one_that_has_them_all_makes_way)
{
	struct cell_claim *hog;

	begin();
	for (size_t i = 0; hogs[_i].running[i]; i++) {
		(void)add(hogs[_i].running[i], NOW);
		ck_assert_ptr_nonnull(cell_queue_take(&queue, hogs[_i].cells, SIZE_MAX, NOW));
	}
	(void)add(hogs[_i].waiting, NOW);
	hog = cell_queue_hog(&queue, hogs[_i].cells, NOW + hogs[_i].millis);
	ck_assert_msg((hog != NULL) == (hogs[_i].hog != NULL), "%s", hogs[_i].what);
	if (!hog)
		return;
	ck_assert_str_eq(name_of(hog), hogs[_i].hog);
	cell_queue_leave(&queue, hog);
	cell_queue_add(&queue, hog, NOW + hogs[_i].millis);
	ck_assert_str_eq(name_of(cell_queue_take(&queue, hogs[_i].cells, SIZE_MAX, NOW)), hogs[_i].waiting);
	ck_assert_ptr_null(cell_queue_hog(&queue, hogs[_i].cells, NOW + 2 * hogs[_i].millis));
}
END_TEST

static size_t count_of(char scope, const struct cell_claim *list)
{
	size_t count = 0;

	for (; list; list = list->next)
		count += list->scope.bytes[0] == scope;
	return count;
}

/* Whatever comes and goes, a cell that becomes free goes to a scope that has the fewest. */
START_TEST(no_scope_gets_ahead)
{
	static const char *const kinds[] = { "a1x", "a1y", "a2x", "b3x", "b4x", "c5z", "d6x", "d7y" };

	begin();
	srand(7);
	for (unsigned round = 0; claim_count < CLAIMS - 1; round++) {
		struct cell_claim *claim;
		size_t before[4];

		if (rand() % 2)
			(void)add(kinds[(unsigned)rand() % 8], NOW);
		if (queue.running && rand() % 3 == 0)
			cell_queue_leave(&queue, queue.running);
		for (int i = 0; i < 4; i++)
			before[i] = count_of((char)('a' + i), queue.running);
		claim = cell_queue_take(&queue, 5, SIZE_MAX, NOW);
		for (int i = 0; claim && i < 4; i++)
			ck_assert(!count_of((char)('a' + i), queue.waiting) ||
				  before[claim->scope.bytes[0] - 'a'] <= before[i]);
		ck_assert_uint_le(queue.running_count, 5);
	}
}
END_TEST

/* Of one cell: who waits for something itself gives its place away, and goes on before others
 * begin; no more of its kind begin than may wait. */
START_TEST(who_is_parked_holds_no_place)
{
	struct cell_claim *first, *second, *other;

	begin();
	first = add("a1", NOW);
	second = add("a2", NOW);
	other = add("a3", NOW);
	first->may_park = second->may_park = true;
	ck_assert_ptr_eq(cell_queue_take(&queue, 1, 1, NOW), first);
	ck_assert_ptr_null(cell_queue_take(&queue, 1, 1, NOW));
	cell_queue_park(&queue, first, NOW);
	ck_assert_uint_eq(queue.running_count, 0);
	ck_assert_ptr_eq(cell_queue_take(&queue, 1, 1, NOW), other);
	cell_queue_add(&queue, first, NOW);
	cell_queue_leave(&queue, other);
	ck_assert_ptr_eq(cell_queue_take(&queue, 1, 1, NOW), first);
	cell_queue_leave(&queue, first);
	ck_assert_ptr_eq(cell_queue_take(&queue, 1, 1, NOW), second);
	cell_queue_park(&queue, second, NOW);
	cell_queue_leave(&queue, second);
	ck_assert_uint_eq(queue.parking_count, 0);
	ck_assert_uint_eq(queue.running_count, 0);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("cell queue");
	TCase *tcase = tcase_create("cell queue");

	LOOP(all_take_turns, turns);
	tcase_add_test(tcase, one_alone_has_them_all);
	tcase_add_test(tcase, who_has_fewer_comes_first);
	tcase_add_test(tcase, coming_back_is_no_advantage);
	LOOP(one_that_has_them_all_makes_way, hogs);
	tcase_add_test(tcase, no_scope_gets_ahead);
	tcase_add_test(tcase, who_is_parked_holds_no_place);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

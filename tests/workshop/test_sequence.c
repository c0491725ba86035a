/* test_sequence -- the order of a task's steps, with steps made for the test that fail at each place. */
#include "support/support.h"

#include <string.h>

#include "base/mem.h"
#include "workshop/task.h"

/* --- Steps that do as they are told -------------------------------------------------------- */

#define TRACE_BYTES 128u
#define SCRIPT_MOST 12u

/* The n-th call of a step comes out so; every other as `usual` says. */
struct script { enum task_step step; unsigned call; enum task_outcome outcome; enum err_kind kind; };

static const enum task_outcome usual[TASK_STEPS] = {
	[TASK_CLAIM] = OUTCOME_DONE, [TASK_ASK_ENTRY] = OUTCOME_NONE, [TASK_OPEN] = OUTCOME_NONE,
	[TASK_ASK_OBJECT] = OUTCOME_NONE, [TASK_OBTAIN] = OUTCOME_COPY, [TASK_RENEW] = OUTCOME_DONE,
	[TASK_INSPECT] = OUTCOME_DONE,
	[TASK_KEEP_OBJECT] = OUTCOME_DONE, [TASK_DERIVE] = OUTCOME_DONE, [TASK_PUBLISH] = OUTCOME_DONE,
	[TASK_KEEP_OLD] = OUTCOME_NONE,
};
static const char letters[TASK_STEPS] = "CEOAGNIKDPBR";    /* N: renew, B: the old is believed, R: remember */

static struct {
	const struct script *script;
	bool is_async;               /* each step reports later */
	char trace[TRACE_BYTES];
	size_t size;
	unsigned calls[TASK_STEPS];
	unsigned begun, stopped, unclaimed, ended, made;
	enum err_kind remembered;
	bool store_fails, has_old;
	enum task_outcome seen;      /* by a look */
} stage;

/* What the steps keep with a task. */
struct answer {
	enum task_outcome outcome;
	struct err err;
	bool is_pending;
	char trace[TRACE_BYTES];
};

static struct answer *answer_of(struct task *task)
{
	return (struct answer *)(void *)task->part;
}

static void note(struct task *task, char letter)
{
	char *trace = answer_of(task)->trace;

	if (stage.size < TRACE_BYTES - 1)
		stage.trace[stage.size++] = letter;
	stage.trace[stage.size] = '\0';
	trace[strlen(trace)] = letter;
}

static enum task_outcome remember(const struct err *failure, struct err *err)
{
	if (!err_kind_is_lasting(failure->kind) || err_kind_is_ours(failure->kind))
		return OUTCOME_NONE;
	if (stage.store_fails) {
		err_set(err, ERR_IO, "the disk is full");
		return OUTCOME_FAILED;
	}
	stage.remembered = failure->kind;
	return OUTCOME_DONE;
}

static enum task_outcome as_the_script_says(const struct task *task, enum task_step step, struct err *err)
{
	unsigned call = ++stage.calls[step];

	for (const struct script *line = stage.script; line && line->call; line++) {
		if (line->step != step || (line->call != call && line->call != UINT32_MAX))
			continue;
		if (line->kind)
			err_set(err, line->kind, "as the test says");
		return line->outcome;
	}
	if (step == TASK_OPEN && stage.calls[TASK_KEEP_OBJECT])
		return OUTCOME_DONE;                 /* what was kept is there */
	if (step == TASK_KEEP_OLD && stage.has_old)
		return OUTCOME_DONE;
	return step == TASK_REMEMBER ? remember(&task->failure, err) : usual[step];
}

static enum task_outcome run(struct task *task, enum task_step step, struct err *err)
{
	struct answer *answer = answer_of(task);
	enum task_outcome outcome = as_the_script_says(task, step, err);

	ck_assert(!answer->is_pending);
	note(task, letters[step]);
	if (!stage.is_async)
		return outcome;
	answer->outcome = outcome;
	answer->err = *err;
	answer->is_pending = true;
	return OUTCOME_PENDING;
}

#define STEP(name, step) \
	static enum task_outcome name(struct task *task, struct err *err) \
	{ return run(task, step, err); }
STEP(run_claim, TASK_CLAIM)
STEP(run_ask_entry, TASK_ASK_ENTRY)
STEP(run_open, TASK_OPEN)
STEP(run_ask_object, TASK_ASK_OBJECT)
STEP(run_obtain, TASK_OBTAIN)
STEP(run_renew, TASK_RENEW)
STEP(run_inspect, TASK_INSPECT)
STEP(run_keep, TASK_KEEP_OBJECT)
STEP(run_derive, TASK_DERIVE)
STEP(run_publish, TASK_PUBLISH)
STEP(run_keep_old, TASK_KEEP_OLD)
STEP(run_remember, TASK_REMEMBER)

static void begin(struct task *task)
{
	(void)task;
	stage.begun++;
}

static void stop(struct task *task)
{
	stage.stopped++;
	answer_of(task)->is_pending = false;
}

static enum task_outcome look(struct task *task, struct err *err)
{
	(void)task;
	if (stage.seen == OUTCOME_FAILED)
		err_set(err, ERR_IO, "the database is busy");
	return stage.seen;
}

static void unclaim(struct task *task)
{
	(void)task;
	stage.unclaimed++;
}

static void ended(struct task *task, bool made)
{
	(void)task;
	stage.ended++;
	stage.made += made;
}

static const struct task_steps steps = {
	.part_bytes = sizeof(struct answer),
	.run = { run_claim, run_ask_entry, run_open, run_ask_object, run_obtain, run_renew, run_inspect,
		 run_keep, run_derive, run_publish, run_keep_old, run_remember },
	.begin = begin, .stop = stop, .look = look, .unclaim = unclaim, .ended = ended,
};

/* --- One task, and who waits for it --------------------------------------------------------- */

struct told { unsigned times; enum err_kind passing, anew; bool has_failed; };

struct bench {
	struct task_list list;
	struct task_waiter waiter;
	struct location location;
	struct derive derive;
};

static struct told told;

static void hear(struct task_waiter *waiter, const struct derive *derive, const struct err *passing,
		 bool has_failed, const struct err *anew)
{
	(void)waiter, (void)derive;
	told.times++;
	told.passing = passing ? passing->kind : ERR_NONE;
	told.has_failed |= has_failed;
	if (anew)
		told.anew = anew->kind;
}

static void set_up(struct bench *bench, const struct derived_kind *kind, const struct script *script,
		   bool is_async)
{
	memset(bench, 0, sizeof(*bench));
	memset(&stage, 0, sizeof(stage));
	memset(&told, 0, sizeof(told));
	stage.script = script;
	stage.is_async = is_async;
	stage.seen = OUTCOME_PENDING;
	bench->list.steps = &steps;
	map_init(&bench->list.by_key);
	bench->waiter.told = hear;
	bench->location.uri = TEXT("http://h/file");
	bench->derive = (struct derive){ .kind = kind, .location = &bench->location };
}

/* False: it waits for no answer. */
static bool deliver_one(struct task *task)
{
	struct answer *answer = answer_of(task);
	const struct err err = answer->err;

	if (!answer->is_pending)
		return false;
	answer->is_pending = false;
	task_report(task, answer->outcome, &err);
	return true;
}

static void deliver(struct task *task)
{
	while (deliver_one(task))
		;
}

static struct task *carry_out(struct bench *bench, bool again)
{
	struct err err = ERR_INIT;
	struct task *task = again ? task_again(&bench->list, &bench->waiter, &bench->derive, &err)
				  : task_for(&bench->list, &bench->waiter, &bench->derive, &err);

	ck_assert_msg(task != NULL, "%s", err.text);
	ck_assert_int_eq(task_wait(task, &bench->waiter, &err), 0);
	deliver(task);
	return task;
}

static void tear_down(struct bench *bench)
{
	task_abandon_all(&bench->list);
	ck_assert_ptr_null(bench->list.first);
	ck_assert_uint_eq(bench->waiter.references, 0);
	ck_assert_uint_eq(stage.begun, stage.ended);
	map_release(&bench->list.by_key);
}

/* --- The order ------------------------------------------------------------------------------ */

#define ALL UINT32_MAX
enum end { MADE, REMEMBERED, TOLD, RESTS, ANOTHER, ANEW };

static const struct {
	const char *what;
	const struct derived_kind *kind;
	struct script script[SCRIPT_MOST];
	const char *trace;
	enum end end;
	enum err_kind failure;
} cases[] = {
	{ "a download", &derived_symcache, {{ 0 }}, "CEOAGIKODP", MADE, 0 },
	{ "features of a download", &derived_object_meta, {{ 0 }}, "CEOAGDKP", MADE, 0 },
	{ "the object is known", &derived_symcache, {{ TASK_OPEN, 1, OUTCOME_DONE, 0 }}, "CEODP", MADE, 0 },
	{ "a file in place", &derived_symcache, {{ TASK_OBTAIN, 1, OUTCOME_DONE, 0 }}, "CEOAGDP", MADE, 0 },
	{ "a file in place is packed no more", &derived_symcache, {{ TASK_KEEP_OBJECT, 1, OUTCOME_NONE, 0 }},
	  "CEOAGIKDP", MADE, 0 },
	{ "a source file", &derived_sourcefile, {{ 0 }}, "CEOAGDP", MADE, 0 },
	{ "an index", &derived_index, {{ 0 }}, "CEOAGDP", MADE, 0 },

	{ "others make it", &derived_symcache, {{ TASK_CLAIM, 1, OUTCOME_NONE, 0 }}, "C", ANOTHER, 0 },
	{ "no claim", &derived_symcache, {{ TASK_CLAIM, 1, OUTCOME_FAILED, ERR_IO }}, "CR", RESTS, ERR_IO },

	{ "others have it", &derived_symcache, {{ TASK_ASK_ENTRY, 1, OUTCOME_DONE, 0 }}, "CE", MADE, 0 },
	{ "others have a map", &derived_symbol_map, {{ TASK_ASK_ENTRY, 1, OUTCOME_COPY, 0 }}, "CEDP", MADE, 0 },
	{ "a map of others is none", &derived_symbol_map,
	  {{ TASK_ASK_ENTRY, 1, OUTCOME_COPY, 0 }, { TASK_DERIVE, 1, OUTCOME_REFUSED, ERR_MALFORMED }},
	  "CEDGDP", MADE, 0 },
	{ "others have nonsense", &derived_symcache, {{ TASK_ASK_ENTRY, 1, OUTCOME_REFUSED, ERR_MALFORMED }},
	  "CEOAGIKODP", MADE, 0 },
	{ "what others have cannot be kept", &derived_symcache,
	  {{ TASK_ASK_ENTRY, 1, OUTCOME_FAILED, ERR_IO }}, "CER", RESTS, ERR_IO },

	{ "the object failed before", &derived_symcache, {{ TASK_OPEN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }},
	  "CEOR", REMEMBERED, ERR_NOT_FOUND },
	{ "others have the object", &derived_symcache, {{ TASK_ASK_OBJECT, 1, OUTCOME_COPY, 0 }},
	  "CEOAIKODP", MADE, 0 },
	{ "an object of others is none", &derived_symcache,
	  {{ TASK_ASK_OBJECT, 1, OUTCOME_COPY, 0 }, { TASK_INSPECT, 1, OUTCOME_REFUSED, ERR_MALFORMED }},
	  "CEOAIGIKODP", MADE, 0 },

	{ "it is what is here", &derived_scraped, {{ TASK_OBTAIN, 1, OUTCOME_UNCHANGED, 0 }}, "CEOAGN", MADE, 0 },
	{ "it was here, and is gone", &derived_scraped,
	  {{ TASK_OBTAIN, 1, OUTCOME_UNCHANGED, 0 }, { TASK_RENEW, 1, OUTCOME_NONE, 0 }}, "CEOAGNGDP", MADE, 0 },
	{ "it cannot be renewed", &derived_scraped,
	  {{ TASK_OBTAIN, 1, OUTCOME_UNCHANGED, 0 }, { TASK_RENEW, 1, OUTCOME_FAILED, ERR_BUSY }}, "CEOAGNR", RESTS,
	  ERR_BUSY },

	{ "it is not there", &derived_symcache, {{ TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }},
	  "CEOAGR", REMEMBERED, ERR_NOT_FOUND },
	{ "no room for it", &derived_symcache, {{ TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_IO }},
	  "CEOAGR", RESTS, ERR_IO },

	{ "it is no object", &derived_symcache, {{ TASK_INSPECT, 1, OUTCOME_FAILED, ERR_MALFORMED }},
	  "CEOAGIR", REMEMBERED, ERR_MALFORMED },
	{ "a cell is lost", &derived_symcache, {{ TASK_INSPECT, 1, OUTCOME_LOST, ERR_IO }},
	  "CEOAGIIKODP", MADE, 0 },
	{ "cells are lost", &derived_symcache, {{ TASK_INSPECT, ALL, OUTCOME_LOST, ERR_IO }},
	  "CEOAGIIIIR", RESTS, ERR_IO },
	{ "it cannot be kept", &derived_symcache, {{ TASK_KEEP_OBJECT, 1, OUTCOME_FAILED, ERR_IO }},
	  "CEOAGIKR", RESTS, ERR_IO },
	{ "it does not stay", &derived_symcache, {{ TASK_OPEN, ALL, OUTCOME_NONE, 0 }},
	  "CEOAGIKOAGIKOAGIKOAGIKOAGIKOAGIKOAGIKOAGIKOAGIKR", RESTS, ERR_IO },

	{ "a damaged input", &derived_symcache, {{ TASK_DERIVE, 1, OUTCOME_DAMAGED, ERR_IO }},
	  "CEOAGIKODODP", MADE, 0 },
	{ "inputs are damaged", &derived_symcache,
	  {{ TASK_OPEN, 1, OUTCOME_DONE, 0 }, { TASK_DERIVE, ALL, OUTCOME_DAMAGED, ERR_IO },
	   { TASK_OPEN, ALL, OUTCOME_DONE, 0 }}, "CEODODODODODODODODODR", RESTS, ERR_IO },
	{ "a companion is gone", &derived_symcache, {{ TASK_DERIVE, 1, OUTCOME_UNUSABLE, ERR_IO }},
	  "CEOAGIKODR", ANEW, ERR_IO },
	{ "it kills its cell", &derived_symcache, {{ TASK_DERIVE, 1, OUTCOME_FAILED, ERR_CRASHED }},
	  "CEOAGIKODR", REMEMBERED, ERR_CRASHED },
	{ "converters are lost", &derived_ppdb, {{ TASK_DERIVE, ALL, OUTCOME_LOST, ERR_IO }},
	  "CEOAGIKODDDDR", RESTS, ERR_IO },
	{ "it cannot be published", &derived_symcache, {{ TASK_PUBLISH, 1, OUTCOME_FAILED, ERR_IO }},
	  "CEOAGIKODPR", RESTS, ERR_IO },
	{ "it cannot be remembered", &derived_symcache,
	  {{ TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }, { TASK_REMEMBER, 1, OUTCOME_FAILED, ERR_BUSY }},
	  "CEOAGR", RESTS, ERR_BUSY },
	{ "the old is not believed either", &derived_last_id,
	  {{ TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }, { TASK_KEEP_OLD, 1, OUTCOME_FAILED, ERR_BUSY }},
	  "CEOAGBR", REMEMBERED, ERR_NOT_FOUND },
	{ "a failed index is its source's failure", &derived_index,
	  {{ TASK_DERIVE, 1, OUTCOME_FAILED, ERR_MALFORMED }}, "CEOAGDR", REMEMBERED, ERR_DOWNLOAD },
};

static void check_end(const struct task *task, size_t i)
{
	const char *what = cases[i].what;
	enum end end = cases[i].end;

	ck_assert_msg(task->state == (end == RESTS ? TASK_RESTS : end == ANOTHER ? TASK_WAITS_FOR_ANOTHER
								     : TASK_ENDED), "%s", what);
	ck_assert_msg(stage.made == (end == MADE), "%s", what);
	ck_assert_msg(stage.remembered == (end == REMEMBERED ? cases[i].failure : ERR_NONE), "%s: %d",
		      what, (int)stage.remembered);
	ck_assert_msg((told.times > 0) == (end != RESTS && end != ANOTHER), "%s", what);
	ck_assert_msg(told.anew == (end == ANEW ? cases[i].failure : ERR_NONE), "%s", what);
	ck_assert_msg(told.has_failed == (end == REMEMBERED), "%s", what);
	ck_assert_msg(stage.unclaimed == (end == ANEW), "%s", what);
	if (end == RESTS)
		ck_assert_msg(task->trouble.kind == cases[i].failure, "%s", what);
}

START_TEST(steps_follow_each_other)
{
	size_t i = (size_t)_i / 2;
	struct bench bench;
	struct task *task;

	set_up(&bench, cases[i].kind, cases[i].script, _i % 2);
	task = carry_out(&bench, false);
	ck_assert_msg(strcmp(stage.trace, cases[i].trace) == 0, "%s: %s", cases[i].what, stage.trace);
	check_end(task, i);
	tear_down(&bench);
}
END_TEST

/* --- Trouble of our own, and others --------------------------------------------------------- */

START_TEST(what_rested_begins_again_with_its_claim)
{
	static const struct script once[] = { { TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_IO }, { 0 } };
	struct bench bench;
	struct task *task;
	int64_t since = 0;

	set_up(&bench, &derived_symcache, once, false);
	task = carry_out(&bench, false);
	ck_assert_int_eq(task->state, TASK_RESTS);
	ck_assert_ptr_nonnull(task_trouble(&bench.list, &bench.waiter, &since));
	ck_assert_int_gt(since, 0);
	ck_assert_int_eq(task_next_millis(&bench.list), task->again_millis);
	task->again_millis = 0;
	task_look_again(&bench.list);
	ck_assert_str_eq(stage.trace, "CEOAGREOAGIKODP");
	ck_assert_int_eq(task->state, TASK_ENDED);
	ck_assert_uint_eq(stage.made, 1);
	tear_down(&bench);
}
END_TEST

START_TEST(what_nobody_waits_for_does_not_begin_again)
{
	static const struct script once[] = { { TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_IO }, { 0 } };
	struct bench bench;
	struct task *task;

	set_up(&bench, &derived_symcache, once, false);
	task = carry_out(&bench, false);
	bench.waiter.has_left = true;
	task->again_millis = 0;
	task_look_again(&bench.list);
	ck_assert_int_eq(task->state, TASK_ENDED);
	ck_assert_uint_eq(stage.unclaimed, 1);
	ck_assert_str_eq(stage.trace, "CEOAGR");
	tear_down(&bench);
}
END_TEST

static const struct { const char *what; enum task_outcome seen; const char *trace; enum task_state state; }
looks[] = {
	{ "nothing new", OUTCOME_PENDING, "C", TASK_WAITS_FOR_ANOTHER },
	{ "it was made", OUTCOME_DONE, "C", TASK_ENDED },
	{ "it was abandoned", OUTCOME_NONE, "CCEOAGIKODP", TASK_ENDED },
	{ "no look", OUTCOME_FAILED, "CR", TASK_RESTS },
};

START_TEST(what_others_make_is_looked_at)
{
	static const struct script theirs[] = { { TASK_CLAIM, 1, OUTCOME_NONE, 0 }, { 0 } };
	struct bench bench;
	struct task *task;

	set_up(&bench, &derived_symcache, theirs, false);
	task = carry_out(&bench, false);
	stage.seen = looks[_i].seen;
	task_look_again(&bench.list);
	ck_assert_msg(strcmp(stage.trace, looks[_i].trace) == 0, "%s: %s", looks[_i].what, stage.trace);
	ck_assert_msg(task->state == looks[_i].state, "%s", looks[_i].what);
	tear_down(&bench);
}
END_TEST

START_TEST(a_refresh_is_no_answer_to_anybody)
{
	static const struct script theirs[] = { { TASK_CLAIM, 1, OUTCOME_NONE, 0 }, { 0 } };
	static const struct script ours[] = { { TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_IO }, { 0 } };
	struct bench bench;
	struct err err = ERR_INIT;

	set_up(&bench, &derived_symcache, theirs, false);
	ck_assert_int_eq(carry_out(&bench, true)->state, TASK_ENDED);
	ck_assert_ptr_null(task_again(&bench.list, &bench.waiter, &bench.derive, &err));
	tear_down(&bench);
	set_up(&bench, &derived_symcache, ours, false);
	ck_assert_int_eq(carry_out(&bench, true)->state, TASK_ENDED);
	ck_assert_uint_eq(stage.unclaimed, 1);
	tear_down(&bench);
}
END_TEST

START_TEST(a_failure_that_cannot_be_stored_is_ours)
{
	static const struct script none[] = { { TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }, { 0 } };
	struct bench bench;
	struct task *task;

	set_up(&bench, &derived_symcache, none, false);
	stage.store_fails = true;
	task = carry_out(&bench, false);
	ck_assert_int_eq(task->state, TASK_RESTS);
	ck_assert_int_eq(task->trouble.kind, ERR_IO);
	tear_down(&bench);
}
END_TEST

START_TEST(an_old_last_id_is_believed)
{
	static const struct script none[] = { { TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_TIMEOUT }, { 0 } };
	struct bench bench;

	set_up(&bench, &derived_last_id, none, false);
	stage.has_old = true;
	ck_assert_int_eq(carry_out(&bench, false)->state, TASK_ENDED);
	ck_assert_uint_eq(stage.made, 1);
	ck_assert_int_eq(told.passing, ERR_NONE);
	tear_down(&bench);
}
END_TEST

START_TEST(one_task_for_all_who_want_it)
{
	struct bench bench;
	struct task_waiter other = { .told = hear };
	struct err err = ERR_INIT;
	struct task *task;

	set_up(&bench, &derived_symcache, NULL, true);
	task = task_for(&bench.list, &bench.waiter, &bench.derive, &err);
	ck_assert_int_eq(task_wait(task, &bench.waiter, &err), 0);
	ck_assert_int_eq(task_wait(task, &bench.waiter, &err), 0);
	ck_assert_ptr_eq(task_for(&bench.list, &other, &bench.derive, &err), task);
	ck_assert_int_eq(task_wait(task, &other, &err), 0);
	ck_assert(task_is_known(&bench.list, &bench.derive.key));
	deliver(task);
	ck_assert_uint_eq(told.times, 2);
	ck_assert_uint_eq(other.references, 0);
	tear_down(&bench);
	ck_assert(!task_is_known(&bench.list, &bench.derive.key));
}
END_TEST

/* --- A store that answers late -------------------------------------------------------------- */

#define MANY 5u

/* Of many tasks the youngest is answered first, one step at a time. */
START_TEST(answers_out_of_order_keep_each_order)
{
	struct task *tasks[MANY];
	struct derive derives[MANY];
	struct bench bench;
	struct err err = ERR_INIT;
	bool was_any = true;

	set_up(&bench, &derived_symcache, NULL, true);
	for (unsigned i = 0; i < MANY; i++) {
		derives[i] = bench.derive;
		derives[i].key.hash[0] = (uint8_t)(i + 1);
		tasks[i] = task_for(&bench.list, &bench.waiter, &derives[i], &err);
		ck_assert_int_eq(task_wait(tasks[i], &bench.waiter, &err), 0);
	}
	for (unsigned round = 0; was_any; round++) {
		was_any = false;
		for (unsigned i = 0; i < MANY; i++)
			was_any |= deliver_one(tasks[MANY - 1 - (i * 3 + round) % MANY]);
	}
	for (unsigned i = 0; i < MANY; i++) {
		ck_assert_int_eq(tasks[i]->state, TASK_ENDED);
		ck_assert(strncmp(answer_of(tasks[i])->trace, "CEOAGI", 6) == 0);
		ck_assert(strcmp(answer_of(tasks[i])->trace + strlen(answer_of(tasks[i])->trace) - 2, "DP") == 0);
	}
	ck_assert_uint_eq(stage.made, MANY);
	ck_assert_uint_eq(told.times, MANY);
	tear_down(&bench);
}
END_TEST

START_TEST(what_jobs_left_is_made_all_the_same)
{
	struct bench bench;
	struct task *task;
	struct err err = ERR_INIT;

	set_up(&bench, &derived_symcache, NULL, true);
	task = task_for(&bench.list, &bench.waiter, &bench.derive, &err);
	ck_assert_int_eq(task_wait(task, &bench.waiter, &err), 0);
	bench.waiter.has_left = true;                /* while the claim is on its way */
	ck_assert_uint_gt(bench.waiter.references, 0);
	deliver(task);
	ck_assert_uint_eq(stage.made, 1);
	ck_assert_uint_eq(stage.unclaimed, 0);
	tear_down(&bench);
}
END_TEST

/* The workshop leaves while the answer of that step is on its way: nothing follows it, a claim that was
 * got is given back, and what was published is. */
static const struct { const char *what; struct script script[2]; const char *trace; unsigned unclaimed, made; }
leaves[] = {
	{ "the claim is got", {{ 0 }}, "C", 1, 0 },
	{ "the claim is another's", {{ TASK_CLAIM, 1, OUTCOME_NONE, 0 }}, "C", 0, 0 },
	{ "the claim fails", {{ TASK_CLAIM, 1, OUTCOME_FAILED, ERR_BUSY }}, "C", 0, 0 },
	{ "others have it, and it is published", {{ TASK_ASK_ENTRY, 1, OUTCOME_DONE, 0 }}, "CE", 0, 1 },
	{ "the object is kept", {{ 0 }}, "CEOAGIK", 1, 0 },
	{ "the object cannot be kept", {{ TASK_KEEP_OBJECT, 1, OUTCOME_FAILED, ERR_IO }}, "CEOAGIK", 1, 0 },
	{ "it is published", {{ 0 }}, "CEOAGIKODP", 0, 1 },
	{ "it cannot be published", {{ TASK_PUBLISH, 1, OUTCOME_FAILED, ERR_IO }}, "CEOAGIKODP", 1, 0 },
	{ "it failed, and that is remembered", {{ TASK_OBTAIN, 1, OUTCOME_FAILED, ERR_NOT_FOUND }}, "CEOAGR", 0, 0 },
};

START_TEST(leaving_while_an_answer_is_on_its_way)
{
	struct bench bench;
	struct task *task;
	struct err err = ERR_INIT;

	set_up(&bench, &derived_symcache, leaves[_i].script, true);
	task = task_for(&bench.list, &bench.waiter, &bench.derive, &err);
	ck_assert_int_eq(task_wait(task, &bench.waiter, &err), 0);
	while (strcmp(stage.trace, leaves[_i].trace) != 0)
		ck_assert_msg(deliver_one(task), "%s: %s", leaves[_i].what, stage.trace);
	bench.list.is_leaving = true;
	ck_assert(deliver_one(task));
	ck_assert(!answer_of(task)->is_pending);
	task_abandon_all(&bench.list);
	ck_assert_msg(strcmp(stage.trace, leaves[_i].trace) == 0, "%s: %s", leaves[_i].what, stage.trace);
	ck_assert_msg(stage.unclaimed == leaves[_i].unclaimed, "%s", leaves[_i].what);
	ck_assert_msg(stage.made == leaves[_i].made, "%s", leaves[_i].what);
	ck_assert_uint_eq(told.times, 1);
	tear_down(&bench);
}
END_TEST

START_TEST(survives_every_allocation_failure)
{
	struct bench bench;
	struct err err = ERR_INIT;

	set_up(&bench, &derived_symcache, NULL, true);
	for (int64_t knock = 0; ; knock++) {
		struct task *task;
		int rc = -1;

		atomic_store(&mem_fail_after, (long)knock);
		task = task_for(&bench.list, &bench.waiter, &bench.derive, &err);
		if (task)
			rc = task_wait(task, &bench.waiter, &err);
		atomic_store(&mem_fail_after, -1L);
		if (rc == 0)
			break;
		ck_assert_int_eq(err.kind, ERR_NO_MEMORY);
	}
	tear_down(&bench);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sequence");
	TCase *tcase = tcase_create("sequence");

	tcase_add_loop_test(tcase, steps_follow_each_other, 0, 2 * (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, what_rested_begins_again_with_its_claim);
	tcase_add_test(tcase, what_nobody_waits_for_does_not_begin_again);
	tcase_add_loop_test(tcase, what_others_make_is_looked_at, 0, sizeof(looks) / sizeof(looks[0]));
	tcase_add_test(tcase, a_refresh_is_no_answer_to_anybody);
	tcase_add_test(tcase, a_failure_that_cannot_be_stored_is_ours);
	tcase_add_test(tcase, an_old_last_id_is_believed);
	tcase_add_test(tcase, one_task_for_all_who_want_it);
	tcase_add_test(tcase, answers_out_of_order_keep_each_order);
	tcase_add_test(tcase, what_jobs_left_is_made_all_the_same);
	tcase_add_loop_test(tcase, leaving_while_an_answer_is_on_its_way, 0, sizeof(leaves) / sizeof(leaves[0]));
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

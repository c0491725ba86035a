/* test_running_job -- jobs of rows: what becomes of them while the database cannot be written. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/config.h"
#include "convert/convert.h"
#include "job/job.h"
#include "store/state.h"
#include "workshop/turn.h"

#define OWNER "the test"

struct setting {
	struct state state;
	struct config config;
	struct nursery *nursery;
	struct workshop workshop;
};

static void set_up(struct setting *setting)
{
	struct state *state = &setting->state;
	struct err err = ERR_INIT;
	char *text;

	memset(setting, 0, sizeof(*setting));
	state_open(state);
	text = support_printf("state_dir: %s\n", state->folder);
	write_file(state_path(state, "config.yml"), text, strlen(text));
	const char *const paths[] = { support_printf("%s/config.yml", state->folder) };

	ck_assert_msg(config_load(&setting->config, paths, 1, NULL, NULL, NULL, &err) == 0, "%s", err.text);
	ck_assert_msg(nursery_start(&setting->nursery, &setting->config, convert_operations,
				    convert_operation_count, &err) == 0, "%s", err.text);
	ck_assert_msg(workshop_open(&setting->workshop, &setting->config, setting->nursery, OWNER, &err) == 0,
		      "%s", err.text);
}

static void tear_down(struct setting *setting)
{
	workshop_close(&setting->workshop);
	nursery_stop(setting->nursery);
	config_release(&setting->config);
	state_close(&setting->state);
	ck_assert_int_eq(system(support_printf("rm -rf '%s'", setting->state.folder)), 0);
}

/* A refresh of a request that needs nothing, claimed, whose first round came to something: it goes back for a
 * second one. */
static struct running_job *take_a_refresh(struct setting *setting)
{
	struct jobs jobs = { .config = &setting->config, .store = setting->state.store,
			     .board = setting->state.board };
	const struct job_order order = { .kind = "symbolicate",
					 .body = TEXT("{\"stacktraces\":[],\"modules\":[]}") };
	struct running_jobs *list = &setting->workshop.jobs;
	struct err err = ERR_INIT;

	ck_assert_msg(job_submit_refresh(&jobs, &order, 10, &err) == 0, "%s", err.text);
	ck_assert_msg(running_job_claim(list, &err) == 0, "%s", err.text);
	verb_queue_drain(&setting->workshop.verbs);
	ck_assert_ptr_nonnull(list->first);
	ck_assert(list->first->is_refresh);
	list->first->improved = true;
	return list->first;
}

static void step_on(struct setting *setting)
{
	running_job_step_ready(&setting->workshop.jobs);
	verb_queue_drain(&setting->workshop.verbs);
}

static int64_t rows(struct setting *setting, const char *condition)
{
	return state_ask(&setting->state, support_printf("SELECT count(*) FROM job WHERE %s", condition));
}

static void fill_disk(struct setting *setting)
{
	state_sql(&setting->state, "CREATE TRIGGER full BEFORE UPDATE ON job WHEN NEW.state = 'queued'"
				   " BEGIN SELECT raise(ABORT, 'full'); END");
}

START_TEST(a_job_goes_back_as_soon_as_that_can_be_written)
{
	struct setting setting;
	struct running_job *running;

	set_up(&setting);
	running = take_a_refresh(&setting);
	fill_disk(&setting);
	for (unsigned i = 1; i <= 3; i++) {
		running->again_millis = i > 1;       /* that time is over */
		step_on(&setting);
		ck_assert(running->has_row && !running->verb.is_asked);
		ck_assert_uint_eq(running->tries, i);
		ck_assert_int_gt(running->again_millis, clock_monotonic_millis() - 60000);
		ck_assert_int_eq(rows(&setting, "owner = '" OWNER "' AND state = 'running'"), 1);
	}
	state_sql(&setting.state, "DROP TRIGGER full");
	step_on(&setting);
	ck_assert_int_eq(rows(&setting, "owner = '" OWNER "'"), 1);  /* not before its time */
	running->again_millis = 1;
	step_on(&setting);
	ck_assert(!running->has_row);
	ck_assert_uint_eq(setting.workshop.jobs.count, 0);
	ck_assert_int_eq(rows(&setting, "owner IS NULL AND state = 'queued'"), 1);
	tear_down(&setting);
}
END_TEST

/* Who leaves does not wait for a database to mend. */
START_TEST(a_workshop_that_leaves_tries_once)
{
	struct setting setting;
	struct running_job *running;

	set_up(&setting);
	running = take_a_refresh(&setting);
	fill_disk(&setting);
	setting.workshop.jobs.stopping = true;
	running_job_give_back(&setting.workshop.jobs);
	verb_queue_drain(&setting.workshop.verbs);
	ck_assert(!running->has_row);
	ck_assert_uint_eq(setting.workshop.jobs.count, 0);
	tear_down(&setting);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("running_job");
	TCase *tcase = tcase_create("running_job");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, a_job_goes_back_as_soon_as_that_can_be_written);
	tcase_add_test(tcase, a_workshop_that_leaves_tries_once);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

/* test_hosts -- hosts whose breaker turned: written, listed, forgotten. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "history/hosts.h"
#include "store/state.h"
#include "support/support.h"

#define NOW ((int64_t)1800000000)
#define DAY 86400

static struct history_host host_of(const char *name, const char *owner, enum history_host_state state,
				   int64_t since)
{
	return (struct history_host){
		.host = text_of(name), .owner = text_of(owner), .source = TEXT("ours"), .state = state,
		.by_operator = true, .since = since, .until = since + 3600,
		.words = state == HISTORY_HOST_OPEN ? TEXT("500 Internal Server Error") : TEXT_NONE,
	};
}

static void turn(struct state *state, const char *name, const char *owner, enum history_host_state to,
		 int64_t since)
{
	struct history_host host = host_of(name, owner, to, since);
	struct err err = ERR_INIT;

	ck_assert_msg(history_host_turned(state->store, &host, &err) == 0, "%s", err.text);
}

struct seen { char text[2048]; };

static int note(void *payload, const struct history_host *host)
{
	struct seen *seen = payload;
	size_t used = strlen(seen->text);

	snprintf(seen->text + used, sizeof(seen->text) - used, "%.*s %s %.*s %.*s %d;", (int)host->host.size,
		 host->host.bytes, history_host_state_name(host->state), (int)host->owner.size,
		 host->owner.bytes, (int)host->words.size, host->words.bytes, host->by_operator);
	return 0;
}

static const char *list(struct state *state)
{
	static struct seen seen;
	struct err err = ERR_INIT;

	seen.text[0] = '\0';
	ck_assert_msg(history_each_host(state->store, 100, note, &seen, &err) == 0, "%s", err.text);
	return seen.text;
}

START_TEST(a_host_turns_and_turns_back)
{
	struct state state = { 0 };

	state_open(&state);
	turn(&state, "a.example", "w1", HISTORY_HOST_OPEN, NOW);
	ck_assert_str_eq(list(&state), "a.example open w1 500 Internal Server Error 1;");
	ck_assert_int_eq(state_ask(&state, "SELECT until FROM host_state"), NOW + 3600);
	turn(&state, "a.example", "w1", HISTORY_HOST_HALF, NOW + 3600);
	ck_assert_str_eq(list(&state), "a.example half w1 500 Internal Server Error 1;");
	turn(&state, "a.example", "w1", HISTORY_HOST_CLOSED, NOW + 3601);
	ck_assert_str_eq(list(&state), "a.example closed w1 500 Internal Server Error 1;");
	ck_assert_int_eq(state_ask(&state, "SELECT since FROM host_state WHERE until IS NULL"), NOW + 3601);
	turn(&state, "b.example", "w1", HISTORY_HOST_OPEN, NOW);
	turn(&state, "b.example", "w2", HISTORY_HOST_CLOSED, NOW);
	ck_assert_str_eq(list(&state), "b.example open w1 500 Internal Server Error 1;"
			 "a.example closed w1 500 Internal Server Error 1;b.example closed w2  1;");
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM v_host_state WHERE state <> 'open'"), 2);
	state_remove(&state);
}
END_TEST

/* What stood open until yesterday is tried again by whoever asks: so the view says. */
START_TEST(the_view_knows_the_time)
{
	struct state state = { 0 };

	state_open(&state);
	turn(&state, "a.example", "w1", HISTORY_HOST_OPEN, 1000);
	ck_assert_int_eq(state_ask(&state, "SELECT state = 'half' AND retry_in_seconds = 0 FROM v_host_state"), 1);
	turn(&state, "a.example", "w1", HISTORY_HOST_OPEN, (int64_t)1 << 40);
	ck_assert_int_eq(state_ask(&state, "SELECT state = 'open' AND retry_in_seconds > 0 FROM v_host_state"), 1);
	state_remove(&state);
}
END_TEST

START_TEST(who_is_gone_says_nothing)
{
	struct state state = { 0 };
	struct err err = ERR_INIT;

	state_open(&state);
	turn(&state, "a.example", "w1", HISTORY_HOST_OPEN, NOW);
	turn(&state, "a.example", "w2", HISTORY_HOST_CLOSED, NOW);
	ck_assert_int_eq(history_host_forget_owner(state.store, TEXT("w1"), &err), 0);
	ck_assert_str_eq(list(&state), "a.example closed w2  1;");
	ck_assert_int_eq(history_host_forget_stale(state.store, NOW + DAY, &err), 0);
	ck_assert_str_eq(list(&state), "a.example closed w2  1;");
	ck_assert_int_eq(history_host_forget_stale(state.store, NOW + DAY + 1, &err), 0);
	ck_assert_str_eq(list(&state), "");
	turn(&state, "a.example", "w1", HISTORY_HOST_OPEN, NOW);
	ck_assert_int_eq(history_host_forget_stale(state.store, NOW + DAY + 1, &err), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM host_state"), 1);
	ck_assert_int_eq(history_host_forget_stale(state.store, NOW - DAY - 1, &err), 0);
	ck_assert_int_eq(state_ask(&state, "SELECT count(*) FROM host_state"), 0);
	state_remove(&state);
}
END_TEST

static int torment(void *payload, struct err *err)
{
	struct state *state = payload;
	struct history_host host = host_of("a.example", "w", HISTORY_HOST_OPEN, NOW);
	struct seen seen = { "" };

	if (history_host_turned(state->store, &host, err) < 0 ||
	    history_each_host(state->store, 10, note, &seen, err) < 0)
		return -1;
	return history_host_forget_owner(state->store, TEXT("w"), err);
}

START_TEST(survives_every_allocation_failure)
{
	struct state state = { 0 };

	state_open(&state);
	support_every_allocation_failure(torment, &state, 100);
	state_remove(&state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hosts");
	TCase *tcase = tcase_create("hosts");

	tcase_add_test(tcase, a_host_turns_and_turns_back);
	tcase_add_test(tcase, the_view_knows_the_time);
	tcase_add_test(tcase, who_is_gone_says_nothing);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

/* test_breaker -- hosts that keep failing, and what becomes of those who ask for them. */
#include "fetch/harness.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Several requests of ours, however busy the machine is. */
static int64_t block_millis(void)
{
	static int64_t millis;

	if (millis == 0)
		millis = support_stretched(1000);
	return millis;
}

static const char *blocked(void)
{
	char duration[64];

	duration_format(block_millis(), duration, sizeof(duration));
	return support_printf("Host 127.0.0.1 is temporarily blocked because there were too many download "
			      "failures. It will remain blocked for a maximum of %s. The error that triggered "
			      "the block was: `download failed: 500 Internal Server Error`.", duration);
}

static void outlast_block(void)
{
	usleep((useconds_t)(block_millis() + 100) * 1000);
}

static struct config breaker_config(void)
{
	struct config config = plain_config();

	config.deny_list_threshold = 2;
	config.deny_list_block_millis = block_millis();
	return config;
}

static struct outcome ask(struct fetcher *fetcher, const char *path)
{
	return fetch_with(fetcher, (struct fetch_order){ .url = at("%s", path), .breaker = true });
}

static void check_ask(struct fetcher *fetcher, const char *path, enum err_kind kind,
		      const char *text)
{
	struct outcome outcome = ask(fetcher, path);

	check(&outcome, path, kind, text);
}

START_TEST(failing_hosts_are_left_alone)
{
	struct config config = breaker_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome outcomes[3];

	check_ask(fetcher, "status/404", ERR_NOT_FOUND, NULL);
	check_ask(fetcher, "status/403", ERR_DENIED, NULL);
	check_ask(fetcher, "status/404", ERR_NOT_FOUND, NULL);
	check_ask(fetcher, "status/500", ERR_DOWNLOAD, "500 Internal Server Error");
	check_ask(fetcher, "status/500", ERR_DOWNLOAD, "500 Internal Server Error");
	check_ask(fetcher, "body/8", ERR_DOWNLOAD, blocked());
	/* without the breaker it is still reached */
	outcomes[0] = fetch_with(fetcher, (struct fetch_order){ .url = at("body/8") });
	check(&outcomes[0], "no breaker", ERR_NONE, "");
	outlast_block();
	/* of three, one is the probe; it fails, and the others are refused without a request */
	for (size_t i = 0; i < 3; i++)
		start(fetcher, (struct fetch_order){ .url = at("status/502"), .breaker = true },
		      &outcomes[i]);
	run(fetcher, NULL);
	check(&outcomes[0], "probe", ERR_DOWNLOAD, "502 Bad Gateway");
	check(&outcomes[1], "behind the probe", ERR_DOWNLOAD, blocked());
	check(&outcomes[2], "behind the probe", ERR_DOWNLOAD, blocked());
	/* of two, the first one finds the host well */
	for (size_t i = 0; i < 2; i++)
		start(fetcher, (struct fetch_order){ .url = at("body/9"), .breaker = true }, &outcomes[i]);
	run(fetcher, NULL);
	check(&outcomes[0], "probe", ERR_NONE, "");
	check(&outcomes[1], "behind the probe", ERR_NONE, "");
	fetcher_close(fetcher);
	ck_assert_int_eq(hits("status/502"), 3);
}
END_TEST

START_TEST(some_hosts_are_never_left_alone)
{
	static const char *const never[] = { "127.0.0.1" };
	struct config config = breaker_config();
	struct fetcher *fetcher;

	config.deny_list_never_block = never;
	config.deny_list_never_block_count = 1;
	fetcher = open_fetcher(&config);
	for (int i = 0; i < 4; i++)
		check_ask(fetcher, "status/500", ERR_DOWNLOAD, "500 Internal Server Error");
	fetcher_close(fetcher);
	config.deny_list_never_block_count = 0;
	config.deny_list_enabled = false;
	fetcher = open_fetcher(&config);
	for (int i = 0; i < 4; i++)
		check_ask(fetcher, "status/500", ERR_DOWNLOAD, "500 Internal Server Error");
	fetcher_close(fetcher);
}
END_TEST

/* A restricted address says nothing about the host. */
/* A request may name the operator's host as badly as it likes. */
START_TEST(requests_do_not_block_the_operators_sources)
{
	struct config config = breaker_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct fetch_order order = { .url = at("body/8"), .breaker = true, .trusted = true };
	struct outcome outcome;

	check_ask(fetcher, "status/500", ERR_DOWNLOAD, NULL);
	check_ask(fetcher, "status/500", ERR_DOWNLOAD, NULL);
	check_ask(fetcher, "body/8", ERR_DOWNLOAD, NULL);
	outcome = fetch_with(fetcher, order);
	check(&outcome, "the operator's", ERR_NONE, "");
	fetcher_close(fetcher);
}
END_TEST

struct turns { char text[1024]; };

static void note_turn(void *payload, const struct fetch_host_turn *turn)
{
	static const char *const states[] = {
		[FETCH_HOST_CLOSED] = "closed", [FETCH_HOST_OPEN] = "open", [FETCH_HOST_HALF] = "half",
	};
	struct turns *turns = payload;
	size_t used = strlen(turns->text);

	snprintf(turns->text + used, sizeof(turns->text) - used, "%s %s %s %d %lld %s;", turn->host,
		 states[turn->state], turn->source_id ? turn->source_id : "-", turn->trusted,
		 (long long)turn->blocked_millis, turn->words ? turn->words : "-");
}

/* Each turn once: a probe that fails turns nothing, nor do further failures. */
START_TEST(who_watches_is_told_of_turns)
{
	struct config config = breaker_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct fetch_order order = { .url = at("status/500"), .breaker = true, .trusted = true,
				     .source_id = "vendor" };
	struct turns turns = { "" };
	struct outcome outcome;
	const char *opened;

	fetcher_watch_hosts(fetcher, note_turn, &turns);
	outcome = fetch_with(fetcher, order);
	ck_assert_str_eq(turns.text, "");
	outcome = fetch_with(fetcher, order);
	check(&outcome, "the second", ERR_DOWNLOAD, NULL);
	opened = support_printf("127.0.0.1 open vendor 1 %lld 500 Internal Server Error;", (long long)block_millis());
	ck_assert_str_eq(turns.text, opened);
	turns.text[0] = '\0';
	check_ask(fetcher, "body/8", ERR_NONE, "");
	outcome = fetch_with(fetcher, order);
	ck_assert_str_eq(turns.text, "");
	outlast_block();
	outcome = fetch_with(fetcher, order);
	ck_assert_str_eq(turns.text, "127.0.0.1 half vendor 1 0 -;");
	outcome = fetch_with(fetcher, order);
	ck_assert_str_eq(turns.text, support_printf("127.0.0.1 half vendor 1 0 -;%s", opened));
	turns.text[0] = '\0';
	outlast_block();
	order.url = at("body/8");
	outcome = fetch_with(fetcher, order);
	check(&outcome, "well again", ERR_NONE, "");
	ck_assert_str_eq(turns.text, "127.0.0.1 half vendor 1 0 -;127.0.0.1 closed vendor 1 0 -;");
	fetcher_close(fetcher);
}
END_TEST

START_TEST(our_own_refusals_do_not_count)
{
	struct config config = breaker_config();
	struct fetcher *fetcher;

	config.connect_to_reserved_ips = false;
	fetcher = open_fetcher(&config);
	for (int i = 0; i < 4; i++)
		check_ask(fetcher, "body/8", ERR_DOWNLOAD, "destination is restricted");
	fetcher_close(fetcher);
}
END_TEST

START_TEST(a_cancelled_probe_lets_others_try)
{
	struct config config = breaker_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome probe, next;
	struct fetch *fetch;
	struct err err = ERR_INIT;

	check_ask(fetcher, "status/500", ERR_DOWNLOAD, NULL);
	check_ask(fetcher, "status/500", ERR_DOWNLOAD, NULL);
	outlast_block();
	fetch = start(fetcher, (struct fetch_order){ .url = at("silent"), .breaker = true }, &probe);
	ck_assert_int_eq(fetcher_step(fetcher, NULL, 0, 10, &err), 0);
	start(fetcher, (struct fetch_order){ .url = at("body/8"), .breaker = true }, &next);
	ck_assert_int_eq(fetcher_step(fetcher, NULL, 0, 10, &err), 0);
	ck_assert(!next.done);
	fetch_cancel(fetcher, fetch);
	run(fetcher, &next.done);
	check(&next, "after the probe", ERR_NONE, "");
	ck_assert(!probe.done);
	fetcher_close(fetcher);
}
END_TEST

/* libcurl finds this one before the C library's: a name that leads nowhere, until it does. */
static atomic_uint look_ups;
static atomic_bool is_known;

typedef int getaddrinfo_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	void *next = dlsym(RTLD_NEXT, "getaddrinfo");
	getaddrinfo_fn *real;

	memcpy(&real, &next, sizeof(real));
	if (!node || strcmp(node, "nowhere.test") != 0)
		return real(node, service, hints, found);
	atomic_fetch_add(&look_ups, 1);
	return atomic_load(&is_known) ? real("127.0.0.1", service, hints, found) : EAI_NONAME;
}

/* It says nothing about any file: nothing remembers it but this, for seconds. */
START_TEST(a_name_that_leads_nowhere_is_asked_again_in_seconds)
{
	struct config config = breaker_config();
	struct fetch_order order = {
		.url = support_printf("http://nowhere.test:%d/body/8", port), .breaker = true,
	};
	struct fetcher *fetcher;
	struct outcome outcome;
	unsigned first;

	config.deny_list_enabled = false;
	fetcher = open_fetcher(&config);
	outcome = fetch_with(fetcher, order);
	check(&outcome, "nowhere", ERR_RESOLVE, "Could not resolve host: nowhere.test");
	ck_assert(!err_kind_is_lasting(outcome.status.kind));
	first = atomic_load(&look_ups);
	ck_assert_uint_gt(first, 0);
	outcome = fetch_with(fetcher, order);
	check(&outcome, "the same at once", ERR_RESOLVE, "Could not resolve host: nowhere.test");
	ck_assert_uint_eq(atomic_load(&look_ups), first);
	atomic_store(&is_known, true);
	usleep(5100 * 1000);
	outcome = fetch_with(fetcher, order);
	check(&outcome, "a moment later", ERR_NONE, "");
	fetcher_close(fetcher);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("breaker");
	TCase *tcase = tcase_create("breaker");

	tcase_add_test(tcase, failing_hosts_are_left_alone);
	tcase_add_test(tcase, some_hosts_are_never_left_alone);
	tcase_add_test(tcase, requests_do_not_block_the_operators_sources);
	tcase_add_test(tcase, who_watches_is_told_of_turns);
	tcase_add_test(tcase, our_own_refusals_do_not_count);
	tcase_add_test(tcase, a_cancelled_probe_lets_others_try);
	tcase_add_test(tcase, a_name_that_leads_nowhere_is_asked_again_in_seconds);
	tcase_set_timeout(tcase, 90);
	suite_add_tcase(suite, tcase);
	return harness_main(suite);
}

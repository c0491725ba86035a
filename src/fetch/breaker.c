/* breaker.c -- see breaker.h. */
#include "fetch/breaker.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "config/config.h"

#define BUCKETS 64u
#define NAMELESS_MILLIS 5000             /* a name that leads nowhere is not looked up again at once */
#define MOST_HOSTS ((size_t)4096)        /* requests name hosts as they like */

struct failure_bucket { int64_t start_millis; uint64_t failures; };

struct host {
	char *name;
	int64_t nameless_until_millis;       /* its name led nowhere a moment ago */
	struct err nameless;
	struct failure_bucket buckets[BUCKETS];      /* a ring by time */
	int64_t blocked_until_millis;
	enum fetch_host_state told;          /* what whoever watches was told last */
	bool half_open;                      /* blocked once, no success since */
	bool probing;
	bool probe_failed;                   /* for those who waited for it */
	struct err trigger;
};

void breaker_init(struct breaker *breaker, const struct config *config)
{
	*breaker = (struct breaker){ .config = config };
	map_init(&breaker->hosts);
}

static void free_host(struct host *host)
{
	mem_give_back(host->name);
	mem_give_back(host);
}

void breaker_release(struct breaker *breaker)
{
	size_t at = 0;
	struct text name;
	void *host;

	while (map_next(&breaker->hosts, &at, &name, &host))
		free_host(host);
	map_release(&breaker->hosts);
}

static bool applies(const struct breaker *breaker, const char *host)
{
	if (!breaker->config->deny_list_enabled)
		return false;
	for (size_t i = 0; i < breaker->config->deny_list_never_block_count; i++)
		if (text_equal_ignoring_case(text_of(host),
					     text_of(breaker->config->deny_list_never_block[i])))
			return false;
	return true;
}

/* Buckets are widened when the window holds more of them than we keep. */
static int64_t bucket_millis(const struct config *config)
{
	int64_t size = config->deny_list_bucket_millis;
	int64_t least = config->deny_list_window_millis / (int64_t)(BUCKETS - 2) + 1;

	return size > least ? size : least;
}

static void count_failure(struct host *host, const struct config *config, int64_t now)
{
	int64_t size = bucket_millis(config);
	int64_t number = now / size;
	struct failure_bucket *bucket = &host->buckets[(uint64_t)number % BUCKETS];

	if (bucket->start_millis != number * size)
		*bucket = (struct failure_bucket){ number * size, 0 };
	bucket->failures++;
}

static uint64_t recent_failures(const struct host *host, const struct config *config, int64_t now)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < BUCKETS; i++)
		if (now - host->buckets[i].start_millis <= config->deny_list_window_millis)
			sum += host->buckets[i].failures;
	return sum;
}

static void forget_failures(struct host *host)
{
	for (size_t i = 0; i < BUCKETS; i++)
		host->buckets[i] = (struct failure_bucket){ INT64_MIN / 2, 0 };
}

static void tell(const struct breaker *breaker, struct host *host, enum fetch_host_state state)
{
	struct fetch_host_turn turn = { .host = host->name, .state = state };

	if (host->told == state)
		return;
	host->told = state;
	if (state == FETCH_HOST_OPEN) {
		turn.blocked_millis = breaker->config->deny_list_block_millis;
		turn.words = host->trigger.text;
	}
	if (breaker->turned)
		breaker->turned(breaker->payload, &turn);
}

static bool is_idle(const struct host *host, const struct config *config, int64_t now)
{
	return !host->probing && now >= host->blocked_until_millis &&
	       now >= host->nameless_until_millis &&
	       recent_failures(host, config, now) == 0;
}

static void drop_idle(struct breaker *breaker, int64_t now)
{
	size_t at = 0;
	struct text name;
	void *host;

	while (map_next(&breaker->hosts, &at, &name, &host)) {
		if (!is_idle(host, breaker->config, now))
			continue;
		map_remove(&breaker->hosts, name);
		free_host(host);
	}
}

static struct host *host_named(const struct breaker *breaker, const char *name)
{
	return map_get(&breaker->hosts, text_of(name));
}

/* NULL when there are too many or no memory: that host is then not watched. */
static struct host *host_made(struct breaker *breaker, const char *name, int64_t now)
{
	struct host *host = host_named(breaker, name);

	if (host)
		return host;
	if (breaker->hosts.count >= MOST_HOSTS)
		drop_idle(breaker, now);
	if (breaker->hosts.count >= MOST_HOSTS)
		return NULL;
	host = mem_get(sizeof(*host));
	if (!host)
		return NULL;
	forget_failures(host);
	host->blocked_until_millis = host->nameless_until_millis = INT64_MIN;
	host->name = mem_strdup(name);
	if (!host->name || map_put(&breaker->hosts, text_of(host->name), host) < 0) {
		free_host(host);
		return NULL;
	}
	return host;
}

/* The sentence is Symbolicator's, word for word: people search for it. */
static void refuse(const struct breaker *breaker, const struct host *host, struct err *err)
{
	char longest[64], cause[ERR_TEXT_BYTES + 32];

	duration_format(breaker->config->deny_list_block_millis, longest, sizeof(longest));
	snprintf(cause, sizeof(cause), "%s%s",
		 host->trigger.kind == ERR_TIMEOUT ? "download timed out after " : "download failed: ",
		 host->trigger.text);
	err_set(err, ERR_DOWNLOAD, "Host %s is temporarily blocked because there were too many "
		"download failures. It will remain blocked for a maximum of %s. The error that "
		"triggered the block was: `%s`.", host->name, longest, cause);
}

enum breaker_answer breaker_ask(struct breaker *breaker, const char *name, int64_t now,
				bool has_waited, struct err *err)
{
	struct host *host = host_named(breaker, name);

	if (host && now < host->nameless_until_millis) {
		*err = host->nameless;
		return BREAKER_REFUSED;
	}
	if (!host || !applies(breaker, name))
		return BREAKER_GO;
	if (now < host->blocked_until_millis || (has_waited && host->probe_failed)) {
		refuse(breaker, host, err);
		return BREAKER_REFUSED;
	}
	if (!host->half_open)
		return BREAKER_GO;
	if (host->probing)
		return BREAKER_WAIT;
	host->probing = true;
	host->probe_failed = false;
	tell(breaker, host, FETCH_HOST_HALF);
	return BREAKER_PROBE;
}

void breaker_report(struct breaker *breaker, const char *name, bool was_probe,
		    const struct err *failure, int64_t now)
{
	struct host *host;

	if (!applies(breaker, name))
		return;
	host = failure ? host_made(breaker, name, now) : host_named(breaker, name);
	if (!host)
		return;
	if (was_probe) {
		host->probing = false;
		host->probe_failed = failure != NULL;
		host->half_open = failure != NULL;
		if (!failure)
			tell(breaker, host, FETCH_HOST_CLOSED);
	}
	if (!failure)
		return;
	count_failure(host, breaker->config, now);
	if (now >= host->blocked_until_millis &&
	    recent_failures(host, breaker->config, now) >= breaker->config->deny_list_threshold) {
		host->blocked_until_millis = now + breaker->config->deny_list_block_millis;
		host->half_open = true;
		host->trigger = *failure;
		forget_failures(host);
		tell(breaker, host, FETCH_HOST_OPEN);
	}
}

void breaker_note_nameless(struct breaker *breaker, const char *name, const struct err *failure,
			   int64_t now)
{
	struct host *host = host_made(breaker, name, now);

	if (!host)
		return;
	host->nameless = *failure;
	host->nameless_until_millis = now + NAMELESS_MILLIS;
}

void breaker_forget_probe(struct breaker *breaker, const char *name)
{
	struct host *host = host_named(breaker, name);

	if (host)
		host->probing = false;
}

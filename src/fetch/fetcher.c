/*
 * fetcher.c -- the queue of orders, the clock that drives them, and who is told.
 *
 * 1. A fetch is in exactly one list: waiting (not begun), running, over (its caller is not
 *    told yet).
 * 2. Callers are told only from deliver(), with nothing of ours half done: what they call
 *    may start and cancel others.
 */
#include "fetch/transfer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "config/config.h"

#define MOST_RUNNING ((size_t)1024)
#define DESCRIPTORS_PER_FETCH 3u         /* its file, its socket, and some slack */
#define IDLE_CONNECTIONS 128L

static void link_last(struct fetch_list *list, struct fetch *fetch)
{
	fetch->list = list;
	fetch->next = NULL;
	fetch->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = fetch;
	list->last = fetch;
	list->count++;
}

static void unlink_fetch(struct fetch *fetch)
{
	struct fetch_list *list = fetch->list;

	*(fetch->previous ? &fetch->previous->next : &list->first) = fetch->next;
	*(fetch->next ? &fetch->next->previous : &list->last) = fetch->previous;
	list->count--;
}

static void move(struct fetch *fetch, struct fetch_list *list)
{
	unlink_fetch(fetch);
	link_last(list, fetch);
}

/* --- Opening and closing ------------------------------------------------------------------ */

/* Three descriptors each must stay within what the process may open. */
static size_t most_running(void)
{
	struct rlimit limit;
	size_t most = MOST_RUNNING;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur / DESCRIPTORS_PER_FETCH < most)
		most = (size_t)limit.rlim_cur / DESCRIPTORS_PER_FETCH;
	return most ? most : 1;
}

/* TLS writes to sockets that may be closed; without a handler that would end the process. */
static void ignore_broken_pipes(void)
{
	struct sigaction old;

	if (sigaction(SIGPIPE, NULL, &old) == 0 && old.sa_handler == SIG_DFL) {
		old.sa_handler = SIG_IGN;
		sigaction(SIGPIPE, &old, NULL);
	}
}

int fetcher_open(struct fetcher **fetcher, const struct config *config, struct err *err)
{
	struct fetcher *made;

	*fetcher = NULL;
	made = mem_get(sizeof(*made));
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for transfers");
	made->config = config;
	made->most_running = most_running();
	made->part_bytes = FETCH_PART_BYTES;
	for (size_t i = 0; i < 2; i++)
		breaker_init(&made->breakers[i], config);
	ignore_broken_pipes();
	*fetcher = made;
	return 0;
}

/* A breaker says what it knows; who it was about is known here. */
static void pass_on_turn(void *payload, const struct fetch_host_turn *turn)
{
	const struct fetcher *fetcher = payload;
	struct fetch_host_turn whole = *turn;

	whole.source_id = fetcher->turning->source_id;
	whole.trusted = fetcher->turning->trusted;
	fetcher->turned(fetcher->turned_payload, &whole);
}

void fetcher_watch_hosts(struct fetcher *fetcher, fetch_host_fn *turned, void *payload)
{
	fetcher->turned = turned;
	fetcher->turned_payload = payload;
	for (size_t i = 0; i < 2; i++) {
		fetcher->breakers[i].turned = turned ? pass_on_turn : NULL;
		fetcher->breakers[i].payload = fetcher;
	}
}

static void free_fetch(struct fetch *fetch)
{
	attempt_stop(fetch);
	for (size_t i = 0; i < fetch->header_count; i++)
		mem_give_back((void *)(uintptr_t)fetch->headers[i].name.bytes);
	place_release(&fetch->home);
	mem_give_back(fetch->headers);
	mem_give_back(fetch->source_id);
	mem_give_back(fetch->proxy);
	mem_give_back(fetch->method);
	mem_give_back(fetch->sent);
	mem_give_back(fetch->source_map);
	sending_close(&fetch->sending);
	mem_give_back(fetch);
}

void fetcher_close(struct fetcher *fetcher)
{
	struct fetch_list *lists[] = { &fetcher->waiting, &fetcher->running, &fetcher->over };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		while (lists[i]->first) {
			struct fetch *fetch = lists[i]->first;

			unlink_fetch(fetch);
			free_fetch(fetch);
		}
	}
	if (fetcher->multi)
		curl_library.multi_cleanup(fetcher->multi);
	for (size_t i = 0; i < 2; i++)
		breaker_release(&fetcher->breakers[i]);
	mem_give_back(fetcher->waits);
	mem_give_back(fetcher->polls);
	mem_give_back(fetcher);
}

/* --- Orders ------------------------------------------------------------------------------- */

/* Name and value in one block, the name first. */
static int copy_header(struct fetch_header *copy, const struct fetch_header *header)
{
	char *bytes = mem_get(header->name.size + header->value.size + 1);

	if (!bytes)
		return -1;
	memcpy(bytes, header->name.bytes, header->name.size);
	if (header->value.size > 0)
		memcpy(bytes + header->name.size, header->value.bytes, header->value.size);
	copy->name = (struct text){ bytes, header->name.size };
	copy->value = (struct text){ bytes + header->name.size, header->value.size };
	return 0;
}

static int copy_headers(struct fetch *fetch, const struct fetch_order *order)
{
	if (order->header_count == 0)
		return 0;
	fetch->headers = mem_get_array(order->header_count, sizeof(*fetch->headers));
	if (!fetch->headers)
		return -1;
	for (; fetch->header_count < order->header_count; fetch->header_count++)
		if (copy_header(&fetch->headers[fetch->header_count],
				&order->headers[fetch->header_count]) < 0)
			return -1;
	return 0;
}

static int copy_errand(struct fetch *fetch, const struct fetch_order *order)
{
	if (!order->method)
		return 0;
	fetch->method = mem_strdup(order->method);
	fetch->sent = mem_get(order->body.size + 1);
	if (!fetch->method || !fetch->sent)
		return -1;
	if (order->body.size > 0)
		memcpy(fetch->sent, order->body.bytes, order->body.size);
	fetch->sent_bytes = order->body.size;
	return 0;
}

static int64_t or_else(int64_t millis, int64_t configured)
{
	return millis ? millis : configured;
}

static void copy_times(struct fetch *fetch, const struct fetch_order *order)
{
	const struct config *config = fetch->fetcher->config;

	fetch->total_millis = or_else(order->total_millis, config->max_download_timeout_millis);
	fetch->connect_millis = or_else(order->connect_millis, config->connect_timeout_millis);
	fetch->head_millis = or_else(order->head_millis, config->head_timeout_millis);
}

/* An address nobody can use is no failure to start: it is how the fetch ends. */
static int copy_order(struct fetch *fetch, const struct fetch_order *order, struct err *err)
{
	fetch->source_id = mem_strdup(order->source_id ? order->source_id : "");
	fetch->proxy = order->proxy ? mem_strdup(order->proxy) : NULL;
	if (!fetch->source_id || (order->proxy && !fetch->proxy) || copy_headers(fetch, order) < 0 || copy_errand(fetch, order) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for a transfer");
	if (fetch_place_of(order->url, NULL, &fetch->home, &fetch->result) == 0)
		fetch->host_hash = hash_fast(fetch->home.host, strlen(fetch->home.host));
	else if (fetch->result.kind == ERR_NO_MEMORY)
		return err_set(err, ERR_NO_MEMORY, "no memory for a transfer");
	fetch->accept_invalid_certs = order->accept_invalid_certs;
	fetch->trusted = order->trusted;
	fetch->trusted_everywhere = order->trusted_everywhere;
	fetch->is_whole = order->is_whole;
	fetch->judge = order->judge;
	fetch->is_once = order->is_once;
	copy_times(fetch, order);
	fetch->breaker = order->breaker;
	fetch->max_bytes = order->max_bytes;
	fetch->known = order->known;
	fetch->fd = order->fd;
	return !order->file ? 0 : sending_open(&fetch->sending, order->file->fd, order->file->bytes,
					       order->file->compressed, err);
}

/* Not before something is fetched. */
static int open_multi(struct fetcher *fetcher, struct err *err)
{
	if (fetcher->multi)
		return 0;
	if (curl_library_load(err) < 0)
		return -1;
	fetcher->multi = curl_library.multi_init();
	if (!fetcher->multi)
		return err_set(err, ERR_NO_MEMORY, "no memory for transfers");
	curl_library.multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS);
	return 0;
}

int fetch_start(struct fetcher *fetcher, const struct fetch_order *order, fetch_done_fn *done,
		void *payload, struct fetch **fetch, struct err *err)
{
	struct fetch *made;

	*fetch = NULL;
	if (open_multi(fetcher, err) < 0)
		return -1;
	made = mem_get(sizeof(*made));
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for a transfer");
	made->fetcher = fetcher;
	made->done = done;
	made->payload = payload;
	made->sending.fd = -1;
	made->due_at = made->deadline_at = made->head_deadline_at = FETCH_NEVER;
	if (copy_order(made, order, err) < 0) {
		free_fetch(made);
		return -1;
	}
	link_last(made->result.kind == ERR_NONE ? &fetcher->waiting : &fetcher->over, made);
	fetcher->look = true;
	*fetch = made;
	return 0;
}

static struct breaker *breaker_of(const struct fetch *fetch)
{
	return &fetch->fetcher->breakers[fetch->trusted];
}

void fetch_cancel(struct fetcher *fetcher, struct fetch *fetch)
{
	if (fetch->is_probe && !fetch->ended)
		breaker_forget_probe(breaker_of(fetch), fetch->home.host);
	unlink_fetch(fetch);
	free_fetch(fetch);
	fetcher->look = true;
}

struct text fetch_source_map(const struct fetch *fetch)
{
	return text_of(fetch->source_map);
}

int64_t fetch_fresh_seconds(const struct fetch *fetch)
{
	return http_freshness_seconds(&fetch->freshness, clock_unix_seconds());
}

bool fetch_is_unchanged(const struct fetch *fetch)
{
	return fetch->is_unchanged;
}

struct fetch_validators fetch_validators(const struct fetch *fetch)
{
	static const struct fetch_validators none;

	return fetch->redirects > 0 || fetch->freshness.is_not_kept ? none : fetch->validators;
}

size_t fetcher_active(const struct fetcher *fetcher)
{
	return fetcher->waiting.count + fetcher->running.count + fetcher->over.count;
}

/* --- Starting what waits ------------------------------------------------------------------ */

/* One host that hangs must leave room for the others: as many as are running may not all be its
 * own.  Only one host can have that many, and looking for it once serves all that wait. */
struct crowd { uint64_t host_hash; size_t count, most; };

static struct crowd find_crowd(const struct fetcher *fetcher)
{
	struct crowd crowd = { .most = fetcher->most_running - fetcher->most_running / 4 };
	size_t lead = 0;

	if (fetcher->running.count < crowd.most)
		return crowd;
	for (const struct fetch *fetch = fetcher->running.first; fetch; fetch = fetch->next) {
		if (lead == 0)
			crowd.host_hash = fetch->host_hash;
		if (fetch->host_hash == crowd.host_hash)
			lead++;
		else
			lead--;
	}
	for (const struct fetch *fetch = fetcher->running.first; fetch; fetch = fetch->next)
		crowd.count += fetch->host_hash == crowd.host_hash;
	return crowd;
}

/* May it begin?  Ends it when its host is blocked. */
static bool is_let_go(struct fetcher *fetcher, struct fetch *fetch, int64_t now)
{
	struct err err = ERR_INIT;

	if (!fetch->breaker)
		return true;
	fetcher->turning = fetch;
	switch (breaker_ask(breaker_of(fetch), fetch->home.host, now, fetch->has_waited, &err)) {
	case BREAKER_PROBE:
		fetch->is_probe = true;
		return true;
	case BREAKER_WAIT:
		fetch->has_waited = true;
		return false;
	case BREAKER_REFUSED:
		fetch->result = err;
		move(fetch, &fetcher->over);
		return false;
	default:
		return true;
	}
}

static void start_waiting(struct fetcher *fetcher, int64_t now)
{
	struct fetch *next;
	struct crowd crowd;

	if (!fetcher->look)
		return;
	fetcher->look = false;
	crowd = find_crowd(fetcher);
	for (struct fetch *fetch = fetcher->waiting.first; fetch; fetch = next) {
		next = fetch->next;
		if (fetcher->running.count >= fetcher->most_running)
			break;
		if (crowd.count >= crowd.most && fetch->host_hash == crowd.host_hash)
			continue;
		if (!is_let_go(fetcher, fetch, now))
			continue;
		move(fetch, &fetcher->running);
		if (fetcher->running.count == crowd.most)
			crowd = find_crowd(fetcher);
		else
			crowd.count += fetch->host_hash == crowd.host_hash;
		fetch->deadline_at = fetch->total_millis > 0 ? now + fetch->total_millis
							     : FETCH_NEVER;
		attempt_begin(fetch, now);
	}
}

/* --- Moving on ---------------------------------------------------------------------------- */

static void read_messages(struct fetcher *fetcher, int64_t now)
{
	CURLMsg *message;
	int left;

	while ((message = curl_library.multi_info_read(fetcher->multi, &left))) {
		CURLcode code = message->data.result;
		void *request = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_library.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &request);
		attempt_http_request_over(((struct http_request *)request)->fetch, request, code, now);
	}
}

static void report(const struct fetch *fetch, int64_t now)
{
	enum err_kind kind = fetch->result.kind;
	bool failed = (kind == ERR_DOWNLOAD || kind == ERR_TIMEOUT) && fetch->blame == BLAME_HOST;
	bool answered = kind == ERR_NONE || kind == ERR_NOT_FOUND || kind == ERR_DENIED;

	if (!fetch->breaker)
		return;
	if (kind == ERR_RESOLVE && !fetch->away)
		breaker_note_nameless(breaker_of(fetch), fetch->home.host, &fetch->result, now);
	fetch->fetcher->turning = fetch;
	if (failed || answered)
		breaker_report(breaker_of(fetch), fetch->home.host, fetch->is_probe,
			       failed ? &fetch->result : NULL, now);
	else if (fetch->is_probe)
		breaker_forget_probe(breaker_of(fetch), fetch->home.host);
}

static void keep_time(struct fetcher *fetcher, int64_t now)
{
	struct fetch *next;

	for (struct fetch *fetch = fetcher->running.first; fetch; fetch = next) {
		next = fetch->next;
		attempt_time(fetch, now);
		if (!fetch->ended)
			continue;
		report(fetch, now);
		move(fetch, &fetcher->over);
		fetcher->look = true;
	}
}

static int move_on(struct fetcher *fetcher, struct err *err)
{
	CURLMcode rc;
	int64_t now;
	int running;

	if (!fetcher->multi)
		return 0;
	start_waiting(fetcher, clock_monotonic_millis());
	rc = curl_library.multi_perform(fetcher->multi, &running);
	if (rc != CURLM_OK)
		return err_set(err, ERR_INTERNAL, "libcurl: %s", curl_library.multi_strerror(rc));
	now = clock_monotonic_millis();
	read_messages(fetcher, now);
	keep_time(fetcher, now);
	return 0;
}

static int patience(const struct fetcher *fetcher, int millis)
{
	int64_t next = FETCH_NEVER, now = clock_monotonic_millis();

	if (fetcher->over.first)
		return 0;
	for (const struct fetch *fetch = fetcher->running.first; fetch; fetch = fetch->next) {
		int64_t at = attempt_next_time(fetch);

		if (at < next)
			next = at;
	}
	if (next <= now)
		return 0;
	return next - now < millis ? (int)(next - now) : millis;
}

static int wait_for_others(struct fetcher *fetcher, const struct fetch_poll *others, size_t count,
			   int millis, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		fetcher->polls[i] = (struct pollfd){ .fd = others[i].fd, .events = POLLIN };
	if (poll(fetcher->polls, (nfds_t)count, millis) < 0 && errno != EINTR)
		return err_os(err, errno, "waiting for descriptors");
	return 0;
}

/* curl does not say that a pipe was hung up, so readiness is asked of the system itself. */
static int ask_others(struct fetcher *fetcher, struct fetch_poll *others, size_t count,
		      struct err *err)
{
	if (count > 0 && wait_for_others(fetcher, others, count, 0, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		others[i].ready = fetcher->polls[i].revents != 0;
	return 0;
}

static int wait_for_all(struct fetcher *fetcher, const struct fetch_poll *others, size_t count,
			int millis, struct err *err)
{
	CURLMcode rc;

	if (vec_reserve(&fetcher->waits, &fetcher->waits_capacity, count, sizeof(*fetcher->waits)) < 0 ||
	    vec_reserve(&fetcher->polls, &fetcher->polls_capacity, count, sizeof(*fetcher->polls)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory to wait for descriptors");
	for (size_t i = 0; i < count; i++)
		fetcher->waits[i] = (struct curl_waitfd){ .fd = others[i].fd,
							  .events = CURL_WAIT_POLLIN };
	if (!fetcher->multi)
		return wait_for_others(fetcher, others, count, millis, err);
	rc = curl_library.multi_poll(fetcher->multi, fetcher->waits, (unsigned)count,
			     patience(fetcher, millis), NULL);
	if (rc != CURLM_OK)
		return err_set(err, ERR_INTERNAL, "libcurl: %s", curl_library.multi_strerror(rc));
	return 0;
}

static void log_end(const struct fetch *fetch)
{
	struct log_field fields[] = {
		{ "source", fetch->source_id },
		{ "host", fetch->home.host },
		{ "status", err_kind_name(fetch->result.kind) },
		{ "details", fetch->result.kind != ERR_NONE ? fetch->result.text : NULL },
	};

	if (log_wants(LOG_DEBUG))
		log_event(LOG_DEBUG, "download", fields, sizeof(fields) / sizeof(fields[0]));
}

/* Only who was over when this began: a callback's own failed order waits for the next turn. */
static void deliver(struct fetcher *fetcher)
{
	size_t count = fetcher->over.count;

	while (count-- > 0 && fetcher->over.first) {
		struct fetch *fetch = fetcher->over.first;

		unlink_fetch(fetch);
		log_end(fetch);
		fetch->done(fetch->payload, &fetch->result,
			    fetch->result.kind == ERR_NONE ? fetch->body_bytes : 0);
		free_fetch(fetch);
	}
}

int fetcher_step(struct fetcher *fetcher, struct fetch_poll *others, size_t count, int millis,
		 struct err *err)
{
	if (move_on(fetcher, err) < 0 || wait_for_all(fetcher, others, count, millis, err) < 0 ||
	    move_on(fetcher, err) < 0)
		return -1;
	if (ask_others(fetcher, others, count, err) < 0)
		return -1;
	deliver(fetcher);
	return 0;
}

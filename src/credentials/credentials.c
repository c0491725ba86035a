/*
 * credentials.c -- see credentials.h.
 *
 * 1. a credential is asked for (fetch set, or about to be) only while somebody waits for it; the
 *    source whose steps it follows is that of its first waiter.
 * 2. Failures are told to those who waited and not kept.
 */
#include "credentials/credentials.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "source/source.h"

#define CREDENTIALS_MAX       100u
#define CREDENTIAL_ARENA_BYTES ((size_t)8 << 20)
#define DOUBT_SECONDS    60          /* a younger one is not the reason */

struct credential {
	struct credential *next;
	struct credentials *credentials;
	uint8_t name[HASH_SHA256_BYTES];
	struct arena arena;
	struct source_credential way;
	bool is_had;
	int64_t asked_at;                    /* unix seconds */
	struct credential_wait *waiting;
	struct fetch *fetch;
	int fd;                              /* of an answer; -1 */
};

static void close_answer(struct credential *credential)
{
	if (credential->fd >= 0)
		close(credential->fd);
	credential->fd = -1;
}

static void free_credential(struct credential *credential)
{
	if (credential->fetch)
		fetch_cancel(credential->credentials->fetcher, credential->fetch);
	close_answer(credential);
	arena_release(&credential->arena);
	mem_give_back(credential);
}

static void take_out(struct credential *credential)
{
	struct credential **at = &credential->credentials->first;

	while (*at != credential)
		at = &(*at)->next;
	*at = credential->next;
}

/* the credential leaves the table when it failed; its waiters go on either way. */
static void end(struct credential *credential, const struct err *failure)
{
	struct credential_wait *waiting = credential->waiting;
	struct err why = ERR_INIT;

	credential->waiting = NULL;
	credential->is_had = !failure;
	if (failure) {
		why = *failure;
		take_out(credential);
	}
	while (waiting) {
		struct credential_wait *wait = waiting;

		waiting = wait->next;
		wait->next = NULL;
		wait->credential = NULL;
		wait->told(wait, credential->way.secret, failure ? &why : NULL);
	}
	if (failure)
		free_credential(credential);
}

static int read_answer(struct credential *credential, struct text *answer, struct err *err)
{
	off_t size = credential->fd < 0 ? 0 : lseek(credential->fd, 0, SEEK_END);
	char *bytes;

	*answer = TEXT_NONE;
	if (credential->fd < 0)
		return 0;
	bytes = size < 0 ? NULL : arena_alloc(&credential->arena, (size_t)size + 1, 1);
	if (!bytes || pread(credential->fd, bytes, (size_t)size, 0) != size)
		return err_set(err, bytes ? ERR_IO : ERR_NO_MEMORY, "reading an answer");
	*answer = (struct text){ bytes, (size_t)size };
	close_answer(credential);
	return 0;
}

static void answered(void *payload, const struct err *status, uint64_t bytes);

static int carry_out(struct credential *credential, struct err *err)
{
	struct fetch_order *order = &credential->way.order;

	credential->fd = memfd_create("pass", MFD_CLOEXEC);
	if (credential->fd < 0)
		return err_set(err, ERR_IO, "no descriptor for an answer");
	order->fd = credential->fd;
	order->max_bytes = SOURCE_CREDENTIAL_BYTES;
	if (credential->credentials->most_millis > 0)
		order->total_millis = credential->credentials->most_millis;
	return fetch_start(credential->credentials->fetcher, order, answered, credential, &credential->fetch, err);
}

/* 1: there it is, 0: an answer is waited for, -1. */
static int step(struct credential *credential, const struct source *source, struct err *err)
{
	struct text answer;
	int more;

	if (read_answer(credential, &answer, err) < 0)
		return -1;
	more = source_credential_step(source, &credential->way, answer, &credential->arena, err);
	if (more <= 0)
		return more < 0 ? -1 : 1;
	return carry_out(credential, err);
}

static void answered(void *payload, const struct err *status, uint64_t bytes)
{
	struct credential *credential = payload;
	const struct source *source = credential->waiting->source;
	struct err err = *status;
	int got;

	(void)bytes;
	credential->fetch = NULL;
	if (status->kind != ERR_NONE) {
		source_credential_fail(source, &err);
		end(credential, &err);
		return;
	}
	got = step(credential, source, &err);
	if (got != 0)
		end(credential, got < 0 ? &err : NULL);
}

/* --- The table ---------------------------------------------------------------------------- */

/* Without those that are over; NULL: there is none of that name. */
static struct credential *find(struct credentials *credentials, const uint8_t *name)
{
	int64_t now = clock_unix_seconds();
	struct credential **at = &credentials->first, *found = NULL;

	while (*at) {
		struct credential *credential = *at;

		if (credential->is_had && credential->way.until <= now) {
			*at = credential->next;
			free_credential(credential);
			continue;
		}
		if (memcmp(credential->name, name, sizeof(credential->name)) == 0)
			found = credential;
		at = &credential->next;
	}
	return found;
}

/* The oldest that nobody waits for makes room. */
static void reserve(struct credentials *credentials)
{
	struct credential *oldest = NULL;
	unsigned count = 0;

	for (struct credential *credential = credentials->first; credential; credential = credential->next) {
		count++;
		if (credential->is_had)
			oldest = credential;
	}
	if (count < CREDENTIALS_MAX || !oldest)
		return;
	take_out(oldest);
	free_credential(oldest);
}

static struct credential *make(struct credentials *credentials, const uint8_t *name)
{
	struct credential *credential = mem_get(sizeof(*credential));

	if (!credential)
		return NULL;
	reserve(credentials);
	memcpy(credential->name, name, sizeof(credential->name));
	credential->credentials = credentials;
	credential->asked_at = clock_unix_seconds();
	credential->fd = -1;
	arena_init(&credential->arena, CREDENTIAL_ARENA_BYTES);
	credential->next = credentials->first;
	credentials->first = credential;
	return credential;
}

static int begin(struct credential *credential, const struct source *source, struct err *err)
{
	int got = step(credential, source, err);

	if (got < 0) {
		take_out(credential);
		free_credential(credential);
	} else if (got > 0) {
		credential->is_had = true;
	}
	return got;
}

int credentials_ask(struct credentials *credentials, struct credential_wait *wait, struct text *secret,
	       struct err *err)
{
	uint8_t name[HASH_SHA256_BYTES];
	struct credential *credential;

	source_credential_name(wait->source, name);
	credential = find(credentials, name);
	if (!credential) {
		credential = make(credentials, name);
		if (!credential)
			return err_set(err, ERR_NO_MEMORY, "no room for a pass");
		if (begin(credential, wait->source, err) < 0)
			return -1;
	}
	if (credential->is_had) {
		*secret = credential->way.secret;
		return 1;
	}
	wait->credential = credential;
	wait->next = credential->waiting;
	credential->waiting = wait;
	return 0;
}

void credentials_leave(struct credential_wait *wait)
{
	struct credential *credential = wait->credential;
	struct credential_wait **at;

	if (!credential)
		return;
	for (at = &credential->waiting; *at != wait; at = &(*at)->next)
		;
	*at = wait->next;
	wait->next = NULL;
	wait->credential = NULL;
	if (credential->waiting)
		return;
	take_out(credential);
	free_credential(credential);
}

void credentials_doubt(struct credentials *credentials, const struct source *source)
{
	uint8_t name[HASH_SHA256_BYTES];
	struct credential *credential;

	source_credential_name(source, name);
	credential = find(credentials, name);
	if (credential && credential->is_had && clock_unix_seconds() - credential->asked_at >= DOUBT_SECONDS) {
		take_out(credential);
		free_credential(credential);
	}
}

void credentials_release(struct credentials *credentials)
{
	while (credentials->first) {
		struct credential *credential = credentials->first;

		credentials->first = credential->next;
		free_credential(credential);
	}
}

/*
 * upload.c -- entries told to the shared cache: a bounded queue, and a few on their way.
 *
 * A queued entry is only named; its file is opened, and compared with its checksum, when its turn comes, by
 * another thread (shared_means.aside).  One that is gone by then, or damaged, is left out.  A copy in a folder is
 * synced and named there, too.  First come, first kept: a bucket is asked to take an object only where
 * there is none (412 is an answer like any other), or, where its server does not know such
 * conditions, asked before.
 */
#include "shared/shared_internal.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "board/board.h"
#include "config/config.h"
#include "source/source.h"

#define ORDER_ARENA_BYTES ((size_t)2 << 20)
#define ANSWER_BYTES      ((uint64_t)256 * 1024)
#define COMPARED_BYTES    ((uint64_t)256 << 20)    /* larger ones go as they are */

struct shared_upload {
	struct credential_wait credential;       /* first: told() gets back here */
	struct shared_aside aside;
	bool is_aside;               /* all of it is the other thread's, but the list */
	uint8_t hash[HASH_SHA256_BYTES], text_hash[HASH_SHA256_BYTES];
	enum cache_kind kind;
	struct shared *shared;
	struct shared_upload *next;
	char name[SHARED_NAME_BYTES];
	enum shared_reason reason;
	enum source_putting putting;
	struct fetch_file file;      /* the entry; fd -1 */
	int answer_fd;               /* what the bucket has to say; -1 */
	struct fetch *fetch;
	struct shared_copy copy;     /* to -1: it goes to a bucket */
	char temporary[PATH_MAX];    /* of the copy; "" none */
};

static void count(struct shared *shared, enum shared_reason reason, enum shared_result became)
{
	board_count(shared->means.board, &shared_uploads,
		    (unsigned)reason * SHARED_RESULTS + (unsigned)became, 1);
}

/* --- Ends ----------------------------------------------------------------------------------- */

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_upload(struct shared_upload *upload)
{
	struct shared_upload **at = &upload->shared->uploads;

	while (*at != upload)
		at = &(*at)->next;
	*at = upload->next;
	upload->shared->upload_count--;
	credentials_leave(&upload->credential);
	if (upload->fetch)
		fetch_cancel(upload->shared->means.fetcher, upload->fetch);
	close_file(&upload->file.fd);
	close_file(&upload->answer_fd);
	close_file(&upload->copy.to);
	if (upload->temporary[0])
		unlink(upload->temporary);
	mem_give_back(upload);
}

static void end(struct shared_upload *upload, const struct err *status)
{
	struct shared *shared = upload->shared;
	enum shared_result became = status->kind == ERR_NONE ? SHARED_STORED
			     : status->kind == ERR_BUSY ? SHARED_EXISTS : SHARED_FAILED;

	if (status->kind == ERR_DENIED && upload->credential.source)
		credentials_doubt(&shared->credentials, &shared->source);
	if (became == SHARED_STORED)
		board_count(shared->means.board, &shared_stored_bytes, 0, upload->file.bytes);
	if (became == SHARED_FAILED)
		shared_log(shared, upload->name, status);
	else
		log_message(LOG_DEBUG, "shared_cache", NULL, "%s: %s", upload->name,
			    became == SHARED_STORED ? "stored" : "it is there already");
	count(shared, upload->reason, became);
	free_upload(upload);
}

/* --- To a bucket ------------------------------------------------------------------------------ */

static int order(struct shared_upload *upload, struct text credential, struct err *err);

/* 1: another question follows, 0: it is over, as *status says. */
static int go_on(struct shared_upload *upload, struct err *status)
{
	bool looked = upload->putting == SOURCE_PUT_LOOK;

	if (looked && status->kind == ERR_NONE) {
		err_set(status, ERR_BUSY, "it is there already");
		return 0;
	}
	if (looked && (status->kind == ERR_NOT_FOUND || status->kind == ERR_DENIED)) {
		upload->putting = upload->shared->no_conditions ? SOURCE_PUT_ANYHOW : SOURCE_PUT_NEW;
		return 1;
	}
	if (upload->putting == SOURCE_PUT_NEW && status->kind == ERR_UNSUPPORTED) {
		upload->shared->no_conditions = true;
		upload->putting = SOURCE_PUT_LOOK;
		return 1;
	}
	return 0;
}

static void answered(void *payload, const struct err *status, uint64_t bytes)
{
	struct shared_upload *upload = payload;
	struct err why = *status;

	(void)bytes;
	upload->fetch = NULL;
	if (go_on(upload, &why)) {
		err_clear(&why);
		if (ftruncate(upload->answer_fd, 0) == 0 && order(upload, TEXT_NONE, &why) == 0)
			return;
	}
	end(upload, &why);
}

static void credential_told(struct credential_wait *wait, struct text credential, const struct err *failure)
{
	struct shared_upload *upload = (struct shared_upload *)(void *)wait;
	struct err err = ERR_INIT;

	if (failure)
		end(upload, failure);
	else if (order(upload, credential, &err) < 0)
		end(upload, &err);
}

static int wait_for_credential(struct shared_upload *upload, struct err *err)
{
	struct text credential;
	int had;

	upload->credential.told = credential_told;
	upload->credential.source = &upload->shared->source;
	had = credentials_ask(&upload->shared->credentials, &upload->credential, &credential, err);
	return had > 0 ? order(upload, credential, err) : had;
}

static int order(struct shared_upload *upload, struct text credential, struct err *err)
{
	struct shared *shared = upload->shared;
	const struct location location = { .source = &shared->source,
					   .path = text_of(upload->name) };
	struct fetch_order order = { .fd = -1 };
	enum source_access access = SOURCE_ORDERED;
	bool has_head_only;
	struct arena arena;
	int rc;

	arena_init(&arena, ORDER_ARENA_BYTES);
	rc = source_put(&location, upload->putting, credential, &upload->file, &arena, &access, &order, err);
	/* A head says how long the object is, and nothing follows. */
	has_head_only = order.method && strcmp(order.method, "HEAD") == 0;
	if (rc == 0 && access == SOURCE_ORDERED)
		rc = shared_start(shared, &order, upload->answer_fd,
				  has_head_only ? UINT64_MAX : ANSWER_BYTES, answered, upload,
				  &upload->fetch, err);
	arena_release(&arena);
	if (rc == 0 && access == SOURCE_NEEDS_CREDENTIAL)
		rc = credential.bytes ? err_set(err, ERR_INTERNAL, "a pass is no pass")
				: wait_for_credential(upload, err);
	return rc;
}

static int begin_sending(struct shared_upload *upload, struct err *err)
{
	bool looks = upload->reason == SHARED_REFRESH || upload->shared->no_conditions;

	upload->answer_fd = memfd_create("shared-answer", MFD_CLOEXEC);
	if (upload->answer_fd < 0)
		return err_os(err, errno, "a file in memory");
	upload->putting = looks ? SOURCE_PUT_LOOK : SOURCE_PUT_NEW;
	return order(upload, TEXT_NONE, err);
}

/* --- On another thread ------------------------------------------------------------------------ */

static struct shared_upload *upload_of(struct shared_aside *aside)
{
	return (struct shared_upload *)(void *)((char *)aside - offsetof(struct shared_upload, aside));
}

static void do_aside(struct shared_upload *upload,
		     int (*run)(struct shared_aside *aside, struct store *store, struct err *err),
		     void (*told)(struct shared_aside *aside, int rc, const struct err *err))
{
	const struct shared_means *means = &upload->shared->means;
	struct err err = ERR_INIT;

	upload->aside = (struct shared_aside){ .run = run, .told = told };
	upload->is_aside = true;
	if (means->aside(means->aside_payload, &upload->aside, &err) < 0)
		end(upload, &err);
}

/* --- To a folder ------------------------------------------------------------------------------ */

static int begin_copying(struct shared_upload *upload, struct err *err)
{
	const char *folder = upload->shared->folder;

	if (folder_has_entry(folder, upload->name))
		return err_set(err, ERR_BUSY, "it is there already");
	if (folder_temporary(folder, upload->temporary, &upload->copy.to, err) < 0) {
		upload->temporary[0] = '\0';
		return -1;
	}
	upload->copy.from = upload->file.fd;
	upload->copy.bytes = upload->file.bytes;
	upload->copy.deadline_millis = clock_monotonic_millis() + SHARED_TOTAL_MILLIS;
	return 0;
}

/* Which takes as long as the folder's disk takes for all of the file. */
static int publish_copy(struct shared_aside *aside, struct store *store, struct err *err)
{
	struct shared_upload *upload = upload_of(aside);
	int rc = folder_publish(upload->shared->folder, upload->copy.to, upload->temporary, upload->name, err);

	(void)store;
	upload->temporary[0] = '\0';
	return rc;
}

static void published(struct shared_aside *aside, int rc, const struct err *failure)
{
	struct shared_upload *upload = upload_of(aside);

	(void)rc;                            /* `failure` says it */
	upload->is_aside = false;
	end(upload, failure);
}

/* True when there is more to be copied. */
static bool copy_on(struct shared *shared, int64_t now_millis)
{
	struct shared_upload *next;
	bool is_any = false;

	for (struct shared_upload *upload = shared->uploads; upload; upload = next) {
		struct err err = ERR_INIT;
		int rc;

		next = upload->next;
		if (upload->is_aside)
			continue;
		rc = shared_copy_step(&upload->copy, now_millis, &err);
		is_any |= rc == 0;
		if (rc > 0)
			do_aside(upload, publish_copy, published);
		else if (rc < 0)
			end(upload, &err);
	}
	return is_any;
}

/* --- The queue -------------------------------------------------------------------------------- */

void shared_offer(struct shared *shared, const struct cache_key *key, enum shared_reason reason)
{
	size_t capacity;
	struct shared_queued *queued;

	if (!shared || !shared->means.uploads ||
	    (shared->means.config->offline && !shared->folder))
		return;
	capacity = (size_t)shared->means.config->shared.max_queued;
	if (shared->queue_count == capacity) {
		count(shared, reason, SHARED_DROPPED);
		return;
	}
	queued = &shared->queue[(shared->queue_first + shared->queue_count++) % capacity];
	memcpy(queued->hash, key->hash, sizeof(queued->hash));
	memcpy(queued->text_hash, key->text_hash, sizeof(queued->text_hash));
	queued->kind = key->kind;
	queued->reason = reason;
	shared_show(shared);
}

/* --- The file, on another thread -------------------------------------------------------------- */

/* 1, 0: it is not what was published, and no entry any more, -1. */
static int is_sound(struct cache *cache, struct store *store, const struct cache_key *key, int fd,
		    const struct checksum_seal *seal, struct err *err)
{
	int sound = seal->size_bytes <= COMPARED_BYTES ? checksum_check_file(fd, seal, err) : 1;

	if (sound != 0)
		return sound;
	return cache_drop_if_damaged(cache, store, key, err) < 0 ? -1 : 0;
}

/* 1: the entry is open, 0: it is gone, or is none of ours to tell, -1. */
static int open_entry(struct shared_aside *aside, struct store *store, struct err *err)
{
	struct shared_upload *upload = upload_of(aside);
	struct cache *cache = upload->shared->means.cache;
	struct cache_key key = { .kind = upload->kind, .module = TEXT("") };
	struct cache_found found = { .state = CACHE_ABSENT };
	struct checksum_seal seal;
	struct stat st;
	bool is_current;

	memcpy(key.hash, upload->hash, sizeof(key.hash));
	memcpy(key.text_hash, upload->text_hash, sizeof(key.text_hash));
	if (cache_find(cache, store, &key, &found, err) < 0)
		return -1;
	is_current = found.state == CACHE_READY && !found.is_outdated;
	cache_found_release(&found);
	if (!is_current)
		return 0;
	if (cache_open_blob(cache, store, &key, &upload->file.fd, &seal, err) < 0)
		return err->kind == ERR_NOT_FOUND ? 0 : -1;
	if (fstat(upload->file.fd, &st) < 0)
		return err_os(err, errno, "reading the size of an entry");
	upload->file.bytes = (uint64_t)st.st_size;
	return is_sound(cache, store, &key, upload->file.fd, &seal, err);
}

static void opened(struct shared_aside *aside, int rc, const struct err *failure)
{
	struct shared_upload *upload = upload_of(aside);
	struct shared *shared = upload->shared;
	struct err err = *failure;

	upload->is_aside = false;
	if (rc == 0) {
		count(shared, upload->reason, SHARED_DROPPED);
		free_upload(upload);
		return;
	}
	if (rc > 0)
		rc = shared->folder ? begin_copying(upload, &err) : begin_sending(upload, &err);
	if (rc < 0)
		end(upload, &err);
}

/* --- Turns ------------------------------------------------------------------------------------ */

static struct shared_upload *make(struct shared *shared, const struct shared_queued *queued)
{
	struct cache_key key = { .kind = queued->kind, .module = TEXT("") };
	struct shared_upload *upload = mem_get(sizeof(*upload));

	if (!upload)
		return NULL;
	upload->kind = queued->kind;
	memcpy(upload->hash, queued->hash, sizeof(upload->hash));
	memcpy(upload->text_hash, queued->text_hash, sizeof(upload->text_hash));
	memcpy(key.text_hash, queued->text_hash, sizeof(key.text_hash));
	shared_name(&key, upload->name);
	upload->shared = shared;
	upload->reason = queued->reason;
	upload->file.fd = upload->answer_fd = upload->copy.from = upload->copy.to = -1;
	upload->next = shared->uploads;
	shared->uploads = upload;
	shared->upload_count++;
	return upload;
}

static void start(struct shared *shared, const struct shared_queued *queued)
{
	struct shared_upload *upload = make(shared, queued);

	if (!upload) {
		count(shared, queued->reason, SHARED_DROPPED);
		return;
	}
	do_aside(upload, open_entry, opened);
}

bool shared_uploads_step(struct shared *shared, int64_t now_millis)
{
	const struct config_shared *limits = &shared->means.config->shared;

	while (shared->queue_count > 0 && shared->upload_count < limits->max_uploads &&
	       !shared->breaker.is_open) {
		struct shared_queued queued = shared->queue[shared->queue_first];

		shared->queue_first = (shared->queue_first + 1) % (size_t)limits->max_queued;
		shared->queue_count--;
		start(shared, &queued);
	}
	return shared->folder && copy_on(shared, now_millis);
}

void shared_uploads_close(struct shared *shared)
{
	size_t capacity = (size_t)shared->means.config->shared.max_queued;

	while (shared->uploads) {
		count(shared, shared->uploads->reason, SHARED_DROPPED);
		free_upload(shared->uploads);
	}
	for (; shared->queue_count > 0; shared->queue_count--) {
		count(shared, shared->queue[shared->queue_first].reason, SHARED_DROPPED);
		shared->queue_first = (shared->queue_first + 1) % capacity;
	}
}

/* obtain.c -- see obtain.h. */
#include "workshop/obtain.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cache/cache.h"
#include "config/config.h"
#include "work/work.h"
#include "workshop/workshop_counters.h"

/* A file.ptr of a symbol store names the file: it is opened instead.  Its file system failing is a failure of
 * the source (ERR_DOWNLOAD), not ours. */
static int follow(struct obtaining *obtaining, struct err *err)
{
	int fd, rc;

	if (!obtaining->location || !source_is_pointer(obtaining->location))
		return 0;
	rc = source_follow(obtaining->location, obtaining->file.fd, obtaining->arena, &fd, err);
	temporary_drop(&obtaining->file);
	obtaining->file.fd = fd;
	obtaining->is_copy = false;
	if (rc < 0 && err->kind == ERR_IO && err->os_errno != EMFILE && err->os_errno != ENFILE)
		err->kind = ERR_DOWNLOAD;
	return rc;
}

static void forget_source_map(struct obtaining *obtaining)
{
	mem_give_back(obtaining->source_map);
	obtaining->source_map = NULL;
}

static void fetched(void *payload, const struct err *status, uint64_t bytes)
{
	struct obtaining *obtaining = payload;
	struct board *board = obtaining->means->board;
	struct text source_map = fetch_source_map(obtaining->fetch);
	struct err err = *status;

	if (source_map.bytes && err.kind == ERR_NONE) {
		obtaining->source_map = mem_strdup(source_map.bytes);
		if (!obtaining->source_map)
			err_no_memory(&err);
	}
	obtaining->fresh_seconds = fetch_fresh_seconds(obtaining->fetch);
	obtaining->validators = fetch_validators(obtaining->fetch);
	obtaining->is_unchanged = fetch_is_unchanged(obtaining->fetch);
	obtaining->fetch = NULL;
	board_count(board, &workshop_downloads, workshop_download_outcome(status->kind), 1);
	board_count(board, &workshop_download_bytes, 0, bytes);
	if (err.kind == ERR_NONE)
		(void)!follow(obtaining, &err);
	obtaining->told(obtaining, err.kind == ERR_NONE ? NULL : &err);
}

static int err_offline(struct err *err)
{
	return err_set(err, ERR_DOWNLOAD, "offline: nothing is fetched");
}

static int download(struct obtaining *obtaining, struct fetch_order *order, struct err *err)
{
	struct workshop_means *means = obtaining->means;

	if (means->config->offline)
		return err_offline(err);
	temporary_drop(&obtaining->file);
	forget_source_map(obtaining);
	if (temporary_make(&obtaining->file, means, err) < 0)
		return -1;
	order->fd = obtaining->file.fd;
	order->max_bytes = obtaining->bytes_max;
	obtaining->is_copy = true;
	obtaining->fresh_seconds = -1;
	obtaining->validators = (struct fetch_validators){ .etag = "" };
	obtaining->is_unchanged = false;
	return fetch_start(means->fetcher, order, fetched, obtaining, &obtaining->fetch, err);
}

static int reach(struct obtaining *obtaining, struct text credential, struct err *err);

static void credential_told(struct credential_wait *wait, struct text credential,
			    const struct err *failure)
{
	struct obtaining *obtaining = (struct obtaining *)(void *)
		((char *)wait - offsetof(struct obtaining, credential));
	struct err err = ERR_INIT;
	int there;

	if (failure) {
		obtaining->told(obtaining, failure);
		return;
	}
	there = reach(obtaining, credential, &err);
	if (there != 0)
		obtaining->told(obtaining, there < 0 ? &err : NULL);
}

static int reach(struct obtaining *obtaining, struct text credential, struct err *err)
{
	struct workshop_means *means = obtaining->means;
	struct fetch_order order = { .fd = -1 };
	enum source_access access;
	int had;

	if (source_reach_with(obtaining->location, credential, obtaining->arena, &access,
			      &obtaining->file.fd, &order, err) < 0)
		return -1;
	if (access == SOURCE_ORDERED)
		return download(obtaining, &order, err);
	if (access == SOURCE_OPENED)
		return follow(obtaining, err) < 0 ? -1 : 1;
	if (credential.bytes)
		return err_set(err, ERR_INTERNAL, "a credential is no credential");
	if (means->config->offline)
		return err_offline(err);
	obtaining->credential.told = credential_told;
	obtaining->credential.source = obtaining->location->source;
	had = credentials_ask(&means->credentials, &obtaining->credential, &credential, err);
	return had > 0 ? reach(obtaining, credential, err) : had;
}

int obtain_location(struct obtaining *obtaining, const struct location *location,
		    uint64_t bytes_max, struct err *err)
{
	obtaining->location = location;
	obtaining->bytes_max = source_is_pointer(location) ? SOURCE_POINTER_BYTES : bytes_max;
	obtaining->is_copy = false;
	return reach(obtaining, TEXT_NONE, err);
}

/* As they were taken from a head: a row may say anything. */
static void copy_validator(char *out, size_t capacity, struct text validator)
{
	if (validator.size >= capacity)
		return;
	memcpy(out, validator.bytes, validator.size);
	out[validator.size] = '\0';
}

int obtain_link(struct obtaining *obtaining, const struct derive_link *link,
		const struct cache_stale *known, uint64_t bytes_max, struct err *err)
{
	struct fetch_order order = {
		.fd = -1, .url = link->url, .headers = link->headers,
		.header_count = link->header_count, .source_id = "web-scraping",
		.accept_invalid_certs = link->accept_invalid_certs, .breaker = !link->is_trusted,
		.trusted = link->is_trusted, .trusted_everywhere = link->is_trusted,
	};

	if (known && known->etag.size)
		copy_validator(order.known.etag, sizeof(order.known.etag), known->etag);
	if (known && known->last_modified.size)
		copy_validator(order.known.modified, sizeof(order.known.modified), known->last_modified);
	obtaining->location = NULL;
	obtaining->bytes_max = bytes_max;
	return download(obtaining, &order, err);
}

void obtain_stop(struct obtaining *obtaining)
{
	if (obtaining->fetch)
		fetch_cancel(obtaining->means->fetcher, obtaining->fetch);
	obtaining->fetch = NULL;
	credentials_leave(&obtaining->credential);
	forget_source_map(obtaining);
	temporary_drop(&obtaining->file);
}

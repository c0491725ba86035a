/* health.c -- GET /healthcheck, /readyz and /metrics: what operators and balancers ask. */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json_writer.h"
#include "board/board.h"
#include "config/config.h"
#include "front/endpoints/health.h"
#include "front/front_internal.h"
#include "sandbox/sandbox.h"

#define TROUBLE_SECONDS 60
#define DISK_LEAST_BYTES ((uint64_t)64 * 1024 * 1024)   /* below this a download may not fit */

void answer_healthcheck(struct worker *worker, struct request *request, struct reply *reply)
{
	(void)worker;
	(void)request;
	reply_text(reply, 200, "ok");
}

void answer_metrics(struct worker *worker, struct request *request, struct reply *reply)
{
	struct err err = ERR_INIT;
	uint64_t live;

	(void)request;
	reply_text(reply, 200, "");
	reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
	board_metrics(worker->front->board, &reply->body.written);
	if (job_count_live(&worker->jobs, &live, &err) == 0)
		board_metrics_gauge(&reply->body.written, "symgate_jobs_live",
				    "Jobs queued or running now.", (int64_t)live);
}

static bool check_disk(const char *folder, struct err *err)
{
	struct statvfs disk;
	uint64_t free_bytes;

	if (statvfs(folder, &disk) < 0) {
		err_os(err, errno, "looking at %s", folder);
		return false;
	}
	if (access(folder, W_OK | X_OK) < 0) {
		err_os(err, errno, "%s cannot be written", folder);
		return false;
	}
	free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (disk.f_flag & ST_RDONLY)
		err_set(err, ERR_IO, "%s is on a read-only file system", folder);
	else if (free_bytes < DISK_LEAST_BYTES)
		err_set(err, ERR_IO, "%s has only %llu bytes free", folder,
			(unsigned long long)free_bytes);
	else
		return true;
	return false;
}

/* All three may lie on disks of their own.  The spool is made when it is needed. */
static bool check_disks(const struct worker *worker, struct err *err)
{
	const struct config *config = worker->front->config;
	char spool[JOB_PATH_BYTES];

	if (!check_disk(config->state_dir, err) || !check_disk(config->cache_dir, err) ||
	    job_spool_folder(&worker->jobs, spool, sizeof(spool), err) < 0)
		return false;
	return access(spool, F_OK) < 0 || check_disk(spool, err);
}

static bool check_cells(const struct worker *worker, struct err *err)
{
	if (nursery_is_alive(worker->front->nursery))
		return true;
	err_set(err, ERR_IO, "the nursery is gone; the master starts a new process");
	return false;
}

/* Could what was made last be kept?  Who is not asked any more while we are not ready cannot find
 * out that it can be again: so it counts for a while only. */
static bool check_cache(const struct worker *worker, struct err *err)
{
	char words[BOARD_TROUBLE_BYTES];
	int64_t age = clock_unix_seconds() - board_trouble(worker->front->board, words);

	if (age < 0 || age >= TROUBLE_SECONDS)
		return true;
	err_set(err, ERR_IO, "%s (%lld s ago)", words, (long long)age);
	return false;
}

static bool check_database(const struct worker *worker, struct err *err)
{
	return store_check(worker->store, err) == 0;
}

bool health_look(const struct worker *worker, struct health_part parts[HEALTH_PARTS])
{
	static const struct {
		const char *what;
		bool (*check)(const struct worker *worker, struct err *err);
	} checks[HEALTH_PARTS] = {
		[HEALTH_DATABASE] = { "database", check_database }, [HEALTH_DISK] = { "disk", check_disks },
		[HEALTH_CACHE] = { "cache", check_cache },          [HEALTH_CELLS] = { "cells", check_cells },
	};
	bool all_fine = true;

	for (unsigned i = 0; i < HEALTH_PARTS; i++) {
		parts[i] = (struct health_part){ .what = checks[i].what, .err = ERR_INIT };
		parts[i].is_fine = checks[i].check(worker, &parts[i].err);
		all_fine = all_fine && parts[i].is_fine;
	}
	return all_fine;
}

static void tell(struct json_writer *json, const struct health_part *part)
{
	json_key(json, part->what);
	json_object(json);
	json_member_bool(json, "ok", part->is_fine);
	if (!part->is_fine)
		json_member_string(json, "reason", part->err.text);
	json_object_end(json);
}

void answer_readyz(struct worker *worker, struct request *request, struct reply *reply)
{
	struct health_part parts[HEALTH_PARTS];
	bool ready = health_look(worker, parts);
	struct json_writer json;

	(void)request;
	json_writer_init(&json, reply_json(reply));
	json_object(&json);
	json_member_bool(&json, "ready", ready);
	for (unsigned i = 0; i < HEALTH_PARTS; i++)
		tell(&json, &parts[i]);
	json_key(&json, "sandbox");
	json_object(&json);
	json_member_string(&json, "level", sandbox_level_name(nursery_level(worker->front->nursery)));
	json_object_end(&json);
	json_object_end(&json);
	if (!ready)
		reply_not_ready(reply);
}

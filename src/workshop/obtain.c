/*
 * obtain.c -- the file of a location into a descriptor: opened, or downloaded, after a credential
 * when the source wants one.
 */
#include "workshop/internal.h"

#include <unistd.h>

#include "board/board.h"
#include "board/metrics.h"
#include "config/config.h"

static void fetched(void *payload, const struct err *status, uint64_t bytes)
{
	struct task *task = payload;
	struct board *board = task->shop->board;

	task->fetch = NULL;
	board_count(board, board_counter_of_download(status->kind), 1);
	board_count(board, BOARD_DOWNLOAD_BYTES, bytes);
	task->obtained(task, status->kind == ERR_NONE ? NULL : status);
}

static void wait_for_it(struct task *task)
{
	task->stage = TASK_FETCHING;
}

int obtain_order(struct task *task, struct fetch_order *order, uint64_t max_bytes,
		 obtained_fn *obtained, struct err *err)
{
	struct shop *shop = task->shop;

	if (shop->config->offline)
		return err_set(err, ERR_DOWNLOAD, "offline: nothing is fetched");
	if (cache_temporary(shop->cache, task->object_path, sizeof(task->object_path),
			    &task->object_fd, err) < 0)
		return -1;
	order->fd = task->object_fd;
	order->max_bytes = max_bytes;
	task->is_copy = true;
	task->obtained = obtained;
	wait_for_it(task);
	return fetch_start(shop->fetcher, order, fetched, task, &task->fetch, err);
}

static int reach(struct task *task, struct text credential, struct err *err);

static void credential_told(struct credential_wait *wait, struct text credential, const struct err *failure)
{
	struct task *task = (struct task *)(void *)((char *)wait - offsetof(struct task, credential));
	struct err err = ERR_INIT;

	if (failure)
		task->obtained(task, failure);
	else if (reach(task, credential, &err) < 0)
		task->obtained(task, &err);
}

static int reach(struct task *task, struct text credential, struct err *err)
{
	const struct location *location = task->obtaining;
	struct fetch_order order = { .fd = -1 };
	enum source_access access;
	int had;

	if (source_reach_with(location, credential, &task->maker->work.arena, &access, &task->object_fd,
			      &order, err) < 0)
		return -1;
	switch (access) {
	case SOURCE_ORDERED:
		return obtain_order(task, &order, task->obtain_bytes, task->obtained, err);
	case SOURCE_OPENED:
		task->obtained(task, NULL);
		return 0;
	default:
		break;
	}
	if (credential.bytes)
		return err_set(err, ERR_INTERNAL, "a pass is no pass");
	if (task->shop->config->offline)
		return err_set(err, ERR_DOWNLOAD, "offline: nothing is fetched");
	wait_for_it(task);
	task->credential.told = credential_told;
	task->credential.source = location->source;
	had = credentials_ask(&task->shop->credentials, &task->credential, &credential, err);
	return had > 0 ? reach(task, credential, err) : had;
}

int obtain(struct task *task, const struct location *location, uint64_t max_bytes,
	   obtained_fn *obtained, struct err *err)
{
	task->obtaining = location;
	task->obtain_bytes = max_bytes;
	task->obtained = obtained;
	return reach(task, TEXT_NONE, err);
}

void obtain_forget(struct task *task)
{
	if (task->object_fd >= 0)
		close(task->object_fd);
	if (task->object_path[0])
		unlink(task->object_path);
	task->object_fd = -1;
	task->object_seal.is_set = false;
	task->object_path[0] = '\0';
}

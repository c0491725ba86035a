/* answer_result.c -- what came of a job, or that it is not over. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "front/front_internal.h"
#include "work/answer_head.h"
#include "work/envelope.h"
#include "work/work.h"

#define IN_MEMORY_BYTES ((size_t)64 * 1024)      /* results up to here are sent from memory */

_Static_assert(IN_MEMORY_BYTES >= ANSWER_HEAD_BYTES, "a whole head is read at once");

void answer_not_yet(const struct request *request, struct reply *reply)
{
	const struct request_kind *kind = request->route ? request->route->kind : NULL;

	if (kind && !kind->has_pending)
		reply_busy(reply, RETRY_BUSY_SECONDS, "it is still being made; ask again");
	else
		envelope_pending(reply_json(reply), request->job_id);
}

/* Of a result's file: all of it, or its beginning in memory. */
static int read_beginning(int fd, struct buf *bytes, uint64_t *size, struct err *err)
{
	char *capacity = buf_reserve(bytes, IN_MEMORY_BYTES);
	struct stat st;
	ssize_t got;

	if (!capacity)
		return buf_check(bytes, err);
	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "looking at a result");
	*size = (uint64_t)st.st_size;
	got = pread(fd, capacity, IN_MEMORY_BYTES, 0);
	if (got < 0)
		return err_os(err, errno, "reading a result");
	bytes->size = (size_t)got;
	return 0;
}

static void answer_result(const struct front *front, struct store *store, int fd, struct reply *reply,
			  struct err *err)
{
	struct buf *bytes = reply_json(reply);
	struct answer_head head;
	size_t head_size;
	uint64_t size = 0;

	if (read_beginning(fd, bytes, &size, err) < 0 ||
	    answer_head_read(&head, buf_text(bytes), &head_size, err) < 0) {
		close(fd);
		reply_error(reply, err);
		return;
	}
	if (head_size > 0)
		reply_take_head(reply, &head);
	if (head.is_entry || head.file.bytes) {
		close(fd);
		(void)answer_entry(front, store, &head, reply);
	} else if (size > bytes->size) {
		reply_body_take_file(&reply->body, fd, head_size, size - head_size);
	} else {
		close(fd);
		reply_body_narrow(&reply->body, head_size, bytes->size - head_size);
	}
}

bool answer_job_if_ended(const struct front *front, struct jobs *jobs, const char *id,
			 struct reply *reply)
{
	struct err err = ERR_INIT;
	enum job_state state;
	int fd;

	if (job_look(jobs, id, &state, &err) < 0) {
		reply_error(reply, &err);
		return true;
	}
	if (state == JOB_QUEUED || state == JOB_RUNNING)
		return false;
	if (state == JOB_UNKNOWN) {
		reply_empty(reply, 404);
		return true;
	}
	if (job_result_open(jobs, id, &fd, reply_json(reply), &err) == 0) {
		if (fd >= 0)
			answer_result(front, jobs->store, fd, reply, &err);
	} else if (err.kind == ERR_NOT_FOUND) {
		reply_empty(reply, 404);     /* its time ended between the look and the read */
	} else {
		log_message(LOG_ERROR, "job_result", id, "%s", err.text);
		reply_error(reply, &err);
	}
	return true;
}

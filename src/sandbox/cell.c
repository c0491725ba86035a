/* cell.c -- the inside of a cell: becoming one, its files, its talk with the asker. */
#include "sandbox/nursery_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "config/config.h"

#define EXIT_ASKER_GONE FRAME_EXIT_UNHEARD
#define EXIT_AFTER_RESULT 0

/* --- Files that must stay what they are ---------------------------------------------------- */

/* Every input, and every file that was asked for: of those, descriptors of our own, since the
 * operation closes them. */
struct watched_file { int fd; struct stat before; };
static struct {
	int channel;
	size_t count, capacity;
	struct watched_file *files;
} watch;

static bool is_as_before(const struct stat *before, const struct stat *now)
{
	return now->st_size == before->st_size &&
	       now->st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now->st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

static bool any_has_changed(void)
{
	struct stat now;

	for (size_t i = 0; i < watch.count; i++)
		if (fstat(watch.files[i].fd, &now) < 0 || !is_as_before(&watch.files[i].before, &now))
			return true;
	return false;
}

static int err_changed(struct err *err, const char *words)
{
	err_set(err, ERR_IO, "%s", words);
	err->os_errno = CELL_INPUT_CHANGED;
	return -1;
}

/* Before its bytes count: is it what it must be? */
static int watch_file(int fd, const struct checksum_seal *seal, struct err *err)
{
	struct stat *before;
	int sound;

	if (vec_reserve(&watch.files, &watch.capacity, watch.count + 1, sizeof(*watch.files)) < 0)
		return err_set(err, ERR_NO_MEMORY, "no memory for another input");
	before = &watch.files[watch.count].before;
	watch.files[watch.count].fd = fd;
	if (fstat(fd, before) < 0)
		return err_os(err, errno, "looking at an input");
	watch.count++;
	sound = checksum_check_file(fd, seal, err);
	if (sound != 0)
		return sound < 0 ? -1 : 0;
	return err_changed(err, "an input is not what was kept");
}

/* Anyone may cut a mapped file short: then the reading was in vain, not wrong. */
static void on_bus(int number)
{
	static const struct frame_failed failed = {
		.kind = ERR_IO, .os_errno = CELL_INPUT_CHANGED,
		.text = "an input was cut short while it was being read",
	};

	if (any_has_changed()) {
		_exit(frame_send(watch.channel, FRAME_FAILED, FRAME_TEXT(failed), TEXT_NONE, 0, NULL,
				 0, 0) == 0 ? EXIT_AFTER_RESULT : FRAME_EXIT_UNHEARD);
	}
	signal(number, SIG_DFL);     /* it was a crash: the access is tried again and ends us */
}

/* Before hostile bytes: a SIGBUS because an input was cut short is no crash. */
static int watch_inputs(const struct cell *cell, const struct frame_order *order, struct err *err)
{
	struct sigaction action;

	watch.channel = cell->channel;
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_bus;
	sigaction(SIGBUS, &action, NULL);
	for (unsigned i = 0; i < cell->input_count; i++)
		if (watch_file(cell->inputs[i].fd, &order->seals[i], err) < 0)
			return -1;
	return 0;
}

/* --- What an operation calls ----------------------------------------------------------- */

static int find_file(const struct cell_file *files, unsigned count, const char *role)
{
	for (unsigned i = 0; i < count; i++)
		if (strcmp(files[i].role, role) == 0)
			return files[i].fd;
	return -1;
}

int cell_input(const struct cell *cell, const char *role)
{
	return find_file(cell->inputs, cell->input_count, role);
}

int cell_output(const struct cell *cell, const char *role)
{
	return find_file(cell->outputs, cell->output_count, role);
}

static int send_want(struct cell *cell, const char *role, struct text id, struct text name,
		     struct err *err)
{
	struct frame_want want = { .id_size = (uint32_t)id.size, .name_size = (uint32_t)name.size };
	char words[FRAME_WANT_ID_BYTES + FRAME_WANT_NAME_BYTES];

	if (strlen(role) >= sizeof(want.role) || id.size > FRAME_WANT_ID_BYTES ||
	    name.size > FRAME_WANT_NAME_BYTES)
		return err_set(err, ERR_MALFORMED, "the file it asks for has too long a name");
	memcpy(want.role, role, strlen(role));
	want.has = (id.bytes ? FRAME_WANT_HAS_ID : 0) | (name.bytes ? FRAME_WANT_HAS_NAME : 0);
	if (id.size)
		memcpy(words, id.bytes, id.size);
	if (name.size)
		memcpy(words + id.size, name.bytes, name.size);
	if (frame_send(cell->channel, FRAME_WANT, FRAME_TEXT(want),
		       (struct text){ words, id.size + name.size }, 0, NULL, 0, 0) < 0)
		return err_os(err, errno, "asking for a file");
	return 0;
}

int cell_want(struct cell *cell, const char *role, struct text id, struct text name, int *fd,
	      struct err *err)
{
	struct frame_answer answer;
	struct frame frame;
	int got;

	*fd = -1;
	if (send_want(cell, role, id, name, err) < 0)
		return -1;
	got = frame_receive(cell->channel, &frame, true, 0);
	if (got == 0)
		_exit(EXIT_ASKER_GONE);
	if (got < 0)
		return err_os(err, errno, "waiting for a file");
	if (frame.head.type != FRAME_ANSWER || frame.file_count > 1 ||
	    frame.size != sizeof(answer)) {
		frame_close_files(&frame);
		return err_set(err, ERR_INTERNAL, "asked for a file, got something else");
	}
	memcpy(&answer, frame.bytes, sizeof(answer));
	if (frame.file_count == 0)
		return answer.answer == CELL_ANSWER_LATE ? CELL_ANSWER_LATE : CELL_ANSWER_ABSENT;
	if (watch_file(frame.files[0], &answer.seal, err) < 0)
		return -1;
	*fd = fcntl(frame.files[0], F_DUPFD_CLOEXEC, 0);
	return *fd >= 0 ? CELL_ANSWER_FILE : err_os(err, errno, "taking a file");
}

static int take_body(const struct frame *frame, const struct frame_body *body, size_t at,
		     int file, struct buf *out, struct err *err)
{
	struct file_map map = { NULL, 0 };

	if (!body->in_file) {
		if (body->size > frame->size - at)
			return err_set(err, ERR_INTERNAL, "a message ends early");
		buf_add(out, frame->bytes + at, body->size);
		return buf_check(out, err);
	}
	if (file < 0)
		return err_set(err, ERR_IO, "a message has lost its file");
	if (file_map_fd(&map, file, err) < 0)
		return -1;
	buf_add(out, map.bytes, map.size < body->size ? map.size : body->size);
	file_unmap(&map);
	return buf_check(out, err);
}

int cell_next_message(struct cell *cell, struct buf *message, struct err *err)
{
	struct frame frame;
	struct frame_body body;
	int got = frame_receive(cell->channel, &frame, true, 0);
	int rc;

	if (got == 0)
		return 0;
	if (got < 0)
		return err_os(err, errno, "waiting for a message");
	if (frame.head.type != FRAME_MESSAGE || frame.size < sizeof(body)) {
		frame_close_files(&frame);
		return err_set(err, ERR_INTERNAL, "waited for a message, got something else");
	}
	memcpy(&body, frame.bytes, sizeof(body));
	buf_clear(message);
	rc = take_body(&frame, &body, sizeof(body), frame.file_count ? frame.files[0] : -1, message,
		       err);
	frame_close_files(&frame);
	return rc < 0 ? -1 : 1;
}

int cell_send_message(struct cell *cell, struct text message, struct err *err)
{
	if (frame_send_message(cell->channel, FRAME_MESSAGE, message) == 0)
		return 0;
	if (errno == EPIPE || errno == ECONNRESET)
		_exit(EXIT_ASKER_GONE);
	if (errno == EMSGSIZE)
		return err_set(err, ERR_LIMIT, "a message of %zu bytes is too long", message.size);
	return err_os(err, errno, "sending a message");
}

/* --- Becoming a cell -------------------------------------------------------------------- */

static int say_failed(int channel, const struct err *err)
{
	struct frame_failed failed = { .kind = (uint32_t)err->kind, .os_errno = err->os_errno };

	memcpy(failed.text, err->text, sizeof(failed.text));
	return frame_send(channel, FRAME_FAILED, FRAME_TEXT(failed), TEXT_NONE, 0, NULL, 0, 0);
}

/* A sanitizer's report goes to standard error; otherwise a cell has nobody to talk to. */
static int silence(struct err *err)
{
#ifndef SYMGATE_SANITIZED
	if (dup2(0, 2) < 0)
		return err_os(err, errno, "closing standard error");
#else
	(void)err;
#endif
	return 0;
}

static int keep_own_descriptors(const struct nursery_process *process, const struct frame *order,
				struct err *err)
{
	int keep[FRAME_FILES_MAX + 4];
	unsigned count = 0;

	for (int fd = 0; fd < 3; fd++)
		keep[count++] = fd;
	if (process->confinement.ruleset >= 0)
		keep[count++] = process->confinement.ruleset;
	for (unsigned i = 0; i < order->file_count; i++)
		keep[count++] = order->files[i];
	return confine_descriptors(keep, count, err);
}

static bool starts_program(const struct frame *frame)
{
	struct frame_order order;

	memcpy(&order, frame->bytes, sizeof(order));
	return strncmp(order.operation, CELL_STARTS_PROGRAM, sizeof(order.operation)) == 0;
}

static int confine(const struct nursery_process *process, const struct frame *order, struct err *err)
{
	enum sandbox_level reached;

	if (starts_program(order))
		return confine_open(&process->confinement, err);

	if (confine_self(&process->confinement, &reached, err) < 0)
		return -1;
	if (reached < process->confinement.level)
		return err_set(err, ERR_IO, "the kernel gave this cell only the %s sandbox",
			       sandbox_level_name(reached));
	return 0;
}

static void name_files(struct cell *cell, const struct frame *frame,
		       const struct frame_order *order)
{
	unsigned file = order->parameters.in_file ? 2 : 1;

	cell->input_count = order->input_count;
	cell->output_count = order->output_count;
	for (unsigned i = 0; i < order->input_count + order->output_count; i++) {
		struct cell_file *to = i < order->input_count ?
			&cell->inputs[i] : &cell->outputs[i - order->input_count];

		memcpy(to->role, order->roles[i], sizeof(to->role));
		to->role[sizeof(to->role) - 1] = '\0';
		to->fd = frame->files[file + i];
	}
}

static const struct cell_operation *find_operation(const struct nursery_process *process, const char *name)
{
	for (size_t i = 0; i < process->operation_count; i++)
		if (strcmp(process->operations[i].name, name) == 0)
			return &process->operations[i];
	return NULL;
}

static void prepare(const struct nursery_process *process, const struct frame *frame)
{
	const struct cell_operation *operation;
	struct frame_order order;

	memcpy(&order, frame->bytes, sizeof(order));
	order.operation[sizeof(order.operation) - 1] = '\0';
	operation = find_operation(process, order.operation);
	if (operation && operation->prepare)
		operation->prepare();
}

static int run(const struct nursery_process *process, struct cell *cell, const struct frame *frame,
	       struct buf *parameters, struct err *err)
{
	const struct cell_operation *operation;
	struct frame_order order;
	int rc;

	memcpy(&order, frame->bytes, sizeof(order));
	order.operation[sizeof(order.operation) - 1] = '\0';
	name_files(cell, frame, &order);
	if (take_body(frame, &order.parameters, sizeof(order),
		      order.parameters.in_file ? frame->files[1] : -1, parameters, err) < 0)
		return -1;
	if (order.parameters.in_file)
		close(frame->files[1]);
	cell->parameters = buf_text(parameters);
	operation = find_operation(process, order.operation);
	if (!operation)
		return err_set(err, ERR_INTERNAL, "cells know no operation \"%s\"", order.operation);
	if (watch_inputs(cell, &order, err) < 0)
		return -1;
	rc = operation->run(cell, err);
	/* What it says of bytes that changed meanwhile is about nothing. */
	return any_has_changed() ? err_changed(err, "an input changed while it was being read") : rc;
}

/* Memory that a cell cannot have is memory over its ceiling. */
static void blame_ceiling(const struct cell *cell, struct err *err)
{
	if (err->kind != ERR_NO_MEMORY)
		return;
	err->kind = ERR_LIMIT;
	err_while(err, "over the cell's memory ceiling of %zu bytes", cell->memory_bytes);
}

void cell_begin(const struct nursery_process *process, const struct frame *order)
{
	struct cell cell = { .channel = order->files[0] };
	struct buf parameters, reply;
	struct err err = ERR_INIT;
	sigset_t none;
	int rc;

	confine_die_with(process->pid);
	prctl(PR_SET_NAME, "symgate-cell", 0, 0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	cell.memory_bytes = process->confinement.memory_bytes > SIZE_MAX ?
		SIZE_MAX : (size_t)process->confinement.memory_bytes;
	buf_init(&parameters, SIZE_MAX / 2);
	buf_init(&reply, FRAME_MESSAGE_BYTES_MAX);
	cell.reply = &reply;

	rc = silence(&err);
	if (rc == 0)
		rc = keep_own_descriptors(process, order, &err);
	if (rc == 0) {
		prepare(process, order);
		rc = confine(process, order, &err);
	}
	if (rc == 0)
		rc = run(process, &cell, order, &parameters, &err);
	if (rc == 0)
		rc = buf_check(&reply, &err);
	if (rc < 0) {
		blame_ceiling(&cell, &err);
		rc = say_failed(cell.channel, &err);
	} else {
		rc = frame_send_message(cell.channel, FRAME_DONE, buf_text(&reply));
	}
	_exit(rc == 0 ? EXIT_AFTER_RESULT : FRAME_EXIT_UNHEARD);
}

/*
 * answer_entry.c -- files as answers: blobs of the cache, and files that lie in folders of this machine.
 *
 * A blob's bytes are compared with its seal before it is sent for the first time, and again after
 * some time or when anything about the file has changed since.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/http_date.h"
#include "front/front_internal.h"
#include "work/answer_head.h"

#define KNOWN_FILES 256u
#define KNOWN_FOR_MILLIS ((int64_t)3600 * 1000)

/* --- What was found sound ------------------------------------------------------------------------ */

struct known_file {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
	uint64_t value;              /* of the seal */
	int64_t looked_millis;       /* 0: nothing is known */
};

static struct {
	pthread_mutex_t lock;
	struct known_file files[KNOWN_FILES];    /* by inode: a later one takes the place */
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct known_file known_as(const struct stat *st, const struct checksum_seal *seal)
{
	return (struct known_file){
		.dev = st->st_dev, .ino = st->st_ino, .size = st->st_size, .changed = st->st_ctim,
		.value = seal->value, .looked_millis = clock_monotonic_millis() + 1,
	};
}

static bool is_known(const struct known_file *file)
{
	struct known_file other;

	pthread_mutex_lock(&known.lock);
	other = known.files[file->ino % KNOWN_FILES];
	pthread_mutex_unlock(&known.lock);
	return other.looked_millis > 0 && file->looked_millis - other.looked_millis < KNOWN_FOR_MILLIS &&
	       other.dev == file->dev && other.ino == file->ino && other.size == file->size &&
	       other.changed.tv_sec == file->changed.tv_sec &&
	       other.changed.tv_nsec == file->changed.tv_nsec && other.value == file->value;
}

static void remember(const struct known_file *file)
{
	pthread_mutex_lock(&known.lock);
	known.files[file->ino % KNOWN_FILES] = *file;
	pthread_mutex_unlock(&known.lock);
}

/* 1: it is what was sealed, 0: it is not, -1. */
static int check(int fd, const struct stat *st, const struct checksum_seal *seal, struct err *err)
{
	struct known_file file = known_as(st, seal);
	int sound;

	if (!seal->is_set)
		return 1;
	if (is_known(&file))
		return 1;
	sound = checksum_check_file(fd, seal, err);
	if (sound > 0)
		remember(&file);
	return sound;
}

/* --- Opening ------------------------------------------------------------------------------------- */

struct answer_file { int fd; uint64_t size; int64_t modified_at; char etag[64]; };

/* Bytes that are not what was published count as gone. */
static int open_blob(const struct front *front, struct store *store, const struct answer_head *head,
		     struct answer_file *opened, struct err *err)
{
	struct cache_key key = cache_key_of_hash(head->entry_kind, head->entry_hash);
	struct checksum_seal seal;
	struct stat st;
	int sound;

	if (cache_open_blob(front->cache, store, &key, &opened->fd, &seal, err) < 0)
		return -1;
	sound = fstat(opened->fd, &st) < 0 ? err_os(err, errno, "looking at an entry of the cache")
					   : check(opened->fd, &st, &seal, err);
	if (sound > 0) {
		opened->size = (uint64_t)st.st_size;
		opened->modified_at = st.st_mtim.tv_sec;
		snprintf(opened->etag, sizeof(opened->etag), "%016" PRIx64 "-%" PRIx64, seal.value,
			 opened->size);
		return 0;
	}
	close(opened->fd);
	if (sound < 0 || cache_drop_if_damaged(front->cache, store, &key, err) < 0)
		return -1;
	return err_set(err, ERR_NOT_FOUND, "its file is damaged");
}

/* A regular one: neither a FIFO that waits nor a device is ever opened for reading. */
static int open_regular(const char *path, struct stat *st, struct err *err)
{
	char link[48];
	int held = open(path, O_PATH | O_CLOEXEC), fd = -1;

	if (held >= 0 && fstat(held, st) == 0 && S_ISREG(st->st_mode)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", held);
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	if (fd < 0)
		err_set(err, ERR_NOT_FOUND, "its file is gone");
	if (held >= 0)
		close(held);
	return fd;
}

static int open_file(const struct answer_head *head, struct answer_file *opened, struct err *err)
{
	char path[4096];
	struct stat st;

	if (head->file.size >= sizeof(path))
		return err_set(err, ERR_NOT_FOUND, "no file has so long a name");
	memcpy(path, head->file.bytes, head->file.size);
	path[head->file.size] = '\0';
	opened->fd = open_regular(path, &st, err);
	if (opened->fd < 0)
		return -1;
	opened->size = (uint64_t)st.st_size;
	opened->modified_at = st.st_mtim.tv_sec;
	snprintf(opened->etag, sizeof(opened->etag), "%llx-%llx.%lx-%" PRIx64, (unsigned long long)st.st_ino,
		 (unsigned long long)st.st_mtim.tv_sec, (unsigned long)st.st_mtim.tv_nsec, opened->size);
	return 0;
}

static int open_answer(const struct front *front, struct store *store, const struct answer_head *head,
		       struct answer_file *opened, struct err *err)
{
	if (head->is_entry && open_blob(front, store, head, opened, err) == 0)
		return 0;
	if (!head->file.bytes || (head->is_entry && err->kind != ERR_NOT_FOUND))
		return -1;
	err_clear(err);
	return open_file(head, opened, err);
}

/* What is known of a file that is not there any more: whoever asks has it made again. */
static void forget(const struct front *front, struct store *store, const struct answer_head *head)
{
	struct cache_key key = cache_key_of_hash(head->entry_kind, head->entry_hash);
	struct cache_found found = { .state = CACHE_ABSENT };
	struct err err = ERR_INIT;

	if (head->entry_kind == CACHE_OBJECTS)
		key = cache_key_as(&key, CACHE_OBJECT_META);
	if (cache_find(front->cache, store, &key, &found, &err) == 0 && found.state == CACHE_READY)
		cache_invalidate(front->cache, store, &key, &found, "its file is gone");
	cache_found_release(&found);
}

/* --- Replying ------------------------------------------------------------------------------------ */

static void tell_size(struct reply *reply, struct text name, uint64_t size)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, size);
	reply_header_texts(reply, name, text_of(digits));
}

static void tell_date(struct reply *reply, int64_t modified_at)
{
	char date[HTTP_DATE_BYTES];

	http_date_format(modified_at, date);
	reply_header(reply, "Last-Modified", date);
}

static void refuse_size(struct reply *reply, struct answer_file *opened, uint64_t bytes_max)
{
	char words[64];

	close(opened->fd);
	snprintf(words, sizeof(words), "File too large, max size=%" PRIu64, bytes_max);
	reply_text(reply, 406, words);
	reply->content_type = "text/plain";
}

static void reply_with(struct reply *reply, const struct answer_head *head, struct answer_file *opened)
{
	if (head->bytes_max > 0 && opened->size > head->bytes_max) {
		refuse_size(reply, opened, head->bytes_max);
		return;
	}
	reply_file(reply, "", opened->fd, 0, opened->size);
	reply_take_head(reply, head);
	if (head->size_name.bytes)
		tell_size(reply, head->size_name, opened->size);
	if (head->is_dated)
		tell_date(reply, opened->modified_at);
	else
		reply_validators(reply, opened->etag, 0);
	reply_allow_parts(reply);
}

bool answer_entry(const struct front *front, struct store *store, const struct answer_head *head,
		  struct reply *reply)
{
	struct answer_file opened = { .fd = -1 };
	struct err err = ERR_INIT;

	if (open_answer(front, store, head, &opened, &err) == 0) {
		reply_with(reply, head, &opened);
		return true;
	}
	if (err.kind == ERR_NOT_FOUND) {
		if (head->is_entry)
			forget(front, store, head);
		reply_busy(reply, RETRY_BUSY_SECONDS, "what it answers with has gone; ask again");
	} else {
		reply_error(reply, &err);
	}
	return err.kind != ERR_NOT_FOUND;
}

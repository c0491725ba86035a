/* damage.c -- see damage.h. */
#include "store/damage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "store/store_internal.h"

#define FILE_BYTES (STORE_DAMAGE_WORDS + 64u)

/* The file this process has written down, should the disk not take it. */
static _Atomic uint64_t known_device, known_inode;

static bool identify(const char *path, uint64_t *device, uint64_t *inode)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	*device = st.st_dev;
	*inode = st.st_ino;
	return true;
}

static bool note_path(const char *state_dir, const char *name, char path[STORE_PATH_BYTES])
{
	int size = snprintf(path, STORE_PATH_BYTES, "%s/%s", state_dir, name);

	return size > 0 && (unsigned)size < STORE_PATH_BYTES;
}

/* "DEVICE INODE WORDS"; false: there is none, or no whole one. */
static bool read_note(const char *state_dir, uint64_t *device, uint64_t *inode,
		      char words[STORE_DAMAGE_WORDS])
{
	char path[STORE_PATH_BYTES], bytes[FILE_BYTES];
	int at = 0, fd;
	ssize_t size;

	if (!note_path(state_dir, "damage", path))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	size = read(fd, bytes, sizeof(bytes) - 1);
	close(fd);
	if (size <= 0 || bytes[size - 1] != '\n')
		return false;
	bytes[size - 1] = '\0';
	if (sscanf(bytes, "%" SCNu64 " %" SCNu64 " %n", device, inode, &at) != 2 || at == 0)
		return false;
	snprintf(words, STORE_DAMAGE_WORDS, "%s", bytes + at);
	return true;
}

bool store_damage_is_known(const char *state_dir, char words[STORE_DAMAGE_WORDS])
{
	uint64_t device, inode, noted_device, noted_inode;
	char path[STORE_PATH_BYTES];

	if (!note_path(state_dir, "symgate.db", path) || !identify(path, &device, &inode))
		return false;
	if (read_note(state_dir, &noted_device, &noted_inode, words) && noted_device == device &&
	    noted_inode == inode)
		return true;
	snprintf(words, STORE_DAMAGE_WORDS, "seen by this process");
	return atomic_load(&known_inode) == inode && atomic_load(&known_device) == device;
}

struct damage_note { const char *database, *bytes; size_t size; };

static int fill_note(int fd, void *payload, struct err *err)
{
	const struct damage_note *note = payload;
	struct stat st;

	/* Root may have met it: the service must be able to read this. */
	if (geteuid() == 0 && stat(note->database, &st) == 0)
		(void)!fchown(fd, st.st_uid, st.st_gid);
	return file_write_all(fd, note->bytes, note->size, err);
}

static int write_note(const char *state_dir, const char *database, uint64_t device, uint64_t inode, const char *words,
		      struct err *err)
{
	char path[STORE_PATH_BYTES], bytes[FILE_BYTES];
	int size;

	if (!note_path(state_dir, "damage", path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", state_dir);
	size = snprintf(bytes, sizeof(bytes), "%" PRIu64 " %" PRIu64 " %.*s\n", device, inode,
			(int)STORE_DAMAGE_WORDS - 1, words);
	return file_make(state_dir, path, 0600, fill_note, &(struct damage_note){ database, bytes, (size_t)size }, err);
}

void store_damage_note(const char *state_dir, const char *path, const char *words)
{
	char known[STORE_DAMAGE_WORDS];
	struct err err = ERR_INIT;
	uint64_t device, inode;

	if (!identify(path, &device, &inode) || store_damage_is_known(state_dir, known))
		return;
	atomic_store(&known_device, device);
	atomic_store(&known_inode, inode);
	log_message(LOG_ERROR, "database_damaged", NULL, "%s: %s", path, words);
	if (write_note(state_dir, path, device, inode, words, &err) < 0)
		log_message(LOG_WARN, "database_damaged", NULL, "only this process knows: %s", err.text);
}

void store_damage_forget(const char *state_dir)
{
	char path[STORE_PATH_BYTES];

	atomic_store(&known_inode, 0);
	if (note_path(state_dir, "damage", path))
		unlink(path);
}

/* board.c -- see board.h: making, finding and mapping the file; what is counted on it. */
#include "board/board.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "board/board_layout.h"
#include "board/counters.h"
#include "board/slot.h"
#include "config/config.h"

#define MAGIC "SGBOARD"
#define BOOT_ID_BYTES 37u        /* a UUID and its NUL */
#define OPEN_TRIES 3

/* --- The file ------------------------------------------------------------------------- */

static size_t file_bytes(void)
{
	return sizeof(struct board_file) + board_layout().counters * sizeof(uint64_t);
}

static int read_boot_id(char boot[BOOT_ID_BYTES], struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 128);
	rc = file_read_all("/proc/sys/kernel/random/boot_id", 127, &text, err);
	if (rc == 0 && text.size < BOOT_ID_BYTES - 1)
		rc = err_set(err, ERR_IO, "the kernel's boot id is too short");
	if (rc == 0) {
		memcpy(boot, text.bytes, BOOT_ID_BYTES - 1);
		boot[BOOT_ID_BYTES - 1] = '\0';
	}
	buf_release(&text);
	return rc;
}

/* Network file systems map a file but do not share the mapping as a local one does: pages are
 * thrown away when the server's copy looks newer, and with them counters and wakes. */
static int refuse_network_file_system(int fd, const char *path, struct err *err)
{
	static const struct { unsigned long magic; const char *name; } remote[] = {
		{ 0x6969, "NFS" }, { 0x517b, "SMB" }, { 0xff534d42, "CIFS" },
		{ 0xfe534d42, "SMB2" }, { 0x5346414f, "AFS" }, { 0x73757245, "Coda" },
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return err_os(err, errno, "asking for the file system of %s", path);
	for (size_t i = 0; i < sizeof(remote) / sizeof(remote[0]); i++)
		if (((unsigned long)fs.f_type & 0xffffffffu) == remote[i].magic)
			return err_set(err, ERR_UNSUPPORTED,
				       "%s: the board cannot be shared on %s; set state_dir to a "
				       "folder on a local disk", path, remote[i].name);
	return 0;
}

/* Whole before anybody can see it; whoever links first has made the board for all. */
static int make_board(const char *state_dir, const char *path, struct err *err)
{
	char folder[PATH_MAX], temporary[PATH_MAX];
	struct board_heading heading;
	int fd = -1;
	int rc;

	if ((size_t)snprintf(folder, sizeof(folder), "%s/tmp", state_dir) >= sizeof(folder))
		return err_set(err, ERR_IO, "state_dir is too long: %s", state_dir);
	if (file_make_folders(folder, 0700, err) < 0 ||
	    file_temporary(folder, temporary, sizeof(temporary), &fd, err) < 0)
		return err_while(err, "making the board");

	memset(&heading, 0, sizeof(heading));
	memcpy(heading.magic, MAGIC, sizeof(heading.magic));
	heading.layout = board_layout().number;
	heading.bytes = (uint32_t)file_bytes();
	atomic_init(&heading.boot_started_at, clock_unix_seconds());

	rc = refuse_network_file_system(fd, path, err);
	if (rc == 0)
		rc = file_write_all(fd, &heading, sizeof(heading), err);
	/* Every page is real now: a full disk is an error here, not a SIGBUS later. */
	if (rc == 0) {
		int why = posix_fallocate(fd, 0, (off_t)file_bytes());

		if (why)
			rc = err_os(err, why, "making room for %s", path);
	}
	if (rc == 0 && link(temporary, path) < 0 && errno != EEXIST)
		rc = err_os(err, errno, "publishing %s", path);
	unlink(temporary);
	close(fd);
	return rc;
}

static int map_board(struct board_file **file, int fd, const char *path, struct err *err)
{
	struct board_file *mapped;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_os(err, errno, "looking at %s", path);
	if (st.st_size != (off_t)file_bytes())
		return err_set(err, ERR_IO, "%s is damaged (%lld bytes, not %zu): stop the service "
			       "and remove it", path, (long long)st.st_size, file_bytes());
	if (refuse_network_file_system(fd, path, err) < 0)
		return -1;
	mapped = mmap(NULL, file_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return err_os(err, errno, "%s cannot be mapped for all processes; set state_dir to "
			      "a folder on a local disk", path);
	if (memcmp(mapped->heading.magic, MAGIC, sizeof(mapped->heading.magic)) != 0 ||
	    mapped->heading.layout != board_layout().number ||
	    mapped->heading.bytes != file_bytes()) {
		munmap(mapped, file_bytes());
		return err_set(err, ERR_IO, "%s is not a board: stop the service and remove it",
			       path);
	}
	*file = mapped;
	return 0;
}

/* Boards of an earlier boot of this machine: nobody can have them mapped. */
static void remove_old_boards(const char *state_dir, const char *boot)
{
	DIR *folder = opendir(state_dir);
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)) != NULL) {
		const char *name = entry->d_name;
		size_t size = strlen(name);

		if (strncmp(name, "board-", 6) == 0 && size > BOOT_ID_BYTES &&
		    strcmp(name + size - (BOOT_ID_BYTES - 1), boot) != 0)
			unlinkat(dirfd(folder), name, 0);
	}
	closedir(folder);
}

static int find_or_make(struct board_file **file, const char *state_dir, struct err *err)
{
	char path[PATH_MAX], boot[BOOT_ID_BYTES];
	int fd = -1;
	int rc;

	if (read_boot_id(boot, err) < 0)
		return -1;
	if ((size_t)snprintf(path, sizeof(path), "%s/board-%08x-%s", state_dir,
			     (unsigned)board_layout().number, boot) >= sizeof(path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", state_dir);
	for (int tries = 0; tries < OPEN_TRIES && fd < 0; tries++) {
		fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0 && errno != ENOENT)
			return err_os(err, errno, "opening %s", path);
		if (fd < 0 && make_board(state_dir, path, err) < 0)
			return -1;
		if (fd < 0)
			remove_old_boards(state_dir, boot);
	}
	if (fd < 0)
		return err_set(err, ERR_IO, "%s vanishes as soon as it is made", path);
	rc = map_board(file, fd, path, err);
	close(fd);
	return rc;
}

int board_open(struct board **board, const struct config *config, struct err *err)
{
	struct board *made = mem_get(sizeof(*made));

	*board = NULL;
	if (!made)
		return err_set(err, ERR_NO_MEMORY, "no memory for the board");
	if (board_layout().gauges > COUNTER_GAUGES) {
		mem_give_back(made);
		return err_set(err, ERR_INTERNAL, "%zu gauges, a board has room for %u",
			       board_layout().gauges, COUNTER_GAUGES);
	}
	if (find_or_make(&made->file, config->state_dir, err) < 0) {
		mem_give_back(made);
		return -1;
	}
	made->counters = made->file->counters;
	made->bytes = file_bytes();
	board_seat_init(&made->seat);
	*board = made;
	return 0;
}

void board_close(struct board *board)
{
	if (!board)
		return;
	board_seat_release(&board->seat, board->file->slots);
	munmap(board->file, board->bytes);
	mem_give_back(board);
}

/* --- Touches -------------------------------------------------------------------------- */

static void put(_Atomic uint64_t *next, _Atomic int64_t *ids, unsigned count, int64_t id)
{
	uint64_t at = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);

	atomic_store_explicit(&ids[at % count], id, memory_order_relaxed);
}

static unsigned take(_Atomic int64_t *ids, unsigned count, int64_t *out, unsigned capacity)
{
	unsigned taken = 0;

	for (unsigned i = 0; i < count && taken < capacity; i++) {
		if (atomic_load_explicit(&ids[i], memory_order_relaxed) == 0)
			continue;
		out[taken] = atomic_exchange(&ids[i], 0);
		if (out[taken] != 0)
			taken++;
	}
	return taken;
}

void board_touch(struct board *board, int64_t entry_id)
{
	put(&board->file->touch_next, board->file->touches, BOARD_TOUCHES, entry_id);
}

unsigned board_touched(struct board *board, int64_t *entry_ids, unsigned capacity)
{
	return take(board->file->touches, BOARD_TOUCHES, entry_ids, capacity);
}

void board_share(struct board *board, int64_t entry_id)
{
	put(&board->file->share_next, board->file->shares, BOARD_SHARES, entry_id);
}

unsigned board_shared(struct board *board, int64_t *entry_ids, unsigned capacity)
{
	return take(board->file->shares, BOARD_SHARES, entry_ids, capacity);
}

/* --- Counters and gauges -------------------------------------------------------------- */

void board_add(struct board *board, size_t at, uint64_t by)
{
	atomic_fetch_add_explicit(&board->counters[at], by, memory_order_relaxed);
}

uint64_t board_counter(const struct board *board, const struct counter_set *set, unsigned index)
{
	return atomic_load_explicit(&board->counters[set->first + index], memory_order_relaxed);
}

void board_duration(struct board *board, const struct counter_set *durations, int64_t millis)
{
	unsigned bucket = 0;

	if (millis < 0)
		millis = 0;
	while (bucket < COUNTER_BUCKETS - 1 && millis > (int64_t)1 << bucket)
		bucket++;
	board_count(board, durations, bucket, 1);
	board_count(board, durations, COUNTER_BUCKETS, (uint64_t)millis);
}

void board_gauge_set(struct board *board, const struct counter_set *gauge, int64_t value)
{
	struct board_slot *slot = board_seat_take(&board->seat, board->file->slots);

	if (slot)
		atomic_store_explicit(&slot->gauges[gauge->first], value, memory_order_relaxed);
}

int64_t board_gauge(const struct board *board, const struct counter_set *gauge)
{
	return board_slots_sum(board->file->slots, gauge->first);
}

/* --- Facts ---------------------------------------------------------------------------- */

int64_t board_boot_started_at(const struct board *board)
{
	return atomic_load(&board->file->heading.boot_started_at);
}

int board_sandbox_level(const struct board *board)
{
	return (int)atomic_load(&board->file->heading.sandbox_level) - 1;
}

void board_sandbox_level_set(struct board *board, int level)
{
	atomic_store(&board->file->heading.sandbox_level, (uint32_t)(level + 1));
}

/* --- Trouble ------------------------------------------------------------------------------ */

void board_trouble_set(struct board *board, int64_t now, const char *words)
{
	uint64_t text[BOARD_TROUBLE_WORDS] = { 0 };
	size_t size = strnlen(words, BOARD_TROUBLE_BYTES - 1);

	memcpy(text, words, size);
	for (unsigned i = 0; i < BOARD_TROUBLE_WORDS; i++)
		atomic_store_explicit(&board->file->trouble[i], text[i], memory_order_relaxed);
	atomic_store(&board->file->trouble_at, now);
}

void board_trouble_clear(struct board *board)
{
	if (atomic_load_explicit(&board->file->trouble_at, memory_order_relaxed) != 0)
		atomic_store(&board->file->trouble_at, 0);
}

int64_t board_trouble(const struct board *board, char words[BOARD_TROUBLE_BYTES])
{
	uint64_t text[BOARD_TROUBLE_WORDS];
	int64_t at = atomic_load(&board->file->trouble_at);

	for (unsigned i = 0; i < BOARD_TROUBLE_WORDS; i++)
		text[i] = atomic_load_explicit(&board->file->trouble[i], memory_order_relaxed);
	memcpy(words, text, BOARD_TROUBLE_BYTES);
	words[BOARD_TROUBLE_BYTES - 1] = '\0';
	return at;
}

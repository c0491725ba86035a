/*
 * fuzz_symbfile_parts.c -- parts of symbfiles that come in any order, again, as pieces, in other numbers, and make
 * no file together.
 *
 * Two bytes are one part.  After each one the lists can be read, what they name is there, and nothing
 * else is; what was put together stands only in a list that has all of its parts.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "kinds/symbfile/upload_folder.h"

#define ARENA_BYTES ((size_t)16 << 20)
#define PARTS_MAX 4u
#define PATH_BYTES 512u
#define LISTS 4u
#define COMMANDS_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* In memory where that is possible: each part is synced several times. */
static char in_memory[] = "/dev/shm/symgate-parts-XXXXXX", on_disk[] = "/tmp/symgate-parts-XXXXXX";
static char *state;
static struct config config;
static const struct file_id id;

static void remove_state(void)
{
	char command[PATH_BYTES];

	snprintf(command, sizeof(command), "rm -rf %s", state);
	if (system(command) != 0)
		abort();
}

static void begin(void)
{
	if (config.state_dir)
		return;
	state = mkdtemp(in_memory);
	if (!state)
		state = mkdtemp(on_disk);
	if (!state)
		abort();
	config.state_dir = state;
	atexit(remove_state);
}

static const char *folder_path(struct arena *arena)
{
	return arena_printf(arena, "%s/%s", upload_folder(&config, arena), upload_folder_path(&id, "", arena));
}

static void empty_folder(struct arena *arena)
{
	const char *path = folder_path(arena);
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

/* What stands in the folder's lists, each name between blanks. */
static void read_names(struct arena *arena, char *names, size_t capacity)
{
	static const char *const lists[LISTS] = { "ranges", "ranges.new", "returnpads", "returnpads.new" };
	size_t at = 0;

	for (unsigned i = 0; i < LISTS; i++) {
		const char *path = arena_printf(arena, "%s/%s", folder_path(arena), lists[i]);
		FILE *file = fopen(path, "r");

		if (!file)
			continue;
		at += fread(names + at, 1, capacity - at - 1, file);
		fclose(file);
		at += (size_t)snprintf(names + at, capacity - at, " %s \n", lists[i]);
	}
	names[at] = '\0';
	for (char *c = names; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
}

static bool is_named(const char *names, const char *name)
{
	char framed[PATH_BYTES];

	snprintf(framed, sizeof(framed), " %s ", name);
	return strstr(names, framed) != NULL;
}

static void check_folder(struct arena *arena)
{
	char names[16384] = " ";
	DIR *folder = opendir(folder_path(arena));
	struct dirent *entry;

	read_names(arena, names + 1, sizeof(names) - 1);
	while (folder && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.' && !is_named(names, entry->d_name))
			abort();
	if (folder)
		closedir(folder);
}

static void check_list(enum symbols_kind kind, struct arena *arena)
{
	struct upload_list list;
	struct err err = ERR_INIT;
	bool has_pieces = false, is_complete = true;

	if (upload_list_read(&config, &id, kind, arena, &list, &err) < 0)
		abort();
	for (uint32_t i = 0; i < list.part_count; i++) {
		if (!list.parts[i]) {
			is_complete = false;
			continue;
		}
		has_pieces = has_pieces || list.pieces[i] != UPLOAD_WHOLE;
		if (access(arena_printf(arena, "%s/%s", folder_path(arena), list.parts[i]), R_OK) != 0)
			abort();
	}
	if (list.joined && (!is_complete || !has_pieces ||
			    access(arena_printf(arena, "%s/%s", folder_path(arena), list.joined), R_OK) != 0))
		abort();
	if (list.part_count > 0 && is_complete && has_pieces && !list.joined)
		abort();
}

/* Parts of odd and even bytes make no file. */
static bool is_bad(struct text path, struct arena *arena)
{
	FILE *file = fopen(arena_printf(arena, "%s/%s", upload_folder(&config, arena), path.bytes), "r");
	int first, next;

	if (!file)
		abort();
	first = next = fgetc(file);
	while (next != EOF && (next - first) % 2 == 0)
		next = fgetc(file);
	fclose(file);
	return next != EOF;
}

static int make_file(uint8_t content)
{
	int fd = memfd_create("part", MFD_CLOEXEC);

	if (fd < 0 || write(fd, &content, 1) != 1)
		abort();
	return fd;
}

static void send_part(const uint8_t *command, struct arena *arena)
{
	struct upload_part part = {
		.kind = command[0] & 1 ? SYMBOLS_RANGES : SYMBOLS_RETURNPADS, .part_count = 1 + (command[0] >> 1) % PARTS_MAX,
	};
	struct err err = ERR_INIT;
	struct text joined;
	int fd = make_file('0' + (command[1] & 3)), rc, tries = 0;

	part.part = (command[0] >> 3) % part.part_count;
	part.piece = (enum upload_piece)((command[0] >> 5) % UPLOAD_PIECES);
	if (upload_folder_put(&config, &id, part.part, fd, arena, &part.path, &err) < 0)
		abort();
	while ((rc = upload_list_part(&config, &id, &part, &joined, arena, &err)) == 1) {
		if (++tries > 2)
			abort();
		part.joined = joined;
		part.is_bad = is_bad(joined, arena);
	}
	close(fd);
	if (rc < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct arena arena;

	begin();
	arena_init(&arena, ARENA_BYTES);
	empty_folder(&arena);
	for (size_t at = 0; at + 1 < size && at < 2 * COMMANDS_MAX; at += 2) {
		send_part(bytes + at, &arena);
		check_folder(&arena);
		check_list(SYMBOLS_RANGES, &arena);
		check_list(SYMBOLS_RETURNPADS, &arena);
	}
	arena_release(&arena);
	return 0;
}

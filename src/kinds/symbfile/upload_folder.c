/* upload_folder.c -- see upload_folder.h. */
#include "kinds/symbfile/upload_folder.h"
#include "kinds/symbfile/upload_join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/checksum.h"
#include "base/err.h"
#include "base/file.h"
#include "config/config.h"

#define LIST_BYTES_MAX ((size_t)256 * LIMIT_SYMBFILE_PARTS)
#define PATH_BYTES 4096u
#define BUILD_ID_DIGITS_MAX 128u

static const char *const list_names[SYMBOLS_KINDS] = { "ranges", "returnpads" };

const char *upload_folder(const struct config *config, struct arena *arena)
{
	return arena_printf(arena, "%s/symbfiles", config->state_dir);
}

const char *upload_folder_path(const struct file_id *id, const char *name, struct arena *arena)
{
	char hex[FILE_ID_HEX_BYTES];

	file_id_format_hex(id, hex);
	return arena_printf(arena, "%.2s/%s%s%s", hex, hex + 2, *name ? "/" : "", name);
}

/* Of a file in the folder of an id; ERR_NO_MEMORY. */
static const char *whole_path(const struct config *config, const struct file_id *id, const char *name,
			      struct arena *arena, struct err *err)
{
	const char *folder = upload_folder(config, arena), *path = upload_folder_path(id, name, arena);
	const char *whole = folder && path ? arena_printf(arena, "%s/%s", folder, path) : NULL;

	if (!whole)
		err_set(err, ERR_NO_MEMORY, "no memory for a path");
	return whole;
}

/* --- Lists -------------------------------------------------------------------------------------- */

static const char *const piece_names[UPLOAD_PIECES] = { "", " begun", " more" };
#define JOINED_WORD "joined "
#define OLD_WORD "old "

static int err_list(struct err *err)
{
	return err_set(err, ERR_IO, "a list of parts is damaged");
}

static int make_list(struct upload_list *list, uint32_t count, struct arena *arena, struct err *err)
{
	list->part_count = count;
	list->parts = arena_alloc(arena, count, sizeof(*list->parts));
	list->pieces = arena_alloc(arena, count, sizeof(*list->pieces));
	list->are_old = arena_alloc(arena, count, sizeof(*list->are_old));
	list->joined = NULL;
	return list->parts && list->pieces && list->are_old ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for a list of parts");
}

static int parse_old(struct text line, struct upload_list *list, struct err *err)
{
	uint64_t part;

	if (!text_to_u64(text_from(line, strlen(OLD_WORD)), 10, &part) || part >= list->part_count)
		return err_list(err);
	list->are_old[part] = true;
	return 0;
}

/* "0 0-9c3f-100 begun": its number, its name, what it is unless it is whole. */
static int parse_part(struct text line, struct arena *arena, struct upload_list *list, struct err *err)
{
	const char *blank = memchr(line.bytes, ' ', line.size);
	size_t digits = blank ? (size_t)(blank - line.bytes) : 0;
	enum upload_piece piece = UPLOAD_WHOLE;
	uint64_t part;

	if (!blank || !text_to_u64((struct text){ line.bytes, digits }, 10, &part) || part >= list->part_count)
		return err_list(err);
	line = text_from(line, digits + 1);
	for (unsigned i = 1; i < UPLOAD_PIECES; i++)
		if (text_ends_with(line, piece_names[i])) {
			piece = (enum upload_piece)i;
			line.size -= strlen(piece_names[i]);
		}
	list->pieces[part] = piece;
	list->parts[part] = arena_strndup(arena, line.bytes, line.size);
	return list->parts[part] ? 0 : err_set(err, ERR_NO_MEMORY, "no memory for a list of parts");
}

/* "parts 3", a line for each part that is there, "old 2" for those of another upload, and the name of what they
 * are together. */
static int parse_list(struct text text, struct arena *arena, struct upload_list *list, struct err *err)
{
	struct text line;
	uint64_t count;

	if (!text_take_line(&text, &line) || !text_starts_with(line, "parts ") ||
	    !text_to_u64(text_from(line, 6), 10, &count) || count == 0 || count > LIMIT_SYMBFILE_PARTS)
		return err_list(err);
	if (make_list(list, (uint32_t)count, arena, err) < 0)
		return -1;
	while (text_take_line(&text, &line)) {
		if (!text_starts_with(line, JOINED_WORD)) {
			if ((text_starts_with(line, OLD_WORD) ? parse_old(line, list, err)
			     : parse_part(line, arena, list, err)) < 0)
				return -1;
			continue;
		}
		line = text_from(line, strlen(JOINED_WORD));
		list->joined = arena_strndup(arena, line.bytes, line.size);
		if (!list->joined)
			return err_set(err, ERR_NO_MEMORY, "no memory for a list of parts");
	}
	return 0;
}

static int read_list(const char *path, struct arena *arena, struct upload_list *list, struct err *err)
{
	struct buf text;
	int rc;

	*list = (struct upload_list){ 0 };
	buf_init(&text, LIST_BYTES_MAX);
	rc = file_read_all(path, LIST_BYTES_MAX, &text, err);
	if (rc == 0)
		rc = parse_list(buf_text(&text), arena, list, err) < 0 ? -1 : 1;
	else if (err_is_absent(err)) {
		err_clear(err);
		rc = 0;
	}
	buf_release(&text);
	return rc < 0 ? err_while(err, "reading %s", path) : rc;
}

int upload_list_read(const struct config *config, const struct file_id *id, enum symbols_kind kind,
		     struct arena *arena, struct upload_list *list, struct err *err)
{
	const char *path = whole_path(config, id, list_names[kind], arena, err);

	return path ? read_list(path, arena, list, err) : -1;
}

static int write_list(const char *folder, const char *path, const struct upload_list *list, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, LIST_BYTES_MAX);
	buf_printf(&text, "parts %u\n", list->part_count);
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->parts[i])
			buf_printf(&text, "%u %s%s\n", i, list->parts[i], piece_names[list->pieces[i]]);
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->are_old[i])
			buf_printf(&text, OLD_WORD "%u\n", i);
	if (list->joined)
		buf_printf(&text, JOINED_WORD "%s\n", list->joined);
	rc = buf_check(&text, err);
	if (rc == 0)
		rc = file_put(folder, path, text.bytes, text.size, 0600, err);
	buf_release(&text);
	return rc;
}

/* --- Parts -------------------------------------------------------------------------------------- */

/* The same file by another name where that is possible, else a copy. */
static int link_or_copy(const char *folder, int fd, const char *path, struct err *err)
{
	struct file_map map;
	char self[64];
	int rc;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST)
		return 0;
	if (file_map_fd(&map, fd, err) < 0)
		return -1;
	rc = file_put(folder, path, map.bytes, map.size, 0600, err);
	file_unmap(&map);
	return rc;
}

void upload_part_name(char name[UPLOAD_PART_NAME_BYTES], uint32_t part, const struct checksum_seal *seal)
{
	snprintf(name, UPLOAD_PART_NAME_BYTES, "%u-%016llx-%llx", part, (unsigned long long)seal->value,
		 (unsigned long long)seal->size_bytes);
}

int upload_folder_put(const struct config *config, const struct file_id *id, uint32_t part, int fd,
	       struct arena *arena, struct text *path, struct err *err)
{
	const char *folder = whole_path(config, id, "", arena, err), *file;
	char name[UPLOAD_PART_NAME_BYTES];
	struct checksum_seal seal;

	if (!folder || file_make_folders(folder, 0700, err) < 0 || checksum_seal_file(fd, &seal, err) < 0)
		return -1;
	upload_part_name(name, part, &seal);
	path->bytes = upload_folder_path(id, name, arena);
	path->size = path->bytes ? strlen(path->bytes) : 0;
	file = path->bytes ? whole_path(config, id, name, arena, err) : NULL;
	if (!file)
		return err->kind != ERR_NONE ? -1 : err_set(err, ERR_NO_MEMORY, "no memory for a path");
	return link_or_copy(folder, fd, file, err);
}

/* Held until it is closed. */
static int lock_folder(const char *folder, struct err *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX) < 0) {
		err_os(err, errno, "locking %s", folder);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

static bool is_listed(const struct upload_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->parts[i] && strcmp(list->parts[i], name) == 0)
			return true;
	return list->joined && strcmp(list->joined, name) == 0;
}

/* All lists of an id. */
struct upload_lists { struct upload_list lists[2 * SYMBOLS_KINDS]; };

static int read_lists(const struct config *config, const struct file_id *id, struct arena *arena,
		      struct upload_lists *all, struct err *err)
{
	for (unsigned i = 0; i < 2 * SYMBOLS_KINDS; i++) {
		const char *name = arena_printf(arena, "%s%s", list_names[i / 2], i % 2 ? ".new" : "");
		const char *path = name ? whole_path(config, id, name, arena, err) : NULL;

		if (!path || read_list(path, arena, &all->lists[i], err) < 0)
			return err->kind != ERR_NONE ? -1 : err_set(err, ERR_NO_MEMORY, "no memory for a path");
	}
	return 0;
}

int upload_part_is_listed(const struct config *config, const struct file_id *id, enum symbols_kind kind,
			  uint32_t part_count, struct text name, struct arena *arena, struct err *err)
{
	const struct upload_list *list;
	struct upload_lists all;

	if (read_lists(config, id, arena, &all, err) < 0)
		return -1;
	/* A new upload has what it shares with the old one. */
	list = &all.lists[2 * kind + 1];
	if (list->part_count != part_count)
		list = &all.lists[2 * kind];
	for (uint32_t i = 0; list->part_count == part_count && i < part_count; i++)
		if (list->parts[i] && text_is(name, list->parts[i]))
			return 1;
	return 0;
}

static bool is_listed_anywhere(const struct upload_lists *all, const char *name)
{
	for (unsigned i = 0; i < 2 * SYMBOLS_KINDS; i++)
		if (is_listed(&all->lists[i], name))
			return true;
	return false;
}

static void remove_part(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path))
		unlink(path);
}

static bool is_complete(const struct upload_list *list)
{
	for (uint32_t i = 0; i < list->part_count; i++)
		if (!list->parts[i])
			return false;
	return true;
}

static const char *base_of(struct text path)
{
	return strrchr(path.bytes, '/') + 1;
}

/* Of parts that neither list of the kind names now. */
static void remove_unlisted(const char *folder, const struct upload_lists *before,
			    const struct upload_lists *after)
{
	for (unsigned i = 0; i < 2 * SYMBOLS_KINDS; i++)
		for (uint32_t j = 0; j < before->lists[i].part_count; j++)
			if (before->lists[i].parts[j] && !is_listed_anywhere(after, before->lists[i].parts[j]))
				remove_part(folder, before->lists[i].parts[j]);
	for (unsigned i = 0; i < 2 * SYMBOLS_KINDS; i++)
		if (before->lists[i].joined && !is_listed_anywhere(after, before->lists[i].joined))
			remove_part(folder, before->lists[i].joined);
}

static bool has_pieces(const struct upload_list *list)
{
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->parts[i] && list->pieces[i] != UPLOAD_WHOLE)
			return true;
	return false;
}

static bool has_old(const struct upload_list *list)
{
	for (uint32_t i = 0; i < list->part_count; i++)
		if (list->are_old[i])
			return true;
	return false;
}

/* What lists become with a part. */
struct upload_change {
	const char *folder, *list_path, *new_path;
	struct upload_lists before, after;
	struct upload_list *current, *list;  /* of `after`: that which counts, that which the part is in */
	bool is_current;
};

/* A part of whole ones takes its place at once.  Of one file all parts have to fit before they take the place of
 * others; but the same part again is an answer that was lost. */
static bool goes_to_current(const struct upload_list *current, const struct upload_list *next,
			    const struct upload_part *part)
{
	if (current->part_count == 0)
		return true;
	if (current->part_count != part->part_count || next->part_count == part->part_count)
		return false;
	return !is_complete(current) || (!current->joined && part->piece == UPLOAD_WHOLE) ||
	       strcmp(current->parts[part->part], base_of(part->path)) == 0;
}

/* The parts of the current list stay until their like is sent. */
static void take_old(struct upload_list *list, const struct upload_list *current)
{
	if (list == current || current->part_count != list->part_count)
		return;
	for (uint32_t i = 0; i < list->part_count; i++) {
		list->parts[i] = current->parts[i];
		list->pieces[i] = current->pieces[i];
		list->are_old[i] = true;
	}
}

static int begin_change(struct upload_change *change, const struct config *config, const struct file_id *id,
			const struct upload_part *part, struct arena *arena, struct err *err)
{
	struct upload_list *lists = &change->after.lists[2 * part->kind];

	if (read_lists(config, id, arena, &change->before, err) < 0 ||
	    read_lists(config, id, arena, &change->after, err) < 0)
		return -1;
	change->current = &lists[0];
	change->is_current = goes_to_current(&lists[0], &lists[1], part);
	change->list = change->is_current ? &lists[0] : &lists[1];
	if (change->list->part_count != part->part_count) {
		if (make_list(change->list, part->part_count, arena, err) < 0)
			return -1;
		take_old(change->list, change->current);
	}
	change->list->parts[part->part] = base_of(part->path);
	change->list->pieces[part->part] = part->piece;
	change->list->are_old[part->part] = false;
	return 0;
}

/* As upload_list_part(). */
static int settle_joined(const struct upload_change *change, const struct file_id *id,
			 const struct upload_part *part, struct text *joined, struct arena *arena, struct err *err)
{
	const char *name;

	change->list->joined = NULL;
	if (!is_complete(change->list) || !has_pieces(change->list))
		return 0;
	name = upload_join_name(change->list, arena);
	joined->bytes = name ? upload_folder_path(id, name, arena) : NULL;
	if (!joined->bytes)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path");
	joined->size = strlen(joined->bytes);
	if (!text_equal(part->joined, *joined))
		return upload_join(change->folder, change->list, name, err) < 0 ? -1 : 1;
	if (part->is_bad)
		return has_old(change->list) ? 0 : 2;
	change->list->joined = name;
	return 0;
}

static void remove_unless_listed(const struct upload_change *change, struct text path)
{
	if (path.bytes && !is_listed_anywhere(&change->after, base_of(path)))
		remove_part(change->folder, base_of(path));
}

static int end_change(struct upload_change *change, const struct upload_part *part, struct err *err)
{
	bool counts = change->is_current || change->list->joined ||
		      (is_complete(change->list) && !has_pieces(change->list));

	if (counts)
		memset(change->list->are_old, 0, change->list->part_count * sizeof(*change->list->are_old));
	if (write_list(change->folder, counts ? change->list_path : change->new_path, change->list, err) < 0)
		return -1;
	if (counts && !change->is_current) {
		unlink(change->new_path);
		*change->current = *change->list;
		*change->list = (struct upload_list){ 0 };
	}
	remove_unlisted(change->folder, &change->before, &change->after);
	remove_unless_listed(change, part->joined);
	return 0;
}

static void forget_change(struct upload_change *change, const struct upload_part *part)
{
	unlink(change->is_current ? change->list_path : change->new_path);
	*change->list = (struct upload_list){ 0 };
	remove_unlisted(change->folder, &change->before, &change->after);
	remove_unless_listed(change, part->path);
	remove_unless_listed(change, part->joined);
}

static int change_lists(struct upload_change *change, const struct config *config, const struct file_id *id,
			const struct upload_part *part, struct text *joined, struct arena *arena, struct err *err)
{
	int rc = begin_change(change, config, id, part, arena, err);

	if (rc == 0)
		rc = settle_joined(change, id, part, joined, arena, err);
	if (rc == 0)
		rc = end_change(change, part, err);
	else if (rc == 2)
		forget_change(change, part);
	return rc;
}

int upload_list_part(const struct config *config, const struct file_id *id, const struct upload_part *part,
		     struct text *joined, struct arena *arena, struct err *err)
{
	struct upload_change change = { .folder = whole_path(config, id, "", arena, err) };
	int lock, rc;

	if (!change.folder)
		return -1;
	change.list_path = arena_printf(arena, "%s/%s", change.folder, list_names[part->kind]);
	change.new_path = change.list_path ? arena_printf(arena, "%s.new", change.list_path) : NULL;
	if (!change.new_path)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path");
	lock = lock_folder(change.folder, err);
	if (lock < 0)
		return -1;
	rc = change_lists(&change, config, id, part, joined, arena, err);
	close(lock);
	return rc;
}

int upload_folder_drop(const struct config *config, const struct file_id *id, struct text path,
		struct arena *arena, struct err *err)
{
	const char *folder = whole_path(config, id, "", arena, err);
	struct upload_lists lists;
	int lock, rc;

	if (!folder || (lock = lock_folder(folder, err)) < 0)
		return -1;
	rc = read_lists(config, id, arena, &lists, err);
	if (rc == 0 && !is_listed_anywhere(&lists, base_of(path)))
		remove_part(folder, base_of(path));
	close(lock);
	return rc;
}

/* --- Build ids ---------------------------------------------------------------------------------- */

/* NULL: it is none that could be kept. */
static const char *build_id_path(const struct config *config, struct text build_id, struct arena *arena)
{
	const char *folder = upload_folder(config, arena);
	char hex[BUILD_ID_DIGITS_MAX + 1];

	if (!folder || build_id.size < 4 || build_id.size > BUILD_ID_DIGITS_MAX || build_id.size % 2)
		return NULL;
	for (size_t i = 0; i < build_id.size; i++) {
		if (ascii_hex_value(build_id.bytes[i]) < 0)
			return NULL;
		hex[i] = ascii_lower(build_id.bytes[i]);
	}
	hex[build_id.size] = '\0';
	return arena_printf(arena, "%s/build-ids/%.2s/%s", folder, hex, hex + 2);
}

int upload_folder_find_build_id(const struct config *config, struct text build_id, struct file_id *id,
			 struct err *err)
{
	struct arena arena;
	const char *path;
	struct buf text;
	int rc = 0;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	buf_init(&text, 2 * FILE_ID_HEX_BYTES);
	path = build_id_path(config, build_id, &arena);
	if (path)
		rc = file_read_all(path, FILE_ID_HEX_BYTES, &text, err) < 0 ? -1 : 1;
	if (rc > 0)
		rc = file_id_parse_any(text_trim(buf_text(&text)), id);
	else if (rc < 0 && err_is_absent(err)) {
		err_clear(err);
		rc = 0;
	}
	buf_release(&text);
	arena_release(&arena);
	return rc;
}

int upload_folder_note_build_id(const struct config *config, struct text build_id, const struct file_id *id,
			 struct arena *arena, struct err *err)
{
	const char *path = build_id_path(config, build_id, arena), *folder;
	char hex[FILE_ID_HEX_BYTES];

	if (!path)
		return 0;
	folder = arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path));
	if (!folder)
		return err_set(err, ERR_NO_MEMORY, "no memory for a path");
	file_id_format_hex(id, hex);
	return file_make_folders(folder, 0700, err) < 0 ? -1 : file_put(folder, path, hex, strlen(hex), 0600, err);
}

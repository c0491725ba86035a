/* maps.c -- see maps.h. */
#include "cli/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/subject.h"
#include "config/config.h"
#include "convert/convert.h"

#define CELL_BYTES ((size_t)64 * 1024)       /* parameters, or a reply */
#define UUID_CHARACTERS 36u
#define DSYM_INSIDE ".dSYM/Contents/Resources/DWARF"
#define MAP_FOLDER "BCSymbolMaps"

void maps_init(struct maps *maps)
{
	maps->line_map = NULL;
	maps->names_fd = maps->lines_fd = -1;
}

void maps_release(struct maps *maps)
{
	if (maps->names_fd >= 0)
		close(maps->names_fd);
	if (maps->lines_fd >= 0)
		close(maps->lines_fd);
	maps_init(maps);
}

int maps_find(const struct maps *maps, const char *role)
{
	int fd = strcmp(role, "bcsymbolmap") == 0 ? maps->names_fd
		 : strcmp(role, "il2cpp") == 0    ? maps->lines_fd : -1;

	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* --- In a cell ------------------------------------------------------------------------ */

static int read_in_cell(const struct subject *subject, enum convert_auxiliary_kind kind, int in,
			int out, struct debugid *original, struct err *err)
{
	const struct convert_auxiliary asked = {
		.kind = kind, .max_bytes = subject->config->max_download_bytes,
	};
	const struct cell_file input = { "file", in }, output = { "object", out };
	struct cell_order order = {
		.operation = "auxiliary", .inputs = &input, .input_count = 1,
		.outputs = &output, .output_count = 1,
	};
	struct buf parameters, reply;
	int rc = -1;

	buf_init(&parameters, CELL_BYTES);
	buf_init(&reply, CELL_BYTES);
	if (convert_auxiliary_parameters(&asked, &parameters, err) == 0) {
		order.parameters = buf_text(&parameters);
		rc = cells_run(subject->nursery, &order, NULL, NULL, &reply, err);
	}
	if (rc == 0)
		rc = convert_auxiliary_reply(buf_text(&reply), original, err);
	buf_release(&parameters);
	buf_release(&reply);
	return rc;
}

static int open_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

/* *made: what it is unpacked; *original: where a UUID map leads. */
static int read_map(const struct subject *subject, enum convert_auxiliary_kind kind,
		    const char *path, int *made, struct debugid *original, struct err *err)
{
	int in = open_map(path), out = -1, rc = -1;

	if (in < 0)
		return err_os(err, errno, "%s", path);
	if (cells_temporary(&out, err) == 0)
		rc = read_in_cell(subject, kind, in, out, original, err);
	close(in);
	if (rc == 0) {
		*made = out;
		return 0;
	}
	if (out >= 0)
		close(out);
	return err_while(err, "%s", path);
}

static void do_without(struct err *err)
{
	char words[ERR_TEXT_BYTES + 32];

	snprintf(words, sizeof(words), "%s; it is done without", err->text);
	cli_say(words);
	err_clear(err);
}

/* --- Hidden names --------------------------------------------------------------------- */

static bool wants_name_map(const struct described *object)
{
	for (size_t i = 0; i < object->want_count; i++)
		if (text_is(object->wants[i].role, "bcsymbolmap"))
			return true;
	return false;
}

static void say_uuid(const struct debugid *id, char uuid[UUID_CHARACTERS + 1])
{
	char text[DEBUGID_TEXT_BYTES];

	debugid_format(id, text);
	for (size_t i = 0; i < UUID_CHARACTERS; i++)
		uuid[i] = ascii_upper(text[i]);
	uuid[UUID_CHARACTERS] = '\0';
}

static struct text parent_of(struct text path)
{
	const char *slash = path.size ? memrchr(path.bytes, '/', path.size) : NULL;

	return slash ? (struct text){ path.bytes, (size_t)(slash - path.bytes) } : TEXT(".");
}

/* Where a file would be; false when the name is too long. */
static bool name_map(char path[COMPANIONS_PATH_BYTES], struct text folder, const char *inner,
		     const char *uuid, const char *suffix)
{
	int size = snprintf(path, COMPANIONS_PATH_BYTES, "%.*s%s/%s%s", (int)folder.size,
			    folder.bytes, inner, uuid, suffix);

	return size > 0 && (size_t)size < COMPANIONS_PATH_BYTES;
}

static bool is_there(char path[COMPANIONS_PATH_BYTES], struct text folder, const char *inner,
		     const char *uuid)
{
	return name_map(path, folder, inner, uuid, ".bcsymbolmap") && access(path, F_OK) == 0;
}

/* `beside` is the folder the dSYM, or the object, lies in. */
static bool find_name_map(const struct companions *companions, struct text beside,
			  const char *uuid, char path[COMPANIONS_PATH_BYTES])
{
	if (is_there(path, beside, "/" MAP_FOLDER, uuid) ||
	    is_there(path, parent_of(beside), "/" MAP_FOLDER, uuid) ||
	    is_there(path, beside, "", uuid))
		return true;
	for (size_t i = 0; i < companions->debug_folder_count; i++) {
		struct text folder = text_of(companions->debug_folders[i]);

		if (is_there(path, folder, "/" MAP_FOLDER, uuid) || is_there(path, folder, "", uuid))
			return true;
	}
	return false;
}

/* The UUID the maps go by: another one when Apple has built the program again. */
static void follow_uuid_map(const struct subject *subject, struct text folder,
			    char uuid[UUID_CHARACTERS + 1])
{
	char path[COMPANIONS_PATH_BYTES];
	struct debugid original;
	struct err err = ERR_INIT;
	int made;

	if (!name_map(path, folder, "", uuid, ".plist") || access(path, F_OK) < 0)
		return;
	if (read_map(subject, CONVERT_UUID_MAP, path, &made, &original, &err) < 0) {
		do_without(&err);
		return;
	}
	close(made);
	if (!debugid_is_nil(&original))
		say_uuid(&original, uuid);
}

static void open_name_map(struct maps *maps, const struct subject *subject)
{
	struct text folder = text_of(subject->companions.beside[0]), beside = folder;
	char uuid[UUID_CHARACTERS + 1], path[COMPANIONS_PATH_BYTES];
	struct debugid id, none;
	struct err err = ERR_INIT;

	if (!debugid_parse(subject->object->debug_id, &id))
		return;
	if (text_ends_with(folder, DSYM_INSIDE)) {
		folder = parent_of(folder);
		beside = parent_of(parent_of(parent_of(folder)));
	}
	say_uuid(&id, uuid);
	follow_uuid_map(subject, folder, uuid);
	if (!find_name_map(&subject->companions, beside, uuid, path))
		fprintf(stderr, "symgate: %s hides names; the %s.bcsymbolmap that says them was not "
			"found\n", subject->path, uuid);
	else if (read_map(subject, CONVERT_NAME_MAP, path, &maps->names_fd, &none, &err) < 0)
		do_without(&err);
}

/* --- Lines ---------------------------------------------------------------------------- */

/* As the service would: the unified layout keeps everything of one id in one folder. */
static bool find_line_map(const struct subject *subject, char path[COMPANIONS_PATH_BYTES])
{
	struct text base = text_basename(text_of(subject->path));

	if (!text_is(base, "debuginfo") && !text_is(base, "executable") &&
	    !text_is(base, "breakpad"))
		return false;
	return name_map(path, text_of(subject->companions.beside[0]), "", "il2cpp", "") &&
	       access(path, F_OK) == 0;
}

static int open_line_map(struct maps *maps, const struct subject *subject, struct err *err)
{
	char path[COMPANIONS_PATH_BYTES];
	struct debugid none;

	if (maps->line_map)
		return read_map(subject, CONVERT_LINE_MAP, maps->line_map, &maps->lines_fd, &none,
				err);
	if (find_line_map(subject, path) &&
	    read_map(subject, CONVERT_LINE_MAP, path, &maps->lines_fd, &none, err) < 0)
		do_without(err);
	return 0;
}

int maps_open(struct maps *maps, const struct subject *subject, struct err *err)
{
	if (wants_name_map(subject->object))
		open_name_map(maps, subject);
	return open_line_map(maps, subject, err);
}

/* subject.c -- see subject.h. */
#include "cli/subject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "cli/progress.h"
#include "config/config.h"
#include "convert/convert.h"

#define ARENA_BYTES ((size_t)64 * 1024 * 1024)
#define REPLY_BYTES ((size_t)1024 * 1024)
#define DSYM_FILES "Contents/Resources/DWARF"
#define DEBUG_FOLDER "/usr/lib/debug"
#define MAGIC_BYTES 4u

void subject_init(struct subject *subject, const struct config *config, struct nursery *nursery)
{
	memset(subject, 0, sizeof(*subject));
	subject->config = config;
	subject->nursery = nursery;
	subject->fd = subject->object_fd = subject->unpacked_fd = subject->slice_fd = -1;
	maps_init(&subject->maps);
	arena_init(&subject->arena, ARENA_BYTES);
}

static void close_file(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_files(struct subject *subject)
{
	close_file(&subject->fd);
	close_file(&subject->unpacked_fd);
	close_file(&subject->slice_fd);
	subject->object_fd = -1;
}

void subject_release(struct subject *subject)
{
	close_files(subject);
	maps_release(&subject->maps);
	arena_release(&subject->arena);
}

/* --- Which file ----------------------------------------------------------------------- */

/* The one file in a dSYM folder; of several the one named like the bundle. */
static int choose_in_bundle(const char *bundle, char *path, struct err *err)
{
	char folder[COMPANIONS_PATH_BYTES - NAME_MAX - 2], only[NAME_MAX + 1] = "";
	struct text base = text_basename(text_of(bundle));
	struct dirent *entry;
	unsigned count = 0;
	DIR *dir;

	if (text_ends_with(base, ".dSYM"))
		base.size -= strlen(".dSYM");
	if ((size_t)snprintf(folder, sizeof(folder), "%s/" DSYM_FILES, bundle) >= sizeof(folder))
		return err_set(err, ERR_IO, "the name is too long: %s", bundle);
	dir = opendir(folder);
	if (!dir)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is a folder, and not a dSYM: it has no " DSYM_FILES, bundle);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		if (!only[0] || text_is(base, entry->d_name))
			snprintf(only, sizeof(only), "%s", entry->d_name);
	}
	closedir(dir);
	if (count == 0)
		return err_set(err, ERR_NOT_FOUND, "%s is empty", folder);
	if (count > 1 && !text_is(base, only))
		return err_set(err, ERR_UNSUPPORTED, "%s holds %u files, none named %.*s: name one",
			       folder, count, (int)base.size, base.bytes);
	snprintf(path, COMPANIONS_PATH_BYTES, "%s/%s", folder, only);
	return 0;
}

static int open_file(struct subject *subject, const char *path, struct err *err)
{
	struct stat st;

	if (strlen(path) >= sizeof(subject->path))
		return err_set(err, ERR_IO, "the name is too long");
	snprintf(subject->path, sizeof(subject->path), "%s", path);
	if (stat(path, &st) < 0)
		return err_os(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode) && choose_in_bundle(path, subject->path, err) < 0)
		return -1;
	/* Not waiting for the other end of a FIFO. */
	subject->fd = open(subject->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (subject->fd < 0 || fstat(subject->fd, &st) < 0)
		return err_os(err, errno, "%s", subject->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_UNSUPPORTED, "%s is not a regular file", subject->path);
	if (st.st_size == 0)
		return err_set(err, ERR_MALFORMED, "%s is empty", subject->path);
	return 0;
}

static enum subject_kind kind_of_file(int fd)
{
	static const struct { const char *magic; enum subject_kind kind; } caches[] = {
		{ "SYMC", SUBJECT_SYMCACHE }, { "CMYS", SUBJECT_SYMCACHE },
		{ "PDBC", SUBJECT_PPDBCACHE }, { "CBDP", SUBJECT_PPDBCACHE },
	};
	char magic[MAGIC_BYTES];

	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic))
		return SUBJECT_OBJECT;
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		if (memcmp(magic, caches[i].magic, sizeof(magic)) == 0)
			return caches[i].kind;
	return SUBJECT_OBJECT;
}

/* --- What it is ----------------------------------------------------------------------- */

static int no_slice(const struct subject *subject, struct err *err)
{
	const struct description *description = &subject->description;
	char archs[128] = "";

	/* Where there is a count there are slices, which the analyzer cannot see. */
	if (description->slice_count == 1 && description->slices[0].trouble.size > 0) /* NOLINT */
		return err_set(err, ERR_UNSUPPORTED, "%.*s",
			       (int)description->slices[0].trouble.size,
			       description->slices[0].trouble.bytes);
	for (size_t i = 0; i < description->slice_count; i++) {
		size_t used = strlen(archs);
		struct text arch = description->slices[i].arch;   /* NOLINT */

		snprintf(archs + used, sizeof(archs) - used, " %.*s", (int)arch.size,
			 arch.size ? arch.bytes : "");
	}
	return err_set(err, ERR_NOT_FOUND, "no object for %s in it; it has:%s",
		       subject->arch ? subject->arch : "these ids", archs[0] ? archs : " nothing");
}

static int describe(struct subject *subject, const struct debugid *debug_id, struct err *err)
{
	struct description *description = &subject->description;

	subject->object = NULL;
	subject->kind = kind_of_file(subject->fd);
	if (subject->kind != SUBJECT_OBJECT)
		return 0;
	if (cells_temporary(&subject->unpacked_fd, err) < 0 ||
	    cells_temporary(&subject->slice_fd, err) < 0)
		return -1;
	if (cells_describe(subject->nursery, subject->fd, subject->arch, debug_id,
			   subject->unpacked_fd, subject->slice_fd, &subject->arena, description,
			   err) < 0)
		return err_while(err, "%s", subject->path);
	subject->object_fd = text_is(description->use, "slice")      ? subject->slice_fd
			     : text_is(description->use, "unpacked") ? subject->unpacked_fd
								     : subject->fd;
	if (description->chosen < description->slice_count)
		subject->object = &description->slices[description->chosen];
	if (!subject->object || subject->object->trouble.size > 0) {
		no_slice(subject, err);
		return err_while(err, "%s", subject->path);
	}
	return 0;
}

int subject_open(struct subject *subject, const char *path, struct err *err)
{
	struct companions *companions = &subject->companions;

	if (companions->debug_folder_count == 0)
		companions->debug_folders[companions->debug_folder_count++] = DEBUG_FOLDER;
	if (open_file(subject, path, err) < 0)
		return -1;
	companions_begin(companions, subject->path);
	return describe(subject, NULL, err);
}

/* --- A better one --------------------------------------------------------------------- */

static bool wants_debuglink(const struct described *object)
{
	for (size_t i = 0; i < object->want_count; i++)
		if (text_is(object->wants[i].role, "debuglink"))
			return true;
	return false;
}

/* The PDB a PE image names, which was elsewhere when it was linked: beside it, or in one of
 * the debug folders. */
static int find_pdb(const struct subject *subject, char path[COMPANIONS_PATH_BYTES])
{
	const struct companions *companions = &subject->companions;
	struct text name = text_basename(subject->object->debug_file);
	int fd = -1;

	if (name.size == 0 || memchr(name.bytes, 0, name.size) || text_is(name, "..") ||
	    text_is(name, "."))
		return -1;
	for (size_t i = 0; i < companions->beside_count + companions->debug_folder_count && fd < 0;
	     i++) {
		const char *folder = i < companions->beside_count ? companions->beside[i]
			: companions->debug_folders[i - companions->beside_count];

		if ((size_t)snprintf(path, COMPANIONS_PATH_BYTES, "%s/%.*s", folder, (int)name.size,
				     name.bytes) < COMPANIONS_PATH_BYTES)
			fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	}
	return fd;
}

/* The file that holds this object's debug information: its descriptor and path, or -1. */
static int find_debug(struct subject *subject, char path[COMPANIONS_PATH_BYTES])
{
	const struct described *object = subject->object;
	struct text base = text_basename(text_of(subject->path));

	if (text_is(object->format, "elf") && !wants_debuglink(object))
		return companions_by_build_id(&subject->companions, object->code_id, ".debug", path);
	if (text_is(object->format, "pe"))
		return find_pdb(subject, path);
	if (text_is(object->format, "macho") &&
	    (size_t)snprintf(path, COMPANIONS_PATH_BYTES, "%s.dSYM/" DSYM_FILES "/%.*s",
			     subject->path, (int)base.size, base.bytes) < COMPANIONS_PATH_BYTES)
		return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return -1;
}

/* Describes the other file; when it is not ours after all, everything stays as it is. */
int subject_prefer_debug(struct subject *subject, struct err *err)
{
	char path[COMPANIONS_PATH_BYTES];
	struct subject other;
	struct debugid id;
	int fd;

	if (!subject->object || (subject->object->offers & DESCRIBE_DEBUG) ||
	    !debugid_parse(subject->object->debug_id, &id))
		return 0;
	fd = find_debug(subject, path);
	if (fd < 0)
		return 0;
	subject_init(&other, subject->config, subject->nursery);
	other.companions = subject->companions;
	other.fd = fd;
	snprintf(other.path, sizeof(other.path), "%s", path);
	if (describe(&other, &id, err) < 0 || !other.object ||
	    !(other.object->offers & DESCRIBE_DEBUG)) {
		err_clear(err);
		subject_release(&other);
		return 0;
	}
	other.arch = subject->arch;
	other.maps = subject->maps;
	maps_init(&subject->maps);
	companions_begin(&other.companions, path);
	subject_release(subject);
	*subject = other;
	return 0;
}

/* --- Converting ----------------------------------------------------------------------- */

bool subject_is_managed(const struct subject *subject)
{
	return subject->kind == SUBJECT_PPDBCACHE ||
	       (subject->object && subject->object->has_methods && subject->object->methods > 0);
}

/* Maps were found before; the rest is looked for when the cell asks. */
static int find_companion(void *payload, const char *role, struct text id, struct text name)
{
	struct subject *subject = payload;
	int fd = maps_find(&subject->maps, role);

	return fd >= 0 ? fd : companions_find(&subject->companions, role, id, name);
}

static void tell_lacking_units(const struct subject *subject)
{
	const struct companions *companions = &subject->companions;

	if (companions->lacking_units)
		fprintf(stderr, "symgate: %s lacks %zu of its split units, the first in %s; where the "
			".dwo files are, `dwp -e %s' gathers them in %s.dwp\n", subject->path,
			companions->lacking_units, companions->lacking, subject->path,
			subject->path);
}

/* A cell's whole work, shown while it lasts. */
static int run_conversion(struct subject *subject, const struct cell_order *order,
			  struct buf *reply, struct err *err)
{
	char what[COMPANIONS_PATH_BYTES + 32];
	int rc;

	snprintf(what, sizeof(what), "converting %s", subject->path);
	progress_start(what);
	rc = cells_run(subject->nursery, order, find_companion, subject, reply, err);
	progress_stop();
	return rc;
}

int subject_convert(struct subject *subject, int fd, struct convert_symcache_reply *report,
		    struct err *err)
{
	const struct convert_symcache wish = {
		.max_section_bytes = subject->config->section_max_bytes,
		.threads = (unsigned)subject->config->workshop_cell_threads,
		.wants_split_units = true,
	};
	const char *made = subject_is_managed(subject) ? "ppdbcache" : "symcache";
	struct cell_file inputs[] = { { "object", subject->object_fd } };
	struct cell_file outputs[] = { { "", fd } };
	struct cell_order order = {
		.operation = made, .want_max = LIMIT_CELL_WANTS + LIMIT_CELL_SPLIT_UNITS,
		.inputs = inputs, .input_count = 1, .outputs = outputs, .output_count = 1,
	};
	struct convert_symcache_reply ignored;
	struct buf parameters, reply;
	int rc = -1;

	snprintf(outputs[0].role, sizeof(outputs[0].role), "%s", made);
	buf_init(&parameters, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	if (!subject_is_managed(subject) && maps_open(&subject->maps, subject, err) < 0)
		goto done;
	if (convert_symcache_parameters(&wish, &parameters, err) < 0)
		goto done;
	order.parameters = buf_text(&parameters);
	rc = run_conversion(subject, &order, &reply, err);
	if (rc == 0)
		rc = convert_symcache_reply_parse(buf_text(&reply), &subject->arena,
						  report ? report : &ignored, err);
	if (rc < 0)
		err_while(err, "%s", subject->path);
	else
		tell_lacking_units(subject);
done:
	buf_release(&parameters);
	buf_release(&reply);
	return rc;
}

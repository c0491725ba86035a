/* companions.c -- see companions.h. */
#include "cli/companions.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID_DIGITS_LEAST 6u
#define ID_DIGITS_MOST 128u

/* The folder of a path, links resolved as far as they can be. */
static void folder_of(const char *path, char *folder)
{
	char real[PATH_MAX];
	const char *from = realpath(path, real) ? real : path;
	const char *slash = strrchr(from, '/');
	size_t size = slash ? (size_t)(slash - from) : 0;

	if (!slash)
		snprintf(folder, COMPANIONS_PATH_BYTES, ".");
	else
		snprintf(folder, COMPANIONS_PATH_BYTES, "%.*s", size ? (int)size : 1, from);
}

static void remember(struct companions *companions, const char *path)
{
	if (companions->beside_count < COMPANIONS_FOLDERS)
		folder_of(path, companions->beside[companions->beside_count++]);
	if (companions->object_count < COMPANIONS_FOLDERS)
		snprintf(companions->objects[companions->object_count++], COMPANIONS_PATH_BYTES,
			 "%s", path);
}

void companions_begin(struct companions *companions, const char *path)
{
	companions->beside_count = 0;
	companions->object_count = 0;
	companions->lacking_units = 0;
	remember(companions, path);
}

static bool is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* A regular file that is none of those we come from. */
static int open_path(const struct companions *companions, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		goto refuse;
	for (size_t i = 0; i < companions->object_count; i++)
		if (is_same_file(fd, companions->objects[i]))
			goto refuse;
	return fd;
refuse:
	close(fd);
	return -1;
}

/* Opens FOLDER/MIDDLE/NAME (MIDDLE may be empty); a path too long does not exist. */
static int try_path(const struct companions *companions, char *path, const char *folder,
		    const char *middle, struct text name)
{
	int size = snprintf(path, COMPANIONS_PATH_BYTES, "%s%s%s%s%.*s", folder,
			    folder[0] ? "/" : "", middle, middle[0] ? "/" : "",
			    (int)(name.size < COMPANIONS_PATH_BYTES ? name.size
								    : COMPANIONS_PATH_BYTES),
			    name.bytes);

	return size > 0 && (size_t)size < COMPANIONS_PATH_BYTES ? open_path(companions, path) : -1;
}

int companions_by_build_id(struct companions *companions, struct text id, const char *suffix,
			   char path[COMPANIONS_PATH_BYTES])
{
	char name[ID_DIGITS_MOST + 32];

	if (id.size < ID_DIGITS_LEAST || id.size > ID_DIGITS_MOST || memchr(id.bytes, '/', id.size))
		return -1;
	snprintf(name, sizeof(name), "%.2s/%.*s%s", id.bytes, (int)(id.size - 2), id.bytes + 2,
		 suffix);
	for (size_t i = 0; i < companions->debug_folder_count; i++) {
		int fd = try_path(companions, path, companions->debug_folders[i], ".build-id",
				  text_of(name));

		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* FOLDER is an object's own: its files, .debug in it, and its mirror below the debug folders. */
static int try_beside(const struct companions *companions, char *path, const char *folder,
		      struct text name)
{
	static const char *const middles[] = { "", ".debug" };
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < sizeof(middles) / sizeof(middles[0]); i++)
		fd = try_path(companions, path, folder, middles[i], name);
	for (size_t i = 0; fd < 0 && i < companions->debug_folder_count; i++)
		fd = try_path(companions, path, companions->debug_folders[i],
			      folder[0] == '/' ? folder + 1 : folder, name);
	return fd;
}

static int by_name(const struct companions *companions, char *path, struct text name)
{
	struct text base = text_basename(name);
	int fd = -1;

	if (name.size == 0)
		return -1;
	if (name.bytes[0] == '/')
		fd = try_path(companions, path, "", "", name);
	for (size_t i = 0; fd < 0 && i < companions->beside_count; i++) {
		if (name.bytes[0] != '/')
			fd = try_beside(companions, path, companions->beside[i], name);
		if (fd < 0 && base.size < name.size)
			fd = try_beside(companions, path, companions->beside[i], base);
	}
	for (size_t i = 0; fd < 0 && i < companions->debug_folder_count; i++)
		fd = try_path(companions, path, companions->debug_folders[i], ".dwz", base);
	return fd;
}

static int open_package(const struct companions *companions, char *path, struct text object)
{
	int size = snprintf(path, COMPANIONS_PATH_BYTES, "%.*s.dwp", (int)object.size, object.bytes);

	return size > 0 && (size_t)size < COMPANIONS_PATH_BYTES ? open_path(companions, path) : -1;
}

/* libfoo.so.dwp, and libfoo.dwp for libfoo.debug. */
static int package(const struct companions *companions, char *path)
{
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < companions->object_count; i++) {
		struct text object = text_of(companions->objects[i]);

		fd = open_package(companions, path, object);
		if (fd < 0 && text_ends_with(object, ".debug")) {
			object.size -= strlen(".debug");
			fd = open_package(companions, path, object);
		}
	}
	return fd;
}

int companions_find(void *payload, const char *role, struct text id, struct text name)
{
	struct companions *companions = payload;
	char path[COMPANIONS_PATH_BYTES];
	int fd = -1;

	if (strcmp(role, "dwp") == 0) {
		fd = package(companions, path);
		if (fd < 0)
			fd = companions_by_build_id(companions, id, ".dwp", path);
	} else {
		if (strcmp(role, "dwo") != 0)
			fd = companions_by_build_id(companions, id, ".debug", path);
		if (fd < 0)
			fd = by_name(companions, path, name);
	}
	if (fd < 0 && strcmp(role, "dwo") == 0 && companions->lacking_units++ == 0)
		snprintf(companions->lacking, sizeof(companions->lacking), "%.*s",
			 (int)(name.size < COMPANIONS_PATH_BYTES ? name.size : COMPANIONS_PATH_BYTES),
			 name.bytes);
	if (fd >= 0 && strcmp(role, "dwo") != 0)
		remember(companions, path);
	return fd;
}

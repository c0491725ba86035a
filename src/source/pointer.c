/* pointer.c -- see pointer.h. */
#include "source/pointer.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"

#define POINTER_NAME "file.ptr"
#define POINTER_PATH "PATH:"
#define POINTER_MESSAGE "MSG:"

struct pointer_place { struct text beginning, folder; };

struct source_pointers {
	struct pointer_place *places;
	size_t count;
};

/* --- The configuration --------------------------------------------------------------------------- */

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static int parse_place(const struct shape *shape, const struct cJSON *item, struct pointer_place *place,
		       struct err *err)
{
	struct text beginning = text_of(item->string), folder = shape_text(item);

	while (beginning.size > 0 && is_slash(beginning.bytes[beginning.size - 1]))
		beginning.size--;
	if (beginning.size == 0)
		return shape_refuse(shape, NULL, err, "the beginning of a path is expected, such as "
				    "`\\\\server\\share`");
	if (!text_starts_with(folder, "/"))
		return shape_refuse(shape, item->string, err, "the whole path of a folder is expected");
	return shape_copy(shape, beginning, &place->beginning, err) < 0 ||
	       shape_copy(shape, folder, &place->folder, err) < 0 ? -1 : 0;
}

int source_pointers_parse(const struct shape *shape, const struct source_setup *setup,
			  const struct source_pointers **pointers, struct err *err)
{
	struct source_pointers *made;
	const struct cJSON *item;
	struct shape places;

	*pointers = NULL;
	if (setup->origin != SOURCE_OF_CONFIG)
		return 0;
	if (shape_object(shape, "file_ptr", &places, err) < 0)
		return -1;
	if (!places.json || !places.json->child)
		return 0;
	made = arena_alloc(shape->arena, 1, sizeof(*made));
	if (made)
		made->places = arena_alloc(shape->arena, (size_t)cJSON_GetArraySize(places.json),
					   sizeof(*made->places));
	if (!made || !made->places)
		return err_set(err, ERR_NO_MEMORY, "no room for the sources");
	cJSON_ArrayForEach(item, places.json)
		if (parse_place(&places, item, &made->places[made->count++], err) < 0)
			return -1;
	*pointers = made;
	return 0;
}

/* --- Locations ----------------------------------------------------------------------------------- */

int source_pointer_beside(struct text path, struct arena *arena, struct text *pointer, struct err *err)
{
	size_t folder = path.size;
	char *bytes;

	while (folder > 0 && path.bytes[folder - 1] != '/')
		folder--;
	bytes = arena_alloc_raw(arena, folder + sizeof(POINTER_NAME), 1);
	if (!bytes)
		return err_set(err, ERR_NO_MEMORY, "no room for a path");
	memcpy(bytes, path.bytes, folder);
	memcpy(bytes + folder, POINTER_NAME, sizeof(POINTER_NAME));
	*pointer = (struct text){ bytes, folder + sizeof(POINTER_NAME) - 1 };
	return 0;
}

bool source_is_pointer(const struct location *location)
{
	return location->source->pointers && text_ends_with(location->path, "/" POINTER_NAME);
}

/* --- Following it -------------------------------------------------------------------------------- */

static char as_compared(char c)
{
	return is_slash(c) ? '/' : ascii_lower(c);
}

/* Names of Windows: of any case, with slashes of either kind. */
static bool begins_with(struct text path, struct text beginning)
{
	if (path.size <= beginning.size || !is_slash(path.bytes[beginning.size]))
		return false;
	for (size_t i = 0; i < beginning.size; i++)
		if (as_compared(path.bytes[i]) != as_compared(beginning.bytes[i]))
			return false;
	return true;
}

static bool is_component(struct text name)
{
	return !text_is(name, ".") && !text_is(name, "..") && !memchr(name.bytes, ':', name.size) &&
	       !text_has_controls(name);
}

/* "FOLDER/b/my.pdb" of "\b\my.pdb", into as many bytes as both have and one more; false: a name leads
 * elsewhere. */
static bool write_path(struct text folder, struct text rest, char *at)
{
	memcpy(at, folder.bytes, folder.size);
	at += folder.size;
	while (rest.size > 0) {
		size_t size = 1;

		while (size < rest.size && !is_slash(rest.bytes[size]))
			size++;
		if (!is_component((struct text){ rest.bytes + 1, size - 1 }))
			return false;
		*at++ = '/';
		memcpy(at, rest.bytes + 1, size - 1);
		at += size - 1;
		rest = text_from(rest, size);
	}
	*at = '\0';
	return true;
}

/* That a pointer leads to nothing is another failure than that there is none, which a look at its folder
 * would tell. */
static int open_target(const struct pointer_place *place, const char *path, int *fd, struct err *err)
{
	int rc = source_open_below(place->folder.bytes, path, fd, err);

	if (rc < 0 && err->kind == ERR_NOT_FOUND)
		err_set(err, ERR_DOWNLOAD, POINTER_NAME " leads to %s, which is not there", path);
	return rc;
}

static int open_path(const struct source_pointers *pointers, struct text path, struct arena *arena, int *fd,
		     struct err *err)
{
	for (size_t i = 0; i < pointers->count; i++) {
		const struct pointer_place *place = &pointers->places[i];
		char *below;

		if (!begins_with(path, place->beginning))
			continue;
		below = arena_alloc_raw(arena, place->folder.size + path.size + 1, 1);
		if (!below)
			return err_set(err, ERR_NO_MEMORY, "no room for a path");
		if (write_path(place->folder, text_from(path, place->beginning.size), below))
			return open_target(place, below, fd, err);
	}
	return err_set(err, ERR_DENIED, POINTER_NAME " leads to %.*s, which is in no folder of `file_ptr`",
		       (int)path.size, path.bytes);
}

static struct text without_blanks(struct text text)
{
	while (text.size > 0 && (unsigned char)text.bytes[text.size - 1] <= ' ')
		text.size--;
	while (text.size > 0 && (unsigned char)text.bytes[0] <= ' ')
		text = text_from(text, 1);
	return text;
}

static int follow(const struct source_pointers *pointers, struct text text, struct arena *arena, int *fd,
		  struct err *err)
{
	struct text rest;

	if (text_has_controls(text) || !text_is_utf8(text))
		return err_set(err, ERR_MALFORMED, POINTER_NAME " is no line of text");
	if (text_starts_with(text, POINTER_MESSAGE)) {
		rest = without_blanks(text_from(text, strlen(POINTER_MESSAGE)));
		return err_set(err, ERR_DENIED, POINTER_NAME " says: %.*s", (int)rest.size, rest.bytes);
	}
	if (!text_starts_with(text, POINTER_PATH))
		return err_set(err, ERR_MALFORMED, POINTER_NAME " names no path");
	return open_path(pointers, without_blanks(text_from(text, strlen(POINTER_PATH))), arena, fd, err);
}

int source_follow(const struct location *location, int pointer, struct arena *arena, int *fd,
		  struct err *err)
{
	char bytes[SOURCE_POINTER_BYTES + 1];
	ssize_t size = pread(pointer, bytes, sizeof(bytes), 0);

	*fd = -1;
	if (size < 0)
		return err_os(err, errno, "reading " POINTER_NAME);
	if ((size_t)size > SOURCE_POINTER_BYTES)
		return err_set(err, ERR_MALFORMED, POINTER_NAME " is larger than %u bytes",
			       SOURCE_POINTER_BYTES);
	return follow(location->source->pointers, without_blanks((struct text){ bytes, (size_t)size }), arena,
		      fd, err);
}

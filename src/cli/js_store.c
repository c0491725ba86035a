/* js_store.c -- see js_store.h. */
#include "cli/js_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/limits.h"
#include "base/url.h"
#include "cli/cli.h"

#define FILES "releases/" JS_STORE_RELEASE "/~/files/~"
#define BUNDLE "releases/" JS_STORE_RELEASE "/~/sourcebundle"
#define MAP_NAME ".symgate.map"
#define STORES_MAX 200u              /* sources of one request */
#define STORE_PATH_BYTES ((size_t)3 * PATH_MAX)

struct js_store {
	const char *folder;
	struct buf *sources;
	unsigned count;
	char root[PATH_MAX];         /* of the source under way */
};

/* --- One source -------------------------------------------------------------------------------- */

static int begin_source(struct js_store *store, struct err *err)
{
	struct json_writer json;

	if (store->count >= STORES_MAX)
		return err_set(err, ERR_LIMIT, "more files than one request can name");
	if ((size_t)snprintf(store->root, sizeof(store->root), "%s/js-%u", store->folder, store->count++) >=
	    sizeof(store->root))
		return err_set(err, ERR_IO, "the name is too long: %s", store->folder);
	if (store->sources->size)
		buf_add_char(store->sources, ',');
	json_writer_init(&json, store->sources);
	json_object(&json);
	json_member_string(&json, "id", strrchr(store->root, '/') + 1);
	json_member_string(&json, "type", "filesystem");
	json_member_string(&json, "path", store->root);
	json_key(&json, "layout");
	json_object(&json);
	json_member_string(&json, "type", "unified");
	json_object_end(&json);
	json_object_end(&json);
	return buf_check(store->sources, err);
}

/* `place` below the root, with the folders it lies in. */
static int make_path(const struct js_store *store, struct text place, char path[STORE_PATH_BYTES],
		     struct err *err)
{
	char *slash;
	int rc;

	if ((size_t)snprintf(path, STORE_PATH_BYTES, "%s/%.*s", store->root, (int)place.size, place.bytes) >=
	    STORE_PATH_BYTES)
		return err_set(err, ERR_IO, "the name is too long: %.*s", 100, place.bytes);
	slash = strrchr(path, '/');
	*slash = '\0';
	rc = file_make_folders(path, 0700, err);
	*slash = '/';
	return rc;
}

static int link_to(const struct js_store *store, struct text place, const char *target, struct err *err)
{
	char path[STORE_PATH_BYTES], real[PATH_MAX];

	if (!realpath(target, real))
		return err_os(err, errno, "%s", target);
	if (make_path(store, place, path, err) < 0)
		return -1;
	return symlink(real, path) < 0 && errno != EEXIST ? err_os(err, errno, "linking %s", path) : 0;
}

/* --- What frames name --------------------------------------------------------------------------- */

static struct text upto(struct text text, char mark)
{
	const char *at = text.size ? memchr(text.bytes, mark, text.size) : NULL;

	return at ? (struct text){ text.bytes, (size_t)(at - text.bytes) } : text;
}

/* Folders are none: pages have scripts of their own, "https://shop.example/cart/".  Nor is what has a part
 * too long to be a file's name. */
static bool may_be_file(struct text path)
{
	size_t part = 0;

	if (memmem(path.bytes, path.size, "..", 2) || path.size >= PATH_MAX / 2)
		return false;
	for (size_t at = 0; at < path.size; at++) {
		part = path.bytes[at] == '/' ? 0 : part + 1;
		if (part > NAME_MAX - strlen(MAP_NAME))
			return false;
	}
	return part > 0 && !text_is(path, ".") && !text_ends_with(path, "/.");
}

/* Its path on a server, without the slash it begins with; empty: there is none to have. */
static struct text path_of(const struct cJSON *frame)
{
	struct text path = upto(upto(url_strip_host(cli_member(frame, "abs_path")), '#'), '?');

	while (path.size && path.bytes[0] == '/')
		path = text_from(path, 1);
	return path.size && may_be_file(path) ? path : TEXT("");
}

typedef int frame_fn(struct js_store *store, struct text path, void *payload, struct err *err);

/* Each file that is named, once after the other. */
static int each_file(struct js_store *store, const struct cJSON *traces, frame_fn *fn, void *payload,
		     struct err *err)
{
	const struct cJSON *trace, *frame;
	struct text last = TEXT_NONE;

	cJSON_ArrayForEach(trace, traces) {
		cJSON_ArrayForEach(frame, cJSON_GetObjectItemCaseSensitive(trace, "frames")) {
			struct text path = path_of(frame);

			if (path.size == 0 || text_equal(path, last))
				continue;
			last = path;
			if (store->count < STORES_MAX && fn(store, path, payload, err) < 0)
				return -1;
		}
	}
	return 0;
}

/* --- Folders --------------------------------------------------------------------------------------- */

/* The folder of the longest end of `path` that is a file below it; *tail is that end. */
static bool find_below(const char *dir, struct text path, char found[STORE_PATH_BYTES])
{
	struct stat st;

	while (path.size) {
		const char *slash = memchr(path.bytes, '/', path.size);

		if ((size_t)snprintf(found, STORE_PATH_BYTES, "%s/%.*s", dir, (int)path.size, path.bytes) <
			    STORE_PATH_BYTES && stat(found, &st) == 0 && S_ISREG(st.st_mode)) {
			*strrchr(found, '/') = '\0';
			return true;
		}
		if (!slash)
			return false;
		path = text_from(path, (size_t)(slash - path.bytes) + 1);
	}
	return false;
}

static int link_folder(struct js_store *store, struct text path, void *payload, struct err *err)
{
	const char *slash = memrchr(path.bytes, '/', path.size), *dir = payload;
	char found[STORE_PATH_BYTES], place[STORE_PATH_BYTES];

	if (!slash || !find_below(dir, path, found))
		return 0;                        /* the folder itself is linked already */
	snprintf(place, sizeof(place), FILES "/%.*s", (int)(slash - path.bytes), path.bytes);
	return begin_source(store, err) < 0 ? -1 : link_to(store, text_of(place), found, err);
}

static int add_dir(struct js_store *store, const char *dir, const struct cJSON *traces, struct err *err)
{
	if (begin_source(store, err) < 0 || link_to(store, TEXT(FILES), dir, err) < 0)
		return -1;
	return each_file(store, traces, link_folder, (void *)(uintptr_t)dir, err);
}

/* --- Maps ------------------------------------------------------------------------------------------ */

struct mapping { const char *map; bool is_only; };

static struct text name_of(struct text path)
{
	const char *slash = path.size ? memrchr(path.bytes, '/', path.size) : NULL;

	return slash ? text_from(path, (size_t)(slash - path.bytes) + 1) : path;
}

/* The minified file beside a map, or nothing, and where its map is behind it. */
static int write_minified(const char *path, const char *map, struct text name, struct err *err)
{
	char beside[PATH_MAX];
	struct buf text;
	struct err none = ERR_INIT;
	int fd, rc;

	buf_init(&text, (size_t)1 << 30);
	if (text_ends_with(text_of(map), ".map") &&
	    (size_t)snprintf(beside, sizeof(beside), "%.*s", (int)strlen(map) - 4, map) < sizeof(beside) &&
	    file_read_all(beside, LIMIT_SYMBOLICATE_BODY_BYTES, &text, &none) < 0)
		buf_clear(&text);
	buf_printf(&text, "\n//# sourceMappingURL=%.*s" MAP_NAME "\n", (int)name.size, name.bytes);
	rc = buf_check(&text, err);
	fd = rc == 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (rc == 0)
		rc = fd < 0 ? err_os(err, errno, "making %s", path)
			    : file_write_all(fd, text.bytes, text.size, err);
	if (fd >= 0)
		close(fd);
	buf_release(&text);
	return rc;
}

/* One map is that of all files; of several each is that of the file it is called after. */
static int map_file(struct js_store *store, struct text path, void *payload, struct err *err)
{
	const struct mapping *mapping = payload;
	struct text name = name_of(path), map = name_of(text_of(mapping->map));
	char place[STORE_PATH_BYTES], made[STORE_PATH_BYTES];

	if (!mapping->is_only &&
	    !(map.size == name.size + 4 && memcmp(map.bytes, name.bytes, name.size) == 0 &&
	      text_ends_with(map, ".map")))
		return 0;
	if (begin_source(store, err) < 0)
		return -1;
	snprintf(place, sizeof(place), FILES "/%.*s" MAP_NAME, (int)path.size, path.bytes);
	if (link_to(store, text_of(place), mapping->map, err) < 0)
		return -1;
	snprintf(place, sizeof(place), FILES "/%.*s", (int)path.size, path.bytes);
	if (make_path(store, text_of(place), made, err) < 0)
		return -1;
	return write_minified(made, mapping->map, name, err);
}

int js_store_make(const struct js_store_wish *wish, const char *folder, const struct cJSON *traces,
		  struct buf *sources, struct err *err)
{
	struct js_store store = { .folder = folder, .sources = sources };

	for (unsigned i = 0; i < wish->map_count; i++) {
		struct mapping mapping = { wish->maps[i], wish->map_count == 1 };

		if (access(wish->maps[i], R_OK) < 0)
			return err_os(err, errno, "%s", wish->maps[i]);
		if (each_file(&store, traces, map_file, &mapping, err) < 0)
			return -1;
	}
	for (unsigned i = 0; i < wish->dir_count; i++)
		if (add_dir(&store, wish->dirs[i], traces, err) < 0)
			return -1;
	for (unsigned i = 0; i < wish->bundle_count; i++)
		if (begin_source(&store, err) < 0 || link_to(&store, TEXT(BUNDLE), wish->bundles[i], err) < 0)
			return -1;
	return 0;
}

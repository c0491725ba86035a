/* path.c -- one path from a compilation directory, a directory and a name. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "symcache/symcache.h"

#define PATH_CEILING_BYTES (8 * LIMIT_NAME_BYTES)
#define NEAR_BYTES 1024u             /* most paths are shorter: these take no memory */
#define BLOCK_BYTES 16u              /* of a path looked at together */

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

static bool is_letter(char c)
{
	return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

/* "C:" alone, "C:\" or "C:/". */
static bool has_drive(struct text path)
{
	return path.size >= 2 && is_letter(path.bytes[0]) && path.bytes[1] == ':' &&
	       (path.size == 2 || is_separator(path.bytes[2]));
}

static bool is_absolute_windows(struct text path)
{
	return has_drive(path) || text_starts_with(path, "\\\\") || text_starts_with(path, "//");
}

static bool is_absolute(struct text path)
{
	return is_absolute_windows(path) || text_starts_with(path, "/");
}

static bool is_windows(struct text path)
{
	return is_absolute_windows(path) ||
	       (path.size > 0 && memchr(path.bytes, '\\', path.size) != NULL);
}

static void put(char *joined, size_t *size, struct text text)
{
	if (text.size)
		memcpy(joined + *size, text.bytes, text.size);
	*size += text.size;
}

/* One of the two where that is all, else both in `capacity`, which has place for them and a
 * separator. */
static struct text join(struct text base, struct text other, char *capacity)
{
	bool windows = is_windows(base) || is_windows(other);
	size_t size = 0;

	if (text_starts_with(other, "<") && text_ends_with(other, ">"))
		return other;
	if (text_starts_with(other, "\\") && !text_starts_with(other, "\\\\") && has_drive(base)) {
		put(capacity, &size, (struct text){ base.bytes, 2 });
		put(capacity, &size, other);
		return (struct text){ capacity, size };
	}
	if (base.size == 0 || is_absolute(other))
		return other;
	if (other.size == 0)
		return base;
	while (base.size > 0 && is_separator(base.bytes[base.size - 1]))
		base.size--;
	while (other.size > 0 && is_separator(other.bytes[0])) {
		other.bytes++;
		other.size--;
	}
	put(capacity, &size, base);
	put(capacity, &size, windows ? TEXT("\\") : TEXT("/"));
	put(capacity, &size, other);
	return (struct text){ capacity, size };
}

/* The part up to the next separator; *path moves behind it. */
static struct text next_part(struct text *path)
{
	struct text part = { path->bytes, 0 };
	size_t taken;

	while (part.size < path->size && !is_separator(path->bytes[part.size]))
		part.size++;
	taken = part.size + (part.size < path->size);
	path->bytes += taken;
	path->size -= taken;
	return part;
}

/* Takes the last part away from what was appended since `start`. */
static void drop_part(struct buf *out, size_t start)
{
	while (out->size > start && !is_separator(out->bytes[out->size - 1]))
		out->size--;
	if (out->size > start)
		out->size--;
	out->bytes[out->size] = '\0';
}

/* Empty parts (doubled separators) stay; ".." takes back an earlier part where there is
 * one, and stays where there is none. */
static void clean(struct text path, struct buf *out)
{
	char separator = is_windows(path) ? '\\' : '/';
	size_t start = out->size, written = 0, droppable = 0;

	while (path.size > 0 && !out->failed) {
		struct text part = next_part(&path);
		bool up = text_is(part, "..");

		if (text_is(part, "."))
			continue;
		if (up && droppable > 0) {
			drop_part(out, start);
			droppable--;
			written--;
			continue;
		}
		if (written > 0)
			buf_add_char(out, separator);
		buf_add_text(out, part);
		droppable += !up && (written > 0 || part.size > 0);
		written++;
	}
}

/* --- The paths that most are ---------------------------------------------------------- */

typedef uint8_t block __attribute__((vector_size(BLOCK_BYTES)));

static inline block block_at(const char *at)
{
	block bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return bytes;
}

/* Would clean() leave the path as it is?  Behind it BLOCK_BYTES may be read, none of which is a
 * backslash or a dot. */
static bool is_clean(const char *path, size_t size)
{
	block found = { 0 };
	uint64_t halves[2];

	for (size_t at = 1; at < size; at += BLOCK_BYTES) {
		block here = block_at(path + at), before = block_at(path + at - 1);

		found |= (block)(here == '\\') | ((block)(here == '.') & (block)(before == '/'));
	}
	memcpy(halves, &found, sizeof(halves));
	return !(halves[0] | halves[1]) && path[size - 1] != '/';
}

/* What only looks at all of it can tell: drives, servers, backslashes, names in brackets, parts to
 * be taken out. */
static bool is_special(struct text text)
{
	if (!text.size)
		return false;
	return text.bytes[0] == '\\' || text.bytes[0] == '<' || text.bytes[0] == '.' ||
	       (text.size > 1 && (text.bytes[1] == ':' ||
				  (text.bytes[0] == '/' && text.bytes[1] == '/')));
}

/* Many begin with "./", which clean() takes away wherever it is. */
static struct text without_dot(struct text text)
{
	if (text.size > 2 && text.bytes[0] == '.' && text.bytes[1] == '/' && text.bytes[2] != '/')
		return (struct text){ text.bytes + 2, text.size - 2 };
	return text;
}

static bool ends_in_slash(struct text text)
{
	return text.size > 0 && text.bytes[text.size - 1] == '/';
}

static bool is_rooted(struct text text)
{
	return text.size > 0 && text.bytes[0] == '/';
}

static char *put_folder(char *to, struct text folder)
{
	if (!folder.size)
		return to;
	memcpy(to, folder.bytes, folder.size);
	to[folder.size] = '/';
	return to + folder.size + 1;
}

/* Paths as Unix has them, clean as they are: one behind the other with a '/' between.  False: it
 * is not one of them, and nothing was appended. */
static bool join_simply(const struct symcache_frame *frame, struct buf *out)
{
	struct text base = frame->comp_dir, folder = frame->directory, name = frame->name;
	size_t most = base.size + folder.size + name.size + 2 + BLOCK_BYTES;
	char *path, *to;

	if (is_rooted(name))
		base = folder = TEXT_NONE;
	else if (is_rooted(folder))
		base = TEXT_NONE;
	base = without_dot(base);
	folder = without_dot(folder);
	if (!name.size || is_special(base) || is_special(folder) || is_special(name) ||
	    ends_in_slash(base) || ends_in_slash(folder))
		return false;
	path = most > NEAR_BYTES || out->failed || out->ceiling_bytes - out->size <= most
		? NULL : buf_reserve(out, most);
	if (!path)
		return false;
	to = put_folder(put_folder(path, base), folder);
	memcpy(to, name.bytes, name.size);
	to += name.size;
	memset(to, 0, BLOCK_BYTES);
	if (!is_clean(path, (size_t)(to - path))) {
		*path = '\0';
		return false;
	}
	out->size += (size_t)(to - path);
	return true;
}

void symcache_frame_path(const struct symcache_frame *frame, struct buf *out)
{
	size_t folder_bytes = frame->comp_dir.size + frame->directory.size + 1;
	size_t bytes = 2 * folder_bytes + frame->name.size + 1;
	char near[NEAR_BYTES];
	char *capacity = near;
	struct text folder;

	if (!frame->has_file || join_simply(frame, out))
		return;
	if (bytes > sizeof(near))
		capacity = bytes <= PATH_CEILING_BYTES ? mem_get(bytes) : NULL;
	if (!capacity) {
		out->failed = true;
		out->no_memory = bytes <= PATH_CEILING_BYTES;
		return;
	}
	folder = join(frame->comp_dir, frame->directory, capacity);
	clean(join(folder, frame->name, capacity + folder_bytes), out);
	if (capacity != near)
		mem_give_back(capacity);
}

/* wpa_folder.c -- see wpa_folder.h. */
#include "kinds/wpa/wpa_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

#define ENTRIES_MAX 4000000u
#define TIME_BYTES 64u
#define FILE_ENDING ".symcache"
#define NEGATIVE_ENDING ".negativesymcache"

/* --- Times ----------------------------------------------------------------------------------------- */

struct time_part { size_t digits; char mark; uint64_t least, most; };

static bool take(struct text *rest, const struct time_part *part, int *out)
{
	size_t size = part->digits + (part->mark != '\0');
	uint64_t value;

	if (rest->size < size || !text_to_u64((struct text){ rest->bytes, part->digits }, 10, &value) ||
	    (part->mark && rest->bytes[part->digits] != part->mark) || value < part->least || value > part->most)
		return false;
	*out = (int)value;
	*rest = text_from(*rest, size);
	return true;
}

static bool take_all(struct text *rest, const struct time_part *parts, size_t count, int *out)
{
	for (size_t i = 0; i < count; i++)
		if (!take(rest, &parts[i], &out[i]))
			return false;
	return true;
}

/* Days from 1970-01-01, of the Gregorian calendar. */
static int64_t days_of(int year, int month, int day)
{
	int64_t y = year - (month <= 2), m = (month + 9) % 12;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static bool read_zone(struct text zone, int64_t *seconds)
{
	static const struct time_part parts[] = { { 2, ':', 0, 23 }, { 2, '\0', 0, 59 } };
	bool is_west = text_starts_with(zone, "-");
	int of[2];

	*seconds = 0;
	if (text_is(zone, "Z"))
		return true;
	if (!is_west && !text_starts_with(zone, "+"))
		return false;
	zone = text_from(zone, 1);
	if (!take_all(&zone, parts, 2, of) || zone.size > 0)
		return false;
	*seconds = (int64_t)(is_west ? -1 : 1) * (of[0] * 3600 + of[1] * 60);
	return true;
}

bool wpa_folder_read_time(struct text text, int64_t *at)
{
	static const struct time_part parts[] = {
		{ 4, '-', 0, 9999 }, { 2, '-', 1, 12 }, { 2, 'T', 1, 31 },
		{ 2, ':', 0, 23 }, { 2, ':', 0, 59 }, { 2, '\0', 0, 60 },
	};
	int64_t zone;
	int of[6];

	text = text_trim(text);
	if (!take_all(&text, parts, 6, of))
		return false;
	if (text_starts_with(text, "."))
		do
			text = text_from(text, 1);
		while (text.size > 0 && ascii_is_digit(text.bytes[0]));
	if (!read_zone(text, &zone))
		return false;
	*at = days_of(of[0], of[1], of[2]) * 86400 + of[3] * 3600 + of[4] * 60 + of[5] - zone;
	return true;
}

/* --- Folders --------------------------------------------------------------------------------------- */

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The folder of that name in any case; its own name goes to `name`, of LIMIT_FILE_NAME_BYTES + 1 bytes. */
static int find_folder(int parent, struct text wanted, char *name)
{
	int fd, copy = -1;
	DIR *entries;
	const struct dirent *entry;

	snprintf(name, LIMIT_FILE_NAME_BYTES + 1, "%.*s", (int)wanted.size, wanted.bytes);
	fd = open_folder(parent, name);
	if (fd >= 0)
		return fd;
	copy = open_folder(parent, ".");
	entries = copy < 0 ? NULL : fdopendir(copy);
	if (!entries && copy >= 0)
		close(copy);
	for (unsigned i = 0; fd < 0 && entries && i < ENTRIES_MAX && (entry = readdir(entries)); i++) {
		if (!text_equal_ignoring_case(text_of(entry->d_name), wanted))
			continue;
		snprintf(name, LIMIT_FILE_NAME_BYTES + 1, "%s", entry->d_name);
		fd = open_folder(parent, name);
	}
	if (entries)
		closedir(entries);
	return fd;
}

/* The version in "NAME-vM.m.p<ending>". */
static bool version_of(struct text file, struct text name, const char *ending, struct semver *version)
{
	size_t tail = strlen(ending);
	struct text middle;

	if (file.size <= name.size + tail + 2 ||
	    !text_equal_ignoring_case((struct text){ file.bytes, name.size }, name) ||
	    !text_equal_ignoring_case(text_from(file, file.size - tail), text_of(ending)))
		return false;
	middle = (struct text){ file.bytes + name.size, file.size - name.size - tail };
	return middle.bytes[0] == '-' && ascii_lower(middle.bytes[1]) == 'v' &&
	       semver_read(text_from(middle, 1), version);
}

static bool is_file(int folder, const char *name)
{
	struct stat st;

	return fstatat(folder, name, &st, 0) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

static bool is_in_force(int folder, const char *name, int64_t now)
{
	char bytes[TIME_BYTES];
	int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t size = fd >= 0 && is_file(folder, name) ? pread(fd, bytes, sizeof(bytes), 0) : -1;
	int64_t until;

	if (fd >= 0)
		close(fd);
	return size > 0 && wpa_folder_read_time((struct text){ bytes, (size_t)size }, &until) && now < until;
}

struct wpa_look {
	const struct wpa_path *wanted;
	int64_t now;
	const char *above;           /* "NAME/GUIDAGE" as they stand there */
	struct wpa_folder_found *found;
};

static void take_file(const struct wpa_look *look, int folder, const char *file, const struct semver *version)
{
	struct wpa_folder_found *found = look->found;
	char path[WPA_FOLDER_PATH_BYTES];

	if (version->major > look->wanted->version.major ||
	    (found->is_file && semver_compare(version, &found->version) <= 0) || !is_file(folder, file) ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", look->above, file) >= sizeof(path))
		return;
	memcpy(found->path, path, strlen(path) + 1);
	found->version = *version;
	found->version.pre = TEXT_NONE;
	found->is_file = true;
}

static void look_at(const struct wpa_look *look, int folder, const char *file)
{
	struct wpa_folder_found *found = look->found;
	struct semver version;

	if (version_of(text_of(file), look->wanted->name, FILE_ENDING, &version)) {
		take_file(look, folder, file, &version);
	} else if (version_of(text_of(file), look->wanted->name, NEGATIVE_ENDING, &version) &&
		   found->negative_count < WPA_FOLDER_NEGATIVES && is_in_force(folder, file, look->now)) {
		version.pre = TEXT_NONE;
		found->negatives[found->negative_count++] = version;
	}
}

static void look_in(const struct wpa_look *look, int folder)
{
	DIR *entries = fdopendir(folder);
	const struct dirent *entry;

	if (!entries) {
		close(folder);
		return;
	}
	for (unsigned i = 0; i < ENTRIES_MAX && (entry = readdir(entries)); i++)
		look_at(look, dirfd(entries), entry->d_name);
	closedir(entries);
}

static void format_id(const struct debugid *id, char out[DEBUGID_TEXT_BYTES])
{
	debugid_format_breakpad(id, out);
	for (char *at = out; *at; at++)
		*at = ascii_upper(*at);
}

bool wpa_folder_name(const struct wpa_path *wanted, char out[WPA_FOLDER_PATH_BYTES])
{
	char id[DEBUGID_TEXT_BYTES];

	format_id(&wanted->id, id);
	return (size_t)snprintf(out, WPA_FOLDER_PATH_BYTES, "%.*s/%s", (int)wanted->name.size,
				wanted->name.bytes, id) < WPA_FOLDER_PATH_BYTES;
}

void wpa_folder_look(const char *folder, const struct wpa_path *wanted, int64_t now,
		     struct wpa_folder_found *found)
{
	char name[LIMIT_FILE_NAME_BYTES + 1], id_name[LIMIT_FILE_NAME_BYTES + 1], id[DEBUGID_TEXT_BYTES];
	char above[2 * LIMIT_FILE_NAME_BYTES + 2];
	struct wpa_look look = { wanted, now, above, found };
	int root = open_folder(AT_FDCWD, folder), outer = -1, inner = -1;

	memset(found, 0, sizeof(*found));
	format_id(&wanted->id, id);
	if (root >= 0)
		outer = find_folder(root, wanted->name, name);
	if (outer >= 0)
		inner = find_folder(outer, text_of(id), id_name);
	if (inner >= 0) {
		snprintf(above, sizeof(above), "%s/%s", name, id_name);
		look_in(&look, inner);       /* closes it */
	}
	if (outer >= 0)
		close(outer);
	if (root >= 0)
		close(root);
}

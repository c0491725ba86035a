/*
 * fuzz_symbol_paths.c -- paths of symbol servers and of the SymCache protocol, its header, and the times in
 * SymCache folders.
 *
 * What is taken for a name has no separators, no drive and no controls, and fits into a path; what is written
 * again is read as the same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "kinds/proxy/proxy_path.h"
#include "kinds/wpa/wpa_folder.h"
#include "kinds/wpa/wpa_path.h"

#define ARENA_BYTES ((size_t)4 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_wpa(struct text text, struct arena *arena)
{
	char name[WPA_FOLDER_PATH_BYTES];
	struct wpa_path path;
	struct semver exceeds;
	struct err err = ERR_INIT;

	if (wpa_path_read(text, arena, &path, &err) <= 0)
		return;
	if (path.name.size == 0 || path.name.size > LIMIT_FILE_NAME_BYTES || text_has_controls(path.name) ||
	    memchr(path.name.bytes, '/', path.name.size) || memchr(path.name.bytes, '\\', path.name.size) ||
	    memchr(path.name.bytes, ':', path.name.size) || text_is(path.name, ".") || text_is(path.name, "..") ||
	    path.version.major > SEMVER_MAJOR_MAX || path.version.minor > SEMVER_MINOR_MAX ||
	    path.version.patch > SEMVER_MINOR_MAX || !wpa_folder_name(&path, name))
		abort();
	if (!wpa_exceeds_read(text, &path.version, &exceeds) && semver_compare(&exceeds, &path.version) >= 0)
		abort();
}

static void check_version(struct text text)
{
	struct semver version, again;
	char written[SEMVER_TEXT_BYTES];

	if (!semver_find(text, &version))
		return;
	semver_format(&version, written);
	version.pre = TEXT_NONE;
	if (!semver_read(text_of(written), &again) || semver_compare(&version, &again) != 0)
		abort();
}

static void check_proxy(struct text text, struct arena *arena)
{
	struct proxy_wanted wanted;
	struct err err = ERR_INIT;

	if (proxy_path_read(text, arena, &wanted, &err) <= 0)
		return;
	if (wanted.ids.code_file.size == 0 || text_has_controls(wanted.ids.code_file) ||
	    memchr(wanted.ids.code_file.bytes, '/', wanted.ids.code_file.size) ||
	    (wanted.ids.code_id.size == 0) != (wanted.type == FILE_TYPE_PDB))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct text text = { size ? (const char *)bytes : "", size };
	struct arena arena;
	int64_t at;

	arena_init(&arena, ARENA_BYTES);
	check_wpa(text, &arena);
	check_proxy(text, &arena);
	check_version(text);
	(void)wpa_folder_read_time(text, &at);
	arena_release(&arena);
	return 0;
}

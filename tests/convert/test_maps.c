/*
 * test_maps -- files that are no objects, in real cells: UUID maps, BCSymbolMaps and line maps,
 * packed or not, and what a broken one does to the conversion that wants it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "config/config.h"
#include "convert/convert.h"
#include "support/support.h"
#include "symcache/symcache.h"

#define PATIENCE_MILLIS 100000

static struct config config;
static struct nursery *nursery;

static void start(void)
{
	struct err err = ERR_INIT;

	config.cell_memory_bytes = (uint64_t)2 << 30;
	config.cell_cpu_seconds = 60;
	config.max_download_bytes = (uint64_t)1 << 30;
	ck_assert_msg(nursery_start(&nursery, &config, convert_operations,
				    convert_operation_count, &err) == 0, "%s", err.text);
}

static void stop(void)
{
	nursery_stop(nursery);
}

struct companion { const char *role, *path; };

/* One cell from `path` to `to`; its wants are answered with that companion alone. */
static struct cell_event run(const char *operation, struct text parameters, const char *in,
			    const char *path, const char *out, int to, struct companion companion,
			    struct cell_handle **handle)
{
	struct cell_file input = { "", open(path, O_RDONLY | O_CLOEXEC) };
	struct cell_file output = { "", to };
	struct cell_order order = { .operation = operation, .inputs = &input, .input_count = 1,
				    .outputs = &output, .output_count = 1,
				    .parameters = parameters };
	struct err err = ERR_INIT;
	struct cell_event event;

	snprintf(input.role, sizeof(input.role), "%s", in);
	snprintf(output.role, sizeof(output.role), "%s", out);
	ck_assert_int_ge(input.fd, 0);
	ck_assert_msg(nursery_spawn(nursery, &order, handle, &err) == 0, "%s", err.text);
	for (;;) {
		int fd;

		ck_assert_int_eq(cell_wait_event(*handle, (int)support_stretched(PATIENCE_MILLIS), &event, &err), 0);
		if (event.kind != CELL_WANTS)
			break;
		fd = companion.path && strcmp(event.role, companion.role) == 0
			? open(companion.path, O_RDONLY | O_CLOEXEC) : -1;
		ck_assert_int_eq(cell_answer_want(*handle, fd >= 0 ? CELL_ANSWER_FILE : CELL_ANSWER_ABSENT, fd,
						  NULL, &err), 0);
		if (fd >= 0)
			close(fd);
	}
	close(input.fd);
	return event;
}

/* --- auxiliary -------------------------------------------------------------------------- */

#define PLIST "<plist version=\"1.0\"><dict><key>DBGOriginalUUID</key>" \
	"<string>C8374B6D-6E96-34D8-AE38-EFAA5FEC424F</string></dict></plist>"
#define MAP "BCSymbolMap Version: 2.0\\n-[A b:]\\nmy_inline\\nfile.c\\n/my/dir\\n"
#define LINES "{\"/my/dir/file.c\":{\"My.cs\":{\"1\":7}}}                      "
#define MAP_BYTES 58                 /* of either */

static const struct {
	const char *what, *name, *recipe;
	enum convert_auxiliary_kind kind_of_map;
	uint64_t max_bytes;
	enum err_kind kind;
} cases[] = {
	{ "a UUID map", "aux-plist", "printf '" PLIST "' > $OUT", CONVERT_UUID_MAP, 1 << 20, ERR_NONE },
	{ "a packed UUID map", "aux-plist-gz", "printf '" PLIST "' | gzip -c > $OUT", CONVERT_UUID_MAP, 1 << 20,
	  ERR_NONE },
	{ "a BCSymbolMap", "aux-map", "printf '" MAP "' > $OUT", CONVERT_NAME_MAP, 1 << 20, ERR_NONE },
	{ "a packed BCSymbolMap", "aux-map-zst", "printf '" MAP "' | zstd -qc > $OUT", CONVERT_NAME_MAP, 1 << 20,
	  ERR_NONE },
	/* Whether a map can be read shows where it is used. */
	{ "anything else", "aux-other", "head -c 58 /dev/zero > $OUT", CONVERT_NAME_MAP, 1 << 20, ERR_NONE },
	{ "a UUID map that is none", "aux-html", "echo '<html></html>' > $OUT", CONVERT_UUID_MAP, 1 << 20,
	  ERR_MALFORMED },
	{ "a line map", "aux-lines", "printf '" LINES "' > $OUT", CONVERT_LINE_MAP, 1 << 20, ERR_NONE },
	{ "a packed line map", "aux-lines-gz", "printf '" LINES "' | gzip -c > $OUT",
	  CONVERT_LINE_MAP, 1 << 20, ERR_NONE },
	/* Of several the first good one is used. */
	{ "a line map that is none", "aux-map", "printf '" MAP "' > $OUT", CONVERT_LINE_MAP,
	  1 << 20, ERR_MALFORMED },
	{ "nothing", "aux-empty", ": > $OUT", CONVERT_UUID_MAP, 1 << 20, ERR_MALFORMED },
	{ "over the ceiling", "aux-bomb", "head -c 9000000 /dev/zero | gzip -c > $OUT", CONVERT_NAME_MAP,
	  1 << 20, ERR_LIMIT },
	{ "cut short", "aux-cut", "printf '" MAP "' | gzip -c | head -c 30 > $OUT", CONVERT_NAME_MAP, 1 << 20,
	  ERR_MALFORMED },
};

START_TEST(reads_files_that_are_no_objects)
{
	const struct convert_auxiliary asked = { cases[_i].kind_of_map, cases[_i].max_bytes };
	bool is_uuid_map = cases[_i].kind_of_map == CONVERT_UUID_MAP;
	int to = memfd_create("object", MFD_CLOEXEC);
	struct cell_handle *handle;
	struct err err = ERR_INIT;
	struct debugid original;
	struct cell_event event;
	struct buf parameters;
	struct stat st;

	buf_init(&parameters, 4096);
	ck_assert_int_eq(convert_auxiliary_parameters(&asked, &parameters, &err), 0);
	event = run("auxiliary", buf_text(&parameters), "file",
		   support_fixture(cases[_i].name, cases[_i].recipe), "object", to, (struct companion){ 0 }, &handle);
	if (cases[_i].kind) {
		ck_assert_msg(event.kind == CELL_FAILED && event.status.kind == cases[_i].kind,
			      "%s: %d %s", cases[_i].what, event.kind, event.status.text);
	} else {
		ck_assert_msg(event.kind == CELL_DONE, "%s: %s", cases[_i].what, event.status.text);
		ck_assert_int_eq(convert_auxiliary_reply(event.reply, &original, &err), 0);
		ck_assert_msg(debugid_is_nil(&original) == !is_uuid_map, "%s",
			      cases[_i].what);
		ck_assert_int_eq(fstat(to, &st), 0);
		if (!is_uuid_map)
			ck_assert_msg(st.st_size == MAP_BYTES, "%s: %lld", cases[_i].what,
				      (long long)st.st_size);
	}
	cell_kill(handle);
	buf_release(&parameters);
	close(to);
}
END_TEST

/* --- symcache --------------------------------------------------------------------------- */

#define HIDDEN \
	"cd $DIR; cat > libSystem.tbd <<'EOF'\n" \
	"--- !tapi-tbd\n" \
	"tbd-version: 4\n" \
	"targets: [ arm64-macos ]\n" \
	"install-name: '/usr/lib/libSystem.B.dylib'\n" \
	"exports:\n" \
	"  - targets: [ arm64-macos ]\n" \
	"    symbols: [ dyld_stub_binder ]\n" \
	"...\n" \
	"EOF\n" \
	"echo 'int a(int) __asm__(\"__hidden#0_\"); int a(int x) { return x * 3; }' > p.c;" \
	"clang-19 --target=arm64-apple-macos12 -g -O1 -nostdinc -fdebug-compilation-dir=/src -c p.c;" \
	"ld64.lld-19 -arch arm64 -platform_version macos 12.0 12.0 -dylib -o p p.o libSystem.tbd;" \
	"dsymutil-19 p; cp p.dSYM/Contents/Resources/DWARF/p $OUT"

static const struct {
	const char *what, *role, *map;       /* map: a fixture's name; NULL: there is none */
	const char *recipe, *function, *file;
} conversions[] = {
	{ "with its map", "bcsymbolmap", "aux-map", "printf '" MAP "' > $OUT", "-[A b:]", "p.c" },
	{ "without", "bcsymbolmap", NULL, NULL, "__hidden#0_", "p.c" },
	/* Hidden names would be remembered under the key of the map. */
	{ "with a map that is none", "bcsymbolmap", "aux-html", "echo '<html></html>' > $OUT",
	  NULL, NULL },
	{ "with its lines", "il2cpp", "aux-own-lines",
	  "printf '{\"/src/p.c\":{\"P.cs\":{\"1\":7}}}' > $OUT", "__hidden#0_", "P.cs" },
	{ "with lines that are none", "il2cpp", "aux-html", "echo '<html></html>' > $OUT", NULL,
	  NULL },
};

static bool is_known(int fd, const char *function, const char *file)
{
	struct symcache_frame frames[4];
	struct symcache cache;
	struct file_map map;
	struct err err = ERR_INIT;
	bool found = false;

	ck_assert_int_eq(file_map_fd(&map, fd, &err), 0);
	ck_assert_msg(symcache_open(&cache, map.bytes, map.size, &err) == 0, "%s", err.text);
	for (uint64_t address = 0; address < 0x4000 && !found; address++)
		found = symcache_lookup(&cache, address, frames, 4) > 0 &&
			text_is(frames[0].function, function) && text_is(frames[0].name, file);
	file_unmap(&map);
	return found;
}

START_TEST(converts_with_a_map)
{
	int to = memfd_create("symcache", MFD_CLOEXEC);
	const char *object = support_fixture("aux-hidden", HIDDEN);
	const struct companion map = { conversions[_i].role, conversions[_i].map ?
		support_fixture(conversions[_i].map, conversions[_i].recipe) : NULL };
	struct cell_handle *handle;
	struct err err = ERR_INIT;
	struct cell_event event;
	struct buf parameters;

	buf_init(&parameters, 4096);
	ck_assert_int_eq(convert_symcache_parameters(&(struct convert_symcache){
		.max_section_bytes = 1 << 30, .threads = 1 }, &parameters, &err), 0);
	event = run("symcache", buf_text(&parameters), "object", object, "symcache", to, map, &handle);
	if (conversions[_i].function) {
		ck_assert_msg(event.kind == CELL_DONE, "%s: %s", conversions[_i].what,
			      event.status.text);
		ck_assert_msg(is_known(to, conversions[_i].function,
						   conversions[_i].file), "%s", conversions[_i].what);
	} else {
		ck_assert_msg(event.kind == CELL_FAILED && event.status.kind == ERR_MALFORMED,
			      "%s: %d %s", conversions[_i].what, event.kind, event.status.text);
	}
	cell_kill(handle);
	buf_release(&parameters);
	close(to);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("maps in cells");
	TCase *maps = tcase_create("maps");

	tcase_add_checked_fixture(maps, start, stop);
	tcase_add_loop_test(maps, reads_files_that_are_no_objects, 0,
			    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_loop_test(maps, converts_with_a_map, 0,
			    (int)(sizeof(conversions) / sizeof(conversions[0])));
	suite_add_tcase(suite, maps);
	return support_main(suite);
}

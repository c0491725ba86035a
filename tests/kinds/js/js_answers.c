/* js_answers.c -- see js_answers.h. */
#include "kinds/js/js_answers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "convert/convert_internal.h"
#include "jsfile/jsbundle.h"
#include "jsfile/jsfile.h"
#include "kinds/kinds.h"
#include "object/makers.h"
#include "object/object.h"
#include "source/source.h"

#define STEPS 64
#define BYTES ((size_t)64 << 20)

#define CODE "function f(n,d){return n+d.x}f(1);"
#define TO(map) "\n//# sourceMappingURL=" map
/* add at 0:9 and 0:0, its body at 1:2 and 1:13. */
#define HEAD "{\"version\":3,\"names\":[\"add\"],\"mappings\":\"AAAA,SAASA,KACP,SAAW\",\"sources\":[\"src/add.ts\"]"
#define WHOLE HEAD ",\"sourcesContent\":[\"export function add(a, b) {\\n  return a + b.x;\\n}\\nadd(1);\\n\"]}"
#define BARE HEAD "}"

enum { FILE_GOOD, FILE_BARE, FILE_PLAIN, FILE_LOST, FILE_MAP, FILE_SOURCE, FILES };
static const char *const texts[FILES] = {
	[FILE_GOOD] = CODE TO("a.map"), [FILE_BARE] = CODE TO("bare.map"), [FILE_PLAIN] = CODE,
	[FILE_LOST] = CODE TO("lost.map"), [FILE_MAP] = WHOLE,
	[FILE_SOURCE] = "one\ntwo\nthree\n",
};

static const struct bundle_file bundled[] = {
	{ "files/a", "a.js", "~/a.js", CODE, 0 }, { "files/b", "a.map", "~/a.map", WHOLE, 0 },
};
/* Of files and bundles: by address and by debug id. */
static const char manifest[] =
	"{\"files\":{"
	"\"files/a\":{\"type\":\"minified_source\",\"url\":\"~/a.js\",\"headers\":{\"debug-id\":\"" JS_ID "\","
	"\"sourcemap\":\"a.map\"}},"
	"\"files/b\":{\"type\":\"source_map\",\"url\":\"~/a.map\",\"headers\":{\"debug-id\":\"" JS_ID "\"}}}}";
static const char known_bundle[] =
	"[{\"type\":\"bundle\",\"id\":\"b\",\"url\":\"http://s/b\",\"resolved_with\":\"release\"}]";
static const char known_file[] =
	"[{\"type\":\"file\",\"id\":\"f\",\"url\":\"http://s/f\",\"abs_path\":\"~/a.js\",\"headers\":{\"Sourcemap\":"
	"\"http://w/a.map\"},\"resolved_with\":\"index\"}]";

struct made {
	struct file_map files[FILES], whole, bare, index;
	struct buf bundle, file, none;       /* answers of the server */
	bool is_done;
};

static int keep(int fd, int rc, struct file_map *map, struct err *err)
{
	if (rc == 0)
		rc = file_map_fd(map, fd, err);
	close(fd);
	return rc;
}

static int make_file(const char *text, struct file_map *map, struct err *err)
{
	const struct jsfile_options options = { .memory_bytes = BYTES };
	int fd = memfd_create("file", MFD_CLOEXEC);

	return keep(fd, jsfile_write(text_of(text), &options, fd, err), map, err);
}

static int make_cache(const char *map_text, struct file_map *map, struct err *err)
{
	int fd = memfd_create("sourcemap", MFD_CLOEXEC);
	struct convert_sourcemap made;

	return keep(fd, convert_write_sourcemap(text_of(map_text), TEXT(CODE), BYTES, fd, &made, err), map, err);
}

static int make_index(struct file_map *map, struct err *err)
{
	int fd = memfd_create("index", MFD_CLOEXEC);
	struct object object;
	struct arena arena;
	struct buf bundle;
	int rc = -1;

	buf_init(&bundle, BYTES);
	arena_init(&arena, BYTES);
	make_bundle(&(struct bundle_maker){ .files = bundled, .manifest = manifest,
					    .count = sizeof(bundled) / sizeof(bundled[0]) }, &bundle);
	if (object_open(&object, bundle.bytes, bundle.size, &arena, err) == 0) {
		rc = jsbundle_write(&object, BYTES, fd, err);
		object_release(&object);
	}
	rc = keep(fd, rc, map, err);
	arena_release(&arena);
	buf_release(&bundle);
	return rc;
}

static int make_answer(const char *json, struct buf *records, struct err *err)
{
	buf_init(records, BYTES);
	return convert_artifacts_read(text_of(json), records, err);
}

/* Made once: what is tested is what becomes of them. */
static const struct made *make_files(struct err *err)
{
	static struct made made;

	for (size_t i = 0; i < FILES && !made.is_done; i++)
		if (!made.files[i].bytes && make_file(texts[i], &made.files[i], err) < 0)
			return NULL;
	if (!made.is_done && (make_cache(WHOLE, &made.whole, err) < 0 || make_cache(BARE, &made.bare, err) < 0 ||
			      make_index(&made.index, err) < 0 || make_answer(known_bundle, &made.bundle, err) < 0 ||
			      make_answer(known_file, &made.file, err) < 0 || make_answer("[]", &made.none, err) < 0))
		return NULL;
	made.is_done = true;
	return &made;
}

static struct text text_of_map(const struct file_map *map)
{
	return (struct text){ (const char *)map->bytes, map->size };
}

/* "#1234567" of scraped files. */
static int drop_hours(const struct buf *told, struct buf *reply, struct err *err)
{
	bool is_hour = false;

	for (size_t i = 0; i < told->size; i++) {
		is_hour = is_hour && ascii_is_digit(told->bytes[i]);
		if (!is_hour)
			buf_add_char(reply, told->bytes[i]);
		is_hour |= told->bytes[i] == '#';
	}
	return buf_check(reply, err);
}

static int run(struct work *work, struct resolver *resolver, struct text body, struct buf *reply,
	       struct js_asked *asked, struct err *err)
{
	enum stepped stepped = STEP_WAIT;
	struct buf told;
	int rc;

	if (fake_parse(work, body, err) < 0)
		return -1;
	for (asked->steps = 0; asked->steps < STEPS && stepped == STEP_WAIT; asked->steps++)
		stepped = work_step(work, resolver, err);
	if (stepped != STEP_DONE)
		return stepped == STEP_WAIT ? 1 : -1;
	buf_init(&told, BYTES);
	rc = work_answer(work, &told, err);
	if (rc == 0)
		rc = drop_hours(&told, reply, err);
	buf_release(&told);
	return rc;
}

int js_answer_as(const struct request_kind *kind, const struct config *config, struct text body, unsigned waits,
		 unsigned damaged, struct buf *reply, struct js_asked *asked, struct err *err)
{
	const struct made *made = make_files(err);
	struct source_list none = { .sources = NULL };
	struct work work = { .kind = NULL };
	struct fake_resolver fake;
	int rc = -1;

	if (!made)
		return -1;
#define WEB(url, file) { &derived_scraped, "http://w/" url, ERR_NONE, text_of_map(&made->files[file]), waits, damaged }
#define CACHE(url, cache) { &derived_sourcemap, url, ERR_NONE, text_of_map(&made->cache), waits, damaged }
#define ASKED(url, known) { &derived_artifact_listing, url, ERR_NONE, buf_text(&made->known), waits, 0 }
	struct fake_entry entries[] = {
		WEB("a.js", FILE_GOOD), WEB("b.js", FILE_GOOD), WEB("c.js", FILE_GOOD), WEB("a.map", FILE_MAP),
		WEB("bare.js", FILE_BARE), WEB("other.js", FILE_BARE), WEB("bare.map", FILE_MAP), WEB("src/add.ts", FILE_SOURCE),
		WEB("plain.js", FILE_PLAIN), WEB("lost.js", FILE_LOST), WEB("bad.js", FILE_GOOD),
		{ &derived_scraped, "http://w/shut.js", ERR_DENIED, TEXT("403 Forbidden"), waits, 0 },
		{ &derived_scraped, "http://w/slow.js", ERR_TIMEOUT, TEXT("300s"), waits, 0 },
		CACHE("http://w/a.js", whole), CACHE("http://w/b.js", whole), CACHE("http://w/c.js", whole),
		CACHE("http://w/bare.js", bare), CACHE("http://w/other.js", bare), CACHE("/b", whole), CACHE("/f", whole),
		{ &derived_sourcemap, "http://w/bad.js", ERR_MALFORMED, TEXT("no map"), waits, 0 },
		ASKED("release=b&url=%2Fa", bundle), ASKED("debug_id=" JS_ID, bundle), ASKED("release=f&url=%2Fa", file),
		ASKED("release=late&url=%2Fplain", none), ASKED("release=late&url=%2Fbare", bundle),
		{ &derived_jsbundle, "/b", ERR_NONE, text_of_map(&made->index), waits, damaged },
		{ &derived_bundled, "/b", ERR_NONE, text_of_map(&made->files[FILE_GOOD]), waits, damaged },
		{ &derived_jsfile, "/f", ERR_NONE, text_of_map(&made->files[FILE_PLAIN]), waits, damaged },
	};
	fake_resolver_init(&fake, entries, sizeof(entries) / sizeof(entries[0]));
	if (work_init(&work, kind, config, &none, TEXT_NONE, err) == 0)
		rc = run(&work, &fake.resolver, body, reply, asked, err);
	if (work.kind)
		work_release(&work);
	return rc;
}

int js_answer_to(const struct config *config, struct text body, unsigned waits, unsigned damaged,
		 struct buf *reply, struct err *err)
{
	struct js_asked asked;

	return js_answer_as(&request_kind_js, config, body, waits, damaged, reply, &asked, err);
}

/* jvm_answers.c -- see jvm_answers.h. */
#include "kinds/jvm/jvm_answers.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "kinds/kinds.h"
#include "proguard/proguard_write.h"
#include "sourcecache/sourcecache.h"
#include "source/source.h"
#include "object/makers.h"
#include "object/object.h"

#define STEPS 64
#define BYTES ((size_t)64 << 20)

const char jvm_mapping[] =
	"# compiler: R8\n"
	"# pg_map_id: abcdef1\n"
	"# pg_map_hash: SHA-256 abcdef1234567890abcdef1234567890abcdef1234567890abcdef1234567890\n"
	"com.example.Shop -> a.b:\n"
	"    1:1:void total(com.example.Cart):21:21 -> c\n"
	"    1:1:void checkout():40 -> c\n"
	"    2:2:void lambda$0():3:3 -> d\n"
	"      # {\"id\":\"com.android.tools.r8.synthesized\"}\n"
	"    3:3:void put(com.example.Cart):6:6 -> g\n"
	"    1:1:void spread():1:9 -> e\n"
	"    void many():1:2000 -> f\n"
	"com.example.Cart -> a.c:\n"
	"    1:2:void add():7:8 -> a\n"
	"com.example.Shop$Error -> a.d:\n"
	"    1:1:void <init>():5:5 -> <init>\n";
const char jvm_other_mapping[] =
	"# pg_map_id: 1234567\n"
	"org.other.Thing -> a.b:\n"
	"    1:1:void other():99:99 -> c\n"
	"org.other.Only -> z.z:\n"
	"    1:1:void only():98:98 -> c\n";

static const struct bundle_file files[] = {
	{ "files/a", "com/example/Shop.java", "~/com/example/Shop.jvm",
	  "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\ntotal += price;\n22\n", 0 },
	{ "files/b", "com/example/Cart.java", "~/com/example/Cart.jvm", "one\n", 0 },
};

struct made { struct file_map mapping, other, sources; };

static int make_mapping(const char *text, struct file_map *map, struct err *err)
{
	int fd = memfd_create("mapping", MFD_CLOEXEC);
	struct proguard_report report;
	int rc = proguard_write(text_of(text), BYTES, fd, &report, err);

	if (rc == 0)
		rc = file_map_fd(map, fd, err);
	close(fd);
	return rc;
}

/* The first, and behind it a class with a method of very many entries. */
static int make_first_mapping(struct file_map *map, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, BYTES);
	buf_add_string(&text, jvm_mapping);
	buf_add_string(&text, "com.example.Deep -> a.e:\n");
	for (unsigned i = 0; i < JVM_DEEP_ENTRIES; i++)
		buf_add_string(&text, "    2:2:void deep():1:1 -> h\n");
	rc = make_mapping(buf_string(&text), map, err);
	buf_release(&text);
	return rc;
}

static int make_sources(struct file_map *map, struct err *err)
{
	const struct sourcecache_options options = { BYTES, BYTES, true };
	int fd = memfd_create("sources", MFD_CLOEXEC);
	struct sourcecache_report report;
	struct object object;
	struct arena arena;
	struct buf bundle;
	int rc = -1;

	buf_init(&bundle, BYTES);
	arena_init(&arena, BYTES);
	make_bundle(&(struct bundle_maker){ .files = files, .attributes = "\"debug_id\":\"" JVM_BUNDLE "\"",
					    .count = sizeof(files) / sizeof(files[0]) }, &bundle);
	if (object_open(&object, bundle.bytes, bundle.size, &arena, err) == 0) {
		rc = sourcecache_write(&object, &options, fd, &report, err);
		object_release(&object);
	}
	if (rc == 0)
		rc = file_map_fd(map, fd, err);
	close(fd);
	arena_release(&arena);
	buf_release(&bundle);
	return rc;
}

/* Made once: what is tested is what becomes of them. */
static const struct made *make_files(struct err *err)
{
	static struct made made;

	if (!made.sources.bytes && (make_first_mapping(&made.mapping, err) < 0 ||
				    make_mapping(jvm_other_mapping, &made.other, err) < 0 ||
				    make_sources(&made.sources, err) < 0))
		return NULL;
	return &made;
}

static struct text text_of_map(const struct file_map *map)
{
	return (struct text){ (const char *)map->bytes, map->size };
}

static int run(struct work *work, struct resolver *resolver, struct text body, struct buf *reply,
	       struct err *err)
{
	enum stepped stepped = STEP_WAIT;

	if (fake_parse(work, body, err) < 0)
		return -1;
	for (int i = 0; i < STEPS && stepped == STEP_WAIT; i++)
		stepped = work_step(work, resolver, err);
	if (stepped != STEP_DONE)
		return stepped == STEP_WAIT ? 1 : -1;
	return work_answer(work, reply, err);
}

int jvm_answer_as(const struct request_kind *kind, const struct config *config, struct text body, unsigned waits,
		  unsigned damaged, struct buf *reply, struct err *err)
{
	const struct made *made = make_files(err);
	struct source_list none = { .sources = NULL };
	struct work work = { .kind = NULL };
	struct fake_resolver fake;
	int rc = -1;

	if (!made)
		return -1;
	struct fake_entry entries[] = {
		{ &derived_proguard, "11/1111111111111111111111111111" "11/proguard", ERR_NONE,
		  text_of_map(&made->mapping), waits, damaged },
		{ &derived_proguard, "22/2222222222222222222222222222" "22/proguard", ERR_MALFORMED,
		  TEXT("The file is not a valid ProGuard file"), waits, 0 },
		{ &derived_proguard, "44/4444444444444444444444444444" "44/proguard", ERR_NONE,
		  text_of_map(&made->other), 0, 0 },
		{ &derived_proguard, "12/34567/proguard", ERR_NONE, text_of_map(&made->other), waits, 0 },
		{ &derived_object_meta, "33/3333333333333333333333333333" "33/sourcebundle", ERR_NONE,
		  TEXT(FAKE_META_SOURCES), waits, 0 },
		{ &derived_url_sources, "33/3333333333333333333333333333" "33/sourcebundle", ERR_NONE,
		  text_of_map(&made->sources), waits, damaged },
	};
	fake_resolver_init(&fake, entries, sizeof(entries) / sizeof(entries[0]));
	if (work_init(&work, kind, config, &none, TEXT_NONE, err) == 0)
		rc = run(&work, &fake.resolver, body, reply, err);
	if (work.kind)
		work_release(&work);
	return rc;
}

int jvm_answer_to(const struct config *config, struct text body, unsigned waits, unsigned damaged,
		  struct buf *reply, struct err *err)
{
	return jvm_answer_as(&request_kind_jvm, config, body, waits, damaged, reply, err);
}

/* test_pointer -- file.ptr of symbol stores: what it says, and where it may lead. */
#include "support/support.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/sources.h"

#define CEILING_BYTES ((size_t)1 << 20)

/* TOP/in/my.pdb, TOP/in/b/my.pdb, TOP/out, and a link to it. */
static const char *make_tree(void)
{
	char here[4096];
	char *top;

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	top = support_printf("%s/pointer-tree-%ld", here, (long)getpid());
	ck_assert_int_eq(system(support_printf(
		"rm -rf %s; mkdir -p %s/in/b && cd %s && echo pdb >in/my.pdb && echo pdb >in/b/my.pdb &&"
		" echo out >out && ln -s ../out in/link && ln -s b/my.pdb in/inner", top, top, top)), 0);
	return top;
}

static int parse(const char *pointers, enum source_origin origin, const char *layout, struct arena *arena,
		 struct source_list *list, struct err *err)
{
	return sources_parse(support_printf(
		"[{\"type\":\"http\",\"id\":\"h\",\"url\":\"http://h/s/\",\"layout\":{\"type\":\"%s\"},"
		"\"file_ptr\":%s}]", layout, pointers), origin, &sources_no_roots, arena, list, err);
}

/* --- What it says ------------------------------------------------------------------------------- */

static const struct { const char *text; enum err_kind kind; const char *words; } texts[] = {
	{ "PATH:\\\\builds\\symbols\\my.pdb", ERR_NONE, NULL },
	{ "PATH:\\\\builds\\symbols\\my.pdb\r\n", ERR_NONE, NULL },
	{ "PATH: \\\\BUILDS/Symbols\\b\\my.pdb ", ERR_NONE, NULL },
	{ "PATH:\\\\builds\\symbols\\\\my.pdb", ERR_NONE, NULL },
	{ "PATH:\\\\builds\\symbols\\inner", ERR_NONE, NULL },
	{ "PATH:/srv/symbols/my.pdb", ERR_NONE, NULL },
	{ "PATH:\\\\builds\\symbols\\gone.pdb", ERR_DOWNLOAD, "gone.pdb, which is not there" },
	{ "PATH:\\\\builds\\symbols\\b", ERR_DENIED, "not a regular file" },
	{ "PATH:\\\\builds\\symbols\\link", ERR_DENIED, "a link leads out of" },
	{ "PATH:\\\\builds\\symbols\\..\\out", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:\\\\builds\\symbols\\b\\../../out", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:\\\\builds\\symbols\\.\\my.pdb", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:\\\\builds\\symbols\\my.pdb:x", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:\\\\builds\\symbols", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:\\\\builds\\symbolsmy.pdb", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "PATH:/etc/passwd", ERR_DENIED, "file.ptr leads to /etc/passwd, which is in no folder" },
	{ "PATH:", ERR_DENIED, "which is in no folder of `file_ptr`" },
	{ "MSG: these symbols are not public", ERR_DENIED, "file.ptr says: these symbols are not public" },
	{ "", ERR_MALFORMED, "file.ptr names no path" },
	{ "path:\\\\builds\\symbols\\my.pdb", ERR_MALFORMED, "file.ptr names no path" },
	{ "<html>", ERR_MALFORMED, "file.ptr names no path" },
	{ "PATH:\\\\builds\\symbols\\my.pdb\nPATH:x", ERR_MALFORMED, "file.ptr is no line of text" },
	{ "PATH:\\\\builds\\symbols\\\xff", ERR_MALFORMED, "file.ptr is no line of text" },
};

static int follow(const char *top, struct text text, struct arena *arena, struct err *err)
{
	struct location location = { .path = TEXT("my.pdb/1/file.ptr") };
	struct source_list list;
	int pointer = memfd_create("pointer", MFD_CLOEXEC), fd, rc = -1;

	ck_assert_int_eq(write(pointer, text.bytes, text.size), (ssize_t)text.size);
	if (parse(support_printf("{\"\\\\\\\\builds\\\\symbols\\\\\":\"%s/in\",\"/srv/symbols\":\"%s/in\"}", top, top),
		  SOURCE_OF_CONFIG, "symstore", arena, &list, err) == 0) {
		location.source = &list.sources[0];
		rc = source_follow(&location, pointer, arena, &fd, err);
		if (rc == 0)
			close(fd);
	}
	close(pointer);
	return rc;
}

START_TEST(a_pointer_leads_where_it_may)
{
	const char *top = make_tree();
	struct err err = ERR_INIT;
	struct arena arena;
	int rc;

	arena_init(&arena, CEILING_BYTES);
	rc = follow(top, text_of(texts[_i].text), &arena, &err);
	ck_assert_msg(err.kind == texts[_i].kind && (rc == 0) == (err.kind == ERR_NONE), "%s: %s", texts[_i].text,
		      err.text);
	if (texts[_i].words)
		ck_assert_msg(strstr(err.text, texts[_i].words) != NULL, "%s: %s", texts[_i].text, err.text);
	arena_release(&arena);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

START_TEST(a_long_pointer_is_none)
{
	char bytes[SOURCE_POINTER_BYTES + 1];
	struct err err = ERR_INIT;
	struct arena arena;

	memset(bytes, 'x', sizeof(bytes));
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(follow("/x", (struct text){ bytes, sizeof(bytes) }, &arena, &err), -1);
	ck_assert_int_eq(err.kind, ERR_MALFORMED);
	ck_assert_str_eq(err.text, "file.ptr is larger than 4096 bytes");
	arena_release(&arena);
}
END_TEST

/* --- Where it is looked for ---------------------------------------------------------------------- */

static const struct {
	const char *pointers;
	enum source_origin origin;
	const char *layout, *last;
} places[] = {
	{ "{\"/s\":\"/x\"}", SOURCE_OF_CONFIG, "symstore", "http://h/s/my.pdb/44E4EC8C2F41492B9369D6B9A059577C1/file.ptr" },
	{ "{\"/s\":\"/x\"}", SOURCE_OF_CONFIG, "ssqp", "http://h/s/my.pdb/44e4ec8c2f41492b9369d6b9a059577c1/file.ptr" },
	{ "{\"/s\":\"/x\"}", SOURCE_OF_CONFIG, "symstore_index2",
	  "http://h/s/my/my.pdb/44E4EC8C2F41492B9369D6B9A059577C1/file.ptr" },
	{ "{}", SOURCE_OF_CONFIG, "symstore", "http://h/s/my.pdb/44E4EC8C2F41492B9369D6B9A059577C1/my.pd_" },
	{ "{\"/s\":\"/x\"}", SOURCE_OF_REQUEST, "symstore",
	  "http://h/s/my.pdb/44E4EC8C2F41492B9369D6B9A059577C1/my.pd_" },
	{ "{\"/s\":\"/x\"}", SOURCE_OF_CONFIG, "native", "http://h/s/my.pdb/44E4EC8C2F41492B9369D6B9A059577C1/my.pd_" },
};

START_TEST(stores_of_the_operator_are_asked_for_pointers)
{
	struct object_ids ids = { .type = OBJECT_TYPE_PE, .debug_file = TEXT("my.pdb") };
	const enum file_type type = FILE_TYPE_PDB;
	const struct source_query query = { .ids = &ids, .types = &type, .type_count = 1 };
	struct location_list locations = { .count = 0 };
	const struct location *last;
	struct source_list list;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, CEILING_BYTES);
	ck_assert(debugid_parse(TEXT("44e4ec8c-2f41-492b-9369-d6b9a059577c-1"), &ids.debug_id));
	ck_assert_msg(parse(places[_i].pointers, places[_i].origin, places[_i].layout, &arena, &list, &err) == 0,
		      "%s", err.text);
	ck_assert_int_eq(source_locations(&list.sources[0], &query, &arena, &locations, &err), 0);
	last = &locations.locations[locations.count - 1];
	ck_assert_str_eq(last->uri.bytes, places[_i].last);
	ck_assert_int_eq(source_is_pointer(last), strstr(places[_i].last, "file.ptr") != NULL);
	arena_release(&arena);
}
END_TEST

static const struct { const char *pointers, *words; } refusals[] = {
	{ "1", "sources[0].file_ptr: an object is expected" },
	{ "{\"\\\\\\\\s\\\\t\":1}", "the whole path of a folder is expected" },
	{ "{\"/s\":\"x\"}", "the whole path of a folder is expected" },
	{ "{\"\\\\\\\\\":\"/x\"}", "the beginning of a path is expected" },
};

START_TEST(wrong_folders_are_refused)
{
	struct source_list list;
	struct err err = ERR_INIT;
	struct arena arena;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(parse(refusals[_i].pointers, SOURCE_OF_CONFIG, "symstore", &arena, &list, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
	ck_assert_msg(strstr(err.text, refusals[_i].words) != NULL, "%s", err.text);
	arena_release(&arena);
}
END_TEST

/* --- Whatever happens ---------------------------------------------------------------------------- */

struct once { cJSON *array; int pointer; };

static int follow_once(void *payload, struct err *err)
{
	const struct once *once = payload;
	struct location location = { .path = TEXT("my.pdb/1/file.ptr") };
	struct source_list list;
	struct arena arena;
	int rc, fd = -1;

	arena_init(&arena, CEILING_BYTES);
	rc = source_list_parse(once->array, SOURCE_OF_CONFIG, &sources_no_roots, &arena, &list, err);
	if (rc == 0) {
		location.source = &list.sources[0];
		rc = source_follow(&location, once->pointer, &arena, &fd, err);
	}
	if (rc == 0)
		close(fd);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	static const char text[] = "PATH:/s/b/my.pdb";
	const char *top = make_tree();
	struct once once = {
		.array = cJSON_Parse(support_printf(
			"[{\"type\":\"http\",\"id\":\"h\",\"url\":\"http://h/\",\"layout\":{\"type\":\"symstore\"},"
			"\"file_ptr\":{\"/s\":\"%s/in\"}}]", top)),
		.pointer = memfd_create("pointer", MFD_CLOEXEC),
	};

	ck_assert_int_eq(write(once.pointer, text, sizeof(text) - 1), (ssize_t)sizeof(text) - 1);
	support_every_allocation_failure(follow_once, &once, 200);
	close(once.pointer);
	cJSON_Delete(once.array);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void run_target(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	static const char text[] = "PATH:\\\\builds\\symbols\\random\\boot_id\r\n";

	run_target(NULL, (const uint8_t *)text, sizeof(text) - 1);
	support_every_byte_change((const uint8_t *)text, sizeof(text) - 1, run_target, NULL);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("pointer");
	TCase *tcase = tcase_create("pointer");

	LOOP(a_pointer_leads_where_it_may, texts);
	tcase_add_test(tcase, a_long_pointer_is_none);
	LOOP(stores_of_the_operator_are_asked_for_pointers, places);
	LOOP(wrong_folders_are_refused, refusals);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

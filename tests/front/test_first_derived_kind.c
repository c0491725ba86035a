/* test_first_derived_kind.c -- the endpoint of doc/first-derived-kind.md: a file is sent, read in a
 * cell that wants more, and the answer is an entry's file. */
#include "support/support.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "board/board.h"
#include "cfi/cfi.h"
#include "config/config.h"
#include "convert/convert.h"
#include "front/form.h"
#include "front/front_internal.h"
#include "kinds/kinds.h"
#include "work/answer_head.h"
#include "work/work.h"
#include "workshop/workshop.h"

#define NOBODYS "00112233445566778899aabbccddeeff00112233"

static char *folder;

/* A source with one program, and lists of build ids in which @ is its own. */
static const char *set_up(void)
{
	static char id[64];
	FILE *file;

	folder = support_printf("/tmp/symgate-rules-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(system(support_printf(
		"set -e; cd '%s'; printf 'int main(void) { return 0; }\\n' > p.c; gcc -g -Wl,--build-id -o p p.c;"
		" readelf -n p | sed -n 's/.*Build ID: //p' > id; id=$(cat id);"
		" d=files/$(printf %%.2s $id); mkdir -p $d; cp p $d/${id#??}; cp p $d/${id#??}.debug;"
		" printf 'state_dir: %s/state\\nlimits: {job_time: 30s}\\nworkshop: {cells: 1, waiting_cells: 1}\\n"
		"filesystem_source_roots: [\"%s\"]\\nsources:\\n- {id: s, type: filesystem, path: %s/files,"
		" layout: {type: native}}\\n' > config.yml", folder, folder, folder, folder)), 0);
	file = fopen(support_printf("%s/id", folder), "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(id, sizeof(id), file));
	fclose(file);
	id[strcspn(id, "\n")] = '\0';
	return id;
}

static int send_list(const char *list, const char *id)
{
	int fd = open(support_printf("%s/list", folder), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	for (; *list; list++) {
		const char *bytes = *list == '@' ? id : list;
		size_t size = *list == '@' ? strlen(id) : 1;

		ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	}
	return fd;
}

static void load(struct config *config, struct nursery **nursery)
{
	const char *const paths[] = { support_printf("%s/config.yml", folder) };
	struct err err = ERR_INIT;

	ck_assert_msg(config_load(config, paths, 1, NULL, NULL, NULL, &err) == 0, "%s", err.text);
	ck_assert_msg(nursery_start(nursery, config, convert_operations, convert_operation_count, &err) == 0,
		      "%s", err.text);
}

static int carry(const struct config *config, struct nursery *nursery, int fd, struct buf *result,
		 struct err *err)
{
	const struct request_kind *kind = request_kind_named("rules");
	struct work_body body = { .bytes = TEXT_NONE, .fd = fd };

	ck_assert_ptr_nonnull(kind);
	return workshop_answer(config, nursery, kind, &body, result, NULL, err);
}

/* What a front makes of the result: the file, which has the rules. */
static void check_reply(const struct config *config, struct text result, const char *id)
{
	struct front front = { .config = config };
	struct answer_head head;
	struct reply reply;
	struct cfi cfi;
	struct err err = ERR_INIT;
	struct file_map map;
	size_t size;

	ck_assert_msg(answer_head_read(&head, result, &size, &err) == 0, "%s", err.text);
	ck_assert_msg(size == result.size && head.is_entry, "%.*s", (int)result.size, result.bytes);
	ck_assert_int_eq(board_open(&front.board, config, &err), 0);
	ck_assert_int_eq(store_open(&front.store, config, &err), 0);
	ck_assert_int_eq(cache_open(&front.cache, config, front.board, front.store, &err), 0);
	reply_init(&reply);
	reply_reset(&reply);
	ck_assert(answer_entry(&front, front.store, &head, &reply));
	ck_assert_msg(reply.status == 200, "%s", buf_string(&reply.body.written));
	ck_assert_str_eq(reply.content_type, "application/octet-stream");
	ck_assert_uint_eq(reply.header_count, 3);    /* and its tag, and that parts may be asked for */
	ck_assert_str_eq(reply.headers[0].name, "X-Build-Id");
	ck_assert_str_eq(reply.headers[0].value, id);
	ck_assert_int_ge(reply.body.file, 0);
	ck_assert_int_eq(file_map_fd(&map, reply.body.file, &err), 0);
	ck_assert_uint_eq(map.size, reply_body_size(&reply.body));
	ck_assert_msg(cfi_open(&cfi, (const char *)map.bytes, map.size, &err) == 0, "%s", err.text);
	file_unmap(&map);
	reply_release(&reply);
	cache_close(front.cache);
	store_close(front.store);
	board_close(front.board);
}

static void check_refusal(const char *result, int status, const char *text)
{
	struct answer_head head;
	struct err err = ERR_INIT;
	size_t size;

	ck_assert_int_eq(answer_head_read(&head, text_of(result), &size, &err), 0);
	ck_assert_msg(head.status == status && !head.is_entry && strstr(result + size, text), "%s", result);
}

static const struct { const char *what, *list; int status; const char *text; } cases[] = {
	{ "the one it has", "@\n", 200, NULL },
	{ "the second of two, cold and unknown", NOBODYS "\n@\n", 200, NULL },
	{ "blanks and empty lines", "\n  \r\n @\t\r\n", 200, NULL },
	{ "one that is no id", "../../etc/passwd\n@", 200, NULL },
	{ "none of them", NOBODYS "\n", 404, "none of 1 build ids has unwind rules" },
	{ "no id", "none\n", 404, "none of 1 build ids has unwind rules" },
	{ "an empty file", "", 404, "none of 0 build ids has unwind rules" },
	{ "digits without an end", NOBODYS NOBODYS NOBODYS NOBODYS "\n", 400,
	  "a build id of 160 digits" },
};

START_TEST(answers)
{
	const char *id = set_up();
	int fd = send_list(cases[_i].list, id);
	struct nursery *nursery;
	struct config config;
	struct err err = ERR_INIT;
	struct buf result;

	load(&config, &nursery);
	buf_init(&result, (size_t)1 << 20);
	ck_assert_msg(carry(&config, nursery, fd, &result, &err) == 0, "%s: %s", cases[_i].what, err.text);
	if (cases[_i].text)
		check_refusal(buf_string(&result), cases[_i].status, cases[_i].text);
	else
		check_reply(&config, buf_text(&result), id);
	buf_release(&result);
	close(fd);
	nursery_stop(nursery);
	config_release(&config);
	ck_assert_int_eq(system(support_printf("rm -rf '%s'", folder)), 0);
}
END_TEST

START_TEST(the_route_takes_a_form_with_a_file)
{
	struct request request = { .method = METHOD_POST, .method_name = TEXT("POST"),
				   .path = TEXT("/rules") };

	route_find(&request);
	ck_assert_ptr_nonnull(request.route);
	ck_assert_int_eq(request.route->takes, TAKES_FORM);
	ck_assert_ptr_eq(request.route->kind, request_kind_named("rules"));
	ck_assert_str_eq(request.route->form->file, "list");
	ck_assert(request.route->kind->takes_file && !request.route->kind->has_pending);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("first_derived_kind");
	TCase *tcase = tcase_create("first_derived_kind");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, answers, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tcase, the_route_takes_a_form_with_a_file);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

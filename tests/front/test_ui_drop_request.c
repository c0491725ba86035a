/* test_ui_drop_request.c -- what was dropped as what an endpoint takes. */
#include "front/ui_drop_request.h"

#include "base/buf.h"
#include "base/err.h"
#include "source/source.h"
#include "support/support.h"

static struct source configured[] = { { .id = { "one", 3 } }, { .id = { "t\"wo", 4 } } };
static const struct source_list list = { .sources = configured, .count = 2 };

static const struct ui_drop_said nothing = { .all = &list };
static const struct ui_drop_said all = {
	.platform = { "na\"tive", 7 }, .release = { "1.0", 3 }, .mapping = { "id", 2 },
	.sources = { "t\"wo\r\n", 6 }, .all = &list,
};

START_TEST(fields_beside_a_file_are_json_each)
{
	struct buf out;

	buf_init(&out, 4096);
	ui_drop_fields(&nothing, &out);
	ck_assert_str_eq(buf_string(&out), "{\"sources\":\"[\\\"one\\\",\\\"t\\\\\\\"wo\\\"]\"}");
	buf_clear(&out);
	ui_drop_fields(&all, &out);
	ck_assert_str_eq(buf_string(&out), "{\"sources\":\"[\\\"t\\\\\\\"wo\\\"]\","
			 "\"platform\":\"\\\"na\\\\\\\"tive\\\"\"}");
	ck_assert(!out.failed);
	buf_release(&out);
}
END_TEST

START_TEST(texts_become_requests)
{
	struct err err = ERR_INIT;
	struct buf out;

	buf_init(&out, 4096);
	ck_assert_int_eq(ui_drop_jvm(&all, TEXT("\tat a.b(C.java:1)\n"), &out, &err), 0);
	ck_assert_str_eq(buf_string(&out), "{\"platform\":\"na\\\"tive\",\"sources\":[\"t\\\"wo\"],\"modules\":"
			 "[{\"type\":\"proguard\",\"uuid\":\"id\"}],\"texts\":[\"\\tat a.b(C.java:1)\\n\"]}");
	buf_clear(&out);
	ck_assert_int_eq(ui_drop_jvm(&nothing, TEXT("x\xff"), &out, &err), 0);
	ck_assert_str_eq(buf_string(&out), "{\"platform\":\"java\",\"sources\":[\"one\",\"t\\\"wo\"],\"modules\":[],"
			 "\"texts\":[\"x\xef\xbf\xbd\"]}");
	buf_clear(&out);
	ck_assert_int_eq(ui_drop_js(&all, TEXT("Error\n    at f (https://a/b.js:1:2)\n"), &out, &err), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "\"release\":\"1.0\",\"options\":{\"frame_order\":"
				     "\"callee_first\"},\"stacktraces\":[{\"frames\":["));
	ck_assert_ptr_nonnull(strstr(buf_string(&out), "https://a/b.js"));
	buf_clear(&out);
	ck_assert_int_eq(ui_drop_js(&all, TEXT("no frame here"), &out, &err), -1);
	ck_assert_int_eq(err.kind, ERR_BAD_REQUEST);
	buf_release(&out);
}
END_TEST

static int write_all(void *payload, struct err *err)
{
	struct buf out;
	int rc;

	(void)payload;
	buf_init(&out, 4096);
	ui_drop_fields(&all, &out);
	rc = buf_check(&out, err);
	if (rc == 0)
		rc = ui_drop_js(&all, TEXT("    at f (https://a/b.js:1:2)\n"), &out, err);
	if (rc == 0)
		rc = ui_drop_jvm(&all, TEXT("x"), &out, err);
	buf_release(&out);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	support_every_allocation_failure(write_all, NULL, 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ui_drop_request");
	TCase *tcase = tcase_create("ui_drop_request");

	tcase_add_test(tcase, fields_beside_a_file_are_json_each);
	tcase_add_test(tcase, texts_become_requests);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

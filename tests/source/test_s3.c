/* test_s3 -- presigned addresses, what S3's errors mean, keys of containers and machines. */
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "config/config.h"
#include "source/s3.h"
#include "source/sigv4.h"
#include "source/sources.h"

#define CEILING_BYTES ((size_t)8 << 20)
#define MAY_24_2013 1369353600


/* The example of Amazon's "Authenticating Requests: Using Query Parameters". */
START_TEST(signs_as_amazon_does)
{
	const struct sigv4 sigv4 = {
		.method = TEXT("GET"),
		.access_key = TEXT("AKIAIOSFODNN7EXAMPLE"),
		.secret_key = TEXT("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
		.region = TEXT("us-east-1"), .now = MAY_24_2013, .expires_seconds = 86400,
	};
	struct buf query;

	buf_init(&query, CEILING_BYTES);
	sigv4_presign(&sigv4, TEXT("examplebucket.s3.amazonaws.com"), TEXT("/test.txt"), &query);
	ck_assert_str_eq(buf_string(&query),
		"X-Amz-Algorithm=AWS4-HMAC-SHA256"
		"&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
		"&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
		"&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
	buf_release(&query);
}
END_TEST

#define ERROR(code, message) "<?xml version=\"1.0\"?>\n<Error>" code message "<RequestId>X</RequestId></Error>"
#define CODE(text) "<Code>" text "</Code>"
#define MESSAGE(text) "<Message>" text "</Message>"

static const struct {
	const char *what;
	unsigned status;
	const char *body;
	enum err_kind kind;
	const char *text;
} errors[] = {
	{ "denied by code", 400, ERROR(CODE("SignatureDoesNotMatch"), MESSAGE("No.")),
	  ERR_DENIED, "SignatureDoesNotMatch: No." },
	{ "denied without message", 400, ERROR(CODE("AccessDenied"), ""), ERR_DENIED, "AccessDenied" },
	{ "absent by code", 400, ERROR(CODE("NoSuchBucket"), MESSAGE("None")), ERR_NOT_FOUND,
	  "NoSuchBucket: None" },
	{ "another code, 403", 403, ERROR(CODE("RequestTimeTooSkewed"), MESSAGE("Late")), ERR_DENIED,
	  "RequestTimeTooSkewed: Late" },
	{ "another code, 404", 404, ERROR(CODE("Odd"), ""), ERR_NOT_FOUND, "Odd" },
	{ "another code, 503", 503, ERROR(CODE("SlowDown"), MESSAGE("Reduce")), ERR_DOWNLOAD,
	  "SlowDown: Reduce" },
	{ "another code, 400", 400, ERROR(CODE("Odd"), ""), ERR_DOWNLOAD, "Odd" },
	{ "elsewhere", 301, ERROR(CODE("PermanentRedirect"), MESSAGE("Go")), ERR_DOWNLOAD,
	  "PermanentRedirect: Go" },
	{ "message alone", 500, ERROR("", MESSAGE("Oh")), ERR_DOWNLOAD, "500: Oh" },
	{ "nothing", 500, "", ERR_DOWNLOAD, "as the status says" },
	{ "no XML", 404, "<html><Code>x</Code>", ERR_NOT_FOUND, "as the status says" },
	{ "cut short", 403, "<Error><Code>Acc", ERR_DENIED, "as the status says" },
	{ "entities", 400, ERROR(CODE("Odd"), MESSAGE("a &lt;b&gt; &amp;&quot;\n&apos;")),
	  ERR_DOWNLOAD, "Odd: a <b> &\" '" },
};
#define ERRORS (int)(sizeof(errors) / sizeof(errors[0]))

START_TEST(errors_are_read)
{
	struct err err = ERR_INIT;

	err_set(&err, ERR_NOT_FOUND, "as the status says");
	s3_judge(errors[_i].status, text_of(errors[_i].body), &err);
	ck_assert_msg(err.kind == errors[_i].kind, "%s: %s", errors[_i].what, err.text);
	ck_assert_str_eq(err.text, errors[_i].text);
}
END_TEST

static void judge_change(void *payload, const uint8_t *bytes, size_t size)
{
	struct err err = ERR_INIT;

	(void)payload;
	err_set(&err, ERR_NOT_FOUND, "x");
	s3_judge(400, (struct text){ (const char *)bytes, size }, &err);
	ck_assert_int_ne(err.kind, ERR_NONE);
}

START_TEST(errors_survive_every_byte_change)
{
	const char *body = errors[ERRORS - 1].body;

	support_every_byte_change((const uint8_t *)body, strlen(body), judge_change, NULL);
}
END_TEST

/* --- Sources -------------------------------------------------------------------------------- */

static const struct { const char *what, *json, *begin; } addresses[] = {
	{ "bucket in the host", "{'type':'s3','id':'x','bucket':'my-bucket','region':'eu-west-1'}",
	  "https://my-bucket.s3.eu-west-1.amazonaws.com/a%2Bb/c?X-Amz-Algorithm=" },
	{ "China", "{'type':'s3','id':'x','bucket':'my-bucket','region':'cn-north-1'}",
	  "https://my-bucket.s3.cn-north-1.amazonaws.com.cn/a%2Bb/c?" },
	{ "bucket with a dot", "{'type':'s3','id':'x','bucket':'my.bucket','region':'eu-west-1'}",
	  "https://s3.eu-west-1.amazonaws.com/my.bucket/a%2Bb/c?" },
	{ "prefix", "{'type':'s3','id':'x','bucket':'bbb','prefix':'/p q/','region':'r'}",
	  "https://bbb.s3.r.amazonaws.com/p%20q/a%2Bb/c?" },
	{ "endpoint", "{'type':'s3','id':'x','bucket':'bbb','region':['r','HTTP://h:9000']}",
	  "http://h:9000/bbb/a%2Bb/c?" },
	{ "endpoint with a path", "{'type':'s3','id':'x','bucket':'b','region':['r','https://h/s/']}",
	  "https://h/s/b/a%2Bb/c?" },
};

START_TEST(addresses_are_made)
{
	struct fetch_order order = { .url = NULL };
	enum source_access access;
	struct arena arena;
	struct err err = ERR_INIT;
	struct location location = { .path = TEXT("a+b/c") };
	int fd;

	arena_init(&arena, CEILING_BYTES);
	location.source = sources_one(addresses[_i].json, SOURCE_OF_REQUEST, &arena);
	ck_assert_msg(source_reach(&location, &arena, &access, &fd, &order, &err) == 0, "%s",
		      err.text);
	ck_assert_int_eq(access, SOURCE_ORDERED);
	ck_assert_msg(strncmp(order.url, addresses[_i].begin, strlen(addresses[_i].begin)) == 0,
		      "%s: %s", addresses[_i].what, order.url);
	ck_assert(strstr(order.url, "&X-Amz-Expires=900&X-Amz-SignedHeaders=host&x-id=GetObject"
				    "&X-Amz-Signature=") != NULL);
	arena_release(&arena);
}
END_TEST

START_TEST(bad_places_are_refused)
{
	static const struct { const char *json, *text; } places[] = {
		{ "{'type':'s3','id':'x','bucket':'bbb','region':'a/b@c'}", "no region has this name" },
		{ "{'type':'s3','id':'x','bucket':'bbb','region':['r','nowhere']}",
		  "endpoint: an absolute address is expected" },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct fetch_order order;
		enum source_access access;
		struct arena arena;
		struct err err = ERR_INIT;
		struct location location = { .path = TEXT("a") };
		int fd;

		arena_init(&arena, CEILING_BYTES);
		location.source = sources_one(places[i].json, SOURCE_OF_REQUEST, &arena);
		ck_assert_int_lt(source_reach(&location, &arena, &access, &fd, &order, &err), 0);
		ck_assert_int_eq(err.kind, ERR_DOWNLOAD);
		ck_assert_str_eq(err.text, places[i].text);
		arena_release(&arena);
	}
}
END_TEST

/* --- Keys of this machine ------------------------------------------------------------------- */

#define CONTAINER "{'type':'s3','id':'x','bucket':'bbb','region':'r','aws_credentials_provider':'container'}"
#define KEYS "{\"AccessKeyId\":\"AK\",\"SecretAccessKey\":\"SK\",\"Token\":\"T/+=\"," \
	     "\"Expiration\":\"2030-03-01T12:34:56Z\"}"

static void clear_environment(void)
{
	unsetenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	unsetenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	unsetenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	unsetenv("AWS_EC2_METADATA_DISABLED");
	unsetenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
}

static void check_keys(const struct source *source, const struct source_credential *credential,
		       struct arena *arena)
{
	struct location location = { .source = source, .path = TEXT("a") };
	struct fetch_order order;
	enum source_access access;
	struct err err = ERR_INIT;
	int fd;

	ck_assert_int_eq(credential->until, 1898598896 - 60);
	ck_assert_int_eq(source_reach(&location, arena, &access, &fd, &order, &err), 0);
	ck_assert_int_eq(access, SOURCE_NEEDS_CREDENTIAL);
	ck_assert_int_eq(source_reach_with(&location, credential->secret, arena, &access, &fd, &order,
					   &err), 0);
	ck_assert_int_eq(access, SOURCE_ORDERED);
	ck_assert(strstr(order.url, "X-Amz-Credential=AK%2F") != NULL);
	ck_assert(strstr(order.url, "&X-Amz-Security-Token=T%2F%2B%3D&X-Amz-SignedHeaders") != NULL);
}

START_TEST(containers_give_keys)
{
	struct source_credential credential = { .step = 0 };
	const struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	clear_environment();
	arena_init(&arena, CEILING_BYTES);
	source = sources_one(CONTAINER, SOURCE_OF_REQUEST, &arena);
	ck_assert_int_lt(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 0);
	ck_assert_str_eq(err.text, "this is no container with credentials");
	setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://10.0.0.1/x", 1);
	ck_assert_int_lt(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 0);
	setenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/abc", 1);
	setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "Basic xyz", 1);
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 1);
	ck_assert_str_eq(credential.order.url, "http://169.254.170.2/v2/abc");
	ck_assert_str_eq(credential.order.headers[0].value.bytes, "Basic xyz");
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT(KEYS), &arena, &err), 0);
	check_keys(source, &credential, &arena);
	credential.step = 1;
	ck_assert_int_lt(source_credential_step(source, &credential, TEXT("{}"), &arena, &err), 0);
	ck_assert_int_eq(err.kind, ERR_DOWNLOAD);
	arena_release(&arena);
}
END_TEST

START_TEST(machines_give_keys_to_their_operator)
{
	struct source_credential credential = { .step = 0 };
	uint8_t mine[32], theirs[32];
	const struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	clear_environment();
	setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://meta:1/", 1);
	arena_init(&arena, CEILING_BYTES);
	source = sources_one(CONTAINER, SOURCE_OF_CONFIG, &arena);
	source_credential_name(source, mine);
	source_credential_name(sources_one(CONTAINER, SOURCE_OF_REQUEST, &arena), theirs);
	ck_assert_int_ne(memcmp(mine, theirs, sizeof(mine)), 0);
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 1);
	ck_assert_str_eq(credential.order.url, "http://meta:1/latest/api/token");
	ck_assert_str_eq(credential.order.method, "PUT");
	ck_assert_str_eq(credential.order.proxy, "");          /* straight to the machine's own */
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT("tok"), &arena, &err), 1);
	ck_assert_str_eq(credential.order.url, "http://meta:1/latest/meta-data/iam/security-credentials/");
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT("role\n"), &arena, &err), 1);
	ck_assert_str_eq(credential.order.url, "http://meta:1/latest/meta-data/iam/security-credentials/role");
	ck_assert_str_eq(credential.order.headers[0].value.bytes, "tok");
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT(KEYS), &arena, &err), 0);
	check_keys(source, &credential, &arena);
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	credential.step = 0;
	ck_assert_int_lt(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 0);
	arena_release(&arena);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s3");
	TCase *tcase = tcase_create("s3");

	tcase_add_test(tcase, signs_as_amazon_does);
	tcase_add_loop_test(tcase, errors_are_read, 0, ERRORS);
	tcase_add_test(tcase, errors_survive_every_byte_change);
	tcase_add_loop_test(tcase, addresses_are_made, 0,
			    (int)(sizeof(addresses) / sizeof(addresses[0])));
	tcase_add_test(tcase, bad_places_are_refused);
	tcase_add_test(tcase, containers_give_keys);
	tcase_add_test(tcase, machines_give_keys_to_their_operator);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

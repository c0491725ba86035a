/* test_gcs -- claims signed by a service account, tokens, addresses. */
#include "support/support.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "config/config.h"
#include "source/sources.h"

#define CEILING_BYTES ((size_t)8 << 20)
#define KEY_RECIPE "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out $OUT 2> /dev/null"
#define EC_RECIPE "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $OUT 2> /dev/null"

static struct source *parse(cJSON *object, struct arena *arena)
{
	struct source_list *list = arena_alloc(arena, 1, sizeof(*list));
	cJSON *array = cJSON_CreateArray();
	struct err err = ERR_INIT;

	cJSON_AddItemToArray(array, object);
	ck_assert_msg(source_list_parse(array, SOURCE_OF_REQUEST, &sources_no_roots, arena, list, &err) == 0,
		      "%s", err.text);
	cJSON_Delete(array);
	return list->sources;
}

static cJSON *bucket(void)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddStringToObject(object, "type", "gcs");
	cJSON_AddStringToObject(object, "id", "x");
	cJSON_AddStringToObject(object, "bucket", "my bucket");
	cJSON_AddStringToObject(object, "prefix", "/p/");
	return object;
}

/* The key file with its line ends written as two characters each, as people paste it. */
static struct source *with_key(const char *recipe, const char *name, struct arena *arena)
{
	struct file_map map = support_read(support_fixture(name, recipe));
	char *escaped = arena_alloc(arena, 2 * map.size + 1, 1);
	cJSON *object = bucket();
	size_t size = 0;

	for (size_t i = 0; i < map.size; i++) {
		if (map.bytes[i] == '\n')
			escaped[size++] = '\\';
		escaped[size++] = map.bytes[i] == '\n' ? 'n' : (char)map.bytes[i];
	}
	cJSON_AddStringToObject(object, "private_key", escaped);
	cJSON_AddStringToObject(object, "client_email", "me@\"x");
	cJSON_AddStringToObject(object, "token_uri", "http://t/token");
	cJSON_AddStringToObject(object, "endpoint", "http://s:1/");
	return parse(object, arena);
}

/* Holds the signature against openssl's own opinion. */
static void check_jwt(const char *jwt)
{
	static const char script[] =
		"import base64,json,subprocess,sys\n"
		"def d(s): return base64.urlsafe_b64decode(s+'='*(-len(s)%4))\n"
		"h,c,s=sys.argv[1].split('.')\n"
		"assert json.loads(d(h))=={'typ':'JWT','alg':'RS256'}\n"
		"c2=json.loads(d(c)); assert c2['iss']=='me@\"x' and c2['exp']-c2['iat']==3510\n"
		"assert c2['aud']=='http://t/token'\n"
		"assert c2['scope']=='https://www.googleapis.com/auth/devstorage.read_only'\n"
		"open(sys.argv[3]+'.sig','wb').write(d(s))\n"
		"open(sys.argv[3]+'.txt','w').write(h+'.'+c)\n"
		"subprocess.run(['openssl','pkey','-in',sys.argv[2],'-pubout','-out',sys.argv[3]+'.pub'],check=True)\n"
		"subprocess.run(['openssl','dgst','-sha256','-verify',sys.argv[3]+'.pub','-signature',"
		"sys.argv[3]+'.sig',sys.argv[3]+'.txt'],check=True)\n"
		"open(sys.argv[4],'w').write('verified')\n";
	const char *key = support_fixture("gcs-key.pem", KEY_RECIPE);
	char *recipe = support_printf("cat > $DIR/check.py <<'EOF'\n%sEOF\n"
				      "python3 $DIR/check.py '%s' '%s' $DIR/work $OUT > /dev/null\n",
				      script, jwt, key);
	struct file_map map = support_read(support_fixture("gcs-verified", recipe));

	ck_assert_mem_eq(map.bytes, "verified", 8);
}

START_TEST(claims_are_signed)
{
	static const char begin[] =
		"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
	struct source_credential credential = { .step = 0 };
	struct fetch_order order;
	struct source *source;
	enum source_access access;
	struct arena arena;
	struct err err = ERR_INIT;
	struct location location = { .path = TEXT("a/b c") };
	int64_t before;
	int fd;

	arena_init(&arena, CEILING_BYTES);
	source = with_key(KEY_RECIPE, "gcs-key.pem", &arena);
	location.source = source;
	ck_assert_int_eq(source_reach(&location, &arena, &access, &fd, &order, &err), 0);
	ck_assert_int_eq(access, SOURCE_NEEDS_CREDENTIAL);
	ck_assert_msg(source_credential_step(source, &credential, TEXT_NONE, &arena, &err) == 1, "%s", err.text);
	ck_assert_str_eq(credential.order.url, "http://t/token");
	ck_assert_str_eq(credential.order.method, "POST");
	ck_assert(text_starts_with(credential.order.body, begin));
	check_jwt(credential.order.body.bytes + strlen(begin));
	before = clock_unix_seconds();
	ck_assert_int_eq(source_credential_step(source, &credential, TEXT("{\"access_token\":\"tok\"}"), &arena,
					  &err), 0);
	ck_assert_int_ge(credential.until, before + 58 * 60);
	ck_assert_int_le(credential.until, clock_unix_seconds() + 58 * 60);
	ck_assert_int_eq(source_reach_with(&location, credential.secret, &arena, &access, &fd, &order,
					   &err), 0);
	ck_assert_str_eq(order.url, "http://s:1/storage/v1/b/my%20bucket/o/p%2Fa%2Fb%20c?alt=media");
	ck_assert_str_eq(order.headers[0].name.bytes, "authorization");
	ck_assert_str_eq(order.headers[0].value.bytes, "Bearer tok");
	arena_release(&arena);
}
END_TEST

START_TEST(bad_keys_are_refused)
{
	static const char *const keys[] = {
		"", "no key",
		("-----BEGIN PRIVATE KEY-----\\nAAAA\\n"
		 "-----END PRIVATE KEY-----\\n"),
	};
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	for (size_t i = 0; i <= sizeof(keys) / sizeof(keys[0]); i++) {
		struct source_credential credential = { .step = 0 };
		struct source *source;
		cJSON *object = bucket();

		if (i == sizeof(keys) / sizeof(keys[0])) {
			cJSON_Delete(object);
			source = with_key(EC_RECIPE, "gcs-ec-key.pem", &arena);
		} else {
			cJSON_AddStringToObject(object, "private_key", keys[i]);
			cJSON_AddStringToObject(object, "client_email", "e");
			source = parse(object, &arena);
		}
		ck_assert_int_lt(source_credential_step(source, &credential, TEXT_NONE, &arena, &err), 0);
		ck_assert_int_eq(err.kind, ERR_DOWNLOAD);
		ck_assert_str_eq(err.text, "failed encoding JWT");
	}
	arena_release(&arena);
}
END_TEST

START_TEST(failures_have_their_words)
{
	struct source_credential credential = { .step = 1 };
	struct source *source;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	source = with_key(KEY_RECIPE, "gcs-key.pem", &arena);
	ck_assert_int_lt(source_credential_step(source, &credential, TEXT("{\"error\":1}"), &arena, &err), 0);
	ck_assert_str_eq(err.text, "failed to send authentication request");
	err_set(&err, ERR_NOT_FOUND, "404 Not Found");
	source_credential_fail(source, &err);
	ck_assert_int_eq(err.kind, ERR_DOWNLOAD);
	ck_assert_str_eq(err.text, "failed to send authentication request");
	arena_release(&arena);
}
END_TEST

START_TEST(bearer_tokens_need_no_pass)
{
	cJSON *object = bucket();
	struct fetch_order order;
	enum source_access access;
	struct arena arena;
	struct err err = ERR_INIT;
	struct location location = { .path = TEXT("a") };
	int fd;

	arena_init(&arena, CEILING_BYTES);
	cJSON_AddStringToObject(object, "bearer_token", "mine");
	location.source = parse(object, &arena);
	ck_assert_int_eq(source_reach(&location, &arena, &access, &fd, &order, &err), 0);
	ck_assert_int_eq(access, SOURCE_ORDERED);
	ck_assert_str_eq(order.url,
			 "https://storage.googleapis.com/storage/v1/b/my%20bucket/o/p%2Fa?alt=media");
	ck_assert_str_eq(order.headers[0].value.bytes, "Bearer mine");
	arena_release(&arena);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gcs");
	TCase *tcase = tcase_create("gcs");

	tcase_add_test(tcase, claims_are_signed);
	tcase_add_test(tcase, bad_keys_are_refused);
	tcase_add_test(tcase, failures_have_their_words);
	tcase_add_test(tcase, bearer_tokens_need_no_pass);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

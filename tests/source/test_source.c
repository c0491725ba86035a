/* test_source -- source arrays, good and wrong; filters; files reached and refused. */
#include "support/support.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "source/source_filters.h"
#include "source/sources.h"

#define CEILING_BYTES ((size_t)8 << 20)

static const struct {
	const char *what, *json;
	const char *text;            /* NULL: must parse */
} shapes[] = {
	{ "empty list", "[]", NULL },
	{ "no list", "{}", "sources: an array is expected" },
	{ "http, unknown keys", "[{'type':'http','id':'x','url':'http://x','name':1}]", NULL },
	{ "filesystem", "[{'type':'filesystem','id':'x','path':'/x'}]", NULL },
	{ "s3", "[{'type':'s3','id':'x','bucket':'b','region':'us-east-1'}]", NULL },
	{ "s3 endpoint", "[{'type':'s3','id':'x','bucket':'b','region':['a','http://e']}]", NULL },
	{ "gcs key", "[{'type':'gcs','id':'x','bucket':'b','private_key':'k','client_email':'e'}]", NULL },
	{ "gcs token", "[{'type':'gcs','id':'x','bucket':'b','bearer_token':'k'}]", NULL },
	{ "sentry", "[{'type':'sentry','id':'x','url':'https://s/','token':'t'}]", NULL },
	{ "sentry cookies", "[{'type':'sentry','id':'x','url':'https://s/','cookies':'t'}]", NULL },
	{ "a proxy", "[{'type':'http','id':'x','url':'http://x','proxy':'http://p'}]",
	  "sources[0].proxy: only sources of the config file have one" },
	{ "a proxy for sentry", "[{'type':'sentry','id':'x','url':'https://s/','token':'t','proxy':''}]",
	  "sources[0].proxy: only sources of the config file have one" },
	{ "no object", "[1]", "sources[0]: an object is expected" },
	{ "no type", "[{'id':'x'}]", "sources[0]: missing member `type`" },
	{ "unknown type", "[{'type':'http','id':'x','url':'http://x'},{'type':'ftp','id':'x'}]",
	  "sources[1]: unknown type `ftp`" },
	{ "type of no string", "[{'type':1}]", "sources[0].type: a string is expected" },
	{ "no id", "[{'type':'http','url':'http://x'}]", "sources[0]: missing member `id`" },
	{ "no url", "[{'type':'http','id':'x'}]", "sources[0]: missing member `url`" },
	{ "null url", "[{'type':'http','id':'x','url':null}]", "sources[0].url: a string is expected" },
	{ "relative url", "[{'type':'http','id':'x','url':'x/y'}]",
	  "sources[0].url: an absolute address is expected" },
	{ "url without host", "[{'type':'http','id':'x','url':'http:///y'}]",
	  "sources[0].url: the address has no host" },
	{ "url with a bad host", "[{'type':'http','id':'x','url':'http://a b/y'}]",
	  "sources[0].url: the address has an invalid host" },
	{ "no path", "[{'type':'filesystem','id':'x'}]", "sources[0]: missing member `path`" },
	{ "unknown layout", "[{'type':'http','id':'x','url':'http://x','layout':{'type':'nope'}}]",
	  "sources[0].layout.type: unknown layout `nope`" },
	{ "unknown casing", "[{'type':'http','id':'x','url':'http://x','layout':{'casing':'x'}}]",
	  "sources[0].layout.casing: unknown casing `x`" },
	{ "layout of no object", "[{'type':'http','id':'x','url':'http://x','layout':'native'}]",
	  "sources[0].layout: an object is expected" },
	{ "unknown file type", "[{'type':'http','id':'x','url':'http://x','filters':{'filetypes':['pdb','exe']}}]",
	  "sources[0].filters.filetypes[1]: unknown file type `exe`" },
	{ "file types no list", "[{'type':'http','id':'x','url':'http://x','filters':{'filetypes':'pdb'}}]",
	  "sources[0].filters.filetypes: an array is expected" },
	{ "bad pattern", "[{'type':'http','id':'x','url':'http://x','filters':{'path_patterns':['a**']}}]",
	  "sources[0].filters.path_patterns[0]: invalid pattern `a**`: "
	  "`**` must be a whole path component" },
	{ "checksum of no bool", "[{'type':'http','id':'x','url':'http://x','filters':{'requires_checksum':1}}]",
	  "sources[0].filters.requires_checksum: true or false is expected" },
	{ "public of no bool", "[{'type':'http','id':'x','url':'http://x','is_public':'yes'}]",
	  "sources[0].is_public: true or false is expected" },
	{ "index of no bool", "[{'type':'http','id':'x','url':'http://x','has_index':0}]",
	  "sources[0].has_index: true or false is expected" },
	{ "header of no string", "[{'type':'http','id':'x','url':'http://x','headers':{'A':1}}]",
	  "sources[0].headers: the value of `A` is no string" },
	{ "header Host", "[{'type':'http','id':'x','url':'http://x','headers':{'A':'1','hOST':'y'}}]",
	  "sources[0].headers: `hOST` cannot be set: only sources of the config file may set it" },
	{ "header of the connection",
	  "[{'type':'http','id':'x','url':'http://x','headers':{'Transfer-Encoding':'chunked'}}]",
	  "sources[0].headers: `Transfer-Encoding` cannot be set: it belongs to the connection, "
	  "which is ours to describe" },
	{ "header Range", "[{'type':'http','id':'x','url':'http://x','headers':{'Range':'bytes=0-1'}}]",
	  "sources[0].headers: `Range` cannot be set: whole files are asked for, whatever the state "
	  "of another copy" },
	{ "s3 without region", "[{'type':'s3','id':'x','bucket':'b'}]",
	  "sources[0]: missing member `region`" },
	{ "s3 one-element region", "[{'type':'s3','id':'x','bucket':'b','region':['a']}]",
	  "sources[0].region: a name, or an array of name and endpoint, is expected" },
	{ "s3 null region", "[{'type':'s3','id':'x','bucket':'b','region':null}]",
	  "sources[0].region: a name, or an array of name and endpoint, is expected" },
	{ "s3 without bucket", "[{'type':'s3','id':'x','region':'a'}]",
	  "sources[0]: missing member `bucket`" },
	{ "s3 unknown provider", "[{'type':'s3','id':'x','bucket':'b','region':'a','aws_credentials_provider':'x'}]",
	  "sources[0].aws_credentials_provider: unknown provider `x`" },
	{ "gcs without credentials", "[{'type':'gcs','id':'x','bucket':'b','private_key':'k'}]",
	  "sources[0]: either `private_key` and `client_email` or `bearer_token` is required" },
	{ "sentry without token", "[{'type':'sentry','id':'x','url':'https://s/'}]",
	  "sources[0]: either `token` or `cookies` is required" },
};

START_TEST(shapes_are_taken_or_refused)
{
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;
	int rc;

	arena_init(&arena, CEILING_BYTES);
	rc = sources_parse(sources_quoted(shapes[_i].json), SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list, &err);
	ck_assert_msg((rc == 0) == !shapes[_i].text, "%s: %s", shapes[_i].what, err.text);
	if (shapes[_i].text) {
		ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
		ck_assert_str_eq(err.text, shapes[_i].text);
	}
	arena_release(&arena);
}
END_TEST

START_TEST(the_operator_may_name_a_host)
{
	static const struct { const char *name; bool fine; } names[] = {
		{ "Host", true }, { "Hosts", true }, { "X-Host", true }, { "content-length", false },
		{ "Connection", false }, { "TE", false }, { "Proxy-Authorization", false },
		{ "Upgrade", false }, { "Expect", false }, { "If-None-Match", false },
		{ "Authorization", true }, { "Cookie", true },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *json = support_printf("[{'type':'http','id':'x','url':'http://x',"
					    "'headers':{'%s':'y'}}]", names[i].name);
		struct source_list list;
		struct arena arena;
		struct err err = ERR_INIT;
		int rc;

		arena_init(&arena, CEILING_BYTES);
		rc = sources_parse(sources_quoted(json), SOURCE_OF_CONFIG, &sources_no_roots, &arena, &list, &err);
		ck_assert_msg((rc == 0) == names[i].fine, "%s: %s", names[i].name, err.text);
		arena_release(&arena);
	}
}
END_TEST

struct told { char text[2048]; unsigned errors, warnings; };

static void take_note(void *payload, enum source_note_kind kind, const char *place, const char *words)
{
	struct told *told = payload;
	size_t used = strlen(told->text);

	*(kind == SOURCE_NOTE_ERROR ? &told->errors : &told->warnings) += 1;
	snprintf(told->text + used, sizeof(told->text) - used, "%s: %s\n", place, words);
}

static const struct { const char *json; int rc; const char *told; } checks[] = {
	{ "[]", 0, "" }, { "{}", -1, "sources: sources: an array is expected\n" },
	{ "[{'type':'http','id':'a','url':'http://x','headers':{'X-Any':'1'},'filters':{'path_patterns':['*']},"
	  "'layout':{'type':'symstore'},'has_index':true,'is_public':true,'accept_invalid_certs':false,"
	  "'proxy':''}]", 0, "" },
	{ "[{'type':'s3','id':'a','bucket':'b','region':['a','http://x'],'prefix':'p','access_key':'a',"
	  "'secret_key':'b','session_token':'c','aws_credentials_provider':'static'},"
	  "{'type':'gcs','id':'b','bucket':'b','prefix':'p','private_key':'k','client_email':'e',"
	  "'bearer_token':'t','endpoint':'http://x','token_uri':'http://x'},"
	  "{'type':'sentry','id':'c','url':'http://x','token':'t','cookies':'c'}]", 0, "" },
	{ "[{'type':'sentry','id':'c','url':'http://x','token':'t','layout':{'type':'native'}}]", 0,
	  "sources[0].layout: unknown key\n" },
	{ "[{'type':'http','ld':'a','url':1,'quite_another':1}]", -1,
	  "sources[0]: missing member `id`\nsources[0].url: a string is expected\n"
	  "sources[0].ld: unknown key, did you mean `id`?\nsources[0].quite_another: unknown key\n" },
	{ "[7,{'type':'http','id':'a','url':'http://x'},{'type':'http','id':'a','url':'http://x'}]", -1,
	  "sources[0]: an object is expected\nsources[2].id: sources[1] is called `a` already\n" },
	{ "[{'type':'filesystem','id':'a','path':'/dev/null'},{'type':'filesystem','id':'b','path':'/'},"
	  "{'type':'filesystem','id':'c','path':'there/is/no'}]", 0,
	  "sources[0].path: /dev/null is not a folder\n"
	  "sources[2].path: `there/is/no` depends on the folder symgate is started in\n"
	  "sources[2].path: there/is/no: No such file or directory\n" },
	{ "[{'type':'s3','id':'a','bucket':1,'region':2,'access_key':3,'secret_key':4}]", -1,
	  "sources[0].bucket: a string is expected\n"
	  "sources[0].region: a name, or an array of name and endpoint, is expected\n"
	  "sources[0].access_key: a string is expected\nsources[0].secret_key: a string is expected\n" },
};

START_TEST(everything_wrong_is_told)
{
	cJSON *array = cJSON_Parse(sources_quoted(checks[_i].json));
	struct told told = { .errors = 0 };
	struct arena arena;
	struct err err = ERR_INIT;

	ck_assert_ptr_nonnull(array);
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(source_list_check(array, &sources_no_roots, &arena, take_note, &told, &err),
			 checks[_i].rc);
	ck_assert_str_eq(told.text, checks[_i].told);
	ck_assert_int_eq(told.errors > 0, checks[_i].rc < 0);
	if (checks[_i].rc < 0)
		ck_assert_int_eq(err.kind, ERR_BAD_SHAPE);
	arena_release(&arena);
	cJSON_Delete(array);
}
END_TEST

START_TEST(too_many_sources_are_refused)
{
	char *json = support_printf("[%*s]", 257 * 3 - 1, "");
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < 257; i++)
		memcpy(json + 1 + 3 * i, i < 256 ? "{}," : "{}", i < 256 ? 3 : 2);
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_lt(sources_parse(json, SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list, &err), 0);
	ck_assert_str_eq(err.text, "sources: more than 256");
	arena_release(&arena);
}
END_TEST

static const struct {
	const char *pattern, *name;
	bool matches;
} globs[] = {
	{ "?:/windows/*",  "C:\\Windows\\System32\\kernel32.dll", true },
	{ "?:/windows/**", "C:\\Windows\\System32\\kernel32.dll", true },
	{ "?:/windows/",   "C:\\Windows\\System32\\kernel32.dll", false },
	{ "d:/windows/**", "C:\\Windows\\System32\\kernel32.dll", false },
	{ "*electron*",    "C:\\projects\\src\\Electron.exe.pdb", true },
	{ "*",             "", true },
	{ "",              "", true },
	{ "",              "a", false },
	{ "**",            "a/b", true },
	{ "**/b",          "a/b", true },
	{ "**/b",          "b", true },
	{ "**/b",          "ab", false },
	{ "a/**/b",        "a/b", true },
	{ "a/**/b",        "a/x/y/b", true },
	{ "a/**/b",        "a/xb", false },
	{ "a/**",          "a/", true },
	{ "[abc]x",        "Bx", true },
	{ "[a-c]x",        "dx", false },
	{ "[!a-c]x",       "dx", true },
	{ "[!a-c]x",       "Ax", false },
	{ "[]]x",          "]x", true },
	{ "?",             "\xc3\xa4", true },
	{ "??",            "\xc3\xa4", false },
	{ "*.so",          ".so", true },
	{ "*a*b*c",        "xaxbxbxc", true },
	{ "*a*b*c",        "xaxbxbx", false },
	{ "*a/**/b*",      "xxa/ya/zz/bb", true },
};

START_TEST(globs_match_whole_names)
{
	for (size_t i = 0; i < sizeof(globs) / sizeof(globs[0]); i++) {
		struct text pattern = text_of(globs[i].pattern);

		ck_assert_msg(!glob_fault(pattern), "%s", globs[i].pattern);
		ck_assert_msg(glob_matches(pattern, text_of(globs[i].name)) == globs[i].matches,
			      "%s against %s", globs[i].pattern, globs[i].name);
	}
	ck_assert(glob_fault(TEXT("***")) != NULL);
	ck_assert(glob_fault(TEXT("a/**b")) != NULL);
	ck_assert(glob_fault(TEXT("[a")) != NULL);
	ck_assert(glob_fault(TEXT("[")) != NULL);
	ck_assert(glob_fault(TEXT("[!]")) != NULL);
}
END_TEST

static struct object_ids crash_ids(void)
{
	struct object_ids ids = {
		.type = OBJECT_TYPE_PE,
		.code_id = TEXT("5ab380779000"),
		.code_file = TEXT("C:\\x\\crash.exe"),
		.debug_file = TEXT("C:\\x\\crash.pdb"),
	};

	ck_assert(debugid_parse(TEXT("3249d99d-0c40-4931-8610-f4e4fb0b6936-1"), &ids.debug_id));
	return ids;
}

#define CRASH_ID "3249D99D0C4049318610F4E4FB0B69361"

static const struct {
	const char *what, *json, *uri;       /* of the first location; NULL: none */
} addresses[] = {
	{ "plain", "{'type':'http','id':'x','url':'http://x'}",
	  "http://x/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "slash at the end", "{'type':'http','id':'x','url':'HTTP://X:80/base/'}",
	  "http://x/base/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "port, query and fragment", "{'type':'http','id':'x','url':'https://x:80/b?q=1#f'}",
	  "https://x:80/b/crash.pdb/" CRASH_ID "/crash.pdb?q=1#f" },
	{ "credentials stay out", "{'type':'http','id':'x','url':'https://me:secret@x:443/a b'}",
	  "https://x/a%20b/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "s3", "{'type':'s3','id':'x','bucket':'b','prefix':'/a/b/','region':'r'}",
	  "s3://b/a/b/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "gcs", "{'type':'gcs','id':'x','bucket':'b','bearer_token':'t'}",
	  "gs://b/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "filesystem", "{'type':'filesystem','id':'x','path':'/a b/'}",
	  "file:///a b/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "sentry", "{'type':'sentry','id':'x','url':'http://x','token':'t'}", NULL },
	{ "another type", "{'type':'http','id':'x','url':'http://x','filters':{'filetypes':['pe']}}",
	  NULL },
	{ "checksum wanted", "{'type':'http','id':'x','url':'http://x','filters':{'requires_checksum':true}}",
	  NULL },
	{ "pattern fits", "{'type':'http','id':'x','url':'http://x','filters':{'path_patterns':['?:/X/*.PDB']}}",
	  "http://x/crash.pdb/" CRASH_ID "/crash.pdb" },
	{ "pattern does not fit", "{'type':'http','id':'x','url':'http://x','filters':{'path_patterns':['d:*']}}",
	  NULL },
};

START_TEST(locations_have_their_addresses)
{
	const enum file_type pdb = FILE_TYPE_PDB;
	struct object_ids ids = crash_ids();
	const struct source_query query = { .ids = &ids, .types = &pdb, .type_count = 1 };
	struct location_list locations = { .count = 0 };
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_msg(sources_parse(sources_quoted(support_printf("[%s]", addresses[_i].json)), SOURCE_OF_REQUEST,
			    &sources_no_roots, &arena, &list, &err) == 0, "%s", err.text);
	ck_assert_int_eq(source_locations(list.sources, &query, &arena, &locations, &err), 0);
	ck_assert_uint_eq(locations.count, addresses[_i].uri ? 2 : 0);
	if (addresses[_i].uri)
		ck_assert_str_eq(locations.locations[0].uri.bytes, addresses[_i].uri);
	arena_release(&arena);
}
END_TEST

START_TEST(names_cannot_leave_their_place)
{
	const enum file_type pdb = FILE_TYPE_PDB;
	struct object_ids ids = crash_ids();
	const struct source_query query = { .ids = &ids, .types = &pdb, .type_count = 1 };
	struct location_list locations = { .count = 0 };
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	ids.debug_file = TEXT("%2e%2e?#a b\xc3\xa4");
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(sources_parse(sources_quoted("[{'type':'http','id':'x','url':'http://x'}]"),
			       SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list, &err), 0);
	ck_assert_int_eq(source_locations(list.sources, &query, &arena, &locations, &err), 0);
	ck_assert_str_eq(locations.locations[0].uri.bytes,
			 "http://x/%252e%252e%3F%23a%20b%C3%A4/" CRASH_ID
			 "/%252e%252e%3F%23a%20b%C3%A4");
	arena_release(&arena);
}
END_TEST

START_TEST(orders_carry_headers_and_checksum)
{
	const enum file_type pdb = FILE_TYPE_PDB;
	struct object_ids ids = crash_ids();
	const struct source_query query = { .ids = &ids, .types = &pdb, .type_count = 1 };
	struct location_list locations = { .count = 0 };
	enum source_access access;
	struct fetch_order order;
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;
	int fd;

	ids.debug_checksum = TEXT("SHA256:00");
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(sources_parse(sources_quoted("[{'type':'http','id':'sentry:x','url':'http://u:p@x',"
				      "'accept_invalid_certs':true,'headers':{'X-Two':'2','bad name':'3',"
				      "'bad':'a\\nb','Authorization':'x'}}]"),
			       SOURCE_OF_CONFIG, &sources_no_roots, &arena, &list, &err), 0);
	ck_assert_int_eq(source_locations(list.sources, &query, &arena, &locations, &err), 0);
	ck_assert_int_eq(source_reach(locations.locations, &arena, &access, &fd, &order, &err), 0);
	ck_assert_int_eq(access, SOURCE_ORDERED);
	ck_assert_uint_eq(order.header_count, 3);
	ck_assert_str_eq(order.headers[0].name.bytes, "Authorization");
	ck_assert_str_eq(order.headers[1].name.bytes, "X-Two");
	ck_assert_str_eq(order.headers[2].name.bytes, "SymbolChecksum");
	ck_assert_str_eq(order.headers[2].value.bytes, "SHA256:00");
	ck_assert_str_eq(order.url, "http://u:p@x/crash.pdb/" CRASH_ID "/crash.pdb");
	ck_assert(order.accept_invalid_certs && order.trusted && !order.breaker);
	ck_assert_str_eq(order.source_id, "sentry:x");
	arena_release(&arena);
}
END_TEST

static const struct { const char *what, *proxy; bool fine; const char *ordered; } proxies[] = {
	{ "the environment's", "", true, NULL },
	{ "none", ",'proxy':''", true, "" },
	{ "HTTP", ",'proxy':'http://u:p@proxy:3128'", true, "http://u:p@proxy:3128" },
	{ "SOCKS", ",'proxy':'socks5h://proxy'", true, "socks5h://proxy" },
	{ "no scheme", ",'proxy':'proxy:3128'", false, NULL },
	{ "another scheme", ",'proxy':'ftp://proxy'", false, NULL },
	{ "no string", ",'proxy':1", false, NULL },
};
static const char *const proxied[] = {
	"'type':'http','url':'http://x'", "'type':'s3','bucket':'b','region':'eu'",
	"'type':'gcs','bucket':'b','bearer_token':'t'", "'type':'sentry','url':'http://x','token':'t'",
};

START_TEST(the_operators_sources_may_have_proxies)
{
	for (size_t i = 0; i < sizeof(proxied) / sizeof(proxied[0]); i++) {
		struct object_ids ids = crash_ids();
		const struct source_query query = { .ids = &ids };
		struct location location = { .path = TEXT("a"), .query = &query };
		enum source_access access;
		struct fetch_order order;
		struct source_list list;
		struct arena arena;
		struct err err = ERR_INIT;
		int fd, rc;

		arena_init(&arena, CEILING_BYTES);
		rc = sources_parse(sources_quoted(support_printf("[{'id':'x',%s%s}]", proxied[i], proxies[_i].proxy)),
			   SOURCE_OF_CONFIG, &sources_no_roots, &arena, &list, &err);
		ck_assert_msg((rc == 0) == proxies[_i].fine, "%s: %s", proxies[_i].what, err.text);
		if (rc == 0) {
			location.source = list.sources;
			ck_assert_int_eq(source_reach(&location, &arena, &access, &fd, &order, &err), 0);
			ck_assert_int_eq(access, SOURCE_ORDERED);
			ck_assert_pstr_eq(order.proxy, proxies[_i].ordered);
		}
		arena_release(&arena);
	}
}
END_TEST

/* What can never be asked is told where the operator looks; in a request it is a source that fails. */
START_TEST(the_operators_addresses_are_of_http)
{
	static const char *const kinds[] = { "'type':'http'", "'type':'sentry','token':'t'" };
	static const struct { const char *url; bool fine; } urls[] = {
		{ "http://x/", true },  { "HTTPS://x/", true }, { "ftp://x/", false },
		{ "file:///x", false }, { "httpx://x/", false },
	};

	for (size_t kind = 0; kind < 2; kind++) {
		for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
			const char *text = support_printf("[{'id':'x',%s,'url':'%s'}]", kinds[kind], urls[i].url);
			struct source_list list;
			struct arena arena;
			struct err err = ERR_INIT;

			arena_init(&arena, CEILING_BYTES);
			ck_assert_msg((sources_parse(sources_quoted(text), SOURCE_OF_CONFIG, &sources_no_roots, &arena, &list, &err) ==
				       0) == urls[i].fine, "%s: %s", text, err.text);
			if (strncmp(urls[i].url, "file", 4) != 0)
				ck_assert_int_eq(sources_parse(sources_quoted(text), SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list,
						       &err), 0);
			else
				ck_assert_int_lt(sources_parse(sources_quoted(text), SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list,
						       &err), 0);
			arena_release(&arena);
		}
	}
}
END_TEST

START_TEST(credentials_tell_sources_apart)
{
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(sources_parse(sources_quoted("[{'type':'http','id':'x','url':'http://x'},"
				      "{'type':'http','id':'x','url':'http://x','headers':{'A':'1','B':'2'}},"
				      "{'type':'http','id':'x','url':'http://x','headers':{'B':'2','A':'1'}},"
				      "{'type':'http','id':'x','url':'http://x','headers':{'A':'2','B':'1'}},"
				      "{'type':'http','id':'x','url':'http://u:p@x'},"
				      "{'type':'s3','id':'x','bucket':'b','region':'r'},"
				      "{'type':'s3','id':'x','bucket':'b','region':'r','access_key':'k'}]"),
			       SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list, &err), 0);
	ck_assert(!list.sources[0].has_credentials && !list.sources[5].has_credentials);
	ck_assert(list.sources[1].has_credentials && list.sources[4].has_credentials);
	ck_assert_mem_eq(list.sources[1].credentials, list.sources[2].credentials, 32);
	ck_assert_mem_ne(list.sources[1].credentials, list.sources[3].credentials, 32);
	ck_assert(list.sources[6].has_credentials);
	arena_release(&arena);
}
END_TEST

/* TREE/root/in with a file, links inside and outside, a FIFO, a folder; TREE/out */
static char *make_tree(void)
{
	char here[4096];
	char *top;

	ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
	top = support_printf("%s/source-tree-%ld", here, (long)getpid());

	ck_assert_int_eq(system(support_printf(
		"rm -rf %s; mkdir -p %s/root/in/folder %s/out && cd %s && echo inside >root/in/file &&"
		" echo outside >out/file && ln -s file root/in/link-in && mkfifo root/in/fifo &&"
		" ln -s %s/out/file root/in/link-out && ln -s root root-link &&"
		" ln -s %s/out root/in/folder-out", top, top, top, top, top, top)), 0);
	return top;
}

static const struct {
	const char *what, *path, *relative;  /* path below the tree */
	enum source_origin origin;
	const char *root;                    /* below the tree; "/": everything; NULL: none */
	enum err_kind kind;
	const char *text;
} reaches[] = {
	{ "config, anywhere", "/out", "file", SOURCE_OF_CONFIG, NULL, ERR_NONE, NULL },
	{ "config, link out", "/root/in", "link-out", SOURCE_OF_CONFIG, NULL, ERR_NONE, NULL },
	{ "config, fifo", "/root/in", "fifo", SOURCE_OF_CONFIG, NULL, ERR_DENIED, "not a regular file" },
	{ "config, folder", "/root/in", "folder", SOURCE_OF_CONFIG, NULL, ERR_DENIED, "not a regular file" },
	{ "missing", "/root/in", "nothing", SOURCE_OF_CONFIG, NULL, ERR_NOT_FOUND, "no such file" },
	{ "below a file", "/root/in/file", "x", SOURCE_OF_CONFIG, NULL, ERR_NOT_FOUND, "no such file" },
	{ "request, no roots", "/out", "file", SOURCE_OF_REQUEST, NULL, ERR_DENIED,
	  "filesystem source outside filesystem_source_roots" },
	{ "request, below the root", "/root/in", "file", SOURCE_OF_REQUEST, "/root", ERR_NONE, NULL },
	{ "request, the root itself", "/root/in", "file", SOURCE_OF_REQUEST, "/root/in/", ERR_NONE, NULL },
	{ "request, link inside", "/root/in", "link-in", SOURCE_OF_REQUEST, "/root", ERR_NONE, NULL },
	{ "request, link out", "/root/in", "link-out", SOURCE_OF_REQUEST, "/root", ERR_DENIED,
	  "filesystem source outside filesystem_source_roots" },
	{ "request, folder link out", "/root/in/folder-out", "file", SOURCE_OF_REQUEST, "/root",
	  ERR_DENIED, "filesystem source outside filesystem_source_roots" },
	{ "request, outside", "/out", "file", SOURCE_OF_REQUEST, "/root", ERR_DENIED,
	  "filesystem source outside filesystem_source_roots" },
	{ "request, dots", "/root/../out", "file", SOURCE_OF_REQUEST, "/root", ERR_DENIED,
	  "filesystem source outside filesystem_source_roots" },
	{ "request, a name that only begins alike", "/root-link/in", "file", SOURCE_OF_REQUEST,
	  "/root", ERR_DENIED, "filesystem source outside filesystem_source_roots" },
	{ "request, root is a link", "/root-link/in", "file", SOURCE_OF_REQUEST, "/root-link",
	  ERR_NONE, NULL },
	{ "request, all allowed, link out", "/root/in", "link-out", SOURCE_OF_REQUEST, "/", ERR_NONE, NULL },
	{ "request, fifo", "/root/in", "fifo", SOURCE_OF_REQUEST, "/root", ERR_DENIED,
	  "not a regular file" },
};

START_TEST(files_are_reached_or_refused)
{
	char *top = make_tree();
	const char *roots[1];
	struct config config = { .filesystem_roots = roots };
	struct location location = { .type = FILE_TYPE_PDB };
	struct fetch_order order;
	enum source_access access;
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;
	char bytes[16] = "";
	int fd, rc;

	if (reaches[_i].root) {
		roots[0] = strcmp(reaches[_i].root, "/") ? support_printf("%s%s", top, reaches[_i].root) : "/";
		config.filesystem_root_count = 1;
	}
	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(sources_parse(support_printf("[{\"type\":\"filesystem\",\"id\":\"x\",\"path\":\"%s%s\"}]",
					      top, reaches[_i].path),
			       reaches[_i].origin, &config, &arena, &list, &err), 0);
	ck_assert(source_is_local(list.sources));
	location.source = list.sources;
	location.path = text_of(reaches[_i].relative);
	ck_assert_msg(source_lacks(&location, NULL) == (reaches[_i].kind == ERR_NOT_FOUND), "%s",
		      reaches[_i].what);
	rc = source_reach(&location, &arena, &access, &fd, &order, &err);
	ck_assert_msg((rc == 0) == (reaches[_i].kind == ERR_NONE), "%s: %s", reaches[_i].what, err.text);
	ck_assert_int_eq(err.kind, reaches[_i].kind);
	if (rc == 0) {
		ck_assert_int_eq(access, SOURCE_OPENED);
		ck_assert_int_gt(read(fd, bytes, sizeof(bytes)), 0);
		close(fd);
	} else {
		ck_assert_int_eq(fd, -1);
		ck_assert_str_eq(err.text, reaches[_i].text);
	}
	arena_release(&arena);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

static const struct { const char *what, *beginning, *found; } build_ids[] = {
	{ "the first of two", "ab0011", "ab001122" }, { "all of it", "ab001133", "ab001133" },
	{ "a folder, in upper case", "cd00", "cd00ff" }, { "none", "ab0022", NULL },
	{ "more than there is", "ab00112233", NULL }, { "no folder", "ef0011", NULL },
	{ "too short to say", "ab", NULL }, { "not to be left", "../../", NULL },
};

START_TEST(build_ids_are_found_by_their_beginning)
{
	char *top = make_tree(), found[SOURCE_BUILD_ID_BYTES];
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;

	arena_init(&arena, CEILING_BYTES);
	ck_assert_int_eq(system(support_printf("cd %s/root && mkdir ab CD CD/00FF && touch ab/001133.debug ab/001122"
					       " ab/0011aax ab/.debug ab/0000", top)), 0);
	for (enum source_origin origin = SOURCE_OF_CONFIG; origin <= SOURCE_OF_REQUEST; origin++) {
		const char *expected = origin == SOURCE_OF_CONFIG ? build_ids[_i].found : NULL;

		ck_assert_int_eq(sources_parse(support_printf("[{\"type\":\"filesystem\",\"id\":\"x\",\"path\":\"%s/root\"}]",
						      top), origin, &sources_no_roots, &arena, &list, &err), 0);
		ck_assert_msg(source_find_build_id(list.sources, text_of(build_ids[_i].beginning), found) ==
			      (expected != NULL), "%s", build_ids[_i].what);
		if (expected)
			ck_assert_str_eq(found, expected);
	}
	arena_release(&arena);
	ck_assert_int_eq(system(support_printf("rm -rf %s", top)), 0);
}
END_TEST

static const char everything[] =
	"[{\"type\":\"http\",\"id\":\"h\",\"url\":\"http://u:p@x/a?b\",\"headers\":{\"A\":\"1\",\"B\":\"2\"},"
	"\"filters\":{\"filetypes\":[\"pdb\",\"pe\"],\"path_patterns\":[\"*\",\"[a-z]*\"]},"
	"\"layout\":{\"type\":\"symstore_index2\",\"casing\":\"lowercase\"},\"is_public\":true},"
	"{\"type\":\"s3\",\"id\":\"s\",\"bucket\":\"b\",\"region\":[\"a\",\"http://e\"]},"
	"{\"type\":\"gcs\",\"id\":\"g\",\"bucket\":\"b\",\"bearer_token\":\"t\"},"
	"{\"type\":\"filesystem\",\"id\":\"f\",\"path\":\"/x\"}]";

static int everything_at_once(void *payload, struct err *err)
{
	struct object_ids ids = crash_ids();
	struct location_list locations = { .count = 0 };
	struct source_list list;
	struct arena arena;
	const enum file_type types[] = { FILE_TYPE_PE, FILE_TYPE_BREAKPAD, FILE_TYPE_PDB };
	const struct source_query query = { .ids = &ids, .types = types, .type_count = 3 };
	int rc;

	arena_init(&arena, CEILING_BYTES);
	rc = source_list_parse(payload, SOURCE_OF_REQUEST, &sources_no_roots, &arena, &list, err);
	for (size_t i = 0; rc == 0 && i < list.count; i++)
		rc = source_locations(&list.sources[i], &query, &arena, &locations, err);
	arena_release(&arena);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	cJSON *array = cJSON_Parse(everything);

	ck_assert_ptr_nonnull(array);
	support_every_allocation_failure(everything_at_once, array, 1000);
	cJSON_Delete(array);
}
END_TEST

/* The fuzz target, whose corpus is run here as well. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void run_target(void *payload, const uint8_t *bytes, size_t size)
{
	(void)payload;
	LLVMFuzzerTestOneInput(bytes, size);
}

START_TEST(survives_every_byte_change)
{
	static const char *const corpus[] = { "http", "clouds", "filesystem" };
	struct file_map map = support_map(support_source(
		support_printf("tests/fuzz/corpus/source/%s.json", corpus[_i])));

	run_target(NULL, map.bytes, map.size);
	support_every_byte_change(map.bytes, map.size, run_target, NULL);
	file_unmap(&map);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("source");
	TCase *tcase = tcase_create("source");

	LOOP(shapes_are_taken_or_refused, shapes);
	tcase_add_test(tcase, too_many_sources_are_refused);
	tcase_add_test(tcase, globs_match_whole_names);
	LOOP(locations_have_their_addresses, addresses);
	tcase_add_test(tcase, names_cannot_leave_their_place);
	tcase_add_test(tcase, orders_carry_headers_and_checksum);
	tcase_add_test(tcase, the_operator_may_name_a_host);
	tcase_add_loop_test(tcase, everything_wrong_is_told, 0,
			    (int)(sizeof(checks) / sizeof(checks[0])));
	tcase_add_loop_test(tcase, the_operators_sources_may_have_proxies, 0,
			    (int)(sizeof(proxies) / sizeof(proxies[0])));
	tcase_add_test(tcase, the_operators_addresses_are_of_http);
	tcase_add_test(tcase, credentials_tell_sources_apart);
	LOOP(files_are_reached_or_refused, reaches);
	tcase_add_loop_test(tcase, build_ids_are_found_by_their_beginning, 0,
			    sizeof(build_ids) / sizeof(build_ids[0]));
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_loop_test(tcase, survives_every_byte_change, 0, 3);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

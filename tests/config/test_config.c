/* test_config -- the config file: every key, every refusal with file, line and key. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "config/config.h"
#include "config/keys.h"
#include "support/support.h"

struct notes { char warnings[4][400]; int warning_count; char meaningless[8][100]; int meaningless_count; char errors[8][200];
	unsigned error_count;
};

static const char *const written[] = {
	"test-config.yml", "test-config-a.yml", "test-config-b.yml", "test-config-bytes.yml",
};

static void take_note(void *payload, enum config_note_kind kind, const char *text)
{
	struct notes *notes = payload;

	if (kind == CONFIG_NOTE_WARNING && notes->warning_count < 4)
		snprintf(notes->warnings[notes->warning_count++], 400, "%s", text);
	if (kind == CONFIG_NOTE_ERROR && notes->error_count < 8)
		snprintf(notes->errors[notes->error_count++], 200, "%s", text);
	if (kind == CONFIG_NOTE_WITHOUT_MEANING && notes->meaningless_count < 8)
		snprintf(notes->meaningless[notes->meaningless_count++], 100, "%s", text);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static int load(struct config *config, const char *text, struct notes *notes, struct err *err)
{
	static const char path[] = "test-config.yml";
	const char *const paths[] = { path };

	write_file(path, text);
	return config_load(config, paths, 1, NULL, take_note, notes, err);
}

START_TEST(defaults_without_a_file)
{
	struct config config;
	struct err err = ERR_INIT;

	ck_assert_msg(config_load(&config, NULL, 0, "/s", NULL, NULL, &err) == 0, "%s", err.text);
	ck_assert_str_eq(config.state_dir, "/s");
	ck_assert_str_eq(config.cache_dir, "/s/cache");
	ck_assert_uint_eq(config.max_concurrent_requests, 200);
	ck_assert_uint_eq(config.symbolicate_body_max_bytes, 57671680);
	ck_assert_int_eq(config.downloaded.max_unused_seconds, 86400);
	ck_assert_int_eq(config.derived.max_unused_seconds, 7 * 86400);
	ck_assert_int_eq(config.max_download_timeout_millis, 300000);
	ck_assert_str_eq(config.sources_json, "[]");
	ck_assert_uint_eq(config.filesystem_root_count, 0);
	ck_assert_int_eq(config.connect_to_reserved_ips, 0);
	ck_assert_uint_eq(config.cell_memory_bytes, (uint64_t)4 << 30);
	config_release(&config);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

static const struct { const char *what, *text, *words; } refusals[] = {
	{ "an empty file", " \n", "config file empty" },
	{ "no YAML", "a: [", "failed to parse config YAML: test-config.yml:" },
	{ "a list at the top", "- a\n", "keys and values are expected here" },
	{ "a bad duration", "\nconnect_timeout: soon\n",
	  "test-config.yml:2: connect_timeout: `soon` is not a duration" },
	{ "a number out of range", "pool:\n  threads: 0\n", "test-config.yml:2: pool.threads: `0` is outside 1" },
	{ "a negative count", "max_concurrent_requests: -1\n", "`-1` is not a whole number" },
	{ "null where it means nothing", "pool:\n  threads: null\n", "null is not allowed here" },
	{ "neither true nor false", "connect_to_reserved_ips: 7\n", "`7` is neither true nor false" },
	{ "an unknown level", "logging: {level: loud}\n", "logging.level: `loud` is not a word it knows" },
	{ "an unknown key of ours", "workshop:\n  jops: 3\n",
	  "test-config.yml:2: workshop.jops: unknown key, did you mean `workshop.jobs`?" },
	{ "a section without keys", "pool: 3\n", "test-config.yml:1: pool: keys and values are expected here" },
	{ "a key given twice", "pool:\n  threads: 2\n  threads: 3\n",
	  "test-config.yml:3: pool.threads: line 2 says so already" },
	{ "a section given twice", "pool:\n  threads: 2\nbind: x\npool:\n  processes: 3\n",
	  "test-config.yml:4: pool: line 1 says so already" },
	{ "a key of a source given twice", "sources:\n- id: a\n  type: http\n  id: b\n",
	  "test-config.yml:4: sources: `id` stands in line 2 already" },
	{ "a list where one value belongs", "logging: {file: [1, 2]}\n", "one value is expected here" },
	{ "one value where a list belongs", "filesystem_source_roots: /x\n", "a list is expected here" },
	{ "no network", "reserved_ips_allowed: [10.0.0.0/33]\n", "is not a network" },
	{ "a variable that is not set", "logging: {file: \"${SYMGATE_TEST_NOT_SET}\"}\n", "the environment has no" },
	{ "two shared caches", "shared_cache: {filesystem: {path: /x}, gcs: {bucket: b}}\n",
	  "test-config.yml: shared_cache: only one of filesystem, gcs and s3 can be used" },
	{ "a shared cache in no bucket", "shared_cache:\n  gcs:\n    service_account_path: /x\n",
	  "test-config.yml: shared_cache.gcs.bucket is missing" },
	{ "a shared cache in no region", "shared_cache: {s3: {bucket: b}}\n",
	  "shared_cache.s3.region is missing" },
	{ "no uploads at once", "shared_cache:\n  max_concurrent_uploads: 0\n",
	  "test-config.yml:2: shared_cache.max_concurrent_uploads: `0` is outside 1" },
	{ "a size without sense", "caches: {quota: 10XB}\n", "`10XB` is not a size" },
	{ "a way to send files", "front: {sendfile: maybe}\n", "`maybe` is not none, x-sendfile or" },
	{ "no list of transcoders", "wpa: {transcoders: 3}\n", "a list is expected here" },
	{ "a transcoder without a version", "wpa: {transcoders: [{command: [/bin/true]}]}\n",
	  "a transcoder has a version of 3.0.0 or more" },
	{ "a transcoder without a path", "wpa: {transcoders: [{version: 3.1.0, command: [true]}]}\n",
	  "the program's absolute path" },
	{ "a transcoder's odd key", "wpa: {transcoders: [{version: 3.1.0, comand: [/bin/true]}]}\n",
	  "a transcoder has no `comand`" },
	{ "a transcoder's odd version", "wpa: {transcoders: [{version: 3.1, command: [/bin/true]}]}\n",
	  "`3.1` is no version" },
	{ "two transcoders of one major version", "wpa: {transcoders: [{version: 3.1.0, command: [/a]}, "
	  "{version: 3.2.0, command: [/b]}]}\n", "two transcoders of major version 3" },
	{ "an earlier version that is later", "wpa: {transcoders: [{version: 3.1.0, earlier: [3.2.0], "
	  "command: [/a]}]}\n", "earlier versions are below the version" },
	{ "a transcoder that takes for ever", "wpa: {transcoders: [{version: 3.1.0, timeout: 2d, command: [/a]}]}\n",
	  "`2d` is not a duration up to a day" },
	{ "an empty scope", "web: {scope: \"\"}\n", "test-config.yml:1: web.scope: an empty scope" },
	{ "no scope", "web: {scope: null}\n", "web.scope: null is no scope" },
	{ "a scope of two lines", "web: {scope: \"a\\nb\"}\n", "a scope with control characters" },
	{ "scopes", "web: {scope: [a]}\n", "web.scope: one value is expected here" },
	{ "people without scopes", "web: {people: [anna]}\n", "names and their scopes are expected here" },
	{ "somebody without a scope", "web:\n  people:\n    anna: \"\"\n",
	  "test-config.yml:3: web.people: anna: an empty scope" },
	{ "somebody twice", "web:\n  people:\n    anna: a\n    bert: b\n    anna: c\n",
	  "test-config.yml:5: web.people: `anna` stands in line 3 already" },
	{ "nobody's name", "web: {people: {\"\": a}}\n", "an empty name" },
	{ "operators without a list", "web: {operators: root}\n", "a list is expected here" },
	{ "an operator twice", "web:\n  operators:\n  - root\n  - anna\n  - root\n",
	  "test-config.yml:5: web.operators: `root` stands in line 3 already" },
	{ "an operator without a name", "web: {operators: [root, ~]}\n", "item 2: null is no name" },
	{ "a key of the page's that is none", "web: {keeps: 1d}\n", "did you mean `web.keep`?" },
	{ "a page that keeps nothing", "web: {keep: 0s}\n", "web.keep: `0s` is outside 1" },
};

START_TEST(refuses_with_words)
{
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	ck_assert_msg(load(&config, refusals[_i].text, &notes, &err) < 0, "%s", refusals[_i].what);
	ck_assert_msg(strstr(err.text, refusals[_i].words) != NULL, "%s: %s", refusals[_i].what, err.text);
	ck_assert_msg(strstr(err.text, "failed loading config") == err.text, "%s", err.text);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

START_TEST(reads_what_the_reference_reads)
{
	static const char text[] =
		"cache_dir: null\nmax_concurrent_requests: null\nconnect_to_reserved_ips: true\n"
		"caches:\n  downloaded:\n    max_unused_for: null\n    retry_misses_after: 500ms\n"
		"  in_memory:\n    sentry_index_ttl: 2h\n    gcs_token_capacity: 5\nmetrics:\n  statsd: x:1\n"
		"logging:\n  level: \"debug\"\n  format: json\nmax_download_timeout: \"200ms\"\n"
		"streaming_timout: 3s\nlimits:\n";
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	ck_assert_msg(load(&config, text, &notes, &err) == 0, "%s", err.text);
	ck_assert(config.cache_is_of_boot);
	ck_assert_uint_eq(config.max_concurrent_requests, CONFIG_UNLIMITED);
	ck_assert_int_eq(config.downloaded.max_unused_seconds, CONFIG_NEVER);
	ck_assert_int_eq(config.downloaded.retry_misses_seconds, 1);
	ck_assert_int_eq(config.max_download_timeout_millis, 200);
	ck_assert_int_eq(config.log_level, LOG_DEBUG);
	ck_assert_int_eq(config.log_format, LOG_JSON);
	ck_assert_int_eq(notes.meaningless_count, 2);
	ck_assert_str_eq(notes.meaningless[0], "caches.in_memory.gcs_token_capacity");
	ck_assert_int_eq(config.sentry_index_seconds, 7200);
	ck_assert_int_eq(notes.warning_count, 1);
	ck_assert_msg(strstr(notes.warnings[0], "did you mean `streaming_timeout`?") != NULL, "%s",
		      notes.warnings[0]);
	config_release(&config);
}
END_TEST

START_TEST(sources_become_json)
{
	static const char text[] =
		"sources:\n- id: a\n  type: http\n  url: ${SYMGATE_TEST_URL}\n  is_public: true\n"
		"  headers: {X-A: \"1\", n: 12, z: 007x, none: ~, \"a\\\"\\\\\": x}\n";
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	setenv("SYMGATE_TEST_URL", "http://h/\"q", 1);
	ck_assert_msg(load(&config, text, &notes, &err) == 0, "%s", err.text);
	ck_assert_str_eq(config.sources_json,
			 "[{\"id\":\"a\",\"type\":\"http\",\"url\":\"http://h/\\\"q\",\"is_public\":true,"
			 "\"headers\":{\"X-A\":\"1\",\"n\":12,\"z\":\"007x\",\"none\":null,\"a\\\"\\\\\":\"x\"}}]");
	config_release(&config);
}
END_TEST

/* Every error, each with its line. */
START_TEST(all_errors_are_told)
{
	static const char path[] = "test-config.yml";
	static const struct { const char *text; unsigned times; } told[] = {
		{ "test-config.yml:2: pool.threads: `0` is outside", 1 },
		{ "test-config.yml:3: pool.thread: unknown key", 1 },
		{ "test-config.yml:4: connect_timeout: `soon` is not", 1 },
		{ "test-config.yml:7: filesystem_source_roots: item 2: one value", 1 },
		{ "test-config.yml:12: sources: headers: X: the environment has no", 1 },
	};
	const char *const paths[] = { path };
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;
	unsigned errors;

	write_file(path, "pool:\n  threads: 0\n  thread: 1\nconnect_timeout: soon\n"
			 "filesystem_source_roots:\n- /a\n- [b]\nhead_timeout: 7s\n"
			 "sources:\n- id: a\n  headers:\n    X: ${SYMGATE_TEST_NOT_SET}\n");
	ck_assert_int_eq(config_survey(&config, paths, 1, NULL, take_note, &notes, &errors, &err), 0);
	ck_assert_uint_eq(errors, sizeof(told) / sizeof(told[0]));
	ck_assert_uint_eq(notes.error_count, errors);
	for (size_t i = 0; i < errors; i++)
		ck_assert_msg(strstr(notes.errors[i], told[i].text) == notes.errors[i], "%s",
			      notes.errors[i]);
	ck_assert_msg(strstr(err.text, told[0].text) != NULL, "%s", err.text);
	ck_assert_int_eq(config.head_timeout_millis, 7000);
	config_release(&config);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

START_TEST(members_of_sources_have_lines)
{
	static const struct { const char *place; size_t line; } places[] = {
		{ "sources", 2 }, { "sources[0]", 2 }, { "sources[0].id", 2 }, { "sources[0].nothing", 2 },
		{ "sources[1]", 3 }, { "sources[1].type", 4 }, { "sources[1].filters", 5 },
		{ "sources[1].filters.filetypes[0]", 7 }, { "sources[1].filters.filetypes[1]", 8 },
		{ "sources[1].filters.filetypes[7]", 6 }, { "sources[10].type", 2 }, { "", 1 },
	};
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	ck_assert_msg(load(&config, "sources:\n- {id: a, type: http}\n- id: b\n  type: http\n  filters:\n"
			   "    filetypes:\n    - pdb\n    - pe\n", &notes, &err) == 0, "%s", err.text);
	ck_assert_str_eq(config_source_file(&config), "test-config.yml");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		ck_assert_msg(config_source_line(&config, text_of(places[i].place)) == places[i].line,
			      "%s: %zu", places[i].place,
			      config_source_line(&config, text_of(places[i].place)));
	config_release(&config);
}
END_TEST

START_TEST(shared_caches)
{
	static const char text[] =
		"shared_cache:\n  max_upload_queue_size: 7\n  filesystem:\n"
		"  s3: {bucket: b, region: r, access_key: k, secret_key: \"${SYMGATE_TEST_KEY}\"}\n";
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	setenv("SYMGATE_TEST_KEY", "s", 1);
	ck_assert_msg(load(&config, "shared_cache: null\n", &notes, &err) == 0, "%s", err.text);
	ck_assert(!config_has_shared_cache(&config));
	ck_assert_uint_eq(config.shared.max_queued, 400);
	ck_assert_uint_eq(config.shared.max_uploads, 20);
	config_release(&config);
	ck_assert_msg(load(&config, text, &notes, &err) == 0, "%s", err.text);
	ck_assert(config_has_shared_cache(&config));
	ck_assert_uint_eq(config.shared.max_queued, 7);
	ck_assert_str_eq(config.shared.s3.secret_key, "s");
	ck_assert_ptr_null(config.shared.folder);
	ck_assert_int_eq(notes.warning_count + notes.meaningless_count, 0);
	config_release(&config);
}
END_TEST

START_TEST(later_files_override)
{
	const char *const paths[] = { "test-config-a.yml", "test-config-b.yml" };
	struct config config;
	struct err err = ERR_INIT;

	write_file(paths[0], "connect_to_reserved_ips: true\nfilesystem_source_roots: [\"/\"]\n");
	write_file(paths[1], "connect_to_reserved_ips: false\n");
	ck_assert_msg(config_load(&config, paths, 2, NULL, NULL, NULL, &err) == 0, "%s", err.text);
	ck_assert(!config.connect_to_reserved_ips);
	ck_assert_uint_eq(config.filesystem_root_count, 1);
	ck_assert_str_eq(config.filesystem_roots[0], "/");
	config_release(&config);
}
END_TEST

START_TEST(reads_networks)
{
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	ck_assert_msg(load(&config, "reserved_ips_allowed: [10.1.0.0/16, \"fd00::/8\", 127.0.0.1]\n",
			   &notes, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(config.allowed_network_count, 3);
	ck_assert_uint_eq(config.allowed_networks[0].prefix_bits, 16);
	ck_assert(config.allowed_networks[1].is_v6);
	ck_assert_uint_eq(config.allowed_networks[2].prefix_bits, 32);
	config_release(&config);
}
END_TEST

START_TEST(who_asks_by_the_page)
{
	struct config config;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;

	ck_assert_int_eq(config_load(&config, NULL, 0, NULL, NULL, NULL, &err), 0);
	ck_assert(config.web_enabled);
	ck_assert_int_eq(config.web_keep_seconds, 86400);
	ck_assert_uint_eq(config.web_keep_bytes, 1000000000);
	ck_assert_str_eq(config.web_scope, "page");
	ck_assert_uint_eq(config.web_person_count + config.web_operator_count, 0);
	ck_assert(!config_is_operator(&config, TEXT("")));
	config_release(&config);
	ck_assert_msg(load(&config, "web: {enabled: false, scope: p, operators: [root, anna],\n"
			   "  people: {bert: team-b, Carla: \"team c\"}}\n", &notes, &err) == 0, "%s", err.text);
	ck_assert(!config.web_enabled);
	ck_assert_str_eq(config.web_scope, "p");
	ck_assert(config_is_operator(&config, TEXT("anna")));
	ck_assert(!config_is_operator(&config, TEXT("Anna")));
	ck_assert(!config_is_operator(&config, TEXT_NONE));
	ck_assert(!config_is_operator(&config, TEXT("bert")));
	ck_assert_str_eq(config_scope_of_person(&config, TEXT("Carla")), "team c");
	ck_assert_ptr_null(config_scope_of_person(&config, TEXT("carla")));
	ck_assert_ptr_null(config_scope_of_person(&config, TEXT("anna")));
	config_release(&config);
	ck_assert_int_eq(mem_live, 0);
}
END_TEST

/* deploy/example.yml is what the table prints, and can be read back without a note. */
START_TEST(the_example_tells_every_key)
{
	struct config config, again;
	struct notes notes = { 0 };
	struct err err = ERR_INIT;
	struct buf printed, shipped;

	buf_init(&printed, 1 << 20);
	buf_init(&shipped, 1 << 20);
	ck_assert_int_eq(config_load(&config, NULL, 0, NULL, NULL, NULL, &err), 0);
	ck_assert_int_eq(config_print(&config, &printed, &err), 0);
	ck_assert_msg(file_read_all(support_source("deploy/example.yml"), 1 << 20, &shipped, &err) == 0,
		      "%s", err.text);
	ck_assert_str_eq(buf_string(&shipped), buf_string(&printed));
	ck_assert_msg(load(&again, buf_string(&printed), &notes, &err) == 0, "%s", err.text);
	ck_assert_int_eq(notes.warning_count + notes.meaningless_count, 0);
	ck_assert_int_eq(again.derived.max_unused_seconds, config.derived.max_unused_seconds);
	ck_assert_uint_eq(again.cell_memory_bytes, config.cell_memory_bytes);
	config_release(&config);
	config_release(&again);
	buf_release(&printed);
	buf_release(&shipped);
}
END_TEST

static int load_for_torment(void *payload, struct err *err)
{
	const char *const paths[] = { payload };
	struct config config;

	if (config_load(&config, paths, 1, NULL, NULL, NULL, err) < 0)
		return -1;
	config_release(&config);
	return 0;
}

START_TEST(survives_every_allocation_failure)
{
	write_file("test-config.yml", "sources: [{id: a, type: http, url: u}]\nlogging: {file: log}\n"
		   "web: {people: {anna: a}, operators: [anna]}\n");
	support_every_allocation_failure(load_for_torment, (void *)(uintptr_t)"test-config.yml", 100);
}
END_TEST

static void load_bytes(void *payload, const uint8_t *bytes, size_t size)
{
	const char *const paths[] = { "test-config-bytes.yml" };
	struct config config;
	struct err err = ERR_INIT;
	FILE *file = fopen(paths[0], "w");

	(void)payload;
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
	if (config_load(&config, paths, 1, NULL, NULL, NULL, &err) == 0)
		config_release(&config);
	else
		ck_assert(err.text[0] != '\0');
}

START_TEST(survives_every_byte_change)
{
	static const char text[] =
		"sources:\n- {id: a, type: http, url: &u x, headers: {a: *u}}\nlogging: {file: \"${HOME}\"}\n"
		"pool: {threads: 3, max_wait: 1h 30m}\nreserved_ips_allowed: [fd00::/8]\n"
		"web: {scope: s, people: {a: b, c: d}, operators: [a, b]}\n";

	support_every_byte_change((const uint8_t *)text, sizeof(text) - 1, load_bytes, NULL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("config");
	TCase *tcase = tcase_create("config");
	char folder[] = "/tmp/symgate-config-XXXXXX";
	int rc;

	/* Messages name the file as it was given: by a short name, in a folder of its own. */
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return EXIT_FAILURE;
	tcase_add_test(tcase, defaults_without_a_file);
	tcase_add_loop_test(tcase, refuses_with_words, 0, (int)(sizeof(refusals) / sizeof(refusals[0])));
	tcase_add_test(tcase, reads_what_the_reference_reads);
	tcase_add_test(tcase, sources_become_json);
	tcase_add_test(tcase, later_files_override);
	tcase_add_test(tcase, all_errors_are_told);
	tcase_add_test(tcase, members_of_sources_have_lines);
	tcase_add_test(tcase, shared_caches);
	tcase_add_test(tcase, reads_networks);
	tcase_add_test(tcase, who_asks_by_the_page);
	tcase_add_test(tcase, the_example_tells_every_key);
	tcase_add_test(tcase, survives_every_allocation_failure);
	tcase_add_test(tcase, survives_every_byte_change);
	suite_add_tcase(suite, tcase);
	rc = support_main(suite);
	for (size_t i = 0; i < sizeof(written) / sizeof(written[0]); i++)
		(void)unlink(written[i]);
	(void)rmdir(folder);
	return rc;
}

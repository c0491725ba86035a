/* test_fetch -- downloads from a server with every bad habit (server.py). */
#include "fetch/harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "base/clock.h"
#include "base/mem.h"

static void check_pattern(const struct outcome *outcome, size_t size)
{
	char *body = body_of(outcome);
	size_t same = 0;

	ck_assert_msg(outcome->status.kind == ERR_NONE, "%s", outcome->status.text);
	ck_assert_uint_eq(outcome->bytes, size);
	while (same < size && (uint8_t)body[same] == same % 65536 * 7 % 251)
		same++;
	ck_assert_uint_eq(same, size);
}

static const struct {
	const char *what, *path;
	enum err_kind kind;
	const char *text;            /* NULL: do not care */
	int hits;
} answers[] = {
	{ "200",          "body/10",         ERR_NONE,      "", 1 },
	{ "empty",        "body/0",          ERR_NONE,      "", 1 },
	{ "401",          "status/401",      ERR_DENIED,    "401 Unauthorized", 1 },
	{ "403",          "status/403",      ERR_DENIED,    "403 Forbidden", 1 },
	{ "404",          "status/404",      ERR_NOT_FOUND, NULL, 1 },
	{ "429",          "status/429",      ERR_NOT_FOUND, NULL, 1 },
	{ "500",          "status/500",      ERR_DOWNLOAD,  "500 Internal Server Error", 3 },
	{ "599",          "status/599",      ERR_DOWNLOAD,  "599 <unknown status code>", 3 },
	{ "302 to nowhere", "status/302",    ERR_DENIED,    "Potential login page detected", 1 },
	{ "301 to nowhere", "status/301",    ERR_DOWNLOAD,  "301 Moved Permanently", 3 },
	{ "two failures, then well", "flaky/a", ERR_NONE,   "", 3 },
	{ "short body",   "short",           ERR_DOWNLOAD,  NULL, 3 },
	{ "no answer",    "hang-up",         ERR_DOWNLOAD,  "Empty reply from server", 3 },
	{ "no HTTP",      "garbage",         ERR_DOWNLOAD,  NULL, 3 },
	{ "endless body", "endless/200",     ERR_MALFORMED, "Maximum file size exceeded", 1 },
	{ "endless 404",  "endless/404",     ERR_NOT_FOUND, NULL, 1 },
	{ "dripping 404", "drip-404",        ERR_NOT_FOUND, NULL, 1 },
	{ "too long",     "body/11000000",   ERR_MALFORMED, "Maximum file size exceeded", 1 },
	{ "too long in parts", "range/11000000?most=1000", ERR_MALFORMED, "Maximum file size exceeded", 1 },
	{ "bomb",         "bomb",            ERR_MALFORMED, "Maximum file size exceeded", 1 },
	{ "endless head", "endless-head",    ERR_DOWNLOAD,  "the head of the answer is too long", 3 },
	{ "few redirects", "redirect/9",     ERR_NONE,      "", 1 },
	{ "many redirects", "redirect/10",   ERR_DOWNLOAD,  "too many redirects", 1 },
	{ "redirect to a file", "to?url=file:///etc/passwd", ERR_DOWNLOAD,
	  "invalid redirect: Unsupported URL scheme", 1 },
	{ "416",          "range-416",       ERR_NONE,      "", 2 },
	{ "no range after all", "range-whole-then-none?most=100", ERR_DOWNLOAD,
	  "the server does not send the rest of the file", 6 },
	{ "another range", "range-wrong?most=100", ERR_DOWNLOAD,
	  "the server sends another range than was asked for", 6 },
};

START_TEST(answers_mean_what_they_say)
{
	struct config config = plain_config();
	struct outcome outcome =
		fetch_one(&config, (struct fetch_order){ .url = at("%s", answers[_i].path) });
	char *path = support_printf("%s", answers[_i].path);

	check(&outcome, answers[_i].what, answers[_i].kind, answers[_i].text);
	path[strcspn(path, "?")] = '\0';
	ck_assert_msg(hits(path) == answers[_i].hits, "%s: %d hits", answers[_i].what, hits(path));
}
END_TEST

static const struct { const char *what, *path; size_t size; } bodies[] = {
	{ "plain",                      "body/100000", 100000 },
	{ "all in one range",           "range/100000", 100000 },
	{ "one rest",                   "range/100000?most=99999", 100000 },
	{ "one byte",                   "range/1", 1 },
	{ "nothing, asked as a range",  "range-odd?range=bytes%200-0/0", 100 },
	{ "four parts",                 "range/4000003", 4000003 },
	{ "encoded, in parts",          "gzip-range/3000000?most=2000", 3000000 },
	{ "little by little",           "range/20000?most=1999", 20000 },
	{ "encoded, one range",         "gzip-range/30000", 30000 },
	{ "416",                        "range-416", 5000 },
	{ "not a range we can use: unit", "range-odd?range=lines%200-99/5000", 5000 },
	{ "size unknown",               "range-odd?range=bytes%200-99/*", 5000 },
	{ "no range",                   "range-odd?range=bytes%20*/5000", 5000 },
	{ "range backwards",            "range-odd?range=bytes%2099-0/5000", 5000 },
	{ "range past the end",         "range-odd?range=bytes%200-99/50", 5000 },
	{ "range huge",                 "range-odd?range=bytes%200-99999999999999999999/5000", 5000 },
	{ "range nonsense",             "range-odd?range=x", 5000 },
	{ "another beginning",          "range-odd?range=bytes%205-104/5000", 5000 },
};

START_TEST(bodies_arrive_whole)
{
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome outcome;

	fetcher->part_bytes = 500000;
	outcome = fetch_with(fetcher, (struct fetch_order){ .url = at("%s", bodies[_i].path) });
	fetcher_close(fetcher);
	check_pattern(&outcome, bodies[_i].size);
}
END_TEST

/* "hello" */
#define HELLO_GZIP "1f8b0800000000000203cb48cdc9c9070086a6103605000000"
#define HELLO_ZLIB "789ccb48cdc9c90700062c0215"
#define HELLO_BROTLI "0b028068656c6c6f03"
/* BrotliEncoderCompress() of 100 MiB of zeros, quality 11 */
#define BOMB_BROTLI \
	"cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f01" \
	"10870500baf77ffcffff837f02200e0b0074effff8ffff07ff04401c1600e8defff1ffff0ffe0980382c00d0bdff" \
	"e3ffff1ffc1300715800a07bffc7ffff3ff82700e2b00040f7fe8fffff7ff04f00c4610180eefd1fffffffe09f00" \
	"88c30200ddfb3ffeffffc13f0110870500baf77ff9ffff837f02200e0b0074ef7f00"

static const struct {
	const char *what, *encoding, *bytes;
	enum err_kind kind;
	const char *text;            /* the body when ERR_NONE */
} encodings[] = {
	{ "identity", "Content-Encoding:%20identity", "68656c6c6f", ERR_NONE, "hello" },
	{ "gzip",     "Content-Encoding:%20gzip", HELLO_GZIP, ERR_NONE, "hello" },
	{ "x-gzip",   "Content-Encoding:%20X-GZIP", HELLO_GZIP, ERR_NONE, "hello" },
	{ "two members", "Content-Encoding:%20gzip", HELLO_GZIP HELLO_GZIP, ERR_NONE, "hellohello" },
	{ "deflate",  "Content-Encoding:%20deflate", HELLO_ZLIB, ERR_NONE, "hello" },
	{ "zstd",     "Content-Encoding:%20zstd", NULL, ERR_NONE, "hello" },
	{ "gzip of nothing", "Content-Encoding:%20gzip", "", ERR_NONE, "" },
	{ "cut short", "Content-Encoding:%20deflate", "789ccb48cd", ERR_DOWNLOAD,
	  "the encoded body ends early" },
	{ "no gzip",  "Content-Encoding:%20gzip", "68656c6c6f68656c6c6f", ERR_DOWNLOAD,
	  "invalid gzip data: incorrect header check" },
	{ "more after the end", "Content-Encoding:%20deflate", HELLO_ZLIB "00", ERR_DOWNLOAD,
	  "data after the end of the deflate stream" },
	{ "no zstd",  "Content-Encoding:%20zstd", "68656c6c6f68656c6c6f", ERR_DOWNLOAD, NULL },
	{ "unknown",  "Content-Encoding:%20compress", "00", ERR_DOWNLOAD, "Unsupported content encoding" },
	{ "br",       "Content-Encoding:%20br", HELLO_BROTLI, ERR_NONE, "hello" },
	{ "br of nothing", "Content-Encoding:%20br", "", ERR_NONE, "" },
	{ "br cut short", "Content-Encoding:%20br", "0b028068", ERR_DOWNLOAD, "the encoded body ends early" },
	{ "more after br", "Content-Encoding:%20br", HELLO_BROTLI "00", ERR_DOWNLOAD,
	  "data after the end of the br stream" },
	{ "no br",    "Content-Encoding:%20br", "ffffffffffffffff", ERR_DOWNLOAD, NULL },
	{ "br of a window over 16 MiB", "Content-Encoding:%20br", "11620b028068656c6c6f03", ERR_DOWNLOAD,
	  NULL },
	{ "100 MiB of zeros", "Content-Encoding:%20br", BOMB_BROTLI, ERR_MALFORMED,
	  "Maximum file size exceeded" },
	{ "two",      "Content-Encoding:%20gzip|Content-Encoding:%20gzip", "00", ERR_DOWNLOAD,
	  "Multiple content encodings not supported" },
};

START_TEST(encodings_are_taken_off)
{
	struct config config = plain_config();
	struct outcome outcome;
	uint8_t packed[64];
	char hex[130] = "", *body;
	size_t size = ZSTD_compress(packed, sizeof(packed), "hello", 5, 3);

	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", packed[i]);
	outcome = fetch_one(&config, (struct fetch_order){
		.url = at("hex?bytes=%s&header=%s", encodings[_i].bytes ? encodings[_i].bytes : hex,
			  encodings[_i].encoding) });
	ck_assert_msg(outcome.status.kind == encodings[_i].kind, "%s: %s", encodings[_i].what,
		      outcome.status.text);
	body = body_of(&outcome);
	if (encodings[_i].kind == ERR_NONE)
		ck_assert_str_eq(body, encodings[_i].text);
	else if (encodings[_i].text)
		ck_assert_str_eq(outcome.status.text, encodings[_i].text);
}
END_TEST

/* Repeats the body that came with a failure. */
static void judge_all(unsigned status, struct text body, struct err *err)
{
	err_set(err, status == 500 ? ERR_DOWNLOAD : ERR_DENIED, "%u %.*s", status, (int)body.size,
		body.bytes);
}

static const struct {
	const char *what, *path, *method, *body;
	bool is_judged;
	enum err_kind kind;
	const char *text;            /* of the failure, or what lies in the file */
	int hits;
} errands[] = {
	{ "a form", "echo/a", "POST", "x=1", false, ERR_NONE,
	  "POST application/x-www-form-urlencoded|x=1", 1 },
	{ "nothing to send", "echo/b", "PUT", "", false, ERR_NONE,
	  "PUT application/x-www-form-urlencoded|", 1 },
	{ "a failure", "echo/c?status=403", "POST", "y", false, ERR_DENIED, "403 Forbidden", 1 },
	{ "a judged failure", "echo/d?status=404", "POST", "y", true, ERR_DENIED,
	  "404 POST application/x-www-form-urlencoded|y", 1 },
	{ "judged and tried again", "echo/e?status=500", NULL, "", true, ERR_DOWNLOAD, "500 GET -|", 3 },
	{ "no judge of successes", "echo/f", NULL, "", true, ERR_NONE, "GET -|", 1 },
	{ "redirects are not for forms", "echo/g?status=307", "POST", "y", false, ERR_DOWNLOAD,
	  "307 Temporary Redirect", 3 },
	{ "an endless failure", "endless/404", NULL, "", true, ERR_DENIED, NULL, 1 },
	{ "a dripping failure", "drip-404", NULL, "", true, ERR_DENIED, NULL, 1 },
};

START_TEST(errands_are_carried_out)
{
	struct config config = plain_config();
	struct fetch_order order = {
		.url = at("%s", errands[_i].path), .method = errands[_i].method,
		.body = text_of(errands[_i].body), .judge = errands[_i].is_judged ? judge_all : NULL,
		.is_whole = true,
	};
	char *path = support_printf("%s", errands[_i].path);
	int before;
	struct outcome outcome;

	path[strcspn(path, "?")] = '\0';
	before = hits(path);
	outcome = fetch_one(&config, order);
	check(&outcome, errands[_i].what, errands[_i].kind,
	      errands[_i].kind == ERR_NONE ? "" : errands[_i].text);
	if (errands[_i].kind == ERR_NONE)
		ck_assert_str_eq(body_of(&outcome), errands[_i].text);
	ck_assert_int_eq(hits(path) - before, errands[_i].hits);
}
END_TEST

#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"

static const struct {
	const char *what, *path, *etag, *modified;   /* of what is known */
	const char *body;            /* NULL: it is unchanged */
	const char *new_etag;
} versions[] = {
	{ "nothing is known", "version/2", "", "", "version 2 asked - -", "\"2\"" },
	{ "the same", "version/2", "\"2\"", DATE, NULL, "\"2\"" },
	{ "another", "version/2", "\"1\"", DATE, "version 2 asked \"1\" " DATE, "\"2\"" },
	{ "by its date alone", "version/2?header=Last-Modified:+" "Sun,+06+Nov+1994+08:49:37+GMT", "", DATE, NULL, "" },
	{ "a weak one", "version/2?header=ETag:+W/%222%22", "W/\"2\"", "", NULL, "W/\"2\"" },
	{ "in parts", "version/2?most=5", "\"1\"", "", "version 2", "\"2\"" },
	{ "where redirects lead nothing is known", "to?url=/version/2", "\"2\"", DATE, "version 2 asked - -", "" },
	{ "not to be kept", "version/2?header=ETag:+%222%22%7CCache-Control:+no-store", "", "", "version 2 asked - -", "" },
};

START_TEST(what_is_known_is_not_sent_again)
{
	struct config config = plain_config();
	struct fetch_order order = { .url = at("%s", versions[_i].path) };
	struct outcome outcome;

	snprintf(order.known.etag, sizeof(order.known.etag), "%s", versions[_i].etag);
	snprintf(order.known.modified, sizeof(order.known.modified), "%s", versions[_i].modified);
	outcome = fetch_one(&config, order);
	check(&outcome, versions[_i].what, ERR_NONE, "");
	ck_assert_msg(outcome.is_unchanged == !versions[_i].body, "%s", versions[_i].what);
	if (versions[_i].body)
		ck_assert_msg(strcmp(body_of(&outcome), versions[_i].body) == 0, "%s: %s", versions[_i].what,
			      body_of(&outcome));
	else
		ck_assert_uint_eq(outcome.bytes, 0);
	ck_assert_msg(strcmp(outcome.validators.etag, versions[_i].new_etag) == 0, "%s: %s", versions[_i].what,
		      outcome.validators.etag);
}
END_TEST

START_TEST(nobody_asked_whether_it_has_changed)
{
	static const struct fetch_header header = { { "If-None-Match", 13 }, { "\"2\"", 3 } };
	struct fetch_order order = { .url = at("version/2?always"), .is_once = true };
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, order);

	check(&outcome, "unasked", ERR_DOWNLOAD, "304 Not Modified");
	order.headers = &header;
	order.header_count = 1;
	order.known = (struct fetch_validators){ .etag = "\"2\"" };
	outcome = fetch_one(&config, order);
	check(&outcome, "asked by the request itself", ERR_DOWNLOAD, "304 Not Modified");
	ck_assert(!outcome.is_unchanged);
}
END_TEST

static int file_of(size_t size)
{
	int fd = memfd_create("sent", MFD_CLOEXEC);
	uint8_t *bytes = support_keep(mem_get(size + 1));

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % 65536 * 7 % 251);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

static const struct {
	const char *what, *method;
	bool compressed;
	uint64_t size, missing;      /* bytes the file is shorter than was said */
	enum err_kind kind;
	const char *answer;          /* how it came: the method and the length said beforehand */
} files[] = {
	{ "as it is", "PUT", false, 300000, 0, ERR_NONE, "PUT 300000" },
	{ "large, with a question first", "PUT", false, 3000000, 0, ERR_NONE, "PUT 3000000" },
	{ "compressed", "POST", true, 3000000, 0, ERR_NONE, "POST chunked" },
	{ "nothing", "PUT", false, 0, 0, ERR_NONE, "PUT 0" },
	{ "nothing, compressed", "POST", true, 0, 0, ERR_NONE, "POST chunked" },
	{ "cut short", "PUT", false, 300000, 1, ERR_IO, "a file to be sent was cut short" },
	{ "cut short, compressed", "POST", true, 300000, 1, ERR_IO, "a file to be sent was cut short" },
};

START_TEST(files_are_sent)
{
	struct config config = plain_config();
	struct fetch_file file = { .fd = file_of(files[_i].size - files[_i].missing),
				   .bytes = files[_i].size, .compressed = files[_i].compressed };
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
			.url = at("sent"), .method = files[_i].method, .file = &file,
			.is_whole = true });
	size_t head = strlen(files[_i].answer) + 1, size;
	uint8_t *plain = support_keep(mem_get(files[_i].size + 1));
	char *body;

	check(&outcome, files[_i].what, files[_i].kind, files[_i].kind ? files[_i].answer : "");
	close(file.fd);
	if (files[_i].kind)
		return;
	body = body_of(&outcome);
	ck_assert_msg(strncmp(body, files[_i].answer, head - 1) == 0, "%.40s", body);
	size = (size_t)outcome.bytes - head;
	if (files[_i].compressed)
		size = ZSTD_decompress(plain, files[_i].size, body + head, size);
	else
		memcpy(plain, body + head, size);
	ck_assert_uint_eq(size, files[_i].size);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq(plain[i], i % 65536 * 7 % 251);
}
END_TEST

START_TEST(heads_have_no_body)
{
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
			.url = at("sent"), .method = "HEAD", .is_whole = true });

	check(&outcome, "head", ERR_NONE, "");
	ck_assert_uint_eq(outcome.bytes, 0);
	outcome = fetch_one(&config, (struct fetch_order){
			.url = at("sent?status=404"), .method = "HEAD", .is_whole = true });
	check(&outcome, "head of nothing", ERR_NOT_FOUND, NULL);
}
END_TEST

START_TEST(an_order_may_have_its_own_patience)
{
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
			.url = at("silent"), .head_millis = 200, .is_once = true });

	check(&outcome, "silent", ERR_TIMEOUT, "200ms");
	outcome = fetch_one(&config, (struct fetch_order){
			.url = at("status/507"), .is_once = true });
	check(&outcome, "once", ERR_DOWNLOAD, NULL);
	ck_assert_int_eq(hits("status/507"), 1);
}
END_TEST

START_TEST(whole_ones_ask_for_no_range)
{
	struct config config = plain_config();
	struct outcome plain = fetch_one(&config, (struct fetch_order){ .url = at("headers") });
	struct outcome whole = fetch_one(&config, (struct fetch_order){ .url = at("headers"),
									.is_whole = true });

	ck_assert(strstr(body_of(&plain), "Range: ") != NULL);
	ck_assert(strstr(body_of(&whole), "Range: ") == NULL);
}
END_TEST

START_TEST(an_order_may_have_its_own_time)
{
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
			.url = at("silent"), .total_millis = 300 });

	check(&outcome, "silent", ERR_TIMEOUT, "300ms");
}
END_TEST

START_TEST(headers_go_to_their_host_only)
{
	const struct fetch_header headers[] = {
		{ TEXT("X-Key"), TEXT("secret") }, { TEXT("Authorization"), TEXT("Bearer secret") },
		{ TEXT("X-Empty"), TEXT("") }, { TEXT("Transfer-Encoding"), TEXT("chunked") },
	};
	struct config config = plain_config();
	struct fetch_order order = { .headers = headers, .header_count = 4 };
	struct outcome outcome;
	char *body;

	order.url = at("headers");
	outcome = fetch_one(&config, order);
	body = body_of(&outcome);
	ck_assert_ptr_nonnull(strstr(body, "X-Key: secret"));
	ck_assert_ptr_nonnull(strstr(body, "Authorization: Bearer secret"));
	ck_assert_ptr_nonnull(strstr(body, "X-Empty:"));
	ck_assert_ptr_nonnull(strstr(body, "User-Agent: symgate/"));
	ck_assert_ptr_nonnull(strstr(body, "Accept-Encoding: br, deflate, gzip, zstd"));
	ck_assert_ptr_nonnull(strstr(body, "Range: bytes=0-134217727"));
	ck_assert_ptr_null(strstr(body, "chunked"));
	order.url = at("to?url=/headers");
	outcome = fetch_one(&config, order);
	ck_assert_ptr_nonnull(strstr(body_of(&outcome), "X-Key: secret"));
	order.url = at("to?url=http://127.0.0.1:%d/headers", other_port);
	outcome = fetch_one(&config, order);
	ck_assert_ptr_null(strstr(body_of(&outcome), "secret"));
	/* there and back again: what has left stays without */
	order.url = at("to?url=http://127.0.0.1:%d/to%%3Furl=http://127.0.0.1:%d/headers", other_port,
		       port);
	outcome = fetch_one(&config, order);
	ck_assert_int_eq(outcome.status.kind, ERR_NONE);
	ck_assert_ptr_null(strstr(body_of(&outcome), "secret"));
}
END_TEST

START_TEST(passwords_go_to_their_host_only)
{
	struct config config = plain_config();
	struct outcome outcome;

	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://me:pa%%20ss@127.0.0.1:%d/to?url=/headers", port) });
	ck_assert_ptr_nonnull(strstr(body_of(&outcome), "Authorization: Basic bWU6cGEgc3M="));
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://me:pass@127.0.0.1:%d/to?url=http://127.0.0.1:%d/headers",
				      port, other_port) });
	ck_assert_int_eq(outcome.status.kind, ERR_NONE);
	ck_assert_ptr_null(strstr(body_of(&outcome), "Authorization"));
}
END_TEST

static const struct {
	const char *what, *host, *path;      /* path NULL: sent on to localhost */
	bool trusted, listed, all;
	enum err_kind kind;
	bool everywhere;
} guards[] = {
	{ "address",              "127.0.0.1",     "body/5", false, false, false, ERR_DOWNLOAD, false },
	{ "name",                 "localhost",     "body/5", false, false, false, ERR_DOWNLOAD, false },
	{ "number",               "2130706433",    "body/5", false, false, false, ERR_DOWNLOAD, false },
	{ "mapped",               "[::ffff:127.0.0.1]", "body/5", false, false, false, ERR_DOWNLOAD, false },
	{ "everything allowed",   "localhost",     "body/5", false, false, true,  ERR_NONE, false },
	{ "network allowed",      "localhost",     "body/5", false, true,  false, ERR_NONE, false },
	{ "trusted",              "localhost",     "body/5", true,  false, false, ERR_NONE, false },
	{ "trusted, redirected",  "127.0.0.1",     "to?url=/body/5", true, false, false, ERR_NONE, false },
	{ "trusted, sent elsewhere", "127.0.0.1",  NULL, true, false, false,
	  ERR_DOWNLOAD, false },
	{ "trusted everywhere, sent elsewhere", "127.0.0.1", NULL, true, false, false, ERR_NONE,
	  true },
};

START_TEST(addresses_are_guarded)
{
	static const struct config_network local = { { 127, 0, 0, 0 }, 8, false };
	struct config config = plain_config();
	struct outcome outcome;
	int before = hits("body/5");
	const char *path = guards[_i].path ? guards[_i].path :
			   support_printf("to?url=http://localhost:%d/body/5", port);

	config.connect_to_reserved_ips = guards[_i].all;
	config.allowed_networks = &local;
	config.allowed_network_count = guards[_i].listed;
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://%s:%d/%s", guards[_i].host, port, path),
		.trusted = guards[_i].trusted, .trusted_everywhere = guards[_i].everywhere });
	check(&outcome, guards[_i].what, guards[_i].kind,
	      guards[_i].kind == ERR_NONE ? "" : "destination is restricted");
	ck_assert_int_eq(hits("body/5"), before + (guards[_i].kind == ERR_NONE));
}
END_TEST

/* A connection opened for the operator's own source is no way in for others. */
START_TEST(guard_holds_for_connections_used_again)
{
	struct config config = plain_config();
	struct fetcher *fetcher;
	struct outcome outcome;
	struct fetch_order order = { .url = at("body/6"), .trusted = true };

	config.connect_to_reserved_ips = false;
	fetcher = open_fetcher(&config);
	outcome = fetch_with(fetcher, order);
	check(&outcome, "trusted", ERR_NONE, "");
	order.trusted = false;
	outcome = fetch_with(fetcher, order);
	check(&outcome, "not trusted", ERR_DOWNLOAD, "destination is restricted");
	fetcher_close(fetcher);
	ck_assert_int_eq(hits("body/6"), 1);
}
END_TEST

static const struct {
	const char *what, *path;
	int64_t head_millis, total_millis;
	const char *text;
	int hits;
} delays[] = {
	{ "no head",          "silent",    100, 20000, "100ms", 3 },
	{ "head in drops",    "drip-head", 200, 20000, "200ms", 3 },
	{ "no head, in all",  "silent",    20000, 200, "200ms", 1 },
	{ "body in drops",    "drip",      200, 1500,  "1.5s",  1 },
	{ "third attempt",    "silent",    300, 700,   "700ms", 3 },
};

START_TEST(time_is_limited)
{
	struct config config = plain_config();
	struct outcome outcome;
	int before = hits(delays[_i].path);

	config.head_timeout_millis = delays[_i].head_millis;
	config.max_download_timeout_millis = delays[_i].total_millis;
	outcome = fetch_one(&config, (struct fetch_order){ .url = at("%s", delays[_i].path) });
	check(&outcome, delays[_i].what, ERR_TIMEOUT, delays[_i].text);
	ck_assert_int_eq(hits(delays[_i].path) - before, delays[_i].hits);
}
END_TEST

START_TEST(a_closed_port_is_explained)
{
	struct config config = plain_config();
	struct outcome outcome;

	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://127.0.0.1:1/x" });
	check(&outcome, "closed port", ERR_DOWNLOAD, "Connection refused");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "ftp://127.0.0.1/x" });
	check(&outcome, "ftp", ERR_DOWNLOAD, "invalid address: Unsupported URL scheme");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "https://[x/" });
	check(&outcome, "no address", ERR_DOWNLOAD, NULL);
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("https://127.0.0.1:%d/garbage", port) });
	check(&outcome, "no TLS", ERR_DOWNLOAD, "SSL error");
}
END_TEST

START_TEST(certificates_are_checked)
{
	struct config config = plain_config();
	struct fetch_order order = {
		.url = support_printf("https://localhost:%d/body/5", tls_port),
	};
	struct outcome outcome = fetch_one(&config, order);

	check(&outcome, "unknown certificate", ERR_DOWNLOAD, "certificate verify failed");
	order.accept_invalid_certs = true;
	outcome = fetch_one(&config, order);
	check(&outcome, "accepted", ERR_NONE, "");
	/* what one source accepts for itself holds for no other host */
	order.url = at("to?url=https://localhost:%d/body/5", tls_port);
	outcome = fetch_one(&config, order);
	check(&outcome, "sent elsewhere", ERR_DOWNLOAD, "certificate verify failed");
}
END_TEST

START_TEST(cancelled_ones_are_silent)
{
	const char *urls[] = { at("drip"), at("body/100"), at("silent") };
	long live = atomic_load(&mem_live);
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome outcomes[3];
	struct fetch *fetches[3];
	struct err err = ERR_INIT;

	fetches[0] = start(fetcher, (struct fetch_order){ .url = urls[0] }, &outcomes[0]);
	fetches[1] = start(fetcher, (struct fetch_order){ .url = urls[1] }, &outcomes[1]);
	start(fetcher, (struct fetch_order){ .url = urls[2] }, &outcomes[2]);
	fetch_cancel(fetcher, fetches[1]);               /* before it begins */
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(fetcher_step(fetcher, NULL, 0, 20, &err), 0);
	fetch_cancel(fetcher, fetches[0]);               /* in the middle of its body */
	ck_assert_uint_eq(fetcher_active(fetcher), 1);
	fetcher_close(fetcher);                          /* with one running */
	ck_assert(!outcomes[0].done && !outcomes[1].done && !outcomes[2].done);
	check_live(live);
}
END_TEST

START_TEST(a_hundred_at_once)
{
	const char *urls[] = { at("body/50000"), at("late/1") };
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome outcomes[100];
	int64_t begun = clock_monotonic_millis();

	for (size_t i = 0; i < 100; i++)
		start(fetcher, (struct fetch_order){ .url = urls[i % 2] }, &outcomes[i]);
	run(fetcher, NULL);
	for (size_t i = 0; i < 100; i++) {
		if (i % 2)
			check(&outcomes[i], "late", ERR_NONE, "");
		else
			check_pattern(&outcomes[i], 50000);
	}
	/* 50 that take a second each, one after the other, would take 50 */
	ck_assert_int_lt(clock_monotonic_millis() - begun, support_stretched(25000));
	fetcher_close(fetcher);
}
END_TEST

START_TEST(other_descriptors_wake_the_loop)
{
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct fetch_poll others[2];
	struct err err = ERR_INIT;
	int quiet[2], pipes[2];
	int64_t begun = clock_monotonic_millis();

	ck_assert_int_eq(pipe(quiet), 0);
	ck_assert_int_eq(pipe(pipes), 0);
	others[0] = (struct fetch_poll){ .fd = quiet[0], .ready = true };
	others[1] = (struct fetch_poll){ .fd = pipes[0] };
	ck_assert_int_eq(write(pipes[1], "x", 1), 1);
	ck_assert_int_eq(fetcher_step(fetcher, others, 2, (int)support_stretched(30000), &err), 0);
	ck_assert(!others[0].ready && others[1].ready);
	ck_assert_int_lt(clock_monotonic_millis() - begun, support_stretched(20000));
	ck_assert_int_eq(read(pipes[0], &begun, 1), 1);
	ck_assert_int_eq(fetcher_step(fetcher, others, 2, 10, &err), 0);
	ck_assert(!others[1].ready);
	close(pipes[1]);                                 /* hung up: ready too */
	ck_assert_int_eq(fetcher_step(fetcher, others, 2, (int)support_stretched(30000), &err), 0);
	ck_assert(others[1].ready);
	fetcher_close(fetcher);
}
END_TEST

struct chain { struct fetcher *fetcher; struct outcome next, victim; struct fetch *cancel; };

static void on_first(void *payload, const struct err *status, uint64_t bytes)
{
	struct chain *chain = payload;

	ck_assert_int_eq(status->kind, ERR_NONE);
	ck_assert_uint_eq(bytes, 3);
	fetch_cancel(chain->fetcher, chain->cancel);
	start(chain->fetcher, (struct fetch_order){ .url = at("body/4") }, &chain->next);
}

START_TEST(callbacks_may_start_and_cancel)
{
	struct config config = plain_config();
	struct chain chain = { .fetcher = open_fetcher(&config) };
	struct fetch_order order = { .url = at("body/3"), .max_bytes = MOST_BYTES };
	struct fetch *fetch;
	struct err err = ERR_INIT;

	order.fd = memfd_create("first", MFD_CLOEXEC);
	chain.cancel = start(chain.fetcher, (struct fetch_order){ .url = at("silent") }, &chain.victim);
	ck_assert_int_eq(fetch_start(chain.fetcher, &order, on_first, &chain, &fetch, &err), 0);
	run(chain.fetcher, NULL);
	check(&chain.next, "the next", ERR_NONE, "");
	ck_assert(!chain.victim.done);
	fetcher_close(chain.fetcher);
}
END_TEST

START_TEST(a_full_disk_is_ours)
{
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome outcome = { .fd = open("/dev/full", O_RDWR | O_CLOEXEC) };
	struct fetch_order order = { .url = at("body/5"), .max_bytes = MOST_BYTES, .fd = outcome.fd };
	struct fetch *fetch;
	struct err err = ERR_INIT;

	ck_assert_int_eq(fetch_start(fetcher, &order, on_done, &outcome, &fetch, &err), 0);
	run(fetcher, &outcome.done);
	ck_assert_int_eq(outcome.status.kind, ERR_IO);
	fetcher_close(fetcher);
}
END_TEST

static int start_and_close(void *payload, struct err *err)
{
	const struct fetch_header header = { TEXT("A"), TEXT("1") };
	struct fetch_order order = {
		.url = "http://127.0.0.1:1/", .headers = &header, .header_count = 1, .fd = -1,
	};
	struct fetcher *fetcher;
	struct fetch *fetch;
	int rc;

	if (fetcher_open(&fetcher, payload, err) < 0)
		return -1;
	rc = fetch_start(fetcher, &order, on_done, NULL, &fetch, err);
	fetcher_close(fetcher);
	return rc;
}

START_TEST(survives_every_allocation_failure)
{
	struct config config = plain_config();

	support_every_allocation_failure(start_and_close, &config, 100);
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("fetch");
	TCase *tcase = tcase_create("fetch");
	LOOP(answers_mean_what_they_say, answers);
	LOOP(bodies_arrive_whole, bodies);
	LOOP(encodings_are_taken_off, encodings);
	tcase_add_loop_test(tcase, errands_are_carried_out, 0,
			    (int)(sizeof(errands) / sizeof(errands[0])));
	LOOP(what_is_known_is_not_sent_again, versions);
	tcase_add_test(tcase, nobody_asked_whether_it_has_changed);
	tcase_add_test(tcase, whole_ones_ask_for_no_range);
	tcase_add_test(tcase, an_order_may_have_its_own_time);
	tcase_add_test(tcase, an_order_may_have_its_own_patience);
	tcase_add_test(tcase, heads_have_no_body);
	tcase_add_loop_test(tcase, files_are_sent, 0, (int)(sizeof(files) / sizeof(files[0])));
	tcase_add_test(tcase, headers_go_to_their_host_only);
	tcase_add_test(tcase, passwords_go_to_their_host_only);
	LOOP(addresses_are_guarded, guards);
	tcase_add_test(tcase, guard_holds_for_connections_used_again);
	LOOP(time_is_limited, delays);
	tcase_add_test(tcase, a_closed_port_is_explained);
	tcase_add_test(tcase, certificates_are_checked);
	tcase_add_test(tcase, cancelled_ones_are_silent);
	tcase_add_test(tcase, a_hundred_at_once);
	tcase_add_test(tcase, other_descriptors_wake_the_loop);
	tcase_add_test(tcase, callbacks_may_start_and_cancel);
	tcase_add_test(tcase, a_full_disk_is_ours);
	tcase_add_test(tcase, survives_every_allocation_failure);
	suite_add_tcase(suite, tcase);
	return harness_main(suite);
}

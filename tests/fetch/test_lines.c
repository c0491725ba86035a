/*
 * test_lines -- the ways to a server: connections kept and shared, HTTP/2, proxies, authorities,
 * names with dead addresses, and who is told about addresses that are refused.
 */
#include "fetch/harness.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"

/* --- Connections ------------------------------------------------------------------------ */

START_TEST(connections_are_used_again)
{
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct outcome first = fetch_with(fetcher, (struct fetch_order){ .url = at("which") });

	for (int i = 0; i < 3; i++) {
		struct outcome again;

		again = fetch_with(fetcher, (struct fetch_order){ .url = at("status/404") });
		check(&again, "missing", ERR_NOT_FOUND, NULL);
		again = fetch_with(fetcher, (struct fetch_order){ .url = at("which") });
		ck_assert_str_eq(body_of(&again), body_of(&first));
	}
	fetcher_close(fetcher);
}
END_TEST

/* A socket on a port of its own. */
static int hold_port(int *number)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int yes = 1;

	/* As long as it does not listen, whoever says the same, as nginx does, may; nobody is given it. */
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)), 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
	*number = ntohs(address.sin_port);
	return fd;
}

/* nginx tells each request by which protocol and connection it came. */
static pid_t start_nginx(const char *folder, int listen_port)
{
	const char *path = support_printf("%s/nginx.conf", folder);
	FILE *conf = fopen(path, "w");
	pid_t pid;

	ck_assert_ptr_nonnull(conf);
	fprintf(conf, "daemon off; master_process off; pid %s/pid; error_log %s/errors;\n"
		"events { }\nhttp { access_log off; client_body_temp_path %s; proxy_temp_path %s;\n"
		"fastcgi_temp_path %s; uwsgi_temp_path %s; scgi_temp_path %s;\n"
		"server { listen 127.0.0.1:%d ssl http2; ssl_certificate %s; ssl_certificate_key %s;\n"
		"location / { return 200 \"$server_protocol $connection\"; } } }\n",
		folder, folder, folder, folder, folder, folder, folder, listen_port, certificate,
		certificate);
	ck_assert_int_eq(fclose(conf), 0);
	pid = fork();
	if (pid == 0) {
		setenv("PATH", support_printf("%s:/usr/sbin:/sbin", getenv("PATH")), 1);
		execlp("nginx", "nginx", "-p", folder, "-e", support_printf("%s/errors", folder), "-c",
		       path, (char *)NULL);
		_exit(127);
	}
	return pid;
}

START_TEST(http_2_shares_one_connection)
{
	char *folder = support_printf("/tmp/symgate-lines-XXXXXX");
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	int listen_port, held = hold_port(&listen_port);
	struct fetch_order order = {
		.url = support_printf("https://localhost:%d/x", listen_port),
		.accept_invalid_certs = true, .is_whole = true,
	};
	int64_t end = clock_monotonic_millis() + support_stretched(60000);
	struct outcome outcomes[40], outcome;
	pid_t nginx;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	nginx = start_nginx(folder, listen_port);
	do {
		ck_assert_msg(clock_monotonic_millis() < end && waitpid(nginx, NULL, WNOHANG) == 0,
			      "nginx does not start");
		outcome = fetch_with(fetcher, order);
	} while (outcome.status.kind != ERR_NONE);
	fetcher_close(fetcher);
	fetcher = open_fetcher(&config);             /* with no connection yet */
	for (size_t i = 0; i < 40; i++)
		start(fetcher, order, &outcomes[i]);
	run(fetcher, NULL);
	for (size_t i = 0; i < 40; i++) {
		check(&outcomes[i], "one of many", ERR_NONE, "");
		ck_assert_ptr_nonnull(strstr(body_of(&outcomes[i]), "HTTP/2.0 "));
		ck_assert_str_eq(body_of(&outcomes[i]), body_of(&outcomes[0]));
	}
	fetcher_close(fetcher);
	close(held);
	kill(nginx, SIGKILL);
	waitpid(nginx, NULL, 0);
	ck_assert_int_eq(system(support_printf("rm -rf %s", folder)), 0);
}
END_TEST

START_TEST(authorities_may_be_named)
{
	struct config config = plain_config();
	struct fetch_order order = {
		.url = support_printf("https://localhost:%d/body/5", tls_port),
	};
	struct outcome outcome;

	setenv("SSL_CERT_FILE", certificate, 1);
	outcome = fetch_one(&config, order);
	check(&outcome, "known", ERR_NONE, "");
	order.url = support_printf("https://127.0.0.1:%d/body/5", tls_port);
	outcome = fetch_one(&config, order);
	check(&outcome, "of another name", ERR_DOWNLOAD, "certificate verify failed");
	unsetenv("SSL_CERT_FILE");
}
END_TEST

/* A connection to whom one source believes anything is none for another. */
START_TEST(trust_in_certificates_is_not_shared)
{
	struct config config = plain_config();
	struct fetcher *fetcher = open_fetcher(&config);
	struct fetch_order order = {
		.url = support_printf("https://localhost:%d/body/5", tls_port),
		.accept_invalid_certs = true,
	};
	struct outcome outcome = fetch_with(fetcher, order);

	check(&outcome, "accepted", ERR_NONE, "");
	order.accept_invalid_certs = false;
	outcome = fetch_with(fetcher, order);
	check(&outcome, "looked at", ERR_DOWNLOAD, "certificate verify failed");
	fetcher_close(fetcher);
}
END_TEST

/* --- Dead addresses ----------------------------------------------------------------------- */

typedef int getaddrinfo_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* libcurl finds this one before the C library's: "dual.test" has a dead IPv6 address, of which
 * nothing is ever heard, and a living IPv4 one. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	struct addrinfo numeric = *hints, *dead, *living;
	void *next = dlsym(RTLD_NEXT, "getaddrinfo");
	getaddrinfo_fn *real;

	memcpy(&real, &next, sizeof(real));
	if (!node || strcmp(node, "dual.test") != 0)
		return real(node, service, hints, found);
	numeric.ai_flags = AI_NUMERICHOST;
	numeric.ai_family = AF_UNSPEC;
	if (real("::1", service, &numeric, &dead) != 0 || real("127.0.0.1", service, &numeric, &living) != 0)
		return EAI_FAIL;
	*found = dead;
	while (dead->ai_next)
		dead = dead->ai_next;
	dead->ai_next = living;
	return 0;
}

/* Nobody accepts from it, its queue is full: further connections hear nothing at all. */
static void make_dead(int fd, const struct sockaddr *address, socklen_t size)
{
	ck_assert_int_eq(listen(fd, 0), 0);
	for (int i = 0; i < 8; i++) {
		int filler = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		ck_assert_int_ge(filler, 0);
		ck_assert(connect(filler, address, size) == 0 || errno == EINPROGRESS);
	}
}

/* The same number, by IPv6; -1 where there is none: as dead as can be. */
static int open_dead_v6(int dead_port)
{
	struct sockaddr_in6 address = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)dead_port),
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	make_dead(fd, (struct sockaddr *)&address, sizeof(address));
	return fd;
}

static int open_dead_v4(int *dead_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = hold_port(dead_port);

	address.sin_port = htons((uint16_t)*dead_port);
	make_dead(fd, (struct sockaddr *)&address, sizeof(address));
	return fd;
}

START_TEST(a_dead_address_does_not_hide_a_living_one)
{
	struct config config = plain_config();
	int dead = open_dead_v6(port);
	int64_t begun = clock_monotonic_millis();
	struct outcome outcome;

	config.connect_timeout_millis = support_stretched(40000);
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://dual.test:%d/body/9", port) });
	check(&outcome, "the living one", ERR_NONE, "");
	ck_assert_int_lt(clock_monotonic_millis() - begun, support_stretched(20000));
	close(dead);
}
END_TEST

/* What is refused of a name's addresses does not invalidate the others. */
START_TEST(one_of_two_addresses_may_be_refused)
{
	static const struct config_network local = { { 127, 0, 0, 0 }, 8, false };
	struct config config = plain_config();
	struct outcome outcome;

	config.connect_to_reserved_ips = false;
	config.allowed_networks = &local;
	config.allowed_network_count = 1;
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://dual.test:%d/body/9", port) });
	check(&outcome, "the other one", ERR_NONE, "");
	config.allowed_network_count = 0;
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://dual.test:%d/body/9", port) });
	check(&outcome, "both", ERR_DOWNLOAD, "destination is restricted");
}
END_TEST

START_TEST(connecting_takes_its_time_only)
{
	struct config config = plain_config();
	int dead_port, dead = open_dead_v4(&dead_port);
	struct outcome outcome;

	config.connect_timeout_millis = 200;
	outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("http://127.0.0.1:%d/x", dead_port) });
	check(&outcome, "dead", ERR_TIMEOUT, "200ms");
	close(dead);
}
END_TEST

/* --- Proxies ------------------------------------------------------------------------------ */

static struct config guarded_config(void)
{
	struct config config = plain_config();

	config.connect_to_reserved_ips = false;
	return config;
}

START_TEST(proxies_are_used)
{
	struct config config = guarded_config();
	struct outcome outcome;

	setenv("http_proxy", support_printf("http://127.0.0.1:%d", port), 1);
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://symbols.invalid/body/7" });
	check(&outcome, "proxied", ERR_NONE, "");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://10.0.0.1/body/7" });
	check(&outcome, "address behind the proxy", ERR_DOWNLOAD, "destination is restricted");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://0x0a000001/body/7" });
	check(&outcome, "the same as a number", ERR_DOWNLOAD, "destination is restricted");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://localhost/body/7" });
	check(&outcome, "localhost behind the proxy", ERR_DOWNLOAD, "destination is restricted");
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://localhost./body/7" });
	check(&outcome, "localhost with a dot", ERR_DOWNLOAD, "destination is restricted");
	setenv("no_proxy", "other.org, .invalid", 1);
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://symbols.invalid/body/7" });
	check(&outcome, "excepted", ERR_RESOLVE, NULL);
	unsetenv("http_proxy");
	unsetenv("no_proxy");
}
END_TEST

static const struct { const char *what, *name; bool is_cgi; enum err_kind kind; } variables[] = {
	{ "upper case", "HTTP_PROXY", false, ERR_NONE },
	{ "a header of a CGI's client", "HTTP_PROXY", true, ERR_RESOLVE },
	{ "of a CGI all the same", "http_proxy", true, ERR_NONE },
	{ "for all", "ALL_PROXY", true, ERR_NONE },
	{ "for another scheme", "https_proxy", false, ERR_RESOLVE },
};

START_TEST(the_environment_names_proxies)
{
	struct config config = guarded_config();
	struct outcome outcome;

	setenv(variables[_i].name, support_printf("http://127.0.0.1:%d", port), 1);
	if (variables[_i].is_cgi)
		setenv("REQUEST_METHOD", "GET", 1);
	outcome = fetch_one(&config, (struct fetch_order){ .url = "http://symbols.invalid/body/7" });
	check(&outcome, variables[_i].what, variables[_i].kind, NULL);
	unsetenv(variables[_i].name);
	unsetenv("REQUEST_METHOD");
}
END_TEST

static const struct { const char *what, *scheme; bool is_socks; const char *host, *asked; } ways[] = {
	{ "HTTP",    "http",    false, "symbols.invalid", "body/10" },
	{ "SOCKS, names looked up there", "socks5h", true, "symbols.invalid", "socks/symbols.invalid" },
	{ "SOCKS, names looked up here", "socks5", true, "dual.test", NULL },
};

START_TEST(sources_have_their_own_proxies)
{
	struct config config = guarded_config();
	int before = ways[_i].asked ? hits(ways[_i].asked) : 0;
	struct fetch_order order = {
		.url = support_printf("http://%s:%d/body/10", ways[_i].host, port),
		.proxy = support_printf("%s://127.0.0.1:%d", ways[_i].scheme,
					ways[_i].is_socks ? socks_port : port),
	};
	struct outcome outcome = fetch_one(&config, order);

	check(&outcome, ways[_i].what, ERR_NONE, "");
	if (ways[_i].asked)
		ck_assert_int_eq(hits(ways[_i].asked), before + 1);
	/* also where the environment names another one */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	outcome = fetch_one(&config, order);
	check(&outcome, ways[_i].what, ERR_NONE, "");
	unsetenv("http_proxy");
}
END_TEST

START_TEST(no_proxy_is_a_choice_too)
{
	struct config config = plain_config();
	struct fetch_order order = { .url = at("body/11"), .proxy = "" };
	struct outcome outcome;

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	outcome = fetch_one(&config, order);
	check(&outcome, "none", ERR_NONE, "");
	order.proxy = NULL;
	outcome = fetch_one(&config, order);
	check(&outcome, "the environment's", ERR_DOWNLOAD, "Connection refused");
	unsetenv("http_proxy");
}
END_TEST

/* The proxy's own head is none of the answer's; what goes through is encrypted. */
START_TEST(tls_goes_through_a_tunnel)
{
	struct config config = guarded_config();
	int before = hits("connect/symbols.invalid");
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
		.url = support_printf("https://symbols.invalid:%d/body/12", tls_port),
		.accept_invalid_certs = true,
		.proxy = support_printf("http://127.0.0.1:%d", port) });

	check(&outcome, "tunnel", ERR_NONE, "");
	ck_assert_uint_eq(outcome.bytes, 12);
	ck_assert_int_eq(hits("connect/symbols.invalid"), before + 1);
}
END_TEST

/* --- Refusals ----------------------------------------------------------------------------- */

START_TEST(the_log_says_what_was_refused)
{
	char path[] = "/tmp/symgate-refused-XXXXXX";
	int fd = mkstemp(path);
	struct config config = guarded_config();
	struct outcome outcome;
	struct err err = ERR_INIT;
	struct buf log;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(log_open(path, LOG_INFO, LOG_KEYVALUE), 0);
	outcome = fetch_one(&config, (struct fetch_order){ .url = at("body/5"), .source_id = "mine" });
	check(&outcome, "refused", ERR_DOWNLOAD, "destination is restricted");
	ck_assert_int_eq(log_open(NULL, LOG_INFO, LOG_KEYVALUE), 0);
	buf_init(&log, 1 << 16);
	ck_assert_int_eq(file_read_all(path, 1 << 16, &log, &err), 0);
	ck_assert_ptr_nonnull(strstr(buf_string(&log),
		"refused: reserved address 127.0.0.1 (host 127.0.0.1, source mine): reserved_ips_allowed"));
	buf_release(&log);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(headers_of_two_lines_are_left_out)
{
	const struct fetch_header headers[] = {
		{ TEXT("X-One"), TEXT("a\r\nX-Two: b") }, { TEXT("X-Three\nX-Four"), TEXT("c") },
		{ TEXT("X-Good"), TEXT("d") },
	};
	struct config config = plain_config();
	struct outcome outcome = fetch_one(&config, (struct fetch_order){
		.url = at("headers"), .headers = headers, .header_count = 3 });

	ck_assert_ptr_nonnull(strstr(body_of(&outcome), "X-Good: d"));
	ck_assert_ptr_null(strstr(body_of(&outcome), "X-One"));
	ck_assert_ptr_null(strstr(body_of(&outcome), "X-Two"));
	ck_assert_ptr_null(strstr(body_of(&outcome), "X-Four"));
}
END_TEST

#define LOOP(test, table) \
	tcase_add_loop_test(tcase, test, 0, (int)(sizeof(table) / sizeof((table)[0])))

int main(void)
{
	Suite *suite = suite_create("lines");
	TCase *tcase = tcase_create("lines");

	tcase_set_timeout(tcase, 90);
	tcase_add_test(tcase, connections_are_used_again);
	tcase_add_test(tcase, http_2_shares_one_connection);
	tcase_add_test(tcase, authorities_may_be_named);
	tcase_add_test(tcase, trust_in_certificates_is_not_shared);
	tcase_add_test(tcase, a_dead_address_does_not_hide_a_living_one);
	tcase_add_test(tcase, one_of_two_addresses_may_be_refused);
	tcase_add_test(tcase, connecting_takes_its_time_only);
	tcase_add_test(tcase, proxies_are_used);
	LOOP(the_environment_names_proxies, variables);
	LOOP(sources_have_their_own_proxies, ways);
	tcase_add_test(tcase, no_proxy_is_a_choice_too);
	tcase_add_test(tcase, tls_goes_through_a_tunnel);
	tcase_add_test(tcase, the_log_says_what_was_refused);
	tcase_add_test(tcase, headers_of_two_lines_are_left_out);
	suite_add_tcase(suite, tcase);
	return harness_main(suite);
}

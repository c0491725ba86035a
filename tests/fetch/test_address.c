/* test_address -- which addresses are for everyone, and which hosts go through a proxy. */
#include "support/support.h"

#include <arpa/inet.h>

#include "config/config.h"
#include "fetch/address.h"
#include "fetch/fetch.h"
#include "fetch/proxy.h"

static const struct { const char *address; bool reserved; } addresses[] = {
	{ "8.8.8.8", false }, { "0.1.2.3", true }, { "10.1.2.3", true }, { "11.0.0.0", false },
	{ "100.63.255.255", false }, { "100.64.0.0", true }, { "100.128.0.0", false },
	{ "127.255.0.1", true }, { "169.254.169.254", true }, { "172.15.255.255", false },
	{ "172.16.0.1", true }, { "172.31.255.255", true }, { "172.32.0.0", false },
	{ "192.0.0.7", true }, { "192.0.0.8", false }, { "192.0.2.1", true }, { "192.88.99.1", true },
	{ "192.168.1.1", true }, { "198.19.0.1", true }, { "198.20.0.0", false },
	{ "198.51.100.9", true }, { "223.255.255.255", false }, { "224.0.0.1", true },
	{ "240.0.0.1", true }, { "255.255.255.255", true },
	{ "2606:4700::1111", false }, { "::1", true }, { "::", true }, { "fc00::1", true },
	{ "fd12::1", true }, { "fe80::1", true }, { "ff02::1", true }, { "2001:db8::1", true },
	{ "100::1", true }, { "::ffff:127.0.0.1", true }, { "::ffff:8.8.8.8", false },
	{ "::127.0.0.1", true }, { "64:ff9b::10.0.0.1", true }, { "64:ff9b::8.8.8.8", false },
	{ "64:ff9b:1::8.8.8.8", true }, { "2002:7f00:1::", true }, { "2002:808:808::", false },
	{ "2001:0:808:808::f7f7:f7f7", false }, { "2001:0:808:808::80ff:fffe", true },
	{ "2001:0:a00:1::f7f7:f7f7", true }, { "2001:20::1", true }, { "3fff::1", true },
	{ "4000::1", true },
};

START_TEST(reserved_addresses_are_known)
{
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct sockaddr_in v4 = { .sin_family = AF_INET };
		struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
		const struct sockaddr *address = (const struct sockaddr *)&v4;

		if (inet_pton(AF_INET, addresses[i].address, &v4.sin_addr) != 1) {
			ck_assert_int_eq(inet_pton(AF_INET6, addresses[i].address, &v6.sin6_addr), 1);
			address = (const struct sockaddr *)&v6;
		}
		ck_assert_msg(fetch_address_is_reserved(address) == addresses[i].reserved, "%s",
			      addresses[i].address);
	}
}
END_TEST

START_TEST(allowed_networks_are_let_through)
{
	static const struct config_network networks[] = {
		{ { 10, 1, 0, 0 }, 16, false }, { { 0xfd, 0x12 }, 16, true }, { { 0 }, 0, true },
	};
	struct config config = { .allowed_networks = networks, .allowed_network_count = 2 };

	ck_assert(address_text_is_admitted("10.1.255.1", &config));
	ck_assert(!address_text_is_admitted("10.2.0.1", &config));
	ck_assert(address_text_is_admitted("::ffff:10.1.0.1", &config));
	ck_assert(address_text_is_admitted("[fd12::1]", &config));
	ck_assert(!address_text_is_admitted("fd13::1", &config));
	ck_assert(!address_text_is_admitted("fe80::1%eth0", &config));
	ck_assert(!address_text_is_admitted("127.0.0.1.", &config));
	ck_assert(address_text_is_admitted("a.name.and.no.address.that.is.rather.long.example.org", &config));
	config.allowed_network_count = 3;                /* ::/0 */
	ck_assert(address_text_is_admitted("fd13::1", &config));
	ck_assert(!address_text_is_admitted("10.2.0.1", &config));
}
END_TEST

START_TEST(no_proxy_lists_name_hosts)
{
	static const struct { const char *list, *host; bool named; } cases[] = {
		{ "example.org", "example.org", true }, { "example.org", "a.example.org", true },
		{ ".example.org", "a.example.org", true }, { "*.example.org", "a.example.org", true },
		{ "example.org", "anexample.org", false }, { "*", "x", true }, { "", "x", false },
		{ "a, EXAMPLE.org", "example.org", true }, { "::1", "[::1]", true },
		{ "127.0.0.1", "127.0.0.1", true }, { ".", "x", false }, { ",,", "x", false },
		{ "localhost", "localhost.", true }, { "10.0.0.0/8,x", "10.1.2.3", true },
		{ "10.0.0.0/8", "11.1.2.3", false }, { "fd00::/8", "[fd12::1]", true },
		{ "10.0.0.0/33", "10.1.2.3", false }, { "10.0.0.0/", "10.1.2.3", false },
		{ "10.0.0.0/x", "10.1.2.3", false }, { "0.0.0.0/0", "::1", false },
		{ "/8", "10.1.2.3", false }, { "a/8", "a", false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(proxy_list_names(cases[i].list, cases[i].host) == cases[i].named,
			      "%s in %s", cases[i].host, cases[i].list);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("address");
	TCase *tcase = tcase_create("address");

	tcase_add_test(tcase, reserved_addresses_are_known);
	tcase_add_test(tcase, allowed_networks_are_let_through);
	tcase_add_test(tcase, no_proxy_lists_name_hosts);
	suite_add_tcase(suite, tcase);
	return support_main(suite);
}

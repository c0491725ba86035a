/* proxy.c -- see proxy.h. */
#include "fetch/proxy.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fetch/address.h"

static const char *environment(const char *name, const char *other)
{
	const char *value = getenv(name);

	if ((!value || !*value) && other)
		value = getenv(other);
	return value && *value ? value : NULL;
}

/* "example.org" and ".example.org" both name it and what is below it. */
static bool names(struct text entry, struct text host)
{
	if (text_is(entry, "*"))
		return true;
	if (entry.size > 1 && entry.bytes[0] == '*' && entry.bytes[1] == '.') {
		entry.bytes++;
		entry.size--;
	}
	if (entry.size > 0 && entry.bytes[0] == '.') {
		entry.bytes++;
		entry.size--;
	}
	if (entry.size == 0 || entry.size > host.size)
		return false;
	if (host.size > entry.size && host.bytes[host.size - entry.size - 1] != '.')
		return false;
	return text_equal_ignoring_case(entry, (struct text){ host.bytes + host.size - entry.size,
							      entry.size });
}

bool proxy_list_names(const char *list, const char *host)
{
	struct text plain = text_of(host);

	if (plain.size > 1 && plain.bytes[0] == '[') {
		plain.bytes++;
		plain.size -= 2;
	} else if (text_ends_with(plain, ".")) {
		plain.size--;                    /* "localhost." is localhost */
	}
	while (*list) {
		size_t size = strcspn(list, ", ");

		struct text entry = { list, size };

		if (size > 0 && (names(entry, plain) || address_text_is_in(plain, entry)))
			return true;
		list += size;
		list += strspn(list, ", ");
	}
	return false;
}

const char *proxy_for(const char *scheme, const char *host)
{
	const char *excepted = environment("no_proxy", "NO_PROXY");
	const char *proxy;

	/* In a CGI's environment HTTP_PROXY is a header of the client. */
	if (strcmp(scheme, "https") == 0)
		proxy = environment("https_proxy", "HTTPS_PROXY");
	else
		proxy = environment("http_proxy", getenv("REQUEST_METHOD") ? NULL : "HTTP_PROXY");
	if (!proxy)
		proxy = environment("all_proxy", "ALL_PROXY");
	if (!proxy || (excepted && proxy_list_names(excepted, host)))
		return NULL;
	return proxy;
}

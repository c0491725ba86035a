/*
 * proxy -- which proxy the environment names for a host.
 *
 * Asked by ourselves rather than left to curl: behind a proxy the connected address is
 * the proxy's, so the address guard must know.  Private to fetch.
 */
#ifndef FETCH_PROXY_H
#define FETCH_PROXY_H

#include <stdbool.h>

/* The proxy's address, or NULL for none. */
const char *proxy_for(const char *scheme, const char *host);

/* Does a list like no_proxy's ("example.org,.internal,10.0.0.1,10.0.0.0/8,*") name the host? */
bool proxy_list_names(const char *list, const char *host);

#endif

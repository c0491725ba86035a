/*
 * address -- where a request may make us connect to.
 *
 * Private to fetch.
 */
#ifndef FETCH_ADDRESS_H
#define FETCH_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

struct config;

/* Public, or inside one of the operator's allowed networks, or everything is allowed. */
bool address_is_admitted(const struct sockaddr *address, const struct config *config);

/* The same for an address in text form ("10.0.0.1", "::1", "[::1]"); names are admitted. */
bool address_text_is_admitted(const char *text, const struct config *config);

#endif

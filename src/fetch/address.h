/*
 * address -- where a request may make us connect to.
 *
 * Private to fetch.
 */
#ifndef FETCH_ADDRESS_H
#define FETCH_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/text.h"

struct config;

/* Public, or inside one of the operator's allowed networks, or everything is allowed. */
bool address_is_admitted(const struct sockaddr *address, const struct config *config);

/* The same for an address in text form ("10.0.0.1", "::1", "[::1]"); names are admitted. */
bool address_text_is_admitted(const char *text, const struct config *config);

/* Is it an address ("10.1.2.3", "fd00::1") of that network ("10.0.0.0/8")? */
bool address_text_is_in(struct text text, struct text network);

/* "10.0.0.1", "::1"; "" of another family. */
void address_format(const struct sockaddr *address, char text[INET6_ADDRSTRLEN]);

#endif

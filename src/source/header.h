/*
 * header -- which headers somebody may add to our requests.
 *
 * Headers of a source, or of source links, go to a server as they are written.  Some are not
 * theirs to write:
 *
 *	framing and connection  those of RFC 9112 sections 6 and 7 and RFC 9110 sections 7.6.1, 7.8
 *	                        and 10.1: they describe a body or a connection, which are ours
 *	ranges and conditions   RFC 9110 sections 13.1 and 14.2: the answer would be a part, or
 *	                        nothing, and be kept as the file
 *	Host                    RFC 9110 section 7.2: the address that was checked is the one that
 *	                        is asked, not another site of the same server.  The operator, whose
 *	                        own servers may stand behind one address, may set it.
 *
 * source_header_refusal() in source.h says so of a name.
 */
#ifndef SOURCE_HEADER_H
#define SOURCE_HEADER_H

#include <stdbool.h>

#include "base/text.h"

/* RFC 9110 section 5.6.2, a token; and section 5.5, without control characters. */
bool header_is_name(struct text name);
bool header_is_value(struct text value);

#endif

/*
 * wpa_put -- SymCache files that were made elsewhere and sent to us: kept in STATE_DIR/symcache, where
 * requests look for them (kinds/wpa), as NAME/GUIDAGE/NAME-v3.1.0.symcache with the name in lower case.
 */
#ifndef KINDS_WPA_PUT_H
#define KINDS_WPA_PUT_H

#include "base/text.h"

struct config;
struct err;

/* Who sends one needs a key. */
extern const struct request_kind request_kind_wpa_put;

/*
 * `path` is what follows the "v", as sent; `file` a file below state_dir, whose descriptor is `fd`.  1: it is kept
 * (a link to the file); 0: there is one already, which stays.  ERR_NOT_FOUND: no file has such a path;
 * ERR_BAD_REQUEST: it is empty, or of a version that nobody asks for; ERR_IO.
 */
int wpa_put(const struct config *config, struct text path, const char *file, int fd, struct err *err)
	__attribute__((warn_unused_result));

#endif

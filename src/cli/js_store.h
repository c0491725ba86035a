/*
 * js_store -- maps, bundles and folders of the command line as a store of a release: links in a folder of ours,
 * at the paths that stores have (doc/layouts.md).
 */
#ifndef CLI_JS_STORE_H
#define CLI_JS_STORE_H

#include "base/text.h"

struct buf;
struct cJSON;
struct err;

#define JS_STORE_RELEASE "local"     /* what the request has to name */
#define JS_STORE_NAMES_MAX 64u

struct js_store_wish {               /* of the command line, borrowed */
	const char *bundles[JS_STORE_NAMES_MAX], *dirs[JS_STORE_NAMES_MAX], *maps[JS_STORE_NAMES_MAX];
	unsigned bundle_count, dir_count, map_count;
};

/* The JSON of the sources, appended with commas between, for frames of the request's traces. */
int js_store_make(const struct js_store_wish *wish, const char *folder, const struct cJSON *traces,
		  struct buf *sources, struct err *err) __attribute__((warn_unused_result));

#endif

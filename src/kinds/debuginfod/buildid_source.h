/*
 * buildid_source -- one source file of a build id: out of a source bundle or a debug file that has sources
 * inside, or below one of the folders of debuginfod.source_folders.  Private to kinds/debuginfod.
 */
#ifndef KINDS_DEBUGINFOD_BUILDID_SOURCE_H
#define KINDS_DEBUGINFOD_BUILDID_SOURCE_H

#include "kinds/debuginfod/buildid_request.h"
#include "kinds/debuginfod/federation.h"
#include "lookup/module_lookup.h"

struct buildid_source {
	struct object_ids ids;
	struct module_lookup module;
	struct held sources;                 /* what is inside of the file that was chosen */
	struct sourcecache cache;
	struct held *open;
	bool is_found;
	struct text contents;                /* in the arena */
	struct text archive;                 /* the file they are from, below its source; TEXT_NONE: a folder */
	struct text trouble;                 /* why it could not be looked for; TEXT_NONE: it could */
	int64_t modified_at;                 /* Unix seconds; 0: unknown */
};

void buildid_source_init(struct buildid_source *source, const struct buildid_request *request,
			 const struct federation *federation);
/* READY: is_found says whether it is there. */
enum resolved buildid_source_find(struct buildid_source *source, const struct buildid_request *request,
				  struct work *work, struct resolver *resolver, struct err *err);
void buildid_source_release(struct buildid_source *source);

/* The file below one of the folders ("/usr/src/debug", "/usr/src/debug=/srv/sources"); *contents TEXT_NONE when there is none. */
int source_folder_read(const struct config *config, struct text path, struct arena *arena,
		       struct text *contents, int64_t *modified_at, struct err *err)
	__attribute__((warn_unused_result));

#endif

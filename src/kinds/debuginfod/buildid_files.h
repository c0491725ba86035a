/*
 * buildid_files -- the ELF files of one build id, by what debuginfod calls them: the one with debug
 * information, the one with code.  Private to kinds/debuginfod.
 */
#ifndef KINDS_DEBUGINFOD_BUILDID_FILES_H
#define KINDS_DEBUGINFOD_BUILDID_FILES_H

#include "kinds/debuginfod/buildid_request.h"
#include "kinds/debuginfod/federation.h"
#include "lookup/lookup.h"

enum { BUILDID_PLACES = 2 };             /* where debug files lie, and where executables do */

struct buildid_files {
	struct object_ids ids;
	const struct federation *federation;
	struct source_query queries[BUILDID_PLACES];
	struct lookup lookups[BUILDID_PLACES];
	struct text trouble;                 /* why a source could not say whether it has one; TEXT_NONE: all could */
};

void buildid_files_init(struct buildid_files *files, const struct buildid_request *request,
			const struct federation *federation);
/* READY: *found is the best file, or NULL.  Debuginfo and executable only; the places that file should lie
 * at come first, and the others are looked at when it does not. */
enum resolved buildid_files_find(struct buildid_files *files, enum buildid_artifact artifact,
				 const struct candidate **found, struct work *work,
				 struct resolver *resolver, struct err *err);
void buildid_files_release(struct buildid_files *files);

#endif

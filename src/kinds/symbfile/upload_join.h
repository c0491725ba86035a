/*
 * upload_join -- the parts of a symbfile that was cut anywhere, put together.
 */
#ifndef KINDS_SYMBFILE_UPLOAD_JOIN_H
#define KINDS_SYMBFILE_UPLOAD_JOIN_H

#include "kinds/symbfile/upload_folder.h"

/* What the parts of a complete list are called together: the same parts always the same; NULL: no memory. */
const char *upload_join_name(const struct upload_list *list, struct arena *arena);
/* Writes them one behind the other to that name in the folder, unless it is there.  ERR_LIMIT: above
 * LIMIT_SYMBFILE_JOINED_BYTES. */
int upload_join(const char *folder, const struct upload_list *list, const char *name, struct err *err)
	__attribute__((warn_unused_result));

#endif

/*
 * absence -- names that folders lack, proved again for each request by one look at a folder.
 *
 * A name that is not there is not there as long as the folder it would be in, or the nearest one
 * above that exists, has had no entry added: that changes the folder's change time (st_ctime),
 * which nobody can set back.  So what is remembered of a name is the folder's device, inode and
 * change time, and all names below one folder share the look at it.
 *
 *  1. Names alone are remembered that are absent from the folder as it is: not a symbolic link
 *     that leads nowhere, which may begin to lead somewhere without any change here.
 *  2. A folder is trusted once its last change is older than what clocks of file systems tell
 *     apart, and only on file systems known to keep such times.
 *  3. Folders are looked at by their whole path, so a link or mount on the way that leads
 *     elsewhere is another folder.
 *  4. A folder that is asked about again is watched (folder_watch.h): while nothing happens to
 *     it or above it, that is looked at instead, once a request for all folders.
 *
 * Private to source.  One thread's.
 */
#ifndef SOURCE_ABSENCE_H
#define SOURCE_ABSENCE_H

#include <stdbool.h>
#include <stddef.h>

struct source_absences;

/* Does `path` lead nowhere?  Its first root_size bytes, a slash behind them, name a folder:
 * none above it is looked at.  `absences` NULL, or no such folder: nothing is remembered. */
bool absence_is_sure(struct source_absences *absences, const char *path, size_t size, size_t root_size);

#endif

/*
 * process -- what every process of the program sets for itself before it does anything.
 *
 * Limits and signals are inherited by what it forks; cells set theirs on top (sandbox/confine.h).
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct err;

/*
 * No core files, for good: requests, results and credentials stand in our memory, and a core
 * file would keep them.  And a file that cannot grow (`ulimit -f`) is a write that fails with
 * EFBIG, as on a full disk, not a signal that ends the process.
 */
void process_protect(void);

/* Says in the log what follows from the service being run by root, if it is. */
void process_warn_of_root(void);

/* Opens as many descriptors as the hard limit lets it; how many that are. */
size_t process_raise_descriptors(void);

/* How many descriptors this process may have. */
size_t process_descriptors(void);

/*
 * What root makes in a folder of another user's that user can neither read nor remove.  So a
 * program of root's that writes there becomes that user first, for good.
 */
enum process_owner {
	PROCESS_STAYS,               /* it is no root, or the folder is root's, or there is none */
	PROCESS_BECOMES_OWNER,
};
enum process_owner process_owner_decide(uid_t me, const struct stat *folder /* NULL: none */);
/* 1: this process is the owner of that folder from now on, 0: it stays who it is, -1. */
int process_become_owner(const char *folder, struct err *err) __attribute__((warn_unused_result));
/* "www-data (uid 33)". */
void process_name_owner(const char *folder, char *name, size_t capacity);

#endif

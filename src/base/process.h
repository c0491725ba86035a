/*
 * process -- what every process of the program sets for itself before it does anything.
 *
 * Limits and signals are inherited by what it forks; cells set theirs on top (sandbox/confine.h).
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stddef.h>
#include <stdint.h>

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

#endif

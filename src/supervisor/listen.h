/* listen -- sockets that were handed over.  Private to this component. */
#ifndef SUPERVISOR_LISTEN_H
#define SUPERVISOR_LISTEN_H

struct err;

/* A listening socket, from whoever: as fronts want it.  Its queue is made as long as the kernel
 * allows, accept() on it waits, and not for ever. */
int listen_prepare(int fd, struct err *err) __attribute__((warn_unused_result));

#endif

/*
 * state -- the state folder of a service, for commands that only look.
 */
#ifndef CLI_STATE_H
#define CLI_STATE_H

struct config;
struct err;
struct store;

/* Opens the database; ERR_NOT_FOUND with words when the folder has none: looking makes nothing. */
int state_open(const struct config *config, struct store **store, struct err *err)
	__attribute__((warn_unused_result));
/* Does a service hold the folder right now? */
int state_is_alive(const struct config *config);

#endif

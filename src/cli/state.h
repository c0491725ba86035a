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

/* For commands that write there: as root, become the user whose folder it is; before anything in
 * it is opened. */
int state_take_owner(const struct config *config, struct err *err)
	__attribute__((warn_unused_result));
/* What to say of it when something could not be read or written; "": nothing. */
const char *state_taken_owner(void);
/* For the service itself: root does not serve from another user's folder. */
int state_refuse_others(const struct config *config, struct err *err)
	__attribute__((warn_unused_result));

#endif

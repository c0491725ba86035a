/*
 * fixture -- a nursery for each test, and looks at the processes it makes.
 *
 * Every step ends the test when it fails.
 */
#ifndef TESTS_SANDBOX_FIXTURE_H
#define TESTS_SANDBOX_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "config/config.h"
#include "sandbox/sandbox.h"

#define FIXTURE_PATIENCE_MILLIS 60000

extern struct config fixture_config;         /* the nursery's */
extern struct nursery *fixture_nursery;
extern pid_t fixture_last_process;           /* that fixture_each_process() saw */

/* Before and after each test. */
void fixture_start(void);
void fixture_stop(void);

/* With cells that may use just that. */
void fixture_restart_with_cpu(int64_t seconds);

/* Cells are ended by who asked for them: cell_kill(). */
struct cell_handle *fixture_spawn_with(const struct cell_order *order);
struct cell_handle *fixture_spawn(const char *operation, const char *parameters);
void fixture_wait_event(struct cell_handle *handle, struct cell_event *event);

/* A descriptor the caller closes, of a file in memory that holds the text. */
int fixture_memory_file(const char *text);

/* Processes of that name in that group (every test has its own); each gets the signal, if any. */
unsigned fixture_each_process(const char *name, pid_t group, bool zombies_too, int number);

#endif

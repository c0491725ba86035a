/*
 * progress -- "converting libfoo.so ... 3 s" on standard error, for who waits at a terminal.
 *
 * Nothing is shown during the first half second, nor when standard error is no terminal.
 * One at a time.  Starts a thread: only after the nursery.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

void progress_start(const char *what);    /* the text is borrowed */
void progress_stop(void);                 /* wipes the line; fine without a start */

/* The line for a terminal of so many columns.  It never reaches the last one: a line that wraps
 * cannot be wiped.  Of what is too long the end counts, which is a file's name. */
void progress_line(const char *text, double seconds, size_t columns, char *line, size_t size);

#endif

/*
 * progress -- "converting libfoo.so ... 3 s" on standard error, for who waits at a terminal.
 *
 * Nothing is shown during the first half second, nor when standard error is no terminal.
 * One at a time.  Starts a thread: only after the nursery.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

void progress_start(const char *what);    /* the text is borrowed */
void progress_stop(void);                 /* wipes the line; fine without a start */

#endif

/*
 * minidumps -- "symgate minidump --raw": the streams of a minidump as they stand there.
 */
#ifndef CLI_MINIDUMPS_H
#define CLI_MINIDUMPS_H

struct cli;

/* To standard output; the exit code. */
int minidumps_list(struct cli *cli, const char *path);

#endif

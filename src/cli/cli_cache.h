/* cli_cache.h -- what the commands that look after the cache share. */
#ifndef CLI_CLI_CACHE_H
#define CLI_CLI_CACHE_H

#include <stdbool.h>

struct cache_round;
struct cli;

/* On standard output: what was removed, or would be. */
void cache_tell_round(const struct cli *cli, const struct cache_round *round, bool dry_run);

#endif

/*
 * completion -- the shell's completion of command lines, printed from the tables of options.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>

struct cli_command;
struct cli_option;

/* A bash script, to be kept as .../bash-completion/completions/symgate; an exit code. */
int completion_print(const struct cli_command *const *commands, size_t count,
		     const struct cli_option *main_options);

#endif

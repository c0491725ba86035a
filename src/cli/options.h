/*
 * options -- the options of every command as tables, and the one reader of command lines.
 *
 * Options may stand before and after operands; `--` ends them, and `-` alone is an operand.  A
 * long option takes its value as `--name VALUE` or `--name=VALUE`, a short one as `-n VALUE` or
 * `-nVALUE`; short ones without values may be put together (`-fiC`).  Those of all commands
 * (cli_common_options) are taken into struct cli on the way.
 *
 * The shell's completion is printed from these tables too (completion.c).
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

struct cli;
struct cli_command;

struct cli_option {
	int id;                      /* not 0: the command's own */
	char letter;                 /* 0: has none */
	const char *name;            /* without its dashes; NULL: the letter alone */
	/* What its value is called; NULL: takes none.  FILE and DIR are completed as paths,
	 * "a|b|c" as these words. */
	const char *value;
};
#define CLI_OPTIONS_END { 0, 0, 0, 0 }

extern const struct cli_option cli_common_options[];

struct cli_reader {
	struct cli *cli;
	const struct cli_command *command;       /* NULL: before the command's name */
	const struct cli_option *options;
	int argc;
	char **argv;
	int at;
	const char *bundle;          /* the rest of "-fiC", or NULL */
	bool ended;                  /* after `--` */
	int operand_count;           /* they stand in argv[1], argv[2], ... when all is read */
};

void cli_reader_init(struct cli_reader *reader, struct cli *cli, const struct cli_command *command,
		     int argc, char **argv);
/* The next option's id with its value; 0: there is none left; -1: it is wrong, and standard error
 * has been told so. */
int  cli_next_option(struct cli_reader *reader, const char **value);
/* A command without options of its own: 0, or -1 as above. */
int  cli_only_operands(struct cli_reader *reader);

#endif

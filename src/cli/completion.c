/* completion.c -- see completion.h. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

static const struct cli_option no_options[] = { CLI_OPTIONS_END };

/* What stands in the script as it is.  A word's place decides: the value of the option before it,
 * an option, a command, a command's verb; else a file. */
static const char script[] =
	"_symgate()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev= command= operands=0 i word kind\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $prev ]]; then\n"
	"\t\t\tprev=\n"
	"\t\telif [[ $word == -* ]]; then\n"
	"\t\t\t[[ $(_symgate_value \"$command\" \"$word\") ]] && prev=$word\n"
	"\t\telif [[ ! $command ]]; then\n"
	"\t\t\tcommand=$word\n"
	"\t\telse\n"
	"\t\t\t((operands++))\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tif [[ $prev ]]; then\n"
	"\t\tkind=$(_symgate_value \"$command\" \"$prev\")\n"
	"\t\tcase $kind in\n"
	"\t\tFILE) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
	"\t\tDIR) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
	"\t\t*'|'*) mapfile -t COMPREPLY < <(compgen -W \"${kind//|/ }\" -- \"$cur\") ;;\n"
	"\t\tesac\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_symgate_options \"$command\")\" -- \"$cur\")\n"
	"\telif [[ ! $command || $command == help && $operands == 0 ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_symgate_words '')\" -- \"$cur\")\n"
	"\telif [[ $operands == 0 && $(_symgate_words \"$command\") ]]; then\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$(_symgate_words \"$command\")\" -- \"$cur\")\n"
	"\telse\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\tfi\n"
	"}\n"
	"complete -o filenames -F _symgate symgate\n";

static void print_names(const struct cli_option *options)
{
	for (; options->id; options++) {
		if (options->letter)
			printf(" -%c", options->letter);
		if (options->name)
			printf(" --%s", options->name);
	}
}

/* One line of a `case` for each option that takes a value. */
static void print_values(const char *command, const struct cli_option *options)
{
	for (; options->id; options++) {
		if (!options->value)
			continue;
		if (options->letter)
			printf("\t'%s -%c') echo '%s' ;;\n", command, options->letter, options->value);
		if (options->name)
			printf("\t'%s --%s') echo '%s' ;;\n", command, options->name, options->value);
	}
}

static void print_verbs(const char *verbs)
{
	for (; *verbs; verbs++)
		putchar(*verbs == '|' ? ' ' : *verbs);
}

int completion_print(const struct cli_command *const *commands, size_t count,
		     const struct cli_option *main_options)
{
	printf("# bash completion of symgate " PACKAGE_VERSION ", made by `symgate --bash-completion`\n"
	       "_symgate_words()\n{\n\tcase $1 in\n\t'') echo 'help");
	for (size_t i = 0; i < count; i++)
		printf(" %s", commands[i]->name);
	printf("' ;;\n");
	for (size_t i = 0; i < count; i++) {
		if (!commands[i]->verbs)
			continue;
		printf("\t%s) echo '", commands[i]->name);
		print_verbs(commands[i]->verbs);
		printf("' ;;\n");
	}
	printf("\tesac\n}\n_symgate_options()\n{\n\tcase $1 in\n\t'') echo '");
	print_names(main_options);
	printf("' ;;\n");
	for (size_t i = 0; i < count; i++) {
		printf("\t%s) echo '", commands[i]->name);
		print_names(commands[i]->options ? commands[i]->options : no_options);
		printf("' ;;\n");
	}
	printf("\tesac\n\techo '");
	print_names(cli_common_options);
	printf("'\n}\n_symgate_value()\n{\n\tcase \"$1 $2\" in\n");
	for (size_t i = 0; i < count; i++)
		print_values(commands[i]->name, commands[i]->options ? commands[i]->options : no_options);
	printf("\tesac\n\tcase \" $2\" in\n");
	print_values("", cli_common_options);
	printf("\tesac\n}\n%s", script);
	return ferror(stdout) ? CLI_FAILED : CLI_OK;
}

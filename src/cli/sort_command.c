/* sort_command.c -- "symgate sort": debug files laid out by their ids. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/options.h"
#include "cli/sort.h"

enum {
	OPTION_LAYOUT = 1, OPTION_COMPRESS, OPTION_SOURCES, OPTION_WATCH, OPTION_PREFIX, OPTION_BUNDLE,
	OPTION_IGNORE, OPTION_QUIET
};
static const struct cli_option options[] = {
	{ OPTION_LAYOUT, 'l', "layout",
	  "unified|ssqp|symstore|symstore_index2|debuginfod|native" },
	{ OPTION_COMPRESS, 'z', "compress", "none|gz|zst" },
	{ OPTION_SOURCES, 0, "sources", NULL },
	{ OPTION_WATCH, 'w', "watch", NULL },
	{ OPTION_PREFIX, 'p', "prefix", "NAME" },
	{ OPTION_BUNDLE, 'b', "bundle-id", "NAME" },
	{ OPTION_IGNORE, 'I', "ignore-errors", NULL },
	{ OPTION_QUIET, 'q', "quiet", NULL },
	CLI_OPTIONS_END
};

struct sort_command {
	struct sort_options sort;
	const char *prefix;
};

/* One component of a path that needs no quoting. */
static bool is_plain_name(const char *name)
{
	if (!name[0] || name[0] == '.' || strlen(name) > NAME_MAX)
		return false;
	for (; *name; name++)
		if (!ascii_is_digit(*name) && (ascii_lower(*name) < 'a' || ascii_lower(*name) > 'z') &&
		    !strchr(".,+-_", *name))
			return false;
	return true;
}

static int take_option(struct sort_command *command, int option, const char *value)
{
	struct sort_options *sort = &command->sort;

	switch (option) {
	case OPTION_LAYOUT:
		sort->layout = value;
		break;
	case OPTION_COMPRESS:
		if (!pack_kind_named(value, &sort->packing))
			return cli_misused(&cli_sort, "--compress is none, gz or zst, not `%s'", value);
		break;
	case OPTION_PREFIX:
		command->prefix = value;
		break;
	case OPTION_BUNDLE:
		sort->bundle_id = value;
		break;
	case OPTION_SOURCES:
		sort->with_sources = true;
		break;
	case OPTION_WATCH:
		sort->watches = true;
		break;
	case OPTION_IGNORE:
		sort->ignores_errors = true;
		break;
	default:
		sort->is_quiet = true;
	}
	return CLI_OK;
}

static int check(const struct sort_command *command)
{
	if (command->prefix && !is_plain_name(command->prefix))
		return cli_misused(&cli_sort, "`%s' is no prefix: letters, digits and .,+-_", command->prefix);
	if (command->sort.bundle_id && !is_plain_name(command->sort.bundle_id))
		return cli_misused(&cli_sort, "`%s' is no bundle id: letters, digits and .,+-_",
				   command->sort.bundle_id);
	return CLI_OK;
}

static int carry_out(struct sort *sort, int count, char **paths, struct err *err)
{
	int rc = sort_begin(sort, err);

	if (rc == 0)
		rc = cells_start(&sort->nursery, sort->config, err);
	if (rc == 0) {
		rc = sort->options.watches ? sort_watch(sort, count, paths, err)
					   : sort_walk(sort, count, paths, err);
		nursery_stop(sort->nursery);
	}
	if (rc == 0)
		rc = sort_end(sort, err);
	sort_release(sort);
	return rc;
}

static int report(const struct sort *sort)
{
	if (!sort->options.is_quiet)
		printf("%u objects, %u of them new; %u source bundles; %u files could not be read\n",
		       sort->found, sort->placed, sort->bundles, sort->failed);
	if (sort->failed > 0 && !sort->options.ignores_errors) {
		cli_say("what could be read was sorted; with --ignore-errors that is enough");
		return CLI_FAILED;
	}
	return sort->found > 0 ? CLI_OK : CLI_NOTHING;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct sort_command command = { .sort = { .layout = "unified" } };
	struct sort sort = { .found = 0 };
	struct cli_reader reader;
	struct config config;
	struct err err = ERR_INIT;
	char out[PATH_MAX];
	const char *value;
	int option, code, rc;

	cli_reader_init(&reader, cli, &cli_sort, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		code = take_option(&command, option, value);
		if (code != CLI_OK)
			return code;
	}
	if (option < 0 || (code = check(&command)) != CLI_OK)
		return CLI_USAGE;
	if (reader.operand_count < 2)
		return cli_misused(&cli_sort, "where to, and which files?");
	if ((size_t)snprintf(out, sizeof(out), "%s%s%s", argv[1], command.prefix ? "/" : "",
			     command.prefix ? command.prefix : "") >= sizeof(out))
		return cli_misused(&cli_sort, "the name is too long: %s", argv[1]);
	if (cli_config_load(cli, &config, &err) < 0)
		return cli_fail(&err);
	sort.options = command.sort;
	sort.options.out = out;
	sort.config = &config;
	rc = carry_out(&sort, reader.operand_count - 1, argv + 2, &err);
	config_release(&config);
	return rc < 0 ? cli_fail(&err) : report(&sort);
}

const struct cli_command cli_sort = {
	.name = "sort",
	.arguments = "[OPTION]... OUT FILE|DIR...",
	.about = "lay debug files out by their ids, for a source of that layout",
	.help =
	"Folders are walked; archives (zip, cab) are opened, gzip, zstd and zlib unpacked, fat\n"
	"Mach-O files taken apart. Each object goes to the place below OUT where a filesystem\n"
	"source of the layout looks for it; what is there already stays as it is. What is no\n"
	"debug file is passed over. Files are looked at in the sandbox.\n"
	"\n"
	"  -l, --layout LAYOUT    unified (default), ssqp, symstore, symstore_index2, debuginfod\n"
	"                         or native\n"
	"  -z, --compress HOW     none (default), gz or zst: every reader of ours unpacks them\n"
	"  --sources              beside debug files their source bundles, of the source files\n"
	"                         that this machine has and the debug file names\n"
	"  -w, --watch            go on with what comes to the folders, until a signal\n"
	"  -p, --prefix NAME      below OUT/NAME\n"
	"  -b, --bundle-id NAME   of the unified layout: bundles/NAME lists the ids\n"
	"  -I, --ignore-errors    files that cannot be read are no failure\n"
	"  -q, --quiet            say nothing of what is sorted\n"
	"\n"
	"exit codes: 0 sorted, 1 failed, 2 wrong usage, 3 there was nothing to sort\n",
	.options = options,
	.only_files = true,
	.run = run,
};

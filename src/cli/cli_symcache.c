/* cli_symcache.c -- "symgate symcache": write one from an object, list one; of managed code, a PpdbCache. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "convert/convert.h"

#define REPORT_BYTES 65536u

static void print_report(const char *out, bool is_managed,
			 const struct convert_symcache_reply *report)
{
	const char *units = is_managed ? "methods" : "units";

	printf("%s: %s%llu ranges from %llu %s, %llu bytes\n", out,
	       is_managed ? "a PpdbCache, " : "", (unsigned long long)report->ranges,
	       (unsigned long long)report->units, units, (unsigned long long)report->bytes);
	if (report->bad_units > 0)
		fprintf(stderr, "symgate: %llu %s could not be read, the first: %.*s\n",
			(unsigned long long)report->bad_units, units, (int)report->first_bad.size,
			report->first_bad.bytes ? report->first_bad.bytes : "");
}

static void show_report(const struct cli *cli, const char *out, bool is_managed,
			const struct convert_symcache_reply *report)
{
	struct json_writer json;
	struct buf text;

	if (!cli->json) {
		print_report(out, is_managed, report);
		return;
	}
	buf_init(&text, REPORT_BYTES);
	json_writer_init(&json, &text);
	json_object(&json);
	json_member_string(&json, "file", out);
	json_member_string(&json, "kind", is_managed ? "ppdbcache" : "symcache");
	json_member_u64(&json, "bytes", report->bytes);
	json_member_u64(&json, "ranges", report->ranges);
	json_member_u64(&json, "units", report->units);
	json_member_u64(&json, "bad_units", report->bad_units);
	json_member_text(&json, "first_bad", report->first_bad);
	json_member_u64(&json, "steps", report->steps);
	json_object_end(&json);
	puts(buf_string(&text));
	buf_release(&text);
}

struct conversion { struct subject *subject; struct convert_symcache_reply report; };

static int convert(int fd, void *payload, struct err *err)
{
	struct conversion *conversion = payload;

	return subject_convert(conversion->subject, fd, &conversion->report, err);
}

static int write_symcache(struct cli *cli, struct subject *subject, const char *from,
			  const char *out, struct err *err)
{
	struct conversion conversion = { .subject = subject };

	if (subject_open(subject, from, err) < 0)
		return -1;
	if (subject->kind != SUBJECT_OBJECT)
		return err_set(err, ERR_UNSUPPORTED, "%s is a %s already", from,
			       subject->kind == SUBJECT_SYMCACHE ? "SymCache" : "PpdbCache");
	if (subject_prefer_debug(subject, err) < 0 ||
	    file_make(NULL, out, 0644, convert, &conversion, err) < 0)
		return -1;
	show_report(cli, out, subject_is_managed(subject), &conversion.report);
	return 0;
}

static int dump_symcache(struct cli *cli, struct subject *subject, const char *from,
			 struct err *err)
{
	struct cell_file input = { "symcache", -1 };
	bool is_managed;

	if (subject_open(subject, from, err) < 0)
		return -1;
	if (subject->kind == SUBJECT_OBJECT)
		return err_set(err, ERR_UNSUPPORTED, "%s is no SymCache; symgate symcache write "
			       "makes one from it", from);
	is_managed = subject->kind == SUBJECT_PPDBCACHE;
	input.fd = subject->fd;
	if (cells_show(subject->nursery, is_managed ? cells_operation_dump_methods.name : cells_operation_dump.name,
		       &input, text_of(cli->json ? "json" : "text"), err) < 0)
		return err_while(err, "%s", from);
	return 0;
}

struct symcache_wish {
	struct companions folders;
	const char *arch, *line_map;
	const char *from, *out;      /* out NULL: it is listed */
};

static int run_verb(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		    struct err *err)
{
	const struct symcache_wish *wish = payload;
	struct subject subject;
	int rc;

	subject_init(&subject, config, nursery);
	subject.companions = wish->folders;
	subject.arch = wish->arch;
	subject.maps.line_map = wish->line_map;
	rc = wish->out ? write_symcache(cli, &subject, wish->from, wish->out, err)
		       : dump_symcache(cli, &subject, wish->from, err);
	subject_release(&subject);
	return rc < 0 ? -1 : CLI_OK;
}

enum symcache_option { OPTION_ARCH = 1, OPTION_DEBUG_DIR, OPTION_LINE_MAP };
static const struct cli_option options[] = {
	{ OPTION_ARCH, 0, "arch", "ARCH" }, { OPTION_DEBUG_DIR, 0, "debug-dir", "DIR" },
	{ OPTION_LINE_MAP, 0, "il2cpp-map", "FILE" }, CLI_OPTIONS_END
};

/* false: there is no room for one more. */
static bool take_option(struct symcache_wish *wish, enum symcache_option option, const char *value)
{
	if (option == OPTION_ARCH)
		wish->arch = value;
	else if (option == OPTION_LINE_MAP)
		wish->line_map = value;
	else if (wish->folders.debug_folder_count == COMPANIONS_FOLDERS)
		return false;
	else
		wish->folders.debug_folders[wish->folders.debug_folder_count++] = value;
	return true;
}

static int run(struct cli *cli, int argc, char **argv)
{
	static struct symcache_wish wish;
	struct cli_reader reader;
	bool writes, any = false;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_symcache, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		any = true;
		if (!take_option(&wish, (enum symcache_option)option, value))
			return cli_misused(&cli_symcache, "too many folders: %s", value);
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count < 1 ||
	    (strcmp(argv[1], "write") != 0 && strcmp(argv[1], "dump") != 0))
		return cli_misused(&cli_symcache, "write or dump?");
	writes = strcmp(argv[1], "write") == 0;
	if (!writes && any)
		return cli_misused(&cli_symcache, "dump has no options");
	if (reader.operand_count != (writes ? 3 : 2))
		return cli_misused(&cli_symcache, writes ? "write takes OBJECT and OUT"
							 : "dump takes one CACHE");
	wish.from = argv[2];
	wish.out = writes ? argv[3] : NULL;
	return cells_command(cli, run_verb, &wish);
}

const struct cli_command cli_symcache = {
	.name = "symcache",
	.arguments = "write [--arch ARCH] [--debug-dir DIR] [--il2cpp-map FILE] OBJECT OUT | dump CACHE",
	.about = "make a SymCache from an object, or list what one holds",
	.help =
	"write converts OBJECT (as symgate lookup takes it, its companions looked for in the\n"
	"same places) into the file OUT, which appears whole or not at all. Units that cannot\n"
	"be read cost themselves only; how many there were is said. Of managed code OUT is a\n"
	"PpdbCache, and the units are methods.\n"
	"\n"
	"  --arch ARCH         which object of a fat Mach-O file: x86_64, arm64, ...\n"
	"  --debug-dir DIR     where separate debug information lies (default: /usr/lib/debug)\n"
	"  --il2cpp-map FILE   the line map of a Unity program\n"
	"\n"
	"dump lists CACHE, one line per range: its first address and the calls there, the\n"
	"innermost first. With --json one object: {\"version\", \"arch\", \"debug_id\", ...,\n"
	"\"lookups\": [{\"address\", \"frames\"}]}. Of a PpdbCache a range begins at a method and IL\n"
	"offset: {\"debug_id\", ..., \"lookups\": [{\"method\", \"offset\", \"file\", \"line\",\n"
	"\"language\"}]}.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.verbs = "write|dump",
	.only_files = true,
	.run = run,
};

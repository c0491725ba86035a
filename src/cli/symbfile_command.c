/* symbfile_command.c -- "symgate symbfile": write those of an object, list one, tell file ids. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "cli/cli.h"
#include "cli/cli_cells.h"
#include "cli/options.h"
#include "cli/symbfile_files.h"

#define PATH_BYTES 4096u
#define COPY_BYTES ((size_t)1 << 20)
#define REPLY_BYTES 65536u

struct symbfile_wish { const char *path, *arch, *debug, *prefix; };

/* --- write ------------------------------------------------------------------------------------------ */

static int copy_to(int to, void *from, struct err *err)
{
	struct file_map map = { NULL, 0 };
	int rc = file_map_fd(&map, *(const int *)from, err);

	if (rc == 0 && map.size > 0)
		rc = file_write_all(to, map.bytes, map.size, err);
	file_unmap(&map);
	return rc;
}

static int publish(int fd, const char *prefix, const char *what, struct err *err)
{
	char path[PATH_BYTES];

	if (snprintf(path, sizeof(path), "%s.%s.symbfile", prefix, what) >= (int)sizeof(path))
		return err_set(err, ERR_IO, "the name is too long: %s", prefix);
	return file_make(NULL, path, 0644, copy_to, &fd, err);
}

static void show_made(const struct cli *cli, const struct symbfile_files *files, const char *prefix)
{
	char id[FILE_ID_TEXT_BYTES], hex[FILE_ID_HEX_BYTES];
	struct json_writer json;
	struct buf out;

	file_id_format(&files->id, id);
	file_id_format_hex(&files->id, hex);
	if (!cli->json) {
		printf("%s.ranges.symbfile: %llu ranges\n%s.returnpads.symbfile: %llu return pads\nfile id: %s (%s)\n",
		       prefix, (unsigned long long)files->range_count, prefix,
		       (unsigned long long)files->pad_count, id, hex);
		return;
	}
	buf_init(&out, REPLY_BYTES);
	json_writer_init(&json, &out);
	json_object(&json);
	json_member_string(&json, "file_id", id);
	json_member_string(&json, "file_id_hex", hex);
	json_member_string(&json, "build_id", files->build_id);
	json_member_string(&json, "prefix", prefix);
	json_member_string(&json, "debug", files->debug);
	json_member_u64(&json, "ranges", files->range_count);
	json_member_u64(&json, "return_pads", files->pad_count);
	json_member_u64(&json, "code_bytes", files->code_bytes);
	json_object_end(&json);
	puts(buf_string(&out));
	buf_release(&out);
}

static int write_symbfiles(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
			   struct err *err)
{
	const struct symbfile_wish *wish = payload;
	struct text base = text_basename(text_of(wish->path));
	char prefix[PATH_BYTES];
	struct symbfile_files files;
	int rc;

	snprintf(prefix, sizeof(prefix), "%.*s", (int)base.size, base.bytes);
	if (wish->prefix)
		snprintf(prefix, sizeof(prefix), "%s", wish->prefix);
	rc = symbfile_files_make(&files, nursery, config, wish->path, wish->debug, wish->arch, err);
	if (rc == 0)
		rc = publish(files.ranges, prefix, "ranges", err);
	if (rc == 0)
		rc = publish(files.pads, prefix, "returnpads", err);
	if (rc == 0)
		show_made(cli, &files, prefix);
	symbfile_files_release(&files);
	return rc;
}

/* --- dump and id ------------------------------------------------------------------------------------ */

static int dump_symbfile(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
			 struct err *err)
{
	const struct symbfile_wish *wish = payload;

	(void)config;
	return cells_show_file(nursery, cells_operation_dump_symbfile.name, "symbfile", wish->path,
			       text_of(cli->json ? "json" : "text"), err);
}

static int show_id(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		   struct err *err)
{
	const struct symbfile_wish *wish = payload;
	char text[FILE_ID_TEXT_BYTES], hex[FILE_ID_HEX_BYTES];
	struct file_map map;
	struct file_id id;

	(void)nursery, (void)config;
	if (file_map_path(&map, wish->path, err) < 0)
		return -1;
	id = file_id_of(map.bytes, map.size);
	file_unmap(&map);
	file_id_format(&id, text);
	file_id_format_hex(&id, hex);
	printf(cli->json ? "{\"file_id\":\"%s\",\"file_id_hex\":\"%s\"}\n" : "%s %s\n", text, hex);
	return 0;
}

/* --- The command ------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	cells_command_fn *run;
} verbs[] = { { "write", write_symbfiles }, { "dump", dump_symbfile }, { "id", show_id } };
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

enum { OPTION_ARCH = 1, OPTION_OUT, OPTION_DEBUG };
static const struct cli_option options[] = {
	{ OPTION_ARCH, 0, "arch", "ARCH" }, { OPTION_OUT, 'o', "output", "PREFIX" },
	{ OPTION_DEBUG, 'd', "debug", "FILE" }, CLI_OPTIONS_END
};

static int run_symbfile(struct cli *cli, int argc, char **argv)
{
	struct symbfile_wish wish = { .path = NULL };
	struct cli_reader reader;
	const char *value;
	size_t verb = 0;
	int option;

	cli_reader_init(&reader, cli, &cli_symbfile, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0)
		*(option == OPTION_ARCH ? &wish.arch : option == OPTION_OUT ? &wish.prefix : &wish.debug) = value;
	if (option < 0)
		return CLI_USAGE;
	while (verb < VERBS && (reader.operand_count < 1 || strcmp(verbs[verb].name, argv[1]) != 0))
		verb++;
	if (verb == VERBS)
		return cli_misused(&cli_symbfile, "write, dump or id?");
	if (reader.operand_count != 2)
		return cli_misused(&cli_symbfile, "%s takes one file", argv[1]);
	if (verb > 0 && (wish.arch || wish.prefix || wish.debug))
		return cli_misused(&cli_symbfile, "%s has no options", argv[1]);
	wish.path = argv[2];
	return cells_command(cli, verbs[verb].run, &wish);
}

const struct cli_command cli_symbfile = {
	.name = "symbfile",
	.arguments = "write [--arch ARCH] [-d FILE] [-o PREFIX] OBJECT | dump SYMBFILE | id FILE",
	.about = "make the symbfiles of an object, list one, or tell a file id",
	.help =
	"write makes PREFIX.ranges.symbfile and PREFIX.returnpads.symbfile of a native OBJECT (an\n"
	"executable or a library with its code, x86-64 or arm64 for return pads), with the debug\n"
	"information of OBJECT, of the file that goes with it, or of FILE.\n"
	"\n"
	"  --arch ARCH          which object of a fat Mach-O file: x86_64, arm64, ...\n"
	"  -d, --debug FILE     where the debug information is (default: as `symgate lookup' finds it)\n"
	"  -o, --output PREFIX  where to write (default: the name of OBJECT, in this folder)\n"
	"\n"
	"dump lists the records of SYMBFILE, with --json as an object of arrays. id tells the file id\n"
	"by which profilers name FILE, in base64 and in hexadecimal digits.\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.verbs = "write|dump|id",
	.only_files = true,
	.run = run_symbfile,
};

/* cfi_command.c -- "symgate cfi": write a CfiCache from an object, list one, ask one. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/subject.h"
#include "convert/convert.h"

#define REPLY_BYTES ((size_t)1 << 20)

enum verb { VERB_WRITE, VERB_DUMP, VERB_AT, VERBS };

struct cfi_wish {
	enum verb verb;
	const char *arch, *out;
	char **operands;             /* what stands behind the verb */
	int operand_count;
};

/* --- write ------------------------------------------------------------------------------ */

static int convert(int fd, void *payload, struct err *err)
{
	struct subject *subject = payload;
	struct cell_file input = { "object", subject->object_fd }, output = { "cficache", fd };
	const struct convert_cficache wish = {
		.max_section_bytes = subject->config->section_max_bytes,
		.unwind_chain_max = subject->config->unwind_chain_max,
	};
	struct cell_order order = {
		.operation = "cficache",
		.inputs = &input, .input_count = 1, .outputs = &output, .output_count = 1,
	};
	struct convert_symcache_reply report;
	struct buf parameters, reply;
	int rc;

	buf_init(&parameters, REPLY_BYTES);
	buf_init(&reply, REPLY_BYTES);
	rc = convert_cficache_parameters(&wish, &parameters, err);
	order.parameters = buf_text(&parameters);
	if (rc == 0)
		rc = cells_run(subject->nursery, &order, NULL, NULL, &reply, err);
	if (rc == 0)
		rc = convert_symcache_reply_parse(buf_text(&reply), &subject->arena, &report, err);
	if (rc < 0)
		err_while(err, "%s", subject->path);
	else if (report.bad_units > 0)
		fprintf(stderr, "symgate: %llu of %llu unwind records could not be read, the first: "
			"%.*s\n", (unsigned long long)report.bad_units,
			(unsigned long long)report.units, (int)report.first_bad.size,
			report.first_bad.bytes ? report.first_bad.bytes : "");
	buf_release(&reply);
	buf_release(&parameters);
	return rc;
}

static int write_cfi(struct subject *subject, const struct cfi_wish *wish, struct err *err)
{
	int fd, rc;

	if (subject_open(subject, wish->operands[0], err) < 0)
		return -1;
	if (subject->kind != SUBJECT_OBJECT)
		return err_set(err, ERR_UNSUPPORTED, "%s is no object, but a cache",
			       wish->operands[0]);
	if (wish->out)
		return file_make(NULL, wish->out, 0644, convert, subject, err);
	if (cells_temporary(&fd, err) < 0)
		return -1;
	rc = convert(fd, subject, err);
	if (rc == 0)
		rc = cells_copy_out(fd, err);
	close(fd);
	return rc;
}

/* --- dump and at ------------------------------------------------------------------------ */

static int ask_at(const struct cli *cli, struct nursery *nursery, const struct cfi_wish *wish,
		  struct err *err)
{
	struct buf parameters;
	int rc;

	buf_init(&parameters, REPLY_BYTES);
	buf_add_string(&parameters, cli->json ? "json" : "text");
	for (int i = 1; i < wish->operand_count; i++) {
		const char *address = wish->operands[i];

		buf_add_char(&parameters, '\n');
		buf_add_string(&parameters, strncmp(address, "0x", 2) == 0 ? address + 2 : address);
	}
	rc = buf_check(&parameters, err);
	if (rc == 0)
		rc = cells_show_file(nursery, cells_operation_find_cfi.name, "cficache", wish->operands[0],
				     buf_text(&parameters), err);
	buf_release(&parameters);
	return rc;
}

/* --- The command ------------------------------------------------------------------------ */

static const char *const verbs[VERBS] = { "write", "dump", "at" };

static int run_verb(struct cli *cli, struct nursery *nursery, const struct config *config, void *payload,
		    struct err *err)
{
	const struct cfi_wish *wish = payload;
	struct subject subject;
	int rc;

	subject_init(&subject, config, nursery);
	subject.arch = wish->arch;
	if (wish->verb == VERB_WRITE)
		rc = write_cfi(&subject, wish, err);
	else if (wish->verb == VERB_DUMP)
		rc = cells_show_file(nursery, cells_operation_dump_cfi.name, "cficache", wish->operands[0],
				     TEXT_NONE, err);
	else
		rc = ask_at(cli, nursery, wish, err);
	subject_release(&subject);
	return rc < 0 ? -1 : CLI_OK;
}

static bool is_address(const char *text)
{
	uint64_t address;

	return text_to_u64(text_of(strncmp(text, "0x", 2) == 0 ? text + 2 : text), 16, &address);
}

static int check(const struct cfi_wish *wish)
{
	if (wish->verb != VERB_WRITE && (wish->out || wish->arch))
		return cli_misused(&cli_cfi, "%s has no options", verbs[wish->verb]);
	if (wish->verb != VERB_AT)
		return wish->operand_count == 1 ? CLI_OK
			: cli_misused(&cli_cfi, "%s takes one file", verbs[wish->verb]);
	if (wish->operand_count < 2)
		return cli_misused(&cli_cfi, "at takes a CACHE and addresses");
	for (int i = 1; i < wish->operand_count; i++)
		if (!is_address(wish->operands[i]))
			return cli_misused(&cli_cfi, "no address: %s", wish->operands[i]);
	return CLI_OK;
}

enum cfi_option { OPTION_ARCH = 1, OPTION_OUT };
static const struct cli_option options[] = {
	{ OPTION_ARCH, 0, "arch", "ARCH" }, { OPTION_OUT, 'o', "output", "FILE" }, CLI_OPTIONS_END
};

static int run(struct cli *cli, int argc, char **argv)
{
	struct cfi_wish wish = { .operands = argv + 2 };
	struct cli_reader reader;
	unsigned verb = 0;
	const char *value;
	int option;

	cli_reader_init(&reader, cli, &cli_cfi, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		if (option == OPTION_ARCH)
			wish.arch = value;
		else
			wish.out = value;
	}
	if (option < 0)
		return CLI_USAGE;
	while (verb < VERBS && (reader.operand_count < 1 || strcmp(argv[1], verbs[verb]) != 0))
		verb++;
	if (verb == VERBS)
		return cli_misused(&cli_cfi, "write, dump or at?");
	wish.operand_count = reader.operand_count - 1;
	wish.verb = (enum verb)verb;
	if (check(&wish) != CLI_OK)
		return CLI_USAGE;
	return cells_command(cli, run_verb, &wish);
}

const struct cli_command cli_cfi = {
	.name = "cfi",
	.arguments = "write [--arch ARCH] [-o FILE] OBJECT | dump CACHE | at CACHE ADDRESS...",
	.about = "make a CfiCache (unwind rules) from an object, list one or ask one",
	.help =
	"write takes the unwind information of OBJECT, of whatever kind it is (ELF, Mach-O, PE,\n"
	"PDB, Breakpad), and writes it as a CfiCache: Breakpad's STACK records, sorted. Records\n"
	"that cannot be read cost themselves only; how many there were is said.\n"
	"\n"
	"  --arch ARCH        which object of a fat Mach-O file: x86_64, arm64, ...\n"
	"  -o, --output FILE  where to write, whole or not at all (default: standard output)\n"
	"\n"
	"dump lists the records of CACHE. at tells for each ADDRESS (hex, relative to the module)\n"
	"the record that covers it and the rules that hold there. With --json it is an array:\n"
	"[{\"address\", \"cfi\": {\"start\", \"size\", \"rules\": [{\"register\", \"expression\"}]},\n"
	"\"win\": {\"type\", \"start\", \"size\", \"parameter_bytes\", \"saved_register_bytes\",\n"
	"\"local_bytes\", \"program\"}}].\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.verbs = "write|dump|at",
	.only_files = true,
	.run = run,
};

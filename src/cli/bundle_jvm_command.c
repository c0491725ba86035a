/*
 * bundle_jvm_command.c -- "symgate bundle-jvm": a source bundle of a tree of Java sources, whose lines
 * obfuscated stacks are quoted with.
 *
 * A file is found there by its URL: `~/`, its path below the tree without the extension, `.jvm`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/debugid.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "pack/pack.h"

#define SOURCE_BYTES_MAX ((size_t)10 * 1024 * 1024)
#define DEPTH_MAX 128u

static const char *const extensions[] = { ".java", ".kt", ".kts", ".scala", ".groovy", ".clj" };

struct jvm_tree {
	const char *folder;
	struct text debug_id;
	struct bundle_writer bundle;
	struct buf path;             /* below the tree */
	struct buf url, contents;
	unsigned skipped;
};

static bool is_source(struct text name)
{
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
		if (text_ends_with(name, extensions[i]))
			return true;
	return false;
}

/* 1: read; 0: it is no text of a source's size. */
static int read_source(int folder, const char *name, struct buf *contents, struct err *err)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t got = -1;
	char *bytes;

	buf_clear(contents);
	if (fd < 0)
		return err_os(err, errno, "opening %s", name);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > SOURCE_BYTES_MAX) {
		close(fd);
		return 0;
	}
	bytes = buf_reserve(contents, (size_t)st.st_size + 1);
	if (bytes)
		got = pread(fd, bytes, (size_t)st.st_size, 0);
	close(fd);
	if (!bytes)
		return buf_check(contents, err);
	contents->size = got > 0 ? (size_t)got : 0;
	return got >= 0 && text_is_utf8(buf_text(contents));
}

static int add_source(struct jvm_tree *tree, int folder, const char *name, struct err *err)
{
	struct text path = buf_text(&tree->path), stem = path;
	int is_read = read_source(folder, name, &tree->contents, err);

	if (is_read < 0)
		return -1;
	if (is_read == 0 || !text_is_utf8(path)) {
		tree->skipped++;
		return 0;
	}
	stem.size = (size_t)((const char *)memrchr(stem.bytes, '.', stem.size) - stem.bytes);
	buf_clear(&tree->url);
	buf_add(&tree->url, "~/", 2);
	buf_add_text(&tree->url, stem);
	buf_add_string(&tree->url, ".jvm");
	if (buf_check(&tree->url, err) < 0)
		return -1;
	return bundle_writer_add_url(&tree->bundle, path, buf_text(&tree->url), buf_text(&tree->contents), err);
}

static int walk(struct jvm_tree *tree, int folder, unsigned depth, struct err *err);

/* Links are not followed: a tree may not lead out of itself. */
static int add_entry(struct jvm_tree *tree, int folder, const char *name, unsigned depth, struct err *err)
{
	struct stat st;
	int sub, rc = 0;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_os(err, errno, "looking at %s", name);
	if (S_ISREG(st.st_mode))
		return is_source(text_of(name)) ? add_source(tree, folder, name, err) : 0;
	if (!S_ISDIR(st.st_mode) || depth == DEPTH_MAX)
		return 0;
	sub = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (sub < 0)
		return err_os(err, errno, "opening %s", name);
	rc = walk(tree, sub, depth + 1, err);
	return rc < 0 ? err_while(err, "%s", name) : 0;
}

/* Takes the descriptor. */
static int walk(struct jvm_tree *tree, int folder, unsigned depth, struct err *err)
{
	DIR *listing = fdopendir(folder);
	size_t before = tree->path.size;
	const struct dirent *entry;
	int rc = 0;

	if (!listing) {
		close(folder);
		return err_os(err, errno, "listing a folder");
	}
	while (rc == 0 && (entry = readdir(listing))) {
		if (entry->d_name[0] == '.')
			continue;
		if (before > 0)
			buf_add_char(&tree->path, '/');
		buf_add_string(&tree->path, entry->d_name);
		rc = buf_check(&tree->path, err);
		if (rc == 0)
			rc = add_entry(tree, folder, entry->d_name, depth, err);
		tree->path.size = before;
	}
	closedir(listing);
	return rc;
}

static int write_tree(int fd, void *payload, struct err *err)
{
	struct jvm_tree *tree = payload;
	const struct bundle_attribute attributes[] = { { "debug_id", tree->debug_id } };
	int folder = open(tree->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (folder < 0)
		return err_os(err, errno, "%s", tree->folder);
	buf_init(&tree->path, CLI_PATH_BYTES);
	buf_init(&tree->url, 2 * CLI_PATH_BYTES);
	buf_init(&tree->contents, SOURCE_BYTES_MAX + 2);
	rc = bundle_writer_init(&tree->bundle, fd, err);
	if (rc == 0)
		rc = walk(tree, folder, 0, err);
	else
		close(folder);
	if (rc == 0)
		rc = bundle_writer_end(&tree->bundle, attributes, 1, err);
	bundle_writer_release(&tree->bundle);
	buf_release(&tree->path);
	buf_release(&tree->url);
	buf_release(&tree->contents);
	if (rc < 0)
		return err_while(err, "%s", tree->folder);
	return tree->bundle.count > 0 ? 0
		: err_set(err, ERR_NOT_FOUND, "%s holds no sources of Java, Kotlin, Scala, Groovy or Clojure",
			  tree->folder);
}

/* --- The command ------------------------------------------------------------------------------- */

enum { OPTION_DEBUG_ID = 1 };
static const struct cli_option options[] = { { OPTION_DEBUG_ID, 0, "debug-id", "ID" }, CLI_OPTIONS_END };

static int run_bundle(struct cli *cli, int argc, char **argv)
{
	char text[DEBUGID_TEXT_BYTES];
	struct jvm_tree tree = { .skipped = 0 };
	struct cli_reader reader;
	struct debugid id;
	const char *value;
	struct err err = ERR_INIT;
	int option;

	random_uuid(text);
	cli_reader_init(&reader, cli, &cli_bundle_jvm, argc, argv);
	while ((option = cli_next_option(&reader, &value)) > 0) {
		if (!debugid_parse(text_of(value), &id) || debugid_is_nil(&id))
			return cli_misused(&cli_bundle_jvm, "`%s' is no debug id", value);
		debugid_format(&id, text);
	}
	if (option < 0)
		return CLI_USAGE;
	if (reader.operand_count != 2)
		return cli_misused(&cli_bundle_jvm, "which folder, and into which file?");
	tree.folder = argv[1];
	tree.debug_id = text_of(text);
	if (file_make(NULL, argv[2], 0644, write_tree, &tree, &err) < 0)
		return cli_fail(&err);
	printf(cli->json ? "{\"debug_id\":\"%s\",\"files\":%u,\"skipped\":%u}\n" : "%s: %u files, %u left out\n", text,
	       tree.bundle.count, tree.skipped);
	return CLI_OK;
}

const struct cli_command cli_bundle_jvm = {
	.name = "bundle-jvm",
	.arguments = "[--debug-id ID] DIR OUT",
	.about = "make a source bundle of a tree of Java sources",
	.help =
	"Writes the sources of Java, Kotlin, Scala, Groovy and Clojure below DIR, whose folders are\n"
	"packages, to the source bundle OUT, with which /symbolicate-jvm quotes lines. Hidden files, links\n"
	"and what is no UTF-8 or larger than 10 MiB is left out. The bundle's debug id and how many\n"
	"files it holds are said.\n"
	"\n"
	"  --debug-id ID   what the bundle is found by (default: a new one)\n"
	"\n"
	"exit codes: 0 done, 1 failed, 2 wrong usage\n",
	.options = options,
	.only_files = true,
	.run = run_bundle,
};

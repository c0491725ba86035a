/*
 * fixture.c -- files made by recipe; see support.h.
 *
 * Several test programs may want the same file at once: one makes it, in a folder of its own, and
 * renames it into place; the others wait for that, since of a certificate or of a core there must
 * not be two.  The recipe's words lie beside it as <name>.recipe; when they change, the file is
 * made anew.
 */
#include "support/support.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"

#define FOLDER SUPPORT_BUILD_DIR "/tests-fixtures"
#define TEXT_MAX_BYTES ((size_t)1 << 20)

/* The file's text, or "" when there is none. */
static char *text_of_file(const char *path)
{
	struct err err = ERR_INIT;
	struct buf buf;

	buf_init(&buf, TEXT_MAX_BYTES);
	if (file_read_all(path, TEXT_MAX_BYTES, &buf, &err) < 0 || !buf.bytes)
		buf_add_string(&buf, "");
	return support_keep(buf.bytes);
}

/* Runs the words; standard output and error go to the file `output`. */
static int run(const char *words, const char *output)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(126);
		execl("/bin/sh", "sh", "-ec", words, (char *)NULL);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void remove_folder(const char *folder)
{
	setenv("DIR", folder, 1);
	if (run("rm -rf \"$DIR\"", "/dev/null") != 0)
		fprintf(stderr, "support: %s is left behind\n", folder);
}

static void write_words(const char *folder, const char *path, const char *words)
{
	struct err err = ERR_INIT;
	char temporary[PATH_MAX];
	int fd;

	if (file_temporary(folder, temporary, sizeof(temporary), &fd, &err) < 0 ||
	    file_write_all(fd, words, strlen(words), &err) < 0 ||
	    file_publish(fd, temporary, path, 0644, &err) < 0)
		ck_abort_msg("%s", err.text);
	close(fd);
}

static void make(const char *folder, const char *path, const char *recipe)
{
	char *own = support_printf("%s/make-XXXXXX", folder);
	const char *base = strrchr(path, '/') + 1;
	char *out, *output;
	int status;

	if (!mkdtemp(own))
		ck_abort_msg("%s: %s", own, strerror(errno));
	out = support_printf("%s/%s", own, base);
	output = support_printf("%s/recipe-output", own);
	setenv("OUT", out, 1);
	setenv("DIR", own, 1);
	setenv("SRC", SUPPORT_SOURCE_DIR, 1);
	status = run(recipe, output);
	if (status != 0 || access(out, F_OK) != 0) {
		char *words = text_of_file(output);

		remove_folder(own);
		ck_abort_msg("the recipe of %s failed (status %#x): %.4000s", base,
			     (unsigned)status, words);
	}
	if (rename(out, path) < 0)
		ck_abort_msg("%s: %s", path, strerror(errno));
	remove_folder(own);
}

static bool is_made(const char *path, const char *words, const char *recipe)
{
	return access(path, F_OK) == 0 && strcmp(text_of_file(words), recipe) == 0;
}

const char *support_fixture(const char *name, const char *recipe)
{
	struct err err = ERR_INIT;
	char *path, *words, *folder;
	int lock;

	path = support_printf(FOLDER "/%s", name);
	words = support_printf("%s.recipe", path);
	if (is_made(path, words, recipe))
		return path;
	folder = support_printf("%s", path);
	*strrchr(folder, '/') = '\0';
	if (file_make_folders(folder, 0755, &err) < 0)
		ck_abort_msg("%s", err.text);
	lock = open(support_printf("%s.lock", path), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock < 0 || flock(lock, LOCK_EX) < 0)
		ck_abort_msg("%s.lock: %s", path, strerror(errno));
	if (!is_made(path, words, recipe)) {
		make(folder, path, recipe);
		write_words(folder, words, recipe);
	}
	close(lock);
	return path;
}

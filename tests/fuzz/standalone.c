/*
 * standalone.c -- runs a fuzz target over files, without a fuzzer.
 *
 * Every argument is a file, or a folder whose files (and those of folders in it) are all
 * run.  Without arguments the target goes through its own corpus, so that what was found
 * once stays found: for fuzz_elf the files below tests/fuzz/corpus/elf and those made by
 * recipe below tests-fixtures/corpus/elf.  Exits with 1 when there was nothing to run.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#define INPUT_MAX_BYTES ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned long inputs;

static int run_file(const char *path)
{
	struct err err = ERR_INIT;
	struct file_map map;
	uint8_t *copy;

	if (file_map_path(&map, path, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	/* A block of just that size: sanitizers see the first byte read past it. */
	copy = map.size <= INPUT_MAX_BYTES ? mem_get(map.size) : NULL;
	if (!copy) {
		fprintf(stderr, "%s is too large\n", path);
		file_unmap(&map);
		return -1;
	}
	if (map.size)
		memcpy(copy, map.bytes, map.size);
	LLVMFuzzerTestOneInput(copy, map.size);
	inputs++;
	mem_give_back(copy);
	file_unmap(&map);
	return 0;
}

static int run_path(const char *path);

static int run_folder(const char *path)
{
	struct buf name;
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);
	int result = count < 0 ? -1 : 0;

	if (count < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	buf_init(&name, 1 << 16);
	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] != '.') {
			buf_clear(&name);
			buf_printf(&name, "%s/%s", path, entries[i]->d_name);
			if (name.failed || run_path(buf_string(&name)) < 0)
				result = -1;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	buf_release(&name);
	return result;
}

static int run_path(const char *path)
{
	struct stat now;

	if (stat(path, &now) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	return S_ISDIR(now.st_mode) ? run_folder(path) : run_file(path);
}

/* Either folder may be missing, not both. */
static int run_own_corpus(const char *program)
{
	static const char *const folders[] = { FUZZ_CORPUS_DIR, "tests-fixtures/corpus" };
	const char *slash = strrchr(program, '/');
	const char *target = strstr(slash ? slash : program, "fuzz_");
	struct buf path;
	int result = 0;

	if (!target) {
		fprintf(stderr, "%s is no fuzz target's name\n", program);
		return -1;
	}
	target += strlen("fuzz_");
	buf_init(&path, 1 << 16);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		buf_clear(&path);
		buf_printf(&path, "%s/%s", folders[i], target);
		if (path.failed || (access(buf_string(&path), F_OK) == 0 &&
				    run_path(buf_string(&path)) < 0))
			result = -1;
	}
	buf_release(&path);
	return result;
}

int main(int argc, char **argv)
{
	int result = argc > 1 ? 0 : run_own_corpus(argv[0]);

	for (int i = 1; i < argc; i++)
		if (run_path(argv[i]) < 0)
			result = -1;
	printf("%lu inputs\n", inputs);
	return result < 0 || !inputs ? EXIT_FAILURE : EXIT_SUCCESS;
}

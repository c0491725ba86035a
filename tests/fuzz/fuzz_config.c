/*
 * fuzz_config.c -- a config file: read, printed, and read again.
 *
 * What config_print() writes is a config file of the same meaning, whatever was read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "config/config.h"

#define PRINTED_BYTES_MAX ((size_t)16 << 20)
#define PATH_BYTES 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void take_note(void *payload, enum config_note_kind kind, const char *text)
{
	(void)kind;
	if (!text || !text[0])
		abort();
	++*(size_t *)payload;
}

/* config_load() reads files by name: one that lives in memory. */
static int load(struct config *config, const void *bytes, size_t size, struct err *err)
{
	int fd = memfd_create("config", MFD_CLOEXEC);
	char path[PATH_BYTES];
	const char *paths[] = { path };
	size_t notes = 0;
	int rc;

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = config_load(config, paths, 1, "/nowhere/state", take_note, &notes, err);
	close(fd);
	return rc;
}

static void print(const struct config *config, struct buf *out)
{
	struct err err = ERR_INIT;

	buf_init(out, PRINTED_BYTES_MAX);
	if (config_print(config, out, &err) < 0 && err.kind != ERR_NO_MEMORY && err.kind != ERR_LIMIT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct config config, again;
	struct buf first, second;
	struct err err = ERR_INIT;

	if (load(&config, bytes, size, &err) < 0) {
		if (err.kind == ERR_NONE || !err.text[0])
			abort();
		return 0;
	}
	print(&config, &first);
	config_release(&config);
	if (load(&again, first.bytes, first.size, &err) == 0) {
		print(&again, &second);
		if (!text_equal(buf_text(&first), buf_text(&second)))
			abort();
		buf_release(&second);
		config_release(&again);
	} else {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	buf_release(&first);
	return 0;
}

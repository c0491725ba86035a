/* fuzz_pointer.c -- a file.ptr: whatever it says, a path outside of the folder it may lead to is refused. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "config/config.h"
#include "source/source.h"

#define ARENA_BYTES ((size_t)1 << 20)
#define FOLDER "/proc/sys/kernel"        /* has files, and none of ours */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char sources[] =
	"[{\"type\":\"http\",\"id\":\"h\",\"url\":\"http://h/\",\"layout\":{\"type\":\"symstore\"},"
	"\"file_ptr\":{\"\\\\\\\\builds\\\\symbols\":\"" FOLDER "\",\"/srv\":\"" FOLDER "\"}}]";

static int make_file(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("pointer", MFD_CLOEXEC);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	return fd;
}

static void check_target(int fd)
{
	char name[4096];

	if (!file_name_of(fd, name, sizeof(name)) || strncmp(name, FOLDER "/", strlen(FOLDER) + 1) != 0)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct config config = { .path = NULL };
	struct location location = { .path = TEXT("my.pdb/1/file.ptr") };
	struct source_list list;
	struct arena arena;
	struct err err = ERR_INIT;
	cJSON *array = cJSON_Parse(sources);
	int pointer = make_file(bytes, size), fd = -1;

	arena_init(&arena, ARENA_BYTES);
	if (!array || source_list_parse(array, SOURCE_OF_CONFIG, &config, &arena, &list, &err) < 0)
		abort();
	location.source = &list.sources[0];
	if (!source_is_pointer(&location))
		abort();
	if (source_follow(&location, pointer, &arena, &fd, &err) == 0)
		check_target(fd);
	else if (fd >= 0 || err.kind == ERR_NONE)
		abort();
	arena_release(&arena);
	cJSON_Delete(array);
	close(pointer);
	return 0;
}

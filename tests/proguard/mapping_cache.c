/* mapping_cache.c -- see mapping_cache.h. */
#include "proguard/mapping_cache.h"

#include <check.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "proguard/proguard_write.h"

#define MEMORY_BYTES ((size_t)1 << 30)

struct file_map mapping_cache_open(const char *what, struct text text, struct proguard *mapping)
{
	int fd = memfd_create("cache", MFD_CLOEXEC);
	struct proguard_report report;
	struct err err = ERR_INIT;
	struct file_map map;

	if (proguard_write(text, MEMORY_BYTES, fd, &report, &err) < 0 ||
	    file_map_fd(&map, fd, &err) < 0 || proguard_open(mapping, map.bytes, map.size, &err) < 0)
		ck_abort_msg("%s: %s", what, err.text);
	ck_assert_uint_eq(map.size, report.bytes);
	close(fd);
	return map;
}

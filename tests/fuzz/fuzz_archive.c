/* fuzz_archive -- zip and cab archives of one file and of several; the magic is put over the first bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "unpack/unpack.h"

#define CEILING_BYTES ((uint64_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The second of several, which a lie may make any number of. */
static void take_member(enum unpack_kind kind, struct text archive, int out)
{
	struct err err = ERR_INIT;
	struct buf name;
	size_t count;

	buf_init(&name, 1 << 17);
	if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
		abort();
	if (unpack_archive_member(kind, archive, 1, out, CEILING_BYTES, &count, &name, &err) < 0 &&
	    err.kind == ERR_NONE)
		abort();
	if (lseek(out, 0, SEEK_END) > (off_t)CEILING_BYTES)
		abort();
	buf_release(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct { enum unpack_kind kind; const char *magic; } kinds[] = {
		{ UNPACK_ZIP, "PK\3\4" }, { UNPACK_CAB, "MSCF" },
	};
	char *copy = size < 4 ? NULL : malloc(size);
	int out = memfd_create("out", MFD_CLOEXEC);

	for (size_t i = 0; copy && out >= 0 && i < 2; i++) {
		struct err err = ERR_INIT;

		memcpy(copy, bytes, size);
		memcpy(copy, kinds[i].magic, 4);
		if (ftruncate(out, 0) < 0 || lseek(out, 0, SEEK_SET) < 0)
			abort();
		if (unpack_archive(kinds[i].kind, (struct text){ copy, size }, out, CEILING_BYTES,
				   &err) < 0 && err.kind == ERR_NONE)
			abort();
		if (lseek(out, 0, SEEK_END) > (off_t)CEILING_BYTES)
			abort();
		take_member(kinds[i].kind, (struct text){ copy, size }, out);
	}
	close(out);
	free(copy);
	return 0;
}

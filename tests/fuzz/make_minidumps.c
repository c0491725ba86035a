/* make_minidumps.c -- writes the minidumps of the fuzz corpus: make_minidumps FOLDER. */
#include <stdio.h>

#include "minidump/dump_builder.h"

static int write_one(const char *folder, const char *name, bool big_endian)
{
	struct dump_builder dump;
	char path[4096];
	FILE *file;
	bool done;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	dump_sample(&dump, big_endian);
	file = fopen(path, "wb");
	done = file && fwrite(dump.out.bytes, 1, dump.out.size, file) == dump.out.size;
	if (file)
		done &= fclose(file) == 0;
	dump_release(&dump);
	return done ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	return write_one(argv[1], "little.dmp", false) | write_one(argv[1], "big.dmp", true);
}

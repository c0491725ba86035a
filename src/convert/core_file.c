/* core_file.c -- see core_file.h. */
#include "convert/core_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "sandbox/sandbox.h"
#include "unpack/unpack.h"

#define PAGE_BYTES ((size_t)4096)

struct core_unpacking {
	int in, out;
	uint64_t read_bytes;
	uint64_t size;               /* written, holes too */
	uint64_t filled_bytes;       /* of that, what is no hole */
};

static ssize_t take(void *payload, void *bytes, size_t capacity, struct err *err)
{
	struct core_unpacking *unpacking = payload;
	ssize_t got;

	do {
		got = read(unpacking->in, bytes, capacity);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_os(err, errno, "reading a packed core");
	unpacking->read_bytes += (uint64_t)got;
	return got;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static int fill(struct core_unpacking *unpacking, const uint8_t *bytes, size_t size,
		struct err *err)
{
	unpacking->filled_bytes += size;
	if (unpacking->filled_bytes > unpack_most(unpacking->read_bytes, LIMIT_CORE_BYTES))
		return err_set(err, ERR_LIMIT, "it holds more than %u times its %llu bytes, zeros aside",
			       LIMIT_UNPACK_RATIO, (unsigned long long)unpacking->read_bytes);
	if (lseek(unpacking->out, (off_t)unpacking->size, SEEK_SET) < 0)
		return err_os(err, errno, "going on in an unpacked core");
	return file_write_all(unpacking->out, bytes, size, err);
}

/* Page by page: one of zeros is left out. */
static int put(void *payload, const void *bytes, size_t size, struct err *err)
{
	struct core_unpacking *unpacking = payload;
	const uint8_t *rest = bytes;

	while (size > 0) {
		size_t left = PAGE_BYTES - unpacking->size % PAGE_BYTES;
		size_t turn = size < left ? size : left;

		if (!is_zero(rest, turn) && fill(unpacking, rest, turn, err) < 0)
			return -1;
		unpacking->size += turn;
		rest += turn;
		size -= turn;
	}
	return 0;
}

static int unpack(enum unpack_kind kind, int in, int out, struct core_file *file, struct err *err)
{
	struct core_unpacking unpacking = { .in = in, .out = out };
	const struct unpack_flow flow = {
		.read = take, .write = put, .payload = &unpacking, .any_ratio = true,
	};

	if (unpack_flow(kind, &flow, LIMIT_CORE_BYTES, err) < 0) {
		if (err->kind != ERR_MALFORMED || unpacking.size == 0)
			return err_while(err, "unpacking %s", unpack_kind_name(kind));
		file->damage = *err;
		err_clear(err);
	}
	if (ftruncate(out, (off_t)unpacking.size) < 0)
		return err_os(err, errno, "ending an unpacked core");
	return 0;
}

/* Dumps of kernels that are no ELF files, by what they begin with. */
static int refuse_kdump(const struct file_map *map, struct err *err)
{
	static const struct { const char *magic, *what; } kinds[] = {
		{ "KDUMP   ", "a compressed kdump file: makedumpfile -E makes an ELF core of it" },
		{ "DISKDUMP", "a diskdump file: no ELF core" },
		{ "makedumpfile", "a flattened dump: makedumpfile -R makes a file of it" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t size = strlen(kinds[i].magic);

		if (map->size >= size && memcmp(map->bytes, kinds[i].magic, size) == 0)
			return err_set(err, ERR_UNSUPPORTED, "%s", kinds[i].what);
	}
	return 0;
}

int core_file_map(struct cell *cell, struct file_map *map, struct core_file *file, struct err *err)
{
	int packed = cell_input(cell, "file"), unpacked = cell_output(cell, "report");
	enum unpack_kind kind;

	*file = (struct core_file){ .damage = ERR_INIT };
	if (file_map_fd(map, packed, err) < 0)
		return -1;
	kind = unpack_recognise_stored(map->bytes, map->size);
	if (kind == UNPACK_NONE)
		return refuse_kdump(map, err);
	file_unmap(map);
	*map = (struct file_map){ NULL, 0 };
	if (kind == UNPACK_ZIP || kind == UNPACK_CAB || unpacked < 0)
		return err_set(err, ERR_UNSUPPORTED, "a file packed by %s: unpack it first",
			       unpack_kind_name(kind));
	if (unpack(kind, packed, unpacked, file, err) < 0 || file_map_fd(map, unpacked, err) < 0)
		return -1;
	return refuse_kdump(map, err);
}

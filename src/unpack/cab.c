/*
 * cab.c -- see cab.h.
 *
 * libmspack opens files by name through a table of functions: here the name is one of two
 * words, and the table leads to a range of memory and a descriptor.
 */
#include "unpack/cab.h"

#include <mspack.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "unpack/unpack.h"

#define NAME_IN  "in"
#define NAME_OUT "out"

struct cabinet {
	struct mspack_system system; /* first: libmspack gives it back to us */
	struct text in;
	int out_fd;
	uint64_t left_bytes;         /* that may still be written */
	struct err failure;          /* ours; kind ERR_NONE: there was none */
};

struct opened {
	struct mspack_file file;     /* first: likewise */
	struct cabinet *cabinet;
	bool is_out;
	size_t at;
};

static struct cabinet *cabinet_of(struct mspack_system *system)
{
	return (struct cabinet *)(void *)system;
}

static struct opened *opened_of(struct mspack_file *file)
{
	return (struct opened *)(void *)file;
}

static struct mspack_file *on_open(struct mspack_system *system, const char *name, int mode)
{
	struct cabinet *cabinet = cabinet_of(system);
	struct opened *opened = mem_get(sizeof(*opened));

	(void)mode;
	if (!opened) {
		err_set(&cabinet->failure, ERR_NO_MEMORY, "no memory to unpack cab data");
		return NULL;
	}
	opened->cabinet = cabinet;
	opened->is_out = strcmp(name, NAME_OUT) == 0;
	return &opened->file;
}

static void on_close(struct mspack_file *file)
{
	mem_give_back(file);
}

static int on_read(struct mspack_file *file, void *buffer, int size)
{
	struct opened *opened = opened_of(file);
	struct text in = opened->cabinet->in;
	size_t got = size > 0 ? (size_t)size : 0;

	if (opened->is_out)
		return -1;
	if (got > in.size - opened->at)
		got = in.size - opened->at;
	if (got > 0)
		memcpy(buffer, in.bytes + opened->at, got);
	opened->at += got;
	return (int)got;
}

static int on_write(struct mspack_file *file, void *buffer, int size)
{
	struct cabinet *cabinet = opened_of(file)->cabinet;

	if (!opened_of(file)->is_out || size < 0)
		return -1;
	if ((uint64_t)size > cabinet->left_bytes) {
		err_set(&cabinet->failure, ERR_LIMIT, "Maximum file size exceeded");
		return -1;
	}
	if (file_write_all(cabinet->out_fd, buffer, (size_t)size, &cabinet->failure) < 0)
		return -1;
	cabinet->left_bytes -= (uint64_t)size;
	return size;
}

static int on_seek(struct mspack_file *file, off_t offset, int mode)
{
	struct opened *opened = opened_of(file);
	size_t size = opened->cabinet->in.size;
	off_t from = mode == MSPACK_SYS_SEEK_CUR ? (off_t)opened->at :
		     mode == MSPACK_SYS_SEEK_END ? (off_t)size : 0;
	off_t to;

	if (opened->is_out || __builtin_add_overflow(from, offset, &to) || to < 0 ||
	    (uint64_t)to > size)
		return -1;
	opened->at = (size_t)to;
	return 0;
}

static off_t on_tell(struct mspack_file *file)
{
	return (off_t)opened_of(file)->at;
}

static void on_message(struct mspack_file *file, const char *format, ...)
{
	(void)file, (void)format;
}

/* Its decompressors hand us a copy of the table here, with nothing of ours behind it. */
static void *on_alloc(struct mspack_system *system, size_t bytes)
{
	(void)system;
	return mem_get(bytes);
}

static void on_copy(void *from, void *to, size_t bytes)
{
	memcpy(to, from, bytes);
}

static const char *words_of(int error)
{
	switch (error) {
	case MSPACK_ERR_READ:
	case MSPACK_ERR_SEEK:      return "it ends early";
	case MSPACK_ERR_SIGNATURE: return "it is none";
	case MSPACK_ERR_CHECKSUM:  return "Invalid checksum";
	case MSPACK_ERR_DECRUNCH:  return "bad packed data";
	default:                   return "it is damaged";
	}
}

static int explain(struct cabinet *cabinet, int error, struct err *err)
{
	if (cabinet->failure.kind != ERR_NONE) {
		*err = cabinet->failure;
		return -1;
	}
	if (error == MSPACK_ERR_NOMEMORY)
		return err_set(err, ERR_NO_MEMORY, "no memory to unpack cab data");
	return err_set(err, ERR_MALFORMED, "bad cab file: %s", words_of(error));
}

/* NULL: there is none at that place. */
static struct mscabd_file *choose(struct mscabd_cabinet *cab, struct cab_member *member)
{
	struct mscabd_file *chosen = NULL;

	for (struct mscabd_file *file = cab->files; file; file = file->next) {
		if (member->count++ != member->index)
			continue;
		chosen = file;
		buf_add_string(member->name, file->filename);
	}
	return chosen;
}

static int extract_file(struct cabinet *cabinet, struct mscab_decompressor *mspack,
			struct mscabd_file *file, struct err *err)
{
	if (file->length > cabinet->left_bytes)
		return err_set(err, ERR_LIMIT, "Maximum file size exceeded");
	return mspack->extract(mspack, file, NAME_OUT) == MSPACK_ERR_OK
	       ? 0 : explain(cabinet, mspack->last_error(mspack), err);
}

static int extract(struct cabinet *cabinet, struct mscab_decompressor *mspack,
		   struct cab_member *member, struct err *err)
{
	struct mscabd_cabinet *cab = mspack->open(mspack, NAME_IN);
	struct mscabd_file *file;
	int rc = -1;

	if (!cab)
		return explain(cabinet, mspack->last_error(mspack), err);
	file = member ? choose(cab, member) : cab->files;
	if (!file && member)
		rc = 0;
	else if (!file)
		err_set(err, ERR_MALFORMED, "cab file is empty");
	else if (!member && file->next)
		err_set(err, ERR_MALFORMED, "cab file contains more than 1 symbol file");
	else
		rc = extract_file(cabinet, mspack, file, err);
	mspack->close(mspack, cab);
	return rc;
}

int cab_unpack(struct text cabinet, struct cab_member *member, int out_fd, uint64_t ceiling_bytes, struct err *err)
{
	struct cabinet capacity = {
		.system = {
			.open = on_open, .close = on_close, .read = on_read, .write = on_write,
			.seek = on_seek, .tell = on_tell, .message = on_message,
			.alloc = on_alloc, .free = mem_give_back, .copy = on_copy,
		},
		.in = cabinet, .out_fd = out_fd,
		.left_bytes = unpack_most(cabinet.size, ceiling_bytes),
	};
	struct mscab_decompressor *mspack;
	int ready, rc;

	MSPACK_SYS_SELFTEST(ready);          /* was it built with our size of file offsets? */
	if (ready != MSPACK_ERR_OK)
		return err_set(err, ERR_INTERNAL, "libmspack was built for other file sizes");
	mspack = mspack_create_cab_decompressor(&capacity.system);
	if (!mspack)
		return explain(&capacity, MSPACK_ERR_NOMEMORY, err);
	rc = extract(&capacity, mspack, member, err);
	mspack_destroy_cab_decompressor(mspack);
	return rc;
}

/* cfi_out.c -- see cfi_out.h. */
#include "cfi/cfi_out.h"

#include "base/file.h"
#include "base/mem.h"

int cfi_out_open(struct cfi_out *out, int fd, struct err *err)
{
	*out = (struct cfi_out){ .fd = fd, .bytes = mem_get(CFI_OUT_BYTES) };
	return out->bytes ? 0 : err_set(err, ERR_NO_MEMORY, "no memory to write");
}

void cfi_out_close(struct cfi_out *out)
{
	mem_give_back(out->bytes);
	out->bytes = NULL;
}

void cfi_out_flush(struct cfi_out *out)
{
	if (!out->failed && out->used > 0 &&
	    file_write_all(out->fd, out->bytes, out->used, &out->err) < 0)
		out->failed = true;
	out->written += out->used;
	out->used = 0;
}

void cfi_out_add(struct cfi_out *out, struct text text)
{
	while (text.size > 0) {
		size_t turn = text.size < CFI_OUT_ROOM ? text.size : CFI_OUT_ROOM;

		cfi_out_make_room(out);
		cfi_out_bytes(out, text.bytes, turn);
		text.bytes += turn;
		text.size -= turn;
	}
}

int cfi_out_finish(struct cfi_out *out, struct err *err)
{
	cfi_out_flush(out);
	if (!out->failed)
		return 0;
	*err = out->err;
	return err_while(err, "writing the cficache");
}

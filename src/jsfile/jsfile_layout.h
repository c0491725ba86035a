/*
 * jsfile_layout -- the files of this component byte by byte, as reader and writer both need them.  All
 * numbers little endian.
 *
 * jsfile: head, text, the source map inside it, the reference, and at the next multiple of 4 where the
 * lines begin.  jsbundle: head, entries, those by URL, those by debug id, strings.
 */
#ifndef JSFILE_JSFILE_LAYOUT_H
#define JSFILE_JSFILE_LAYOUT_H

#include <stdint.h>
#include <string.h>

#define JSFILE_MAGIC       0x46534a53u  /* "SJSF" */
#define JSFILE_VERSION     1u
#define JSFILE_HEAD_BYTES  136u
#define JSFILE_LINE_BYTES  4u

#define JSBUNDLE_MAGIC       0x42534a53u  /* "SJSB" */
#define JSBUNDLE_VERSION     2u
#define JSBUNDLE_HEAD_BYTES  32u
#define JSBUNDLE_ENTRY_BYTES 88u
#define JSBUNDLE_INDEX_BYTES 4u
#define JSBUNDLE_NONE        UINT32_MAX

static inline void jsfile_store_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline void jsfile_store_u64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

#endif

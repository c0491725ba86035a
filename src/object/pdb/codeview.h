/*
 * codeview -- the numbers of CodeView (cvinfo.h of Microsoft's published microsoft-pdb) that
 * we know, and how names stand in its records.
 *
 * Private to object/pdb.
 *
 * May include: base.
 */
#ifndef OBJECT_PDB_CODEVIEW_H
#define OBJECT_PDB_CODEVIEW_H

#include "base/reader.h"

enum {                               /* symbols */
	S_COMPILE = 0x0001, S_END = 0x0006,
	S_THUNK32_ST = 0x0206, S_BLOCK32_ST = 0x0207, S_WITH32_ST = 0x0208, S_LABEL32_ST = 0x0209,
	S_PUB32_ST = 0x1009, S_LPROC32_ST = 0x100a, S_GPROC32_ST = 0x100b,
	S_COMPILE2_ST = 0x1013, S_GMANPROC_ST = 0x101a, S_LMANPROC_ST = 0x101b,
	S_THUNK32 = 0x1102, S_BLOCK32 = 0x1103, S_WITH32 = 0x1104, S_LABEL32 = 0x1105,
	S_PUB32 = 0x110e, S_LPROC32 = 0x110f, S_GPROC32 = 0x1110, S_COMPILE2 = 0x1116,
	S_GMANPROC = 0x112a, S_LMANPROC = 0x112b, S_SEPCODE = 0x1132,
	S_COMPILE3 = 0x113c, S_LPROC32_ID = 0x1146, S_GPROC32_ID = 0x1147,
	S_INLINESITE = 0x114d, S_INLINESITE_END = 0x114e, S_PROC_ID_END = 0x114f,
	S_LPROC32_DPC = 0x1155, S_LPROC32_DPC_ID = 0x1156, S_INLINESITE2 = 0x115d,
	S_FIRST_UTF8 = 0x1100        /* names before it have a size instead of a NUL */
};

enum {                               /* C13 subsections */
	DEBUG_S_IGNORE = (int)0x80000000,
	DEBUG_S_LINES = 0xf2, DEBUG_S_FILECHKSMS = 0xf4, DEBUG_S_INLINEELINES = 0xf6,
	DEBUG_S_CROSSSCOPEIMPORTS = 0xf7, DEBUG_S_CROSSSCOPEEXPORTS = 0xf8
};

enum {                               /* types and ids */
	LF_MODIFIER = 0x1001, LF_POINTER = 0x1002, LF_PROCEDURE = 0x1008,
	LF_MFUNCTION = 0x1009, LF_ARGLIST = 0x1201, LF_BITFIELD = 0x1205,
	LF_ARRAY = 0x1503, LF_CLASS = 0x1504, LF_STRUCTURE = 0x1505, LF_UNION = 0x1506,
	LF_ENUM = 0x1507, LF_ALIAS = 0x150a, LF_INTERFACE = 0x1519,
	LF_CLASS2 = 0x1608, LF_STRUCTURE2 = 0x1609, LF_UNION2 = 0x160a, LF_INTERFACE2 = 0x160b,
	LF_FUNC_ID = 0x1601, LF_MFUNC_ID = 0x1602, LF_STRING_ID = 0x1605,
	LF_NUMERIC = 0x8000, LF_CHAR = 0x8000, LF_SHORT = 0x8001, LF_USHORT = 0x8002,
	LF_LONG = 0x8003, LF_ULONG = 0x8004, LF_QUADWORD = 0x8009, LF_UQUADWORD = 0x800a
};

#define CODEVIEW_CROSS_MODULE 0x80000000u    /* an index of another module's */

/* Up to its NUL; in old records behind a byte with its size. */
static inline struct text codeview_name(struct reader *reader, unsigned kind)
{
	const uint8_t *bytes;
	uint8_t size;

	if (kind >= S_FIRST_UTF8)
		return reader_string(reader);
	size = reader_u8(reader);
	bytes = reader_take(reader, size);
	return bytes ? (struct text){ (const char *)bytes, size } : TEXT_NONE;
}

#endif

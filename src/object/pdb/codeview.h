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
	LF_MFUNCTION = 0x1009, LF_ARGLIST = 0x1201,
	LF_ARRAY = 0x1503, LF_CLASS = 0x1504, LF_STRUCTURE = 0x1505, LF_UNION = 0x1506,
	LF_ENUM = 0x1507, LF_INTERFACE = 0x1519,
	LF_CLASS2 = 0x1608, LF_STRUCTURE2 = 0x1609, LF_UNION2 = 0x160a, LF_INTERFACE2 = 0x160b,
	LF_FUNC_ID = 0x1601, LF_MFUNC_ID = 0x1602, LF_STRING_ID = 0x1605,
	LF_NUMERIC = 0x8000, LF_CHAR = 0x8000, LF_SHORT = 0x8001, LF_USHORT = 0x8002,
	LF_LONG = 0x8003, LF_ULONG = 0x8004, LF_QUADWORD = 0x8009, LF_UQUADWORD = 0x800a
};

/* Smaller indices are types without a record: a kind, and whether it is a pointer to that. */
#define CODEVIEW_SIMPLE_END         0x1000u
#define CODEVIEW_SIMPLE_KIND        0xffu
#define CODEVIEW_SIMPLE_MODE        0xf00u
#define CODEVIEW_SIMPLE_POINTER_64  0x600u

#define CODEVIEW_CONST              1u       /* LF_MODIFIER */
#define CODEVIEW_CONSTRUCTOR        2u       /* LF_PROCEDURE, LF_MFUNCTION */
#define CODEVIEW_POINTER_KIND       0x1fu    /* LF_POINTER, as all below */
#define CODEVIEW_POINTER_64         0x0cu
#define CODEVIEW_POINTER_MODE_SHIFT 5u
#define CODEVIEW_POINTER_MODE       7u
#define CODEVIEW_POINTER_CONST      0x400u
#define CODEVIEW_POINTER_SIZE_SHIFT 13u
#define CODEVIEW_POINTER_SIZE       0x3fu
#define CODEVIEW_DECLARATION        0x80u    /* classes, as below */
#define CODEVIEW_UNIQUE_NAME        0x200u

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

/* A number: itself when small, else a word that says its width and then it. */
static inline bool codeview_number(struct reader *reader, uint64_t *value)
{
	uint16_t word = reader_u16(reader);

	*value = word;
	if (word < LF_NUMERIC)
		return !reader->failed;
	switch (word) {
	case LF_CHAR:
		*value = reader_u8(reader);
		break;
	case LF_SHORT: case LF_USHORT:
		*value = reader_u16(reader);
		break;
	case LF_LONG: case LF_ULONG:
		*value = reader_u32(reader);
		break;
	case LF_QUADWORD: case LF_UQUADWORD:
		*value = reader_u64(reader);
		break;
	default:
		return false;
	}
	return !reader->failed;
}

struct codeview_class {
	struct text name;
	struct text unique_name;     /* the same where there is none */
	uint64_t bytes;
	bool is_declaration;         /* its size stands elsewhere */
};

/* Classes, structs, interfaces and unions. */
static inline bool codeview_is_class(unsigned kind)
{
	switch (kind) {
	case LF_CLASS: case LF_STRUCTURE: case LF_INTERFACE: case LF_UNION:
	case LF_CLASS2: case LF_STRUCTURE2: case LF_INTERFACE2: case LF_UNION2:
		return true;
	default:
		return false;
	}
}

/* Of a kind that is one, behind the kind. */
static inline bool codeview_class(struct reader *record, unsigned kind,
				  struct codeview_class *class)
{
	bool is_union = kind == LF_UNION || kind == LF_UNION2;
	bool is_new = kind >= LF_CLASS2;
	uint16_t properties;

	if (!is_new)
		reader_skip(record, 2);              /* how many members */
	properties = reader_u16(record);
	reader_skip(record, is_new ? 2 : 0);
	reader_skip(record, is_union ? 4 : 12);      /* members, bases, virtual methods */
	reader_skip(record, is_new ? 2 : 0);
	if (!codeview_number(record, &class->bytes))
		return false;
	class->name = reader_string(record);
	class->unique_name = properties & CODEVIEW_UNIQUE_NAME ? reader_string(record) : TEXT_NONE;
	class->is_declaration = properties & CODEVIEW_DECLARATION;
	if (!class->unique_name.bytes)
		class->unique_name = class->name;
	return class->name.bytes != NULL;
}

#endif

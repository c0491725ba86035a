/* type_name.c -- see type_name.h. */
#include "object/pdb/type_name.h"

#include "base/limits.h"
#include "object/pdb/codeview.h"

#define NAME_DEPTH_MAX  64u          /* of types inside types */
#define NAME_STEPS_MAX  20000u       /* records looked at for one name */
#define NAME_BYTES_MAX  ((size_t)64 * 1024)
#define POINTERS_MAX    16u          /* of a pointer to a pointer to ... */
#define SIMPLE_MAX      0x1000u      /* smaller indices are types without a record */

#define POINTER_MODE_SHIFT 5u
#define POINTER_MODE_MASK  7u
#define POINTER_VOLATILE   0x200u
#define POINTER_CONST      0x400u
#define MODIFIER_CONST     1u
#define MODIFIER_VOLATILE  2u
#define MODIFIER_UNALIGNED 4u

enum { MODE_POINTER, MODE_LVALUE, MODE_MEMBER, MODE_METHOD, MODE_RVALUE };

static bool put_type(struct namer *namer, uint32_t index);

void namer_init(struct namer *namer, const struct pdb *pdb, struct arena *scratch)
{
	*namer = (struct namer){ .pdb = pdb, .scratch = scratch };
	buf_init(&namer->out, NAME_BYTES_MAX);
}

void namer_release(struct namer *namer)
{
	buf_release(&namer->out);
}

static bool get(struct namer *namer, const struct pdb_types *types, uint32_t index,
		uint16_t *kind, struct reader *record)
{
	return ++namer->steps <= NAME_STEPS_MAX &&
	       pdb_type_record(types, index, namer->scratch, kind, record);
}

/* --- Types without a record ---------------------------------------------------------- */

static const char *simple_name(uint32_t kind)
{
	static const struct {
		uint8_t kind;
		const char *name;
	} names[] = {
		{ 0x00, "..." }, { 0x03, "void" }, { 0x08, "HRESULT" },
		{ 0x10, "signed char" }, { 0x11, "short" }, { 0x12, "long" }, { 0x13, "int64_t" },
		{ 0x14, "int128_t" }, { 0x20, "unsigned char" }, { 0x21, "unsigned short" },
		{ 0x22, "unsigned long" }, { 0x23, "uint64_t" }, { 0x24, "uint128_t" },
		{ 0x30, "bool" }, { 0x31, "bool16_t" }, { 0x32, "bool32_t" }, { 0x33, "bool64_t" },
		{ 0x40, "float" }, { 0x41, "double" }, { 0x42, "long double" },
		{ 0x43, "long double" }, { 0x44, "float48_t" }, { 0x45, "float" },
		{ 0x46, "float16_t" }, { 0x50, "_Complex float" }, { 0x51, "_Complex double" },
		{ 0x52, "_Complex long double" }, { 0x53, "_Complex long double" },
		{ 0x68, "int8_t" }, { 0x69, "uint8_t" }, { 0x70, "char" }, { 0x71, "wchar_t" },
		{ 0x72, "int16_t" }, { 0x73, "uint16_t" }, { 0x74, "int" },
		{ 0x75, "unsigned int" }, { 0x76, "int64_t" }, { 0x77, "uint64_t" },
		{ 0x78, "int128_t" }, { 0x79, "uint128_t" }, { 0x7a, "char16_t" },
		{ 0x7b, "char32_t" }, { 0x7c, "char8_t" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == kind)
			return names[i].name;
	return NULL;
}

/* The kind in the low byte, above it whether it is a pointer to that. */
static bool put_simple(struct namer *namer, uint32_t index)
{
	const char *name;

	if (index == 0x0103)                         /* what nullptr is */
		name = "std::nullptr_t";
	else
		name = simple_name(index & 0xff);
	if (!name)
		return false;
	buf_add_string(&namer->out, name);
	if (index != 0x0103 && (index & 0xf00) != 0)
		buf_add_string(&namer->out, " *");
	return true;
}

/* --- Records ------------------------------------------------------------------------- */

/* A number: itself when small, else a word that says its width and then it. */
static bool take_number(struct reader *reader, uint64_t *value)
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

static bool put_text(struct namer *namer, struct text text)
{
	buf_add_text(&namer->out, text);
	return text.bytes && !namer->out.failed;
}

/* Behind `skip` bytes, and a size where there is one. */
static bool put_named(struct namer *namer, struct reader *record, unsigned skip, bool has_size)
{
	uint64_t size;

	reader_skip(record, skip);
	if (has_size && !take_number(record, &size))
		return false;
	return put_text(namer, reader_string(record));
}

static bool put_modified(struct namer *namer, struct reader *record)
{
	uint32_t index = reader_u32(record);
	uint16_t flags = reader_u16(record);

	if (flags & MODIFIER_CONST)
		buf_add_string(&namer->out, "const ");
	if (flags & MODIFIER_VOLATILE)
		buf_add_string(&namer->out, "volatile ");
	if (flags & MODIFIER_UNALIGNED)
		buf_add_string(&namer->out, "__unaligned ");
	return !record->failed && put_type(namer, index);
}

/* --- Parameters ---------------------------------------------------------------------- */

static bool put_list(struct namer *namer, uint32_t index)
{
	struct reader record;
	uint32_t count;
	uint16_t kind;

	buf_add_char(&namer->out, '(');
	if (!get(namer, &namer->pdb->types, index, &kind, &record) || kind != LF_ARGLIST)
		return false;
	count = reader_u32(&record);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = reader_u32(&record);

		if (i > 0)
			buf_add_string(&namer->out, ", ");
		if (record.failed || !put_type(namer, type))
			return false;
	}
	buf_add_char(&namer->out, ')');
	return !namer->out.failed;
}

struct signature {
	uint32_t result, parameters;
	bool is_const;               /* a method that may not change its object */
};

static bool is_const_object(struct namer *namer, uint32_t this_type)
{
	struct reader record;
	uint16_t kind;

	if (this_type < SIMPLE_MAX || !get(namer, &namer->pdb->types, this_type, &kind, &record) ||
	    kind != LF_POINTER ||
	    !get(namer, &namer->pdb->types, reader_u32(&record), &kind, &record) ||
	    kind != LF_MODIFIER)
		return false;
	reader_skip(&record, 4);
	return reader_u16(&record) & MODIFIER_CONST;
}

static bool read_signature(struct namer *namer, uint16_t kind, struct reader *record,
			   struct signature *signature)
{
	*signature = (struct signature){ .result = reader_u32(record) };
	if (kind == LF_MFUNCTION) {
		reader_skip(record, 4);              /* class */
		signature->is_const = is_const_object(namer, reader_u32(record));
	} else if (kind != LF_PROCEDURE) {
		return false;
	}
	reader_skip(record, 4);                      /* calling convention .. count */
	signature->parameters = reader_u32(record);
	return !record->failed;
}

static bool put_parameters(struct namer *namer, const struct signature *signature)
{
	if (!put_list(namer, signature->parameters))
		return false;
	if (signature->is_const)
		buf_add_string(&namer->out, " const");
	return !namer->out.failed;
}

/* --- Pointers: "T *", "R (*)(int)", "T (&)[4]" --------------------------------------- */

struct pointer {
	uint32_t flags, class;
};

static void put_pointer(struct namer *namer, const struct pointer *pointer)
{
	unsigned mode = pointer->flags >> POINTER_MODE_SHIFT & POINTER_MODE_MASK;

	if (text_ends_with(buf_text(&namer->out), "const"))
		buf_add_char(&namer->out, ' ');
	if (mode == MODE_MEMBER || mode == MODE_METHOD) {
		(void)put_type(namer, pointer->class);
		buf_add_string(&namer->out, "::");
	}
	buf_add_string(&namer->out, mode == MODE_LVALUE ? "&" : mode == MODE_RVALUE ? "&&" : "*");
	if (pointer->flags & POINTER_CONST)
		buf_add_string(&namer->out, "const");
	if (pointer->flags & POINTER_VOLATILE)
		buf_add_string(&namer->out, pointer->flags & POINTER_CONST ? " volatile"
									   : "volatile");
}

static void put_pointers(struct namer *namer, const struct pointer *pointers, size_t count)
{
	while (count-- > 0)
		put_pointer(namer, &pointers[count]);
}

static bool put_array(struct namer *namer, struct reader *record, const struct pointer *pointers,
		      size_t count)
{
	if (!put_type(namer, reader_u32(record)))
		return false;
	if (count > 0) {
		buf_add_string(&namer->out, " (");
		put_pointers(namer, pointers, count);
		buf_add_char(&namer->out, ')');
	}
	buf_add_string(&namer->out, "[]");
	return !namer->out.failed;
}

static bool put_function_pointer(struct namer *namer, uint16_t kind, struct reader *record,
				 const struct pointer *pointers, size_t count)
{
	struct signature signature;

	if (!read_signature(namer, kind, record, &signature) || !put_type(namer, signature.result))
		return false;
	buf_add_string(&namer->out, count > 0 ? " (" : " ");
	put_pointers(namer, pointers, count);
	if (count > 0)
		buf_add_char(&namer->out, ')');
	return put_parameters(namer, &signature);
}

/* What pointers point to decides where they stand. */
static bool put_pointed(struct namer *namer, uint16_t kind, struct reader record)
{
	struct pointer pointers[POINTERS_MAX];
	uint32_t index = 0;
	size_t count = 0;

	while (kind == LF_POINTER) {
		unsigned mode;

		if (count == POINTERS_MAX)
			return false;
		index = reader_u32(&record);
		pointers[count].flags = reader_u32(&record);
		mode = pointers[count].flags >> POINTER_MODE_SHIFT & POINTER_MODE_MASK;
		pointers[count++].class = mode == MODE_MEMBER || mode == MODE_METHOD ?
					  reader_u32(&record) : 0;
		if (record.failed)
			return false;
		kind = 0;
		if (index >= SIMPLE_MAX &&
		    !get(namer, &namer->pdb->types, index, &kind, &record))
			return false;
	}
	if (kind == LF_PROCEDURE || kind == LF_MFUNCTION)
		return put_function_pointer(namer, kind, &record, pointers, count);
	if (kind == LF_ARRAY)
		return put_array(namer, &record, pointers, count);
	if (!put_type(namer, index))
		return false;
	/* "char **": what is a pointer without a record has its star already. */
	if (index >= SIMPLE_MAX || (index & 0xf00) == 0)
		buf_add_char(&namer->out, ' ');
	put_pointers(namer, pointers, count);
	return !namer->out.failed;
}

/* --- Any type ------------------------------------------------------------------------ */

static bool put_record(struct namer *namer, uint16_t kind, struct reader *record)
{
	switch (kind) {
	case LF_MODIFIER:
		return put_modified(namer, record);
	case LF_POINTER:
		return put_pointed(namer, kind, *record);
	case LF_PROCEDURE: case LF_MFUNCTION:
		return put_function_pointer(namer, kind, record, NULL, 0);
	case LF_ARRAY:
		return put_array(namer, record, NULL, 0);
	case LF_CLASS: case LF_STRUCTURE: case LF_INTERFACE:
		return put_named(namer, record, 16, true);
	case LF_UNION:
		return put_named(namer, record, 8, true);
	case LF_ENUM:
		return put_named(namer, record, 12, false);
	case LF_ALIAS:
		return put_named(namer, record, 4, false);
	case LF_CLASS2: case LF_STRUCTURE2: case LF_INTERFACE2:
		return put_named(namer, record, 18, true);
	case LF_UNION2:
		return put_named(namer, record, 10, true);
	case LF_BITFIELD:
		return put_type(namer, reader_u32(record));
	default:
		return false;
	}
}

static bool put_type(struct namer *namer, uint32_t index)
{
	struct reader record;
	uint16_t kind;
	bool done;

	if (index < SIMPLE_MAX)
		return put_simple(namer, index);
	if (namer->depth == NAME_DEPTH_MAX || namer->out.failed ||
	    !get(namer, &namer->pdb->types, index, &kind, &record))
		return false;
	namer->depth++;
	done = put_record(namer, kind, &record);
	namer->depth--;
	return done && !namer->out.failed;
}

/* --- Functions ----------------------------------------------------------------------- */

static bool put_function(struct namer *namer, struct text name, uint32_t type)
{
	struct signature signature;
	struct reader record;
	uint16_t kind;

	return put_text(namer, name) && get(namer, &namer->pdb->types, type, &kind, &record) &&
	       read_signature(namer, kind, &record, &signature) &&
	       put_parameters(namer, &signature);
}

static void begin(struct namer *namer)
{
	buf_clear(&namer->out);
	namer->depth = namer->steps = 0;
}

bool namer_function(struct namer *namer, struct text name, uint32_t type)
{
	begin(namer);
	return put_function(namer, name, type);
}

/* "ns::Class::" or "ns::" */
static bool put_scope(struct namer *namer, uint16_t kind, uint32_t scope)
{
	struct reader record;
	uint16_t scope_kind;

	if (scope == 0)
		return true;
	if (kind == LF_MFUNC_ID) {
		if (!put_type(namer, scope))
			return false;
	} else if (!get(namer, &namer->pdb->ids, scope, &scope_kind, &record) ||
		   scope_kind != LF_STRING_ID || !put_named(namer, &record, 4, false)) {
		return false;
	}
	buf_add_string(&namer->out, "::");
	return true;
}

static bool read_id(struct namer *namer, uint32_t id, uint16_t *kind, struct reader *record)
{
	return get(namer, &namer->pdb->ids, id, kind, record) &&
	       (*kind == LF_FUNC_ID || *kind == LF_MFUNC_ID);
}

bool namer_id(struct namer *namer, uint32_t id)
{
	struct reader record;
	uint32_t type;
	uint16_t kind;

	begin(namer);
	if (!read_id(namer, id, &kind, &record) ||
	    !put_scope(namer, kind, reader_u32(&record)))
		return false;
	type = reader_u32(&record);
	return put_function(namer, reader_string(&record), type);
}

bool namer_plain_id(struct namer *namer, uint32_t id)
{
	struct reader record;
	uint16_t kind;

	begin(namer);
	if (!read_id(namer, id, &kind, &record))
		return false;
	if (!put_scope(namer, kind, reader_u32(&record)))
		buf_clear(&namer->out);
	reader_skip(&record, 4);                     /* type */
	return put_text(namer, reader_string(&record));
}

uint32_t namer_type_of_id(struct namer *namer, uint32_t id)
{
	struct reader record;
	uint16_t kind;

	begin(namer);
	if (!read_id(namer, id, &kind, &record))
		return 0;
	reader_skip(&record, 4);
	return reader_u32(&record);
}

/* type_name.c -- see type_name.h.  The rules, one by one: doc/formats/pdb.md. */
#include "object/pdb/type_name.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/work_budget.h"
#include "object/pdb/codeview.h"

#define NAME_DEPTH_MAX  64u          /* of types inside types */
#define NAME_BYTES_MAX  ((size_t)64 * 1024)
#define POINTERS_MAX    16u          /* of a pointer to a pointer to ... */

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

static bool get(struct namer *namer, uint32_t index, uint16_t *kind, struct reader *record)
{
	return namer_record(namer, &namer->pdb->types, index, kind, record);
}

static bool put_text(struct namer *namer, struct text text)
{
	buf_add_text(&namer->out, text);
	return text.bytes && !namer->out.failed;
}

static bool put_string(struct namer *namer, const char *string)
{
	buf_add_string(&namer->out, string);
	return !namer->out.failed;
}

/* --- Types without a record ---------------------------------------------------------- */

static const char *simple_name(uint32_t kind)
{
	static const char *const names[] = {
		[0x00] = "<NoType>", [0x03] = "void", [0x08] = "HRESULT",
		[0x10] = "signed char", [0x11] = "short", [0x12] = "long", [0x13] = "long long",
		[0x14] = "int128_t", [0x20] = "unsigned char", [0x21] = "unsigned short",
		[0x22] = "unsigned long", [0x23] = "unsigned long long", [0x24] = "uint128_t",
		[0x30] = "bool", [0x31] = "bool16_t", [0x32] = "bool32_t", [0x33] = "bool64_t",
		[0x40] = "float", [0x41] = "double", [0x42] = "long double",
		[0x43] = "long double", [0x44] = "float48_t", [0x45] = "float",
		[0x46] = "float16_t", [0x50] = "complex<float>", [0x51] = "complex<double>",
		[0x52] = "complex<long double>", [0x53] = "complex<long double>",
		[0x68] = "int8_t", [0x69] = "uint8_t", [0x70] = "char", [0x71] = "wchar_t",
		[0x72] = "int16_t", [0x73] = "uint16_t", [0x74] = "int",
		[0x75] = "unsigned int", [0x76] = "int64_t", [0x77] = "uint64_t",
		[0x78] = "int128_t", [0x79] = "uint128_t", [0x7a] = "char16_t",
		[0x7b] = "char32_t",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

/* The kind in the low byte, above it whether it is a pointer to that. */
static bool put_simple(struct namer *namer, uint32_t index, bool is_const)
{
	const char *name = simple_name(index & CODEVIEW_SIMPLE_KIND);
	bool is_pointer = (index & CODEVIEW_SIMPLE_MODE) != 0;

	if (is_const && !is_pointer)
		buf_add_string(&namer->out, "const ");
	if (name)
		buf_add_string(&namer->out, name);
	else
		buf_printf(&namer->out, "<type 0x%x>", index & CODEVIEW_SIMPLE_KIND);
	if (is_const && is_pointer)
		buf_add_string(&namer->out, " const");
	return put_string(namer, is_pointer ? "*" : "");
}

/* --- Parameters ---------------------------------------------------------------------- */

struct signature {
	uint32_t result, parameters;
	uint32_t class, this_type;   /* 0: of no method, or of a static one */
	bool is_method, is_constructor;
};

static bool read_signature(uint16_t kind, struct reader *record, struct signature *signature)
{
	*signature = (struct signature){ .result = reader_u32(record) };
	if (kind == LF_MFUNCTION) {
		signature->is_method = true;
		signature->class = reader_u32(record);
		signature->this_type = reader_u32(record);
	} else if (kind != LF_PROCEDURE) {
		return false;
	}
	reader_skip(record, 1);                      /* calling convention */
	signature->is_constructor = reader_u8(record) & CODEVIEW_CONSTRUCTOR;
	reader_skip(record, 2);                      /* how many parameters */
	signature->parameters = reader_u32(record);
	return !record->failed;
}

static bool put_list(struct namer *namer, struct reader *record)
{
	uint32_t count = reader_u32(record);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t type = reader_u32(record);

		if (i > 0)
			buf_add_string(&namer->out, ", ");
		if (record->failed || !put_type(namer, type))
			return false;
	}
	return !record->failed && !namer->out.failed;
}

/* What a method's `this` says: nothing, that the object is const, or (in Rust, whose methods
 * may take any type there) what the first parameter is. */
enum this_kind { THIS_PLAIN, THIS_CONST, THIS_PARAMETER };

static enum this_kind kind_of_this(struct namer *namer, const struct signature *signature)
{
	struct reader record;
	uint32_t pointee;
	uint16_t kind;

	if (signature->this_type == 0)
		return THIS_PLAIN;
	if (!get(namer, signature->this_type, &kind, &record) || kind != LF_POINTER)
		return THIS_PARAMETER;
	pointee = reader_u32(&record);
	if (pointee == signature->class)
		return THIS_PLAIN;
	if (!get(namer, pointee, &kind, &record) || kind != LF_MODIFIER ||
	    reader_u32(&record) != signature->class)
		return THIS_PARAMETER;
	return reader_u16(&record) & CODEVIEW_CONST ? THIS_CONST : THIS_PLAIN;
}

static bool put_method_parameters(struct namer *namer, const struct signature *signature,
				  bool says_const)
{
	enum this_kind this_kind = kind_of_this(namer, signature);
	struct reader record;
	uint16_t kind;

	if (!get(namer, signature->parameters, &kind, &record) || kind != LF_ARGLIST)
		return false;
	buf_add_char(&namer->out, '(');
	if (this_kind == THIS_PARAMETER) {
		struct reader count = record;

		if (!put_type(namer, signature->this_type))
			return false;
		if (reader_u32(&count) > 0)
			buf_add_string(&namer->out, ", ");
	}
	if (!put_list(namer, &record))
		return false;
	return put_string(namer, this_kind == THIS_CONST && says_const ? ") const" : ")");
}

static bool put_parameters(struct namer *namer, const struct signature *signature, bool says_const)
{
	if (signature->is_method)
		return put_method_parameters(namer, signature, says_const);
	return put_string(namer, "(") && put_type(namer, signature->parameters) &&
	       put_string(namer, ")");
}

/* --- Pointers: "T const* const*", "R (*)(int)", "T[4]&" ------------------------------- */

struct pointer {
	unsigned mode;
	bool is_const, points_to_const;
};

struct pointers {
	struct pointer items[POINTERS_MAX];          /* outermost first */
	size_t count;
};

static bool put_pointers(struct namer *namer, const struct pointers *pointers, bool after_type)
{
	static const char *const signs[] = {
		[MODE_POINTER] = "*", [MODE_LVALUE] = "&", [MODE_MEMBER] = "::*",
		[MODE_METHOD] = "::*", [MODE_RVALUE] = "&&",
	};

	for (size_t i = pointers->count; i-- > 0; after_type = true) {
		const struct pointer *pointer = &pointers->items[i];

		if (pointer->points_to_const)
			buf_add_string(&namer->out, after_type ? " const" : "const");
		if (pointer->mode >= sizeof(signs) / sizeof(signs[0]))
			return false;
		buf_add_string(&namer->out, signs[pointer->mode]);
		if (pointer->is_const)
			buf_add_string(&namer->out, " const");
	}
	return !namer->out.failed;
}

static bool put_function_pointer(struct namer *namer, uint16_t kind, struct reader *record,
				 const struct pointers *pointers)
{
	struct signature signature;

	if (!read_signature(kind, record, &signature))
		return false;
	if (!signature.is_constructor && (signature.is_method || signature.result != 0) &&
	    (!put_type(namer, signature.result) || !put_string(namer, " ")))
		return false;
	buf_add_char(&namer->out, '(');
	if (pointers->count > 0 && signature.is_method && !put_type(namer, signature.class))
		return false;
	return put_pointers(namer, pointers, false) && put_string(namer, ")") &&
	       put_parameters(namer, &signature, false);
}

static bool add_pointer(struct pointers *pointers, struct reader *record, uint32_t *pointee)
{
	uint32_t flags;

	if (pointers->count == POINTERS_MAX)
		return false;
	*pointee = reader_u32(record);
	flags = reader_u32(record);
	pointers->items[pointers->count++] = (struct pointer){
		.mode = flags >> CODEVIEW_POINTER_MODE_SHIFT & CODEVIEW_POINTER_MODE,
		.is_const = flags & CODEVIEW_POINTER_CONST,
	};
	return !record->failed;
}

/* Pointers are read from outside to inside and written the other way round. */
static bool put_pointed(struct namer *namer, struct reader record, bool is_const)
{
	struct pointers pointers = { .count = 0 };
	uint16_t kind = LF_POINTER;
	uint32_t index = 0;

	while (kind == LF_POINTER) {
		struct pointer *last;

		if (!add_pointer(&pointers, &record, &index))
			return false;
		last = &pointers.items[pointers.count - 1];
		kind = 0;
		if (index < CODEVIEW_SIMPLE_END || !get(namer, index, &kind, &record))
			break;
		if (kind != LF_MODIFIER)
			continue;
		index = reader_u32(&record);
		last->points_to_const = reader_u16(&record) & CODEVIEW_CONST;
		kind = 0;
		if (index < CODEVIEW_SIMPLE_END || !get(namer, index, &kind, &record))
			break;
	}
	pointers.items[0].is_const |= is_const;
	if (kind == LF_PROCEDURE || kind == LF_MFUNCTION)
		return put_function_pointer(namer, kind, &record, &pointers);
	return put_type(namer, index) && put_pointers(namer, &pointers, true);
}

/* --- Any type ------------------------------------------------------------------------ */

/* What an array says is its size in bytes, and that of the arrays inside; only the innermost
 * type tells how many elements that is. */
static bool put_array(struct namer *namer, struct reader record)
{
	uint64_t bytes[POINTERS_MAX + 1], size;
	uint16_t kind = LF_ARRAY;
	uint32_t element = 0;
	size_t count = 0;

	while (kind == LF_ARRAY) {
		if (count == POINTERS_MAX)
			return false;
		element = reader_u32(&record);
		reader_skip(&record, 4);             /* type of the index */
		if (!codeview_number(&record, &bytes[count++]))
			return false;
		kind = 0;
		if (element < CODEVIEW_SIMPLE_END || !get(namer, element, &kind, &record))
			break;
	}
	if (!put_type(namer, element) || !namer_type_size(namer, element, &size))
		return false;
	bytes[count] = size;
	for (size_t i = 0; i < count; i++) {
		if (bytes[i + 1] > 0)
			buf_printf(&namer->out, "[%" PRIu64 "]", bytes[i] / bytes[i + 1]);
		else
			buf_add_string(&namer->out, "[]");
	}
	return !namer->out.failed;
}

static bool put_modified(struct namer *namer, struct reader *record)
{
	uint32_t index = reader_u32(record);
	bool is_const = reader_u16(record) & CODEVIEW_CONST;
	struct reader modified;
	uint16_t kind;

	if (record->failed)
		return false;
	if (index < CODEVIEW_SIMPLE_END)
		return put_simple(namer, index, is_const);
	if (get(namer, index, &kind, &modified) && kind == LF_POINTER)
		return put_pointed(namer, modified, is_const);
	if (is_const)
		buf_add_string(&namer->out, "const ");
	return put_type(namer, index);
}

static bool put_record(struct namer *namer, uint16_t kind, struct reader *record)
{
	static const struct pointers no_pointers = { .count = 0 };
	struct codeview_class class;

	switch (kind) {
	case LF_MODIFIER:
		return put_modified(namer, record);
	case LF_POINTER:
		return put_pointed(namer, *record, false);
	case LF_PROCEDURE: case LF_MFUNCTION:
		return put_function_pointer(namer, kind, record, &no_pointers);
	case LF_ARGLIST:
		return put_list(namer, record);
	case LF_ARRAY:
		return put_array(namer, *record);
	case LF_ENUM:
		reader_skip(record, 12);
		return put_text(namer, reader_string(record));
	default:
		if (codeview_is_class(kind))
			return codeview_class(record, kind, &class) && put_text(namer, class.name);
		buf_printf(&namer->out, "<unimplemented type kind 0x%x>", kind);
		return !namer->out.failed;
	}
}

static bool put_type(struct namer *namer, uint32_t index)
{
	struct reader record;
	uint16_t kind;
	bool done;

	if (namer->out.failed)
		return false;
	if (index < CODEVIEW_SIMPLE_END)
		return put_simple(namer, index, false);
	if (!pdb_has_type(&namer->pdb->types, index)) {
		buf_printf(&namer->out, "<missing type 0x%x>", index);
		return !namer->out.failed;
	}
	if (namer->depth == NAME_DEPTH_MAX || !get(namer, index, &kind, &record))
		return false;
	namer->depth++;
	done = put_record(namer, kind, &record);
	namer->depth--;
	return done && !namer->out.failed;
}

/* --- Functions ----------------------------------------------------------------------- */

static bool put_name(struct namer *namer, struct text name)
{
	return put_text(namer, name.size > 0 ? name : TEXT("<name omitted>"));
}

static bool put_function(struct namer *namer, struct text name, uint32_t type)
{
	struct signature signature;
	struct reader record;
	uint16_t kind;

	if (!put_name(namer, name))
		return false;
	if (type == 0)
		return true;
	if (!get(namer, type, &kind, &record))
		return false;
	return (kind != LF_PROCEDURE && kind != LF_MFUNCTION) ||
	       (read_signature(kind, &record, &signature) &&
		put_parameters(namer, &signature, true));
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

/* "?A0x" and up to 8 hexadecimal digits, as Microsoft's compiler numbers them. */
static bool is_anonymous(struct text namespace)
{
	uint64_t number;

	return text_starts_with(namespace, "?A0x") && namespace.size <= strlen("?A0x") + 8 &&
	       text_to_u64((struct text){ namespace.bytes + 4, namespace.size - 4 }, 16, &number);
}

/* A namespace; there may be an id of another kind, which then has no name. */
static bool put_namespace(struct namer *namer, uint32_t id)
{
	const struct pdb_types *ids = &namer->pdb->ids;
	struct reader record;
	struct text name;
	uint16_t kind;

	if (!pdb_has_type(ids, id)) {
		buf_printf(&namer->out, "<missing type 0x%x>", id);
		return !namer->out.failed;
	}
	if (!namer_record(namer, ids, id, &kind, &record))
		return false;
	if (kind != LF_STRING_ID) {
		buf_printf(&namer->out, "<unimplemented type kind 0x%x>", kind);
		return !namer->out.failed;
	}
	reader_skip(&record, 4);                     /* parts it is put together from */
	name = reader_string(&record);
	return put_text(namer, is_anonymous(name) ? TEXT("`anonymous namespace'") : name);
}

/* "ns::Class::" or "ns::" */
static bool put_scope(struct namer *namer, uint16_t kind, uint32_t scope)
{
	if (scope == 0)
		return true;
	if (!(kind == LF_MFUNC_ID ? put_type(namer, scope) : put_namespace(namer, scope)))
		return false;
	return put_string(namer, "::");
}

static bool read_id(struct namer *namer, uint32_t id, uint16_t *kind, struct reader *record)
{
	return namer_record(namer, &namer->pdb->ids, id, kind, record) &&
	       (*kind == LF_FUNC_ID || *kind == LF_MFUNC_ID);
}

bool namer_id(struct namer *namer, uint32_t id)
{
	struct reader record;
	uint32_t type;
	uint16_t kind;

	begin(namer);
	if (!read_id(namer, id, &kind, &record))
		return !namer->out.failed && put_namespace(namer, id);
	if (!put_scope(namer, kind, reader_u32(&record)))
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
	return put_name(namer, reader_string(&record));
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

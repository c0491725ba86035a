/* demangle.c -- which library a name is for, and the marks around it that none knows. */
#include "demangle/demangle.h"

#include "base/buf.h"
#include "base/mem.h"
#include "demangle/demangle_internal.h"

#define MD5_DIGITS        32u
#define RUST_HASH_DIGITS  16u
#define STACK_NAME_BYTES  1024u  /* shorter names are copied to the stack */

typedef bool library_fn(const char *name, struct printing *printing);

bool printing_add(struct printing *printing, const char *bytes, size_t size)
{
	if (printing->too_long || size > sizeof(printing->bytes) - printing->size) {
		printing->too_long = true;
		return false;
	}
	if (size > 0)                        /* libiberty adds nothing, at NULL, for a crate without a name */
		memcpy(printing->bytes + printing->size, bytes, size);
	printing->size += size;
	return true;
}

/* --- Looks --------------------------------------------------------------------------- */

static bool all_hex(struct text text)
{
	for (size_t i = 0; i < text.size; i++)
		if (ascii_hex_value(text.bytes[i]) < 0)
			return false;
	return true;
}

static struct text skip(struct text text, size_t count)
{
	return (struct text){ text.bytes + count, text.size - count };
}

/* "??@", 32 digits, "@": too long for its compiler, nothing can be told from it. */
static bool is_md5(struct text name)
{
	return name.size == MD5_DIGITS + 4 && text_starts_with(name, "??@") &&
	       text_ends_with(name, "@") &&
	       all_hex((struct text){ name.bytes + 3, MD5_DIGITS });
}

static bool is_objc(struct text name)
{
	return (text_starts_with(name, "-[") || text_starts_with(name, "+[")) &&
	       text_ends_with(name, "]");
}

/* Underscores before the Z of "_Z", "__Z" (macOS), "___Z", "____Z" (blocks); 0: no such name. */
static size_t cpp_underscores(struct text name)
{
	size_t count = 0;

	while (count < name.size && name.bytes[count] == '_')
		count++;
	return count >= 1 && count <= 4 && count < name.size && name.bytes[count] == 'Z' ? count
											 : 0;
}

static bool is_msvc(struct text name)
{
	return text_starts_with(name, "?") || text_starts_with(name, "@?");
}

static bool is_swift(struct text name)
{
	static const char *const prefixes[] = { "$s", "$S", "$e", "_$s", "_$S", "_$e", "_T0",
						"@__swiftmacro_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts_with(name, prefixes[i]))
			return true;
	return false;
}

/* "17h", 16 digits, "E", and perhaps a suffix of the linker's: the hash of legacy names. */
static bool has_rust_hash(struct text name)
{
	struct text tail = { NULL, RUST_HASH_DIGITS };

	for (size_t at = 0; at + 4 + RUST_HASH_DIGITS <= name.size; at++) {
		const char *from = name.bytes + at;
		size_t end = at + 3 + RUST_HASH_DIGITS;

		tail.bytes = from + 3;
		if (memcmp(from, "17h", 3) == 0 && all_hex(tail) && name.bytes[end] == 'E' &&
		    (end + 1 == name.size || name.bytes[end + 1] == '.'))
			return true;
	}
	return false;
}

/* --- Asking a library ---------------------------------------------------------------- */

static bool ask_copy(library_fn *library, struct text name, char *copy, struct printing *printing)
{
	memcpy(copy, name.bytes, name.size);
	copy[name.size] = '\0';
	printing->size = 0;
	printing->too_long = false;
	return library(copy, printing) && printing->size > 0;
}

static bool ask(library_fn *library, struct text name, struct printing *printing)
{
	char small[STACK_NAME_BYTES];
	char *large;
	bool done;

	if (name.size > LIMIT_MANGLED_BYTES || memchr(name.bytes, '\0', name.size))
		return false;
	if (name.size < sizeof(small))
		return ask_copy(library, name, small, printing);
	large = mem_get(name.size + 1);
	if (!large)
		return false;
	done = ask_copy(library, name, large, printing);
	mem_give_back(large);
	return done;
}

/* One underscore more than the library knows: macOS puts it before every name. */
static bool ask_rust(struct text name, struct printing *printing)
{
	if (text_starts_with(name, "__R") || text_starts_with(name, "__ZN"))
		name = skip(name, 1);
	if (!text_starts_with(name, "_R") &&
	    !(text_starts_with(name, "_ZN") && has_rust_hash(name)))
		return false;
	return ask(demangle_rust, name, printing);
}

/* A hash some linkers add to names of Apple's frameworks: "$" and 32 digits. */
static struct text without_hash_suffix(struct text name)
{
	size_t size = MD5_DIGITS + 1;

	if (name.size > size && name.bytes[name.size - size] == '$' &&
	    all_hex(skip(name, name.size - MD5_DIGITS)))
		name.size -= size;
	return name;
}

/* "_block_invoke", "_block_invoke_2", "_block_invoke2" at the end, cut off. */
static bool cut_block_suffix(struct text *name)
{
	static const struct text suffix = { "_block_invoke", sizeof("_block_invoke") - 1 };
	struct text rest = *name;

	while (rest.size > 0 && ascii_is_digit(rest.bytes[rest.size - 1]))
		rest.size--;
	if (rest.size < name->size && rest.size > 0 && rest.bytes[rest.size - 1] == '_')
		rest.size--;
	if (!text_ends_with(rest, suffix.bytes))
		return false;
	name->size = rest.size - suffix.size;
	return true;
}

static bool add_printed(const char *prefix, const struct printing *printing, struct buf *out)
{
	if (strlen(prefix) + printing->size > LIMIT_DEMANGLED_BYTES)
		return false;
	buf_add_string(out, prefix);
	buf_add(out, printing->bytes, printing->size);
	return true;
}

/* The frame of a global constructor or destructor: its file's or object's own name follows. */
static bool cut_global_prefix(struct text *name, const char **prefix)
{
	static const char head[] = "_GLOBAL_";
	size_t at = sizeof(head) - 1;

	if (!text_starts_with(*name, head) || name->size < at + 3 || name->bytes[at + 2] != '_' ||
	    !memchr("_.$", name->bytes[at], 3))
		return false;
	if (name->bytes[at + 1] == 'I')
		*prefix = "global constructors keyed to ";
	else if (name->bytes[at + 1] == 'D')
		*prefix = "global destructors keyed to ";
	else
		return false;
	*name = skip(*name, at + 3);
	return true;
}

static bool add_cpp(struct text name, struct printing *printing, struct buf *out)
{
	const char *prefix = "";
	size_t underscores;

	if (is_msvc(name))
		return ask(demangle_msvc, name, printing) && add_printed("", printing, out);
	name = without_hash_suffix(name);
	cut_global_prefix(&name, &prefix);
	underscores = cpp_underscores(name);
	if (underscores == 0)
		return false;
	if (underscores > 2) {
		if (!cut_block_suffix(&name))
			return false;
		prefix = "invocation function for block in ";
	}
	if (!ask(demangle_cpp, skip(name, underscores - 1), printing))
		return false;
	return add_printed(prefix, printing, out);
}

/* --- The door ------------------------------------------------------------------------ */

static enum language guess(struct text name, struct printing *printing)
{
	if (is_objc(name))
		return LANGUAGE_OBJC;
	if (ask_rust(name, printing))
		return LANGUAGE_RUST;
	if (cpp_underscores(name) > 0 || is_msvc(name))
		return LANGUAGE_CPP;
	return is_swift(name) ? LANGUAGE_SWIFT : LANGUAGE_UNKNOWN;
}

enum language demangle_guess(struct text name)
{
	struct printing printing;

	return guess(name, &printing);
}

bool demangle(struct text name, enum language language, struct buf *out)
{
	struct printing printing;

	if (name.size == 0 || is_md5(name))
		return false;
	if (language == LANGUAGE_UNKNOWN) {
		language = guess(name, &printing);
		if (language == LANGUAGE_RUST)   /* guessing has printed it */
			return add_printed("", &printing, out);
	}
	switch (language) {
	case LANGUAGE_RUST:
		return ask_rust(name, &printing) && add_printed("", &printing, out);
	case LANGUAGE_CPP:
		return add_cpp(name, &printing, out);
	case LANGUAGE_OBJCPP:
		return !is_objc(name) && add_cpp(name, &printing, out);
	case LANGUAGE_SWIFT:
		return ask(demangle_swift, name, &printing) && add_printed("", &printing, out);
	default:
		return false;
	}
}

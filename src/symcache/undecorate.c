/* undecorate.c -- "_f@8", "@f@8", "f@@8" and "_f" are all f. */
#include "symcache/undecorate.h"

#include "base/arch.h"
#include "object/object.h"

enum undecoration undecoration_of(const struct object *object)
{
	if (!object->undecorates)
		return UNDECORATE_NONE;
	return object->arch == ARCH_X86 || object->arch == ARCH_X86_UNKNOWN ? UNDECORATE_X86
									    : UNDECORATE_OTHERS;
}

static struct text without_ends(struct text name, size_t head, size_t tail)
{
	return (struct text){ name.bytes + head, name.size - head - tail };
}

/* The bytes of "@N" at the end, N being decimal and fitting 32 bits; 0 without. */
static size_t size_suffix(struct text name)
{
	size_t digits = 0;
	uint64_t value;
	struct text number;

	while (digits < name.size && ascii_is_digit(name.bytes[name.size - 1 - digits]))
		digits++;
	number = (struct text){ name.bytes + name.size - digits, digits };
	if (digits == 0 || digits == name.size || !text_to_u64(number, 10, &value) ||
	    value > UINT32_MAX || name.bytes[name.size - 1 - digits] != '@')
		return 0;
	return digits + 1;
}

/* A length and that many bytes, as both manglings write names: "3Foo". */
static bool has_identifier(struct text name)
{
	for (size_t at = 0; at < name.size;) {
		size_t value = 0;

		if (!ascii_is_digit(name.bytes[at])) {
			at++;
			continue;
		}
		for (; at < name.size && ascii_is_digit(name.bytes[at]) && value < name.size; at++)
			value = value * 10 + (size_t)(name.bytes[at] - '0');
		if (value > 0 && value <= name.size - at)
			return true;
	}
	return false;
}

/* Operators, as they begin an encoding.  new and delete may take built-in types alone. */
static bool is_operator(struct text name)
{
	static const char codes[] = "nwnadldaawpsngadcodeplmimldvrmaneoorlsrseqneltgtlegess"
				    "ntaaooppmmcmpmptclixcv";
	static const char assigns[] = "aSpLmImLdVrMaNeOoRlSrS";
	static const size_t allocating = 8;

	if (name.size < 3)
		return false;
	for (size_t at = 0; at < sizeof(codes) - 1; at += 2)
		if (memcmp(codes + at, name.bytes, 2) == 0)
			return at < allocating || has_identifier(without_ends(name, 2, 0));
	for (size_t at = 0; at < sizeof(assigns) - 1; at += 2)
		if (memcmp(assigns + at, name.bytes, 2) == 0)
			return has_identifier(without_ends(name, 2, 0));
	return false;
}

/* "_ZN2ns1fEv", "_RNvCs1_1a1f": only 32-bit x86 puts one more underscore before these, which
 * other processors' tools do not (MinGW for x86_64, rustc). */
static bool is_mangled(struct text name)
{
	size_t at = 2;

	if (name.size < 3 || name.bytes[0] != '_')
		return false;
	if (name.bytes[1] == 'R')
		return name.bytes[2] == 'N' ||
		       (strchr("CIMXY", name.bytes[2]) && name.bytes[2] != '\0' &&
			has_identifier(without_ends(name, 3, 0)));
	if (name.bytes[1] != 'Z')
		return false;
	while (at < name.size - 1 && name.bytes[at] == 'Z')     /* inside of a function */
		at++;
	return ascii_is_digit(name.bytes[at]) ||
	       (name.bytes[at] != '\0' && strchr("NSLTG", name.bytes[at])) ||
	       is_operator(without_ends(name, at, 0));
}

static bool is_plain(struct text name)
{
	if (name.size == 0 || name.bytes[0] == '?' || is_mangled(name))
		return false;
	return !memchr(name.bytes, ':', name.size) && !memchr(name.bytes, '(', name.size) &&
	       !memchr(name.bytes, '<', name.size);
}

struct text undecorate(struct text name, enum undecoration undecoration)
{
	size_t suffix;

	if (undecoration == UNDECORATE_NONE || !is_plain(name))
		return name;
	suffix = size_suffix(name);
	if (suffix > 0) {
		struct text rest = without_ends(name, 0, suffix);

		if (text_ends_with(rest, "@"))   /* vectorcall */
			return without_ends(rest, 0, 1);
		/* fastcall, stdcall */
		if (undecoration == UNDECORATE_X86 && rest.size > 0 &&
		    (rest.bytes[0] == '@' || rest.bytes[0] == '_'))
			return without_ends(rest, 1, 0);
	}
	if (undecoration == UNDECORATE_X86 && name.bytes[0] == '_')
		return without_ends(name, 1, 0);
	return name;
}

/* undecorate.c -- "_f@8", "@f@8", "f@@8" and "_f" are all f. */
#include "symcache/undecorate.h"

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

/* "_ZN2ns1fEv", "_RNvCs1_1a1f": only 32-bit x86 puts one more underscore before these, which
 * other processors' tools do not (MinGW for x86_64, rustc). */
static bool is_mangled(struct text name)
{
	return name.size > 2 && name.bytes[0] == '_' &&
	       ((name.bytes[1] == 'Z' && (ascii_is_digit(name.bytes[2]) || name.bytes[2] == 'N' ||
					  name.bytes[2] == 'S' || name.bytes[2] == 'L' ||
					  name.bytes[2] == 'T' || name.bytes[2] == 'G')) ||
		(name.bytes[1] == 'R' && name.bytes[2] == 'N'));
}

static bool is_plain(struct text name)
{
	if (name.size == 0 || name.bytes[0] == '?' || is_mangled(name))
		return false;
	return !memchr(name.bytes, ':', name.size) && !memchr(name.bytes, '(', name.size) &&
	       !memchr(name.bytes, '<', name.size);
}

struct text undecorate(struct text name)
{
	size_t suffix;

	if (!is_plain(name))
		return name;
	suffix = size_suffix(name);
	if (suffix > 0) {
		struct text rest = without_ends(name, 0, suffix);

		if (text_ends_with(rest, "@"))   /* vectorcall */
			return without_ends(rest, 0, 1);
		/* fastcall, stdcall */
		if (rest.size > 0 && (rest.bytes[0] == '@' || rest.bytes[0] == '_'))
			return without_ends(rest, 1, 0);
	}
	return name.bytes[0] == '_' ? without_ends(name, 1, 0) : name;
}

/* mapping_line.c -- what was mapped where: /proc/PID/maps, gdb's `info proc mappings`. */
#include "stacktext/stacktext_internal.h"
#include "stacktext/line_words.h"

static bool is_permissions(struct text word)
{
	if (word.size < 3 || word.size > 5)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!strchr("rwxps-", word.bytes[i]) || !word.bytes[i])
			return false;
	return true;
}

/* "[stack]" and the like are no files. */
static struct text path_of(struct text rest)
{
	struct text path = text_trim(rest);

	if (text_ends_with(path, " (deleted)"))
		path.size -= strlen(" (deleted)");
	return path.size > 0 && path.bytes[0] != '[' ? path : TEXT_NONE;
}

/* "7f89ed000000-7f89ed026000 r--p 00000000 08:01 1234  /lib/libc.so.6" (proc(5)) */
static bool parse_proc(struct text line, struct stacktext_mapping *mapping)
{
	if (!take_hex(&line, &mapping->start) || !take(&line, "-") ||
	    !take_hex(&line, &mapping->end) || !take(&line, " ") ||
	    !is_permissions(take_word(&line)) || !take_hex(&line, &mapping->offset))
		return false;
	skip_blanks(&line);
	(void)take_word(&line);                      /* the device */
	(void)take_word(&line);                      /* the inode */
	mapping->path = path_of(line);
	return mapping->start < mapping->end;
}

/* "0x7ffff7dd2000 0x7ffff7df8000 0x26000 0x0 r--p /lib/libc.so.6"; older ones have no
 * permissions. */
static bool parse_gdb_mapping(struct text line, struct stacktext_mapping *mapping)
{
	uint64_t *const numbers[] = { &mapping->start, &mapping->end, NULL, &mapping->offset };
	struct text permissions;
	uint64_t size = 0;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!take_0x(&line, numbers[i] ? numbers[i] : &size))
			return false;
		skip_blanks(&line);
	}
	permissions = line;
	if (is_permissions(take_word(&permissions)))
		line = permissions;
	mapping->path = path_of(line);
	return mapping->start < mapping->end && size == mapping->end - mapping->start;
}

bool mapping_line_read(struct text line, struct stacktext_mapping *mapping)
{
	return parse_proc(line, mapping) || parse_gdb_mapping(line, mapping);
}

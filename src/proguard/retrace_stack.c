/* retrace_stack.c -- what one line of a stack leaves for the next, in every dialect. */
#include "proguard/retrace_internal.h"

#include "base/err.h"

void retrace_begin_stack(struct retrace *retrace, struct text class_name, struct text original)
{
	retrace->may_rewrite = true;
	retrace->thrown = original;
	if (original.bytes || class_name.size > sizeof(retrace->unmapped))
		return;
	memcpy(retrace->unmapped, class_name.bytes, class_name.size);
	retrace->thrown = (struct text){ retrace->unmapped, class_name.size };
}

bool retrace_may_look(struct retrace *retrace)
{
	uint64_t allowed = RETRACE_ENTRIES + RETRACE_LINE_ENTRIES * retrace->lines;

	if (!retrace->options.is_bounded || retrace->frames.visited <= allowed)
		return true;
	retrace->left_alone++;
	return false;
}

int retrace_frame(struct retrace *retrace, struct text class_name, struct text method, bool has_line,
		  uint32_t line, enum proguard_outcome *outcome, struct err *err)
{
	const struct proguard_query query = {
		.class_name = class_name, .method = method, .line = line, .has_line = has_line,
		.may_rewrite = retrace->may_rewrite, .thrown = retrace->thrown,
	};

	*outcome = PROGUARD_UNKNOWN;
	if (!retrace_may_look(retrace))
		return 0;
	if (proguard_remap(retrace->mapping, &query, &retrace->carry, &retrace->frames, outcome, err) < 0)
		return -1;
	if (*outcome != PROGUARD_OUTLINE) {
		retrace->may_rewrite = false;
		retrace->thrown = TEXT_NONE;
	}
	return 0;
}

bool retrace_line_number(struct text digits, uint32_t *line)
{
	uint64_t number;

	if (!text_to_u64(digits, 10, &number) || number > UINT32_MAX)
		return false;
	*line = (uint32_t)number;
	return true;
}

void retrace_add_number(int64_t number, struct buf *out)
{
	char digits[20], *at = digits + sizeof(digits);
	uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;

	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (number < 0)
		buf_add_char(out, '-');
	buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

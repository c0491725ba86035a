/*
 * report_frame.h -- one frame of an answer, whatever kind wrote it.
 */
#ifndef PAGE_REPORT_FRAME_H
#define PAGE_REPORT_FRAME_H

#include "page/report_read.h"

struct report_frame {
	struct text status, function, symbol, package, module, class_name, abs_path, filename, trust;
	struct text context_line, source_link;
	uint64_t address, line, column, offset, relative_to;
	bool has_address, has_line, has_column, has_offset, is_relative, is_other;
	bool symbolicated, has_symbolicated;         /* JavaScript's */
	size_t before_at, after_at;                  /* lists of lines; 0: none */
	size_t inlines_at;                           /* Mozilla's calls inlined there; 0: none */
	size_t module_index;                         /* of the report's modules; REPORT_NOTHING: none */
};

/* The frame that stands there; its texts live until the arena is rewound. */
void report_frame_read(struct report *report, size_t at, struct report_frame *frame);
/* The same of the one that comes next. */
void report_frame_next(struct report *report, struct json_reader *reader, struct report_frame *frame);

bool report_frame_is_named(const struct report *report, const struct report_frame *frame);
/* The function; TEXT_NONE where there is none. */
struct text report_frame_function(const struct report_frame *frame);
struct text report_frame_path(const struct report_frame *frame);
/* How far behind the module's beginning it is; false: that is not known. */
bool report_frame_offset(const struct report *report, const struct report_frame *frame, uint64_t *offset);
/* What kept a frame of JavaScript from being found; NULL: nothing says so. */
const struct report_error *report_frame_error(const struct report *report, const struct report_frame *frame);

#endif

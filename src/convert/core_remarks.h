/* core_remarks.h -- in cells: in words, what a core file lacks and its answer therefore too. */
#ifndef CONVERT_CORE_REMARKS_H
#define CONVERT_CORE_REMARKS_H

struct core_file;
struct coredump;
struct json_writer;

/* "remarks", a list of sentences; nothing, where nothing is amiss. */
void core_remarks_write(const struct coredump *core, const struct core_file *file,
			struct json_writer *json);

#endif

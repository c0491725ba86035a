/*
 * report_modules.h -- the modules of an answer: read, put in the order of their rows, found.
 */
#ifndef PAGE_REPORT_MODULES_H
#define PAGE_REPORT_MODULES_H

#include "page/report_read.h"

enum report_module_class { REPORT_MODULE_BAD, REPORT_MODULE_GOOD, REPORT_MODULE_UNUSED };

void report_modules_read(struct report *report, struct json_reader *reader);
/* Mozilla's: {"NAME/ID": true, false or null}, and {"NAME/ID": [{"name", "message"}]}. */
void report_modules_found(struct report *report, struct json_reader *reader);
void report_modules_blame(struct report *report, struct json_reader *reader);
/* After the last was read: rows, those with trouble first, and addresses. */
void report_modules_sort(struct report *report);

enum report_module_class report_module_class(const struct report_module *module);
/* What people call it: the last part of a path. */
struct text report_module_name(const struct report_module *module);
/* REPORT_NOTHING: there is none. */
size_t report_module_at(const struct report *report, uint64_t address);
size_t report_module_named(const struct report *report, struct text name);

#endif

/*
 * crash_work -- the inside of the kinds that answer crash files: minidumps, Apple's reports, cores,
 * stacks as text.
 *
 *	form -> a cell reads the file and walks its stacks, asking for unwind rules and symbols
 *	     -> report -> symbolication -> answer
 *
 * Private to the crash kinds.  Everything is the work's arena's, but for what is held.
 */
#ifndef KINDS_CRASH_CRASH_WORK_H
#define KINDS_CRASH_CRASH_WORK_H

#include "kinds/crash/rewrite.h"
#include "kinds/native/symbolication.h"
#include "work/held.h"
#include "work/work.h"

struct cJSON;

/* A module a walk asked for. */
struct crash_module {
	struct crash_module *next;
	uint64_t image_addr;
	struct object_ids ids;               /* what is looked for */
	struct module_lookup files;
	struct held cfi, symcache;           /* once they were asked for */
	bool waits_for_cfi;                  /* they were, and have not come */
};

enum crash_stage { CRASH_REPORT, CRASH_SYMBOLICATION };

struct crash {
	struct work *work;
	struct symbolication_request request;
	const struct rewrite_rule *rules;
	size_t rule_count;
	unsigned rewrite_tries;
	const struct raw_module *const *named;       /* by the request, in order: what modules are whose file tells no id */
	size_t named_count;
	enum crash_stage stage;
	bool is_walked;                      /* its stacks are walked here */
	struct derive_link link;             /* of /symbolicate-any: where the file lies */
	struct held held;                    /* the cell's report */
	const struct cJSON *facts;           /* the report; its lists are in request.report */
	struct crash_module *modules;        /* asked for */
	struct crash_module *ahead;          /* to be asked for, perhaps: of these nothing is told */
	struct symbolication *symbolication;
};

/* crash_form.c: the fields that came with a file.  ERR_BAD_REQUEST: one is no JSON;
 * ERR_BAD_SHAPE: of another form. */
int crash_form_read(struct crash *crash, struct text fields, struct err *err)
	__attribute__((warn_unused_result));

/* Rules of rewrite_first_module; each has to be an expression. */
int crash_form_read_rules(struct crash *crash, const struct cJSON *json, struct err *err)
	__attribute__((warn_unused_result));

/* crash_form.c: a module without ids gets those the request has for its address. */
void crash_name_module(const struct crash *crash, struct raw_module *module);

/* crash_any.c: the kind that reads a body of POST /symbolicate-any by its symbolicate.type; NULL: that of
 * crash files, which says what is wrong with bodies of no type. */
const struct request_kind *crash_any_other(struct text body);
/* ERR_BAD_SHAPE says what is wrong. */
int crash_any_read(struct crash *crash, struct text body, struct err *err)
	__attribute__((warn_unused_result));

/* crash_report.c: the report a cell wrote, into crash->request. */
int crash_report_read(struct crash *crash, struct text report, struct err *err)
	__attribute__((warn_unused_result));
/* "timestamp", "system_info", "crashed", ... of the answer. */
void crash_report_write(const struct crash *crash, struct json_writer *json);

/* crash_modules.c: what a cell asks for (request_kind.want). */
enum resolved crash_want(struct work *work, struct work_want *want, struct resolver *resolver,
			 struct err *err);
/* What was looked for until now, one for each module of the report; NULL with err. */
struct module_lookup *const *crash_modules_lookups(struct crash *crash, struct err *err);
void crash_modules_release(struct crash *crash);

#endif

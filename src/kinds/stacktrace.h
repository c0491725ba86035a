/*
 * stacktrace -- threads, frames, registers and modules as somebody reported them: plain structs,
 * whether a client wrote them as JSON (stacktrace_json.h) or a cell found them in a crash file.
 *
 * Texts and arrays are whoever's filled them, usually the work's arena's.
 */
#ifndef KINDS_STACKTRACE_H
#define KINDS_STACKTRACE_H

#include "base/arch.h"
#include "source/source.h"
#include "work/schema.h"

/* How a frame was found, the least certain way first after `none`. */
enum trust { TRUST_NONE, TRUST_SCAN, TRUST_CFISCAN, TRUST_FP, TRUST_CFI, TRUST_PREWALKED,
	     TRUST_CONTEXT, TRUSTS };
const char *trust_name(enum trust trust);
bool trust_named(struct text name, enum trust *trust);

/* How an address is meant: absolute, or relative to one module of the report. */
struct addr_mode {
	bool is_relative;
	uint64_t module;             /* its index */
};

struct maybe_language { bool is_set; enum language language; };

/* Whatever is TEXT_NONE, empty or unset was not reported. */
struct raw_frame {
	struct maybe_u64 address;            /* always set; as it stands in the stack: a return
	                                      * address is not adjusted */
	struct addr_mode mode;
	struct maybe_u64 function_id, sym_addr, lineno;
	enum maybe_bool adjust, in_app;
	enum trust trust;
	struct maybe_language lang;
	struct text platform, package, symbol, function, filename, abs_path, context_line,
		    source_link;
	struct text_list pre_context, post_context;
	struct text_map vars;
};

struct cpu_register { struct text name; uint64_t value; };

struct raw_trace {
	struct maybe_u64 thread_id;
	struct text thread_name;
	enum maybe_bool is_requesting;
	struct cpu_register *registers;      /* of the innermost frame; by name, ascending */
	size_t register_count;
	struct raw_frame *frames;            /* innermost first */
	size_t frame_count;
};

struct raw_module {
	struct object_ids ids;
	struct maybe_u64 image_addr, image_size;     /* size 0 or unset: not known */
	struct text file_id;                 /* as profilers name an executable, in any form */
	struct maybe_u64 image_vmaddr;       /* where its program headers want it; unset: 0 */
};

struct raw_report {
	struct raw_trace *traces;
	size_t trace_count;
	struct raw_module *modules;
	size_t module_count;
	struct maybe_u64 signal;             /* that ended the process */
};

#endif

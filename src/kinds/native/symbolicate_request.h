/*
 * symbolicate_request -- what POST /symbolicate asks, read from JSON.
 *
 * Everything is the arena's; texts and cJSON pointers point into the parsed body.
 */
#ifndef KINDS_NATIVE_SYMBOLICATE_REQUEST_H
#define KINDS_NATIVE_SYMBOLICATE_REQUEST_H

#include "base/arch.h"
#include "source/source.h"
#include "work/schema.h"

struct work;

enum trust { TRUST_NONE, TRUST_SCAN, TRUST_CFISCAN, TRUST_FP, TRUST_CFI, TRUST_PREWALKED,
	     TRUST_CONTEXT, TRUSTS };
const char *trust_name(enum trust trust);

/* How an address is meant: absolute, or relative to one module of the request. */
struct addr_mode {
	bool is_relative;
	uint64_t module;
};

struct maybe_language { bool is_set; enum language language; };

struct raw_frame {
	struct maybe_u64 address;            /* instruction_addr: always set */
	struct addr_mode mode;
	struct maybe_u64 function_id, sym_addr, lineno;
	enum maybe_bool adjust, in_app;
	enum trust trust;
	struct maybe_language lang;
	struct text platform, package, symbol, function, filename, abs_path, context_line,
		    source_link;
	const struct cJSON *pre_context, *post_context, *vars;   /* NULL or checked */
};

struct cpu_register { struct text name; uint64_t value; size_t order; /* in the request */ };

struct raw_trace {
	struct maybe_u64 thread_id;
	struct text thread_name;
	enum maybe_bool is_requesting;
	struct cpu_register *registers;      /* by name, ascending */
	size_t register_count;
	struct raw_frame *frames;            /* innermost first, whatever the request's order */
	size_t frame_count;
};

struct raw_module {
	struct object_ids ids;
	struct text type;
	struct maybe_u64 image_addr, image_size;
	struct text debug_id_text, code_id_text;
};

struct request_options {
	bool dif_candidates, apply_source_context, caller_first, extract_variables;
};

struct scraping {                    /* checked now, obeyed where sources are downloaded */
	bool enabled, verify_ssl;
	const struct cJSON *allowed_origins, *headers;
};

struct symbolicate_request {
	struct text platform;
	struct maybe_u64 signal;
	const struct source_list *sources;
	struct request_options options;
	struct scraping scraping;
	struct raw_trace *traces;
	size_t trace_count;
	struct raw_module *modules;
	size_t module_count;
};

int symbolicate_request_read(struct symbolicate_request *request, struct work *work,
			     const struct cJSON *json,
			     struct err *err) __attribute__((warn_unused_result));

#endif

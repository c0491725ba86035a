/*
 * jvm_request -- what POST /symbolicate-jvm is sent.  The tables are doc/api/jvm.md.
 *
 * The body is looked through once from its first to its last byte, then read member after member without a
 * tree: a trace of a million frames takes what its frames take.  Texts lie in the arena's copy of the body
 * where nothing in them is escaped.  Private to the jvm kind.
 */
#ifndef KINDS_JVM_JVM_REQUEST_H
#define KINDS_JVM_JVM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/debugid.h"
#include "base/text.h"
#include "work/schema.h"

struct err;
struct source_list;
struct work;

struct jvm_exception { struct text type, module; };

struct jvm_frame {
	struct text platform, function, filename, module, abs_path, context_line, signature; /* NONE: null */
	struct text_list pre_context, post_context;
	uint64_t index;
	uint32_t lineno;
	bool has_lineno;
	bool is_synthesized;
	enum maybe_bool in_app;
};

struct jvm_trace {
	bool has_exception;
	struct jvm_exception exception;
	struct jvm_frame *frames;            /* as they were sent */
	size_t count;
};

enum jvm_module_type { JVM_MODULE_PROGUARD, JVM_MODULE_SOURCE };
struct jvm_module { struct debugid id; enum jvm_module_type type; };

struct jvm_request {
	const struct source_list *sources;
	struct jvm_exception *exceptions;
	size_t exception_count;
	struct jvm_trace *traces;
	size_t trace_count;
	struct jvm_module *modules;
	size_t module_count;
	struct text release_package;         /* TEXT_NONE: none */
	struct text_list classes, texts;
	bool leaves_contexts;                /* no lines of sources are asked for */
	bool callee_first;
};

/* ERR_BAD_REQUEST: no JSON; ERR_BAD_SHAPE: "stacktraces[0].frames[2].lineno: ...". */
int jvm_request_read(struct jvm_request *request, struct work *work, struct text body, struct err *err)
	__attribute__((warn_unused_result));

#endif

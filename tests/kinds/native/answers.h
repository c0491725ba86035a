/*
 * answers -- one request from body to reply over the fake resolver, and words that many of them
 * have.
 */
#ifndef TESTS_KINDS_NATIVE_ANSWERS_H
#define TESTS_KINDS_NATIVE_ANSWERS_H

#include "kinds/native/fake.h"

struct answered { struct buf reply; unsigned steps; struct err err; };

/* -1: there is none, and err says why.  The reply is the caller's to release. */
int answer_with(struct answered *out, struct fake_resolver *fake, const char *body,
		struct text scope);
void expect_answer(struct fake_resolver *fake, const char *body, const char *reply);

/* The hand-made SymCache (fake.h); one at a time, in `made`. */
extern struct buf made;
struct text made_symcache(uint32_t arch);
void forget_made(void);

#define FEATURES(debug, unwind, symbols, sources) "{\"has_debug_info\":" debug \
	",\"has_unwind_info\":" unwind ",\"has_symbols\":" symbols ",\"has_sources\":" sources "}"
#define NO_FEATURES FEATURES("false", "false", "false", "false")
#define DEBUG_FEATURES FEATURES("true", "true", "true", "false")
#define FILTERED(id, types) "{\"type\":\"http\",\"id\":\"" id "\",\"url\":\"http://h/" id \
	"/\",\"filters\":{\"filetypes\":[" types "]}}"
#define ELF_MODULE "{\"type\":\"elf\",\"code_id\":\"abcdef01\",\"code_file\":\"/bin/x\"," \
	"\"image_addr\":\"0x10000\",\"image_size\":4096}"
#define ELF_ECHO(status, features, arch) "{\"debug_status\":\"" status "\",\"features\":" \
	features ",\"arch\":\"" arch "\",\"type\":\"elf\",\"code_id\":\"abcdef01\"," \
	"\"code_file\":\"/bin/x\",\"image_addr\":\"0x10000\",\"image_size\":4096"
#define ONE_FRAME(address) "\"stacktraces\":[{\"frames\":[{\"instruction_addr\":\"" address \
	"\"}]}]"

#define REQUEST(options, frames) "{\"sources\":[" FILTERED("s", "\"elf_code\",\"elf_debug\"") \
	"],\"modules\":[" ELF_MODULE "],\"stacktraces\":[{\"frames\":[" frames "]}]," \
	"\"options\":{" options "}}"

#define OUTER(address, line, index, sym) "{\"status\":\"symbolicated\",\"original_index\":" \
	index ",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"cpp\"," \
	"\"symbol\":\"_Z5outeri\"," sym "\"function\":\"outer(int)\",\"filename\":\"a.cpp\"," \
	"\"abs_path\":\"/src/lib/a.cpp\",\"lineno\":" line "}"
#define INNER(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"cpp\"," \
	"\"symbol\":\"_ZN5innerEv\",\"function\":\"inner()\",\"filename\":\"a.cpp\"," \
	"\"abs_path\":\"/src/lib/a.cpp\",\"lineno\":77}"
#define MAIN(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"lang\":\"c\"," \
	"\"symbol\":\"main\",\"sym_addr\":\"0x10200\",\"function\":\"main\",\"filename\":\"main.c\"," \
	"\"abs_path\":\"/src/main.c\",\"lineno\":5}"
#define BARE(address, index) "{\"status\":\"symbolicated\",\"original_index\":" index \
	",\"instruction_addr\":\"" address "\",\"package\":\"/bin/x\",\"symbol\":\"bare\"," \
	"\"sym_addr\":\"0x10300\",\"function\":\"bare\",\"lineno\":0}"

#endif

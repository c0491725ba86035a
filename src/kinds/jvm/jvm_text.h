/*
 * jvm_text -- stack traces as text, in `texts` of a request: lines of Java through the mappings, frames of
 * native code through symbols, in one answer.  Private to the jvm kind.
 *
 *	jvm_text_remap   in a guarded read of the mappings: lines, and what native frames there are
 *	jvm_text_step    native frames to functions, files and lines, as POST /symbolicate does
 *	jvm_text_write   "texts"
 */
#ifndef KINDS_JVM_JVM_TEXT_H
#define KINDS_JVM_JVM_TEXT_H

#include "kinds/jvm/jvm_work.h"

/* Before anything is read. */
int  jvm_text_begin(struct jvm *jvm, struct err *err) __attribute__((warn_unused_result));
int  jvm_text_remap(struct jvm *jvm, struct err *err) __attribute__((warn_unused_result));
enum resolved jvm_text_step(struct jvm *jvm, struct resolver *resolver, struct err *err);
int  jvm_text_write(const struct jvm *jvm, struct json_writer *json, struct err *err)
	__attribute__((warn_unused_result));
void jvm_text_release(struct jvm *jvm);

#endif

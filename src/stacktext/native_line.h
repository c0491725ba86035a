/*
 * native_line -- frames of native code as Android prints them: in tombstones, in ANR traces, in what an
 * uncaught exception logs.
 *
 *	    #01 pc 000000000004a1b8  /data/app/lib/arm64/libshop.so (pay+52) (BuildId: 8e5c0f...)
 *	  native: #03 pc 00011c34  /apex/com.android.art/lib64/libart.so (art::Run()+8)
 *
 * Whatever stands before "#" stays out.  May include: base.
 */
#ifndef STACKTEXT_NATIVE_LINE_H
#define STACKTEXT_NATIVE_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct native_line {
	uint64_t number;             /* 0: the innermost of a stack */
	uint64_t pc;                 /* in the module, inside of the call */
	struct text path;            /* of the module */
	struct text function;        /* TEXT_NONE: it does not say */
	struct text build_id;        /* in hexadecimal; TEXT_NONE: it does not say */
};

/* False: the line is none.  Texts are borrowed from it. */
bool native_line_read(struct text line, struct native_line *native);

#endif

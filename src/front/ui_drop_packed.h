/*
 * ui_drop_packed -- what is in a packed file that was dropped, by a look at the beginning of its contents.
 *
 * Private to front.
 */
#ifndef FRONT_UI_DROP_PACKED_H
#define FRONT_UI_DROP_PACKED_H

#include "stacktext/stacktext_kind.h"

/* Of a file packed by gzip or zstd, as its first bytes said: a minidump or a core, which are read as they came,
 * or else unknown, with a reason.  What cannot be looked into stays what was `guessed`. */
struct stacktext_detected ui_drop_look_inside(int fd, struct stacktext_detected guessed);

#endif

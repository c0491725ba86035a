/*
 * tried -- which paths a folder of debug files was asked for, where it had none.
 */
#ifndef CLI_TRIED_H
#define CLI_TRIED_H

#include "base/text.h"

struct config;

/* `sources`: JSON objects of filesystem sources.  On standard error, the modules of the reply that
 * were not found and what they would have been called; nothing when all were. */
void tried_show(struct text reply, struct text sources, const struct config *config);

#endif

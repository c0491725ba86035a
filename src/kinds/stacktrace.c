/* stacktrace.c -- what trust is called. */
#include "kinds/stacktrace.h"

static const char *const trusts[TRUSTS] = {
	[TRUST_NONE] = "none", [TRUST_SCAN] = "scan", [TRUST_CFISCAN] = "cfiscan",
	[TRUST_FP] = "fp", [TRUST_CFI] = "cfi", [TRUST_PREWALKED] = "prewalked",
	[TRUST_CONTEXT] = "context",
};

const char *trust_name(enum trust trust)
{
	return trusts[trust];
}

bool trust_named(struct text name, enum trust *trust)
{
	for (unsigned i = 0; i < TRUSTS; i++) {
		if (text_is(name, trusts[i])) {
			*trust = (enum trust)i;
			return true;
		}
	}
	return false;
}

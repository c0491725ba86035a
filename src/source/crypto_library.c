/* crypto_library.c -- see crypto_library.h. */
#include "source/crypto_library.h"

#include <pthread.h>

#include "base/err.h"
#include "base/library.h"

#define LIBRARY "libcrypto.so.3"

struct crypto_library crypto_library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct err failure = ERR_INIT;

#define CALL(name) { #name, &crypto_library.name },
static const struct library_call calls[] = { CRYPTO_LIBRARY_CALLS(CALL) };
#undef CALL

static void load(void)
{
	if (library_load(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), &failure) < 0)
		err_while(&failure, "signing");
}

int crypto_library_load(struct err *err)
{
	pthread_once(&once, load);
	if (failure.kind == ERR_NONE)
		return 0;
	*err = failure;
	return -1;
}

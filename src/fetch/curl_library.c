/* curl_library.c -- see curl_library.h. */
#include "fetch/curl_library.h"

#include <pthread.h>

#include "base/err.h"
#include "base/library.h"

#define LIBRARY "libcurl.so.4"               /* its ABI since 7.16 */

struct curl_library curl_library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct err failure = ERR_INIT;

#define CALL(name) { "curl_" #name, &curl_library.name },
static const struct library_call calls[] = { CURL_LIBRARY_CALLS(CALL) };
#undef CALL

static void load(void)
{
	if (library_load(LIBRARY, calls, sizeof(calls) / sizeof(calls[0]), &failure) < 0)
		return;
	if (curl_library.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		err_set(&failure, ERR_INTERNAL, "libcurl does not start");
}

int curl_library_load(struct err *err)
{
	pthread_once(&once, load);
	if (failure.kind == ERR_NONE)
		return 0;
	*err = failure;
	return -1;
}

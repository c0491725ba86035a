/*
 * curl_library -- libcurl, loaded when the first address is looked at.
 *
 * It brings some thirty libraries, whose linking takes several times as long as all the rest of
 * a command that fetches nothing.  Private to fetch.
 */
#ifndef FETCH_CURL_LIBRARY_H
#define FETCH_CURL_LIBRARY_H

#include <curl/curl.h>

struct err;

/* What is called of it: curl_NAME() is curl_library.NAME(). */
#define CURL_LIBRARY_CALLS(call) \
	call(easy_cleanup) call(easy_getinfo) call(easy_init) call(easy_setopt) call(easy_strerror) \
	call(free) call(global_init) call(multi_add_handle) call(multi_cleanup) \
	call(multi_info_read) call(multi_init) call(multi_perform) call(multi_poll) \
	call(multi_remove_handle) call(multi_setopt) call(multi_strerror) call(slist_append) \
	call(slist_free_all) call(url) call(url_cleanup) call(url_get) call(url_set) call(url_strerror)

#define CURL_LIBRARY_MEMBER(name) __typeof__(curl_##name) *name;
struct curl_library {
	CURL_LIBRARY_CALLS(CURL_LIBRARY_MEMBER)
};
#undef CURL_LIBRARY_MEMBER

/* Set once curl_library_load() was 0, for as long as the process lives. */
extern struct curl_library curl_library;

/* Loads and starts it, the first time; any thread may. */
int curl_library_load(struct err *err) __attribute__((warn_unused_result));

#endif

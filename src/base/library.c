/* library.c -- see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/err.h"

int library_load(const char *file, const struct library_call *calls, size_t count, struct err *err)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return err_set(err, ERR_INTERNAL, "%s cannot be loaded: %s", file, dlerror());
	for (size_t i = 0; i < count; i++) {
		void *found = dlsym(library, calls[i].name);

		if (!found)
			return err_set(err, ERR_INTERNAL, "%s has no %s", file, calls[i].name);
		/* POSIX, dlsym(): it may be kept as a pointer to a function. */
		memcpy(calls[i].pointer, &found, sizeof(found));
	}
	return 0;
}

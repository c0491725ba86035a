/*
 * js_ram_folder -- a RAM bundle of React Native for Android: the startup code in a file, its modules one by one in
 * a folder "js-modules" beside it (which holds a file "UNBUNDLE" that says so).
 */
#ifndef CLI_JS_RAM_FOLDER_H
#define CLI_JS_RAM_FOLDER_H

#include <limits.h>

struct err;

/* Whether `dir` is one, and its map: the only one whose startup code lies beside it.  1; 0: it is none, or has no
 * such map; -1: it has several. */
int js_ram_folder_map(const char *dir, char map[PATH_MAX], struct err *err) __attribute__((warn_unused_result));

#endif

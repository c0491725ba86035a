/*
 * js_modules -- frames in modules of a RAM bundle ("12.js:1:300"), by the lines of its map.
 */
#ifndef CLI_JS_MODULES_H
#define CLI_JS_MODULES_H

struct cJSON;
struct err;
struct nursery;

/* Where the map says at which of its lines a module begins, frames in that module get the map's line; all
 * others stay, but those in a module it does not know are at no line.  A map that is none changes nothing. */
int js_modules_place(struct nursery *nursery, const char *map, struct cJSON *traces, struct err *err)
	__attribute__((warn_unused_result));

#endif

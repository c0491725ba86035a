/*
 * json_tree.h -- cJSON's tree, made while its text is looked over: of request_json.h, private.
 *
 * Names and strings are what they say, NUL-ended, where they stand in the tree's own copy of the text:
 * a closing quote and an escape leave room.  Items come a few at a time from the arena.  Where there is no
 * memory for any of that, nothing more is made and `met_ceiling` says which of both it was.
 */
#ifndef WORK_JSON_TREE_H
#define WORK_JSON_TREE_H

#include <stdbool.h>

#include "base/limits.h"
#include "base/text.h"

struct arena;
struct cJSON;
struct err;

struct json_tree {
	struct arena *arena;
	char *text;                  /* the copy; NULL: there is no memory, and no tree */
	bool met_ceiling;
	struct cJSON *root;
	struct cJSON *items;         /* [0 .. item_count) are made and not taken */
	size_t item_count;
	char *name;                  /* of the next item; NULL: it has none */
	unsigned depth;
	struct cJSON *open[LIMIT_JSON_DEPTH];        /* [0 .. depth) are being filled */
};

void json_tree_init(struct json_tree *tree, struct text text, struct arena *arena);

/* An object or array, which what comes next belongs to until it is closed. */
void json_tree_open(struct json_tree *tree, bool is_object);
void json_tree_close(struct json_tree *tree);
/* What stands at a place of the copy: a member's name, a string. */
void json_tree_name(struct json_tree *tree, size_t at);
void json_tree_string(struct json_tree *tree, size_t at);
/* 't', 'f' or 'n'. */
void json_tree_word(struct json_tree *tree, char first);
void json_tree_number(struct json_tree *tree, double value);
/* A whole number that a double may not hold. */
void json_tree_marked_integer(struct json_tree *tree, struct text digits);

/* Looks the text over and tells the tree what it meets.  ERR_BAD_REQUEST, with the byte, whether
 * there was memory or not. */
int json_scan(struct text text, struct json_tree *tree, struct err *err)
	__attribute__((warn_unused_result));

#endif

/* json_tree.c -- see json_tree.h. */
#include "work/json_tree.h"

#include <limits.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "work/request_json.h"

#define ITEMS_AT_ONCE 16u

/* From now on there is no tree. */
static void stop(struct json_tree *tree, size_t wanted_bytes)
{
	tree->met_ceiling = wanted_bytes > tree->arena->ceiling_bytes - tree->arena->held_bytes;
	tree->text = NULL;
	tree->root = NULL;
}

void json_tree_init(struct json_tree *tree, struct text text, struct arena *arena)
{
	tree->arena = arena;
	tree->met_ceiling = false;
	tree->root = tree->items = NULL;
	tree->item_count = 0;
	tree->name = NULL;
	tree->depth = 0;
	tree->text = arena_strndup(arena, text.bytes, text.size);
	if (!tree->text)
		stop(tree, text.size + 1);
}

static cJSON *take_item(struct json_tree *tree)
{
	if (tree->item_count == 0) {
		tree->items = arena_alloc_raw(tree->arena, ITEMS_AT_ONCE, sizeof(*tree->items));
		if (!tree->items) {
			stop(tree, ITEMS_AT_ONCE * sizeof(*tree->items));
			return NULL;
		}
		tree->item_count = ITEMS_AT_ONCE;
	}
	tree->item_count--;
	return tree->items++;
}

/* As cJSON has them: the first child's `prev` is the last. */
static void append(cJSON *parent, cJSON *item)
{
	cJSON *first = parent->child;

	if (first) {
		item->prev = first->prev;
		item->prev->next = item;
		first->prev = item;
	} else {
		item->prev = item;
		parent->child = item;
	}
}

/* NULL: there is no tree. */
static cJSON *add_item(struct json_tree *tree, int type)
{
	cJSON *item = tree->text ? take_item(tree) : NULL;

	if (!item)
		return NULL;
	*item = (cJSON){ .type = type, .string = tree->name };
	tree->name = NULL;
	if (tree->depth > 0)
		append(tree->open[tree->depth - 1], item);
	else
		tree->root = item;
	return item;
}

void json_tree_open(struct json_tree *tree, bool is_object)
{
	cJSON *item = add_item(tree, is_object ? cJSON_Object : cJSON_Array);

	if (item)
		tree->open[tree->depth++] = item;
}

void json_tree_close(struct json_tree *tree)
{
	if (tree->text)
		tree->depth--;
}

void json_tree_name(struct json_tree *tree, size_t at)
{
	if (tree->text)
		tree->name = tree->text + at;
}

void json_tree_string(struct json_tree *tree, size_t at)
{
	cJSON *item = add_item(tree, cJSON_String);

	if (item)
		item->valuestring = tree->text + at;
}

void json_tree_word(struct json_tree *tree, char first)
{
	cJSON *item = add_item(tree, first == 't' ? cJSON_True : first == 'f' ? cJSON_False : cJSON_NULL);

	if (item)
		item->valueint = first == 't';
}

void json_tree_number(struct json_tree *tree, double value)
{
	cJSON *item = add_item(tree, cJSON_Number);

	if (!item)
		return;
	item->valuedouble = value;
	item->valueint = value >= INT_MAX ? INT_MAX : value <= INT_MIN ? INT_MIN : (int)value;
}

void json_tree_marked_integer(struct json_tree *tree, struct text digits)
{
	cJSON *item = add_item(tree, cJSON_String);
	char *text;

	if (!item)
		return;
	text = arena_alloc_raw(tree->arena, digits.size + 2, 1);
	if (!text) {
		stop(tree, digits.size + 2);
		return;
	}
	text[0] = JSON_INTEGER_MARK;
	memcpy(text + 1, digits.bytes, digits.size);
	text[digits.size + 1] = '\0';
	item->valuestring = text;
}

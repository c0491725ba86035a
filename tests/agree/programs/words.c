/* words -- C with static and inline functions, a switch, recursion, cold paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word { struct word *left, *right; unsigned count; char text[32]; };

static inline unsigned hash_step(unsigned hash, unsigned char c) { return hash * 31u + c; }

static unsigned hash_text(const char *text)
{
	unsigned hash = 7;

	while (*text)
		hash = hash_step(hash, (unsigned char)*text++);
	return hash;
}

__attribute__((cold, noinline)) static void fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

static struct word *add(struct word *tree, const char *text)
{
	int side;

	if (!tree) {
		tree = calloc(1, sizeof(*tree));
		if (!tree)
			fail("no memory");
		strncpy(tree->text, text, sizeof(tree->text) - 1);
		tree->count = 1;
		return tree;
	}
	side = strcmp(text, tree->text);
	if (side < 0)
		tree->left = add(tree->left, text);
	else if (side > 0)
		tree->right = add(tree->right, text);
	else
		tree->count++;
	return tree;
}

static unsigned weigh(const struct word *tree)
{
	if (!tree)
		return 0;
	switch (hash_text(tree->text) % 6) {
	case 0: return weigh(tree->left) + tree->count;
	case 1: return weigh(tree->right) * 2 + tree->count;
	case 2: return weigh(tree->left) ^ weigh(tree->right);
	case 3: return tree->count << 3;
	case 4: if (tree->count > 1000) fail("too many"); return 1;
	default: return weigh(tree->left) + weigh(tree->right) + hash_step(tree->count, 9);
	}
}

int main(int argc, char **argv)
{
	struct word *tree = NULL;

	for (int i = 0; i < argc; i++)
		for (int j = 0; j < 5; j++)
			tree = add(tree, argv[i] + (strlen(argv[i]) > (size_t)j ? j : 0));
	printf("%u\n", weigh(tree));
	return 0;
}

/*
 * damage.h -- that the database is damaged, remembered by whoever meets it first.
 *
 * A damaged page is met by those who read it and by nobody else: the others would go on and
 * say that all is well.  So the first process that SQLite tells of damage writes it down in
 * STATE_DIR/damage, with the file it is about.  It counts until that file is replaced, or
 * found sound by `symgate repair`.
 */
#ifndef STORE_DAMAGE_H
#define STORE_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>

#define STORE_DAMAGE_WORDS 400u

struct config;

/* Of the database below state_dir: true, and what SQLite said. */
bool store_damage_is_known(const char *state_dir, char words[STORE_DAMAGE_WORDS]);
/* `path` is the database's. */
void store_damage_note(const char *state_dir, const char *path, const char *words);
/* It is sound after all. */
void store_damage_forget(const char *state_dir);

#endif

/*
 * debugid -- the two identities of a module: debug id (a UUID and an age) and
 * code id (lower-case hex digits).
 */
#ifndef BASE_DEBUGID_H
#define BASE_DEBUGID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define DEBUGID_UUID_BYTES 16u
#define DEBUGID_RECORD_BYTES 32u   /* in SymCache headers */
#define DEBUGID_TEXT_BYTES 48u     /* longest text form and its NUL */

enum debugid_kind { DEBUGID_NIL = 0, DEBUGID_UUID = 1, DEBUGID_PDB20 = 2 };

struct debugid {
	uint8_t uuid[DEBUGID_UUID_BYTES];  /* canonical order; PDB 2.0: stamp in the first 4, big endian */
	uint32_t age;
	uint8_t kind;                      /* enum debugid_kind */
};

bool debugid_is_nil(const struct debugid *id);
bool debugid_equal(const struct debugid *a, const struct debugid *b);

/* Reads every accepted form: hyphenated or 32 hex digits, optional age, PDB 2.0. */
bool debugid_parse(struct text text, struct debugid *id);

/* Breakpad form: 33 to 40 hex digits, age last. */
bool debugid_parse_breakpad(struct text text, struct debugid *id);

/* "3249d99d-0c40-4931-8610-f4e4fb0b6936-1"; no age when it is 0. */
void debugid_format(const struct debugid *id, char out[DEBUGID_TEXT_BYTES]);
/* 32 upper-case digits and the age in lower-case hex, always present. */
void debugid_format_breakpad(const struct debugid *id, char out[DEBUGID_TEXT_BYTES]);
/* The UUID alone, 32 lower-case digits. */
void debugid_format_uuid_simple(const struct debugid *id, char out[DEBUGID_TEXT_BYTES]);

/* GUID as Windows stores it (first three fields little endian) to canonical order. */
struct debugid debugid_from_guid(const uint8_t guid[DEBUGID_UUID_BYTES], uint32_t age);
struct debugid debugid_from_uuid(const uint8_t uuid[DEBUGID_UUID_BYTES], uint32_t age);
/* First 16 bytes of an ELF build id, zero padded; fields swapped for little-endian files. */
struct debugid debugid_from_build_id(const uint8_t *bytes, size_t size, bool little_endian);
/* The same of hex digits, of a little-endian file. */
struct debugid debugid_from_code_id(struct text hex);

/* The 32-byte record of SymCache headers: uuid, age (LE), 11 zero bytes, type tag. */
void debugid_store(const struct debugid *id, uint8_t record[DEBUGID_RECORD_BYTES]);
struct debugid debugid_load(const uint8_t record[DEBUGID_RECORD_BYTES]);

/* Keeps hex digits only, lower-cased; out must hold text.size + 1; false when none is left. */
bool codeid_normalise(struct text text, char *out);

/* Lower-case hex of size bytes; out must hold 2 * size + 1. */
void hex_format(const uint8_t *bytes, size_t size, char *out);

#endif

/*
 * sourcemap_layout -- the lookup file of a source map, byte by byte, as reader and writer both
 * need it (doc/formats/sourcemap.md).  All numbers little endian.
 */
#ifndef SOURCEMAP_SOURCEMAP_LAYOUT_H
#define SOURCEMAP_SOURCEMAP_LAYOUT_H

#define SMPC_MAGIC   0x43504d53u     /* "SMPC" */
#define SMPC_VERSION 1u
#define SMPC_ALIGNMENT 8u

#define SMPC_HERMES 1u               /* flag: functions are named by the map itself */

/* The head. */
#define SMPC_AT_MAGIC        0u
#define SMPC_AT_VERSION      4u
#define SMPC_AT_DEBUG_ID     8u      /* a record of 32 bytes, as in SymCaches */
#define SMPC_AT_FLAGS        40u
#define SMPC_AT_TOKENS       44u
#define SMPC_AT_LINES        48u
#define SMPC_AT_FILES        52u
#define SMPC_AT_NAMES        56u
#define SMPC_AT_SCOPES       60u
#define SMPC_AT_WIDTHS       64u     /* a byte for each column */
#define SMPC_AT_STRING_BYTES 72u     /* u64 */
#define SMPC_AT_FILE_BYTES   80u     /* u64: the whole file */
#define SMPC_AT_TABLES       88u     /* u64: where the lines begin, and all that follows them */
#define SMPC_HEAD_BYTES      96u

#define SMPC_LINE_BYTES   8u         /* minified line, first token; ascending */
#define SMPC_FILE_BYTES   32u
#define SMPC_SAMPLE_EVERY 64u        /* tokens for one sample of their column */
#define SMPC_COLUMN_SLACK 4u         /* zeros behind a column */

/* A file. */
#define SMPC_FILE_AT_CONTENTS 0u     /* u64 */
#define SMPC_FILE_AT_STARTS   8u     /* u64 */
#define SMPC_FILE_AT_SIZE     16u    /* u64 */
#define SMPC_FILE_AT_LINES    24u
#define SMPC_FILE_AT_FLAGS    28u
#define SMPC_FILE_HAS_CONTENTS 1u
#define SMPC_FILE_IS_IGNORED   2u

/* A token's scope; from SMPC_SCOPE_NAMED on the name's number is added. */
#define SMPC_SCOPE_UNKNOWN   0u
#define SMPC_SCOPE_ANONYMOUS 1u
#define SMPC_SCOPE_NAMED     2u

#endif

/*
 * file_id -- by what profilers name an executable: 128 bits of a hash of its first and last 4096 bytes and
 * its size (doc/formats/symbfile.md, "File ids").
 *
 * May include: base.
 */
#ifndef SYMBFILE_FILE_ID_H
#define SYMBFILE_FILE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define FILE_ID_BYTES 16u
#define FILE_ID_HEX_BYTES 33u        /* with a NUL */
#define FILE_ID_TEXT_BYTES 23u       /* base64 for URLs, unpadded, with a NUL */

struct file_id { uint8_t bytes[FILE_ID_BYTES]; };

struct file_id file_id_of(const void *bytes, size_t size);
/* As the uploads' headers have it. */
void file_id_format(const struct file_id *id, char out[FILE_ID_TEXT_BYTES]);
void file_id_format_hex(const struct file_id *id, char out[FILE_ID_HEX_BYTES]);
/* base64 for URLs, unpadded: what an upload's header has to be. */
bool file_id_parse(struct text text, struct file_id *id);
/* That, or the same padded or in the other alphabet, or 32 hexadecimal digits with or without `0x` and dashes. */
bool file_id_parse_any(struct text text, struct file_id *id);

#endif

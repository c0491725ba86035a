/*
 * ui_token -- what tells forms of our own pages from any others: HMACs with a secret of this service.
 *
 * A token holds for who asks, what is to be done and the hour in which the form was made; the hour
 * after that takes it too.  Private to front.
 */
#ifndef FRONT_UI_TOKEN_H
#define FRONT_UI_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base64.h"
#include "base/hash.h"
#include "base/text.h"

struct err;

#define UI_SECRET_BYTES 32u
#define UI_TOKEN_BYTES BASE64_TEXT_BYTES(HASH_SHA256_BYTES)

/* From state_dir/web.secret, which whoever comes first makes: all processes have the same. */
int  ui_secret_read(const char *state_dir, uint8_t secret[UI_SECRET_BYTES], struct err *err)
	__attribute__((warn_unused_result));

/* `user` is TEXT_NONE for anybody; `now` in unix seconds. */
void ui_token_write(char out[UI_TOKEN_BYTES], const uint8_t secret[UI_SECRET_BYTES], struct text user,
		    const char *action, int64_t now);
/* The time it takes says nothing of how much is right. */
bool ui_token_is_good(struct text token, const uint8_t secret[UI_SECRET_BYTES], struct text user,
		      const char *action, int64_t now);

#endif

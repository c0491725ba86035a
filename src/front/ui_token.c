/* ui_token.c -- see ui_token.h. */
#include "front/ui_token.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"

#define HOUR_SECONDS 3600
#define PATH_BYTES 4096u
#define MESSAGE_BYTES 4096u

/* --- The secret ----------------------------------------------------------------------------------- */

/* 0: there is none yet. */
static int read_secret(const char *path, uint8_t secret[UI_SECRET_BYTES], struct err *err)
{
	uint8_t bytes[UI_SECRET_BYTES + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_os(err, errno, "opening %s", path);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (size != (ssize_t)UI_SECRET_BYTES)
		return err_set(err, ERR_IO, "%s is not %u bytes long: remove it, and a new one is made", path,
			       UI_SECRET_BYTES);
	memcpy(secret, bytes, UI_SECRET_BYTES);
	return 1;
}

/* It appears whole, and only once, whoever else makes one at the same time: link() replaces nothing. */
static int make_secret(const char *state_dir, const char *path, struct err *err)
{
	uint8_t secret[UI_SECRET_BYTES];
	char temporary[PATH_BYTES];
	int fd, rc;

	random_bytes(secret, sizeof(secret));
	if (file_temporary(state_dir, temporary, sizeof(temporary), &fd, err) < 0)
		return -1;
	rc = file_write_all(fd, secret, sizeof(secret), err);
	if (rc == 0 && fsync(fd) < 0)
		rc = err_os(err, errno, "writing %s", temporary);
	if (rc == 0 && link(temporary, path) < 0 && errno != EEXIST)
		rc = err_os(err, errno, "making %s", path);
	close(fd);
	unlink(temporary);
	return rc;
}

int ui_secret_read(const char *state_dir, uint8_t secret[UI_SECRET_BYTES], struct err *err)
{
	char path[PATH_BYTES];
	int there;

	if ((size_t)snprintf(path, sizeof(path), "%s/web.secret", state_dir) >= sizeof(path))
		return err_set(err, ERR_IO, "state_dir is too long: %s", state_dir);
	there = read_secret(path, secret, err);
	if (there != 0)
		return there < 0 ? -1 : 0;
	if (make_secret(state_dir, path, err) < 0)
		return -1;
	there = read_secret(path, secret, err);
	if (there == 0)
		return err_set(err, ERR_IO, "%s was removed as soon as it was made", path);
	return there < 0 ? -1 : 0;
}

/* --- Tokens --------------------------------------------------------------------------------------- */

/* The name's size stands before it: no name can pass for another one and an action. */
static void write_of_hour(char out[UI_TOKEN_BYTES], const uint8_t secret[UI_SECRET_BYTES], struct text user,
			  const char *action, int64_t hour)
{
	uint8_t keyed[HASH_SHA256_BYTES];
	struct buf message;

	buf_init(&message, MESSAGE_BYTES);
	buf_printf(&message, "%zu ", user.size);
	buf_add_text(&message, user);
	buf_printf(&message, " %s %" PRId64, action, hour);
	hash_keyed(secret, UI_SECRET_BYTES, buf_string(&message), message.size, keyed);
	/* A message that is not whole is nobody's. */
	if (message.failed)
		random_bytes(keyed, sizeof(keyed));
	buf_release(&message);
	base64_format_url(keyed, sizeof(keyed), out);
}

void ui_token_write(char out[UI_TOKEN_BYTES], const uint8_t secret[UI_SECRET_BYTES], struct text user,
		    const char *action, int64_t now)
{
	write_of_hour(out, secret, user, action, now / HOUR_SECONDS);
}

static bool is_same(struct text token, const char *other)
{
	size_t size = strlen(other);
	unsigned differs = 0;

	if (token.size != size)
		return false;
	for (size_t i = 0; i < size; i++)
		differs |= (unsigned char)token.bytes[i] ^ (unsigned char)other[i];
	return differs == 0;
}

bool ui_token_is_good(struct text token, const uint8_t secret[UI_SECRET_BYTES], struct text user,
		      const char *action, int64_t now)
{
	char this_hour[UI_TOKEN_BYTES], last_hour[UI_TOKEN_BYTES];

	write_of_hour(this_hour, secret, user, action, now / HOUR_SECONDS);
	write_of_hour(last_hour, secret, user, action, now / HOUR_SECONDS - 1);
	return (int)is_same(token, this_hour) + (int)is_same(token, last_hour) > 0;
}

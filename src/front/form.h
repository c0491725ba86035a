/*
 * form -- a multipart/form-data body with one file: small parts in memory, the file in the spool.
 *
 * The file's bytes go from the socket to a file of mode 0600 and are looked at by nobody here.  The
 * other parts that a shape names become a JSON object of strings; the rest is left out.  Of parts
 * of one name the last one counts.
 *
 * May include: base, job, unpack.  Private to front.
 */
#ifndef FRONT_FORM_H
#define FRONT_FORM_H

#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "job/job.h"

struct buf;
struct err;

#define FORM_FIELD_BYTES ((size_t)1024 * 1024)   /* of one small part */
#define FORM_FIELDS_MAX 16u

struct form_shape {
	const char *file;                /* the part that is the file, which has to be there; NULL: the body is
	                                    the file, and the fields are variables of the request */
	const char *missing;             /* what is said when it is not; NULL: it may be missing, and the body
	                                    may be application/x-www-form-urlencoded */
	const char *const *fields;       /* the other parts, NULL at the end; at most FORM_FIELDS_MAX */
	const char *many;                /* the one of them that may come often: its values are lines of one;
	                                    NULL: none */
};

/* A file in the spool: it is removed unless a job takes it. */
struct upload {
	int fd;                          /* for reading and writing */
	uint64_t size;
	char path[JOB_PATH_BYTES];
};
/* An empty one. */
int  upload_new(struct upload **upload, const struct jobs *jobs, struct err *err)
	__attribute__((warn_unused_result));
void upload_free(struct upload *upload);         /* NULL is fine; a taken one has no path */

/* The body as it comes: bytes read, 0 at its end, -1 with an error. */
typedef ssize_t form_read_fn(void *payload, void *bytes, size_t capacity, struct err *err);
struct form_source {
	form_read_fn *read;
	void *payload;
	struct text content_type;
	int encoding;                    /* an enum unpack_kind; UNPACK_NONE: as it is */
	uint64_t max_bytes;              /* of what it unpacks to */
	/* Of a body that is a file: what a field is; TEXT_NONE: it is not there. */
	struct text (*variable)(void *payload, const char *name);
};

/* Reads all of it.  *upload is the caller's; `fields` gets the object.  ERR_BAD_REQUEST: it is no such
 * body; ERR_NOT_FOUND: its file is missing; ERR_TOO_LARGE: a part or all of it is; ERR_IO, ERR_NO_MEMORY: the spool and we. */
int form_read(const struct form_shape *shape, const struct form_source *source, const struct jobs *jobs,
	      struct upload **upload, struct buf *fields, struct err *err)
	__attribute__((warn_unused_result));

#endif

/*
 * frame -- packets between the asking process, its nursery and their cells.  Private to this component.
 *
 *  1. A channel is a pair of SOCK_SEQPACKET sockets: a packet arrives whole or not at all, so
 *     a cell that dies half-way through a message cannot garble what its nursery says next.
 *  2. A message is one packet or several of one type, `more` set on all but the last.
 *  3. Whoever asks never blocks on a cell: what is large goes to it in a memory file.
 *  4. What comes from a cell is hostile: types, sizes and words are checked by the asker.
 */
#ifndef SANDBOX_FRAME_H
#define SANDBOX_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "sandbox/sandbox.h"

#define FRAME_PACKET_BYTES 32768u            /* of payload; well below any socket buffer */
#define FRAME_MESSAGE_BYTES_MAX ((size_t)16 << 20)
#define FRAME_FILES_MAX (2u * CELL_FILES_MAX + 2u)
#define FRAME_WANT_ID_BYTES 1024u
#define FRAME_WANT_NAME_BYTES 4096u

enum frame_type {
	FRAME_ORDER = 1,     /* asker to nursery: struct frame_order; files: see there */
	FRAME_READY,         /* nursery to asker, once: struct frame_ready */
	FRAME_WANT,          /* cell to asker: struct frame_want, id, name */
	FRAME_ANSWER,        /* asker to cell: struct frame_answer; one file or none */
	FRAME_MESSAGE,       /* both ways; to the cell: struct frame_body */
	FRAME_DONE,          /* cell to asker: the reply */
	FRAME_FAILED,        /* cell to asker: struct frame_failed */
	FRAME_ENDED,         /* nursery to asker: struct frame_ended */
};

struct frame_head { uint32_t type, more; };

struct frame {
	struct frame_head head;
	char bytes[FRAME_PACKET_BYTES];
	size_t size;                         /* of bytes */
	int files[FRAME_FILES_MAX];          /* received; the receiver's to close */
	unsigned file_count;
};

/* Bytes for a cell: they follow in the packet, or come as a memory file when in_file is set. */
struct frame_body { uint32_t size, in_file; };

/* Files: the cell's end of its channel, the parameters when in a file, inputs, outputs. */
struct frame_order {
	char operation[CELL_ROLE_BYTES];
	uint32_t input_count, output_count;
	char roles[2u * CELL_FILES_MAX][CELL_ROLE_BYTES];    /* inputs first */
	struct checksum_seal seals[CELL_FILES_MAX];          /* of inputs */
	struct frame_body parameters;
};
struct frame_ready { uint32_t ok, level, kind; char text[ERR_TEXT_BYTES]; };
struct frame_want { char role[CELL_ROLE_BYTES]; uint32_t id_size, name_size; uint32_t has; };
#define FRAME_WANT_HAS_ID 1u
#define FRAME_WANT_HAS_NAME 2u
struct frame_answer { uint32_t answer, unused; struct checksum_seal seal; };
struct frame_failed { uint32_t kind; int32_t os_errno; char text[ERR_TEXT_BYTES]; };
struct frame_ended {
	int32_t status;              /* as from wait4(); -1: never started */
	int32_t os_errno;            /* why it never started */
	uint32_t cpu_spent;          /* 1: it had used up its CPU time */
};

/* Sends one packet with its files.  `flags` as for sendmsg.  0, or -1 with errno. */
int frame_send(int fd, enum frame_type type, struct text head, struct text body, uint32_t more,
	       const int *files, unsigned file_count, int flags);

/* Sends a message in as many packets as it takes; blocks: for cells only.  0 or -1. */
int frame_send_message(int fd, enum frame_type type, struct text message);

/* 1: a packet; 0: the other side has gone; -1 with errno.  Files are taken only when
 * `takes_files`, otherwise the kernel drops them. */
int frame_receive(int fd, struct frame *frame, bool takes_files, int flags);

void frame_close_files(struct frame *frame);

/* A memory file holding these bytes. */
int frame_memory_file(struct text bytes, int *fd, struct err *err)
	__attribute__((warn_unused_result));

#define FRAME_TEXT(thing) ((struct text){ (const char *)&(thing), sizeof(thing) })

/* Exit status of a cell that could not send its result, which is then unknown. */
#define FRAME_EXIT_UNHEARD 75

#endif

/*
 * board_layout -- the board's file, byte for byte.  Private to this component.
 *
 *  1. All words are lock-free atomics: a reader never waits for a writer that died.
 *  2. Zero is the right initial value of everything but the heading.
 *  3. A change of meaning or place raises BOARD_LAYOUT; a change of what is counted
 *     changes the file's name by itself (board_layout()).
 */
#ifndef BOARD_BOARD_LAYOUT_H
#define BOARD_BOARD_LAYOUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/text.h"
#include "board/board.h"
#include "board/counters.h"

#define BOARD_LAYOUT 5u
#define BOARD_SLOTS 1024u
#define BOARD_TOUCHES 4096u
#define BOARD_SHARES  256u
#define BOARD_TROUBLE_WORDS (BOARD_TROUBLE_BYTES / sizeof(uint64_t))
#define BOARD_LINE_BYTES 64u     /* a cache line: words do not disturb each other */

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "counters are shared between processes");

struct board_word_line {
	_Atomic uint32_t value;
	uint8_t unused[BOARD_LINE_BYTES - sizeof(uint32_t)];
};

/* One process's share of the gauges. */
struct board_slot {
	_Alignas(BOARD_LINE_BYTES)
	_Atomic uint64_t owner;      /* pid << 32 | low half of its start time; 0: free */
	_Atomic int64_t gauges[COUNTER_GAUGES];
};

struct board_heading {
	char magic[8];               /* "SGBOARD" */
	uint32_t layout;             /* board_layout().number */
	uint32_t bytes;              /* of the whole file */
	_Atomic int64_t boot_started_at;
	_Atomic uint32_t sandbox_level;      /* one more than the level; 0: not known yet */
	uint8_t unused[BOARD_LINE_BYTES - 28u];
};

struct board_file {
	struct board_heading heading;
	struct board_word_line words[BOARD_WORDS];
	_Atomic uint32_t generations[BOARD_STRIPES];
	_Atomic uint32_t job_generations[BOARD_STRIPES];
	_Atomic uint64_t touch_next;
	_Atomic int64_t touches[BOARD_TOUCHES];      /* entry ids; 0: none */
	_Atomic uint64_t share_next;
	_Atomic int64_t shares[BOARD_SHARES];
	_Atomic int64_t trouble_at;                  /* unix seconds; 0: none */
	_Atomic uint64_t trouble[BOARD_TROUBLE_WORDS];  /* its text, NUL-ended */
	struct board_slot slots[BOARD_SLOTS];
	_Atomic uint64_t counters[];                 /* as they are registered */
};

_Static_assert(sizeof(struct board_heading) == BOARD_LINE_BYTES, "one heading, one cache line");
_Static_assert(sizeof(struct board_slot) % BOARD_LINE_BYTES == 0, "slots share no cache line");

/* What was registered: how many counters and gauges, and a hash of BOARD_LAYOUT, their kinds, names and
 * labels. */
struct board_layout { size_t counters, gauges; uint32_t number; };
struct board_layout board_layout(void);
/* Where this process sits.  A forked child finds that the seat is its parent's and takes one
 * of its own. */
struct board_seat {
	pthread_mutex_t lock;
	_Atomic uint64_t owner;      /* who we are; 0: no seat yet */
	unsigned index;
};

struct board {
	struct board_file *file;
	_Atomic uint64_t *counters;  /* of the file */
	size_t bytes;                /* that are mapped of it */
	struct board_seat seat;      /* this process's slot */
};

void board_each_counter_set(void (*visit)(void *payload, const struct counter_set *set), void *payload);

#define BOARD_HASH_START 2166136261u
uint32_t board_hash(uint32_t hash, struct text text);

#endif

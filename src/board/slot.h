/*
 * slot -- which slot of the board is ours, and whether another's owner still lives.
 * Private to this component.
 */
#ifndef BOARD_SLOT_H
#define BOARD_SLOT_H

#include <pthread.h>
#include <stdint.h>

#include "board/board_layout.h"

/* Where this process sits.  A forked child finds that the seat is its parent's and takes one
 * of its own. */
struct board_seat {
	pthread_mutex_t lock;
	_Atomic uint64_t owner;      /* who we are; 0: no seat yet */
	unsigned index;
};

void board_seat_init(struct board_seat *seat);
/* Leaves the slot free if it is this process's. */
void board_seat_release(struct board_seat *seat, struct board_slot *slots);
/* Our slot; NULL when every slot belongs to a living process. */
struct board_slot *board_seat_take(struct board_seat *seat, struct board_slot *slots);
/* A gauge over the slots of the living, by its place. */
int64_t board_slots_sum(struct board_slot *slots, size_t gauge);

#endif

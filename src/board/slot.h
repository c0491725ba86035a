/*
 * slot -- which slot of the board is ours, and whether another's owner still lives.
 * Private to this component.
 */
#ifndef BOARD_SLOT_H
#define BOARD_SLOT_H

#include <stdint.h>

#include "board/board_layout.h"

void board_seat_init(struct board_seat *seat);
/* Leaves the slot free if it is this process's. */
void board_seat_release(struct board_seat *seat, struct board_slot *slots);
/* Our slot; NULL when every slot belongs to a living process. */
struct board_slot *board_seat_take(struct board_seat *seat, struct board_slot *slots);
/* A gauge over the slots of the living, by its place. */
int64_t board_slots_sum(struct board_slot *slots, size_t gauge);

#endif

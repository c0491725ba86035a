/*
 * slot.c -- see slot.h.
 *
 * A slot's owner is a pid and the low half of the time that process started (in clock ticks
 * since boot, as /proc/PID/stat has it): a pid used again is another owner.
 */
#include "board/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STAT_START_FIELD 22      /* proc(5): starttime; the name in field 2 may hold spaces */

enum life { LIFE_UNKNOWN, LIFE_DEAD, LIFE_ALIVE };

/* What /proc says of a process; *start is filled when it is alive. */
static enum life look_at(pid_t pid, uint32_t *start)
{
	char path[32], stat[1024];
	const char *at;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? LIFE_DEAD : LIFE_UNKNOWN;
	size = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (size <= 0)
		return size < 0 && errno == ESRCH ? LIFE_DEAD : LIFE_UNKNOWN;
	stat[size] = '\0';
	at = strrchr(stat, ')');
	if (!at || at[1] != ' ')
		return LIFE_UNKNOWN;
	at += 2;
	if (*at == 'Z' || *at == 'X')
		return LIFE_DEAD;
	for (int field = 3; field < STAT_START_FIELD; field++) {
		at = strchr(at, ' ');
		if (!at)
			return LIFE_UNKNOWN;
		at++;
	}
	*start = (uint32_t)strtoull(at, NULL, 10);
	return LIFE_ALIVE;
}

static uint64_t owner_of(pid_t pid, uint32_t start)
{
	return (uint64_t)(uint32_t)pid << 32 | start;
}

static uint64_t own_owner(void)
{
	uint32_t start = 0;

	/* Without /proc the start time stays 0, and kill() alone tells who lives. */
	if (look_at(getpid(), &start) != LIFE_ALIVE)
		start = 0;
	return owner_of(getpid(), start);
}

static bool is_alive(uint64_t owner)
{
	pid_t pid = (pid_t)(owner >> 32);
	uint32_t start = 0;

	if (pid <= 0)
		return false;
	switch (look_at(pid, &start)) {
	case LIFE_DEAD:
		/* hidepid makes other users' processes look absent */
		return kill(pid, 0) < 0 && errno == EPERM;
	case LIFE_ALIVE:
		return (uint32_t)owner == 0 || (uint32_t)owner == start;
	default:
		return kill(pid, 0) == 0 || errno == EPERM;
	}
}

void board_seat_init(struct board_seat *seat)
{
	pthread_mutex_init(&seat->lock, NULL);
	atomic_init(&seat->owner, 0);
	seat->index = 0;
}

void board_seat_release(struct board_seat *seat, struct board_slot *slots)
{
	uint64_t owner = atomic_load(&seat->owner);

	if (owner && (pid_t)(owner >> 32) == getpid())
		atomic_compare_exchange_strong(&slots[seat->index].owner, &owner, 0);
	pthread_mutex_destroy(&seat->lock);
}

/* Takes a slot nobody lives in.  Between the exchange and the zeroing a reader may see the
 * dead owner's values once more; a taker that dies in between counts as nothing. */
static bool sit_down(struct board_slot *slot, uint64_t me)
{
	uint64_t owner = atomic_load(&slot->owner);

	if (owner != 0 && is_alive(owner))
		return false;
	if (!atomic_compare_exchange_strong(&slot->owner, &owner, me))
		return false;
	for (unsigned i = 0; i < COUNTER_GAUGES; i++)
		atomic_store(&slot->gauges[i], 0);
	return true;
}

static bool is_seated(const struct board_seat *seat, struct board_slot *slots)
{
	uint64_t owner = atomic_load_explicit(&seat->owner, memory_order_acquire);

	return owner != 0 && (pid_t)(owner >> 32) == getpid() &&
	       atomic_load_explicit(&slots[seat->index].owner, memory_order_relaxed) == owner;
}

struct board_slot *board_seat_take(struct board_seat *seat, struct board_slot *slots)
{
	struct board_slot *taken = NULL;
	uint64_t me;

	if (is_seated(seat, slots))
		return &slots[seat->index];
	pthread_mutex_lock(&seat->lock);
	if (is_seated(seat, slots))
		taken = &slots[seat->index];
	me = taken ? 0 : own_owner();
	for (unsigned i = 0; !taken && i < BOARD_SLOTS; i++) {
		if (!sit_down(&slots[i], me))
			continue;
		taken = &slots[i];
		seat->index = i;
		atomic_store_explicit(&seat->owner, me, memory_order_release);
	}
	pthread_mutex_unlock(&seat->lock);
	return taken;
}

int64_t board_slots_sum(struct board_slot *slots, size_t gauge)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < BOARD_SLOTS; i++) {
		int64_t share = atomic_load(&slots[i].gauges[gauge]);
		uint64_t owner = atomic_load(&slots[i].owner);

		if (owner != 0 && share != 0 && is_alive(owner))
			sum += share;
	}
	return sum;
}

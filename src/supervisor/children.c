/* children.c -- see children.h. */
#include "supervisor/children.h"

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void child_note_end(struct child *child, bool is_unable, int64_t now)
{
	bool steady = now - child->started_millis >= CHILD_STEADY_MILLIS;

	child->pid = 0;
	child->is_unable = is_unable && !steady;
	child->pause_millis = steady ? 0 : child->pause_millis == 0 ? CHILD_PAUSE_FIRST_MILLIS :
			      least(child->pause_millis * 2, CHILD_PAUSE_MOST_MILLIS);
	child->start_at_millis = now + child->pause_millis;
}

/* One of an older configuration is not started again. */
static bool is_waiting(const struct child *child)
{
	return child->pid == 0 && child->kill_at_millis == 0 && !child->has_left;
}

bool child_is_due(const struct child *child, int64_t now)
{
	return is_waiting(child) && child->start_at_millis <= now;
}

void children_hurry_front(struct child *children, size_t count, int64_t now)
{
	struct child *next = NULL;
	int64_t most;

	for (size_t i = 0; i < count; i++) {
		struct child *child = &children[i];

		if (child->duty != DUTY_FRONT || child->kill_at_millis != 0)
			continue;
		if (child->pid != 0)
			return;
		if (!next || child->start_at_millis < next->start_at_millis)
			next = child;
	}
	if (!next)
		return;
	most = next->is_unable ? CHILD_PAUSE_UNABLE_MILLIS : CHILD_PAUSE_FIRST_MILLIS;
	next->start_at_millis = least(next->start_at_millis, now + most);
}

int64_t children_next_due(const struct child *children, size_t count, int64_t now, int64_t most)
{
	for (size_t i = 0; i < count; i++)
		if (is_waiting(&children[i]))
			most = least(most, children[i].start_at_millis > now ?
					   children[i].start_at_millis - now : 0);
	return most;
}

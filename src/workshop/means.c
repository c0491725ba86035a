/* means.c -- see means.h. */
#include "workshop/means.h"

#define FIRST_PAUSE_MILLIS 100
#define LAST_PAUSE_MILLIS  10000
#define PAUSE_DOUBLINGS    7

int64_t workshop_pause_millis(unsigned tries)
{
	return tries < PAUSE_DOUBLINGS ? (int64_t)FIRST_PAUSE_MILLIS << tries : LAST_PAUSE_MILLIS;
}

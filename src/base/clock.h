/*
 * clock -- the two clocks and how times are written.
 *
 * Unix seconds are for what is stored; the monotonic clock is for durations.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define CLOCK_TEXT_BYTES 32u

int64_t clock_unix_seconds(void);
int64_t clock_unix_millis(void);
int64_t clock_monotonic_millis(void);
/* Late by a tick at most, for whoever asks often. */
int64_t clock_monotonic_coarse_millis(void);
int64_t clock_monotonic_micros(void);

/* "2026-01-02T03:04:05Z"; our own calendar, no locale, no time zone. */
void clock_format_utc(int64_t unix_seconds, char out[CLOCK_TEXT_BYTES]);

/* humantime: "1h 30m", "200ms", "7d"; false when it is not one. Units: ns us ms s m h d w
 * (and sec min hour hours day days week weeks month months year years). */
bool duration_parse(struct text text, int64_t *millis);
/* "5m", "1h 30m", "200ms", "0s": largest units first. */
void duration_format(int64_t millis, char *out, size_t capacity);
/* Compact seconds as Symbolicator prints timeouts: "300s", "1.5s", "200ms". */
void duration_format_compact(int64_t millis, char *out, size_t capacity);

#endif

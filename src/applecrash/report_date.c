/* report_date.c -- the dates of both forms: see applecrash_internal.h. */
#include "applecrash/applecrash_internal.h"

/* `digits` of them, and the character after them when it is not 0. */
static bool take_number(struct text *text, size_t digits, char after, int64_t *number)
{
	*number = 0;
	if (text->size < digits + (after != '\0'))
		return false;
	for (size_t i = 0; i < digits; i++) {
		if (!ascii_is_digit(text->bytes[i]))
			return false;
		*number = *number * 10 + (text->bytes[i] - '0');
	}
	if (after && text->bytes[digits] != after)
		return false;
	digits += after != '\0';
	*text = (struct text){ text->bytes + digits, text->size - digits };
	return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int64_t past = year - 1;

	return past * 365 + past / 4 - past / 100 + past / 400 - 719162 + before[month - 1] +
	       (month > 2 && is_leap) + day - 1;
}

static int64_t days_in(int64_t year, int64_t month)
{
	return month == 12 ? 31 : days_of(year, month + 1, 1) - days_of(year, month, 1);
}

static bool take_zone(struct text *rest, int64_t *seconds)
{
	int64_t hours, minutes;
	bool is_west;

	if (rest->size < 5 || (rest->bytes[0] != '+' && rest->bytes[0] != '-'))
		return false;
	is_west = rest->bytes[0] == '-';
	*rest = (struct text){ rest->bytes + 1, rest->size - 1 };
	if (!take_number(rest, 2, rest->bytes[2] == ':' ? ':' : '\0', &hours) ||
	    !take_number(rest, 2, '\0', &minutes) || minutes > 59)
		return false;
	*seconds = (is_west ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static void skip_fraction(struct text *rest)
{
	if (rest->size == 0 || rest->bytes[0] != '.')
		return;
	do
		*rest = (struct text){ rest->bytes + 1, rest->size - 1 };
	while (rest->size > 0 && ascii_is_digit(rest->bytes[0]));
}

/* "2019-01-09 " as days, "17:42:22" as seconds. */
static bool take_day(struct text *text, int64_t *days)
{
	int64_t year, month, day;

	if (!take_number(text, 4, '-', &year) || !take_number(text, 2, '-', &month) ||
	    !take_number(text, 2, ' ', &day))
		return false;
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in(year, month))
		return false;
	*days = days_of(year, month, day);
	return true;
}

static bool take_time(struct text *text, int64_t *seconds)
{
	int64_t hour, minute, second;

	if (!take_number(text, 2, ':', &hour) || !take_number(text, 2, ':', &minute) ||
	    !take_number(text, 2, '\0', &second))
		return false;
	*seconds = hour * 3600 + minute * 60 + second;
	return hour <= 23 && minute <= 59 && second <= 60;
}

bool applecrash_date(struct text text, int64_t *unix_seconds)
{
	int64_t days, seconds, zone;

	if (!take_day(&text, &days) || !take_time(&text, &seconds))
		return false;
	skip_fraction(&text);
	text = text_trim(text);
	if (!take_zone(&text, &zone) || text.size > 0)
		return false;
	*unix_seconds = days * 86400 + seconds - zone;
	return true;
}

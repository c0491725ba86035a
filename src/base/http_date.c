/* http_date.c -- see http_date.h. */
#include "base/http_date.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define DAY_SECONDS 86400
#define LONGEST_BYTES 40u            /* "Wednesday, 06-Nov-94 08:49:37 GMT" is 34 */
#define CENTURY_PIVOT 70             /* two digits of a year: 1970 to 2069 */

static const char month_names[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
static const char day_names[7][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };

struct date { unsigned year, month, day, hour, minute, second; };

/* Days since 1970-01-01; years are counted from March, so that the leap day is a year's last. */
static int64_t days_of(const struct date *date)
{
	int64_t year = date->month > 2 ? date->year : (int64_t)date->year - 1;
	int64_t month = date->month > 2 ? date->month - 3 : date->month + 9;

	return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 +
	       date->day - 1 - 719468;
}

void http_date_format(int64_t unix_seconds, char out[HTTP_DATE_BYTES])
{
	char utc[CLOCK_TEXT_BYTES];
	unsigned month;

	if (unix_seconds < 0)
		unix_seconds = 0;
	clock_format_utc(unix_seconds, utc);         /* "1994-11-06T08:49:37Z" */
	month = (unsigned)(utc[5] - '0') * 10 + (unsigned)(utc[6] - '0');
	snprintf(out, HTTP_DATE_BYTES, "%s, %.2s %s %.4s %.8s GMT",
		 day_names[unix_seconds / DAY_SECONDS % 7], utc + 8, month_names[(month - 1) % 12], utc,
		 utc + 11);
}

static bool is_month(const char *name, unsigned *month)
{
	for (*month = 1; *month <= 12; ++*month)
		if (strcmp(name, month_names[*month - 1]) == 0)
			return true;
	return false;
}

/* Of a text that ends where a form ends. */
static bool read_form(const char *text, struct date *date)
{
	char month[4];
	int end = 0;

	if (sscanf(text, "%*3[A-Za-z], %2u %3[A-Za-z] %4u %2u:%2u:%2u GMT%n", &date->day, month,
		   &date->year, &date->hour, &date->minute, &date->second, &end) == 6 &&
	    end > 0 && text[end] == '\0')
		return is_month(month, &date->month);
	end = 0;
	if (sscanf(text, "%*9[A-Za-z], %2u-%3[A-Za-z]-%2u %2u:%2u:%2u GMT%n", &date->day, month,
		   &date->year, &date->hour, &date->minute, &date->second, &end) == 6 &&
	    end > 0 && text[end] == '\0') {
		date->year += date->year < CENTURY_PIVOT ? 2000 : 1900;
		return is_month(month, &date->month);
	}
	end = 0;
	return sscanf(text, "%*3[A-Za-z] %3[A-Za-z] %2u %2u:%2u:%2u %4u%n", month, &date->day,
		      &date->hour, &date->minute, &date->second, &date->year, &end) == 6 &&
	       end > 0 && text[end] == '\0' && is_month(month, &date->month);
}

bool http_date_parse(struct text text, int64_t *unix_seconds)
{
	char copy[LONGEST_BYTES];
	struct date date;

	if (text.size == 0 || text.size >= sizeof(copy))
		return false;
	memcpy(copy, text.bytes, text.size);
	copy[text.size] = '\0';
	if (!read_form(copy, &date) || date.day < 1 || date.day > 31 || date.hour > 23 ||
	    date.minute > 59 || date.second > 60 || date.year < 1970 || date.year > 9999)
		return false;
	*unix_seconds = days_of(&date) * DAY_SECONDS + date.hour * 3600 + date.minute * 60 + date.second;
	return true;
}

/*
 * wpa_folder -- SymCache folders as Windows Performance Analyzer and others keep them:
 *
 *	NAME/GUIDAGE/NAME-v3.1.0.symcache               a file of that version
 *	NAME/GUIDAGE/NAME-v3.1.0.negativesymcache       until when there is known to be none
 *
 * GUID and age in hexadecimal, names in any case (Windows does not tell).  Folders are looked at, never
 * written; whatever else lies there (*.pending, *.error, .temp) does not count.  May include: base.
 */
#ifndef KINDS_WPA_WPA_FOLDER_H
#define KINDS_WPA_WPA_FOLDER_H

#include "kinds/wpa/wpa_path.h"

#define WPA_FOLDER_PATH_BYTES 1024u      /* NAME/GUIDAGE/FILE, relative to the folder */
#define WPA_FOLDER_NEGATIVES 8u

struct wpa_folder_found {
	bool is_file;                /* the file of the highest version that may be sent */
	struct semver version;
	char path[WPA_FOLDER_PATH_BYTES];
	struct semver negatives[WPA_FOLDER_NEGATIVES];   /* not expired at `now` */
	size_t negative_count;
};

/* Versions of majors above that of wanted->version do not count.  What cannot be looked at is not there. */
void wpa_folder_look(const char *folder, const struct wpa_path *wanted, int64_t now,
		     struct wpa_folder_found *found);

/* Name and id as WPA writes them: "NAME/GUIDAGE"; false: too long. */
bool wpa_folder_name(const struct wpa_path *wanted, char out[WPA_FOLDER_PATH_BYTES]);

/* When a negative file's text says that it expires, in Unix seconds: "2020-01-28T07:10:11.1234567+00:00". */
bool wpa_folder_read_time(struct text text, int64_t *at);

#endif

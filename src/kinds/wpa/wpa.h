/*
 * wpa -- one request of the SymCache protocol on its way to an answer: what may be sent, what is there,
 * what can be made.  Private to kinds/wpa.
 *
 *	wpa_request.c  reads path and headers, and refuses
 *	wpa_choice.c   decides between what is there and what can be made
 *	wpa_make.c     makes a file: the PDB is looked for, and the operator's transcoder is run
 *	wpa_kind.c     says it in HTTP
 */
#ifndef KINDS_WPA_WPA_H
#define KINDS_WPA_WPA_H

#include "kinds/wpa/wpa_folder.h"
#include "kinds/wpa/wpa_path.h"
#include "lookup/lookup.h"
#include "work/held.h"

#define WPA_FOLDERS 2u                   /* what was sent with PUT, and wpa.folder */

enum wpa_outcome {
	WPA_UNDECIDED,
	WPA_FILE,                    /* that of `best` */
	WPA_NOT_MODIFIED,
	WPA_NOT_FOUND,
	WPA_REFUSED,                 /* with `words` */
};

/* What may be sent, of the highest version. */
struct wpa_best {
	bool is_set;
	struct semver version;
	bool is_entry;               /* of the cache, under `key`; else a file */
	struct cache_key key;
	const char *folder, *path;   /* of a file: where it lies, and below that */
};

/* A transcoder, and its file for this PDB. */
struct wpa_make {
	const struct config_transcoder *transcoder;
	struct held held;            /* is_settled: it is there, or cannot be had */
};

struct wpa {
	struct wpa_path path;
	bool has_exceeds, may_retry, wants_json;
	struct semver exceeds;
	enum wpa_outcome outcome;
	const char *words;           /* of a refusal */
	struct wpa_best best;

	bool has_looked;             /* into the folders */
	struct semver negatives[WPA_FOLDERS * WPA_FOLDER_NEGATIVES];
	size_t negative_count;

	struct wpa_make *makes;      /* the highest version first; majors up to the requested one */
	size_t make_count;
	struct object_ids ids;
	enum file_type type;
	struct source_query query;
	struct lookup lookup;        /* of the PDB */
	const struct candidate *pdb;
	bool has_chosen;
};

/* --- wpa_request.c --------------------------------------------------------------------------------- */

/* Fills path, headers and makes, and decides what can be decided by them alone. */
int wpa_request_read(struct wpa *wpa, struct work *work, struct text body, struct err *err)
	__attribute__((warn_unused_result));
extern const char *const wpa_request_headers[];

/* Folders that are looked at: their paths in the arena; how many, or -1. */
int wpa_folders(struct work *work, const char *folders[WPA_FOLDERS], struct err *err)
	__attribute__((warn_unused_result));

/* --- wpa_choice.c ---------------------------------------------------------------------------------- */

/* READY: wpa->outcome is decided. */
enum resolved wpa_choose(struct wpa *wpa, struct work *work, struct resolver *resolver, struct err *err);

/* --- wpa_make.c ------------------------------------------------------------------------------------ */

/* The key of the file of that version, of whatever place its PDB came from. */
int wpa_make_key(const struct wpa *wpa, struct work *work, const struct semver *version,
		 struct cache_key *key, struct err *err) __attribute__((warn_unused_result));
/* READY: make->held is settled. */
enum resolved wpa_make(struct wpa *wpa, struct wpa_make *make, struct work *work,
		       struct resolver *resolver, struct err *err);

#endif

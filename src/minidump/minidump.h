/*
 * minidump -- reads minidumps: what a crashed process was, as Windows, Breakpad, Crashpad and
 * Mozilla write it (doc/formats/minidump.md).
 *
 * Bytes of either byte order in, facts out.  The bytes are borrowed and must outlive everything:
 * memory, texts in UTF-8 and contexts point into them.  Lists and texts that had to be converted
 * lie in the arena given to minidump_open().
 *
 * What cannot be read costs itself: the rest is told, and minidump_losses() says what is missing.
 * A function fails only where nothing can be told without what it reads, or memory is short.
 *
 * May include: base, unwind/registers.h.
 */
#ifndef MINIDUMP_MINIDUMP_H
#define MINIDUMP_MINIDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "base/debugid.h"
#include "base/text.h"
#include "unwind/registers.h"

struct arena;
struct buf;
struct err;

#define MINIDUMP_LOSSES_MAX 32u
#define MINIDUMP_PARAMETERS_MAX 15u          /* of an exception: EXCEPTION_MAXIMUM_PARAMETERS */
#define MINIDUMP_NO_THREAD SIZE_MAX
#define MINIDUMP_NO_MODULE UINT32_MAX
#define MINIDUMP_REASON_BYTES 256u
#define MINIDUMP_VERSION_BYTES 48u

/* Where bytes stand: MINIDUMP_LOCATION_DESCRIPTOR. */
struct minidump_location {
	uint32_t size;
	uint32_t rva;                /* offset in the file */
};

/* Memory of the process. */
struct minidump_memory {
	uint64_t start;
	uint64_t size;               /* as many bytes are there: those cut off do not count */
	const uint8_t *bytes;        /* NULL: none */
};

enum minidump_os {
	MINIDUMP_OS_UNKNOWN, MINIDUMP_WINDOWS, MINIDUMP_MACOS, MINIDUMP_IOS, MINIDUMP_LINUX,
	MINIDUMP_SOLARIS, MINIDUMP_ANDROID, MINIDUMP_PS3, MINIDUMP_NACL, MINIDUMP_FUCHSIA,
	MINIDUMP_OSES                /* count */
};

#define MINIDUMP_CPU_BYTES 24u

struct minidump_system {
	uint16_t architecture;       /* as it stands there: 0 x86, 9 amd64, ... */
	uint16_t level, revision;
	uint8_t cpu_count, product_type;
	uint32_t major, minor, build, platform_id;
	uint16_t suite_mask;
	uint8_t cpu[MINIDUMP_CPU_BYTES];         /* as it stands there */
	enum minidump_os os;
	enum arch arch;              /* ARCH_UNKNOWN: sparc, and what nobody knows */
	bool has_unwind_arch;
	enum unwind_arch unwind_arch;
	bool is_64_bit;
	struct text service_pack;    /* service pack, build number or `uname -srvmo`: trimmed */
	struct text os_version;      /* "10.0.22000", "4.9.60-linuxkit-aufs" */
	struct text os_build;        /* "Service Pack 2", "20G630", ""  */
	struct text cpu_info;        /* "GenuineIntel family 6 model 13 stepping 8", "" */
};

struct minidump_misc {
	uint32_t size, flags;        /* flags say what of the rest is there: MINIDUMP_MISC1_... */
	bool has_process_id, has_times, has_build;
	uint32_t process_id, create_time, user_time, kernel_time;
	struct text build_string, debug_build_string;
};

struct minidump_thread {
	uint32_t id, suspend_count, priority_class, priority;
	uint64_t teb;
	uint64_t stack_start;
	struct minidump_location stack, context;
	struct text name;            /* TEXT_NONE: not told; may be empty */
};

enum minidump_codeview {
	MINIDUMP_CODEVIEW_NONE, MINIDUMP_CODEVIEW_PDB70, MINIDUMP_CODEVIEW_PDB20,
	MINIDUMP_CODEVIEW_ELF, MINIDUMP_CODEVIEW_OTHER
};

struct minidump_module {
	uint64_t base;
	uint32_t size, checksum, time_date_stamp;
	uint32_t index;              /* in the list of the dump */
	enum minidump_codeview codeview;
	bool has_version;
	bool is_damaged;             /* its name or its CodeView record cannot be read */
	bool is_shadowed;            /* it overlaps one below it: no address is looked up in it */
	uint32_t file_version[2], product_version[2];    /* high, low */
	struct text name;            /* whole path; TEXT_NONE: cannot be read */
	struct text debug_file;      /* TEXT_NONE: none */
	struct text misc_name;       /* of the IMAGE_DEBUG_MISC record; TEXT_NONE: none */
	struct text code_id;         /* lower-case hex digits; TEXT_NONE: none */
	struct debugid debug_id;     /* nil: none */
};

struct minidump_unloaded_module {
	uint64_t base;
	uint32_t size, checksum, time_date_stamp;
	struct text name;            /* TEXT_NONE: cannot be read */
};

struct minidump_exception {
	uint32_t thread_id, code, flags;
	uint64_t record, address;
	uint32_t parameter_count;    /* as it stands there: maybe more than there can be */
	uint64_t parameters[MINIDUMP_PARAMETERS_MAX];
	struct minidump_location context;
};

/* Stream MD_BREAKPAD_INFO_STREAM. */
struct minidump_breakpad {
	bool has_dump_thread, has_requesting_thread;
	uint32_t dump_thread_id, requesting_thread_id;
};

struct minidump {
	const uint8_t *bytes;        /* borrowed */
	size_t size;
	struct arena *arena;         /* borrowed */
	bool big_endian;

	uint32_t version, stream_count, directory_rva, checksum, time_date_stamp;
	uint64_t flags;

	/* After minidump_read(): */
	struct minidump_system system;
	struct minidump_misc misc;
	struct minidump_breakpad breakpad;
	bool has_exception;
	struct minidump_exception exception;
	struct minidump_thread *threads;
	size_t thread_count;
	size_t requesting_thread;    /* index; MINIDUMP_NO_THREAD: none is said to have crashed */
	struct minidump_module *modules;         /* in the dump's order: the program is the first */
	size_t module_count;
	uint32_t *modules_by_address;            /* indexes of those that are not shadowed */
	size_t mapped_count;
	struct minidump_unloaded_module *unloaded;       /* by address; they may overlap */
	size_t unloaded_count;
	struct minidump_memory *memory;          /* by address, without overlaps */
	size_t memory_count;

	/* Of the component: */
	const char *losses[MINIDUMP_LOSSES_MAX];
	size_t loss_count;           /* all of them, also those there was no room for */
	size_t text_bytes_left;      /* that may still be converted */
};

/* --- Opening -------------------------------------------------------------------------- */

/* Header and directory.  ERR_MALFORMED in words that are told to clients:
 * "Missing minidump header (empty minidump?)", "Header mismatch", "Minidump version mismatch",
 * "Missing stream directory (heavily truncated minidump?)". */
int minidump_open(struct minidump *dump, const void *bytes, size_t size, struct arena *arena,
		  struct err *err) __attribute__((warn_unused_result));

/* What a stack walk needs.  ERR_MALFORMED without the two streams that nothing can be told
 * without: "The system information stream was not found", "The thread list stream was not found";
 * ERR_NO_MEMORY and ERR_LIMIT by the arena. */
int minidump_read(struct minidump *dump, struct err *err) __attribute__((warn_unused_result));

/* What could not be read so far, sentence by sentence: at < minidump_losses(). */
size_t minidump_losses(const struct minidump *dump);
const char *minidump_loss(const struct minidump *dump, size_t at);

/* --- Streams -------------------------------------------------------------------------- */

struct minidump_stream {
	uint32_t type;
	struct minidump_location location;
};

/* at < dump->stream_count. */
struct minidump_stream minidump_stream(const struct minidump *dump, uint32_t at);
/* "MD_THREAD_LIST_STREAM"; NULL for a type nobody published. */
const char *minidump_stream_name(uint32_t type);

/* The bytes of a stream of text (MD_LINUX_MAPS, ...); TEXT_NONE: there is no such stream. */
struct text minidump_text_stream(struct minidump *dump, uint32_t type);

/* --- Facts of minidump_read() ----------------------------------------------------------- */

/* "Windows", "macOS", "iOS", "Linux", ...; "" when unknown. */
const char *minidump_os_name(enum minidump_os os);
/* As minidump tools print it: "Windows NT", "Mac OS X"; "unknown". */
const char *minidump_os_long_name(enum minidump_os os);
/* "x86", "amd64", "arm64", ...; "unknown". */
const char *minidump_cpu_name(const struct minidump_system *system);
/* The microcode's version by MD_LINUX_CPU_INFO. */
bool minidump_microcode(struct minidump *dump, uint64_t *version);
/* MISC_INFO's, else that of MD_LINUX_PROC_STATUS. */
bool minidump_process_id(struct minidump *dump, uint32_t *id);

/* "SIGSEGV / SEGV_MAPERR", "EXCEPTION_ACCESS_VIOLATION_READ"; "" without an exception. */
void minidump_crash_reason(const struct minidump *dump, char out[MINIDUMP_REASON_BYTES]);
/* What a signal (code) with its si_code (flags) is called; cores have them, too. */
void minidump_linux_reason(const struct minidump_exception *exception,
			   char out[MINIDUMP_REASON_BYTES]);
/* 0 without an exception. */
uint64_t minidump_crash_address(const struct minidump *dump);

/* The thread that wrote the dump: nothing is told of it. */
bool minidump_thread_is_dumper(const struct minidump *dump, size_t thread);
/* Of the requesting thread the exception's, if it has any.  False: none that can be read. */
bool minidump_thread_registers(const struct minidump *dump, size_t thread,
			       struct unwind_registers *registers);
/* The memory to walk in.  bytes NULL: none. */
struct minidump_memory minidump_thread_stack(const struct minidump *dump, size_t thread,
					     const struct unwind_registers *registers);
/* GetLastError() of a Windows thread, where the dump has the thread's environment block. */
bool minidump_thread_last_error(const struct minidump *dump, size_t thread, uint32_t *error);

/* The context at a location, by the dump's processor.  False: none that can be read. */
bool minidump_context(const struct minidump *dump, struct minidump_location at,
		      struct unwind_registers *registers);

/* NULL: no module is there. */
const struct minidump_module *minidump_module_at(const struct minidump *dump, uint64_t address);
/* "6.1.7600.16385"; "" when there is none. */
void minidump_module_version(const struct minidump *dump, const struct minidump_module *module,
			     char out[MINIDUMP_VERSION_BYTES]);
/* The next unloaded module over the address, from *at (begin with 0) on; NULL: no more. */
const struct minidump_unloaded_module *minidump_unloaded_at(const struct minidump *dump,
							   uint64_t address, size_t *at);

/* The region of the memory lists that holds the address; NULL: none. */
const struct minidump_memory *minidump_memory_at(const struct minidump *dump, uint64_t address);
/* `size` bytes at an address, or NULL. */
const uint8_t *minidump_memory_read(const struct minidump *dump, uint64_t address, size_t size);

/* --- Further streams, each read when asked for ------------------------------------------- *
 * An absent stream is an empty list.  -1: ERR_NO_MEMORY, ERR_LIMIT. */

struct minidump_memory_info {
	uint64_t base, size, allocation_base;
	uint32_t allocation_protection, state, protection, type;
};
struct minidump_memory_info_list { const struct minidump_memory_info *items; size_t count; };
int minidump_memory_info(struct minidump *dump, struct minidump_memory_info_list *list,
			 struct err *err) __attribute__((warn_unused_result));

struct minidump_handle {
	uint64_t handle;
	struct text type_name, object_name;      /* TEXT_NONE: none */
	uint32_t attributes, granted_access, handle_count, pointer_count;
};
struct minidump_handle_list { const struct minidump_handle *items; size_t count; };
int minidump_handles(struct minidump *dump, struct minidump_handle_list *list, struct err *err)
	__attribute__((warn_unused_result));

enum minidump_annotation_kind {
	MINIDUMP_ANNOTATION_SIMPLE,  /* a name and a value */
	MINIDUMP_ANNOTATION_LIST,    /* a value without a name */
	MINIDUMP_ANNOTATION_OBJECT,  /* with a type; the value of types other than 1 is bytes */
};
struct minidump_annotation {
	enum minidump_annotation_kind kind;
	uint16_t type;
	uint32_t module;             /* index; MINIDUMP_NO_MODULE: of the process */
	struct text name, value;
};
struct minidump_crashpad {
	bool is_there;
	uint32_t version;
	struct debugid report_id, client_id;
	const struct minidump_annotation *annotations;
	size_t annotation_count;
};
int minidump_crashpad(struct minidump *dump, struct minidump_crashpad *crashpad, struct err *err)
	__attribute__((warn_unused_result));

struct minidump_assertion {
	struct text expression, function, file;  /* TEXT_NONE: not told */
	uint32_t line, type;         /* 0 unknown, 1 invalid parameter, 2 pure virtual call */
};
/* 1: there is one; 0: none. */
int minidump_assertion(struct minidump *dump, struct minidump_assertion *assertion, struct err *err)
	__attribute__((warn_unused_result));

struct minidump_mac_crash {
	uint64_t version, thread, dialog_mode, abort_cause;      /* 0: not told */
	struct text module_path, message, signature, backtrace, message2;
};
struct minidump_mac_crash_list { struct minidump_mac_crash items[20]; size_t count; };
int minidump_mac_crash_info(struct minidump *dump, struct minidump_mac_crash_list *list,
			    struct err *err) __attribute__((warn_unused_result));
/* TEXT_NONE: not told. */
struct text minidump_mac_boot_args(struct minidump *dump);

struct minidump_link_map { uint64_t address, dynamic; struct text name; };
struct minidump_dso_debug {
	bool is_there;
	uint32_t version;
	uint64_t brk, loader_base, dynamic;
	const struct minidump_link_map *maps;
	size_t map_count;
};
int minidump_dso_debug(struct minidump *dump, struct minidump_dso_debug *debug, struct err *err)
	__attribute__((warn_unused_result));

/* --- Stacks that were walked in the process (prewalked.c) ----------------------------------- */

struct minidump_prewalked {
	const uint8_t *threads, *frames;         /* as they stand there */
	uint32_t thread_count, frame_count;
	struct text symbols;
};
struct minidump_prewalked_frame {
	uint64_t address;
	struct text symbol;          /* may be no UTF-8 */
};
/* False: there are none, or something of the stream is wrong. */
bool minidump_prewalked_read(struct minidump *dump, struct minidump_prewalked *stacks);
/* How many frames of a thread there are, from *first on. */
uint32_t minidump_prewalked_find(const struct minidump_prewalked *stacks, uint32_t thread_id,
				 uint32_t *first);
/* at < frame_count. */
struct minidump_prewalked_frame minidump_prewalked_frame(const struct minidump_prewalked *stacks,
							 uint32_t at);

/* --- Texts of Linux dumps (linux_streams.c) ----------------------------------------------- */

/* Takes the next "key SEPARATOR value" off the text: trimmed, one pair of quotes removed; what has
 * no separator is passed over.  False: nothing is left. */
bool minidump_next_pair(struct text *rest, char separator, struct text *key, struct text *value);

struct minidump_release { struct text id, release, codename, description; };
/* Of MD_LINUX_LSB_RELEASE; TEXT_NONE: not told. */
struct minidump_release minidump_linux_release(struct minidump *dump);

struct minidump_map {
	uint64_t start, end;         /* end exclusive */
	bool is_readable, is_writable, is_executable, is_shared;
	uint64_t offset;
	struct text path;            /* may be empty */
};
/* Takes the next line of MD_LINUX_MAPS that is one off the text.  False: nothing is left. */
bool minidump_next_map(struct text *rest, struct minidump_map *map);

struct minidump_resource_limit { struct text name, soft, hard, unit; };
/* The same of MD_LINUX_PROC_LIMITS (Mozilla's); the unit may be "n/a". */
bool minidump_next_limit(struct text *rest, struct minidump_resource_limit *limit);

/* --- As it stands there (raw.c) ----------------------------------------------------------- */

typedef int minidump_flush_fn(void *payload, struct buf *out, struct err *err);

/* Header, directory and the fields of every stream, for people.  `flush` is called now and then,
 * to empty `out`; what it fails with is returned.  Only minidump_open() is needed before. */
int minidump_print_raw(struct minidump *dump, struct buf *out, minidump_flush_fn *flush, void *payload,
		       struct err *err) __attribute__((warn_unused_result));

#endif

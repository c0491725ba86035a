/*
 * limits -- every ceiling in the program, one per line, with its reason.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Requests */
#define LIMIT_SYMBOLICATE_BODY_BYTES  ((size_t)55 * 1024 * 1024)   /* default of symbolicate_body_max_bytes */
#define LIMIT_JSON_DEPTH              256u      /* nesting of request JSON */
#define LIMIT_REQUEST_ARENA_BYTES     ((size_t)1 << 30)            /* one request with all it knows */
#define LIMIT_REPLY_BYTES             ((size_t)512 * 1024 * 1024)  /* one answer */
#define LIMIT_JOB_SECONDS             900       /* a job ends within 15 minutes */
#define LIMIT_RESULT_SECONDS          90        /* a result can be fetched that long */
#define LIMIT_RETRY_AFTER_SECONDS     30        /* what a pending answer advises */

/* Debug files */
#define LIMIT_DOWNLOAD_BYTES          ((uint64_t)15 << 30)  /* one debug file */
#define LIMIT_SECTION_BYTES           ((uint64_t)4 << 30)   /* one unpacked section: zip-bomb guard */
#define LIMIT_SECTIONS                (1u << 20) /* section headers of one object; -ffunction-sections makes many */
#define LIMIT_UNPACKED_BYTES          ((uint64_t)16 << 30)  /* all unpacked sections of one object */
#define LIMIT_UNPACK_RATIO            1040u     /* what packed bytes may hold each: zlib cannot do better */
#define LIMIT_UNPACK_FREE_BYTES       ((uint64_t)64 << 20)  /* ... beyond so much */
#define LIMIT_UNITS                   (1u << 22) /* compile units of one object */
#define LIMIT_DIE_DEPTH               512u      /* nesting of debug entries */
#define LIMIT_INLINE_DEPTH            256u      /* nesting of inlined calls */
#define LIMIT_ORIGIN_CHAIN            16u       /* abstract_origin / specification hops */
#define LIMIT_ABBREVIATION_ATTRIBUTES 1024u     /* attributes of one abbreviation */
#define LIMIT_INLINEES_PER_FUNCTION   300000u   /* Symbolicator's own ceiling */
#define LIMIT_FAT_SLICES              45u       /* more is a Java class file */
#define LIMIT_NAME_BYTES              ((size_t)1 << 20)  /* one symbol or path name */
#define LIMIT_NAMES_BYTES             ((size_t)256 << 20) /* all document names of one Portable PDB */
#define LIMIT_MANIFEST_BYTES          ((uint64_t)64 << 20) /* manifest.json of one source bundle */
#define LIMIT_SOURCES_BYTES           ((uint64_t)4 << 30)  /* all sources of one object, unpacked */
#define LIMIT_SOURCE_LINES            (1u << 24) /* of one file: 4 bytes each while it is taken in */
#define LIMIT_SOURCE_LINKS            4096u     /* patterns of one object */
#define LIMIT_SOURCEMAP_PATHS_BYTES   ((size_t)256 << 20) /* names of sources of one map, its sourceRoot before each */
#define LIMIT_URL_BYTES               ((size_t)8192)      /* of one source */
#define LIMIT_LINKS_FOLLOWED          512u      /* source files fetched for one request */
#define LIMIT_SEQUENCE_POINTS         (1u << 25) /* of all methods of one Portable PDB */
#define LIMIT_PDB_NAME_BYTES          ((size_t)1 << 30)  /* names put together from a PDB's types */
#define LIMIT_DEMANGLED_BYTES         4096u     /* longer: the mangled name stays */
#define LIMIT_MANGLED_BYTES           ((size_t)64 * 1024) /* longer is not demangled */

/* Cells */
#define LIMIT_CELL_DATA_BYTES         ((size_t)4 << 30)  /* memory of one conversion, unless told */
#define LIMIT_CELL_STACK_BYTES        ((uint64_t)8 << 20)  /* of a cell's first thread */
#define LIMIT_CELL_TASKS              1024u     /* threads of our user, above which a cell makes none */
#define LIMIT_CELL_CPU_SECONDS        600       /* RLIMIT_CPU of one cell */
#define LIMIT_CELL_WANTS              64u       /* companions one cell may ask for */
#define LIMIT_CELL_ENTRIES            1024u     /* entries a cell that waits for them may ask for */
#define LIMIT_CELL_SPLIT_UNITS        16384u    /* .dwo files, where they are looked for: a map each */

/* Minidumps: of each, what is beyond is not read */
#define LIMIT_MINIDUMP_STREAMS        65536u    /* entries of the directory */
#define LIMIT_MINIDUMP_THREADS        65536u
#define LIMIT_MINIDUMP_MODULES        65536u    /* and as many unloaded ones */
#define LIMIT_MINIDUMP_RANGES         (1u << 20) /* of memory, and of what is said of it */
#define LIMIT_MINIDUMP_HANDLES        (1u << 20)
#define LIMIT_MINIDUMP_ANNOTATIONS    65536u
#define LIMIT_MINIDUMP_TEXT_BYTES     ((size_t)128 << 20) /* converted to UTF-8 */

/* Listings: what sources say they hold */
#define LIMIT_LISTING_BYTES           ((uint64_t)2 << 20)  /* a Sentry server's answer for one module */
#define LIMIT_LISTED_ID_BYTES         256u      /* the id of a file in it */
#define LIMIT_LAST_ID_BYTES           ((uint64_t)20)       /* lastid.txt of a symstore */
#define LIMIT_INDEX_SEGMENTS          10000u    /* Symbolicator's own ceiling */
#define LIMIT_SEGMENTS_BYTES          ((uint64_t)256 << 20) /* all of them together, as they are stored */
#define LIMIT_INDEX_BYTES             ((size_t)64 << 20)   /* the paths they name */

/* Symbfiles */
#define LIMIT_SYMBFILE_RECORDS        (1u << 24) /* ranges and return pads of one part */
#define LIMIT_SYMBFILE_PARTS          1024u     /* of one upload */
#define LIMIT_SYMBFILE_JOINED_BYTES   ((uint64_t)1 << 30) /* of parts that are one file together */
#define LIMIT_SYMBFILE_LEVELS         512u     /* calls at one address, of all parts together */

/* Crash files */
#define LIMIT_JVM_EXTRA_FRAMES         500000u  /* of one request, beyond one for each it sent */
#define LIMIT_JVM_ENTRIES              ((uint64_t)1 << 26) /* of mappings, looked at for one request's frames */
#define LIMIT_JVM_TEXT_READ_BYTES      ((size_t)16 << 20)  /* of one request, through mappings */
#define LIMIT_JVM_TEXT_BYTES           ((size_t)256 << 20) /* of a stack trace as text, with what it became */
#define LIMIT_JVM_TEXT_EXTRA_BYTES     ((size_t)64 << 20)  /* of one request, beyond what was sent */
#define LIMIT_CRASH_FRAMES             256u     /* of one thread; Symbolicator's own ceiling */
#define LIMIT_CORE_BYTES               ((uint64_t)16 << 30)  /* of a core that came packed */
#define LIMIT_CRASH_REPORT_BYTES      ((size_t)16 << 20)   /* of what was found in one, as JSON */

/* SymCache files for Windows Performance Analyzer */
#define LIMIT_TRANSCODED_BYTES        ((uint64_t)4 << 30)  /* of one, and of anything a transcoder writes */

/* Candidates */
#define LIMIT_SOURCES                 256u      /* sources of one request */
#define LIMIT_FILE_NAME_BYTES         255u      /* base name used in a path */

#endif

/* windows_reason.c -- exceptions of Windows: winnt.h, winerror.h, ntstatus.h. */
#include "minidump/minidump_parts.h"

#include <stddef.h>
#include <stdio.h>

#include "base/search.h"

#define EXCEPTION_ACCESS_VIOLATION 0xc0000005u
#define EXCEPTION_IN_PAGE_ERROR    0xc0000006u
#define STATUS_STACK_BUFFER_OVERRUN_CODE 0xc0000409u
#define SEVERITY_MASK 0xf0000000u
#define FACILITY_MASK 0x0fffu
#define FACILITY_VISUALCPP 0x6du

/* --- Codes of two headers --------------------------------------------------------------------- */

/* All names in one block of characters, and where each of them begins: pointers would have to be
 * relocated, thousands of them in every process. */
struct minidump_code_place { uint32_t code; uint32_t at; };

#define CODE(value, name) char name[sizeof(#name)];
struct minidump_win32_names {
#include "minidump/winerror.def"
};
struct minidump_ntstatus_names {
#include "minidump/ntstatus.def"
};
#undef CODE

#define CODE(value, name) #name,
static const struct minidump_win32_names win32_names = {
#include "minidump/winerror.def"
};
static const struct minidump_ntstatus_names ntstatus_names = {
#include "minidump/ntstatus.def"
};
#undef CODE

static const struct minidump_code_place win32_codes[] = {
#define CODE(value, name) { value, offsetof(struct minidump_win32_names, name) },
#include "minidump/winerror.def"
#undef CODE
};
static const struct minidump_code_place ntstatus_codes[] = {
#define CODE(value, name) { value, offsetof(struct minidump_ntstatus_names, name) },
#include "minidump/ntstatus.def"
#undef CODE
};

static const char *find(const struct minidump_code_place *codes, size_t count, const void *names,
			uint32_t code)
{
	size_t at;

	SEARCH_PARTITION_POINT(at, 0, count, codes[at].code < code);
	return at < count && codes[at].code == code ? (const char *)names + codes[at].at : NULL;
}

static const char *win32_name(uint32_t code)
{
	return find(win32_codes, sizeof(win32_codes) / sizeof(win32_codes[0]), &win32_names, code);
}

static const char *ntstatus_name(uint32_t code)
{
	return find(ntstatus_codes, sizeof(ntstatus_codes) / sizeof(ntstatus_codes[0]),
		    &ntstatus_names, code);
}

/* --- Exceptions --------------------------------------------------------------------------------- */

static const struct minidump_code_name exceptions[] = {
	{ 0x0517a7ed, "Simulated Exception" },
	{ 0x80000001, "EXCEPTION_GUARD_PAGE" },
	{ 0x80000002, "EXCEPTION_DATATYPE_MISALIGNMENT" },
	{ 0x80000003, "EXCEPTION_BREAKPOINT" },
	{ 0x80000004, "EXCEPTION_SINGLE_STEP" },
	{ 0xc0000005, "EXCEPTION_ACCESS_VIOLATION" },
	{ 0xc0000006, "EXCEPTION_IN_PAGE_ERROR" },
	{ 0xc0000008, "EXCEPTION_INVALID_HANDLE" },
	{ 0xc000001d, "EXCEPTION_ILLEGAL_INSTRUCTION" },
	{ 0xc0000025, "EXCEPTION_NONCONTINUABLE_EXCEPTION" },
	{ 0xc0000026, "EXCEPTION_INVALID_DISPOSITION" },
	{ 0xc000008c, "EXCEPTION_BOUNDS_EXCEEDED" },
	{ 0xc000008d, "EXCEPTION_FLT_DENORMAL_OPERAND" },
	{ 0xc000008e, "EXCEPTION_FLT_DIVIDE_BY_ZERO" },
	{ 0xc000008f, "EXCEPTION_FLT_INEXACT_RESULT" },
	{ 0xc0000090, "EXCEPTION_FLT_INVALID_OPERATION" },
	{ 0xc0000091, "EXCEPTION_FLT_OVERFLOW" },
	{ 0xc0000092, "EXCEPTION_FLT_STACK_CHECK" },
	{ 0xc0000093, "EXCEPTION_FLT_UNDERFLOW" },
	{ 0xc0000094, "EXCEPTION_INT_DIVIDE_BY_ZERO" },
	{ 0xc0000095, "EXCEPTION_INT_OVERFLOW" },
	{ 0xc0000096, "EXCEPTION_PRIV_INSTRUCTION" },
	{ 0xc00000fd, "EXCEPTION_STACK_OVERFLOW" },
	{ 0xc0000194, "EXCEPTION_POSSIBLE_DEADLOCK" },
	{ 0xe0000008, "Out of Memory" },
	{ 0xe0434352, "MANAGED_EXCEPTION_CODE_V4" },
	{ 0xe06d7363, "Unhandled C++ Exception" },
};

/* FAST_FAIL_... of winnt.h; 15 to 17 were never given. */
static const char *const fast_fails[] = {
	"LEGACY_GS_VIOLATION", "VTGUARD_CHECK_FAILURE", "STACK_COOKIE_CHECK_FAILURE",
	"CORRUPT_LIST_ENTRY", "INCORRECT_STACK", "INVALID_ARG", "GS_COOKIE_INIT",
	"FATAL_APP_EXIT", "RANGE_CHECK_FAILURE", "UNSAFE_REGISTRY_ACCESS",
	"GUARD_ICALL_CHECK_FAILURE", "GUARD_WRITE_CHECK_FAILURE", "INVALID_FIBER_SWITCH",
	"INVALID_SET_OF_CONTEXT", "INVALID_REFERENCE_COUNT", NULL, NULL, NULL,
	"INVALID_JUMP_BUFFER", "MRDATA_MODIFIED", "CERTIFICATION_FAILURE",
	"INVALID_EXCEPTION_CHAIN", "CRYPTO_LIBRARY", "INVALID_CALL_IN_DLL_CALLOUT",
	"INVALID_IMAGE_BASE", "DLOAD_PROTECTION_FAILURE", "UNSAFE_EXTENSION_CALL",
	"DEPRECATED_SERVICE_INVOKED", "INVALID_BUFFER_ACCESS", "INVALID_BALANCED_TREE",
	"INVALID_NEXT_THREAD", "GUARD_ICALL_CHECK_SUPPRESSED", "APCS_DISABLED",
	"INVALID_IDLE_STATE", "MRDATA_PROTECTION_FAILURE", "UNEXPECTED_HEAP_EXCEPTION",
	"INVALID_LOCK_STATE", "GUARD_JUMPTABLE", "INVALID_LONGJUMP_TARGET",
	"INVALID_DISPATCH_CONTEXT", "INVALID_THREAD", "INVALID_SYSCALL_NUMBER",
	"INVALID_FILE_OPERATION", "LPAC_ACCESS_DENIED", "GUARD_SS_FAILURE",
	"LOADER_CONTINUITY_FAILURE", "GUARD_EXPORT_SUPPRESSION_FAILURE",
	"INVALID_CONTROL_STACK", "SET_CONTEXT_DENIED", "INVALID_IAT",
	"HEAP_METADATA_CORRUPTION", "PAYLOAD_RESTRICTION_VIOLATION",
	"LOW_LABEL_ACCESS_DENIED", "ENCLAVE_CALL_FAILURE",
	"UNHANDLED_LSS_EXCEPTON",    /* winnt.h spells it so */
	"ADMINLESS_ACCESS_DENIED", "UNEXPECTED_CALL", "CONTROL_INVALID_RETURN_ADDRESS",
	"UNEXPECTED_HOST_BEHAVIOR", "FLAGS_CORRUPTION", "VEH_CORRUPTION", "ETW_CORRUPTION",
	"RIO_ABORT", "INVALID_PFN", "GUARD_ICALL_CHECK_FAILURE_XFG", "CAST_GUARD",
	"HOST_VISIBILITY_CHANGE", "KERNEL_CET_SHADOW_STACK_ASSIST", "PATCH_CALLBACK_FAILED",
	"NTDLL_PATCH_FAILED", "INVALID_FLS_DATA", "ASAN_ERROR", "CLR_EXCEPTION_AOT",
	"POINTER_AUTH_INVALID_RETURN_ADDRESS", "INVALID_THREAD_STATE", "CORRUPT_WOW64_STATE",
	"INVALID_EXTENDED_STATE",
};
#define FAST_FAILS (sizeof(fast_fails) / sizeof(fast_fails[0]))
_Static_assert(FAST_FAILS == 77, "the table stands by number");

/* "_READ"; NULL for a kind of access nobody published. */
static const char *access_suffix(uint64_t access)
{
	switch (access) {
	case 0: return "_READ";
	case 1: return "_WRITE";
	case 8: return "_EXEC";
	default: return NULL;
	}
}

static void print_violation(const struct minidump_exception *exception, const char *name, char *out)
{
	const char *suffix = exception->parameter_count >= 1 ? access_suffix(exception->parameters[0])
							     : NULL;
	uint32_t status = (uint32_t)exception->parameters[2];
	const char *status_name = ntstatus_name(status);

	if (suffix && exception->code == EXCEPTION_ACCESS_VIOLATION)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s%s", name, suffix);
	else if (!suffix || exception->parameter_count < 3)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s", name);
	else if (status_name)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s%s / %s", name, suffix, status_name);
	else
		snprintf(out, MINIDUMP_REASON_BYTES, "%s%s / 0x%08x", name, suffix, (unsigned)status);
}

static void print_overrun(uint64_t fast_fail, char *out)
{
	const char *name = fast_fail < FAST_FAILS ? fast_fails[fast_fail] : NULL;

	if (name)
		snprintf(out, MINIDUMP_REASON_BYTES, "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_%s",
			 name);
	else
		snprintf(out, MINIDUMP_REASON_BYTES, "EXCEPTION_STACK_BUFFER_OVERRUN / 0x%08llx",
			 (unsigned long long)fast_fail);
}

/* The number spaces overlap: that of winerror.h goes first. */
static void print_other(uint32_t code, char *out)
{
	const char *name = win32_name(code);

	if (!name)
		name = ntstatus_name(code);
	if (name) {
		snprintf(out, MINIDUMP_REASON_BYTES, "%s", name);
		return;
	}
	if ((code & SEVERITY_MASK) && (code >> 16 & FACILITY_MASK) == FACILITY_VISUALCPP)
		name = win32_name(code & 0xffff);
	if (name)
		snprintf(out, MINIDUMP_REASON_BYTES, "FACILITY_VISUALCPP / %s", name);
	else
		snprintf(out, MINIDUMP_REASON_BYTES, "unknown 0x%08x", (unsigned)code);
}

void minidump_windows_reason(const struct minidump_exception *exception, char *out)
{
	uint32_t code = exception->code;
	const char *name = minidump_code_name(exceptions, sizeof(exceptions) / sizeof(exceptions[0]),
					      code);

	if (code == EXCEPTION_ACCESS_VIOLATION || code == EXCEPTION_IN_PAGE_ERROR)
		print_violation(exception, name, out);
	else if (name)
		snprintf(out, MINIDUMP_REASON_BYTES, "%s", name);
	else if (code == STATUS_STACK_BUFFER_OVERRUN_CODE && exception->parameter_count >= 1)
		print_overrun(exception->parameters[0], out);
	else
		print_other(code, out);
}

/* exception_record.c -- the exception a dump is about: reason and address. */
#include "minidump/minidump_parts.h"

#include <stdio.h>

#define EXCEPTION_ACCESS_VIOLATION 0xc0000005u
#define EXCEPTION_IN_PAGE_ERROR    0xc0000006u

void minidump_read_exception(struct minidump *dump)
{
	struct minidump_exception *exception = &dump->exception;
	struct reader stream;

	if (!minidump_find_stream(dump, MD_EXCEPTION_STREAM, &stream))
		return;
	if (stream.size < MD_EXCEPTION_STREAM_SIZE) {
		minidump_lose(dump, "%s: too short", stream.name);
		return;
	}
	exception->thread_id = reader_u32(&stream);
	reader_skip(&stream, sizeof(uint32_t));
	exception->code = reader_u32(&stream);
	exception->flags = reader_u32(&stream);
	exception->record = reader_u64(&stream);
	exception->address = reader_u64(&stream);
	exception->parameter_count = reader_u32(&stream);
	reader_skip(&stream, sizeof(uint32_t));
	for (size_t i = 0; i < MINIDUMP_PARAMETERS_MAX; i++)
		exception->parameters[i] = reader_u64(&stream);
	exception->context = minidump_read_location(&stream);
	dump->has_exception = true;
}

uint64_t minidump_crash_address(const struct minidump *dump)
{
	const struct minidump_exception *exception = &dump->exception;
	uint64_t address = exception->address;

	if (dump->system.os == MINIDUMP_WINDOWS && exception->parameter_count >= 2 &&
	    (exception->code == EXCEPTION_ACCESS_VIOLATION ||
	     exception->code == EXCEPTION_IN_PAGE_ERROR))
		address = exception->parameters[1];
	return dump->system.is_64_bit ? address : (uint32_t)address;
}

void minidump_crash_reason(const struct minidump *dump, char out[MINIDUMP_REASON_BYTES])
{
	out[0] = '\0';
	if (!dump->has_exception)
		return;
	switch (dump->system.os) {
	case MINIDUMP_WINDOWS:
		minidump_windows_reason(&dump->exception, out);
		break;
	case MINIDUMP_LINUX:
	case MINIDUMP_ANDROID:
		minidump_linux_reason(&dump->exception, out);
		break;
	case MINIDUMP_MACOS:
	case MINIDUMP_IOS:
		minidump_mac_reason(dump, out);
		break;
	default:
		snprintf(out, MINIDUMP_REASON_BYTES, "unknown 0x%08x / 0x%08x",
			 (unsigned)dump->exception.code, (unsigned)dump->exception.flags);
		break;
	}
}

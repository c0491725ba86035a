/* header.c -- see header.h. */
#include "source/header.h"

#include "source/source.h"

static const char ours[] = "it belongs to the connection, which is ours to describe";
static const char partial[] = "whole files are asked for, whatever the state of another copy";
static const char host[] = "only sources of the config file may set it";

static const struct { const char *name, *refusal; bool operator_may; } refused[] = {
	{ "Connection", ours, false },       { "Content-Length", ours, false },
	{ "Expect", ours, false },           { "HTTP2-Settings", ours, false },
	{ "Keep-Alive", ours, false },       { "Proxy-Authorization", ours, false },
	{ "Proxy-Connection", ours, false }, { "TE", ours, false },
	{ "Trailer", ours, false },          { "Transfer-Encoding", ours, false },
	{ "Upgrade", ours, false },
	{ "If-Match", partial, false },      { "If-Modified-Since", partial, false },
	{ "If-None-Match", partial, false }, { "If-Range", partial, false },
	{ "If-Unmodified-Since", partial, false }, { "Range", partial, false },
	{ "Host", host, true },
};

const char *source_header_refusal(struct text name, bool is_operator)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (text_equal_ignoring_case(name, text_of(refused[i].name)))
			return refused[i].operator_may && is_operator ? NULL : refused[i].refusal;
	return NULL;
}

bool header_is_name(struct text name)
{
	for (size_t i = 0; i < name.size; i++) {
		char c = name.bytes[i];
		bool letter = ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';

		if (!letter && !ascii_is_digit(c) && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return name.size > 0;
}

bool header_is_value(struct text value)
{
	for (size_t i = 0; i < value.size; i++) {
		uint8_t c = (uint8_t)value.bytes[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

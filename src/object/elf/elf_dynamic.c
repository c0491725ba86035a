/* elf_dynamic.c -- dynamic symbols of files that lost their section headers. */
#include "object/elf/elf_file.h"

struct dynamic {
	uint64_t symbols, strings, string_bytes, hash, gnu_hash;
};

static uint64_t read_word(struct reader *reader, bool wide)
{
	return wide ? reader_u64(reader) : reader_u32(reader);
}

static struct reader read_at(const struct elf_file *file, uint64_t address)
{
	struct text bytes = elf_file_at_address(file, address);
	struct reader reader = reader_over("dynamic", bytes.bytes, bytes.size);

	reader.big_endian = file->whole.big_endian;
	return reader;
}

static bool read_dynamic(const struct elf_file *file, struct dynamic *dynamic)
{
	*dynamic = (struct dynamic){ .symbols = 0 };
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct elf_segment *segment = &file->segments[i];
		struct reader reader;

		if (segment->type != PT_DYNAMIC)
			continue;
		reader = reader_window(&file->whole, "dynamic", segment->offset,
				       segment->file_bytes);
		while (!reader_at_end(&reader)) {
			uint64_t tag = read_word(&reader, file->wide);
			uint64_t value = read_word(&reader, file->wide);

			switch (tag) {
			case DT_NULL:     return dynamic->symbols != 0 && !reader.failed;
			case DT_SYMTAB:   dynamic->symbols = value; break;
			case DT_STRTAB:   dynamic->strings = value; break;
			case DT_STRSZ:    dynamic->string_bytes = value; break;
			case DT_HASH:     dynamic->hash = value; break;
			case DT_GNU_HASH: dynamic->gnu_hash = value; break;
			default: break;
			}
		}
	}
	return dynamic->symbols != 0;
}

/* nchain is the number of symbols.  Entries are words of 4 bytes but on s390x and Alpha. */
static uint64_t count_by_hash(const struct elf_file *file, uint64_t address)
{
	struct reader reader = read_at(file, address);
	bool wide = file->wide && (file->machine == EM_S390 || file->machine == EM_ALPHA);

	(void)read_word(&reader, wide);              /* nbucket */
	return read_word(&reader, wide);
}

/* The GNU table tells no count: the greatest bucket's chain ends at the last symbol. */
static uint64_t count_by_gnu_hash(const struct elf_file *file, uint64_t address)
{
	struct reader reader = read_at(file, address);
	uint32_t buckets = reader_u32(&reader);
	uint32_t first = reader_u32(&reader);
	uint32_t bloom_words = reader_u32(&reader);
	uint32_t greatest = 0, count;
	uint64_t chains;

	(void)reader_u32(&reader);                   /* bloom shift */
	reader_skip(&reader, (uint64_t)bloom_words * (file->wide ? 8 : 4));
	chains = reader.pos + (uint64_t)buckets * 4;
	for (uint32_t i = 0; i < buckets && !reader.failed; i++) {
		uint32_t bucket = reader_u32(&reader);

		if (bucket > greatest)
			greatest = bucket;
	}
	if (reader.failed || greatest < first)
		return first;
	reader_seek(&reader, chains + (uint64_t)(greatest - first) * 4);
	for (count = greatest + 1; !(reader_u32(&reader) & 1) && !reader.failed; count++)
		;
	return reader.failed ? 0 : count;
}

static uint64_t count_symbols(const struct elf_file *file, const struct dynamic *dynamic,
			      size_t entry_bytes)
{
	uint64_t count = 0;

	if (dynamic->hash)
		count = count_by_hash(file, dynamic->hash);
	if (count == 0 && dynamic->gnu_hash)
		count = count_by_gnu_hash(file, dynamic->gnu_hash);
	/* Linkers put the strings right behind the symbols. */
	if (count == 0 && dynamic->strings > dynamic->symbols)
		count = (dynamic->strings - dynamic->symbols) / entry_bytes;
	return count;
}

struct elf_symbols elf_file_dynamic_symbols(const struct elf_file *file)
{
	size_t bytes = file->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	struct elf_symbols symbols = { .count = 0 };
	struct dynamic dynamic;
	uint64_t count;

	if (!read_dynamic(file, &dynamic))
		return symbols;
	symbols.entries = elf_file_at_address(file, dynamic.symbols);
	symbols.strings = elf_file_at_address(file, dynamic.strings);
	if (dynamic.string_bytes < symbols.strings.size)
		symbols.strings.size = (size_t)dynamic.string_bytes;
	count = count_symbols(file, &dynamic, bytes);
	if (count > symbols.entries.size / bytes)
		count = symbols.entries.size / bytes;
	if (count <= 1)
		return (struct elf_symbols){ .count = 0 };
	symbols.count = (size_t)count;
	return symbols;
}

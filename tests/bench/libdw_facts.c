/*
 * libdw_facts -- the same facts as bench_dwarf, by way of elfutils' libdw.
 *
 *	libdw_facts FILE OUT
 *
 * Written as one would who knows libdw: one pass over each unit's DIEs that goes down only
 * where code can be, names through dwarf_attr_integrate(), the decoded line table of each
 * unit once.  Names of functions come from the DIEs alone; the symbol table is not read.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/facts.h"

static struct facts facts;
static unsigned long peak;

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name)
		name = dwarf_diename(die);
	return name ? name : "";
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (dwarf_attr(die, name, &attribute))
		(void)dwarf_formudata(&attribute, &number);
	return number;
}

static void write_inlinee(Dwarf_Die *die, unsigned depth)
{
	const char *name = name_of(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	facts.inlinees++;
	facts_begin(&facts, 'I');
	facts_number(&facts, depth);
	facts_number(&facts, number_of(die, DW_AT_call_file));
	facts_number(&facts, number_of(die, DW_AT_call_line));
	facts_end(&facts, name, strlen(name));
	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end)
			continue;
		facts_begin(&facts, 'R');
		facts_number(&facts, start);
		facts_number(&facts, end - start);
		facts_end(&facts, "", 0);
		facts.ranges++;
	}
}

static unsigned write_function(Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	const char *name = NULL;
	unsigned pieces = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (start >= end || !start)
			continue;
		if (!name)
			name = name_of(die);
		facts_begin(&facts, 'F');
		facts_number(&facts, start);
		facts_number(&facts, end - start);
		facts_end(&facts, name, strlen(name));
		facts.functions++;
		pieces++;
	}
	return pieces;
}

/* depth 0: not in a function that lives. */
static void walk(Dwarf_Die *parent, unsigned depth, int in_function)
{
	Dwarf_Die die;

	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			walk(&die, write_function(&die) > 0, 1);
			break;
		case DW_TAG_inlined_subroutine:
			if (depth)
				write_inlinee(&die, depth);
			walk(&die, depth ? depth + 1 : 0, 1);
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			if (in_function)
				walk(&die, 0, 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			walk(&die, depth, in_function);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void write_files(Dwarf_Die *unit)
{
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		facts_begin(&facts, 'N');
		facts_end(&facts, name ? name : "", name ? strlen(name) : 0);
	}
}

static void write_lines(Dwarf_Die *unit)
{
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		Dwarf_Files *files;
		Dwarf_Addr address;
		size_t file;
		int number;

		if (dwarf_lineaddr(line, &address) || dwarf_lineno(line, &number) ||
		    dwarf_line_file(line, &files, &file) || !address)
			continue;
		facts_begin(&facts, 'L');
		facts_number(&facts, address);
		facts_number(&facts, file);
		facts_number(&facts, (unsigned)number);
		facts_end(&facts, "", 0);
		facts.rows++;
	}
}

static void write_units(Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		if (type == DW_UT_type)
			continue;
		write_files(&die);
		walk(&die, 0, 0);
		write_lines(&die);
		if (facts_anonymous() > peak)
			peak = facts_anonymous();
	}
}

int main(int argc, char **argv)
{
	Dwarf *dwarf;
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: libdw_facts FILE OUT\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	facts.file = fopen(argv[2], "we");
	if (!dwarf || !facts.file) {
		fprintf(stderr, "libdw_facts: cannot open %s or %s\n", argv[1], argv[2]);
		return 1;
	}
	write_units(dwarf);
	facts_flush(&facts);
	facts_say(&facts, peak);
	fclose(facts.file);
	dwarf_end(dwarf);
	close(fd);
	return 0;
}

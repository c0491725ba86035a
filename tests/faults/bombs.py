"""bombs -- debug files that ask for much in few bytes, each made by recipe.

Every recipe is a way in which one place of a file is used again and again: what a reader does for it may grow with the
square of the file's size, or not end.  Files are some tens of kilobytes, so that a fault shows as seconds.
"""
import lzma
import random
import struct
import zlib

BYTES = 48 * 1024               # about as large each, where the recipe has a choice
CODE = 0x1000


def u(value):
    """ULEB128."""
    out = b""
    while True:
        value, low = value >> 7, value & 0x7f
        out += bytes([low | (0x80 if value else 0)])
        if not value:
            return out


# --- ELF ------------------------------------------------------------------------------------------------------------

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_RELA, SHT_DYNSYM = 1, 2, 3, 4, 11
SHF_EXECINSTR, SHF_ALLOC, SHF_COMPRESSED = 4, 2, 0x800
ET_REL, ET_EXEC, ET_DYN = 1, 2, 3


class Section:
    def __init__(self, name, data, kind=SHT_PROGBITS, flags=0, link=0, info=0, at=None, address=0):
        self.name, self.data, self.kind, self.flags = name, data, kind, flags
        self.link, self.info, self.at, self.address = link, info, at, address


def elf(sections, kind=ET_DYN, headers=b"", header_count=0, without_sections=False):
    """Sections from index 1 on; `at`: the name of one whose bytes it has instead of its own.  .text is section 1."""
    sections = [Section(".text", b"\xc3" * 4096, flags=SHF_ALLOC | SHF_EXECINSTR, address=CODE)] + sections
    names = b"\0" + b"".join(s.name.encode() + b"\0" for s in sections) + b".shstrtab\0"
    sections = sections + [Section(".shstrtab", names, SHT_STRTAB)]
    body, table, offsets, where, name_at = b"", b"\0" * 64, {}, 64 + len(headers), 1
    for s in sections:
        if s.at:
            offset, size = offsets[s.at]
        else:
            offset, size = where + len(body), len(s.data)
            body += s.data
        offsets[s.name] = (offset, size)
        entry = {SHT_SYMTAB: 24, SHT_DYNSYM: 24, SHT_RELA: 24}.get(s.kind, 0)
        table += struct.pack("<IIQQQQIIQQ", name_at, s.kind, s.flags, s.address, offset, size, s.link, s.info, 1, entry)
        name_at += len(s.name) + 1
    count = 0 if without_sections else len(sections) + 1
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack(
        "<HHIQQQIHHHHHH", kind, 62, 1, 0, 64 if headers else 0, 0 if without_sections else where + len(body), 0, 64, 56,
        header_count, 64, count, count - 1 if count else 0)
    return head + headers + body + (b"" if without_sections else table)


def packed(name, data, how):
    if how == "zlib":
        return Section(name, struct.pack("<IIQQ", 1, 0, len(data), 1) + zlib.compress(data, 9), flags=SHF_COMPRESSED)
    if how == "gnu":
        return Section(name.replace(".debug", ".zdebug"), b"ZLIB" + struct.pack(">Q", len(data)) + zlib.compress(data, 9))
    if how == "zstd":
        return Section(name, struct.pack("<IIQQ", 2, 0, len(data), 1) + zstd_of_zeros(len(data)), flags=SHF_COMPRESSED)
    return Section(name, data)


def zstd_of_zeros(size):
    """A frame of blocks that are one byte, repeated (RFC 8878, 3.1.1.2.2): 32768 to 1."""
    out, left = struct.pack("<IBQ", 0xfd2fb528, 0xe0, size), size
    while left:
        block = min(left, 128 << 10)
        left -= block
        out += struct.pack("<I", (block << 3) | (1 << 1) | (left == 0))[:3] + b"\0"
    # the size of the frame is its window: small enough for a decoder to take
    return out


# --- DWARF ----------------------------------------------------------------------------------------------------------

TAG_UNIT, TAG_FUNCTION, TAG_INLINED, TAG_BLOCK, TAG_SKELETON = 0x11, 0x2e, 0x1d, 0x0b, 0x4a
AT = {"name": 3, "stmt": 0x10, "low": 0x11, "high": 0x12, "comp": 0x1b, "decl": 0x3c, "origin": 0x31, "ranges": 0x55,
      "call_file": 0x58, "call_line": 0x59, "spec": 0x47, "dwo_id": 0x2131, "linkage": 0x6e}
FORM = {"addr": 1, "data4": 6, "data8": 7, "strp": 0xe, "ref_addr": 0x10, "ref4": 0x13, "sec": 0x17, "present": 0x19,
        "data1": 0xb, "block1": 0xa, "indirect": 0x16, "string": 8}


def abbrev(code, tag, children, *attributes):
    out = u(code) + u(tag) + bytes([children])
    for name, form in attributes:
        out += u(AT[name]) + u(FORM[form])
    return out + b"\0\0"


def unit(dies, abbrevs=0, version=4):
    return struct.pack("<IHIB", 7 + len(dies), version, abbrevs, 8) + dies


UNIT = abbrev(1, TAG_UNIT, 1)


def dwarf(info, abbrevs, more=(), how="", symbols=()):
    sections = [packed(".debug_info", info, how), packed(".debug_abbrev", abbrevs + b"\0", how)]
    return elf(sections + [packed(name, data, how) for name, data in more] + list(symbols))


def line_program(rows, files=1, sequences=1):
    head = struct.pack("<BBBbBB", 1, 1, 1, -5, 14, 10) + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0"
    head += b"a\0\0\0\0" * files + b"\0"
    program = b""
    for i in range(sequences):
        program += b"\0\x09\x02" + struct.pack("<Q", CODE + 64 * (i % 32)) + bytes([10 + 14 + 5 + 1]) * (rows // sequences) + b"\0\1\1"
    return struct.pack("<IHI", 6 + len(head) + len(program), 3, len(head)) + head + program


def padding(how):
    return dwarf(b"\0" * (40 << 20), UNIT, how=how)


def empty_units(how):
    return dwarf(struct.pack("<IHIB", 7, 4, 0, 8) * (2 << 20), UNIT, how=how)


def nulls_in_a_unit(how):
    return dwarf(unit(u(1) + u(2) * 2 + b"\0" * (40 << 20)), UNIT + abbrev(2, TAG_BLOCK, 1), how=how)


def shared_lines(count, rows, how="", same=True):
    tag = abbrev(1, TAG_UNIT, 0, ("low", "addr"), ("high", "data4"), ("stmt", "sec"), ("comp", "string"))
    info = b""
    for i in range(count):
        comp = b"/\0" if same else b"/%d\0" % i
        info += unit(u(1) + struct.pack("<QII", CODE + i, 1, 0) + comp)
    return dwarf(info, tag, [(".debug_line", line_program(rows))], how)


def shared_sequences(count, sequences):
    tag = abbrev(1, TAG_UNIT, 0, ("low", "addr"), ("high", "data4"), ("stmt", "sec"))
    info = b"".join(unit(u(1) + struct.pack("<QII", CODE + i, 1, 0)) for i in range(count))
    return dwarf(info, tag, [(".debug_line", line_program(sequences * 2, sequences=sequences))])


def lines_from_every_byte():
    """Programs that begin one byte after the other in the same opcodes."""
    tag = abbrev(1, TAG_UNIT, 0, ("low", "addr"), ("high", "data4"), ("stmt", "sec"))
    lines, count = b"", 900
    for i in range(count):
        lines += line_program(0, sequences=0)[:30]
    lines += line_program(20000)
    info = b"".join(unit(u(1) + struct.pack("<QII", CODE + i, 1, 30 * i)) for i in range(count))
    return dwarf(info, tag, [(".debug_line", lines)])


def overlapping_abbrevs(how=""):
    table = abbrev(1, TAG_UNIT, 0) * (BYTES // 2 // 5)
    return dwarf(b"".join(unit(u(1), abbrevs=5 * i) for i in range(BYTES // 2 // 12)), table, how=how)


def big_abbrev_per_unit():
    table = abbrev(1, TAG_UNIT, 0) + b"".join(abbrev(i, TAG_BLOCK, 0, *[("decl", "present")] * 200) for i in range(2, 40))
    tables = b"".join(table + b"\0" for _ in range(1))
    return dwarf(b"".join(unit(u(1), abbrevs=0, version=2 + i % 3) for i in range(3000)), tables)


def wide_entries(how):
    """One byte that is a function with a thousand attributes."""
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, *[("decl", "present")] * 1000)
    return dwarf(unit(u(1) + u(2) * (20 << 20)), tags, how=how)


def shared_ranges(how=""):
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, ("ranges", "sec"))
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i, CODE + 2 * i + 1) for i in range(1500)) + b"\0" * 16
    dies = u(1) + b"".join(u(2) + struct.pack("<I", 16 * (i % 1000)) for i in range(5000)) + b"\0"
    return dwarf(unit(dies), tags, [(".debug_ranges", ranges)], how)


def shared_ranges_of_units():
    tags = abbrev(1, TAG_UNIT, 0, ("ranges", "sec"))
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i, CODE + 2 * i + 1) for i in range(1500)) + b"\0" * 16
    return dwarf(b"".join(unit(u(1) + struct.pack("<I", 0)) for i in range(1500)), tags, [(".debug_ranges", ranges)])


def calls_over_pieces(count, depth=1):
    tags = UNIT + abbrev(2, TAG_FUNCTION, 1, ("ranges", "sec")) + abbrev(3, TAG_INLINED, int(depth > 1), ("low", "addr"), ("high", "data4"))
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i, CODE + 2 * i + 1) for i in range(1200)) + b"\0" * 16
    one = (u(3) + struct.pack("<QI", CODE, 4096)) * depth + b"\0" * (depth if depth > 1 else 0)
    dies = u(1) + u(2) + struct.pack("<I", 0) + one * (count // depth) + b"\0\0"
    return dwarf(unit(dies), tags, [(".debug_ranges", ranges)])


def functions_over_symbols(count):
    """Each function reaches over all symbols, and has a call that does."""
    tags = UNIT + abbrev(2, TAG_FUNCTION, 1, ("low", "addr"), ("high", "data4")) + abbrev(3, TAG_INLINED, 0, ("low", "addr"), ("high", "data4"))
    dies = u(1) + b"".join(u(2) + struct.pack("<QI", CODE, 4095 - i) + (u(3) + struct.pack("<QI", CODE, 4000)) * 2 + b"\0" for i in range(count)) + b"\0"
    strings = b"\0" + b"s\0"
    symbols = b"\0" * 24 + b"".join(struct.pack("<IBBHQQ", 1, 0x12, 0, 1, CODE + 4 * i, 4) for i in range(1000))
    return dwarf(unit(dies), tags, symbols=[Section(".symtab", symbols, SHT_SYMTAB, link=5), Section(".strtab", strings, SHT_STRTAB)])


def long_names(kind):
    """Every function is called by the rest of one long name."""
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, ("name", "strp"), ("low", "addr"), ("high", "data4"))
    dies = u(1) + b"".join(u(2) + struct.pack("<IQI", i, CODE + i, 1) for i in range(1500)) + b"\0"
    return dwarf(unit(dies), tags, [(".debug_str", b"n" * (20 << (10 if kind == "plain" else 18)) + b"\0")],
                 "" if kind == "plain" else "zlib")


def endless_names(how):
    """Names whose end is not there."""
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, ("name", "strp"), ("low", "addr"), ("high", "data4"))
    dies = u(1) + b"".join(u(2) + struct.pack("<IQI", i, CODE + i, 1) for i in range(1500)) + b"\0"
    return dwarf(unit(dies), tags, [(".debug_str", b"n" * (4 << 20))], how)


def origins(count):
    """Chains of origins, from unit to unit."""
    tags = abbrev(1, TAG_UNIT, 1) + abbrev(2, TAG_FUNCTION, 0, ("origin", "ref_addr"), ("low", "addr"), ("high", "data4"))
    size = 11 + 1 + 17 + 1
    info = b"".join(unit(u(1) + u(2) + struct.pack("<IQI", (i * 7919 % count) * size + 12, CODE + i, 1) + b"\0") for i in range(count))
    return dwarf(info, tags)


def origins_of_one(count, others):
    tags = abbrev(1, TAG_UNIT, 1) + abbrev(2, TAG_FUNCTION, 0, ("origin", "ref_addr"), ("low", "addr"), ("high", "data4")) + abbrev(3, TAG_FUNCTION, 0)
    info = b"".join(unit(u(1) + u(3) + b"\0") for _ in range(others))
    dies = u(1) + b"".join(u(2) + struct.pack("<IQI", (i % others) * 14 + 12, CODE + i, 1) for i in range(count)) + b"\0"
    return dwarf(info + unit(dies) * 2, tags)


def split_package():
    """A package whose index has no free slot, and none of the ids asked for."""
    slots = 4096
    index = struct.pack("<IIII", 2, 1, 1, slots) + struct.pack("<Q", 1) * slots + struct.pack("<I", 1) * slots
    index += struct.pack("<I", 1) + struct.pack("<I", 0) + struct.pack("<I", 0)
    tags = abbrev(1, TAG_UNIT, 0, ("dwo_id", "data8"))
    info = b"".join(unit(u(1) + struct.pack("<Q", 1000 + i)) for i in range(1500))
    return dwarf(info, tags, [(".debug_info.dwo", b"\0" * 16), (".debug_cu_index", index), (".debug_addr", b"\0" * 16)])


def line_entries():
    """Version 5: entries of nothing at all, as many as there are bytes; read by each unit."""
    head = b"\1\1\1\xfb\x0e\x0a" + bytes([0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0" + u(20000) + b"\0" + u(20000)
    table = struct.pack("<HBBI", 5, 8, 0, len(head)) + head + b"\0" * 30000
    tags = abbrev(1, TAG_UNIT, 0, ("low", "addr"), ("high", "data4"), ("stmt", "sec"), ("comp", "string"))
    info = b"".join(unit(u(1) + struct.pack("<QII", CODE + i, 1, 0) + b"/%d\0" % i) for i in range(500))
    return dwarf(info, tags, [(".debug_line", struct.pack("<I", len(table)) + table)])


def deep_entries():
    return dwarf(unit(u(1) + u(2) * BYTES), UNIT + abbrev(2, TAG_BLOCK, 1))


def random_dwarf(seed):
    """Valid tables, entries and programs at random, referring to each other from everywhere."""
    rng = random.Random(seed)
    names = list(AT)
    forms = list(FORM)
    tags = UNIT + b"".join(abbrev(i, rng.choice([TAG_FUNCTION, TAG_INLINED, TAG_BLOCK]), rng.randrange(2),
                                  *[(rng.choice(names), rng.choice(forms)) for _ in range(rng.randrange(6))])
                           for i in range(2, 60))
    info = b""
    for _ in range(30):
        info += unit(u(1) + bytes(rng.choice([2, 3, rng.randrange(60), rng.randrange(256), 0, 0]) for _ in range(1200)))
    return dwarf(info, tags, [(".debug_line", line_program(3000)), (".debug_str", b"abc\0" * 1000),
                              (".debug_ranges", struct.pack("<QQ", CODE, CODE + 64) * 200 + b"\0" * 16)])


# --- ELF: tables ----------------------------------------------------------------------------------------------------

def relocations(tables):
    """Relocation sections without number, all of the same bytes."""
    info = unit(u(1) + b"\0" * 64)
    rela = struct.pack("<QQq", 12, (1 << 32) | 1, 0) * 1000
    first = [Section(".debug_info", info), Section(".debug_abbrev", UNIT + b"\0"), Section(".symtab", b"\0" * 48, SHT_SYMTAB, link=5),
             Section(".strtab", b"\0", SHT_STRTAB), Section(".rela", rela, SHT_RELA, link=4, info=2)]
    return elf(first + [Section(".r", b"", SHT_RELA, link=4, info=2, at=".rela") for _ in range(tables)], ET_REL)


def long_symbols(count):
    """Each symbol's name is the rest of one string."""
    symbols = b"\0" * 24 + b"".join(struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 1, CODE + i, 1) for i in range(count))
    return elf([Section(".symtab", symbols, SHT_SYMTAB, link=3), Section(".strtab", b"\0" + b"s" * 30000 + b"\0", SHT_STRTAB)])


def long_file_symbols(count):
    symbols = b"\0" * 24 + struct.pack("<IBBHQQ", 1, 4, 0, 0xfff1, 0, 0)
    symbols += b"".join(struct.pack("<IBBHQQ", 29990, 2, 0, 1, CODE + i, 1) for i in range(count))
    return elf([Section(".symtab", symbols, SHT_SYMTAB, link=3), Section(".strtab", b"\0" + b"s" * 30000 + b"\0", SHT_STRTAB)])


def mini_symbols(size, how):
    """.gnu_debugdata: much in little."""
    symbols = b"\0" * 24 + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, CODE, 1) * (size // 24)
    inner = elf([Section(".symtab", symbols, SHT_SYMTAB, link=3), Section(".strtab", b"\0x\0", SHT_STRTAB)])
    if how == "zeros":
        inner = b"\0" * size
    return elf([Section(".gnu_debugdata", lzma.compress(inner, lzma.FORMAT_XZ, preset=1))])


def many_packed_sections(how, size):
    names = [".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_line_str", ".debug_str_offsets",
             ".debug_addr", ".debug_ranges", ".debug_rnglists"]
    first = packed(names[0], b"\0" * size, how)
    rest = []
    for name in names[1:]:
        copy = packed(name, b"\0", how)
        copy.at, copy.data = first.name, b""
        copy.flags = first.flags
        rest.append(copy)
    return elf([first] + rest)


def segments_and_symbols():
    """Without sections each symbol is looked for in all segments."""
    count, dynamic_at = 700, 64 + 56 * 702
    base = 0x100000
    strings_at = dynamic_at + 16 * 6
    hash_at = strings_at + 16
    symbol_count = 1500
    symbols_at = hash_at + 8 + 4 * (1 + symbol_count)
    loads = b"".join(struct.pack("<IIQQQQQQ", 1, 5, 0, 1 << 40 | i << 20, 0, 0, 16, 4096) for i in range(count))
    loads += struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, 1 << 20, 1 << 20, 4096)
    loads += struct.pack("<IIQQQQQQ", 2, 6, dynamic_at, base + dynamic_at, 0, 96, 96, 8)
    dynamic = b"".join(struct.pack("<QQ", a, b) for a, b in ((4, base + hash_at), (5, base + strings_at), (6, base + symbols_at),
                                                              (10, 16), (11, 24), (0, 0)))
    body = dynamic + b"\0name\0".ljust(16, b"\0") + struct.pack("<II", 1, symbol_count) + b"\0" * 4 * (1 + symbol_count)
    body += b"\0" * 24 + b"".join(struct.pack("<IBBHQQ", 1, 0x12, 0, 1, base + 8 * i, 8) for i in range(symbol_count))
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", ET_DYN, 62, 1, 0, 64, 0, 0, 64, 56, count + 2, 64, 0, 0)
    return head + loads + body


# --- Breakpad -------------------------------------------------------------------------------------------------------

BREAKPAD = b"MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 b\n"


def breakpad_lines():
    return BREAKPAD + b"FILE 0 a\n" + b"FUNC 0 fffff 0 f\n" + b"0 fffff 1 0\n" * 4000


def breakpad_functions():
    return BREAKPAD + b"".join(b"FUNC %x ffffff 0 f%d\n%x ffffff 1 0\n" % (i, i, i) for i in range(1800))


def breakpad_inlines():
    lines = [b"INLINE %d 1 0 0 0 fffff\n" % (i % 250) for i in range(1800)]
    return BREAKPAD + b"FILE 0 a\nINLINE_ORIGIN 0 o\nFUNC 0 fffff 0 f\n" + b"".join(lines)


def breakpad_pieces():
    ranges = b" ".join(b"%x 1" % (2 * i) for i in range(3000))
    return BREAKPAD + b"INLINE_ORIGIN 0 o\nFUNC 0 fffff 0 f\nINLINE 0 1 0 0 " + ranges + b"\n" + b"INLINE 1 1 0 0 0 fffff\n" * 500


def breakpad_long_origin():
    return BREAKPAD + b"INLINE_ORIGIN 0 " + b"o" * 20000 + b"\n" + b"".join(
        b"FUNC %x 8 0 f\nINLINE 0 1 0 0 %x 4\n" % (16 * i, 16 * i) for i in range(800))


def breakpad_publics():
    return BREAKPAD + b"".join(b"PUBLIC %x 0 p\n" % (i * 7919 % 4096) for i in range(3000))


# --- PDB ------------------------------------------------------------------------------------------------------------

PAGE = 512


def msf(streams):
    """Streams by number; each begins on a page of its own."""
    pages, lists, sizes = [b""] * 3, [], []
    for data in streams:
        mine = []
        for at in range(0, len(data), PAGE):
            mine.append(len(pages))
            pages.append(data[at:at + PAGE].ljust(PAGE, b"\0"))
        lists.append(mine)
        sizes.append(len(data))
    directory = struct.pack("<I", len(streams)) + b"".join(struct.pack("<I", s) for s in sizes)
    directory += b"".join(struct.pack("<I", p) for mine in lists for p in mine)
    numbers = []
    for at in range(0, len(directory), PAGE):
        numbers.append(len(pages))
        pages.append(directory[at:at + PAGE].ljust(PAGE, b"\0"))
    table = b"".join(struct.pack("<I", n) for n in numbers)
    table_at = len(pages)
    for at in range(0, len(table), PAGE):
        pages.append(table[at:at + PAGE].ljust(PAGE, b"\0"))
    head = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0" + struct.pack("<IIIIII", PAGE, 1, len(pages), len(directory), 0, table_at)
    pages[0] = head.ljust(PAGE, b"\0")
    pages[1] = pages[2] = b"\xff" * PAGE
    return b"".join(pages)


def pdb(modules, types=b"", type_count=0, ids=b"", id_count=0, omap=b"", publics=b""):
    """`modules`: (stream, symbols bytes, lines bytes); streams from 10 on are the caller's."""
    info = struct.pack("<III", 20000404, 0, 1) + b"\1" * 16 + struct.pack("<I", 0) + struct.pack("<IIIII", 0, 1, 1, 0, 0)
    tpi = lambda records, count: struct.pack("<IIIII", 20040203, 56, 0x1000, 0x1000 + count, len(records)) + b"\xff" * 4 + b"\0" * 32 + records
    entries = b""
    streams = []
    for stream, symbols, lines in modules:
        if stream is None:
            number = 10 + len(streams) - 1
        else:
            number = 10 + len(streams)
            streams.append(stream)
        entry = struct.pack("<I", 0) + b"\0" * 28 + struct.pack("<HHIIIHHIII", 0, number, symbols, 0, lines, 0, 0, 0, 0, 0) + b"m\0m\0"
        entries += entry.ljust((len(entry) + 3) // 4 * 4, b"\0")
    contributions = struct.pack("<I", 0xeffe0000 + 19970605)
    debug = struct.pack("<HHHHHH", 0xffff, 0xffff, 0xffff, 0xffff if not omap else 7, 0xffff, 5)
    dbi = struct.pack("<iIIHHHHHHIIIIIIIIHHI", -1, 19990903, 1, 0xffff, 0, 0xffff, 0, 8 if publics else 0xffff, 0, len(entries),
                      len(contributions), 4, 0, 0, 0, len(debug), 0, 0, 0x8664, 0) + entries + contributions + struct.pack("<HH", 0, 0) + debug
    section = b".text\0\0\0" + struct.pack("<IIII", 1 << 24, CODE, 1 << 24, 0) + b"\0" * 12 + struct.pack("<I", 0x60000020)
    return msf([b"", info, tpi(types, type_count), dbi, tpi(ids, id_count), section, b"", omap, publics, b""] + streams)


def record(kind, data):
    data += b"\0" * (-(len(data) + 2) % 4)
    return struct.pack("<HH", len(data) + 2, kind) + data


def procedure(offset, size, name=b"f", kind=0x1110, type_index=0):
    return record(kind, struct.pack("<IIIIIIIIHB", 0, 0, 0, size, 0, 0, type_index, offset, 1, 0) + name + b"\0")


END = record(6, b"")


def subsection(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 4)


def line_run(offset, size, rows):
    block = struct.pack("<III", 0, len(rows), 12 + 8 * len(rows)) + b"".join(struct.pack("<II", o, l) for o, l in rows)
    return subsection(0xf2, struct.pack("<IHHI", offset, 1, 0, size) + block)


def module_of(symbols, lines=b""):
    symbols = struct.pack("<I", 4) + symbols
    return (symbols + lines, len(symbols), len(lines))


def pdb_shared_stream():
    stream = module_of(b"".join(procedure(i, 1) + END for i in range(500)))
    return pdb([stream] + [(None, stream[1], stream[2])] * 400)


def pdb_overlapping_functions():
    symbols = b"".join(procedure(i, (1 << 20) - i) + END for i in range(600))
    return pdb([module_of(symbols, line_run(0, 1 << 20, [(i, i + 1) for i in range(2500)]))])


def pdb_sites(count, annotations):
    sites = b""
    for i in range(count):
        sites += record(0x114d, struct.pack("<III", 0, 0, 0x1000) + annotations)
    return sites + record(0x114e, b"") * count


def pdb_painted():
    """Calls laid over each other."""
    annotations = (b"\x03\x01\x04\x40" * 12)
    symbols = b"".join(procedure(i << 12, 4096) + record(0x114d, struct.pack("<III", 0, 0, 0x1000) + annotations) * 0 +
                       b"".join(record(0x114d, struct.pack("<III", 0, 0, 0x1000) + annotations) + record(0x114e, b"") for _ in range(100)) + END
                       for i in range(6))
    return pdb([module_of(symbols, line_run(0, 1 << 20, [(4 * i, i + 1) for i in range(800)]))])


def pdb_nested_sites():
    annotations = b"\x03\x01\x04\x40" * 4
    symbols = procedure(0, 1 << 16) + pdb_sites(400, annotations) + END
    return pdb([module_of(symbols * 2, line_run(0, 1 << 16, [(i, i + 1) for i in range(2000)]))])


def pdb_parts():
    annotations = b"\x02\x01" + b"\x03\x01\x04\x40" * 200
    head = struct.pack("<I", 4)
    symbols = procedure(0, 1 << 16) + (record(0x114d, struct.pack("<III", 0, 0, 0x1000) + annotations) + record(0x114e, b"")) * 20 + END
    part = record(0x1132, struct.pack("<IIIIIIHH", len(head), 0, 4096, 0, 0, 0, 1, 1)) + END
    return pdb([module_of(symbols + part * 800)])


def pdb_types():
    """A type made of itself, twice on each level; every function has it."""
    types = record(0x1201, struct.pack("<II", 1, 0x74))
    for i in range(40):
        args = record(0x1201, struct.pack("<III", 2, 0x1000 + 2 * i + 1 if i else 0x74, 0x1000 + 2 * i + 1 if i else 0x74))
        types += record(0x1008, struct.pack("<IBBHI", 0x74, 0, 0, 1, 0x1000 + 2 * i))
        types += args
    symbols = b"".join(procedure(16 * i, 16, b"f%d" % i, 0x1110, 0x1000 + 2 * 30 + 1) + END for i in range(900))
    return pdb([module_of(symbols)], types, 81)


def pdb_omap():
    omap = b"".join(struct.pack("<II", CODE + 4 * i, 0x100000 + 8 * i) for i in range(2500))
    symbols = b"".join(procedure(i, 10000 - i) + END for i in range(400))
    return pdb([module_of(symbols, line_run(0, 1 << 16, [(i, i + 1) for i in range(300)]))], omap=omap)


def pdb_imports():
    many = b"".join(struct.pack("<III", 1 + i % 3, 1, 0) for i in range(1800))
    stream = module_of(b"", subsection(0xf6, many))
    return pdb([stream] + [(None, stream[1], stream[2])] * 250)


def pdb_publics():
    one = record(0x110e, struct.pack("<IIH", 2, 0, 1) + b"p\0")
    return pdb([module_of(b"")], publics=one * (BYTES // len(one)))


# --- WebAssembly, Mach-O, PE ----------------------------------------------------------------------------------------

def wasm_section(number, data):
    return bytes([number]) + u(len(data)) + data


def wasm_custom(name, data):
    return wasm_section(0, u(len(name)) + name + data)


def wasm_functions():
    count = 20000
    code = u(count) + b"\0" * count
    names = b"\1" + u(10000000)
    return (b"\0asm\1\0\0\0" + wasm_section(1, u(1) + b"\x60\0\0") + wasm_section(3, u(count) + b"\0" * count) +
            wasm_section(10, code) + wasm_custom(b"name", names))


def wasm_dwarf():
    info = unit(u(1) + b"".join(u(2) + struct.pack("<I", 0) for _ in range(5000)) + b"\0")
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, ("ranges", "sec")) + b"\0"
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i, CODE + 2 * i + 1) for i in range(1500)) + b"\0" * 16
    return (b"\0asm\1\0\0\0" + wasm_section(1, u(1) + b"\x60\0\0") + wasm_section(3, u(1) + b"\0") + wasm_section(10, u(1) + b"\2\0\x0b") +
            wasm_custom(b".debug_info", info) + wasm_custom(b".debug_abbrev", tags) + wasm_custom(b".debug_ranges", ranges))


def macho(symbols, strings, sections=()):
    """A 64-bit file with one text section, a symbol table, and sections of debug information in __DWARF."""
    body, table = b"", b""
    commands = 2 + (1 if sections else 0) + 1
    size = (72 + 80) + 24 + 24 + (72 + 80 * len(sections) if sections else 0)
    at = 32 + size
    text = struct.pack("<II16sQQQQiiII", 0x19, 152, b"__TEXT", CODE, 1 << 20, 0, 0, 7, 5, 1, 0)
    text += struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", CODE, 1 << 20, 0, 0, 0, 0, 0x80000400, 0, 0, 0)
    if sections:
        table = struct.pack("<II16sQQQQiiII", 0x19, 72 + 80 * len(sections), b"__DWARF", 1 << 30, 0, 0, 0, 7, 3, len(sections), 0)
        for name, data in sections:
            table += struct.pack("<16s16sQQIIIIIIII", name, b"__DWARF", 0, len(data), at + len(body), 0, 0, 0, 0, 0, 0, 0)
            body += data
    where = at + len(body)
    symtab = struct.pack("<IIIIII", 2, 24, where, len(symbols) // 16, where + len(symbols), len(strings))
    uuid = struct.pack("<II", 0x1b, 24) + b"\2" * 16
    return struct.pack("<IiiIIIII", 0xfeedfacf, 0x1000007, 3, 10, commands, size, 0, 0) + text + table + symtab + uuid + body + symbols + strings


def macho_symbols():
    symbols = b"".join(struct.pack("<IBBHQ", 1 + i, 0xf, 1, 0, CODE + i) for i in range(1500))
    return macho(symbols, b"\0" + b"s" * 24000 + b"\0")


def macho_dwarf():
    tags = UNIT + abbrev(2, TAG_FUNCTION, 0, ("ranges", "sec")) + b"\0"
    info = unit(u(1) + b"".join(u(2) + struct.pack("<I", 0) for _ in range(5000)) + b"\0")
    ranges = b"".join(struct.pack("<QQ", CODE + 2 * i, CODE + 2 * i + 1) for i in range(1500)) + b"\0" * 16
    return macho(struct.pack("<IBBHQ", 1, 0xf, 1, 0, CODE), b"\0s\0",
                 [(b"__debug_info", info), (b"__debug_abbrev", tags), (b"__debug_ranges", ranges)])


def macho_packed():
    zeros = b"ZLIB" + struct.pack(">Q", 30 << 20) + zlib.compress(b"\0" * (30 << 20), 9)
    return macho(b"", b"\0", [(b"__zdebug_info", zeros), (b"__debug_abbrev", UNIT + b"\0")])


def pe(section_count, exports):
    """Many sections, and exports each of which is looked for in them."""
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", 0x8664, section_count, 1, 0, 0, 240, 0x2022)
    table = section_count * 40
    body_at = (len(head) + 240 + table + 511) // 512 * 512
    address = 0x100000
    names = address + 40 + exports * 10
    directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, names, 1, exports, exports, address + 40, address + 40 + 4 * exports, address + 40 + 8 * exports)
    body = directory + b"".join(struct.pack("<I", 0x200000 + i) for i in range(exports))
    body += struct.pack("<I", names) * exports + b"".join(struct.pack("<H", i) for i in range(exports)) + b"n" * 8000 + b"\0"
    optional = struct.pack("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20b, 0, 0, 0, 0, 0, 0, 0, 0x140000000, 4096, 512, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16)
    optional += struct.pack("<II", address, len(directory)) + b"\0" * 120
    sections = b"".join(struct.pack("<8sIIIIIIHHI", b".x", 16, 0x1000 + 16 * i, 0, 0, 0, 0, 0, 0, 0x60000020) for i in range(section_count - 2))
    sections += struct.pack("<8sIIIIIIHHI", b".edata", len(body), address, len(body), body_at, 0, 0, 0, 0, 0x40000040)
    sections += struct.pack("<8sIIIIIIHHI", b".text", 1 << 20, 0x200000, 0, 0, 0, 0, 0, 0, 0x60000020)
    return (head + optional + sections).ljust(body_at, b"\0") + body


def all_bombs():
    """Pairs of a name and a function that makes the bytes."""
    bombs = []

    def add(name, make, *arguments):
        bombs.append((name, lambda: make(*arguments)))

    for how in ("zlib", "gnu", "zstd"):
        add("padding-" + how, padding, how)
    for how in ("zlib", "gnu"):
        add("empty-units-" + how, empty_units, how)
        add("nulls-" + how, nulls_in_a_unit, how)
        add("wide-entries-" + how, wide_entries, how)
    add("shared-lines", shared_lines, 1000, 20000)
    add("shared-lines-packed", shared_lines, 10000, 1 << 20, "zlib")
    add("shared-lines-of-others", shared_lines, 1000, 20000, "", False)
    add("shared-sequences", shared_sequences, 900, 1500)
    add("lines-from-every-byte", lines_from_every_byte)
    add("line-entries", line_entries)
    add("overlapping-abbrevs", overlapping_abbrevs)
    add("overlapping-abbrevs-packed", overlapping_abbrevs, "zlib")
    add("big-abbrevs", big_abbrev_per_unit)
    add("shared-ranges", shared_ranges)
    add("shared-ranges-packed", shared_ranges, "zlib")
    add("shared-ranges-of-units", shared_ranges_of_units)
    add("calls-over-pieces", calls_over_pieces, 2000)
    add("calls-over-pieces-deep", calls_over_pieces, 2000, 200)
    add("functions-over-symbols", functions_over_symbols, 500)
    add("long-names", long_names, "plain")
    add("long-names-packed", long_names, "packed")
    add("endless-names", endless_names, "zlib")
    add("origins", origins, 1500)
    add("origins-of-one", origins_of_one, 1500, 1500)
    add("split-package", split_package)
    add("deep-entries", deep_entries)
    for seed in range(6):
        add("random-dwarf-%d" % seed, random_dwarf, seed)
    add("relocations", relocations, 900)
    add("long-symbols", long_symbols, 1500)
    add("long-file-symbols", long_file_symbols, 1500)
    add("mini-symbols", mini_symbols, 40 << 20, "symbols")
    add("mini-zeros", mini_symbols, 48 << 20, "zeros")
    for how, size in (("zlib", 50 << 20), ("gnu", 50 << 20), ("zstd", 200 << 20)):
        add("many-packed-sections-" + how, many_packed_sections, how, size)
    add("segments-and-symbols", segments_and_symbols)
    add("breakpad-lines", breakpad_lines)
    add("breakpad-functions", breakpad_functions)
    add("breakpad-inlines", breakpad_inlines)
    add("breakpad-pieces", breakpad_pieces)
    add("breakpad-long-origin", breakpad_long_origin)
    add("breakpad-publics", breakpad_publics)
    add("pdb-shared-stream", pdb_shared_stream)
    add("pdb-overlapping-functions", pdb_overlapping_functions)
    add("pdb-painted", pdb_painted)
    add("pdb-nested-sites", pdb_nested_sites)
    add("pdb-parts", pdb_parts)
    add("pdb-types", pdb_types)
    add("pdb-omap", pdb_omap)
    add("pdb-imports", pdb_imports)
    add("pdb-publics", pdb_publics)
    add("wasm-functions", wasm_functions)
    add("wasm-dwarf", wasm_dwarf)
    add("macho-symbols", macho_symbols)
    add("macho-dwarf", macho_dwarf)
    add("macho-packed", macho_packed)
    add("pe-exports", pe, 900, 1500)
    return bombs

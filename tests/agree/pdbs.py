"""pdbs -- a third tool for PDBs: their lines and names as llvm-pdbutil lists them, and DWARF of the same code.

llvm-symbolizer reads clang's PDBs wrongly in ways that tests/object/test_pdb.c and test_pdb_records.c name (their tests
begin with `oracle_`): of lines of two files, of two lines at one address, of an inlined function that begins on the line of
its declaration, of functions folded into one. Where it and symgate differ, symgate is right if the lists say what it
says: of the function itself, the last line at or before the address; of inlined calls, what the same objects compiled with
DWARF instead (IMAGE.dwarf, of the same machine code) say. What lies behind a function and before the next symbol is
padding: nobody's, though llvm-symbolizer shows the symbol before it, without a line.
"""
import bisect
import json
import os
import re
import subprocess

from windows import canonical_chains, pe_sections

PROCEDURE = re.compile(r"\| S_[GL]PROC32(?:_ID)? \[.*?\] `(.*)`\n.*?addr = (\d+):(\d+), code size = (\d+)")
PUBLIC = re.compile(r"\| S_PUB32 \[.*?\] `(.*)`\n.*?addr = (\d+):(\d+)")
FILE = re.compile(r"(\S.*) \((?:MD5|SHA-1|SHA-256|no checksum|none)\b.*\)$")
RANGE = re.compile(r"\s+([0-9A-F]{4}):([0-9A-F]{8})-([0-9A-F]{8}), line/addr entries")
ROW = re.compile(r"(\d+) ([0-9A-F]{8})")
WITHOUT_LINE = {"15732480", "16707566"}          # 0xf00f00, 0xfeefee


def dump(image, *options):
    return subprocess.run(["llvm-pdbutil-19", "dump", *options, image + ".pdb"], capture_output=True, text=True,
                          check=True).stdout


def base(path):
    return os.path.basename(path.replace("\\", "/"))


class Pdb:
    def __init__(self, image):
        self.sections = [address for address, _, _ in pe_sections(image)]
        self.names, self.procedures = {}, []
        for name, section, offset, size in PROCEDURE.findall(dump(image, "--symbols")):
            if int(size):
                self.procedures.append((self.at(section, offset), int(size), name))
        for name, section, offset in PUBLIC.findall(dump(image, "--publics")):
            if int(section) <= len(self.sections):
                self.names.setdefault(self.at(section, offset), set()).add(name)
        self.procedures.sort()
        self.function_starts = [start for start, _, _ in self.procedures]
        self.public_starts = sorted(self.names)
        for address, _, name in self.procedures:
            self.names.setdefault(address, set()).add(name)
        self.fragments = sorted(self.read_lines(dump(image, "-l")), key=lambda fragment: fragment[:2])
        self.starts = [start for start, _, _ in self.fragments]

    def at(self, section, offset, radix=10):
        return self.sections[int(section, radix) - 1] + int(offset, radix)

    def read_lines(self, text):
        """(start, end, rows) of each run of code; one of several files comes in a block for each."""
        fragments, file, before = [], "", None
        for line in text.splitlines():
            named, place = FILE.match(line), RANGE.match(line)
            if line.startswith("Mod "):
                before = None
            elif named:
                file = base(named.group(1))
            elif place:
                section, start, end = place.groups()
                block = section, start, end, file
                # The same file again is another function, folded into this one.
                if not before or before[:3] != block[:3] or before[3] == file:
                    fragments.append((self.at(section, start, 16), self.at(section, end, 16), []))
                before = block
            elif before:
                fragments[-1][2].extend((self.at(before[0], offset, 16), number not in WITHOUT_LINE and (file, int(number)))
                                        for number, offset in ROW.findall(line))
        return fragments

    def outer(self, address):
        """(file, line) of the function itself; of folded ones the first."""
        found = None
        for i in range(bisect.bisect_right(self.starts, address) - 1, -1, -1):
            start, end, rows = self.fragments[i]
            if start <= address < end:
                rows = [row for at, row in sorted(rows, key=lambda row: row[0]) if at <= address]
                found = rows[-1] if rows else None
            elif address - start > 1 << 20:
                break
        return found

    def is_padding(self, address):
        """Behind the last function that begins before the address, and no public symbol nor line since."""
        last = bisect.bisect_right(self.function_starts, address)
        end = max((start + size for start, size, _ in self.procedures[:last]), default=address + 1)
        public = bisect.bisect_right(self.public_starts, address) - 1
        return end <= address and (public < 0 or self.public_starts[public] < end) and not self.outer(address)

    def folded_names(self, address):
        """All names of the function there."""
        for start, size, _ in self.procedures:
            if start <= address < start + size:
                return self.names[start]
        return set()


def of_dwarf(image, addresses):
    if not os.path.exists(image + ".dwarf"):
        return [None] * len(addresses)
    out = subprocess.run(["llvm-symbolizer-19", "--inlines", "--no-demangle", "--output-style=JSON",
                          f"--obj={image}.dwarf"], input="".join(f"{address:#x}\n" for address in addresses),
                         capture_output=True, text=True, check=True).stdout
    return [[(base(one["FileName"]), one["Line"]) for one in json.loads(line).get("Symbol", [])]
            for line in out.splitlines()]


def names_fit(pdb, address, ours, llvm):
    if [frame[0] for frame in ours[:-1]] != [frame[0] for frame in llvm[:-1]]:
        return False
    if ours[-1][0] == llvm[-1][0]:
        return True
    folded = {one[0][0] for one in canonical_chains([[(name, "", 0)] for name in pdb.folded_names(address)])}
    return {ours[-1][0], llvm[-1][0]} <= folded


def settled(image, addresses, ours, llvm):
    """The addresses of these where symgate's chain is right though llvm-symbolizer's is another; both are canonical."""
    pdb, right = Pdb(image), set()
    for address, mine, theirs, twin in zip(addresses, ours, llvm, of_dwarf(image, addresses)):
        if not mine and len(theirs) == 1 and theirs[0][2] == 0 and pdb.is_padding(address):
            right.add(address)
        if not mine or len(mine) != len(theirs) or not names_fit(pdb, address, mine, theirs):
            continue
        if mine[-1][1:] not in (theirs[-1][1:], pdb.outer(address)):
            continue
        if mine[:-1] == theirs[:-1] or (twin and [frame[1:] for frame in mine[:-1]] == twin[:-1]):
            right.add(address)
    return right

"""facts -- where functions begin, as llvm-pdbutil and llvm-dwarfdump list them, held against symgate.

Each listed function's first address must be answered with that function as the outermost frame. Where code is shared
(clones, aliases, folded functions) the symbol table has names of its own for it: any of them will do.
"""
import os
import re
import subprocess

from containers import PE, for_llvm, is_relocatable, magic, text_of
from pdbs import Pdb
from windows import canonical_chains

SUBPROGRAM = re.compile(r"DW_TAG_subprogram\n((?:[ \t]+DW_AT_.*\n?)*)")
TOMBSTONES = {0xffffffff, 0xfffffffe, 2**64 - 1, 2**64 - 2}


def add(facts, address, names):
    facts.setdefault(address, set()).update(names)


def of_pdb(image):
    pdb, facts = Pdb(image), {}
    for address, _, name in pdb.procedures:
        if "~" not in name:   # clang's records of deleting destructors: tests/object/test_pdb
            add(facts, address, {name})
    for address, names in facts.items():   # where records have poor names: tests/object/test_pdb
        if any("lambda" in known for known in names):
            names.update(name for name in pdb.names[address] if name.startswith("?"))
    return facts


def of_dwarf(path):
    """Names are the linkage name where there is one, also that of the declaration or the abstract instance."""
    plain = path + ".plain" if os.path.exists(path + ".plain") else path
    first, last = 0, 2**64
    if is_relocatable(path):
        plain = for_llvm(path)[0]
        last = text_of(path)[1]
    text = subprocess.run(["llvm-dwarfdump-19", "--debug-info", plain], capture_output=True, text=True,
                          check=True).stdout
    lookup_offset = for_llvm(path)[1]
    facts = {}
    for block in SUBPROGRAM.findall(text):
        low = re.search(r"DW_AT_low_pc\s+\((0x[0-9a-f]+)\)", block)
        high = re.search(r"DW_AT_high_pc\s+\((0x[0-9a-f]+)\)", block)
        named = re.search(r'DW_AT_(?:MIPS_)?linkage_name\s+\("(.*?)"\)', block) or \
            re.search(r'DW_AT_(?:abstract_origin|specification)\s+\(0x[0-9a-f]+ "(.*?)"\)', block) or \
            re.search(r'DW_AT_name\s+\("(.*?)"\)', block)
        # Functions the linker threw away stay at 0, or where nothing can be.
        if low and high and named and 0 < int(low.group(1), 16) < int(high.group(1), 16) and \
                int(low.group(1), 16) not in TOMBSTONES:
            add(facts, int(low.group(1), 16) + lookup_offset, {named.group(1)})
    return {address: names for address, names in facts.items() if first <= address < last}


def symbols(path):
    text = subprocess.run(["llvm-nm-19", "--defined-only", path], capture_output=True, text=True).stdout
    return [(int(match.group(1), 16), match.group(2)) for match in re.finditer(r"(?m)^([0-9a-f]+) [TtWwVvi] (.*)$", text)]


def differing(path, ask):
    """(how many functions are listed, those symgate has something else for)"""
    is_pe = magic(path) == PE and os.path.exists(path + ".pdb")
    if os.path.exists(path + ".dwp"):
        return 0, []
    facts = of_pdb(path) if is_pe else of_dwarf(path)
    lookup, offset = for_llvm(path) if is_relocatable(path) else (path, 0)
    for address, name in [] if is_pe else symbols(lookup):
        if address + offset in facts:
            add(facts, address + offset, {name})
    addresses = sorted(facts)
    chains = ask(path, addresses)
    if is_pe:
        chains = canonical_chains(chains)
    wrong = []
    for address, chain in zip(addresses, chains):
        names = {one[0][0] for one in canonical_chains([[(name, "", 0)] for name in facts[address]])} if is_pe \
            else facts[address]
        if not chain or chain[-1][0].lstrip("_") not in {name.lstrip("_") for name in names}:
            wrong.append(f"{address:#x}: {sorted(names)}, symgate {chain}")
    return len(addresses), wrong

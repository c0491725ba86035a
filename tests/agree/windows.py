"""windows -- PE images with their PDBs: where their code lies, and when two names say the same.

A PDB has two names for a function: its record's, readable and without parameters (llvm-symbolizer shows that one, symgate
adds the parameters its type has), and its public symbol's, decorated. SAME lists the classes of difference that are
none, each with an example that must hold; whatever else differs counts.
"""
import re
import struct
import subprocess

UNDNAME = ["llvm-undname-19", "--no-access-specifier", "--no-calling-convention", "--no-member-type",
           "--no-return-type", "--no-variable-type"]
CODE = 0x20000000

# what, as symgate says it, as llvm-symbolizer says it
SAME = [
    ("parameters are added", "ns::f(int, char *)", "ns::f"),
    ("a const member function keeps its word", "ns::Pair::sum(const ns::Pair &) const", "ns::Pair::sum"),
    ("parameters with parameters", "f(int (*)(char), void (__cdecl *)(int))", "f"),
    ("the call operator has no parameters of its own", "Adder::operator()(int)", "Adder::operator()"),
    ("blanks in template arguments", "Map<int, char>::get()", "Map<int,char>::get"),
    ("an argument's kind of type", "Box<struct Pair>::take(Pair)", "Box<Pair>::take"),
    ("namespaces without a name", "(anonymous namespace)::f()", "`anonymous namespace'::f"),
    ("a public symbol by its decorated name", "?f@ns@@YAHH@Z", "ns::f"),
    ("C names of 32 bits", "_start", "start"),
    ("C names with underscores of their own", "_cxa_pure_virtual", "__cxa_pure_virtual"),
    ("an operator that gives a pointer to a function", "S::operator long (*)(int)() const", "S::operator long (*)(int)"),
]


def readable(names):
    """Decorated name -> readable one."""
    decorated = sorted({name for name in names if name.startswith("?")})
    if not decorated:
        return {}
    out = subprocess.run(UNDNAME, input="".join(name + "\n" for name in decorated), capture_output=True, text=True).stdout
    answers = out.split("\n\n")
    return {name: answer.split("\n", 1)[1].strip() for name, answer in zip(decorated, answers) if "\n" in answer}


def without_parameters(name):
    name = re.sub(r"\)(\s*(const|volatile|&|&&))+$", ")", name)
    # llvm's "S::operator long (*)(int)" has no parameters to lose
    if not name.endswith(")") or name.endswith("operator()") or re.search(r"\boperator [^()]+\(\*\)\([^()]*\)$", name):
        return name
    depth = 0
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0:
            return name[:at]
    return name


def canonical(name, table):
    name = table.get(name, name)
    name = re.sub(r"\b(struct|class|union|enum) ", "", name)
    name = re.sub(r"\(anonymous namespace\)|`anonymous[- ]namespace'", "`anonymous'", name)
    name = without_parameters(name.strip())
    return re.sub(r"^_+(?=[a-z]\w*$)", "", re.sub(r"\s+", "", name))


def canonical_chains(chains):
    table = readable({name for chain in chains for name, _, _ in chain})
    return [[(canonical(name, table), file, line) for name, file, line in chain] for chain in chains]


def broken_rules():
    table = readable({one for _, *both in SAME for one in both})
    return [f"{what}: {canonical(ours, table)!r} is not {canonical(theirs, table)!r}" for what, ours, theirs in SAME
            if canonical(ours, table) != canonical(theirs, table)]


def pe_sections(path):
    """(address, size, is it code) of each, at the addresses the image wants."""
    with open(path, "rb") as f:
        data = f.read()
    pe = struct.unpack_from("<I", data, 0x3c)[0]
    section_count, options = struct.unpack_from("<H", data, pe + 6)[0], struct.unpack_from("<H", data, pe + 20)[0]
    wide = struct.unpack_from("<H", data, pe + 24)[0] == 0x20b
    base = struct.unpack_from("<Q" if wide else "<I", data, pe + (48 if wide else 52))[0]
    found = []
    for at in range(pe + 24 + options, pe + 24 + options + 40 * section_count, 40):
        size, address = struct.unpack_from("<II", data, at + 8)
        found.append((base + address, size, bool(struct.unpack_from("<I", data, at + 36)[0] & CODE)))
    return found


def pe_code(path):
    return [(address, size) for address, size, is_code in pe_sections(path) if is_code and size]

"""windows -- PE images with their PDBs: where their code lies, and when two names say the same.

A PDB has two names for a function: its record's, as its compiler spelled it, and its public symbol's, decorated.
llvm-symbolizer shows the second, as its demangler spells it, where there is one; symgate the first, with the parameters its
type has. Names are compared up to spelling; SAME lists what that is, each with an example that must hold, and DIFFERENT what
it must not level. Whatever else differs counts.
"""
import re
import struct
import subprocess

UNDNAME = ["llvm-undname-19", "--no-access-specifier", "--no-calling-convention", "--no-member-type",
           "--no-return-type", "--no-variable-type"]
CODE = 0x20000000

# what, as symgate says it, as llvm-symbolizer says it
SAME = [
    ("parameters are added", "ns::f(int, char*)", "ns::f"),
    ("a const member function keeps its word", "ns::Pair::sum(ns::Pair const&) const", "ns::Pair::sum"),
    ("parameters with parameters", "f(int (*)(char), void (*)(int))", "f"),
    ("the call operator has no parameters of its own", "Adder::operator()(int)", "Adder::operator()"),
    ("blanks in template arguments", "Map<int, char>::get()", "Map<int,char>::get"),
    ("an argument's kind of type", "Box<Pair>::take(Pair)", "Box<struct Pair>::take"),
    ("namespaces without a name", "(anonymous namespace)::f()", "`anonymous namespace'::f"),
    ("a public symbol by its decorated name", "?f@ns@@YAHH@Z", "ns::f"),
    ("an operator that gives a pointer to a function", "S::operator long (*)(int)() const", "S::operator long (*)(int)"),
    ("a template's constructor", "ns::Box<int>::Box(int)", "ns::Box<int>::Box<int>"),
    ("and its destructor", "Map<int,Box<int> >::~Map()", "Map<int, Box<int>>::~Map<int, Box<int>>"),
    ("numbers of 64 bits", "Box<unsigned long long>::get()", "Box<unsigned __int64>::get"),
    ("where const stands", "Box<const char *const *>::get()", "Box<char const *const *>::get"),
    ("also for templates", "Box<const Map<const int,char> &>::get()", "Box<Map<int const, char> const &>::get"),
    ("conventions of calls", "call<void (*)(int)>(void (*)(int))", "call<void (__cdecl *)(int)>"),
    ("characters as numbers", "value<'x'>()", "value<120>"),
    ("characters that are no letters", "value<'\\n'>()", "value<10>"),
    ("a null pointer", "value<nullptr>()", "value<0>"),
    ("a function as an argument", "value<&f>()", "value<&f(int)>"),
    ("truth as a number", "value<true>()", "value<1>"),
]
DIFFERENT = [
    ("names", "ns::f()", "ns::g"),
    ("template arguments", "Box<int>::get()", "Box<char>::get"),
    ("const", "Box<const int>::get()", "Box<int>::get"),
    ("what const is of", "Box<const int *>::get()", "Box<int *const>::get"),
    ("constructor and destructor", "Box<int>::Box()", "Box<int>::~Box<int>"),
    ("underscores", "CxxThrowException", "_CxxThrowException"),
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


def matching(name, at):
    """Behind the `>` that closes the `<` there."""
    depth = 0
    for i in range(at, len(name)):
        depth += {"<": 1, ">": -1}.get(name[i], 0)
        if depth == 0:
            return i + 1
    return len(name)


def split_arguments(text):
    """At the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, "\\": 92, "'": 39, "0": 0}
VALUES = {"nullptr": "0", "true": "1", "false": "0"}


def canonical_value(argument):
    """A number for what clang writes otherwise; functions without their parameters."""
    quoted = re.fullmatch(r"'(\\?)(.*)'", argument)
    if quoted:
        letter = quoted.group(2)
        code = ord(letter) if not quoted.group(1) else int(letter[1:], 16) if letter.startswith("x") else \
            ESCAPES.get(letter, -1)
        return str(code - 256 if 127 < code < 256 else code)
    if argument.startswith("&"):
        return without_parameters(argument)
    return VALUES.get(argument, argument)


def canonical_argument(argument):
    """const and volatile behind what they are of, as in `int const *`."""
    argument = canonical_value(canonical_spelling(argument.strip()))
    words = re.match(r"((?:(?:const|volatile) )+)", argument)
    if not words:
        return argument
    rest = argument[words.end():]
    depth, end = 0, len(rest)
    for i, char in enumerate(rest):
        if depth == 0 and char in "*&([":
            end = i
            break
        depth += {"<": 1, ">": -1}.get(char, 0)
    return f"{rest[:end].rstrip()} {words.group(1)}{rest[end:]}"


def canonical_spelling(name):
    out, at = "", 0
    while at < len(name):
        if name[at] == "<" and not re.search(r"operator\s*[<=>-]*$", out):
            end = matching(name, at)
            out += "<" + ",".join(canonical_argument(one) for one in split_arguments(name[at + 1:end - 1])) + ">"
            at = end
        else:
            out += name[at]
            at += 1
    return out


def without_class_arguments(name):
    """Constructors and destructors of templates: `Box<int>::Box<int>` is `Box<int>::Box`."""
    match = re.match(r"(.*?)(\w+)(<.*>)::(~?)(\w+)(<.*>)?$", name)
    return f"{match.group(1)}{match.group(2)}{match.group(3)}::{match.group(4)}{match.group(5)}" \
        if match and match.group(2) == match.group(5) and match.group(6) in (None, match.group(3)) else name


def canonical(name, table):
    name = table.get(name, name)
    name = re.sub(r"\b(struct|class|union|enum) ", "", name)
    name = re.sub(r"\(anonymous namespace\)|`anonymous[- ]namespace'", "`anonymous'", name)
    name = re.sub(r"__(cdecl|stdcall|thiscall|fastcall|vectorcall|ptr64) ?", "", name)
    name = name.replace("__int64", "long long")
    name = without_class_arguments(re.sub(r"\s+", " ", canonical_spelling(without_parameters(name.strip()))))
    return re.sub(r"\s+", "", name)


def canonical_chains(chains):
    table = readable({name for chain in chains for name, _, _ in chain})
    return [[(canonical(name, table), file, line) for name, file, line in chain] for chain in chains]


def is_x86(path):
    with open(path, "rb") as f:
        data = f.read(4096)
    return struct.unpack_from("<H", data, struct.unpack_from("<I", data, 0x3c)[0] + 4)[0] == 0x14c


def undecorated(path, chains):
    """The linker's names of C functions on 32-bit x86: one underscore more than in the source, bytes of parameters."""
    if not is_x86(path):
        return chains
    def as_written(name):
        return re.sub(r"^[_@](\w+?)(@\d+)?$", r"\1", name)

    return [[*chain[:-1], (as_written(chain[-1][0]), *chain[-1][1:])] if chain else chain for chain in chains]


def broken_rules():
    table = readable({one for _, *both in SAME for one in both})
    return [f"{what}: {canonical(ours, table)!r} is not {canonical(theirs, table)!r}" for what, ours, theirs in SAME
            if canonical(ours, table) != canonical(theirs, table)] + [
        f"{what}: {canonical(ours, table)!r} is {canonical(theirs, table)!r}" for what, ours, theirs in DIFFERENT
        if canonical(ours, table) == canonical(theirs, table)]


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

"""containers -- where the code of a debug file lies, and how llvm-symbolizer is asked about it.

ELF, Mach-O and PE files are asked about as they are (windows.py has what is special about the last). WebAssembly counts differently: stack traces, and so symgate, give
offsets in the file; DWARF, and so llvm-symbolizer, in the code section. And llvm-symbolizer takes names from symbols
and exports at file offsets while it looks for them at offsets in the section, so that they win over the right ones:
it is asked about a copy without.

In relocatable files (kernel modules) all sections lie at 0, and llvm-symbolizer takes functions and symbols of any of
them: it is asked about the same file linked, where they lie apart. Addresses are those of .text.
"""
import os
import re
import struct
import subprocess

from windows import pe_code

ELF, MACHO, WASM, PE = b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\0asm", b"MZ"
WASM_EXPORT, WASM_CODE = 7, 10


def magic(path):
    with open(path, "rb") as f:
        first = f.read(4)
    return PE if first.startswith(PE) else first


def elf_sections(path):
    """(name, address, size) of those with code."""
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    found = []
    for match in re.finditer(r"\] (\S+)\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+\s+(\w+)", text):
        if "X" in match.group(4) and int(match.group(3), 16):
            found.append((match.group(1), int(match.group(2), 16), int(match.group(3), 16)))
    return found


def labels(path):
    """Places inside functions that assembler sources or relaxing linkers gave a name: neither type nor size, local."""
    if magic(path) != ELF:
        return set()
    text = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" 0 NOTYPE +LOCAL +\w+ +\d+ (\S+)", text))


def is_relocatable(path):
    with open(path, "rb") as f:
        head = f.read(18)
    return head[:4] == ELF and head[16 if head[5] == 2 else 17] == 0 and head[17 if head[5] == 2 else 16] == 1


def text_of(path):
    """(address, size) of .text, or of the first section with code where there is none."""
    sections = elf_sections(path)
    return next(((address, size) for name, address, size in sections if name == ".text"), sections[0][1:])


def elf_code(path):
    if is_relocatable(path):
        return [text_of(path)]
    return [(address, size) for _, address, size in elf_sections(path)]


def linked(path):
    """The relocatable file with every section at a place of its own."""
    out = path + ".linked"
    if os.path.exists(out):
        return out
    with open(out + ".ld", "w", encoding="ascii") as f:
        f.write("SECTIONS { . = 0x10000000; .text : { *(.text) } }\n")
    subprocess.run(["ld.lld-19", "-T", out + ".ld", "--noinhibit-exec", "--unresolved-symbols=ignore-all", "-o", out,
                    path], capture_output=True, check=False)
    return out


def macho_code(path):
    """__TEXT,__text of a 64-bit file."""
    with open(path, "rb") as f:
        data = f.read()
    at, found = 32, []
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 0x19:
            for place in range(at + 72, at + 72 + 80 * struct.unpack_from("<I", data, at + 64)[0], 80):
                if data[place:place + 16].rstrip(b"\0") == b"__text":
                    found.append(struct.unpack_from("<QQ", data, place + 32))
        at += size
    return found


def wasm_number(data, at):
    value = shift = 0
    while True:
        part = data[at]
        value |= (part & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if part < 0x80:
            return value, at


def wasm_sections(data):
    """(id, where it begins, where its contents begin, where they end) of each."""
    at = 8
    while at < len(data):
        size, contents = wasm_number(data, at + 1)
        yield data[at], at, contents, contents + size
        at = contents + size


def wasm_name(data, contents):
    return data[contents + 1:contents + 1 + data[contents]]


def wasm_contents(data):
    return next(contents for kind, _, contents, _ in wasm_sections(data) if kind == WASM_CODE)


def wasm_code(path):
    """Function bodies but for the `end` that closes them: DWARF leaves it out, symbols do not."""
    with open(path, "rb") as f:
        data = f.read()
    count, at = wasm_number(data, wasm_contents(data))
    found = []
    for _ in range(count):
        size, at = wasm_number(data, at)
        found.append((at, size - 1))
        at += size
    return found


def code_sections(path):
    return {ELF: elf_code, MACHO: macho_code, WASM: wasm_code, PE: pe_code}[magic(path)](path)


def for_llvm(path):
    """The file llvm-symbolizer is asked about, and what its addresses lack."""
    if is_relocatable(path):
        return linked(path), text_of(path)[0] - text_of(linked(path))[0]
    if magic(path) != WASM:
        return path, 0
    with open(path, "rb") as f:
        data = f.read()
    kept = data[:8]
    for kind, begin, contents, end in wasm_sections(data):
        if kind != WASM_EXPORT and not (kind == 0 and wasm_name(data, contents) == b"name"):
            kept += data[begin:end]
    with open(path + ".nameless", "wb") as f:
        f.write(kept)
    return path + ".nameless", wasm_contents(data)

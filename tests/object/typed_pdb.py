#!/usr/bin/env python3
"""typed_pdb.py -- a PDB whose functions have the types it is told, so that tests meet every kind of record.

	typed_pdb.py SKELETON OUT < CASES

SKELETON is a PDB with one module, one file and a section of code. A case is a line: `outer NAME = TYPE` is a function of
that name and type, `inlined ID` is a call inlined into a function of its own. TYPE and ID are calls of the functions
below, each of which adds a record and gives its index; a number is an index as it is.
"""
import struct
import sys

from remake_pdb import read, write

TYPES, DBI, IDS = 2, 3, 4
FIRST = 0x1000
CODE_BYTES = 16                  # of each function
records = {TYPES: [], IDS: []}


def add(stream, kind, content):
    content += b"\xf3\xf2\xf1"[len(content) % 4 - 1:] if len(content) % 4 else b""
    records[stream].append(struct.pack("<HH", len(content) + 2, kind) + content)
    return FIRST + len(records[stream]) - 1


def number(value):
    return struct.pack("<H", value) if value < 0x8000 else struct.pack("<HI", 0x8004, value)


def string(text):
    return text.encode() + b"\0"


def modifier(target, flags):
    return add(TYPES, 0x1001, struct.pack("<IH", target, flags))


def const(target):
    return modifier(target, 1)


def volatile(target):
    return modifier(target, 2)


def unaligned(target):
    return modifier(target, 4)


def pointer(target, mode=0, more=0, tail=b""):
    """A pointer of 64 bits; flags: 0x400 const, 0x200 volatile."""
    return add(TYPES, 0x1002, struct.pack("<II", target, 0xc | mode << 5 | 8 << 13 | more) + tail)


def const_pointer(target):
    return pointer(target, 0, 0x400)


def volatile_pointer(target):
    return pointer(target, 0, 0x200)


def reference(target):
    return pointer(target, 1)


def moved(target):
    return pointer(target, 4)


def member(target, owner):
    return pointer(target, 2, 0, struct.pack("<IH", owner, 0))


def method_pointer(target, owner, more=0):
    return pointer(target, 3, more, struct.pack("<IH", owner, 0))


def arguments(types):
    return add(TYPES, 0x1201, struct.pack("<I%dI" % len(types), len(types), *types))


def function(result, types, attributes=0):
    listed = types if isinstance(types, int) else arguments(types)
    return add(TYPES, 0x1008, struct.pack("<IBBHI", result, 0, attributes, 0, listed))


def method(result, owner, this, types, attributes=0):
    listed = types if isinstance(types, int) else arguments(types)
    return add(TYPES, 0x1009, struct.pack("<IIIBBHIi", result, owner, this, 0, attributes, 0, listed, 0))


def constructor(owner, this, types):
    return method(0x03, owner, this, types, 2)


def array(element, size):
    return add(TYPES, 0x1503, struct.pack("<II", element, 0x77) + number(size) + b"\0")


def record(kind, name, size=4, unique=None, declared=False):
    """A class, structure, interface or union."""
    flags = (0x200 if unique else 0) | (0x80 if declared else 0)
    tail = number(size) + string(name) + (string(unique) if unique else b"")
    if kind >= 0x1608:
        return add(TYPES, kind, struct.pack("<II", flags, 0) + (b"" if kind == 0x160a else bytes(8)) + b"\0\0" + tail)
    return add(TYPES, kind, struct.pack("<HHI", 0, flags, 0) + (b"" if kind == 0x1506 else bytes(8)) + tail)


def structure(name, **more):
    return record(0x1505, name, **more)


def enum(name, underlying=0x74):
    return add(TYPES, 0x1507, struct.pack("<HHII", 0, 0, underlying, 0) + string(name))


def other(kind):
    return add(TYPES, kind, bytes(8))


def namespace(name):
    return add(IDS, 0x1605, struct.pack("<I", 0) + string(name))


def function_id(name, kind, scope=0):
    return add(IDS, 0x1601, struct.pack("<II", scope, kind) + string(name))


def method_id(name, owner, kind):
    return add(IDS, 0x1602, struct.pack("<II", owner, kind) + string(name))


def other_id(kind):
    return add(IDS, kind, bytes(8))


def symbol(kind, content):
    content += bytes(-(len(content) + 2) % 4)
    return struct.pack("<HH", len(content) + 2, kind) + content


def procedure(at, name, kind):
    return symbol(0x1110, struct.pack("<8IHB", 0, 0, 0, CODE_BYTES, 0, CODE_BYTES, kind, at, 1, 0) + string(name))


def subsection(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 4)


def lines(at):
    return subsection(0xf2, struct.pack("<IHHI", at, 1, 0, CODE_BYTES) + struct.pack("<III", 0, 1, 20) +
                      struct.pack("<II", 0, 0x80000000 | 7))


def put_records(streams, stream):
    content = b"".join(records[stream])
    streams[stream] = bytearray(streams[stream][:56] + content)
    struct.pack_into("<III", streams[stream], 8, FIRST, FIRST + len(records[stream]), len(content))
    struct.pack_into("<h", streams[stream], 20, -1)


def main():
    with open(sys.argv[1], "rb") as file:
        streams = read(file.read())
    symbols, line_info, ids = b"", b"", []
    for i, line in enumerate(sys.stdin):
        word, rest = line.rstrip("\n").split(" ", 1)
        if word == "outer":
            name, kind = rest.split(" = ", 1)
            symbols += procedure(CODE_BYTES * i, name, eval(kind)) + symbol(6, b"")
        else:
            ids.append(eval(rest))
            symbols += procedure(CODE_BYTES * i, f"around_{i}", 0)
            symbols += symbol(0x114d, struct.pack("<III", 0, 0, ids[-1]) + bytes([3, 4, 4, 2]))
            symbols += symbol(0x114e, b"") + symbol(6, b"")
        line_info += lines(CODE_BYTES * i)
    line_info += subsection(0xf6, struct.pack("<I", 0) + b"".join(struct.pack("<III", one, 0, 30) for one in ids))
    line_info += subsection(0xf4, struct.pack("<IBB", 1, 0, 0))
    stream, = struct.unpack_from("<H", streams[DBI], 64 + 34)
    streams[stream] = bytearray(struct.pack("<I", 4) + symbols + line_info)
    struct.pack_into("<III", streams[DBI], 64 + 36, 4 + len(symbols), 0, len(line_info))
    put_records(streams, TYPES)
    put_records(streams, IDS)
    with open(sys.argv[2], "wb") as file:
        file.write(write(streams, 4096, False))


main()

#!/usr/bin/env python3
"""remake_pdb.py -- writes a PDB anew, so that tests meet files no linker here makes.

	remake_pdb.py IN OUT [page=512] [shuffle] [omap=FROM:TO,...] [omap_back=TO:FROM,...]
		[moved=ADDRESS] [segment=N:SECTION:OFFSET] [symbol=KIND:HEX] [empty=N]
		[number:offset=HEX] ...

page: bytes per page.  shuffle: pages of each stream out of order.  omap: a map from addresses
to where an optimiser moved what is there (TO 0: removed).  omap_back: the map from there to where
it was (FROM 0: added).  moved: the image's first section is there, those the maps begin at stay.
segment: which section the symbols' section N is, and where in it.  symbol: a record in place of the
next one of a module that the linker, not knowing its kind, blanked.  empty: a stream without
bytes.  number:offset=HEX writes bytes into stream `number`.
"""
import random
import struct
import sys

MAGIC = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"


def read(data):
    page, _, _, size, _, where = struct.unpack_from("<6I", data, 32)
    count = -(-size // page)
    pages = struct.unpack_from("<%dI" % count, data, where * page)
    directory = b"".join(data[p * page:(p + 1) * page] for p in pages)[:size]
    number, = struct.unpack_from("<I", directory)
    sizes = struct.unpack_from("<%dI" % number, directory, 4)
    at, streams = 4 + 4 * number, []
    for size in sizes:
        size = 0 if size == 0xffffffff else size
        count = -(-size // page)
        pages = struct.unpack_from("<%dI" % count, directory, at)
        at += 4 * count
        streams.append(bytearray(b"".join(data[p * page:(p + 1) * page] for p in pages)[:size]))
    return streams


def write(streams, page, shuffle):
    """Pages 1 and 2 of every `page` pages are the free page maps."""
    numbers, taken = [], 3

    def take():
        nonlocal taken
        while taken % page in (1, 2):
            taken += 1
        taken += 1
        return taken - 1

    places = []
    for stream in streams:
        pages = [take() for _ in range(-(-len(stream) // page))]
        if shuffle:
            random.Random(7).shuffle(pages)
        places.append(pages)
    directory = struct.pack("<I", len(streams))
    directory += b"".join(struct.pack("<I", len(s)) for s in streams)
    directory += b"".join(struct.pack("<%dI" % len(p), *p) for p in places)
    inner = [take() for _ in range(-(-len(directory) // page))]
    block_map = struct.pack("<%dI" % len(inner), *inner)
    outer = [take() for _ in range(-(-len(block_map) // page))]
    out = bytearray(taken * page)
    out[:32] = MAGIC
    struct.pack_into("<6I", out, 32, page, 1, taken, len(directory), 0, outer[0])
    for stream, pages in list(zip(streams, places)) + [(directory, inner), (block_map, outer)]:
        for i, number in enumerate(pages):
            part = stream[i * page:(i + 1) * page]
            out[number * page:number * page + len(part)] = part
    return out


# Places in the DBI stream's list of other streams.
OMAP_BACK, OMAP, SECTIONS, SECTIONS_BEFORE = 3, 4, 5, 10


def stream_list(dbi):
    """Where the list begins."""
    return 64 + sum(struct.unpack_from("<5I", dbi, 24)) + struct.unpack_from("<I", dbi, 52)[0]


def add_omap(streams, place, pairs):
    """The sections as they were are the sections as they are: only the map is new."""
    dbi = streams[3]
    at = stream_list(dbi)
    sections, = struct.unpack_from("<H", dbi, at + 2 * SECTIONS)
    streams.append(bytearray(b"".join(struct.pack("<II", *pair) for pair in pairs)))
    struct.pack_into("<H", dbi, at + 2 * place, len(streams) - 1)
    struct.pack_into("<H", dbi, at + 2 * SECTIONS_BEFORE, sections)


def move_image(streams, address):
    dbi = streams[3]
    at = stream_list(dbi)
    sections, = struct.unpack_from("<H", dbi, at + 2 * SECTIONS)
    streams.append(bytearray(streams[sections]))
    struct.pack_into("<I", streams[-1], 12, address)
    struct.pack_into("<H", dbi, at + 2 * SECTIONS, len(streams) - 1)
    struct.pack_into("<H", dbi, at + 2 * SECTIONS_BEFORE, sections)


def set_segment(streams, number, section, offset):
    entry = 64 + sum(struct.unpack_from("<2I", streams[3], 24)) + 4 + 20 * (number - 1)
    struct.pack_into("<H", streams[3], entry + 6, section)
    struct.pack_into("<I", streams[3], entry + 12, offset)


S_SKIP = 7


def put_symbol(streams, kind, content):
    dbi = streams[3]
    at, end = 64, 64 + struct.unpack_from("<I", dbi, 24)[0]
    while at < end:
        stream, size = struct.unpack_from("<H", dbi, at + 34)[0], struct.unpack_from("<I", dbi, at + 36)[0]
        place = 4
        while stream != 0xffff and place < size:
            length, found = struct.unpack_from("<HH", streams[stream], place)
            if found == S_SKIP:
                assert len(content) <= length - 2
                struct.pack_into("<H", streams[stream], place + 2, kind)
                streams[stream][place + 4:place + 4 + len(content)] = content
                return
            place += 2 + length
        at = dbi.index(0, dbi.index(0, at + 64) + 1) + 1
        at += -at % 4
    sys.exit("no blanked symbol")


def numbers(text):
    return [int(x, 16) for x in text.split(":")]


def main():
    with open(sys.argv[1], "rb") as file:
        streams = read(file.read())
    page, shuffle = 4096, False
    for word in sys.argv[3:]:
        name, _, value = word.partition("=")
        if name == "page":
            page = int(value)
        elif name == "shuffle":
            shuffle = True
        elif name in ("omap", "omap_back"):
            add_omap(streams, OMAP if name == "omap" else OMAP_BACK, [numbers(p) for p in value.split(",")])
        elif name == "moved":
            move_image(streams, int(value, 16))
        elif name == "segment":
            set_segment(streams, *numbers(value))
        elif name == "symbol":
            kind, _, content = value.partition(":")
            put_symbol(streams, int(kind, 16), bytes.fromhex(content))
        elif name == "empty":
            del streams[int(value)][:]
        else:
            number, at = (int(x, 0) for x in name.split(":"))
            streams[number][at:at + len(value) // 2] = bytes.fromhex(value)
    with open(sys.argv[2], "wb") as file:
        file.write(write(streams, page, shuffle))


if __name__ == "__main__":
    main()

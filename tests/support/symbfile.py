"""Symbfiles read and written by nothing of ours: an own decoder and encoder of Protocol Buffers, for tests.

usage: symbfile.py FILE        prints the records, a line each
"""
import base64
import hashlib
import sys

MAGIC = b"symbfile"
HEADER, RANGE, PAD, STRINGS = 1, 2, 3, 4


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields_of(message):
    """[(number, value)]: numbers as int, what has a length as bytes."""
    at, found = 0, []
    while at < len(message):
        tag, at = read_varint(message, at)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value, at = read_varint(message, at)
        elif wire == 2:
            size, at = read_varint(message, at)
            value, at = message[at:at + size], at + size
            assert len(value) == size, "cut short"
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
            continue
        else:
            raise ValueError(f"wire type {wire}")
        found.append((number, value))
    return found


def numbers(fields, number):
    found = []
    for name, value in fields:
        if name == number and isinstance(value, int):
            found.append(value)
        elif name == number:
            at = 0
            while at < len(value):
                one, at = read_varint(value, at)
                found.append(one)
    return found


def zigzag(value):
    return value >> 1 ^ -(value & 1)


def read(data):
    """(ranges, pads): lists of dictionaries."""
    assert data[:8] == MAGIC, data[:8]
    at, first, table, address, ranges, pads = 8, True, [], None, [], []
    while at < len(data):
        size, at = read_varint(data, at)
        kind, at = read_varint(data, at)
        message, at = data[at:at + size], at + size
        assert len(message) == size, "cut short"
        assert first == (kind == HEADER), kind
        first = False
        fields = fields_of(message)
        last = dict(fields)
        if kind == STRINGS:
            table = [value.decode() for number, value in fields if number == 1]
        if kind not in (RANGE, PAD):
            continue
        absolute = 12 if kind == RANGE else 5
        for number, value in fields:
            if number == absolute:
                address_now = value
            elif number == 1:
                address_now = (address + zigzag(value)) % (1 << 64)
        address = address_now

        def name(by_text, by_index):
            chosen = None
            for number, value in fields:
                if number == by_text:
                    chosen = value.decode()
                elif number == by_index:
                    chosen = table[value]
            return chosen
        if kind == RANGE:
            lines = fields_of(last.get(8, b""))
            offsets, line_numbers = numbers(lines, 1), numbers(lines, 2)
            assert len(offsets) == len(line_numbers)
            places, offset = [], 0
            for delta, line in zip(offsets, line_numbers):
                offset += delta
                places.append((offset, line))
            ranges.append({"address": address, "length": last.get(2, 0), "function": name(3, 9),
                           "file": name(4, 10), "call_line": last.get(5, 0), "call_file": name(6, 11),
                           "depth": last.get(7, 0), "lines": places})
        else:
            columns = [numbers(fields, number) for number in (2, 3, 4)]
            assert len({len(column) for column in columns}) == 1, columns
            pads.append({"address": address, "calls": [(table[function], table[file], line)
                                                       for function, file, line in zip(*columns)]})
    assert not first, "no header"
    return ranges, pads


def lookup(ranges, address):
    """[(function, file, line)], the innermost first."""
    found = {}
    for one in ranges:
        if one["address"] <= address < one["address"] + one["length"]:
            best = found.get(one["depth"])
            if best is None or one["address"] > best["address"]:
                found[one["depth"]] = one
    chain = [found[depth] for depth in sorted(found)]
    frames = []
    for index, one in enumerate(chain):
        if index + 1 < len(chain):
            inner = chain[index + 1]
            frames.append((one["function"], inner["call_file"] or one["file"], inner["call_line"]))
            continue
        line = 0
        for offset, number in one["lines"]:
            if offset <= address - one["address"]:
                line = number
        frames.append((one["function"], one["file"], line))
    return frames[::-1]


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(kind, body):
    return varint(len(body)) + varint(kind) + body


def write(ranges=(), pads=()):
    """As no writer of ours does: everything absolute, strings in the records, one table for all pads."""
    out = MAGIC + message(HEADER, b"")
    for one in ranges:
        body = field(7, one.get("depth", 0)) + field(2, one["length"]) + field(3, one["function"])
        if one.get("file") is not None:
            body += field(4, one["file"])
        if one.get("call_file") is not None:
            body += field(6, one["call_file"])
        body += field(5, one.get("call_line", 0)) + field(12, one["address"])
        offsets, before = b"", 0
        lines = b""
        for offset, line in one.get("lines", ()):
            offsets += field(1, offset - before)
            lines += field(2, line)
            before = offset
        out += message(RANGE, body + field(8, offsets + lines) + field(99, "from the future"))
    names = sorted({name for pad in pads for call in pad["calls"] for name in call[:2]})
    if pads:
        out += message(STRINGS, b"".join(field(1, name) for name in names))
    for pad in pads:
        columns = [b"".join(varint(names.index(call[i]) if i < 2 else call[i]) for call in pad["calls"])
                   for i in range(3)]
        out += message(PAD, b"".join(field(2 + i, columns[i]) for i in range(3)) + field(5, pad["address"]))
    return out + message(1000, b"skip me")


def file_id(data):
    """(hex, base64 for URLs)"""
    digest = hashlib.sha256(data[:4096] + data[-4096:] + len(data).to_bytes(8, "big")).digest()[:16]
    return digest.hex(), base64.urlsafe_b64encode(digest).decode().rstrip("=")


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as f:
        for records in read(f.read()):
            for record in records:
                print(record)

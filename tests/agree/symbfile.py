#!/usr/bin/env python3
"""Symbfiles that `symgate symbfile write` makes against llvm-symbolizer and objdump, read by a reader that is not ours.

usage: symbfile.py [PROGRAM]...      SYMGATE names the binary; without a PROGRAM one is built
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import symbfile  # noqa: E402
from counts import finish  # noqa: E402

SYMGATE = os.environ.get("SYMGATE", os.path.join(TOP, "symgate"))
SOURCE = r"""
#include <stdio.h>
static inline __attribute__((always_inline)) int deep(int value) { return puts("deep") + value; }
static inline __attribute__((always_inline)) int middle(int value) { return deep(value) * 3 + value; }
__attribute__((noinline)) int outer(int (*call)(int), int value) { return call(middle(value)) + 1; }
int main(int argc, char **argv) { (void)argv; return outer(putchar, argc) + middle(argc); }
"""
SAMPLE = 400
ARM64 = "aarch64-linux-gnu-"
passed = failed = 0


def check(what, good, *facts):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAIL", what, *[str(fact)[:600] for fact in facts])


def build(folder, *options, name="program", compiler="gcc"):
    source, path = os.path.join(folder, "program.c"), os.path.join(folder, name)
    with open(source, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run([compiler, "-O2", "-g", "-Wl,--build-id", *options, "-o", path, source], check=True)
    return path


def symbolized(path, addresses):
    """[[(function, file, line)]] by llvm-symbolizer."""
    tool = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer-14") or shutil.which("llvm-symbolizer")
    run = subprocess.run([tool, "--obj=" + path, "--inlines", "--no-demangle"], text=True, check=True, capture_output=True,
                         input="".join(f"{address:#x}\n" for address in addresses))
    found = []
    for block in run.stdout.split("\n\n")[:len(addresses)]:
        lines = block.strip("\n").split("\n")
        chain = []
        for function, place in zip(lines[::2], lines[1::2]):
            file, line, _ = place.rsplit(":", 2)
            chain.append((function, os.path.normpath(file), int(line)))
        found.append(chain)
    return found


def calls_of(path):
    """Addresses of the last bytes of all call instructions, by objdump."""
    with open(path, "rb") as f:
        is_arm64 = f.read(20)[18:20] == b"\xb7\0"
    run = subprocess.run([ARM64 + "objdump" if is_arm64 else "objdump", "-d", "-w", path], text=True, check=True,
                         capture_output=True)
    if is_arm64:
        return {int(at, 16) + 3: int(at, 16)
                for at in re.findall(r"^\s*([0-9a-f]+):\t[0-9a-f]{8} \t(?:bl|blr|svc)\t", run.stdout, re.M)}
    pads = {}
    for line in run.stdout.splitlines():
        match = re.match(r"\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)", line)
        if match and re.match(r"(?:(?:bnd|notrack|data16|rex\.\w+|cs|ds|rex)\s+)*(?:l?call|syscall|int )", match.group(3)):
            pads[int(match.group(1), 16) + len(match.group(2).split()) - 1] = int(match.group(1), 16)
    return pads


def is_same(ours, theirs):
    if [one[0].split("(")[0] for one in ours] != [one[0].split("(")[0] for one in theirs]:
        return False
    return all(a[2] == b[2] and (os.path.normpath(a[1] or "??") == b[1]) for a, b in zip(ours, theirs))


def compare(path, folder):
    prefix = os.path.join(folder, "made")
    subprocess.run([SYMGATE, "symbfile", "write", "-o", prefix, path], check=True, capture_output=True)
    with open(prefix + ".ranges.symbfile", "rb") as f:
        ranges, none = symbfile.read(f.read())
    with open(prefix + ".returnpads.symbfile", "rb") as f:
        no_ranges, pads = symbfile.read(f.read())
    check("kinds apart", not none and not no_ranges and ranges)
    with open(path, "rb") as f:
        hexadecimal, text = symbfile.file_id(f.read())
    run = subprocess.run([SYMGATE, "symbfile", "id", path], text=True, check=True, capture_output=True)
    check("file id", run.stdout == f"{text} {hexadecimal}\n", run.stdout)
    with_lines = [one for one in ranges if one["depth"] == 0 and one["file"]]
    step = max(1, len(with_lines) // SAMPLE)
    addresses = [one["address"] + (index * 7) % max(1, one["length"]) for index, one in enumerate(with_lines[::step])]
    wrong = [(hex(address), ours, theirs)
             for address, theirs in zip(addresses, symbolized(path, addresses))
             for ours in [symbfile.lookup(ranges, address)]
             if theirs[0][0] != "??" and not is_same(ours, theirs)]
    check(f"{path}: {len(addresses)} addresses", len(wrong) * 100 <= len(addresses), len(wrong), wrong[:3])
    calls = calls_of(path)
    covered = {pad: call for pad, call in calls.items() if symbfile.lookup(ranges, call)}
    ours = {pad["address"]: pad for pad in pads}
    missing, more = set(covered) - set(ours), set(ours) - set(calls)
    check(f"{path}: {len(covered)} return pads", len(missing) * 200 <= len(covered) and len(more) * 200 <= len(covered),
          len(missing), [hex(pad) for pad in sorted(missing)[:5]], len(more), [hex(pad) for pad in sorted(more)[:5]])
    for address in sorted(set(ours) & set(covered))[::max(1, len(ours) // SAMPLE)]:
        chain = [(function, file or None, line) for function, file, line in ours[address]["calls"]][::-1]
        wanted = symbfile.lookup(ranges, covered[address])
        if chain != wanted:
            check("a pad says what ranges say", False, hex(address), chain, wanted)
    return ranges, pads


def main():
    with tempfile.TemporaryDirectory(prefix="symgate-agree-") as folder:
        programs = sys.argv[1:]
        if not programs:
            programs = [build(folder), build(folder, "-no-pie", name="fixed")]
            if shutil.which(ARM64 + "gcc") and shutil.which(ARM64 + "objdump"):
                # With the C library in it: a thousand functions, by another compiler's hand.
                programs.insert(0, build(folder, "-static", name="arm64", compiler=ARM64 + "gcc"))
            else:
                print("no aarch64-linux-gnu-gcc: arm64 is not compared")
        for path in programs:
            ranges, pads = compare(path, folder)
        if not sys.argv[1:]:
            chains = [[call[0] for call in pad["calls"]] for pad in pads]
            check("inlined calls at return addresses", ["outer", "middle", "deep"] in chains, chains)
            main_range = [one for one in ranges if one["function"] == "main" and one["depth"] == 0]
            check("virtual addresses", main_range and main_range[0]["address"] >= 0x400000, main_range)
            first = subprocess.run([SYMGATE, "--json", "symbfile", "dump", os.path.join(folder, "made.ranges.symbfile")],
                                   check=True, capture_output=True).stdout
            check("dump", first.count(b'"function"') == len(ranges), len(ranges))
    finish(passed, failed, "agree/symbfile")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""test_cli -- real runs of the built program over objects made by recipe.

usage: test_cli.py [SYMGATE [TEST...]]     (./symgate and all tests, as `make check` runs it in the build folder)
Prints one line per failure; keeps its counts in $SUPPORT_COUNTS as the other tests do.
"""
import contextlib
import functools
import gzip
import http.server
import json
import os
import pty
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading

SYMGATE = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "symgate")
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LLVM = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
COMMANDS = ["serve", "fcgi", "config", "backup", "status", "why", "symbolicate", "lookup", "symcache", "cfi", "object", "cache",
            "cleanup", "apikey", "symbfile", "push-symbols", "sort", "prefetch", "repair", "minidump", "applecrash", "coredump"]

SOURCE = r"""
#include <cstdio>
namespace deep {
struct Box { int value; };
inline __attribute__((always_inline)) int innermost(Box box) {
	return box.value * 7 + getchar(); // INNERMOST
}
inline __attribute__((always_inline)) int middle(int x) {
	Box box = { x };
	return innermost(box) + 1; // MIDDLE
}
__attribute__((noinline)) int outside(int x, char **) {
	return middle(x) ^ 5; // OUTSIDE
}
template <typename T> __attribute__((noinline)) T twice(T x) { return x + x + getchar(); }
}
int main(int argc, char **argv) {
	return deep::outside(argc, argv) + deep::twice<long>(argc);
}
"""

passed = failed = 0


def check(what, holds, *seen):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAIL %s" % what, *[repr(s)[:1500] for s in seen], sep="\n     ")


def symgate(*args, stdin="", env=None, cwd=None):
    return subprocess.run([SYMGATE, *args], input=stdin, capture_output=True, text=True, cwd=cwd,
                          env=dict(os.environ, **{"SYMGATE_CONFIG": "", **(env or {})}), timeout=120)


def make(*command, cwd=None):
    subprocess.run(command, check=True, cwd=cwd, capture_output=True, timeout=60)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


def symbols(path):
    table = {}
    for line in subprocess.run(["nm", path], capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if len(parts) == 3:
            table[parts[2]] = int(parts[0], 16)
    return table


def text_section(path):
    for line in subprocess.run(["readelf", "-WS", path], capture_output=True, text=True).stdout.splitlines():
        parts = line.replace("[", " ").replace("]", " ").split()
        if ".text" in parts:
            at = parts.index(".text")
            return int(parts[at + 2], 16), int(parts[at + 4], 16)
    raise SystemExit("no .text in " + path)


def line_of(marker):
    return next(n for n, line in enumerate(SOURCE.split("\n"), 1) if "// " + marker in line)


def build(folder, name="program", *flags, compiler="g++"):
    with open(os.path.join(folder, "program.cpp"), "w") as f:
        f.write(SOURCE)
    make(compiler, "-g", "-O2", "-Wl,--build-id", *flags, "program.cpp", "-o", name, cwd=folder)
    return os.path.join(folder, name)


def deep_address(path):
    """An address inside the doubly inlined call, found by another tool's line table."""
    start = symbols(path)["_ZN4deep7outsideEiPPc"]
    asked = "".join("0x%x\n" % (start + i) for i in range(64))
    out = subprocess.run([LLVM, "--obj=" + path, "--output-style=JSON", "--no-demangle"], input=asked,
                         capture_output=True, text=True).stdout
    for answer in json_lines(out):
        names = [f["FunctionName"] for f in answer["Symbol"]]
        if len(names) == 3 and answer["Symbol"][0]["Line"] == line_of("INNERMOST"):
            return int(answer["Address"], 16)
    raise SystemExit("the recipe did not inline")


DEEP = ["deep::innermost(deep::Box)", "deep::middle(int)", "deep::outside(int, char**)"]


def chain_is_deep(run):
    try:
        frames = json.loads(run.stdout)["frames"]
    except ValueError:
        return False
    return ([f["function"] for f in frames] == DEEP and
            [f["line"] for f in frames] == [line_of("INNERMOST"), line_of("MIDDLE"), line_of("OUTSIDE")])


def test_lookup(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    run = symgate("lookup", "--json", path, address)
    check("lookup: inlined chain with lines", chain_is_deep(run) and run.returncode == 0, run.stdout, run.stderr)
    check("lookup: the whole path of the file",
          json.loads(run.stdout)["frames"][0]["file"] == os.path.join(folder, "program.cpp"), run.stdout)
    run = symgate("lookup", path, "0x" + address)
    check("lookup: readable form", run.stdout.splitlines()[0].startswith(
        "0x%s: deep::innermost(deep::Box) at " % address) and
        run.stdout.splitlines()[1].startswith(" (inlined by) deep::middle(int) at ") and
        "\033" not in run.stdout, run.stdout)
    run = symgate("lookup", "--json", "--no-demangle", path, address)
    check("lookup: --no-demangle", json.loads(run.stdout)["frames"][-1]["function"] ==
          "_ZN4deep7outsideEiPPc", run.stdout)
    given = [address, "0x" + address, "1", "ffffffffffffffff"]
    by_arguments = symgate("lookup", path, *given)
    by_input = symgate("lookup", path, stdin="\n".join(given) + "\n\n")
    check("lookup: standard input answers as arguments do", by_arguments.stdout == by_input.stdout and
          by_input.returncode == 0, by_arguments.stdout, by_input.stdout)
    check("lookup: last line without its end", symgate("lookup", path, stdin="\n".join(given)).stdout ==
          by_input.stdout)
    check("lookup: nothing found is 3", symgate("lookup", path, "1").returncode == 3)
    run = symgate("lookup", path, address, "what")
    check("lookup: a word that is no address", run.returncode == 1 and "not an address" in run.stdout,
          run.stdout, run.returncode)
    fixed = build(folder, "fixed", "-no-pie")
    absolute = deep_address(fixed)
    base = int(json.loads(symgate("--json", "object", "info", fixed).stdout)["objects"][0]["load_address"], 16)
    check("lookup: the object's own addresses", base > 0 and
          chain_is_deep(symgate("lookup", "--json", fixed, "%x" % absolute)), base)
    check("lookup: --relative", chain_is_deep(symgate("lookup", "--json", "--relative", fixed,
                                                      "%x" % (absolute - base))))
    interactive(path, address)


def interactive(path, address):
    """Who asks through a pipe gets each answer before asking on."""
    process = subprocess.Popen([SYMGATE, "--json", "lookup", path], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    for _ in range(3):
        process.stdin.write(address + "\n")
        process.stdin.flush()
        check("lookup: answers as they are asked", len(json.loads(process.stdout.readline())["frames"]) == 3)
    process.stdin.close()
    check("lookup: ends with its input", process.wait(timeout=30) == 0)
    process.stdout.close()


def test_nameless(folder):
    """Lines without a symbol or a function: assembler without labels."""
    path = os.path.join(folder, "nameless.o")
    with open(os.path.join(folder, "nameless.s"), "w") as f:
        f.write("nop\nnop\n")
    make("as", "-g", "nameless.s", "-o", path, cwd=folder)
    frame = json.loads(symgate("lookup", "--json", path, "1").stdout)["frames"][0]
    check("lookup: what nothing names is ??", frame["function"] == frame["symbol"] == "??" and frame["line"] == 2, frame)
    run = symgate("lookup", path, "1")
    check("lookup: readable, too", run.stdout == "0x1: ?? at %s:2\n" % os.path.join(folder, "nameless.s"), run.stdout)


def test_against_llvm(folder):
    for name, flags in (("gcc5", ("-gdwarf-5",)), ("gcc4", ("-gdwarf-4", "-O1"))):
        path = build(folder, name, *flags)
        start, size = text_section(path)
        asked = [start + i * size // 60 for i in range(60)]
        ours = symgate("lookup", "--json", "--no-demangle", path, stdin="".join("%x\n" % a for a in asked))
        theirs = subprocess.run([LLVM, "--obj=" + path, "--output-style=JSON", "--no-demangle"],
                                input="".join("0x%x\n" % a for a in asked), capture_output=True, text=True)
        for us, them in zip(json_lines(ours.stdout), json_lines(theirs.stdout)):
            a = [(f["symbol"], os.path.basename(f.get("file", "")), f["line"]) for f in us["frames"]]
            b = [(f["FunctionName"], os.path.basename(f["FileName"]), f["Line"])
                 for f in them["Symbol"] if f["FunctionName"]]
            check("%s: %s as llvm-symbolizer" % (name, us["address"]), a == b, a, b)


def test_companions(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    make("objcopy", "--only-keep-debug", "program", "program.debug", cwd=folder)
    bare = os.path.join(folder, "bare")
    os.mkdir(bare)
    linked = os.path.join(bare, "program")
    make("objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program", linked, cwd=folder)
    run = symgate("lookup", "--json", linked, address)
    check("companions: without its debug file nothing is known", run.returncode == 3, run.stdout)
    places = {"beside": bare, ".debug": os.path.join(bare, ".debug"),
              "below the debug folder": os.path.join(folder, "debug") + os.path.realpath(bare)}
    for what, place in places.items():
        os.makedirs(place, exist_ok=True)
        shutil.copy(os.path.join(folder, "program.debug"), place)
        run = symgate("lookup", "--json", "--debug-dir", os.path.join(folder, "debug"), linked, address)
        check("companions: debug link " + what, chain_is_deep(run), run.stdout, run.stderr)
        os.unlink(os.path.join(place, "program.debug"))
    build_id = json.loads(symgate("--json", "object", "info", path).stdout)["objects"][0]["code_id"]
    by_id = os.path.join(folder, "debug", ".build-id", build_id[:2])
    os.makedirs(by_id)
    shutil.copy(os.path.join(folder, "program.debug"), os.path.join(by_id, build_id[2:] + ".debug"))
    make("strip", "-o", os.path.join(bare, "stripped"), path)
    for name in ("program", "stripped"):
        run = symgate("lookup", "--json", "--debug-dir", os.path.join(folder, "debug"),
                      os.path.join(bare, name), address)
        check("companions: by build id, " + name, chain_is_deep(run), run.stdout, run.stderr)
    with open(path, "rb") as f, gzip.open(path + ".gz", "wb") as packed:
        packed.write(f.read())
    check("lookup: gzip", chain_is_deep(symgate("lookup", "--json", path + ".gz", address)))


def test_split(folder):
    for what, compiler, flags, gather in (("gcc, DWARF 4", "g++", ["-gdwarf-4"], "dwp"),
                                          ("clang, DWARF 5", "clang++-19", ["-gdwarf-5"], "llvm-dwp-19")):
        place = os.path.join(folder, gather)
        os.mkdir(place)
        path = build(place, "program", "-gsplit-dwarf", *flags, compiler=compiler)
        address = "%x" % deep_address(path)
        run = symgate("lookup", "--json", path, address)
        check("split, %s: single .dwo files" % what, chain_is_deep(run) and run.stderr == "", run.stdout, run.stderr)
        make(gather, "-e", path, "-o", path + ".dwp", cwd=place)
        for name in os.listdir(place):
            if name.endswith(".dwo"):
                os.unlink(os.path.join(place, name))
        run = symgate("lookup", "--json", path, address)
        check("split, %s: OBJECT.dwp" % what, chain_is_deep(run) and run.stderr == "", run.stdout, run.stderr)
        os.unlink(path + ".dwp")
        run = symgate("lookup", "--json", path, address)
        check("split, %s: it says what is missing" % what,
              path + ".dwp" in run.stderr and "lacks 1 of its split units" in run.stderr and ".dwo;" in run.stderr,
              run.stderr)


def test_dwz(folder):
    a, b = build(folder, "a", "-gdwarf-4"), build(folder, "b", "-gdwarf-4", "-O1")
    address = "%x" % deep_address(a)
    make("dwz", "-m", "common.dwz", "-r", "a", "b", cwd=folder)
    run = symgate("lookup", "--json", a, address)
    check("companions: dwz file", chain_is_deep(run), run.stdout, run.stderr)
    wants = json.loads(symgate("--json", "object", "info", a).stdout)["objects"][0]["wants"]
    check("object info: wants its dwz file", [w["role"] for w in wants if w["role"] == "dwz"] == ["dwz"], wants)
    check("object info: the other too", b and symgate("object", "info", b).returncode == 0)


def test_macho(folder):
    with open(os.path.join(folder, "program.cpp"), "w") as f:
        f.write(SOURCE.replace("#include <cstdio>", 'extern "C" int getchar();'))
    for arch, apple in (("x86_64", "x86_64"), ("arm64", "arm64")):
        make("clang-19", "-target", apple + "-apple-macos11", "-g", "-O2", "-c", "program.cpp", "-o", arch + ".o",
             cwd=folder)
        make("ld64.lld-19", "-arch", apple, "-platform_version", "macos", "11.0", "11.0", "-undefined",
             "dynamic_lookup", "-dylib", "-o", arch, arch + ".o", cwd=folder)
        make("dsymutil-19", arch, "-o", arch + ".dSYM", cwd=folder)
    run = symgate("--json", "object", "info", os.path.join(folder, "x86_64.dSYM"))
    info = json.loads(run.stdout)["objects"][0]
    check("dSYM: its file is found", info["format"] == "macho" and info["arch"] == "x86_64" and
          info["has_debug_info"], run.stdout, run.stderr)
    inner = os.path.join(folder, "x86_64.dSYM/Contents/Resources/DWARF/x86_64")
    start = next(int(l.split()[0], 16) for l in subprocess.run(
        ["llvm-nm-19", inner], capture_output=True, text=True).stdout.splitlines() if "outside" in l)
    chains = {}
    for what in ("x86_64.dSYM", "x86_64"):
        run = symgate("lookup", "--json", os.path.join(folder, what), stdin="".join(
            "%x\n" % (start + i) for i in range(40)))
        chains[what] = [[f["function"] for f in l["frames"]] for l in json_lines(run.stdout)]
    check("dSYM: lookup in the folder", DEEP in chains["x86_64.dSYM"], chains["x86_64.dSYM"])
    check("dSYM: beside the binary", chains["x86_64"] == chains["x86_64.dSYM"], chains["x86_64"])
    make("llvm-lipo-19", "-create", "-output", "fat", inner,
         os.path.join(folder, "arm64.dSYM/Contents/Resources/DWARF/arm64"), cwd=folder)
    run = symgate("--json", "object", "info", os.path.join(folder, "fat"))
    check("fat: both objects", sorted(o["arch"] for o in json.loads(run.stdout)["objects"]) ==
          ["arm64", "x86_64"], run.stdout)
    run = symgate("lookup", "--json", "--arch", "x86_64", os.path.join(folder, "fat"),
                  "%x" % (start + chains["x86_64.dSYM"].index(DEEP)))
    check("fat: --arch", [f["function"] for f in json.loads(run.stdout)["frames"]] == DEEP, run.stdout)
    run = symgate("lookup", "--arch", "mips", os.path.join(folder, "fat"), "1")
    check("fat: an arch it has not", run.returncode == 1 and "arm64" in run.stderr, run.stderr)


def test_breakpad(folder):
    path = os.path.join(folder, "toy.sym")
    with open(path, "w") as f:
        f.write("MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 toy\nFILE 0 /src/toy.c\n"
                "FUNC 1000 10 0 toy_function\n1000 10 42 0\nPUBLIC 2000 0 toy_public\n")
    run = symgate("lookup", path, "1004", "2001")
    check("breakpad", run.stdout.splitlines() == ["0x1004: toy_function at /src/toy.c:42",
                                                  "0x2001: toy_public at ??:0"], run.stdout, run.stderr)


def test_symcache(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    out = os.path.join(folder, "program.symcache")
    run = symgate("--json", "symcache", "write", path, out)
    report = json.loads(run.stdout)
    check("symcache write: report", report["bytes"] == os.path.getsize(out) and report["bad_units"] == 0, report)
    check("symcache write: nothing else is left", sorted(os.listdir(folder)) ==
          ["program", "program.cpp", "program.symcache"], os.listdir(folder))
    run = symgate("lookup", "--json", out, address)
    check("lookup in a SymCache", chain_is_deep(run), run.stdout, run.stderr)
    listing = symgate("symcache", "dump", out).stdout
    check("symcache dump", listing.startswith("symcache 9 x86_64 ") and
          "_ZN4deepL9innermostENS_3BoxE at " in listing or "innermost" in listing, listing)
    dump = json.loads(symgate("--json", "symcache", "dump", out).stdout)
    check("symcache dump --json", dump["version"] == 9 and len(dump["lookups"]) == dump["ranges"] > 5, dump)
    with open(out, "rb") as f:
        whole = f.read()
    for what, data in (("cut short", whole[:100]), ("of the future", whole[:4] + b"\x63" + whole[5:]),
                       ("of the other byte order", b"CMYS" + whole[4:])):
        bad = os.path.join(folder, "bad")
        with open(bad, "wb") as f:
            f.write(data)
        for command in (["symcache", "dump", bad], ["lookup", bad, "1"]):
            run = symgate(*command)
            check("a SymCache %s: %s" % (what, command[0]), run.returncode == 1 and bad in run.stderr and
                  len(run.stderr) < 400, run.stderr)
    check("symcache write: not from a SymCache", symgate("symcache", "write", out, out + "2").returncode == 1)
    check("symcache dump: not of an object", symgate("symcache", "dump", path).returncode == 1)


def test_cfi(folder):
    path = build(folder)
    out = os.path.join(folder, "program.cfi")
    run = symgate("cfi", "write", path, "-o", out)
    check("cfi write: nothing is said", run.returncode == 0 and run.stdout == "" and run.stderr == "", run.stdout, run.stderr)
    check("cfi write: nothing else is left", sorted(os.listdir(folder)) ==
          ["program", "program.cfi", "program.cpp"], os.listdir(folder))
    listing = symgate("cfi", "dump", out).stdout
    with open(out, "rb") as f:
        whole = f.read()
    check("cfi dump: the text behind the preamble", whole[:8] == b"CIFC\2\0\0\0" and
          whole[8:].decode() == listing and listing.startswith("STACK CFI INIT "), whole[:100])
    plain = subprocess.run([SYMGATE, "cfi", "write", path], stdout=subprocess.PIPE, check=True).stdout
    check("cfi write: to standard output", plain == whole)
    address = "%x" % deep_address(path)
    asked = symgate("cfi", "at", out, address, "0xfffffff0").stdout.splitlines()
    check("cfi at", asked[0] == address and ".cfa: $r" in asked[1] and ".ra: .cfa -8 + ^" in asked[1] and
          asked[2] == "fffffff0  -", asked)
    both = json.loads(symgate("--json", "cfi", "at", out, address, "fffffff0").stdout)
    check("cfi at --json", both[0]["address"] == "0x" + address and
          {"register": ".ra", "expression": ".cfa -8 + ^"} in both[0]["cfi"]["rules"] and "cfi" not in both[1], both)
    records = os.path.join(folder, "frames.sym")
    with open(records, "w", encoding="ascii") as f:
        f.write("MODULE windows x86 000000000000000000000000000000001 a.pdb\n"
                "STACK WIN 4 1000 20 1 0 4 8 c 0 1 $T0 .raSearch = $20 $T0 ^ =\n")
    symgate("cfi", "write", records, "-o", out)
    asked = symgate("cfi", "at", out, "1004").stdout.splitlines()
    check("cfi at: frame data", asked[1] == "  1000+20 frame data, 4 bytes of parameters, 8 saved, 12 local: "
          "$T0 .raSearch = $ebx $T0 ^ =", asked)
    win = json.loads(symgate("--json", "cfi", "at", out, "1004").stdout)[0]["win"]
    check("cfi at --json: frame data", win["type"] == 4 and win["size"] == 32, win)
    bad = os.path.join(folder, "bad")
    for what, data in (("cut short", b"CIFC"), ("of the future", b"CIFC\7\0\0\0"), ("of another kind", b"\177ELF" * 9)):
        with open(bad, "wb") as f:
            f.write(data)
        run = symgate("cfi", "dump", bad)
        check("a CfiCache " + what, run.returncode == 1 and bad in run.stderr, run.stderr)
    for words in (("cfi",), ("cfi", "eat", out), ("cfi", "at", out), ("cfi", "at", out, "xyz"), ("cfi", "dump"),
                  ("cfi", "dump", "--arch", "arm64", out), ("cfi", "write", path, path)):
        check("wrong usage: " + " ".join(words[:2]), symgate(*words).returncode == 2, words)
    check("cfi write: no such file", symgate("cfi", "write", bad + "2").returncode == 1)


def managed_files(folder):
    """A Portable PDB and a .NET image with it inside (tests/object/makers.h says what they hold)."""
    maker = os.path.join(os.path.dirname(SYMGATE), "tests/fuzz/make_sources")
    for name in ("ppdb", "sources", "bundle"):
        os.mkdir(os.path.join(folder, name))
    make(maker, folder)
    return [os.path.join(folder, "ppdb", name) for name in ("plain", "image")]


def test_minidump(folder):
    """A dump of a header, system info and two threads; whole, cut, and no dump at all."""
    system = struct.pack("<HHHBBIIIII H H 24x", 9, 6, 0x1a05, 4, 1, 10, 0, 22000, 2, 0, 0, 0)
    threads = struct.pack("<I", 2) + b"".join(struct.pack("<IIIIQQIIII", id, 0, 0, 0, 0, 0, 0, 0, 0, 0) for id in (7, 8))
    at = 32 + 2 * 12
    dump = struct.pack("<IIIIIIQ", 0x504D444D, 0xA793, 2, 32, 0, 1600000000, 0) + struct.pack(
        "<IIIIII", 7, len(system), at, 3, len(threads), at + len(system)) + system + threads
    whole, cut, bad = (os.path.join(folder, name) for name in ("whole.dmp", "cut.dmp", "bad.dmp"))
    for path, content in ((whole, dump), (cut, dump[:-10]), (bad, b"x" * 100)):
        with open(path, "wb") as f:
            f.write(content)
    run = symgate("minidump", "--raw", whole)
    check("minidump --raw", run.returncode == 0 and "2020-09-13T12:26:40Z" in run.stdout and
          "build_number = 22000" in run.stdout and "thread[1]\n  thread_id = 0x8" in run.stdout and "lost" not in run.stdout, run)
    run = symgate("minidump", whole, "--raw")
    check("minidump: options after operands", run.returncode == 0, run)
    run = symgate("minidump", "--raw", cut)
    check("minidump --raw: cut", run.returncode == 0 and "thread[0]" in run.stdout and
          "the file ends 90 bytes into its 100" in run.stdout and "\nlost\n" in run.stdout, run)
    run = symgate("minidump", "--raw", bad)
    check("minidump: no dump", run.returncode == 1 and "Header mismatch" in run.stderr and "bad.dmp" in run.stderr, run)
    check("minidump: no file", symgate("minidump", "--raw", os.path.join(folder, "none")).returncode == 1)
    for words in ([], ["--raw"], ["--raw", whole, cut], [whole, cut], ["--raw", "--brief", whole], ["--raw", "--source", "x", whole]):
        check("minidump: usage", symgate("minidump", *words).returncode == 2, words)


CORE = """
#include <pthread.h>
#include <unistd.h>
static volatile int *nothing;
__attribute__((noinline)) static int inner(int n) { return n ? inner(n - 1) + 1 : *nothing; }
static void *rest(void *unused) { pause(); return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, rest, 0); usleep(100000); return inner(3); }
"""


def make_core(folder):
    """The core of a program with two threads that follows a null pointer; None where gdb may not trace."""
    with open(os.path.join(folder, "deep.c"), "w") as f:
        f.write(CORE)
    make("gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-fomit-frame-pointer", "-pthread", "-o", "deep", "deep.c",
         cwd=folder)
    subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", "-ex", "generate-core-file deep.core", "-ex", "kill", "deep"],
                   cwd=folder, capture_output=True, timeout=60)
    return os.path.join(folder, "deep.core")


@contextlib.contextmanager
def debuginfod(folder, program):
    """The URL of a server that has one program by its build id."""
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    place = os.path.join(folder, "buildid", re.search("Build ID: ([0-9a-f]+)", notes).group(1))
    os.makedirs(place)
    for name in ("executable", "debuginfo"):
        shutil.copy(program, os.path.join(place, name))
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield "http://127.0.0.1:%d/" % server.server_port
    finally:
        server.shutdown()
        server.server_close()


def test_coredump(folder):
    core, scratch = make_core(folder), os.path.join(folder, "scratch")
    check("coredump: gdb makes a core", os.path.exists(core))
    os.mkdir(scratch)
    run = symgate("coredump", core, env={"TMPDIR": scratch})
    lines = run.stdout.splitlines()
    check("coredump: reason and system first", run.returncode == 0 and "SIGSEGV / SEGV_MAPERR / 0x0" in lines[0] and "x86_64" in lines[1],
          run.stdout, run.stderr)
    titles = [n for n, line in enumerate(lines) if line.startswith("thread ")]
    check("coredump: two threads, the crashed one first", len(titles) == 2 and "(crashed)" in lines[titles[0]] and
          "(crashed)" not in lines[titles[1]], run.stdout)
    crashed, other = "\n".join(lines[titles[0]:titles[1]]), "\n".join(lines[titles[1]:])
    check("coredump: every frame has its name and line", crashed.count(" inner at ") == 4 and "deep.c:5" in crashed and
          " main at " in crashed and " rest at " in other, run.stdout)
    check("coredump: registers of the crashed thread", "registers" in crashed and "rip" in crashed and
          "registers" not in other, run.stdout)
    check("coredump: modules with both statuses", any(re.match(r"  0x[0-9a-f]+ +found +found +%s " % re.escape(
          os.path.join(folder, "deep")), line) for line in lines), run.stdout)
    check("coredump: nothing is left behind", os.listdir(scratch) == [], os.listdir(scratch))
    brief = symgate("coredump", "--brief", core).stdout
    check("coredump --brief: one thread", brief.count("thread ") == 1 and "(crashed)" in brief and "modules" not in brief, brief)
    with open(core, "rb") as f:
        piped = subprocess.run([SYMGATE, "--json", "coredump", "-"], stdin=f, capture_output=True, timeout=120,
                               env=dict(os.environ, SYMGATE_CONFIG=""))
    answer = json.loads(piped.stdout)
    check("coredump --json, from standard input", answer["status"] == "completed" and answer["signal"] == 11 and
          [f["function"] for f in answer["stacktraces"][0]["frames"][:5]] == ["inner"] * 4 + ["main"], answer)
    os.mkdir(os.path.join(folder, "away"))
    os.rename(os.path.join(folder, "deep"), os.path.join(folder, "away", "deep"))
    run = symgate("coredump", "--brief", core)
    check("coredump: without its program no names", run.returncode == 0 and " inner at " not in run.stdout, run.stdout)
    run = symgate("coredump", "--brief", "--symbols", os.path.join(folder, "away"), core)
    check("coredump --symbols", run.returncode == 0 and run.stdout.count(" inner at ") == 4, run.stdout, run.stderr)
    with debuginfod(os.path.join(folder, "served"), os.path.join(folder, "away", "deep")) as url:
        for source in (url, "debuginfod:" + url):
            run = symgate("coredump", "--brief", "--source", source, core)
            check("coredump --source " + source, run.returncode == 0 and run.stdout.count(" inner at ") == 4, run.stdout, run.stderr)
    run = symgate("coredump", "--brief", "--source", "ftp://x/", core)
    check("coredump --source: no server", run.returncode == 1 and "http" in run.stderr, run.stderr)
    run = symgate("coredump", os.path.join(folder, "deep.c"))
    check("coredump: no core", run.returncode == 1 and "deep.c" in run.stderr and run.stdout == "", run.stderr)
    check("coredump: a folder", symgate("coredump", folder).returncode == 1)


def test_crash_reports(folder):
    run = symgate("applecrash", os.path.join(TOP, "tests/fuzz/corpus/applecrash/macos.txt"))
    check("applecrash", run.returncode == 0 and "EXC_BAD_ACCESS (SIGSEGV)" in run.stdout and "macOS 14.1 (23B74), arm64" in
          run.stdout and "thread 0 " in run.stdout and "(crashed)" in run.stdout and "0x100003f50" in run.stdout and
          "/Applications/Demo App 11111111-" in run.stdout, run.stdout, run.stderr)
    nothing = os.path.join(folder, "nothing")
    with open(nothing, "w") as f:
        f.write("no report\n")
    run = symgate("applecrash", nothing)
    check("applecrash: no report", run.returncode in (1, 3) and "thread" not in run.stdout, run.returncode, run.stdout)
    dump = os.path.join(os.environ.get("SYMGATE_SHARED", "/nonexistent"), "conformance/fixtures/linux.dmp")
    if os.path.exists(dump):
        run = symgate("minidump", dump)
        check("minidump", run.returncode == 0 and "SIGSEGV / 0x45" in run.stdout and "Linux 4.9.60" in run.stdout and
              "thread 1304 (crashed)" in run.stdout and "0x401d72           context" in run.stdout and
              "rip     0x401d72" in run.stdout, run.stdout, run.stderr)
        answer = json.loads(symgate("minidump", "--json", dump).stdout)
        check("minidump --json", answer["crash_reason"] == "SIGSEGV / 0x45" and
              answer["stacktraces"][0]["frames"][0]["instruction_addr"] == "0x401d72", answer)
    bad = os.path.join(folder, "bad.dmp")
    with open(bad, "wb") as f:
        f.write(b"x" * 100)
    run = symgate("minidump", bad)
    check("minidump: no dump", run.returncode == 1 and "bad.dmp" in run.stderr and run.stdout == "", run.stderr)


def test_managed(folder):
    plain, image = managed_files(folder)
    cache = os.path.join(folder, "places")
    run = symgate("symcache", "write", plain, cache)
    check("managed: symcache write", run.returncode == 0 and
          run.stdout.startswith(cache + ": a PpdbCache, ") and " methods, " in run.stdout, run.stdout, run.stderr)
    report = json.loads(symgate("--json", "symcache", "write", image, cache + "2").stdout)
    check("managed: symcache write --json", report["kind"] == "ppdbcache" and report["units"] == 3 and
          report["bytes"] == os.path.getsize(cache + "2"), report)
    answers = [("0x06000001+0x0", "0x06000001+0x0: ?? at C:\\src\\a.cs:10"),
               ("6000001+a", "0x06000001+0xa: ?? at C:\\src\\a.cs:12"),
               ("1+9", "0x06000001+0x9: ?? at C:\\src\\a.cs:12"), ("3", "0x06000003+0x0: ?? at /src/b.fs:7"),
               ("0x6000003+0x4", "0x06000003+0x4: ?? at C:\\src\\a.cs:30"),
               ("0x06000009+0", "0x06000009+0x0: ?? at ??:0")]
    for path in (plain, image, cache, cache + "2"):
        run = symgate("lookup", path, *[question for question, _ in answers])
        check("managed: lookup in " + path, run.returncode == 0 and
              run.stdout.splitlines() == [answer for _, answer in answers], run.stdout, run.stderr)
    run = symgate("--json", "lookup", plain, stdin="0x06000003+4\n0x7000001\n")
    check("managed: --json", json_lines(run.stdout) == [
        {"method": "0x6000003", "offset": "0x4",
         "frames": [{"file": "C:\\src\\a.cs", "line": 30, "language": "csharp"}]},
        {"method": "0x7000001", "error": "not a method and IL offset", "frames": []}] and run.returncode == 1, run.stdout)
    for bad in ("", "+", "1+", "+1", "0+0", "x", "0x0600000100000000", "1+100000000", "1+2+3"):
        check("managed: no method: " + bad, symgate("lookup", plain, "1", bad).returncode == 1, bad)
    check("managed: nothing there", symgate("lookup", plain, "2+1").returncode == 3)
    listing = symgate("symcache", "dump", cache).stdout.splitlines()
    dump = json.loads(symgate("--json", "symcache", "dump", cache).stdout)
    check("managed: dump", listing[0].startswith("ppdbcache 00112233-4455-6677-8899-aabbccddeeff-12345678: 2 files, ")
          and len(listing) == dump["ranges"] + 1 == len(dump["lookups"]) + 1 and
          dump["lookups"][0] == {"method": "0x6000001", "offset": "0x0", "file": "C:\\src\\a.cs", "line": 10,
                                 "language": "csharp"}, listing, dump)
    whole = open(cache, "rb").read()
    for what, data in (("cut short", whole[:90]), ("of the other byte order", b"CBDP" + whole[4:])):
        bad = os.path.join(folder, "bad")
        with open(bad, "wb") as f:
            f.write(data)
        for command in (["symcache", "dump", bad], ["lookup", bad, "1"]):
            run = symgate(*command)
            check("a PpdbCache %s: %s" % (what, command[0]), run.returncode == 1 and bad in run.stderr, run.stderr)
    check("managed: not from a PpdbCache", "is a PpdbCache already" in symgate(
        "symcache", "write", cache, cache + "3").stderr)
    check("managed: not an object", "symcache dump" in symgate("object", "info", cache).stderr)


def test_line_map(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    first = json_lines(symgate("lookup", "--json", path, address).stdout)[0]["frames"]
    lines = os.path.join(folder, "LineNumberMappings.json")
    with gzip.open(lines, "wt") as f:
        json.dump({first[0]["file"]: {"Assets/Box.cs": {str(frame["line"]): 1000 + frame["line"] for frame in first}}}, f)
    mapped = [("Assets/Box.cs", 1000 + frame["line"]) for frame in first]
    run = symgate("lookup", "--json", "--il2cpp-map", lines, path, address)
    check("il2cpp: --il2cpp-map", [(f["file"], f["line"]) for f in json_lines(run.stdout)[0]["frames"]] == mapped and
          run.returncode == 0, run.stdout, run.stderr)
    cache = os.path.join(folder, "cache")
    symgate("symcache", "write", "--il2cpp-map", lines, path, cache)
    run = symgate("lookup", "--json", cache, address)
    check("il2cpp: symcache write", [(f["file"], f["line"]) for f in json_lines(run.stdout)[0]["frames"]] == mapped,
          run.stdout)
    store = os.path.join(folder, "ab", "cdef")
    os.makedirs(store)
    shutil.copy(path, os.path.join(store, "debuginfo"))
    shutil.copy(lines, os.path.join(store, "il2cpp"))
    run = symgate("lookup", "--json", os.path.join(store, "debuginfo"), address)
    check("il2cpp: beside", [(f["file"], f["line"]) for f in json_lines(run.stdout)[0]["frames"]] == mapped, run.stdout)
    for name in ("il2cpp", "broken"):
        with open(os.path.join(store, name), "w") as f:
            f.write('{"a": {"b": {"c": 1}}}')
    run = symgate("lookup", "--json", os.path.join(store, "debuginfo"), address)
    check("il2cpp: a bad one beside", json_lines(run.stdout)[0]["frames"] == first and
          "has no number of a line" in run.stderr and "done without" in run.stderr, run.stdout, run.stderr)
    for name in ("broken", "missing", "."):
        run = symgate("lookup", "--il2cpp-map", os.path.join(store, name), path, address)
        check("il2cpp: a bad one named: " + name, run.returncode == 1 and name in run.stderr and not run.stdout,
              run.stdout, run.stderr)


def test_hidden_names(folder):
    """As Xcode lays out an archive: dSYMs/p.dSYM, BCSymbolMaps beside dSYMs."""
    with open(os.path.join(folder, "p.c"), "w") as f:
        f.write('int a(int) __asm__("__hidden#0_");\nint a(int x) { return x * 3; }\n')
    make("clang-19", "--target=arm64-apple-macos12", "-g", "-O1", "-c", "p.c", cwd=folder)
    make("ld64.lld-19", "-arch", "arm64", "-platform_version", "macos", "12.0", "12.0", "-undefined", "dynamic_lookup",
         "-dylib", "-o", "p", "p.o", cwd=folder)
    os.makedirs(os.path.join(folder, "app.xcarchive/dSYMs"))
    dsym = os.path.join(folder, "app.xcarchive/dSYMs/p.dSYM")
    make("dsymutil-19", "p", "-o", dsym, cwd=folder)
    inner = os.path.join(dsym, "Contents/Resources/DWARF/p")
    info = json.loads(symgate("--json", "object", "info", dsym).stdout)["objects"][0]
    own, original = info["debug_id"].upper()[:36], "C8374B6D-6E96-34D8-AE38-EFAA5FEC424F"
    address = next(line.split()[0] for line in subprocess.run(
        ["llvm-nm-19", inner], capture_output=True, text=True).stdout.splitlines() if "hidden#0_" in line)

    def name(*options):
        run = symgate("lookup", "--json", *options, dsym, address)
        frames = json_lines(run.stdout)[0]["frames"] if run.stdout else [{"symbol": None}]
        return frames[0]["symbol"], run.stderr

    symbol, said = name()
    check("hidden names: without a map", symbol == "__hidden#0_" and own + ".bcsymbolmap" in said, symbol, said)
    maps = os.path.join(folder, "app.xcarchive/BCSymbolMaps")
    os.mkdir(maps)
    for uuid, text in ((own, "own_name"), (original, "original_name")):
        with open(os.path.join(maps, uuid + ".bcsymbolmap"), "w") as f:
            f.write("BCSymbolMap Version: 2.0\n" + text + "\n")
    symbol, said = name()
    check("hidden names: by the own UUID", (symbol, said) == ("own_name", ""), symbol, said)
    plist = os.path.join(dsym, "Contents/Resources", own + ".plist")
    with open(plist, "w") as f:
        f.write('<plist version="1.0"><dict><key>DBGOriginalUUID</key><string>%s</string></dict></plist>' % original)
    symbol, said = name()
    check("hidden names: by the UUID of the list", (symbol, said) == ("original_name", ""), symbol, said)
    os.rename(maps, os.path.join(folder, "elsewhere"))
    check("hidden names: in no usual place", name()[0] == "__hidden#0_", name())
    symbol, said = name("--debug-dir", os.path.join(folder, "elsewhere"))
    check("hidden names: --debug-dir", symbol == "original_name", symbol, said)
    with open(plist, "w") as f:
        f.write("<html/>")
    symbol, said = name("--debug-dir", os.path.join(folder, "elsewhere"))
    check("hidden names: a broken list", symbol == "own_name" and "done without" in said, symbol, said)
    with open(os.path.join(folder, "elsewhere", own + ".bcsymbolmap"), "w") as f:
        f.write("nothing of the kind\n")
    symbol, said = name("--debug-dir", os.path.join(folder, "elsewhere"))
    check("hidden names: a broken map", symbol is None and "BCSymbolMap begins with" in said, symbol, said)


def test_bad_input(folder):
    path = build(folder)
    with open(path, "rb") as f:
        whole = f.read()
    def put(name, data):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
    put("empty", b"")
    put("words", b"just some words\n")
    put("cut", whole[:40])
    put("cut.gz", gzip.compress(whole)[:500])
    put("half", whole[:len(whole) // 2])
    os.mkfifo(os.path.join(folder, "fifo"))
    cases = [("empty", "is empty"), ("words", "no known object format"), ("cut", "elf"),
             ("cut.gz", "gzip"), (".", "is a folder"), ("missing", "No such file"),
             ("fifo", "not a regular file")]
    for name, words in cases:
        for command in (["lookup", name, "1000"], ["object", "info", name], ["symcache", "write", name, "out"]):
            run = symgate(*command, cwd=folder)
            check("%s of %s" % (command[0], name), run.returncode == 1 and words in run.stderr and
                  run.stderr.startswith("symgate: ") and run.stderr.count("\n") == 1,
                  run.returncode, run.stderr)
    run = symgate("lookup", "half", "1000", cwd=folder)
    check("lookup in half a file says something", run.returncode in (0, 1, 3) and
          (run.stdout or run.stderr), run)
    check("nothing is left of what failed", not os.path.exists(os.path.join(folder, "out")) and
          not [n for n in os.listdir(folder) if n.startswith("tmp")], os.listdir(folder))


def test_usage(folder):
    check("no command", symgate().returncode == 2)
    check("unknown command", symgate("frobnicate").returncode == 2)
    check("--version", symgate("--version").stdout.startswith("symgate "))
    run = symgate("--help")
    check("--help names every command", all(" %s " % c in run.stdout for c in COMMANDS), run.stdout)
    for command in COMMANDS:
        run = symgate(command, "--help")
        check(command + " --help", run.returncode == 0 and run.stdout.startswith("usage: symgate " + command)
              and len(run.stdout) > 200, run.stdout)
        page = os.path.join(TOP, "doc", "symgate-%s.1" % command)
        check(command + " has a man page", os.path.exists(page))
        if os.path.exists(page):
            with open(page) as f:
                words = f.read().replace("\\", "")
            options = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", run.stdout, re.M)
            check(command + ": the page knows every option", all(o in words or "Fl " + o[1:] in words
                                                                for o in options), options)
    for command in ("lookup", "symcache", "object", "symbolicate", "backup", "config", "cache", "prefetch",
                    "minidump", "applecrash", "coredump"):
        run = symgate(command)
        check(command + " without arguments", run.returncode == 2 and "usage: " in run.stderr, run.stderr)
    for wrong in (["--json=yes"], ["--nonsense"], ["-Z"], ["--arch"], ["-e"], ["--", "-x"], ["-e", "x", "-fQ"]):
        run = symgate("lookup", *wrong)
        check("lookup %s is wrong" % wrong, run.returncode in (1, 2) and run.stderr.startswith("symgate"), run.stderr)
    for wrong in (["--nonsense", "status"], ["-c"], ["-Z"], ["help", "nonsense"]):
        check("symgate %s is wrong" % wrong, symgate(*wrong).returncode == 2, wrong)
    check("an option without its value", symgate("lookup", "--arch").returncode == 2)
    check("-c without its value", symgate("status", "-c").returncode == 2)


INLINED = """
volatile int sink;
static inline __attribute__((always_inline)) int inner(int x) { sink = x; return x * 3; }
static inline __attribute__((always_inline)) int middle(int x) {
	return inner(x) + sink;
}
__attribute__((noinline)) int outer(int x) {
	return middle(x) + 1;
}
int main(int argc, char **argv) { (void)argv; return outer(argc); }
"""


def test_addr2line(folder):
    with open(os.path.join(folder, "inlined.c"), "w") as f:
        f.write(INLINED)
    for name, flags in (("plain", []), ("fixed", ["-no-pie"]), ("object.o", ["-c", "-fno-reorder-functions"])):
        make("gcc", "-O2", "-g", *flags, "inlined.c", "-o", name, cwd=folder)
        start = symbols(os.path.join(folder, name))["outer"]
        given = ["%x" % start, "0x%x" % (start + 6), "ffffff" if name == "object.o" else "10", "outer", "outer+6", "main+0x4"]
        for options in ("-", "-f", "-fi", "-fiC", "-fiCs", "-fiCp", "-afiCp", "-a", "-ap", "-afCs", "-i", "-sfpia"):
            options = [options] if options != "-" else []
            theirs = subprocess.run(["addr2line", "-e", name, *options, *given], cwd=folder, capture_output=True, text=True)
            for arguments in (["-e", name, *options, *given], [*given[:2], *options, "--exe=" + name, *given[2:]]):
                ours = symgate("lookup", *arguments, cwd=folder)
                check("lookup %s as addr2line prints" % arguments, ours.stdout == theirs.stdout, ours.stdout,
                      theirs.stdout, ours.stderr)
        theirs = subprocess.run(["addr2line", "-e", name, "-fai", "-j", ".text", "0", "4"], cwd=folder,
                                capture_output=True, text=True).stdout
        for arguments in (["-fai", "-j", ".text", "0", "4"], ["-faij.text", "0", "4"]):
            ours = symgate("lookup", "-e", name, *arguments, cwd=folder)
            check("lookup -j in " + name, ours.stdout == theirs, ours.stdout, theirs, ours.stderr)
        run = symgate("lookup", "-e", name, "-j", ".nonsense", "0", cwd=folder)
        check("lookup -j of a section that is not there", run.returncode == 1 and ".nonsense" in run.stderr, run.stderr)
        symbol = symgate("lookup", name, "outer+4", "nonsense", cwd=folder)
        check("lookup SYMBOL+OFFSET", ("0x%x: outer at " % (start + 4) in symbol.stdout or "inlined by" in symbol.stdout) and
              symbol.returncode == 1 and "nonsense: ?? (not an address or a symbol)" in symbol.stdout, symbol.stdout)
        inputs = symgate("lookup", "-e", name, "-fpi", cwd=folder, stdin="outer\nmain\nouter+6\n")
        check("lookup: symbols from standard input", inputs.stdout == subprocess.run(
            ["addr2line", "-e", name, "-fpi", "outer", "main", "outer+6"], cwd=folder, capture_output=True,
            text=True).stdout, inputs.stdout, inputs.stderr)
    run = symgate("lookup", "-e", "object.o", "-j", ".debug_info", "0", cwd=folder)
    check("lookup -j: other sections of what is not linked", run.returncode == 1 and "only addresses in .text" in run.stderr,
          run.stderr)


def completed(script, words, cwd):
    """What bash would offer for the last of the words."""
    run = subprocess.run(["bash", "-c", script + '\nCOMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _symgate; '
                          'printf "%s\\n" "${COMPREPLY[@]}"', "bash", *words], capture_output=True, text=True, cwd=cwd,
                         timeout=60)
    return run.stdout.split() if run.returncode == 0 and not run.stderr else [run.stderr]


def test_completion(folder):
    script = symgate("--bash-completion").stdout
    open(os.path.join(folder, "a.yml"), "w").close()
    os.mkdir(os.path.join(folder, "sub"))
    common = ["-c", "--config", "--state-dir", "--json", "-h", "--help"]
    def offered(*words):
        return completed(script, ["symgate", *words], folder)
    check("completion: commands", sorted(offered("")) == sorted(COMMANDS + ["help"]), offered(""))
    check("completion: what begins so", offered("symbo") == ["symbolicate"], offered("symbo"))
    check("completion: help", "lookup" in offered("help", "l"), offered("help", "l"))
    for command in COMMANDS:
        told = set(re.findall(r"^  (?:(-\w), )?(--[a-z0-9-]+)", symgate(command, "--help").stdout, re.M))
        told = {option for pair in told for option in pair if option}
        # Long and short, whatever the cursor's word begins with.
        seen = set(offered(command, "-")) - set(common)
        check("completion: %s has the options its help has" % command, seen == told, seen, told)
        check("completion: %s has the options of all" % command, set(common) <= set(offered(command, "-")))
    check("completion: verbs", offered("cache", "") == ["list", "show", "drop", "retry"], offered("cache", ""))
    check("completion: verbs after options", offered("cache", "--kind", "x", "r") == ["retry"])
    check("completion: a file", offered("-c", "a") == ["a.yml"], offered("-c", "a"))
    check("completion: a folder", offered("lookup", "--debug-dir", "") == ["sub"], offered("lookup", "--debug-dir", ""))
    check("completion: the command after an option's value", offered("-c", "a.yml", "stat") == ["status"])
    check("completion: an operand", offered("lookup", "a") == ["a.yml"])
    built = os.path.join(os.path.dirname(SYMGATE), "completions", "symgate")
    check("completion: what is installed is what is printed", not os.path.exists(built) or open(built).read() == script)


def test_pages(folder):
    pages = [os.path.join(TOP, "doc", n) for n in os.listdir(os.path.join(TOP, "doc")) if n[-2:] in (".1", ".5")]
    run = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *pages], capture_output=True, text=True)
    check("man pages: mandoc finds nothing", run.returncode == 0 and len(pages) == 2 + len(COMMANDS), run.stdout)
    section, words = [], open(os.path.join(TOP, "doc", "symgate.yml.5")).read()
    for line in symgate("config", "print", cwd=folder).stdout.splitlines():
        found = re.match(r"^( *)([A-Za-z_0-9]+):(.*)$", line)
        if not found:
            continue
        section = section[:len(found.group(1)) // 2] + [found.group(2)]
        if found.group(3):
            check("symgate.yml.5 has " + ".".join(section), ".It Cm %s\n" % ".".join(section) in words)


def test_config(folder):
    def write(name, text):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path
    good = write("good.yml", "logging:\n  level: warn\n")
    check("config check: fine", symgate("config", "check", good).returncode == 0)
    odd = write("odd.yml", "cache_dri: /x\nmetrics:\n  statsd: a:1\n")
    run = symgate("config", "check", odd)
    check("config check: a warning with the nearest name", run.returncode == 0 and "cache_dir" in run.stderr,
          run.stderr)
    check("config check --strict", symgate("config", "check", "--strict", odd).returncode == 1)
    notes = json.loads(symgate("--json", "config", "check", odd).stdout)
    check("config check --json", notes["ok"] and {n["kind"] for n in notes["notes"]} ==
          {"warning", "without_meaning"}, notes)
    bad = write("bad.yml", "max_concurrent_requests: many\n")
    run = symgate("config", "check", bad)
    check("config check: file, line and key", run.returncode == 1 and "bad.yml:1" in run.stderr and
          "max_concurrent_requests" in run.stderr, run.stderr)
    lines = write("lines.yml", "bind: x\nsources:\n  - {id: a, type: http}\n")
    run = symgate("config", "check", lines)
    check("config check: file and line of a bad source",
          run.returncode == 1 and "lines.yml:3: sources[0]: missing member `url`" in run.stderr, run.stderr)
    wrong = write("wrong.yml", """pool:
  threads: 0
sources:
  - id: a
    type: filesystem
    pth: /srv
    layout:
      typ: unified
      casing: x
  - {id: a, type: http, url: "http://x/", headers: {Content-Length: "1"}}
  - id: there
    type: filesystem
    path: /does/not/exist
  - type: http
    id: c
    url: nonsense
    filters:
      filetypes:
        - pdb
        - exe
    is_pubic: true
  - {id: d, type: ftp}
""")
    lines = ["error: wrong.yml:2: pool.threads: `0` is outside", "error: wrong.yml:4: sources[0]: missing member `path`",
             "warning: wrong.yml:6: sources[0].pth: unknown key, did you mean `path`?",
             "warning: wrong.yml:8: sources[0].layout.typ: unknown key, did you mean `type`?",
             "error: wrong.yml:9: sources[0].layout.casing: unknown casing",
             "error: wrong.yml:10: sources[1].id: sources[0] is called `a` already",
             "error: wrong.yml:10: sources[1].headers: `Content-Length` cannot be set",
             "warning: wrong.yml:13: sources[2].path: /does/not/exist: No such",
             "error: wrong.yml:16: sources[3].url: an absolute address",
             "error: wrong.yml:20: sources[3].filters.filetypes[1]: unknown file type `exe`",
             "warning: wrong.yml:21: sources[3].is_pubic: unknown key, did you mean `is_public`?",
             "error: wrong.yml:22: sources[4]: unknown type `ftp`", "symgate: wrong.yml: 8 errors"]
    run = symgate("config", "check", "wrong.yml", cwd=folder)
    check("config check: all errors at once", run.returncode == 1 and len(run.stderr.splitlines()) == len(lines) and
          all(any(heard.startswith(line) for heard in run.stderr.splitlines()) for line in lines), run.stderr)
    notes = json.loads(symgate("--json", "config", "check", "wrong.yml", cwd=folder).stdout)
    check("config check --json: all errors", sum(n["kind"] == "error" for n in notes["notes"]) == 8 and not notes["ok"],
          notes)
    check("config check: a missing file", symgate("config", "check", os.path.join(folder, "no")).returncode == 1)
    printed = symgate("config", "print")
    check("config print is a good file", printed.returncode == 0 and symgate(
        "config", "check", "--strict", write("printed.yml", printed.stdout)).returncode == 0, printed.stdout[:200])


def request_of(folder, path, address):
    info = json.loads(symgate("--json", "object", "info", path).stdout)["objects"][0]
    place = os.path.join(folder, "symbols", info["code_id"][:2], info["code_id"][2:])
    os.makedirs(place, exist_ok=True)
    shutil.copy(path, os.path.join(place, "debuginfo"))
    request = {"stacktraces": [{"frames": [{"instruction_addr": hex(0x10000 + address)}]}],
               "modules": [{"type": "elf", "code_id": info["code_id"], "debug_id": info["debug_id"],
                            "code_file": "/x/program", "image_addr": "0x10000", "image_size": 65536},
                           {"type": "elf", "debug_id": "00000000-0000-4000-8000-000000000001",
                            "code_file": "/x/libgone.so", "image_addr": "0x900000", "image_size": 4096}]}
    request["stacktraces"][0]["frames"].append({"instruction_addr": "0x900010"})
    return request


def test_symbolicate(folder):
    path = build(folder)
    request = request_of(folder, path, deep_address(path))
    symbols_dir, name = os.path.join(folder, "symbols"), os.path.join(folder, "request.json")
    def save(value):
        with open(name, "w") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))
    def functions(run):
        return [f.get("function") for f in json.loads(run.stdout)["stacktraces"][0]["frames"]]
    scratch = os.path.join(folder, "scratch")
    os.mkdir(scratch)
    env = {"TMPDIR": scratch}
    for what, sources in (("none", "absent"), ("empty", []), ("another", [
            {"type": "filesystem", "id": "x", "path": "/nonexistent", "layout": {"type": "native"}}])):
        save(request if sources == "absent" else dict(request, sources=sources))
        run = symgate("--json", "symbolicate", "--symbols", symbols_dir, name, env=env)
        check("symbolicate: sources " + what, run.returncode == 0 and functions(run)[:3] == DEEP,
              run.stdout, run.stderr)
    run = symgate("symbolicate", "--symbols", "unified:" + symbols_dir, "-", stdin=json.dumps(request), env=env)
    check("symbolicate: readable, from standard input", all(d in run.stdout for d in DEEP) and
          "inlined" in run.stdout and "libgone.so" in run.stdout, run.stdout, run.stderr)
    save(request)
    run = symgate("symbolicate", name, env=env)
    check("symbolicate: without symbols nothing gets a name", run.returncode == 3, run.stdout, run.stderr)
    check("symbolicate: nothing is left behind", os.listdir(scratch) == [], os.listdir(scratch))
    for text, words in (("{", "JSON"), ("[1]", ""), ('{"modules": 1}', "modules"), ("", "")):
        save(text)
        run = symgate("symbolicate", "--symbols", symbols_dir, name, env=env)
        check("symbolicate: refuses %r" % text, run.returncode == 1 and run.stderr.startswith("symgate: ") and
              words in run.stderr, run.stderr, run.returncode)
    check("symbolicate: a missing file", symgate("symbolicate", name + "x").returncode == 1)
    run = symgate("symbolicate", "--symbols", folder + "/no", name)
    check("symbolicate: a missing folder", run.returncode == 1 and "--symbols" in run.stderr, run.stderr)
    save(request)
    state_commands(folder, name, symbols_dir)


CRASH = r"""
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int mode;
static inline __attribute__((always_inline)) int inner(int *at)
{
	return *at + 1; // FAULT
}
static void show(void)
{
	void *frames[64];
	backtrace_symbols_fd(frames, backtrace(frames, 64), 1); // SHOWN
}
static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	if (mode == 0) {
		show(); // COMPARED
		_exit(0);
	}
	return inner(NULL); // INLINED
}
__attribute__((noinline)) int sorted(int *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), compare); // SORTED
	return numbers[0];
}
int main(int argc, char **argv)
{
	int numbers[] = { 3, 1, 2 };

	mode = argc > 1;
	if (argc > 2)
		mode = 0;
	if (argc > 2) {
		char line[4096];
		FILE *maps = fopen("/proc/self/maps", "r"), *copy = fopen(argv[2], "w");

		while (fgets(line, sizeof(line), maps))
			fputs(line, copy);
		fclose(copy);
	}
	return sorted(numbers, 3); // MAIN
}
"""


def lines_of_crash():
    return {mark: number for number, line in enumerate(CRASH.splitlines(), 1) if "// " in line
            for mark in [line.split("// ")[1]]}


def names_the_stack(shown, *marks):
    """Each of these lines of the program is told, the innermost first."""
    at, numbers = -1, lines_of_crash()
    for mark in marks:
        at = shown.find("crash.c:%d" % numbers[mark], at + 1)
        if at < 0:
            return False
    return True


def test_stacks(folder):
    with open(os.path.join(folder, "crash.c"), "w") as f:
        f.write(CRASH)
    env = {"TMPDIR": folder}
    def run_program(*command):
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
        return run.stdout + run.stderr
    def symbolicate(*arguments, **more):
        run = symgate("symbolicate", *arguments, cwd=folder, env=env, **more)
        check("symbolicate %s ends by itself and leaves nothing behind" % list(arguments), run.returncode >= 0 and
              not [n for n in os.listdir(folder) if n.startswith("symgate-")], run.returncode, run.stdout, run.stderr)
        return run
    builds = [("pie", []), ("fixed", ["-no-pie"]), ("dynamic", ["-rdynamic"]), ("both", ["-rdynamic", "-no-pie"]),
              ("bare", ["-Wl,--build-id=none"])]
    calls = ["SHOWN", "COMPARED", "SORTED", "MAIN"]
    for name, flags in builds:
        make("gcc", "-g", "-O1", *flags, "crash.c", "-o", name, cwd=folder)
        told = run_program("./" + name)
        run = symbolicate("-", stdin=told)
        check("a stack of glibc's, " + name, run.returncode == 0 and names_the_stack(run.stdout, *calls) and
              "qsort" in run.stdout and "in libc.so.6" in run.stdout, told, run.stdout, run.stderr)
        maps = os.path.join(folder, name + ".maps")
        addresses = re.findall(r"\[(0x[0-9a-f]+)\]", run_program("./" + name, "x", maps))
        run = symbolicate("--maps", maps, *addresses)
        # The first is where it stopped, not what called: it lies in the same line here.
        check("--maps FILE ADDRESS..., " + name, run.returncode == 0 and names_the_stack(run.stdout, *calls),
              addresses, run.stdout, run.stderr)
        run = symbolicate(addresses[1], "--maps=" + maps, "--json")
        answer = json.loads(run.stdout)["stacktraces"][0]["frames"]
        check("--maps of one address, " + name, answer[0]["function"] == "compare" and
              answer[0]["instruction_addr"] == addresses[1] and len(answer) == 1, answer)
    with open(os.path.join(folder, "signal.c"), "w") as f:
        f.write(CRASH.replace("mode = argc > 1;", "mode = 1; signal(11, (void (*)(int))handler);").replace(
            "static int compare", "static void handler(int number)\n{\n\tshow();\n\t_exit(number);\n}\nstatic int compare")
            .replace("#include <stdio.h>", "#include <stdio.h>\n#include <signal.h>"))
    make("gcc", "-g", "-O1", "signal.c", "-o", "signal", cwd=folder)
    told = run_program("./signal")
    frames = json.loads(symbolicate("--json", "-", stdin=told).stdout)["stacktraces"][0]["frames"]
    after = re.findall(r"libc\.so[^\n]*\n\./signal[^\n]*\[(0x[0-9a-f]+)\]", told)[0]
    check("glibc: where a signal stopped it", os.uname().machine != "x86_64" or any(f["instruction_addr"] == after and f.get("function") == "inner" for f in frames),
          told, frames)
    told = run_program("gdb", "-batch", "-nx", "-ex", "run 1", "-ex", "bt", "-ex", "info proc mappings", "./pie")
    run = symbolicate("-", stdin=told)
    check("a stack of gdb's with its mappings", names_the_stack(run.stdout, "INLINED", "SORTED", "MAIN") and
          "in libc.so.6" in run.stdout and "received signal SIGSEGV" in run.stdout, told, run.stdout, run.stderr)
    with open(os.path.join(folder, "gdb.maps"), "w") as f:
        f.write(told[told.index("Start Addr"):])
    address = re.search(r"(0x[0-9a-f]+) in sorted", told).group(1)
    run = symbolicate("--maps", "gdb.maps", "0", address)
    check("gdb's mappings as --maps", names_the_stack(run.stdout, "SORTED"), run.stdout, run.stderr)
    run = symbolicate("-", stdin=told[:told.index("process ")])
    check("a stack of gdb's alone says what it says", "main at crash.c:" in run.stdout and "sorted" in run.stdout,
          run.stdout, run.stderr)
    make("gcc", "-g", "-O1", "-fsanitize=address", "crash.c", "-o", "checked", cwd=folder)
    for options in ("symbolize=0", "symbolize=1"):
        told = run_program("env", "ASAN_OPTIONS=" + options, "./checked", "x")
        run = symbolicate("-", stdin=told)
        check("a stack of AddressSanitizer's, " + options, run.returncode == 0 and "SEGV" in run.stdout and
              names_the_stack(run.stdout, "FAULT", "INLINED", "SORTED", "MAIN"), told, run.stdout, run.stderr)
    # The program has gone elsewhere; its debug information lies apart.
    os.makedirs(os.path.join(folder, "parts", "deep"))
    make("objcopy", "--only-keep-debug", "pie", "parts/deep/pie.debug", cwd=folder)
    make("strip", "pie", cwd=folder)
    make("objcopy", "--add-gnu-debuglink=parts/deep/pie.debug", "pie", cwd=folder)
    told = run_program("./pie")
    run = symbolicate("-", "--symbols", "parts", stdin=told)
    check("--symbols: a folder of files", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    os.rename(os.path.join(folder, "parts", "deep", "pie.debug"), os.path.join(folder, "pie.debug"))
    run = symbolicate("-", stdin=told)
    check("debug information beside the program", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    os.rename(os.path.join(folder, "pie"), os.path.join(folder, "parts", "pie"))
    os.rename(os.path.join(folder, "pie.debug"), os.path.join(folder, "parts", "pie.debug"))
    run = symbolicate("-", "--symbols", "parts", stdin=told)
    check("--symbols: the program itself lies there", names_the_stack(run.stdout, *calls), run.stdout, run.stderr)
    run = symbolicate("-", stdin=told)
    check("a program that is not here", "./pie" in run.stdout and "missing" in run.stdout, run.stdout, run.stderr)
    for text, words in (("nothing of it\n", "neither JSON nor a stack"), ("1000-2000 r-xp 0 0:0 1 /x\n", "no stack")):
        run = symbolicate("-", stdin=text)
        check("symbolicate: refuses %r" % text, run.returncode == 1 and words in run.stderr, run.stderr)
    run = symbolicate("--maps", "crash.c", "1")
    check("--maps: no mappings", run.returncode == 1 and "crash.c has no mappings" in run.stderr, run.stderr)
    run = symbolicate("--maps", "fixed.maps", "1", "x")
    check("--maps: no address", run.returncode == 1 and "`x` is not an address" in run.stderr, run.stderr)


def test_folders(folder):
    """--symbols with each layout, without its name."""
    path = build(folder)
    request = request_of(folder, path, deep_address(path))
    request["modules"][0].update(code_file="/x/program", debug_file="program")
    code_id, debug_id = request["modules"][0]["code_id"], request["modules"][0]["debug_id"]
    layouts = {"unified": "%s/%s/debuginfo" % (code_id[:2], code_id[2:]), "native": "%s/%s.debug" % (code_id[:2], code_id[2:]),
               ".build-id": ".build-id/%s/%s.debug" % (code_id[:2], code_id[2:]), "debuginfod": code_id + "/debuginfo",
               "buildid": "buildid/" + code_id + "/debuginfo", "symstore": "_.debug/elf-buildid-sym-%s/_.debug" % code_id,
               "ssqp": "_.debug/elf-buildid-sym-%s/_.debug" % code_id, "slashsymbols": "program/%s/symbols" % code_id,
               "symstore_index2": "_/_.debug/elf-buildid-sym-%s/_.debug" % code_id, "files": "some/where/program.debug"}
    for layout, place in layouts.items():
        there = os.path.join(folder, "of-" + layout, place)
        os.makedirs(os.path.dirname(there))
        shutil.copy(path, there)
        run = symgate("symbolicate", "--symbols", os.path.join(folder, "of-" + layout), "-", stdin=json.dumps(request),
                      cwd=folder)
        check("--symbols recognises " + layout, all(d in run.stdout for d in DEEP), run.stdout, run.stderr)
    os.mkdir(os.path.join(folder, "empty"))
    both = ["--symbols", os.path.join(folder, "empty"), "--symbols", os.path.join(folder, "of-native")]
    run = symgate("symbolicate", "-", *both, stdin=json.dumps(request))
    check("several --symbols add up", run.returncode == 0 and all(d in run.stdout for d in DEEP), run.stdout, run.stderr)
    run = symgate("symbolicate", "-", *both[:2], stdin=json.dumps(request))
    paths = [os.path.join(folder, "empty", place) for layout, place in layouts.items() if "build" not in layout and
             layout not in ("ssqp", "files")]
    check("--symbols: the paths that were tried", run.returncode == 3 and all(path in run.stderr for path in paths),
          run.stderr, paths)
    run = symgate("symbolicate", "-", "--symbols", "native:" + both[1], stdin=json.dumps(request))
    check("--symbols LAYOUT:DIR tries that layout alone", "/empty/.build-id" not in run.stderr and
          "debuginfo" not in run.stderr and code_id[2:] + ".debug" in run.stderr, run.stderr)
    run = symgate("symbolicate", "-", "--symbols", path, stdin=json.dumps(request))
    check("--symbols: a file", run.returncode == 1 and "is not a folder" in run.stderr, run.stderr)
    request["modules"][0]["code_file"] = path
    run = symgate("symbolicate", "-", stdin=json.dumps(request))
    check("a file of this machine, in JSON", run.returncode == 0 and all(d in run.stdout for d in DEEP), run.stdout)
    request["modules"][0].update(debug_id="00000000-0000-4000-8000-00000000000a", code_id="ab" * 20)
    run = symgate("symbolicate", "-", stdin=json.dumps(request))
    check("a file of this machine that is another build", run.returncode == 3, run.stdout)


def test_default_config(folder):
    path = os.path.join(folder, "default.yml")
    with open(path, "w") as f:
        f.write("state_dir: %s/of-default\nsources:\n  - {id: x, type: nonsense}\n" % folder)
    run = symgate("status", env={"SYMGATE_CONFIG": path})
    check("$SYMGATE_CONFIG is read", run.returncode == 1 and "default.yml:3: sources[0]: unknown type" in run.stderr,
          run.stderr)
    with open(path, "w") as f:
        f.write("state_dir: %s/of-default\n" % folder)
    run = symgate("status", env={"SYMGATE_CONFIG": path})
    check("$SYMGATE_CONFIG names the state folder", "/of-default has no symgate.db" in run.stderr, run.stderr)
    other = os.path.join(folder, "other.yml")
    with open(other, "w") as f:
        f.write("state_dir: %s/of-other\n" % folder)
    run = symgate("status", "-c", other, env={"SYMGATE_CONFIG": path})
    check("-c goes before it", "/of-other has no" in run.stderr, run.stderr)
    run = symgate("config", "check", env={"SYMGATE_CONFIG": path})
    check("config check without a file", run.returncode == 0 and path + ": fine" in run.stdout, run.stdout, run.stderr)
    run = symgate("status", env={"SYMGATE_CONFIG": ""})
    check("an empty one is none", "/var/lib/symgate has no" in run.stderr or run.returncode == 0, run.stderr)
    run = symgate("status", env={"SYMGATE_CONFIG": other + "x"})
    check("one that is not there is an error", run.returncode == 1 and "other.ymlx" in run.stderr, run.stderr)


def on_a_terminal(words, *arguments):
    """Runs symgate on a terminal of its own and says `words` when it asks."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(SYMGATE, [SYMGATE, *arguments])
    said = b""
    while b"?" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, words.encode() + b"\n")
    try:
        while True:
            said += os.read(terminal, 1000)
    except OSError:  # the other side is closed
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def show_commands(state, listed):
    entry = next(e for e in listed if e["kind"] == "symcaches" and e["state"] == "ready")
    shown = json.loads(symgate("--json", "--state-dir", state, "cache", "show", str(entry["id"])).stdout)
    check("cache show ID --json", len(shown) == 1 and shown[0]["hash"] == entry["hash"] and
          shown[0]["file_is_there"] and os.path.getsize(shown[0]["file"]) == entry["bytes"] and
          "location: " in shown[0]["key"] and shown[0]["expires_at"] > shown[0]["used_at"], shown)
    for subject in (str(entry["id"]), entry["hash"][:10], entry["module"]):
        run = symgate("--state-dir", state, "cache", "show", subject)
        check("cache show %s" % subject, run.returncode == 0 and shown[0]["file"] in run.stdout and
              "location: " in run.stdout and "goes " in run.stdout, run.stdout, run.stderr)
    run = symgate("--state-dir", state, "cache", "show", "--failures")
    check("cache show --failures", run.returncode == 0 and "because" in run.stdout and "tried again" in run.stdout,
          run.stdout, run.stderr)
    for filters in (["--scope", "global"], ["--source", "local:cli"], ["--module", entry["module"]],
                    ["--hash", entry["hash"]], ["--kind", "symcaches"]):
        run = symgate("--json", "--state-dir", state, "cache", "list", *filters)
        check("cache list %s" % filters[0], entry["id"] in [e["id"] for e in json.loads(run.stdout)], run.stdout)
        run = symgate("--json", "--state-dir", state, "cache", "drop", "--dry-run", *filters)
        check("cache drop --dry-run %s" % filters[0], json.loads(run.stdout)["removed_entries"] > 0, run.stdout)
        check("cache list %s of none" % filters[0], symgate(
            "--state-dir", state, "cache", "list", filters[0], "ab" * 20 if filters[0] == "--hash" else
            "cficaches").returncode == 3)
    drop = ["--state-dir", state, "cache", "drop", "--id", str(entry["id"])]
    code, said = on_a_terminal("n", *drop)
    check("cache drop on a terminal: no", code == 1 and "drop 1 entries" in said and os.path.exists(shown[0]["file"]),
          code, said)
    code, said = on_a_terminal("y", *drop)
    check("cache drop on a terminal: yes", code == 0 and "removed 1 entries" in said and
          not os.path.exists(shown[0]["file"]), code, said)


def cache_commands(state):
    listed = json.loads(symgate("--json", "--state-dir", state, "cache", "list").stdout)
    failures = [entry for entry in listed if entry["state"] != "ready"]
    check("cache list --json", failures and len(failures) < len(listed) and
          all(entry["details"] and entry["retry_at"] for entry in failures), listed)
    run = symgate("--state-dir", state, "cache", "list", "--kind", "symcaches")
    check("cache list --kind", run.returncode == 0 and "symcaches" in run.stdout and
          "object_meta" not in run.stdout, run.stdout, run.stderr)
    one = str(failures[0]["id"])
    run = symgate("--state-dir", state, "cache", "retry", "--id", one, "--dry-run")
    check("cache retry --dry-run", run.returncode == 0 and "would remove 1 entries" in run.stdout, run.stdout)
    run = symgate("--state-dir", state, "cache", "drop", "--id", one)
    check("cache drop --id", run.returncode == 0 and "removed 1 entries" in run.stdout, run.stdout, run.stderr)
    show_commands(state, listed)
    check("cache: nothing matched is 3", symgate("--state-dir", state, "cache", "drop", "--id", one).returncode == 3)
    for wrong in (["drop"], ["list", "--kind", "nonsense"], ["eat"], ["list", "--id", "x"], ["show"],
                  ["show", "--hash", "abc"], ["list", "x"], ["drop", "--id"]):
        check("cache %s is wrong" % wrong, symgate("--state-dir", state, "cache", *wrong).returncode == 2)
    run = symgate("--json", "--state-dir", state, "cleanup", "--dry-run")
    check("cleanup --dry-run", run.returncode == 0 and json.loads(run.stdout)["dry_run"], run.stdout, run.stderr)
    check("cleanup", symgate("--state-dir", state, "cleanup").returncode == 0)
    run = symgate("--state-dir", state, "apikey", "create", "build server")
    check("apikey create", run.returncode == 0 and len(run.stdout.strip()) == 88, run.stdout, run.stderr)
    key = json.loads(symgate("--json", "--state-dir", state, "apikey", "create", "other").stdout)
    check("apikey create --json", key["name"] == "other" and len(key["key"]) == 88, key)
    run = symgate("--state-dir", state, "apikey", "create", "other")
    check("apikey create: the name is taken", run.returncode == 1 and "already" in run.stderr, run.stderr)
    check("apikey revoke", symgate("--state-dir", state, "apikey", "revoke", key["id"]).returncode == 0)
    check("apikey revoke again", symgate("--state-dir", state, "apikey", "revoke", "other").returncode == 3)
    keys = json.loads(symgate("--json", "--state-dir", state, "apikey", "list").stdout)
    check("apikey list", [line["name"] for line in keys] == ["other", "build server"] and
          "revoked_at" in keys[0] and "revoked_at" not in keys[1], keys)
    run = symgate("--state-dir", state, "apikey", "list")
    check("apikey list for people", "revoked" in run.stdout and "never used" in run.stdout, run.stdout)
    for arguments in ((), ("make",), ("create",), ("list", "x"), ("revoke", "a", "b")):
        check("apikey %s" % " ".join(arguments), symgate("--state-dir", state, "apikey", *arguments).returncode == 2)


ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def under_way_commands(state, ended):
    """What `why` says while a job is running: rows as a workshop writes them."""
    run = symgate("--state-dir", state, "why")
    check("why: nothing is under way", run.returncode == 0 and run.stdout == "no request is under way\n", run.stdout)
    ids = ["%s2345678-1234-4234-8234-123456789abc" % digit for digit in "34"]
    with sqlite3.connect(state + "/symgate.db") as db:
        for at, (job, owner) in enumerate(zip(ids, ("workshop-7", None))):
            db.execute("INSERT INTO job (id, kind, state, owner, lease_until, attempt, body_bytes, created_at, deadline_at) "
                       "VALUES (?, 'symbolicate', ?, ?, ?, ?, 1, unixepoch() - 5, unixepoch() + 900)",
                       (job, "running" if owner else "queued", owner, 99999999999 if owner else None, 1 - at))
        for kind, owner, place in (("objects", "workshop-7", "http://a/b/crash.debug"), ("symcaches", "workshop-8", "s3://c/d")):
            db.execute("INSERT INTO flight (kind, version, hash, owner, boot, lease_until, attempt, started_at, module, key_text) "
                       "VALUES (?, 1, randomblob(32), ?, 1, unixepoch() + 60, 1, unixepoch() - 3, 'crash', ?)",
                       (kind, owner, "scope: global\n\nsource: x\nlocation: %s\n" % place))
    db.close()
    for arguments in ([], [ids[0]]):
        run = symgate("--state-dir", state, "why", *arguments)
        check("why %s: what is under way" % arguments, run.returncode == 0 and "running" in run.stdout and
              "fetching" in run.stdout and "http://a/b/crash.debug" in run.stdout and "s3://c/d" not in run.stdout and
              re.search("since " + ISO + ", [34] s ago", run.stdout), run.stdout, run.stderr)
    run = symgate("--state-dir", state, "why")
    check("why: what waits", ids[1] in run.stdout and "waits for a workshop" in run.stdout and ended not in run.stdout,
          run.stdout)
    told = json.loads(symgate("--json", "--state-dir", state, "why").stdout)["requests"]
    check("why --json: what is under way", [job["id"] for job in told] == ids and told[0]["under_way"][0]["location"] ==
          "http://a/b/crash.debug" and re.fullmatch(ISO, told[0]["under_way"][0]["since"]) and
          re.fullmatch(ISO, told[0]["created_at"]), told)
    with sqlite3.connect(state + "/symgate.db") as db:
        db.execute("DELETE FROM job WHERE finished_at IS NULL")
        db.execute("DELETE FROM flight")
    db.close()


def view_commands(state):
    def lines(*arguments):
        return json.loads(symgate("--json", "--state-dir", state, "cache", "list", *arguments).stdout)
    listed = lines()
    check("cache list: times in ISO 8601", listed and all(re.fullmatch(ISO, e[k]) for e in listed for k in ("made_at", "used_at")),
          listed)
    check("cache list: id and location", any(e.get("module_id") == "00000000-0000-4000-8000-000000000001" for e in listed) and
          all(e["location"].startswith("file://") for e in listed if e["kind"] == "object_meta"), listed)
    check("cache list --limit", [e["id"] for e in lines("--limit", "2")] == [e["id"] for e in listed[:2]])
    sizes = [e["bytes"] for e in lines("--sort", "size")]
    check("cache list --sort size", sizes == sorted(sizes, reverse=True) and len(sizes) == len(listed), sizes)
    for order in ("newest", "oldest", "used", "asks", "id"):
        check("cache list --sort " + order, sorted(e["id"] for e in lines("--sort", order)) == [e["id"] for e in listed])
    asks = [e["asks"] for e in lines("--sort=asks")]
    check("cache list --sort asks", asks == sorted(asks, reverse=True), asks)
    run = symgate("--state-dir", state, "cache", "list", "--module", "00000000-0000-4000-8000-000000000001")
    check("cache list --module ID, for people", "file://" in run.stdout and re.search("made " + ISO + ", .* ago", run.stdout) and
          "00000000-0000-4000-8000-000000000001" in run.stdout, run.stdout, run.stderr)
    run = symgate("--state-dir", state, "why", "libgone.so", "--sort", "asks", "--limit", "1")
    entries = [line for line in run.stdout.splitlines() if "object_meta" in line]
    check("why MODULE: id, location and age", len(entries) == 1 and re.match(r"  \d+ ", entries[0]) and "file://" in run.stdout
          and re.search(ISO + ", ", entries[0]), run.stdout, run.stderr)
    for wrong in (["cache", "list", "--sort", "x"], ["cache", "list", "--limit", "0"], ["why", "--sort", "x"], ["why", "--limit", "x"]):
        check("%s is wrong" % wrong, symgate("--state-dir", state, *wrong).returncode == 2)
    with sqlite3.connect(state + "/symgate.db") as db:
        db.row_factory = sqlite3.Row
        missing = [dict(row) for row in db.execute("SELECT * FROM v_missing")]
        check("v_missing: a build that nobody has", [(m["module"], m["module_id"]) for m in missing] ==
              [("libgone.so", "00000000-0000-4000-8000-000000000001")], missing)
        # One build is found elsewhere: it is missing no more; another build of that name still is.
        db.execute("INSERT INTO cache_entry (kind, version, hash, credentials, state, payload, size_bytes, module, boot, build_id, "
                   "made_at, used_at, module_id) SELECT kind, version, randomblob(32), credentials, 'ready', x'00', 1, module, "
                   "boot, build_id, made_at, used_at, module_id FROM cache_entry WHERE module = 'libgone.so' LIMIT 1")
        db.execute("INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, details, module, boot, build_id, "
                   "made_at, used_at, module_id) SELECT 'object_meta', version, randomblob(32), credentials, 'not_found', 0, 'no', "
                   "module, boot, build_id, made_at, used_at, 'another' FROM cache_entry WHERE module = 'libgone.so' LIMIT 1")
        missing = [(row["module"], row["module_id"]) for row in db.execute("SELECT * FROM v_missing")]
        check("v_missing: by module and id", missing == [("libgone.so", "another")], missing)
        for view in ("v_space_by_module", "v_space_by_source"):
            rows = [dict(row) for row in db.execute("SELECT * FROM " + view)]
            total = db.execute("SELECT sum(size_bytes) FROM cache_entry").fetchone()[0]
            check(view, sum(row["bytes"] for row in rows) == total and all(re.fullmatch(ISO, row["last_use_utc"]) for row in rows),
                  rows, total)
        for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            for row in db.execute("SELECT * FROM %s" % view):
                for key in row.keys():
                    if key.endswith("_utc") and row[key] is not None:
                        check("%s.%s in ISO 8601" % (view, key), re.fullmatch(ISO, row[key]), row[key])
        db.rollback()
    db.close()


def repair_commands(folder, state):
    run = symgate("--state-dir", state, "repair")
    check("repair: a sound one", run.returncode == 0 and run.stdout == "the database is sound\n", run.stdout, run.stderr)
    check("repair --check --json", json.loads(symgate("--json", "--state-dir", state, "repair", "--check").stdout) ==
          {"sound": True})
    other, copy = os.path.join(folder, "other"), os.path.join(folder, "copy.db")
    shutil.copytree(state, other)
    check("repair: a copy", symgate("--state-dir", other, "backup", copy).returncode == 0)
    database = os.path.join(other, "symgate.db")
    with open(database, "r+b") as f:
        f.seek(4096)
        f.write(b"\xa5" * 8192)
    run = symgate("--state-dir", other, "repair", "--check")
    check("repair --check: a damaged one", run.returncode == 1 and run.stdout.startswith("it is damaged: "), run.stdout)
    run = symgate("--json", "--state-dir", other, "repair")
    done = json.loads(run.stdout)
    check("repair --json", run.returncode == 0 and not done["sound"] and done["damage"] and
          os.listdir(done["aside"]), run.stdout, run.stderr)
    check("repair: sound afterwards", symgate("--state-dir", other, "repair", "--check").returncode == 0)
    run = symgate("--state-dir", other, "repair", "--from", copy)
    with sqlite3.connect(database) as db, sqlite3.connect(copy) as original:
        counts = [d.execute("SELECT count(*) FROM cache_entry").fetchone()[0] for d in (db, original)]
    check("repair --from", run.returncode == 0 and run.stdout.startswith("what was there lies now in ") and
          "the copy is in its place" in run.stdout and
          counts[0] == counts[1] > 0, run.stdout, run.stderr, counts)
    for wrong in (["x"], ["--from"], ["--check", "x"]):
        check("repair %s is wrong" % wrong, symgate("--state-dir", other, "repair", *wrong).returncode == 2)
    check("repair: no such copy", symgate("--state-dir", other, "repair", "--from", copy + "x").returncode == 1)


def state_commands(folder, request, symbols_dir):
    state = os.path.join(folder, "state")
    for command in (["status"], ["why", "x"], ["backup", os.path.join(folder, "b")]):
        run = symgate("--state-dir", state, *command)
        check("%s without a state folder" % command[0], run.returncode == 1 and "no service has run there"
              in run.stderr and not os.path.exists(state), run.stderr)
    run = symgate("--state-dir", state, "symbolicate", "--symbols", symbols_dir, request)
    check("symbolicate: --state-dir keeps", run.returncode == 0 and os.path.exists(state + "/symgate.db"),
          run.stderr)
    run = symgate("--state-dir", "state", "status", cwd=folder)
    check("status: caches and sources", run.returncode == 0 and "symcaches" in run.stdout and
          "local:cli" in run.stdout and "not running" in run.stdout, run.stdout, run.stderr)
    status = json.loads(symgate("--json", "--state-dir", state, "status").stdout)
    check("status --json", {c["kind"] for c in status["caches"]} >= {"symcaches", "object_meta"} and
          not status["running"] and status["boot"]["number"] == 1, status)
    run = symgate("--state-dir", state, "why", "libgone.so")
    check("why MODULE: what is remembered", run.returncode == 0 and "not_found" in run.stdout and
          "asked again" in run.stdout, run.stdout, run.stderr)
    entries = json.loads(symgate("--json", "--state-dir", state, "why", "program").stdout)["entries"]
    check("why MODULE --json", {e["state"] for e in entries} >= {"ready"}, entries)
    cache_commands(state)
    check("why: nothing known is 3", symgate("--state-dir", state, "why", "libother.so").returncode == 3)
    noted = {"modules": [{"code_file": "/x/libz.so", "debug_id": "00000000-0000-4000-8000-000000000009",
                          "debug_status": "missing", "candidates": [{
                              "source": "micro\x1bsoft", "location": "https://x.example/libz",
                              "download": {"status": "error", "details": "500 Internal Server Error"}}]},
                         {"code_file": "/x/liby.so", "debug_status": "found"}]}
    job = "12345678-1234-4234-8234-123456789abc"
    with sqlite3.connect(state + "/symgate.db") as db:
        db.execute("INSERT INTO job (id, kind, state, body_bytes, created_at, deadline_at, finished_at, millis, "
                   "candidates) VALUES (?, 'symbolicate', 'completed', 1, 1700000000, 1700000900, 1700000001, "
                   "1234, ?)", (job, json.dumps(noted)))
    db.close()
    run = symgate("--state-dir", state, "why", job)
    check("why REQUEST_ID", run.returncode == 0 and "500 Internal Server Error" in run.stdout and
          "liby.so" in run.stdout and "took 1.2 s" in run.stdout and "\x1b" not in run.stdout, run.stdout, run.stderr)
    for subject in ("libz.so", "00000000-0000-4000-8000-000000000009"):
        run = symgate("--state-dir", state, "why", subject)
        check("why %s: requests that had it" % subject, job in run.stdout and "liby" not in run.stdout,
              run.stdout, run.stderr)
    check("why REQUEST_ID --json", json.loads(symgate("--json", "--state-dir", state, "why", job).stdout)
          ["requests"][0]["noted"] == noted)
    under_way_commands(state, job)
    view_commands(state)
    repair_commands(folder, state)
    backup = os.path.join(folder, "backup.db")
    run = symgate("--state-dir", state, "backup", backup)
    with sqlite3.connect(backup) as db:
        counted = db.execute("SELECT count(*) FROM cache_entry").fetchone()[0]
        check("backup", run.returncode == 0 and db.execute("PRAGMA integrity_check").fetchone() == ("ok",) and
              counted >= 3 and os.stat(backup).st_mode & 0o077 == 0, run.stderr, counted)
    db.close()
    run = symgate("--state-dir", state, "backup", folder + "/no/such/folder")
    check("backup: where it cannot be", run.returncode == 1 and "/no/such/folder" in run.stderr, run.stderr)


def owners(folder):
    return {os.path.join(place, name): os.lstat(os.path.join(place, name)).st_uid
            for place, folders, names in os.walk(folder) for name in [*folders, *names]}


def test_root(folder):
    """Commands run by root in the folder of a service that is another user's."""
    if os.geteuid() != 0:
        print("   skipped root-leaves-nothing-of-its-own: not root")
        if os.environ.get("SUPPORT_COUNTS"):
            with open(os.environ["SUPPORT_COUNTS"], "a") as counts:
                counts.write("0 0 root-leaves-nothing-of-its-own skipped\n")
        return
    nobody = 65534
    os.chmod(folder, 0o755)
    path = build(folder)
    state, files = os.path.join(folder, "state"), os.path.join(folder, "files")
    code_id = json.loads(symgate("--json", "object", "info", path).stdout)["objects"][0]["code_id"]
    os.makedirs(os.path.join(files, code_id[:2], code_id[2:]))
    shutil.copy(path, os.path.join(files, code_id[:2], code_id[2:], "debuginfo"))
    request = os.path.join(folder, "request.json")
    with open(request, "w") as f:
        json.dump({"modules": [{"type": "elf", "code_id": code_id, "image_addr": "0x0"}],
                   "stacktraces": []}, f)
    config = os.path.join(folder, "config.yml")
    with open(config, "w") as f:
        f.write("sources:\n  - {type: filesystem, id: files, path: %s, layout: {type: unified}}\n" % files)
    os.mkdir(state, 0o700)
    os.chown(state, nobody, nobody)
    common = ("-c", config, "--state-dir", state)
    run = symgate(*common, "prefetch", request)
    check("root: prefetch", run.returncode == 0 and "1 of 1" in run.stdout, run.stdout, run.stderr)
    for command in (("status",), ("cache", "list"), ("why", "app"), ("cleanup",), ("cache", "drop", "--all"), ("repair",)):
        run = symgate(*common, *command)
        check("root: %s" % " ".join(command), run.returncode in (0, 2, 3), run.stdout, run.stderr)
        made = owners(state)
        check("root: nothing of root's after %s" % command[0], made and set(made.values()) == {nobody},
              {path: uid for path, uid in made.items() if uid != nobody})
    hidden = os.path.join(folder, "hidden")
    os.mkdir(hidden, 0o700)
    shutil.copy(request, hidden)
    run = symgate(*common, "prefetch", os.path.join(hidden, "request.json"))
    check("root: what only root may read", run.returncode == 1 and "Permission denied" in run.stderr and
          "the owner of " + state in run.stderr, run.stderr)
    for arguments in (("serve", "--socket", os.path.join(folder, "socket")),):
        run = symgate(*common, *arguments)
        check("root: no service", run.returncode == 1 and "belongs to" in run.stderr and "setpriv" in run.stderr and
              not os.path.exists(os.path.join(folder, "socket")), run.stderr)
    copy = os.path.join(hidden, "copy.db")
    run = symgate(*common, "backup", copy)
    check("root: backup", run.returncode == 0 and os.path.exists(copy) and set(owners(state).values()) == {nobody},
          run.stderr, owners(state))


def test_terminal(folder):
    path = build(folder)
    address = "%x" % deep_address(path)
    def on_terminal(env):
        master, slave = pty.openpty()
        subprocess.run([SYMGATE, "lookup", path, address], stdout=slave, env=dict(os.environ, **env))
        os.close(slave)
        shown = os.read(master, 65536).decode()
        os.close(master)
        return shown
    os.environ.pop("NO_COLOR", None)
    check("colour on a terminal", "\033[" in on_terminal({}))
    check("NO_COLOR", "\033[" not in on_terminal({"NO_COLOR": "1"}))


def main():
    tests = [test_usage, test_completion, test_addr2line, test_pages, test_config, test_lookup, test_nameless,
             test_against_llvm, test_companions, test_split, test_dwz,
             test_macho, test_breakpad, test_symcache, test_cfi, test_minidump, test_coredump, test_crash_reports, test_managed, test_line_map, test_hidden_names,
             test_bad_input, test_symbolicate, test_stacks, test_folders, test_default_config, test_root, test_terminal]
    if not LLVM:
        sys.exit("test_cli: no llvm-symbolizer-19")
    for test in [test for test in tests if test.__name__ in sys.argv[2:] or not sys.argv[2:]]:
        folder = os.path.realpath(tempfile.mkdtemp(prefix="symgate-cli-"))
        try:
            test(folder)
        except Exception as error:      # a test that breaks off is a failure, the others go on
            output = getattr(error, "stderr", "")
            check("%s ran to its end" % test.__name__, False, "%s: %s" % (type(error).__name__, error), output)
        finally:
            shutil.rmtree(folder)
    print("%d passed, %d failed" % (passed, failed))
    if os.environ.get("SUPPORT_COUNTS"):
        with open(os.environ["SUPPORT_COUNTS"], "a") as counts:
            counts.write("%d %d cli\n" % (passed, failed))
    sys.exit(1 if failed else 0)


main()

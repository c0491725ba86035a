#!/usr/bin/env python3
"""test_objects -- lookup files, unwind information and managed code, written and read.  How it is run: cli_support.py."""
import gzip
import json
import os
import shutil
import subprocess

from cli_support import (SYMGATE, build, chain_is_deep, check, deep_address, json_lines, make, run_tests,
                         symgate)


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


run_tests([test_symcache, test_cfi, test_managed, test_line_map, test_bad_input])

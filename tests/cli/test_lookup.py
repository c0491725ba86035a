#!/usr/bin/env python3
"""test_lookup -- addresses looked up in objects, beside the same asked of llvm-symbolizer.  How it is run: cli_support.py."""
import gzip
import json
import os
import shutil
import subprocess

from cli_support import (DEEP, LLVM, SOURCE, SYMGATE, build, chain_is_deep, check, deep_address, json_lines,
                         make, run_tests, stretched, symbols, symgate, text_section)


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
    check("lookup: ends with its input", process.wait(timeout=stretched(60)) == 0)
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


run_tests([test_lookup, test_nameless, test_against_llvm, test_companions, test_split, test_dwz, test_macho,
           test_breakpad, test_addr2line, test_hidden_names])

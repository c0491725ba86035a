#!/usr/bin/env python3
"""agree -- symgate lookup held against llvm-symbolizer and eu-addr2line, address by address.

usage: agree.py [--full] [--count N] [--seed N] [FILE ...]     environment: SYMGATE

Builds its objects by recipe (or takes the FILEs), samples addresses of their code and compares
whole inline chains: function as the compiler wrote it, base name of the file, line. Where
llvm-symbolizer and symgate differ, a third decides, two against one: eu-addr2line, for PDBs pdbs.py. A file fails
below FLOOR percent of equal chains among the addresses that either side knows, or where llvm-dwarfdump or llvm-pdbutil
lists a function symgate has not.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from containers import PE, code_sections, for_llvm, labels, magic
from facts import differing
from pdbs import settled
from windows import broken_rules, canonical_chains, undecorated

FLOOR = 99.9
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from counts import finish  # noqa: E402
SYMGATE = os.path.abspath(os.environ.get("SYMGATE", os.path.join(TOP, "build", "symgate")))
SYMBOLIZER, DWP = "llvm-symbolizer-19", "llvm-dwp-19"


def macho(arch, options):
    return ("printf -- '--- !tapi-tbd\\ntbd-version: 4\\ntargets: [ x86_64-macos, arm64-macos ]\\ninstall-name: a\\n"
            "exports:\\n  - targets: [ x86_64-macos, arm64-macos ]\\n    symbols: [ dyld_stub_binder ]\\n...\\n' > a.tbd;"
            f"clang++-19 --target={arch}-apple-macos12 {options} -fno-exceptions -fno-rtti -nostdinc -c -o app.o $P/bare.cc;"
            f"ld64.lld-19 -arch {arch} -platform_version macos 12.0 12.0 -undefined dynamic_lookup -o app app.o a.tbd;")


DSYM = "dsymutil-19 app; cp app.dSYM/Contents/Resources/DWARF/app $OUT"


def wasm(options):
    """With names as the compiler wrote them, as llvm-symbolizer is asked for."""
    return (f"clang++-19 --target=wasm32 {options} -fno-exceptions -fno-rtti -nostdlib -c -o app.o $P/bare.cc;"
            "wasm-ld-19 --no-entry --export=start --no-demangle --allow-undefined -o $OUT app.o")


def pdb(target, machine, options, source="bare.cc"):
    """The image; its PDB lies beside it."""
    return (f"clang++-19 --target={target}-pc-windows-msvc -gcodeview {options} -fno-exceptions -fno-rtti -nostdinc"
            f" -c -o app.obj $P/{source}; lld-link-19 /nologo /machine:{machine} /subsystem:console /nodefaultlib"
            " /debug:full /opt:noref /entry:start /force:unresolved /pdb:$OUT.pdb /out:$OUT app.obj")


def pdb_modules(target, machine, options, link=""):
    """Two modules, templates and lambdas."""
    compile_one = (f"clang++-19 --target={target}-pc-windows-msvc -gcodeview {options} -std=c++17 -fno-exceptions -fno-rtti"
                   " -fno-threadsafe-statics -fno-stack-protector -ffunction-sections -nostdinc")
    return "".join(f"{compile_one} -c -o {name}.obj $P/{name}.cc;" for name in ("rings", "nodes")) + (
        f"lld-link-19 /nologo /machine:{machine} /subsystem:console /nodefaultlib /debug:full /opt:noref {link}"
        " /entry:start /force:unresolved /pdb:$OUT.pdb /out:$OUT rings.obj nodes.obj")


def pdb_many(target, machine, options, seed, link=""):
    """Several modules by many.py; and beside the image one of the same code with DWARF, for pdbs.py."""
    probes = "" if target == "aarch64" else "-mno-stack-arg-probe"
    compile_all = (f"for f in *.cc; do clang++-19 --target={target}-pc-windows-msvc {options} -g -std=c++17 -w -fno-exceptions"
                   f" -fno-rtti -fno-threadsafe-statics -fno-stack-protector {probes} -nostdinc -c -o $f.obj $f")
    link_all = (f"lld-link-19 /nologo /machine:{machine} /subsystem:console /nodefaultlib /opt:noref {link} /entry:start"
                " /force:unresolved")
    return (f"python3 $P/../many.py {seed} 4 .; {compile_all} -gcodeview; done;"
            f" {link_all} /debug:full /pdb:$OUT.pdb /out:$OUT *.obj;"
            f" {compile_all} -gdwarf; done; {link_all} /debug:dwarf /out:$OUT.dwarf *.obj")


def pe_dwarf(target, machine, options):
    """DWARF in an image, as MinGW has it."""
    compile_one = (f"clang++-19 --target={target}-w64-windows-gnu {options} -std=c++17 -fno-exceptions -fno-rtti"
                   " -fno-threadsafe-statics -fno-stack-protector -mno-stack-arg-probe -nostdinc")
    return "".join(f"{compile_one} -c -o {name}.o $P/{name}.cc;" for name in ("rings", "nodes")) + (
        f"printf 'void operator delete(void *) noexcept {{}} extern \"C\" void __cxa_pure_virtual() {{}}' > rest.cc;"
        f"clang++-19 --target={target}-w64-windows-gnu -g -c -o rest.o rest.cc;"
        f"ld.lld-19 -m {machine} --entry=start -o $OUT rings.o nodes.o rest.o")


FREESTANDING = ("clang++-19 -g -O2 -fno-pic -fno-rtti -fno-exceptions -nostdlib -static -nostdinc -o $OUT $P/bare.cc ")

# name, shell recipe; $OUT is the object, $P the programs, run in a folder of its own.
SHORT = [
    ("c-gcc-O2", "gcc -g -O2 -o $OUT $P/words.c"),
    ("c-gcc-O0-dwarf2", "gcc -gdwarf-2 -O0 -o $OUT $P/words.c"),
    ("c-clang-O1-dwarf3", "clang-19 -gdwarf-3 -O1 -o $OUT $P/words.c"),
    ("c-clang-O2-dwarf4", "clang-19 -gdwarf-4 -O2 -fuse-ld=lld -o $OUT $P/words.c"),
    ("cc-gcc-O2", "g++ -g -O2 -o $OUT $P/shapes.cc"),
    ("cc-gcc-O3-dwarf4", "g++ -gdwarf-4 -O3 -o $OUT $P/shapes.cc"),
    ("cc-clang-O2", "clang++-19 -g -O2 -o $OUT $P/shapes.cc"),
    ("cc-gcc-sections", "g++ -g -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections -o $OUT $P/shapes.cc"),
    *((f"cc-clang-lines-only-gc-{linker}", "clang++-19 -gdwarf-4 -gline-tables-only -O1 -ffunction-sections"
       f" -fuse-ld={linker} -Wl,--gc-sections -o $OUT $P/unused.cc") for linker in ("bfd", "gold", "lld")),
    ("cc-gcc-lto", "g++ -g -O2 -flto -o $OUT $P/shapes.cc"),
    ("cc-clang-zstd", "clang++-19 -g -O2 -gz=zstd -fuse-ld=lld -o $OUT $P/shapes.cc"),
    # llvm-symbolizer reads no .zdebug sections any more: it is asked about the same, unpacked.
    ("cc-gcc-zlib-gnu", "g++ -g -O2 -gz=zlib-gnu -o $OUT $P/shapes.cc &&"
                        " objcopy --decompress-debug-sections $OUT $OUT.plain"),
    ("cc-clang-split", f"clang++-19 -g -O2 -gsplit-dwarf -o $OUT $P/shapes.cc && {DWP} -e $OUT -o $OUT.dwp"),
    ("cc-gcc-split", "g++ -g -O2 -gsplit-dwarf -o $OUT $P/shapes.cc"),
    # The kernel's headers are found without gcc-multilib, which bars compilers for other machines.
    ("cc-gcc-32", "g++ -m32 -idirafter /usr/include/$(g++ -print-multiarch) -g -O2 -o $OUT $P/shapes.cc"),
    # Labels inside functions, of assembler and of linker relaxation: places, not functions.
    ("assembler-inside", "gcc -g -c -o a.o $P/inside.S && ld -o $OUT a.o"),
    ("riscv64", "clang++-19 --target=riscv64-linux-gnu -g -O2 -fPIC -fno-exceptions -fno-rtti -nostdinc -c -o a.o"
                " $P/bare.cc; ld.lld-19 -shared --noinhibit-exec --unresolved-symbols=ignore-all -o $OUT a.o"),
    ("segments-unsorted", "echo 'ENTRY(start) PHDRS { data PT_LOAD; text PT_LOAD FLAGS(5); } SECTIONS { . = 0x600000;"
                          " .data : { *(.data*) *(.bss*) LONG(1) } :data . = 0x400000; .text : { *(.text*) } :text"
                          " /DISCARD/ : { *(.eh_frame*) *(.note*) } }' > a.ld;" + FREESTANDING + "-Wl,-T,a.ld"),
    ("code-at-zero", FREESTANDING + "-fuse-ld=lld -Wl,-e,start -Wl,-Ttext=0"),
    # As kernel modules are: several code sections, all at 0.
    ("module-gcc", "gcc -g -O2 -ffreestanding -mcmodel=kernel -fno-pic -c -o a.o $P/module.c; ld -r -o $OUT a.o"),
    ("module-clang-32", "clang-19 -m32 -gdwarf-4 -O2 -ffreestanding -fno-pic -c -o $OUT $P/module.c"),
    ("assembler", "gcc -c -o a.o $P/labels.S && ld -o $OUT a.o"),
    ("assembler-clang", "clang-19 -c -o a.o $P/labels.S && ld.lld-19 -o $OUT a.o"),
    ("rust", "rustc -g -O -o $OUT $P/heap.rs"),
    ("dsym-x86_64", macho("x86_64", "-g -O2") + DSYM),
    ("dsym-arm64-dwarf4", macho("arm64", "-gdwarf-4 -O2") + DSYM),
    ("macho-symbols", macho("arm64", "-g -O1") + "cp app $OUT"),
    ("wasm", wasm("-g -O2")),
    ("wasm-dwarf4", wasm("-gdwarf-4 -O1")),
    ("pdb-x86_64", pdb("x86_64", "x64", "-g -O2")),
    ("pdb-i686", pdb("i686", "x86", "-g -O1")),
    ("pdb-arm64", pdb("aarch64", "arm64", "-g -O2")),
    ("pe-dwarf-x86_64", pe_dwarf("x86_64", "i386pep", "-g -O1")),
    ("pdb-x86_64-modules-O0", pdb_modules("x86_64", "x64", "-g -O0")),
    ("pdb-x86_64-many-O2", pdb_many("x86_64", "x64", "-O2", 1)),
    ("pdb-i686-many-O1", pdb_many("i686", "x86", "-O1", 2)),
]
FULL = [(f"{name}-{compiler}-O{level}-dwarf{version}",
         f"{compiler} -gdwarf-{version} -O{level} -o $OUT $P/{source}")
        for version in (2, 3, 4, 5) for level in (0, 1, 2, 3)
        for name, source, compilers in (("c", "words.c", ("gcc", "clang-19")),
                                        ("cc", "shapes.cc", ("g++", "clang++-19")))
        for compiler in compilers] + [
    ("cc-gcc-types", "g++ -g -O2 -fdebug-types-section -o $OUT $P/shapes.cc"),
    ("cc-clang-lto", "clang++-19 -g -O2 -flto -fuse-ld=lld -o $OUT $P/shapes.cc"),
    ("cc-gcc-split-dwarf4", "g++ -gdwarf-4 -O2 -gsplit-dwarf -o $OUT $P/shapes.cc && dwp -e $OUT -o $OUT.dwp"),
    ("cc-gcc-dwz", "g++ -g -O2 -o $OUT $P/shapes.cc && dwz $OUT"),
    ("cc-gcc-partition", "g++ -g -O2 -freorder-blocks-and-partition -o $OUT $P/shapes.cc"),
    ("cc-clang-icf", "clang++-19 -g -O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=all -o $OUT $P/shapes.cc"),
    ("rust-debug", "rustc -g -o $OUT $P/heap.rs"),
    ("rust-v0", "rustc -g -O -C symbol-mangling-version=v0 -o $OUT $P/heap.rs"),
] + [
    (f"dsym-{arch}-O{level}-dwarf{version}", macho(arch, f"-gdwarf-{version} -O{level}") + DSYM)
    for arch in ("x86_64", "arm64") for version in (4, 5) for level in (0, 1, 3)
] + [
    (f"wasm-O{level}-dwarf{version}", wasm(f"-gdwarf-{version} -O{level}"))
    for version in (4, 5) for level in (0, 1, 3)
] + [
    (f"pe-dwarf-{target}-O{level}-dwarf{version}", pe_dwarf(target, machine, f"-gdwarf-{version} -O{level}"))
    for target, machine in (("x86_64", "i386pep"), ("aarch64", "arm64pe")) for level in (0, 2) for version in (4, 5)
] + [
    (f"pdb-{target}-O{level}", pdb(target, machine, f"-g -O{level}"))
    for target, machine in (("x86_64", "x64"), ("i686", "x86"), ("aarch64", "arm64")) for level in (0, 1, 2, 3)
] + [
    (f"pdb-{target}-modules-{name}", pdb_modules(target, machine, f"-g {options}"))
    for target, machine in (("x86_64", "x64"), ("i686", "x86"), ("aarch64", "arm64"))
    for name, options in (("O0", "-O0"), ("O1", "-O1"), ("O2", "-O2"), ("Os", "-Os"), ("lto", "-O2 -flto"))
] + [
    (f"pdb-{target}-many-{name}", pdb_many(target, machine, options, 10 + seed, link))
    for target, machine in (("x86_64", "x64"), ("i686", "x86"), ("aarch64", "arm64"))
    for seed, (name, options, link) in enumerate((
        ("O0", "-O0", ""), ("O1", "-O1", ""), ("O2", "-O2", ""), ("O3", "-O3", ""), ("Os", "-Os", ""), ("Oz", "-Oz", ""),
        ("lto", "-O2 -flto", ""), ("folded", "-O2 -ffunction-sections", "/opt:ref,icf"),
        ("plain", "-O1 -fno-inline", "")))
]


def more_than(some, others):
    return [other for other in others if other[0] not in {name for name, _ in some}]


def build(name, recipe, folder):
    place = os.path.join(folder, name)
    os.mkdir(place)
    out = os.path.join(place, name)
    done = subprocess.run(["sh", "-ec", recipe], cwd=place, capture_output=True, text=True,
                          env={**os.environ, "OUT": out, "P": os.path.join(HERE, "programs")})
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip()[-400:]}")
    return out


def sample(path, count, seed):
    chance = random.Random(seed)
    sections = code_sections(path)
    total = sum(size for _, size in sections)
    picks = set()
    for _ in range(20 * count):     # sections of a relocatable file lie over each other
        if len(picks) >= min(count, total):
            break
        at = chance.randrange(total)
        for start, size in sections:
            if at < size:
                picks.add(start + at)
                break
            at -= size
    return sorted(picks)


def base(path):
    return os.path.basename((path or "").replace("\\", "/"))


def ask_symgate(path, addresses):
    text = "".join(f"{address:x}\n" for address in addresses)
    done = subprocess.run([SYMGATE, "--json", "lookup", "--no-demangle", path], input=text, capture_output=True,
                          text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr.strip())
    return [[(re.sub(r"^\?\?$", "", frame["symbol"]), base(frame.get("file")), frame.get("line") or 0)
             for frame in json.loads(line)["frames"]] for line in done.stdout.splitlines()]


def ask_llvm(path, addresses):
    lookup, offset = for_llvm(path)
    text = "".join(f"{address - offset:#x}\n" for address in addresses)
    more = [f"--dwp={path}.dwp"] if os.path.exists(path + ".dwp") else []
    lookup = path + ".plain" if os.path.exists(path + ".plain") else lookup
    out = subprocess.run([SYMBOLIZER, "--inlines", "--functions=linkage", "--no-demangle", "--output-style=JSON",
                          *more, f"--obj={lookup}"], input=text, capture_output=True, text=True, check=True).stdout
    return [[(one["FunctionName"], base(one["FileName"]), one["Line"]) for one in json.loads(line).get("Symbol", [])
             if one["FunctionName"] or one["FileName"]] for line in out.splitlines()]


def ask_elfutils(path, addresses):
    """Chains by eu-addr2line, or None where it has no answer that can be compared."""
    out = subprocess.run(["eu-addr2line", "-i", "-f", "-a", "-e", path], capture_output=True, text=True,
                         input="".join(f"{address:#x}\n" for address in addresses)).stdout
    chains, chain = [], None
    lines = iter(out.splitlines())
    for line in lines:
        if line.startswith("0x"):
            chain = []
            chains.append(chain)
            continue
        place = next(lines, "??:0")
        function = re.sub(r" inlined at .*", "", line)
        match = re.match(r"(.*?):(\d+)(:\d+)?", place)
        known = match and match.group(1) != "??"
        chain.append((function, base(match.group(1)) if known else "", int(match.group(2)) if known else 0))
    return chains if len(chains) == len(addresses) else [None] * len(addresses)


def is_label(ours, llvm, inside):
    """llvm-symbolizer names the rest of a function, and padding, by a label in it: tests/object/test_elf."""
    if not ours and len(llvm) == 1:
        return llvm[0][0] in inside and not llvm[0][2]
    return len(ours) == len(llvm) > 0 and llvm[-1][0] in inside and \
        ours[:-1] == llvm[:-1] and ours[-1][1:] == llvm[-1][1:]


def compare(path, addresses):
    """Prints the file's line and its first differences; returns the percentage."""
    ours, llvm = ask_symgate(path, addresses), ask_llvm(path, addresses)
    if not len(ours) == len(llvm) == len(addresses):
        raise RuntimeError(f"{path}: {len(ours)} and {len(llvm)} answers for {len(addresses)} addresses")
    if magic(path) == PE:   # the classes of difference that are none
        ours, llvm = canonical_chains(ours), canonical_chains(undecorated(path, llvm))
    different = [i for i in range(len(addresses)) if ours[i] != llvm[i]]
    inside = labels(path) if different else set()
    different = [i for i in different if not is_label(ours[i], llvm[i], inside)]
    known = sum(1 for a, b in zip(ours, llvm) if a or b)
    third = dict(zip(different, ask_elfutils(path, [addresses[i] for i in different]))) if different else {}
    # eu-addr2line names inlined functions by their short names: files and lines decide.
    with_us = [i for i in different if third[i] and [f[1:] for f in third[i]] == [f[1:] for f in ours[i]]]
    if magic(path) == PE and os.path.exists(path + ".pdb"):
        right = settled(path, *([answers[i] for i in different] for answers in (addresses, ours, llvm)))
        with_us = [i for i in different if addresses[i] in right]
    wrong = [i for i in different if i not in set(with_us)]
    percent = 100.0 * (known - len(wrong)) / known if known else 100.0
    print(f"{os.path.basename(path)}: {percent:.3f} % of {known} known addresses agree"
          f" ({len(addresses) - known} unknown to both, {len(with_us)} decided by the third)", flush=True)
    for i in wrong[:3]:
        print(f"    {addresses[i]:#x}\n      symgate {ours[i]}\n      llvm    {llvm[i]}\n      elfutils {third[i]}")
    return percent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the whole matrix")
    parser.add_argument("--count", type=int, default=1500, help="addresses of each file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    passed = failed = 0
    for broken in broken_rules():
        print(f"names that should be one: {broken}")
        failed += 1
    folder = tempfile.mkdtemp(prefix="symgate-agree-")
    try:
        wanted = [(path, None) for path in args.files] or SHORT + (more_than(SHORT, FULL) if args.full else [])
        for name, recipe in wanted:
            if recipe and recipe.startswith("rustc") and not shutil.which("rustc"):
                print(f"{name}: left out, there is no rustc")
                continue
            try:
                path = build(name, recipe, folder) if recipe else name
                fine = compare(path, sample(path, args.count, args.seed)) >= FLOOR
                listed, wrong = differing(path, ask_symgate)
                print("".join(f"    {one}\n" for one in [f"{listed} functions listed, {len(wrong)} differ", *wrong[:3]]),
                      end="", flush=True)
                fine = fine and not wrong
            except (RuntimeError, subprocess.CalledProcessError) as error:
                print(f"{name}: {error}")
                fine = False
            passed += fine
            failed += not fine
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    finish(passed, failed, "agree")


if __name__ == "__main__":
    main()

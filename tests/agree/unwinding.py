#!/usr/bin/env python3
"""unwinding -- symgate cfi held against readelf (ELF) and llvm-readobj (PE), row by row.

usage: unwinding.py [FILE ...]     environment: SYMGATE

Builds its objects by recipe (or takes the FILEs).  Of ELF every row of `readelf --debug-dump=frames-interp` must hold
where it begins: the CFA and each register.  Of PE x64 each unwind code must hold behind its instruction, and at each
return and the pops before it what llvm-objdump shows to be left; of PE ARM64, packed or not, all instructions of the
prologue behind it.  A file fails when a row differs, or none could be compared.
"""
import os
import re
import subprocess
import sys
import tempfile
from bisect import bisect_right

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from counts import finish  # noqa: E402
SYMGATE = os.path.abspath(os.environ.get("SYMGATE", os.path.join(TOP, "build", "symgate")))
READOBJ = "llvm-readobj-19"
OBJDUMP = "llvm-objdump-19"
TOLD = 8                                                         # differences printed for a file


def image(target, machine, options, source):
    return (f"clang++-19 --target={target}-pc-windows-msvc {options} -std=c++17 -fno-exceptions -fno-rtti -nostdinc -w"
            f" -fno-threadsafe-statics -fno-stack-protector -c -o app.obj $P/{source}; lld-link-19 /nologo /machine:{machine}"
            " /subsystem:console /nodefaultlib /opt:noref /entry:start /force:unresolved /out:$OUT app.obj")


RECIPES = {
    "gcc-O2.so": "g++ -O2 -shared -fPIC -w -o $OUT $P/rings.cc $P/nodes.cc",
    "gcc-O0.so": "g++ -O0 -shared -fPIC -w -o $OUT $P/rings.cc $P/nodes.cc",
    "gcc-debug-frame": "gcc -O2 -g -fno-asynchronous-unwind-tables -fno-unwind-tables -shared -fPIC -w -o $OUT $P/words.c",
    "clang-O2.so": "clang++-19 -O2 -shared -fPIC -w -o $OUT $P/rings.cc $P/nodes.cc",
    "clang-arm64.so": "clang++-19 --target=aarch64-linux-gnu -O1 -fPIC -funwind-tables -nostdinc -w -shared -fuse-ld=lld -nostdlib"
                     " -o $OUT $P/bare.cc",
    "x64-O0.exe": image("x86_64", "x64", "-O0", "rings.cc"),
    "x64-O2.exe": image("x86_64", "x64", "-O2", "rings.cc"),
    "x64-nodes.exe": image("x86_64", "x64", "-O2 -fno-omit-frame-pointer", "nodes.cc"),
    "arm64-O0.exe": image("aarch64", "arm64", "-O0", "rings.cc"),
    "arm64-O2.exe": image("aarch64", "arm64", "-O2", "rings.cc"),
    "arm64-nodes.exe": image("aarch64", "arm64", "-O2 -fno-omit-frame-pointer", "nodes.cc"),
}


def output(*command):
    """readelf fails where it only warns."""
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    if not run.stdout:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr}")
    return run.stdout


# --- Ours -----------------------------------------------------------------------------------------

class Cache:
    """A CfiCache as functions, each a list of rows: (address, {register: rule})."""

    def __init__(self, path, folder):
        out = os.path.join(folder, "cficache")
        subprocess.run([SYMGATE, "cfi", "write", "-o", out, path], check=True, stdout=subprocess.DEVNULL)
        with open(out, "rb") as f:
            text = f.read()[8:].decode()
        os.unlink(out)
        self.functions = []
        for line in text.splitlines():
            words = line.split()
            if words[:3] == ["STACK", "CFI", "INIT"]:
                start = int(words[3], 16)
                self.functions.append((start, start + int(words[4], 16), [(start, self.rules(words[5:]))]))
            elif words[:2] == ["STACK", "CFI"]:
                rows = self.functions[-1][2]
                rows.append((int(words[2], 16), {**rows[-1][1], **self.rules(words[3:])}))
        self.starts = [function[0] for function in self.functions]

    @staticmethod
    def rules(words):
        rules = {}
        for word in words:
            if word.endswith(":") and len(word) > 1:
                name = word[:-1]
                rules[name] = ""
            else:
                rules[name] = (rules[name] + " " + word).strip()
        return rules

    def at(self, address):
        """None: no record covers it."""
        i = bisect_right(self.starts, address) - 1
        if i < 0 or address >= self.functions[i][1]:
            return None
        rows = self.functions[i][2]
        return rows[bisect_right([row[0] for row in rows], address) - 1][1]


def cfa_of(rules):
    """REGISTER+OFFSET, exp or u, as readelf has it."""
    rule = rules.get(".cfa", ".undef")
    match = re.fullmatch(r"\$?(\w+) (-?\d+) \+", rule)
    return f"{match[1]}{int(match[2]):+d}" if match else "u" if rule == ".undef" else "exp"


def rule_of(rules, name):
    """c+OFFSET, v+OFFSET, u (nothing is known, or nothing has changed), exp, or the register it is in."""
    rule = rules.get(name, rules.get("$" + name, ".undef"))
    match = re.fullmatch(r"\.cfa (-?\d+) \+( \^)?", rule)
    if match:
        return f"{'c' if match[2] else 'v'}{int(match[1]):+d}"
    if rule in (".undef", name, "$" + name):
        return "u"
    return rule.lstrip("$") if re.fullmatch(r"\$?\w+", rule) else "exp"


# --- ELF ----------------------------------------------------------------------------------------------

def load_address(path):
    starts = [int(line.split()[2], 16) for line in output("readelf", "-lW", path).splitlines()
              if line.split()[:1] == ["LOAD"]]
    return min(starts, default=0) & ~0xfff


def link_register(path):
    """What the return address is in where nothing is said; x86 has none."""
    return "x30" if "AArch64" in output("readelf", "-h", path) else None


def elf_rows(path):
    """Of each function the rows: (address, CFA, {register: rule})."""
    columns, rows = None, []
    for line in output("readelf", "--wide", "--debug-dump=frames-interp", path).splitlines():
        words = re.sub(r" r\d+ \((\w+)\)", r" \1", line).split()     # a register, by number and name
        if " FDE " in line:
            rows.append([])
        elif " CIE " in line:
            rows.append(None)
        elif words[:2] == ["LOC", "CFA"]:
            columns = words[2:]
        elif " ZERO " not in line and rows and rows[-1] is not None and re.match(r"^[0-9a-f]{8,16} ", line):
            rows[-1].append((int(words[0], 16), words[1], dict(zip(columns, words[2:]))))
    return [row for function in rows if function for row in function]


def compare_elf(path, cache):
    base, link, last, equal, differing = load_address(path), link_register(path), {}, 0, []
    for address, cfa, registers in elf_rows(path):
        last[address - base] = cfa, registers                      # of several at one place the last holds
    for address, (cfa, registers) in last.items():
        ours = cache.at(address)
        if ours is None:
            differing.append(f"{address:x}: nothing known of it")
            continue
        told = {"CFA": cfa_of(ours)}
        told.update((name, rule_of(ours, ".ra" if name == "ra" else name)) for name in registers)
        wanted = {"CFA": cfa, **{name: "u" if rule == "s" else "exp" if rule == "vexp" else rule
                                 for name, rule in registers.items()}}
        if link and told.get("ra") == link:
            told["ra"] = "u"                                     # it is still in lr
        if told == wanted:
            equal += 1
        else:
            differing.append(f"{address:x}: " + ", ".join(f"{name} {told[name]}, not {wanted[name]}" for name in told
                                                          if told[name] != wanted[name]))
    return equal, differing


# --- PE -----------------------------------------------------------------------------------------------

def runtime_functions(path):
    text = output(READOBJ, "--unwind", path)
    return text.split("  RuntimeFunction {\n")[1:]


def field(text, name):
    return int(re.search(rf"{name}: (?:\S+ )?\(?(0x[0-9A-Fa-f]+|\d+)", text)[1], 0)


def held_against(cache, where, cfa, saved):
    """What differs at a place, as words; "" when nothing does."""
    ours = cache.at(where)
    if ours is None:
        return f"{where:x}: nothing known of it"
    told = {"CFA": cfa_of(ours), **{name: rule_of(ours, name) for name in saved}}
    wanted = {"CFA": cfa, **saved}
    return "" if told == wanted else f"{where:x}: {told}, not {wanted}"


def compare_x64(text, base, cache):
    """One function: what holds behind each instruction of its prologue; nothing of chained ones."""
    if "Chained" in text or "PUSH_MACHFRAME" in text:
        return []
    start = field(text, "StartAddress") - base
    codes = re.findall(r"(0x[0-9A-F]+): (\w+)(?: (.*))?", text.split("UnwindCodes [")[-1])[::-1]
    depths, depth = [], 8
    for _, name, words in codes:
        depth += 8 if name == "PUSH_NONVOL" else int(re.search(r"size=(\d+)", words)[1]) if name.startswith("ALLOC") else 0
        depths.append(depth)
    results, cfa, saved = [held_against(cache, start, "rsp+8", {".ra": "c-8"})], None, {".ra": "c-8"}
    for (offset, name, words), here in zip(codes, depths):
        register = re.search(r"reg=(\w+)", words or "")
        at = re.search(r"offset=(0x[0-9A-F]+)", words or "")
        if name == "PUSH_NONVOL":
            saved[register[1].lower()] = f"c-{here}"
        elif name.startswith("SAVE_NONVOL"):
            saved[register[1].lower()] = f"c{int(at[1], 16) - depth:+d}"
        elif name == "SET_FPREG":
            cfa = f"{register[1].lower()}{here - int(at[1], 16):+d}"
        results.append(held_against(cache, start + int(offset, 16), cfa or f"rsp+{here}", saved))
    return results


def instructions(path, base):
    """(address, words) in the order of the code, which is one of instructions where compilers made it."""
    for line in output(OBJDUMP, "-d", "--no-show-raw-insn", path).splitlines():
        match = re.match(r"\s*([0-9a-f]+):\s+(.*\S)", line)
        if match:
            yield int(match[1], 16) - base, " ".join(match[2].split())


def compare_epilogs(path, base, cache):
    """At each return, and at pops before it that another instruction of the epilogue leads to."""
    before, results = [], []
    for address, words in instructions(path, base):
        if re.match(r"(rep(nz)? )?retq", words) and cache.at(address) is not None:
            depth, saved = 8, {".ra": "c-8"}
            results.append(held_against(cache, address, "rsp+8", saved))
            while before and before[-1][1].startswith("popq"):
                at, pop = before.pop()
                depth += 8
                saved["u" if "%rcx" in pop or "%rax" in pop else pop.split("%")[1]] = f"c-{depth}"
                saved.pop("u", None)
                if before and re.match(r"popq|addq \$\w+, %rsp|leaq .*, %rsp", before[-1][1]):
                    results.append(held_against(cache, at, f"rsp+{depth}", saved))
        before.append((address, words))
    return results


def store(words, depth):
    """Of a store below the CFA: how deep the stack is then, and what is saved where."""
    match = re.fullmatch(r"st[pr] (\w+)(?:, (\w+))?, \[sp, #(-?\d+)\](!?)", words)
    if not match:
        return None
    depth -= int(match[3]) if match[4] else 0
    low = -depth + (0 if match[4] else int(match[3]))
    names = [{"lr": ".ra", "x30": ".ra", "fp": "x29"}.get(name, name) for name in match.groups()[:2] if name]
    return depth, {name: f"c{low + 8 * i:+d}" for i, name in enumerate(names) if re.fullmatch(r"\.ra|x(19|2\d)", name)}


def compare_arm64(text, base, cache):
    """One function: what holds behind its prologue; nothing where instructions are not ones of a plain prologue."""
    start, length = field(text, "Function") - base, field(text, "FunctionLength")
    listed = re.search(r"Prologue \[\n(.*?)\n\s*\]", text, re.S)
    depth, cfa, saved, count = 0, None, {}, 0
    for line in reversed(listed[1].splitlines() if listed else []):
        words = line.split(";")[-1].strip()
        if words == "end":
            continue
        count += 1
        stored = store(words, depth)
        sub = re.fullmatch(r"sub sp,(?: sp,)? #(\d+)", words)
        frame = re.fullmatch(r"(?:mov (?:x29|fp), sp|add (?:x29|fp), sp, #(\d+))", words)
        if stored:
            depth = stored[0]
            saved.update(stored[1])
        elif sub:
            depth += int(sub[1])
        elif frame:
            cfa = "x29", depth - int(frame[1] or 0)
        elif words != "nop":
            return []
    register, offset = cfa or ("sp", depth)
    return [held_against(cache, start + 4 * count, f"{register}{offset:+d}", saved)] if 4 * count < length else []


def compare_pe(path, cache):
    base = field(output(READOBJ, "--file-headers", path), "ImageBase")
    compare = compare_arm64 if "Arch: aarch64" in output(READOBJ, "--file-headers", path) else compare_x64
    results = [result for text in runtime_functions(path) for result in compare(text, base, cache)]
    results += compare_epilogs(path, base, cache) if compare is compare_x64 else []
    return sum(not result for result in results), [result for result in results if result]


# --- All ------------------------------------------------------------------------------------------------

def compare_file(path, name, folder):
    with open(path, "rb") as f:
        compare = compare_elf if f.read(4) == b"\x7fELF" else compare_pe
    equal, differing = compare(path, Cache(path, folder))
    print(f"{'ok' if equal and not differing else 'FAILED':6} {name}: {equal} rows equal, {len(differing)} differ")
    for what in differing[:TOLD]:
        print("       " + what)
    return bool(equal) and not differing


def main():
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sys.argv[1:]:
            results.append(compare_file(path, os.path.basename(path), folder))
        for name, recipe in {} if sys.argv[1:] else RECIPES.items():
            out = os.path.join(folder, name)
            made = subprocess.run(["sh", "-c", recipe.replace("$OUT", out).replace("$P", os.path.join(HERE, "programs"))],
                                  cwd=folder, check=False, capture_output=True, text=True)
            if made.returncode or not os.path.exists(out):
                print(f"FAILED {name}: not made: {made.stderr.strip()[-300:]}")
                results.append(False)
            else:
                results.append(compare_file(out, name, folder))
    finish(sum(results), len(results) - sum(results), "unwinding")


if __name__ == "__main__":
    main()

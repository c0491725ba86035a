#!/usr/bin/env python3
"""cores -- the stacks of core files as symgate coredump walks them, held against gdb and eu-stack frame by frame.

usage: cores.py [NAME ...]     environment: SYMGATE

Builds programs by recipe (programs/cores), lets them die, takes the core of the kernel, or gdb's where the kernel
gives none, and compares the addresses of every thread. A thread agrees when its frames are those of gdb or of eu-stack.
Where neither has them it has to be one of the explained classes, each of which has a test in CLASSES. A program fails
when a thread differs for no known reason.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "support"))
from counts import finish  # noqa: E402
from load import stretched  # noqa: E402

SYMGATE = os.path.abspath(os.environ.get("SYMGATE", os.path.join(TOP, "build", "symgate")))
PROGRAMS = os.path.join(HERE, "programs", "cores")
MOST_FRAMES = 256                                                # of a thread, as symgate tells them
PATIENCE = stretched(60)

# name: (what makes it, environment of its run)
RECIPES = {
    "threads": ("gcc -g -O2 -pthread -o $OUT $P/threads.c", {}),
    "threads-stripped": ("gcc -O2 -fomit-frame-pointer -s -pthread -o $OUT $P/threads.c", {}),
    "threads-static": ("gcc -g -O1 -static -pthread -o $OUT $P/threads.c", {}),
    "threads-static-stripped": ("gcc -O2 -static -s -pthread -o $OUT $P/threads.c", {}),
    "threads-nameless": ("gcc -O2 -Wl,--build-id=none -pthread -o $OUT $P/threads.c", {}),
    "threads-no-pie": ("gcc -O0 -no-pie -pthread -o $OUT $P/threads.c", {}),
    "signals": ("gcc -g -O1 -o $OUT $P/signals.c", {}),
    "signals-O2": ("gcc -O2 -fomit-frame-pointer -s -o $OUT $P/signals.c", {}),
    "first": ("gcc -g -O1 -o $OUT $P/first.c", {}),
    "shapes-O0": ("gcc -g -O0 -w -o $OUT $P/shapes.c", {}),
    "shapes-O2": ("gcc -g -O2 -w -o $OUT $P/shapes.c", {}),
    "shapes-Os": ("gcc -Os -fomit-frame-pointer -w -s -o $OUT $P/shapes.c", {}),
    "shapes-clang": ("clang-19 -g -O2 -w -o $OUT $P/shapes.c", {}),
    "shapes-debug-frame": ("gcc -g -O2 -w -fno-asynchronous-unwind-tables -fno-unwind-tables -o $OUT $P/shapes.c", {}),
    "shapes-no-table": ("gcc -g -O2 -w -Wl,--no-eh-frame-hdr -static -o $OUT $P/shapes.c", {}),
    "shapes-32": ("gcc -m32 -g -O2 -w -o $OUT $P/shapes.c", {}),
    "deep": ("gcc -g -O2 -fno-optimize-sibling-calls -o $OUT $P/deep.c", {}),
    "nowhere": ("gcc -g -O1 -o $OUT $P/nowhere.c", {}),
    "made": ("gcc -g -O2 -o $OUT $P/made.c", {}),
    "thrown": ("g++ -g -O2 -o $OUT $P/thrown.cc", {}),
    "thrown-static": ("g++ -O2 -static -s -o $OUT $P/thrown.cc", {}),
    "uncaught": ("g++ -g -O1 -pthread -o $OUT $P/uncaught.cc", {}),
    "panics-rust": ("rustc -g -O -C panic=abort -o $OUT $P/panics.rs", {}),
    "panics-rust-stripped": ("rustc -O -C panic=abort -C strip=symbols -o $OUT $P/panics.rs", {}),
    "panics-go": ("GOCACHE=$D/gocache GO111MODULE=off go build -o $OUT $P/panics.go", {"GOTRACEBACK": "crash"}),
}

GDB_WALK = r"""
import gdb
for thread in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
    thread.switch()
    frame, told = gdb.newest_frame(), []
    while frame is not None and len(told) < 256:
        # Frames of inlined calls share another's address; those of tail calls are concluded from call sites, and gone.
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            told.append("%x" % frame.pc())
        try:
            frame = frame.older()
        except gdb.error:
            break
    print("WALKED", thread.ptid[1], " ".join(told))
"""


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
                          stdin=subprocess.DEVNULL, **more)


# --- Programs and their cores ----------------------------------------------------------------------

def make(name, folder):
    """The program's path, or None: what makes it is not installed, or cannot do it here."""
    command, _ = RECIPES[name]
    words = command.split()
    compiler = next(word for word in words if "=" not in word)
    if not shutil.which(compiler):
        return None
    path = os.path.join(folder, name)
    made = run(["sh", "-c", command], cwd=folder, env={**os.environ, "OUT": path, "P": PROGRAMS,
                                                       "D": folder})
    if made.returncode != 0:
        print(f"   {name}: {made.stderr.strip().splitlines()[-1:]}")
        return None
    return path


def kernel_core(path, environment, folder):
    run(["sh", "-c", f"ulimit -c unlimited; exec {path}"], cwd=folder, env={**os.environ, **environment})
    found = [name for name in os.listdir(folder) if re.fullmatch(r"core(\.\d+)?", name)]
    return os.path.join(folder, found[0]) if found else None


def debugger_core(path, environment, folder):
    core = os.path.join(folder, "core.gdb")
    run(["gdb", "-batch", "-nx", "-ex", "handle SIGSEGV nostop pass" if "signals" in path or "first" in path else "echo",
         "-ex", "run", "-ex", f"generate-core-file {core}", "-ex", "kill", path], env={**os.environ, **environment})
    return core if os.path.exists(core) else None


# --- Who walks: {thread: [address]} ------------------------------------------------------------------

def by_symgate(core, folder):
    told = run([SYMGATE, "--json", "coredump", core], cwd=folder)
    if told.returncode != 0:
        raise RuntimeError(told.stderr)
    reply = json.loads(told.stdout)
    return {thread["thread_id"]: thread["frames"] for thread in reply["stacktraces"]}


def unrolled(frames):
    """The addresses frames return to. Those of inlined calls repeat their caller's; of a symbolicated frame that was
    called the reply has the address of its call instruction's last byte."""
    seen, addresses = set(), []
    for frame in frames:
        index = frame.get("original_index", len(addresses))
        if index in seen:
            continue
        was_called = index > 0 and frame.get("adjust_instruction_addr") is not False
        seen.add(index)
        addresses.append(int(frame["instruction_addr"], 16) + (was_called and frame["status"] == "symbolicated"))
    return addresses


def by_gdb(path, core, folder):
    script = os.path.join(folder, "walk.py")
    with open(script, "w", encoding="ascii") as f:
        f.write(GDB_WALK)
    told = run(["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-ex", "set backtrace past-main on",
                "-ex", f"source {script}", path, core])
    return {int(words[1]): [int(word, 16) for word in words[2:]]
            for words in (line.split() for line in told.stdout.splitlines()) if words and words[0] == "WALKED"}


def by_eu_stack(path, core):
    threads, frames = {}, []
    for line in run(["eu-stack", "-n", str(MOST_FRAMES), "--core", core, "-e", path]).stdout.splitlines():
        if line.startswith("TID "):
            frames = threads.setdefault(int(line.split()[1].rstrip(":")), [])
        elif re.match(r"#\d+\s+0x", line):
            frames.append(int(line.split()[1], 16))
    return threads


# --- Differences, and why ------------------------------------------------------------------------------

def has_more_above(ours, theirs):
    """They stop earlier: where there are no rules we go on by frame pointers, and by scanning."""
    return len(ours) > len(theirs) and ours[:len(theirs)] == theirs


def trusts(frames):
    return [frame.get("trust") for frame in frames]


def went_on_without_rules(frames, ours, others):
    """Where a module has no rules (it has no build id, so that nobody finds its file; code made at run time) frames before the
    first that was found by a frame pointer or by scanning are those of the others."""
    real = [frame for at, frame in enumerate(frames)
            if not at or frame.get("original_index") != frames[at - 1].get("original_index")]
    first = next((at for at, trust in enumerate(trusts(real)) if trust in ("fp", "scan")), None)
    return first is not None and max(common(ours, theirs) for theirs in others) >= first


def common(ours, theirs):
    count = 0
    while count < min(len(ours), len(theirs)) and ours[count] == theirs[count]:
        count += 1
    return count


def goes_further(_, ours, others):
    return all(has_more_above(ours, theirs) for theirs in others if theirs)


def dropped_a_scanned_frame(_, ours, others):
    """In the vDSO of 32-bit processes, whose rules are in no file, the caller is found by scanning; a scanned frame that has
    no function is dropped from the answer, as Symbolicator does. All other frames are there."""
    return any(ours == theirs[:1] + theirs[2:MOST_FRAMES] for theirs in others if len(theirs) > 2)


CLASSES = (("a scanned frame without a function is dropped", dropped_a_scanned_frame),
           ("goes further than both", goes_further),
           ("no rules: frame pointers and scanning", went_on_without_rules))


def judge(frames, ours, others):
    """"gdb", "eu-stack", "both", the name of a class, or None."""
    equal = [name for name, theirs in others.items() if theirs[:MOST_FRAMES] == ours]
    if equal:
        return "both" if len(equal) == len(others) else equal[0]
    for name, explains in CLASSES:
        if explains(frames, ours, list(others.values())):
            return name
    return None


def hexes(addresses):
    return " ".join(f"{address:x}" for address in addresses[:24])


def compare(name, path, core, folder, counts):
    ours = by_symgate(core, folder)
    gdb, eu = by_gdb(path, core, folder), by_eu_stack(path, core)
    good = bool(ours)
    for thread, frames in ours.items():
        walked = unrolled(frames)
        others = {"gdb": gdb.get(thread, []), "eu-stack": eu.get(thread, [])}
        verdict = judge(frames, walked, others)
        counts["threads"] += 1
        counts["frames"] += len(walked)
        best = max(common(walked, theirs) for theirs in others.values())
        counts["equal frames"] += best
        counts["either"] += max(len(theirs) for theirs in others.values())
        counts.setdefault("classes", {}).setdefault(verdict or "unexplained", []).append(f"{name}:{thread}")
        if verdict is None or os.environ.get("CORES_VERBOSE"):
            print(f"   {name} thread {thread}: {verdict}\n     symgate  {hexes(walked)}\n              {' '.join(map(str, trusts(frames)))}")
            for who, theirs in others.items():
                print(f"     {who:8} {hexes(theirs)}")
        good &= verdict is not None
    return good


def main():
    chosen = sys.argv[1:] or list(RECIPES)
    counts = {"threads": 0, "frames": 0, "equal frames": 0, "either": 0}
    failed = compared = 0
    skipped = []
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            path = make(name, folder)
            core = path and (kernel_core(path, RECIPES[name][1], folder) or debugger_core(path, RECIPES[name][1], folder))
            if not core:
                skipped.append("cores-compared" if path else f"core-of-{name}")
                print(f"skipped {name}: {'no core' if path else 'cannot be built here'}")
                continue
            good = compare(name, path, core, folder, counts)
            compared += 1
            failed += not good
            print(f"{'ok' if good else 'FAILED'} {name}")
    classes = counts.pop("classes", {})
    print(f"{compared} programs, " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    for name, threads in classes.items():
        print(f"   {len(threads):3} threads: {name}")
    finish(compared - failed, failed, "cores", skipped)


if __name__ == "__main__":
    main()

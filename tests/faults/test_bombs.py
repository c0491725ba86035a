#!/usr/bin/env python3
"""test_bombs -- small files that ask for much cost little: CPU time, and the memory a cell is given.

Every bomb of bombs.py is converted in a cell of 64 MiB.  What it took of the work budget is a count and the same
everywhere; CPU time is looked at too, with a bound so generous that only a loop without end, or one that grows with the
square of the file, passes it: it is processor time, not the time of day, and the cell's own limit ends it.
"""
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "service")]

import bombs  # noqa: E402
from service_tests import run_all  # noqa: E402

SYMGATE = os.environ.get("SYMGATE", os.path.join(HERE, "..", "..", "build", "symgate"))
MEMORY = 64 << 20
CPU_SECONDS = 20                # of the cell; an honest file of this size takes a fiftieth of a second
STEPS_FREE, STEPS_PER_BYTE = 5 << 20, 32        # base/work_budget.h, and what is taken together
PR_SET_CHILD_SUBREAPER = 36


def is_sanitized():
    """Sanitized builds have shadow memory, and take ten times the time."""
    with open(SYMGATE, "rb") as f:
        return b"__asan_init" in f.read()


class Watch(threading.Thread):
    """The most memory any cell had while it ran."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.stopped = 0, threading.Event()
        self.start()

    def look(self, pid):
        found = {}
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
                for line in f:
                    key, _, value = line.partition(":")
                    found[key] = value.split()
        except OSError:
            return
        if found.get("Name") == ["symgate-cell"]:
            kilobytes = sum(int(found[key][0]) for key in ("RssAnon", "RssShmem") if key in found)
            self.most = max(self.most, kilobytes << 10)

    def below(self, pid):
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                children = f.read().split()
        except OSError:
            return
        for child in children:
            self.look(child)
            self.below(child)

    def run(self):
        while not self.stopped.wait(0.002):
            self.below(os.getpid())

    def stop(self):
        self.stopped.set()
        self.join()
        return self.most


def reap_the_rest():
    """Cells and nurseries whose parents have gone are ours: their CPU time counts when they are waited for."""
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def convert(config, path, out):
    before, watch = spent(), Watch()
    done = subprocess.run([SYMGATE, "-c", config, "--json", "symcache", "write", path, out], check=False, timeout=600,
                          capture_output=True, text=True)
    most = watch.stop()
    reap_the_rest()
    return done, spent() - before, most


def check(name, size, done, seconds, memory):
    trouble = []
    if done.returncode == 0:
        report = json.loads(done.stdout)
        if report["steps"] > STEPS_FREE + size * STEPS_PER_BYTE:
            trouble.append(f"{report['steps']} steps of work")
    elif not any(words in done.stderr for words in
                 ("more work than", "unpacked data over", "memory ceiling", "memory allowed", "times its", "cannot hold", "bad ")):
        trouble.append(f"ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
    if "CPU time limit" in done.stderr or seconds > CPU_SECONDS:
        trouble.append(f"{seconds:.1f} s of CPU time")
    if memory >= MEMORY and not is_sanitized():
        trouble.append(f"{memory} bytes of memory")
    print(f"  {name}: {size} bytes, {seconds:.2f} s, {memory >> 20} MiB", flush=True)
    return [f"{name}: {what}" for what in trouble]


def convert_all(wanted):
    trouble = []
    with tempfile.TemporaryDirectory() as folder:
        config, path, out = (os.path.join(folder, name) for name in ("symgate.yml", "bomb", "out"))
        with open(config, "w", encoding="ascii") as f:
            f.write(f"state_dir: {folder}/state\nlimits:\n  cell_memory: 64MiB\n  cell_cpu: {CPU_SECONDS}s\n")
        for name, make in bombs.all_bombs():
            if not wanted(name):
                continue
            data = make()
            with open(path, "wb") as f:
                f.write(data)
            if os.path.exists(out):
                os.unlink(out)
            trouble += check(name, len(data), *convert(config, path, out))
    assert not trouble, "\n".join(trouble)


def test_elf_and_dwarf():
    convert_all(lambda name: not name.startswith(("pdb", "breakpad", "wasm", "macho", "pe-")))


def test_breakpad():
    convert_all(lambda name: name.startswith("breakpad"))


def test_pdb():
    convert_all(lambda name: name.startswith("pdb"))


def test_other_formats():
    convert_all(lambda name: name.startswith(("wasm", "macho", "pe-")))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    run_all([test_elf_and_dwarf, test_breakpad, test_pdb, test_other_formats], "bombs")

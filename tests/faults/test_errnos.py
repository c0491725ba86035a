#!/usr/bin/env python3
"""test_errnos -- each system call of a job fails once, or for a while, with each errno it knows.

Whatever fails, the answer is the whole one, later, or the request is refused with 503, or the job
ends `failed` with words at its deadline.  Nothing is remembered of it.

The calls are counted for one cold request first, in every process; then one after the other fails
(fail_calls.c).  The short form takes a few of each, spread over the request; the long one all.

usage: test_errnos.py [TEST ...]
environment: SYMGATE (the program), SYMGATE_STORM=long (all calls), SYMGATE_STORM_SEED
"""
import ctypes
import errno
import functools
import json
import mmap
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "service"))
import service_tests  # noqa: E402
from service_tests import PATIENCE, Service, Symbols, eventually, run_all, stretched  # noqa: E402
import sqlite3  # noqa: E402

LONG = os.environ.get("SYMGATE_STORM") == "long"
FUNCTIONS = 4000            # each has a name nobody has asked for before
SHARED = 1000
FEW = 3                     # calls of each kind in the short form
SHORT_SECONDS = 45          # the short form ends here, wherever it is,
LEAST = 20                  # but for a machine that has met fewer calls by then
ROLES = ("other", "front", "workshop", "nursery", "cell")
KINDS = ("write", "read", "open", "rename", "fsync", "send", "receive", "map", "make", "fork", "memory")

# What may happen to each; ENOENT only where it says nothing about a file of somebody else's.
ERRNOS = {
    "write": (errno.ENOSPC, errno.EIO, errno.EDQUOT), "read": (errno.EIO, errno.ENOMEM),
    "open": (errno.EMFILE, errno.ENFILE, errno.EIO), "rename": (errno.ENOENT, errno.ENOSPC, errno.EIO),
    "fsync": (errno.EIO, errno.ENOSPC), "send": (errno.EPIPE, errno.ENOBUFS, errno.ECONNRESET),
    "receive": (errno.ECONNRESET, errno.EIO), "map": (errno.ENFILE, errno.ENOMEM),
    "make": (errno.EMFILE, errno.ENOSPC), "fork": (errno.EAGAIN, errno.ENOMEM), "memory": (errno.ENOMEM,),
}
# Memory that a cell cannot have is its own ceiling: that is a fact about the file.
NOT_IN_CELLS = {("read", errno.ENOMEM), ("map", errno.ENOMEM), ("memory", errno.ENOMEM)}


class Control(ctypes.Structure):
    """As in fail_calls.c."""
    _fields_ = [("armed", ctypes.c_uint32), ("kind", ctypes.c_uint32), ("roles", ctypes.c_uint32),
                ("error", ctypes.c_int32), ("skip", ctypes.c_int64), ("left", ctypes.c_int64),
                ("fired", ctypes.c_uint64), ("seen", (ctypes.c_uint64 * len(KINDS)) * len(ROLES))]


class Faults:
    """The library, its control file, and a program that runs with both."""

    def __init__(self, folder):
        library, path = os.path.join(folder, "fail_calls.so"), os.path.join(folder, "control")
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "fail_calls.c"), "-ldl"],
                       check=True)
        with open(path, "wb") as f:
            f.write(bytes(max(ctypes.sizeof(Control), mmap.PAGESIZE)))
        with open(path, "r+b") as f:
            self.control = Control.from_buffer(mmap.mmap(f.fileno(), 0))
        self.program = os.path.join(folder, "symgate")
        with open(self.program, "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\nexec env LD_PRELOAD='{library}' FAIL_CALLS='{path}' '{service_tests.SYMGATE}' \"$@\"\n")
        os.chmod(self.program, 0o755)

    def arm(self, role, kind, error, skip, left):
        control = self.control
        control.kind, control.roles, control.error = KINDS.index(kind), 1 << ROLES.index(role), error
        control.skip, control.left, control.fired = skip, left, 0
        control.armed = 1

    def disarm(self):
        self.control.armed = 0
        return self.control.fired

    def seen(self):
        return {(role, kind): self.control.seen[r][k] for r, role in enumerate(ROLES) for k, kind in enumerate(KINDS)}


class Object:
    """A C++ program with a supplementary file (dwz), so that its conversion asks for that."""

    def __init__(self, folder):
        def path(name):
            return os.path.join(folder, name)
        for name in ("one", "two"):
            with open(path(name + ".cc"), "w", encoding="ascii") as f:
                f.write("namespace storm { struct thing { int weight; }; struct tree { tree *left; thing *things; }; }\n")
                for number in range(SHARED):     # what both programs have, and the supplementary file gets
                    f.write(f"struct shared{number} {{ int first{number}; long second{number}[{number + 1}]; }} it{number};\n")
                f.write("static volatile int sink; storm::tree root;\n")
                for number in range(FUNCTIONS if name == "one" else 1):
                    f.write(f"namespace storm {{ __attribute__((noinline)) int walk_{number}(const thing &it, tree *)\n"
                            f"{{ return it.weight * sink + {number}; }} }}\n")
                f.write("int main() { storm::thing it = {}; return storm::walk_0(it, nullptr); }\n")
            subprocess.run(["g++", "-O1", "-gdwarf-4", "-Wl,--build-id", "-o", path(name), path(name + ".cc")], check=True)
        subprocess.run(["dwz", "-m", path("common"), path("one"), path("two")], check=True)
        self.code_id, self.common_id = self.build_id(path("one")), self.build_id(path("common"))
        listing = subprocess.run(["nm", path("one")], capture_output=True, text=True, check=True).stdout
        found = re.findall(r"^([0-9a-f]+) . _ZN5storm\d+walk_(\d+)E\S*$", listing, re.M)
        self.addresses = {int(number): int(address, 16) for address, number in found}
        self.files = {}
        for name, identity in (("one", self.code_id), ("common", self.common_id)):
            with open(path(name), "rb") as f:
                self.files[f"/{identity[:2]}/{identity[2:]}/debuginfo"] = f.read()

    @staticmethod
    def build_id(path):
        notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
        return re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


@functools.lru_cache
def the_object():
    with tempfile.TemporaryDirectory(prefix="symgate-storm-object-") as folder:
        return Object(folder)


class Storm:
    def __init__(self, config=""):
        self.folder = tempfile.mkdtemp(prefix="symgate-storm-")
        self.object, self.faults = the_object(), Faults(self.folder)
        self.symbols = Symbols()
        self.symbols.files.update(self.object.files)
        self.number = 0
        self.program, service_tests.SYMGATE = service_tests.SYMGATE, self.faults.program
        self.service = Service("pool:\n  processes: 1\n" + config)

    def __enter__(self):
        self.service.__enter__()
        self.answer()                            # what is done once is done
        return self

    def __exit__(self, *what):
        self.faults.disarm()
        self.service.__exit__(*what)
        service_tests.SYMGATE = self.program
        self.symbols.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def request(self, **more):
        """One nobody has made before: source, scope and name are new."""
        self.number += 1
        base = 0x10000000
        module = {"type": "elf", "code_id": self.object.code_id, "image_addr": hex(base), "image_size": 0x10000000}
        frame = {"instruction_addr": hex(base + self.object.addresses[self.number % FUNCTIONS] + 1)}
        return {"sources": [self.symbols.source(f"s{self.number}")], "modules": [module], "stacktraces": [{"frames": [frame]}],
                "options": {"dif_candidates": True}, **more}

    def ask(self, request, until=None, query=""):
        """Its end; 503 with words means to ask again."""
        identity, until = None, until or time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if identity is None:
                status, body = self.service.post(request, "?timeout=2" + query)
            else:
                status, body = self.service.get(f"/requests/{identity}?timeout=2")
            reply = json.loads(body) if body[:1] == b"{" else {"status": "", "body": body}
            if status == 503 and reply.get("detail"):
                time.sleep(0.02)                 # as its client would
                continue
            assert status == 200, (status, body)
            if reply["status"] != "pending":
                return reply
            identity = reply["request_id"]
        raise AssertionError(f"no end within {PATIENCE} s: {request}")

    def check_whole(self, reply, number):
        assert reply["status"] == "completed", reply
        frame, module = reply["stacktraces"][0]["frames"][0], reply["modules"][0]
        assert module["debug_status"] == "found", reply
        assert frame["function"].startswith(f"storm::walk_{number % FUNCTIONS}("), reply
        assert frame.get("lineno") and frame.get("sym_addr") and frame["status"] == "symbolicated", reply
        assert all(candidate["download"]["status"] == "ok" for candidate in module["candidates"]), reply

    def answer(self):
        request = self.request()
        self.check_whole(self.ask(request), self.number)

    def failures(self):
        database = sqlite3.connect(os.path.join(self.service.state, "symgate.db"), timeout=30)
        try:
            return database.execute("SELECT * FROM v_negative").fetchall()
        finally:
            database.close()

    def calls(self):
        """How many calls of each kind one cold request takes, in each kind of process."""
        before = self.faults.seen()
        for _ in range(3):
            self.answer()
        after = self.faults.seen()
        return {key: (after[key] - before[key] + 2) // 3 for key in after if after[key] > before[key]}

    def strike(self, role, kind, error, skip, left):
        what = f"{kind} in a {role}, {errno.errorcode[error]} after {skip}, {left} times"
        self.faults.arm(role, kind, error, skip, left)
        try:
            self.answer()
            fired = self.faults.disarm()
            assert self.service.process.poll() is None, "the service has ended"
            assert not self.failures(), self.failures()
        except Exception as error_met:
            self.faults.disarm()
            print(self.service.text_of_log()[-4000:])
            raise AssertionError(f"{what}: {error_met}") from error_met
        return fired


def plan(calls):
    """(role, kind, errno, calls let pass, failures): all of them, or a few of each, the worst first."""
    chance = random.Random(int(os.environ.get("SYMGATE_STORM_SEED", "1")))
    every = []
    for (role, kind), count in sorted(calls.items()):
        if role == "other":
            continue
        for error in ERRNOS[kind]:
            if role == "cell" and (kind, error) in NOT_IN_CELLS:
                continue
            if LONG:
                places = range(count + count // 4 + 1)
            else:
                places = sorted({0, count - 1, *(chance.randrange(count) for _ in range(FEW))})
            every += [(role, kind, error, skip, 1) for skip in places]
            every += [(role, kind, error, skip, 4) for skip in (places[0], places[len(places) // 2])]
    if not LONG:
        chance.shuffle(every)
    return every


def test_each_errno_at_each_call():
    with Storm() as storm:
        calls = storm.calls()
        strikes, begun, done, fired = plan(calls), time.monotonic(), 0, 0
        for strike in strikes:
            if not LONG and done >= LEAST and time.monotonic() - begun > SHORT_SECONDS:
                break
            fired += storm.strike(*strike) > 0
            done += 1
        print(f"   {done} of {len(strikes)} strikes, {fired} met their call; calls of a cold request: "
              + ", ".join(f"{role} {kind} {count}" for (role, kind), count in sorted(calls.items())))
        assert fired > done // 2, "most were to meet their call"
        missing = [kind for kind in KINDS if not any(key[1] == kind for key in calls)]
        assert not missing, missing
        eventually(lambda: storm.service.metric("symgate_jobs_live") == 0, "no job to be left")
        log = storm.service.text_of_log()
        assert "crash frame" not in log, log


def test_what_lasts_ends_failed_with_words():
    """A disk that stays full: `failed`, with words, at the deadline; and whole once it is empty again."""
    for role, kind, error, words in (("cell", "write", errno.ENOSPC, "No space left on device"),
                                     ("cell", "map", errno.ENFILE, "Too many open files in system"),
                                     ("workshop", "make", errno.EMFILE, "Too many open files"),
                                     ("nursery", "fork", errno.EAGAIN, "fork")):
        with Storm(f"limits:\n  job_time: {stretched(3)}s\n") as storm:
            storm.faults.arm(role, kind, error, 0, 1 << 40)
            request = storm.request()
            reply = storm.ask(request)
            assert reply["status"] == "failed" and words in reply["message"], (role, kind, reply)
            assert storm.faults.disarm() > 0, (role, kind)
            assert not storm.failures(), storm.failures()
            eventually(lambda: storm.service.metric("symgate_jobs_live") == 0, "no job to be left")
            storm.check_whole(storm.ask(request), storm.number)


def test_no_scope_and_no_source_has_all_cells():
    """Slow files of one scope, then of one source, in every cell: others are read all the same."""
    with Storm("workshop:\n  cells: 2\n  cell_threads: 1\n") as storm:
        for by_scope in (True, False):
            slow = [storm.request() for _ in range(3)]
            if not by_scope:
                for request in slow:             # files of one source: its two modules
                    request["sources"] = [dict(slow[0]["sources"][0], id="slow" + str(storm.number))]
                for number, request in enumerate(slow):
                    request["sources"][0]["url"] += f"{number}/"
                    storm.symbols.files.update({f"/{number}{path}": body for path, body in storm.object.files.items()})
            storm.faults.arm("cell", "write", 0, 0, 2)
            waiting = [json.loads(storm.service.post(request, "?timeout=0&scope=slow")[1])["request_id"] for request in slow]
            eventually(lambda: storm.faults.control.fired == 2, "both cells to be slow")
            other = storm.request()
            reply = storm.ask(other, query="&scope=" + ("other" if by_scope else "slow"))
            storm.check_whole(reply, storm.number)
            storm.faults.disarm()
            for identity in waiting:
                def ended(path=f"/requests/{identity}?timeout=2"):
                    reply = json.loads(storm.service.get(path)[1])
                    return reply["status"] != "pending" and reply
                reply = eventually(ended, "the slow ones to end")
                assert reply["status"] == "completed" and reply["modules"][0]["debug_status"] == "found", reply
        assert "cell_makes_way" in storm.service.text_of_log(), storm.service.text_of_log()


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)],
            "errnos")

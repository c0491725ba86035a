#!/usr/bin/env python3
"""test_crash_commands -- minidumps, cores and crash reports from the command line.  How it is run: cli_support.py."""
import contextlib
import functools
import gzip
import http.server
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import threading

from cli_support import SYMGATE, TOP, build, check, make, run_tests, stretched, symbols, symgate


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


def made_dump(folder):
    """A dump of two threads by the recipe of the benchmark, and the id of its module."""
    sys.path.insert(0, os.path.join(TOP, "tests", "bench"))
    from makers import crash_debug_id, write_crash
    path = os.path.join(folder, "made.dmp")
    write_crash(path, 2, 6)
    return path, crash_debug_id()


def test_minidump_without_sources(folder):
    """Answered without a workshop: what it says is what a workshop that finds nothing says."""
    dump, _ = made_dump(folder)
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    replies = []
    for options in ((), ("--symbols", empty), ("--state-dir", os.path.join(folder, "state"))):
        reply = json.loads(symgate("--json", "minidump", *options, dump).stdout)
        for module in reply["modules"]:
            module.pop("candidates", None)
        replies.append(reply)
    check("minidump: no sources and empty ones answer alike", replies[0] == replies[1] == replies[2] and
          len(replies[0]["stacktraces"]) == 2 and replies[0]["modules"][0]["unwind_status"] == "missing", replies)
    run = symgate("minidump", dump)
    check("minidump: both threads", run.returncode == 0 and run.stdout.count("\nthread 100") == 2 and
          "\nthread 1000 (crashed)\n" in run.stdout, run)
    bad = os.path.join(folder, "bad.dmp")
    with open(bad, "wb") as f:
        f.write(b"MDMP" + b"\xff" * 200)
    said = [symgate("minidump", *options, bad).stderr for options in ((), ("--symbols", empty))]
    check("minidump: a bad one is refused alike", said[0] == said[1] and "bad.dmp" in said[0], said)


def test_minidump_symbols(folder):
    """A Breakpad file where symbol servers have it: found by its id, twice, the second time by what was kept."""
    dump, debug_id = made_dump(folder)
    path = os.path.join(folder, "server", "crasher", debug_id, "crasher.sym")
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as f:
        f.write("MODULE Linux x86_64 %s crasher\nFUNC 1000 1000000 0 all_of_it\n" % debug_id)
    shown = []
    for _ in range(2):
        run = symgate("--state-dir", os.path.join(folder, "state"), "minidump", "--symbols", os.path.join(folder, "server"), dump)
        check("minidump --symbols", run.returncode == 0 and run.stdout.count("all_of_it") == 12 and run.stderr == "",
              run.stdout[:600], run.stderr)
        shown.append(run.stdout)
    check("minidump --symbols: again", shown[0] == shown[1], shown)
    os.mkdir(os.path.join(folder, "none"))
    run = symgate("minidump", "--symbols", os.path.join(folder, "none"), dump)
    check("minidump --symbols: what was tried is told", "crasher was looked for at" in run.stderr and debug_id in run.stderr, run.stderr)


CORE = """
#include <pthread.h>
#include <unistd.h>
static volatile int *nothing;
__attribute__((noinline)) static int inner(int n) { return n ? inner(n - 1) + 1 : *nothing; }
static volatile int is_there;
static void *rest(void *unused) { is_there = 1; pause(); return unused; }
int main(void) { pthread_t t; pthread_create(&t, 0, rest, 0); while (!is_there) usleep(1000); usleep(100000); return inner(3); }
"""


def make_core(folder, *options):
    """The core of a program with two threads that follows a null pointer; None where gdb may not trace."""
    with open(os.path.join(folder, "deep.c"), "w") as f:
        f.write(CORE)
    make("gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-fomit-frame-pointer", "-pthread", *options, "-o", "deep", "deep.c",
         cwd=folder)
    subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", "-ex", "generate-core-file deep.core", "-ex", "kill", "deep"],
                   cwd=folder, capture_output=True, timeout=stretched(60))
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


def test_coredump_nameless(folder):
    """A program linked without a build id: its file is the one at its path if it is what was mapped."""
    core = make_core(folder, "-Wl,--build-id=none")
    program, away = os.path.join(folder, "deep"), os.path.join(folder, "away")
    kept = os.path.join(folder, "kept")
    run = symgate("coredump", "--brief", core)
    check("nameless: by its path", run.returncode == 0 and run.stdout.count(" inner at ") == 4, run.stdout, run.stderr)
    with open(core, "rb") as f, gzip.open(core + ".gz", "wb", compresslevel=1) as packed:
        packed.write(f.read())
    run = symgate("coredump", "--brief", core + ".gz")
    check("nameless: of a packed core", run.returncode == 0 and run.stdout.count(" inner at ") == 4, run.stdout, run.stderr)
    os.rename(program, kept)
    for name in ("deep", folder.lstrip("/") + "/deep"):          # a folder of files, and one like the root of another machine
        os.makedirs(os.path.dirname(os.path.join(away, name)), exist_ok=True)
        os.rename(kept, os.path.join(away, name))
        run = symgate("coredump", "--brief", "--symbols", away, core)
        check("nameless: below a folder, " + name, run.stdout.count(" inner at ") == 4, run.stdout, run.stderr)
        os.rename(os.path.join(away, name), kept)
    with open(os.path.join(folder, "deep.c"), "a") as f:
        f.write("int more(int n) { return n * 3; }\n")
    make("gcc", "-g", "-O1", "-fno-optimize-sibling-calls", "-fomit-frame-pointer", "-pthread", "-Wl,--build-id=none", "-o", "deep",
         "deep.c", cwd=folder)
    run = symgate("coredump", "--brief", core)
    check("nameless: another build is not taken", run.returncode == 0 and " inner at " not in run.stdout, run.stdout)


def test_crash_reports(folder):
    run = symgate("applecrash", os.path.join(TOP, "tests/fuzz/corpus/applecrash/macos.txt"))
    check("applecrash", run.returncode == 0 and "EXC_BAD_ACCESS (SIGSEGV)" in run.stdout and "macOS 14.1 (23B74), arm64" in
          run.stdout and "thread 0 " in run.stdout and "(crashed)" in run.stdout and "0x100003f50" in run.stdout and
          "/Applications/Demo App 11111111-" in run.stdout, run.stdout, run.stderr)
    with open(os.path.join(TOP, "tests/fuzz/corpus/applecrash/macos.txt")) as f:
        odd = f.read().replace("ARM-64 (Native)", "Abacus (Translated)")
    path = os.path.join(folder, "odd.crash")
    with open(path, "w") as f:
        f.write(odd)
    told = json.loads(symgate("--json", "applecrash", path).stdout)
    check("applecrash: a processor nobody knows", told["system_info"]["cpu_arch"] == "unknown", told["system_info"])
    module = told["modules"][0]
    place = os.path.join(folder, "symbols", module["debug_id"][:2], module["debug_id"][2:].replace("-", ""))
    os.makedirs(place)
    with open(os.path.join(place, "breakpad"), "w") as f:
        f.write("MODULE mac arm64 %s0 Demo\nFUNC 0 100000 0 all_of_it\n" % module["debug_id"].replace("-", "").upper())
    told = json.loads(symgate("--json", "applecrash", "--symbols", os.path.join(folder, "symbols"), path).stdout)
    check("applecrash: its modules tell the processor", told["system_info"]["cpu_arch"] == "arm64" and
          told["modules"][0]["debug_status"] == "found", told["system_info"], told["modules"][0])
    text = os.path.join(folder, "stack.txt")
    with open(text, "w") as f:
        f.write("Thread 1 \"shop\" received signal SIGSEGV, Segmentation fault.\n"
                "#0  pay (cart=0x0,\n    times=3) at crash.c:9\n        local = 1\n#1  0x5 in main () at crash.c:12\n"
                "#00 pc 0000000000000010  /lib/libshop.so (BuildId: %s)\n" % ("ab" * 20))
    run = symgate("stacktext", text)
    check("stacktext", run.returncode == 0 and "SIGSEGV, Segmentation fault" in run.stdout and "pay at crash.c:9" in run.stdout and
          "main at crash.c:12" in run.stdout and "in libshop.so (missing)" in run.stdout and "(crashed)" in run.stdout,
          run.stdout, run.stderr)
    nothing = os.path.join(folder, "nothing")
    with open(nothing, "w") as f:
        f.write("no report\n")
    run = symgate("applecrash", nothing)
    none = symgate("stacktext", nothing)
    check("stacktext: none", none.returncode == 1 and "no line is a frame" in none.stderr, none.returncode, none.stderr)
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


run_tests([test_minidump, test_minidump_without_sources, test_minidump_symbols, test_coredump, test_coredump_nameless, test_crash_reports])

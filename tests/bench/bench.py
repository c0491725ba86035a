#!/usr/bin/env python3
"""bench -- how fast and how large symgate is, beside something that does the least possible.

usage: make bench       environment, all optional:

  BENCH_ONLY=hot,jobs   some of: hot memory start jobs parked dwarf dsym pdb breakpad symbfile
                        proguard jvm js lookup cfi sources scopes sourcemap crash files live charts
                        report
  BENCH_PAIRS=11        runs of each pair; what is printed are medians
  BENCH_REQUESTS=100000 hot requests before the fronts' memory is looked at the last time
  BENCH_CFI=FILE        a large ELF file with .eh_frame; without one the largest libLLVM there is
  BENCH_STACKWALK=FILE  Breakpad's minidump_stackwalk; without it our figures stand alone.  The npm
                        package `minidump` brings one: below bin/linux-x64
  BENCH_DUMPS=DIR       a folder with more minidumps to walk without symbols; the three largest are
  BENCH_DWARF=FILE      a large ELF file with debug information; without one its conversion is
                        left out, and the look-ups in the result.  It is measured as distributions
                        ship it, with its sections packed by zlib, and unpacked: what it is not is
                        made of it with objcopy.  On Debian 12 one is had by
                            apt-get download ceph-mds-dbg
                            dpkg -x ceph-mds-dbg_*.deb ceph
                        as the largest file below ceph/usr/lib/debug

  BENCH_JS=FILE         a large minified JavaScript file; without it its functions are not looked for
  BENCH_SOURCEMAP=FILE  a source map of 50 MB or so; without it none is read; with BENCH_JS_PARSERS, and
                        source-map and @jridgewell/trace-mapping there, theirs are timed too
  BENCH_JS_PARSERS=DIR  a node_modules with acorn and tree-sitter with tree-sitter-javascript, to
                        compare with; without it our figures stand alone

What is called memory is private memory and shared memory without a file behind it: Pss_Anon and
Pss_Shmem of all processes together.
"""
import concurrent.futures
import contextlib
import glob
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "service"))
sys.path.insert(0, os.path.join(TOP, "tests", "bench"))
from service_tests import Program, Service, Symbols, eventually, free_port, request_for  # noqa: E402
from makers import (crash_debug_id, write_breakpad, write_crash, write_crash_symbols, write_dsym,  # noqa: E402
                    write_pdb)

SYMGATE = os.environ["SYMGATE"]
PROGRAMS = os.environ["PROGRAMS"]
PAIRS = int(os.environ.get("BENCH_PAIRS", "11"))
REQUESTS = int(os.environ.get("BENCH_REQUESTS", "100000"))
DWARF = os.environ.get("BENCH_DWARF")
CFI = os.environ.get("BENCH_CFI")
STACKWALK = os.environ.get("BENCH_STACKWALK")
DUMPS = os.environ.get("BENCH_DUMPS")
SOURCEMAP = os.environ.get("BENCH_SOURCEMAP")
JS, JS_PARSERS = os.environ.get("BENCH_JS"), os.environ.get("BENCH_JS_PARSERS")
CRASH_POSTS, CRASH_BARS_MILLIS = 40, (25, 10)
MODULES, FRAMES = 10, 30
PROCESSES, THREADS = 2, 2
CONNECTIONS = 8
RUN_SECONDS = 1.5
JOBS, DELAY_SECONDS = 50, 2
PARKED, ASKED = 120, 100
TICKS = os.sysconf("SC_CLK_TCK")

rows = []


def row(what, figure, bar=None, holds=None):
    """One line of the table; `holds`: whether the bar is met."""
    rows.append((what, figure, bar or "", "" if holds is None else "met" if holds else "MISSED"))
    print(f"  {what}: {figure}", file=sys.stderr)


def skip(what, why):
    rows.append((what, "left out: " + why, "", ""))


# --- Processes ------------------------------------------------------------------------------

def stat_fields(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        text = f.read()
    return text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()


def family(root):
    """Ids of a process and all below it."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            children.setdefault(int(stat_fields(name)[1][1]), []).append(int(name))
    found, todo = [], [root]
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def cpu_seconds(pids):
    total = 0
    for pid in pids:
        fields = stat_fields(pid)[1]
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def rollup(pid, name):
    """A line of smaps_rollup in kB; 0 when the process has gone."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
            return int(re.search(rf"^{name}:\s+(\d+) kB", f.read(), re.M).group(1))
    return 0


@contextlib.contextmanager
def running(command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


# --- A pool with a trivial one beside it ---------------------------------------------------

LIGHTTPD = """
server.modules = ( "mod_fastcgi" )
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}"
server.errorlog = "{folder}/lighttpd.log"
server.max-keep-alive-requests = 1000000
fastcgi.server = (
	"/symbolicate" => (( "socket" => "{folder}/symgate.sock", "check-local" => "disable", "max-procs" => 1 )),
	"/trivial" => (( "socket" => "{folder}/trivial.sock", "check-local" => "disable", "max-procs" => 1 ))
)
"""


class Pools:
    """symgate on a state folder of its own, with a request that is hot."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.body = os.path.join(folder, "request.json")
        self.command = [SYMGATE, "-c", os.path.join(folder, "config.yml"), "--state-dir",
                        os.path.join(folder, "state"), "serve", "--socket",
                        os.path.join(folder, "symgate.sock")]
        with open(os.path.join(folder, "config.yml"), "w", encoding="ascii") as f:
            f.write(f'filesystem_source_roots: ["/"]\npool:\n  processes: {PROCESSES}\n'
                    f"  threads: {THREADS}\n")
        with open(os.path.join(folder, "lighttpd.conf"), "w", encoding="ascii") as f:
            f.write(LIGHTTPD.format(port=self.port, folder=folder))
        self.write_request()

    def write_request(self):
        programs = [Program(self.folder, number) for number in range(MODULES)]
        for program in programs:
            place = os.path.join(self.folder, "symbols", program.code_id[:2])
            os.makedirs(place, exist_ok=True)
            os.link(program.path, os.path.join(place, program.code_id[2:] + ".debug"))
        modules = [program.module(0x10000000 * (index + 1)) for index, program in enumerate(programs)]
        frames = [{"instruction_addr": hex(0x10000000 * (i % MODULES + 1) + programs[i % MODULES].address + 1)}
                  for i in range(FRAMES)]
        with open(self.body, "w", encoding="ascii") as f:
            json.dump({"platform": "native", "modules": modules, "stacktraces": [{"frames": frames}],
                       "sources": [{"type": "filesystem", "id": "local",
                                    "path": os.path.join(self.folder, "symbols")}]}, f)

    def load(self, path, amount, connections=CONNECTIONS):
        """requests, seconds, median, 99th percentile, longest (us), bytes of a reply"""
        out = subprocess.run([os.path.join(PROGRAMS, "http_load"), str(self.port), path, self.body,
                              str(connections), str(amount)], check=True, capture_output=True, text=True).stdout
        return [float(field) for field in out.split()]

    @contextlib.contextmanager
    def served(self):
        with running(self.command) as self.process, \
             running(["lighttpd", "-D", "-f", os.path.join(self.folder, "lighttpd.conf")]):
            eventually(lambda: subprocess.run(
                ["curl", "-fs", "-o", os.path.join(self.folder, "reply.json"), "-H", "Content-Type: application/json",
                 "--data-binary", "@" + self.body, f"http://127.0.0.1:{self.port}/symbolicate"],
                check=False).returncode == 0, "the first answer")
            with open(os.path.join(self.folder, "reply.json"), encoding="utf-8") as f:
                reply = json.load(f)
            assert reply["status"] == "completed", reply
            assert all(frame["status"] == "symbolicated" for frame in reply["stacktraces"][0]["frames"]), reply
            yield self

    def fronts(self):
        return [pid for pid in family(self.process.pid)[1:]
                if stat_fields(pid)[0] == "front" and int(stat_fields(pid)[1][1]) == self.process.pid]


# --- What is measured ----------------------------------------------------------------------

def bench_hot(pools):
    size = os.path.getsize(os.path.join(pools.folder, "reply.json"))
    with running([os.path.join(PROGRAMS, "trivial_fcgi"), os.path.join(pools.folder, "trivial.sock"),
                  str(PROCESSES), str(THREADS), str(size)]) as trivial:
        eventually(lambda: os.path.exists(os.path.join(pools.folder, "trivial.sock")), "the trivial pool")
        pools.load("/symbolicate", "2000n")
        pools.load("/trivial", "2000n")
        rates, ratios, micros, ours, theirs = [], [], [], [], []
        for _ in range(PAIRS):
            spent = cpu_seconds(pools.fronts())
            hot = pools.load("/symbolicate", RUN_SECONDS)
            ours.append((cpu_seconds(pools.fronts()) - spent) / hot[0] * 1e6)
            spent = cpu_seconds(family(trivial.pid)[1:])
            least = pools.load("/trivial", RUN_SECONDS)
            theirs.append((cpu_seconds(family(trivial.pid)[1:]) - spent) / least[0] * 1e6)
            rates.append(hot[0] / hot[1])
            ratios.append(hot[0] / hot[1] / (least[0] / least[1]))
            micros.append(hot[2:5])
    ratio = statistics.median(ratios)
    row(f"hot requests ({MODULES} modules, {FRAMES} frames, reply {size} bytes) per second",
        f"{statistics.median(rates):.0f}")
    row("... of a trivial FastCGI reply's rate", f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})",
        ">= 0.5", ratio >= 0.5)
    row("... CPU of the fronts per request", f"{statistics.median(ours):.0f} us")
    row("... CPU of the trivial pool per request", f"{statistics.median(theirs):.0f} us")
    row(f"... latency over {CONNECTIONS} connections, median and 99th percentile",
        f"{statistics.median(m[0] for m in micros) / 1000:.2f} ms, {statistics.median(m[1] for m in micros) / 1000:.2f} ms")


def bench_memory(pools):
    done, sizes = 0, []
    for share in (0.1, 0.5, 1):
        pools.load("/symbolicate", f"{int(REQUESTS * share) - done}n")
        done = int(REQUESTS * share)
        sizes.append(max(rollup(pid, "Private_Dirty") for pid in pools.fronts()) / 1024)
    row(f"Private_Dirty of the larger front after {int(REQUESTS * 0.1)}, {REQUESTS // 2}, {REQUESTS} hot requests",
        ", ".join(f"{size:.1f}" for size in sizes) + " MiB", "< 15 MB, flat",
        sizes[-1] * 1.048576 < 15 and sizes[-1] < sizes[0] * 1.1 + 0.5)


def bench_start(pools):
    out = subprocess.run([os.path.join(PROGRAMS, "first_answer"), "20", os.path.join(pools.folder, "symgate.sock"),
                          pools.body, *pools.command], check=True, capture_output=True, text=True).stdout
    millis = sorted(float(line) for line in out.split())
    row("first hot answer after exec, best of 20 (median)", f"{millis[0]:.1f} ms ({statistics.median(millis):.1f} ms)",
        "<= 50 ms", millis[0] <= 50)


def bench_jobs(folder):
    program = Program(folder, 99)
    symbols = Symbols()
    symbols.delay_seconds = DELAY_SECONDS
    with open(program.path, "rb") as f:
        symbols.files[f"/{program.code_id[:2]}/{program.code_id[2:]}.debug"] = f.read()
    module = program.module(0x10000000)
    requests = [{"modules": [module],
                 "stacktraces": [{"frames": [{"instruction_addr": hex(0x10000000 + program.address + 1)}]}],
                 "sources": [{"type": "http", "id": f"slow{i}", "url": f"http://127.0.0.1:{symbols.server_port}/"}]}
                for i in range(JOBS)]
    with Service(f"workshop:\n  processes: 1\npool:\n  processes: {PROCESSES}\n  threads: {THREADS}\n") as service, \
         concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        started = time.monotonic()
        replies = list(pool.map(service.post, requests))
        seconds = time.monotonic() - started
    for _, body in replies:
        reply = json.loads(body)
        assert reply["status"] == "completed", reply
        assert reply["stacktraces"][0]["frames"][0]["status"] == "symbolicated", reply
    row(f"{JOBS} jobs on a source that takes {DELAY_SECONDS} s, one workshop", f"{seconds:.1f} s", "< 6 s", seconds < 6)


def mozilla_symbols(folder, number):
    """A .sym of 20,000 functions with four lines each; name and id."""
    name, identity = f"lib{number}.so", f"{number + 1:032X}0"
    lines = [f"MODULE Linux x86_64 {identity} {name}"] + [f"FILE {i} /build/some/folder/file_{i}.cpp" for i in range(200)]
    for i in range(20000):
        start = 0x1000 + i * 128
        lines.append(f"FUNC {start:x} 80 0 some::names_{i % 50}::function_{i}(int, char const*)")
        lines += [f"{start + j * 32:x} 20 {j + 1} {i % 200}" for j in range(4)]
    os.makedirs(os.path.join(folder, name, identity))
    with open(os.path.join(folder, name, identity, f"{name}.sym"), "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    return name, identity


def bench_mozilla(folder):
    symbols = os.path.join(folder, "mozilla")
    chance = random.Random(1)
    jobs = [{"memoryMap": [mozilla_symbols(symbols, i)],
             "stacks": [[[0, chance.randrange(0x1000, 0x1000 + 20000 * 128)] for _ in range(1000)]]} for i in range(10)]
    body = json.dumps({"jobs": jobs})
    with Service(f"sources:\n- {{id: bench, type: filesystem, path: {symbols}, layout: {{type: native}}}}\n") as service:
        answer = json.loads(service.request("POST", "/symbolicate/v5", body)[1])
        assert all("line" in frame for result in answer["results"] for frame in result["stacks"][0]), answer
        for _ in range(10):
            service.request("POST", "/symbolicate/v5", body)
        millis = []
        for _ in range(PAIRS):
            before = cpu_seconds(service.pids())
            for _ in range(20):
                service.request("POST", "/symbolicate/v5", body)
            millis.append((cpu_seconds(service.pids()) - before) * 1000 / 20)
    figure = statistics.median(millis)
    row("/symbolicate/v5, 10 jobs of 1,000 addresses, warm: CPU of all processes",
        f"{figure:.1f} ms ({min(millis):.1f}-{max(millis):.1f})", "< 30 ms", figure < 30)


def bench_parked(folder):
    programs = [Program(folder, number) for number in range(80, 86)]
    symbols = Symbols()
    for program in programs:
        symbols.add(program)
    with Service(f"pool:\n  processes: {PROCESSES}\n  threads: {THREADS}\n") as service:
        hot = request_for(symbols, programs[:1])
        service.answer(hot)
        symbols.gate.clear()
        waiting = []
        with concurrent.futures.ThreadPoolExecutor(PARKED) as pool:
            for i in range(PARKED):
                request = request_for(symbols, [programs[1 + i % 5]])
                request["sources"][0]["id"] = f"slow{i}"
                waiting.append(pool.submit(service.post, request))
            eventually(lambda: service.metric("symgate_requests_parked") == PARKED, "the requests to be parked")
            for what, ask in (("/healthcheck", lambda: service.get("/healthcheck")),
                              ("a poll", lambda: service.get("/requests/00000000-0000-4000-8000-000000000000")),
                              ("a hot request", lambda: service.post(hot))):
                millis = []
                for _ in range(ASKED):
                    started = time.monotonic()
                    ask()
                    millis.append((time.monotonic() - started) * 1000)
                row(f"with {PARKED} parked: {what}, median (longest of {ASKED})",
                    f"{statistics.median(millis):.1f} ms ({max(millis):.1f} ms)", "at once", max(millis) < 1000)
            symbols.gate.set()
            for reply in waiting:
                assert json.loads(reply.result()[1])["status"] == "completed"


# --- Conversion ------------------------------------------------------------------------------

def timed(command, cpus=None):
    """Wall seconds, CPU seconds, peak memory in kB of the process and all below it, user CPU seconds."""
    if cpus is not None:
        command = ["taskset", "-c", cpus, *command]
    before, started, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, sum(rollup(pid, "Pss_Anon") + rollup(pid, "Pss_Shmem") for pid in family(process.pid)))
        time.sleep(0.02)
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 0, command
    user = after.ru_utime - before.ru_utime
    return wall, user + after.ru_stime - before.ru_stime, peak, user


def write_with(folder, threads):
    """The command that converts with so many threads, but for its two paths."""
    config = os.path.join(folder, f"threads{threads}.yml")
    with open(config, "w", encoding="ascii") as f:
        f.write(f"workshop:\n  cell_threads: {threads}\n")
    return [SYMGATE, "-c", config, "symcache", "write"]


def repacked(folder, name, *options):
    """The file of BENCH_DWARF with its sections packed or unpacked; objcopy warns of what it has no use for."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        subprocess.run(["objcopy", *options, DWARF, path], check=True, stderr=subprocess.DEVNULL)
    return path


def unpacked(folder):
    return repacked(folder, "unpacked", "--decompress-debug-sections")


def medians(runs):
    return tuple(statistics.median(run[i] for run in runs) for i in range(3))


def told(runs):
    return "{:.2f} s, {:.2f} s CPU, {:.0f} MB".format(*(value / unit for value, unit in zip(medians(runs), (1, 1, 1e3))))


def ratio_row(what, runs, least, which, bar):
    """Of each pair of runs; `which`: 0 wall time, 1 CPU time, 2 memory."""
    ratios = [run[which] / other[which] for run, other in zip(runs, least)]
    ratio = statistics.median(ratios)
    row(what, f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})", f"<= {bar}" if bar else None,
        ratio <= bar if bar else None)


def bench_dwarf(folder, cache):
    facts = os.path.join(PROGRAMS, "libdw_facts")
    if not DWARF:
        return skip("conversion of a large DWARF file", "no BENCH_DWARF=FILE; see the head of tests/bench/bench.py")
    if not os.path.exists(facts):
        return skip("conversion of a large DWARF file", "libdw was not there when this was configured (libdw-dev)")
    plain, shipped = unpacked(folder), repacked(folder, "shipped", "--compress-debug-sections=zlib")
    runs = {"libdw": ([facts, plain, os.path.join(folder, "facts")], "0"),
            "one": ([*write_with(folder, 1), plain, cache], "0"),
            "two": ([*write_with(folder, 2), plain, cache], None),
            "shipped one": ([*write_with(folder, 1), shipped, cache], "0"),
            "shipped two": ([*write_with(folder, 2), shipped, cache], None)}
    figures = {name: [] for name in runs}
    for _ in range(PAIRS):
        for name, (command, cpus) in runs.items():
            figures[name].append(timed(command, cpus))
    size = os.path.getsize(plain) / 1e6
    row(f"libdw writing its facts of {os.path.basename(DWARF)[:12]}, unpacked ({size:.0f} MB), one core",
        told(figures["libdw"]))
    for name, words, bar in (("one", "one core", 0.6), ("two", "two cores", 0.35)):
        row(f"conversion of it unpacked, {words}", told(figures[name]))
        ratio_row("... of libdw's time", figures[name], figures["libdw"], 0, bar)
        ratio_row("... of libdw's memory", figures[name], figures["libdw"], 2, 0.4)
    ratio_row("... of the time on one core", figures["two"], figures["one"], 0, None)
    row(f"conversion of it as shipped ({os.path.getsize(shipped) / 1e6:.0f} MB), one core", told(figures["shipped one"]))
    ratio_row("... of the CPU time unpacked", figures["shipped one"], figures["one"], 1, 1.8)
    row("conversion of it as shipped, two cores", told(figures["shipped two"]))
    ratio_row("... of the time on one core", figures["shipped two"], figures["shipped one"], 0, 0.6)
    os.unlink(shipped)
    return None


def bench_dsym(folder):
    """The DWARF of the ELF file once more, in a dSYM."""
    dsym, out = os.path.join(folder, "dsym"), os.path.join(folder, "dsym.symcache")
    if not DWARF or not write_dsym(unpacked(folder), dsym):
        return skip("the same DWARF in a dSYM", "no BENCH_DWARF=FILE")
    write, ratios, micros = write_with(folder, 1), [], []
    for _ in range(PAIRS):
        macho, elf = timed([*write, dsym, out], "0"), timed([*write, unpacked(folder), out], "0")
        ratios.append(macho[3] / elf[3])
        micros.append(macho)
    ratio = statistics.median(ratios)
    row(f"the same DWARF in a dSYM ({os.path.getsize(dsym) / 1e6:.0f} MB), one core", told(micros))
    row("... of the user CPU time for the ELF file", f"{ratio:.2f} ({min(ratios):.2f}-{max(ratios):.2f})", "<= 1.1",
        ratio <= 1.1)
    os.unlink(dsym)
    return None


def bench_rate(folder, path, words, bars):
    """Megabytes of a file per second of user CPU time on one core, memory as a part of the file; two cores."""
    out = os.path.join(folder, "rate.symcache")
    pairs = [(timed([*write_with(folder, 1), path, out], "0"), timed([*write_with(folder, 2), path, out]))
             for _ in range(PAIRS)]
    runs = [pair[0] for pair in pairs]
    size = os.path.getsize(path)
    rates = [size / 1e6 / run[3] for run in runs]
    rate, part = statistics.median(rates), statistics.median(run[2] for run in runs) * 1024 / size
    row(f"conversion of {words} of {size / 1e6:.0f} MB, per second of user CPU",
        f"{rate:.0f} MB ({min(rates):.0f}-{max(rates):.0f})", f">= {bars[0]} MB", rate >= bars[0])
    row("... peak memory", f"{statistics.median(run[2] for run in runs) / 1e3:.0f} MB, {part:.2f} of it",
        f"< {bars[1]}" if bars[1] else None, part < bars[1] if bars[1] else None)
    row("... one core", told(runs))
    row("... two cores", told([pair[1] for pair in pairs]))
    ratio_row("... of the time on one core", [pair[1] for pair in pairs], runs, 0, 0.59)


def bench_pdb(folder):
    place = os.path.join(folder, "pdb")
    os.makedirs(place)
    pdb = write_pdb(place)
    if not pdb:
        return skip("conversion of a large PDB", "no clang and lld-link to make one with")
    bench_rate(folder, pdb, "a PDB of generated C++ (clang -O2, lld)", (120, 0.5))
    shutil.rmtree(place)
    return None


def bench_breakpad(folder):
    path = os.path.join(folder, "rate.sym")
    write_breakpad(path)
    bench_rate(folder, path, "a Breakpad file with inlined calls", (150, None))
    os.unlink(path)


def look_up(cache, words):
    rounds = []
    for _ in range(PAIRS):
        out = subprocess.run([os.path.join(PROGRAMS, "bench_lookup"), cache, "1000000", "1"], check=True,
                             capture_output=True, text=True).stdout
        rounds.append([float(value) for value in re.findall(r"([\d.]+) M/s", out)])
    ranges = int(re.search(r"(\d+) ranges", out).group(1))
    frames = re.search(r"([\d.]+) frames each", out).group(1)
    for i, (what, bar) in enumerate(((f"look-ups in {words}: {ranges} ranges, {frames} frames each, pointers", 3),
                                     ("... reading every byte of the names", 1),
                                     ("... whole paths built, functions' names read", 1.2),
                                     ("... one by one, pointers", None),
                                     ("... one by one, whole paths built, functions' names read", None))):
        rates = [rates[i] for rates in rounds]
        rate = statistics.median(rates)
        row(what, f"{rate:.2f} M/s ({min(rates):.2f}-{max(rates):.2f})", f">= {bar} M/s" if bar else None,
            rate >= bar if bar else None)


def bench_sources():
    out = subprocess.run([os.path.join(PROGRAMS, "bench_sources"), "2"], check=True, capture_output=True, text=True).stdout
    facts = json.loads(out)
    row(f"a bundle of {facts['files']} files made ready to be quoted",
        f"{facts['make_seconds']:.2f} s, {facts['cache_bytes'] / facts['make_seconds'] / 1e6:.0f} MB/s")
    millis = facts["micros_per_100_frames"] / 1000
    row("100 frames quoted from it", f"{millis:.2f} ms", "< 5 ms", millis < 5)


def scope_rates():
    """Bytes per second of CPU time of one run: ours, and what of the others is there."""
    out = subprocess.run([os.path.join(PROGRAMS, "bench_scopes"), JS, "1"], check=True, capture_output=True, text=True).stdout
    rates = {"ours": json.loads(out)["bytes_per_second"]}
    if JS_PARSERS:
        out = subprocess.run(["node", os.path.join(TOP, "tests", "bench", "scopes_others.mjs"), JS], check=True,
                             capture_output=True, text=True, env={**os.environ, "NODE_PATH": JS_PARSERS}).stdout
        rates.update(json.loads(out))
    return rates


def bench_scopes():
    if not JS:
        skip("functions of a minified JavaScript file", "no BENCH_JS")
        return
    size = os.path.getsize(JS) / 1e6
    runs = [scope_rates() for _ in range(max(1, PAIRS // 3))]
    rate = statistics.median(run["ours"] for run in runs) / 1e6
    row(f"functions of a minified JavaScript file of {size:.1f} MB, per second of CPU time", f"{rate:.0f} MB", ">= 60 MB", rate >= 60)
    for name in ("acorn", "tree-sitter"):
        others = [run["ours"] / run[name] for run in runs if run.get(name)]
        if others:
            times = statistics.median(others)
            row(f"... times as fast as {name}", f"{times:.1f} ({min(others):.1f}-{max(others):.1f})", ">= 8", times >= 8)
    peak = timed([os.path.join(PROGRAMS, "bench_scopes"), JS, "1"])[2] / 1e3
    row("... peak memory", f"{peak:.0f} MB", "< 60 MB", peak < 60)


def bench_live(folder):
    out = subprocess.run([os.path.join(PROGRAMS, "bench_live"), os.path.join(folder, "live")], check=True,
                         capture_output=True, text=True).stdout
    pages = sorted(json.loads(out).items(), key=lambda page: page[1])
    for what, (name, millis) in (("the dearest of", pages[-1]), ("... the median", pages[len(pages) // 2])):
        row(f"{what} {len(pages)} operators' pages at 100,000 entries ({name}), processor time", f"{millis:.0f} ms",
            "<= 60 ms", millis <= 60)


def bench_charts(folder):
    out = subprocess.run([os.path.join(PROGRAMS, "bench_charts"), os.path.join(folder, "charts")], check=True,
                         capture_output=True, text=True).stdout
    for name, (millis, size) in json.loads(out).items():
        bar = ("<= 10 ms", millis <= 10) if name == "14-days" else ()
        row(f"charts of {name.replace('-', ' ')} ({size / 1000:.0f} kB), read and drawn, processor time",
            f"{millis:.1f} ms", *bar)


def bench_report():
    figures = json.loads(subprocess.run([os.path.join(PROGRAMS, "bench_report")], check=True, capture_output=True,
                                        text=True).stdout)
    row("the page of a report of 70 threads and 4,600 frames, processor time", f"{figures['millis']:.1f} ms", "<= 15 ms",
        figures["millis"] <= 15)
    row("... its size", f"{figures['bytes'] / 1e3:.0f} KB", "<= 300 KB", figures["bytes"] <= 300e3)


def bench_sourcemap():
    """A large source map; others' packages lie where the parsers do (BENCH_JS_PARSERS)."""
    if not SOURCEMAP:
        skip("a source map made into its lookup file", "no BENCH_SOURCEMAP")
        return
    runs, others = [], []
    for _ in range(max(1, PAIRS // 3)):
        runs.append(json.loads(subprocess.run([os.path.join(PROGRAMS, "bench_sourcemap"), SOURCEMAP], check=True,
                                              capture_output=True, text=True).stdout))
        if JS_PARSERS:
            out = subprocess.run(["node", os.path.join(TOP, "tests", "bench", "sourcemap_others.mjs"), SOURCEMAP], check=True,
                                 capture_output=True, text=True, env={**os.environ, "NODE_PATH": JS_PARSERS}).stdout
            others.append(json.loads(out))
    run = runs[0]
    seconds = statistics.median(run["write_seconds"] for run in runs)
    row(f"a source map of {run['map_bytes'] / 1e6:.0f} MB with {run['tokens']} tokens to its lookup file", f"{seconds:.2f} s",
        "<= 0.35 s", seconds <= 0.35)
    share = max(run["own_bytes"] for run in runs) / run["cache_bytes"]
    row("... private memory, of the size of that file", f"{share:.2f}", "<= 1.5", share <= 1.5)
    for name in ("trace-mapping", "source-map"):
        ratios = [theirs[name] / ours["read_seconds"] for ours, theirs in zip(runs, others) if theirs.get(name)]
        if ratios:
            times = statistics.median(ratios)
            row(f"... times as fast as {name} at reading all tokens", f"{times:.1f} ({min(ratios):.1f}-{max(ratios):.1f})", ">= 5",
                times >= 5)
    micros = statistics.median(run["lookup_micros"] for run in runs)
    row("... a look-up with its names", f"{micros:.3f} us", "< 0.3 us", micros < 0.3)


def bench_cfi(folder):
    """Unwind information to a CfiCache, and random look-ups in that with all their rules read."""
    libraries = glob.glob("/usr/lib/*/libLLVM*.so*")
    path, cache = CFI or max(libraries, key=os.path.getsize, default=None), os.path.join(folder, "cficache")
    if not path:
        return skip("unwind information of a large ELF file", "no BENCH_CFI=FILE and no libLLVM")
    runs = []
    for _ in range(PAIRS):
        out = subprocess.run([os.path.join(PROGRAMS, "bench_cfi"), path, cache, "300000"], check=True,
                             capture_output=True, text=True).stdout
        runs.append([float(value) for value in re.search(
            r"converted: (\d+) records.* (\d+) bytes,.* ([\d.]+) s,[^$]* ([\d.]+) rules each, ([\d.]+) us", out).groups()])
    records, size, seconds, rules, micros = (statistics.median(values) for values in zip(*runs))
    row(f"unwind information of {os.path.basename(path)} written: {records:.0f} records, {size / 1e6:.0f} MB, one core",
        f"{seconds:.3f} s, {size / seconds / 1e6:.0f} MB/s")
    row(f"... a look-up in it, {rules:.0f} rules read", f"{micros:.2f} us", "< 5 us", micros < 5)
    os.unlink(cache)
    return None


def bench_symbfile(folder):
    """Symbfiles of a large library written; calls found in its code; a large one indexed and asked."""
    program = os.path.join(PROGRAMS, "bench_symbfile")
    libraries = glob.glob("/usr/lib/*/libLLVM*.so*")
    path = max(libraries, key=os.path.getsize, default=None)
    if path:
        prefix, seconds, memory = os.path.join(folder, "made"), [], []
        for _ in range(PAIRS):
            process = subprocess.Popen([SYMGATE, "symbfile", "write", "-o", prefix, path], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0, path
            seconds.append(usage.ru_utime + usage.ru_stime)
            memory.append(usage.ru_maxrss / 1000)
        row(f"symbfiles of {os.path.basename(path)} ({os.path.getsize(path) // 1000000} MB) written: CPU time",
            f"{statistics.median(seconds):.2f} s")
        row("... peak memory", f"{max(memory):.0f} MB", "< 100 MB", max(memory) < 100)
        rates = [float(re.search(r"([\d.]+) MB/s", subprocess.run([program, "code", path], check=True, capture_output=True,
                                                                  text=True).stdout).group(1)) for _ in range(PAIRS)]
        row("... calls found in its code, per second of CPU time", f"{statistics.median(rates):.0f} MB", ">= 200 MB",
            statistics.median(rates) >= 200)
    else:
        skip("symbfiles of a large library", "no libLLVM")
    out = subprocess.run([program, "index", "110", folder], check=True, capture_output=True, text=True).stdout
    written, size, rate, memory, micros = (float(value) for value in re.search(
        r"written: ([\d.]+) MB.*\n.*, ([\d.]+) MB, ([\d.]+) MB/s, (\d+) MB\n.* ([\d.]+) us", out).groups())
    row(f"a symbfile of {written:.0f} MB indexed ({size:.0f} MB, {memory:.0f} MB of memory), per second of CPU time",
        f"{rate:.0f} MB", ">= 50 MB", rate >= 50)
    row("... a look-up at a random address in it", f"{micros:.2f} us", "< 2 us", micros < 2)


def write_mapping(path, megabytes):
    """Classes of 25 methods with several ranges each, of which one is inlined, as R8 writes them."""
    with open(path, "w", encoding="ascii") as f:
        f.write("# compiler: R8\n")
        for number in itertools.count():
            name = f"com.example.part{number % 97}.module{number % 1009}.Worker{number}"
            f.write(f'{name} -> a.b{number}:\n# {{"id":"sourceFile","fileName":"Worker{number}.kt"}}\n')
            for method in range(25):
                short = "abcdefghijklmnopqrstuvwxy"[method]
                for line in range(1, 4):
                    f.write(f"    {line}:{line}:void com.example.util.Checks.require{method % 7}(java.lang.Object):{line + 9}:{line + 9} -> {short}\n"
                            f"    {line}:{line}:int process{method}(java.lang.String,int,{name}):{line + 40} -> {short}\n")
            if f.tell() > megabytes * 1e6:
                return


WORDS = ("Account Activity Adapter Binding Cache Channel Client Config Cursor Event Factory Flow Handler Item Job Key Layer List "
         "Manager Model Node Order Page Queue Request Response Screen Session State Store Stream Task Token View").split()


def write_varied_mapping(path, megabytes):
    """Names that differ more: classes with fields and methods of their own, of several ranges, into which methods of
    four thousand others are inlined, as R8 writes a large program's."""
    chosen, written, classes = random.Random(12), 0, []

    def named(number):
        words = [chosen.choice(WORDS) for _ in range(4)]
        return f"com.{words[0].lower()}{number % 30}.{words[1].lower()}.{words[2]}{words[3]}{number}"

    def declared(receiver):
        types = [chosen.choice(["int", "boolean", "java.lang.String", "java.util.List"] + classes[-20:]) for _ in range(chosen.randrange(4))]
        name = chosen.choice(("get", "set", "on", "to")) + chosen.choice(WORDS) + chosen.choice(WORDS)
        return f"{types[0] if types else 'void'} {receiver}{name}({','.join(types[1:])})"

    library = [declared(named(number) + ".") for number in range(4000)]
    with open(path, "w", encoding="ascii") as f:
        for number in itertools.count():
            classes = classes[-20:] + [named(number)]
            written += f.write(f"{classes[-1]} -> a.{number % 677}.b{number}:\n" +
                               "".join(f"    {chosen.choice(classes)} m{chosen.choice(WORDS)} -> {short}\n" for short in "abc"))
            for method in range(chosen.randrange(1, 12)):
                own, line, short = declared(""), chosen.randrange(1, 400), "abcdefghijkl"[method]
                for at in range(1, chosen.randrange(2, 5)):
                    if chosen.random() < 0.3:
                        written += f.write(f"    {at}:{at}:{chosen.choice(library)}:{line + 7}:{line + 7} -> {short}\n")
                    written += f.write(f"    {at}:{at}:{own}:{line + at}:{line + at} -> {short}\n")
            if written > megabytes * 1e6:
                return


def cpu_of_retrace(mapping, folder):
    """Seconds of processor time of Debian's, for a trace without a frame; None: it is not there."""
    jars = ["/usr/share/java/proguard.jar", "/usr/share/java/retrace.jar"]
    if not shutil.which("java") or not all(map(os.path.exists, jars)):
        return None
    trace = os.path.join(folder, "no-frame")
    with open(trace, "w", encoding="ascii") as f:
        f.write("nothing\n")
    process = subprocess.Popen(["java", "-cp", ":".join(jars), "proguard.retrace.ReTrace", mapping, trace], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, mapping
    return usage.ru_utime + usage.ru_stime


def bench_varied_mapping(folder):
    mapping, small = os.path.join(folder, "varied.txt"), os.path.join(folder, "small.txt")
    write_varied_mapping(mapping, 102)
    write_varied_mapping(small, 0)
    ours, theirs, starts = [], [], []
    for _ in range(PAIRS):
        out = subprocess.run([os.path.join(PROGRAMS, "bench_proguard"), mapping, "a.b7", "c", "2"], check=True,
                             capture_output=True, text=True).stdout
        ours.append([float(value) for value in re.search(r"([\d.]+) s, ([\d.]+) MB .* ([\d.]+) MB, ", out).groups()])
        theirs.append(cpu_of_retrace(mapping, folder))
        starts.append(cpu_of_retrace(small, folder))
    seconds, private, size = (statistics.median(values) for values in zip(*ours))
    row("one of 102 MB with names that differ more: CPU time", f"{seconds:.2f} s", "<= 0.5 s", seconds <= 0.5)
    row(f"... private memory (a file of {size:.0f} MB)", f"{private:.0f} MB", "<= file + 32", private <= size + 32)
    if theirs[0] is not None:
        start = statistics.median(starts)
        ratio = (statistics.median(theirs) - start) / seconds
        row(f"... ProGuard's retrace reads it: as many times as long, its start of {start:.2f} s taken off", f"{ratio:.1f}", ">= 20", ratio >= 20)


def bench_proguard(folder):
    """A mapping of 100 MB made into its lookup file; lines of a log and frames retraced."""
    bench_varied_mapping(folder)
    mapping, runs = os.path.join(folder, "mapping.txt"), []
    write_mapping(mapping, 100)
    for _ in range(PAIRS):
        out = subprocess.run([os.path.join(PROGRAMS, "bench_proguard"), mapping, "a.b7", "c", "2"], check=True,
                             capture_output=True, text=True).stdout
        runs.append([float(value) for value in re.search(r"([\d.]+) s, ([\d.]+) MB .* ([\d.]+) MB, .*\n([\d.]+) us", out).groups()])
    seconds, private, size, micros = (statistics.median(values) for values in zip(*runs))
    row("a mapping of 100 MB made into its lookup file: CPU time", f"{seconds:.2f} s", "<= 0.5 s", seconds <= 0.5)
    row(f"... private memory (a file of {size:.0f} MB)", f"{private:.0f} MB", "<= file + 32", private <= size + 32)
    row("... a method and a line of it found, warm", f"{micros:.2f} us")
    write_mapping(mapping, 1)
    lines = {"lines that are no frames": "2026-11-22 14:00:00.123 INFO [worker-3] com.example.Handler - request 17 took 3 ms, status: ok\n",
             "frames": "\tat a.b7.c(SourceFile:2)\n"}
    for what, line in lines.items():
        trace, seconds = os.path.join(folder, "trace"), []
        with open(trace, "w", encoding="ascii") as f:
            f.write(line * 1000000)
        for _ in range(PAIRS):
            process = subprocess.Popen([SYMGATE, "retrace", mapping, trace], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            assert process.returncode == 0, what
            seconds.append(usage.ru_utime + usage.ru_stime)
        rate = 1e6 / statistics.median(seconds)
        if what == "frames":
            row("frames retraced, of two calls each, per second of CPU time", f"{rate / 1e6:.1f} M", ">= 1 M", rate >= 1e6)
        else:
            megabytes = rate * len(line) / 1e6
            row(what + " through retrace, per second of CPU time", f"{megabytes:.0f} MB", ">= 100 MB", megabytes >= 100)


def bench_jvm(folder):
    """Frames of two calls each over HTTP, the mapping warm."""
    uuid, body = "0d5f7a3c-5a1e-5b60-9c1d-2f0e6a7b8c9d", os.path.join(folder, "jvm.json")
    place = os.path.join(folder, "mappings", uuid[:2], uuid.replace("-", "")[2:])
    os.makedirs(place)
    write_mapping(os.path.join(place, "proguard"), 10)
    frames = [{"module": f"a.b{i * 7}", "function": "abcdefghij"[i % 10], "filename": "SourceFile", "lineno": i % 3 + 1,
               "index": i} for i in range(100)]
    with open(body, "w", encoding="ascii") as f:
        json.dump({"modules": [{"uuid": uuid, "type": "proguard"}], "stacktraces": [{"frames": frames}],
                   "sources": [{"id": "bench", "type": "filesystem", "path": os.path.join(folder, "mappings"),
                                "layout": {"type": "unified"}}]}, f)
    with open(body, encoding="ascii") as f:
        text = f.read()
    with Service(f"filesystem_source_roots: [{folder}]\n") as service:
        reply = json.loads(service.request("POST", "/symbolicate-jvm", text, {"Content-Type": "application/json"})[1])
        assert [len(trace["frames"]) for trace in reply["stacktraces"]] == [200] and not reply["errors"], reply
        micros, count = [], 2000
        for _ in range(PAIRS):
            before = cpu_seconds(service.pids())
            subprocess.run([os.path.join(PROGRAMS, "http_load"), str(service.port), "/symbolicate-jvm", body, "1", f"{count}n"],
                           check=True, stdout=subprocess.DEVNULL)
            micros.append((cpu_seconds(service.pids()) - before) * 1e6 / count)
    figure = statistics.median(micros)
    row("/symbolicate-jvm, 100 frames of two calls each, warm: CPU of all processes",
        f"{figure:.0f} us ({min(micros):.0f}-{max(micros):.0f})", "< 300 us", figure < 300)


def vlq(*numbers):
    out = ""
    for number in numbers:
        left = -number << 1 | 1 if number < 0 else number << 1
        while True:
            out += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[left & 31 | (32 if left > 31 else 0)]
            left >>= 5
            if not left:
                break
    return out


def write_minified(path, functions):
    """One line of functions, four tokens each; every 25 are a source of their own."""
    code, tokens, names, sources, before = "", [], [], [], [0, 0, 0, 0, 0]
    for number in range(functions):
        start = len(code)
        code += f"function a{number}(n,d){{return n+d.x}}"
        name, line = len(f"a{number}"), number % 25 * 3
        for column, token in ((0, (line, 7)), (9, (line, 16)), (9 + name + 6, (line + 1, 2)), (9 + name + 15, (line + 1, 13))):
            place = [start + column, number // 25, *token, number]
            tokens.append(vlq(*(now - then for now, then in zip(place, before))))
            before = place
        names.append(f"compute{number}")
    for number in range(0, functions, 25):
        sources.append("".join(f"export function compute{i}(first, second) {{\n  return first + second.value;\n}}\n"
                               for i in range(number, number + 25)))
    with open(path, "w", encoding="ascii") as f:
        f.write(f"{code}\n//# sourceMappingURL={os.path.basename(path)}.map\n")
    with open(path + ".map", "w", encoding="ascii") as f:
        json.dump({"version": 3, "names": names, "sources": [f"src/part{i}.ts" for i in range(len(sources))],
                   "sourcesContent": sources, "mappings": ",".join(tokens)}, f)
    return [match.start() for match in re.finditer(r"n\+d", code)]


def bench_js(folder):
    """Frames over HTTP with lines around them, everything warm."""
    files, body = os.path.join(folder, "release", "releases", "bench", "~", "files", "~"), os.path.join(folder, "js.json")
    os.makedirs(files)
    columns = write_minified(os.path.join(files, "app.min.js"), 20000)
    frames = [{"abs_path": "https://example.org/app.min.js", "lineno": 1, "colno": columns[i * 397] + 1, "function": f"a{i}"}
              for i in range(50)]
    text = json.dumps({"stacktraces": [{"frames": frames}], "release": "bench", "allow_scraping": False,
                       "sources": [{"id": "bench", "type": "filesystem", "path": os.path.join(folder, "release"),
                                    "layout": {"type": "unified"}}]})
    with open(body, "w", encoding="ascii") as f:
        f.write(text)
    with Service(f"filesystem_source_roots: [{folder}]\n") as service:
        reply = json.loads(service.request("POST", "/symbolicate-js", text, {"Content-Type": "application/json"})[1])
        found = reply["stacktraces"][0]["frames"]
        assert [f["function"] for f in found] == [f"compute{i * 397}" for i in range(50)] and "errors" not in reply, reply
        assert all(f["context_line"] == "  return first + second.value;" for f in found), found
        micros, count = [], 1000
        for _ in range(PAIRS):
            before = cpu_seconds(service.pids())
            subprocess.run([os.path.join(PROGRAMS, "http_load"), str(service.port), "/symbolicate-js", body, "1", f"{count}n"],
                           check=True, stdout=subprocess.DEVNULL)
            micros.append((cpu_seconds(service.pids()) - before) * 1e6 / count)
    figure = statistics.median(micros)
    row("/symbolicate-js, 50 frames with context, warm: CPU of all processes",
        f"{figure:.0f} us ({min(micros):.0f}-{max(micros):.0f})", "< 1000 us", figure < 1000)


# --- Crash files -------------------------------------------------------------------------------

def cpu_of(commands):
    """Of each command the CPU milliseconds of PAIRS runs, taken in turn."""
    spent = {name: [] for name in commands}
    for _ in range(PAIRS):
        for name, make in commands.items():
            command = make()
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent[name].append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return spent


def compare_walks(what, commands, bar, millis=None):
    """Whole processes; those named "theirs" and "ours"."""
    spent = cpu_of(commands)
    ours = statistics.median(spent["ours"])
    row(f"{what}: CPU time", f"{ours:.0f} ms", f"<= {millis} ms" if millis else None, ours <= millis if millis else None)
    if "theirs" in commands:
        ratios = [theirs / ours for ours, theirs in zip(spent["ours"], spent["theirs"])]
        row(f"... minidump_stackwalk: {statistics.median(spent['theirs']):.0f} ms, times as long",
            f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})", f">= {bar}",
            statistics.median(ratios) >= bar)


def walks(ours, theirs):
    commands = {"ours": ours if callable(ours) else lambda: ours}
    if STACKWALK:
        commands["theirs"] = lambda: [STACKWALK, *theirs]
    return commands


def bench_crash(folder):
    """Minidumps as whole processes, and through the service."""
    symbols = os.path.join(folder, "crash")
    place = os.path.join(symbols, "crasher", crash_debug_id())
    os.makedirs(place)
    write_crash_symbols(os.path.join(place, "crasher.sym"))
    large, small, huge = (os.path.join(folder, name + ".dmp") for name in ("large", "small", "huge"))
    write_crash(large, 70, 66)
    write_crash(small, 20, 66, 230_000)
    more = sorted(glob.glob(os.path.join(DUMPS, "**", "*.dmp"), recursive=True), key=os.path.getsize) if DUMPS else []
    for path in more[-3:]:
        compare_walks(f"{os.path.basename(path)} ({os.path.getsize(path) // 1000} kB) walked without symbols",
                      walks([SYMGATE, "minidump", path], [path]), 3)
    compare_walks("a minidump of 70 threads, 4 620 frames, walked without symbols",
                  walks([SYMGATE, "minidump", large], [large]), 3, CRASH_BARS_MILLIS[0])
    state = os.path.join(folder, "crash-state")
    warm = [SYMGATE, "--state-dir", state, "minidump", "--symbols", symbols, large]

    def cold():
        shutil.rmtree(state, ignore_errors=True)
        return warm

    compare_walks("... with 22 MB of symbols, nothing known", walks(cold, [large, symbols]), 2)
    compare_walks("... all known", walks(warm, [large, symbols]), 20, CRASH_BARS_MILLIS[1])
    bench_crash_service(symbols, small)
    write_crash(huge, 70, 66, 200_000_000)
    peak = statistics.median(timed([SYMGATE, "minidump", huge])[2] for _ in range(3)) / 1024
    size = os.path.getsize(huge) / (1 << 20)
    row(f"peak memory for a minidump of {size:.0f} MiB", f"{peak:.0f} MiB", f"< {size + 50:.0f} MiB", peak < size + 50)
    os.unlink(huge)


def form(parts):
    """Body and content type of a form with these files."""
    body = b"".join(b'--bench\r\nContent-Disposition: form-data; name="' + name.encode() +
                    b'"; filename="x"\r\n\r\n' + content + b"\r\n" for name, content in parts)
    return body + b"--bench--\r\n", {"Content-Type": "multipart/form-data; boundary=bench"}


def bench_crash_service(symbols, path):
    source = {"type": "filesystem", "id": "local", "path": symbols, "layout": {"type": "native"},
              "filters": {"filetypes": ["breakpad"]}}
    with open(path, "rb") as f:
        body, headers = form([("upload_file_minidump", f.read()), ("sources", json.dumps([source]).encode()),
                              ("options", b'{"dif_candidates":true}')])
    with Service('filesystem_source_roots: ["/"]\n') as service:
        for number in range(CRASH_POSTS + 1):
            reply = json.loads(service.request("POST", "/minidump?timeout=60", body, headers)[1])
            assert reply["status"] == "completed", reply
            if number == 0:
                frames = sum(len(thread["frames"]) for thread in reply["stacktraces"])
                assert frames == 20 * 66, frames
                assert reply["stacktraces"][0]["frames"][1]["status"] == "symbolicated", reply["modules"]
                first = cpu_seconds(list(service.pids()))
        millis = (cpu_seconds(list(service.pids())) - first) / CRASH_POSTS * 1000
    row(f"a minidump of {os.path.getsize(path) // 1000} kB, 20 threads, {frames} frames, through HTTP: CPU time of all processes",
        f"{millis:.1f} ms", "< 15 ms", millis < 15)


# --- Files given away ------------------------------------------------------------------------

FILE_BYTES = 100_000_000


def fetch_seconds(url):
    """One download of it to nowhere, by curl."""
    out = subprocess.run(["curl", "-sSf", "-o", "/dev/null", "-w", "%{size_download} %{time_total}", url],
                         capture_output=True, text=True, check=True).stdout.split()
    assert int(float(out[0])) >= FILE_BYTES, out
    return float(out[1])


def bench_files(folder):
    """A cached debug file of 100 MB by build id, beside the same file below a lighttpd's document root."""
    symbols, program = Symbols(), Program(folder, 3)
    blob, large = os.path.join(folder, "blob"), os.path.join(folder, "large-program")
    with open(blob, "wb") as f:
        f.write(os.urandom(1 << 20) * (FILE_BYTES // (1 << 20) + 1))
    subprocess.run(["objcopy", f"--add-section=.blob={blob}", program.path, large], check=True)
    with open(large, "rb") as f:
        symbols.files[f"/{program.code_id}/debuginfo"] = f.read()
    source = symbols.source("remote", layout={"type": "debuginfod"}, filters={})
    config = f"sources: {json.dumps([source])}\n"
    port = free_port()
    with open(os.path.join(folder, "static.conf"), "w", encoding="ascii") as f:
        f.write(f'server.document-root = "{folder}"\nserver.port = {port}\nserver.bind = "127.0.0.1"\n')
    with running(["lighttpd", "-D", "-f", os.path.join(folder, "static.conf")]) as static_server, Service(config) as plain, \
            Service(config + "front: {sendfile: x-sendfile}\n") as handing:
        urls = {"static": f"http://127.0.0.1:{port}/large-program",
                "plain": f"http://127.0.0.1:{plain.port}/buildid/{program.code_id}/debuginfo",
                "handed": f"http://127.0.0.1:{handing.port}/buildid/{program.code_id}/debuginfo"}
        for url in urls.values():
            eventually(lambda: subprocess.run(["curl", "-sf", "-o", "/dev/null", url], check=False).returncode == 0, url)
        for _ in range(8):           # each front compares the bytes with their checksum once
            for url in urls.values():
                fetch_seconds(url)
        pids = {"static": family(static_server.pid), "plain": list(plain.pids()), "handed": list(handing.pids())}
        before = {name: cpu_seconds(pids[name]) for name in urls}
        runs = [{name: fetch_seconds(url) for name, url in urls.items()} for _ in range(PAIRS)]
        spent = {name: (cpu_seconds(pids[name]) - before[name]) / PAIRS for name in urls}
    static = statistics.median(run["static"] for run in runs)
    row(f"a file of {FILE_BYTES // 1_000_000} MB from lighttpd's document root",
        f"{static * 1000:.0f} ms, {spent['static'] * 1000:.0f} ms of CPU time")
    for name, words, bar in (("handed", "the same by build id from the cache, sent by lighttpd (front.sendfile)", 1.2),
                             ("plain", "... sent by symgate", None)):
        ratio = statistics.median(run["static"] / run[name] for run in runs)
        cost = spent[name] / max(spent["static"], 0.001)
        row(words + ": CPU time beside that, all processes", f"{cost:.2f} ({ratio:.2f} of its speed)",
            bar and f"<= {bar}", bar and cost <= bar)


def bench_lookup(folder, cache):
    large = os.path.join(folder, "large")
    write_breakpad(large + ".sym")
    subprocess.run([SYMGATE, "symcache", "write", large + ".sym", large], check=True, stdout=subprocess.DEVNULL)
    look_up(large, "made-up functions")
    if os.path.exists(cache):
        look_up(cache, os.path.basename(DWARF))


# --- The table ---------------------------------------------------------------------------------

def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search(r"^model name\s*: (.*)$", f.read(), re.M)
    return f"{model.group(1) if model else 'unknown'}, {os.cpu_count()} cores, Linux {os.uname().release}; " \
           f"load {os.getloadavg()[0]:.1f} at the start; medians of {PAIRS}"


def main():
    head = machine()
    wanted = os.environ.get("BENCH_ONLY", "hot,memory,start,jobs,mozilla,parked,dwarf,dsym,pdb,breakpad,lookup,cfi,"
                            "symbfile,proguard,jvm,js,sources,scopes,sourcemap,crash,files,live,charts,report").split(",")
    with tempfile.TemporaryDirectory(prefix="symgate-bench-") as folder:
        if {"hot", "memory", "start"} & set(wanted):
            pools = Pools(folder)
            with pools.served():
                if "hot" in wanted:
                    bench_hot(pools)
                if "memory" in wanted:
                    bench_memory(pools)
            if "start" in wanted:
                bench_start(pools)
        if "jobs" in wanted:
            bench_jobs(folder)
        if "mozilla" in wanted:
            bench_mozilla(folder)
        if "parked" in wanted:
            bench_parked(folder)
        cache = os.path.join(folder, "symcache")
        if "dwarf" in wanted:
            bench_dwarf(folder, cache)
        for name, bench in (("dsym", bench_dsym), ("pdb", bench_pdb), ("breakpad", bench_breakpad)):
            if name in wanted:
                bench(folder)
        if "lookup" in wanted:
            bench_lookup(folder, cache)
        if "cfi" in wanted:
            bench_cfi(folder)
        if "symbfile" in wanted:
            bench_symbfile(folder)
        if "proguard" in wanted:
            bench_proguard(folder)
        if "jvm" in wanted:
            bench_jvm(folder)
        if "js" in wanted:
            bench_js(folder)
        if "sources" in wanted:
            bench_sources()
        if "scopes" in wanted:
            bench_scopes()
        if "sourcemap" in wanted:
            bench_sourcemap()
        if "crash" in wanted:
            bench_crash(folder)
        if "files" in wanted:
            bench_files(folder)
        if "live" in wanted:
            bench_live(folder)
        if "charts" in wanted:
            bench_charts(folder)
        if "report" in wanted:
            bench_report()
    width = max(len(row[0]) for row in rows)
    print(head)
    for what, figure, bar, holds in rows:
        print(f"{what:<{width}}  {figure:<28} {bar:<13} {holds}".rstrip())


if __name__ == "__main__":
    main()

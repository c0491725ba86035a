#!/usr/bin/env python3
"""test_edges -- what few requests do, and what hostile ones try, against the whole service.

usage: test_edges.py [TEST ...]        environment: SYMGATE (the program)
"""
import concurrent.futures
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import threading
import uuid

import service_sources
from service_tests import (PATIENCE, SYMGATE, TOP, Program, Service, Symbols, eventually, functions, kill, request_for,
                            run_all)

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-edges-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(6)]
JSON = {"Content-Type": "application/json"}


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


def read(path):
    with open(path, "rb") as f:
        return f.read()


# --- Companions --------------------------------------------------------------------------

def two_programs_by_dwz(folder):
    """Two programs whose DWARF stands half in a third file: (paths, alternate, its build id)."""
    paths = []
    for number in (41, 42):
        program = Program(folder, number)
        paths.append(program)
    alternate = os.path.join(folder, "alternate")
    subprocess.run(["dwz", "-m", alternate, "-M", "alternate", *[p.path for p in paths]], check=True)
    notes = subprocess.run(["readelf", "-n", alternate], capture_output=True, text=True, check=True).stdout
    return paths, alternate, re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


def test_a_dwz_alternate_is_found_or_done_without():
    with tempfile.TemporaryDirectory() as folder:
        programs, alternate, build_id = two_programs_by_dwz(folder)
        symbols = Symbols()
        for program in programs:
            symbols.add(program)
        place = f"/{build_id[:2]}/{build_id[2:]}/debuginfo"
        times = "    retry_misses_after: 1s\n    retry_misses_after_public: 1s\n"
        with Service(f"caches:\n  downloaded:\n{times}  derived:\n{times}") as service:
            request = request_for(symbols, programs[:1])
            without = service.answer(request)
            assert place in symbols.hits, symbols.hits
            assert functions(without)[-1] == "outer", without
            symbols.files[place] = read(alternate)

            def complete():
                reply = service.answer(request)
                frames = reply["stacktraces"][0]["frames"]
                return reply if all(frame.get("lineno") and frame.get("function") for frame in frames) and \
                    symbols.hits[place] > 1 else None
            reply = eventually(complete, "the alternate to be used once it is there")
            assert functions(reply)[-1] == "outer" and reply["modules"][0]["debug_status"] == "found", reply
            assert "outer" in functions(service.answer(request_for(symbols, programs[1:])))


def test_a_debuglink_target_is_found_or_done_without():
    program = PROGRAMS[0]
    with tempfile.TemporaryDirectory() as folder:
        stripped, debug = os.path.join(folder, "program"), os.path.join(folder, "program.debug")
        subprocess.run(["objcopy", "--only-keep-debug", program.path, debug], check=True)
        subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", program.path, stripped],
                       check=True)
        symbols = Symbols()
        symbols.files["/" + program.key().replace("debuginfo", "executable")] = read(stripped)
        with Service() as service:
            for scope, has_lines in (("without", False), ("with", True)):
                request = request_for(symbols, [program])
                request["sources"][0]["filters"] = {"filetypes": ["elf_debug", "elf_code"]}
                if has_lines:
                    symbols.files["/" + program.key()] = read(debug)
                reply = service.answer(request, f"?scope={scope}")
                frame = reply["stacktraces"][0]["frames"][-1]
                assert frame["function"] == "outer" and bool(frame.get("lineno")) == has_lines, reply


def test_split_units_come_from_their_package():
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "split.c")
        with open(source, "w", encoding="ascii") as f:
            f.write("volatile int sink;\n"
                    "static inline __attribute__((always_inline)) int inner(int v) { return v * sink; }\n"
                    "__attribute__((noinline)) int outer(int v) { return inner(v) + 1; }\n"
                    "int main(int c, char **v) { (void)v; return outer(c); }\n")
        path = os.path.join(folder, "split")
        subprocess.run(["clang-19", "-O1", "-g", "-gsplit-dwarf", "-Wl,--build-id", "-o", path, source],
                       check=True, cwd=folder, timeout=PATIENCE)
        subprocess.run(["llvm-dwp-19", "-e", path, "-o", path + ".dwp"], check=True, cwd=folder, timeout=PATIENCE)
        for name in os.listdir(folder):
            if name.endswith(".dwo"):
                os.unlink(os.path.join(folder, name))
        program = Program.__new__(Program)
        program.path = path
        notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
        program.code_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        names = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
        program.address = int(re.search(r"^([0-9a-f]+) . outer$", names, re.M).group(1), 16)
        symbols = Symbols()
        symbols.files["/" + program.key().replace("debuginfo", "executable")] = read(path)
        place = "/" + program.key()
        with Service() as service:
            # What is inlined stands in the package alone.
            for scope, expected in (("without", ["outer"]), ("with", ["inner", "outer"])):
                request = request_for(symbols, [program])
                request["sources"][0]["filters"] = {"filetypes": ["elf_debug", "elf_code"]}
                if scope == "with":
                    symbols.files[place] = read(path + ".dwp")
                asked = symbols.hits.get(place, 0)
                reply = service.answer(request, f"?scope={scope}")
                assert symbols.hits.get(place, 0) > asked, symbols.hits
                assert functions(reply) == expected, (scope, reply)
                assert all(frame.get("lineno") for frame in reply["stacktraces"][0]["frames"]), (scope, reply)


def unity_request(symbols, programs):
    """Modules of a Unity program have a debug id, and the source may have line maps for them."""
    request = request_for(symbols, programs)
    for number, module in enumerate(request["modules"]):
        module["debug_id"] = f"00000000-0000-0000-0000-{number + 1:012x}"
    request["sources"][0]["filters"]["filetypes"].append("il2cpp")
    return request


def test_lines_of_unity_programs_are_lines_of_csharp():
    symbols = Symbols()
    for program in PROGRAMS[:2]:
        symbols.add(program)
    places = ["/" + program.key().replace("debuginfo", "il2cpp") for program in PROGRAMS[:2]]
    times = "    retry_misses_after: 1s\n    retry_misses_after_public: 1s\n"
    with Service(f"caches:\n  downloaded:\n{times}") as service:
        request = unity_request(symbols, PROGRAMS[:2])
        plain = service.answer(request)["stacktraces"][0]["frames"]
        assert all(symbols.hits[place] == 1 for place in places), symbols.hits
        whole = json.dumps({plain[0]["abs_path"]: {"Assets/Scripts/Player.cs": {str(plain[0]["lineno"]): 1017,
                                                                                "1": 1001}},
                            "__debug-id__": "00000000-0000-0000-0000-000000000000"})
        symbols.files[places[0]] = gzip.compress(whole.encode())
        symbols.files[places[1]] = b'{"no map": {"of": {"lines": 1}}}'

        def mapped():
            reply = service.answer(request)
            return reply if reply["stacktraces"][0]["frames"][0]["lineno"] == 1017 and \
                symbols.hits[places[1]] > 1 else None
        reply = eventually(mapped, "the map to be used once it is there")
        frames = reply["stacktraces"][0]["frames"]
        assert len(frames) == len(plain), frames
        first = [(frame["filename"], frame["abs_path"]) for frame in frames if frame["original_index"] == 0]
        assert set(first) == {("Player.cs", "Assets/Scripts/Player.cs")}, first
        assert [frame["function"] for frame in frames] == [frame["function"] for frame in plain], frames
        assert [frame for frame in frames if frame["original_index"]] == \
            [frame for frame in plain if frame["original_index"]], "a bad map is as good as none"
        assert "il2cpp" not in json.dumps(reply["modules"]), reply["modules"]
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        hashes = {row[0] for row in database.execute("select hash from cache_entry where kind = 'symcaches'")}
        kept = database.execute("select state, count(*) from cache_entry where kind = 'il2cpp' group by 1").fetchall()
        database.close()
        assert sorted(kept) == [("malformed", 1), ("ready", 1)], kept
        url = request["sources"][0]["url"].rstrip("/")
        key = f"scope: global\n\nsource: test\nlocation: {url}/{PROGRAMS[0].key()}\n" \
            f"\nil2cpp:\nsource: test\nlocation: {url}{places[0]}\n"
        assert hashlib.sha256(key.encode()).digest() in hashes, "the key names the map"
        hits = symbols.total()
        assert service.answer(unity_request(symbols, PROGRAMS[:1]), "")["stacktraces"][0]["frames"][0] == frames[0]
        assert symbols.total() == hits, "a map is kept"


VARIABLES = """
struct pair { int x; };
typedef unsigned long size;
static volatile int sink;
static inline __attribute__((always_inline)) int inner(int value, const char *text)
{
    double half = value * .5;
    return (int)half * sink + (text != 0);
}
__attribute__((noinline)) int outer(int value, char **list, void *any, struct pair *pair, size count)
{
    int local = value + 1;
    {
        unsigned char *deep = any;
        float local = 2;
        sink += *deep + (int)local;
    }
    return inner(local, list[0]) + pair->x + (int)count;
}
int main(int argc, char **argv) { struct pair pair = { 1 }; return outer(argc, argv, argv, &pair, 3); }
"""
INNER_VARS = {"value": "int", "text": "<not implemented>*", "half": "double"}
OUTER_VARS = {"value": "int", "list": "char**", "any": "void*", "pair": "<not implemented>*",
              "count": "<not implemented>", "local": "int", "deep": "unsigned char*"}


def program_with_variables(folder, *flags):
    """A Program of the text above and, of every address of outer(), a frame."""
    program = Program.__new__(Program)
    source, program.path = os.path.join(folder, "variables.c"), os.path.join(folder, "variables")
    with open(source, "w", encoding="ascii") as f:
        f.write(VARIABLES)
    subprocess.run([*flags, "-O1", "-g", "-Wl,--build-id", "-o", program.path, source], check=True, cwd=folder)
    notes = subprocess.run(["readelf", "-n", program.path], capture_output=True, text=True, check=True).stdout
    program.code_id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
    names = subprocess.run(["nm", "-S", program.path], capture_output=True, text=True, check=True).stdout
    start, size = re.search(r"^([0-9a-f]+) ([0-9a-f]+) . outer$", names, re.M).groups()
    program.address = int(start, 16)
    return program, [{"instruction_addr": hex(0x10000000 + program.address + i)} for i in range(int(size, 16))]


def test_variables_of_functions_are_told_to_those_who_ask():
    for flags in (["gcc", "-gdwarf-4"], ["clang-19", "-gdwarf-5"]):
        with tempfile.TemporaryDirectory() as folder, Service() as service:
            program, frames = program_with_variables(folder, *flags)
            symbols = Symbols()
            symbols.add(program)
            request = request_for(symbols, [program])
            request["stacktraces"][0]["frames"] = frames
            plain = service.answer(request)
            assert not any("vars" in frame for frame in plain["stacktraces"][0]["frames"]), plain
            hits, cells = symbols.total(), service.metric("symgate_cells_started_total")
            request["options"]["extract_variables"] = True
            reply = service.answer(request)
            told = json.dumps(reply)
            seen = {}
            for frame in reply["stacktraces"][0]["frames"]:
                seen.setdefault(frame["function"], []).append(frame.pop("vars", None))
            assert reply == plain, "nothing else is another"
            assert set(seen) == {"inner", "outer"}, seen
            assert all(one == INNER_VARS for one in seen["inner"]), (flags, seen["inner"][0])
            assert all(one == OUTER_VARS for one in seen["outer"]), (flags, seen["outer"][0])
            assert json.dumps(service.answer(request)) == told
            del request["options"]["extract_variables"]
            assert service.answer(request) == plain
            assert symbols.total() == hits and service.metric("symgate_cells_started_total") == cells + 1, \
                "one SymCache more, once, of the object that is there"


def test_a_damaged_list_of_variables_is_made_again():
    with tempfile.TemporaryDirectory() as folder, Service() as service:
        program, frames = program_with_variables(folder, "gcc")
        symbols = Symbols()
        symbols.add(program)
        request = request_for(symbols, [program])
        request["stacktraces"][0]["frames"] = frames
        request["options"]["extract_variables"] = True
        whole = service.answer(request)
        caches = os.path.join(service.state, "cache", "symcaches")
        paths = [os.path.join(place, name) for place, _, names in os.walk(caches) for name in names]
        assert len(paths) == 2, paths
        for cut in (0, 60, 200):
            for path in paths:
                os.chmod(path, 0o600)
                os.truncate(path, cut)
            if cut:  # where the file is not all gone, only who opens it sees what it lacks
                service.stop()
                service.start()
            assert service.answer(request) == whole, cut
        assert "signal 7" not in service.text_of_log(), "a workshop must live with it"


# --- Requests few send -------------------------------------------------------------------

def jobs_submitted(service):
    return service.metric("symgate_jobs_submitted_total") or 0


def failures_remembered(service):
    database = sqlite3.connect(os.path.join(service.state, "symgate.db"), timeout=30)
    try:
        return database.execute("SELECT state, source, location FROM v_negative").fetchall()
    finally:
        database.close()


def test_a_file_that_is_put_into_a_folder_counts_at_once():
    program = PROGRAMS[0]
    with tempfile.TemporaryDirectory(prefix="symgate-edges-folder-") as folder, Service() as service:
        request = request_for(Symbols(), [program])
        request["sources"] = [{"id": "folder", "type": "filesystem", "path": folder, "layout": {"type": "unified"},
                               "filters": {"filetypes": ["elf_debug"]}}]
        for asked in range(3):
            reply = service.answer(request)
            before = before if asked else jobs_submitted(service)
            assert reply["modules"][0]["debug_status"] == "missing", reply
            candidate = reply["modules"][0]["candidates"][0]
            assert candidate["download"] == {"status": "notfound"}, reply
        assert jobs_submitted(service) == before, "one look is no job"
        assert [row[:2] for row in failures_remembered(service)] == [("not_found", "folder")], failures_remembered(service)
        place = os.path.join(folder, program.key())
        os.makedirs(os.path.dirname(place))
        shutil.copy(program.path, place)
        assert functions(service.answer(request))[-1] == "outer"
        assert not failures_remembered(service), failures_remembered(service)
        os.unlink(place)
        assert functions(service.answer(request))[-1] == "outer", "what was made of it is kept"


def fat_of_others():
    """A Mach-O file of two architectures, none with an id that anybody asks for."""
    head, body = struct.pack(">II", 0xcafebabe, 2), b""
    for cpu, subtype in ((0x01000007, 3), (0x0100000c, 0)):
        load = struct.pack("<II", 0x1b, 24) + uuid.uuid4().bytes
        part = struct.pack("<8I", 0xfeedfacf, cpu, subtype, 10, 1, len(load), 0, 0) + load
        head += struct.pack(">5I", cpu, subtype, 4096 + len(body), len(part), 12)
        body += part.ljust(4096, b"\0")
    return head.ljust(4096, b"\0") + body


def of_one_folder(folder, wanted):
    return {"sources": [{"id": "folder", "type": "filesystem", "path": folder, "layout": {"type": "unified"},
                         "filters": {"filetypes": ["mach_debug"]}}],
            "modules": [{"type": "macho", "debug_id": str(wanted), "image_addr": "0x1000", "image_size": 4096}],
            "stacktraces": [{"frames": [{"instruction_addr": "0x1010"}]}], "options": {"dif_candidates": True}}


def test_a_file_in_a_folder_without_what_is_wanted_is_read_once_a_request():
    wanted = uuid.uuid4()
    with tempfile.TemporaryDirectory(prefix="symgate-edges-folder-") as folder, Service() as service:
        place = os.path.join(folder, wanted.hex[:2], wanted.hex[2:])
        os.makedirs(place)
        with open(os.path.join(place, "debuginfo"), "wb") as f:
            f.write(fat_of_others())
        for asked in range(1, 4):
            reply = service.answer(of_one_folder(folder, wanted), "?timeout=5")
            assert reply["modules"][0]["debug_status"] == "missing", reply
            assert service.metric('symgate_cells_ended_total{reason="failed"}') == asked, "nothing is believed longer"


def test_a_file_that_comes_and_goes_keeps_no_job_busy():
    wanted, over = uuid.uuid4(), threading.Event()
    with tempfile.TemporaryDirectory(prefix="symgate-edges-folder-") as folder, Service() as service:
        place = os.path.join(folder, wanted.hex[:2], wanted.hex[2:], "debuginfo")
        os.makedirs(os.path.dirname(place))
        with open(os.path.join(folder, "fat"), "wb") as f:
            f.write(fat_of_others())

        def come_and_go():
            while not over.is_set():
                os.link(os.path.join(folder, "fat"), place)
                os.unlink(place)

        thread = threading.Thread(target=come_and_go)
        thread.start()
        try:
            for asked in range(1, 11):
                reply = service.answer(of_one_folder(folder, wanted), "?timeout=5")
                assert reply["modules"][0]["debug_status"] == "missing", reply
                assert service.metric('symgate_cells_ended_total{reason="failed"}') <= asked, "once a request"
        finally:
            over.set()
            thread.join()


def test_a_name_that_leads_nowhere_is_not_remembered():
    with Service() as service:
        request = request_for(Symbols(), PROGRAMS[:1])
        request["sources"][0].update(id="nowhere", url="http://nowhere.invalid/")
        for _ in range(2):
            reply = service.answer(request)
            assert reply["modules"][0]["debug_status"] == "fetching_failed", reply
            download = reply["modules"][0]["candidates"][0]["download"]
            assert download == {"status": "error",
                                "details": "download failed: Could not resolve host: nowhere.invalid"}, reply
        assert not failures_remembered(service), failures_remembered(service)


def test_timeouts_mean_what_they_say():
    symbols = serve_all()
    symbols.gate.clear()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        for query in ("?timeout=0", "?timeout=1"):
            reply = json.loads(service.post(request, query)[1])
            assert reply["status"] == "pending" and reply["request_id"], (query, reply)
        for query in ("?timeout=-1", "?timeout=1.5", "?timeout=", "?timeout=%31x"):
            assert service.post(request, query)[0] == 400, query
        path = f"/requests/{reply['request_id']}"
        assert service.get(path + "?timeout=x")[0] == 400
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(service.get, path)
            long = pool.submit(service.get, path + "?timeout=18446744073709551615")
            eventually(lambda: service.metric("symgate_requests_parked") == 2, "two parked polls")
            symbols.gate.set()
            assert json.loads(waiting.result(PATIENCE)[1])["status"] == "completed"
            assert json.loads(long.result(PATIENCE)[1])["status"] == "completed"


def test_head_is_get_without_a_body():
    with Service() as service:
        for path in ("/healthcheck", "/metrics", "/readyz"):
            status, body, headers = service.request("HEAD", path)
            assert status == 200 and body == b"" and headers["Content-Type"], (path, status, body)
        assert service.request("HEAD", "/symbolicate")[0] == 405
        assert service.request("HEAD", "/requests/00000000-0000-4000-8000-000000000000")[0] == 404


def test_the_scope_called_global_shares_with_none_given():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        first = service.answer(request, "?scope=global")
        hits = symbols.total()
        assert service.answer(request) == first and symbols.total() == hits, symbols.hits


def test_any_string_is_a_scope():
    """An empty one too: it does not see what the global one holds, nor the other way round."""
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        first = service.answer(request)
        for number, scope in enumerate(("", "%20", "Global", "a%3A%20b%26", "%C3%A4"), 2):
            for asked in (f"?scope={scope}", f"?timeout=60&scope={scope}", f"?scope=x&scope={scope}&timeout=60"):
                assert service.answer(request, asked) == first, asked
                assert symbols.total() == number, (asked, symbols.hits)
        assert service.answer(request) == first and symbols.total() == number, symbols.hits


def test_relative_addresses_orders_and_unused_modules():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:3])
        request["stacktraces"] = [{"frames": [
            {"instruction_addr": hex(PROGRAMS[1].address + 1), "addr_mode": "rel:1"},
            {"instruction_addr": hex(0x10000000 + PROGRAMS[0].address + 1)}]}]
        reply = service.answer(request)
        assert [m["debug_status"] for m in reply["modules"]] == ["found", "found", "unused"], reply["modules"]
        frames = reply["stacktraces"][0]["frames"]
        assert [f["original_index"] for f in frames][0] == 0 and frames[-1]["original_index"] == 1, frames
        assert frames[0]["instruction_addr"] == hex(0x20000000 + PROGRAMS[1].address + 1), frames[0]
        turned = dict(request, options={**request["options"], "frame_order": "caller_first"})
        turned["stacktraces"] = [{"frames": request["stacktraces"][0]["frames"][::-1]}]
        turned = service.answer(turned)
        assert [f["function"] for f in turned["stacktraces"][0]["frames"]] == \
            [f["function"] for f in frames][::-1], turned
        request["stacktraces"][0]["frames"][0]["addr_mode"] = "rel:x"
        assert service.post(request)[0] == 422
        request["stacktraces"][0]["frames"][0]["addr_mode"] = "rel:99"
        assert service.answer(request)["stacktraces"][0]["frames"][0]["status"] == "unknown_image"


def test_a_large_body_is_answered():
    with Service() as service:
        frames = [{"instruction_addr": hex(0x1000 + i), "package": "x" * 200} for i in range(100000)]
        body = json.dumps({"stacktraces": [{"frames": frames}], "modules": []})
        assert len(body) > 20_000_000
        status, reply, _ = service.request("POST", "/symbolicate", body, JSON)
        assert status == 200 and len(json.loads(reply)["stacktraces"][0]["frames"]) == 100000, status
        assert service.get("/healthcheck") == (200, b"ok")


def test_all_jobs_can_be_recorded():
    symbols = serve_all()
    with Service("jobs:\n  record: all\n") as service:
        request = request_for(symbols, PROGRAMS[:1])
        for _ in range(3):
            service.answer(request)
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        rows = database.execute("select state, count(*) from job group by state").fetchall()
        database.close()
        assert rows == [("completed", 3)], rows


# --- Many at once ------------------------------------------------------------------------

def breakpad_modules(symbols, first, count):
    """Modules of a Breakpad file each: (modules, frames)."""
    modules, frames = [], []
    for number in range(first, first + count):
        code_id = f"{number:040x}"
        symbols.files[f"/{code_id[:2]}/{code_id[2:]}/breakpad"] = (
            f"MODULE Linux x86_64 {'0' * 33} module\nFUNC 1000 100 0 f{number}\n1000 100 7 1\nFILE 1 a.c\n").encode()
        base = 0x100000 * (number + 1)
        modules.append({"type": "elf", "code_id": code_id, "image_addr": hex(base), "image_size": 0x10000})
        frames.append({"instruction_addr": hex(base + 0x1010)})
    return modules, frames


def breakpad_request(symbols, modules, frames):
    return {"sources": [symbols.source(filters={"filetypes": ["breakpad"]})], "modules": modules,
            "stacktraces": [{"frames": frames}]}


DOWNLOADED = 'symgate_downloads_total{outcome="ok"}'


def do_small_ones_end_first(service, symbols, turn):
    """Beside a huge one, of which every file stands in line for the only cell."""
    huge = breakpad_request(symbols, *breakpad_modules(symbols, 1000, 300))
    small = [breakpad_request(symbols, *breakpad_modules(symbols, 5000 + i, 1)) for i in range(5)]
    before = service.metric(DOWNLOADED) or 0
    identity = json.loads(service.post(huge, f"?timeout=0&scope=huge{turn}")[1])["request_id"]
    eventually(lambda: service.metric(DOWNLOADED) == before + 300, "all of the huge one to be there")
    for number, request in enumerate(small):
        assert functions(service.answer(request, f"?scope=small{turn}")) == [f"f{5000 + number}"], number
    are_first = json.loads(service.get(f"/requests/{identity}?timeout=0")[1])["status"] == "pending"

    def ended():
        reply = json.loads(service.get(f"/requests/{identity}?timeout=5")[1])
        return reply if reply["status"] == "completed" else None
    assert functions(eventually(ended, "the huge one")) == [f"f{1000 + i}" for i in range(300)]
    return are_first


def test_a_huge_request_holds_up_no_small_one():
    """Whoever came first: the jobs take turns, so that small ones end while a huge one goes on."""
    symbols = Symbols()
    with Service("workshop:\n  processes: 1\n  cells: 1\n") as service:
        # Where this client is slower than the service it is no proof.
        assert any(do_small_ones_end_first(service, symbols, turn) for turn in range(5)), "the huge one ended first"


def test_one_download_and_one_conversion_in_two_workshops():
    symbols = serve_all()
    config = "pool:\n  processes: 2\nworkshop:\n  processes: 2\n  jobs: 10\n"
    with Service(config) as service:
        symbols.gate.clear()
        request = request_for(symbols, PROGRAMS[:1])
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            waiting = [pool.submit(service.post, request) for _ in range(40)]
            eventually(lambda: service.metric("symgate_requests_parked") == 40, "forty parked requests")
            eventually(lambda: (service.metric("symgate_flights_waited_total") or 0) > 0, "a workshop that waits")
            symbols.gate.set()
            replies = {reply.result(PATIENCE) for reply in waiting}
        assert len(replies) == 1 and "outer" in functions(json.loads(replies.pop()[1]))
        assert symbols.total() == 1, symbols.hits
        assert service.metric('symgate_downloads_total{outcome="ok"}') == 1
        assert service.metric("symgate_cells_started_total") == 2, "one to inspect, one to convert"


# --- The operator ------------------------------------------------------------------------

def test_the_log_file_is_opened_again():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        with Service(f"logging:\n  file: {log}\n  level: debug\n") as service:
            eventually(lambda: os.path.getsize(log) > 0, "a line in the log")
            os.rename(log, log + ".1")
            os.kill(service.master(), signal.SIGHUP)
            eventually(lambda: os.path.exists(log), "the log to be opened again")

            def told():
                service.get("/healthcheck")
                return b"/healthcheck" in read(log)
            eventually(told, "the request in the new log")


def test_metrics_are_well_formed_and_documented():
    symbols = serve_all()
    with Service() as service:
        service.answer(request_for(symbols, PROGRAMS[:2]))
        text = service.get("/metrics")[1].decode()
        line = re.compile(r'[a-z_]+(\{[a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*\})? -?[0-9]+(\.[0-9]+)?')
        families = set()
        for one in text.splitlines():
            if one.startswith("# TYPE "):
                families.add(one.split()[2])
            assert one.startswith("# ") or line.fullmatch(one), one
        with open(os.path.join(TOP, "doc/api/metrics.md"), encoding="utf-8") as f:
            documented = set(re.findall(r"^\| `(symgate_\w+)` \|", f.read(), re.M))
        assert documented == families, documented ^ families


def test_a_bad_config_is_told_at_the_start():
    cases = [
        ("pool:\n  threads: no\n", "pool.threads"),
        ("pool:\n  thread: 3\n", "pool.thread"),
        ("a: [\n", "failed to parse config YAML"),
        ("sources:\n  - {id: x, type: ftp}\n", "ftp"),
        ("state_dir: ${NO_SUCH_NAME}\n", "NO_SUCH_NAME"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.yml")
        for text, words in cases:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            done = subprocess.run([SYMGATE, "-c", path, "--state-dir", os.path.join(folder, "state"), "serve",
                                   "--socket", os.path.join(folder, "socket")], capture_output=True, text=True,
                                  timeout=PATIENCE, check=False)
            assert done.returncode == 1 and words in done.stderr, (text, done)


def test_a_killed_nursery_is_replaced():
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n") as service:
        service.answer(request_for(symbols, PROGRAMS[:1]))
        nurseries = eventually(lambda: len(found := service.of_kind("symgate-nursery")) >= 2 and found, "nurseries")
        for pid in nurseries:
            kill(pid)

        def answered():
            try:
                return "outer" in functions(service.answer(request_for(symbols, PROGRAMS[1:3])))
            except (OSError, AssertionError):
                return False
        eventually(answered, "new nurseries")


def write_bytes(path, places, value=None):
    """Other bytes in place, by whoever may; the file stays the same one."""
    os.chmod(path, 0o600)
    with open(path, "r+b") as f:
        for place in places:
            f.seek(place)
            old = f.read(1)
            f.seek(place)
            f.write(bytes([(old[0] if old else 0) ^ 0x55 if value is None else value]))


def restored(path, harm):
    """As an overwriting tool that sets the times back."""
    times = os.stat(path)
    harm()
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def harms(path):
    """(what, function) of everything that is done to that blob."""
    size = os.path.getsize(path)
    for cut in sorted({0, 1, size // 4, size // 2, size // 2 + 1, size * 3 // 4, size - 8, size - 1}):
        yield f"cut to {cut}", lambda cut=cut: (os.chmod(path, 0o600), os.truncate(path, cut))
    for more in (1, 5000):
        yield f"extended by {more}", lambda more=more: (os.chmod(path, 0o600), os.truncate(path, size + more))
    yield "cut and filled with zeros", lambda: (os.chmod(path, 0o600), os.truncate(path, size // 3),
                                                os.truncate(path, size))
    yield "overwritten at every eighth byte", lambda: write_bytes(path, range(0, size, 8))
    yield "the same, with its times", lambda: restored(path, lambda: write_bytes(path, range(4, size, 8)))
    for place in range(0, size, max(8, size // 24 // 8 * 8)):
        yield f"overwritten at {place}", lambda place=place: write_bytes(path, [place])
    yield "gone", lambda: os.unlink(path)


def test_a_harmed_blob_is_made_again_in_the_same_request():
    """Frames, variables, sources of a module and files links lead to: always the whole answer, at once."""
    with tempfile.TemporaryDirectory() as folder, Service("connect_to_reserved_ips: true\n") as service:
        symbols, request, _, _ = service_sources.setting(folder)
        request["options"]["extract_variables"] = True
        whole = service.post(request)
        caches = os.path.join(service.state, "cache")
        blobs = {}
        for kind in ("symcaches", "sources", "sourcefiles"):
            found = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(caches, kind))
                     for name in names]
            assert found, (kind, os.listdir(caches))
            blobs.update({path: read(path) for path in found})
        assert sum("symcaches" in path for path in blobs) == 2, "one of names, one of variables"
        for path, content in blobs.items():
            for what, harm in harms(path):
                assert service.post(request) == whole, (path, "before", what)
                harm()
                reply = service.post(request)
                assert reply == whole, (path, what, reply)
                assert read(path) == content, (path, what)
        assert not [line for line in service.text_of_log().splitlines() if "signal 7" in line or "signal 11" in line]
        symbols.shutdown()


def blobs_of(service, kind):
    return [os.path.join(place, name)
            for place, _, names in os.walk(os.path.join(service.state, "cache", kind)) for name in names]


def test_a_harmed_object_is_got_again_for_what_is_made_of_it():
    """The files cells are given: a SymCache is never made of anything but what was downloaded."""
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        whole = service.post(request)
        path, = blobs_of(service, "objects")
        content = read(path)
        for what, harm in harms(path):
            symcache, = blobs_of(service, "symcaches")
            os.unlink(symcache)
            harm()
            hits = symbols.total()
            assert service.post(request) == whole, what
            assert read(path) == content and symbols.total() == hits + 1, (what, symbols.hits)
        symbols.shutdown()


def test_a_harmed_companion_is_got_again_in_the_same_request():
    with tempfile.TemporaryDirectory() as folder, Service() as service:
        programs, alternate, build_id = two_programs_by_dwz(folder)
        symbols = Symbols()
        symbols.add(programs[0])
        symbols.files[f"/{build_id[:2]}/{build_id[2:]}/debuginfo"] = read(alternate)
        request = request_for(symbols, programs[:1])
        whole = service.post(request)
        assert functions(json.loads(whole[1]))[-1] == "outer", whole
        objects = {path: read(path) for path in blobs_of(service, "objects")}
        assert len(objects) == 2, objects
        path, = [path for path, content in objects.items() if content == read(alternate)]
        for what, harm in harms(path):
            symcache, = blobs_of(service, "symcaches")
            os.unlink(symcache)
            harm()
            hits = symbols.total()
            reply = service.post(request)
            assert reply == whole, (what, reply, service.text_of_log()[-2000:])
            assert {path: read(path) for path in objects} == objects and symbols.total() == hits + 1, (what, symbols.hits)
        symbols.shutdown()


def test_blobs_may_vanish_shrink_and_rot_under_load():
    symbols = serve_all()
    chance = random.Random(int(os.environ.get("SUPPORT_SEED", "1")))
    with Service() as service:
        request = request_for(symbols, PROGRAMS)
        whole = service.post(request)
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            for _ in range(25):
                replies = [pool.submit(service.post, request) for _ in range(6)]
                for folder, _, names in os.walk(os.path.join(service.state, "cache")):
                    if os.path.basename(folder) == "tmp":
                        continue  # what is under way is no blob
                    for name in names:
                        path = os.path.join(folder, name)
                        try:
                            if chance.random() < 0.3:
                                os.unlink(path)
                            elif chance.random() < 0.3:
                                os.chmod(path, 0o600)
                                os.truncate(path, chance.randrange(0, 5000))
                            elif chance.random() < 0.3:
                                write_bytes(path, range(chance.randrange(8), os.path.getsize(path), 8))
                        except OSError:
                            pass  # published or removed meanwhile
                for reply in replies:
                    assert reply.result(PATIENCE) == whole, (reply.result(), service.text_of_log()[-6000:])
        assert not [line for line in service.text_of_log().splitlines() if "signal 7" in line or "signal 11" in line]


# --- Those who try things ----------------------------------------------------------------

def unsafe_sources(folder, outside):
    """What a request may not reach: (what, source)."""
    os.symlink(outside, os.path.join(folder, "link"))
    layout = {"layout": {"type": "unified"}, "filters": {"filetypes": ["elf_debug"]}}
    return [
        ("a folder outside of the roots", {"id": "a", "type": "filesystem", "path": outside, **layout}),
        ("a way up", {"id": "b", "type": "filesystem", "path": folder + "/../" + os.path.basename(outside), **layout}),
        ("a symlink", {"id": "c", "type": "filesystem", "path": folder + "/link", **layout}),
        ("devices", {"id": "d", "type": "filesystem", "path": "/dev", **layout}),
        ("a NUL", {"id": "e", "type": "filesystem", "path": folder + "\x00/../" + outside, **layout}),
        ("a file URL", {"id": "f", "type": "http", "url": f"file://{outside}/", **layout}),
        ("gopher", {"id": "g", "type": "http", "url": "gopher://127.0.0.1:1/", **layout}),
        ("a scheme inside", {"id": "h", "type": "http", "url": f"http:///{outside}/", **layout}),
    ]


def serve_strictly(folder, config):
    """The pool alone, without deploy/serve's open doors; asked through lighttpd all the same."""
    path = os.path.join(folder, "serve")
    text = read(os.path.join(TOP, "deploy", "serve")).decode()
    text = text.replace('filesystem_source_roots: ["/"]\n', "").replace("connect_to_reserved_ips: true\n", "")
    text = text.replace("END\n\ncat >\"$run/lighttpd", config + "END\n\ncat >\"$run/lighttpd", 1)
    text = text.replace('$(cd "$(dirname "$0")/.." && pwd)', TOP)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def test_requests_reach_only_what_they_may():
    program = PROGRAMS[0]
    with tempfile.TemporaryDirectory() as top:
        inside, outside = os.path.join(top, "inside"), os.path.join(top, "outside")
        for folder in (inside, outside):
            target = os.path.join(folder, os.path.dirname(program.key()))
            os.makedirs(target)
            shutil.copy(program.path, os.path.join(folder, program.key()))
        odd = os.path.join(inside, PROGRAMS[1].key())
        os.makedirs(os.path.dirname(odd))
        os.mkfifo(odd)
        up = os.path.join(inside, PROGRAMS[2].key())
        os.makedirs(os.path.dirname(up))
        shutil.copy(PROGRAMS[2].path, outside + "/secret")
        os.symlink("../../../outside/secret", up)
        service = Service()
        service.script = serve_strictly(top, f'filesystem_source_roots: ["{inside}"]\n')
        with service:
            good = {"id": "good", "type": "filesystem", "path": inside, "layout": {"type": "unified"},
                    "filters": {"filetypes": ["elf_debug"]}}
            request = request_for(serve_all(), PROGRAMS[:3])
            request["sources"] = [good]
            reply = service.answer(request)
            statuses = [module["debug_status"] for module in reply["modules"]]
            assert statuses[0] == "found" and "found" not in statuses[1:], reply["modules"]
            for what, source in unsafe_sources(inside, outside):
                request = request_for(serve_all(), [program])
                request["sources"] = [source]
                status, body = service.post(request)
                assert status in (200, 422), (what, status, body)
                assert status == 422 or json.loads(body)["modules"][0]["debug_status"] != "found", (what, body)
            local = request_for(serve_all(), [program])
            assert service.answer(local)["modules"][0]["debug_status"] != "found", "an address of this machine"


class Listener:
    """A raw server that keeps what it is sent, and answers 404."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = []
        # Never ends: a daemon, or the interpreter would wait for it.
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            connection, _ = self.socket.accept()
            with connection:
                self.heard.append(connection.recv(65536))
                connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def test_headers_cannot_be_forged_and_secrets_stay_secret():
    secret = "Bearer tHe-SeCrEt-OfAll"
    listener = Listener()
    with Service("logging:\n  level: debug\n") as service:
        source = {"id": "s\r\nX-Forged: id", "type": "http", "url": f"http://127.0.0.1:{listener.port}/a%0d%0ab/",
                  "headers": {"Authorization": secret, "X-A": "b\r\nX-Forged: value",
                              "X-B\r\nX-Forged": "name"},
                  "layout": {"type": "unified"}, "filters": {"filetypes": ["elf_debug"]}}
        request = request_for(serve_all(), PROGRAMS[:1])
        request["modules"][0]["code_file"] = "/lib/x\r\n2026-01-01 level=error forged=1\x1b[31m"
        request["sources"] = [source]
        status, body = service.post(request, "?scope=a%20level=error")
        assert status in (200, 422), (status, body)
        for headers in ({"Authorization": secret}, {"Authorization": secret, "X-A": "fine"}):
            request["sources"] = [{**source, "id": "s", "headers": headers}]
            status, body = service.post(request)
            assert status == 200 and secret.encode() not in body, body
        assert any(secret.encode() in one for one in listener.heard), "the header is sent to its server"
        assert not any(b"\nX-Forged" in one for one in listener.heard), listener.heard
        why = subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "why",
                              PROGRAMS[0].code_id], capture_output=True, check=False)
        assert secret.encode() not in why.stdout + why.stderr
        log = service.text_of_log()
        assert secret not in log and "\x1b" not in log, "the log"
        assert not re.search(r"^2026-01-01 level=error forged", log, re.M), "a forged line"
        for name in os.listdir(service.state):
            path = os.path.join(service.state, name)
            if name.startswith("symgate.db"):
                assert secret.encode() not in read(path), name


def test_many_modules_and_sources_are_bounded():
    symbols = serve_all()
    with Service() as service:
        request = {"sources": [symbols.source(name=f"s{i}", filters={}) for i in range(3)],
                   "modules": [{"type": "elf", "code_id": f"{i:040x}", "image_addr": hex(0x10000 * (i + 1)),
                                "image_size": 0x1000} for i in range(300)],
                   "stacktraces": [{"frames": [{"instruction_addr": hex(0x10000 * (i + 1) + 1)}
                                               for i in range(300)]}]}
        reply = service.answer(request)
        assert {module["debug_status"] for module in reply["modules"]} == {"missing"}, reply["modules"][:2]
        request["sources"] = [symbols.source(name=f"s{i}") for i in range(20000)]
        status, body = service.post(request, "?timeout=0")
        assert status in (200, 413, 422), (status, body[:200])
        assert service.get("/healthcheck") == (200, b"ok")


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "edges")

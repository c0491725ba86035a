#!/usr/bin/env python3
"""Crash files sent to the service: cores, Apple's reports, minidumps; what is wrong with them, what
becomes of them, and who is killed meanwhile.

usage: test_crash.py [TEST]...         SYMGATE names the binary; lighttpd, gcc and gdb are needed
"""
import concurrent.futures
import contextlib
import json
import os
import signal
import sqlite3
import stat
import struct
import subprocess
import tempfile

from service_tests import PATIENCE, TOP, Program, Service, Symbols, eventually, kill, run_all, stretched

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-crash-")
CRASHER = r"""
static volatile int *nowhere;
__attribute__((noinline)) static int inside(int value) { *nowhere = value; return value + 1; }
__attribute__((noinline)) int outer(int value) { return inside(value) + 2; }
int main(int argc, char **argv) { (void)argv; return outer(argc) + 3; }
"""
REPORT = os.path.join(TOP, "tests", "fuzz", "corpus", "applecrash", "macos.txt")
BOUNDARY = "a-boundary-of-tests"


class Crasher(Program):
    """A program that dies in inside(), called by outer(), called by main(), and its core."""

    def __init__(self, folder):
        super().__init__(folder, 0)
        source = os.path.join(folder, "crasher.c")
        self.path = os.path.join(folder, "crasher")
        self.core = os.path.join(folder, "crasher.core")
        with open(source, "w", encoding="ascii") as f:
            f.write(CRASHER)
        subprocess.run(["gcc", "-O1", "-g", "-fno-optimize-sibling-calls", "-Wl,--build-id", "-o", self.path,
                        source], check=True)
        notes = subprocess.run(["readelf", "-n", self.path], capture_output=True, text=True, check=True).stdout
        self.code_id = notes.split("Build ID: ")[1].split()[0]
        try:
            subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", "-ex", f"generate-core-file {self.core}",
                            "-ex", "kill", self.path], stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=PATIENCE, check=False)
        except FileNotFoundError:
            pass


CRASHED = Crasher(FOLDER.name)


def has_core():
    """False: said to be skipped."""
    if os.path.exists(CRASHED.core):
        return True
    counts = os.environ.get("SUPPORT_COUNTS")
    if counts:
        with open(counts, "a", encoding="ascii") as f:
            f.write("0 0 cores-sent-to-the-service skipped\n")
    print("   skipped cores-sent-to-the-service: gdb makes no core here")
    return False


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def serve_symbols():
    """The program as it is, for its unwind rules, and for its lines."""
    symbols = Symbols()
    program = bytes_of(CRASHED.path)
    symbols.files["/" + CRASHED.key()] = program
    symbols.files[f"/{CRASHED.code_id[:2]}/{CRASHED.code_id[2:]}/executable"] = program
    return symbols


def sources(symbols):
    return json.dumps([symbols.source(filters={"filetypes": ["elf_code", "elf_debug"]})])


def send(service, path, parts, query=""):
    """parts: (name, bytes); those named as a file have a name of their own."""
    body = b""
    for name, content in parts:
        content = content.encode() if isinstance(content, str) else content
        body += (f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n').encode()
        body += content + b"\r\n"
    body += f"--{BOUNDARY}--\r\n".encode()
    status, reply, _ = service.request("POST", path + query, body,
                                       {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"})
    return status, reply


def poll(service, reply):
    while reply["status"] == "pending":
        status, body = service.get(f"/requests/{reply['request_id']}?timeout=5")
        assert status == 200, (status, body[:300])
        reply = json.loads(body)
    return reply


def answer(service, path, parts, query=""):
    status, body = send(service, path, parts, query)
    assert status == 200, (status, body[:300])
    return poll(service, json.loads(body))


def send_core(service, symbols, query=""):
    return answer(service, "/coredump", [("coredump", bytes_of(CRASHED.core)), ("sources", sources(symbols))],
                  query)


def crashed_functions(reply):
    threads = [thread for thread in reply["stacktraces"] if thread.get("is_requesting")]
    assert len(threads) == 1, reply["stacktraces"]
    return [frame.get("function") for frame in threads[0]["frames"]]


def check_core(reply):
    assert reply["status"] == "completed", reply
    assert reply["crashed"] is True and reply["signal"] == signal.SIGSEGV, reply
    assert "SIGSEGV" in reply["crash_reason"], reply["crash_reason"]
    assert reply["system_info"]["os_name"] == "Linux", reply["system_info"]
    names = crashed_functions(reply)
    assert names[:3] == ["inside", "outer", "main"], names


def spool_files(service):
    folder = os.path.join(service.state, "spool")
    found = {}
    for path in [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]:
        with contextlib.suppress(FileNotFoundError):        # gone meanwhile
            found[path] = os.stat(path)
    return {path: status for path, status in found.items() if stat.S_ISREG(status.st_mode)}


def test_a_core_is_walked_and_symbolicated():
    if not has_core():
        return
    symbols = serve_symbols()
    with Service() as service:
        cold = send_core(service, symbols)
        check_core(cold)
        module = next(m for m in cold["modules"] if m.get("code_id") == CRASHED.code_id)
        assert (module["debug_status"], module["unwind_status"]) == ("found", "found"), module
        frames = next(t for t in cold["stacktraces"] if t.get("is_requesting"))["frames"]
        assert [frame["trust"] for frame in frames[:3]] == ["context", "cfi", "cfi"], frames[:3]
        assert all(frame["abs_path"].endswith("crasher.c") for frame in frames[:3]), frames[:3]
        hot = send_core(service, symbols)
        assert hot == cold, (hot, cold)


def test_two_cores_at_once_ask_once():
    if not has_core():
        return
    symbols = serve_symbols()
    with Service("workshop:\n  processes: 2\n  cells: 2\n") as service, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        symbols.gate.clear()
        both = [pool.submit(send_core, service, symbols) for _ in range(2)]
        eventually(lambda: service.metric("symgate_requests_parked") == 2, "two cores under way")
        eventually(symbols.total, "symbols to be asked for")
        symbols.gate.set()
        for one in both:
            check_core(one.result(PATIENCE * 2))
        twice = {path: count for path, count in symbols.hits.items() if count > 1}
        assert not twice, twice


def test_a_killed_workshop_is_gone_on_with():
    if not has_core():
        return
    symbols = serve_symbols()
    with Service() as service, concurrent.futures.ThreadPoolExecutor(1) as pool:
        for _ in range(2):
            symbols.gate.clear()
            before = symbols.total()
            job = pool.submit(send_core, service, symbols, f"?scope=s{before}")
            eventually(lambda: symbols.total() > before, "symbols to be asked for")
            victims = service.of_kind("workshop")
            assert victims
            for pid in victims:
                kill(pid)
            eventually(lambda: not victims & set(service.pids()), "the workshop to be dead")
            symbols.gate.set()
            check_core(job.result(PATIENCE * 2))


def test_what_was_sent_is_ours_alone_and_goes():
    if not has_core():
        return
    symbols = serve_symbols()
    with Service("cache_cleanup_interval: 1s\n") as service, concurrent.futures.ThreadPoolExecutor(1) as pool:
        symbols.gate.clear()
        job = pool.submit(send_core, service, symbols)
        eventually(symbols.total, "symbols to be asked for")
        size = os.path.getsize(CRASHED.core)
        waiting = spool_files(service)
        assert any(status.st_size == size for status in waiting.values()), waiting
        assert all(stat.S_IMODE(status.st_mode) == 0o600 for status in waiting.values()), waiting
        symbols.gate.set()
        check_core(job.result(PATIENCE * 2))
        eventually(lambda: all(status.st_size != size for status in spool_files(service).values()),
                   "the core to go when its job has ended")
        assert all(stat.S_IMODE(status.st_mode) == 0o600 for status in spool_files(service).values())
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"), timeout=PATIENCE)
        with database:  # its retention is over
            database.execute("update job set created_at = created_at - 100, finished_at = finished_at - 100")
        database.close()
        eventually(lambda: not spool_files(service), "the spool to be empty")


def check_without_symbols(reply):
    assert reply["status"] == "completed", reply
    assert reply["signal"] == signal.SIGSEGV and len(crashed_functions(reply)) > 0, reply
    module = next(m for m in reply["modules"] if m.get("code_id") == CRASHED.code_id)
    assert module["unwind_status"] not in ("found", "unused"), module
    assert module["debug_status"] not in ("found", "unused"), module


def test_symbols_that_hang_are_done_without():
    if not has_core():
        return
    symbols = serve_symbols()
    symbols.gate.clear()
    with Service("max_download_timeout: 1s\nhead_timeout: 1s\n") as service:
        check_without_symbols(send_core(service, symbols))
        assert symbols.total() > 0


def test_a_job_whose_symbols_hang_is_answered_in_its_time():
    if not has_core():
        return
    symbols = serve_symbols()
    symbols.gate.clear()
    # The source itself is not given up by then: that would be remembered.
    with Service(f"head_timeout: 600s\nmax_download_timeout: 600s\nlimits:\n  job_time: {stretched(6)}s\n") as service:
        reply = send_core(service, symbols)
        check_without_symbols(reply)
        program, = [module for module in reply["modules"] if module.get("code_id") == CRASHED.code_id]
        assert program["debug_status"] == "timeout" and program["unwind_status"] == "timeout", program
        assert symbols.total() > 0
        symbols.gate.set()
        check_core(send_core(service, symbols))  # nothing of it is remembered
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()


def test_an_apple_report_with_sources():
    symbols = serve_symbols()
    source = json.dumps([symbols.source(filters={"filetypes": ["mach_code", "mach_debug"]})])
    with Service() as service:
        reply = answer(service, "/applecrashreport", [("apple_crash_report", bytes_of(REPORT)), ("sources", source)])
        assert reply["status"] == "completed" and reply["crashed"] is True, reply
        assert reply["system_info"]["os_name"] == "macOS", reply["system_info"]
        assert reply["crash_reason"] == "EXC_BAD_ACCESS" or "SIGSEGV" in reply["crash_reason"], reply
        assert reply["crash_details"] == "abort() called", reply
        module, = reply["modules"]
        assert module["debug_status"] == "missing" and module["type"] == "macho", module
        assert reply["stacktraces"][0]["frames"][0]["instruction_addr"] == "0x100003f50", reply["stacktraces"]
        assert symbols.total() > 0, "its source was not asked"


def crasher_symbol(name):
    for line in subprocess.run(["nm", CRASHED.path], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.split()[2:] == [name]:
            return int(line.split()[0], 16)
    raise AssertionError(name)


def test_stacks_as_text():
    symbols = serve_symbols()
    inside, outer = crasher_symbol("inside"), crasher_symbol("outer")
    sanitizer = ("==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5)\n"
                 f"    #0 {0x550000000000 + inside:#x}  (/app/crasher+{inside:#x}) (BuildId: {CRASHED.code_id})\n"
                 f"    #1 {0x550000000000 + outer:#x}  (/app/crasher+{outer:#x}) (BuildId: {CRASHED.code_id})\n"
                 "    #2 0x7f0000000010 in start_elsewhere /src/elsewhere.c:5\n")
    tombstone = ("pid: 12, tid: 13, name: Render  >>> shop <<<\r\nsignal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\r\n"
                 f"      #00 pc {inside:016x}  /data/app/libshop.so (BuildId: {CRASHED.code_id})\r\n"
                 "      #01 pc 0000000000000010  /system/lib64/libc.so (abort+52) (BuildId: 00112233445566778899aabbccddeeff00112233)\r\n")
    with Service() as service:
        reply = answer(service, "/stacktext", [("stacktext", sanitizer), ("sources", sources(symbols))])
        assert reply["status"] == "completed" and reply["crashed"] is True, reply
        assert reply["crash_reason"] == "AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5)", reply
        assert crashed_functions(reply) == ["inside", "outer", "start_elsewhere"], reply["stacktraces"]
        frames = reply["stacktraces"][0]["frames"]
        assert frames[0]["status"] == "symbolicated" and frames[0]["lineno"] > 1, frames[0]
        assert frames[2]["abs_path"] == "/src/elsewhere.c" and frames[2]["lineno"] == 5, frames[2]
        module, = reply["modules"]
        assert module["debug_status"] == "found" and module["code_id"] == CRASHED.code_id, module
        assert reply["system_info"]["cpu_arch"] == "x86_64", reply["system_info"]
        reply = answer(service, "/stacktext", [("stacktext", tombstone), ("sources", sources(symbols))])
        assert crashed_functions(reply) == ["inside", "abort"], reply["stacktraces"]
        thread = reply["stacktraces"][0]
        assert thread["thread_id"] == 13 and thread["thread_name"] == "Render", thread
        assert reply["system_info"]["os_name"] == "Android", reply["system_info"]
        assert [module["debug_status"] for module in reply["modules"]] == ["found", "missing"], reply["modules"]
        for text, words in (("nothing at all", "no line is a frame"), ("", "empty"), (b"MDMP\x93\xa7\0\0", "minidump"),
                            ("Error\n    at f (https://a/b.js:1:2)\n", "/symbolicate-js"),
                            ("\tat a.B.c(B.java:1)\n", "/symbolicate-jvm")):
            reply = answer(service, "/stacktext", [("stacktext", text)])
            assert reply["status"] == "failed" and words in reply["message"], (text, reply)
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()


def test_jobs_that_fail_at_once_leave_the_workshop_at_work():
    """Their end may be written while their workshop looks whether they are still its own."""
    with Service() as service:
        for i in range(100):
            reply = answer(service, "/stacktext", [("stacktext", "no stack")], "?timeout=20")
            assert reply["status"] == "failed", (i, reply)


def minidump_of(build_ids):
    """Of x86-64 Linux: one thread in the first of these modules, whose stack points into all of them."""
    modules = [(0x7f0000000000 + i * 0x100000, build_id) for i, build_id in enumerate(build_ids)]
    stack = b"".join(struct.pack("<Q", base + 0x100) for base, _ in modules)
    context = bytearray(1232)
    struct.pack_into("<I", context, 48, 0x10000b)
    struct.pack_into("<Q", context, 152, 0x7ff000000000)
    struct.pack_into("<Q", context, 248, modules[0][0] + 0x10)
    system = struct.pack("<HHHBBIIIIIHH24s", 9, 6, 1, 4, 0, 6, 1, 0, 0x8201, 0, 0, 0, b"")
    at = 32 + 3 * 12 + len(system)
    names = [f"/usr/lib/module{i}.so".encode("utf-16-le") for i in range(len(modules))]
    blobs, places = b"", []
    for (_, build_id), name in zip(modules, names):
        places.append((at + len(blobs), at + len(blobs) + 4 + len(name) + 2))
        blobs += struct.pack("<I", len(name)) + name + b"\0\0" + b"LEpB" + build_id
    threads = struct.pack("<I", 1) + struct.pack("<IIIIQQIIII", 1, 0, 0, 0, 0, 0x7ff000000000, len(stack),
                                                 at + len(blobs), len(context), at + len(blobs) + len(stack))
    blobs += stack + context
    table = struct.pack("<I", len(modules))
    for (base, build_id), (name_at, id_at) in zip(modules, places):
        table += struct.pack("<QIIII", base, 0x10000, 0, 0, name_at) + b"\0" * 52
        table += struct.pack("<IIII", 4 + len(build_id), id_at, 0, 0) + b"\0" * 16
    streams = struct.pack("<III", 7, len(system), 32 + 3 * 12)
    streams += struct.pack("<III", 3, len(threads), at + len(blobs))
    streams += struct.pack("<III", 4, len(table), at + len(blobs) + len(threads))
    head = struct.pack("<4sIIIIIQ", b"MDMP", 0xa793, 3, 32, 0, 1700000000, 0)
    return head + streams + system + blobs + threads + table


def test_what_a_walk_will_need_is_looked_for_side_by_side():
    build_ids = [bytes([number]) * 20 for number in range(1, 8)]
    symbols = Symbols()
    symbols.gate.clear()
    source = json.dumps([symbols.source(filters={"filetypes": ["elf_code"]})])
    parts = [("upload_file_minidump", minidump_of(build_ids)), ("sources", source)]
    with Service() as service, concurrent.futures.ThreadPoolExecutor(1) as pool:
        reply = pool.submit(answer, service, "/minidump", parts)

        def asked_for():
            with symbols.lock:
                return {build_id for build_id in build_ids
                        if any(build_id.hex() in path.replace("/", "") for path in symbols.hits)}
        eventually(lambda: len(asked_for()) >= 5, "several modules to be asked for while the first has no answer")
        symbols.gate.set()
        modules = reply.result()["modules"]
        assert [module["unwind_status"] for module in modules] == ["missing"] * len(build_ids), modules


def cut_minidump():
    """A directory of four streams that is not there."""
    return struct.pack("<IIIIIIQ", 0x504d444d, 0xa793, 4, 32, 0, 0, 0)


def test_files_that_are_none_fail_with_words():
    files = (("/minidump", "upload_file_minidump", cut_minidump()),
             ("/minidump", "upload_file_minidump", b"MDMP"),
             ("/minidump", "upload_file_minidump", b"no minidump at all"),
             ("/minidump", "upload_file_minidump", b""),
             ("/coredump", "coredump", b"\x7fELF"),
             ("/coredump", "coredump", bytes_of(CRASHED.path)[:4096]),
             ("/coredump", "coredump", b""))
    with Service() as service:
        for path, name, content in files:
            reply = answer(service, path, [(name, content)])
            assert reply["status"] == "failed" and reply["message"], (path, content[:20], reply)
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()
        # Minidumps stay for diagnosis, for their owner alone; a core may hold anything.
        kept = os.path.join(service.state, "diagnostics")
        wanted = sorted(content for path, _, content in files if path == "/minidump")
        eventually(lambda: sorted(bytes_of(os.path.join(kept, name)) for name in os.listdir(kept)) == wanted,
                   "all of them to be kept")
        for name in os.listdir(kept):
            assert name.endswith(".minidump"), name
            assert stat.S_IMODE(os.stat(os.path.join(kept, name)).st_mode) == 0o600, name


def test_a_core_that_is_cut_costs_what_it_lost():
    if not has_core():
        return
    core = bytes_of(CRASHED.core)
    with Service() as service:
        for size in (64, 4096, len(core) // 2, len(core) - 1):
            reply = answer(service, "/coredump", [("coredump", core[:size])])
            assert reply["status"] == "completed" or (reply["status"] == "failed" and reply["message"]), reply
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()


PACKERS = (["gzip", "-c"], ["zstd", "-q", "-c"], ["lz4", "-q", "-c"], ["xz", "-0", "-c"])


def packed(packer, content):
    return subprocess.run(packer, input=content, capture_output=True, check=True).stdout


def test_cores_as_they_are_stored():
    if not has_core():
        return
    core = bytes_of(CRASHED.core)
    symbols = serve_symbols()
    with Service() as service:
        for packer in PACKERS:
            small = packed(packer, core)
            reply = answer(service, "/coredump", [("coredump", small), ("sources", sources(symbols))])
            check_core(reply)
            assert not [remark for remark in reply.get("remarks", []) if "pack" in remark], reply["remarks"]
            # Cut in the middle: what came before is read, or it is said that it is not enough.
            reply = answer(service, "/coredump", [("coredump", small[:len(small) * 3 // 4]),
                                                  ("sources", sources(symbols))])
            words = reply.get("message") or " ".join(reply["remarks"])
            assert "ends early" in words or "damaged" in words or "cut" in words, (packer, reply)


def test_cores_that_unpack_to_too_much():
    zeros, ones = bytes(64 << 20), b"1" * (300 << 20)
    with Service() as service:
        # Memory is mostly zeros: they cost no disk, and it is no core.
        reply = answer(service, "/coredump", [("coredump", packed(["xz", "-0", "-c"], zeros))])
        assert reply["status"] == "failed" and "core" in reply["message"], reply
        reply = answer(service, "/coredump", [("coredump", packed(["zstd", "-q", "-c"], ones))])
        assert reply["status"] == "failed" and "more than 1040 times" in reply["message"], reply
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()


def test_dumps_of_other_formats_are_named():
    with Service() as service:
        for content, said in ((b"KDUMP   " + bytes(4096), "makedumpfile -E"), (b"makedumpfile" + bytes(4096), "-R"),
                              (b"DISKDUMP" + bytes(4096), "diskdump")):
            reply = answer(service, "/coredump", [("coredump", content)])
            assert reply["status"] == "failed" and said in reply["message"], reply


def test_missing_parts_are_refused():
    words = {"/minidump": b"missing minidump", "/applecrashreport": b"missing apple crash report",
             "/coredump": b"missing core dump", "/stacktext": b"missing stack"}
    with Service() as service:
        for path, said in words.items():
            status, body = send(service, path, [("sources", "[]"), ("upload", b"MDMP")])
            assert status == 400 and said in body, (path, status, body)
            status, body, _ = service.request("POST", path, b"{}", {"Content-Type": "application/json"})
            assert 400 <= status < 500, (path, status, body)
            status, body, headers = service.request("GET", path)
            assert status == 405 and headers["Allow"] == "POST", (path, status, headers)
        status, body = send(service, "/minidump", [("upload_file_minidump", b"MDMP"), ("sources", "no JSON")])
        assert status == 400, (status, body)
        eventually(lambda: not spool_files(service), "what was refused to be gone")


if __name__ == "__main__":
    run_all([test for name, test in list(globals().items()) if name.startswith("test_")], "crash")

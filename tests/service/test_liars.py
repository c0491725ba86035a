#!/usr/bin/env python3
"""test_liars -- sources that lie, and names that attack, against the whole service.

Every lie costs its own candidate: the placeholder in SQLite, its words in the answer, and beside it
another source and another module that are served as if nothing had happened.

usage: test_liars.py [TEST ...]        environment: SYMGATE (the program)
"""
import concurrent.futures
import gzip
import io
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import zipfile

from service_tests import (PATIENCE, SYMGATE, TOP, Program, Service, Symbols, eventually, functions, kill, request_for,
                            run_all, stretched)

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-liars-")
GOOD = Program(FOLDER.name, 1)
WANTED = Program(FOLDER.name, 2)
MOST = 8 << 20
HEAD_SECONDS, BODY_SECONDS = stretched(2), stretched(8)
CONFIG = f"""
connect_to_reserved_ips: false
reserved_ips_allowed: [127.0.0.1/32]
connect_timeout: {HEAD_SECONDS}s
head_timeout: {HEAD_SECONDS}s
max_download_timeout: {BODY_SECONDS}s
max_download_size: {MOST}
"""

# Names a resolver of ours answers for, in the way of hostile ones; and an authority the service
# trusts, so that certificates fail for what is wrong with them and for nothing else.
SHIM = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int times_asked(void)
{
	int fd = open(getenv("LIARS_ASKED"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	int times = (int)lseek(fd, 0, SEEK_END);

	if (write(fd, "x", 1) != 1)
		abort();
	close(fd);
	return times;
}

typedef int ask_fn(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	ask_fn *ask = (ask_fn *)dlsym(RTLD_NEXT, "getaddrinfo");
	struct addrinfo *more = NULL;
	int rc;

	if (!name || !strstr(name, ".liar.test"))
		return ask(name, service, hints, found);
	if (strncmp(name, "inner.", 6) == 0)
		return ask("127.0.0.2", service, hints, found);
	if (strncmp(name, "turning.", 8) == 0)
		return ask(times_asked() == 0 ? "127.0.0.1" : "127.0.0.2", service, hints, found);
	if (strncmp(name, "tls.", 4) == 0 || strncmp(name, "other.", 6) == 0)
		return ask("127.0.0.1", service, hints, found);
	/* both: a harmless one that answers nobody, then the one that is meant. */
	rc = ask("127.0.0.2", service, hints, &more);
	if (rc == 0)
		rc = ask("127.0.0.1", "1", hints, found);
	if (rc == 0) {
		((struct sockaddr_in *)(void *)(*found)->ai_addr)->sin_port = htons(1);
		(*found)->ai_next = more;
	}
	return rc;
}

typedef int load_fn(void *, const char *);

int X509_STORE_load_file(void *store, const char *path)
{
	/* It comes with libcurl, after the program: it is next to nobody. */
	load_fn *load = (load_fn *)dlsym(dlopen("libcrypto.so.3", RTLD_NOW), "X509_STORE_load_file");

	(void)path;
	return load(store, getenv("LIARS_CA"));
}

int X509_STORE_load_path(void *store, const char *path)
{
	return X509_STORE_load_file(store, path);
}
"""


AUTHORITY = """
[ca]
default_ca = liars
[liars]
database = index
serial = serial
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = DNS:tls.liar.test
"""


def put(name, content):
    path = os.path.join(FOLDER.name, name)
    with open(path, "wb") as f:
        f.write(content.encode() if isinstance(content, str) else content)
    return path


def make_certificates():
    """An authority, and certificates of it for tls.liar.test, one of the past, one of nobody's."""
    def run(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=FOLDER.name)
    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Liars", "-keyout", "ca.key",
        "-out", "ca.pem")
    put("index", "")
    put("serial", "01\n")
    put("authority", AUTHORITY)
    for name, end in (("well", "21000101000000Z"), ("past", "20200201000000Z")):
        run("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{name}.key",
            "-out", f"{name}.csr")
        run("ca", "-batch", "-config", "authority", "-startdate", "20200101000000Z", "-enddate", end,
            "-in", f"{name}.csr", "-out", f"{name}.crt", "-notext")
    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=tls.liar.test", "-addext",
        "subjectAltName = DNS:tls.liar.test", "-keyout", "nobody.key", "-out", "nobody.crt")
    for name in ("well", "past", "nobody"):
        put(f"{name}.pem", b"".join(read(os.path.join(FOLDER.name, f"{name}.{part}")) for part in ("key", "crt")))
    return [os.path.join(FOLDER.name, f"{name}.pem") for name in ("well", "past", "nobody")]


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Liar:
    """tests/fetch/server.py, whose addresses say how it lies."""

    def __enter__(self):
        well, *others = make_certificates()
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(TOP, "tests", "fetch", "server.py"), well, FOLDER.name, *others],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ports = [int(word) for word in self.process.stdout.readline().split()]
        self.plain, _, self.well, _, self.past, self.nobody = ports
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()                  # one of its threads hangs by design

    def at(self, place, host="127.0.0.1", port=None, scheme="http"):
        return f"{scheme}://{host}:{port or self.plain}/{place}/"


class Inner:
    """What nobody may reach: counts who did, on every address of this machine but 127.0.0.1."""

    def __init__(self):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.2", 0))
        self.socket.listen(64)
        self.port = self.socket.getsockname()[1]
        self.reached = 0
        threading.Thread(target=self.listen, daemon=True).start()   # it never ends

    def listen(self):
        while True:
            connection, _ = self.socket.accept()
            self.reached += 1
            connection.close()


def shimmed_service(config=CONFIG):
    library = os.path.join(FOLDER.name, "shim.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, put("shim.c", SHIM), "-ldl"], check=True)
    os.environ.update(LD_PRELOAD=library, LIARS_ASKED=os.path.join(FOLDER.name, "asked"),
                      LIARS_CA=os.path.join(FOLDER.name, "ca.pem"))
    service = Service(config)
    try:
        service.start()
    finally:
        del os.environ["LD_PRELOAD"]
    return service


def zstd_of_zeros(blocks):
    """Hand-made: each block of four bytes is 128 KiB."""
    block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
    last = (131072 << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * (blocks - 1) + last


def zipped(*members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def write_files(inner):
    program = read(WANTED.path)
    put("program", program)
    put("login", "<!DOCTYPE html><html><body>Please <a href='/login'>log in</a></body></html>" + " " * 2000)
    put("cab", b"MSCF" + b"garbage!" * 500)
    put("zip", b"PK\3\4" + b"garbage!" * 500)
    put("gzip", b"\x1f\x8b" + b"garbage!" * 500)
    put("gzip-cut", gzip.compress(program)[:-100])
    put("zstd", b"\x28\xb5\x2f\xfd" + b"garbage!" * 500)
    put("zlib", b"\x78\x9c" + b"garbage!" * 500)
    put("zip-up", zipped(("../../../../../../../../tmp/symgate-was-here", program)))
    put("zip-up-bad", zipped(("../../etc/symgate-was-here", b"no debug file")))
    put("zip-two", zipped(("../a", program), ("b", program)))
    put("bomb", zstd_of_zeros(80000))            # 10 GB from 320 kB
    for name, host in (("to-loopback", "127.0.0.2"), ("to-decimal", "2130706434"), ("to-octal", "0177.0.0.2"),
                       ("to-hex", "0x7f000002"), ("to-short", "127.2"), ("to-mapped", "[::ffff:127.0.0.2]"),
                       ("to-nat64", "[64:ff9b::127.0.0.2]"), ("to-v6", "[::1]"), ("to-any", "0.0.0.0"),
                       ("to-link-local", "169.254.169.254"), ("to-name", "inner.liar.test"),
                       ("to-both", "both.liar.test")):
        put(name, f"http://{host}:{inner.port}/latest/meta-data/")


RESTRICTED = "destination is restricted"
# what, the place of the lie, what SQLite remembers, its words
LIES = [
    ("fewer bytes than promised", "less/program", "download", "."),
    ("more bytes than promised", "more/program", "malformed", "."),
    ("an endless body", "endless/200", "malformed", "Maximum file size exceeded"),
    ("an endless head", "endless-head", "download", "the head of the answer is too long"),
    ("a head in drops", "drip-head", "timeout", f"{HEAD_SECONDS}s"),
    ("a body in drops", "drip", "timeout", f"{BODY_SECONDS}s"),
    ("no head at all", "silent", "timeout", f"{HEAD_SECONDS}s"),
    ("no answer", "hang-up", "download", "Empty reply|Connection died"),
    ("no HTTP", "garbage", "download", "."),
    ("a redirect to itself", "loop", "download", "too many redirects"),
    ("many redirects", "redirect/30", "download", "too many redirects"),
    ("a login page as 200", "file/login", "malformed", "."),
    ("no cabinet", "file/cab", "malformed", "."),
    ("no zip", "file/zip", "malformed", "."),
    ("no gzip", "file/gzip", "malformed", "."),
    ("half a gzip", "file/gzip-cut", "malformed", "."),
    ("no zstd", "file/zstd", "malformed", "."),
    ("no zlib", "file/zlib", "malformed", "."),
    ("a zip that leads out, no debug file", "file/zip-up-bad", "malformed", "."),
    ("a zip of two", "file/zip-two", "malformed", "ZipArchive contains more than one symbol file"),
    ("10 GB from 320 kB", "file/bomb", "limit", "Maximum file size exceeded"),
    ("an encoded bomb", "bomb", "malformed", "Maximum file size exceeded"),
] + [(f"sent on {name[3:]}", f"away/{name}", "download", RESTRICTED) for name in (
    "to-loopback", "to-decimal", "to-octal", "to-hex", "to-short", "to-mapped", "to-nat64", "to-v6", "to-any",
    "to-link-local", "to-name")] + [("sent on to both", "away/to-both", "download", f"{RESTRICTED}|Connection refused")]


def lying_request(url, name, symbols, **more):
    """Two modules: one the liar is asked for first, and one it has nothing to do with."""
    request = request_for(symbols, [WANTED, GOOD])
    liar = {"id": name, "type": "http", "url": url, "layout": {"type": "unified"},
            "filters": {"filetypes": ["elf_debug"]}, **more}
    good = symbols.source("good")
    request["sources"] = [liar, good]
    return request


def candidate_of(reply, source, module=0):
    found = [c for c in reply["modules"][module].get("candidates", []) if c["source"] == source]
    assert len(found) == 1, (source, reply["modules"])
    return found[0]


def remembered(service, source):
    """(state, details) of the objects of that source."""
    database = sqlite3.connect(os.path.join(service.state, "symgate.db"))
    try:
        return database.execute("SELECT DISTINCT state, coalesce(details, '') FROM cache_entry "
                                "WHERE source = ? AND kind = 'object_meta'", (source,)).fetchall()
    finally:
        database.close()


def check_lie(service, symbols, liar, lie):
    what, place, state, words = lie
    reply = service.answer(lying_request(liar.at(place), what, symbols))
    assert reply["modules"][1]["debug_status"] == "found" and functions(reply)[-1] == "outer", (what, reply)
    download = candidate_of(reply, what)["download"]
    kept = remembered(service, what)
    assert [one for one, _ in kept] == [state] * len(kept) and kept, (what, kept, download)
    assert all(re.search(words, details) for _, details in kept), (what, kept)
    # The API keeps to itself why a file is malformed; `symgate why` does not.
    assert download["status"] == ("malformed" if state in ("malformed", "limit") else "error"), (what, download)
    assert state == "malformed" or re.search(words, download["details"]), (what, download)
    assert candidate_of(reply, "good", 1)["download"]["status"] == "ok", (what, reply)


def test_every_lie_costs_its_candidate_only():
    inner = Inner()
    write_files(inner)
    symbols = Symbols()
    symbols.add(GOOD)
    with Liar() as liar:
        service = shimmed_service()
        try:
            wrong = []
            with concurrent.futures.ThreadPoolExecutor(len(LIES)) as pool:
                checks = {pool.submit(check_lie, service, symbols, liar, lie): lie[0] for lie in LIES}
                assert service.get("/healthcheck") == (200, b"ok")
                for check in concurrent.futures.as_completed(checks):
                    if check.exception():
                        wrong.append(f"{checks[check]}: {check.exception()}")
            assert not wrong, "\n".join(wrong)
            assert inner.reached == 0, "somebody got in"
            assert not os.path.exists("/tmp/symgate-was-here")
            # The name of what a zip holds says nothing about its place.
            reply = service.answer(lying_request(liar.at("file/zip-up"), "up", symbols))
            assert reply["modules"][0]["debug_status"] == "found", reply["modules"]
            assert not os.path.exists("/tmp/symgate-was-here")
            service.answer(lying_request(liar.at("file/zip-two"), "two again", symbols))
            why = subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "why", WANTED.code_id],
                                 capture_output=True, text=True, check=True, timeout=PATIENCE).stdout
            assert "ZipArchive contains more than one symbol file" in why, why
            eventually(lambda: not os.listdir(os.path.join(service.state, "cache", "tmp")), "what was under way to go")
        finally:
            service.__exit__()


def test_a_name_that_turns_to_an_inner_address_is_refused():
    """What a name meant when it was last asked for counts for nothing: who is connected to does."""
    inner = Inner()
    symbols = Symbols()
    symbols.add(GOOD)
    symbols.files["/" + WANTED.key()] = read(WANTED.path)
    service = shimmed_service()
    try:
        url = f"http://turning.liar.test:{symbols.server_port}/"
        reply = service.answer(lying_request(url, "before", symbols))
        assert reply["modules"][0]["debug_status"] == "found", reply["modules"]
        for pid in service.of_kind("workshop"):
            kill(pid)                            # and with it what it had looked up
        url = f"http://turning.liar.test:{inner.port}/"
        reply = service.answer(lying_request(url, "after", symbols))
        assert candidate_of(reply, "after")["download"]["details"].endswith(RESTRICTED), reply["modules"]
        assert reply["modules"][1]["debug_status"] == "found" and inner.reached == 0
        for name in ("inner", "both"):
            reply = service.answer(lying_request(f"http://{name}.liar.test:{inner.port}/", name, symbols))
            words = candidate_of(reply, name)["download"]["details"]
            assert re.search(f"{RESTRICTED}|Connection refused", words), reply["modules"]
        assert inner.reached == 0
    finally:
        service.__exit__()


def test_certificates_are_held_to_their_word():
    put("program", read(WANTED.path))
    symbols = Symbols()
    symbols.add(GOOD)
    with Liar() as liar:
        service = shimmed_service(CONFIG)
        try:
            for what, port, host, well in (("well", liar.well, "tls.liar.test", True),
                                           ("of the past", liar.past, "tls.liar.test", False),
                                           ("nobody's", liar.nobody, "tls.liar.test", False),
                                           ("another host's", liar.well, "other.liar.test", False)):
                url = liar.at("file/program", host, port, "https")
                reply = service.answer(lying_request(url, what, symbols))
                download = candidate_of(reply, what)["download"]
                if well:
                    assert download["status"] == "ok", (what, download)
                    continue
                assert re.search("certificate verify failed|SSL", download["details"]), (what, download)
                assert {state for state, _ in remembered(service, what)} == {"download"}, what
                assert reply["modules"][1]["debug_status"] == "found", (what, reply["modules"])
                accepting = service.answer(lying_request(url, what + " accepted", symbols, accept_invalid_certs=True))
                assert accepting["modules"][0]["debug_status"] == "found", (what, accepting["modules"])
            reply = service.answer(lying_request(liar.at("file/program", port=liar.plain, scheme="https"), "plain", symbols))
            assert candidate_of(reply, "plain")["download"]["details"].endswith("SSL error"), reply["modules"]
        finally:
            service.__exit__()


# --- Names that attack ---------------------------------------------------------------------

def doubling_name():
    """Each parameter is a pair of the one before: what it says doubles fifty times."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    numbers = [""] + [digits[i // 36] + digits[i % 36] if i >= 36 else digits[i] for i in range(52)]
    return "_Z1fSt4pairIiiE" + "".join(f"S_IS{n}_S{n}_E" for n in numbers[1:51])


HOSTILE_NAMES = [
    ("a name that doubles fifty times", doubling_name().encode()),
    ("a pointer to a pointer, and so on", b"_Z1f" + b"P" * 900000 + b"i"),
    ("nested templates", b"_Z1f" + b"1AI" * 30000 + b"i" + b"E" * 30000),
    ("nested functions of Microsoft's", b"?a@@YA" + b"P6A" * 30000 + b"XZ"),
    ("nested types of Rust's", b"_RINvC1a1b" + b"T" * 100000 + b"E"),
    ("a back reference to itself", b"_RNvB_1a"),
    ("nested types of Swift's", b"$s1a" + b"Say" * 50000 + b"D"),
    ("a megabyte", b"x" * (1 << 20)),
    ("control bytes", b"a\x01\x02\x1b[31m\x7f\x08b"),
    ("no UTF-8", b"a\xff\xfe\xc0\x80\xed\xa0\x80z"),
    ("quotes", b'a"b\\c</script>\'d'),
    ("an end of line in the middle", b"a\rb"),
]


def symbols_with_names(symbols, names):
    """A Breakpad file for each name, as one module each: (modules, frames)."""
    modules, frames = [], []
    for number, name in enumerate(names):
        code_id = f"{number + 1:040x}"
        symbols.files[f"/{code_id[:2]}/{code_id[2:]}/breakpad"] = (
            b"MODULE Linux x86_64 " + b"0" * 32 + b"0 module\nFUNC 1000 100 0 " + name + b"\n1000 100 7 1\nFILE 1 a.c\n")
        base = 0x10000000 * (number + 1)
        modules.append({"type": "elf", "code_id": code_id, "image_addr": hex(base), "image_size": 0x10000})
        frames.append({"instruction_addr": hex(base + 0x1010)})
    return modules, frames


def test_hostile_names_are_answered_and_hold_up_nobody():
    symbols = Symbols()
    symbols.add(GOOD)
    modules, frames = symbols_with_names(symbols, [name for _, name in HOSTILE_NAMES])
    source = symbols.source(filters={"filetypes": ["breakpad"]})
    with Service("pool:\n  processes: 1\n  threads: 2\nworkshop:\n  processes: 1\n") as service:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = pool.submit(service.post, {"sources": [source], "modules": modules,
                                                  "stacktraces": [{"frames": frames}]})
            for _ in range(10):
                assert functions(service.answer(request_for(symbols, [GOOD])))[-1] == "outer"
            status, body = together.result(PATIENCE)
        assert status == 200, (status, body[:300])
        reply = json.loads(body.decode("utf-8", "strict"))     # no raw control byte, no half character
        assert len(reply["stacktraces"][0]["frames"]) == len(HOSTILE_NAMES), body[:300]
        for (what, name), frame in zip(HOSTILE_NAMES, reply["stacktraces"][0]["frames"]):
            assert frame["status"] == "symbolicated" and frame["lineno"] == 7, (what, str(frame)[:300])
            assert frame["symbol"] and frame["function"], (what, str(frame)[:300])
            assert len(frame["function"]) <= max(len(name), 1 << 20), (what, len(frame["function"]))
        assert reply == json.loads(service.post({"sources": [source], "modules": modules,
                                                 "stacktraces": [{"frames": frames}]})[1])
        assert "crash frame" not in service.text_of_log(), service.text_of_log()


# --- Cells that do not end ------------------------------------------------------------------

def long_work(chunks):
    """A symbol file of ten megabytes of lines a chunk, in next to nothing."""
    chunk = gzip.compress(b"FUNC 1000 10 0 some_function_or_other\n1000 10 7 1\n" * 200000)
    head = gzip.compress(b"MODULE Linux x86_64 " + b"0" * 32 + b"0 module\nFILE 1 a.c\n")
    return head + chunk * chunks


def slow_request(symbols, chunks=100):
    code_id = "5" * 40
    symbols.files[f"/{code_id[:2]}/{code_id[2:]}/breakpad"] = long_work(chunks)
    return {"sources": [symbols.source(filters={"filetypes": ["breakpad", "elf_debug"]})],
            "modules": [{"type": "elf", "code_id": code_id, "image_addr": "0x10000000", "image_size": 0x10000},
                        GOOD.module(0x20000000)],
            "stacktraces": [{"frames": [{"instruction_addr": "0x10001001"},
                                        {"instruction_addr": hex(0x20000000 + GOOD.address + 1)}]}],
            "options": {"dif_candidates": True, "apply_source_context": False}}


def test_a_cell_that_computes_for_long_is_ended():
    symbols = Symbols()
    symbols.add(GOOD)
    with Service("limits:\n  cell_cpu: 1s\nworkshop:\n  cells: 1\n") as service:
        reply = service.answer(slow_request(symbols))
        assert functions(reply)[-1] == "outer", reply
        assert reply["modules"][0]["debug_status"] != "found" and reply["modules"][1]["debug_status"] == "found", reply
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        rows = database.execute("SELECT details FROM cache_entry WHERE state = 'limit'").fetchall()
        database.close()
        assert rows and all("CPU" in details for details, in rows), rows
        assert service.metric('symgate_cells_ended_total{reason="limit"}') >= 1


def stop(pid):
    """Is it stopped, or has it ended just before?"""
    kill(pid, signal.SIGSTOP)
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rsplit(")", 1)[1].split()[0] in "DRST"
    except OSError:
        return False


def test_a_cell_that_only_sleeps_is_ended():
    """Stopped, it uses no CPU time at all: the job's time ends it, and its place is free again."""
    symbols = Symbols()
    symbols.add(GOOD)
    with Service(f"limits:\n  job_time: {stretched(4)}s\nworkshop:\n  cells: 1\n  processes: 1\n") as service:
        service.answer(request_for(symbols, [GOOD]))
        resident = service.of_kind("symgate-cell")
        identity = json.loads(service.post(slow_request(symbols), "?timeout=0")[1])["request_id"]
        cell = eventually(lambda: next(filter(stop, service.of_kind("symgate-cell") - resident), None), "a cell at work")
        assert json.loads(service.get(f"/requests/{identity}")[1]) == {"status": "timeout"}
        eventually(lambda: cell not in service.of_kind("symgate-cell"), "the sleeping cell to be ended")
        assert service.metric('symgate_cells_ended_total{reason="limit"}') >= 1
        other = Program(FOLDER.name, 3)
        symbols.add(other)
        assert functions(service.answer(request_for(symbols, [other])))[-1] == "outer", "its place is free"


def test_a_cell_that_somebody_kills_is_followed_by_another():
    symbols = Symbols()
    symbols.add(GOOD)
    with Service("workshop:\n  cells: 1\n  processes: 1\n") as service:
        service.answer(request_for(symbols, [GOOD]))
        known = service.of_kind("symgate-cell")
        identity = json.loads(service.post(slow_request(symbols, 10), "?timeout=0")[1])["request_id"]
        for _ in range(2):
            cell = eventually(lambda: next(filter(stop, service.of_kind("symgate-cell") - known), None), "a cell at work")
            kill(cell)
            known.add(cell)
        reply = json.loads(service.get(f"/requests/{identity}?timeout={PATIENCE}")[1])
        assert functions(reply) == ["some_function_or_other", "inner", "outer"], reply
        assert "another one tries" in service.text_of_log()


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "liars")

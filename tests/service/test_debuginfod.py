#!/usr/bin/python3
"""test_debuginfod -- /buildid/ID/... asked as debuginfod's own clients do, and by those clients:
debuginfod-find, gdb, eu-addr2line, eu-readelf and perf.

A program is made by recipe and split in three: what runs, what debugs, and its source.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_tests import PROGRAM, Service, Symbols, free_port, leave_root, run_all

NOT_FOUND = b"not found"


class Split:
    """A program whose stripped file, debug file and source lie apart, as a distribution has them."""

    def __init__(self, folder, number, source="/usr/src/debug/made/program.c"):
        self.source_path = source
        work = os.path.join(folder, f"work{number}")
        os.makedirs(work)
        self.text = (PROGRAM % number).encode()
        with open(os.path.join(work, "program.c"), "wb") as f:
            f.write(self.text)
        whole = os.path.join(work, "whole")
        subprocess.run(["gcc", "-O1", "-g", "-gdwarf-5", "-Wl,--build-id", f"-fdebug-prefix-map={work}={os.path.dirname(source)}",
                        "-o", whole, os.path.join(work, "program.c")], check=True, cwd=work)
        self.debug, self.stripped = os.path.join(work, "debug"), os.path.join(folder, f"program{number}")
        subprocess.run(["objcopy", "--only-keep-debug", whole, self.debug], check=True)
        subprocess.run(["objcopy", "--strip-all", whole, self.stripped], check=True)
        notes = subprocess.run(["readelf", "-n", whole], capture_output=True, text=True, check=True).stdout
        self.id = re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)
        symbols = subprocess.run(["nm", whole], capture_output=True, text=True, check=True).stdout
        self.address = int(re.search(r"^([0-9a-f]+) . outer$", symbols, re.M).group(1), 16)

    def put(self, root, layout="debuginfod"):
        names = {"debuginfod": (f"{self.id}/executable", f"{self.id}/debuginfo"),
                 "native": (f"{self.id[:2]}/{self.id[2:]}", f"{self.id[:2]}/{self.id[2:]}.debug")}[layout]
        for name, path in zip(names, (self.stripped, self.debug)):
            place = os.path.join(root, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(path, place)

    def section(self, name):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "section")
            subprocess.run(["objcopy", "-O", "binary", "--set-section-flags", f"{name}=alloc", f"--only-section={name}",
                            self.debug, out], check=True)
            with open(out, "rb") as f:
                return f.read()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def config_of(*sources, more=""):
    return f"connect_to_reserved_ips: true\nsources: {json.dumps(list(sources))}\n{more}"


def folder_source(path, layout="debuginfod", name="folder"):
    return {"id": name, "type": "filesystem", "path": path, "layout": {"type": layout}}


class Scene:
    """A service with one program in a folder, and its source below another."""

    def __init__(self, more_sources=(), layout="debuginfod"):
        self.folder = tempfile.mkdtemp(prefix="symgate-debuginfod-")
        self.store, self.sources = os.path.join(self.folder, "store"), os.path.join(self.folder, "sources")
        self.program = Split(self.folder, 7)
        self.program.put(self.store, layout)
        os.makedirs(os.path.join(self.sources, "made"))
        shutil.copy(os.path.join(self.folder, "work7", "program.c"), os.path.join(self.sources, "made", "program.c"))
        self.service = Service(config_of(folder_source(self.store, layout), *more_sources,
                                         more=f"debuginfod:\n  source_folders: [/usr/src/debug={self.sources}]\n"))

    def __enter__(self):
        self.service.start()
        return self

    def __exit__(self, *_):
        self.service.__exit__()
        shutil.rmtree(self.folder, ignore_errors=True)

    def get(self, path, headers=None, method="GET"):
        return self.service.request(method, path, None, headers)

    def environment(self, **more):
        cache = tempfile.mkdtemp(dir=self.folder)
        return {**os.environ, "DEBUGINFOD_URLS": f"http://127.0.0.1:{self.service.port}",
                "DEBUGINFOD_CACHE_PATH": cache, "HOME": cache, **more}


# --- What is answered ----------------------------------------------------------------------------------


def test_files_by_build_id():
    with Scene() as scene:
        program = scene.program
        for kind, path in (("debuginfo", program.debug), ("executable", program.stripped),
                           ("debuginfo/anything", program.debug), ("debuginfo?x=y", program.debug)):
            status, body, headers = scene.get(f"/buildid/{program.id}/{kind}")
            assert status == 200 and body == read(path), (kind, status, body[:100])
            assert headers["X-DEBUGINFOD-SIZE"] == str(len(body)) == headers["Content-Length"], headers.items()
            assert headers["X-DEBUGINFOD-FILE"] == f"{program.id}/{kind[:10].rstrip('/?')}", headers.items()
            assert headers["Content-Type"] == "application/octet-stream" and headers["Cache-Control"] == "public"
            assert "Last-Modified" in headers and "ETag" not in headers
        status, body, headers = scene.get(f"/buildid/{program.id}/debuginfo", method="HEAD")
        assert status == 200 and not body and headers["Content-Length"] == str(os.path.getsize(program.debug))
        status, body, headers = scene.get(f"/buildid/{program.id}/debuginfo", {"Range": "bytes=0-3"})
        assert status == 206 and body == b"\x7fELF", (status, body[:10])


def test_sections_and_sources():
    with Scene() as scene:
        program = scene.program
        for name in (".debug_info", "%2edebug_line"):
            status, body, headers = scene.get(f"/buildid/{program.id}/section/{name}")
            wanted = program.section(name.replace("%2e", "."))
            assert status == 200 and body == wanted, (name, status, len(body), len(wanted))
            assert headers["X-DEBUGINFOD-SIZE"] == str(len(wanted))
        status, body, _ = scene.get(f"/buildid/{program.id}/section/.text")      # the debug file's has no bytes
        assert status == 200 and body in read(program.stripped), status
        for path in ("/usr/src/debug/made/program.c", "//usr//src/debug/made//program.c",
                     "/usr/src/debug/./made/x/../program.c", "/usr/src/debug/x/%2e%2e/made/program.c",
                     "%2Fusr/src/debug/made/program.c".replace("%2Fusr", "/%2Fusr")):
            status, body, headers = scene.get(f"/buildid/{program.id}/source{path}")
            assert status == 200 and body == program.text, (path, status, body[:100])
            assert headers["X-DEBUGINFOD-FILE"] == program.source_path, headers.items()


def test_refusals_are_debuginfods():
    with Scene() as scene:
        good = scene.program.id
        cases = [
            (f"/buildid/{good}/", 503, b"invalid artifacttype"), ("/buildid/zz/bogus", 503, b"invalid artifacttype"),
            (f"/buildid/{good}/source", 503, b"invalid source suffix"),
            ("/buildid/zz/source", 503, b"invalid source suffix"),
            (f"/buildid/{good}/section/", 503, b"invalid section suffix"),
            (f"/buildid/{good}/section", 503, b"invalid section suffix"),
            (f"/buildid/{good.upper()}/debuginfo", 503, b"invalid buildid"),
            ("/buildid/abc/debuginfo", 503, b"invalid buildid"), ("/buildid//debuginfo", 503, b"invalid buildid"),
            (f"/buildid/{good}", 503, b"/buildid/ webapi error, need buildid"),
            ("/buildid/0011/debuginfo", 404, NOT_FOUND), (f"/buildid/{'ab' * 64}/executable", 404, NOT_FOUND),
            (f"/buildid/{'ab' * 65}/executable", 503, b"invalid buildid"),
            (f"/buildid/{good}/source/", 404, NOT_FOUND), (f"/buildid/{good}/source/nope.c", 404, NOT_FOUND),
            (f"/buildid/{good}/section/.nosuch", 404, NOT_FOUND), (f"/buildid/{good}/section/.bss", 404, NOT_FOUND),
            (f"/buildid/{good}/section/x", 404, NOT_FOUND),
        ]
        for path, wanted, words in cases:
            status, body, headers = scene.get(path)
            assert (status, body) == (wanted, words), (path, status, body)
            assert headers["Content-Type"] == "text/plain" and "X-DEBUGINFOD-SIZE" not in headers, headers.items()
        for size, wanted in (("10", 406), ("abc", 200), ("0", 200), ("-5", 200), ("99999999999999999999", 200)):
            for what in ("debuginfo", "section/.debug_info", "source" + scene.program.source_path):
                status, body, _ = scene.get(f"/buildid/{good}/{what}", {"X-DEBUGINFOD-MAXSIZE": size})
                assert status == wanted, (what, size, status)
                assert wanted == 200 or body == b"File too large, max size=10", body


def test_hostile_paths():
    with Scene() as scene:
        good, secret = scene.program.id, os.path.join(scene.folder, "secret")
        with open(secret, "w", encoding="ascii") as f:
            f.write("nobody may read this")
        os.symlink(secret, os.path.join(scene.sources, "made", "link.c"))
        os.mkfifo(os.path.join(scene.sources, "made", "pipe.c"))
        paths = ["source/usr/src/debug/../../../../etc/passwd", "source/usr/src/debug/%2e%2e/secret",
                 "source/usr/src/debug/..%2f..%2fsecret", "source/usr/src/debug/made/link.c",
                 "source/usr/src/debug/made/pipe.c", "source/usr/src/debug/made", "source/usr/src/debug/",
                 "source/usr/src/debug", "source" + secret, "source/usr/src/debugger/x",
                 "source/" + "a" * 4096, "source" + "/b" * 2000, "section/" + "." * 4096,
                 "source/usr/src/debug/made/%c3%a9", "source/%zz", "source/C:%5cwindows%5cwin.ini"]
        for path in paths:
            status, body, _ = scene.get(f"/buildid/{good}/{path}")
            assert (status, body) == (404, NOT_FOUND), (path[:80], status, body[:100])
        for path in ("source/a%00b", "section/.%0atext"):        # some web servers refuse them themselves
            status, body, _ = scene.get(f"/buildid/{good}/{path}")
            assert status in (400, 404), (path, status, body)
        for id in ("..", "%2e%2e%2f%2e%2e", "a/../b", "0" * 4096, "%00", "C:", "ab%2f..", "é".encode().hex() + "é"):
            status, body, _ = scene.get("/buildid/" + id.encode("utf-8", "replace").decode("latin-1").replace("\xc3\xa9", "%c3%a9") + "/debuginfo")
            assert status in (400, 503), (id[:40], status, body)


def test_packed_files_and_downloads():
    """What lies packed is unpacked into the cache, what lies elsewhere is fetched once."""
    symbols = Symbols()
    source = symbols.source("remote", layout={"type": "debuginfod"}, filters={})
    with Scene([source]) as scene:
        remote, packed = Split(scene.folder, 8), Split(scene.folder, 9)
        symbols.files[f"/{remote.id}/debuginfo"] = read(remote.debug)
        symbols.files[f"/{remote.id}/executable"] = read(remote.stripped)
        os.makedirs(os.path.join(scene.store, packed.id))
        place = os.path.join(scene.store, packed.id, "debuginfo")
        subprocess.run(["zstd", "-q", packed.debug, "-o", place], check=True)
        for program in (remote, packed):
            for _ in range(2):
                status, body, _ = scene.get(f"/buildid/{program.id}/debuginfo")
                assert status == 200 and body == read(program.debug), status
        assert symbols.hits[f"/{remote.id}/debuginfo"] == 1, symbols.hits
        assert f"/{remote.id}/executable" not in symbols.hits, symbols.hits
        # What was kept goes; what is known of it stays: it is had again.
        shutil.rmtree(os.path.join(scene.service.state, "cache", "objects"))
        for program in (remote, packed):
            status, body, _ = scene.get(f"/buildid/{program.id}/debuginfo")
            if status == 503:
                status, body, _ = scene.get(f"/buildid/{program.id}/debuginfo")
            assert status == 200 and body == read(program.debug), (status, body[:80])
        status, body, _ = scene.get(f"/buildid/{packed.id}/section/.debug_info")
        assert status == 200 and body == packed.section(".debug_info"), status


def test_the_web_server_may_send_them():
    """With front.sendfile what lies in the cache is handed over; what is said of it stays the same."""
    symbols = Symbols()
    source = symbols.source("remote", layout={"type": "debuginfod"}, filters={})
    folder = tempfile.mkdtemp(prefix="symgate-debuginfod-")
    program = Split(folder, 8)
    symbols.files[f"/{program.id}/debuginfo"] = read(program.debug)
    with Service(config_of(source, more="front: {sendfile: x-sendfile}\n")) as service:
        for method in ("GET", "GET", "HEAD"):
            status, body, headers = service.request(method, f"/buildid/{program.id}/debuginfo")
            size = str(os.path.getsize(program.debug))
            assert status == 200 and body == (read(program.debug) if method == "GET" else b""), (method, status, body[:80])
            assert headers["X-DEBUGINFOD-SIZE"] == size and headers["Content-Length"] == size, headers.items()
            assert "X-Sendfile" not in headers, headers.items()
        status, body, _ = service.request("GET", f"/buildid/{program.id}/debuginfo", None, {"X-DEBUGINFOD-MAXSIZE": "10"})
        assert status == 406 and body == b"File too large, max size=10", (status, body)
    shutil.rmtree(folder)


def test_a_source_bundle_has_sources():
    with Scene() as scene:
        program = scene.program
        bundles = os.path.join(scene.folder, "bundles", program.id[:2], program.id[2:])
        os.makedirs(bundles)
        text = b"int from_the_bundle;\n"
        path = os.path.join(bundles, "sourcebundle")
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr("manifest.json", json.dumps({"files": {"files/program.c": {
                "type": "source", "path": "/build/program.c"}}}))
            bundle.writestr("files/program.c", text)
        zipped = read(path)
        with open(path, "wb") as f:
            f.write(b"SYSB\x02\0\0\0" + zipped)
        with open(scene.service.config, "w", encoding="utf-8") as f:
            f.write(config_of(folder_source(os.path.join(scene.folder, "bundles"), "unified")))
        scene.service.stop()
        scene.service.start()
        status, body, headers = scene.get(f"/buildid/{program.id}/source/build/x/../program.c")
        assert status == 200 and body == text, (status, body[:100])
        assert headers["X-DEBUGINFOD-ARCHIVE"].endswith("/sourcebundle"), headers.items()
        assert headers["X-DEBUGINFOD-FILE"] == "/build/program.c"


def test_servers_in_a_circle():
    """Two services that ask each other end at once, and one that is eight servers away asks nobody."""
    symbols = Symbols()
    with Scene([symbols.source("remote", layout={"type": "debuginfod"}, filters={})]) as scene:
        path = f"/buildid/{'cd' * 20}/debuginfo"
        status, body, _ = scene.get(path, {"X-Forwarded-For": ", ".join(["192.0.2.1"] * 8)})
        assert status == 404 and b"--forwared-ttl-limit reached" in body, (status, body)
        assert symbols.total() == 0
        status, body, _ = scene.get(f"/buildid/{scene.program.id}/debuginfo", {"X-Forwarded-For": "a,b,c,d,e,f,g,h,i"})
        assert status == 200
        status, body, _ = scene.get(path, {"X-Forwarded-For": "192.0.2.1"})
        assert (status, body) == (404, NOT_FOUND)
    first, second = Service(), Service()
    first.port = free_port()
    with Scene() as scene:
        port = scene.service.port
        other = Service(config_of({"id": "first", "type": "http", "url": f"http://127.0.0.1:{port}/buildid/",
                                   "layout": {"type": "debuginfod"}}))
        with other:
            with open(scene.service.config, "w", encoding="utf-8") as f:
                f.write(config_of({"id": "second", "type": "http", "url": f"http://127.0.0.1:{other.port}/buildid/",
                                   "layout": {"type": "debuginfod"}}))
            scene.service.stop()
            os.environ["PORT"] = str(port)
            restart_at(scene.service, port)
            status, body, _ = other.request("GET", path)
            assert status == 404 and body == NOT_FOUND, (status, body)


def restart_at(service, port):
    import service_tests
    real, service_tests.free_port = service_tests.free_port, lambda: port
    try:
        service.start()
    finally:
        service_tests.free_port = real


# --- Real clients --------------------------------------------------------------------------------------


def test_debuginfod_find():
    with Scene() as scene:
        program, environment = scene.program, scene.environment()
        for arguments, wanted in ((["debuginfo", program.id], read(program.debug)),
                                  (["executable", program.stripped], read(program.stripped)),
                                  (["section", program.id, ".debug_info"], program.section(".debug_info")),
                                  (["source", program.id, program.source_path], program.text),
                                  (["source", program.id, "/usr/src/debug//made/./x/../program.c"], program.text)):
            done = subprocess.run(["debuginfod-find", "-v", *arguments], capture_output=True, text=True, env=environment)
            assert done.returncode == 0, (arguments, done.stderr)
            assert read(done.stdout.strip()) == wanted, arguments
        done = subprocess.run(["debuginfod-find", "debuginfo", "0011"], capture_output=True, text=True, env=environment)
        assert done.returncode == 1 and "No such file" in done.stderr, done.stderr
        done = subprocess.run(["debuginfod-find", "debuginfo", program.id], capture_output=True, text=True,
                              env=scene.environment(DEBUGINFOD_MAXSIZE="10"))
        assert done.returncode == 1 and "File too large" in done.stderr, done.stderr


def test_elfutils():
    with Scene() as scene:
        program = scene.program
        done = subprocess.run(["eu-addr2line", "-i", "-f", "-e", program.stripped, hex(program.address)],
                              capture_output=True, text=True, env=scene.environment(), check=True)
        assert "outer\n/usr/src/debug/made/program.c:" in done.stdout, done.stdout
        found = subprocess.run(["eu-unstrip", "-n", "-e", program.stripped], capture_output=True, text=True,
                               env=scene.environment(), check=True).stdout.split()
        assert found[1].startswith(program.id), found


def test_gdb():
    with Scene() as scene:
        program = scene.program
        done = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set debuginfod enabled on", "-ex", f"file {program.stripped}",
                               "-ex", "info line outer", "-ex", "list outer"],
                              capture_output=True, text=True, env=scene.environment())
        assert 'starts at address' in done.stdout and "program.c" in done.stdout, (done.stdout, done.stderr)
        assert "inner(value) + 7" in done.stdout, (done.stdout, done.stderr)


def test_perf():
    """Whether perf asks itself depends on how it was built; it reads lines by elfutils, which does."""
    with Scene() as scene:
        program = scene.program
        root = os.path.join(scene.folder, "usr", "src")
        os.makedirs(root)
        shutil.copytree(scene.sources, os.path.join(root, "debug"))
        done = subprocess.run(["perf", "probe", "-s", scene.folder, "-x", program.stripped, "-L", "outer"],
                              capture_output=True, text=True, env=scene.environment())
        assert done.returncode == 0 and "inner(value) + 7" in done.stdout, (done.stdout, done.stderr)


if __name__ == "__main__":
    leave_root()
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")],
            "files by build id: debuginfod's clients")

#!/usr/bin/env python3
"""Symbfiles sent to the service, in parts, again, in other parts, broken; and frames answered from them.

usage: test_symbfile.py [TEST]...      SYMGATE names the binary; lighttpd is needed
"""
import base64
import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

from service_tests import SYMGATE, TOP, Service, run_all

sys.path.insert(0, os.path.join(TOP, "tests", "support"))
import symbfile  # noqa: E402

ID = "9MHl_i8oA0_M6wd27ACxJQ"
HEX = "f4c1e5fe2f28034fcceb0776ec00b125"
RANGES = [
    {"address": 0x401000, "length": 0x40, "function": "main", "file": "/src/a.c", "lines": [(0, 5), (0x28, 9)]},
    {"address": 0x401010, "length": 0x18, "function": "add", "file": "/src/a.c", "call_line": 6, "depth": 1,
     "lines": [(0, 2)]},
]
OTHERS = [{"address": 0x402000, "length": 0x10, "function": "other", "file": "b.c", "lines": [(0, 7)]}]
PADS = [{"address": 0x500003, "calls": [("outer", "c.c", 3), ("inner", "", 0)]}]


def make_key(service, name="test"):
    run = subprocess.run([SYMGATE, "--state-dir", service.state, "apikey", "create", name], capture_output=True,
                         text=True, check=True)
    return run.stdout.strip()


def send(service, key, body, kind="ranges", part=0, parts=1, file_id=ID, method="POST", **more):
    headers = {"FileID": file_id, "FilePart": str(part), "FileParts": str(parts), "Authorization": "APIKey " + key}
    headers.update(more)
    status, reply, _ = service.request(method, "/api/symbols-" + kind, body,
                                       {name: value for name, value in headers.items() if value is not None})
    return status, json.loads(reply)


def good(answer):
    assert answer == (200, {"success": True, "status": 200}), answer


def refused(answer, status, words):
    got, reply = answer
    assert got == status and reply["status"] == status and reply["success"] is False, answer
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", reply["uuid"]), reply
    assert set(reply) == {"success", "uuid", "error", "status"} and set(reply["error"]) == {"Code", "Text"}, reply
    assert isinstance(reply["error"]["Code"], str) and words in reply["error"]["Text"], reply
    return reply["uuid"]


def ask(service, *addresses, file_id=ID, **module):
    """[[(function, file, line)]]: what is answered for each address, as it stands in the file."""
    module = {"type": "elf", "file_id": file_id, "image_addr": "0x0", **module}
    frames = [{"instruction_addr": hex(address), "addr_mode": "rel:0"} for address in addresses]
    reply = service.answer({"modules": [module], "stacktraces": [{"frames": frames}], "sources": []})
    found = [[] for _ in addresses]
    for frame in reply["stacktraces"][0]["frames"]:
        if frame["status"] == "symbolicated":
            found[frame["original_index"]].append((frame["function"], frame.get("abs_path"), frame.get("lineno", 0)))
    return found


CHAIN = [("add", "/src/a.c", 2), ("main", "/src/a.c", 6)]


def test_one_part_answers():
    with Service() as service:
        key = make_key(service)
        assert ask(service, 0x401014) == [[]]
        good(send(service, key, symbfile.write(RANGES)))
        good(send(service, key, symbfile.write(pads=PADS), kind="returnpads"))
        wanted = [CHAIN, [("main", "/src/a.c", 9)], [], [("inner", None, 0), ("outer", "c.c", 3)]]
        addresses = (0x401014, 0x401030, 0x401040, 0x500003)
        wanted[3] = [("inner", "", 0), ("outer", "c.c", 3)]
        got = ask(service, *addresses)
        assert [[(f, p or "", l) for f, p, l in one] for one in got] == wanted, got
        assert ask(service, 0x401014, file_id=HEX) == [CHAIN]
        assert ask(service, 0x1014, image_vmaddr="0x400000") == [CHAIN]
        assert service.metric('symgate_requests_total{endpoint="api/symbols-ranges",status="200"}') == 1.0
        sent = len(symbfile.write(RANGES))
        for name, value in (("uploads", 1.0), ("parts", 1.0), ("bytes", float(sent))):
            assert service.metric(f'symgate_symbfile_{name}_total{{kind="ranges"}}') == value, name
        refused(send(service, key, symbfile.write(RANGES), FilePart="x"), 400, "FilePart")
        refused(send(service, key, b"no symbfile"), 400, "")
        for reason in ("headers", "malformed"):
            assert service.metric(f'symgate_symbfile_refused_total{{kind="ranges",reason="{reason}"}}') == 1.0, reason


def test_parts_in_any_order_and_again():
    with Service() as service:
        key = make_key(service)
        good(send(service, key, symbfile.write(OTHERS), part=1, parts=3))
        assert ask(service, 0x402000, 0x401014) == [[("other", "b.c", 7)], []]
        good(send(service, key, symbfile.write(RANGES[1:]), part=2, parts=3))
        for _ in range(2):
            good(send(service, key, symbfile.write(RANGES[:1]), part=0, parts=3))
        assert ask(service, 0x402000, 0x401014) == [[("other", "b.c", 7)], CHAIN]
        changed = [dict(OTHERS[0], function="changed")]
        good(send(service, key, symbfile.write(changed), part=1, parts=3))
        assert ask(service, 0x402000) == [[("changed", "b.c", 7)]]
        # Another number of parts counts once all of them are there.
        good(send(service, key, symbfile.write(OTHERS), part=0, parts=2, method="PUT"))
        assert ask(service, 0x402000) == [[("changed", "b.c", 7)]]
        good(send(service, key, symbfile.write([]), part=1, parts=2))
        assert ask(service, 0x402000, 0x401014) == [[("other", "b.c", 7)], []]
        folder = os.path.join(service.state, "symbfiles", HEX[:2], HEX[2:])
        assert sorted(os.listdir(folder))[2:] == ["ranges"] and len(os.listdir(folder)) == 3, os.listdir(folder)


def test_what_is_refused():
    with Service("symbfile_body_max_bytes: 1000\n") as service:
        key, body = make_key(service), symbfile.write(RANGES)
        good(send(service, key, body))
        kept = sorted(os.listdir(os.path.join(service.state, "symbfiles", HEX[:2], HEX[2:])))
        for name, value, words in (
                ("FileID", None, "FileID is missing"), ("FileID", "", "FileID"), ("FileID", ID + "==", "FileID"),
                ("FileID", ID.replace("_", "/"), "FileID"), ("FileID", HEX, "FileID"), ("FileID", "../" + ID[3:], "FileID"),
                ("FilePart", None, "FilePart is missing"), ("FilePart", "x", "no number"), ("FilePart", "-1", "no number"),
                ("FilePart", "1", "FilePart is 1"), ("FilePart", str(1 << 70), "no number"),
                ("FileParts", None, "FileParts is missing"), ("FileParts", "0", "FileParts is 0"),
                ("FileParts", "100000", "FileParts is 100000")):
            refused(send(service, key, body, **{name: value}), 400, words)
        for broken, words in ((b"", "symbfile"), (b"symbfile", "length"), (body[:-3], "byte"), (body[1:], "begin"),
                              (body.replace(b"main", b"ma\xff\xffn"), "byte")):
            refused(send(service, key, broken), 400, words)
        refused(send(service, key, body + bytes(1000)), 413, "length")
        uuid = refused(send(service, key, body, **{"Content-Encoding": "br"}), 415, "Content-Encoding")
        assert uuid in service.text_of_log() or any(
            uuid in open(os.path.join(service.state, name), errors="replace").read()
            for name in os.listdir(service.state) if name.endswith(".log")), uuid
        good(send(service, key, gzip.compress(body), **{"Content-Encoding": "gzip"}))
        assert sorted(os.listdir(os.path.join(service.state, "symbfiles", HEX[:2], HEX[2:]))) == kept
        assert ask(service, 0x401014) == [CHAIN]


def test_only_with_a_key():
    with Service() as service:
        key, body = make_key(service), symbfile.write(RANGES)
        refused(send(service, key, body, Authorization=None), 401, "is needed")
        refused(send(service, key, body, Authorization="Basic " + key), 401, "is needed")
        refused(send(service, key[:-8] + "AAAAAA==", body), 401, "not good")
        other = base64.b64encode(b"C2jCT4YB56TtAYx59Yqx:cLapSuKkSIyrLYMMIhrRow").decode()
        refused(send(service, other, body), 401, "not good")
        good(send(service, key, body, Authorization="ApiKey " + key))
        subprocess.run([SYMGATE, "--state-dir", service.state, "apikey", "revoke", "test"], check=True)
        refused(send(service, key, body), 401, "not good")


def test_by_build_id():
    with Service() as service:
        key = make_key(service)
        code_id = "3249d99d0c4049318610f4e4fb0b6936aabbccdd"
        good(send(service, key, symbfile.write(RANGES), BuildID=code_id.upper()))
        assert ask(service, 0x401014, file_id=None, code_id=code_id) == [CHAIN]
        assert ask(service, 0x401014, file_id=None, code_id=code_id[:-2] + "00") == [[]]


def test_indexes_are_made_again():
    with Service() as service:
        key = make_key(service)
        good(send(service, key, symbfile.write(RANGES)))
        subprocess.run([SYMGATE, "--state-dir", service.state, "cache", "drop", "--kind", "symbfiles", "--yes"],
                       check=True, capture_output=True)
        assert ask(service, 0x401014) == [CHAIN]


def pushes_what_is_missing(service, command, folder):
    """The same once more, and after one of its lists was lost."""
    environment = {**os.environ, "SYMGATE_API_KEY": make_key(service, "again")}
    with open(os.path.join(folder, "program"), "rb") as f:
        file_id = symbfile.file_id(f.read())[0]
    lists = os.path.join(service.state, "symbfiles", file_id[:2], file_id[2:])

    def push():
        run = subprocess.run([*command, "--json"], capture_output=True, text=True, env=environment, check=True)
        told = json.loads(run.stdout)
        return told["parts_sent"], told["parts_skipped"]
    sent, skipped = push()
    assert sent == 0 and skipped >= 3, (sent, skipped)
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert f"\n0 parts sent, {skipped} were there already\n" in run.stdout and ", was there\n" in run.stdout, run.stdout
    os.unlink(os.path.join(lists, "returnpads"))
    sent_again, still_there = push()
    assert sent_again > 0 and still_there > 0 and sent_again + still_there == skipped, (sent_again, still_there)
    assert push() == (0, skipped)
    command = [part if part != "200" else "1000000" for part in command]      # in other parts: a new upload
    sent, skipped = push()
    assert sent >= 1 and sent + skipped == 2, (sent, skipped)


def test_what_is_here():
    body = symbfile.write(RANGES)
    with Service() as service:
        key = make_key(service)
        good(send(service, key, body))
        name = next(name for name in os.listdir(parts_folder(service)) if name.startswith("0-"))

        def known(path, authorization=f"APIKey {key}", method="GET"):
            return service.request(method, path, headers={"Authorization": authorization} if authorization else {})[:2]
        path = f"/api/symbols-ranges/{ID}/1/{name}"
        assert known(path) == (200, b'{"success":true,"status":200}')
        assert known(path, method="HEAD") == (200, b"")
        assert known(path, None)[0] == known(path, "APIKey bm86bm8=")[0] == 401
        # Of an upload that has begun anew, what is in its place by now does not count.
        for number, part in enumerate((body, symbfile.write(OTHERS))):
            good(send(service, key, part, part=number, parts=2))
        both = [f"/api/symbols-ranges/{ID}/2/{part}" for part in sorted(os.listdir(parts_folder(service)))[:2]]
        assert [known(one)[0] for one in both] == [200, 200], both
        good(send(service, key, cut(body, 30)[0], part=0, parts=2))
        assert [known(one)[0] for one in both] == [404, 200], both
        for other in (f"/api/symbols-returnpads/{ID}/1/{name}", f"/api/symbols-ranges/{ID}/2/{name}",
                      f"/api/symbols-ranges/{ID}/1/1{name[1:]}", f"/api/symbols-ranges/{ID}/1/",
                      f"/api/symbols-ranges/{ID}/1/../ranges", f"/api/symbols-ranges/{ID}/1/ranges",
                      f"/api/symbols-ranges/{'A' * 22}/1/{name}"):
            refused((known(other)[0], json.loads(known(other)[1])), 404, "this part is not here")
        for wrong in ("x/1/" + name, f"{ID}/0/{name}", f"{ID}/1025/{name}", f"{ID}/x/{name}", f"{ID}/1", ID,
                      f"{ID}%2f/1/{name}", "A" * 4000 + "/1/x"):
            status, answer = known("/api/symbols-ranges/" + wrong)
            assert status == 400 and json.loads(answer)["error"]["Code"] == "1001", (wrong, status, answer)


def test_the_whole_circle():
    """What one symgate writes and sends, another answers as debug information would be answered."""
    with Service() as service, tempfile.TemporaryDirectory(prefix="symgate-push-") as folder:
        source, path = os.path.join(folder, "a.c"), os.path.join(folder, "program")
        with open(source, "w", encoding="ascii") as f:
            f.write("#include <stdio.h>\nstatic inline __attribute__((always_inline)) int deep(int v) { return puts(\"x\") + v; }\n"
                    "int main(int c, char **v) { (void)v; return deep(c); }\n")
        subprocess.run(["gcc", "-O1", "-g", "-Wl,--build-id", "-o", path, source], check=True)
        command = [SYMGATE, "push-symbols", "--url", f"http://127.0.0.1:{service.port}/", "--part-size", "200", path]
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SYMGATE_API_KEY": "none"})
        assert run.returncode == 1 and "401" in run.stderr and "not good" in run.stderr, (run.stdout, run.stderr)
        run = subprocess.run(command, capture_output=True, text=True,
                             env={**os.environ, "SYMGATE_API_KEY": make_key(service)})
        assert run.returncode == 0 and "ranges: part 2 of" in run.stdout, (run.stdout, run.stderr)
        pushes_what_is_missing(service, command, folder)
        subprocess.run([SYMGATE, "symbfile", "write", "-o", os.path.join(folder, "made"), path], check=True,
                       capture_output=True)
        with open(os.path.join(folder, "made.returnpads.symbfile"), "rb") as f:
            pads = symbfile.read(f.read())[1]
        with open(path, "rb") as f:
            file_id = symbfile.file_id(f.read())[1]
        pad = next(pad for pad in pads if pad["calls"][-1][0] == "deep")
        wanted = [(name, file, line) for name, file, line in pad["calls"]][::-1]
        assert [one[0] for one in wanted] == ["deep", "main"], wanted
        assert ask(service, pad["address"], file_id=file_id) == [wanted]


def cut(body, *at):
    return [body[start:end] for start, end in zip((0, *at), (*at, len(body)))]


def parts_folder(service):
    return os.path.join(service.state, "symbfiles", HEX[:2], HEX[2:])


def test_one_file_cut_into_parts():
    """A part without the magic goes on where the one before ended: nothing of them counts before all are there."""
    body = symbfile.write(RANGES + OTHERS)
    changed = symbfile.write([dict(RANGES[0], function="changed")] + RANGES[1:] + OTHERS)
    first = len(symbfile.MAGIC) + 2                     # behind the header: readable by itself
    with Service() as service:
        key = make_key(service)
        for order, cuts in (((0, 1, 2), (30, 70)), ((2, 1, 0), (11, 60)), ((1, 2, 0), (first, first + 9))):
            parts = cut(body, *cuts)
            for number in order:
                good(send(service, key, parts[number], part=number, parts=3))
                if number != order[-1]:
                    assert ask(service, 0x401014) == [[]], (order, number)
            for again in (2, 0):                        # an answer that was lost
                good(send(service, key, parts[again], part=again, parts=3))
            assert ask(service, 0x401014, 0x402000, 0x401030) == [CHAIN, [("other", "b.c", 7)], [("main", "/src/a.c", 9)]]
            # New content counts when all of it is there.
            others = cut(changed, *cuts)
            for number in order:
                if number != 0 or cuts[0] != first:     # the header is the same in both
                    assert ask(service, 0x401030)[0][0][0] == "main", (order, number)
                good(send(service, key, others[number], part=number, parts=3))
            assert ask(service, 0x401030) == [[("changed", "/src/a.c", 9)]]
            assert len(os.listdir(parts_folder(service))) == 5, os.listdir(parts_folder(service))
            subprocess.run(["rm", "-r", parts_folder(service)], check=True)


def test_parts_that_disagree():
    body = symbfile.write(RANGES + OTHERS)
    parts, words = cut(body, 30, 70), "all of them have to be sent again"
    with Service() as service:
        key = make_key(service)
        refused(send(service, key, parts[1], part=0, parts=3), 400, "begin")
        refused(send(service, key, body[:30], part=2, parts=3), 400, "ends early")
        for wrong in (parts[1][:-1], parts[1][::-1], b"", body, b"\xff" * 40, parts[1] + parts[1]):
            good(send(service, key, parts[0], part=0, parts=3))
            good(send(service, key, parts[2], part=2, parts=3))
            refused(send(service, key, wrong, part=1, parts=3), 400, words if wrong else "")
            if not wrong:
                continue
            assert ask(service, 0x401014) == [[]]
            assert len(os.listdir(parts_folder(service))) == 0, (wrong, os.listdir(parts_folder(service)))
        for number in (0, 1, 2):
            good(send(service, key, parts[number], part=number, parts=3))
        assert ask(service, 0x401014) == [CHAIN]
        kept = sorted(os.listdir(parts_folder(service)))
        # What does not fit the parts of before waits for others that it fits.
        good(send(service, key, parts[1][::-1], part=1, parts=3))
        assert ask(service, 0x401014) == [CHAIN]
        good(send(service, key, parts[0], part=0, parts=3))
        refused(send(service, key, parts[2], part=2, parts=3), 400, words)
        assert ask(service, 0x401014) == [CHAIN] and sorted(os.listdir(parts_folder(service))) == kept
        # Whole files among pieces, and another number of parts in between.
        good(send(service, key, body, part=0, parts=2))
        assert ask(service, 0x401014) == [CHAIN]
        refused(send(service, key, parts[1], part=1, parts=2), 400, words)
        good(send(service, key, symbfile.write(OTHERS), part=1, parts=2))
        good(send(service, key, symbfile.write([]), part=0, parts=2))
        assert ask(service, 0x401014, 0x402000) == [[], [("other", "b.c", 7)]]


def test_hostile_bodies_and_names():
    with Service() as service:
        key, body = make_key(service), symbfile.write(RANGES)
        good(send(service, key, body))
        kept = sorted(os.listdir(parts_folder(service)))
        head, message, field, varint = symbfile.MAGIC + b"\0\1", symbfile.message, symbfile.field, symbfile.varint
        for what, lie in (
                ("a length of 2^63", head + varint(1 << 63) + b"\2"), ("16 MiB and 1", head + varint((16 << 20) + 1) + b"\4"),
                ("no end of a number", head + b"\xff" * 11), ("a type of 2^31", head + b"\0" + varint(1 << 31)),
                ("a string past its message", head + message(2, b"\x60\1\x1a\x7fx")),
                ("a string that is not there", head + message(2, field(12, 1) + field(9, 7))),
                ("columns that differ", head + message(4, field(1, "f")) + message(3, field(5, 1) + field(2, b"\0\0") + field(3, b"\0"))),
                ("groups in groups", head + message(2, b"\x0b" * 4000)), ("a delta first", head + message(2, b"\x08\2\x1a\1a")),
                ("no UTF-8", head + message(2, field(12, 1) + field(3, b"\xc0\xaf"))), ("a depth of 65536", head + message(
                    2, field(12, 1) + field(2, 1) + field(3, "f") + field(7, 65536))), ("two headers", head + b"\0\1")):
            status, reply = send(service, key, lie)
            assert status in (400, 413) and reply["success"] is False and reply["error"]["Text"], (what, status, reply)
            for part, parts in ((0, 2), (1, 2)):        # alone, and where the next one might bring the rest
                status, reply = send(service, key, lie, part=part, parts=parts, kind="returnpads")
                assert status in (200, 400, 413), (what, status, reply)
        for name in ("A" * 4096, "../" * 1365, "%2e%2e%2f" * 400, "C:\\" + "x" * 4000, ID[:-1] + "%00"):
            refused(send(service, key, body, file_id=name), 400, "FileID")
            good(send(service, key, body, BuildID=name))                # none that could be kept
        assert sorted(name for name in os.listdir(parts_folder(service)) if "returnpads" not in name and name in kept) == kept
        tree = {name for _, folders, _ in os.walk(os.path.join(service.state, "symbfiles")) for name in folders}
        assert tree == {HEX[:2], HEX[2:]}, tree
        assert ask(service, 0x401014) == [CHAIN]
        status, reply = service.post({"modules": [{"type": "elf", "file_id": "A" * 4096, "image_addr": "0x0"}], "stacktraces": []})
        assert status == 422 and b"file_id" in reply and len(reply) < 4096, (status, reply[:200])


def test_ten_thousand_addresses_and_one():
    with Service() as service:
        key = make_key(service)
        good(send(service, key, symbfile.write(RANGES)))
        found = ask(service, *[0x401014] * 10001)
        assert len(found) == 10001 and all(one == CHAIN for one in found), len(found)


def test_as_the_page_says():
    """The curl of doc/api/symbfile.md, as it stands there; and modules named by file id and by build id."""
    with open(os.path.join(TOP, "doc", "api", "symbfile.md"), encoding="utf-8") as f:
        page = f.read()
    curl = re.search(r"^    \$ (curl .*?)\n    (\{[^\n]*\})$", page, re.M | re.S)
    command, answer = curl.group(1).replace("\\\n", " "), curl.group(2)
    with Service() as service, tempfile.TemporaryDirectory(prefix="symgate-page-") as folder:
        with open(os.path.join(folder, "key"), "w", encoding="ascii") as f:
            f.write(make_key(service))
        with open(os.path.join(folder, "program.ranges"), "wb") as f:
            f.write(symbfile.write(RANGES))
        command = command.replace("localhost:3021", f"127.0.0.1:{service.port}")
        run = subprocess.run(["sh", "-ec", command.replace("curl", "curl -s -H 'BuildID: aabbccddeeff'", 1)], cwd=folder,
                             capture_output=True, text=True, check=True)
        assert run.stdout == answer, run
        by_file_id, by_build_id = ask(service, 0x401014), ask(service, 0x401014, file_id=None, code_id="aabbccddeeff")
        assert by_file_id == by_build_id == [CHAIN], (by_file_id, by_build_id)


class LyingServer(http.server.BaseHTTPRequestHandler):
    """Answers each part as `lies` says, in turn; the last one is for all that follow.  Whoever asks anything
    gets the page, or is led there."""
    lies, seen, page = [], [], None
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        LyingServer.seen.append((self.path, self.headers["FilePart"], body))
        lie = LyingServer.lies.pop(0) if len(LyingServer.lies) > 1 else LyingServer.lies[0]
        if lie == "hang up":
            self.close_connection = True
            self.connection.shutdown(2)
            return
        status, text, said = lie
        self.send_response(status)
        self.send_header("Content-Length", str(said if said is not None else len(text)))
        self.end_headers()
        self.wfile.write(text)
        if said is not None:
            self.close_connection = True

    def do_GET(self):
        leads = LyingServer.page == "elsewhere" and self.path != "/login"
        text = b"" if leads else b"<html>log in, please</html>"
        self.send_response(302 if leads else 200 if LyingServer.page else 404)
        if leads:
            self.send_header("Location", "/login")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


GOOD = (200, b'{"success":true,"status":200}', None)


def pushed(folder, *lies):
    """What push-symbols says to a server that lies: its exit code, its words, what it sent."""
    LyingServer.lies, LyingServer.seen = list(lies), []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LyingServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run = subprocess.run([SYMGATE, "push-symbols", "--url", f"http://127.0.0.1:{server.server_port}", "--api-key", "k",
                          os.path.join(folder, "program")], capture_output=True, text=True)
    server.shutdown()
    server.server_close()
    return run.returncode, run.stdout + run.stderr, LyingServer.seen


def test_push_to_a_server_that_lies():
    with tempfile.TemporaryDirectory(prefix="symgate-lies-") as folder:
        with open(os.path.join(folder, "a.c"), "w", encoding="ascii") as f:
            f.write("int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-g", "-o", os.path.join(folder, "program"), os.path.join(folder, "a.c")], check=True)
        code, words, seen = pushed(folder, (503, b'{"error":{"Text":"come again"}}', None), GOOD)
        assert code == 0 and "come again" in words and "trying again" in words and len(seen) == 3, (code, words, len(seen))
        assert seen[0] == seen[1] and seen[2][0] == "/api/symbols-returnpads", seen
        code, words, seen = pushed(folder, "hang up", GOOD)
        assert code == 0 and len(seen) == 3 and seen[0] == seen[1], (code, words, len(seen))
        for LyingServer.page in ("here", "elsewhere"):
            code, words, seen = pushed(folder, GOOD)
            assert code == 0 and "2 parts sent, 0 were there" in words and len(seen) == 2, (LyingServer.page, code, words)
        LyingServer.page = None
        for lie in ((400, b'{"error":{"Text":"no such thing"}}', None), (401, b"", None), (413, b"{", None)):
            code, words, seen = pushed(folder, lie)
            assert code == 1 and len(seen) == 1 and str(lie[0]) in words, (lie, code, words, len(seen))
        assert "sending ranges, part 1 of 1" in words, words


def test_a_file_id_is_one():
    with Service() as service:
        status, body = service.post({"modules": [{"type": "elf", "file_id": "no", "image_addr": "0x0"}],
                                     "stacktraces": []})
        assert status == 422 and b"file_id" in body, (status, body)


if __name__ == "__main__":
    run_all([test_one_part_answers, test_parts_in_any_order_and_again, test_what_is_refused, test_only_with_a_key,
             test_by_build_id, test_what_is_here, test_indexes_are_made_again, test_the_whole_circle, test_one_file_cut_into_parts,
             test_parts_that_disagree, test_hostile_bodies_and_names, test_ten_thousand_addresses_and_one,
             test_as_the_page_says, test_push_to_a_server_that_lies, test_a_file_id_is_one], "service/symbfile")

"""test_wpa -- the SymCache protocol of Windows Performance Analyzer: its decision table, transcoders good
and bad, folders, and what must never be written."""
import hashlib
import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import uuid

from service_tests import SYMGATE, Service, Symbols, eventually, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-wpa-")
GUID = "44e4ec8c-2f41-492b-9369-d6b9a059577c"
SIMPLE = GUID.replace("-", "")
TYPE = "application/vnd.ms-symcache"
REFUSALS = {
    "twice": b"Only one If-Version-Exceeds header is permitted.",
    "invalid": b"The If-Version-Exceeds header value is not a valid version.",
    "unsupported": b"The If-Version-Exceeds header value is an unsupported version number.",
    "less": b"The If-Version-Exceeds header value must be less than the requested version.",
}


def make_pdb(guid=GUID, age=1, filler=b""):
    """A PDB of three streams that says who it is, and is of a 64-bit program."""
    block = 512
    info = struct.pack("<III", 20000404, 0x5e2fdc00, age) + uuid.UUID(guid).bytes_le
    info += struct.pack("<IIIIII", 0, 0, 1, 0, 0, 0)
    dbi = struct.pack("<iII6H", -1, 19990903, age, 0xffff, 0, 0xffff, 0, 0xffff, 0)
    dbi += struct.pack("<iiiiiIiiHHI", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x8664, 0)
    streams = [b"", info, b"", dbi, filler]
    blocks, lists = [], []
    for stream in streams:
        parts = [stream[at:at + block].ljust(block, b"\0") for at in range(0, len(stream), block)]
        lists.append([5 + len(blocks) + i for i in range(len(parts))])
        blocks += parts
    directory = struct.pack("<I", len(streams)) + b"".join(struct.pack("<I", len(s)) for s in streams)
    directory += b"".join(struct.pack("<I", number) for numbers in lists for number in numbers)
    assert len(directory) <= block
    head = b"Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0"
    head += struct.pack("<IIIIII", block, 1, 5 + len(blocks), len(directory), 0, 3)
    return b"".join([head.ljust(block, b"\0"), b"\xff" * block, b"\xff" * block,
                     struct.pack("<I", 4).ljust(block, b"\0"), directory.ljust(block, b"\0"), *blocks])


def made_of(pdb, version="3.1.0"):
    """What the transcoder of these tests writes."""
    return f"symcache {version} {hashlib.sha256(pdb).hexdigest()}\n".encode()


TRANSCODER = """#!/bin/sh
# As symcachegen.exe is called and where it writes; it logs each call.
echo "$_NT_SYMBOL_PATH|$_NT_SYMCACHE_PATH|$*|$(pwd)" >>%(log)s
[ "$1" = -pdb ] || exit 9
name=$(basename "$2")
out="$_NT_SYMCACHE_PATH/$name/%(id)s"
mkdir -p "$out"
%(before)s
echo "symcache %(version)s $(sha256sum <"$2" | cut -d' ' -f1)" >"$out/$name-v%(version)s.symcache"
%(after)s
"""


class Transcoder:
    """A program, and what symgate.yml says of it."""

    def __init__(self, version="3.1.0", before="", after="", **config):
        self.folder = tempfile.mkdtemp(dir=FOLDER.name)
        os.chmod(self.folder, 0o755)
        self.log = os.path.join(self.folder, "log")
        path = os.path.join(self.folder, "transcoder")
        with open(path, "w", encoding="utf-8") as f:
            f.write(TRANSCODER % {"log": self.log, "id": SIMPLE.upper() + "1", "version": version,
                                  "before": before, "after": after})
        os.chmod(path, 0o755)
        self.config = {"version": version, "command": [path, "-pdb", "{pdb}"], "writable": [self.folder],
                       **config}

    def calls(self):
        try:
            with open(self.log, encoding="utf-8") as f:
                return f.read().splitlines()
        except OSError:
            return []


def source_of(symbols):
    return {"id": "msdl", "type": "http", "url": f"http://127.0.0.1:{symbols.server_port}/",
            "layout": {"type": "symstore"}}


def symbols_with(name="my.pdb", pdb=None, age="1", packed=False):
    symbols = Symbols()
    last = name[:-1] + "_" if packed else name
    symbols.files[f"/{name}/{SIMPLE.upper()}{age}/{last}"] = pdb or make_pdb()
    return symbols


def config_of(symbols, *transcoders, **wpa):
    return json.dumps({"sources": [source_of(symbols)] if symbols else [],
                       "wpa": {"transcoders": [t.config for t in transcoders], **wpa}})


def ask(service, version, name="my.pdb", guid=SIMPLE, age="", exceeds=None, retry=None, method="GET", **headers):
    if exceeds is not None:
        headers["If-Version-Exceeds"] = exceeds
    if retry:
        headers[retry] = "True"
    status, body, got = service.request(method, f"/v{version}/{name}/{guid}{age and '/' + age}", headers=headers)
    return status, body, got


def settle(service, *request, **more):
    """Asks until the answer is final, as a client that polls does."""
    def final():
        answer = ask(service, *request, **more)
        assert answer[0] != 404 or answer[2]["Retry-After"] in ("1", None), answer
        return None if answer[0] == 404 and answer[2]["Retry-After"] else answer
    return eventually(final, "a final answer")


def check(answer, expected, what):
    """`expected`: a version, 304, "final", "again", or the name of a refusal."""
    status, body, headers = answer
    if expected == "final":
        assert (status, body, headers["Retry-After"]) == (404, b"", None), (what, answer[:2])
    elif expected == "again":
        assert (status, body, headers["Retry-After"]) == (404, b"", "1"), (what, answer[:2])
    elif expected == 304:
        assert (status, body) == (304, b""), (what, answer[:2])
    elif expected in REFUSALS:
        assert (status, body) == (400, REFUSALS[expected]), (what, answer[:2])
        assert headers["Content-Type"] == "text/plain; charset=utf-8", (what, dict(headers))
    else:
        assert status == 200 and headers["Content-Type"] == f"{TYPE}; version={expected}", (what, status,
                                                                                           dict(headers))
        assert body.startswith(b"symcache " + expected.encode()), (what, body)


def folder_with(*versions, name="my.pdb", upper=True):
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    os.chmod(folder, 0o755)
    inner = os.path.join(folder, name, (SIMPLE.upper() if upper else SIMPLE) + "1")
    os.makedirs(inner)
    for version in versions:
        with open(os.path.join(inner, f"{name}-v{version}.symcache"), "w", encoding="ascii") as f:
            f.write(f"symcache {version} of the folder\n")
    return folder


def test_refusals_come_in_their_order():
    """Rows that do not depend on what there is."""
    transcoder = Transcoder()
    with Service(config_of(symbols_with(), transcoder)) as service:
        for version, exceeds, expected in (
                ("2.9.9", None, "final"), ("2.9.9", "junk", "final"), ("0.1.0", "junk", "final"),
                ("3.0.0", None, "final"), ("3.0.0", "2.0.0", "final"), ("3.256.0", None, "final"),
                ("65536.1.0", None, "final"), ("3.1.0", "3.1.0", "less"), ("3.1.0", "3.2.0", "less"),
                ("3.1.0", "0.9.0", "unsupported"), ("3.1.0", "3", "invalid"),
                ("3.1.0", "3.1", "invalid"), ("3.1.0", "3.300.0", "invalid"), ("3.1", None, "final"),
                ("3.1.0.0", None, "final"), ("3.1.0-rc", None, "final")):
            check(ask(service, version, exceeds=exceeds), expected, (version, exceeds))
        status, body, headers = ask(service, "3.1.0", exceeds="3", Accept="application/json")
        assert status == 400 and json.loads(body).encode() == REFUSALS["invalid"], body
        assert transcoder.calls() == []


def test_what_is_made():
    """Rows with T 3.1.0 and nothing there."""
    for version, exceeds, retry, first, last in (
            ("3.0.1", None, None, "3.1.0", "3.1.0"), ("3.1.0", None, None, "3.1.0", "3.1.0"),
            ("3.1.256", None, None, "3.1.0", "3.1.0"),
            ("3.1.0", None, "Accept-Retry-After", "again", "3.1.0"),
            ("3.1.0", None, "Allow-Retry-After", "again", "3.1.0"),
            ("3.1.1", None, None, "again", "3.1.0"), ("3.2.0", None, None, "again", "3.1.0"),
            ("4.1.0", None, None, "again", "3.1.0"), ("3.1.0", "3.0.0", None, "3.1.0", "3.1.0"),
            ("3.1.0", "v3.0.0", None, "3.1.0", "3.1.0"), ("3.1.0", "3.0.0, 9.9.9", None, "3.1.0", "3.1.0"),
            ("3.2.0", "2.0.0", None, "again", "3.1.0"), ("3.2.0", "3.1.0", None, 304, 304)):
        pdb, transcoder = make_pdb(), Transcoder()
        with Service(config_of(symbols_with(pdb=pdb), transcoder)) as service:
            what = (version, exceeds, retry)
            check(ask(service, version, exceeds=exceeds, retry=retry), first, what)
            answer = settle(service, version, exceeds=exceeds, retry=retry)
            check(answer, last, what)
            if last == 304:
                assert transcoder.calls() == [], "304 beats transcoding"
                continue
            assert answer[1] == made_of(pdb), (what, answer[1])
            assert len(transcoder.calls()) == 1, (what, transcoder.calls())
            # From now on it is there.
            check(ask(service, version, exceeds=exceeds, retry=retry), last, what)
            check(ask(service, "3.2.0", exceeds="3.1.0"), 304, what)
            check(ask(service, "3.1.0", exceeds="3.0.0"), "3.1.0", what)
            check(ask(service, "4.1.0"), "3.1.0", what)
            status, body, headers = ask(service, "3.1.0", method="HEAD")
            assert (status, body, int(headers["Content-Length"])) == (200, b"", len(made_of(pdb)))
            assert len(transcoder.calls()) == 1


def test_a_newer_transcoder():
    """Rows with T 3.2.0; and what an earlier one made still answers."""
    symbols = symbols_with()
    old = Transcoder("3.1.0")
    with Service(config_of(symbols, old)) as service:
        check(ask(service, "3.1.0"), "3.1.0", "the old one")
        service.stop()
        new = Transcoder("3.2.0", earlier=["3.1.0"])
        with open(service.config, "w", encoding="utf-8") as f:
            f.write(config_of(symbols, new))
        service.start()
        check(ask(service, "3.2.0"), "3.1.0", "what is there is sent at once")
        assert new.calls() == []
        check(ask(service, "3.2.0", exceeds="3.1.0"), "again", "nothing, T 3.2.0")
        check(settle(service, "3.2.0", exceeds="3.1.0"), "3.2.0", "then 3.2.0")
        check(ask(service, "3.1.0"), "3.2.0", "a newer minor is fine")
        check(ask(service, "3.2.0", exceeds="3.2.0-rc1"), "3.2.0", "a release is more than its candidate")


def test_majors():
    """A client gets no version of a higher major; each major has its transcoder."""
    symbols = symbols_with()
    three, four = Transcoder("3.1.0"), Transcoder("4.0.0")
    with Service(config_of(symbols, four)) as service:
        check(ask(service, "3.9.0"), "final", "T 4.0.0 alone")
        check(ask(service, "3.9.0", exceeds="junk"), "final", "the gate is before the header")
        check(settle(service, "4.0.0"), "4.0.0", "its own")
        check(ask(service, "3.9.0"), "final", "T 4.0.0 and its file")
    with Service(config_of(symbols, three, four)) as service:
        check(ask(service, "3.1.0"), "3.1.0", "T 3.1.0 for 3.x")
        check(settle(service, "4.2.0", exceeds="3.1.0"), "4.0.0", "T 4.0.0 for 4.x")
        check(ask(service, "3.1.0"), "3.1.0", "still")
        check(ask(service, "5.0.0"), "4.0.0", "the highest there is")


def test_negatives():
    symbols, transcoder = symbols_with(), Transcoder()
    with Service(config_of(symbols, transcoder)) as service:
        check(ask(service, "3.1.0", name="other.pdb"), "final", "nobody has it")
        asked = symbols.total()
        check(ask(service, "3.1.0", name="other.pdb"), "final", "and it is remembered")
        check(ask(service, "3.2.0", name="other.pdb"), "final", "for those who would poll too")
        check(ask(service, "3.2.0", name="other.pdb", exceeds="3.1.0"), "final", "a negative entry is before 304")
        assert symbols.total() == asked and transcoder.calls() == []
        status, body = service.get("/metrics")
        assert b'endpoint="v"' in body


def test_the_pdb_has_to_be_that_one():
    pdb = make_pdb("11111111-2f41-492b-9369-d6b9a059577c")
    for wrong, expected in ((pdb, "final"), (make_pdb(age=3), "3.1.0"), (b"no PDB at all", "final")):
        symbols, transcoder = symbols_with(pdb=wrong), Transcoder()
        with Service(config_of(symbols, transcoder)) as service:
            check(ask(service, "3.1.0"), expected, wrong[:8])
            assert len(transcoder.calls()) == (expected != "final")


def test_forms_of_the_path():
    """Age is decimal here and hexadecimal upstream; any form of a GUID; any case of name and `v`."""
    pdb = make_pdb(age=31)
    symbols = symbols_with(pdb=pdb, age="1f")
    with Service(config_of(symbols, Transcoder())) as service:
        check(ask(service, "3.1.0", age="31"), "3.1.0", "an age")
        for guid in (SIMPLE.upper(), GUID, "{" + GUID.upper() + "}", "(" + GUID + ")",
                     "%7B0x44e4ec8c,0x2f41,0x492b,%7B0x93,0x69,0xd6,0xb9,0xa0,0x59,0x57,0x7c%7D%7D"):
            check(ask(service, "3.1.0", guid=guid, age="31/"), "3.1.0", guid)
        check(ask(service, "3.1.0", name="MY.PDB", age="31"), "3.1.0", "another case")
        status, body, _ = service.request("GET", f"/V3.1.0/my.pdb/{SIMPLE}/31?x=y")
        assert (status, body) == (200, made_of(pdb))
        check(ask(service, "3.1.0"), "final", "age 1 is another one")
        for method, status in (("POST", 405), ("DELETE", 405)):
            got, _, headers = service.request(method, f"/v3.1.0/my.pdb/{SIMPLE}", b"")
            assert (got, headers["Allow"]) == (status, "GET,HEAD,PUT"), (method, got, headers)
        for path in ("/v3/", "/v3.1/", "/v3.1.0", "/v3.1.0.0/", "/v3.1.x/", "/v3..0/"):
            assert service.request("PUT", path + f"my.pdb/{SIMPLE}", b"")[0] == 404, path
        assert service.get("/vanished")[0] == 404
        for name in ("..", "%2e%2e", "a%2fb.pdb", "..%5c..%5cb.pdb", "c%3ab.pdb", "a%00.pdb", "a" * 4000,
                     "%ff.pdb", "a%0ab.pdb"):
            status, body, headers = ask(service, "3.1.0", name=name)
            assert status in (400, 404) and not headers["Retry-After"], (name, status)


def test_upstream_files_may_be_packed():
    pdb = make_pdb(filler=b"x" * 5000)
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    with open(os.path.join(folder, "my.pdb"), "wb") as f:
        f.write(pdb)
    if not shutil.which("gcab") and not shutil.which("lcab"):
        return
    packed = os.path.join(folder, "my.pd_")
    command = ["gcab", "-czn", packed, "my.pdb"] if shutil.which("gcab") else ["lcab", "-q", "my.pdb", packed]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    with open(packed, "rb") as f:
        symbols = symbols_with(pdb=f.read(), packed=True)
    with Service(config_of(symbols, Transcoder())) as service:
        assert ask(service, "3.1.0")[1] == made_of(pdb)


def test_pointers_of_stores_are_followed():
    """As Microsoft's sample asks its symbol server: the PDB lies on a share, which is mounted here."""
    pdb = make_pdb()
    share = tempfile.mkdtemp(dir=FOLDER.name)
    store = tempfile.mkdtemp(dir=FOLDER.name)
    for folder in (share, store):
        os.chmod(folder, 0o755)
    os.mkdir(os.path.join(share, "b"))
    with open(os.path.join(share, "b", "my.pdb"), "wb") as f:
        f.write(pdb)
    with open(os.path.join(FOLDER.name, "out.pdb"), "wb") as f:
        f.write(pdb)
    os.symlink(os.path.join(FOLDER.name, "out.pdb"), os.path.join(share, "link.pdb"))
    may = {"file_ptr": {"\\\\builds\\symbols": share}}
    texts = ((b"PATH:\\\\BUILDS\\Symbols\\b\\my.pdb\r\n", may, True), (b"PATH:\\\\builds\\symbols\\gone.pdb", may, False),
             (b"PATH:\\\\builds\\symbols\\..\\out.pdb", may, False), (b"PATH:\\\\builds\\symbols\\link.pdb", may, False),
             (f"PATH:{share}/b/my.pdb".encode(), may, False), (b"MSG: not for you", may, False),
             (b"PATH:\\\\builds\\symbols\\b\\my.pdb" + b" " * 5000, may, False), (b"<html>", may, False), (b"", may, False),
             (b"PATH:\\\\builds\\symbols\\b\\my.pdb", {}, False))
    place = f"my.pdb/{SIMPLE.upper()}1"
    os.makedirs(os.path.join(store, place))
    for kind in ("http", "filesystem"):
        for text, pointers, works in texts:
            symbols, transcoder = Symbols(), Transcoder()
            symbols.files[f"/{place}/file.ptr"] = text
            with open(os.path.join(store, place, "file.ptr"), "wb") as f:
                f.write(text)
            source = {**source_of(symbols), **pointers} if kind == "http" else {
                "id": "store", "type": "filesystem", "path": store, "layout": {"type": "symstore"}, **pointers}
            with Service(json.dumps({"sources": [source], "wpa": {"transcoders": [transcoder.config]}})) as service:
                answer = ask(service, "3.1.0")
                check(answer, "3.1.0" if works else "final", (kind, text))
                if works:
                    assert answer[1] == made_of(pdb)
                    status, body, _ = service.request("GET", f"/proxy/{place}/my.pdb")
                    assert (status, body) == (200, pdb), (kind, status, body[:100])
                    service.stop()
                    shutil.rmtree(os.path.join(service.state, "cache", "objects"))
                    service.start()
                    status, body, _ = service.request("GET", f"/proxy/{place}/my.pdb")
                    assert (status, body) == (200, pdb), (kind, status, body[:100])
                else:
                    assert service.request("GET", f"/proxy/{place}/my.pdb")[0] in (404, 500), (kind, text)
                assert service.request("GET", f"/proxy/{place}/file.ptr")[0] == 404


def test_folders_answer():
    folder = folder_with("3.1.0", name="My.PDB", upper=False)
    with Service(config_of(None, folder=folder)) as service:
        status, body, headers = ask(service, "3.1.0")
        assert (status, body) == (200, b"symcache 3.1.0 of the folder\n"), (status, body)
        assert headers["Content-Type"] == f"{TYPE}; version=3.1.0"
        check(ask(service, "4.1.0"), "3.1.0", "an older major")
        check(ask(service, "3.2.0", exceeds="3.1.0"), 304, "the client has it")
        check(ask(service, "3.1.0", name="other.pdb"), "final", "nothing else is there")
        check(ask(service, "3.1.0", age="2"), "final", "nor of another age")
    folder = folder_with("3.2.0", "4.0.0")
    transcoder = Transcoder("4.0.0")
    with Service(config_of(symbols_with(), transcoder, folder=folder)) as service:
        check(ask(service, "3.1.0"), "3.2.0", "a newer minor of the folder")
        check(ask(service, "3.9.0", exceeds="3.1.0"), "3.2.0", "a 3.x file with T 4.0.0")
        check(ask(service, "4.0.0"), "4.0.0", "the highest")
        assert transcoder.calls() == []
    folder = folder_with()
    inner = os.path.join(folder, "my.pdb", SIMPLE.upper() + "1")
    with open(os.path.join(inner, "my.pdb-v3.1.0.negativesymcache"), "w", encoding="ascii") as f:
        f.write("2999-01-28T07:10:11.1234567+00:00")
    with open(os.path.join(inner, "my.pdb-v3.1.0.symcache"), "w", encoding="ascii"):
        pass
    transcoder = Transcoder()
    with Service(config_of(symbols_with(), transcoder, folder=folder)) as service:
        check(ask(service, "3.1.0"), "final", "somebody else's negative marker")
        assert transcoder.calls() == []
        with open(os.path.join(inner, "my.pdb-v3.1.0.negativesymcache"), "w", encoding="ascii") as f:
            f.write("2020-01-28T07:10:11.1234567+00:00")
        check(ask(service, "3.1.0"), "3.1.0", "which is over")
        assert os.path.getsize(os.path.join(inner, "my.pdb-v3.1.0.symcache")) == 0, "folders are only read"


def test_redirects():
    folder = folder_with("3.1.0", name="a b.pdb")
    with Service(config_of(None, folder=folder, redirect="https://cdn.example.org/symcache")) as service:
        status, body, headers = ask(service, "3.1.0", name="a%20b.pdb")
        assert (status, body) == (302, b""), (status, body)
        assert headers["Location"] == ("https://cdn.example.org/symcache/a%20b.pdb/" + SIMPLE.upper() +
                                       "1/a%20b.pdb-v3.1.0.symcache"), headers["Location"]


def test_many_who_want_one_start_one():
    transcoder = Transcoder(before="sleep 0.5")
    with Service(config_of(symbols_with(), transcoder)) as service:
        answers = []
        threads = [threading.Thread(target=lambda v=v: answers.append(settle(service, v)))
                   for v in ("3.1.0", "3.0.1", "3.2.0", "3.1.0", "3.3.0", "4.0.0")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for answer in answers:
            check(answer, "3.1.0", "each of them")
        assert len(answers) == 6 and len(transcoder.calls()) == 1, transcoder.calls()


def left_over(service):
    folder = os.path.join(service.state, "transcode")
    return os.listdir(folder) if os.path.isdir(folder) else []


# Of these tests alone: others may run them on this machine too.
NAP = f"sleep {os.getpid()}9876"


def running(word=NAP):
    return subprocess.run(["pgrep", "-f", word], capture_output=True, text=True, check=False).stdout.split()


def test_bad_transcoders():
    """Each of them costs the client an answer and leaves nothing behind."""
    outside = os.path.join(FOLDER.name, "outside")
    for what, words, transcoder in (
            ("exits", "exited with code 3: oh no", Transcoder(before="echo oh no >&2; exit 3")),
            ("says a lot", "exited with code 1", Transcoder(before="head -c 300000000 /dev/zero >&2; exit 1")),
            ("writes nothing", "no file ...-v3.1.0.symcache", Transcoder(before="exit 0")),
            ("writes an empty file", "an empty file", Transcoder(
                before=': >"$out/$name-v3.1.0.symcache"; exit 0')),
            ("writes another version", "my.pdb-v3.9.0.symcache", Transcoder(
                before='echo x >"$out/$name-v3.9.0.symcache"; exit 0')),
            ("writes elsewhere", "no file ...", Transcoder(before=f"echo x >{outside}; exit 0")),
            ("writes a link", "no file ...", Transcoder(
                before='ln -s /etc/passwd "$out/$name-v3.1.0.symcache"; exit 0')),
            ("hangs", "longer than its timeout", Transcoder(before=f"{NAP}5", timeout="1s")),
            ("hangs in the background", None, Transcoder(before=f"setsid {NAP}4 &")),
            ("ignores signals", "longer than its timeout", Transcoder(
                before=f"trap '' TERM INT HUP; (setsid {NAP}3 &); while :; do sleep 1; done", timeout="1s")),
            ("dies", "ended by signal 9", Transcoder(before="kill -9 $$")),
            ("is not there", "cannot be started", Transcoder(command=["/no/such/program"]))):
        with Service(config_of(symbols_with(), transcoder)) as service:
            check(ask(service, "3.1.0"), "3.1.0" if words is None else "final", what)
            if words:
                text = service.text_of_log()
                assert words in text, (what, text[-600:])
                check(ask(service, "3.2.0"), "final", (what, "remembered"))
            eventually(lambda: left_over(service) == [], f"the folder of one that {what} to go")
            eventually(lambda: not running(), f"the processes of one that {what} to end")
    assert not os.path.exists(outside) or not landlock(), "landlock keeps it inside"


def landlock():
    status = subprocess.run(["sh", "-c", "grep -q landlock /sys/kernel/security/lsm"], check=False)
    return status.returncode == 0


def test_a_killed_service_takes_them_along():
    transcoder = Transcoder(before=f"setsid {NAP}2 & {NAP}1")
    with Service(config_of(symbols_with(), transcoder)) as service:
        check(ask(service, "3.2.0"), "again", "begun")
        eventually(lambda: running(f"{NAP}1"), "the transcoder to run")
        service.stop()
        eventually(lambda: not running(), "its processes to end")
        eventually(lambda: left_over(service) == [], "its folder to go")


def test_what_a_transcoder_is_told():
    transcoder = Transcoder(environment={"COLOUR": "green"}, before='echo "$COLOUR $HOME $TMPDIR" >>"$0.said"')
    windows = Transcoder(paths="windows", command=None)
    windows.config["command"] = [os.path.join(windows.folder, "print"), "--in", "{pdb}", "--out={out}"]
    with open(windows.config["command"][0], "w", encoding="ascii") as f:
        f.write(f'#!/bin/sh\nprintf "%s|%s\\n" "$*" "$_NT_SYMCACHE_PATH" >>{windows.log}\nexit 1\n')
    os.chmod(windows.config["command"][0], 0o755)
    with Service(config_of(symbols_with(), transcoder)) as service:
        check(ask(service, "3.1.0"), "3.1.0", "made")
        symbol_path, out, words, here = transcoder.calls()[0].split("|")
        scratch = os.path.dirname(out)
        assert os.path.dirname(scratch) == os.path.join(os.path.realpath(service.state), "transcode"), scratch
        assert (symbol_path, words, here) == (scratch + "/unused", f"-pdb {scratch}/pdb/my.pdb", scratch)
        with open(os.path.join(transcoder.folder, "transcoder.said"), encoding="ascii") as f:
            assert f.read() == f"green {scratch} {scratch}/tmp\n"
    with Service(config_of(symbols_with(), windows)) as service:
        check(ask(service, "3.1.0"), "final", "it fails")
        said = windows.calls()[0]
        assert said.startswith("--in Z:\\") and "\\pdb\\my.pdb --out=Z:\\" in said and "/" not in said, said


def make_key(service):
    made = subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "apikey", "create",
                           "builder"], capture_output=True, text=True, check=True)
    return made.stdout.split()[-1]


def test_files_are_sent():
    path = f"/v3.1.0/My.PDB/{SIMPLE}/31"
    with Service(config_of(None, put_max_bytes=1000)) as service:
        assert service.request("PUT", path, b"data")[0] == 401
        key = {"Authorization": "APIKey " + make_key(service)}
        assert service.request("PUT", path, b"data", {"Authorization": "APIKey bm86bm8="})[0] == 401
        for to, body, status in ((path, b"", 400), (f"/v2.9.0/my.pdb/{SIMPLE}", b"x", 400), (path, b"x" * 1001, 413),
                                 (f"/v3.1.0/..%5cx/{SIMPLE}", b"x", 404), (f"/v3.1.0/c%3a/{SIMPLE}", b"x", 404),
                                 ("/v3.1/my.pdb/1", b"x", 404), (path, b"symcache 3.1.0 sent", 201),
                                 (path.lower(), b"another", 409)):
            got = service.request("PUT", to, body, key)
            assert got[0] == status, (to, status, got)
        check(ask(service, "3.1.0", age="31"), "3.1.0", "what was sent")
        check(ask(service, "4.0.0", name="MY.pdb", age="31"), "3.1.0", "in any case")
        kept = os.path.join(service.state, "symcache", "my.pdb", SIMPLE.upper() + "1F")
        assert os.listdir(kept) == ["my.pdb-v3.1.0.symcache"], os.listdir(kept)
        assert os.listdir(os.path.join(service.state, "symcache")) == ["my.pdb"]


def main():
    run_all([value for name, value in globals().items() if name.startswith("test_")], "wpa")


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(FOLDER.name, ignore_errors=True)

#!/usr/bin/env python3
"""test_jvm -- POST /symbolicate-jvm behind the whole service: mappings and source bundles from sources of
every kind, mappings that frames name, texts with native frames, and what is too much.
usage: test_jvm.py [TEST ...]
"""
import gzip
import io
import json
import os
import shutil
import sqlite3
import tempfile
import urllib.parse
import zipfile

import test_clouds
from service_tests import Program, Service, Symbols, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-jvm-")
OPEN = "connect_to_reserved_ips: true\n"
MAPPING_ID = "67e9247c-814e-392b-a027-dbde6748fcbf"
BUNDLE_ID = "11111111-2222-3333-4444-555555555555"
MAP_HASH = "abcdef1234567890" * 4
MAPPING = f"""# compiler: R8
# pg_map_hash: SHA-256 {MAP_HASH}
com.example.Shop -> a.b:
    1:1:void total(int):21:21 -> c
    1:1:void checkout():40 -> c
    void wide():1:60000 -> w
com.example.Broken -> a.e:
    1:1:void <init>():5:5 -> <init>
""".encode()
SOURCE = "".join(f"line {number}\n" for number in range(1, 60))
FRAME = {"module": "a.b", "function": "c", "lineno": 1, "index": 3}


def path_of(name, file_type):
    digits = name.replace("-", "")
    return f"{digits[:2]}/{digits[2:]}/{file_type}"


def bundle():
    data = io.BytesIO()
    data.write(b"SYSB\2\0\0\0")
    with zipfile.ZipFile(data, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("files/_/_/com/example/Shop.jvm", SOURCE)
        archive.writestr("manifest.json", json.dumps({"debug_id": BUNDLE_ID, "files": {
            "files/_/_/com/example/Shop.jvm": {"type": "source", "url": "~/com/example/Shop.jvm", "path": "Shop.java"}}}))
    return data.getvalue()


FILES = {path_of(MAPPING_ID, "proguard"): MAPPING, path_of(BUNDLE_ID, "sourcebundle"): bundle()}


def folder_of(files):
    folder = tempfile.mkdtemp(dir=FOLDER.name)
    os.chmod(folder, 0o755)
    for path, content in files.items():
        whole = os.path.join(folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as f:
            f.write(content)
    return folder


def folder_source(folder, layout="unified", **more):
    return {"id": "folder", "type": "filesystem", "path": folder, "layout": {"type": layout}, **more}


def request_of(*sources, **more):
    return {"sources": list(sources), "classes": ["a.b"], "stacktraces": [{"frames": [FRAME]}],
            "modules": [{"uuid": MAPPING_ID, "type": "proguard"}, {"uuid": BUNDLE_ID, "type": "source"}], **more}


def ask(service, request, path="/symbolicate-jvm"):
    status, body, _ = service.request("POST", path, json.dumps(request), {"Content-Type": "application/json"})
    assert status == 200, (status, body[:300])
    return json.loads(body)


def check(reply):
    assert (reply["status"], reply["errors"], reply["classes"]) == ("completed", [], {"a.b": "com.example.Shop"}), reply
    caller, callee = reply["stacktraces"][0]["frames"]
    assert caller == {"function": "checkout", "filename": "Shop.java", "module": "com.example.Shop",
                      "abs_path": "Shop.java", "lineno": 40, "index": 3, "pre_context": [f"line {n}" for n in range(35, 40)],
                      "context_line": "line 40", "post_context": [f"line {n}" for n in range(41, 46)]}, caller
    assert (callee["function"], callee["lineno"], callee["context_line"]) == ("total", 21, "line 21"), callee


def test_folders_of_every_layout():
    folder = folder_of(FILES)
    named = {"filters": {"filetypes": ["proguard", "sourcebundle"]}}
    with Service() as service:
        for layout in ("native", "unified"):
            check(ask(service, request_of(folder_source(folder, layout, id=layout))))
        for layout in ("symstore", "symstore_index2", "ssqp", "debuginfod", "slashsymbols"):
            check(ask(service, request_of(folder_source(folder, layout, id=layout, **named))))
            none = ask(service, request_of(folder_source(folder, layout, id=layout + "-all")))
            assert none["errors"] == [{"uuid": MAPPING_ID, "type": "missing"}], none
            assert none["stacktraces"][0]["frames"] == [FRAME], none
        assert service.metric('symgate_jvm_frames_total{outcome="mapped"}') == 14.0
        assert service.metric('symgate_jvm_frames_total{outcome="unmapped"}') == 5.0


def test_http_and_buckets():
    symbols = Symbols()
    symbols.files.update({"/" + path: gzip.compress(content) for path, content in FILES.items()})
    prefix = "/the.bucket/odd +()=@:,/"

    def answer(handler, path, query):
        if not test_clouds.is_signed(handler, path, query):
            return test_clouds.s3_error(403, "SignatureDoesNotMatch")
        found = FILES.get(urllib.parse.unquote(path)[len(prefix):])
        return (200, found) if found else test_clouds.s3_error(404, "NoSuchKey")

    with Service(OPEN) as service:
        http = symbols.source(filters={"filetypes": ["proguard", "sourcebundle"]})
        check(ask(service, request_of(http)))
        hits = symbols.total()
        check(ask(service, request_of(http)))
        assert symbols.total() == hits, symbols.hits
        cloud = test_clouds.Cloud(answer)
        check(ask(service, request_of(test_clouds.s3_source(cloud, filters={"filetypes": ["proguard", "sourcebundle"]}))))
        # A place that lacks it is passed over; one that could not be asked is not.
        check(ask(service, request_of(folder_source(folder_of({})), http)))


def test_gcs():
    """Both files with one token, by whoever may."""
    cloud = test_clouds.gcs_server({"pre/" + path: content for path, content in FILES.items()})
    source = test_clouds.gcs_source(cloud, filters={"filetypes": ["proguard", "sourcebundle"]})
    key = test_clouds.gcs_key()
    with Service(OPEN + "workshop:\n  processes: 1\n") as service:
        refused = ask(service, request_of({**source, **key, "id": "refused", "client_email": "you@example.org"}))
        assert refused["errors"] and refused["stacktraces"][0]["frames"] == [FRAME], refused
        asked = cloud.count("POST /token")
        check(ask(service, request_of({**source, **key, "id": "gcs"})))
        assert cloud.count("POST /token") == asked + 1, cloud.hits
        hits = len(cloud.hits)
        check(ask(service, request_of({**source, **key, "id": "gcs"})))
        assert len(cloud.hits) == hits, cloud.hits
        check(ask(service, request_of({**source, "id": "other", "bearer_token": "the-token"})))
        without = ask(service, request_of({**source, "id": "empty", "prefix": "no", "bearer_token": "the-token"}))
        assert without["errors"] == [{"uuid": MAPPING_ID, "type": "missing"}], without


def test_symbolicate_any_and_what_nobody_has():
    """/symbolicate-any answers the same; what nobody had is in a view."""
    symbols, kind = Symbols(), {"symbolicate": {"type": "jvm"}}
    folder = folder_source(folder_of(FILES))
    with Service(OPEN) as service:
        for _ in range(2):
            check(ask(service, request_of(folder, **kind), "/symbolicate-any"))
        reply = ask(service, request_of(symbols.source(), **kind), "/symbolicate-any")
        assert reply["errors"] == [{"uuid": MAPPING_ID, "type": "missing"}], reply
        with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
            rows = db.execute("SELECT mapping, sources_without FROM v_missing_mappings").fetchall()
            assert rows == [], rows         # the folder has it
    with Service(OPEN) as service:
        ask(service, request_of(folder_source(folder_of({}))))
        with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
            rows = db.execute("SELECT mapping, sources_without FROM v_missing_mappings").fetchall()
        assert rows == [(MAPPING_ID, "folder")], rows


def test_a_server_that_lists_it_decides():
    """Of a Sentry server's answer the first mapping counts, whatever becomes of it."""
    def answer(handler, path, query):
        given = dict(urllib.parse.parse_qsl(query))
        if "debug_id" in given:
            return 200, json.dumps([{"id": number, "symbolType": "proguard", "debugId": MAPPING_ID, "objectName": "m"}
                                    for number in ("1", "2")]).encode()
        return (200, MAPPING) if given.get("id") == "2" else (404, b"")

    cloud = test_clouds.Cloud(answer)
    with Service(OPEN) as service:
        sentry = {"id": "sentry:1", "type": "sentry", "url": cloud.url + "/files/", "token": "t"}
        reply = ask(service, request_of(sentry))
        assert reply["errors"] == [{"uuid": MAPPING_ID, "type": "missing"}], reply
        assert cloud.count("?id=1") == 1 and cloud.count("?id=2") == 0, cloud.hits


def test_a_mapping_that_frames_name():
    folder = folder_of({path_of(MAP_HASH, "proguard"): MAPPING})
    named = dict(FRAME, filename=f"r8-map-id-{MAP_HASH}")
    with Service() as service:
        request = request_of(folder_source(folder), modules=[], stacktraces=[{"frames": [named, FRAME]}])
        frames = ask(service, request)["stacktraces"][0]["frames"]
        assert [frame["function"] for frame in frames] == ["checkout", "total", "c"], frames


def test_invalid_and_unpackable():
    folder = folder_of({path_of(MAPPING_ID, "proguard"): b"hello\n",
                        path_of(BUNDLE_ID, "proguard"): gzip.compress(MAPPING)[:60]})
    with Service() as service:
        modules = [{"uuid": MAPPING_ID, "type": "proguard"}, {"uuid": BUNDLE_ID, "type": "proguard"}]
        errors = ask(service, request_of(folder_source(folder), modules=modules))["errors"]
        assert errors == [{"uuid": MAPPING_ID, "type": "invalid"}, {"uuid": BUNDLE_ID, "type": "invalid"}], errors


def test_a_tombstone():
    program = Program(FOLDER.name, 1)
    with open(program.path, "rb") as f:
        folder = folder_of({**FILES, program.key(): f.read()})
    line = f"      #01 pc {program.address + 1:016x}  /data/app/lib.so (x+1) (BuildId: {program.code_id})"
    text = "\n".join(["backtrace:", "      #00 pc 0000000000000010  /system/lib64/libc.so (abort+4)", line, "",
                      "java.lang.RuntimeException: oh", "    at a.b.c(SourceFile:1)", "    at q.q(SourceFile:1)",
                      "Caused by: a.e: no", "    ... 3 more"])
    with Service() as service:
        reply = ask(service, request_of(folder_source(folder), stacktraces=[], texts=[text, "nothing"]))
        first, second = reply["texts"]
        lines = first["text"].split("\n")
        assert lines[0:3] == text.split("\n")[0:3], lines
        assert lines[3].startswith("            ") and "outer at " in lines[3] + lines[4], lines
        assert "    at com.example.Shop.total(Shop.java:21)" in lines, lines
        assert "    at com.example.Shop.checkout(Shop.java:40)" in lines, lines
        assert "Caused by: com.example.Broken: no" in lines and "    at q.q(SourceFile:1)" in lines, lines
        assert [frame["status"] for frame in first["stacktraces"][0]["frames"]][0] == "missing", first
        assert first["stacktraces"][0]["frames"][-1]["function"] == "outer", first
        assert [module["debug_status"] for module in first["modules"]] == ["missing", "found"], first
        assert second == {"text": "nothing\n"}, second


def test_too_much():
    """A trace of a million frames is answered; frames that become very many are cut, and that is told."""
    folder = folder_of(FILES)
    with Service() as service:
        frame = json.dumps({"module": "q", "function": "c", "index": 3}, separators=(",", ":"))
        body = json.dumps(request_of(folder_source(folder), stacktraces=[])).replace(
            '"stacktraces": []', '"stacktraces":[{"frames":[' + ",".join([frame] * 1000000) + "]}]")
        status, reply, _ = service.request("POST", "/symbolicate-jvm", body, {"Content-Type": "application/json"})
        assert status == 200 and reply.count(b'"q"') == 1000000, (status, len(reply))
        reply = ask(service, request_of(folder_source(folder), stacktraces=[{"frames": [dict(FRAME, function="w")] * 20}],
                                        options={"apply_source_context": False}))
        trace = reply["stacktraces"][0]
        assert len(trace["frames"]) == 20 + 500000 and trace["frames_omitted"] == 20 * 60000 - 500020, trace["frames_omitted"]
        reply = ask(service, request_of(folder_source(folder), stacktraces=[], texts=["    at a.b.w(F)\n" * 100]))
        assert reply["status"] == "completed" and len(reply["texts"]) == 1, reply["status"]


def main():
    run_all([value for name, value in globals().items() if name.startswith("test_") and callable(value)], "jvm")


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(FOLDER.name, ignore_errors=True)

#!/usr/bin/env python3
"""test_js -- POST /symbolicate-js against the whole service: stores of one's own, servers that lie, and files
that are not what they are said to be.

Every lie costs its own frame; the rest of the request is answered.

usage: test_js.py [TEST ...]        environment: SYMGATE (the program)
"""
import base64
import concurrent.futures
import gzip
import io
import json
import os
import sqlite3
import struct
import subprocess
import tempfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service_tests import PATIENCE, SYMGATE, Service, eventually, run_all, stretched

MOST = 64 << 20
DEBUG_ID = "67e9247c-814e-392b-a027-dbde6748fcbf"
CODE = "function add(n,d){return n+d.x}add(1);"
TEXT = "function add(a, b) {\n  return a + b.x;\n}\nadd(1);\n"


def vlq(*numbers):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    out = ""
    for number in numbers:
        left = -number << 1 | 1 if number < 0 else number << 1
        while True:
            digit, left = left & 31, left >> 5
            out += letters[digit | (32 if left else 0)]
            if not left:
                break
    return out


def source_map(**more):
    """CODE's: the function, its name, and the place that throws."""
    mappings = ",".join([vlq(0, 0, 0, 0), vlq(9, 0, 0, 9, 0), vlq(9, 0, 1, -7), vlq(9, 0, 0, 11)])
    return {"version": 3, "sources": ["app.js"], "sourcesContent": [TEXT], "names": ["add"],
            "mappings": mappings, **more}


MAP = json.dumps(source_map())
REFERENCE = "\n//# sourceMappingURL="


def bundle(files, extra=()):
    """A source bundle: (url, type, headers, contents) each."""
    out = io.BytesIO()
    out.write(b"SYSB" + struct.pack("<I", 2))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        manifest = {"files": {}}
        for number, (url, kind, headers, contents) in enumerate(files):
            path = f"files/{number:06}"
            manifest["files"][path] = {"url": url, "type": kind, "headers": headers}
            archive.writestr(path, contents)
        for path, entry, contents in extra:
            manifest["files"][path] = entry
            archive.writestr(path, contents)
        archive.writestr("manifest.json", json.dumps(manifest))
    return out.getvalue()


class Web(ThreadingHTTPServer):
    """Answers by path: bytes, or a function of the handler; counts."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        self.pages, self.hits, self.lock = {}, {}, threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = self.path.split("?")[0]
        with self.server.lock:
            self.server.hits[path] = self.server.hits.get(path, 0) + 1
        page = self.server.pages.get(path)
        if callable(page):
            page(self)
            return
        self.reply(404 if page is None else 200, page or b"")

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


CONFIG = f"""
connect_to_reserved_ips: true
max_download_size: {MOST}
max_download_timeout: {stretched(8)}s
object_file_max_decompressed_source_size: {MOST}
"""


def ask(service, frames, **more):
    body = {"source": {"id": "sentry:project", "url": "http://127.0.0.1:9/none", "token": ""},
            "stacktraces": [{"frames": frames}], **more}
    status, reply, _ = service.request("POST", "/symbolicate-js", json.dumps(body),
                                       {"Content-Type": "application/json"})
    assert status == 200, (status, reply[:300])
    reply = json.loads(reply)
    assert reply["status"] == "completed", reply
    return reply


def frame(url, colno=28, **more):
    return {"abs_path": url, "lineno": 1, "colno": colno, **more}


def is_good(found):
    return (found["data"]["symbolicated"] and found["filename"] == "app.js" and found["lineno"] == 2
            and found["context_line"] == "  return a + b.x;")


def error_types(reply):
    return [error["type"] for error in reply.get("errors", [])]


# --- Stores of one's own ------------------------------------------------------------------------


def put(folder, path, contents):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(contents if isinstance(contents, bytes) else contents.encode())


def store_config(service_folder):
    return CONFIG + f"""
sources:
  - id: own
    type: filesystem
    path: {service_folder}
    layout: {{type: unified}}
"""


def with_store(files, check):
    with tempfile.TemporaryDirectory(prefix="symgate-js-store-") as folder:
        for path, contents in files.items():
            put(folder, path, contents)
        with Service(store_config(folder)) as service:
            check(service)


def files_by_release_and_url():
    def check(service):
        reply = ask(service, [frame("https://example.org/js/app.min.js?v=1")], source=None,
                    release="app@1.0", scraping={"enabled": False, "allowed_origins": [], "headers": {}})
        found = reply["stacktraces"][0]["frames"][0]
        assert is_good(found), reply
        assert found["data"]["resolved_with"] == "release", found
        assert found["data"]["sourcemap"] == "https://example.org/js/app.min.js.map", found
        other = ask(service, [frame("https://example.org/js/app.min.js")], source=None, release="app@2.0",
                    scraping={"enabled": False, "allowed_origins": [], "headers": {}})
        assert error_types(other) == ["scraping_disabled"], other
        for file, way in (("minified", "own"), ("sourcemap", "own"), ("minified", "nowhere")):
            assert service.metric(f'symgate_js_files_total{{file="{file}",way="{way}"}}') == 1.0, (file, way)
        for outcome in ("mapped", "unmapped"):
            assert service.metric(f'symgate_js_frames_total{{outcome="{outcome}"}}') == 1.0, outcome

    with_store({"releases/app@1.0/~/files/~/js/app.min.js": CODE + REFERENCE + "app.min.js.map\n",
                "releases/app@1.0/~/files/~/js/app.min.js.map": MAP}, check)


def files_by_debug_id():
    folder = DEBUG_ID[:2] + "/" + DEBUG_ID.replace("-", "")[2:]

    def check(service):
        reply = ask(service, [frame("app:///x.js")], source=None,
                    modules=[{"type": "sourcemap", "code_file": "app:///x.js", "debug_id": DEBUG_ID}])
        found = reply["stacktraces"][0]["frames"][0]
        assert is_good(found), reply
        assert found["data"]["resolved_with"] == "debug-id", found

    with_store({folder + "/minified_source": gzip.compress(CODE.encode()), folder + "/source_map": MAP}, check)


def bundles_of_a_release():
    packed = bundle([("~/js/app.min.js", "minified_source", {"sourcemap": "app.min.js.map"}, CODE),
                     ("~/js/app.min.js.map", "source_map", {}, json.dumps(source_map(sourcesContent=None))),
                     ("~/js/app.js", "source", {}, TEXT)])

    def check(service):
        reply = ask(service, [frame("https://example.org/js/app.min.js")], source=None, release="app@1.0",
                    scraping={"enabled": False, "allowed_origins": [], "headers": {}})
        found = reply["stacktraces"][0]["frames"][0]
        assert is_good(found), reply
        assert "bundled" in found["data"]["sourcemap_origin"], found
        assert reply["raw_stacktraces"][0]["frames"][0]["context_line"] == CODE, reply

    with_store({"releases/app@1.0/~/sourcebundle": packed}, check)


def warm_folders_need_no_job():
    """That a release has no bundle is looked at, not asked for by a job; one that comes is found at once."""
    place = "releases/app@1.0/~/"
    packed = bundle([("~/app.js", "minified_source", {"sourcemap": "app.js.map"}, CODE), ("~/app.js.map", "source_map", {}, MAP)])

    def jobs(service):
        with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
            return db.execute("SELECT count(*) FROM job").fetchone()[0]

    def one(service):
        reply = ask(service, [frame("https://example.org/app.js")], source=None, release="app@1.0", allow_scraping=False)
        found = reply["stacktraces"][0]["frames"][0]
        assert is_good(found), reply
        return found["data"]["sourcemap_origin"]

    with tempfile.TemporaryDirectory(prefix="symgate-js-store-") as folder:
        put(folder, place + "files/~/app.js", CODE + REFERENCE + "app.js.map")
        put(folder, place + "files/~/app.js.map", MAP)
        with Service(store_config(folder)) as service:
            origin = one(service)
            assert "bundled" not in origin and jobs(service) == 1, (origin, jobs(service))
            assert all(one(service) == origin for _ in range(5)) and jobs(service) == 1, jobs(service)
            put(folder, place + "sourcebundle", packed)
            assert "bundled" in one(service) and jobs(service) == 2, jobs(service)


# --- Servers --------------------------------------------------------------------------------------


def each_file_once():
    web = Web()
    web.pages = {"/a.js": (CODE + REFERENCE + "a.map").encode(), "/a.map": MAP.encode()}
    with Service(CONFIG) as service, concurrent.futures.ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda _: ask(service, [frame(web.url + "/a.js")] * 5), range(32)))
        assert all(is_good(f) for reply in replies for f in reply["stacktraces"][0]["frames"]), replies[0]
        assert all(reply == replies[0] for reply in replies), "cold and warm answers differ"
        assert web.hits == {"/a.js": 1, "/a.map": 1}, web.hits


def endless(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 65536)
    except OSError:
        handler.close_connection = True


def redirect(to):
    return lambda handler: handler.reply(302, b"", Location=to)


def lying_files():
    web = Web()
    long_line = "x" * 100
    web.pages = {
        "/good.js": (CODE + REFERENCE + "good.map").encode(), "/good.map": MAP.encode(),
        "/loop.js": redirect("/loop2.js"), "/loop2.js": redirect("/loop.js"),
        "/endless.js": endless,
        "/html.js": b"<!DOCTYPE html><html><body>not found</body></html>",
        "/json.js": b'{"error": "no such file"}',
        "/binary.js": bytes(range(256)) * 10,
        "/bomb.js": gzip.compress(b"\0" * (2 * MOST)),
        "/htmlmap.js": (CODE + REFERENCE + "html.js").encode(),
        "/binarymap.js": (CODE + REFERENCE + "binary.js").encode(),
        "/self.js": (CODE + REFERENCE + "self.js").encode(),
        "/nomap.js": (CODE + REFERENCE + "nowhere.map").encode(),
        "/data.js": (CODE + REFERENCE + "data:application/json;base64," +
                     base64.b64encode(MAP.encode()).decode()).encode(),
        "/baddata.js": (CODE + REFERENCE + "data:application/json;base64,!!!").encode(),
        "/largedata.js": (CODE + REFERENCE + "data:application/json;base64," +
                          base64.b64encode(json.dumps(source_map(sourcesContent=[TEXT], x=long_line * 300000))
                                           .encode()).decode()).encode(),
    }
    wanted = {
        "loop": "missing_source", "endless": "missing_source", "html": None, "json": None,
        "binary": "missing_source", "bomb": "missing_source", "htmlmap": "malformed_sourcemap",
        "binarymap": "malformed_sourcemap", "self": "malformed_sourcemap", "nomap": "missing_sourcemap",
        "data": None, "baddata": None, "largedata": None,
    }
    with Service(CONFIG) as service:
        names = list(wanted)
        reply = ask(service, [frame(f"{web.url}/{name}.js") for name in names + ["good"]])
        found = {error["abs_path"].rsplit("/", 1)[1][:-3]: error["type"] for error in reply["errors"]}
        assert found == {name: kind for name, kind in wanted.items() if kind}, found
        frames = dict(zip(names + ["good"], reply["stacktraces"][0]["frames"]))
        for name in ("good", "data", "largedata"):
            assert is_good(frames[name]), (name, frames[name])
        assert frames["data"]["data"]["sourcemap_origin"] == "embedded"
        assert not frames["baddata"]["data"]["symbolicated"], frames["baddata"]
        attempts = {a["url"].rsplit("/", 1)[1]: a for a in reply["scraping_attempts"]}
        assert attempts["nowhere.map"]["reason"] == "not_found", attempts


def heads_name_maps():
    """Of a file from the web and of a single artifact; the head counts before the comment."""
    web = Web()
    inside = "data:application/json;base64," + base64.b64encode(MAP.encode()).decode()

    def page(path, contents=CODE, **headers):
        web.pages[path] = lambda handler: handler.reply(200, contents.encode(), **headers)

    page("/old.js", **{"x-sourcemap": "maps/a.map?v=1"})
    page("/both.js", CODE + REFERENCE + "nowhere.map", **{"X-SourceMap": "nowhere", "sourceMAP": "/maps/a.map"})
    page("/moved.js", CODE, SourceMap="maps/a.map")
    web.pages["/from.js"] = lambda handler: handler.reply(302, b"", Location="/moved.js", SourceMap="nowhere")
    page("/inside.js", SourceMap=inside)
    page("/long.js", SourceMap="x" * 9000)
    page("/artifact", SourceMap="maps/a.map")
    web.pages["/maps/a.map"] = MAP.encode()
    web.pages["/lookup"] = json.dumps([{"type": "file", "id": "1", "url": web.url + "/artifact",
                                        "abs_path": "~/kept.js", "resolved_with": "release"}]).encode()
    with Service(CONFIG) as service:
        names = ["old", "both", "from", "inside", "kept", "long"]
        source = {"id": "sentry:project", "url": f"{web.url}/lookup", "token": ""}
        for _ in range(2):
            reply = ask(service, [frame(f"{web.url}/{name}.js") for name in names], source=source, release="r")
            found = dict(zip(names, reply["stacktraces"][0]["frames"]))
            assert all(is_good(found[name]) for name in names[:-1]), reply
            assert not found["long"]["data"]["symbolicated"], found["long"]
        told = {name: found[name]["data"].get("sourcemap") for name in names}
        assert told["old"] == web.url + "/maps/a.map?v=1" and told["both"] == web.url + "/maps/a.map", told
        assert told["from"] == told["kept"] == told["both"], told
        assert found["inside"]["data"]["sourcemap_origin"] == "embedded", found["inside"]


def side_by_side():
    """Nothing is answered until all four are asked for: minified files, then sources that no map has."""
    web = Web()
    bare = json.dumps(source_map(sourcesContent=None)).encode()
    together = {kind: threading.Barrier(4) for kind in ("js", "ts")}

    def page(path, kind, contents):
        def reply(handler):
            together[kind].wait(PATIENCE)
            handler.reply(200, contents.encode())
        web.pages[path] = reply

    for i in range(4):
        page(f"/{i}/a.js", "js", CODE + REFERENCE + "a.map")
        page(f"/{i}/app.js", "ts", TEXT)
        web.pages[f"/{i}/a.map"] = bare
    with Service(CONFIG) as service:
        reply = ask(service, [frame(f"{web.url}/{i}/a.js") for i in range(4)])
        assert all(is_good(f) for f in reply["stacktraces"][0]["frames"]), reply
        assert len(web.hits) == 12 and set(web.hits.values()) == {1}, web.hits


def bundles_of_their_own_side_by_side():
    """Each debug id has a bundle, on a slow server: none is answered until all are asked for; each is fetched once."""
    web = Web()
    together = threading.Barrier(6)
    ids = [DEBUG_ID[:-1] + str(i + 1) for i in range(6)]

    def page(number, debug_id):
        packed = bundle([], [("files/a.js", {"type": "minified_source", "headers": {"debug-id": debug_id}}, CODE),
                             ("files/a.map", {"type": "source_map", "headers": {"debug-id": debug_id}}, MAP)])

        def reply(handler):
            together.wait(PATIENCE)
            handler.reply(200, packed)
        web.pages[f"/{debug_id[:2]}/{debug_id.replace('-', '')[2:]}/sourcebundle"] = reply
        return frame(f"app:///{number}.js")

    with Service(CONFIG + f"""
sources:
  - id: own
    type: http
    url: {web.url}/
    layout: {{type: unified}}
""") as service:
        frames = [page(number, debug_id) for number, debug_id in enumerate(ids)]
        reply = ask(service, frames, source=None, modules=[
            {"type": "sourcemap", "code_file": f"app:///{number}.js", "debug_id": debug_id} for number, debug_id in enumerate(ids)])
        found = reply["stacktraces"][0]["frames"]
        assert all(is_good(f) and f["data"]["resolved_with"] == "debug-id" for f in found), reply
        assert all(debug_id[-12:] in json.dumps(f["data"]["sourcemap_origin"]) for f, debug_id in zip(found, ids)), reply
        assert set(count for path, count in web.hits.items() if path.endswith("/sourcebundle")) == {1}, web.hits


def servers_say_how_long():
    """Cache-Control, Expires and Age of what is scraped, within a minute and a day; else to the end of the hour."""
    web = Web()
    heads = {"none": {}, "no-store": {"Cache-Control": "no-store"}, "short": {"Cache-Control": "max-age=600", "Age": "100"},
             "year": {"Cache-Control": "max-age=31536000, immutable"}, "old": {"Expires": "0"}}
    for name, head in heads.items():
        web.pages[f"/{name}.js"] = lambda handler, name=name, head=head: handler.reply(
            200, (CODE + REFERENCE + "a.map").encode(), **head)
    web.pages["/a.map"] = MAP.encode()
    web.pages["/gone.js"] = lambda handler: handler.reply(404, b"", **{"Cache-Control": "max-age=31536000"})
    with Service(CONFIG) as service:
        began = time.time()
        replies = [ask(service, [frame(f"{web.url}/{name}.js") for name in [*heads, "gone"]]) for _ in range(2)]
        assert all(is_good(f) for reply in replies for f in reply["stacktraces"][0]["frames"][:-1]), replies
        assert set(web.hits.values()) == {1}, web.hits
        ended = time.time()
        state = os.path.join(service.state, "symgate.db")
        with sqlite3.connect(state) as db:
            until = {row[0].rsplit("/", 1)[1][:-3]: row[1] for row in db.execute(
                "SELECT substr(key_text, instr(key_text, 'location: ') + 10, instr(substr(key_text, "
                "instr(key_text, 'location: ') + 10), char(10)) - 1), fresh_until FROM cache_entry "
                "WHERE kind = 'sourcefiles'")}
            assert len(until) == len(heads) + 2, until
            for name, seconds in (("no-store", 60), ("old", 60), ("short", 500), ("year", 86400)):
                assert began + seconds - 2 <= until[name] <= ended + seconds, (name, until[name] - began)
            for name in ("none", "gone", "a."):
                assert began + 59 <= until[name] <= ended + 3600, (name, until[name] - began)
            db.execute("UPDATE cache_entry SET fresh_until = unixepoch() WHERE key_text LIKE '%/short.js%'")

        def asked_again():
            reply = ask(service, [frame(f"{web.url}/{name}.js") for name in [*heads, "gone"]])
            assert all(is_good(f) for f in reply["stacktraces"][0]["frames"][:-1]), reply
            return web.hits["/short.js"] > 1
        eventually(asked_again, "the rows to be read again")
        assert web.hits.pop("/short.js") == 2 and set(web.hits.values()) == {1}, web.hits


def made_stale(service, path):
    """What was scraped from there counts no longer."""
    with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
        rows = db.execute("UPDATE cache_entry SET fresh_until = unixepoch() "
                          "WHERE kind = 'sourcefiles' AND key_text LIKE ?", (f"%{path}%",)).rowcount
    time.sleep(6)  # rows are read again after 5 s
    return rows


def rows_of(service, path):
    with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
        return db.execute("SELECT id, etag, last_modified, fresh_until - unixepoch(), state FROM cache_entry "
                          "WHERE kind = 'sourcefiles' AND key_text LIKE ?", (f"%{path}%",)).fetchall()


def what_has_not_changed_is_not_sent_again():
    """A stale file is asked for by the names its server gave its version: 304 renews it, 200 takes its place."""
    web = Web()
    date = "Sun, 06 Nov 1994 08:49:37 GMT"
    asked, current = [], {"etag": '"one"', "map": "a.map"}

    def versioned(handler):
        tag, since = handler.headers.get("If-None-Match"), handler.headers.get("If-Modified-Since")
        asked.append((tag, since))
        if tag == current["etag"] and since == date:
            handler.reply(304, b"", **{"Cache-Control": "max-age=7000"})
        else:
            handler.reply(200, (CODE + REFERENCE + current["map"]).encode(),
                          **{"ETag": current["etag"], "Last-Modified": date, "Cache-Control": "max-age=600"})

    web.pages = {"/v.js": versioned, "/a.map": MAP.encode()}
    with Service(CONFIG) as service:
        def answer():
            return ask(service, [frame(web.url + "/v.js")])["stacktraces"][0]["frames"][0]

        assert is_good(answer()) and is_good(answer()) and asked == [(None, None)], asked
        first = rows_of(service, "/v.js")
        assert len(first) == 1 and first[0][1:3] == ('"one"', date) and 500 < first[0][3] <= 600, first
        assert made_stale(service, "/v.js") == 1
        assert is_good(answer()) and asked[1:] == [('"one"', date)], asked
        renewed = rows_of(service, "/v.js")
        assert renewed[0][:3] == first[0][:3] and 6900 < renewed[0][3] <= 7000 and len(renewed) == 1, renewed
        assert is_good(answer()) and len(asked) == 2, asked
        made_stale(service, "/v.js")
        current.update(etag='W/"two"', map="gone.map")
        assert not is_good(answer()) and asked[2:] == [('"one"', date)], asked
        replaced = rows_of(service, "/v.js")
        assert [row[1] for row in replaced] == ['W/"two"'], replaced
        for blob in subprocess.run(["find", service.state, "-path", "*/sourcefiles/v*/*", "-type", "f"], check=True,
                                   capture_output=True, text=True).stdout.split():
            os.unlink(blob)
        made_stale(service, "/v.js")
        assert not is_good(answer()) and asked[3:] == [(None, None)], asked
        assert [row[4] for row in rows_of(service, "/v.js")] == ["ready"], rows_of(service, "/v.js")


def hostile_names_of_versions():
    """What cannot be sent back is not kept; a 304 nobody asked for is a failure; a server that always says 304 is believed."""
    web = Web()
    asked = {}
    tags = {"long": '"' + "a" * 300 + '"', "controls": '"a\x01"', "bare": "a", "split": '"a\x0b"', "weak": 'W/"a"',
            "always": '"a"'}

    def page(name):
        def answer(handler):
            asked.setdefault(name, []).append(handler.headers.get("If-None-Match"))
            if name == "unasked" or (name == "always" and asked[name][1:]):
                handler.reply(304, b"", ETag='"' + "b" * 300 + '"')
            else:
                handler.reply(200, (CODE + REFERENCE + "a.map").encode(),
                              **{"ETag": tags[name], "Last-Modified": "tomorrow\x7f"})
        return answer

    names = [*tags, "unasked"]
    web.pages = {f"/{name}.js": page(name) for name in names}
    web.pages["/a.map"] = MAP.encode()
    with Service(CONFIG) as service:
        for _ in range(2):
            frames = ask(service, [frame(f"{web.url}/{name}.js") for name in names])["stacktraces"][0]["frames"]
            assert [is_good(f) for f in frames] == [True] * len(tags) + [False], frames
            kept = {name: rows_of(service, f"/{name}.js")[0][1:3] for name in tags}
            assert kept == {**{name: (None, None) for name in tags}, "weak": ('W/"a"', None), "always": ('"a"', None)}, kept
            made_stale(service, ".js")
        ask(service, [frame(f"{web.url}/{name}.js") for name in names])
        for name in tags:
            assert asked[name] == [None] + [kept[name][0]] * 2, asked


def missing_files_are_listed():
    """By name, release and debug id, wherever they were looked for; scraped ones by their address."""
    web = Web()
    web.pages = {"/good.js": (CODE + REFERENCE + "gone.map").encode(),
                 "/shut.js": lambda handler: handler.reply(403, b"")}
    with tempfile.TemporaryDirectory(prefix="symgate-js-store-") as folder, Service(store_config(folder)) as service:
        for _ in range(2):
            reply = ask(service, [frame(web.url + "/good.js"), frame(web.url + "/shut.js")], source=None, release="shop@1",
                        modules=[{"type": "sourcemap", "code_file": web.url + "/good.js", "debug_id": DEBUG_ID}])
            assert sorted(error_types(reply)) == ["missing_source", "missing_sourcemap"], reply
        why = subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "why", "good.js"],
                             capture_output=True, text=True, check=False, timeout=PATIENCE).stdout
        assert "good.js: missing_sourcemap\n    the minified file names a source map" in why, why
        assert "shut.js" not in why, why
        service.stop()
        with sqlite3.connect(os.path.join(service.state, "symgate.db")) as db:
            missing = {row[0]: row[1:] for row in db.execute(
                "SELECT file, release, debug_id, asks, sources_without, states FROM v_missing_artifacts")}
            failed = {row[0]: row[1:] for row in db.execute(
                "SELECT url, release, debug_id, state, details, last_tried_utc FROM v_scraping_failures")}
    assert missing["gone.map"][:2] == ("shop@1", DEBUG_ID) and missing["gone.map"][2] >= 1, missing
    assert "web-scraping" in missing["gone.map"][3] and "not_found" in missing["gone.map"][4], missing
    assert "shut.js" in missing and "good.js" not in missing, missing
    assert sorted(failed) == [web.url + "/gone.map", web.url + "/shut.js"], failed
    assert failed[web.url + "/gone.map"][:3] == ("shop@1", DEBUG_ID, "not_found"), failed
    assert failed[web.url + "/shut.js"][2:4] == ("denied", "403 Forbidden"), failed


def any_takes_it_too():
    web = Web()
    web.pages = {"/a.js": (CODE + REFERENCE + "a.map").encode(), "/a.map": MAP.encode()}
    with Service(CONFIG) as service:
        body = {"source": {"id": "s", "url": "http://127.0.0.1:9/none", "token": ""},
                "stacktraces": [{"frames": [frame(web.url + "/a.js"), frame(web.url + "/gone.js")]}],
                "symbolicate": {"type": "js"}}
        replies = [service.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
                   for path in ("/symbolicate-any", "/symbolicate-js", "/symbolicate-any")]
        assert [status for status, _, _ in replies] == [200] * 3, replies
        told = [json.loads(reply) for _, reply, _ in replies]
        assert told[0] == told[1] == told[2] and is_good(told[0]["stacktraces"][0]["frames"][0]), told
        for bad in ({"type": "js"}, {"type": "dart", "storage_url": "http://127.0.0.1:9/"}, {}, "js", None, ["js"]):
            status, reply, _ = service.request("POST", "/symbolicate-any", json.dumps({"symbolicate": bad}),
                                               {"Content-Type": "application/json"})
            assert status == 422, (bad, status, reply)
        status, reply, _ = service.request("POST", "/symbolicate-any", "{", {"Content-Type": "application/json"})
        assert status == 400, (status, reply)


def lying_bundles():
    good = [("~/app.js", "minified_source", {"Sourcemap": "app.js.map"}, CODE),
            ("~/app.js.map", "source_map", {}, MAP)]
    many = [(f"~/many/{i}.js", "source", {}, "x") for i in range(100000)]
    traversal = [("../../../etc/passwd", {"url": "~/trap.js", "type": "minified_source"}, "root"),
                 ("/etc/passwd", {"url": "~/trap2.js", "type": "minified_source"}, "root")]
    bomb = [("~/bomb.js", "minified_source", {}, b" " * (300 << 20))]
    web = Web()
    web.pages = {"/many": bundle(many + good), "/traversal": bundle(good, traversal),
                 "/bomb": bundle(bomb + good), "/html": b"<html>", "/zip": b"SYSB\2\0\0\0PK\3\4",
                 "/none": bundle([])}
    for name in list(web.pages):
        answer = json.dumps([{"type": "bundle", "id": name[1:], "url": web.url + name,
                              "resolved_with": "release"}]).encode()
        web.pages["/lookup" + name] = answer
    with Service(CONFIG) as service:
        for name, has in (("many", True), ("traversal", True), ("bomb", True), ("html", False),
                          ("zip", False), ("none", False)):
            source = {"id": "sentry:project", "url": f"{web.url}/lookup/{name}", "token": ""}
            reply = ask(service, [frame("https://x.example/app.js"), frame("https://x.example/bomb.js")],
                        source=source, release="r",
                        scraping={"enabled": False, "allowed_origins": [], "headers": {}})
            assert is_good(reply["stacktraces"][0]["frames"][0]) == has, (name, reply)
            assert "scraping_disabled" in error_types(reply), (name, reply)
            assert web.hits["/" + name] == 1, web.hits


def lying_answers():
    web = Web()
    url = web.url
    answers = {
        "none": b"", "html": b"<html>", "object": b"{}", "deep": b"[" * 100000,
        "number": json.dumps([{"type": "bundle", "id": 1, "url": url}]).encode(),
        "unknown": json.dumps([{"type": "folder", "id": "1", "url": url}]).encode(),
        "cyclic": json.dumps([{"type": "bundle", "id": "c", "url": url + "/cyclic"},
                              {"type": "file", "id": "d", "url": url + "/cyclic", "abs_path": "~/a.js"}]).encode(),
        "endless": endless, "loop": redirect("/loop"),
    }
    web.pages = {"/" + name: page for name, page in answers.items()}
    with Service(CONFIG) as service:
        for name in answers:
            source = {"id": "sentry:project", "url": f"{url}/{name}", "token": "secret"}
            reply = ask(service, [frame("https://x.example/a.js")], source=source, release="r",
                        scraping={"enabled": False, "allowed_origins": [], "headers": {}})
            assert not reply["stacktraces"][0]["frames"][0]["data"]["symbolicated"] or name == "cyclic", reply


def addresses_are_guarded():
    web = Web()
    web.pages = {"/a.js": CODE.encode()}
    with Service("connect_to_reserved_ips: false\n") as service:
        reply = ask(service, [frame(web.url + "/a.js"), frame(web.url.replace("127.0.0.1", "127.1") + "/a.js"),
                              frame(web.url.replace("127.0.0.1", "[::ffff:127.0.0.1]") + "/a.js")])
        assert error_types(reply) == ["missing_source"] * 3, reply
        assert not web.hits, web.hits


if __name__ == "__main__":
    run_all([files_by_release_and_url, files_by_debug_id, bundles_of_a_release, warm_folders_need_no_job, each_file_once, heads_name_maps, side_by_side, bundles_of_their_own_side_by_side, servers_say_how_long, what_has_not_changed_is_not_sent_again,
             hostile_names_of_versions, missing_files_are_listed, any_takes_it_too, lying_files,
             lying_bundles, lying_answers, addresses_are_guarded], "js")

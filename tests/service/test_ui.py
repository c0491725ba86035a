"""test_ui -- the web page's door: its paths, who may come in, what browsers are told, and what is refused."""
import contextlib
import html
import json
import os
import re
import socket
import sqlite3
import tempfile
import threading
import uuid

import test_crash
from service_tests import Program, Service, Symbols, eventually, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-ui-")
PROGRAMS = [Program(FOLDER.name, 0)]
BROWSER = {"Accept": "text/html"}
MINIDUMP = b"MDMP\x93\xa7\0\0" + bytes(24)
OURS = {**BROWSER, "Sec-Fetch-Site": "same-origin"}
EMPTY = json.dumps({"stacktraces": [], "modules": []})
POLICY = ["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' data:", "connect-src 'self'",
          "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'"]


def get(service, path, **headers):
    return service.request("GET", path, None, {**BROWSER, **headers})


def page(service, path, status=200, **headers):
    got, body, _ = get(service, path, **headers)
    assert got == status, (path, got, body[:300])
    return body.decode()


def token(text):
    return html.unescape(re.search(r'name="token" value="([^"]+)"', text).group(1))


def multipart(fields, files=()):
    """A body as a browser's form makes it, and its type."""
    boundary, parts = uuid.uuid4().hex, []
    for name, value in fields:
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + value.encode())
    for name, file, data in files:
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
                     "Content-Type: application/octet-stream\r\n\r\n".encode() + data)
    return b"\r\n".join(parts) + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def post(service, path, fields, files=(), headers=None):
    body, kind = multipart(fields, files)
    return service.request("POST", path, body, {**(OURS if headers is None else headers), "Content-Type": kind})


def drop(service, text, **headers):
    return post(service, "/ui/submit", [("token", token(page(service, "/"))), ("text", text)],
                headers={**OURS, **headers})


def check_headers(headers):
    policy = [part.strip() for part in headers["Content-Security-Policy"].split(";")]
    assert not set(POLICY) - set(policy), policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Robots-Tag"] == "noindex"


def words(text):
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


# --- The first page --------------------------------------------------------------------------------------


def test_root_is_a_page_for_who_says_what_it_takes():
    with Service() as service:
        status, body, headers = get(service, "/")
        text = body.decode()
        assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8", (status, headers)
        check_headers(headers)
        assert headers["Cache-Control"] == "no-store"
        assert "What crashed?" in text and 'action="ui/submit"' in text and len(token(text)) >= 32
        assert not re.search(r'(?:href|src|action)="/', text), "a link that is not relative"
        assert service.request("GET", "/", None, {"Accept": "*/*"})[0] == 200
        head = service.request("HEAD", "/", None, BROWSER)
        assert head[0] == 200 and head[1] == b"" and int(head[2]["Content-Length"]) > 1000
        # What the oldest clients of another API send there is theirs.
        mozilla = service.request("POST", "/", json.dumps({"memoryMap": [], "stacks": [], "version": 4}),
                                  {"Content-Type": "application/json"})
        assert mozilla[0] == 200 and b"symbolicatedStacks" in mozilla[1], mozilla


def test_root_without_accept_is_404():
    """Probes that say nothing of what they take were told 404 before there was a page."""
    with Service() as service:
        connection_headers = {"Accept-Encoding": "identity"}
        assert service.request("GET", "/", None, connection_headers)[0] == 404
        assert service.request("HEAD", "/", None, connection_headers)[0] == 404


def test_disabled_is_404_everywhere():
    with Service("web: {enabled: false}\n") as service:
        unknown = service.request("GET", "/no/such/path", None, BROWSER)
        for method, path in (("GET", "/ui/op/"), ("GET", f"/ui/r/{uuid.uuid4()}"), ("POST", "/ui/submit"),
                             ("PUT", "/ui/submit"), ("GET", "/ui/static/page.css")):
            status, body, headers = service.request(method, path, None, BROWSER)
            assert (status, body) == (404, unknown[1]), (method, path, status, body)
            assert "Content-Security-Policy" not in headers
        assert get(service, "/")[0] == 404


# --- Assets ----------------------------------------------------------------------------------------------


def assets(service, text):
    found = re.findall(r'(?:href|src)="(ui/static/[^"]+)"', text)
    assert len(found) == 2, found
    return found


def test_assets_never_change_under_their_name():
    with Service() as service:
        size = 0
        text = page(service, "/")
        for name in assets(service, text):
            status, body, headers = get(service, "/" + name)
            assert status == 200 and body, name
            size += len(body)
            check_headers(headers)
            assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
            again = get(service, "/" + name, **{"If-None-Match": headers["ETag"]})
            assert again[0] == 304 and not again[1]
            most = {"js": 24, "css": 16}.get(name.rsplit(".", 1)[1], 1) * 1024
            assert len(body) <= most, (name, len(body))
            base, kind = re.fullmatch(r"ui/static/(\w+)\.[0-9a-f]{14}\.(\w+)", name).groups()
            for wrong in (f"{base}.{kind}", f"{base}.{'0' * 14}.{kind}", f"{base}..{kind}"):
                assert get(service, f"/ui/static/{wrong}")[0] == 404, wrong
        assert size + len(text) <= 40 * 1024, size + len(text)


def test_static_names_lead_nowhere_else():
    with Service() as service:
        for name in ("../../state/symgate.db", "..%2f..%2fsymgate.db", "%2e%2e/web.secret", "/etc/passwd", "....//x",
                     "page.css%00", "x" * 5000):
            status, body, _ = get(service, "/ui/static/" + name)
            assert status in (400, 404), (name, status)
            assert b"SQLite" not in body and b"root:" not in body


# --- Reports ---------------------------------------------------------------------------------------------


def address(reply):
    status, body, headers = reply
    assert status == 303, (status, words(body.decode()))
    assert re.fullmatch(r"\.\./ui/r/[0-9a-f-]{36}", headers["Location"]), headers["Location"]
    check_headers(headers)
    return headers["Location"].removeprefix("..")


def rows(service, query, *values):
    with contextlib.closing(sqlite3.connect(os.path.join(service.state, "symgate.db"))) as database:
        return database.execute(query, values).fetchall()


def test_a_request_is_dropped_and_read():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    with Service("connect_to_reserved_ips: true\n") as service:
        report = address(drop(service, json.dumps(request_for(symbols, PROGRAMS))))
        text = page(service, report)             # waits for its job
        assert "outer" in words(text) and 'action="../../ui/r/' in text, words(text)
        status, body, headers = get(service, report + ".json")
        answer = json.loads(body)
        assert status == 200 and headers["Content-Type"] == "application/json"
        check_headers(headers)
        assert [frame["function"] for frame in answer["stacktraces"][0]["frames"]][-1] == "outer"
        assert "outer" in words(page(service, report + "/threads/0"))
        assert get(service, report + "/threads/1")[0] == 404
        assert service.get("/requests/" + report.rsplit("/", 1)[1])[0] == 200
        kind, scope, kept = rows(service, "SELECT kind, scope, kept_until - finished_at FROM job")[0]
        assert (kind, scope) == ("symbolicate", "page") and 86300 < kept <= 86400, (kind, scope, kept)
        assert len(rows(service, "SELECT id FROM job")) == 1, "one drop counts as one"


def test_a_report_is_deleted_by_who_has_it():
    with Service() as service:
        report, other = (address(drop(service, EMPTY)) for _ in range(2))
        mine = token(page(service, report))
        unknown = get(service, f"/ui/r/{uuid.uuid4()}")[1]
        for what, fields, headers in (("no token", [], OURS), ("of another form", [("token", token(page(service, "/")))], OURS),
                                      ("another site", [("token", mine)], {"Sec-Fetch-Site": "cross-site"})):
            assert post(service, report + "/delete", fields, headers=headers)[0] == 403, what
        assert get(service, report)[0] == 200
        # As a browser without script sends it.
        status, body, _ = service.request("POST", report + "/delete", "token=" + mine, {
            **OURS, "Content-Type": "application/x-www-form-urlencoded"})
        assert status == 200 and "Deleted" in words(body.decode()), (status, words(body.decode()))
        for path in (report, report + ".json", report + "/threads/0"):
            status, body, _ = get(service, path)
            assert status == 404 and words(body.decode()) == words(unknown.decode()), path
        assert get(service, report)[1] == unknown, "deleted and unknown are told apart"
        status, body, _ = post(service, report + "/delete", [("token", mine)])
        assert status == 404
        assert get(service, other)[0] == 200
        assert not [name for name in spooled(service) if report.rsplit("/", 1)[1] in name]
        # A request of the API is nobody's report to delete.
        service.answer({"stacktraces": [{"frames": []}], "modules": []})
        for path in (report + "/delete/x", "/ui/r/delete", "/ui/r/x/delete"):
            assert post(service, path, [("token", mine)])[0] == 404, path


def test_an_unfinished_report_says_how_to_look_again():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    symbols.gate.clear()
    with Service("connect_to_reserved_ips: true\npool: {max_wait: 3s, threads: 2, processes: 1}\n") as service:
        report = address(drop(service, json.dumps(request_for(symbols, PROGRAMS))))
        text = page(service, report)
        assert "Still reading" in text and f'href="{report.rsplit("/", 1)[1]}"' in text and "refresh" not in text.lower()
        got = []
        waiting = [threading.Thread(target=lambda: got.append(page(service, report))) for _ in range(4)]
        for thread in waiting:
            thread.start()
        eventually(lambda: (service.metric("symgate_requests_parked") or 0) > 0, "a request to be parked")
        symbols.gate.set()
        for thread in waiting:
            thread.join()
        assert len(got) == 4
        eventually(lambda: "outer" in words(page(service, report)), "the report")


def test_an_unfinished_report_is_json_for_programs():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    symbols.gate.clear()
    with Service("connect_to_reserved_ips: true\npool: {max_wait: 1s}\n") as service:
        report = address(drop(service, json.dumps(request_for(symbols, PROGRAMS))))
        status, body, headers = get(service, report + ".json")
        assert status == 200 and headers["Content-Type"] == "application/json", (status, headers)
        check_headers(headers)
        assert headers["Cache-Control"] == "no-store"
        polled = service.get("/requests/" + report.rsplit("/", 1)[1] + "?timeout=0")
        assert body == polled[1] and json.loads(body)["status"] == "pending", (body, polled)
        symbols.gate.set()
        assert eventually(lambda: json.loads(get(service, report + ".json")[1])["status"] == "completed", "the answer")


def test_an_unfinished_report_is_cancelled():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    symbols.gate.clear()
    with Service("connect_to_reserved_ips: true\npool: {max_wait: 1s}\n") as service:
        request = request_for(symbols, PROGRAMS)
        report = address(drop(service, json.dumps(request)))
        text = page(service, report)
        assert "Still reading" in text and "Cancel" in words(text) and f'action="../../{report[1:]}/delete"' in text, text
        assert post(service, report + "/delete", [])[0] == 403
        status, body, _ = post(service, report + "/delete", [("token", token(text))])
        assert status == 200 and "Deleted" in words(body.decode()), (status, words(body.decode()))
        assert get(service, report)[0] == 404 and not rows(service, "SELECT id FROM job")
        eventually(lambda: not [name for name in spooled(service) if report.rsplit("/", 1)[1] in name], "its files to go")
        # Nobody asked for a page of what came by the API: no button, and no right.
        status, body = service.post(request, "?timeout=0")
        mine = f"/ui/r/{json.loads(body)['request_id']}"
        text = page(service, mine)
        assert "Still reading" in text and "Cancel" not in text, text
        assert post(service, mine + "/delete", [("token", token(page(service, "/")))])[0] == 403
        symbols.gate.set()


def test_sources_are_chosen_by_name():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    empty = Symbols()
    config = f"connect_to_reserved_ips: true\nsources:\n- {json.dumps(symbols.source('full'))}\n- {json.dumps(empty.source('bare'))}\n"
    request = request_for(symbols, PROGRAMS)
    del request["sources"]
    with Service(config) as service:
        text = page(service, "/")
        assert re.findall(r'name="source" value="(\w+)"', text) == ["full", "bare"]
        for names, found in ((["bare"], False), (["full"], True), (["bare", "full"], True), (None, True)):
            reply = service.answer({**request, "sources": names})
            assert (reply["stacktraces"][0]["frames"][0]["status"] == "symbolicated") == found, (names, reply)
        for wrong in (["nobody"], ["full", {}], ["full", 1], [12345678901234567890, "full"]):
            status, body = service.post({**request, "sources": wrong})
            assert status == 422 and b"sources[" in body, (wrong, status, body)


def test_stacks_as_text():
    with Service() as service:
        mine = token(page(service, "/"))
        for what, text, fields, kind, said in (
                ("Java", "Exception in thread \"main\" java.lang.IllegalStateException: no\n\tat a.b.c(SourceFile:12)\n"
                 "\tat a.b.main(SourceFile:3)\n", [("mapping", str(uuid.uuid4()))], "symbolicate-jvm", "a.b.c"),
                ("JavaScript", "Error: no\n    at pay (https://127.0.0.1:1/app.min.js:1:2034)\n"
                 "    at https://127.0.0.1:1/app.min.js:1:99\n", [("release", "1.0")], "symbolicate_js", "app.min.js"),
                ("gdb", "#0  0x00007ffff7e11bf4 in qsort () from /lib/libc.so.6\n#1  0x0000555555555189 in main () at shop.c:3\n",
                 [("platform", "native")], "stacktext", "qsort")):
            report = address(post(service, "/ui/submit", [("token", mine), ("text", text), *fields]))
            shown = words(page(service, report))
            assert said in shown, (what, shown)
            assert rows(service, "SELECT kind FROM job WHERE id = ?", report.rsplit("/", 1)[1]) == [(kind,)], what


def test_crash_files():
    """Each goes to its endpoint, and its report says what happened."""
    folder = os.path.join(os.environ.get("SYMGATE_SHARED", "/nonexistent"), "conformance/fixtures")
    if not os.path.isdir(folder):
        print("skipped: no fixtures below SYMGATE_SHARED")
        return
    with Service() as service:
        mine = token(page(service, "/"))
        for name, kind, said in (("linux.dmp", "minidump", "SIGSEGV"), ("windows.dmp", "minidump", "EXCEPTION_ACCESS_VIOLATION"),
                                 ("macos.dmp", "minidump", "EXC_BAD_ACCESS"),
                                 ("apple_crash_report.txt", "applecrashreport", "Thread")):
            with open(os.path.join(folder, name), "rb") as f:
                report = address(post(service, "/ui/submit", [("token", mine), ("text", ""), ("platform", "")],
                                      [("file", name, f.read())]))
            shown = words(page(service, report))
            assert said in shown and "no name: " in shown, (name, shown[:600])
            assert rows(service, "SELECT kind, state FROM job WHERE id = ?", report.rsplit("/", 1)[1]) == [(kind, "completed")], name
        eventually(lambda: not [name for name in spooled(service) if not name.endswith(".result")],
                   "what was dropped to be deleted")


def test_packed_crash_files():
    """What is in them says which they are; the cell that reads them unpacks them."""
    dump = test_crash.minidump_of([b"\x01" * 20, b"\x02" * 20])
    with Service() as service:
        mine = token(page(service, "/"))
        for packer in test_crash.PACKERS[:2]:
            report = address(post(service, "/ui/submit", [("token", mine), ("text", "")],
                                  [("file", "a.dmp.packed", test_crash.packed(packer, dump))]))
            assert "module0.so" in words(page(service, report)), packer
            assert rows(service, "SELECT kind, state FROM job WHERE id = ?", report.rsplit("/", 1)[1]) == \
                [("minidump", "completed")], packer
            status, body, _ = post(service, "/ui/submit", [("token", mine), ("text", "")],
                                   [("file", "a.log.packed", test_crash.packed(packer, b"#0 0x1 in main ()\n" * 9))])
            assert status == 422 and "neither a core nor a minidump" in words(body.decode()), (packer, words(body.decode()))
            short = test_crash.packed(packer, dump)
            report = address(post(service, "/ui/submit", [("token", mine), ("text", "")],
                                  [("file", "cut.dmp.packed", short[:len(short) - 9])]))
            assert get(service, report)[0] == 200
            assert rows(service, "SELECT state FROM job WHERE id = ?", report.rsplit("/", 1)[1]) == [("failed",)], packer


def test_an_id_that_is_not_there_is_one_and_the_same_page():
    with Service() as service:
        bodies = set()
        for path in (f"/ui/r/{uuid.uuid4()}", f"/ui/r/{uuid.uuid4()}", f"/ui/r/{uuid.uuid4()}.json", "/ui/r/x",
                     "/ui/r/" + "0" * 36, "/ui/r/symgate.db"):
            status, body, headers = get(service, path)
            assert status == 404, (path, status)
            check_headers(headers)
            assert headers["Cache-Control"] == "no-store"
            bodies.add(body)
        assert len(bodies) == 1, bodies


# --- Who may ---------------------------------------------------------------------------------------------


def test_forms_come_from_the_page_itself():
    with Service() as service:
        mine = token(page(service, "/"))
        host = f"127.0.0.1:{service.port}"
        fields = [("token", mine), ("text", EMPTY)]
        for what, headers in {
                "another site": {"Sec-Fetch-Site": "cross-site"}, "a sibling": {"Sec-Fetch-Site": "same-site"},
                "typed": {"Sec-Fetch-Site": "none"}, "nonsense": {"Sec-Fetch-Site": "same-origin, cross-site"},
                "cross-site with our Origin": {"Sec-Fetch-Site": "cross-site", "Origin": f"http://{host}"},
                "another origin": {"Origin": "https://evil.example"}, "no origin": {"Origin": "null"},
                "another port": {"Origin": "http://127.0.0.1:1"}, "no scheme": {"Origin": host},
                "a longer name": {"Origin": f"http://{host}.evil.example"},
                "a forged Host": {"Origin": f"http://{host}", "Host": "evil.example"}}.items():
            status, body, got = post(service, "/ui/submit", fields, headers=headers)
            assert status == 403 and "another site" in words(body.decode()), (what, status, body[:300])
            check_headers(got)
        for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": f"http://{host}"}, {"Origin": f"HTTPS://{host}".lower()},
                        {}):
            status, body, _ = post(service, "/ui/submit", fields, headers=headers)
            assert status == 303, (headers, status, words(body.decode()))


def test_forms_carry_a_token_of_ours():
    with Service() as service:
        mine = token(page(service, "/"))
        for what, wrong in {"none": None, "empty": "", "cut": mine[:-1], "longer": mine + "A",
                            "another": "A" * len(mine), "one letter": ("B" if mine[0] == "A" else "A") + mine[1:]}.items():
            fields = [("text", "{}")] + ([("token", wrong)] if wrong is not None else [])
            status, body, _ = post(service, "/ui/submit", fields)
            assert status == 403 and "reload the page" in words(body.decode()), (what, status)
        other = Service()
        with other:
            status, _, _ = post(other, "/ui/submit", [("token", mine), ("text", "{}")])
            assert status == 403, "a token of another service"


def test_nobody_is_an_operator_by_a_header():
    with Service("web: {operators: [anna], people: {bert: team-b}}\n") as service:
        for headers in ({}, {"Remote-User": "anna"}, {"REMOTE_USER": "anna"}, {"X-Remote-User": "anna"},
                        {"Authorization": "Basic YW5uYTphbm5h"}, {"Remote-User": "bert"}):
            for path in ("/ui/op/", "/ui/op/drop", "/ui/op/no/such"):
                status, body, got = get(service, path, **headers)
                assert status == 403 and "web.operators" in words(body.decode()), (headers, path, status)
                check_headers(got)
                assert "anna" not in body.decode() and "bert" not in body.decode()
            status, _, _ = post(service, "/ui/op/drop", [("token", token(page(service, "/"))), ("text", "{}")],
                                headers={**OURS, **headers})
            assert status == 403


def test_no_other_origin_reads_pages():
    with Service("cors: {allowed_origins: [\"*\"]}\n") as service:
        for path in ("/", f"/ui/r/{uuid.uuid4()}"):
            headers = get(service, path, Origin="https://other.example")[2]
            assert "Access-Control-Allow-Origin" not in headers, dict(headers)
        status, _, headers = service.request("OPTIONS", "/ui/submit", None, {
            "Origin": "https://other.example", "Access-Control-Request-Method": "POST"})
        assert status == 405 and "Access-Control-Allow-Origin" not in headers, (status, dict(headers))


# --- What cannot be read ---------------------------------------------------------------------------------


def test_what_cannot_be_read_is_told_in_words():
    with Service() as service:
        mine = token(page(service, "/"))
        for what, fields, files in (
                ("nothing", [], []), ("an empty file", [], [("file", "", b"")]),
                ("only blanks", [("text", "  \n ")], []), ("a picture", [], [("file", "a.png", b"\x89PNG\r\n\x1a\n" * 9)]),
                ("prose", [("text", "it does not work")], [])):
            status, body, headers = post(service, "/ui/submit", [("token", mine), *fields], files)
            assert status in (400, 422) and body.startswith(b"<!DOCTYPE html>"), (what, status, body[:200])
            check_headers(headers)
        status, body, _ = service.request("POST", "/ui/submit", "token=x", {**OURS, "Content-Type": "text/plain"})
        assert status == 400 and body.startswith(b"<!DOCTYPE html>"), (status, body[:200])


def spooled(service):
    folder = os.path.join(service.state, "spool")
    return os.listdir(folder) if os.path.isdir(folder) else []


def test_a_drop_that_is_too_large_leaves_nothing():
    with Service("crash_file_body_max_bytes: 300000\nsymbolicate_body_max_bytes: 100000\n") as service:
        mine = token(page(service, "/"))
        for size, kind in ((400000, MINIDUMP), (200000, EMPTY.encode()), (200000, MINIDUMP)):
            status, body, _ = post(service, "/ui/submit", [("token", mine)], [("file", "x", kind + b" " * size)])
            assert (status == 413) == (size > 300000 or kind != MINIDUMP), (status, words(body.decode()))
            assert status == 303 or body.startswith(b"<!DOCTYPE html>"), (status, body[:200])
        eventually(lambda: not [name for name in spooled(service) if "result" not in name], "the spool to be empty")


def test_a_drop_that_is_cut_off_leaves_nothing():
    with Service() as service:
        body, kind = multipart([("token", token(page(service, "/")))], [("file", "x", MINIDUMP + bytes(3 << 20))])
        with socket.create_connection(("127.0.0.1", service.port)) as connection:
            connection.sendall((f"POST /ui/submit HTTP/1.1\r\nHost: 127.0.0.1:{service.port}\r\nContent-Type: {kind}\r\n"
                                f"Content-Length: {len(body)}\r\nSec-Fetch-Site: same-origin\r\n\r\n").encode())
            connection.sendall(body[:2 << 20])
        eventually(lambda: not spooled(service), "the spool to be empty")
        assert not rows(service, "SELECT id FROM job")
        assert get(service, "/")[0] == 200


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)], "ui")

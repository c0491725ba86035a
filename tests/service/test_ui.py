"""test_ui -- the web page's door: its paths, who may come in, what browsers are told, and what is refused."""
import html
import json
import os
import re
import tempfile
import uuid

from service_tests import Program, Service, Symbols, eventually, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-ui-")
PROGRAMS = [Program(FOLDER.name, 0)]
BROWSER = {"Accept": "text/html"}
OURS = {**BROWSER, "Sec-Fetch-Site": "same-origin"}
POLICY = ["default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self'", "connect-src 'self'",
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
    assert len(found) == 3, found
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


def test_a_request_is_dropped_and_read():
    symbols = Symbols()
    symbols.add(PROGRAMS[0])
    with Service("connect_to_reserved_ips: true\n") as service:
        before = service.metric("symgate_jobs_submitted_total")
        status, body, headers = drop(service, json.dumps(request_for(symbols, PROGRAMS)))
        assert status == 303, (status, words(body.decode()))
        assert re.fullmatch(r"\.\./ui/r/[0-9a-f-]{36}", headers["Location"]), headers["Location"]
        report = headers["Location"].removeprefix("..")
        text = page(service, report)             # waits for its job
        assert text.startswith("<!DOCTYPE html>")
        status, body, headers = get(service, report + ".json")
        answer = json.loads(body)
        assert status == 200 and headers["Content-Type"] == "application/json"
        check_headers(headers)
        assert [frame["function"] for frame in answer["stacktraces"][0]["frames"]][-1] == "outer"
        if before is not None:
            assert service.metric("symgate_jobs_submitted_total") == before + 1


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
        fields = [("token", mine), ("text", "{}")]
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
        status, body, _ = service.request("POST", "/ui/submit", "token=x", {
            **OURS, "Content-Type": "application/x-www-form-urlencoded"})
        assert status == 400 and body.startswith(b"<!DOCTYPE html>"), (status, body[:200])


def spooled(service):
    folder = os.path.join(service.state, "spool")
    return os.listdir(folder) if os.path.isdir(folder) else []


def test_a_drop_that_is_too_large_leaves_nothing():
    with Service("crash_file_body_max_bytes: 300000\nsymbolicate_body_max_bytes: 100000\n") as service:
        mine = token(page(service, "/"))
        for size, kind in ((400000, b"MDMP"), (200000, b"{")):
            status, body, _ = post(service, "/ui/submit", [("token", mine)], [("file", "x", kind + b" " * size)])
            assert status == 413 and body.startswith(b"<!DOCTYPE html>"), (status, body[:200])
        eventually(lambda: not spooled(service), "the spool to be empty")


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)], "ui")

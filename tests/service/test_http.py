"""test_http -- what HTTP has around requests: encodings, ids, when to come again, other origins, a line for each."""
import gzip
import json
import os
import re
import sqlite3
import subprocess
import tempfile
import zlib

import test_deploy
from service_tests import Program, Service, Symbols, eventually, functions, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-http-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(2)]
JSON = {"Content-Type": "application/json"}


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def bomb(megabytes):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blank = b" " * 1024 * 1024
    return b"".join(packer.compress(blank) for _ in range(megabytes)) + packer.flush()


def large_request(symbols):
    """Few bytes when packed, more than pool.large_body when not."""
    request = request_for(symbols, PROGRAMS[:1])
    request["stacktraces"] = [{"frames": request["stacktraces"][0]["frames"] * 4000}]
    return request


def send(service, body, encoding=None, query="", **headers):
    more = {"Content-Encoding": encoding} if encoding else {}
    return service.request("POST", "/symbolicate" + query, body, {**JSON, **more, **headers})


def test_bodies_may_be_packed():
    symbols = serve_all()
    with Service() as service:
        for request in (request_for(symbols, PROGRAMS[:1]), large_request(symbols)):
            plain = json.dumps(request).encode()
            whole = send(service, plain)[1]
            assert functions(json.loads(whole))[-1] == "outer"
            for encoding, packed in (("gzip", gzip.compress(plain)), ("x-gzip", gzip.compress(plain)),
                                     ("GZIP", gzip.compress(plain)), ("zstd", zstd(plain)), ("identity", plain),
                                     ("gzip", gzip.compress(plain[:100]) + gzip.compress(plain[100:]))):
                status, body, _ = send(service, packed, encoding)
                assert (status, body) == (200, whole), (encoding, status, body[:200])
        eventually(lambda: service.metric("symgate_requests_waiting") == 0, "nobody to wait")


def test_a_packed_body_waits_for_its_job():
    symbols = serve_all()
    with Service() as service:
        plain = json.dumps(request_for(symbols, PROGRAMS)).encode()
        status, body, _ = send(service, zstd(plain), "zstd", "?timeout=0")
        assert status == 200 and json.loads(body)["status"] == "pending", body
        reply = service.answer(json.loads(plain))
        assert functions(reply) == ["inner", "outer"] * 2, reply


def test_what_cannot_be_unpacked_is_told():
    symbols = serve_all()
    with Service("symbolicate_body_max_bytes: 4MiB\n") as service:
        plain = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        for encoding in ("br", "deflate", "compress", "gzip, gzip", "gzip, zstd", "nonsense"):
            status, body, headers = send(service, plain, encoding)
            assert status == 415 and headers["Accept-Encoding"] == "gzip, zstd", (encoding, status, headers)
            assert b"gzip or zstd" in body, body
        packed = gzip.compress(plain)
        for encoding, data in (("gzip", plain), ("zstd", plain), ("gzip", packed[:-9]), ("zstd", zstd(plain)[:-5]),
                               ("gzip", packed[:40] + b"\0\xff" * 20 + packed[80:]), ("zstd", packed), ("gzip", b""),
                               ("gzip", packed + b"more")):
            status, body, _ = send(service, data, encoding)
            assert status == 400 and b"Content-Encoding" in body, (encoding, status, body)
        # The ceiling is for what it unpacks to.
        for data, encoding in ((bomb(5), "gzip"), (bomb(100), "gzip"), (zstd(b" " * (5 << 20)), "zstd")):
            assert len(data) < 4 << 20
            status, body, _ = send(service, data, encoding)
            assert (status, body) == (413, b"length limit exceeded"), (status, body)
        assert functions(service.answer(json.loads(plain)))[-1] == "outer"


# --- Ids ----------------------------------------------------------------------------------------

def test_every_reply_has_an_id():
    symbols = serve_all()
    with Service() as service:
        seen = set()
        for method, path, status in (("GET", "/healthcheck", 200), ("HEAD", "/healthcheck", 200),
                                     ("GET", "/nothing", 404), ("GET", "/", 404), ("POST", "/metrics", 405),
                                     ("POST", "/symbolicate", 415), ("GET", "/readyz", 200)):
            got, _, headers = service.request(method, path)
            assert got == status, (method, path, got)
            seen.add(headers["X-Request-Id"])
        assert len(seen) == 7 and all(re.fullmatch("[0-9a-f]{24}", one) for one in seen), seen
        for given in ("a", "x" * 64, "0f1b9b2e-6f0f-4c0e-9a0e-000000000001", "Root=1-67891233-abcdef012345678912345678"):
            _, _, headers = send(service, json.dumps(request_for(symbols, PROGRAMS[:1])), **{"X-Request-Id": given})
            assert headers["X-Request-Id"] == given, headers
        for bad in ("x" * 65, "a b", "a\tb", "\u00e9", "a;b", 'a"b', "a<b"):
            _, _, headers = service.request("GET", "/healthcheck", None, {"X-Request-Id": bad.encode("latin-1")})
            assert re.fullmatch("[0-9a-f]{24}", headers["X-Request-Id"]), (bad, headers["X-Request-Id"])


def test_an_id_goes_with_its_job():
    symbols = serve_all()
    with Service("logging:\n  level: debug\n") as service:
        status, body, headers = send(service, json.dumps(request_for(symbols, PROGRAMS)), **{"X-Request-Id": "mine-1"})
        assert status == 200 and headers["X-Request-Id"] == "mine-1", (status, headers)
        database = sqlite3.connect(f"file:{service.state}/symgate.db?mode=ro", uri=True)
        rows = database.execute("SELECT id, x_request_id FROM v_jobs").fetchall()
        database.close()
        assert [one for _, one in rows] == ["mine-1"], rows

        def said(*words):
            found = [line for line in service.text_of_log().splitlines() if "x_request_id=mine-1" in line]
            return [line for line in found if all(word in line for word in words)]
        eventually(lambda: said(" job_end ", rows[0][0]), "the line of its job")
        lines = eventually(lambda: said(" request ", "path=/symbolicate"), "the line of the request")
        lines += said(" job_end ")
        others = [line for line in service.text_of_log().splitlines() if " job_end " in line and line not in lines]
        assert not others, others


# --- When to come again -------------------------------------------------------------------------

def check_refusal(service, method, path, body=None):
    status, text, headers = service.request(method, path, body, JSON)
    assert status == 503 and int(headers["Retry-After"]) > 0, (status, dict(headers), text)
    return text


def test_refusals_say_when_to_come_again():
    symbols = serve_all()
    body = json.dumps(request_for(symbols, PROGRAMS[:1]))
    with Service("max_concurrent_requests: 0\n") as service:
        assert b"maximum number of concurrent requests" in check_refusal(service, "POST", "/symbolicate", body)
    with Service() as service:
        service.stop()
        for name in os.listdir(service.state):
            if name.startswith("symgate.db"):
                os.unlink(os.path.join(service.state, name))
        with open(f"{service.state}/symgate.db", "wb") as f:
            f.write(b"no database" * 1000)
        service.start()
        for method, path, text in (("GET", "/readyz", None), ("POST", "/symbolicate", body), ("GET", "/metrics", None)):
            check_refusal(service, method, path, text)


# --- Pages of other origins ----------------------------------------------------------------------

def test_other_origins():
    ask = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST",
           "Access-Control-Request-Headers": "content-type"}
    allow = "Access-Control-Allow-Origin"
    with Service() as service:
        assert service.request("OPTIONS", "/symbolicate", None, ask)[0] == 405
        headers = service.request("GET", "/healthcheck", None, {"Origin": "https://a.example"})[2]
        assert allow not in headers and "Vary" not in headers
    with Service('cors:\n  allowed_origins: ["https://a.example", "https://b.example:8443"]\n') as service:
        status, body, headers = service.request("OPTIONS", "/symbolicate", None, ask)
        assert (status, body) == (204, b""), (status, body)
        assert headers[allow] == "https://a.example" and headers["Vary"] == "Origin", dict(headers)
        assert headers["Access-Control-Allow-Methods"] == "POST"
        assert "Content-Type" in headers["Access-Control-Allow-Headers"]
        for origin, is_allowed in (("https://b.example:8443", True), ("https://a.example.evil", False),
                                   ("http://a.example", False), ("null", False), ("HTTPS://A.EXAMPLE", False)):
            for method, path in (("GET", "/healthcheck"), ("GET", "/nowhere"), ("POST", "/symbolicate")):
                headers = service.request(method, path, None, {"Origin": origin})[2]
                assert headers["Vary"] == "Origin"
                assert (headers.get(allow) == origin) == is_allowed, (origin, dict(headers))
                assert ("Access-Control-Expose-Headers" in headers) == is_allowed
        assert service.request("OPTIONS", "/nowhere", None, ask)[0] == 404
        assert service.request("OPTIONS", "/symbolicate", None, {})[0] == 405
        headers = service.request("OPTIONS", "/symbolicate", None, {**ask, "Origin": "https://c.example"})[2]
        assert allow not in headers, dict(headers)
    with Service('cors:\n  allowed_origins: ["*"]\n') as service:
        headers = service.request("GET", "/healthcheck", None, {"Origin": "https://any.example"})[2]
        assert headers[allow] == "*", dict(headers)


# --- A line for each -----------------------------------------------------------------------------

def test_a_line_for_each_request():
    symbols = serve_all()
    with Service("logging:\n  requests: true\n  format: json\n") as service:
        body = json.dumps(request_for(symbols, PROGRAMS[:1]))
        send(service, body)
        _, text, headers = send(service, body, **{"X-Request-Id": "hot"})
        service.request("GET", "/nowhere?secret=1")

        def lines():
            found = [json.loads(line) for line in service.text_of_log().splitlines() if line.startswith("{")]
            return [line for line in found if line["event"] == "request" and line["path"] != "/healthcheck"]
        eventually(lambda: len(lines()) == 3, "three lines")
        hot = [line for line in lines() if line["x_request_id"] == headers["X-Request-Id"] == "hot"]
        assert len(hot) == 1 and hot[0]["method"] == "POST" and hot[0]["path"] == "/symbolicate", hot
        assert hot[0]["status"] == "200" and hot[0]["bytes"] == str(len(text)) and int(hot[0]["micros"]) > 0, hot
        assert any(line["status"] == "404" for line in lines()) and "secret" not in service.text_of_log()
    with Service() as service:
        send(service, json.dumps(request_for(symbols, PROGRAMS[:1])))
        service.stop()
        assert " request " not in service.text_of_log()


# --- Packed replies, by the web server -----------------------------------------------------------

def check_packed_replies(site):
    symbols = serve_all()
    body = json.dumps(large_request(symbols))
    site.answer(json.loads(body))
    plain = site.plain_request("POST", "/symbolicate", body, JSON)
    packed = site.plain_request("POST", "/symbolicate", body, {**JSON, "Accept-Encoding": "gzip"})
    assert plain[0] == packed[0] == 200
    assert "Content-Encoding" not in plain[2] and packed[2]["Content-Encoding"] == "gzip", dict(packed[2])
    assert "accept-encoding" in packed[2]["Vary"].lower()
    assert gzip.decompress(packed[1]) == plain[1] and len(packed[1]) < len(plain[1]) / 4
    small = site.plain_request("GET", "/healthcheck", None, {"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in small[2], dict(small[2])


def test_nginx_packs_large_replies():
    with test_deploy.Nginx() as site:
        check_packed_replies(site)


def test_apache_packs_large_replies():
    with test_deploy.ApacheProxy() as site:
        check_packed_replies(site)


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)],
            "http")

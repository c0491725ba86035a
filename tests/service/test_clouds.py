#!/usr/bin/env python3
"""test_clouds -- buckets, Sentry servers and symstore indexes, behind the whole service.

The S3 server recomputes every signature from the request it got; the GCS server verifies the
claim with openssl before it gives a token. usage: test_clouds.py [TEST ...]
"""
import base64
import hashlib
import hmac
import json
import os
import subprocess
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from service_tests import PATIENCE, Program, Service, eventually, functions, run_all, stretched

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-clouds-")
PROGRAM = Program(FOLDER.name, 1)
with open(PROGRAM.path, "rb") as f:
    OBJECT = f.read()
OPEN = "connect_to_reserved_ips: true\n"
SECRET = "wJalrXUtnFEMI/K7MDENG"
KEY_FILE = os.path.join(FOLDER.name, "key.pem")
PUBLIC_FILE = os.path.join(FOLDER.name, "public.pem")


class Cloud(ThreadingHTTPServer):
    """Answers by a function of (handler, path, query); counts what was asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer):
        self.answer, self.hits, self.lock = answer, [], threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass

    def count(self, part):
        with self.lock:
            return sum(part in hit for hit in self.hits)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.hits.append(f"{self.command} {self.path}")
        self.body, self.more_headers = self.read_body(), {}
        parts = urllib.parse.urlsplit(self.path)
        answer = self.server.answer(self, parts.path, parts.query)
        if answer is None:
            return
        status, body = answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in self.more_headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_PUT = do_HEAD = do_GET

    def read_body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.exactly(int(self.headers.get("Content-Length", 0)))
        body = bytearray()
        while True:
            size = int(self.rfile.readline(), 16)
            body += self.exactly(size)
            self.exactly(2)
            if size == 0:
                return bytes(body)

    def exactly(self, size):
        body = self.rfile.read(size)
        if len(body) < size:
            raise OSError("the body ends early")
        return body

    def log_message(self, *args):
        pass


def request_of(sources, debug_file="prog"):
    module = {**PROGRAM.module(), "debug_file": debug_file, "code_file": debug_file}
    return {"sources": sources, "modules": [module],
            "stacktraces": [{"frames": [{"instruction_addr": hex(0x10000000 + PROGRAM.address + 1)}]}],
            "options": {"dif_candidates": True, "apply_source_context": False}}


def candidates(reply):
    return {c["location"]: c["download"] for c in reply["modules"][0]["candidates"]}


# --- S3 ------------------------------------------------------------------------------------------

def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def is_signed(handler, path, query, access="AK+/", secret=SECRET, token=None, method="GET"):
    """Signature Version 4 of the query kind, recomputed from what arrived."""
    given = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    signature = given.pop("X-Amz-Signature", "")
    name, date, region, service, last = given["X-Amz-Credential"].rsplit("/", 4)
    assert (service, last, given["X-Amz-Expires"]) == ("s3", "aws4_request", "900"), given
    assert given.get("X-Amz-Security-Token") == token, given
    quoted = "&".join(f"{urllib.parse.quote(k, safe='-_.~')}={urllib.parse.quote(v, safe='-_.~')}"
                      for k, v in sorted(given.items()))
    plain = "/".join(urllib.parse.quote(urllib.parse.unquote(part), safe="-_.~") for part in path.split("/"))
    canonical = f"{method}\n{plain}\n{quoted}\nhost:{handler.headers['Host']}\n\nhost\nUNSIGNED-PAYLOAD"
    text = "\n".join(["AWS4-HMAC-SHA256", given["X-Amz-Date"], f"{date}/{region}/s3/aws4_request",
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = sign(sign(sign(sign(("AWS4" + secret).encode(), date), region), "s3"), "aws4_request")
    return name == access and hmac.compare_digest(signature, hmac.new(key, text.encode(), hashlib.sha256).hexdigest())


def s3_error(status, code):
    return status, f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>It is so.</Message></Error>".encode()


def s3_server(key, **signed):
    def answer(handler, path, query):
        if not is_signed(handler, path, query, **signed):
            return s3_error(403, "SignatureDoesNotMatch")
        if urllib.parse.unquote(path) == key:
            return 200, OBJECT
        return s3_error(404, "NoSuchKey")
    return Cloud(answer)


def s3_source(cloud, **more):
    return {"id": "s3", "type": "s3", "bucket": "the.bucket", "prefix": "/odd +()=@:,/",
            "region": ["eu-west-1", cloud.url], "access_key": "AK+/", "secret_key": SECRET,
            "layout": {"type": "unified"}, "filters": {"filetypes": ["elf_debug"]}, **more}


S3_KEY = f"/the.bucket/odd +()=@:,/{PROGRAM.key()}"


def test_s3_signatures_hold():
    cloud = s3_server(S3_KEY)
    with Service(OPEN) as service:
        reply = service.answer(request_of([s3_source(cloud)]))
        assert functions(reply)[-1] == "outer", reply
        denied = service.answer(request_of([s3_source(cloud, id="other", secret_key="wrong")]))
        assert {"status": "noperm", "details": "SignatureDoesNotMatch: It is so."} in \
            candidates(denied).values(), denied
        # What one was denied says nothing about another who knows more.
        again = service.answer(request_of([s3_source(cloud, id="other")]))
        assert functions(again)[-1] == "outer", again


def test_s3_container_keys_are_asked_for_once():
    cloud = s3_server(S3_KEY, access="ROLE", token="to/ken+=")
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    keys = {"AccessKeyId": "ROLE", "SecretAccessKey": SECRET, "Token": "to/ken+=", "Expiration": until}
    def answer(handler, path, _):
        return (200, json.dumps(keys).encode()) if handler.headers["Authorization"] == "me" else (403, b"")
    metadata = Cloud(answer)
    os.environ["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = metadata.url + "/keys"
    os.environ["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "me"
    try:
        with Service(OPEN + "workshop:\n  processes: 1\n") as service:
            for number in range(3):
                reply = service.answer(request_of([s3_source(
                    cloud, id=f"s{number}", aws_credentials_provider="container")]))
                assert functions(reply)[-1] == "outer", reply
            assert metadata.count("/keys") == 1, metadata.hits
    finally:
        del os.environ["AWS_CONTAINER_CREDENTIALS_FULL_URI"], os.environ["AWS_CONTAINER_AUTHORIZATION_TOKEN"]


def test_s3_keys_of_this_machine_are_renewed():
    other = Program(FOLDER.name, 2)
    with open(other.path, "rb") as file:
        objects = {PROGRAM.key(): OBJECT, other.key(): file.read()}
    def bucket(handler, path, query):
        if not is_signed(handler, path, query, access="ROLE", token="token"):
            return s3_error(403, "SignatureDoesNotMatch")
        key = urllib.parse.unquote(path)[len("/the.bucket/"):]
        return (200, objects[key]) if key in objects else s3_error(404, "NoSuchKey")
    def metadata(lasts_seconds):
        until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + lasts_seconds))
        keys = {"AccessKeyId": "ROLE", "SecretAccessKey": SECRET, "Token": "token", "Expiration": until}
        def answer(handler, path, _):
            if handler.command == "PUT":
                return (200, b"session") if path == "/latest/api/token" else (404, b"")
            if handler.headers["x-aws-ec2-metadata-token"] != "session":
                return 401, b""
            return 200, b"the-role" if path.endswith("/") else json.dumps(keys).encode()
        return Cloud(answer)
    cloud = Cloud(bucket)
    # Keys are not used in their last minute: of those that end in half a minute each request wants others.
    for lasts_seconds, asked in ((3600, 1), (30, 2)):
        machine = metadata(lasts_seconds)
        os.environ["AWS_EC2_METADATA_SERVICE_ENDPOINT"] = machine.url
        source = json.dumps([{**s3_source(cloud, prefix=""), "aws_credentials_provider": "container",
                              "access_key": "", "secret_key": ""}])
        try:
            with Service(f"{OPEN}workshop:\n  processes: 1\nsources: {source}\n") as service:
                for program in (PROGRAM, other):
                    request = request_of([])
                    del request["sources"]
                    request["modules"] = [program.module()]
                    request["stacktraces"][0]["frames"] = [
                        {"instruction_addr": hex(0x10000000 + program.address + 1)}]
                    reply = service.answer(request)
                    assert functions(reply)[-1] == "outer", reply
        finally:
            del os.environ["AWS_EC2_METADATA_SERVICE_ENDPOINT"]
        assert machine.count("security-credentials/the-role") == asked, machine.hits


# --- GCS -----------------------------------------------------------------------------------------

def unbase(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def make_key():
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", KEY_FILE],
                   check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["openssl", "pkey", "-in", KEY_FILE, "-pubout", "-out", PUBLIC_FILE], check=True)


def is_verified(jwt, scope="https://www.googleapis.com/auth/devstorage.read_only"):
    head, claim, signature = jwt.split(".")
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("text", "signature")]
        for name, content in zip(names, [f"{head}.{claim}".encode(), unbase(signature)]):
            with open(name, "wb") as file:
                file.write(content)
        rc = subprocess.run(["openssl", "dgst", "-sha256", "-verify", PUBLIC_FILE, "-signature", names[1], names[0]],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    said = json.loads(unbase(claim))
    return rc == 0 and (said["iss"], said["scope"]) == ("me@example.org", scope)


def gcs_server(objects):
    """By their names in the bucket, prefix included."""
    def answer(handler, path, query):
        if path == "/token":
            form = dict(urllib.parse.parse_qsl(handler.body.decode()))
            good = handler.command == "POST" and is_verified(form["assertion"]) and \
                form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer"
            return (200, b'{"access_token":"the-token","expires_in":3600}') if good else (400, b"{}")
        if handler.headers["Authorization"] != "Bearer the-token":
            return 401, b""
        found = {f"/storage/v1/b/buck/o/{urllib.parse.quote(name, safe='-_.~')}": content for name, content in objects.items()}
        return (200, found[path]) if path in found and query == "alt=media" else (404, b"")
    return Cloud(answer)


def gcs_source(cloud, **more):
    """Without what opens it."""
    return {"type": "gcs", "bucket": "buck", "prefix": "pre", "endpoint": cloud.url, "token_uri": cloud.url + "/token",
            "layout": {"type": "unified"}, **more}


def gcs_key():
    make_key()
    with open(KEY_FILE, encoding="ascii") as file:
        return {"private_key": file.read().replace("\n", "\\n"), "client_email": "me@example.org"}


def test_gcs_tokens_are_asked_for_once():
    cloud = gcs_server({"pre/" + PROGRAM.key(): OBJECT})
    source = gcs_source(cloud)
    keyed = {**source, **gcs_key()}
    with Service(OPEN + "workshop:\n  processes: 1\n") as service:
        for name in ("a", "b"):
            reply = service.answer(request_of([{**keyed, "id": name}]))
            assert functions(reply)[-1] == "outer", reply
        assert cloud.count("POST /token") == 1, cloud.hits
        reply = service.answer(request_of([{**source, "id": "c", "bearer_token": "the-token"}]))
        assert functions(reply)[-1] == "outer", reply
        reply = service.answer(request_of([{**keyed, "id": "d", "client_email": "you@example.org"}]))
        assert all(d == {"status": "error", "details": "download failed: failed to send authentication request"}
                   for place, d in candidates(reply).items() if place.startswith("gs:")), candidates(reply)
        reply = service.answer(request_of([{**source, "id": "e", "bearer_token": "stale"}]))
        assert {"status": "noperm", "details": "401 Unauthorized"} in candidates(reply).values(), reply


# --- Sentry --------------------------------------------------------------------------------------

def test_sentry_is_asked_once_per_credentials():
    files = [{"id": "7", "symbolType": "elf"}, {"id": "8", "symbolType": "pdb"}]
    def answer(handler, _, query):
        given = dict(urllib.parse.parse_qsl(query))
        if handler.headers["Authorization"] != "Bearer good":
            return 401, b""
        if "id" in given:
            return (200, OBJECT) if given["id"] == "7" else (404, b"")
        return 200, json.dumps(files if given.get("code_id") == PROGRAM.code_id else []).encode()
    cloud = Cloud(answer)
    source = {"id": "sentry:project", "type": "sentry", "url": cloud.url + "/files/?project=1", "token": "good"}
    # No reserved addresses allowed: Sentry servers are trusted all the same.
    with Service("connect_to_reserved_ips: false\n") as service:
        first = service.post(request_of([source]))
        assert functions(json.loads(first[1]))[-1] == "outer", first
        assert service.post(request_of([source])) == first
        assert cloud.count("code_id=") == 1 and cloud.count("project=1&id=7") == 1, cloud.hits
        assert service.metric("symgate_jobs_submitted_total") == 1
        # Another's listing is nobody else's, and failures are asked for again.
        for asked in (4, 7):
            reply = service.answer(request_of([{**source, "token": "bad"}]))
            assert list(candidates(reply)) == ["No object files listed on this source"], reply
            assert reply["modules"][0]["debug_status"] == "missing", reply
            assert cloud.count("code_id=") == asked, cloud.hits


# --- Symstore indexes ----------------------------------------------------------------------------

def store_files(folder):
    """A store as symstore.exe keeps it, of two transactions."""
    path = f"_.debug/elf-buildid-sym-{PROGRAM.code_id}/_.debug"
    lines = {1: f'"_.debug\\elf-buildid-sym-{PROGRAM.code_id}","C:\\in\\_.debug"\r\n',
             2: '"other.pdb\\1","C:\\in\\other.pdb"\r\nnothing\r\n'}
    files = {path: OBJECT, "000Admin/lastid.txt": b"0000000002\r\n"}
    files.update({f"000Admin/{number:010}": text.encode() for number, text in lines.items()})
    for name, content in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    return files


def store_source(**more):
    return {"id": "store", "layout": {"type": "symstore"}, "has_index": True, **more}


def test_only_files_of_the_index_are_asked_for():
    with tempfile.TemporaryDirectory() as folder:
        files = store_files(folder)
        cloud = Cloud(lambda _, path, __: (200, files[path[1:]]) if path[1:] in files else (404, b""))
        with Service(OPEN) as service:
            source = store_source(type="http", url=cloud.url)
            first = service.post(request_of([source]))
            assert functions(json.loads(first[1]))[-1] == "outer", first
            assert sorted(hit.split()[1] for hit in cloud.hits) == sorted("/" + name for name in files), cloud.hits
            assert service.post(request_of([source])) == first
            assert len(cloud.hits) == len(files), cloud.hits
        with Service(f"{OPEN}filesystem_source_roots: [\"{folder}\"]\n") as service:
            reply = service.answer(request_of([store_source(type="filesystem", path=folder)]))
            assert functions(reply)[-1] == "outer", reply
            assert len(candidates(reply)) == 1, reply


def test_a_long_index_of_files():
    with tempfile.TemporaryDirectory() as folder:
        store_files(folder)
        for number in range(3, 10001):
            with open(os.path.join(folder, f"000Admin/{number:010}"), "w", encoding="ascii") as file:
                file.write(f'"f{number}\\1","x"\n')
        with open(os.path.join(folder, "000Admin/lastid.txt"), "w", encoding="ascii") as file:
            file.write("10000")
        with Service(f"{OPEN}filesystem_source_roots: [\"{folder}\"]\n") as service:
            reply = service.answer(request_of([store_source(type="filesystem", path=folder)]))
            assert functions(reply)[-1] == "outer", reply


def test_without_its_index_a_store_has_no_files():
    with tempfile.TemporaryDirectory() as folder:
        files = store_files(folder)
        del files["000Admin/0000000002"]
        cloud = Cloud(lambda _, path, __: (200, files[path[1:]]) if path[1:] in files else (500, b""))
        with Service(OPEN) as service:
            for _ in range(2):
                reply = service.answer(request_of([store_source(type="http", url=cloud.url)]))
                assert list(candidates(reply)) == ["No object files listed on this source"], reply
            assert cloud.count("0000000002") == 3 and cloud.count("0000000001") == 1, cloud.hits


def test_a_dead_source_does_not_delay_the_others():
    gate = threading.Event()
    def hang(*_):
        gate.wait(PATIENCE)
        return 500, b""
    dead, cloud = Cloud(hang), s3_server(S3_KEY)
    sources = [{"id": "dead", "type": "sentry", "url": dead.url, "token": "x"}, s3_source(cloud)]
    limit = stretched(2)
    with Service(OPEN + f"head_timeout: {limit}s\nmax_download_timeout: {limit}s\n") as service:
        start = time.monotonic()
        pending = json.loads(service.post(request_of(sources), "?timeout=0")[1])
        # What the other source has comes while the dead one is still waited for.
        eventually(lambda: cloud.count(PROGRAM.key()), "the other source to be asked")
        assert time.monotonic() - start < limit, "it waited for the dead one"
        reply = json.loads(service.get(f"/requests/{pending['request_id']}?timeout={PATIENCE}")[1])
        assert functions(reply)[-1] == "outer", reply
        assert time.monotonic() - start < 10 * limit
        alone = time.monotonic()
        assert functions(service.answer(request_of([s3_source(cloud)])))[-1] == "outer"
        assert time.monotonic() - alone < stretched(5)
    gate.set()


def test_two_modules_over_a_dead_and_a_live_source():
    gate = threading.Event()
    def hang(*_):
        gate.wait(PATIENCE)
        return 500, b""
    programs = [PROGRAM, Program(FOLDER.name, 2)]
    objects = {}
    for program in programs:
        with open(program.path, "rb") as file:
            objects["/" + program.key()] = file.read()
    dead, live = Cloud(hang), Cloud(lambda _, path, __: (200, objects[path]) if path in objects else (404, b""))
    sources = [{"id": name, "type": "http", "url": cloud.url, "layout": {"type": "unified"},
                "filters": {"filetypes": ["elf_debug"]}} for name, cloud in (("dead", dead), ("live", live))]
    request = {"sources": sources, "options": {"dif_candidates": True, "apply_source_context": False},
               "modules": [program.module(0x10000000 * (i + 1)) for i, program in enumerate(programs)],
               "stacktraces": [{"frames": [{"instruction_addr": hex(0x10000000 * (i + 1) + program.address + 1)}
                                           for i, program in enumerate(programs)]}]}
    limit = stretched(3)
    with Service(OPEN + f"workshop:\n  processes: 1\nhead_timeout: {limit}s\nmax_download_timeout: {limit}s\n") as service:
        pending = json.loads(service.post(request, "?timeout=0")[1])
        for program in programs:
            eventually(lambda key=program.key(): live.count(key) and dead.count(key), "both to be asked")
        # What the living one has is there before anything of the dead one has ended.
        eventually(lambda: service.metric('symgate_downloads_total{outcome="ok"}') == 2, "both to be had")
        assert service.metric('symgate_downloads_total{outcome="timeout"}') == 0
        reply = json.loads(service.get(f"/requests/{pending['request_id']}?timeout={PATIENCE}")[1])
        assert [f for f in functions(reply) if f == "outer"] == ["outer", "outer"], reply
        for module in reply["modules"]:
            ends = {c["source"]: c["download"] for c in module["candidates"]}
            assert ends["live"]["status"] == "ok", module
            assert ends["dead"] == {"status": "error", "details": f"download timed out after {limit}s"}, module
        # What is remembered of the dead one is told at once.
        asked = len(dead.hits)
        assert service.answer(request) == {**reply, "status": "completed"}
        assert len(dead.hits) == asked, dead.hits
    gate.set()


if __name__ == "__main__":
    run_all([test for name, test in sorted(globals().items()) if name.startswith("test_")], "clouds")

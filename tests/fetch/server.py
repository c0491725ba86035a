#!/usr/bin/env python3
"""server -- an HTTP server with every bad habit, for the tests of fetch.

usage: server.py CERTIFICATE [FOLDER [CERTIFICATE...]]

Prints the numbers of its ports, then serves until its standard input ends: two plain ones, one
that speaks TLS with the certificate and key in that file, one that speaks SOCKS 5, and one more
for each further certificate. The path says what the answer is like, and what follows in it is
not looked at, so that any of these can be a symbol server's address; /hits/... tells how often a
path was asked for. As a proxy it finds every host here.
"""
import collections, functools, gzip, itertools, os, socket, ssl, sys, threading, time, urllib.parse

hits = collections.Counter()
numbers = itertools.count(1)
lock = threading.Lock()
PATTERN = bytes(i * 7 % 251 for i in range(1 << 16))


def body_of(size):
    return (PATTERN * (size // len(PATTERN) + 1))[:size]


def head(status, *lines):
    return ("HTTP/1.1 %s\r\n%s\r\n" % (status, "".join(line + "\r\n" for line in lines))).encode()


def whole(body, *lines, status="200 OK"):
    return head(status, "Content-Length: %d" % len(body), *lines) + body


def ranged(request, body, *lines):
    """A well-behaved server of ranges, which sends at most `most` bytes at a time."""
    asked = request.headers.get("range")
    if not asked:
        return whole(body, *lines)
    first, last = asked.split("=")[1].split("-")
    first, last = int(first), min(int(last), len(body) - 1)
    last = min(last, first + request.most - 1)
    part = body[first:last + 1]
    return whole(part, "Content-Range: bytes %d-%d/%d" % (first, last, len(body)), *lines,
                 status="206 Partial Content")


class Request:
    body = b""

    def __init__(self, text):
        lines = text.decode("latin-1").split("\r\n")
        self.method, self.target = lines[0].split(" ")[:2]
        self.url = urllib.parse.urlsplit(self.target)
        self.parts = self.url.path.split("/")[1:]
        self.query = dict(urllib.parse.parse_qsl(self.url.query, keep_blank_values=True))
        self.lines = lines[1:]
        self.headers = {}
        for line in self.lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()
        self.most = int(self.query.get("most", 1 << 40))


def answer(request, send):
    """Returns the whole answer, or sends by itself and returns None."""
    what, query = request.parts[0], request.query
    if what == "status":
        return whole(b"no", status=request.parts[1] + " Whatever")
    if what == "echo":
        body = ("%s %s|" % (request.method, request.headers.get("content-type", "-"))).encode() + request.body
        return whole(body, status=query.get("status", "200") + " Whatever", *["Location: /body/5"])
    if what == "sent":
        how = "chunked" if "transfer-encoding" in request.headers else request.headers.get("content-length", "-")
        body = ("%s %s|" % (request.method, how)).encode() + request.body
        return whole(b"" if request.method == "HEAD" else body, status=query.get("status", "200") + " Whatever")
    if what == "hits":
        with lock:
            return whole(b"%d" % hits["/" + "/".join(request.parts[1:])])
    if what == "which":
        return whole(b"%d" % request.connection)
    if what == "headers":
        return whole("\n".join(request.lines).encode())
    if what in ("file", "less", "more", "away"):     # what lies in FOLDER
        with open(os.path.join(sys.argv[2], os.path.basename(request.parts[1])), "rb") as f:
            body = f.read()
        if what == "away":                       # sent on to what it names
            return whole(b"", "Location: " + body.decode(), status="302 Found")
        if what == "less":                       # than was promised
            send(head("200 OK", "Content-Length: %d" % (len(body) + 1000)) + body)
            return None
        if what == "more":
            send(head("200 OK", "Content-Length: 40") + body)
            return None
        return whole(body)
    if what == "version":                            # of a file that is at version N, by its tag and its date
        lines = query.get("header", 'ETag: "%s"' % request.parts[1]).split("|")
        asked = [request.headers.get(name, "-") for name in ("if-none-match", "if-modified-since")]
        known = asked[0] if asked[0] != "-" else asked[1]
        if "always" in query or any(line.endswith(": " + known) for line in lines):
            return head("304 Not Modified", *lines)
        told = "" if "most" in query else " asked %s %s" % (*asked,)
        return ranged(request, ("version " + request.parts[1] + told).encode(), *lines)
    if what == "loop":
        return whole(b"", "Location: " + request.target, status="302 Found")
    if what == "body":
        return whole(body_of(int(request.parts[1])))
    if what == "hex":
        return whole(bytes.fromhex(query["bytes"]), *query.get("header", "X: y").split("|"))
    if what == "redirect":
        left = int(request.parts[1])
        return whole(b"go on", "Location: %s" % ("/redirect/%d" % (left - 1) if left else "/body/5"),
                     status="302 Found")
    if what == "to":
        return whole(b"", "Location: " + query["url"], status=query.get("status", "307") + " Go")
    if what == "flaky":
        with lock:
            times = hits[request.url.path]
        return whole(b"done") if times > 2 else whole(b"", status="503 Busy")
    if what == "silent":
        time.sleep(30)
        return b""
    if what == "drip":
        send(head("200 OK", "Content-Length: 1000000"))
        while True:
            send(b".")
            time.sleep(0.05)
    if what == "drip-head":
        send(b"HTTP/1.1 200 OK\r\n")
        while True:
            send(b"X-Drip: 1\r\n")
            time.sleep(0.05)
    if what == "endless-head":
        send(b"HTTP/1.1 200 OK\r\n")
        while True:
            send(b"X-More: 0123456789\r\n" * 1000)
    if what == "drip-404":
        send(head("404 Not Found", "Content-Length: 1000000"))
        while True:
            send(b".")
            time.sleep(0.05)
    if what == "short":
        send(head("200 OK", "Content-Length: 100") + b"only this")
        return None
    if what == "endless":
        send(head(request.parts[1] + " Well", "Transfer-Encoding: chunked"))
        while True:
            send(b"10000\r\n" + bytes(65536) + b"\r\n")
    if what == "hang-up":
        return None
    if what == "garbage":
        return b"this is no HTTP\r\n\r\n"
    if what == "late":
        time.sleep(float(request.parts[1]))
        return whole(b"late")
    if what == "bomb":
        return whole(gzip.compress(bytes(50 << 20), 1), "Content-Encoding: gzip")
    if what == "gzip-range":
        return ranged(request, gzip.compress(body_of(int(request.parts[1])), 1), "Content-Encoding: gzip")
    if what == "range":
        return ranged(request, body_of(int(request.parts[1])), 'ETag: "one"')
    if what == "range-416":
        return whole(b"", status="416 No") if "range" in request.headers else whole(body_of(5000))
    if what == "range-odd":
        if "range" in request.headers:
            return whole(body_of(100), "Content-Range: " + query["range"], status="206 Partial Content")
        return whole(body_of(5000))
    if what == "range-whole-then-none":
        return whole(body_of(5000)) if "bytes=0-" not in request.headers.get("range", "bytes=0-") \
            else ranged(request, body_of(5000))
    if what == "range-wrong":
        if request.headers.get("range", "").startswith("bytes=0-"):
            return ranged(request, body_of(5000))
        return whole(body_of(10), "Content-Range: bytes 7-16/5000", status="206 Partial Content")
    return whole(b"", status="404 Not Found")


def exactly(connection, buffered, size):
    while len(buffered) < size:
        piece = connection.recv(65536)
        if not piece:
            raise OSError("the body ends early")
        buffered += piece
    return buffered[:size], buffered[size:]


def unchunk(connection, buffered):
    body = b""
    while True:
        while b"\r\n" not in buffered:
            line, buffered = exactly(connection, buffered, len(buffered) + 1)
            buffered = line + buffered
        size, _, buffered = buffered.partition(b"\r\n")
        piece, buffered = exactly(connection, buffered, int(size, 16) + 2)
        if len(piece) == 2:
            return body, buffered
        body += piece[:-2]


def relay(one, other):
    """Both ways, until either ends."""
    def pump(source, sink):
        try:
            while piece := source.recv(65536):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass
    thread = threading.Thread(target=pump, args=(other, one), daemon=True)
    thread.start()
    pump(one, other)
    thread.join()


def tunnel(connection, kind, host, port, opened):
    with lock:
        hits[f"/{kind}/{host}"] += 1
    with socket.create_connection(("127.0.0.1", port)) as other:
        connection.sendall(opened)
        relay(connection, other)


def take(connection, size):
    got = b""
    while len(got) < size:
        piece = connection.recv(size - len(got))
        if not piece:
            raise OSError("too short")
        got += piece
    return got


def serve_socks(connection):
    """RFC 1928, without authentication."""
    try:
        take(connection, take(connection, 2)[1])
        connection.sendall(b"\5\0")
        kind = take(connection, 4)[3]
        if kind == 3:
            host = take(connection, take(connection, 1)[0]).decode()
        else:
            host = socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6,
                                    take(connection, 4 if kind == 1 else 16))
        port = int.from_bytes(take(connection, 2), "big")
        tunnel(connection, "socks", host, port, b"\5\0\0\1" + bytes(6))
    except OSError:
        pass
    finally:
        connection.close()


def serve(connection):
    buffered, number = b"", next(numbers)
    try:
        while True:
            while b"\r\n\r\n" not in buffered:
                piece = connection.recv(65536)
                if not piece:
                    return
                buffered += piece
                if buffered[0] == 0x16:          # TLS, which is not spoken here
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    return
            text, _, buffered = buffered.partition(b"\r\n\r\n")
            request = Request(text)
            request.connection = number
            if request.method == "CONNECT":
                host, port = request.target.rsplit(":", 1)
                tunnel(connection, "connect", host, int(port), b"HTTP/1.1 200 Well\r\n\r\n")
                return
            if "100-continue" in request.headers.get("expect", "") and "silent" not in request.parts[0]:
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            if "chunked" in request.headers.get("transfer-encoding", ""):
                request.body, buffered = unchunk(connection, buffered)
            else:
                request.body, buffered = exactly(connection, buffered, int(request.headers.get("content-length", 0)))
            with lock:
                hits[request.url.path] += 1
            reply = answer(request, connection.sendall)
            if reply is None:
                return
            connection.sendall(reply)
    except OSError:
        pass
    finally:
        connection.close()


def serve_tls(context, connection):
    try:
        connection = context.wrap_socket(connection, server_side=True)
    except OSError:
        connection.close()
        return
    serve(connection)


def accept(listener, work):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=work, args=(connection,), daemon=True).start()


def speaking_tls(certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


listeners = []
tls = [functools.partial(serve_tls, speaking_tls(certificate)) for certificate in sys.argv[1:2] + sys.argv[3:]]
for work in (serve, serve, tls[0], serve_socks, *tls[1:]):
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    listeners.append(listener)
    threading.Thread(target=accept, args=(listener, work), daemon=True).start()
print(*[listener.getsockname()[1] for listener in listeners], flush=True)
sys.stdin.read()

#!/usr/bin/env python3
"""Requests that wait: who reads slowly or goes away holds up nobody else.

usage: test_waiting.py [TEST]...       SYMGATE names the binary; lighttpd and gcc are needed
"""
import concurrent.futures
import json
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import time

from service_tests import (PATIENCE, SYMGATE, Program, Service, Symbols, eventually, functions, remove_tree,
                            request_for, run_all, stretched)

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-waiting-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(4)]
BEGIN, PARAMS, STDIN, STDOUT, END = 1, 4, 5, 6, 3
ONE_FRONT = "pool:\n  processes: 1\n  threads: 2\n"
MANY_FRAMES = 20000     # their answer is larger than any socket's buffer


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


# --- A web server that does not read ---------------------------------------------------------

def record(kind, content=b""):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def param(name, value):
    return struct.pack(">II", len(name) | 1 << 31, len(value) | 1 << 31) + name.encode() + value.encode()


class Connection:
    """One request as a web server sends it; nothing is read before read() is called."""

    def __init__(self, service, method, path, body=b""):
        self.connect(os.path.join(service.state, "run", "fcgi.sock"))
        self.send(method, path, body)

    def connect(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(path)

    def send(self, method, path, body, most=None):
        """The whole request, or of its body `most` bytes and no end."""
        path, _, query = path.partition("?")
        words = {"REQUEST_METHOD": method, "REQUEST_URI": path, "QUERY_STRING": query,
                 "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body))}
        out = record(BEGIN, struct.pack(">HB5x", 1, 0))
        out += record(PARAMS, b"".join(param(*word) for word in words.items())) + record(PARAMS)
        for at in range(0, len(body[:most]), 0xffff):
            out += record(STDIN, body[:most][at:at + 0xffff])
        self.socket.sendall(out + (b"" if most else record(STDIN)))

    def read(self, start=b"Status: 200 OK"):
        """The body of the whole reply; its records have to be whole too."""
        data = b""
        while True:
            more = self.socket.recv(1 << 20)
            if not more:
                break
            data += more
        at, output, ended = 0, b"", False
        while at < len(data):
            assert not ended, "something follows the end of the request"
            version, kind, number, size, padding = struct.unpack_from(">BBHHB", data, at)
            assert (version, number) == (1, 1) and at + 8 + size + padding <= len(data), (at, len(data))
            if kind == STDOUT:
                output += data[at + 8:at + 8 + size]
            ended = kind == END
            at += 8 + size + padding
        assert ended, f"the reply ends early, after {len(data)} bytes"
        head, _, body = output.partition(b"\r\n\r\n")
        assert head.startswith(start), head
        assert f"Content-Length: {len(body)}".encode() in head.split(b"\r\n"), head
        return body

    def close(self):
        self.socket.close()


def large_request(symbols, program, source):
    """One whose answer nobody's socket can hold."""
    request = request_for(symbols, [program])
    request["sources"][0]["id"] = source
    request["stacktraces"][0]["frames"] *= MANY_FRAMES
    return json.dumps(request).encode()


def test_a_parked_request_whose_reader_stalls_holds_up_no_other():
    symbols, others = serve_all(), serve_all()
    with Service(ONE_FRONT) as service, concurrent.futures.ThreadPoolExecutor(1) as pool:
        symbols.gate.clear()
        others.gate.clear()
        stalled = [Connection(service, "POST", "/symbolicate",
                              large_request(symbols, PROGRAMS[0], f"stalled{i}")) for i in range(3)]
        other = pool.submit(service.post, request_for(others, PROGRAMS[1:2]))
        eventually(lambda: service.metric("symgate_requests_parked") == 4, "four parked requests")
        symbols.gate.set()
        eventually(lambda: service.metric("symgate_replies_writing") == 3, "three replies nobody reads")
        assert service.metric("symgate_requests_parked") == 1
        others.gate.set()
        status, body = other.result(PATIENCE)
        assert status == 200 and "outer" in functions(json.loads(body)), body
        assert service.metric("symgate_replies_writing") == 3
        for connection in stalled:
            reply = json.loads(connection.read())
            assert functions(reply)[-1] == "outer" and len(functions(reply)) >= MANY_FRAMES
            connection.close()
        eventually(lambda: service.metric("symgate_replies_writing") == 0, "all replies read")
        assert service.metric("symgate_replies_cut_total") == 0


def test_readers_that_stall_hold_up_no_request_thread():
    symbols = serve_all()
    with Service(ONE_FRONT) as service:
        body = large_request(symbols, PROGRAMS[0], "hot")
        service.answer(json.loads(body))
        stalled = [Connection(service, "POST", "/symbolicate", body) for _ in range(5)]
        eventually(lambda: service.metric("symgate_replies_writing") == 5, "five replies nobody reads")
        assert service.get("/healthcheck") == (200, b"ok")
        service.answer(request_for(symbols, PROGRAMS[:2]))
        stalled[0].close()                                  # and one goes away
        eventually(lambda: service.metric("symgate_replies_writing") == 4, "the one that left to go")
        replies = {connection.read() for connection in stalled[1:]}
        assert len(replies) == 1 and functions(json.loads(replies.pop()))[-1] == "outer"
        for connection in stalled[1:]:
            connection.close()


# --- Who sends slowly --------------------------------------------------------------------------

def test_a_body_that_does_not_come_is_given_up():
    symbols = serve_all()
    with Service(ONE_FRONT + "limits: {body_wait: 1s}\n") as service:
        body = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        slow = [Connection.__new__(Connection) for _ in range(2)]
        for connection in slow:
            connection.connect(os.path.join(service.state, "run", "fcgi.sock"))
            connection.send("POST", "/symbolicate", body, len(body) // 2)
        # Both threads wait for the rest, and are there again for one that comes whole.
        assert "outer" in functions(service.answer(json.loads(body)))
        for connection in slow:
            assert b"too slowly" in connection.read(b"Status: 408 ")
            connection.close()


def test_a_page_waits_for_a_request_thread():
    """The thread that is there when all others are busy writes no pages: health is asked through it."""
    with Service(ONE_FRONT + "limits: {body_wait: 60s}\n") as service:
        body = b'{"stacktraces": [], "modules": []}'
        slow = [Connection.__new__(Connection) for _ in range(2)]
        for connection in slow:
            connection.connect(os.path.join(service.state, "run", "fcgi.sock"))
            connection.send("POST", "/symbolicate", body, 5)
        page = Connection(service, "GET", "/ui/r/x")
        eventually(lambda: service.metric("symgate_requests_waiting") == 1, "the page to wait")
        assert service.get("/healthcheck") == (200, b"ok")
        for connection in slow:
            connection.close()
        assert b"There is no report" in page.read(b"Status: 404 ")
        page.close()


# --- Who goes away ---------------------------------------------------------------------------

def test_a_client_that_goes_away_is_no_longer_parked():
    symbols = serve_all()
    symbols.gate.clear()
    with Service(ONE_FRONT.replace("threads: 2", "threads: 2\n  parked: 2")) as service:
        body = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        gone = [Connection(service, "POST", "/symbolicate", body) for _ in range(2)]
        eventually(lambda: service.metric("symgate_requests_parked") == 2, "two parked requests")
        # There is room for no more.
        assert json.loads(service.post(json.loads(body))[1])["status"] == "pending"
        gone[0].socket.shutdown(socket.SHUT_WR)             # has said all, but still reads
        gone[1].close()
        eventually(lambda: service.metric("symgate_requests_parked") == 1, "the one that left to go")
        stays = Connection(service, "POST", "/symbolicate", body)
        eventually(lambda: service.metric("symgate_requests_parked") == 2, "another in its place")
        symbols.gate.set()
        for connection in (gone[0], stays):
            assert "outer" in functions(json.loads(connection.read()))
            connection.close()
        assert service.metric('symgate_requests_total{endpoint="symbolicate",status="other"}') == 1
        eventually(lambda: service.metric("symgate_jobs_live") == 0, "all jobs to end")
        assert service.metric('symgate_jobs_ended_total{outcome="completed"}') == 4


# --- A workshop that is killed --------------------------------------------------------------

class Alone(Connection):
    """A connection to the one front of a process manager."""

    def __init__(self, path, *request):
        self.connect(path)
        self.send(*request)


class OnDemand:
    """`symgate fcgi` on a socket of ours: helpers come when there is work."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="symgate-waiting-")
        self.state = os.path.join(self.folder, "state")
        self.path = os.path.join(self.folder, "socket")
        config = os.path.join(self.folder, "config.yml")
        with open(config, "w", encoding="ascii") as f:
            f.write("connect_to_reserved_ips: true\nworkshop:\n  processes: 2\n")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(self.path)
            listening.listen(64)
            self.front = subprocess.Popen([SYMGATE, "-c", config, "--state-dir", self.state, "fcgi"],
                                          stdin=listening, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.front.terminate()
        self.front.wait(PATIENCE)
        remove_tree(self.folder)        # and the helpers leave: their state folder is gone

    def post(self, request, query=""):
        connection = Alone(self.path, "POST", "/symbolicate" + query, json.dumps(request).encode())
        try:
            return 200, connection.read()
        finally:
            connection.close()


def check_killed_workshop(service):
    symbols = serve_all()
    symbols.gate.clear()
    status, body = service.post(request_for(symbols, PROGRAMS[:1]), "?timeout=0")
    identity = json.loads(body)["request_id"]
    database = sqlite3.connect(os.path.join(service.state, "symgate.db"), timeout=PATIENCE)

    def row(what):
        return database.execute(f"select {what} from job where id = ?", (identity,)).fetchone()
    eventually(lambda: row("owner")[0] and symbols.total() > 0, "a workshop to take the job and ask")
    owner, lease_until = row("owner, lease_until")
    assert database.execute("select count(*) from flight where owner = ?", (owner,)).fetchone()[0] > 0
    os.kill(int(owner.split("-")[1]), signal.SIGKILL)
    eventually(lambda: row("owner")[0] not in (owner, None), "another to take it")
    symbols.gate.set()
    eventually(lambda: row("state")[0] not in ("queued", "running"), "the job to end")
    state, attempt, lapses, finished_at = row("state, attempt, lapses, finished_at")
    assert (state, attempt, lapses) == ("completed", 2, 0), (state, attempt, lapses)
    assert finished_at < lease_until, "it waited for the lease of the dead"
    database.close()


def test_a_killed_workshop_leaves_its_jobs_at_once():
    with Service("workshop:\n  processes: 2\n") as service:
        check_killed_workshop(service)


def test_a_killed_workshop_on_demand_leaves_its_jobs_at_once():
    with OnDemand() as service:
        check_killed_workshop(service)


LOCK_SECONDS = 2
AT_ONCE = ("known", "healthcheck", "metrics")


def test_a_locked_database_holds_up_jobs_alone():
    """Another process holds the lock to write for two seconds: what is known, and pages, are answered meanwhile; what
    has to become a job, or ends as one, waits for it and is answered."""
    symbols = serve_all()
    with Service() as service, concurrent.futures.ThreadPoolExecutor(max_workers=8) as pool:
        hot, cold, under_way = (request_for(symbols, [program]) for program in PROGRAMS[:3])
        service.answer(hot)
        symbols.gate.clear()                    # this one is being fetched when the lock is taken
        begun = pool.submit(timed, service.answer, under_way)
        eventually(lambda: service.metric("symgate_requests_parked") == 1, "a job that waits")
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"), isolation_level=None, timeout=PATIENCE)
        database.execute("BEGIN IMMEDIATE")
        symbols.gate.set()
        started = time.monotonic()
        asked = {"known": pool.submit(timed, service.answer, hot), "cold": pool.submit(timed, service.answer, cold),
                 "healthcheck": pool.submit(timed, service.request, "GET", "/healthcheck", None, {}),
                 "metrics": pool.submit(timed, service.request, "GET", "/metrics", None, {})}
        concurrent.futures.wait([asked[name] for name in AT_ONCE], LOCK_SECONDS)
        time.sleep(max(0, started + LOCK_SECONDS - time.monotonic()))
        database.execute("ROLLBACK")
        database.close()
        took = {name: future.result(PATIENCE)[0] - started for name, future in asked.items()}
        took["under way"] = begun.result(PATIENCE)[0] - started
        print("  seconds:", ", ".join(f"{name} {seconds:.2f}" for name, seconds in took.items()))
        assert all(took[name] < stretched(LOCK_SECONDS / 2) for name in AT_ONCE), took
        assert all(took[name] < LOCK_SECONDS + PATIENCE for name in ("cold", "under way")), took


ROUNDS = 12


def goes_on_while_locked():
    """Two downloads end while another process has the lock to write.  The file of the first is read by a cell and waits
    to be kept; the second is downloaded and read all the same.  Did that happen before the first had waited too long?"""
    first, second = serve_all(), serve_all()
    with Service("workshop:\n  processes: 1\n") as service:
        for symbols in (first, second):
            symbols.gate.clear()
        requests = [request_for(symbols, [program]) for symbols, program in zip((first, second), PROGRAMS)]
        asked = [json.loads(service.post(request, "?timeout=0")[1])["request_id"] for request in requests]
        eventually(lambda: first.total() > 0 and second.total() > 0, "both downloads to begin")
        cells = service.metric("symgate_cells_started_total")
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"), isolation_level=None, timeout=PATIENCE)
        database.execute("BEGIN IMMEDIATE")
        first.gate.set()
        eventually(lambda: service.metric("symgate_cells_started_total") == cells + 1, "a cell for the first")
        eventually(lambda: service.metric("symgate_cells_alive") == 0, "it to end")
        second.gate.set()
        eventually(lambda: service.metric("symgate_cells_started_total") >= cells + 2, "a cell for the second")
        has_waited = "busy" in service.text_of_log()
        assert database.execute("select count(*) from cache_entry where state = 'ready'").fetchone() == (0,)
        database.execute("ROLLBACK")
        database.close()
        for identity, request in zip(asked, requests):
            reply = eventually(lambda name=identity: completed(service, name), "an answer")
            assert functions(reply)[-1] == "outer" and len(reply["modules"]) == len(request["modules"]), reply
        assert service.metric('symgate_downloads_total{outcome="ok"}') == 2
    return not has_waited


def completed(service, identity):
    reply = json.loads(service.get(f"/requests/{identity}?timeout=5")[1])
    return reply if reply["status"] == "completed" else None


def test_a_locked_database_does_not_hold_up_the_workshop():
    # SQLite gives up after seconds, and then whoever waited in vain goes on: on a machine that slow it is no proof.
    assert any(goes_on_while_locked() for _ in range(ROUNDS)), "the second waits for what the first waits for"


def test_a_service_that_leaves_waits_for_what_is_being_written():
    """Told to end while an entry waits to be kept: nothing of it stays claimed, and the next service answers."""
    symbols = serve_all()
    symbols.gate.clear()
    with Service("workshop:\n  processes: 1\n") as service:
        identity = json.loads(service.post(request_for(symbols, PROGRAMS[:1]), "?timeout=0")[1])["request_id"]
        eventually(lambda: symbols.total() > 0, "the download to begin")
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"), isolation_level=None, timeout=PATIENCE)
        assert database.execute("select count(*) from flight").fetchone()[0] > 0
        database.execute("BEGIN IMMEDIATE")
        symbols.gate.set()
        eventually(lambda: service.metric("symgate_cells_started_total") == 1, "a cell")
        eventually(lambda: service.metric("symgate_cells_alive") == 0, "it to end")
        os.kill(service.process.pid, signal.SIGTERM)
        database.execute("ROLLBACK")
        service.process.wait(PATIENCE)
        eventually(lambda: not service.pids(), "all processes to end")
        assert database.execute("select count(*) from flight").fetchone() == (0,)
        state, owner = database.execute("select state, owner from job where id = ?", (identity,)).fetchone()
        assert (state, owner) == ("queued", None) or state == "completed", (state, owner)
        database.close()
        service.start()
        reply = eventually(lambda: completed(service, identity), "the answer of the next")
        assert functions(reply)[-1] == "outer", reply


def timed(function, *arguments):
    """(when it ended, what it returned)"""
    result = function(*arguments)
    return time.monotonic(), result


if __name__ == "__main__":
    run_all([test for name, test in list(globals().items()) if name.startswith("test_")], "waiting")

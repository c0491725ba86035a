#!/usr/bin/env python3
"""test_service -- the whole service behind a real lighttpd, with real downloads.

usage: test_service.py [TEST ...]        environment: SYMGATE (the program)
"""
import concurrent.futures
import json
import os
import random
import re
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time

from service_tests import (PATIENCE, SYMGATE, Program, Service, Symbols, eventually, functions, kill, request_for, run_all,
                            stretched)
from service_sources import *  # noqa: F401,F403 -- their tests run with these

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-programs-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(12)]


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


def test_cold_and_hot_answers_are_equal():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:3])
        cold = service.post(request)
        hits = symbols.total()
        hot = service.post(request)
        assert cold == hot, (cold, hot)
        assert symbols.total() == hits == 3, symbols.hits
        assert functions(json.loads(hot[1])).count("outer") == 3, hot[1]
        assert service.metric("symgate_jobs_submitted_total") == 1


def test_many_requests_make_one_download():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:2])
        with concurrent.futures.ThreadPoolExecutor(24) as pool:
            replies = {body for _, body in pool.map(lambda _: service.post(request), range(24))}
        assert len(replies) == 1, replies
        assert all(count == 1 for count in symbols.hits.values()), symbols.hits


def test_a_job_that_was_deleted_is_given_up():
    symbols = serve_all()
    symbols.gate.clear()
    with Service() as service:
        reply = json.loads(service.post(request_for(symbols, PROGRAMS[:1]), "?timeout=0")[1])
        eventually(lambda: service.metric("symgate_jobs_running") == 1, "the job to be carried")
        connection = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        connection.execute("DELETE FROM job")
        connection.commit()
        connection.close()
        eventually(lambda: service.metric("symgate_jobs_running") == 0, "the workshop to see it")
        assert service.get(f"/requests/{reply['request_id']}")[0] == 404
        symbols.gate.set()
        assert "outer" in functions(json.loads(service.post(request_for(symbols, PROGRAMS[1:2]))[1])), "others go on"
        assert "no longer ours" in service.text_of_log()


def test_pending_is_polled_and_kept():
    symbols = serve_all()
    symbols.gate.clear()
    with Service() as service:
        reply = json.loads(service.post(request_for(symbols, PROGRAMS[:1]), "?timeout=0")[1])
        assert reply["status"] == "pending" and reply["retry_after"] == 30, reply
        poll = f"/requests/{reply['request_id']}"
        assert json.loads(service.get(poll + "?timeout=0")[1])["status"] == "pending"
        symbols.gate.set()
        first = service.get(poll)
        assert json.loads(first[1])["status"] == "completed", first
        assert service.get(poll) == first
        service.stop()
        service.start()
        assert service.get(poll) == first, "a restart must not lose a result"


def test_a_job_survives_a_restart():
    symbols = serve_all()
    symbols.gate.clear()
    with Service() as service:
        reply = json.loads(service.post(request_for(symbols, PROGRAMS[:1]), "?timeout=0")[1])
        eventually(symbols.total, "the download to begin")
        service.stop()
        symbols.gate.set()
        service.start()
        reply = json.loads(service.get(f"/requests/{reply['request_id']}")[1])
        assert reply["status"] == "completed" and "outer" in functions(reply), reply


def test_scopes_isolate():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        for scope, hits in (("a", 1), ("b", 2), ("a", 2)):
            assert "outer" in functions(service.answer(request, f"?scope={scope}"))
            assert symbols.total() == hits, (scope, symbols.hits)


def test_too_many_jobs_are_refused():
    symbols = serve_all()
    symbols.gate.clear()
    with Service("max_concurrent_requests: 2\n") as service:
        for program in PROGRAMS[:2]:
            assert service.post(request_for(symbols, [program]), "?timeout=0")[0] == 200
        status, body = service.post(request_for(symbols, PROGRAMS[2:3]), "?timeout=0")
        assert status == 503, (status, body)
        assert json.loads(body) == {"detail": "maximum number of concurrent requests reached"}
        symbols.gate.set()
        eventually(lambda: service.post(request_for(symbols, PROGRAMS[2:3]))[0] == 200, "room for a job")


def test_others_are_answered_while_many_wait():
    symbols = serve_all()
    config = "pool:\n  processes: 2\n  threads: 2\n"
    with Service(config) as service:
        hot = request_for(symbols, PROGRAMS[:1])
        service.answer(hot)
        symbols.gate.clear()
        slow = [request_for(symbols, [PROGRAMS[1 + i % 11]]) for i in range(120)]
        for i, request in enumerate(slow):
            request["sources"][0]["id"] = f"slow{i}"
        with concurrent.futures.ThreadPoolExecutor(120) as pool:
            waiting = [pool.submit(service.post, request) for request in slow]
            eventually(lambda: service.metric("symgate_requests_parked") == 120, "120 parked requests")
            assert service.get("/healthcheck") == (200, b"ok")
            assert "outer" in functions(service.answer(hot))
            assert service.get("/requests/00000000-0000-4000-8000-000000000000")[0] == 404
            pending = json.loads(service.post(request_for(symbols, PROGRAMS[1:2]), "?timeout=0")[1])
            assert pending["status"] == "pending", pending
            assert json.loads(service.get(f"/requests/{pending['request_id']}?timeout=0")[1]) == pending
            symbols.gate.set()
            for reply in waiting:
                status, body = reply.result(PATIENCE)
                assert status == 200 and "outer" in functions(json.loads(body)), body


def test_blobs_may_vanish_or_shrink():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:4])
        whole = service.post(request)
        for harm in ("delete", "truncate", "overwrite"):
            for folder, _, names in os.walk(os.path.join(service.state, "cache")):
                if os.path.basename(folder) == "tmp":
                    continue  # what is under way is no blob
                for path in (os.path.join(folder, name) for name in names):
                    if harm == "delete":
                        os.unlink(path)
                    else:
                        os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)
                        with open(path, "r+b") as f:
                            f.truncate(100)
                            if harm == "overwrite":
                                f.write(random.Random(1).randbytes(4096))
            reply = service.post(request)
            assert reply == whole, (harm, reply)


def test_killed_processes_lose_nothing():
    symbols = serve_all()
    seed = int(os.environ.get("SUPPORT_SEED", "1"))
    print(f"   seed {seed}")
    chance = random.Random(seed)
    with Service("pool:\n  processes: 2\nworkshop:\n  processes: 2\n") as service:
        stop = time.monotonic() + float(os.environ.get("SYMGATE_KILL_SECONDS", "8"))
        done = []

        def client(number):
            count = 0
            while time.monotonic() < stop:
                request = request_for(symbols, chance.sample(PROGRAMS, 3))
                request["sources"][0]["id"] = f"s{number}-{count}"
                status, body = post_until_taken(service, request)
                if status != 200:
                    continue
                reply = json.loads(body)
                while reply["status"] == "pending":
                    reply = poll(service, reply["request_id"])
                assert reply["status"] == "completed", reply
                assert "outer" in functions(reply), reply
                count += 1
            done.append(count)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            clients = [pool.submit(client, number) for number in range(4)]
            killed = 0
            while time.monotonic() < stop:
                victims = [pid for pid, name in service.pids().items()
                           if name in ("front", "workshop", "keeper", "symgate-nursery", "symgate-cell")]
                if victims:
                    killed += kill(chance.choice(victims))
                time.sleep(chance.uniform(0.05, 0.4))  # the moment of the next kill is the point
            for one in clients:
                one.result(PATIENCE * 2)
        print(f"   {sum(done)} requests answered, {killed} processes killed")
        assert sum(done) > 0
        database = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        assert database.execute("pragma integrity_check").fetchone()[0] == "ok"
        eventually(lambda: database.execute(
            "select count(*) from job where state in ('queued', 'running')").fetchone()[0] == 0,
            "no job to be stuck")
        database.close()


def post_until_taken(service, request):
    """A front that is killed takes its connections along: the client asks again, as clients do."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            status, body = service.post(request, "?timeout=5")
            if status not in (500, 502, 503):
                return status, body
        except OSError:
            pass
        assert time.monotonic() < until, "no front took the request"
        time.sleep(0.05)


def poll(service, job_id):
    until = time.monotonic() + PATIENCE * 2
    while True:
        try:
            status, body = service.get(f"/requests/{job_id}?timeout=5")
            if status == 200:
                return json.loads(body)
            assert status in (500, 502, 503), f"job {job_id} is lost: {status}"
        except OSError:
            pass
        assert time.monotonic() < until, f"job {job_id} did not end"
        time.sleep(0.05)


def test_one_signal_ends_everything():
    symbols = serve_all()
    symbols.gate.clear()
    service = Service()
    service.start()
    service.post(request_for(symbols, PROGRAMS[:3]), "?timeout=0")
    eventually(lambda: {"front", "workshop", "keeper"} <= set(service.pids().values()), "every process")
    before = time.monotonic()
    os.killpg(service.process.pid, signal.SIGTERM)
    service.process.wait(PATIENCE)
    eventually(lambda: not service.pids(), "all processes to end")
    took = time.monotonic() - before
    assert took < stretched(5), f"stopping took {took:.1f} s"
    symbols.gate.set()


def test_descriptors_stay():
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n") as service:
        request = request_for(symbols, PROGRAMS[:2])
        service.answer(request)
        front = service.only("front").pop()

        def count():
            return len(os.listdir(f"/proc/{front}/fd"))
        for _ in range(200):
            service.post(request)
        before = count()
        for _ in range(2000):
            service.post(request)
        assert count() <= before + 2, (before, count())


def test_a_corrupt_database_is_told():
    with Service() as service:
        service.stop()
        for suffix in ("", "-wal", "-shm"):
            path = os.path.join(service.state, "symgate.db" + suffix)
            if os.path.exists(path):
                with open(path, "wb") as f:
                    f.write(b"this is no database" * 1000)
        service.start()
        assert service.get("/healthcheck") == (200, b"ok")
        status, body = service.get("/readyz")
        assert status == 503 and not json.loads(body)["database"]["ok"], (status, body)
        assert service.post({"stacktraces": []})[0] == 503
        eventually(lambda: re.search("corrupt|not a database", service.text_of_log()), "a word in the log")


def test_a_read_only_state_folder_is_told():
    if os.geteuid() == 0:
        print("   (root may write anywhere: the database file is made a folder instead)")
    with Service() as service:
        service.stop()
        for name in os.listdir(service.state):
            if name.startswith("symgate.db"):
                os.unlink(os.path.join(service.state, name))
        os.mkdir(os.path.join(service.state, "symgate.db"))
        service.start()
        status, body = service.get("/readyz")
        assert status == 503 and json.loads(body)["database"]["reason"], (status, body)
        os.rmdir(os.path.join(service.state, "symgate.db"))
        # Nobody asks meanwhile: a front that waits for a request has to notice all the same.
        eventually(lambda: service.text_of_log().count("front_recovered") ==
                   service.text_of_log().count("front_degraded"), "the service to recover by itself")
        assert service.get("/readyz")[0] == 200


def test_offline_uses_what_is_there():
    symbols = serve_all()
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        service.answer(request)
        hits = symbols.total()
        service.stop()
        with open(service.config, "a", encoding="utf-8") as f:
            f.write("offline: true\n")
        service.start()
        assert "outer" in functions(service.answer(request))
        reply = service.answer(request_for(symbols, PROGRAMS[1:2]))
        module = reply["modules"][0]
        assert module["debug_status"] == "fetching_failed", module
        assert module["candidates"][0]["download"]["details"] == "download failed: offline: nothing is fetched", module
        assert symbols.total() == hits, symbols.hits
        service.stop()
        with open(service.config, "w", encoding="utf-8") as f:
            f.write("offline: false\n")
        service.start()
        assert "outer" in functions(service.answer(request_for(symbols, PROGRAMS[1:2]))), "not remembered"


def test_prefetch_fills_the_caches():
    symbols = serve_all()
    with Service("connect_to_reserved_ips: true\n") as service:
        path = os.path.join(service.folder, "request.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(request_for(symbols, PROGRAMS[:3]), f)
        run = subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "prefetch", path],
                             capture_output=True, text=True)
        assert run.returncode == 0 and "3 of 3 modules are ready" in run.stdout, (run.stdout, run.stderr)
        hits = symbols.total()
        assert functions(service.answer(request_for(symbols, PROGRAMS[:3]))).count("outer") == 3
        assert symbols.total() == hits == 3, symbols.hits
        assert service.metric("symgate_jobs_submitted_total") in (None, 0), "it was hot"


BAD_REQUESTS = [
    # what, method, path, content type, body, status
    ("an unknown path", "GET", "/nowhere", None, None, 404),
    ("a wrong method", "GET", "/symbolicate", None, None, 405),
    ("no JSON by its type", "POST", "/symbolicate", "text/plain", b"{}", 415),
    ("no JSON", "POST", "/symbolicate", "application/json", b"{", 400),
    ("JSON of another shape", "POST", "/symbolicate", "application/json", b"[]", 422),
    ("invalid UTF-8", "POST", "/symbolicate", "application/json", b'{"platform":"\xff"}', 400),
    ("a bad timeout", "POST", "/symbolicate?timeout=x", "application/json", b"{}", 400),
    ("an unknown source", "POST", "/symbolicate", "application/json",
     b'{"sources":[{"type":"ftp","id":"x"}]}', 422),
    ("a huge number", "POST", "/symbolicate", "application/json",
     b'{"stacktraces":[{"frames":[{"instruction_addr":9007199254740993}]}]}', 200),
    ("a fraction", "POST", "/symbolicate", "application/json",
     b'{"stacktraces":[{"frames":[{"instruction_addr":1.5}]}]}', 422),
    ("another JSON type", "POST", "/symbolicate", "application/vnd.x+json; charset=utf-8", b"{}", 200),
]


def test_bad_requests_get_their_status():
    with Service("symbolicate_body_max_bytes: 100000\n") as service:
        for what, method, path, content_type, body, wanted in BAD_REQUESTS:
            headers = {"Content-Type": content_type} if content_type else {}
            status, reply, reply_headers = service.request(method, path, body, headers)
            assert status == wanted, (what, status, reply)
            if status == 405:
                assert reply_headers["Allow"], what
        status, _, _ = service.request("POST", "/symbolicate", b"[" * 100001, {"Content-Type": "application/json"})
        assert status == 413, status
        exact = json.loads(service.request("POST", "/symbolicate", BAD_REQUESTS[8][4],
                                           {"Content-Type": "application/json"})[1])
        assert exact["stacktraces"][0]["frames"][0]["instruction_addr"] == "0x20000000000001", exact


def test_bad_files_cost_their_module_only():
    symbols = serve_all()
    whole = symbols.files["/" + PROGRAMS[0].key()]
    symbols.files["/" + PROGRAMS[0].key()] = whole[:len(whole) // 3]
    symbols.files["/" + PROGRAMS[1].key()] = b"no debug file of any kind, but long enough"
    symbols.files["/" + PROGRAMS[2].key()] = b"\x28\xb5\x2f\xfd" + b"x" * 100
    with Service() as service:
        reply = service.answer(request_for(symbols, PROGRAMS[:5]))
        statuses = [module["debug_status"] for module in reply["modules"]]
        assert statuses[3:] == ["found", "found"], statuses
        assert set(statuses[:3]) <= {"malformed", "missing", "found"}, statuses
        assert statuses[1] == statuses[2] == "malformed", statuses
        assert functions(reply)[-1] == "outer", reply


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "service")

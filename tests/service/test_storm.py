"""test_storm -- more than the service can take, and limits from outside: nobody is lost, and whoever is
refused is told so by the service itself, with the time to come again.

SYMGATE_STORM_FACTOR makes the storms that many times larger.
"""
import asyncio
import contextlib
import json
import os
import resource
import signal
import tempfile
import threading

from service_tests import PATIENCE, Program, Service, Symbols, eventually, functions, request_for, run_all

FACTOR = float(os.environ.get("SYMGATE_STORM_FACTOR", "1"))

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-storm-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(3)]


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


# --- Many at once -------------------------------------------------------------------------------

class Reply:
    def __init__(self, raw):
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0].startswith("HTTP/") else None
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}

    def json(self):
        return json.loads(self.body)


async def exchange(port, method, path, body=b""):
    """One request on a connection of its own, read to its end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
    try:
        writer.write(head.encode() + body)
        await writer.drain()
        return Reply(await reader.read(-1))
    finally:
        writer.close()


def all_at_once(port, requests):
    """The replies to (method, path, body), all sent before any is waited for."""
    async def run():
        return await asyncio.gather(*(exchange(port, *request) for request in requests))
    return asyncio.run(run())


class Probe:
    """Asks for /healthcheck over and over, beside a storm."""

    def __init__(self, service):
        self.service, self.statuses, self.stop = service, [], threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop.is_set():
            self.statuses.append(self.service.get("/healthcheck")[0])
            self.stop.wait(0.01)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        assert set(self.statuses) == {200}, {one: self.statuses.count(one) for one in set(self.statuses)}


def check_refusals(replies):
    """Whoever is refused is told so by us, and when to come again."""
    for reply in replies:
        assert reply.status in (200, 503), (reply.status, reply.body[:200])
        if reply.status == 503:
            assert int(reply.headers["retry-after"]) > 0, reply.headers
            assert reply.json()["detail"], reply.body


def cold_body(symbols, name):
    request = request_for(symbols, PROGRAMS[:1])
    request["sources"][0]["id"] = name
    return json.dumps(request).encode()


def check_it_ends(service, identity):
    def ended():
        status, body = service.get(f"/requests/{identity}?timeout=5")
        assert status == 200, (identity, status)
        return json.loads(body)["status"] != "pending" and json.loads(body)
    reply = eventually(ended, f"job {identity} to end")
    assert reply["status"] == "completed", reply


def test_cold_requests_all_at_once():
    """Each is taken or refused by us; whoever is refused comes again and is taken; none is lost."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\nmax_concurrent_requests: 100\n") as service:
        count = int(2000 * FACTOR)
        bodies = [cold_body(symbols, f"storm{number}") for number in range(count)]
        symbols.gate.clear()
        with Probe(service):
            replies = all_at_once(service.port, [("POST", "/symbolicate?timeout=0", body) for body in bodies])
        check_refusals(replies)
        taken = [reply.json()["request_id"] for reply in replies if reply.status == 200]
        assert 0 < len(taken) <= 100 and len(taken) < count, len(taken)
        symbols.gate.set()
        for identity in taken:
            check_it_ends(service, identity)
        refused = [body for body, reply in zip(bodies, replies) if reply.status == 503]
        for body in refused[:50]:
            assert functions(service.answer(json.loads(body)))[-1] == "outer"
        eventually(lambda: service.metric("symgate_requests_waiting") == 0, "nobody to wait")
        assert "was ended by signal" not in service.text_of_log()


def test_many_parked():
    """All wait for one download, each with its connection; all get the answer."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\nmax_concurrent_requests: null\n") as service:
        count = int(1000 * FACTOR)
        body = cold_body(symbols, "parked")
        symbols.gate.clear()

        def let_go():
            eventually(lambda: service.metric("symgate_requests_parked") == count, "all to be parked")
            symbols.gate.set()
        opener = threading.Thread(target=let_go)
        opener.start()
        with Probe(service):
            replies = all_at_once(service.port, [("POST", "/symbolicate", body)] * count)
        opener.join()
        for reply in replies:
            assert reply.status == 200 and reply.json()["status"] == "completed", (reply.status, reply.body[:200])
        eventually(lambda: service.metric("symgate_requests_parked") == 0, "nobody to be parked")


def test_no_place_to_park():
    """Beyond pool.parked the answer is `pending`, not a refusal."""
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n  parked: 10\n") as service:
        body = cold_body(symbols, "parked")
        symbols.gate.clear()
        async def run():
            asking = [asyncio.create_task(exchange(service.port, "POST", "/symbolicate", body)) for _ in range(40)]
            until = asyncio.get_running_loop().time() + PATIENCE
            while sum(task.done() for task in asking) < 30 and asyncio.get_running_loop().time() < until:
                await asyncio.sleep(0.02)
            symbols.gate.set()                   # those who find no place have been told
            return await asyncio.gather(*asking)
        replies = asyncio.run(run())
        statuses = [reply.json()["status"] for reply in replies]
        assert set(reply.status for reply in replies) == {200}, replies
        assert statuses.count("pending") >= 30 and "completed" in statuses, statuses
        for reply in replies:
            if reply.json()["status"] == "pending":
                check_it_ends(service, reply.json()["request_id"])


def test_reloads_in_a_storm():
    """Processes come and go while more is asked than they have threads for: none is lost."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\n  threads: 1\n") as service:
        hot = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        whole = service.answer(json.loads(hot))

        def fronts():
            return {pid for pid, name in service.pids().items() if name == "front"}

        async def run():
            done = asyncio.Event()

            async def ask_on():
                while not done.is_set():
                    reply = await exchange(service.port, "POST", "/symbolicate", hot)
                    check_refusals([reply])
                    assert reply.status == 503 or reply.json() == whole, reply.body[:200]
            asking = [asyncio.create_task(ask_on()) for _ in range(32)]
            for _ in range(int(4 * FACTOR)):
                old = await asyncio.to_thread(fronts)
                os.kill(await asyncio.to_thread(service.master), signal.SIGUSR2)
                await asyncio.to_thread(eventually, lambda: not old & fronts(), "the old fronts to leave")
            done.set()
            await asyncio.gather(*asking)
        with Probe(service):
            asyncio.run(run())


# --- Large bodies -------------------------------------------------------------------------------

def large_body(symbols, megabytes):
    """Frames nobody can find: parsed, looked at one by one and answered."""
    request = request_for(symbols, PROGRAMS[:1])
    frame = {"instruction_addr": "0x7f0000000001", "function": "f" * 40, "package": "/usr/lib/nowhere.so"}
    request["stacktraces"] *= 1 + int(megabytes * 1024 * 1024 / len(json.dumps(frame)) / 1000)
    request["stacktraces"] = [{"frames": [frame] * 1000}] * len(request["stacktraces"])
    return json.dumps(request).encode()


def test_large_bodies_hold_up_nobody():
    """Small requests, polls and health are answered while large ones are under way."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\n") as service:
        small = json.dumps(request_for(symbols, PROGRAMS[:1])).encode()
        whole = service.answer(json.loads(small))
        body = large_body(symbols, 4 * FACTOR)

        async def run():
            done = asyncio.Event()

            async def ask_on():
                replies = []
                while not done.is_set():
                    replies.append(await exchange(service.port, "POST", "/symbolicate", body))
                return replies
            large = [asyncio.create_task(ask_on()) for _ in range(12)]
            while (await asyncio.to_thread(service.metric, "symgate_requests_waiting")) == 0:
                await asyncio.sleep(0.01)
            for _ in range(5):
                for request in (("POST", "/symbolicate", small), ("GET", "/healthcheck"), ("GET", "/readyz"),
                                ("GET", "/requests/00000000-0000-0000-0000-000000000000")):
                    reply = await asyncio.wait_for(exchange(service.port, *request), PATIENCE)
                    assert reply.status == (404 if request[1].startswith("/requests") else 200), reply.status
                    if request[0] == "POST":
                        assert reply.json() == whole
            done.set()
            return [reply for replies in await asyncio.gather(*large) for reply in replies]
        replies = asyncio.run(run())
        check_refusals(replies)
        assert {reply.status for reply in replies} == {200}, [reply.status for reply in replies]
        eventually(lambda: service.metric("symgate_requests_waiting") == 0, "nobody to wait")


def test_too_many_large_bodies_are_refused():
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n  large_waiting: 2\n") as service:
        body = large_body(symbols, 2)
        replies = []

        def are_too_many():                      # not where they are sent one after the other
            replies.extend(all_at_once(service.port, [("POST", "/symbolicate", body)] * 12))
            return any(reply.status == 503 for reply in replies)
        eventually(are_too_many, "some to be refused")
        check_refusals(replies)
        statuses = [reply.status for reply in replies]
        assert statuses.count(200) >= 3 and 503 in statuses, statuses
        assert b"pool.large_waiting" in next(reply.body for reply in replies if reply.status == 503)


def test_a_body_of_nothing_but_modules():
    """400,000 of them need more memory than a request may have: that request is refused, nobody dies."""
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n") as service:
        front = service.only("front")
        many = json.dumps({"stacktraces": [{"frames": []}], "modules": [{"type": "elf", "image_addr": "0x10000"}]})
        module = '{"type":"elf","image_addr":"0x1"},'
        body = many.replace('"modules": [', '"modules": [' + module * 400000).encode()
        for _ in range(3):
            reply = all_at_once(service.port, [("POST", "/symbolicate", body)])[0]
            assert reply.status in (200, 413), (reply.status, reply.body[:200])
        assert service.of_kind("front") == front
        assert functions(service.answer(request_for(symbols, PROGRAMS[:1])))[-1] == "outer"


# --- Limits from outside ------------------------------------------------------------------------

def test_no_process_leaves_a_core_file():
    symbols = serve_all()
    with Service() as service:
        assert functions(service.answer(request_for(symbols, PROGRAMS[:1])))[-1] == "outer"
        wanted = {"front", "workshop", "keeper", "symgate-nursery"}
        eventually(lambda: wanted <= set(service.pids().values()), "every process")
        seen = set()
        for pid, name in ours(service):
            with contextlib.suppress(ProcessLookupError):   # a cell that has ended
                assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0), name
                seen.add(name)
        assert wanted <= seen, seen


def ours(service):
    return [(pid, name) for pid, name in service.pids().items() if name not in ("sh", "lighttpd")]


def limit_files(service, size):
    for pid, _ in ours(service):
        with contextlib.suppress(ProcessLookupError):
            hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size if size else hard, hard))


def test_files_that_may_not_grow():
    """`ulimit -f` is a write that fails, not a signal that ends whoever writes."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\nlimits:\n  job_time: 60s\n") as service:
        whole = service.answer(request_for(symbols, PROGRAMS[:1]))
        for size in (0x1000, 0x4000, 0x10000, 0x40000):
            limit_files(service, size)
            for number in range(4):
                request = request_for(symbols, PROGRAMS[1:])
                request["sources"][0]["id"] = f"s{size}-{number}"
                status, body, _ = service.request("POST", "/symbolicate?timeout=0", json.dumps(request),
                                                  {"Content-Type": "application/json"})
                assert status in (200, 503), (status, body)
            limit_files(service, None)
            eventually(lambda: service.post(request_for(symbols, PROGRAMS[:1]))[0] == 200,
                       "the service to answer again")
            assert service.answer(request_for(symbols, PROGRAMS[:1])) == whole
            reply = service.answer(request)
            assert functions(reply) == ["inner", "outer"] * 2, (size, reply)
        assert "was ended by signal" not in service.text_of_log(), service.text_of_log()


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)],
            "storm")

"""test_storm -- more than the service can take, and limits from outside: nobody is lost, and whoever is
refused is told so by the service itself, with the time to come again.

SYMGATE_STORM_FACTOR makes the storms that many times larger.
"""
import json
import os
import resource
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from house_of_tests import Program, Service, Symbols, eventually, functions, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-storm-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(3)]


def serve_all():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    return symbols


# --- Limits from outside ------------------------------------------------------------------------

def test_no_process_leaves_a_core_file():
    symbols = serve_all()
    with Service() as service:
        assert functions(service.answer(request_for(symbols, PROGRAMS[:1])))[-1] == "outer"
        pids = {pid: name for pid, name in service.pids().items() if name not in ("sh", "lighttpd")}
        assert {"front", "workshop", "keeper", "symgate-nursery"} <= set(pids.values()), pids
        for pid, name in pids.items():
            assert resource.prlimit(pid, resource.RLIMIT_CORE) == (0, 0), name


def limit_files(service, size):
    for pid, name in service.pids().items():
        if name not in ("sh", "lighttpd"):
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

#!/usr/bin/env python3
"""test_refresh -- what is outdated, or might be better by now, is made again behind the answers.

usage: test_refresh.py [TEST ...]        environment: SYMGATE (the program)

An upgrade is seen from outside: rows get the version before, blobs move to its folder.  Time
passes by setting it back in the rows.
"""
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile

from service_tests import Program, Service, Symbols, eventually, free_port, functions, kill, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-programs-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(4)]
LONG_MISSES = ("caches:\n  downloaded: {retry_misses_after: 10d}\n"
               "  derived: {retry_misses_after: 10d, max_lazy_recomputations: %d}\n")
REFRESHED = 'symgate_refreshes_total{category="derived"}'
REFUSED = 'symgate_refreshes_refused_total{category="derived"}'


class Database:
    """The service's own, as an operator would open it."""

    def __init__(self, service):
        self.path = os.path.join(service.state, "symgate.db")

    def ask(self, sql):
        connection = sqlite3.connect(self.path, timeout=30)
        try:
            with connection:
                return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def versions(self):
        """Of every SymCache: 0 is the current one, -1 the one before."""
        return [version - self.current for version, in
                self.ask("SELECT version FROM cache_entry WHERE kind = 'symcaches'")]


def blobs(service, kind, version):
    top = os.path.join(service.state, "cache", kind, version)
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names)


def make_outdated(service, keep_objects=True):
    """Every SymCache is of the version before; the service finds it so at its next start."""
    service.stop()
    database = Database(service)
    database.current = max(version for version, in database.ask("SELECT version FROM cache_entry WHERE kind = 'symcaches'"))
    database.ask("UPDATE cache_entry SET version = version - 1 WHERE kind = 'symcaches'")
    if not keep_objects:
        database.ask("DELETE FROM cache_entry WHERE kind = 'objects'")
    symcaches = os.path.join(service.state, "cache", "symcaches")
    old, new = (os.path.join(symcaches, f"v{database.current - before}") for before in (1, 0))
    shutil.rmtree(old, ignore_errors=True)
    os.rename(new, old)
    service.start()
    return database


def answered_at_once(service, request):
    status, body = service.post(request, "?timeout=0")
    reply = json.loads(body)
    assert status == 200 and reply["status"] == "completed", (status, body[:200])
    return reply


def serve(programs):
    symbols = Symbols()
    for program in programs:
        symbols.add(program)
    return symbols


def test_an_upgrade_answers_at_once_and_makes_new_ones():
    symbols = serve(PROGRAMS)
    with Service() as service:
        request = request_for(symbols, PROGRAMS)
        before = service.answer(request)
        hits = symbols.total()
        database = make_outdated(service)
        refreshed = service.metric(REFRESHED)
        assert answered_at_once(service, request) == before
        eventually(lambda: database.versions() == [0] * 4, "new SymCaches")
        eventually(lambda: not blobs(service, "symcaches", f"v{database.current - 1}"), "the old ones to go")
        assert len(blobs(service, "symcaches", f"v{database.current}")) == 4, "a new format must not double the disk"
        eventually(lambda: service.metric(REFRESHED) - refreshed == 4, "four to be counted")
        assert service.metric(REFUSED) == 0
        assert symbols.total() == hits, "the objects were there"
        assert answered_at_once(service, request) == before
        eventually(lambda: service.metric("symgate_jobs_live") == 0, "the refresh to end")
        kinds = database.ask("SELECT kind, state FROM job ORDER BY seq")
        assert kinds[-1] == ("refresh-symbolicate", "completed"), kinds


def test_answers_do_not_wait_for_slow_refreshes():
    symbols = serve(PROGRAMS)
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:2])
        before = service.answer(request)
        hits = symbols.total()
        database = make_outdated(service, keep_objects=False)
        symbols.gate.clear()
        for _ in range(3):
            assert answered_at_once(service, request) == before
        eventually(lambda: symbols.total() == hits + 2, "the downloads to begin")
        assert answered_at_once(service, request) == before
        assert database.versions() == [-1, -1]
        symbols.gate.set()
        eventually(lambda: database.versions() == [0, 0], "new SymCaches")
        assert symbols.total() == hits + 2, "one at a time for each key"
        assert answered_at_once(service, request) == before


def test_refreshes_take_no_places_of_requests():
    symbols = serve(PROGRAMS)
    with Service("max_concurrent_requests: 1\n") as service:
        service.answer(request_for(symbols, PROGRAMS[:1]))
        make_outdated(service, keep_objects=False)
        symbols.gate.clear()
        answered_at_once(service, request_for(symbols, PROGRAMS[:1]))
        eventually(lambda: service.metric("symgate_jobs_running") == 1, "the refresh to begin")
        status, body = service.post(request_for(symbols, PROGRAMS[1:2]), "?timeout=0")
        assert status == 200 and json.loads(body)["status"] == "pending", (status, body)
        assert service.post(request_for(symbols, PROGRAMS[2:3]), "?timeout=0")[0] == 503
        symbols.gate.set()


def test_the_budget_is_kept():
    symbols = serve(PROGRAMS)
    with Service(LONG_MISSES % 1) as service:
        request = request_for(symbols, PROGRAMS)
        before = service.answer(request)
        database = make_outdated(service, keep_objects=False)
        hits, refused = symbols.total(), service.metric(REFUSED)
        symbols.gate.clear()
        assert answered_at_once(service, request) == before
        eventually(lambda: service.metric(REFUSED) == refused + 3, "three refusals")
        eventually(lambda: symbols.total() == hits + 1, "the one download")
        symbols.gate.set()
        eventually(lambda: sorted(database.versions()) == [-1, -1, -1, 0], "one new SymCache")
        for left in (2, 1, 0):  # another life asks at once, this one in a minute
            service.stop()
            service.start()
            answered_at_once(service, request)
            eventually(lambda: database.versions().count(-1) == left, f"{left} left")


def test_a_killed_refresh_is_taken_up_again():
    symbols = serve(PROGRAMS)
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        before = service.answer(request)
        database = make_outdated(service, keep_objects=False)
        hits = symbols.total()
        symbols.gate.clear()
        answered_at_once(service, request)
        eventually(lambda: symbols.total() > hits, "the download to begin")
        for pid in service.of_kind("workshop"):
            kill(pid)
        assert database.versions() == [-1]
        symbols.gate.set()
        # The leases of the dead run out first.
        eventually(lambda: database.versions() == [0], "a new SymCache")
        assert answered_at_once(service, request) == before


def test_a_failed_refresh_leaves_the_old():
    symbols = serve(PROGRAMS)
    with Service() as service:
        request = request_for(symbols, PROGRAMS[:1])
        before = service.answer(request)
        database = make_outdated(service, keep_objects=False)
        symbols.files.clear()
        answered_at_once(service, request)
        eventually(lambda: database.ask(f"SELECT version - {database.current}, state FROM cache_entry WHERE "
                                        "kind = 'symcaches' ORDER BY version") == [(-1, "ready"), (0, "not_found")],
                   "the failure")
        hits = symbols.total()
        service.stop()
        service.start()
        assert answered_at_once(service, request) == before
        eventually(lambda: service.metric("symgate_jobs_live") == 0, "nothing under way")
        assert symbols.total() == hits, "a failure is remembered"


# --- Better candidates ---------------------------------------------------------------------


def two_places(stripped_second=True):
    """The first source lacks the file; the second has it, perhaps without debug information."""
    first, second = Symbols(), Symbols()
    second.add(PROGRAMS[0])
    if stripped_second:
        stripped = os.path.join(FOLDER.name, "stripped")
        subprocess.run(["objcopy", "--strip-debug", PROGRAMS[0].path, stripped], check=True)
        with open(stripped, "rb") as f:
            second.files["/" + PROGRAMS[0].key()] = f.read()
    request = request_for(first, PROGRAMS[:1])
    request["sources"] = [first.source("first"), second.source("second")]
    return first, second, request


def hours_pass(service, hours):
    database = Database(service)
    service.stop()
    database.ask(f"UPDATE cache_entry SET made_at = made_at - {hours} * 3600, used_at = used_at - {hours} * 3600")
    service.start()
    return database


def has_lines(reply):
    return any(frame.get("lineno") for frame in reply["stacktraces"][0]["frames"])


def test_symbols_alone_are_upgraded():
    first, _, request = two_places()
    with Service(LONG_MISSES % 20) as service:
        before = service.answer(request)
        assert "outer" in functions(before) and not has_lines(before), before
        first.add(PROGRAMS[0])
        assert answered_at_once(service, request) == before
        assert first.total() == 1, "not before an hour has passed"
        hours_pass(service, 2)
        assert answered_at_once(service, request) == before, "the old answer, without waiting"
        eventually(lambda: has_lines(service.answer(request)), "the better file to count")
        assert first.total() == 2, first.hits
        eventually(lambda: service.metric("symgate_jobs_live") == 0, "nothing under way")
        assert has_lines(answered_at_once(service, request))


def test_upgrades_are_tried_hourly_at_most():
    first, _, request = two_places()
    with Service(LONG_MISSES % 20) as service:
        before = service.answer(request)
        for attempts in (2, 3):
            database = hours_pass(service, 1)
            assert answered_at_once(service, request) == before
            eventually(lambda: first.total() == attempts, "another attempt")
            eventually(lambda: database.ask("SELECT count(*) FROM cache_entry WHERE state = 'not_found' "
                                            "AND made_at > unixepoch() - 1800")[0][0] == 2, "it to be remembered")
            for _ in range(3):
                assert answered_at_once(service, request) == before
            service.stop()
            service.start()
            assert answered_at_once(service, request) == before
            eventually(lambda: service.metric("symgate_jobs_live") == 0, "nothing under way")
            assert first.total() == attempts, first.hits


def test_sources_that_merely_lack_a_file_are_left_alone():
    first, _, request = two_places(stripped_second=False)
    with Service(LONG_MISSES % 20) as service:
        before = service.answer(request)
        assert has_lines(before), before
        hours_pass(service, 10)
        assert answered_at_once(service, request) == before
        assert service.metric(REFRESHED) == 0 and first.total() == 1, first.hits


def test_sources_that_failed_for_the_moment_are_asked_again():
    _, _, request = two_places(stripped_second=False)
    port = free_port()                           # where nobody listens
    request["sources"][0]["url"] = f"http://127.0.0.1:{port}/"
    with Service(LONG_MISSES % 20) as service:
        before = service.answer(request)
        assert has_lines(before), before
        failed = [c["download"]["status"] for c in before["modules"][0]["candidates"] if c["source"] == "first"]
        assert failed == ["error"], before["modules"]
        database = hours_pass(service, 2)
        assert answered_at_once(service, request) == before
        eventually(lambda: service.metric(REFRESHED) == 1, "another attempt")
        eventually(lambda: database.ask("SELECT count(*) FROM cache_entry WHERE state = 'download' AND "
                                        "made_at < unixepoch() - 1800")[0][0] == 0, "it to be remembered")
        assert answered_at_once(service, request)["modules"][0]["debug_status"] == "found", port


run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "test_refresh")

#!/usr/bin/env python3
"""What the service did, over time: samples of each minute, hosts that were left alone.

usage: test_history.py [TEST]...       SYMGATE names the binary; gcc is needed
"""
import os
import sqlite3
import tempfile
import time

from service_tests import PATIENCE, Program, Service, Symbols, eventually, free_port, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-history-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(4)]


def rows(service, sql):
    connection = sqlite3.connect(os.path.join(service.state, "symgate.db"))
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def ask_in_one_minute(symbols, service):
    """Twice, and not across a minute's end: then it would be two samples."""
    if time.time() % 60 > 45:
        time.sleep(60.5 - time.time() % 60)
    minute = time.time() // 60
    for _ in range(2):
        service.post(request_for(symbols, PROGRAMS[:2]))
    # What is still being counted is.
    eventually(lambda: service.metric("symgate_jobs_live") == 0, "the job to end")
    return time.time() // 60 == minute


def test_a_minute_is_sampled():
    symbols = Symbols()
    for program in PROGRAMS:
        symbols.add(program)
    for _ in range(5):
        with Service() as service:
            eventually(lambda: rows(service, "SELECT 1 FROM boot"), "the keeper runs")
            if ask_in_one_minute(symbols, service):
                return check_sample(service)
    raise AssertionError("two requests take more than a minute")


def check_sample(service):
    time.sleep(60 - time.time() % 60)
    sample = eventually(lambda: rows(service, "SELECT asked, cold, jobs_completed, downloads_ok, timed, seconds, "
                                     "node, p99_millis FROM sample WHERE span = 60 AND asked > 0"), "a sample")
    assert len(sample) == 1, sample
    asked, cold, jobs, downloads, timed, seconds, node, slowest = sample[0]
    assert (asked, cold, jobs, downloads) == (2, 1, 1, 2), sample
    assert timed >= 2 and 1 <= seconds <= 60 + PATIENCE and node and slowest >= 1, sample
    assert rows(service, "SELECT hot_percent FROM v_samples WHERE minutes = 60 AND hot_percent IS NOT NULL") == [(50.0,)]
    assert len(rows(service, "SELECT DISTINCT span FROM sample")) == 3


def test_a_host_that_fails_is_told_of():
    request = request_for(Symbols(), PROGRAMS[:1])
    for source in request["sources"]:
        source["url"] = f"http://127.0.0.1:{free_port()}/"      # where nobody listens
    with Service("deny_list_threshold: 1\nconnect_to_reserved_ips: true\n") as service:
        service.post(request)
        found = eventually(lambda: rows(service, "SELECT host, state, named_by, source, retry_in_seconds > 3500, owner "
                                        "FROM v_host_state"), "a row")
        assert found == [("127.0.0.1", "open", "request", "test", 1, found[0][5])], found
        assert found[0][5].startswith("workshop-"), found
        path = os.path.join(service.state, "symgate.db")
        service.stop()
        connection = sqlite3.connect(path)
        assert connection.execute("SELECT count(*) FROM host_state").fetchone() == (0,), "they go with the workshop"
        connection.close()


run_all([value for name, value in list(globals().items()) if name.startswith("test_")], "test_history")

#!/usr/bin/env python3
"""test_state -- full disks, lost and damaged state, long locks, under load and on every deployment.

A disk of a few megabytes needs a mount: the tests run again in a user namespace of their own,
where the kernel lets them; where it does not, those that need it are skipped by name.

usage: test_state.py [TEST ...]        environment: SYMGATE (the program)
"""
import concurrent.futures
import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "service"))
import test_deploy  # noqa: E402
from service_tests import PATIENCE, SYMGATE, Service, eventually, functions, request_for, run_all
from test_deploy import PROGRAMS, serve_all

DISK_BYTES = 100 << 20       # more than /readyz wants to see free
SMALL = "SYMGATE_SMALL_DISKS"
DISKS = ("state", "cache", "spool")


class Disk:
    """A file system of its own, to be filled to the last byte and emptied."""

    def __init__(self, name):
        self.folder = os.path.join(os.environ[SMALL], name)
        self.filler = os.path.join(self.folder, "filler")

    def fresh(self):
        for name in os.listdir(self.folder):
            path = os.path.join(self.folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        return self.folder

    def fill(self):
        size = DISK_BYTES
        with open(self.filler, "ab") as f:
            while size:
                try:
                    os.posix_fallocate(f.fileno(), os.path.getsize(self.filler), size)
                except OSError:
                    size //= 2

    def empty(self):
        if os.path.exists(self.filler):
            os.unlink(self.filler)


def small_disks_or_skip(name):
    if SMALL in os.environ:
        return True
    counts = os.environ.get("SUPPORT_COUNTS")
    if counts:
        with open(counts, "a", encoding="ascii") as f:
            f.write(f"0 0 {name} skipped\n")
    print(f"   skipped {name}: no user namespace to mount a small disk in")
    return False


def database_of(state):
    return sqlite3.connect(os.path.join(state, "symgate.db"), timeout=30)


def ask_sql(state, sql):
    database = database_of(state)
    try:
        return database.execute(sql).fetchall()
    finally:
        database.close()


def cold(symbols, program, name):
    request = request_for(symbols, [program])
    request["sources"][0]["id"] = name
    return request


def ready(service):
    """What /readyz says; nothing where the web server answers by itself, while no front is there."""
    status, body = service.get("/readyz")
    return status, json.loads(body) if body[:1] == b"{" else {}


# --- What holds whatever happened ---------------------------------------------------------

def check_reply_is_whole(reply):
    """What is our own failure is no part of any answer: it is whole, or there is none yet."""
    assert reply["status"] == "completed", reply
    assert reply["modules"][0]["debug_status"] == "found", reply
    assert functions(reply)[-1] == "outer", reply
    assert all(frame.get("lineno") for frame in reply["stacktraces"][0]["frames"]), reply
    return True


def check_nothing_is_left(service):
    """No job is stuck, rows and blobs agree, and after a round of the keeper nothing lies about."""
    eventually(lambda: service.metric("symgate_jobs_live") == 0, "no job to be left")
    assert ask_sql(service.state, "PRAGMA integrity_check") == [("ok",)]
    cache = os.path.realpath(os.path.join(service.state, "cache"))
    spool = os.path.realpath(os.path.join(service.state, "spool"))
    long_ago = time.time() - 300                 # less than a round of the keeper
    for top in (cache, spool):
        for folder, _, names in os.walk(top):
            for name in names:
                with contextlib.suppress(FileNotFoundError):        # gone meanwhile
                    os.utime(os.path.join(folder, name), (long_ago, long_ago))
    subprocess.run([SYMGATE, "-c", service.config, "--state-dir", service.state, "cleanup"], check=True,
                   stdout=subprocess.DEVNULL, timeout=PATIENCE)
    known = {f"{digest[:2]}/{digest[2:]}" for digest, in ask_sql(
        service.state, "SELECT lower(hex(hash)) FROM cache_entry WHERE state = 'ready'")}
    blobs = {os.path.relpath(os.path.join(folder, name), cache) for folder, _, names in os.walk(cache) for name in names}
    lost = [blob for blob in blobs if "/".join(blob.split("/")[-2:]) not in known]
    assert not lost, lost
    results = {f"{name}.result" for name, in ask_sql(
        service.state, "SELECT id FROM job WHERE result_bytes IS NOT NULL")}
    files = set(os.listdir(spool)) if os.path.isdir(spool) else set()
    assert files <= results, files - results


def check_answered_once(service, identities):
    """A result that is there stays what it is."""
    for identity in identities:
        first, second = (service.get(f"/requests/{identity}?timeout=5") for _ in range(2))
        assert first == second and first[0] == 200, (identity, first, second)


# --- Full disks ------------------------------------------------------------------------------

class Load:
    """Cold and hot requests, all the time; notes what they got."""

    def __init__(self, service, symbols, clients=4, statuses=(200, 503)):
        self.service, self.symbols, self.statuses = service, symbols, statuses
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.whole = self.refused = self.number = 0
        self.identities = set()
        self.pool = concurrent.futures.ThreadPoolExecutor(clients)
        self.clients = [self.pool.submit(self.ask_on, number) for number in range(clients)]

    def ask_on(self, client):
        count = 0
        while not self.stop.is_set():
            count += 1
            program = PROGRAMS[count % len(PROGRAMS)]
            status, body = self.service.post(cold(self.symbols, program, f"load{client}-{count}"), "?timeout=2")
            assert status in self.statuses, (status, body)
            if status not in (200, 503):
                continue
            reply = json.loads(body)             # whole, whatever it says
            with self.lock:
                self.number += 1
                if status == 503:
                    assert reply["detail"], body
                    self.refused += 1
                elif reply["status"] == "pending":
                    self.identities.add(reply["request_id"])
                elif check_reply_is_whole(reply):
                    self.whole += 1

    def beyond(self, name, more):
        value = getattr(self, name) + more
        return lambda: self.failure() or getattr(self, name) >= value

    def failure(self):
        for client in self.clients:
            if client.done():
                client.result()
        return False

    def end(self):
        self.stop.set()
        for client in self.clients:
            client.result(PATIENCE)
        self.pool.shutdown()


def service_on(which):
    """A service whose state, cache or spool is a small disk."""
    disk = Disk(which)
    place = disk.fresh()
    if which == "state":
        return disk, Service(state=os.path.join(place, "state"))
    service = Service()
    os.makedirs(service.state, mode=0o700)
    os.symlink(place, os.path.join(service.state, which))
    return disk, service


def check_full_disk(which, told_by_ready):
    symbols = serve_all()
    disk, service = service_on(which)
    with service:
        hot = request_for(symbols, PROGRAMS[:1])
        whole = service.post(hot)
        load = Load(service, symbols)
        try:
            eventually(load.beyond("whole", 8), "answers")
            disk.fill()
            eventually(load.beyond("number", 12), "answers on a full disk")
            eventually(lambda: load.failure() or load.refused + len(load.identities) > 0, "somebody to notice")
            assert service.get("/healthcheck") == (200, b"ok")
            assert service.post(hot) == whole, "what is known is served"
            status, said = ready(service)
            assert (status == 503) == told_by_ready, (status, said)
            assert not told_by_ready or "reason" in json.dumps(said), said
            disk.empty()
            eventually(lambda: ready(service)[0] == 200, "the service to recover by itself")
            eventually(load.beyond("whole", 8), "whole answers again")
        finally:
            disk.empty()
            load.end()
        log = service.text_of_log()
        assert re.search(r"full|No space left", log), log
        assert "crash frame" not in log and " was ended by signal " not in log, log
        # What failed for want of room was no fact about the file.
        for program in PROGRAMS:
            assert check_reply_is_whole(service.answer(cold(symbols, program, "load0-1"))), program
        for identity in load.identities:
            test_deploy.check_ended(service, identity, f"job {identity} to end")
        check_answered_once(service, load.identities)
        check_nothing_is_left(service)


def test_a_full_state_disk():
    if small_disks_or_skip("full-state-disk"):
        check_full_disk("state", True)


def test_a_full_cache_disk():
    if small_disks_or_skip("full-cache-disk"):
        check_full_disk("cache", True)


def test_a_full_spool_disk():
    if small_disks_or_skip("full-spool-disk"):
        check_full_disk("spool", True)


# --- Lost and damaged state -------------------------------------------------------------------

def waiting_job(service, symbols, program, name):
    symbols.gate.clear()
    hits = symbols.total()
    reply = json.loads(service.post(cold(symbols, program, name), "?timeout=0")[1])
    eventually(lambda: symbols.total() > hits, "the download to begin")
    return reply["request_id"]


def test_a_log_that_vanishes():
    """Everything committed is kept, and the job under way ends."""
    symbols = serve_all()
    with Service("pool:\n  processes: 2\nworkshop:\n  processes: 2\n") as service:
        for suffix in ("-wal", "-shm"):
            symbols.gate.set()
            hot = cold(symbols, PROGRAMS[0], f"before{suffix}")
            whole = service.post(hot)
            identity = waiting_job(service, symbols, PROGRAMS[1], f"under{suffix}")
            jobs = ask_sql(service.state, "SELECT count(*) FROM job")
            old = set(service.pids())
            os.unlink(os.path.join(service.state, "symgate.db" + suffix))
            # Replaced, once the first process has opened it anew.
            words = f"symgate.db{suffix} was (removed|replaced) while it was in use"
            status, said = ready(service)
            # Or one of them was quicker than we, and whoever answered has opened anew.
            assert status == 503 and re.search(words, json.dumps(said)) or old - set(service.pids()), said
            eventually(lambda: not [pid for pid, name in service.pids().items()
                                    if pid in old and name in ("front", "workshop", "keeper")],
                       "every process to open anew")
            eventually(lambda: ready_again(service), "the service to recover by itself")
            symbols.gate.set()
            test_deploy.check_ended(service, identity, "the job under way")
            # The other front may need a moment more.
            eventually(lambda: service.post(hot) == whole, "what was known to be known again")
            assert ask_sql(service.state, "SELECT count(*) FROM job") == jobs
            assert re.search(words, service.text_of_log()), service.text_of_log()
        assert functions(service.answer(cold(symbols, PROGRAMS[2], "after")))[-1] == "outer"
        check_nothing_is_left(service)


def ready_again(service):
    """503 comes as JSON from a front, or from the web server while none is there."""
    try:
        return service.get("/readyz")[0] == 200
    except OSError:
        return False


def empty_state(state):
    """All that is ours, but for what is made meanwhile; deploy/serve keeps its web server's files in run/."""
    for name in os.listdir(state):
        path = os.path.join(state, name)
        if name == "run":
            continue
        try:
            shutil.rmtree(path, ignore_errors=True) if os.path.isdir(path) else os.unlink(path)
        except FileNotFoundError:
            pass


def test_a_state_folder_that_is_emptied():
    symbols = serve_all()
    with Service("pool:\n  processes: 2\nworkshop:\n  processes: 2\n") as service:
        service.answer(request_for(symbols, PROGRAMS[:2]))
        # Without a front the web server says 500 by itself; a job that went with the folder is unknown.
        load = Load(service, symbols, 2, (200, 404, 500, 503))
        try:
            for _ in range(3):
                eventually(load.beyond("whole", 4), "answers")
                old = {pid for pid, name in service.pids().items() if name in ("front", "workshop", "keeper")}
                empty_state(service.state)
                eventually(lambda: not old & set(service.pids()), "every process to open anew")
                load.identities.clear()          # they went with the folder
        except AssertionError:
            print(service.text_of_log()[-6000:])
            raise
        finally:
            load.stop.set()
        load.end()
        eventually(lambda: ready_again(service), "the service to recover by itself")
        assert re.search(r"symgate.db was (removed|replaced) while it was in use", service.text_of_log())
        for number in range(4):
            assert check_reply_is_whole(service.answer(cold(symbols, PROGRAMS[number], "after"))), number
        check_nothing_is_left(service)


def overwrite(path, how):
    with open(path, "r+b") as f:
        size = os.path.getsize(path)
        if how == "all":
            f.write(random.Random(1).randbytes(size))
        else:                                    # the pages, with a heading that is right
            f.seek(4096)
            f.write(random.Random(2).randbytes(max(0, size - 4096)))


def documented_command(words):
    """What the words of the service say one has to type."""
    command = re.search(r"stop the service, then: symgate (--state-dir .*? repair);", words)
    assert command, words
    return f"{SYMGATE} {command.group(1)}"


def test_a_damaged_database_and_the_way_out():
    symbols = serve_all()
    for how, running in (("all", True), ("pages", True), ("all", False), ("pages", False)):
        with Service() as service:
            hot = request_for(symbols, PROGRAMS[:2])
            whole = service.post(hot)
            if not running:
                service.stop()
            for suffix in ("", "-wal"):
                path = os.path.join(service.state, "symgate.db" + suffix)
                if os.path.exists(path):
                    overwrite(path, how)
            if not running:
                service.start()
            eventually(lambda: "is damaged" in service.get("/readyz")[1].decode(), "/readyz to say so")
            status, said = ready(service)
            assert status == 503 and not said["database"]["ok"], said
            assert service.get("/healthcheck") == (200, b"ok")
            status, body = service.post(cold(symbols, PROGRAMS[2], "cold"))
            assert status == 503 and "is damaged" in json.loads(body)["detail"], (how, running, status, body)
            status, body = service.post(hot)
            assert status == 503 or (status, body) == whole, (how, running, status, body)
            eventually(lambda: "is damaged" in service.text_of_log(), "a word in the log")
            service.stop()
            subprocess.run(["sh", "-c", documented_command(said["database"]["reason"])], check=True)
            service.start()
            assert ready(service)[0] == 200, ready(service)
            assert service.post(hot) == whole
            check_nothing_is_left(service)


def test_what_cannot_be_kept_is_told():
    """A folder of the cache that somebody else has made: what is made cannot be published."""
    symbols = serve_all()
    with Service() as service:
        assert service.post(request_for(symbols, PROGRAMS[:1]))[0] == 200
        assert ready(service)[0] == 200
        kinds = [os.path.join(service.state, "cache", kind) for kind in ("objects", "symcaches")]
        for kind in kinds:
            for place, folders, _ in os.walk(kind):
                for name in folders:
                    os.chmod(os.path.join(place, name), 0o500)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            asked = pool.submit(service.post, cold(symbols, PROGRAMS[2], "cold"))
            said = eventually(lambda: (said := ready(service))[0] == 503 and said[1], "/readyz to say so")["cache"]
            assert not said["ok"] and "publishing" in said["reason"] and "Permission denied" in said["reason"], said
            for kind in kinds:
                for place, folders, _ in os.walk(kind):
                    for name in folders:
                        os.chmod(os.path.join(place, name), 0o700)
            asked.result(PATIENCE)
        check_reply_is_whole(service.answer(cold(symbols, PROGRAMS[3], "other")))
        assert ready(service)[0] == 200, ready(service)


def damage_bytes(path, words, by):
    with open(path, "r+b") as f:
        content = f.read()
        at = content.index(words)
        f.seek(at)
        f.write(by[:len(words)])


def test_damage_that_few_pages_have_is_told_to_all():
    """A page of one table: who reads it knows, and everybody else is told; nothing of its bytes reaches a terminal."""
    symbols = serve_all()
    with Service() as service:
        assert service.post(request_for(symbols, PROGRAMS[:2]))[0] == 200
        service.stop()
        path = os.path.join(service.state, "symgate.db")
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page, = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'cache_entry'").fetchone()
        size, = database.execute("PRAGMA page_size").fetchone()
        database.close()
        with open(path, "r+b") as f:
            f.seek((page - 1) * size)
            f.write(b"\xa5\x1b" * (size // 2))
        service.start()
        assert service.get("/healthcheck") == (200, b"ok")
        service.post(cold(symbols, PROGRAMS[2], "cold"), "?timeout=1")  # it is tried until its deadline
        eventually(lambda: ready(service)[0] == 503, "/readyz to say so")
        status, said = ready(service)
        assert "is damaged" in said["database"]["reason"], said
        command = [SYMGATE, "--state-dir", service.state]
        told = subprocess.run([*command, "status"], capture_output=True, check=False)
        assert b"is damaged" in told.stdout + told.stderr, told
        service.stop()
        service.start()
        eventually(lambda: ready(service)[0] == 503, "/readyz to say so after a start")
        service.stop()
        subprocess.run([*command, "repair"], check=True, capture_output=True)
        service.start()
        assert ready(service)[0] == 200, ready(service)
        told = subprocess.run([*command, "status"], capture_output=True, check=True)
        assert b"damaged" not in told.stdout + told.stderr, told
        assert service.post(request_for(symbols, PROGRAMS[:2]))[0] == 200


def test_no_terminal_obeys_a_damaged_database():
    symbols = serve_all()
    with Service() as service:
        assert service.post(request_for(symbols, PROGRAMS[:1]))[0] == 200
        service.stop()
        path = os.path.join(service.state, "symgate.db")
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        damage_bytes(path, b"tableprobeprobe", b"table\x1b[3\x07\xff")  # a name, which messages quote
        damage_bytes(path, b"CREATE TABLE probe", b"\xc2\x9b1m\xa5\xa5")
        command = [SYMGATE, "--state-dir", service.state]
        for arguments in (["repair", "--check"], ["status"], ["--json", "repair", "--check"], ["repair"]):
            told = subprocess.run([*command, *arguments], capture_output=True, check=False)
            shown = told.stdout + told.stderr
            text = shown.decode("utf-8")  # nothing else
            assert not any(ord(c) < 32 and c != "\n" or 0x7f <= ord(c) < 0xa0 for c in text), (arguments, text)
            assert "malformed" in text or "damaged" in text, (arguments, text)


def test_a_database_locked_for_long():
    """Longer than anybody waits for it: what is known is answered, and no job is lost."""
    symbols = serve_all()
    with Service() as service:
        hot = request_for(symbols, PROGRAMS[:1])
        whole = service.post(hot)
        identity = waiting_job(service, symbols, PROGRAMS[1], "under")
        other = sqlite3.connect(os.path.join(service.state, "symgate.db"), isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        symbols.gate.set()
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            refused = pool.submit(service.post, cold(symbols, PROGRAMS[2], "cold"))
            asked = pool.submit(ready, service)
            assert service.post(hot) == whole
            assert service.get("/healthcheck") == (200, b"ok")
            status, body = refused.result(PATIENCE)
            assert status == 503 and "the database is busy" in json.loads(body)["detail"], (status, body)
            status, said = asked.result(PATIENCE)
            assert status == 503 and "busy" in said["database"]["reason"], said
        eventually(lambda: "it is tried again" in service.text_of_log(), "the workshop to meet the lock")
        other.execute("ROLLBACK")
        other.close()
        test_deploy.check_ended(service, identity, "the job under the lock")
        assert check_reply_is_whole(service.answer(cold(symbols, PROGRAMS[2], "cold")))
        assert ready(service)[0] == 200
        assert "the database is busy" in service.text_of_log()
        check_nothing_is_left(service)


def test_a_state_folder_that_becomes_read_only():
    symbols = serve_all()
    with Service("pool:\n  processes: 1\n") as service:
        hot = request_for(symbols, PROGRAMS[:1])
        whole = service.post(hot)
        modes = {}
        for folder, _, names in os.walk(service.state):
            if os.path.relpath(folder, service.state).split("/")[0] != "run":
                modes.update({path: os.stat(path).st_mode & 0o7777
                              for path in [folder, *(os.path.join(folder, name) for name in names)]})
        try:
            for stopped in (False, True):
                if stopped:
                    service.stop()
                for path in modes:
                    if os.path.exists(path):
                        os.chmod(path, 0o500 if os.path.isdir(path) else 0o400)
                if os.access(service.state, os.W_OK):
                    return print("   (root may write anywhere)")
                if stopped:
                    service.start()
                status, said = ready(service)
                assert status == 503 and "Permission denied" in json.dumps(said), (stopped, said)
                status, body = service.post(cold(symbols, PROGRAMS[1], "cold"))
                assert status == 503 and json.loads(body)["detail"], (stopped, status, body)
                status, body = service.post(hot)
                assert status == 503 or (status, body) == whole, (stopped, status, body)
                for path, mode in modes.items():
                    if os.path.exists(path):
                        os.chmod(path, mode)
                eventually(lambda: ready_again(service), "the service to recover by itself")
                assert check_reply_is_whole(service.answer(cold(symbols, PROGRAMS[2], f"after{stopped}")))
        finally:
            for path, mode in modes.items():
                if os.path.exists(path):
                    os.chmod(path, mode)
        check_nothing_is_left(service)


# --- Every deployment ---------------------------------------------------------------------

class Harm:
    """One of several harms at a time, chosen by chance."""

    def __init__(self, site, disk):
        self.site, self.disk, self.chance = site, disk, random.Random(7)

    def __call__(self):
        harms = [self.remove_blobs, self.disk.fill, self.disk.empty]
        # Kills alone are test_deploy's; together they take as long as leases do.
        if "SYMGATE_KILL_SECONDS" in os.environ:
            harms.append(self.kill)
        self.chance.choice(harms)()

    def remove_blobs(self):
        for folder, _, names in os.walk(os.path.join(self.site.state, "cache")):
            for name in names:
                if self.chance.random() < 0.5:
                    try:
                        os.unlink(os.path.join(folder, name))
                    except FileNotFoundError:
                        pass                     # published or removed meanwhile

    def kill(self):
        test_deploy.kill_one(self.site, self.chance)


def check_site(make):
    disk = Disk("state")
    site = make()
    site.state = os.path.join(disk.fresh(), "state")
    site.write_config()
    try:
        test_deploy.check_harm(site, Harm(site, disk), disk.empty, check_site_after)
    finally:
        disk.empty()


def check_site_after(site, identities):
    check_answered_once(site, identities)
    check_nothing_is_left(site)


def test_every_deployment_on_a_disk_that_fills():
    if not small_disks_or_skip("deployments-on-a-full-disk"):
        return
    for make in (test_deploy.Lighttpd, test_deploy.ApacheProxy, test_deploy.Nginx, test_deploy.NginxSpawnFcgi,
                 test_deploy.SharedHosting):
        began = time.monotonic()
        check_site(make)
        print(f"   {make.__name__}: {time.monotonic() - began:.1f} s")


# --- A namespace of our own --------------------------------------------------------------

def run_with_small_disks():
    """Runs this file again where the disks can be mounted; its exit status, or None where not."""
    with tempfile.TemporaryDirectory(prefix="symgate-disks-") as top:
        mounts = "".join(f"mkdir '{top}/{name}' && mount -t tmpfs -o size={DISK_BYTES},mode=0777 none '{top}/{name}' && "
                         for name in DISKS)
        enter = ["unshare", "--user", "--map-current-user", "--mount", "--keep-caps", "sh", "-c"]
        drop = "exec setpriv --ambient-caps=-all --inh-caps=-all "
        try:
            if subprocess.run([*enter, f"{mounts}{drop} true"], capture_output=True, timeout=PATIENCE).returncode != 0:
                return None
        except (FileNotFoundError, subprocess.TimeoutExpired):
            return None
        for name in DISKS:
            os.rmdir(os.path.join(top, name))
        return subprocess.run([*enter, mounts + drop + '"$@"', "sh", sys.executable, *sys.argv],
                              env={**os.environ, SMALL: top}).returncode


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    outcome = None if SMALL in os.environ else run_with_small_disks()
    if outcome is not None:
        sys.exit(outcome)
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)],
            "faults")

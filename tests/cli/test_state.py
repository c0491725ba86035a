#!/usr/bin/env python3
"""test_state -- a request symbolicated, and the commands that look at the state it leaves.  How it is run: cli_support.py."""
import json
import os
import pty
import re
import shutil
import sqlite3

from cli_support import (DEEP, SYMGATE, build, check, deep_address, make, request_of, run_tests, symbols,
                         symgate)


def on_a_terminal(words, *arguments):
    """Runs symgate on a terminal of its own and says `words` when it asks."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(SYMGATE, [SYMGATE, *arguments])
    said = b""
    while b"?" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, words.encode() + b"\n")
    try:
        while True:
            said += os.read(terminal, 1000)
    except OSError:  # the other side is closed
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()


def show_commands(state, listed):
    entry = next(e for e in listed if e["kind"] == "symcaches" and e["state"] == "ready")
    shown = json.loads(symgate("--json", "--state-dir", state, "cache", "show", str(entry["id"])).stdout)
    check("cache show ID --json", len(shown) == 1 and shown[0]["hash"] == entry["hash"] and
          shown[0]["file_is_there"] and os.path.getsize(shown[0]["file"]) == entry["bytes"] and
          "location: " in shown[0]["key"] and shown[0]["expires_at"] > shown[0]["used_at"], shown)
    for subject in (str(entry["id"]), entry["hash"][:10], entry["module"]):
        run = symgate("--state-dir", state, "cache", "show", subject)
        check("cache show %s" % subject, run.returncode == 0 and shown[0]["file"] in run.stdout and
              "location: " in run.stdout and "goes " in run.stdout, run.stdout, run.stderr)
    run = symgate("--state-dir", state, "cache", "show", "--failures")
    check("cache show --failures", run.returncode == 0 and "because" in run.stdout and "tried again" in run.stdout,
          run.stdout, run.stderr)
    for filters in (["--scope", "global"], ["--source", "local:cli"], ["--module", entry["module"]],
                    ["--hash", entry["hash"]], ["--kind", "symcaches"]):
        run = symgate("--json", "--state-dir", state, "cache", "list", *filters)
        check("cache list %s" % filters[0], entry["id"] in [e["id"] for e in json.loads(run.stdout)], run.stdout)
        run = symgate("--json", "--state-dir", state, "cache", "drop", "--dry-run", *filters)
        check("cache drop --dry-run %s" % filters[0], json.loads(run.stdout)["removed_entries"] > 0, run.stdout)
        check("cache list %s of none" % filters[0], symgate(
            "--state-dir", state, "cache", "list", filters[0], "ab" * 20 if filters[0] == "--hash" else
            "cficaches").returncode == 3)
    drop = ["--state-dir", state, "cache", "drop", "--id", str(entry["id"])]
    code, said = on_a_terminal("n", *drop)
    check("cache drop on a terminal: no", code == 1 and "drop 1 entries" in said and os.path.exists(shown[0]["file"]),
          code, said)
    code, said = on_a_terminal("y", *drop)
    check("cache drop on a terminal: yes", code == 0 and "removed 1 entries" in said and
          not os.path.exists(shown[0]["file"]), code, said)


def cache_commands(state):
    listed = json.loads(symgate("--json", "--state-dir", state, "cache", "list").stdout)
    failures = [entry for entry in listed if entry["state"] != "ready"]
    check("cache list --json", failures and len(failures) < len(listed) and
          all(entry["details"] and entry["retry_at"] for entry in failures), listed)
    run = symgate("--state-dir", state, "cache", "list", "--kind", "symcaches")
    check("cache list --kind", run.returncode == 0 and "symcaches" in run.stdout and
          "object_meta" not in run.stdout, run.stdout, run.stderr)
    one = str(failures[0]["id"])
    run = symgate("--state-dir", state, "cache", "retry", "--id", one, "--dry-run")
    check("cache retry --dry-run", run.returncode == 0 and "would remove 1 entries" in run.stdout, run.stdout)
    run = symgate("--state-dir", state, "cache", "drop", "--id", one)
    check("cache drop --id", run.returncode == 0 and "removed 1 entries" in run.stdout, run.stdout, run.stderr)
    show_commands(state, listed)
    check("cache: nothing matched is 3", symgate("--state-dir", state, "cache", "drop", "--id", one).returncode == 3)
    for wrong in (["drop"], ["list", "--kind", "nonsense"], ["eat"], ["list", "--id", "x"], ["show"],
                  ["show", "--hash", "abc"], ["list", "x"], ["drop", "--id"]):
        check("cache %s is wrong" % wrong, symgate("--state-dir", state, "cache", *wrong).returncode == 2)
    run = symgate("--json", "--state-dir", state, "cleanup", "--dry-run")
    check("cleanup --dry-run", run.returncode == 0 and json.loads(run.stdout)["dry_run"], run.stdout, run.stderr)
    check("cleanup", symgate("--state-dir", state, "cleanup").returncode == 0)
    run = symgate("--state-dir", state, "apikey", "create", "build server")
    check("apikey create", run.returncode == 0 and len(run.stdout.strip()) == 88, run.stdout, run.stderr)
    key = json.loads(symgate("--json", "--state-dir", state, "apikey", "create", "other").stdout)
    check("apikey create --json", key["name"] == "other" and len(key["key"]) == 88, key)
    run = symgate("--state-dir", state, "apikey", "create", "other")
    check("apikey create: the name is taken", run.returncode == 1 and "already" in run.stderr, run.stderr)
    check("apikey revoke", symgate("--state-dir", state, "apikey", "revoke", key["id"]).returncode == 0)
    check("apikey revoke again", symgate("--state-dir", state, "apikey", "revoke", "other").returncode == 3)
    keys = json.loads(symgate("--json", "--state-dir", state, "apikey", "list").stdout)
    check("apikey list", [line["name"] for line in keys] == ["other", "build server"] and
          "revoked_at" in keys[0] and "revoked_at" not in keys[1], keys)
    run = symgate("--state-dir", state, "apikey", "list")
    check("apikey list for people", "revoked" in run.stdout and "never used" in run.stdout, run.stdout)
    for arguments in ((), ("make",), ("create",), ("list", "x"), ("revoke", "a", "b")):
        check("apikey %s" % " ".join(arguments), symgate("--state-dir", state, "apikey", *arguments).returncode == 2)


ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def under_way_commands(state, ended):
    """What `why` says while a job is running: rows as a workshop writes them."""
    run = symgate("--state-dir", state, "why")
    check("why: nothing is under way", run.returncode == 0 and run.stdout == "no request is under way\n", run.stdout)
    ids = ["%s2345678-1234-4234-8234-123456789abc" % digit for digit in "34"]
    with sqlite3.connect(state + "/symgate.db") as db:
        for at, (job, owner) in enumerate(zip(ids, ("workshop-7", None))):
            db.execute("INSERT INTO job (id, kind, state, owner, lease_until, attempt, body_bytes, created_at, deadline_at) "
                       "VALUES (?, 'symbolicate', ?, ?, ?, ?, 1, unixepoch() - 5, unixepoch() + 900)",
                       (job, "running" if owner else "queued", owner, 99999999999 if owner else None, 1 - at))
        for kind, owner, place in (("objects", "workshop-7", "http://a/b/crash.debug"), ("symcaches", "workshop-8", "s3://c/d")):
            db.execute("INSERT INTO flight (kind, version, hash, owner, boot, lease_until, attempt, started_at, module, key_text) "
                       "VALUES (?, 1, randomblob(32), ?, 1, unixepoch() + 60, 1, unixepoch() - 3, 'crash', ?)",
                       (kind, owner, "scope: global\n\nsource: x\nlocation: %s\n" % place))
    db.close()
    for arguments in ([], [ids[0]]):
        run = symgate("--state-dir", state, "why", *arguments)
        check("why %s: what is under way" % arguments, run.returncode == 0 and "running" in run.stdout and
              "fetching" in run.stdout and "http://a/b/crash.debug" in run.stdout and "s3://c/d" not in run.stdout and
              re.search("since " + ISO + r", ([3-9]|\d\d+) s ago", run.stdout), run.stdout, run.stderr)
    run = symgate("--state-dir", state, "why")
    check("why: what waits", ids[1] in run.stdout and "waits for a workshop" in run.stdout and ended not in run.stdout,
          run.stdout)
    told = json.loads(symgate("--json", "--state-dir", state, "why").stdout)["requests"]
    check("why --json: what is under way", [job["id"] for job in told] == ids and told[0]["under_way"][0]["location"] ==
          "http://a/b/crash.debug" and re.fullmatch(ISO, told[0]["under_way"][0]["since"]) and
          re.fullmatch(ISO, told[0]["created_at"]), told)
    with sqlite3.connect(state + "/symgate.db") as db:
        db.execute("DELETE FROM job WHERE finished_at IS NULL")
        db.execute("DELETE FROM flight")
    db.close()


def view_commands(state):
    def lines(*arguments):
        return json.loads(symgate("--json", "--state-dir", state, "cache", "list", *arguments).stdout)
    listed = lines()
    check("cache list: times in ISO 8601", listed and all(re.fullmatch(ISO, e[k]) for e in listed for k in ("made_at", "used_at")),
          listed)
    check("cache list: id and location", any(e.get("module_id") == "00000000-0000-4000-8000-000000000001" for e in listed) and
          all(e["location"].startswith("file://") for e in listed if e["kind"] == "object_meta"), listed)
    check("cache list --limit", [e["id"] for e in lines("--limit", "2")] == [e["id"] for e in listed[:2]])
    sizes = [e["bytes"] for e in lines("--sort", "size")]
    check("cache list --sort size", sizes == sorted(sizes, reverse=True) and len(sizes) == len(listed), sizes)
    for order in ("newest", "oldest", "used", "asks", "id"):
        check("cache list --sort " + order, sorted(e["id"] for e in lines("--sort", order)) == [e["id"] for e in listed])
    asks = [e["asks"] for e in lines("--sort=asks")]
    check("cache list --sort asks", asks == sorted(asks, reverse=True), asks)
    run = symgate("--state-dir", state, "cache", "list", "--module", "00000000-0000-4000-8000-000000000001")
    check("cache list --module ID, for people", "file://" in run.stdout and re.search("made " + ISO + ", .* ago", run.stdout) and
          "00000000-0000-4000-8000-000000000001" in run.stdout, run.stdout, run.stderr)
    run = symgate("--state-dir", state, "why", "libgone.so", "--sort", "asks", "--limit", "1")
    entries = [line for line in run.stdout.splitlines() if "object_meta" in line]
    check("why MODULE: id, location and age", len(entries) == 1 and re.match(r"  \d+ ", entries[0]) and "file://" in run.stdout
          and re.search(ISO + ", ", entries[0]), run.stdout, run.stderr)
    for wrong in (["cache", "list", "--sort", "x"], ["cache", "list", "--limit", "0"], ["why", "--sort", "x"], ["why", "--limit", "x"]):
        check("%s is wrong" % wrong, symgate("--state-dir", state, *wrong).returncode == 2)
    with sqlite3.connect(state + "/symgate.db") as db:
        db.row_factory = sqlite3.Row
        missing = [dict(row) for row in db.execute("SELECT * FROM v_missing")]
        check("v_missing: a build that nobody has", [(m["module"], m["module_id"]) for m in missing] ==
              [("libgone.so", "00000000-0000-4000-8000-000000000001")], missing)
        # One build is found elsewhere: it is missing no more; another build of that name still is.
        db.execute("INSERT INTO cache_entry (kind, version, hash, credentials, state, payload, size_bytes, module, boot, build_id, "
                   "made_at, used_at, module_id) SELECT kind, version, randomblob(32), credentials, 'ready', x'00', 1, module, "
                   "boot, build_id, made_at, used_at, module_id FROM cache_entry WHERE module = 'libgone.so' LIMIT 1")
        db.execute("INSERT INTO cache_entry (kind, version, hash, credentials, state, size_bytes, details, module, boot, build_id, "
                   "made_at, used_at, module_id) SELECT 'object_meta', version, randomblob(32), credentials, 'not_found', 0, 'no', "
                   "module, boot, build_id, made_at, used_at, 'another' FROM cache_entry WHERE module = 'libgone.so' LIMIT 1")
        missing = [(row["module"], row["module_id"]) for row in db.execute("SELECT * FROM v_missing")]
        check("v_missing: by module and id", missing == [("libgone.so", "another")], missing)
        for view in ("v_space_by_module", "v_space_by_source"):
            rows = [dict(row) for row in db.execute("SELECT * FROM " + view)]
            total = db.execute("SELECT sum(size_bytes) FROM cache_entry").fetchone()[0]
            check(view, sum(row["bytes"] for row in rows) == total and all(re.fullmatch(ISO, row["last_use_utc"]) for row in rows),
                  rows, total)
        for (view,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            for row in db.execute("SELECT * FROM %s" % view):
                for key in row.keys():
                    if key.endswith("_utc") and row[key] is not None:
                        check("%s.%s in ISO 8601" % (view, key), re.fullmatch(ISO, row[key]), row[key])
        db.rollback()
    db.close()


def repair_commands(folder, state):
    run = symgate("--state-dir", state, "repair")
    check("repair: a sound one", run.returncode == 0 and run.stdout == "the database is sound\n", run.stdout, run.stderr)
    check("repair --check --json", json.loads(symgate("--json", "--state-dir", state, "repair", "--check").stdout) ==
          {"sound": True})
    other, copy = os.path.join(folder, "other"), os.path.join(folder, "copy.db")
    shutil.copytree(state, other)
    check("repair: a copy", symgate("--state-dir", other, "backup", copy).returncode == 0)
    database = os.path.join(other, "symgate.db")
    with open(database, "r+b") as f:
        f.seek(4096)
        f.write(b"\xa5" * 8192)
    run = symgate("--state-dir", other, "repair", "--check")
    check("repair --check: a damaged one", run.returncode == 1 and run.stdout.startswith("it is damaged: "), run.stdout)
    run = symgate("--json", "--state-dir", other, "repair")
    done = json.loads(run.stdout)
    check("repair --json", run.returncode == 0 and not done["sound"] and done["damage"] and
          os.listdir(done["aside"]), run.stdout, run.stderr)
    check("repair: sound afterwards", symgate("--state-dir", other, "repair", "--check").returncode == 0)
    run = symgate("--state-dir", other, "repair", "--from", copy)
    with sqlite3.connect(database) as db, sqlite3.connect(copy) as original:
        counts = [d.execute("SELECT count(*) FROM cache_entry").fetchone()[0] for d in (db, original)]
    check("repair --from", run.returncode == 0 and run.stdout.startswith("what was there lies now in ") and
          "the copy is in its place" in run.stdout and
          counts[0] == counts[1] > 0, run.stdout, run.stderr, counts)
    for wrong in (["x"], ["--from"], ["--check", "x"]):
        check("repair %s is wrong" % wrong, symgate("--state-dir", other, "repair", *wrong).returncode == 2)
    check("repair: no such copy", symgate("--state-dir", other, "repair", "--from", copy + "x").returncode == 1)


def state_commands(folder, request, symbols_dir):
    state = os.path.join(folder, "state")
    for command in (["status"], ["why", "x"], ["backup", os.path.join(folder, "b")]):
        run = symgate("--state-dir", state, *command)
        check("%s without a state folder" % command[0], run.returncode == 1 and "no service has run there"
              in run.stderr and not os.path.exists(state), run.stderr)
    run = symgate("--state-dir", state, "symbolicate", "--symbols", symbols_dir, request)
    check("symbolicate: --state-dir keeps", run.returncode == 0 and os.path.exists(state + "/symgate.db"),
          run.stderr)
    run = symgate("--state-dir", "state", "status", cwd=folder)
    check("status: caches and sources", run.returncode == 0 and "symcaches" in run.stdout and
          "local:cli" in run.stdout and "not running" in run.stdout, run.stdout, run.stderr)
    status = json.loads(symgate("--json", "--state-dir", state, "status").stdout)
    check("status --json", {c["kind"] for c in status["caches"]} >= {"symcaches", "object_meta"} and
          not status["running"] and status["boot"]["number"] == 1, status)
    run = symgate("--state-dir", state, "why", "libgone.so")
    check("why MODULE: what is remembered", run.returncode == 0 and "not_found" in run.stdout and
          "asked again" in run.stdout, run.stdout, run.stderr)
    entries = json.loads(symgate("--json", "--state-dir", state, "why", "program").stdout)["entries"]
    check("why MODULE --json", {e["state"] for e in entries} >= {"ready"}, entries)
    cache_commands(state)
    check("why: nothing known is 3", symgate("--state-dir", state, "why", "libother.so").returncode == 3)
    noted = {"modules": [{"code_file": "/x/libz.so", "debug_id": "00000000-0000-4000-8000-000000000009",
                          "debug_status": "missing", "candidates": [{
                              "source": "micro\x1bsoft", "location": "https://x.example/libz",
                              "download": {"status": "error", "details": "500 Internal Server Error"}}]},
                         {"code_file": "/x/liby.so", "debug_status": "found"}],
             "errors": [{"abs_path": "https://x.example/app.min.js", "type": "missing_sourcemap"},
                        {"uuid": "67e9247c-814e-392b-a027-dbde6748fcbf", "type": "invalid"}]}
    job = "12345678-1234-4234-8234-123456789abc"
    with sqlite3.connect(state + "/symgate.db") as db:
        db.execute("INSERT INTO job (id, kind, state, body_bytes, created_at, deadline_at, finished_at, millis, "
                   "candidates) VALUES (?, 'symbolicate', 'completed', 1, 1700000000, 1700000900, 1700000001, "
                   "1234, ?)", (job, json.dumps(noted)))
    db.close()
    run = symgate("--state-dir", state, "why", job)
    check("why REQUEST_ID", run.returncode == 0 and "500 Internal Server Error" in run.stdout and
          "liby.so" in run.stdout and "took 1.2 s" in run.stdout and "\x1b" not in run.stdout, run.stdout, run.stderr)
    check("why REQUEST_ID: what to do", run.stdout.count("no source has its debug file.  Put the debug file") == 1,
          run.stdout)
    check("why REQUEST_ID: JavaScript and Java", "a source map that cannot be had" in run.stdout and
          "cbf: invalid\n    it is no mapping" in run.stdout, run.stdout)
    for subject in ("libz.so", "00000000-0000-4000-8000-000000000009"):
        run = symgate("--state-dir", state, "why", subject)
        check("why %s: requests that had it" % subject, job in run.stdout and "liby" not in run.stdout,
              run.stdout, run.stderr)
    check("why REQUEST_ID --json", json.loads(symgate("--json", "--state-dir", state, "why", job).stdout)
          ["requests"][0]["noted"] == noted)
    under_way_commands(state, job)
    view_commands(state)
    repair_commands(folder, state)
    backup = os.path.join(folder, "backup.db")
    run = symgate("--state-dir", state, "backup", backup)
    with sqlite3.connect(backup) as db:
        counted = db.execute("SELECT count(*) FROM cache_entry").fetchone()[0]
        check("backup", run.returncode == 0 and db.execute("PRAGMA integrity_check").fetchone() == ("ok",) and
              counted >= 3 and os.stat(backup).st_mode & 0o077 == 0, run.stderr, counted)
    db.close()
    run = symgate("--state-dir", state, "backup", folder + "/no/such/folder")
    check("backup: where it cannot be", run.returncode == 1 and "/no/such/folder" in run.stderr, run.stderr)


def test_symbolicate(folder):
    path = build(folder)
    request = request_of(folder, path, deep_address(path))
    symbols_dir, name = os.path.join(folder, "symbols"), os.path.join(folder, "request.json")
    def save(value):
        with open(name, "w") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))
    def functions(run):
        return [f.get("function") for f in json.loads(run.stdout)["stacktraces"][0]["frames"]]
    scratch = os.path.join(folder, "scratch")
    os.mkdir(scratch)
    env = {"TMPDIR": scratch}
    for what, sources in (("none", "absent"), ("empty", []), ("another", [
            {"type": "filesystem", "id": "x", "path": "/nonexistent", "layout": {"type": "native"}}])):
        save(request if sources == "absent" else dict(request, sources=sources))
        run = symgate("--json", "symbolicate", "--symbols", symbols_dir, name, env=env)
        check("symbolicate: sources " + what, run.returncode == 0 and functions(run)[:3] == DEEP,
              run.stdout, run.stderr)
    run = symgate("symbolicate", "--symbols", "unified:" + symbols_dir, "-", stdin=json.dumps(request), env=env)
    check("symbolicate: readable, from standard input", all(d in run.stdout for d in DEEP) and
          "inlined" in run.stdout and "libgone.so" in run.stdout, run.stdout, run.stderr)
    save(request)
    run = symgate("symbolicate", name, env=env)
    check("symbolicate: without symbols nothing gets a name", run.returncode == 3, run.stdout, run.stderr)
    check("symbolicate: nothing is left behind", os.listdir(scratch) == [], os.listdir(scratch))
    for text, words in (("{", "JSON"), ("[1]", ""), ('{"modules": 1}', "modules"), ("", "")):
        save(text)
        run = symgate("symbolicate", "--symbols", symbols_dir, name, env=env)
        check("symbolicate: refuses %r" % text, run.returncode == 1 and run.stderr.startswith("symgate: ") and
              words in run.stderr, run.stderr, run.returncode)
    check("symbolicate: a missing file", symgate("symbolicate", name + "x").returncode == 1)
    run = symgate("symbolicate", "--symbols", folder + "/no", name)
    check("symbolicate: a missing folder", run.returncode == 1 and "--symbols" in run.stderr, run.stderr)
    save(request)
    state_commands(folder, name, symbols_dir)


def owners(folder):
    return {os.path.join(place, name): os.lstat(os.path.join(place, name)).st_uid
            for place, folders, names in os.walk(folder) for name in [*folders, *names]}


def test_root(folder):
    """Commands run by root in the folder of a service that is another user's."""
    if os.geteuid() != 0:
        print("   skipped root-leaves-nothing-of-its-own: not root")
        if os.environ.get("SUPPORT_COUNTS"):
            with open(os.environ["SUPPORT_COUNTS"], "a") as counts:
                counts.write("0 0 root-leaves-nothing-of-its-own skipped\n")
        return
    nobody = 65534
    os.chmod(folder, 0o755)
    path = build(folder)
    state, files = os.path.join(folder, "state"), os.path.join(folder, "files")
    code_id = json.loads(symgate("--json", "object", "info", path).stdout)["objects"][0]["code_id"]
    os.makedirs(os.path.join(files, code_id[:2], code_id[2:]))
    shutil.copy(path, os.path.join(files, code_id[:2], code_id[2:], "debuginfo"))
    request = os.path.join(folder, "request.json")
    with open(request, "w") as f:
        json.dump({"modules": [{"type": "elf", "code_id": code_id, "image_addr": "0x0"}],
                   "stacktraces": []}, f)
    config = os.path.join(folder, "config.yml")
    with open(config, "w") as f:
        f.write("sources:\n  - {type: filesystem, id: files, path: %s, layout: {type: unified}}\n" % files)
    os.mkdir(state, 0o700)
    os.chown(state, nobody, nobody)
    common = ("-c", config, "--state-dir", state)
    run = symgate(*common, "prefetch", request)
    check("root: prefetch", run.returncode == 0 and "1 of 1" in run.stdout, run.stdout, run.stderr)
    for command in (("status",), ("cache", "list"), ("why", "app"), ("cleanup",), ("cache", "drop", "--all"), ("repair",)):
        run = symgate(*common, *command)
        check("root: %s" % " ".join(command), run.returncode in (0, 2, 3), run.stdout, run.stderr)
        made = owners(state)
        check("root: nothing of root's after %s" % command[0], made and set(made.values()) == {nobody},
              {path: uid for path, uid in made.items() if uid != nobody})
    hidden = os.path.join(folder, "hidden")
    os.mkdir(hidden, 0o700)
    shutil.copy(request, hidden)
    run = symgate(*common, "prefetch", os.path.join(hidden, "request.json"))
    check("root: what only root may read", run.returncode == 1 and "Permission denied" in run.stderr and
          "the owner of " + state in run.stderr, run.stderr)
    for arguments in (("serve", "--socket", os.path.join(folder, "socket")),):
        run = symgate(*common, *arguments)
        check("root: no service", run.returncode == 1 and "belongs to" in run.stderr and "setpriv" in run.stderr and
              not os.path.exists(os.path.join(folder, "socket")), run.stderr)
    copy = os.path.join(hidden, "copy.db")
    run = symgate(*common, "backup", copy)
    check("root: backup", run.returncode == 0 and os.path.exists(copy) and set(owners(state).values()) == {nobody},
          run.stderr, owners(state))


run_tests([test_symbolicate, test_root])

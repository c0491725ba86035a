"""test_ui_operators -- the pages below /ui/op/, with names by a web server that asks for a password."""
import base64
import html
import http.client
import json
import os
import re
import sqlite3
import tempfile
import time
import uuid

from service_tests import PATIENCE, TOP, Program, Service, Symbols, eventually, request_for, run_all

FOLDER = tempfile.TemporaryDirectory(prefix="symgate-operators-")
PROGRAMS = [Program(FOLDER.name, number) for number in range(2)]
CONFIG = "web: {operators: [anna, otto], people: {bert: team-b}}\n"
OURS = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
ASKS = """server.modules = ( "mod_auth", "mod_authn_file", "mod_fastcgi", "mod_setenv" )
auth.backend = "plain"
auth.backend.plain.userfile = "%s"
auth.require = ( "/ui/op/" => ( "method" => "basic", "realm" => "symgate", "require" => "valid-user" ) )
"""


class Guarded(Service):
    """The service behind a web server that asks for a password below /ui/op/; it is everybody's name."""

    def __init__(self, config=CONFIG):
        super().__init__(config)
        names, self.script = (os.path.join(self.folder, name) for name in ("names", "serve"))
        with open(names, "w", encoding="ascii") as f:
            f.write("".join(f"{name}:{name}\n" for name in ("anna", "otto", "bert", "nobody")))
        with open(os.path.join(TOP, "deploy", "serve"), encoding="utf-8") as f:
            text = f.read()
        text, ways = re.subn(r'^top=.*$', f'top="{TOP}"', text, flags=re.M)
        text, modules = re.subn(r'^server\.modules = .*\n', lambda _: ASKS % names, text, flags=re.M)
        assert ways == modules == 1
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(text)


def as_user(name):
    return {**OURS, "Authorization": "Basic " + base64.b64encode(f"{name}:{name}".encode()).decode()} if name else OURS


def get(service, path, name="anna", status=200):
    got, body, headers = service.request("GET", path, None, as_user(name))
    assert got == status, (path, name, got, body[:500])
    return body.decode(), headers


def rows(service, table, name="anna", query=""):
    body, headers = get(service, f"/ui/op/{table}.json{query}", name)
    assert headers["Content-Type"].startswith("application/json"), headers["Content-Type"]
    assert headers["Cache-Control"] == "no-store" and "default-src 'none'" in headers["Content-Security-Policy"]
    return json.loads(body)["rows"]


def post(service, fields, name="anna", path="/ui/op/failures", headers=None):
    boundary = uuid.uuid4().hex
    body = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
                   for field, value in fields) + f"--{boundary}--\r\n"
    return service.request("POST", path, body.encode(), {
        **as_user(name), **(headers or {}), "Content-Type": f"multipart/form-data; boundary={boundary}"})


def token(text):
    return html.unescape(re.search(r'name="token" value="([^"]+)"', text).group(1))


def form_of(service, entry, what, query="", name="anna"):
    """The fields of that row's form, as its button sends them."""
    text, _ = get(service, "/ui/op/failures" + query, name)
    for form in re.findall(r'<form method="post".*?</form>', text, re.S):
        fields = [(field, html.unescape(value)) for field, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)]
        if ("id", str(entry)) in fields:
            return [field for field in fields if field[0] != "do"] + [("do", what)]
    raise AssertionError(f"no form for entry {entry}: {text[:2000]}")


def form_of_gone(service, symbols, entry):
    """A form whose entry went since the page was made."""
    row = fail_once(service, symbols, PROGRAMS[1])[0]
    return [(name, str(entry) if name == "id" else value) for name, value in form_of(service, row["id"], "retry")]


def fail_once(service, symbols, program, **more):
    """A request for what the server does not have; the rows of what is remembered."""
    service.answer(request_for(symbols, [program], **more))
    found = rows(service, "failures")
    assert found, "nothing is remembered"
    return found


def named(symbols, programs, **more):
    """A request whose modules have names."""
    request = request_for(symbols, programs, **more)
    for number, module in enumerate(request["modules"]):
        module["code_file"] = f"/usr/lib/libprogram{number}.so"
    return request


# --- Who comes in -----------------------------------------------------------------------------------------


def test_operators_see_every_page():
    with Guarded() as service, Symbols() as symbols:
        symbols.add(PROGRAMS[0])
        service.answer(named(symbols, PROGRAMS))
        text, headers = get(service, "/ui/op/")
        assert "The service is ready." in text and "anna" in text and "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        overview = json.loads(get(service, "/ui/op/.json")[0])
        assert overview == {**json.loads(get(service, "/ui/op/overview.json")[0]), "now": overview["now"]}
        ready = json.loads(service.get("/readyz")[1])
        assert overview["ready"] is ready["ready"] is True
        assert all(overview["health"][part] == ready[part] for part in ("database", "disk", "cache", "cells")), overview
        assert overview["space"]["entries"] > 0 and len(overview["tables"]) >= 12
        for table in overview["tables"]:
            assert f'href="{table["table"]}"' in text, table
            page, _ = get(service, f"/ui/op/{table['table']}")
            assert html.escape(table["title"]) in page and "aria-current" in page and 'data-refresh="2"' in page
            assert not re.search(r'(?:href|src|action)="/', page), "a link that is not relative"
            assert table.get("view", "") in page
            for address in re.findall(r'href="([\w./-]+\?[^"]*)"', page):
                get(service, "/ui/op/" + html.unescape(address))
            rows(service, table["table"])
        assert [row["module"] for row in rows(service, "missing")], "a module is missing"
        missing = rows(service, "missing")[0]["module"]
        assert f'<a href="failures?module={missing}">{missing}</a>' in get(service, "/ui/op/missing")[0]
        assert {row["module"] for row in rows(service, "failures", query=f"?module={missing}")} == {missing}
        assert sum(row["bytes"] for row in rows(service, "kinds")) == overview["space"]["bytes"]
        get(service, "/ui/op/no-such-table", status=404)
        get(service, "/ui/op/no-such-table.json", status=404)
        get(service, "/ui/op/jobs?" + "x" * 5000, status=400)


def in_one_minute(check):
    """At the end of each the service takes a sample of its own: whoever met it begins again."""
    for _ in range(5):
        minute = time.time() // 60
        try:
            return check()
        except AssertionError:
            if time.time() // 60 == minute:
                raise
    return check()


def test_charts_are_drawn_of_samples():
    in_one_minute(check_charts)


def check_charts():
    with Guarded() as service:
        page, headers = get(service, "/ui/op/charts")
        assert "No sample was taken in this time" in page and "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert 'href="charts"' in get(service, "/ui/op/")[0]
        connection = sqlite3.connect(os.path.join(service.state, "symgate.db"))
        names = [row[1] for row in connection.execute("PRAGMA table_info(sample)")]     # the made ones are not among them
        at = int(time.time()) // 600 * 600
        for span in (60, 600, 3600):
            values = {"span": span, "at": at // span * span, "node": "<b>one</b>", "seconds": 60, "requests": 30}
            connection.execute(f"INSERT INTO sample ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                               [values.get(name, 0) for name in names])
        connection.commit()
        connection.close()
        for span in ("hour", "day", "14-days", "400-days"):
            page, _ = get(service, f"/ui/op/charts?span={span}")
            assert page.count("<figure") == page.count("<table") >= 8 and "&lt;b&gt;one&lt;/b&gt;" in page, span
            assert f'href="charts?span={span}" aria-current="page"' in page and "all: from 30 to 30, last 30." in page
            told = json.loads(get(service, f"/ui/op/charts.json?span={span}")[0])
            assert [point["requests"] for point in told["nodes"][0]["points"] if point] == [30], told["nodes"][0]["node"]
        assert "web.operators" in get(service, "/ui/op/charts", "bert", 403)[0]
        assert 'href="charts"' not in get(service, "/ui/op/", "bert")[0]


def test_every_column_is_told():
    """doc/api/ui.md has each table with what its JSON has."""
    with open(os.path.join(TOP, "doc", "api", "ui.md"), encoding="utf-8") as f:
        told = {name: re.findall(r"`(\w+)`", columns)
                for name, columns in re.findall(r"^\| `([\w-]+)`(?: \*)? \| ([^|]*) \| [^|]* \|$", f.read(), re.M)}
    with Guarded() as service, Symbols() as symbols:
        service.answer(named(symbols, PROGRAMS))
        tables = [table["table"] for table in json.loads(get(service, "/ui/op/overview.json")[0])["tables"]]
        assert tables == [name for name in told if name in tables], (tables, list(told))
        seen = 0
        for table in tables:
            for row in rows(service, table)[:1]:
                assert list(row) == told[table], (table, row)
                seen += 1
        assert seen >= 7, seen


def test_nobody_else_comes_in():
    with Guarded() as service:
        for path in ("/ui/op/", "/ui/op/failures", "/ui/op/failures.json"):
            get(service, path, None, 401)
            assert "web.operators" in get(service, path, "nobody", 403)[0]
        assert post(service, [("id", "1"), ("do", "drop")], "nobody")[0] == 403
        assert post(service, [("id", "1"), ("do", "drop")], None)[0] == 401
    with Service(CONFIG) as service:
        for name in (None, "anna"):
            assert "web.operators" in get(service, "/ui/op/failures", name, 403)[0]
            assert post(service, [("id", "1"), ("do", "drop")], name)[0] == 403


def test_people_see_their_scope_alone():
    with Guarded() as service, Symbols() as symbols:
        service.answer(named(symbols, [PROGRAMS[0]], sources=[symbols.source(is_public=False)]), "?scope=team-b")
        service.answer(named(symbols, [PROGRAMS[1]], sources=[symbols.source(is_public=False)]), "?scope=team-a")
        assert {row["scope"] for row in rows(service, "jobs-all")} == {"team-a", "team-b"}
        tables = json.loads(get(service, "/ui/op/overview.json", "bert")[0])
        assert "space" not in tables and "ready" not in tables, tables
        seen = 0
        for table in tables["tables"]:
            found = rows(service, table["table"], "bert")
            assert all(row.get("scope", "team-b") == "team-b" for row in found), found
            assert not any("x_request_id" in row or "id" in row for row in found), found
            page, _ = get(service, f"/ui/op/{table['table']}", "bert")
            assert "team-a" not in page and 'method="post"' not in page and "../r/" not in page, page
            assert PROGRAMS[1].code_id not in page
            seen += len(found)
        missing = rows(service, "missing", "bert")
        assert seen >= 3 and [row["module_id"] for row in missing] == [PROGRAMS[0].code_id], (seen, missing)
        get(service, "/ui/op/hosts", "bert", 404)
        entry = rows(service, "failures")[0]["id"]
        fields = form_of(service, entry, "drop")
        assert post(service, fields, "bert")[0] == 403
        assert [row["id"] for row in rows(service, "failures") if row["id"] == entry]


# --- Retry and drop -----------------------------------------------------------------------------------------


def asked(symbols):
    return symbols.total()


def test_retry_is_tried_again():
    with Guarded() as service, Symbols() as symbols:
        found = fail_once(service, symbols, PROGRAMS[0])
        before = asked(symbols)
        service.answer(request_for(symbols, PROGRAMS[:1]))
        assert asked(symbols) == before, "a failure is remembered"
        symbols.add(PROGRAMS[0])
        kinds = {row["kind"]: row["id"] for row in found}
        assert len(found) == len(kinds) > 1, found
        # Of one file several things are remembered: whichever is chosen, none is left.
        entry = kinds["object_meta"]
        status, _, headers = post(service, form_of(service, entry, "retry", "?sort=-asks&kind=obj"))
        assert status == 303 and headers["Location"].endswith("ui/op/failures?sort=-asks&kind=obj"), headers["Location"]
        assert rows(service, "failures") == []
        reply = service.answer(request_for(symbols, PROGRAMS[:1]))
        assert asked(symbols) > before and reply["modules"][0]["debug_status"] == "found", reply["modules"]
        log = service.text_of_log()
        assert re.search(rf" operator user=anna did=retry entry={entry} removed_entries={len(found)}\b", log), log[-2000:]
        status, _, _ = post(service, form_of_gone(service, symbols, entry))
        assert status == 303 and f"entry={entry} removed_entries=0" in service.text_of_log()


def test_retry_keeps_what_is_there_by_now():
    with Guarded() as service, Symbols() as symbols:
        symbols.add(PROGRAMS[0])
        service.answer(request_for(symbols, PROGRAMS))
        mine = token(get(service, "/ui/op/failures")[0])
        before = json.loads(get(service, "/ui/op/.json")[0])["space"]["entries"]
        failures = len(rows(service, "failures"))
        for entry in range(1, before + 10):
            assert post(service, [("token", mine), ("id", str(entry)), ("do", "retry")])[0] == 303
        assert json.loads(get(service, "/ui/op/.json")[0])["space"]["entries"] == before - failures
        for entry in range(1, before + 10):
            assert post(service, [("token", mine), ("id", str(entry)), ("do", "drop")], "anna")[0] == 303
        assert json.loads(get(service, "/ui/op/.json")[0])["space"]["entries"] == 0
        assert rows(service, "kinds") == []


def test_drop_removes_the_entry():
    with Guarded() as service, Symbols() as symbols:
        row = fail_once(service, symbols, PROGRAMS[0])[0]
        status, _, headers = post(service, form_of(service, row["id"], "drop", name="otto"), "otto")
        assert status == 303 and "\n" not in headers["Location"]
        assert row["id"] not in [other["id"] for other in rows(service, "failures")]
        assert re.search(rf" operator user=otto did=drop entry={row['id']} removed_entries=[12]\b", service.text_of_log())


def test_nothing_is_done_without_a_token_of_ours():
    with Guarded() as service, Symbols() as symbols:
        row = fail_once(service, symbols, PROGRAMS[0])[0]
        fields = dict(form_of(service, row["id"], "drop"))
        another = token(get(service, "/ui/op/drop")[0])
        ottos = dict(form_of(service, row["id"], "drop", name="otto"))["token"]
        for what, wrong in {"none": "", "cut": fields["token"][:-1], "another": "A" * len(fields["token"]),
                            "of another form": another, "of another operator": ottos}.items():
            assert post(service, {**fields, "token": wrong}.items())[0] == 403, what
        for what, headers in {"another site": {"Sec-Fetch-Site": "cross-site"},
                              "its origin": {"Sec-Fetch-Site": "same-site"}}.items():
            assert post(service, fields.items(), headers=headers)[0] == 403, what
        for what, wrong in {"no entry": {"id": ""}, "no number": {"id": "1 OR 1=1"}, "too large": {"id": "9" * 30},
                            "all": {"id": "0"}, "below": {"id": "-1"}, "no verb": {"do": ""}, "another": {"do": "dropall"}}.items():
            assert post(service, {**fields, **wrong}.items())[0] == 400, what
        for path in ("/ui/op/jobs", "/ui/op/failures.json", "/ui/op/no/such"):
            assert post(service, fields.items(), path=path)[0] == 404, path
        assert row["id"] in [other["id"] for other in rows(service, "failures")]
        assert " operator user=" not in service.text_of_log()


def test_where_it_goes_on_is_ours():
    with Guarded() as service, Symbols() as symbols:
        fail_once(service, symbols, PROGRAMS[0])
        mine = token(get(service, "/ui/op/failures")[0])
        for query, location in {"https://evil.example/": "failures?sort=-made_at",
                                "module=%0d%0aSet-Cookie:%20a=b": "%0D%0A", "//evil": "failures?sort=-made_at",
                                "module=" + "x" * 3000: "ui/op/failures", "x" * 5000: "ui/op/failures"}.items():
            status, _, headers = post(service, [("token", mine), ("id", "1"), ("do", "retry"), ("query", query)])
            got = headers["Location"]
            assert status == 303 and location in got and "evil" not in got and got.startswith("../../ui/op/failures"), got
            assert "Set-Cookie" not in headers


# --- Names of others ----------------------------------------------------------------------------------------


def test_hostile_names_stay_names():
    name = '"><script>alert(1)<b>\u202e'
    with Guarded() as service, Symbols() as symbols:
        request = request_for(symbols, PROGRAMS[:1])
        request["modules"][0].update(code_file="/lib/" + name, debug_file=name)
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
        connection.request("POST", "/symbolicate?scope=%3Cb%3E", json.dumps(request), {
            "Content-Type": "application/json", "X-Request-Id": "<i>id</i>"})
        assert connection.getresponse().status == 200
        connection.close()
        eventually(lambda: rows(service, "missing"), "the module to be missing")
        for table in json.loads(get(service, "/ui/op/overview.json")[0])["tables"]:
            text, _ = get(service, f"/ui/op/{table['table']}")
            assert "<script>" not in text and "\u202e" not in text and "<b>" not in text and "<i>" not in text, table
        assert "[U+202E]" in get(service, "/ui/op/missing")[0]
        assert [row["module"] for row in rows(service, "missing", query="?module=%3Cscript%3E")] == [name]


if __name__ == "__main__":
    run_all([value for name, value in list(globals().items()) if name.startswith("test_") and callable(value)], "ui-operators")

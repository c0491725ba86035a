#!/usr/bin/env python3
"""Mozilla's API: versions 4 and 5, in both dialects, from every source and format; what is wrong with
requests; browsers; recorded requests and answers of others, where SYMGATE_SHARED has them.

usage: test_mozilla.py [TEST]...         SYMGATE names the binary; lighttpd and gcc are needed
"""
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import uuid

from service_tests import SYMGATE, Service, Symbols, run_all

PEERS = os.path.join(os.environ.get("SYMGATE_SHARED", ""), "peers", "mozilla")
FOLDER = tempfile.TemporaryDirectory(prefix="symgate-mozilla-")
EXPOSED = ("accept, accept-encoding, authorization, content-type, dnt, origin, user-agent, x-csrftoken, "
           "x-requested-with")


class Place:
    """A service and the folder it takes its symbols from."""

    def __init__(self, v4="tecken", more=""):
        self.symbols = tempfile.mkdtemp(prefix="symbols-", dir=FOLDER.name)
        os.chmod(self.symbols, 0o755)
        self.service = Service(
            f"mozilla:\n  v4: {v4}\n{more}sources:\n- id: files\n  type: filesystem\n"
            f"  path: {self.symbols}\n  layout: {{type: native}}\n")

    def __enter__(self):
        self.service.start()
        return self

    def __exit__(self, *_):
        self.service.stop()
        shutil.rmtree(self.service.folder, ignore_errors=True)

    def put(self, files):
        for name in os.listdir(self.symbols):
            shutil.rmtree(os.path.join(self.symbols, name))
        for path, text in files.items():
            path = os.path.join(self.symbols, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(text if isinstance(text, bytes) else text.encode())

    def post(self, path, body, headers=None):
        body = body if isinstance(body, (bytes, str)) else json.dumps(body)
        status, answer, headers = self.service.request("POST", path, body, headers)
        return status, json.loads(answer), headers


A_ID = "44E4EC8C2F41492B9369D6B9A059577C2"
A_SYM = (f"MODULE windows x86_64 {A_ID} a.pdb\nINFO CODE_ID 11 a.dll\nFILE 0 c:\\build\\a\\..\\b.c\n"
         "INLINE_ORIGIN 0 inner\nFUNC 1008 106 0 f\nINLINE 0 7 0 0 1010 8\n1008 8 3 0\n1010 8 9 0\n1018 f6 4 0\n"
         "FUNC 2000 10 0 g\nPUBLIC 3000 0 h\n")
A_FILES = {f"a.pdb/{A_ID}/a.sym": A_SYM}


def folder_has(name):
    if os.path.exists(os.path.join(PEERS, name)):
        return True
    counts = os.environ.get("SUPPORT_COUNTS")
    if counts:
        with open(counts.replace(".counts", ".skips"), "a", encoding="ascii") as f:
            f.write(f"mozilla {name}\n")
    print(f"skipped: {name} is not there")
    return False


# --- What others have recorded ----------------------------------------------------------------------

def check_case(place, case):
    place.put(case.get("symbols", {}))
    query = "?" + "&".join(f"{k}={v}" for k, v in case["query"].items()) if "query" in case else ""
    body = json.dumps(case["json"]) if "json" in case else None
    status, answer, headers = place.service.request(case["method"], case["path"] + query, body,
                                                    case.get("headers"))
    expected = case["expected"]
    assert status == expected["status"], (case["name"], status, answer)
    if "json" in expected:
        assert json.loads(answer) == expected["json"], (case["name"], answer)
    for name, value in expected.get("headers", {}).items():
        assert headers[name] == value, (case["name"], name, headers[name])
    for name, value in expected.get("headers_start", {}).items():
        assert headers[name].startswith(value), (case["name"], name, headers[name])


def answers_as_the_service_of_today():
    if not folder_has("http.json"):
        return
    with open(os.path.join(PEERS, "http.json"), encoding="utf-8") as f:
        cases = json.load(f)
    answered = [case for case in cases if case["expected"]["status"] == 200]
    with Place("eliot") as place:
        for case in cases:
            if case not in answered:
                check_case(place, case)
    for case in answered:                    # what one left in the cache would answer the next
        with Place("eliot") as place:
            check_case(place, case)


def answers_what_profilers_sent():
    if not folder_has("request-shapes.json"):
        return
    with open(os.path.join(PEERS, "request-shapes.json"), encoding="utf-8") as f:
        shapes = json.load(f)
    folder = os.path.join(PEERS, "requests")
    with Place() as place:
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as f:
                body = f.read()
            request = json.loads(body)
            status, answer, _ = place.post("/symbolicate/v5", body)
            assert status == 200, (name, status, answer)
            check_shape(request, answer, name)
            shape = next(s for s in shapes if s["request"] == f"requests/{name}")
            assert [job["stacks"] for job in shape["jobs"]] == [len(r["stacks"]) for r in answer["results"]], name
            assert ([job["frames"] for job in shape["jobs"]] ==
                    [sum(map(len, r["stacks"])) for r in answer["results"]]), name


def check_shape(request, answer, name):
    jobs = request.get("jobs", [request])
    assert len(answer["results"]) == len(jobs), name
    for job, result in zip(jobs, answer["results"]):
        assert len(result["stacks"]) == len(job["stacks"]), name
        for stack, frames in zip(job["stacks"], result["stacks"]):
            assert [f["frame"] for f in frames] == list(range(len(stack))), name
            for (index, offset), frame in zip(stack, frames):
                assert frame["module"] == job["memoryMap"][index][0], (name, frame)
                assert frame["module_offset"] == hex(offset), (name, frame)
        assert set(result["found_modules"].values()) <= {False, None}, name


def check_addresses(service, case):
    """Of names nothing demangles the recording has one underscore less."""
    body = {"memoryMap": [[os.path.basename(case["main"]), case["debug_id"]]],
            "stacks": [[[0, lookup["relative_address"]] for lookup in case["lookups"]]]}
    result = json.loads(service.request("POST", "/symbolicate/v5", json.dumps(body))[1])["results"][0]
    assert list(result["found_modules"].values()) == [True], (case["name"], result)
    sizes = 0
    for lookup, frame in zip(case["lookups"], result["stacks"][0]):
        names = lookup["symbol"] and {lookup["symbol"], "_" + lookup["symbol"]}
        assert frame.get("function") in (names or {None}), (case["name"], lookup, frame)
        if lookup.get("frames") and "oso" not in case["name"]:      # debug information in objects beside it
            calls = [call["function"] for call in frame.get("inlines", [])]
            assert calls == [call["function"] for call in lookup["frames"][:-1]], (case["name"], lookup, frame)
        if lookup.get("symbol_address") is not None:
            assert frame["function_offset"] == hex(lookup["relative_address"] - lookup["symbol_address"]), (case["name"], frame)
        if lookup.get("symbol_size") and "function_size" in frame:
            assert frame["function_size"] == hex(lookup["symbol_size"]), (case["name"], lookup, frame)
            sizes += 1
    return sizes


# The first says no debug id: that of its build id; the second has one of its code alone, and lies where a
# build id would lead that begins like it.
BY_HAND = {
    "nonpie_aarch64": {"debug_id": "5496C890B4735C716586A19727F1BF6D0", "path": "90/c8965473b4715c6586a19727f1bf6d4d3c0d20.debug"},
    "example_linux_fallback": {"path": "19/25fcc339f42ae4970b693775586aa8.debug"},
}


def answers_as_samply_where_both_know():
    """Its placeholder names (fun_...) are its own, and so are sizes of functions that no debug information
    tells of."""
    if not folder_has("addresses.json"):
        return
    symbols = os.path.join(FOLDER.name, "unified")
    subprocess.run([SYMGATE, "sort", "-q", "-I", symbols, os.path.join(PEERS, "symbols")], check=True, capture_output=True)
    with Service(f"sources:\n- {{id: all, type: filesystem, path: {symbols}, layout: {{type: unified}}}}\n") as service:
        for name in ("win64_local_v5_snapshot_1", "stripped_macos"):
            with open(os.path.join(PEERS, "answers", name + ".json"), encoding="utf-8") as f:
                case = json.load(f)
            expected = case["expected"]
            for frame in expected["results"][0]["stacks"][0]:
                if "file" not in frame:
                    frame.pop("function_size", None)
                if frame.get("function", "").startswith("fun_"):
                    del frame["function"], frame["function_offset"]
            answer = json.loads(service.request("POST", case["path"], json.dumps(case["request"]))[1])
            assert answer == expected, (name, answer)
        with open(os.path.join(PEERS, "answers", "asm_x86_64.json"), encoding="utf-8") as f:
            case = json.load(f)
        answer = json.loads(service.request("POST", case["path"], json.dumps(case["request"]))[1])
        assert [i[0] for i in answer["instructions"]] == [i[0] for i in case["expected"]["instructions"]], answer
        assert {k: answer[k] for k in ("startAddress", "size", "arch")} == \
            {k: case["expected"][k] for k in ("startAddress", "size", "arch")}, answer
        with open(os.path.join(PEERS, "addresses.json"), encoding="utf-8") as f:
            cases = json.load(f)
        sizes = 0
        for case in cases:               # one has no build id, and so no place there; one is asked by that
            if case["name"] not in BY_HAND:
                sizes += check_addresses(service, case)
        assert sizes >= 10, sizes
    with Place() as place:
        for case in [{**case, **BY_HAND[case["name"]]} for case in cases if case["name"] in BY_HAND]:
            with open(os.path.join(PEERS, case["main"]), "rb") as f:
                place.put({case["path"]: f.read()})
            check_addresses(place.service, case)


# --- Version 5 -----------------------------------------------------------------------------------------

def answers_version_5():
    job = {"memoryMap": [["a.pdb", A_ID], ["b.so", "12"], ["", ""]],
           "stacks": [[[0, 0x1008], [-1, 16], [0, 99999999], [0, 0x1012], [0, 0x3005], [0, -1], [0, 2**33]]]}
    with Place() as place:
        place.put(A_FILES)
        status, answer, headers = place.post("/symbolicate/v5", job)
        assert status == 200 and headers["Content-Type"] == "application/json", (status, answer)
        result = answer["results"][0]
        assert result["found_modules"] == {f"a.pdb/{A_ID}": True, "b.so/12": None, "/": None}, answer
        file = "c:\\build\\b.c"
        assert result["stacks"][0] == [
            {"frame": 0, "module": "a.dll", "module_offset": "0x1008", "function": "f",
             "function_offset": "0x0", "file": file, "line": 3},
            {"frame": 1, "module": "<unknown>", "module_offset": "0x10"},
            {"frame": 2, "module": "a.dll", "module_offset": "0x5f5e0ff", "function": "h",
             "function_offset": "0x5f5b0ff"},
            {"frame": 3, "module": "a.dll", "module_offset": "0x1012", "function": "f",
             "function_offset": "0xa", "file": file, "line": 7,
             "inlines": [{"function": "inner", "file": file, "line": 9}]},
            {"frame": 4, "module": "a.dll", "module_offset": "0x3005", "function": "h",
             "function_offset": "0x5"},
            {"frame": 5, "module": "a.dll", "module_offset": "-0x1"},
            {"frame": 6, "module": "a.dll", "module_offset": "0x200000000"},
        ], json.dumps(result, indent=1)
        again = place.post("/symbolicate/v5", {"jobs": [job, job]})[1]
        assert [r["stacks"] for r in again["results"]] == [result["stacks"]] * 2


WRONG_V5 = [
    (b"", "Payload is not valid JSON"), (b"{", "Payload is not valid JSON"), (b"\xff", "Payload is not valid JSON"),
    (b"{} x", "Payload is not valid JSON"), ([], "job 0 is invalid"), ("null", "job 0 is invalid"),
    ('"text"', "job 0 is invalid"), ({"jobs": None}, "job 0 is invalid"), ({"jobs": [7]}, "job 0 is invalid"),
    ({"jobs": {"a": 1}}, "job 0 is invalid"),
    ({"jobs": [{}] * 11}, "please limit number of jobs in a single request to <= 10"),
    ({"jobs": "elevenchars"}, "please limit number of jobs in a single request to <= 10"),
    ({}, "job 0 is invalid: no stacks specified"), ({"stacks": 1}, "job 0 is invalid: no memoryMap specified"),
    ({"memoryMap": {}, "stacks": 1}, "job 0 has invalid modules: modules must be a list"),
    ({"memoryMap": [["a"]], "stacks": 1},
     "job 0 has invalid modules: module index 0 does not have a debug_filename and debug_id"),
    ({"memoryMap": [["a", "1"], ["a", "1", 1]], "stacks": 1},
     "job 0 has invalid modules: module index 1 does not have a debug_filename and debug_id"),
    ({"memoryMap": [[1, "1"]], "stacks": 1}, "job 0 has invalid modules: module index 0 has an invalid debug_filename"),
    ({"memoryMap": [["a/b", "1"]], "stacks": 1},
     "job 0 has invalid modules: module index 0 has an invalid debug_filename"),
    ({"memoryMap": [["a\u0000", "1"]], "stacks": 1},
     "job 0 has invalid modules: module index 0 has an invalid debug_filename"),
    ({"memoryMap": [["a", 1]], "stacks": 1}, "job 0 has invalid modules: module index 0 has an invalid debug_id"),
    ({"memoryMap": [["a", "xyz"]], "stacks": 1}, "job 0 has invalid modules: module index 0 has an invalid debug_id"),
    ({"memoryMap": [], "stacks": {}}, "job 0 has invalid stacks: stacks must be a list of lists"),
    ({"memoryMap": [], "stacks": []}, "job 0 has invalid stacks: no stacks specified"),
    ({"memoryMap": [], "stacks": [[], 1]}, "job 0 has invalid stacks: stack 1 is not a list"),
    ({"memoryMap": [], "stacks": [[1]]}, "job 0 has invalid stacks: stack 0 frame 0 is not a list of two items"),
    ({"memoryMap": [], "stacks": [[[1]]]}, "job 0 has invalid stacks: stack 0 frame 0 is not a list of two items"),
    ({"memoryMap": [], "stacks": [[[-1, 1], [1.0, 1]]]},
     "job 0 has invalid stacks: stack 0 frame 1 has an invalid module_index"),
    ({"memoryMap": [], "stacks": [[["0", 1]]]}, "job 0 has invalid stacks: stack 0 frame 0 has an invalid module_index"),
    ({"memoryMap": [["a", "1"]], "stacks": [[[1, 1]]]},
     "job 0 has invalid stacks: stack 0 frame 0 has a module_index that isn't in modules"),
    ({"memoryMap": [["a", "1"]], "stacks": [[[-2, 1]]]},
     "job 0 has invalid stacks: stack 0 frame 0 has a module_index that isn't in modules"),
    ({"memoryMap": [["a", "1"]], "stacks": [[[0, -2]]]},
     "job 0 has invalid stacks: stack 0 frame 0 has an invalid module_offset"),
    ({"memoryMap": [["a", "1"]], "stacks": [[[0, 1.5]]]},
     "job 0 has invalid stacks: stack 0 frame 0 has an invalid module_offset"),
    ({"jobs": [{"memoryMap": [], "stacks": [[]]}, {"memoryMap": 1, "stacks": [[]]}]},
     "job 1 has invalid modules: modules must be a list"),
]


def refuses_wrong_requests_of_version_5():
    with Place() as place:
        for body, title in WRONG_V5:
            status, answer, headers = place.post("/symbolicate/v5", body)
            assert (status, answer) == (400, {"title": title}), (body, status, answer)
            assert headers["Content-Type"].startswith("application/json")
        for body in ({"jobs": []}, {"jobs": {}}, {"jobs": ""}):
            assert place.post("/symbolicate/v5", body)[:2] == (200, {"results": []})
        fine = {"memoryMap": [["a", "1"]], "stacks": [[[False, True], [0, 2**64 - 1]]]}
        for body in (json.dumps(fine), b"\xef\xbb\xbf" + json.dumps(fine).encode()):
            status, answer, _ = place.post("/symbolicate/v5", body)
            assert status == 200, answer
            assert [f["module_offset"] for f in answer["results"][0]["stacks"][0]] == ["0x1", "0xffffffffffffffff"]
        status, answer, headers = place.service.request("GET", "/symbolicate/v5")
        assert (status, json.loads(answer)) == (405, {"title": "405 Method Not Allowed"}), (status, answer)
        assert headers["Allow"] == "POST, OPTIONS"
        assert place.service.request("POST", "/symbolicate/v5/", "{}")[0] == 404


# --- Version 4 -----------------------------------------------------------------------------------------

WRONG_V4 = [
    (b"", "Invalid JSON passed in"), (b"\xff\xfe", "Invalid JSON passed in"), ([], "Not a dict"), ("1", "Not a dict"),
    ({}, "Missing key JSON \"'stacks'\""), ({"stacks": []}, "Missing key JSON \"'memoryMap'\""),
    ({"stacks": [], "memoryMap": []}, "Expect version==4"),
    ({"stacks": [], "memoryMap": [], "version": "4"}, "Expect version==4"),
    ({"stacks": [], "memoryMap": [], "version": True}, "Expect version==4"),
    ({"stacks": [], "memoryMap": 1, "version": 4}, "Must be a list"),
    ({"stacks": 1, "memoryMap": [], "version": 4}, "Must be a list"),
    ({"stacks": [1], "memoryMap": [], "version": 4}, "Must be a list of lists"),
    ({"stacks": [[1]], "memoryMap": [], "version": 4}, "Must be a list of lists of lists"),
    ({"stacks": [[[1]]], "memoryMap": [], "version": 4}, "List of lists of frames must be 2 numbers"),
    ({"stacks": [[["0", 1]]], "memoryMap": [["a", "1"]], "version": 4}, "Frame must be two integers"),
    ({"stacks": [[[0, 1]]], "memoryMap": [], "version": 4}, "Frame must be two integers"),
    ({"stacks": [], "memoryMap": [["a"]], "version": 4}, "Must be a list of lists of size 2"),
    ({"stacks": [], "memoryMap": [["a" * 1025, "1"]], "version": 4}, "module name too long"),
    ({"stacks": [], "memoryMap": [["a\u0000", "1"]], "version": 4}, "module_name contains null-byte"),
]


def answers_version_4_as_documented():
    body = ('{"version":4.0,"memoryMap":[["a.pdb","%s"],["b.so","12"],["a.pdb","%s"],["../../etc","%s"]],"stacks":'
            '[[[0,4104],[-1,16],[0,99999],[0,1.00000],[-7,-1],[1,32],[0,1],[0,5000],[3,1]],[]]}' % (A_ID, A_ID, A_ID))
    with Place() as place:
        place.put(A_FILES)
        for path in ("/symbolicate/v4", "/"):
            status, answer, headers = place.post(path, body, {"Origin": "https://profiler.firefox.com"})
            assert status == 200, answer
            assert answer == {"symbolicatedStacks": [
                ["f (in a.pdb)", "0x10", "h (in a.pdb)", "1.00000", "-0x1", "0x20 (in b.so)", "0x1 (in a.pdb)",
                 "f (in a.pdb)", "0x1 (in ../../etc)"], []], "knownModules": [True, False, False, False]}, answer
            assert headers["Access-Control-Allow-Origin"] == "*"
        for wrong, error in WRONG_V4:
            status, answer, _ = place.post("/symbolicate/v4", wrong)
            assert (status, answer) == (400, {"error": error}), (wrong, status, answer)
        status, answer, _ = place.service.request("GET", "/symbolicate/v4")
        assert (status, json.loads(answer)) == (405, {"error": "Must use HTTP POST"})


def answers_version_4_as_today():
    body = {"memoryMap": [["a.pdb", A_ID], ["b.so", "12"]], "stacks": [[[0, 4104], [-1, 16], [0, 0x1f00]]]}
    with Place("eliot") as place:
        place.put(A_FILES)
        assert place.post("/symbolicate/v4", body)[1] == {
            "symbolicatedStacks": [["f (in a.dll)", "0x10 (in <unknown>)", "0x1f00 (in a.dll)"]],
            "knownModules": [True, None]}
        assert place.post("/symbolicate/v4", [])[1] == {"title": "job 0 is invalid"}


def tells_figures():
    v4 = {"version": 4, "debug": 1, "memoryMap": [["a.pdb", A_ID], ["a.so", A_ID]],
          "stacks": [[[0, 4104], [0, 1], [-1, 1], [1, 0]]]}
    key, other = f"a.pdb/{A_ID}", f"a.so/{A_ID}"
    with Place() as place:
        place.put(A_FILES)
        cold = place.post("/symbolicate/v4", v4)[1]["debug"]
        warm = place.post("/symbolicate/v4", v4)[1]["debug"]
        assert list(cold) == ["time", "stacks", "modules", "cache_lookups", "downloads"], cold
        assert cold["stacks"] == {"count": 4, "real": 3} and cold["time"] > 0
        assert cold["modules"] == {"count": 2, "stacks_per_module": {key: 2, other: 1}}
        assert cold["cache_lookups"]["count"] == 2 and cold["cache_lookups"]["size"] == 0
        assert cold["downloads"]["count"] == 1 and cold["downloads"]["time"] > 0
        assert cold["downloads"]["size"] == len(A_SYM.replace("\n", ""))
        assert warm["downloads"] == {"count": 0, "time": 0, "size": 0} and warm["cache_lookups"]["size"] > 0
        v5 = {"jobs": [{"memoryMap": v4["memoryMap"], "stacks": [[[0, 1]]]}] * 2}
        assert "debug" not in place.post("/symbolicate/v5", v5)[1]
        debug = place.post("/symbolicate/v5", v5, {"Debug": "false"})[1]["debug"]
        assert debug["modules"] == {"count": 2, "stacks_per_module": {key: 2}}, debug
        assert debug["cache_lookups"]["count"] == debug["cache_lookups"]["hits"] == 1
        assert debug["downloads"] == {"count": 0, "size": 0, "time": 0}


# --- Browsers --------------------------------------------------------------------------------------------

def lets_every_page_ask():
    with Place() as place:
        for path in ("/symbolicate/v5", "/symbolicate/v4", "/"):
            status, body, headers = place.service.request("OPTIONS", path, None, {
                "Origin": "https://profiler.firefox.com", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "user-agent"})
            assert (status, body) == (200, b""), (path, status)
            assert headers["Access-Control-Allow-Origin"] == "*"
            assert headers["Access-Control-Expose-Headers"] == EXPOSED
            assert headers["Access-Control-Allow-Methods"] == "POST"
            assert headers["Access-Control-Allow-Headers"] == "user-agent"
            assert headers["Access-Control-Max-Age"] == "86400" and headers["Allow"] is None
            status, _, headers = place.service.request("OPTIONS", path)
            assert status == 200 and headers["Allow"] == "POST"
            assert headers["Access-Control-Allow-Origin"] is None
        status, _, headers = place.service.request("POST", "/symbolicate/v5", "", {"Origin": "x"})
        assert status == 400 and headers["Access-Control-Allow-Origin"] == "*"


# --- Downloads and the rest ------------------------------------------------------------------------------

def gives_out_symbols():
    files = {**A_FILES, f"b.so/{A_ID}/b.so.sym": gzip.compress(A_SYM.encode()),
             **{f"{name}.pdb/{A_ID}/{name}.sym": A_SYM for name in ("v8", "v8.1.2", "V3")}}
    with Place() as place:
        place.put(files)
        for path in (*(f"/{name}.pdb/{A_ID}/{name}.sym" for name in ("v8", "v8.1.2", "V3")),
                     f"/a.pdb/{A_ID}/a.sym", f"/a.pdb/{A_ID.lower()}/a.sym?_refresh", f"/b.so/{A_ID}/b.so.sym"):
            status, body, headers = place.service.request("GET", path)
            assert (status, body.decode()) == (200, A_SYM), (path, status, body)
            assert headers["Content-Type"].startswith("text/plain")
            assert headers["Access-Control-Allow-Origin"] == "*"
            status, body, _ = place.service.request("HEAD", path)
            assert (status, body) == (200, b""), path
        for path in (f"/c.pdb/{A_ID}/c.sym", f"/a.pdb/{A_ID}/b.sym", "/a.pdb/abc/a.sym", f"/a%2fb/{A_ID}/b.sym",
                     f"/../{A_ID}/x.sym", f"/%2e%2e/{A_ID}/...sym", f"/{'x' * 4000}/{A_ID}/x.sym"):
            status, body, _ = place.service.request("GET", path)
            assert (status, body) == (404, b"Symbol Not Found"), (path, status, body)
        for path in (f"/a.pdb/{A_ID}/a.pdb", f"/a.pdb/{'0' * 33}/a.sym", f"/a.pdb/{A_ID}/file.ptr"):
            status, body, _ = place.service.request("GET", path)
            assert (status, body) == (404, b"Symbol Not Found (and ignored)"), (path, status, body)
        status, _, headers = place.service.request("PUT", f"/a.pdb/{A_ID}/a.sym", "x")
        assert status == 405 and headers["Allow"] == "GET,HEAD"
        assert place.service.request("GET", f"/a.pdb/{A_ID}/a/b.sym")[0] == 404
        assert place.service.request("GET", "/a.pdb/xyz/a.sym")[0] == 404


def lists_what_is_missing():
    with Place() as place:
        place.put(A_FILES)
        other = A_ID[:-1] + "F"
        for path in (f"/a.pdb/{A_ID}/a.sym?code_file=a.dll&code_id=11", f"/c.pdb/{other.lower()}/c.sym",
                     f"/c.pdb/{other}/c.sym?x=1&code_file=%43.dll&code_id=5f3a0000", f"/d.so/{A_ID}/d.so.sym?code_file=&code_id=zz",
                     f"/c.pdb/{other}/c.sym?code_file={'x' * 4000}", f"/e.pdb/{A_ID}/e.sym?code_file=..%2f..%2fe.dll"):
            status, body, _ = place.service.request("GET", path)
            assert status == (200 if path.startswith("/a.pdb") else 404), (path, status, body)
        place.post("/symbolicate/v5", {"memoryMap": [["gone.pdb", A_ID]], "stacks": [[[0, 16]]]})
        place.service.stop()
        with sqlite3.connect(os.path.join(place.service.state, "symgate.db")) as db:
            rows = db.execute("SELECT debug_file, debug_id, code_file, code_id, count, sources_without FROM v_missing_symbols").fetchall()
        rows = {row[0]: row[1:] for row in rows}
        assert sorted(rows) == ["c.pdb", "d.so", "e.pdb", "gone.pdb"], rows
        assert rows["d.so"][:3] == (A_ID, "", "") and rows["e.pdb"][:3] == (A_ID, "e.dll", ""), rows
        assert rows["c.pdb"][0] == other and rows["c.pdb"][3] >= 1 and rows["c.pdb"][4] == "files", rows
        assert rows["gone.pdb"][:1] == (A_ID,), rows


def leads_from_the_code_to_its_symbols():
    path = os.path.join(PEERS, "symbols", "win64-local", "firefox.exe")
    if not folder_has("symbols/win64-local/firefox.exe"):
        return
    info = json.loads(subprocess.run([SYMGATE, "--json", "object", "info", path], capture_output=True, check=True).stdout)
    ids = info["objects"][0]
    with Place() as place, open(path, "rb") as f:
        code_id = ids["code_id"][:8].upper() + ids["code_id"][8:]
        place.put({f"firefox.exe/{code_id}/firefox.exe": f.read()})
        status, body, headers = place.service.request("GET", f"/firefox.exe/{ids['code_id'].upper()}/firefox.exe.sym?a=b")
        assert (status, body) == (302, b""), (status, body, ids)
        debug_id = uuid.UUID(ids["debug_id"][:36]).hex.upper() + (ids["debug_id"][37:] or "0").upper()
        assert headers["Location"] == f"/firefox.pdb/{debug_id}/firefox.sym?a=b", headers["Location"]


def tells_its_version():
    with Place() as place:
        status, body, _ = place.service.request("GET", "/__version__")
        assert status == 200 and json.loads(body)["source"] == "symgate"
        for path in ("/__heartbeat__", "/__lbheartbeat__"):
            status, body, headers = place.service.request("GET", path)
            assert (status, body, headers["Content-Type"]) == (200, b"", "application/json; charset=utf-8")


# --- Sources and formats -----------------------------------------------------------------------------------

def takes_packed_symbols_and_those_of_another_id():
    other = A_ID[:-1] + "3"
    files = {f"a.pdb/{A_ID}/a.sym": gzip.compress(A_SYM.encode()), f"a.pdb/{other}/a.sym": A_SYM,
             f"empty.so/{A_ID}/empty.so.sym": "", f"bare.so/{A_ID}/bare.so.sym": f"MODULE Linux x86_64 {A_ID} bare.so\n"}
    with Place(more="  module_errors: true\n") as place:
        place.put(files)
        names = [["a.pdb", A_ID], ["a.pdb", other], ["empty.so", A_ID], ["bare.so", A_ID], ["no.so", "0" * 33]]
        result = place.post("/symbolicate/v5", {"memoryMap": names, "stacks": [[[i, 4104] for i in range(5)]]})[1]["results"][0]
        assert list(result["found_modules"].values()) == [True, False, False, True, False], result
        errors = {key: [e["name"] for e in value] for key, value in result["module_errors"].items()}
        assert errors[f"no.so/{'0' * 33}"] == ["InvalidBreakpadId"] and len(errors) == 3, errors


class Native:
    """A program with a build id of 16 bytes, which a debug id holds all of."""

    def __init__(self):
        self.source, self.path = os.path.join(FOLDER.name, "native.cc"), os.path.join(FOLDER.name, "native")
        self.text = ("namespace shape { __attribute__((noinline)) int area(int a, int b) { return a * b; } }\n"
                     "int main(int argc, char **) { return shape::area(argc, 3); }\n")
        with open(self.source, "w", encoding="ascii") as f:
            f.write(self.text)
        identity = uuid.UUID("00112233-4455-6677-8899-aabbccddeeff")
        build_id = self.build_id = identity.bytes_le.hex()
        subprocess.run(["g++", "-O1", "-g", f"-Wl,--build-id=0x{build_id}", "-o", self.path, self.source], check=True)
        symbols = subprocess.run(["nm", "-S", self.path], capture_output=True, text=True, check=True).stdout
        self.address, self.size = next([int(number, 16) for number in line.split()[:2]]
                                       for line in symbols.splitlines() if "area" in line)
        self.debug_id = identity.hex.upper() + "0"
        with open(self.path, "rb") as f:
            self.files = {f"{build_id[:2]}/{build_id[2:]}.debug": f.read()}


def finds_the_rest_of_a_build_id():
    native = Native()
    with open(native.path, "rb") as f:
        content = f.read()
    longer = os.path.join(FOLDER.name, "longer")
    subprocess.run(["g++", "-O1", "-g", f"-Wl,--build-id=0x{native.build_id}01020304", "-o", longer, native.source], check=True)
    folder, rest = native.build_id[:2], native.build_id[2:]
    with Place() as place, open(longer, "rb") as f:
        place.put({f"{folder}/{rest}01020304.debug": f.read(), f"{folder}/{rest}01020304x.debug": content,
                   f"{folder}/{'0' * 200}": content, f"{folder}/.debug": content})
        result = place.post("/symbolicate/v5", {"memoryMap": [["native", native.debug_id]],
                                                "stacks": [[[0, native.address]]]})[1]
        assert result["results"][0]["stacks"][0][0]["function"] == "shape::area(int, int)", result


BUILD_ID = bytes(range(0x10, 0x50))


def files_by_build_id(path, build_id):
    """Where each layout has a debug file."""
    hexed = build_id.hex()
    with open(path, "rb") as f:
        content = f.read()
    return {"unified": f"/{hexed[:2]}/{hexed[2:]}/debuginfo", "native": f"/{hexed[:2]}/{hexed[2:]}.debug",
            "debuginfod": f"/{hexed}/debuginfo", "symstore": f"/_.debug/elf-buildid-sym-{hexed}/_.debug",
            "ssqp": f"/_.debug/elf-buildid-sym-{hexed}/_.debug"}, content


def asks_servers_by_whole_build_ids():
    """They cannot be looked through for the rest of one: it is sent in place of the debug id."""
    native, symbols = Native(), Symbols()
    path = os.path.join(FOLDER.name, "whole")
    sources = [symbols.source(layout, url=f"http://127.0.0.1:{symbols.server_port}/{layout}/", layout={"type": layout})
               for layout in ("unified", "native", "debuginfod", "symstore", "ssqp")]
    with Service(json.dumps({"connect_to_reserved_ips": True, "sources": sources})) as service:
        for size in (8, 16, 20, 32, 64):
            for layout in ("unified", "native", "debuginfod", "symstore", "ssqp"):
                build_id = bytes([size, len(layout)]) + BUILD_ID[2:size]
                subprocess.run(["g++", "-O1", "-g", f"-Wl,--build-id=0x{build_id.hex()}", "-o", path, native.source], check=True)
                places, content = files_by_build_id(path, build_id)
                symbols.files = {f"/{layout}{places[layout]}": content}
                debug_id = uuid.UUID(bytes_le=build_id[:16].ljust(16, b"\0")).hex.upper() + "0"
                for given, known in ((build_id.hex().upper() if size > 16 else debug_id, True), (debug_id + "1", False)):
                    body = json.dumps({"memoryMap": [["whole", given]], "stacks": [[[0, native.address]]]})
                    status, answer, _ = service.request("POST", "/symbolicate/v5", body)
                    result = json.loads(answer)["results"][0]
                    assert result["found_modules"] == {f"whole/{given}": known}, (size, layout, result, symbols.hits)
                    assert not known or result["stacks"][0][0]["function"] == "shape::area(int, int)", result
                symbols.hits.clear()


def finds_symbols_by_the_build_id_of_a_query():
    symbols = Symbols()
    build_id = BUILD_ID[:20]
    debug_id = uuid.UUID(bytes_le=build_id[:16]).hex.upper() + "0"
    text = f"MODULE Linux x86_64 {debug_id} lib.so\nPUBLIC 10 0 f\n".encode()
    symbols.files[f"/{build_id.hex()[:2]}/{build_id.hex()[2:]}/breakpad"] = text
    source = symbols.source(filters={"filetypes": ["breakpad"]})
    with Service(json.dumps({"connect_to_reserved_ips": True, "sources": [source]})) as service:
        for query, status in ((f"?code_file=lib.so&code_id={build_id.hex()}", 200), (f"?code_id={'0' * 40}", 404), ("", 404)):
            got, body, _ = service.request("GET", f"/lib.so/{debug_id}/lib.so.sym{query}")
            assert got == status and (status != 200 or body == text), (query, got, body)


def answers_from_native_files():
    native = Native()
    with Place() as place:
        place.put(native.files)
        result = place.post("/symbolicate/v5", {"memoryMap": [["native", native.debug_id]],
                                                "stacks": [[[0, native.address]]]})[1]
        frame = result["results"][0]["stacks"][0][0]
        assert frame["function"] == "shape::area(int, int)" and frame["function_offset"] == "0x0", result
        assert frame["function_size"] == hex(native.size), (frame, native.size)
        assert frame["file"] == native.source and frame["line"] == 1, frame


WRONG_SOURCE = [
    ("[]", 400, "Couldn't parse request: no JSON object"), ({}, 400, "Couldn't parse request: missing a string: debugName"),
    ({"moduleOffset": "12"}, 400, "Couldn't parse request: Unexpected hex string without 0x prefix: 12"),
    ({"moduleOffset": "0x100000000"}, 400, "Couldn't parse request: no offset of 32 bits: 0x100000000"),
    ({"debugId": "xyz"}, 404, "Could not obtain symbols for the requested library: the debug id is none"),
    ({"moduleOffset": "0xfffffff0"}, 404, "Don't have any debug info for the requested library"),
    ({"file": "/etc/passwd"}, 404, "The requested path is not present in the symbolication frames"),
    ({"file": ""}, 404, "The requested path is not present in the symbolication frames"),
]


def gives_out_sources_of_functions():
    native = Native()
    request = {"debugName": "native", "debugId": native.debug_id, "moduleOffset": hex(native.address), "file": native.source}
    with Place(more=f"debuginfod:\n  source_folders: [{FOLDER.name}]\n") as place:
        os.chmod(FOLDER.name, 0o755)
        place.put(native.files)
        status, answer, _ = place.post("/source/v1", request)
        assert (status, answer) == (200, {"symbolsLastModified": None, "sourceLastModified": None, "file": native.source,
                                          "source": native.text}), (status, answer)
        for change, status, words in WRONG_SOURCE:
            body = change if not isinstance(change, dict) or not change else {**request, **change}
            got, answer, _ = place.post("/source/v1", body)
            assert (got, answer) == (status, {"title": words, "error": words}), (change, got, answer)
    with Place() as place:
        place.put(native.files)
        status, answer, _ = place.post("/source/v1", request)
        assert (status, answer["title"]) == (404, "An error occurred when reading the file: no source has it"), answer


WRONG_CODE = [
    ("[]", 400, "Couldn't parse request: no JSON object"), ("{}", 400, "Couldn't parse request: missing a string: startAddress"),
    ({"size": "3a"}, 400, "Couldn't parse request: Unexpected hex string without 0x prefix: 3a"),
    ({"startAddress": "0x100000000"}, 400, "Couldn't parse request: no number of 32 bits: 0x100000000"),
    ({"continueUntilFunctionEnd": 1}, 400, "Couldn't parse request: neither true nor false: continueUntilFunctionEnd"),
    ({"debugId": "xyz"}, 404, "An error occurred when loading the binary: neither id is one"),
    ({"debugId": "1" * 33}, 404, "An error occurred when loading the binary: no source has it"),
    ({"name": "../native"}, 404, "An error occurred when loading the binary: no file has a name like that"),
    ({"startAddress": "0xfffffff0"}, 404, "The requested address was not found in any section in the binary."),
]


def shows_code():
    native = Native()
    with open(native.path, "rb") as f:
        content = bytearray(f.read())
    path = f"{native.build_id[:2]}/{native.build_id[2:]}"
    request = {"name": "native", "debugName": "native", "debugId": native.debug_id, "startAddress": hex(native.address), "size": "0x1"}
    with Place() as place:
        place.put({path: bytes(content)})
        for ids in ({}, {"codeId": native.build_id}, {"codeId": native.build_id.upper(), "debugId": None}):
            status, one, _ = place.post("/asm/v1", {**request, **ids})
            assert status == 200 and len(one["instructions"]) == 1 and one["instructions"][0][0] == 0, (status, one)
        status, whole, _ = place.post("/asm/v1", {**request, "continueUntilFunctionEnd": True})
        assert status == 200 and whole["instructions"][0] == one["instructions"][0], (status, whole)
        assert "ret" in [text for _, text in whole["instructions"]] and int(whole["size"], 16) < 64, whole
        assert (whole["startAddress"], whole["arch"], whole["syntax"]) == (hex(native.address), "x86_64", ["Intel"]), whole
        disassembled = subprocess.run(["objdump", "-d", "-M", "intel", "--no-show-raw-insn", f"--start-address={native.address}",
                                       f"--stop-address={native.address + int(whole['size'], 16)}", native.path],
                                      capture_output=True, text=True, check=True).stdout
        lines = [line.split("\t") for line in disassembled.splitlines() if line.startswith(" ")]
        assert [(int(at.strip(" :"), 16) - native.address, text.split()[0]) for at, text in lines] == \
            [(at, text.split()[0]) for at, text in whole["instructions"]], (disassembled, whole)
        for change, status, words in WRONG_CODE:
            body = change if isinstance(change, str) else {**request, **change}
            got, answer, _ = place.post("/asm/v1", body)
            assert (got, answer) == (status, {"title": words, "error": words}), (change, got, answer)
    content[18:20] = (21).to_bytes(2, "little")
    with Place() as place:
        place.put({path: bytes(content)})
        got, answer, _ = place.post("/asm/v1", request)
        assert (got, answer["error"]) == (404, 'Unrecognized architecture "ppc64"'), answer


ARM64 = """int twice(int n) { return n + n; }
int area(int a, int b) { int sum = 0; for (int i = 0; i < b; i++) sum += twice(a); return sum; }
"""


def shows_code_of_arm64():
    """The same instructions as objdump, branches to addresses; a beginning between two is that of the first."""
    source, path = os.path.join(FOLDER.name, "arm64.c"), os.path.join(FOLDER.name, "arm64.so")
    with open(source, "w", encoding="ascii") as f:
        f.write(ARM64)
    build_id = BUILD_ID[:20].hex()
    subprocess.run(["aarch64-linux-gnu-gcc", "-O1", "-fno-inline", "-shared", "-fPIC", "-nostdlib", f"-Wl,--build-id=0x{build_id}", "-o", path,
                    source], check=True)
    symbols = subprocess.run(["nm", "-S", path], capture_output=True, text=True, check=True).stdout
    address, size = next([int(number, 16) for number in line.split()[:2]] for line in symbols.splitlines() if line.endswith(" area"))
    request = {"name": "arm64.so", "codeId": build_id, "startAddress": hex(address + 2), "size": "0x4", "continueUntilFunctionEnd": True}
    with Place() as place, open(path, "rb") as f:
        place.put({f"{build_id[:2]}/{build_id[2:]}": f.read()})
        status, whole, _ = place.post("/asm/v1", request)
        assert status == 200, whole
        assert (whole["startAddress"], whole["size"], whole["arch"], whole["syntax"]) == (hex(address), hex(size), "aarch64", ["ARM"]), whole
        disassembled = subprocess.run(["aarch64-linux-gnu-objdump", "-d", "-M", "no-aliases", "--no-show-raw-insn", f"--start-address={address}",
                                       f"--stop-address={address + size}", path], capture_output=True, text=True, check=True).stdout
        lines = [line.split() for line in disassembled.splitlines() if line.startswith(" ")]
        assert [int(line[0].strip(":"), 16) - address for line in lines] == [at for at, _ in whole["instructions"]], whole
        branches = [(line[1], line[2]) for line in lines if line[1].split(".")[0] in ("b", "bl")]
        told = [tuple(text.split()) for _, text in whole["instructions"] if text.split()[0].split(".")[0] in ("b", "bl")]
        assert len(told) >= 2 and told == [(name, "0x" + at) for name, at in branches], (branches, told)


if __name__ == "__main__":
    run_all([answers_as_the_service_of_today, answers_what_profilers_sent, answers_as_samply_where_both_know, answers_version_5,
             refuses_wrong_requests_of_version_5, answers_version_4_as_documented, answers_version_4_as_today,
             tells_figures, lets_every_page_ask, gives_out_symbols, lists_what_is_missing, leads_from_the_code_to_its_symbols,
             tells_its_version, takes_packed_symbols_and_those_of_another_id,
             answers_from_native_files, finds_the_rest_of_a_build_id, asks_servers_by_whole_build_ids,
             finds_symbols_by_the_build_id_of_a_query, gives_out_sources_of_functions, shows_code, shows_code_of_arm64], "mozilla")

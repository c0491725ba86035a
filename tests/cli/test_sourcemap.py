#!/usr/bin/env python3
"""test_sourcemap -- symgate sourcemap: check, dump and lookup; the standard's tests and recorded look-ups, where they are at
hand ($SYMGATE_SHARED); every token as other readers see it, where node and their packages are ($SYMGATE_NODE_MODULES, a
folder with @jridgewell/trace-mapping and whatever made *.map files lie in or below it)."""
import glob
import json
import os
import shutil
import struct
import subprocess

from cli_support import check, run_tests, symgate

MAP = ('{"version":3,"sources":["a.js","b.js"],"names":["x"],"sourcesContent":["one\\ntwo\\nthree",null],'
       '"mappings":"AAAA,IACIA,EAAA;ACAA"}')
MINIFIED = "function q(){f()}"
PEERS = os.path.join(os.environ.get("SYMGATE_SHARED", ""), "peers", "js")
MODULES = os.environ.get("SYMGATE_NODE_MODULES", "")

AGREE = """
import fs from 'fs';
const { TraceMap, decodedMappings } = await import(process.argv[2]);
const map = JSON.parse(fs.readFileSync(process.argv[3], 'utf8'));
const trace = new TraceMap(map), root = map.sourceRoot ? map.sourceRoot.replace(/\\/$/, '') + '/' : '';
const all = [];
decodedMappings(trace).forEach((line, i) => line.forEach((s) => all.push([i + 1, s[0] + 1,
    s.length > 1 ? root + (trace.sources[s[1]] ?? '') : null, s.length > 1 ? s[2] + 1 : null, s.length > 1 ? s[3] + 1 : null,
    s.length > 4 ? trace.names[s[4]] : null])));
console.log(JSON.stringify(all));
"""


def put(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def test_commands(folder):
    path = put(folder, "a.map", MAP)
    minified = put(folder, "a.js", MINIFIED)
    listed = symgate("sourcemap", "dump", path)
    check("dump", listed.stdout == "1:1 a.js:1:1\n1:5 a.js:2:5 x\n1:7 a.js:2:5\n2:1 b.js:2:5\n", listed)
    found = symgate("sourcemap", "lookup", "--context", "1", path, "1:4", "9:1")
    check("lookup", found.stdout == "1:4 a.js:1:1\n>      1  one\n       2  two\n9:1 ?\n", found)
    found = symgate("sourcemap", "lookup", "-m", minified, "--json", path, "1:2")
    check("lookup with functions", json.loads(found.stdout) == [
        {"line": 1, "column": 2, "file": "a.js", "original_line": 1, "original_column": 1, "function": "q"}], found)
    checked = symgate("sourcemap", "check", "-m", minified, path)
    check("check", checked.returncode == 0 and checked.stdout.endswith("0 errors, 3 remarks\n") and
          "the text of source 1 is not in the map: b.js" in checked.stdout and
          "1 tokens are outside of the lines of the minified file, the first at 2:1" in checked.stdout, checked)
    for words in (["lookup", path], ["lookup", path, "0:1"], ["lookup", path, "x"], ["dump"], ["dump", "-m", path, path],
                  ["list", path], ["check", "--context", "1", path]):
        check("misuse %s" % words, symgate("sourcemap", *words).returncode == 2)
    check("no file", symgate("sourcemap", "dump", path + ".gone").returncode == 1)


def test_ram_bundles(folder):
    """Module 0 begins at the third line of the map, module 2 at the fourth; 1 is in no bundle."""
    module = {"version": 3, "names": [], "mappings": "AAAA,IACA"}
    path = put(folder, "ram.map", json.dumps({"version": 3, "x_facebook_offsets": [2, None, 3], "sections": [
        {"offset": {"line": line, "column": 0}, "map": {**module, "sources": [source]}}
        for line, source in ((0, "startup.js"), (2, "a.js"), (3, "b.js"))]}))
    found = symgate("sourcemap", "lookup", path, "1:5", "0.js:1:5", "2.js:1:1", "1.js:1:1", "9.js:1:1", "2.js:4294967294:1")
    check("places in modules", found.stdout == "1:5 startup.js:2:1\n0.js:1:5 a.js:2:1\n2.js:1:1 b.js:1:1\n1.js:1:1 ?\n"
          "9.js:1:1 ?\n2.js:4294967294:1 ?\n", found)
    found = symgate("sourcemap", "lookup", "--json", path, "2.js:1:5")
    check("as JSON", json.loads(found.stdout) == [{"module": 2, "line": 1, "column": 5, "file": "b.js",
                                                   "original_line": 2, "original_column": 1}], found)
    for place in ("x.js:1:1", ".js:1:1", "1.js:0:1", "1.js:1", "4294967296.js:1:1"):
        check("no place " + place, symgate("sourcemap", "lookup", path, place).returncode == 2)
    code = [b"startup();\0", b"a;\0", b"b();\0"]
    table = struct.pack("<6I", 11, 3, 0, 0, 14, 5)
    bundle = os.path.join(folder, "main.jsbundle")
    with open(bundle, "wb") as file:
        file.write(struct.pack("<3I", 0xfb0bd1e5, 3, 11) + table + b"".join(code))
    listed = symgate("sourcemap", "dump", bundle)
    check("modules", listed.stdout == "startup: 10 bytes at 36\n0.js: 2 bytes at 47\n2.js: 4 bytes at 50\n", listed)
    listed = symgate("sourcemap", "dump", "--json", bundle)
    check("modules as JSON", json.loads(listed.stdout)[1] == {"name": "0.js", "offset": 47, "size": 2}, listed)
    os.truncate(bundle, 54)
    listed = symgate("sourcemap", "dump", bundle)
    check("a bundle that is cut", listed.returncode == 1 and "module 2" in listed.stderr, listed)


def test_faults(folder):
    for what, text, words in (
            ("no JSON", "<html>", "the source map has no object at byte 0"),
            ("no version", '{"sources":[],"mappings":""}', "there is no version"),
            ("a digit that is none", '{"version":3,"sources":["a"],"mappings":"AA*A"}', "no base64 digit"),
            ("a source outside", '{"version":3,"sources":["a"],"mappings":"ACAA"}', "a source that is not there"),
            ("sections over each other", '{"version":3,"sections":[%s,%s]}' % ((
                '{"offset":{"line":0,"column":0},"map":{"version":3,"sources":["a"],"mappings":"AAAA"}}',) * 2),
             "two sections begin at one place")):
        checked = symgate("sourcemap", "check", put(folder, "bad.map", text))
        check(what, checked.returncode == 1 and "error: " in checked.stdout and words in checked.stdout, checked)


def place_of(map_path, line, column, *options):
    found = symgate("sourcemap", "lookup", "--json", *options, map_path, "%d:%d" % (line, column))
    return json.loads(found.stdout)[0] if found.returncode == 0 else {"trouble": found.stderr}


def test_recorded_lookups(_folder):
    path = os.path.join(PEERS, "lookups.json")
    for case in json.load(open(path, encoding="utf-8")) if os.path.exists(path) else []:
        options = ["-m", os.path.join(PEERS, case["minified_file"])] if case["minified_file"] else []
        place = place_of(os.path.join(PEERS, case["map_file"]), case["line"] + 1, case["column"] + 1, *options)
        wanted = case["expected"]
        if wanted is None:
            check(case["name"], "file" not in place and "trouble" not in place, place)
            continue
        function = {"named": wanted["scope"], "anonymous": "<anonymous>", "unknown": None}[wanted["scope_kind"]]
        seen = (place.get("file"), place.get("original_line"), place.get("original_column"), place.get("function"))
        check(case["name"], seen == (wanted["file_name"], wanted["line"] + 1, wanted["column"] + 1, function), seen, wanted)


def test_standard(_folder):
    """Validity is what `check` tells; mappings, through several maps where a case says so, what `lookup` does."""
    folder = os.path.join(PEERS, "source-map-tests")
    path = os.path.join(folder, "source-map-spec-tests.json")
    for case in json.load(open(path, encoding="utf-8"))["tests"] if os.path.exists(path) else []:
        file = os.path.join(folder, "resources", case["sourceMapFile"])
        checked = json.loads(symgate("sourcemap", "check", "--json", file).stdout)
        check(case["name"], (checked["errors"] == 0) == case["sourceMapIsValid"], checked)
        for action in case.get("testActions", []):
            line, column = action["generatedLine"] + 1, action["generatedColumn"] + 1
            for name in [case["sourceMapFile"]] + action.get("intermediateMaps", []):
                place = place_of(os.path.join(folder, "resources", name), line, column)
                line, column = place.get("original_line", 0), place.get("original_column", 0)
            if action["originalLine"] is None:
                check(case["name"], "file" not in place and "trouble" not in place, action, place)
                continue
            check(case["name"], (place.get("file") or None, line - 1, column - 1, place.get("name")) == (
                action["originalSource"], action["originalLine"], action["originalColumn"], action["mappedName"]),
                action, place)


def test_agreement(folder):
    trace = os.path.join(MODULES, "@jridgewell", "trace-mapping", "dist", "trace-mapping.mjs")
    if not MODULES or not shutil.which("node") or not os.path.exists(trace):
        return
    script = put(folder, "agree.mjs", AGREE)
    for path in sorted(glob.glob(os.path.join(MODULES, "**", "*.map"), recursive=True) +
                       glob.glob(os.path.join(MODULES, "..", "out", "*.map")))[:60]:
        theirs = subprocess.run(["node", script, trace, path], capture_output=True, text=True, timeout=120)
        if theirs.returncode != 0:
            continue
        ours = symgate("sourcemap", "dump", "--json", path)
        tokens = [[t["line"], t["column"], t.get("source"), t.get("original_line"), t.get("original_column"), t.get("name")]
                  for t in (json.loads(ours.stdout) if ours.returncode == 0 else [])]
        check(path, tokens == json.loads(theirs.stdout), ours.stderr)


run_tests([test_commands, test_ram_bundles, test_faults, test_recorded_lookups, test_standard, test_agreement])

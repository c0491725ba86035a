#!/usr/bin/env python3
"""test_js_command -- symgate js: stacks of every engine, files by folder, by map and in bundles.  How it is run:
cli_support.py."""
import io
import json
import os
import struct
import zipfile

from cli_support import check, run_tests, symgate

CODE = "function add(n,d){return n+d.x}add(1);\n//# sourceMappingURL=app.min.js.map\n"
TEXT = "function add(a, b) {\n  return a + b.x;\n}\nadd(1);\n"
MAP = json.dumps({"version": 3, "sources": ["app.js"], "sourcesContent": [TEXT], "names": ["add"],
                  "mappings": "AAAA,SAASA,SACP,SAAW"})
STACKS = {
    "V8": "TypeError: no x\n    at add (https://example.org/js/app.min.js:1:28)\n    at node:internal/x:1:2\n",
    "V8 without a name": "    at https://example.org/js/app.min.js:1:28\n",
    "V8, async": "    at async add (https://example.org/js/app.min.js:1:28)\n",
    "V8, eval": "    at eval (eval at add (https://example.org/js/app.min.js:1:28), <anonymous>:1:1)\n",
    "SpiderMonkey": "add@https://example.org/js/app.min.js:1:28\n@https://cdn/@scope/none.js:3:4\n",
    "JavaScriptCore": "add@https://example.org/js/app.min.js:1:28\n[native code]\n",
    "Hermes": "    at add (address at https://example.org/js/app.min.js:1:28)\n    at native\n",
}


def write(folder, name, contents):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(contents if isinstance(contents, bytes) else contents.encode())
    return path


def bundle():
    out = io.BytesIO()
    out.write(b"SYSB" + struct.pack("<I", 2))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("files/a", CODE)
        archive.writestr("files/b", MAP)
        archive.writestr("manifest.json", json.dumps({"files": {
            "files/a": {"type": "minified_source", "url": "~/js/app.min.js"},
            "files/b": {"type": "source_map", "url": "~/js/app.min.js.map"}}}))
    return out.getvalue()


def test_stacks(folder):
    write(folder, "dist/js/app.min.js", CODE)
    write(folder, "dist/js/app.min.js.map", MAP)
    for engine, stack in STACKS.items():
        run = symgate("js", "--dir", os.path.join(folder, "dist"), write(folder, "stack", stack))
        check(engine, run.returncode == 0 and "at add (app.js:2:" in run.stdout, run.stdout + run.stderr)
        rest = [line for line in stack.splitlines() if "app.min.js" not in line]
        check(engine + ", the rest", all(line in run.stdout.splitlines() for line in rest), run.stdout)


def test_files(folder):
    stack = write(folder, "stack", STACKS["V8"])
    code = write(folder, "flat/app.min.js", CODE)
    alone = write(folder, "alone/any.map", MAP)
    write(folder, "flat/app.min.js.map", MAP)
    packed = write(folder, "bundle.zip", bundle())
    for what, arguments in (("a folder without the URL's folders", ["--dir", os.path.dirname(code)]),
                            ("a map beside its file", ["--map", code + ".map"]),
                            ("a map alone", ["--map", alone]), ("a bundle", ["--bundle", packed])):
        run = symgate("js", *arguments, stack)
        check(what, "(app.js:2:" in run.stdout, run.stdout + run.stderr)
    for url in ("https://example.org/cart/", "https://example.org/.", "https://example.org/%s.js" % (300 * "a")):
        page = write(folder, "page", STACKS["V8"] + "    at pay (%s:1:2)\n" % url)
        run = symgate("js", "--map", alone, page)
        check("a map alone, and what is no file: " + url[:30],
              run.returncode == 0 and "(app.js:2:" in run.stdout and url in run.stdout, run.stdout + run.stderr)
    run = symgate("js", "--context", "--bundle", packed, stack)
    check("--context", "\n    >      2    return a + b.x;\n" in run.stdout, run.stdout)
    run = symgate("js", "--json", "--bundle", packed, stack)
    check("--json", json.loads(run.stdout)["stacktraces"][0]["frames"][0]["lineno"] == 2, run.stdout)
    frames = [{"abs_path": "https://example.org/js/app.min.js", "lineno": 1, "colno": 28}]
    request = write(folder, "request.json", json.dumps({"stacktraces": [{"frames": frames}]}))
    run = symgate("js", "--bundle", packed, request)
    check("a request", run.stdout == "    at add (app.js:2:14)\n", run.stdout + run.stderr)


def test_ram_bundles(folder):
    """Frames in modules by number: 0 begins at the third line of the map, 2 at the fourth; 1 is in no bundle."""
    module = {"version": 3, "names": [], "mappings": "AAAA,IACA"}
    path = write(folder, "ram.map", json.dumps({"version": 3, "x_facebook_offsets": [2, None, 3], "sections": [
        {"offset": {"line": line, "column": 0}, "map": {**module, "sources": [source]}}
        for line, source in ((0, "startup.js"), (2, "a.js"), (3, "b.js"))]}))
    stack = write(folder, "stack", "f@0.js:1:5\ng@http://host/2.js:1:1\nh@1.js:1:5\n")
    run = symgate("js", "--map", path, stack)
    check("modules", run.returncode == 0 and "a.js:2:1" in run.stdout and "b.js:1:1" in run.stdout and
          "h@1.js:1:5" in run.stdout and "startup" not in run.stdout, run.stdout + run.stderr)


def test_folders_of_ram_bundles(folder):
    """By the mark in js-modules; then the map of the startup code places frames in modules."""
    module = {"version": 3, "names": [], "mappings": "AAAA,IACA"}
    ram = json.dumps({"version": 3, "x_facebook_offsets": [2], "sections": [
        {"offset": {"line": line, "column": 0}, "map": {**module, "sources": [source]}}
        for line, source in ((0, "startup.js"), (2, "a.js"))]})
    build = os.path.join(folder, "android")
    stack = write(folder, "stack", "f@0.js:1:5\ng@http://host/index.android.bundle:1:1\n")
    write(build, "index.android.bundle", "var a;\n")
    write(build, "index.android.bundle.map", ram)
    write(build, "other.map", "{}")
    run = symgate("js", "--dir", build, stack)
    check("no mark", run.returncode == 0 and "a.js" not in run.stdout, run.stdout + run.stderr)
    write(build, "js-modules/UNBUNDLE", struct.pack("<I", 0xFB0BD1E5))
    write(build, "js-modules/0.js", "a();\n")
    run = symgate("js", "--dir", build, stack)
    check("a folder", run.returncode == 0 and "a.js:2:1" in run.stdout and "startup.js:1:1" in run.stdout,
          run.stdout + run.stderr)
    write(build, "main.jsbundle", "var b;\n")
    write(build, "main.jsbundle.map", ram)
    run = symgate("js", "--dir", build, stack)
    check("two maps", run.returncode == 1 and "--map" in run.stderr, run.stdout + run.stderr)
    run = symgate("js", "--dir", build, "--map", os.path.join(build, "main.jsbundle.map"), stack)
    check("one of them named", run.returncode == 0 and "a.js:2:1" in run.stdout, run.stdout + run.stderr)
    write(build, "js-modules/UNBUNDLE", b"\xe5\xd1\x0b")
    check("a mark cut short", "a.js" not in symgate("js", "--dir", build, stack).stdout)


def test_errors(folder):
    none = write(folder, "none", "nothing here\n")
    run = symgate("js", "--map", write(folder, "a.map", MAP), none)
    check("no frame", run.returncode == 3 and run.stdout == "nothing here\n", run.stdout + run.stderr)
    check("no such map", symgate("js", "--map", folder + "/gone.map", none).returncode == 1)
    check("no such stack", symgate("js", folder + "/gone").returncode == 1)
    check("no stack", symgate("js").returncode == 2)
    run = symgate("js", "--map", write(folder, "bad.map", "{"), write(folder, "stack", STACKS["V8"]))
    check("a map that is none", run.returncode == 0 and "malformed_sourcemap" in run.stderr, run.stderr)
    run = symgate("js", "--dir", folder, write(folder, "stack", "    at x (https://e.org/\x1b[31m.js:1:1)\n"))
    check("control characters", "\x1b" not in run.stderr, run.stderr)



run_tests([test_stacks, test_files, test_ram_bundles, test_folders_of_ram_bundles, test_errors])

#!/usr/bin/env python3
"""test_java -- mappings and stack traces of Java.  How it is run: cli_support.py."""
import gzip
import json
import os
import subprocess
import zipfile

from cli_support import SYMGATE, check, run_tests, stretched, symgate

MAPPING = """o.Main$In -> a.b:
    int field -> f
    1:1:void callee():54:54 -> t
    1:1:void caller(int):40 -> t
    7:9:int own(long,int) -> u
o.Boom -> a.c:
    void <init>() -> <init>
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def test_retrace(folder):
    mapping = write(folder, "mapping.txt", MAPPING)
    trace = "a log line\nCaused by: a.c: boom boom\n\tat a.b.t(SourceFile:1)\n\t... 13 more\n"
    plain = ("a log line\nCaused by: o.Boom: boom boom\n\tat o.Main$In.callee(Main.java:54)\n"
             "\tat o.Main$In.caller(Main.java:40)\n\t... 13 more\n")
    check("retrace: from standard input", symgate("retrace", mapping, stdin=trace).stdout == plain)
    check("retrace: from a file", symgate("retrace", mapping, write(folder, "trace", trace)).stdout == plain)
    packed = write(folder, "mapping.gz", gzip.compress(MAPPING.encode()))
    check("retrace: a packed mapping", symgate("retrace", packed, stdin=trace).stdout == plain)
    for option in ("-v", "--verbose", "-verbose"):
        run = symgate("retrace", option, mapping, stdin="\tat a.b.u(X:8)\n")
        check("retrace " + option, run.stdout == "\tat o.Main$In.int own(long,int)(Main.java:8)\n", run.stdout, run.stderr)
    run = symgate("retrace", "-regex", "%c#%m", mapping, stdin="a.b#u\n")
    check("retrace -regex", run.stdout == "o.Main$In#own\n", run.stdout, run.stderr)
    run = symgate("retrace", "--like", "library", mapping, stdin="\tat a.b.u(X:8)")
    check("retrace --like library", run.stdout == "    at o.Main$In.own(Main.java:8)\n", run.stdout)
    long_line = "x" * 3000000 + " a.c: m\n"
    check("retrace: a line of 3 MB goes through", symgate("retrace", mapping, stdin=long_line).stdout == long_line)
    for words in (["--regex", "(%c", mapping], ["--regex", "(a)%c", mapping], ["--like", "library", "-r", "%c", mapping],
                  [os.path.join(folder, "none")], [write(folder, "words", "no mapping\n")]):
        run = symgate("retrace", *words)
        check("retrace %s fails" % words, run.returncode == 1 and run.stdout == "" and run.stderr.startswith("symgate: "), run.stderr)
    for words in ([], ["a", "b", "c"], ["--like", "nobody", mapping]):
        check("retrace %s is wrong" % words, symgate("retrace", *words).returncode == 2)


def test_stream(folder):
    """Each line comes out before the next goes in."""
    mapping = write(folder, "mapping.txt", MAPPING)
    with subprocess.Popen([SYMGATE, "retrace", mapping], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                          env=dict(os.environ, SYMGATE_CONFIG="")) as run:
        for line, expected in (("hello", "hello"), ("\tat a.b.u(X:8)", "\tat o.Main$In.own(Main.java:8)"), ("", "")):
            run.stdin.write(line + "\n")
            check("a stream: %r" % line, run.stdout.readline() == expected + "\n")
        run.stdin.close()
        check("a stream ends", run.wait(stretched(60)) == 0)


def test_proguard(folder):
    mapping = write(folder, "mapping.txt", MAPPING)
    run = symgate("proguard", "lookup", mapping, "a.c", "a.b.t:1", "a.b.u(long,int)", "x.y")
    check("proguard lookup", run.stdout == "a.c\n  o.Boom\na.b.t:1\n  o.Main$In.callee() Main.java:54\n"
          "  o.Main$In.caller(int) Main.java:40\na.b.u(long,int)\n  o.Main$In.own(long,int) Main.java:7\nx.y  -\n", run.stdout)
    check("proguard lookup finds nothing", symgate("proguard", "lookup", mapping, "x.y").returncode == 3)
    asked = json.loads(symgate("--json", "proguard", "lookup", mapping, "a.b.u:8").stdout)
    check("proguard lookup --json", asked == [{"asked": "a.b.u:8", "frames": [
        {"class": "o.Main$In", "method": "own", "type": "int", "parameters": "long,int", "file": "Main.java", "line": 8,
         "synthesized": False}]}], asked)
    dump = symgate("proguard", "dump", mapping).stdout
    check("proguard dump", dump == "o.Main$In -> a.b:\n    1:1:void callee():54:54 -> t\n    1:1:void caller(int):40 -> t\n"
          "    7:9:int own(long,int):7:9 -> u\no.Boom -> a.c:\n    void <init>() -> <init>\n", dump)
    uuid = symgate("proguard", "uuid", mapping).stdout.strip()
    check("proguard uuid", len(uuid) == 36 and uuid[14] == "5", uuid)
    told = json.loads(symgate("--json", "object", "info", mapping).stdout)["objects"][0]
    check("object info of a mapping", told["format"] == "proguard" and told["debug_id"] == uuid, told)
    for words in ([], ["dump"], ["dump", mapping, mapping], ["lookup", mapping], ["uuid"], ["eat", mapping]):
        check("proguard %s is wrong" % words, symgate("proguard", *words).returncode == 2)


def test_bundle(folder):
    os.makedirs(os.path.join(folder, "src", "com", "foo"))
    write(folder, "src/com/foo/A.java", "class A {}\n")
    write(folder, "src/B.kt", "b\n")
    write(folder, "src/c.txt", "c\n")
    write(folder, "src/Bad.java", b"\xff\n")
    os.symlink("/etc", os.path.join(folder, "src", "link"))
    out = os.path.join(folder, "bundle.zip")
    uuid = "0e71d76c-5067-5a02-a5d9-7e81070eb125"
    run = symgate("bundle-jvm", "--debug-id", uuid, os.path.join(folder, "src"), out)
    check("bundle-jvm", run.stdout == uuid + ": 2 files, 1 left out\n", run.stdout, run.stderr)
    with open(out, "rb") as f:
        inside = write(folder, "inside.zip", f.read()[8:])
    with zipfile.ZipFile(inside) as z:
        manifest = json.loads(z.read("manifest.json"))
        urls = {file["url"]: z.read(name) for name, file in manifest["files"].items()}
    check("bundle-jvm: urls", urls == {"~/com/foo/A.jvm": b"class A {}\n", "~/B.jvm": b"b\n"} and manifest["debug_id"] == uuid, urls)
    told = json.loads(symgate("--json", "object", "info", out).stdout)["objects"][0]
    check("bundle-jvm: object info", told["format"] == "sourcebundle" and told["debug_id"] == uuid and
          told["sources_inside"] == 2, told)
    os.mkdir(os.path.join(folder, "empty"))
    run = symgate("bundle-jvm", os.path.join(folder, "empty"), out + "2")
    check("bundle-jvm: no sources", run.returncode == 1 and not os.path.exists(out + "2"), run.stderr)
    check("bundle-jvm: no folder", symgate("bundle-jvm", os.path.join(folder, "none"), out).returncode == 1)
    for words in ([], [folder], ["--debug-id", "xyz", folder, out]):
        check("bundle-jvm %s is wrong" % words, symgate("bundle-jvm", *words).returncode == 2)


run_tests([test_retrace, test_stream, test_proguard, test_bundle])
